package agent

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A scene is a watch over a fake server, whose time passes at once.
type scene struct {
	*watch

	server *fakeJupyter
	now    time.Time

	// happens at each look, with how long the agent has watched.
	happens func(s *scene, since time.Duration)
}

const hour = time.Hour

// watchOver a server that nobody uses, until the agent reports or the time is over.
func watchOver(t *testing.T, timeout string, happens func(s *scene, since time.Duration)) *scene {
	t.Helper()
	folder := t.TempDir()
	write(t, filepath.Join(folder, "token"), testToken+"\n")
	write(t, filepath.Join(folder, "idleTimeoutSeconds"), timeout)
	s := &scene{now: noon, server: &fakeJupyter{answers: withKernel("idle")}, happens: happens}
	s.watch = &watch{
		settings:  settings{folder: folder},
		jupyter:   s.server.start(t),
		processes: &processes{root: procOf(t, []string{statOf(10, "jupyter-lab", 10, 10, 0, -1, 300, 10)}), self: 99},
		memory:    memory{file: filepath.Join(folder, "report.json")},
		log:       slog.New(slog.DiscardHandler),
	}
	s.clock = clock{now: func() time.Time { return s.now }, sleep: func(_ context.Context, d time.Duration) bool {
		s.now = s.now.Add(d)
		if s.happens != nil {
			s.happens(s, s.now.Sub(noon))
		}
		return s.now.Sub(noon) < 3*hour
	}}
	return s
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestWatch(t *testing.T) {
	type want struct {
		State State
		Since time.Duration // After noon.
		Says  string
		After time.Duration // At least, after noon.
	}
	until := func(end time.Duration, during, then map[string]string) func(*scene, time.Duration) {
		return func(s *scene, since time.Duration) {
			s.server.answers = then
			if since < end {
				s.server.answers = during
			}
		}
	}
	idle := withKernel("idle")
	cases := map[string]struct {
		reason  string
		timeout string
		said    *said
		happens func(*scene, time.Duration)
		want    want
	}{
		"Idle": {
			reason: "Nobody comes: the time counts from the start of the agent.", timeout: "3600",
			want: want{Idle, 0, "1 kernels idle, 0 terminals at their prompt", hour},
		},
		"Never":      {reason: "Without a timeout nothing is reported.", timeout: "0"},
		"Unreadable": {reason: "Nor with one that is no number.", timeout: "an hour"},
		"Busy": {
			reason: "While a kernel works, however silent, nothing else counts.", timeout: "600", happens: until(2*hour, withKernel("busy"), idle),
			want: want{Idle, 2*hour - 30*time.Second, "1 kernels idle, 0 terminals at their prompt", 2*hour + 9*time.Minute},
		},
		"Doubt": {
			reason: "A doubt is activity, and is told when it lasts.", timeout: "3600", happens: until(3*hour, map[string]string{"api/status": morning, "api/kernels": "403"}, idle),
			want: want{Unknown, 0, "GET api/kernels: Forbidden", 15 * time.Minute},
		},
		"DoubtOnceAnswered": {
			reason: "A server that answered before is in doubt earlier.", timeout: "3600",
			happens: func(s *scene, since time.Duration) {
				if since > 10*time.Minute {
					s.server.answers = map[string]string{"api/status": "500"}
				}
			},
			want: want{Unknown, 0, "GET api/status: Internal Server Error", 15 * time.Minute},
		},
		"ShortDoubt": {
			reason: "After a doubt the time counts anew.", timeout: "3600", happens: until(4*time.Minute, map[string]string{"api/status": "500"}, idle),
			want: want{Idle, 4*time.Minute - 5*time.Second, "1 kernels idle, 0 terminals at their prompt", hour + 3*time.Minute},
		},
		"DeafKernel": {
			reason: "A kernel that says idle and does not answer is at work: Jupyter's word is no proof.", timeout: "600",
			happens: func(s *scene, _ time.Duration) { s.server.deaf = true },
		},
		"HiddenTerminal": {
			reason: "A terminal whose shell cannot be seen may run anything.", timeout: "600",
			happens: func(s *scene, _ time.Duration) {
				s.server.answers["api/terminals"] = `[{"name":"1","last_activity":"2026-11-30T08:00:00Z"}]`
			},
		},
		"Recall": {
			reason: "Somebody comes after the report.", timeout: "3600", said: &said{Report{State: Idle, Since: noon.Add(-hour)}, noon},
			happens: func(s *scene, since time.Duration) {
				if since > time.Minute {
					s.server.answers["api/status"] = `{"started":"2026-11-30T08:00:00Z","last_activity":"2026-11-30T12:00:30Z"}`
				}
			},
			want: want{Active, 0, "", time.Minute},
		},
		"RecallBusy": {
			reason: "A kernel works after the report.", timeout: "3600", said: &said{Report{State: Idle, Since: noon.Add(-hour)}, noon}, happens: until(0, nil, withKernel("busy")),
			want: want{Active, 0, "a kernel is busy", 0},
		},
		"RecallDoubt": {
			reason: "A doubt that lasts takes the report back.", timeout: "3600", said: &said{Report{State: Idle, Since: noon.Add(-hour)}, noon}, happens: until(0, nil, map[string]string{"api/status": "500"}),
			want: want{Active, 0, "GET api/status: Internal Server Error", 10 * time.Second},
		},
		"RecallTimeout": {reason: "A longer timeout does, too.", timeout: "7200", said: &said{Report{State: Idle, Since: noon.Add(-hour)}, noon}, want: want{Active, 0, "1 kernels idle, 0 terminals at their prompt", 0}},
		"Stands":        {reason: "As long as nobody comes, the report stands, and is not made again.", timeout: "3600", said: &said{Report{State: Idle, Since: noon.Add(-hour)}, noon}},
		"Known": {
			reason: "What was in doubt is known again.", timeout: "3600", said: &said{Report{State: Unknown}, noon}, happens: until(hour, map[string]string{"api/status": "500"}, idle),
			want: want{Active, 0, "1 kernels idle, 0 terminals at their prompt", hour},
		},
		"AfterRecall": {
			reason: "After that, the time counts anew.", timeout: "3600", said: &said{Report{State: Active}, noon},
			want: want{Idle, 0, "1 kernels idle, 0 terminals at their prompt", hour},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := watchOver(t, tc.timeout, tc.happens)
			if tc.said != nil {
				if err := s.memory.save(tc.said.Report, tc.said.At); err != nil {
					t.Fatal(err)
				}
			}
			if s.happens != nil {
				s.happens(s, 0)
			}
			r, reported := s.run(t.Context())
			if reported != (tc.want.State != "") {
				t.Fatalf("\n%s\nrun(...): reported=%t: %+v", tc.reason, reported, r)
			}
			if !reported {
				return
			}
			got := want{State: r.State, Says: r.Seen, After: tc.want.After}
			if r.State == Idle {
				got.Since = r.Since.Sub(noon)
			}
			if tc.want.Says == "" {
				got.Says = ""
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nrun(...): -want, +got:\n%s", tc.reason, diff)
			}
			if after := s.now.Sub(noon); after < tc.want.After || after > tc.want.After+time.Minute+10*time.Second {
				t.Errorf("\n%s\nrun(...): reported after %s, want %s", tc.reason, after, tc.want.After)
			}
			if next := s.memory.load(); next.State != r.State {
				t.Errorf("\n%s\nrun(...): the next agent knows of %q, and %q was reported", tc.reason, next.State, r.State)
			}
			if strings.Contains(r.Encode(), testToken) {
				t.Errorf("\n%s\nrun(...): the report has the token", tc.reason)
			}
		})
	}
}

