package packages

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	apiextv1 "github.com/crossplane/crossplane/apis/v2/apiextensions/v1"
	metav1 "github.com/crossplane/crossplane/apis/v2/pkg/meta/v1"
	"github.com/google/go-cmp/cmp"
)

// TestRegistry builds the configurations for several registries. What Crossplane
// calls a function that it installs as a dependency is what its own
// xpkg.ToDNSLabel makes of the repository. The names here are from there, because
// importing it brings the SDKs of all clouds along.
func TestRegistry(t *testing.T) {
	type want struct {
		dependency string
		function   string
	}
	long := strings.Repeat("a", 45)
	cases := map[string]struct {
		reason   string
		registry string
		want     want
	}{
		"Default": {
			reason: "Without a choice it is the public registry.",
			want: want{
				dependency: "xpkg.crossplane.io/function-jupyter/function-jupyter",
				function:   "function-jupyter-function-jupyter",
			},
		},
		"Organization": {
			reason:   "The path is part of the name, the host is not.",
			registry: "registry.example.org/data",
			want: want{
				dependency: "registry.example.org/data/function-jupyter",
				function:   "data-function-jupyter",
			},
		},
		"TrailingSlash": {
			reason:   "A slash at the end adds nothing.",
			registry: "registry.example.org/data/",
			want: want{
				dependency: "registry.example.org/data/function-jupyter",
				function:   "data-function-jupyter",
			},
		},
		"NoPath": {
			reason:   "A registry needs no path.",
			registry: "localhost:5000",
			want: want{
				dependency: "localhost:5000/function-jupyter",
				function:   "function-jupyter",
			},
		},
		"DeepPath": {
			reason:   "All parts of the path are in the name, not only the last.",
			registry: "europe-docker.pkg.dev/my-project/my-repo",
			want: want{
				dependency: "europe-docker.pkg.dev/my-project/my-repo/function-jupyter",
				function:   "my-project-my-repo-function-jupyter",
			},
		},
		"Characters": {
			reason:   "Dots become dashes, and underscores go.",
			registry: "registry.example.org/my_team/v1.2",
			want: want{
				dependency: "registry.example.org/my_team/v1.2/function-jupyter",
				function:   "myteam-v1-2-function-jupyter",
			},
		},
		"Long": {
			reason:   "A name has at most 63 characters.",
			registry: "registry.example.org/data/" + long,
			want: want{
				dependency: "registry.example.org/data/" + long + "/function-jupyter",
				function:   "data-" + long + "-function-jup",
			},
		},
		"CutAtDash": {
			reason:   "A name that is cut at a dash does not end in it, and what was dropped counts.",
			registry: "registry.example.org/data_/" + long + "aa",
			want: want{
				dependency: "registry.example.org/data_/" + long + "aa/function-jupyter",
				function:   "data-" + long + "aa-function",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			cmd := exec.CommandContext(t.Context(), "hack/package.sh")
			cmd.Dir = root
			cmd.Env = append(os.Environ(), "ONLY=configurations", "DIST="+folder, "REGISTRY="+tc.registry, "VERSION=v1.2.3")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("hack/package.sh: %v\n%s", err, out)
			}
			for _, pkg := range []string{claims, namespaced} {
				p := open(t, folder, pkg)
				composition := into[apiextv1.Composition](t, p.object(t, "Composition"))
				if got, want := agentImage(t, composition), tc.want.dependency+":v1.2.3"; got != want {
					t.Errorf("\n%s\n%s for %q: the agent's image is %s, want the function's, %s", tc.reason, pkg, tc.registry, got, want)
				}
				got := want{
					dependency: *into[metav1.Configuration](t, p.object(t, "Configuration")).Spec.DependsOn[0].Package,
					function:   composition.Spec.Pipeline[0].FunctionRef.Name,
				}
				if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
					t.Errorf("\n%s\n%s for %q: -want, +got:\n%s", tc.reason, pkg, tc.registry, diff)
				}
			}
		})
	}
}

// agentImage is what the Composition tells the function of it.
func agentImage(t *testing.T, composition *apiextv1.Composition) string {
	t.Helper()
	input := struct {
		Agent struct {
			Image string `json:"image"`
		} `json:"agent"`
	}{}
	if err := json.Unmarshal(composition.Spec.Pipeline[0].Input.Raw, &input); err != nil {
		t.Fatal(err)
	}
	return input.Agent.Image
}
