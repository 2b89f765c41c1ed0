package fn

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// clock is a time of 30 November 2026.
func clock(t testing.TB, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, "2026-11-30T"+text+"Z")
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestPlanRun(t *testing.T) {
	const (
		watchedSpec = `{image: jupyter/a, idleTimeoutSeconds: 60}`
		encoded     = `{"image":"jupyter/a","idleTimeoutSeconds":60}`
		stopped     = `'{"reason":"Idle","since":"2026-11-30T11:00:00Z","at":"2026-11-30T11:30:00Z"}'`

		idlePod = `
metadata: {creationTimestamp: "2026-11-30T10:00:05Z"}
status: {initContainerStatuses: [{name: activity-agent, state: {running: {startedAt: "2026-11-30T11:30:01Z"}}, lastState: {terminated: {exitCode: 0, finishedAt: "2026-11-30T11:30:00Z", message: '{"state":"Idle","since":"2026-11-30T11:00:00Z","timeoutSeconds":60}'}}}]}`
	)
	// server of an accepted spec, with further annotations.
	server := func(replicas, accepted, annotations string) string {
		return `{metadata: {annotations: {mlops.function-jupyter.dev/accepted-spec: '` + accepted + `'` + annotations + `}}, spec: {replicas: ` + replicas +
			`, template: {spec: {initContainers: [{name: activity-agent}]}}}}`
	}
	const started = `, mlops.function-jupyter.dev/started-at: "2026-11-30T10:00:00Z"`
	idled := func(accepted string) string {
		return server("0", accepted, `, mlops.function-jupyter.dev/stopped-because: `+stopped)
	}
	now, begun := clock(t, "12:00:00"), clock(t, "10:00:00")
	idle := &stop{"Idle", clock(t, "11:00:00"), clock(t, "11:30:00")}
	cases := map[string]struct {
		reason            string
		spec, server, pod string
		want              run
	}{
		"New":         {reason: "What is new starts now.", spec: watchedSpec, want: run{started: now}},
		"NewStopped":  {reason: "Or does not start.", spec: `{image: jupyter/a, stopped: true}`},
		"Runs":        {reason: "A run goes on since it began.", spec: watchedSpec, server: server("1", encoded, started), want: run{started: begun}},
		"Stopped":     {reason: "Its user ends it.", spec: `{image: jupyter/a, idleTimeoutSeconds: 60, stopped: true}`, server: server("1", encoded, started)},
		"Started":     {reason: "And begins it anew.", spec: watchedSpec, server: server("0", encoded, ""), want: run{started: now}},
		"Edited":      {reason: "An edit that restarts begins it anew.", spec: `{image: jupyter/b, idleTimeoutSeconds: 60}`, server: server("1", encoded, started), want: run{started: now}},
		"EditedIdle":  {reason: "Even in the moment in which the old pod was found idle.", spec: `{image: jupyter/b, idleTimeoutSeconds: 60}`, server: server("1", encoded, started), pod: idlePod, want: run{started: now}},
		"Idle":        {reason: "Nobody used it.", spec: watchedSpec, server: server("1", encoded, started), pod: idlePod, want: run{stop: idle}},
		"Unnoted":     {reason: "Who removed the note of its start does not end it, and its pod knows.", spec: watchedSpec, server: server("1", encoded, ""), pod: idlePod, want: run{stop: idle}},
		"BadNote":     {reason: "Nor who damaged it.", spec: watchedSpec, server: server("1", encoded, `, mlops.function-jupyter.dev/started-at: yesterday`), want: run{started: now}},
		"StaysIdle":   {reason: "What was stopped stays so.", spec: watchedSpec, server: idled(encoded), want: run{stop: idle}},
		"IdleEdited":  {reason: "An edit is no start.", spec: `{image: jupyter/b}`, server: idled(encoded), want: run{stop: idle}},
		"IdleStarted": {reason: "A new time is.", spec: `{image: jupyter/a, idleTimeoutSeconds: 60, restartedAt: "2026-11-30T12:00:00Z"}`, server: idled(encoded), want: run{started: now}},
		"SameRestart": {
			reason: "The time of an earlier start is none.",
			spec:   `{image: jupyter/a, restartedAt: "2026-11-30T09:00:00Z"}`,
			server: idled(`{"image":"jupyter/a","restartedAt":"2026-11-30T09:00:00Z"}`),
			want:   run{stop: idle},
		},
		"NewVolume":       {reason: "What restarts the server begins its run anew.", spec: `{image: jupyter/a, idleTimeoutSeconds: 60, volumeSize: 1Gi}`, server: server("1", `{"image":"jupyter/a","idleTimeoutSeconds":60}`, started), pod: idlePod, want: run{started: now}},
		"IdleThenStopped": {reason: "Who stops what is stopped may start it.", spec: `{image: jupyter/a, stopped: true}`, server: idled(encoded)},
		"Scaled":          {reason: "Somebody scaled it by hand: the note of the stop is old.", spec: watchedSpec, server: server("1", encoded, started+`, mlops.function-jupyter.dev/stopped-because: `+stopped), want: run{started: begun}},
		"LifetimeOver":    {reason: "Whatever it does.", spec: `{image: jupyter/a, maxLifetimeSeconds: 3600}`, server: server("1", `{"image":"jupyter/a","maxLifetimeSeconds":3600}`, started), want: run{stop: &stop{"LifetimeOver", begun, now}}},
		"Alive":           {reason: "Not a second before.", spec: `{image: jupyter/a, maxLifetimeSeconds: 7201}`, server: server("1", `{"image":"jupyter/a","maxLifetimeSeconds":7201}`, started), want: run{started: begun, ends: clock(t, "12:00:01")}},
		"LifetimeSet":     {reason: "Who sets a lifetime that is over already is warned first.", spec: `{image: jupyter/a, maxLifetimeSeconds: 3600}`, server: server("1", `{"image":"jupyter/a"}`, started), want: run{started: begun, ends: clock(t, "12:06:00")}},
		"LifetimeWasSet":  {reason: "That stays so.", spec: `{image: jupyter/a, maxLifetimeSeconds: 3600}`, server: server("1", `{"image":"jupyter/a","maxLifetimeSeconds":3600}`, started+`, mlops.function-jupyter.dev/ends-at: "2026-11-30T12:06:00Z"`), want: run{started: begun, ends: clock(t, "12:06:00")}},
		"LifetimeRaised":  {reason: "More is never less.", spec: `{image: jupyter/a, maxLifetimeSeconds: 86400}`, server: server("1", `{"image":"jupyter/a","maxLifetimeSeconds":3600}`, started), want: run{started: begun, ends: begun.Add(24 * time.Hour)}},
		"LifetimeAnew":    {reason: "A new run has all of it.", spec: `{image: jupyter/b, maxLifetimeSeconds: 3600}`, server: server("1", `{"image":"jupyter/a","maxLifetimeSeconds":3600}`, started), want: run{started: now, ends: clock(t, "13:00:00")}},
		"NoLimit":         {reason: "Zero is never.", spec: `{image: jupyter/a, maxLifetimeSeconds: 0}`, server: server("1", `{"image":"jupyter/a"}`, started), want: run{started: begun}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := world{composed: map[string]object{}, fetched: fetchedOf(t, map[string]string{requiredPods: tc.pod})}
			if tc.server != "" {
				w.composed[keyServer], w.composed[keyAccess] = objectOf(t, tc.server), objectOf(t, testAccess)
			}
			p := plan{spec: specOf(t, tc.spec)}
			p.accepted = encodeSpec(p.spec)
			got := planRun(notebook{now: now}, p, w)
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(run{})); diff != "" {
				t.Errorf("\n%s\nplanRun(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestUntilNews(t *testing.T) {
	cases := map[string]struct {
		reason  string
		spec    string
		runsFor time.Duration
		want    time.Duration
	}{
		"Nothing":     {reason: "The clock changes nothing.", spec: `image: jupyter/a`, runsFor: time.Minute, want: settledTTL},
		"NotRunning":  {reason: "Nor of what does not run.", spec: `{image: jupyter/a, maxLifetimeSeconds: 3600}`, runsFor: -1, want: settledTTL},
		"Quiet":       {reason: "Its pod is looked at after half a minute, and not before.", spec: `image: jupyter/a`, runsFor: 3 * time.Second, want: 31 * time.Second},
		"Warning":     {reason: "Its user is to be warned in 45 minutes, which a tenth must not delay.", spec: `{image: jupyter/a, maxLifetimeSeconds: 3600}`, runsFor: 9 * time.Minute, want: 45 * time.Minute * 10 / 11},
		"End":         {reason: "It was warned, and ends.", spec: `{image: jupyter/a, maxLifetimeSeconds: 3600}`, runsFor: 54 * time.Minute, want: 6 * time.Minute * 10 / 11},
		"LongWarning": {reason: "Ten minutes before the end of a day.", spec: `{image: jupyter/a, maxLifetimeSeconds: 86400}`, runsFor: 23 * time.Hour, want: 50 * time.Minute * 10 / 11},
		"ShortLife":   {reason: "A minute is what somebody needs to save.", spec: `{image: jupyter/a, maxLifetimeSeconds: 180}`, runsFor: 100 * time.Second, want: 20 * time.Second * 10 / 11},
		"Now":         {reason: "At once is in a second.", spec: `{image: jupyter/a, maxLifetimeSeconds: 3600}`, runsFor: time.Hour - time.Second, want: time.Second},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := situation{notebook: notebook{now: clock(t, "12:00:00")}, plan: plan{spec: specOf(t, tc.spec)}}
			if tc.runsFor >= 0 {
				s.run.started = s.now.Add(-tc.runsFor)
				s.run.ends = endOfLife(s.spec, s.run.started)
			}
			if got := s.untilNews(); got != tc.want {
				t.Errorf("\n%s\nuntilNews(): want %v, got %v", tc.reason, tc.want, got)
			}
		})
	}
}