// TestWatchConfirms: what happens while the kernels are asked is activity.
func TestWatchConfirms(t *testing.T) {
	s := watchOver(t, "3600", nil)
	asked := 0
	s.server.asked = func() {
		if asked++; asked == 1 {
			s.server.answers["api/status"] = `{"started":"2026-11-30T08:00:00Z","last_activity":"2026-11-30T13:00:04Z"}`
		}
	}
	r, reported := s.run(t.Context())
	if !reported || r.State != Idle || !r.Since.After(noon.Add(hour)) {
		t.Errorf("run(...): want a report of an hour after the activity, got %+v", r)
	}
}

// TestWatchConfirmsQuickly: a kernel that takes its time to answer ran something,
// which the time of its answer hides.
func TestWatchConfirmsQuickly(t *testing.T) {
	s := watchOver(t, "3600", nil)
	s.server.asked = func() {
		s.now = s.now.Add(10 * time.Second)
		at := s.now.Format(time.RFC3339Nano)
		s.server.answers["api/kernels"] = `[{"id":"a","execution_state":"idle","last_activity":"` + at + `"}]`
		s.server.answers["api/status"] = `{"started":"2026-11-30T08:00:00Z","last_activity":"` + at + `"}`
	}
	if r, reported := s.run(t.Context()); reported {
		t.Errorf("run(...): reported %+v", r)
	}
}

// TestWatchConfirmsNothing: without kernels there is nobody who could be slow.
func TestWatchConfirmsNothing(t *testing.T) {
	s := watchOver(t, "3600", nil)
	s.server.answers["api/kernels"] = `[]`
	s.clock.now = func() time.Time { // Time passes even while nothing is asked.
		s.now = s.now.Add(time.Millisecond)
		return s.now
	}
	if r, reported := s.run(t.Context()); !reported || r.State != Idle {
		t.Errorf("run(...): want a report, got %+v", r)
	}
}

// TestWatchRemembersOrSaysNothing: a report that could not be taken back is not made.
func TestWatchRemembersOrSaysNothing(t *testing.T) {
	s := watchOver(t, "3600", nil)
	s.memory.file = filepath.Join(t.TempDir(), "gone", "report.json")
	if r, reported := s.run(t.Context()); reported {
		t.Errorf("run(...): reported %+v", r)
	}
}

// TestMemory: a file that cannot be read stands for a report that must be taken back.
func TestMemory(t *testing.T) {
	m := memory{file: filepath.Join(t.TempDir(), "report.json")}
	if got := m.load(); got.State != "" {
		t.Errorf("load(): want nothing, got %+v", got)
	}
	write(t, m.file, "{")
	if got := m.load(); got.State != Idle {
		t.Errorf("load(): want what is taken back, got %+v", got)
	}
}
