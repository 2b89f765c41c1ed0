package agent

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseReport(t *testing.T) {
	idle := Report{State: Idle, Since: noon, TimeoutSeconds: 3600, Seen: "1 kernels idle"}
	cases := map[string]struct {
		reason  string
		message string
		want    Report
		ok      bool
	}{
		"Idle":      {reason: "As an agent writes it.", message: idle.Encode(), want: idle, ok: true},
		"Active":    {reason: "It needs nothing else.", message: `{"state":"Active"}`, want: Report{State: Active}, ok: true},
		"Later":     {reason: "A later agent may say more.", message: `{"state":"Active","more":1}`, want: Report{State: Active}, ok: true},
		"NoSince":   {reason: "Idle since when?", message: `{"state":"Idle","timeoutSeconds":60}`},
		"NoTimeout": {reason: "For which timeout?", message: `{"state":"Idle","since":"2026-11-30T12:00:00Z"}`},
		"Other":     {reason: "No agent says that.", message: `{"state":"Asleep"}`},
		"Cut":       {reason: "Kubernetes cut it.", message: idle.Encode()[:20]},
		"Empty":     {reason: "The container was killed."},
		"Long":      {reason: "Somebody else wrote it.", message: idle.Encode() + strings.Repeat(" ", maxReport)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := ParseReport(tc.message)
			if diff := cmp.Diff(tc.want, got); (diff != "" && tc.ok) || (err == nil) != tc.ok {
				t.Errorf("\n%s\nParseReport(...): %v, -want, +got:\n%s", tc.reason, err, diff)
			}
		})
	}
}

func FuzzParseReport(f *testing.F) {
	f.Add(Report{State: Idle, Since: noon, TimeoutSeconds: 60}.Encode())
	f.Add(`{"state":"Idle","since":"0000-00-00"}`)
	f.Fuzz(func(t *testing.T, message string) {
		r, err := ParseReport(message)
		if err == nil && r.State == Idle && (r.Since.IsZero() || r.Since.After(time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC).Add(24*time.Hour))) {
			t.Errorf("ParseReport(%q): %+v", message, r)
		}
	})
}
