package fn

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// The objects of the notebook alpha as observed.
const (
	// keptSpec and lostSpec are specs with and without a workspace.
	keptSpec = `{image: jupyter/a, volumeSize: 10Gi}`
	lostSpec = `image: jupyter/a`

	// keptServer is the Deployment of keptSpec, without a status.
	keptServer = `
metadata: {generation: 2, annotations: {mlops.function-jupyter.dev/accepted-spec: '{"image":"jupyter/a","volumeSize":"10Gi"}'}}
spec:
  replicas: 1
  template: {spec: {containers: [{name: notebook, image: jupyter/a}], volumes: [{name: workspace, persistentVolumeClaim: {claimName: alpha-workspace}}]}}
status: `

	// lostServer is that of lostSpec.
	lostServer = `
metadata: {generation: 2, annotations: {mlops.function-jupyter.dev/accepted-spec: '{"image":"jupyter/a"}'}}
spec:
  replicas: 1
  template: {spec: {containers: [{name: notebook, image: jupyter/a}], volumes: [{name: workspace, emptyDir: {}}]}}
status: `

	// dataServer mounts the PersistentVolumeClaim data.
	dataServer = `
metadata: {generation: 2, annotations: {mlops.function-jupyter.dev/accepted-spec: '{"image":"jupyter/a","volume":{"existingClaim":"data"}}'}}
spec:
  replicas: 1
  template: {spec: {containers: [{name: notebook, image: jupyter/a}], volumes: [{name: workspace, persistentVolumeClaim: {claimName: data}}]}}
status: `

	// stoppedServer has no replicas, and a status to be written.
	stoppedServer = `
metadata: {generation: 3}
spec: {replicas: 0}
status: `

	// States of a server.
	serving  = `{observedGeneration: 2, replicas: 1, updatedReplicas: 1, readyReplicas: 1}`
	booting  = `{observedGeneration: 2, replicas: 1, updatedReplicas: 1}`
	overdue  = `{observedGeneration: 2, replicas: 1, updatedReplicas: 1, conditions: [{type: Progressing, status: "False", reason: ProgressDeadlineExceeded, message: 'ReplicaSet "alpha-1" has timed out progressing.'}]}`
	overRS   = `{conditions: [{type: Progressing, status: "False", reason: ReplicaSetCreateError, message: 'Failed to create new replica set "alpha-1": replicasets.apps "alpha-1" is forbidden: exceeded quota: objects, requested: count/replicasets.apps=1, used: count/replicasets.apps=5, limited: count/replicasets.apps=5'}]}`
	overPods = `{observedGeneration: 2, conditions: [{type: ReplicaFailure, status: "True", message: 'pods "alpha-1-x7x2p" is forbidden: exceeded quota: team, requested: limits.memory=4Gi, used: limits.memory=8Gi, limited: limits.memory=8Gi'}, {type: Progressing, status: "False", message: timed out}]}`

	// pendingPVC waits for a volume, lostPVC has none any more.
	pendingPVC = `{metadata: {name: alpha-workspace}, spec: {storageClassName: fast, resources: {requests: {storage: 10Gi}}}, status: {phase: Pending}}`
	lostPVC    = `{metadata: {name: alpha-workspace}, spec: {storageClassName: fast, resources: {requests: {storage: 10Gi}}}, status: {phase: Lost}}`
)

