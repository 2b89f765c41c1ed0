package fn

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

var stamp = flag.Bool("stamp", false, "write into observed.yaml files which pod this function makes, instead of comparing it")

var stamped = regexp.MustCompile(`(?m)^( *mlops\.function-jupyter\.dev/pod: )[0-9a-f]{16}$`)

// TestObservedServers checks that the servers which the golden tests and the
// example observe are as this function makes them. Otherwise each of them would wait
// for a restart. `make golden` writes what is missing.
func TestObservedServers(t *testing.T) {
	files, err := filepath.Glob("../test/golden/*/observed.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no golden tests: %v", err)
	}
	for _, file := range append(files, "../example/observed.yaml") {
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) {
			text, err := os.ReadFile(file) //nolint:gosec // The files are the repository's.
			if err != nil {
				t.Fatal(err)
			}
			documents := documentsOf(t, string(text))
			if !stamped.Match(text) {
				return // It has no server, or one that an earlier release made.
			}
			want := stamped.ReplaceAllString(string(text), "${1}"+observedHash(t, documents))
			switch {
			case want == string(text):
			case *stamp:
				if err := os.WriteFile(file, []byte(want), 0o644); err != nil { //nolint:gosec // The files are for everybody.
					t.Fatal(err)
				}
			default:
				t.Errorf("%s has a server with another pod than this function makes: run make golden", file)
			}
		})
	}
}

func documentsOf(t *testing.T, text string) []object {
	t.Helper()
	var documents []object
	for part := range strings.SplitSeq(text, "\n---\n") {
		documents = append(documents, objectOf(t, part))
	}
	return documents
}

// observedHash is of the pod that this function makes for the server among the
// documents.
func observedHash(t *testing.T, documents []object) string {
	t.Helper()
	ofKind := func(kind string) object {
		i := slices.IndexFunc(documents, func(o object) bool { return o.text("kind") == kind })
		if i < 0 {
			t.Fatalf("no %s is observed", kind)
		}
		return documents[i]
	}
	d := ofKind("Deployment")
	spec, _ := acceptedSpec(d)
	if spec == nil {
		t.Fatal("the observed server has no accepted spec")
	}
	nb := notebook{name: d.text("metadata", "name"), namespace: d.text("metadata", "namespace")}
	policy, refusals := readPolicy(packagedPolicy(t).Struct)
	if len(refusals) > 0 {
		t.Fatal(refusals)
	}
	return podHash(podTemplate(nb, plan{spec: spec, policy: policy}, mountedClaim(d), observedToken(ofKind("Secret"))))
}

// packagedPolicy is the function's input in the configuration.
func packagedPolicy(t *testing.T) object {
	t.Helper()
	text, err := os.ReadFile("../configuration/composition.yaml")
	if err != nil {
		t.Fatal(err)
	}
	composition := struct {
		Spec struct {
			Pipeline []struct {
				Input map[string]any `json:"input"`
			} `json:"pipeline"`
		} `json:"spec"`
	}{}
	if err := yaml.Unmarshal(text, &composition); err != nil {
		t.Fatal(err)
	}
	return object{asStruct(t, composition.Spec.Pipeline[0].Input)}
}
