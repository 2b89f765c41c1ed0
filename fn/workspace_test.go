package fn

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// boundPVC is a workspace of 10Gi as observed.
const boundPVC = `
metadata: {name: alpha-workspace}
spec: {accessModes: [ReadWriteOnce], storageClassName: fast, resources: {requests: {storage: 10Gi}}, volumeName: pv-1}
status: {phase: Bound, capacity: {storage: 10Gi}}
`

// planOf plans the workspace of the notebook alpha.
func planOf(t *testing.T, spec, existing string, fetched map[string]string) workspace {
	t.Helper()
	w := world{composed: map[string]object{}, fetched: fetchedOf(t, fetched)}
	if existing != "" {
		w.composed[keyWorkspace] = objectOf(t, existing)
	}
	return planWorkspace(metav1.ObjectMeta{Name: "alpha-workspace", Namespace: "team-a"}, notebook{name: "alpha", applierSince: "2026-11-30T12:00:00Z"}, plan{spec: specOf(t, spec)}, w)
}

func TestPlanWorkspaceNew(t *testing.T) {
	type want struct {
		claimName string
		pvc       string
	}
	const meta = `metadata: {name: alpha-workspace, namespace: team-a, annotations: {mlops.function-jupyter.dev/notebook: alpha}}` + "\n"
	cases := map[string]struct {
		reason string
		spec   string
		want   want
	}{
		"Ephemeral": {reason: "Nothing is kept.", spec: `image: jupyter/a`},
		"ExistingClaim": {
			reason: "The claim that exists is mounted, and not composed.",
			spec:   `{image: jupyter/a, volume: {existingClaim: data}}`,
			want:   want{claimName: "data"},
		},
		"Default": {
			reason: "The cluster's default class is not named.",
			spec:   `{image: jupyter/a, volumeSize: 10Gi}`,
			want:   want{claimName: "alpha-workspace", pvc: meta + `spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 10Gi}}}`},
		},
		"Written": {
			reason: "The claim decides.",
			spec:   `{image: jupyter/a, volumeSize: 1Ti, volume: {storageClassName: fast, accessMode: ReadWriteMany}}`,
			want:   want{claimName: "alpha-workspace", pvc: meta + `spec: {accessModes: [ReadWriteMany], storageClassName: fast, resources: {requests: {storage: 1Ti}}}`},
		},
		"NoClass": {
			reason: "An empty class means a volume that somebody made by hand.",
			spec:   `{image: jupyter/a, volumeSize: 1Ti, volume: {storageClassName: ""}}`,
			want:   want{claimName: "alpha-workspace", pvc: meta + `spec: {accessModes: [ReadWriteOnce], storageClassName: "", resources: {requests: {storage: 1Ti}}}`},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			want := workspace{claimName: tc.want.claimName}
			if tc.want.pvc != "" {
				want.pvc = new(typedOf[corev1.PersistentVolumeClaim](t, tc.want.pvc))
			}
			if diff := cmp.Diff(want, planOf(t, tc.spec, "", nil), cmp.AllowUnexported(workspace{})); diff != "" {
				t.Errorf("\n%s\nplanWorkspace(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestPlanWorkspaceExisting: a workspace that exists is always composed and
// mounted, with what it cannot change as it is.
func TestPlanWorkspaceExisting(t *testing.T) {
	const unchanged = `{accessModes: [ReadWriteOnce], storageClassName: fast, resources: {requests: {storage: 10Gi}}}`
	cases := map[string]struct {
		reason  string
		spec    string
		pvc     string
		want    string
		notDone []string
	}{
		"Unchanged": {
			reason: "The class that the cluster chose is written back.",
			spec:   `{image: jupyter/a, volumeSize: 10Gi}`, pvc: boundPVC, want: unchanged,
		},
		"SameSize": {
			reason: "10240Mi are 10Gi.",
			spec:   `{image: jupyter/a, volumeSize: 10240Mi}`, pvc: boundPVC, want: unchanged,
		},
		"Smaller": {
			reason: "A volume cannot shrink.",
			spec:   `{image: jupyter/a, volumeSize: 5Gi}`, pvc: boundPVC, want: unchanged,
			notDone: []string{"volumeSize 5Gi is less than the workspace's 10Gi, and a volume cannot shrink: it stays as it is"},
		},
		"Removed": {
			reason: "The files would be gone.",
			spec:   `image: jupyter/a`, pvc: boundPVC, want: unchanged,
			notDone: []string{"volumeSize was removed, and the workspace of 10Gi stays: to be rid of its files, delete the notebook"},
		},
		"ReplacedByExistingClaim": {
			reason: "The files would be gone.",
			spec:   `{image: jupyter/a, volume: {existingClaim: data}}`, pvc: boundPVC, want: unchanged,
			notDone: []string{"volume.existingClaim data is not used, because the notebook has a workspace of its own already: to move, make a new notebook"},
		},
		"OtherClass": {
			reason: "A volume stays where it is.",
			spec:   `{image: jupyter/a, volumeSize: 10Gi, volume: {storageClassName: slow}}`, pvc: boundPVC, want: unchanged,
			notDone: []string{`volume.storageClassName stays "fast", because the class of a volume cannot change`},
		},
		"NoClassYet": {
			reason: "Kubernetes gives it the default class as soon as there is one, unless it has an empty one.",
			spec:   `{image: jupyter/a, volumeSize: 10Gi}`,
			pvc:    `{spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 10Gi}}}, status: {phase: Pending}}`,
			want:   `{accessModes: [ReadWriteOnce], resources: {requests: {storage: 10Gi}}}`,
		},
		"EmptyClass": {
			reason: "An empty class is not the default one.",
			spec:   `{image: jupyter/a, volumeSize: 10Gi, volume: {storageClassName: ""}}`,
			pvc:    `{spec: {accessModes: [ReadWriteOnce], storageClassName: "", resources: {requests: {storage: 10Gi}}}, status: {phase: Bound}}`,
			want:   `{accessModes: [ReadWriteOnce], storageClassName: "", resources: {requests: {storage: 10Gi}}}`,
		},
		"OtherAccessMode": {
			reason: "Kubernetes refuses another one.",
			spec:   `{image: jupyter/a, volumeSize: 10Gi, volume: {accessMode: ReadWriteMany}}`, pvc: boundPVC, want: unchanged,
			notDone: []string{"volume.accessMode stays ReadWriteOnce, because the access mode of a volume cannot change"},
		},
		"AccessModeNotWritten": {
			reason: "Who writes none gets what there is.",
			spec:   `{image: jupyter/a, volumeSize: 10Gi}`,
			pvc:    `{spec: {accessModes: [ReadWriteMany, ReadOnlyMany], storageClassName: fast, resources: {requests: {storage: 10Gi}}}, status: {phase: Bound}}`,
			want:   `{accessModes: [ReadWriteMany, ReadOnlyMany], storageClassName: fast, resources: {requests: {storage: 10Gi}}}`,
		},
		"AllAtOnce": {
			reason: "Each change is answered.",
			spec:   `{image: jupyter/a, volumeSize: 5Gi, volume: {storageClassName: slow, accessMode: ReadWriteMany}}`, pvc: boundPVC, want: unchanged,
			notDone: []string{
				`volume.storageClassName stays "fast", because the class of a volume cannot change`,
				"volume.accessMode stays ReadWriteOnce, because the access mode of a volume cannot change",
				"volumeSize 5Gi is less than the workspace's 10Gi, and a volume cannot shrink: it stays as it is",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := planOf(t, tc.spec, tc.pvc, nil)
			if got.pvc == nil || got.claimName != "alpha-workspace" {
				t.Fatalf("\n%s\nplanWorkspace(...): the workspace is given up: %+v", tc.reason, got)
			}
			if diff := cmp.Diff(typedOf[corev1.PersistentVolumeClaimSpec](t, tc.want), got.pvc.Spec); diff != "" {
				t.Errorf("\n%s\nplanWorkspace(...): spec: -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.notDone, got.notDone); diff != "" {
				t.Errorf("\n%s\nplanWorkspace(...): not done: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestPlanWorkspaceGrowth(t *testing.T) {
	const (
		pending = `{spec: {accessModes: [ReadWriteOnce], storageClassName: fast, resources: {requests: {storage: 10Gi}}}, status: {phase: Pending}}`
		noClass = `{spec: {accessModes: [ReadWriteOnce], storageClassName: "", resources: {requests: {storage: 10Gi}}}, status: {phase: Bound}}`
	)
	cases := map[string]struct {
		reason  string
		pvc     string
		fetched map[string]string
		want    string
		notDone []string
	}{
		"Expandable": {
			reason: "It grows in place.",
			pvc:    boundPVC, fetched: map[string]string{requiredStorageClass: `{metadata: {name: fast}, allowVolumeExpansion: true}`},
			want: "20Gi",
		},
		"NotExpandable": {
			reason: "Kubernetes would refuse it, and everything else with it.",
			pvc:    boundPVC, fetched: map[string]string{requiredStorageClass: `{metadata: {name: fast}, allowVolumeExpansion: false}`},
			want:    "10Gi",
			notDone: []string{`volumeSize 20Gi is not applied, because volumes of the storage class "fast" cannot grow: the workspace stays at 10Gi`},
		},
		"ExpansionNotSaid": {
			reason: "The default is that volumes cannot grow.",
			pvc:    boundPVC, fetched: map[string]string{requiredStorageClass: `metadata: {name: fast}`},
			want:    "10Gi",
			notDone: []string{`volumeSize 20Gi is not applied, because volumes of the storage class "fast" cannot grow: the workspace stays at 10Gi`},
		},
		"ClassNotAskedYet": {
			reason: "Crossplane fetches it and calls again: nothing is refused meanwhile.",
			pvc:    boundPVC, want: "10Gi",
		},
		"ClassGone": {
			reason: "Nobody is left to grow it.",
			pvc:    boundPVC, fetched: map[string]string{requiredStorageClass: ""},
			want:    "10Gi",
			notDone: []string{`volumeSize 20Gi is not applied, because the storage class "fast" does not exist any more: the workspace stays at 10Gi`},
		},
		"Unbound": {
			reason: "Kubernetes does not resize what is not bound.",
			pvc:    pending, fetched: map[string]string{requiredStorageClass: `{metadata: {name: fast}, allowVolumeExpansion: true}`},
			want:    "10Gi",
			notDone: []string{"volumeSize 20Gi waits until the workspace of 10Gi is bound to a volume"},
		},
		"WithoutClass": {
			reason: "Somebody made this volume by hand.",
			pvc:    noClass,
			want:   "10Gi", notDone: []string{"volumeSize 20Gi is not applied, because the workspace has no storage class that could grow it: it stays at 10Gi"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := planOf(t, `{image: jupyter/a, volumeSize: 20Gi}`, tc.pvc, tc.fetched)
			size := got.pvc.Spec.Resources.Requests[corev1.ResourceStorage]
			if size.String() != tc.want {
				t.Errorf("\n%s\nplanWorkspace(...): want size %s, got %s", tc.reason, tc.want, &size)
			}
			if diff := cmp.Diff(tc.notDone, got.notDone); diff != "" {
				t.Errorf("\n%s\nplanWorkspace(...): not done: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestPlanWorkspaceRetention(t *testing.T) {
	const (
		owned = `{metadata: {creationTimestamp: "2026-11-30T12:00:00Z", ownerReferences: [{apiVersion: v1, kind: Namespace, name: team-a, uid: ns-uid}]}, spec: {resources: {requests: {storage: 10Gi}}}}`
		older = `{metadata: {creationTimestamp: "2026-11-29T12:00:00Z", ownerReferences: [{apiVersion: v1, kind: Namespace, name: team-a, uid: ns-uid}]}, spec: {resources: {requests: {storage: 10Gi}}}}`
		other = `{metadata: {ownerReferences: [{apiVersion: example.org/v1, kind: Namespace, name: team-a, uid: other}]}, spec: {resources: {requests: {storage: 10Gi}}}}`
	)
	namespace := map[string]string{requiredNamespace: `metadata: {name: team-a, uid: ns-uid}`}
	cases := map[string]struct {
		reason    string
		retention string
		existing  string
		fetched   map[string]string
		want      string
		notDone   []string
	}{
		"Default":  {reason: "The files go with the notebook.", retention: `""`, fetched: namespace},
		"Delete":   {reason: "The default, written out.", retention: "Delete", fetched: namespace},
		"NoLonger": {reason: "Who does not want it retained any more is obeyed.", retention: "Delete", existing: owned, fetched: namespace},
		"TakenUp": {
			reason:    "What another notebook's composite resource applied, this one's cannot take back.",
			retention: "Delete", existing: older, fetched: namespace,
			notDone: []string{"volume.retention Delete is not applied, because an earlier notebook had the workspace retained: delete PersistentVolumeClaim alpha-workspace yourself when this notebook is gone"},
		},
		"TakenUpAgain": {reason: "It goes on being retained.", retention: "Retain", existing: older, want: "ns-uid"},
		"Retain":       {reason: "What still has an owner is not deleted.", retention: "Retain", fetched: namespace, want: "ns-uid"},
		"NotFetched":   {reason: "Crossplane fetches the namespace and calls again.", retention: "Retain"},
		"NotFound":     {reason: "Crossplane may not read namespaces.", retention: "Retain", fetched: map[string]string{requiredNamespace: ""}},
		"FromExisting": {reason: "A workspace that is retained stays so, fetched or not.", retention: "Retain", existing: owned, want: "ns-uid"},
		"NotKubernetes": {
			reason:    "A Namespace of another group is no namespace.",
			retention: "Retain", existing: other,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var want []metav1.OwnerReference
			if tc.want != "" {
				want = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Namespace", Name: "team-a", UID: "ns-uid"}}
			}
			got := planOf(t, `{image: jupyter/a, volumeSize: 10Gi, volume: {retention: `+tc.retention+`}}`, tc.existing, tc.fetched)
			if diff := cmp.Diff(want, got.pvc.OwnerReferences); diff != "" {
				t.Errorf("\n%s\nplanWorkspace(...): owners: -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.notDone, got.notDone); diff != "" {
				t.Errorf("\n%s\nplanWorkspace(...): not done: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestIsRetained(t *testing.T) {
	const label = `labels: {app.kubernetes.io/managed-by: function-jupyter}`
	cases := map[string]struct {
		reason string
		meta   string
		want   bool
	}{
		"Retained":   {reason: "Its notebook is gone, and the namespace keeps it.", meta: label + `, annotations: {mlops.function-jupyter.dev/notebook: alpha}, ownerReferences: [{apiVersion: v1, kind: Namespace, name: team-a, uid: ns-uid}]`, want: true},
		"Orphaned":   {reason: "Nor has it to have an owner.", meta: label + `, annotations: {mlops.function-jupyter.dev/notebook: alpha}`, want: true},
		"Controlled": {reason: "Its notebook still exists.", meta: label + `, annotations: {mlops.function-jupyter.dev/notebook: alpha}, ownerReferences: [{uid: other, controller: true}]`},
		"Deleting":   {reason: "It goes.", meta: label + `, annotations: {mlops.function-jupyter.dev/notebook: alpha}, deletionTimestamp: "2026-11-30T12:00:00Z"`},
		"Other":      {reason: "Another notebook left it.", meta: label + `, annotations: {mlops.function-jupyter.dev/notebook: beta}`},
		"NotOurs":    {reason: "The label alone says nothing.", meta: label},
		"NoLabel":    {reason: "Nor does the annotation alone.", meta: `annotations: {mlops.function-jupyter.dev/notebook: alpha}`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := isRetained(objectOf(t, "metadata: {"+tc.meta+"}"), "alpha"); got != tc.want {
				t.Errorf("\n%s\nisRetained(...): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}
