package fn

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation"
)

func TestNames(t *testing.T) {
	type names struct{ Workspace, Access, Server, Service, Network, Label string }
	long := strings.Repeat("a", 63)
	longest := strings.Repeat("b", 253)
	cases := map[string]struct {
		reason string
		name   string
		want   names
	}{
		"Plain": {
			reason: "Whoever knows the claim's name finds its objects.",
			name:   "alpha",
			want:   names{"alpha-workspace", "alpha-access", "alpha", "alpha", "alpha", "alpha"},
		},
		"Jupyter": {
			reason: "No name is reserved.",
			name:   "jupyter",
			want:   names{"jupyter-workspace", "jupyter-access", "jupyter", "jupyter", "jupyter", "jupyter"},
		},
		"LeadingDigit": {
			reason: "A Service's name may not start with a digit.",
			name:   "2nd",
			want:   names{"2nd-workspace", "2nd-access", "2nd", "nb-2nd-" + hash("2nd"), "2nd", "2nd"},
		},
		"Dots": {
			reason: "A Service's name may not have dots.",
			name:   "a.b",
			want:   names{"a.b-workspace", "a.b-access", "a.b", "a-b-" + hash("a.b"), "a.b", "a.b"},
		},
		"AsLongAsALabel": {
			reason: "63 characters are what a claim's name may have: only what is not a label has room for more.",
			name:   long,
			want:   names{long + "-workspace", long + "-access", long, long, long, long},
		},
		"Longest": {
			reason: "What does not fit is cut, and a hash stands for the rest.",
			name:   longest,
			want: names{
				longest[:234] + "-" + hash(longest) + "-workspace", longest[:237] + "-" + hash(longest) + "-access", longest[:233] + "-" + hash(longest),
				longest[:54] + "-" + hash(longest), longest, longest[:54] + "-" + hash(longest),
			},
		},
		"CutAfterADot": {
			reason: "No part of a name may end with a dot.",
			name:   strings.Repeat("c", 53) + "." + strings.Repeat("c", 20),
			want: names{
				strings.Repeat("c", 53) + "." + strings.Repeat("c", 20) + "-workspace", strings.Repeat("c", 53) + "." + strings.Repeat("c", 20) + "-access",
				strings.Repeat("c", 53) + "." + strings.Repeat("c", 20), strings.Repeat("c", 53) + "-" + hash(strings.Repeat("c", 53)+"."+strings.Repeat("c", 20)),
				strings.Repeat("c", 53) + "." + strings.Repeat("c", 20), strings.Repeat("c", 53) + "-" + hash(strings.Repeat("c", 53)+"."+strings.Repeat("c", 20)),
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := names{workspaceName(tc.name), accessName(tc.name), serverName(tc.name), serviceName(tc.name), networkName(tc.name), labelValue(tc.name)}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
			for _, invalid := range [][]string{
				validation.IsDNS1123Subdomain(got.Workspace), validation.IsDNS1123Subdomain(got.Access), validation.IsDNS1123Subdomain(got.Server),
				validation.IsDNS1123Subdomain(got.Network), validation.IsDNS1035Label(got.Service), validation.IsValidLabelValue(got.Label),
			} {
				if len(invalid) > 0 {
					t.Errorf("\n%s\nKubernetes refuses a name: %v", tc.reason, invalid)
				}
			}
		})
	}
}

// TestServiceNameUnique checks names that would be the same if they were only
// cut and cleaned.
func TestServiceNameUnique(t *testing.T) {
	names := []string{"a.b", "a-b", "a.b.", "1a", "nb-1a", "1.a", "1-a", strings.Repeat("x", 64), strings.Repeat("x", 65), strings.Repeat("x", 63)}
	taken := map[string]string{}
	for _, name := range names {
		service := serviceName(name)
		if other, exists := taken[service]; exists {
			t.Errorf("serviceName(...): %s and %s have the same Service %s", name, other, service)
		}
		taken[service] = name
	}
}

// TestNamesOfNone checks the notebook of a composite resource that has no claim:
// what exists of it is looked for by key.
func TestNamesOfNone(t *testing.T) {
	for _, id := range identities("") {
		if id.kind == "Service" && len(validation.IsDNS1035Label(id.name)) > 0 {
			t.Errorf("identities(...): a Service cannot be named %q", id.name)
		}
	}
}

func TestLabels(t *testing.T) {
	long := strings.Repeat("n", 70)
	cases := map[string]struct {
		reason string
		name   string
		value  string
	}{
		"Plain": {reason: "`kubectl get -l notebook-name=<claim>` finds everything.", name: "alpha", value: "alpha"},
		"Long":  {reason: "A label's value has a limit.", name: long, value: long[:54] + "-" + hash(long)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			want := map[string]string{
				"app":                          "jupyter-notebook",
				"notebook-name":                tc.value,
				"app.kubernetes.io/name":       "jupyter-notebook",
				"app.kubernetes.io/instance":   tc.value,
				"app.kubernetes.io/component":  "notebook",
				"app.kubernetes.io/part-of":    "function-jupyter",
				"app.kubernetes.io/managed-by": "function-jupyter",
			}
			got := labels(tc.name)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("\n%s\nlabels(...): -want, +got:\n%s", tc.reason, diff)
			}
			for key, value := range selector(tc.name) {
				if got[key] != value {
					t.Errorf("selector(...): %s=%s selects no pod with the labels %v", key, value, got)
				}
			}
		})
	}
}
