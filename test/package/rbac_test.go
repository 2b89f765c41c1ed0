package packages

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// Verbs that Crossplane uses for what it composes, and for what functions
// require. It asks for just these when it explains why it cannot do something.
var (
	composes = []string{"create", "delete", "get", "list", "patch", "update", "watch"}
	requires = []string{"get", "list", "watch"}
)

// grants are verbs, sorted, by resource and group: deployments.apps.
type grants map[string][]string

// add verbs to a resource.
func (g grants) add(resource string, verbs ...string) {
	all := append(slices.Clone(g[resource]), verbs...)
	slices.Sort(all)
	g[resource] = slices.Compact(all)
}

// grantsOf the rules.
func grantsOf(rules []rbacv1.PolicyRule) grants {
	g := grants{}
	for _, r := range rules {
		for _, group := range r.APIGroups {
			for _, resource := range r.Resources {
				g.add(schema.GroupResource{Group: group, Resource: resource}.String(), r.Verbs...)
			}
		}
	}
	return g
}

// role in deploy/rbac.yaml that is aggregated by the label.
func role(t *testing.T, label string) rbacv1.ClusterRole {
	t.Helper()
	var found []rbacv1.ClusterRole
	for _, o := range objects(t, read(t, "deploy/rbac.yaml")) {
		if o.GetLabels()[label] == "true" {
			found = append(found, *into[rbacv1.ClusterRole](t, o))
		}
	}
	if len(found) != 1 {
		t.Fatalf("want one ClusterRole with label %s, got %d", label, len(found))
	}
	return found[0]
}

// chartGrants are what Crossplane's own chart grants, in the version that this
// repository pins.
func chartGrants(t *testing.T) grants {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", "github.com/crossplane/crossplane/v2")
	cmd.Dir = filepath.Join(root, "tools/crossplane")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("cannot find Crossplane's chart: %v\n%s", err, out)
	}
	var module struct {
		Dir string `json:"Dir"` //nolint:tagliatelle // It is Go's name.
	}
	if err := json.Unmarshal(out, &module); err != nil {
		t.Fatal(err)
	}
	template, err := os.ReadFile(filepath.Join(module.Dir, "cluster/charts/crossplane/templates/clusterrole.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	// The rules are the template's end, and plain YAML.
	_, rules, _ := strings.Cut(regexp.MustCompile(`(?m)^\{\{.*$`).ReplaceAllString(string(template), ""), "\nrules:\n")
	var role rbacv1.ClusterRole
	if err := yaml.UnmarshalStrict([]byte("rules:\n"+rules), &role); err != nil {
		t.Fatal(err)
	}
	return grantsOf(role.Rules)
}

// needs are the permissions that Crossplane needs for what the function
// composed and asked for.
func needs(rsps ...*fnv1.RunFunctionResponse) grants {
	g := grants{}
	for _, rsp := range rsps {
		for _, r := range rsp.GetDesired().GetResources() {
			fields := r.GetResource().GetFields()
			g.add(resourceOf(fields["apiVersion"].GetStringValue(), fields["kind"].GetStringValue()), composes...)
		}
		for _, r := range rsp.GetRequirements().GetResources() {
			g.add(resourceOf(r.GetApiVersion(), r.GetKind()), requires...)
		}
	}
	return g
}

// resourceOf a kind.
func resourceOf(apiVersion, kind string) string {
	plural, _ := meta.UnsafeGuessKindToResource(schema.FromAPIVersionAndKind(apiVersion, kind))
	return plural.GroupResource().String()
}

// TestCrossplaneRole compares the role with what the function makes Crossplane
// do. A permission that is missing and one that nothing needs are both errors.
func TestCrossplaneRole(t *testing.T) {
	client := start(t)
	fresh := reconcile(t, client, &fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: notebook(t, nil)}})
	curious := reconcile(t, client, &fnv1.RunFunctionRequest{Observed: &fnv1.State{
		Composite: notebook(t, map[string]any{
			"serviceType": "NodePort",
			"volumeSize":  "20Gi",
			"volume":      map[string]any{"retention": "Retain"},
		}),
		Resources: map[string]*fnv1.Resource{"workspace": resource(t, map[string]any{
			"apiVersion": "v1",
			"kind":       "PersistentVolumeClaim",
			"metadata":   map[string]any{"name": "datascience-project-alpha-workspace", "namespace": "team-a"},
			"spec": map[string]any{
				"storageClassName": "standard",
				"volumeName":       "pv-1",
				"resources":        map[string]any{"requests": map[string]any{"storage": "10Gi"}},
			},
		})},
	}, RequiredResources: map[string]*fnv1.Resources{"pods (see deploy/rbac.yaml)": {Items: []*fnv1.Resource{mountingPod(t)}}}})

	want := needs(fresh, curious)
	chart := chartGrants(t)
	maps.DeleteFunc(want, func(resource string, verbs []string) bool {
		return slices.Equal(chart[resource], []string{"*"}) || slices.Equal(chart[resource], verbs)
	})
	// Crossplane asks about these when it explains an error: deploy/rbac.yaml says
	// more. Secrets and NetworkPolicies have no status.
	for _, resource := range []string{"persistentvolumeclaims/status", "services/status", "deployments/status.apps"} {
		want.add(resource, composes...)
	}
	got := grantsOf(role(t, "rbac.crossplane.io/aggregate-to-crossplane").Rules)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-needed beyond the chart, +granted by deploy/rbac.yaml:\n%s", diff)
	}
}

