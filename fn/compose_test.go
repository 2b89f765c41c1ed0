package fn

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCompose: a new notebook is composed whole or not at all, and one that
// exists never less than it was.
func TestCompose(t *testing.T) {
	type args struct {
		spec     string
		composed map[string]string
		unasked  []string
	}
	type want struct {
		Keys  []string
		Token string
	}
	all := []string{"access", "network", "notebook", "service", "workspace"}
	cases := map[string]struct {
		reason string
		args   args
		want   want
	}{
		"New": {
			reason: "Five objects are a notebook.",
			args:   args{spec: keptSpec},
			want:   want{Keys: all, Token: testToken},
		},
		"Ephemeral": {
			reason: "Four are one that keeps nothing.",
			args:   args{spec: lostSpec},
			want:   want{Keys: all[:4], Token: testToken},
		},
		"ExistingClaim": {
			reason: "So are four and somebody's claim.",
			args:   args{spec: `{image: jupyter/a, volume: {existingClaim: data}}`},
			want:   want{Keys: all[:4], Token: testToken},
		},
		"VolumeSizeRemoved": {
			reason: "A workspace that exists is composed whatever the spec says.",
			args:   args{spec: lostSpec, composed: map[string]string{keyWorkspace: boundPVC}},
			want:   want{Keys: all, Token: testToken},
		},
		"TokenObserved": {
			reason: "A new token would restart the server and lock its user out.",
			args:   args{spec: keptSpec, composed: map[string]string{keyAccess: `data: {token: YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWE=}`}},
			want:   want{Keys: all, Token: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
		},
		"TokenUnusable": {
			reason: "An empty token would open the server.",
			args:   args{spec: keptSpec, composed: map[string]string{keyAccess: `data: {token: ""}`}},
			want:   want{Keys: all, Token: testToken},
		},
		"NotAsked": {
			reason: "Somebody's Service may be in the way: Crossplane looks, and calls again.",
			args:   args{spec: keptSpec, unasked: []string{keyService}},
			want:   want{Token: testToken},
		},
		"NotAskedLater": {
			reason: "What exists must not go meanwhile, and only what is not known yet waits.",
			args:   args{spec: keptSpec, composed: map[string]string{keyWorkspace: boundPVC}, unasked: []string{keyService}},
			want:   want{Keys: []string{"access", "network", "notebook", "workspace"}, Token: testToken},
		},
		"NotAskedNorNeeded": {
			reason: "Nobody needs to look for a workspace that is not composed.",
			args:   args{spec: lostSpec, unasked: []string{keyWorkspace}},
			want:   want{Keys: all[:4], Token: testToken},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := world{composed: map[string]object{}, unasked: map[string]bool{}, fresh: len(tc.args.composed) == 0}
			for key, text := range tc.args.composed {
				w.composed[key] = objectOf(t, text)
			}
			for _, key := range tc.args.unasked {
				w.unasked[key] = true
			}
			c, err := compose(notebook{name: "alpha", namespace: "team-a"}, plan{spec: specOf(t, tc.args.spec)}, w, func() string { return testToken })
			if err != nil {
				t.Fatalf("\n%s\ncompose(...): %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, want{slices.Sorted(maps.Keys(c.objects)), c.token}); diff != "" {
				t.Errorf("\n%s\ncompose(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestComposeIdentity: each object is what identities says, in the claim's
// namespace, with everybody's labels, and says nothing of a status.
func TestComposeIdentity(t *testing.T) {
	c := situationOf(t, keptSpec, nil, nil).composition
	for _, id := range identities("alpha") {
		o := object{c.objects[id.key]}
		got := identity{id.key, o.text("apiVersion"), o.text("kind"), o.text("metadata", "name")}
		if diff := cmp.Diff(id, got, cmp.AllowUnexported(identity{})); diff != "" {
			t.Errorf("compose(...): -want, +got:\n%s", diff)
		}
		if got := o.text("metadata", "namespace"); got != "team-a" {
			t.Errorf("compose(...): %s is in namespace %q", id.kind, got)
		}
		gotLabels := map[string]string{}
		for key, v := range o.at("metadata", "labels").GetStructValue().GetFields() {
			gotLabels[key] = v.GetStringValue()
		}
		if diff := cmp.Diff(labels("alpha"), gotLabels); diff != "" {
			t.Errorf("compose(...): labels of %s: -want, +got:\n%s", id.kind, diff)
		}
		if o.at("status") != nil {
			t.Errorf("compose(...): %s has a status", id.kind)
		}
	}
}

// TestKept: what is kept as it is has nothing that only Kubernetes, Crossplane or
// others may write.
func TestKept(t *testing.T) {
	type args struct {
		object     string
		unobserved bool
	}
	cases := map[string]struct {
		reason string
		args   args
		want   map[string]any
	}{
		"Whole": {
			reason: "The rest is written again and again by whom it belongs to.",
			args: args{object: `
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: alpha-workspace
  namespace: team-a
  uid: pvc-uid
  resourceVersion: "7"
  generation: 3
  generateName: alpha-
  creationTimestamp: "2026-11-30T12:00:00Z"
  finalizers: [kubernetes.io/pvc-protection]
  managedFields: [{manager: kubectl}]
  labels: {app: jupyter-notebook, team: a, crossplane.io/composite: alpha-x}
  annotations:
    mlops.function-jupyter.dev/notebook: alpha
    crossplane.io/composition-resource-name: workspace
    pv.kubernetes.io/bind-completed: "yes"
  ownerReferences:
  - {apiVersion: v1, kind: Namespace, name: team-a, uid: ns-uid}
  - {apiVersion: v1, kind: X, name: x, uid: other, controller: false}
  - {apiVersion: mlops.function-jupyter.dev/v1, kind: XJupyterNotebook, name: alpha-x, uid: xr-uid, controller: true}
spec: {storageClassName: fast, volumeName: pv-1}
status: {phase: Bound}
`},
			want: map[string]any{
				"apiVersion": "v1", "kind": "PersistentVolumeClaim",
				"metadata": map[string]any{
					"name": "alpha-workspace", "namespace": "team-a",
					"labels":      map[string]any{"app": "jupyter-notebook", "team": "a"},
					"annotations": map[string]any{"mlops.function-jupyter.dev/notebook": "alpha"},
					"ownerReferences": []any{
						map[string]any{"apiVersion": "v1", "kind": "Namespace", "name": "team-a", "uid": "ns-uid"},
						map[string]any{"apiVersion": "v1", "kind": "X", "name": "x", "uid": "other", "controller": false},
					},
				},
				"spec": map[string]any{"storageClassName": "fast", "volumeName": "pv-1"},
			},
		},
		"Secret": {
			reason: "Not everything has a spec.",
			args:   args{object: `{apiVersion: v1, kind: Secret, metadata: {name: alpha-access, labels: {crossplane.io/composite: x}}, data: {token: YQ==}, type: Opaque}`},
			want:   map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "alpha-access"}, "data": map[string]any{"token": "YQ=="}, "type": "Opaque"},
		},
		"NoMetadata": {
			reason: "What cannot be is no reason to fail.",
			args:   args{object: `kind: Service`},
			want:   map[string]any{"kind": "Service", "metadata": map[string]any{}},
		},
		"OnlyTakenUp": {
			reason: "What Crossplane does not know of stays as it is without being composed.",
			args:   args{object: `kind: PersistentVolumeClaim`, unobserved: true},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o := objectOf(t, tc.args.object)
			w := world{composed: map[string]object{keyWorkspace: o}, unobserved: map[string]bool{keyWorkspace: tc.args.unobserved}}
			c, err := compose(notebook{name: "alpha"}, plan{keep: true}, w, func() string { return testToken })
			if err != nil {
				t.Fatalf("\n%s\ncompose(...): %v", tc.reason, err)
			}
			var got map[string]any
			if kept, exists := c.objects[keyWorkspace]; exists {
				got = kept.AsMap()
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\ncompose(...): -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(objectOf(t, tc.args.object).AsMap(), o.AsMap()); diff != "" {
				t.Errorf("\n%s\ncompose(...) changed what was observed: -before, +after:\n%s", tc.reason, diff)
			}
			if c.token != "" {
				t.Errorf("\n%s\ncompose(...): a token was made for what is only kept", tc.reason)
			}
		})
	}
}
