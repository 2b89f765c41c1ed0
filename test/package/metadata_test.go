package packages

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/Masterminds/semver/v3"
	apiextv1 "github.com/crossplane/crossplane/apis/v2/apiextensions/v1"
	apiextv2 "github.com/crossplane/crossplane/apis/v2/apiextensions/v2"
	metav1 "github.com/crossplane/crossplane/apis/v2/pkg/meta/v1"
	"github.com/google/go-cmp/cmp"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

// into converts the object to its Go type. A field that the type does not have,
// such as a misspelt one, is an error.
func into[T any](t *testing.T, o unstructured.Unstructured) *T {
	t.Helper()
	out := new(T)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(o.Object, out, true); err != nil {
		t.Fatalf("%s %s: %v", o.GetKind(), o.GetName(), err)
	}
	return out
}

func TestMetadata(t *testing.T) {
	cases := map[string]struct {
		reason string
		source string
		kind   string
		name   string
	}{
		functionAMD64: {
			reason: "The function says what it is, whose it is and where it is from.",
			source: "package",
			kind:   "Function",
			name:   "function-jupyter",
		},
		functionARM64: {
			reason: "Both architectures are one package: they only differ in the binary.",
			source: "package",
			kind:   "Function",
			name:   "function-jupyter",
		},
		claims: {
			reason: "The configuration for claims says the same of itself.",
			source: "configuration",
			kind:   "Configuration",
			name:   "configuration-jupyter",
		},
		namespaced: {
			reason: "The configuration without claims says the same of itself.",
			source: "configuration-namespaced",
			kind:   "Configuration",
			name:   "configuration-jupyter-namespaced",
		},
	}
	for pkg, tc := range cases {
		t.Run(pkg, func(t *testing.T) {
			got := open(t, dist, pkg).object(t, tc.kind)
			if got.GetAPIVersion() != "meta.pkg.crossplane.io/v1" || got.GetName() != tc.name {
				t.Errorf("\n%s\nwant meta.pkg.crossplane.io/v1 %s, got %s %s", tc.reason, tc.name, got.GetAPIVersion(), got.GetName())
			}
			source := objects(t, read(t, tc.source+"/crossplane.yaml"))[0]
			if diff := cmp.Diff(source.GetAnnotations(), got.GetAnnotations()); diff != "" {
				t.Errorf("\n%s\n-crossplane.yaml, +package:\n%s", tc.reason, diff)
			}
			checkAnnotations(t, got.GetAnnotations())
		})
	}
}

// checkAnnotations checks that the annotations that registries show are there.
func checkAnnotations(t *testing.T, got map[string]string) {
	t.Helper()
	for key, want := range map[string]string{
		"meta.crossplane.io/source":  "github.com/function-jupyter/function-jupyter",
		"meta.crossplane.io/license": "Apache-2.0",
	} {
		if got[key] != want {
			t.Errorf("want annotation %s: %s, got %q", key, want, got[key])
		}
	}
	for _, key := range []string{
		"friendly-name.meta.crossplane.io",
		"meta.crossplane.io/maintainer",
		"meta.crossplane.io/description",
		"meta.crossplane.io/readme",
	} {
		if strings.TrimSpace(got[key]) == "" {
			t.Errorf("want annotation %s, got none", key)
		}
	}
	if strings.Contains(strings.TrimSpace(got["meta.crossplane.io/description"]), "\n") {
		t.Error("want a description of one line, because lists of packages show it")
	}
}

// TestSources looks for fields that do not exist, which the CLI leaves out of a
// package without a word.
func TestSources(t *testing.T) {
	cases := map[string]func(*testing.T, unstructured.Unstructured){
		"package/crossplane.yaml":                   strict[metav1.Function],
		"configuration/crossplane.yaml":             strict[metav1.Configuration],
		"configuration/definition.yaml":             strict[apiextv1.CompositeResourceDefinition],
		"configuration/composition.yaml":            strict[apiextv1.Composition],
		"configuration-namespaced/crossplane.yaml":  strict[metav1.Configuration],
		"configuration-namespaced/definition.yaml":  strict[apiextv2.CompositeResourceDefinition],
		"configuration-namespaced/composition.yaml": strict[apiextv1.Composition],
	}
	for path, check := range cases {
		t.Run(path, func(t *testing.T) {
			all := objects(t, read(t, path))
			if len(all) != 1 {
				t.Fatalf("want one object, got %d", len(all))
			}
			check(t, all[0])
		})
	}
}

