package fn

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// TestJudgeAfterChange checks what is said of a notebook while its Deployment
// still speaks of the server before a change.
func TestJudgeAfterChange(t *testing.T) {
	const accepted = `
metadata:
  generation: 1
  annotations: {mlops.function-jupyter.dev/accepted-spec: '{"image":"jupyter/old"}'}
spec:
  replicas: 1
`
	cases := map[string]struct {
		reason string
		spec   string
		server string
		want   verdict
	}{
		"CorrectedImage": {
			reason: "That the old image did not start says nothing of the new one.",
			spec:   `image: jupyter/new`,
			server: accepted + `
status:
  observedGeneration: 1
  conditions: [{type: Progressing, status: "False", message: timed out}]`,
			want: verdict{v1.PhaseCreating, "RollingOut", "rolling out the change: the old server shuts down, and then the new one starts"},
		},
		"SmallerRequest": {
			reason: "The quota refused what is not asked for any more.",
			spec:   `{image: jupyter/old, resources: {requests: {cpu: "1"}}}`,
			server: accepted + `
status:
  observedGeneration: 1
  conditions: [{type: ReplicaFailure, status: "True", message: "exceeded quota: team"}]`,
			want: verdict{v1.PhaseCreating, "RollingOut", "rolling out the change: the old server shuts down, and then the new one starts"},
		},
		"NotStartedYet": {
			reason: "A new Deployment that nobody has looked at yet does not restart anything.",
			spec:   `image: jupyter/old`,
			server: accepted,
			want:   verdict{v1.PhaseCreating, "Starting", "the server is starting: its image jupyter/old is being pulled, or Jupyter does not answer yet"},
		},
		"OldPodShutsDown": {
			reason: "The new pod waits for the old one, which is not counted among the replicas.",
			spec:   `image: jupyter/old`,
			server: accepted + `
status: {observedGeneration: 1, terminatingReplicas: 1}`,
			want: verdict{v1.PhaseCreating, "RollingOut", "rolling out the change: the old server shuts down, and then the new one starts"},
		},
		"LastPodShutsDown": {
			reason: "A stopped notebook still runs while its last pod shuts down.",
			spec:   `{image: jupyter/old, stopped: true}`,
			server: `
metadata: {generation: 2}
spec: {replicas: 0}
status: {observedGeneration: 2, terminatingReplicas: 1}`,
			want: verdict{v1.PhaseStopped, "Stopping", "the server is shutting down and keeps no files, because it has no volume"},
		},
		"DeadlineExceeded": {
			reason: "The Deployment's own sentence is part of one sentence.",
			spec:   `image: jupyter/old`,
			server: accepted + `
status:
  observedGeneration: 1
  conditions: [{type: Progressing, status: "False", message: "ReplicaSet \"x\" has timed out progressing."}]`,
			want: verdict{v1.PhaseFailed, "DeadlineExceeded", `the server did not start in 30 minutes: ReplicaSet "x" has timed out progressing; see the events of its pod for the reason`},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := judge(situation{
				plan:  plan{spec: specOf(t, tc.spec)},
				world: world{composed: map[string]object{keyServer: objectOf(t, tc.server)}},
			})
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(verdict{})); diff != "" {
				t.Errorf("%s\njudge(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestVolumeReadyOfRefused checks that a workspace that was asked for is not
// called ephemeral because nothing is composed.
func TestVolumeReadyOfRefused(t *testing.T) {
	s := situation{plan: plan{spec: specOf(t, exampleSpec), keep: true}}
	if got := volumeReady(s).GetReason(); got != "NotCreated" {
		t.Errorf("volumeReady(...): want reason NotCreated, got %s", got)
	}
}

// TestChangesPodVolume checks that a volumeSize that is removed or added does
// not count by itself: the workspace that exists stays mounted.
func TestChangesPodVolume(t *testing.T) {
	server := objectOf(t, `metadata: {annotations: {mlops.function-jupyter.dev/accepted-spec: '{"image":"jupyter/a","volumeSize":"10Gi"}'}}`)
	cases := map[string]struct {
		spec string
		want bool
	}{
		"Grown":   {spec: `{image: jupyter/a, volumeSize: 20Gi}`, want: false},
		"Removed": {spec: `image: jupyter/a`, want: false},
		"Moved":   {spec: `{image: jupyter/a, volumeSize: 10Gi, volume: {mountPath: /data}}`, want: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := changesPod(server, plan{spec: specOf(t, tc.spec), accepted: "new"}); got != tc.want {
				t.Errorf("changesPod(...): want %t, got %t", tc.want, got)
			}
		})
	}
}

// TestURLOfForeignService checks that nobody is sent to a Service that somebody
// else made.
func TestURLOfForeignService(t *testing.T) {
	s := situation{
		notebook: notebook{name: "alpha", namespace: "team-a"},
		world:    world{foreign: map[string]object{keyService: objectOf(t, `kind: Service`)}},
	}
	if got := s.url(); got != "" {
		t.Errorf("url(): want none, got %s", got)
	}
}
