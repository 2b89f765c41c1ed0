package fn

import (
	"maps"
	"slices"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
)

func TestLook(t *testing.T) {
	const uid = "xr-uid"
	type args struct {
		uid      string
		observed map[string]string
		fetched  map[string]string
	}
	type want struct {
		Composed, Foreign, Unasked []string
		Fresh                      bool
	}
	cases := map[string]struct {
		reason string
		args   args
		want   want
	}{
		"Fresh": {
			reason: "Nobody knows yet what is in the way.",
			args:   args{uid: uid},
			want:   want{Unasked: []string{"access", "network", "notebook", "service", "workspace"}, Fresh: true},
		},
		"NothingInTheWay": {
			reason: "Crossplane looked and found nothing.",
			args:   args{uid: uid, fetched: map[string]string{requiredExisting(keyAccess): "", requiredExisting(keyNetwork): "", requiredExisting(keyServer): "", requiredExisting(keyService): "", requiredExisting(keyWorkspace): ""}},
			want:   want{Fresh: true},
		},
		"Observed": {
			reason: "What Crossplane composed is the notebook's.",
			args:   args{uid: uid, observed: map[string]string{keyAccess: `kind: Secret`, "other": `kind: ConfigMap`}},
			want:   want{Composed: []string{"access"}, Unasked: []string{"network", "notebook", "service", "workspace"}},
		},
		"Foreign": {
			reason: "Somebody else made it.",
			args:   args{uid: uid, fetched: map[string]string{requiredExisting(keyService): `metadata: {name: alpha}`}},
			want:   want{Foreign: []string{"service"}, Unasked: []string{"access", "network", "notebook", "workspace"}, Fresh: true},
		},
		"OwnButUnobserved": {
			reason: "It was composed in a reconcile that did not end.",
			args:   args{uid: uid, fetched: map[string]string{requiredExisting(keyService): `metadata: {ownerReferences: [{uid: xr-uid, controller: true}]}`}},
			want:   want{Composed: []string{"service"}, Unasked: []string{"access", "network", "notebook", "workspace"}, Fresh: true},
		},
		"NobodysWithoutUID": {
			reason: "No controller is not the same as a composite resource without a UID.",
			args:   args{fetched: map[string]string{requiredExisting(keyService): `metadata: {ownerReferences: [{uid: "", controller: true}]}`}},
			want:   want{Foreign: []string{"service"}, Unasked: []string{"access", "network", "notebook", "workspace"}, Fresh: true},
		},
		"RetainedWorkspace": {
			reason: "An earlier notebook of this name left it.",
			args: args{uid: uid, fetched: map[string]string{requiredExisting(keyWorkspace): `
metadata: {labels: {app.kubernetes.io/managed-by: function-jupyter}, annotations: {mlops.function-jupyter.dev/notebook: alpha}}`}},
			want: want{Composed: []string{"workspace"}, Unasked: []string{"access", "network", "notebook", "service"}, Fresh: true},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := &fnv1.RunFunctionRequest{Observed: &fnv1.State{Resources: map[string]*fnv1.Resource{}}, RequiredResources: fetchedOf(t, tc.args.fetched)}
			for key, text := range tc.args.observed {
				req.Observed.Resources[key] = &fnv1.Resource{Resource: objectOf(t, text).Struct}
			}
			w := look(req, notebook{name: "alpha", namespace: "team-a", uid: tc.args.uid})
			got := want{slices.Sorted(maps.Keys(w.composed)), slices.Sorted(maps.Keys(w.foreign)), slices.Sorted(maps.Keys(w.unasked)), w.fresh}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nlook(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestRequirements(t *testing.T) {
	everything := map[string]*fnv1.Resource{keyWorkspace: {}, keyAccess: {}, keyServer: {}, keyService: {}, keyNetwork: {}}
	type args struct {
		spec     string
		observed map[string]*fnv1.Resource
		pvc      string
		server   string
		pods     bool
		pod      string
	}
	pods := map[string]*fnv1.ResourceSelector{requiredPods: {
		ApiVersion: "v1", Kind: "Pod", Namespace: new("team-a"),
		Match: &fnv1.ResourceSelector_MatchLabels{MatchLabels: &fnv1.MatchLabels{Labels: map[string]string{"app": "jupyter-notebook", "notebook-name": "alpha"}}},
	}}
	startedNow := `{metadata: {annotations: {mlops.function-jupyter.dev/started-at: "` + rfc3339(podNow(t)) + `"}}, spec: {replicas: 1}}`
	cases := map[string]struct {
		reason string
		args   args
		want   map[string]*fnv1.ResourceSelector
	}{
		"Fresh": {
			reason: "Whatever has the name of an object to compose must not be adopted.",
			args:   args{spec: `{image: jupyter/a, volumeSize: 10Gi}`},
			want: map[string]*fnv1.ResourceSelector{
				requiredExisting(keyWorkspace): selectorOf("v1", "PersistentVolumeClaim", "alpha-workspace", "team-a"),
				requiredExisting(keyAccess):    selectorOf("v1", "Secret", "alpha-access", "team-a"),
				requiredExisting(keyServer):    selectorOf("apps/v1", "Deployment", "alpha", "team-a"),
				requiredExisting(keyService):   selectorOf("v1", "Service", "alpha", "team-a"),
				requiredExisting(keyNetwork):   selectorOf("networking.k8s.io/v1", "NetworkPolicy", "alpha", "team-a"),
			},
		},
		"Ephemeral": {
			reason: "The name of a workspace that is not needed is anybody's.",
			args:   args{spec: `image: jupyter/a`, observed: map[string]*fnv1.Resource{keyAccess: {}, keyServer: {}, keyService: {}, keyNetwork: {}}},
			want:   map[string]*fnv1.ResourceSelector{},
		},
		"Complete": {
			reason: "What exists needs no question.",
			args:   args{spec: `{image: jupyter/a, volumeSize: 10Gi}`, observed: everything, pvc: boundPVC},
			want:   map[string]*fnv1.ResourceSelector{},
		},
		"ExistingClaim": {
			reason: "Whether it exists is what its user must hear.",
			args:   args{spec: `{image: jupyter/a, volume: {existingClaim: data}}`, observed: everything},
			want:   map[string]*fnv1.ResourceSelector{requiredExistingClaim: selectorOf("v1", "PersistentVolumeClaim", "data", "team-a")},
		},
		"Retain": {
			reason: "The namespace's UID makes it an owner.",
			args:   args{spec: `{image: jupyter/a, volumeSize: 10Gi, volume: {retention: Retain}}`, observed: everything, pvc: boundPVC},
			want:   map[string]*fnv1.ResourceSelector{requiredNamespace: selectorOf("v1", "Namespace", "team-a", "")},
		},
		"Growth": {
			reason: "The class knows whether its volumes can grow.",
			args:   args{spec: `{image: jupyter/a, volumeSize: 20Gi}`, observed: everything, pvc: boundPVC},
			want:   map[string]*fnv1.ResourceSelector{requiredStorageClass: selectorOf("storage.k8s.io/v1", "StorageClass", "fast", "")},
		},
		"GrowthWithoutClass": {
			reason: "There is no class to ask.",
			args:   args{spec: `{image: jupyter/a, volumeSize: 20Gi}`, observed: everything, pvc: `spec: {storageClassName: "", resources: {requests: {storage: 10Gi}}}`},
			want:   map[string]*fnv1.ResourceSelector{},
		},
		"NodePort": {
			reason: "Only the pod knows its node.",
			args:   args{spec: `{image: jupyter/a, serviceType: NodePort}`, observed: everything},
			want:   pods,
		},
		"Pods": {
			reason: "Only the pod knows why it does not run.",
			args:   args{spec: `{image: jupyter/a, volumeSize: 10Gi}`, observed: everything, pvc: boundPVC, pods: true},
			want:   pods,
		},
		"Mounting": {
			reason: "The volume for which the pod waits may be attached elsewhere.",
			args:   args{spec: `{image: jupyter/a, volumeSize: 10Gi}`, observed: everything, pvc: attachedPVC, pods: true, pod: mountingPod},
			want: map[string]*fnv1.ResourceSelector{requiredPods: pods[requiredPods], requiredAttachments: {
				ApiVersion: "storage.k8s.io/v1", Kind: "VolumeAttachment",
				Match: &fnv1.ResourceSelector_MatchLabels{MatchLabels: &fnv1.MatchLabels{}},
			}},
		},
		"JustStarted": {
			reason: "A pod that starts changes often, and most do so well.",
			args:   args{spec: `image: jupyter/a`, observed: everything, pods: true, server: startedNow},
			want:   map[string]*fnv1.ResourceSelector{},
		},
		"Stopped": {
			reason: "A server that does not run has no pod that matters.",
			args:   args{spec: `{image: jupyter/a, stopped: true}`, observed: everything, pods: true, server: `spec: {replicas: 0}`},
			want:   map[string]*fnv1.ResourceSelector{},
		},
		"MountingNothing": {
			reason: "A notebook without a volume has none attached.",
			args:   args{spec: `image: jupyter/a`, observed: everything, pods: true, pod: mountingPod},
			want:   pods,
		},
		"MountingUnseen": {
			reason: "A pod that is known for its node is not looked at.",
			args:   args{spec: `{image: jupyter/a, volumeSize: 10Gi, serviceType: NodePort}`, observed: everything, pvc: attachedPVC, pod: mountingPod},
			want:   pods,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := world{composed: map[string]object{keyServer: objectOf(t, serverOr(tc.args.server))}}
			if tc.args.pvc != "" {
				w.composed[keyWorkspace] = objectOf(t, tc.args.pvc)
			}
			if tc.args.pod != "" {
				w.fetched = fetchedOf(t, map[string]string{requiredPods: tc.args.pod})
			}
			p := plan{spec: specOf(t, tc.args.spec)}
			p.policy.Diagnostics.Pods = &tc.args.pods
			got := requirements(notebook{name: "alpha", namespace: "team-a", now: podNow(t)}, p, w, tc.args.observed)
			if diff := cmp.Diff(tc.want, got, protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nrequirements(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func selectorOf(apiVersion, kind, name, namespace string) *fnv1.ResourceSelector {
	s := &fnv1.ResourceSelector{ApiVersion: apiVersion, Kind: kind, Match: &fnv1.ResourceSelector_MatchName{MatchName: name}}
	if namespace != "" {
		s.Namespace = &namespace
	}
	return s
}

func TestNodeIP(t *testing.T) {
	cases := map[string]struct {
		reason string
		pods   []string
		want   string
	}{
		"None":        {reason: "No pod, no node."},
		"Unscheduled": {reason: "The pod waits for a node.", pods: []string{`status: {phase: Pending}`}},
		"Running":     {reason: "The node that runs the server.", pods: []string{`status: {phase: Running, hostIP: 192.0.2.1}`}, want: "192.0.2.1"},
		"Evicted": {
			reason: "What failed stays as a record, and its node may be gone.",
			pods:   []string{`status: {phase: Failed, hostIP: 192.0.2.7}`, `status: {phase: Running, hostIP: 192.0.2.1}`},
			want:   "192.0.2.1",
		},
		"OnlyEvicted": {reason: "Nothing runs.", pods: []string{`status: {phase: Failed, hostIP: 192.0.2.7}`}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			pods := &fnv1.Resources{}
			for _, text := range tc.pods {
				pods.Items = append(pods.Items, &fnv1.Resource{Resource: objectOf(t, text).Struct})
			}
			w := world{fetched: map[string]*fnv1.Resources{requiredPods: pods}}
			if got := w.nodeIP(); got != tc.want {
				t.Errorf("\n%s\nnodeIP(): want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}

// serverOr is a Deployment, or one that has run for long.
func serverOr(text string) string {
	if text == "" {
		return "spec: {replicas: 1}"
	}
	return text
}
