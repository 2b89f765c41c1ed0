package fn

import (
	"fmt"
	"testing"
	"time"
)

// TestIdleReport checks which reports allow to stop a server that runs since ten, and
// from when on.
func TestIdleReport(t *testing.T) {
	const (
		report  = `{"state":"Idle","since":"2026-11-30T11:00:00Z","timeoutSeconds":60}`
		created = "2026-11-30T10:00:05Z"
	)
	ended := func(exitCode int, at, message string) string {
		return fmt.Sprintf(`terminated: {exitCode: %d, finishedAt: %q, message: '%s'}`, exitCode, at, message)
	}
	pod := func(created, name, states string) string {
		return fmt.Sprintf(`{metadata: {creationTimestamp: %q}, status: {initContainerStatuses: [{name: %s, %s}]}}`, created, name, states)
	}
	good := ended(0, "2026-11-30T11:01:00Z", report)
	running := func(message string) string {
		return pod(created, "activity-agent", `state: {running: {startedAt: "2026-11-30T11:01:02Z"}}, lastState: {`+ended(0, "2026-11-30T11:01:00Z", message)+`}`)
	}
	cases := map[string]struct {
		reason  string
		pod     string
		timeout int
		blind   bool
		want    string // From when on, if ever.
	}{
		"JustSaid":      {reason: "The agent has just ended with it.", pod: pod(created, "activity-agent", `state: {`+good+`}`), timeout: 60, want: "11:01:00"},
		"SaidBefore":    {reason: "It was started again, and would take it back.", pod: running(report), timeout: 60, want: "11:01:00"},
		"NoPod":         {reason: "Nobody said anything.", timeout: 60},
		"NoTimeout":     {reason: "Its user switched it off.", pod: running(report)},
		"LongerTimeout": {reason: "The timeout was raised since.", pod: running(report), timeout: 61},
		"Blind":         {reason: "The platform does not look at pods.", pod: running(report), timeout: 60, blind: true},
		"StartedLate": {
			reason:  "Somebody may have come before the agent ran again, so it has to look first.",
			pod:     pod(created, "activity-agent", `state: {running: {startedAt: "2026-11-30T11:06:00Z"}}, lastState: {`+good+`}`),
			timeout: 60, want: "11:06:30",
		},
		"RunsSinceNobodyKnows": {reason: "Kubernetes always says since when.", pod: pod(created, "activity-agent", `state: {running: {}}, lastState: {`+good+`}`), timeout: 60},
		"AgentCannotRun":       {reason: "An agent that does not run cannot take it back.", pod: pod(created, "activity-agent", `state: {waiting: {reason: CrashLoopBackOff}}, lastState: {`+good+`}`), timeout: 60},
		"AgentFailed":          {reason: "What failed may say anything.", pod: pod(created, "activity-agent", `state: {`+ended(1, "2026-11-30T11:01:00Z", report)+`}`), timeout: 60},
		"AnotherSaysSo":        {reason: "Only the agent knows.", pod: pod(created, "sidecar", `state: {`+good+`}`), timeout: 60},
		"NeverFinished":        {reason: "Nobody knows when it was said.", pod: pod(created, "activity-agent", `state: {`+ended(0, "", report)+`}`), timeout: 60},
		"EarlierPod":           {reason: "The pod is of the run before.", pod: pod("2026-11-30T09:00:00Z", "activity-agent", `state: {`+good+`}`), timeout: 60},
		"SinceBeforePod":       {reason: "It cannot have seen that.", pod: pod("2026-11-30T11:00:30Z", "activity-agent", `state: {`+good+`}`), timeout: 60},
		"UndatedPod":           {reason: "A pod without a date is of no run.", pod: pod("", "activity-agent", `state: {`+good+`}`), timeout: 60},
		"Active":               {reason: "It is used.", pod: running(`{"state":"Active"}`), timeout: 60},
		"Unknown":              {reason: "A doubt never stops one.", pod: running(`{"state":"Unknown","since":"2026-11-30T11:00:00Z","timeoutSeconds":60}`), timeout: 60},
		"Damaged":              {reason: "Half a report is none.", pod: running(report[:len(report)-1]), timeout: 60},
		"SinceTheFuture":       {reason: "Its clock is wrong.", pod: running(`{"state":"Idle","since":"2026-11-30T13:00:00Z","timeoutSeconds":60}`), timeout: 60},
		"SinceNobodyKnow":      {reason: "It does not say since when.", pod: running(`{"state":"Idle","timeoutSeconds":60}`), timeout: 60},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := plan{spec: specOf(t, fmt.Sprintf(`{image: jupyter/a, idleTimeoutSeconds: %d}`, tc.timeout))}
			p.policy.Diagnostics.Pods = new(!tc.blind)
			w := world{fetched: fetchedOf(t, map[string]string{requiredPods: tc.pod})}
			r, ok := idleReport(p, w, clock(t, "10:00:00"))
			got := ""
			if !r.holds.IsZero() {
				got = r.holds.Format(time.TimeOnly)
			}
			if got != tc.want {
				t.Errorf("\n%s\nidleReport(...): want %q, got %q", tc.reason, tc.want, got)
			}
			if ok && (!r.Since.Equal(clock(t, "11:00:00")) || !r.at.Equal(clock(t, "11:01:00"))) {
				t.Errorf("\n%s\nidleReport(...): got %v and %v", tc.reason, r.Since, r.at)
			}
		})
	}
}
