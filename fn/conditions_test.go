package fn

import (
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
)

// said is what a condition says.
type said struct {
	True            bool
	Reason, Message string
}

func saidBy(c *fnv1.Condition) said {
	return said{c.GetStatus() == fnv1.Status_STATUS_CONDITION_TRUE, c.GetReason(), c.GetMessage()}
}

// TestConditions: always the same, on the claim, too.
func TestConditions(t *testing.T) {
	s := situationOf(t, keptSpec, map[string]string{keyWorkspace: boundPVC, keyServer: keptServer + serving}, nil)
	var types []string
	for _, c := range conditions(s, judge(s)) {
		types = append(types, c.GetType())
		if c.GetTarget() != fnv1.Target_TARGET_COMPOSITE_AND_CLAIM {
			t.Errorf("conditions(...): %s is not copied to the claim", c.GetType())
		}
		if got := saidBy(c); got.True != (c.GetType() != conditionRestartPending) || got.Reason == "" {
			t.Errorf("conditions(...): %s of a ready notebook: %+v", c.GetType(), got)
		}
	}
	if diff := cmp.Diff([]string{"Accepted", "VolumeReady", "ServerReady", "RestartPending"}, types); diff != "" {
		t.Errorf("conditions(...): -want, +got:\n%s", diff)
	}
}

