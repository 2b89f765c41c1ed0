package agent

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

const (
	morning    = `{"started":"2026-11-30T08:00:00.123456Z","last_activity":"2026-11-30T09:00:00Z","connections":3,"kernels":1}`
	idleKernel = `[{"id":"b","execution_state":"idle","last_activity":"2026-11-30T10:00:00.5Z","connections":1},{"id":"a","execution_state":"idle","last_activity":"2026-11-30T09:30:00Z"}]`
)

func TestLook(t *testing.T) {
	cases := map[string]struct {
		reason  string
		answers map[string]string
		token   string
		want    sight
	}{
		"Quiet": {
			reason:  "Of all stamps the latest counts, with and without a fraction. Connections mean nothing.",
			answers: map[string]string{"api/status": morning, "api/kernels": idleKernel, "api/terminals": `[{"name":"1","last_activity":"2026-11-30T08:30:00Z"}]`},
			want:    sight{last: noon.Add(-2*time.Hour + 500*time.Millisecond), kernels: []string{"a", "b"}, terminals: 1},
		},
		"TerminalUsed": {
			reason:  "What is typed into a terminal is activity.",
			answers: map[string]string{"api/status": morning, "api/kernels": `[]`, "api/terminals": `[{"name":"1","last_activity":"2026-11-30T11:30:00Z"}]`},
			want:    sight{last: noon.Add(-30 * time.Minute), terminals: 1},
		},
		"NoTerminals": {
			reason:  "A server whose terminals are switched off is not in doubt.",
			answers: map[string]string{"api/status": morning, "api/kernels": `[]`, "api/terminals": "404"},
			want:    sight{last: noon.Add(-3 * time.Hour)},
		},
		"Future": {
			reason:  "A clock that is ahead must not put off a stop for ever.",
			answers: map[string]string{"api/status": `{"started":"2026-11-30T08:00:00Z","last_activity":"2027-01-01T00:00:00Z"}`, "api/kernels": `[]`, "api/terminals": `[]`},
			want:    sight{last: noon},
		},
		"Busy":     {reason: "A busy kernel is at work, however silent.", answers: withKernel("busy"), want: sight{busy: "a kernel is busy", last: noon.Add(-3 * time.Hour), kernels: []string{"a"}}},
		"Starting": {reason: "A kernel can work for its whole life and say that it is starting.", answers: withKernel("starting"), want: sight{busy: "a kernel is starting", last: noon.Add(-3 * time.Hour), kernels: []string{"a"}}},
		"Stateless": {
			reason:  "What is not exactly idle is not idle.",
			answers: map[string]string{"api/status": morning, "api/kernels": `[{"id":"a","last_activity":"2026-11-30T08:30:00Z"}]`, "api/terminals": `[]`},
			want:    sight{busy: "a kernel is in no known state", last: noon.Add(-3 * time.Hour), kernels: []string{"a"}},
		},
		"Forbidden":     {reason: "Who is not let in knows nothing.", answers: withKernel("idle"), token: "wrong", want: sight{doubt: "GET api/status: Forbidden"}},
		"HalfForbidden": {reason: "All answers are needed.", answers: map[string]string{"api/status": morning, "api/kernels": "403", "api/terminals": `[]`}, want: sight{doubt: "GET api/kernels: Forbidden"}},
		"WrongPath":     {reason: "The server's pages are elsewhere.", answers: map[string]string{"api/status": "404"}, want: sight{doubt: "GET api/status: Not Found"}},
		"Login":         {reason: "A login page is no answer.", answers: map[string]string{"api/status": "302"}, want: sight{doubt: "GET api/status: Found"}},
		"Broken":        {reason: "A server with an error knows nothing.", answers: map[string]string{"api/status": morning, "api/kernels": `[]`, "api/terminals": "500"}, want: sight{doubt: "GET api/terminals: Internal Server Error"}},
		"NoJSON":        {reason: "Another server answers there.", answers: map[string]string{"api/status": "<html>"}, want: sight{doubt: "GET api/status: the answer is not what Jupyter answers"}},
		"NoStamps":      {reason: "An answer without times is none.", answers: map[string]string{"api/status": `{}`, "api/kernels": `[]`, "api/terminals": `[]`}, want: sight{doubt: "GET api/status: the answer has no last_activity"}},
		"BadStamp":      {reason: "A time that cannot be read is none.", answers: map[string]string{"api/status": morning, "api/kernels": `[{"id":"a","execution_state":"idle","last_activity":"noon"}]`}, want: sight{doubt: "GET api/kernels: the answer is not what Jupyter answers"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if tc.token == "" {
				tc.token = testToken
			}
			got := (&fakeJupyter{answers: tc.answers}).start(t).look(t.Context(), tc.token, noon)
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(sight{})); diff != "" {
				t.Errorf("\n%s\nlook(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func withKernel(state string) map[string]string {
	return map[string]string{"api/status": morning, "api/kernels": `[{"id":"a","execution_state":"` + state + `","last_activity":"2026-11-30T08:30:00Z"}]`, "api/terminals": `[]`}
}

func TestLookAtNobody(t *testing.T) {
	j := &jupyter{base: "http://127.0.0.1:1/", http: newClient()}
	if got, want := j.look(t.Context(), testToken, noon).doubt, "GET api/status: connection refused"; got != want {
		t.Errorf("look(...): doubt: want %q, got %q", want, got)
	}
}

func TestAsk(t *testing.T) {
	j := (&fakeJupyter{}).start(t)
	if err := j.ask(t.Context(), testToken, []string{"a", "b"}); err != nil {
		t.Errorf("ask(...): kernels that answer: %v", err)
	}
	if err := j.ask(t.Context(), "wrong", []string{"a"}); err == nil {
		t.Error("ask(...): the server lets nobody in, and that is no error")
	}
}
