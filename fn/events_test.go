package fn

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// TestNewEvents checks that each thing is told when it begins, and once.
func TestNewEvents(t *testing.T) {
	const (
		wasReady   = `{status: {phase: Ready, reason: Ready}}`
		wasRefused = `{status: {phase: Ready, reason: Ready, conditions: [{type: Accepted, status: "False", message: nope}]}}`
		wasPending = `{status: {phase: Ready, reason: Ready, conditions: [{type: RestartPending, status: "True"}, {type: ActivityKnown, status: "False"}]}}`
	)
	ready := verdict{v1.PhaseReady, "Ready", "the notebook is ready"}
	failed := verdict{v1.PhaseFailed, "ServerCrashed", "the server crashed"}
	const expiry = "it will be stopped at 2026-11-30T12:01:00Z, when its lifetime is over (maxLifetimeSeconds): save your work, or set restartedAt to a new time for another lifetime"
	expiring := plan{spec: specOf(t, `{image: jupyter/a, maxLifetimeSeconds: 3600}`), run: run{ends: clock(t, "12:01:00")}}
	refusals := []refusal{{"InvalidSpec", "nope"}}
	cases := map[string]struct {
		reason  string
		was     string
		verdict verdict
		plan    plan
		changes []string
		want    []string
	}{
		"Ready":           {reason: "A user waits for that.", was: `{}`, verdict: ready, want: []string{"NORMAL Ready: the notebook is ready"}},
		"StillReady":      {reason: "That is no news.", was: wasReady, verdict: ready},
		"Routine":         {reason: "The phase shows that it comes up.", was: `{}`, verdict: verdict{v1.PhaseCreating, "Starting", "the server is starting"}},
		"Failed":          {reason: "Somebody should do something.", was: wasReady, verdict: failed, want: []string{"WARNING ServerCrashed: the server crashed"}},
		"Worse":           {reason: "The same became a failure.", was: `{status: {phase: Creating, reason: NotAnswering}}`, verdict: verdict{v1.PhaseFailed, "NotAnswering", "it does not answer"}, want: []string{"WARNING NotAnswering: it does not answer"}},
		"OtherWords":      {reason: "It is the same failure.", was: `{status: {phase: Failed, reason: ServerCrashed, message: other words}}`, verdict: failed},
		"Expiring":        {reason: "Its user should save.", was: wasReady, verdict: verdict{v1.PhaseReady, "Expiring", "it stops soon"}, want: []string{"WARNING Expiring: it stops soon"}},
		"ExpiringUnready": {reason: "Its user should save, however busy the server is.", was: `{status: {phase: Creating, reason: NotAnswering}}`, verdict: verdict{v1.PhaseCreating, "NotAnswering", "no"}, plan: expiring, want: []string{"WARNING Expiring: " + expiry}},
		"StillExpiring":   {reason: "That was told.", was: `{status: {phase: Creating, reason: NotAnswering, message: "no; ` + expiry + `"}}`, verdict: verdict{v1.PhaseCreating, "NotAnswering", "no"}, plan: expiring},
		"Idle":            {reason: "It is as it should be.", was: wasReady, verdict: verdict{v1.PhaseStopped, "Idle", "nobody used it"}, want: []string{"NORMAL Idle: nobody used it"}},
		"Refused":         {reason: "An edit does not arrive.", was: wasReady, verdict: ready, plan: plan{refusals: refusals}, want: []string{"WARNING InvalidSpec: its last change is refused: nope"}},
		"StillRefused":    {reason: "That was told.", was: wasRefused, verdict: ready, plan: plan{refusals: refusals}},
		"RefusedAnew":     {reason: "Another edit does not arrive.", was: wasRefused, verdict: ready, plan: plan{refusals: []refusal{{"InvalidSpec", "nor that"}}}, want: []string{"WARNING InvalidSpec: its last change is refused: nor that"}},
		"PolicyBroken":    {reason: "That is nobody's change.", was: wasReady, verdict: ready, plan: plan{refusals: []refusal{{"PolicyInvalid", "the policy is broken"}}}, want: []string{"WARNING PolicyInvalid: the policy is broken"}},
		"RefusedNew":      {reason: "The verdict says it.", was: `{}`, verdict: verdict{v1.PhaseFailed, "InvalidSpec", "nope"}, plan: plan{refusals: refusals}, want: []string{"WARNING InvalidSpec: nope"}},
		"Pending":         {reason: "Its user may restart it.", was: wasReady, verdict: ready, changes: []string{"a"}, want: []string{"NORMAL RestartPending: " + pendingRestart([]string{"a"})}},
		"StillPending":    {reason: "That was told.", was: wasPending, verdict: ready, changes: []string{"a"}},
		"NotWatched":      {reason: "It is not stopped as its user thinks.", was: wasReady, verdict: ready, plan: unwatched(t), want: []string{"WARNING ActivityUnknown: idleTimeoutSeconds has no effect, because this platform does not let notebooks look at their pods"}},
		"StillUnwatched":  {reason: "That was told.", was: wasPending, verdict: ready, plan: unwatched(t)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := situation{notebook: notebook{now: clock(t, "12:00:00"), was: objectOf(t, tc.was)}, plan: tc.plan, composition: composition{heldBack: tc.changes}}
			var got []string
			for _, e := range newEvents(s, tc.verdict) {
				got = append(got, e.GetSeverity().String()[len("SEVERITY_"):]+" "+e.GetReason()+": "+e.GetMessage())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nnewEvents(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// unwatched is a plan for a notebook whose platform does not let it be watched.
func unwatched(t *testing.T) plan {
	t.Helper()
	p := plan{spec: specOf(t, `{image: jupyter/a, idleTimeoutSeconds: 60}`)}
	p.policy.Diagnostics.Pods = new(false)
	return p
}