// TestJudge has, for each finding, a situation in which it applies, and one in
// which a later finding applies too. See TestJudgeAfterChange for rollouts.
func TestJudge(t *testing.T) {
	type args struct {
		spec     string
		refusals []refusal
		composed map[string]string
		fetched  map[string]string
		foreign  string
	}
	badImage := []refusal{{"InvalidSpec", "spec.image is wrong"}, {"InvalidSpec", "spec.env is wrong"}}
	cases := map[string]struct {
		reason string
		args   args
		want   verdict
	}{
		"RefusedNew": {
			reason: "There is nothing else to tell of a notebook that has no server.",
			args:   args{refusals: badImage, composed: map[string]string{keyWorkspace: lostPVC}},
			want:   verdict{v1.PhaseFailed, "InvalidSpec", "spec.image is wrong; spec.env is wrong"},
		},
		"RefusedEdit": {
			reason: "What runs goes on, and message adds the refusal.",
			args:   args{spec: keptSpec, refusals: badImage, composed: map[string]string{keyWorkspace: boundPVC, keyServer: keptServer + serving}},
			want:   verdict{v1.PhaseReady, "Ready", "the notebook is ready"},
		},
		"InTheWay": {
			reason: "Nothing works until somebody's Service is out of the way, whatever became of the workspace.",
			args: args{
				spec: keptSpec, refusals: []refusal{{reasonNameConflict, "Service alpha exists already"}}, foreign: keyService,
				composed: map[string]string{keyWorkspace: lostPVC, keyServer: keptServer + serving},
			},
			want: verdict{v1.PhaseFailed, reasonNameConflict, "Service alpha exists already"},
		},
		"WorkspaceInTheWay": {
			reason: "A server that runs does not need another workspace.",
			args: args{
				spec: keptSpec, refusals: []refusal{{reasonNameConflict, "PersistentVolumeClaim alpha-workspace exists already"}}, foreign: keyWorkspace,
				composed: map[string]string{keyServer: keptServer + serving},
			},
			want: verdict{v1.PhaseReady, "Ready", "the notebook is ready"},
		},
		"StartingWhileWorkspaceTaken": {
			reason: "What is asked for is not what starts.",
			args: args{
				spec: `{image: jupyter/b, volumeSize: 10Gi}`, refusals: []refusal{{reasonNameConflict, "PersistentVolumeClaim alpha-workspace exists already"}}, foreign: keyWorkspace,
				composed: map[string]string{keyServer: keptServer + booting},
			},
			want: verdict{v1.PhaseCreating, "Starting", "the server is starting: its image jupyter/a is being pulled, or Jupyter does not answer yet"},
		},
		"WorkspaceLost": {
			reason: "Whether the notebook is stopped does not matter: its files are gone.",
			args:   args{spec: keptSpec + "", composed: map[string]string{keyWorkspace: lostPVC, keyServer: stoppedServer + `{observedGeneration: 3}`}},
			want:   verdict{v1.PhaseFailed, "VolumeLost", "the volume behind PersistentVolumeClaim alpha-workspace is gone, and the files with it: ask your platform team to restore it, or delete the notebook"},
		},
		"ExistingClaimLost": {
			reason: "Nor does it matter whose claim it was.",
			args: args{
				spec: `{image: jupyter/a, volume: {existingClaim: data}}`, composed: map[string]string{keyServer: dataServer + booting},
				fetched: map[string]string{requiredExistingClaim: `{metadata: {name: data}, status: {phase: Lost}}`},
			},
			want: verdict{v1.PhaseFailed, "VolumeLost", "the volume behind PersistentVolumeClaim data is gone, and the files with it: ask your platform team to restore it, or delete the notebook"},
		},
		"Stopped": {
			reason: "That its claim does not exist matters when it starts.",
			args: args{
				spec: `{image: jupyter/a, stopped: true, volume: {existingClaim: data}}`, composed: map[string]string{keyServer: stoppedServer + `{observedGeneration: 3}`},
				fetched: map[string]string{requiredExistingClaim: ""},
			},
			want: verdict{v1.PhaseStopped, "Stopped", "the notebook is stopped and its workspace is kept: set stopped to false to start it"},
		},
		"StoppedFromTheStart": {
			reason: "A notebook may be created without being started.",
			args:   args{spec: `{image: jupyter/a, volumeSize: 10Gi, stopped: true}`},
			want:   verdict{v1.PhaseStopped, "Stopped", "the notebook is stopped and its workspace is kept: set stopped to false to start it"},
		},
		"StoppedEphemeral": {
			reason: "Who kept nothing must hear it.",
			args:   args{spec: `{image: jupyter/a, stopped: true}`, composed: map[string]string{keyServer: stoppedServer + `{observedGeneration: 3}`}},
			want:   verdict{v1.PhaseStopped, "Stopped", "the notebook is stopped and keeps no files, because it has no volume: set stopped to false to start it"},
		},
		"Stopping": {
			reason: "The Deployment is not scaled yet.",
			args:   args{spec: `{image: jupyter/a, volumeSize: 10Gi, stopped: true}`, composed: map[string]string{keyWorkspace: boundPVC, keyServer: keptServer + overPods}},
			want:   verdict{v1.PhaseStopped, "Stopping", "the server is shutting down and its workspace is kept"},
		},
		"StoppedWithoutSpec": {
			reason: "A notebook that is kept as it is may be a stopped one.",
			args:   args{refusals: badImage, composed: map[string]string{keyServer: stoppedServer + `{observedGeneration: 3}`}},
			want:   verdict{v1.PhaseStopped, "Stopped", "the notebook is stopped and keeps no files, because it has no volume: set stopped to false to start it"},
		},
		"ExistingClaimMissing": {
			reason: "Nothing starts without it, even before there is a server.",
			args:   args{spec: `{image: jupyter/a, volume: {existingClaim: data}}`, fetched: map[string]string{requiredExistingClaim: ""}},
			want:   verdict{v1.PhaseFailed, "VolumeNotFound", "volume.existingClaim names PersistentVolumeClaim data, which does not exist in namespace team-a: create it, or write another name"},
		},
		"ExistingClaimNotAskedYet": {
			reason: "Crossplane looks for it and calls again.",
			args:   args{spec: `{image: jupyter/a, volume: {existingClaim: data}}`},
			want:   verdict{v1.PhaseCreating, "Creating", "the notebook's objects are being created"},
		},
		"ServerMissing": {
			reason: "The workspace waits for its first pod, as it should.",
			args:   args{spec: keptSpec, composed: map[string]string{keyWorkspace: pendingPVC}},
			want:   verdict{v1.PhaseCreating, "Creating", "the notebook's objects are being created"},
		},
		"StartingAgain": {
			reason: "The Deployment is not scaled up yet: what it says is about the stopped one.",
			args: args{spec: keptSpec, composed: map[string]string{keyWorkspace: boundPVC, keyServer: `
metadata: {generation: 3, annotations: {mlops.function-jupyter.dev/accepted-spec: '{"image":"jupyter/a","volumeSize":"10Gi","stopped":true}'}}
spec: {replicas: 0}
status: {observedGeneration: 3}`}},
			want: verdict{v1.PhaseCreating, "Starting", "the server is starting: its image jupyter/a is being pulled, or Jupyter does not answer yet"},
		},
		"NotObserved": {
			reason: "What the Deployment says is older than its spec.",
			args:   args{spec: lostSpec, composed: map[string]string{keyServer: lostServer + `{observedGeneration: 1, conditions: [{type: ReplicaFailure, status: "True", message: old}]}`}},
			want:   verdict{v1.PhaseCreating, "RollingOut", "rolling out the change: the old server shuts down, and then the new one starts"},
		},
		"VolumeAdded": {
			reason: "The server still runs without its new workspace.",
			args:   args{spec: keptSpec, composed: map[string]string{keyWorkspace: pendingPVC, keyServer: lostServer + serving}},
			want:   verdict{v1.PhaseCreating, "RollingOut", "rolling out the change: the old server shuts down, and then the new one starts"},
		},
		"ServerRefused": {
			reason: "The Deployment could not even begin, so it never counts its generation as observed.",
			args:   args{spec: keptSpec, composed: map[string]string{keyWorkspace: pendingPVC, keyServer: keptServer + overRS}},
			want:   verdict{v1.PhaseFailed, "QuotaExceeded", "the namespace's quota does not allow the server's pod: exceeded quota: objects, requested: count/replicasets.apps=1, used: count/replicasets.apps=5, limited: count/replicasets.apps=5; ask for less, stop another notebook, or ask your platform team for more"},
		},
		"ServerRefusedBeforeChange": {
			reason: "It was the server before the change that was refused.",
			args:   args{spec: `image: jupyter/b`, composed: map[string]string{keyServer: lostServer + overRS}},
			want:   verdict{v1.PhaseCreating, "Starting", "the server is starting: its image jupyter/b is being pulled, or Jupyter does not answer yet"},
		},
		"QuotaExceeded": {
			reason: "The quota's own sentence, without the pod's random name, and before what follows from it.",
			args:   args{spec: keptSpec, composed: map[string]string{keyWorkspace: pendingPVC, keyServer: keptServer + overPods}},
			want:   verdict{v1.PhaseFailed, "QuotaExceeded", "the namespace's quota does not allow the server's pod: exceeded quota: team, requested: limits.memory=4Gi, used: limits.memory=8Gi, limited: limits.memory=8Gi; ask for less, stop another notebook, or ask your platform team for more"},
		},
		"QuotaWantsLimits": {
			reason: "A quota may want that something is asked for.",
			args:   args{spec: lostSpec, composed: map[string]string{keyServer: lostServer + `{observedGeneration: 2, conditions: [{type: ReplicaFailure, status: "True", message: 'pods "alpha-1-x7x2p" is forbidden: failed quota: team: must specify limits.memory'}]}`}},
			want:   verdict{v1.PhaseFailed, "QuotaExceeded", "the namespace's quota does not allow the server's pod: failed quota: team: must specify limits.memory; ask for less, stop another notebook, or ask your platform team for more"},
		},
		"PodRefusedByName": {
			reason: "The pod's name differs in each attempt, and what others write may hold a secret.",
			args:   args{spec: keptSpec, composed: map[string]string{keyWorkspace: boundPVC, keyServer: keptServer + `{observedGeneration: 2, conditions: [{type: ReplicaFailure, status: "True", message: 'admission webhook "validate.kyverno.svc" denied the request: resource Pod/team-a/alpha-5d8f9c7b6d-x7k2p was blocked, token=abc'}]}`}},
			want:   verdict{v1.PhaseFailed, "PodRefused", `the server's pod was refused: admission webhook "validate.kyverno.svc" denied the request: resource Pod/team-a/alpha was blocked, token=…`},
		},
		"PodRefused": {
			reason: "The admission's own sentence, without the pod's random name.",
			args:   args{spec: lostSpec, composed: map[string]string{keyServer: lostServer + `{observedGeneration: 2, conditions: [{type: ReplicaFailure, status: "True", message: 'pods "alpha-1-x7x2p" is forbidden: maximum memory usage per Container is 1Gi, but limit is 4Gi'}]}`}},
			want:   verdict{v1.PhaseFailed, "PodRefused", "the server's pod was refused: maximum memory usage per Container is 1Gi, but limit is 4Gi"},
		},
		"PodNoLongerRefused": {
			reason: "A condition that is False says the opposite.",
			args:   args{spec: lostSpec, composed: map[string]string{keyServer: lostServer + `{observedGeneration: 2, replicas: 1, updatedReplicas: 1, conditions: [{type: ReplicaFailure, status: "False", message: no}]}`}},
			want:   verdict{v1.PhaseCreating, "Starting", "the server is starting: its image jupyter/a is being pulled, or Jupyter does not answer yet"},
		},
		"VolumeNeverBound": {
			reason: "A workspace without a volume is why nothing started.",
			args:   args{spec: keptSpec, composed: map[string]string{keyWorkspace: pendingPVC, keyServer: keptServer + overdue}},
			want:   verdict{v1.PhaseFailed, "VolumePending", `the workspace alpha-workspace waits for a volume of storage class "fast" (some classes make one only when the server's pod has found a node) (for 30 minutes)`},
		},
		"VolumePending": {
			reason: "The pod waits for its volume.",
			args:   args{spec: keptSpec, composed: map[string]string{keyWorkspace: pendingPVC, keyServer: keptServer + booting}},
			want:   verdict{v1.PhaseCreating, "VolumePending", `the workspace alpha-workspace waits for a volume of storage class "fast" (some classes make one only when the server's pod has found a node)`},
		},
		"ExistingClaimPending": {
			reason: "So it does for a volume of somebody else's claim.",
			args: args{
				spec: `{image: jupyter/a, volume: {existingClaim: data}}`, composed: map[string]string{keyServer: dataServer + booting},
				fetched: map[string]string{requiredExistingClaim: `{metadata: {name: data}, spec: {storageClassName: slow}, status: {phase: Pending}}`},
			},
			want: verdict{v1.PhaseCreating, "VolumePending", `the workspace data waits for a volume of storage class "slow" (some classes make one only when the server's pod has found a node)`},
		},
		"Starting": {
			reason: "All is there but an answer.",
			args:   args{spec: keptSpec, composed: map[string]string{keyWorkspace: boundPVC, keyServer: keptServer + booting, keyService: `spec: {type: LoadBalancer}`}},
			want:   verdict{v1.PhaseCreating, "Starting", "the server is starting: its image jupyter/a is being pulled, or Jupyter does not answer yet"},
		},
		"ServiceMissing": {
			reason: "Somebody deleted it by hand: nobody reaches the server until it is back.",
			args:   args{spec: `image: jupyter/a`, composed: map[string]string{keyServer: lostServer + serving, keyService: ""}},
			want:   verdict{v1.PhaseCreating, "Creating", "the server runs, and its Service alpha is being created"},
		},
		"TokenUnusable": {
			reason: "The server restarts with the token that replaces it.",
			args:   args{spec: `image: jupyter/a`, composed: map[string]string{keyServer: lostServer + serving, keyAccess: `data: {token: ""}`}},
			want:   verdict{v1.PhaseCreating, "Creating", "the server runs, and its Secret alpha-access is being created"},
		},
		"WaitingForAddress": {
			reason: "Nobody outside can reach it yet.",
			args:   args{spec: `{image: jupyter/a, serviceType: LoadBalancer}`, composed: map[string]string{keyServer: lostServer + serving, keyService: `spec: {type: LoadBalancer}`}},
			want:   verdict{v1.PhaseCreating, "WaitingForAddress", "the server runs, and waits for the address of its load balancer: if none comes, the cluster offers none, so write serviceType ClusterIP"},
		},
		"Ready": {
			reason: "Nothing keeps it from its user, whatever the Deployment thought of the time that it took.",
			args:   args{spec: keptSpec, composed: map[string]string{keyWorkspace: boundPVC, keyServer: keptServer + `{observedGeneration: 2, replicas: 1, updatedReplicas: 1, readyReplicas: 1, conditions: [{type: Progressing, status: "False", message: late}]}`}},
			want:   verdict{v1.PhaseReady, "Ready", "the notebook is ready"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := situationOf(t, tc.args.spec, tc.args.composed, tc.args.fetched)
			s.refusals = tc.args.refusals
			if tc.args.foreign != "" {
				s.keep, s.foreign = true, map[string]object{tc.args.foreign: {}}
			}
			if diff := cmp.Diff(tc.want, judge(s), cmp.AllowUnexported(verdict{})); diff != "" {
				t.Errorf("\n%s\njudge(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
