package fn

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

func TestNotebookStatus(t *testing.T) {
	const inside = `url: "http://alpha.team-a.svc.cluster.local:8888", accessSecretRef: {name: alpha-access}, `
	cases := map[string]struct {
		reason   string
		spec     string
		refused  bool
		composed map[string]string
		fetched  map[string]string
		want     string
	}{
		"RefusedNew": {
			reason:  "Nothing exists, so there is nothing to point to.",
			refused: true,
			want:    `{}`,
		},
		"New": {
			reason: "All names are known from the start.",
			spec:   keptSpec,
			want:   `{` + inside + `image: jupyter/a, volume: {claimName: alpha-workspace}}`,
		},
		"Ready": {
			reason: "What really runs, and what it really has.",
			spec:   `{image: jupyter/b, volumeSize: 20Gi}`, composed: map[string]string{keyWorkspace: boundPVC, keyServer: keptServer + serving},
			want: `{` + inside + `image: jupyter/a, readyReplicas: 1, volume: {claimName: alpha-workspace, requested: 10Gi, capacity: 10Gi, phase: Bound}}`,
		},
		"Ephemeral": {
			reason: "Nothing is kept.",
			spec:   lostSpec, composed: map[string]string{keyServer: lostServer + serving},
			want: `{` + inside + `image: jupyter/a, readyReplicas: 1}`,
		},
		"ExistingClaim": {
			reason: "Whose claim it is does not matter.",
			spec:   `{image: jupyter/a, volume: {existingClaim: data}}`, composed: map[string]string{keyServer: dataServer + serving},
			fetched: map[string]string{requiredExistingClaim: `status: {phase: Bound, capacity: {storage: 5Gi}}`},
			want:    `{` + inside + `image: jupyter/a, readyReplicas: 1, volume: {claimName: data, capacity: 5Gi, phase: Bound}}`,
		},
		"EditedSince": {
			reason: "The replica of an older generation does not count.",
			spec:   lostSpec, composed: map[string]string{keyServer: lostServer + `{observedGeneration: 1, readyReplicas: 1}`},
			want: `{` + inside + `image: jupyter/a}`,
		},
		"TwoReplicas": {
			reason: "A notebook has one server, whatever somebody made of its Deployment.",
			spec:   lostSpec, composed: map[string]string{keyServer: lostServer + `{observedGeneration: 2, readyReplicas: 2}`},
			want: `{` + inside + `image: jupyter/a, readyReplicas: 1}`,
		},
		"Kept": {
			reason:  "What cannot be composed any more still runs.",
			refused: true, composed: map[string]string{keyWorkspace: boundPVC, keyServer: keptServer + serving},
			want: `{` + inside + `image: jupyter/a, readyReplicas: 1, volume: {claimName: alpha-workspace, requested: 10Gi, capacity: 10Gi, phase: Bound}}`,
		},
		"NodePort": {
			reason:   "The address that its user can open.",
			spec:     `{image: jupyter/a, serviceType: NodePort}`,
			composed: map[string]string{keyServer: lostServer + serving, keyService: `spec: {type: NodePort, ports: [{name: http, nodePort: 31000}]}`},
			fetched:  map[string]string{requiredPods: `status: {phase: Running, hostIP: "2001:db8::1"}`},
			want:     `{url: "http://[2001:db8::1]:31000", accessSecretRef: {name: alpha-access}, image: jupyter/a, readyReplicas: 1}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := situationOf(t, tc.spec, tc.composed, tc.fetched)
			if tc.refused {
				s.refusals = []refusal{{"InvalidSpec", "spec.image is wrong"}}
			}
			v := verdict{v1.PhaseCreating, "Reason", "words"}
			want := typedOf[v1.NotebookStatus](t, tc.want)
			want.Phase, want.Reason, want.Message = v.phase, v.reason, message(s, v)
			if diff := cmp.Diff(want, notebookStatus(s, v)); diff != "" {
				t.Errorf("\n%s\nnotebookStatus(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestMessage(t *testing.T) {
	shrunk := `{image: jupyter/a, volumeSize: 5Gi}`
	deleting := `{metadata: {deletionTimestamp: "2026-11-30T12:00:00Z"}, spec: {resources: {requests: {storage: 10Gi}}}, status: {phase: Bound}}`
	kept := map[string]string{keyWorkspace: boundPVC, keyServer: keptServer + serving}
	refused := []refusal{{"InvalidSpec", "spec.image is wrong"}}
	cases := map[string]struct {
		reason   string
		spec     string
		refusals []refusal
		composed map[string]string
		verdict  verdict
		want     string
	}{
		"Plain": {
			reason: "There is nothing to add.",
			spec:   keptSpec, composed: kept, verdict: verdict{v1.PhaseReady, "Ready", "it is ready"},
			want: "it is ready",
		},
		"Ephemeral": {
			reason: "Who works in a notebook that keeps nothing must hear it in time.",
			spec:   lostSpec, composed: map[string]string{keyServer: lostServer + serving}, verdict: verdict{v1.PhaseReady, "Ready", "it is ready"},
			want: "it is ready, and keeps nothing when it stops: set volumeSize to keep files",
		},
		"EphemeralCreating": {
			reason: "Until there is something to lose, what it waits for is more important.",
			spec:   lostSpec, verdict: verdict{v1.PhaseCreating, "Creating", "it comes"},
			want: "it comes",
		},
		"NotDone": {
			reason: "An edit that was not followed is answered.",
			spec:   shrunk, composed: kept, verdict: verdict{v1.PhaseReady, "Ready", "it is ready"},
			want: "it is ready; volumeSize 5Gi is less than the workspace's 10Gi, and a volume cannot shrink: it stays as it is",
		},
		"NotDoneFailed": {
			reason: "First things first.",
			spec:   shrunk, composed: kept, verdict: verdict{v1.PhaseFailed, "Failed", "it failed"},
			want: "it failed",
		},
		"Deleting": {
			reason: "Files that are about to go are more important than an edit.",
			spec:   shrunk, composed: map[string]string{keyWorkspace: deleting, keyServer: keptServer + serving}, verdict: verdict{v1.PhaseReady, "Ready", "it is ready"},
			want: "it is ready; " + workspaceDeleted,
		},
		"Refused": {
			reason: "A refused edit comes before all other remarks.",
			spec:   shrunk, refusals: refused, composed: kept, verdict: verdict{v1.PhaseReady, "Ready", "it is ready"},
			want: "it is ready, but its last change is refused: spec.image is wrong",
		},
		"RefusedFailed": {
			reason: "Both may be wrong, and correcting one does not correct the other.",
			spec:   keptSpec, refusals: refused, composed: kept, verdict: verdict{v1.PhaseFailed, "QuotaExceeded", "it failed"},
			want: "it failed, but its last change is refused: spec.image is wrong",
		},
		"RefusedNew": {
			reason:   "Nothing is said twice.",
			refusals: refused, verdict: verdict{v1.PhaseFailed, "InvalidSpec", "spec.image is wrong"},
			want: "spec.image is wrong",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := situationOf(t, tc.spec, tc.composed, nil)
			s.refusals = tc.refusals
			if got := message(s, tc.verdict); got != tc.want {
				t.Errorf("\n%s\nmessage(...):\nwant %s\ngot  %s", tc.reason, tc.want, got)
			}
		})
	}
}

func TestReady(t *testing.T) {
	const (
		stopping = `{image: jupyter/a, volumeSize: 10Gi, stopped: true}`
		waiting  = `spec: {type: LoadBalancer}`
	)
	cases := map[string]struct {
		reason string
		spec   string
		key    string
		object string
		want   bool
	}{
		"Missing":            {reason: "What is not observed is not ready.", spec: keptSpec, key: keyNetwork},
		"Network":            {reason: "A policy has nothing to wait for.", spec: keptSpec, key: keyNetwork, object: `{}`, want: true},
		"Access":             {reason: "Nor has a Secret.", spec: keptSpec, key: keyAccess, object: `{}`, want: true},
		"Service":            {reason: "Nor has a Service inside the cluster.", spec: keptSpec, key: keyService, object: `spec: {type: ClusterIP}`, want: true},
		"ServiceWaiting":     {reason: "A load balancer has.", spec: `{image: jupyter/a, serviceType: LoadBalancer}`, key: keyService, object: waiting},
		"ServiceStopped":     {reason: "Some load balancers give an address only to a pod.", spec: stopping, key: keyService, object: waiting, want: true},
		"Workspace":          {reason: "It has its volume.", spec: keptSpec, key: keyWorkspace, object: boundPVC, want: true},
		"WorkspacePending":   {reason: "It has none.", spec: keptSpec, key: keyWorkspace, object: pendingPVC},
		"WorkspaceStopped":   {reason: "Some volumes come with the first pod.", spec: stopping, key: keyWorkspace, object: pendingPVC, want: true},
		"Server":             {reason: "It answers.", spec: keptSpec, key: keyServer, object: keptServer + serving, want: true},
		"ServerBooting":      {reason: "It does not answer.", spec: keptSpec, key: keyServer, object: keptServer + booting},
		"ServerStopping":     {reason: "It still answers, and should not.", spec: stopping, key: keyServer, object: keptServer + serving},
		"ServerStopped":      {reason: "It is gone, as it should.", spec: stopping, key: keyServer, object: stoppedServer + `{observedGeneration: 3}`, want: true},
		"ServerStartedAgain": {reason: "It is gone, and should not.", spec: keptSpec, key: keyServer, object: stoppedServer + `{observedGeneration: 3}`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			composed := map[string]string{}
			if tc.object != "" {
				composed[tc.key] = tc.object
			}
			if got := ready(situationOf(t, tc.spec, composed, nil), tc.key); got != tc.want {
				t.Errorf("\n%s\nready(...): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}

func TestAddressPending(t *testing.T) {
	cases := map[string]struct {
		reason  string
		spec    string
		service string
		want    bool
	}{
		"ClusterIP": {reason: "A name in the cluster is there at once.", spec: `image: jupyter/a`, service: `spec: {type: ClusterIP}`},
		"NodePort":  {reason: "A node has its address already.", spec: `{image: jupyter/a, serviceType: NodePort}`, service: `spec: {type: NodePort}`},
		"Pending":   {reason: "Not every cluster has load balancers.", spec: `{image: jupyter/a, serviceType: LoadBalancer}`, service: `{spec: {type: LoadBalancer}, status: {loadBalancer: {}}}`, want: true},
		"Changed":   {reason: "The claim asks for another type than the Service has.", spec: `{image: jupyter/a, serviceType: LoadBalancer}`, service: `spec: {type: ClusterIP}`, want: true},
		"Assigned":  {reason: "It has its address.", spec: `{image: jupyter/a, serviceType: LoadBalancer}`, service: `{spec: {type: LoadBalancer}, status: {loadBalancer: {ingress: [{ip: 192.0.2.9}]}}}`},
		"Kept":      {reason: "Without a spec, the Service says what was asked for.", service: `{spec: {type: LoadBalancer}, status: {loadBalancer: {}}}`, want: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := situationOf(t, tc.spec, map[string]string{keyService: tc.service}, nil)
			if got := s.addressPending(); got != tc.want {
				t.Errorf("\n%s\naddressPending(): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}