func TestAccepted(t *testing.T) {
	cases := map[string]struct {
		reason   string
		refusals []refusal
		want     said
	}{
		"Accepted": {reason: "There is nothing to explain.", want: said{true, "Accepted", ""}},
		"Refused": {
			reason:   "The first reason stands for all, and the message has them all.",
			refusals: []refusal{{reasonNameConflict, "Service alpha exists already"}, {"InvalidSpec", "spec.image is wrong"}},
			want:     said{false, reasonNameConflict, "Service alpha exists already; spec.image is wrong"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, saidBy(accepted(situation{plan: plan{refusals: tc.refusals}}))); diff != "" {
				t.Errorf("\n%s\naccepted(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestVolumeReady(t *testing.T) {
	const (
		existing = `{image: jupyter/a, volume: {existingClaim: data}}`
		retained = `{image: jupyter/a, volumeSize: 10Gi, volume: {retention: Retain}}`
	)
	pvc := func(text string) map[string]string { return map[string]string{keyWorkspace: text} }
	claim := func(text string) map[string]string { return map[string]string{requiredExistingClaim: text} }
	cases := map[string]struct {
		reason   string
		spec     string
		composed map[string]string
		fetched  map[string]string
		want     said
	}{
		"Creating":  {reason: "It is composed, and not observed yet.", spec: keptSpec, want: said{false, "Creating", "the workspace is being created"}},
		"Bound":     {reason: "There is nothing to explain.", spec: keptSpec, composed: pvc(boundPVC), want: said{true, "Bound", ""}},
		"Ephemeral": {reason: "Who keeps nothing must hear it.", spec: lostSpec, want: said{true, "Ephemeral", "nothing is kept when the server stops: set volumeSize to keep files"}},
		"NoSpec":    {reason: "Nothing can be composed.", want: said{false, "NotCreated", "the claim is not accepted, so there is no workspace"}},
		"KeptBound": {reason: "What is kept as it is may have a workspace.", composed: pvc(boundPVC), want: said{true, "Bound", ""}},
		"VolumePending": {
			reason: "The class does not provide a volume.", spec: keptSpec, composed: pvc(pendingPVC),
			want: said{false, "VolumePending", `the workspace alpha-workspace waits for a volume of storage class "fast" (some classes make one only when the server's pod has found a node)`},
		},
		"VolumePendingByHand": {
			reason: "An empty class is what the user wrote.", spec: `{image: jupyter/a, volumeSize: 10Gi, volume: {storageClassName: ""}}`,
			composed: pvc(`{metadata: {name: alpha-workspace}, spec: {storageClassName: ""}, status: {phase: Pending}}`),
			want:     said{false, "VolumePending", "the workspace alpha-workspace waits for somebody to create a volume, because volume.storageClassName is empty"},
		},
		"VolumePendingWithoutDefault": {
			reason: "The class of a notebook that exists cannot change, so that is no way out.", spec: keptSpec,
			composed: pvc(`{metadata: {name: alpha-workspace}, spec: {}, status: {phase: Pending}}`),
			want:     said{false, "VolumePending", "the workspace alpha-workspace has no storage class, and the cluster has no default one: ask your platform team for one, or make a new notebook with volume.storageClassName"},
		},
		"VolumeLost": {
			reason: "The files are gone.", spec: keptSpec, composed: pvc(lostPVC),
			want: said{false, "VolumeLost", "the volume of the workspace is gone"},
		},
		"Deleting": {
			reason: "Whoever did it, there is still time.", spec: keptSpec,
			composed: pvc(`{metadata: {name: alpha-workspace, deletionTimestamp: "2026-11-30T12:00:00Z"}, spec: {storageClassName: fast}, status: {phase: Bound}}`),
			want:     said{false, "Deleting", workspaceDeleted},
		},
		"ChangeNotApplied": {
			reason: "The workspace is ready as it was.", spec: `{image: jupyter/a, volumeSize: 5Gi, volume: {storageClassName: slow}}`, composed: pvc(boundPVC),
			want: said{true, "ChangeNotApplied", `volume.storageClassName stays "fast", because the class of a volume cannot change; volumeSize 5Gi is less than the workspace's 10Gi, and a volume cannot shrink: it stays as it is`},
		},
		"ChangeNotAppliedYet": {
			reason: "It is not ready, and one change waits for that.", spec: `{image: jupyter/a, volumeSize: 20Gi}`, composed: pvc(pendingPVC),
			want: said{false, "ChangeNotApplied", "volumeSize 20Gi waits until the workspace of 10Gi is bound to a volume"},
		},
		"NotRetained": {
			reason: "Who wants files to outlive the notebook must know that they would not.", spec: retained, composed: pvc(boundPVC),
			want: said{false, "NotRetained", "the workspace would not outlive the notebook yet, because Crossplane could not read the namespace team-a"},
		},
		"Retained": {
			reason: "The namespace owns it, too.", spec: retained, composed: pvc(boundPVC),
			fetched: map[string]string{requiredNamespace: `metadata: {uid: ns-uid}`}, want: said{true, "Bound", ""},
		},
		"Resizing": {
			reason: "What hinders its growth comes first.", spec: `{image: jupyter/a, volumeSize: 20Gi}`,
			composed: pvc(`{spec: {storageClassName: fast, resources: {requests: {storage: 20Gi}}}, status: {phase: Bound, capacity: {storage: 10Gi}, conditions: [{type: Resizing, status: "True"}, {type: ControllerResizeError, status: "True", message: out of space}]}}`),
			want:     said{true, "Resizing", "the volume cannot grow from 10Gi to 20Gi: ask your platform team (out of space)"},
		},
		"ResizingSilently": {
			reason: "Not every condition has a message, and not every one is true.", spec: `{image: jupyter/a, volumeSize: 20Gi}`,
			composed: pvc(`{spec: {storageClassName: fast, resources: {requests: {storage: 20Gi}}}, status: {phase: Bound, capacity: {storage: 10Gi}, conditions: [{type: NodeResizeError, status: "False"}, {type: FileSystemResizePending, status: "True"}]}}`),
			want:     said{true, "Resizing", "the volume grows from 10Gi to 20Gi: its storage has, and its file system follows while the server runs"},
		},
		"ExistingClaim": {
			reason: "Whose it is decides what becomes of it.", spec: existing, fetched: claim(`{metadata: {name: data}, status: {phase: Bound}}`),
			want: said{true, "ExistingClaim", "the workspace is PersistentVolumeClaim data, which the notebook never deletes"},
		},
		"ExistingClaimMissing": {
			reason: "Crossplane looked for it.", spec: existing, fetched: claim(""),
			want: said{false, "VolumeNotFound", "PersistentVolumeClaim data does not exist"},
		},
		"ExistingClaimPending": {
			reason: "It exists and has no volume.", spec: existing, fetched: claim(`{metadata: {name: data}, spec: {storageClassName: slow}, status: {phase: Pending}}`),
			want: said{false, "VolumePending", `the workspace data waits for a volume of storage class "slow" (some classes make one only when the server's pod has found a node)`},
		},
		"ExistingClaimLost": {
			reason: "It exists and has lost its volume.", spec: existing, fetched: claim(`{metadata: {name: data}, status: {phase: Lost}}`),
			want: said{false, "VolumeLost", "the volume of the workspace is gone"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, saidBy(volumeReady(situationOf(t, tc.spec, tc.composed, tc.fetched)))); diff != "" {
				t.Errorf("\n%s\nvolumeReady(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestServerIsReady(t *testing.T) {
	cases := map[string]struct {
		reason   string
		spec     string
		composed map[string]string
		want     said
	}{
		"Ready":    {reason: "It answers.", spec: lostSpec, composed: map[string]string{keyServer: lostServer + serving}, want: said{true, "Ready", "the notebook is ready"}},
		"Creating": {reason: "There is none.", spec: lostSpec, want: said{false, "Creating", "the notebook's objects are being created"}},
		"Stopped": {
			reason: "A stopped notebook has no server, and is ready for Crossplane all the same.", spec: `{image: jupyter/a, stopped: true}`,
			composed: map[string]string{keyServer: stoppedServer + `{observedGeneration: 3}`},
			want:     said{false, "Stopped", "the notebook is stopped and keeps no files, because it has no volume: set stopped to false to start it"},
		},
		"Failed": {
			reason: "A failure is told here, too.", spec: lostSpec, composed: map[string]string{keyServer: lostServer + overdue},
			want: said{false, "DeadlineExceeded", `the server did not start in 30 minutes: ReplicaSet "alpha-1" has timed out progressing; see the events of its pod for the reason`},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			v := judge(situationOf(t, tc.spec, tc.composed, nil))
			if diff := cmp.Diff(tc.want, saidBy(serverIsReady(v))); diff != "" {
				t.Errorf("\n%s\nserverIsReady(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestActivityKnown checks what is said of a notebook that should be stopped when idle.
func TestActivityKnown(t *testing.T) {
	const (
		spec    = `{image: jupyter/a, idleTimeoutSeconds: 600}`
		unknown = `terminated: {exitCode: 0, finishedAt: "2026-11-30T11:00:00Z", message: '{"state":"Unknown","seen":"GET api/kernels: Forbidden"}'}`
		killed  = `terminated: {exitCode: 137, reason: OOMKilled, finishedAt: "2026-11-30T11:00:00Z"}`
		refused = "nobody stops the server when it is idle, as long as its claim is refused"
		cannot  = "idleTimeoutSeconds has no effect at present, because the server does not tell whether anybody uses it (GET api/kernels: Forbidden)"
		dies    = "idleTimeoutSeconds has no effect at present, because the platform's activity agent ended with exit code 137 (OOMKilled): if this lasts, ask your platform team"
	)
	cases := map[string]struct {
		reason string
		spec   string
		agent  string
		keep   bool
		want   said
	}{
		"Watched":         {reason: "An agent watches.", spec: spec, agent: `state: {running: {startedAt: "2026-11-30T11:00:01Z"}}`, want: said{true, "Watched", ""}},
		"Unknown":         {reason: "It cannot find out.", spec: spec, agent: `state: {` + unknown + `}`, want: said{false, "ActivityUnknown", cannot}},
		"UnknownWaits":    {reason: "That does not change while it waits for its next look.", spec: spec, agent: `state: {waiting: {reason: CrashLoopBackOff}}, lastState: {` + unknown + `}`, want: said{false, "ActivityUnknown", cannot}},
		"UnknownRuns":     {reason: "Nor while it looks.", spec: spec, agent: `state: {running: {startedAt: "2026-11-30T11:05:00Z"}}, lastState: {` + unknown + `}`, want: said{false, "ActivityUnknown", cannot}},
		"Killed":          {reason: "An agent that does not work stops nobody.", spec: spec, agent: `state: {waiting: {reason: CrashLoopBackOff}}, lastState: {` + killed + `}`, want: said{false, "ActivityUnknown", dies}},
		"KilledRuns":      {reason: "It has only just been started again.", spec: spec, agent: `state: {running: {startedAt: "2026-11-30T11:50:01Z"}}, lastState: {` + killed + `}`, want: said{false, "ActivityUnknown", dies}},
		"KilledLongSince": {reason: "It works again.", spec: spec, agent: `state: {running: {startedAt: "2026-11-30T11:50:00Z"}}, lastState: {` + killed + `}`, want: said{true, "Watched", ""}},
		"Kept":            {reason: "Without a spec there is no timeout.", spec: spec, agent: `state: {running: {}}`, keep: true, want: said{false, "ActivityUnknown", refused}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			pod := `{metadata: {name: alpha-1}, status: {initContainerStatuses: [{name: activity-agent, ` + tc.agent + `}]}}`
			s := situation{
				notebook: notebook{now: podNow(t)},
				plan:     plan{spec: specOf(t, tc.spec)},
				world: world{
					composed: map[string]object{keyServer: objectOf(t, `{spec: {replicas: 1, template: {spec: {initContainers: [{name: activity-agent}]}}}}`)},
					fetched:  fetchedOf(t, map[string]string{requiredPods: pod}),
				},
			}
			if tc.keep {
				s.plan = plan{keep: true}
			}
			if diff := cmp.Diff(tc.want, saidBy(activityKnown(s))); diff != "" {
				t.Errorf("\n%s\nactivityKnown(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