func strict[T any](t *testing.T, o unstructured.Unstructured) {
	t.Helper()
	into[T](t, o)
}

func TestFunctionPackage(t *testing.T) {
	for _, name := range []string{functionAMD64, functionARM64} {
		t.Run(name, func(t *testing.T) {
			p := open(t, dist, name)
			if diff := cmp.Diff([]string{"Function", "CustomResourceDefinition"}, p.kinds(t)); diff != "" {
				t.Errorf("-want kinds, +got kinds:\n%s", diff)
			}
			f := into[metav1.Function](t, p.object(t, "Function"))
			want := metav1.FunctionSpec{MetaSpec: metav1.MetaSpec{
				Crossplane:   &metav1.CrossplaneConstraints{Version: ">=v2.0.0-0"},
				Capabilities: []string{metav1.FunctionCapabilityComposition},
			}}
			if diff := cmp.Diff(want, f.Spec); diff != "" {
				t.Errorf("-want spec, +got spec:\n%s", diff)
			}
			input := into[extv1.CustomResourceDefinition](t, p.object(t, "CustomResourceDefinition"))
			if input.Spec.Group != "jupyter.fn.crossplane.io" || input.Spec.Names.Kind != "NotebookPolicy" || input.Spec.Versions[0].Name != "v1beta1" {
				t.Errorf("want the input's definition, got %s %s", input.Spec.Names.Kind, input.Name)
			}
		})
	}
}

func TestConfigurationPackages(t *testing.T) {
	cases := map[string]struct {
		reason string

		// definition checks the XRD and returns the composite resource's API
		// version and kind, and the Composition that it uses by default.
		definition func(t *testing.T, xrd unstructured.Unstructured) (apiVersion, kind, composition string)
	}{
		claims: {
			reason:     "JupyterNotebook is a claim, which a composite resource of another kind stands for.",
			definition: claimDefinition,
		},
		namespaced: {
			reason:     "JupyterNotebook is itself the composite resource, in its user's namespace.",
			definition: namespacedDefinition,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Log(tc.reason)
			p := open(t, dist, name)
			if n := len(p.layers[""]); n != 0 {
				t.Errorf("a configuration runs nothing: want no runtime layer, got %d", n)
			}
			if n := len(p.kinds(t)); n != 3 {
				t.Errorf("want metadata, an XRD and a Composition, got %v", p.kinds(t))
			}
			apiVersion, kind, byDefault := tc.definition(t, p.object(t, "CompositeResourceDefinition"))
			c := into[apiextv1.Composition](t, p.object(t, "Composition"))
			want := apiextv1.TypeReference{APIVersion: apiVersion, Kind: kind}
			if diff := cmp.Diff(want, c.Spec.CompositeTypeRef); diff != "" {
				t.Errorf("-XRD, +compositeTypeRef of the Composition:\n%s", diff)
			}
			if c.Name != byDefault {
				t.Errorf("want the XRD's default Composition to be the one in the package, %s, got %s", c.Name, byDefault)
			}
			function := dependency(t, p)
			if len(c.Spec.Pipeline) != 1 || c.Spec.Pipeline[0].FunctionRef.Name != function {
				t.Errorf("want one step that calls %s, got %+v", function, c.Spec.Pipeline)
			}
		})
	}
}

func claimDefinition(t *testing.T, o unstructured.Unstructured) (apiVersion, kind, composition string) {
	t.Helper()
	xrd := into[apiextv1.CompositeResourceDefinition](t, o)
	if xrd.Spec.ClaimNames == nil || xrd.Spec.ClaimNames.Kind != "JupyterNotebook" || xrd.Spec.ClaimNames.Plural != "jupyternotebooks" {
		t.Errorf("want claims of kind JupyterNotebook, got %+v", xrd.Spec.ClaimNames)
	}
	if xrd.Spec.Scope != nil {
		t.Errorf("want no scope, because only without one Crossplane v2 allows claims, got %s", *xrd.Spec.Scope)
	}
	return xrd.Spec.Group + "/" + xrd.Spec.Versions[0].Name, xrd.Spec.Names.Kind, xrd.Spec.DefaultCompositionRef.Name
}