// mountingPod waits for its volumes.
func mountingPod(t *testing.T) *fnv1.Resource {
	t.Helper()
	condition := func(kind, status string) any {
		return map[string]any{"type": kind, "status": status, "lastTransitionTime": "2025-11-30T12:00:00Z"}
	}
	return resource(t, map[string]any{
		"apiVersion": "v1",
		"kind":       "Pod",
		"metadata":   map[string]any{"name": "datascience-project-alpha-1", "namespace": "team-a"},
		"status": map[string]any{"conditions": []any{
			condition("PodScheduled", "True"),
			condition("PodReadyToStartContainers", "False"),
		}},
	})
}

func TestUserRoles(t *testing.T) {
	cases := map[string]struct {
		reason string
		label  string
		want   grants
	}{
		"Edit": {
			reason: "Who may edit a namespace may have notebooks in it, of either configuration.",
			label:  "rbac.authorization.k8s.io/aggregate-to-edit",
			want:   grants{"jupyternotebooks.mlops.function-jupyter.dev": {"create", "delete", "deletecollection", "patch", "update"}},
		},
		"View": {
			reason: "Who may view a namespace sees its notebooks, and no Secret.",
			label:  "rbac.authorization.k8s.io/aggregate-to-view",
			want:   grants{"jupyternotebooks.mlops.function-jupyter.dev": {"get", "list", "watch"}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, grantsOf(role(t, tc.label).Rules)); diff != "" {
				t.Errorf("\n%s\n-want, +granted:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestLeastPrivilege holds for every role in the manifest, also for those that
// are added later.
func TestLeastPrivilege(t *testing.T) {
	allowed := append(slices.Clone(composes), "deletecollection")
	for _, o := range objects(t, read(t, "deploy/rbac.yaml")) {
		if o.GetAPIVersion() != rbacv1.SchemeGroupVersion.String() || o.GetKind() != "ClusterRole" {
			t.Errorf("want ClusterRoles only, because a binding gives them to somebody: got %s %s", o.GetKind(), o.GetName())
			continue
		}
		for _, r := range into[rbacv1.ClusterRole](t, o).Rules {
			words := slices.Concat(r.APIGroups, r.Resources)
			if slices.Contains(words, "*") || slices.Contains(words, "secrets") || len(r.NonResourceURLs) > 0 {
				t.Errorf("%s: want no wildcard, no Secrets and no URLs, got %v", o.GetName(), r)
			}
			for _, verb := range r.Verbs {
				if !slices.Contains(allowed, verb) {
					t.Errorf("%s: want verbs of %v, got %s", o.GetName(), allowed, verb)
				}
			}
		}
	}
}