func namespacedDefinition(t *testing.T, o unstructured.Unstructured) (apiVersion, kind, composition string) {
	t.Helper()
	if o.GetAPIVersion() != "apiextensions.crossplane.io/v2" {
		t.Errorf("want an XRD of apiextensions.crossplane.io/v2, got %s", o.GetAPIVersion())
	}
	xrd := into[apiextv2.CompositeResourceDefinition](t, o)
	if xrd.Spec.Scope != apiextv2.CompositeResourceScopeNamespaced || xrd.Spec.Names.Plural != "jupyternotebooks" {
		t.Errorf("want namespaced jupyternotebooks, got %s %s", xrd.Spec.Scope, xrd.Spec.Names.Plural)
	}
	return xrd.Spec.Group + "/" + xrd.Spec.Versions[0].Name, xrd.Spec.Names.Kind, xrd.Spec.DefaultCompositionRef.Name
}

// dependency checks what the configuration depends on, and returns the name
// under which Crossplane installs it: repository path, with dashes.
func dependency(t *testing.T, p *xpkg) string {
	t.Helper()
	c := into[metav1.Configuration](t, p.object(t, "Configuration"))
	if diff := cmp.Diff(&metav1.CrossplaneConstraints{Version: ">=v2.0.0-0"}, c.Spec.Crossplane); diff != "" {
		t.Errorf("-want Crossplane, +got Crossplane:\n%s", diff)
	}
	if len(c.Spec.DependsOn) != 1 {
		t.Fatalf("want one dependency, got %+v", c.Spec.DependsOn)
	}
	d := c.Spec.DependsOn[0]
	if d.Kind == nil || *d.Kind != "Function" || d.Package == nil {
		t.Fatalf("want a dependency on a Function, got %+v", d)
	}
	constraint, err := semver.NewConstraint(d.Version)
	if err != nil {
		t.Fatalf("cannot read the version of %s: %v", *d.Package, err)
	}
	for version, want := range map[string]bool{"v0.0.9": false, "v0.1.0": true, "v0.2.0": true} {
		if got := constraint.Check(semver.MustParse(version)); got != want {
			t.Errorf("%s allows %s: want %t, got %t", d.Version, version, want, got)
		}
	}
	_, repository, _ := strings.Cut(*d.Package, "/")
	return strings.ReplaceAll(repository, "/", "-")
}

func TestExamples(t *testing.T) {
	for _, name := range []string{functionAMD64, functionARM64, claims, namespaced} {
		t.Run(name, func(t *testing.T) {
			for _, o := range open(t, dist, name).objects(t, "upbound") {
				if o.GetAPIVersion() != "mlops.function-jupyter.dev/v1" || o.GetKind() != "JupyterNotebook" {
					t.Errorf("want notebooks only, got %s %s", o.GetAPIVersion(), o.GetKind())
				}
			}
		})
	}
}

// TestExamplesValid validates the examples in each configuration against the
// definition beside them, with the real CLI.
func TestExamplesValid(t *testing.T) {
	for _, name := range []string{claims, namespaced} {
		t.Run(name, func(t *testing.T) {
			p := open(t, dist, name)
			dir := t.TempDir()
			definition, examples := filepath.Join(dir, "definition.yaml"), filepath.Join(dir, "examples.yaml")
			write(t, definition, p.object(t, "CompositeResourceDefinition"))
			write(t, examples, p.objects(t, "upbound")...)
			cmd := exec.CommandContext(t.Context(), cli, "resource", "validate", definition, examples,
				"--crossplane-image=", "--cache-dir="+dir, "--error-on-missing-schemas")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("crossplane resource validate: %v\n%s", err, out)
			}
		})
	}
}

// write the objects to a file, as a stream of YAML documents.
func write(t *testing.T, path string, all ...unstructured.Unstructured) {
	t.Helper()
	var stream []byte
	for _, o := range all {
		doc, err := yaml.Marshal(o.Object)
		if err != nil {
			t.Fatal(err)
		}
		stream = append(append(stream, "---\n"...), doc...)
	}
	if err := os.WriteFile(path, stream, 0o600); err != nil {
		t.Fatal(err)
	}
}
