package fn

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestPromisesOfPods plays histories in which pods say all kinds of things.
func TestPromisesOfPods(t *testing.T) {
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		h := &history{spec: map[string]any{"image": "jupyter/scipy-notebook:latest", "volumeSize": "10Gi"}, broken: map[string]bool{}}
		h.fakeEngine = newEngine(t, rapid.Bool().Draw(t, "namespaced"), h.spec)
		h.settle()
		events["volume is bound"](t, h.fakeEngine)
		h.now = h.now.Add(quietStart)
		const steps = 10 // Rapid's own loop takes more, and a minute.
		for range steps {
			name := rapid.SampledFrom([]string{
				"pod is in any state", "pod is in any state", "pod is in any state",
				"server starts", "server makes no progress", "secret is edited by hand", "pods go",
			}).Draw(t, "event")
			events[name](t, h.fakeEngine)
			h.settle()
			h.check(t)
			seen[h.status("reason")]++
		}
		h.heal(t)
	})
	t.Logf("reasons seen: %v", seen)
	// Each of the last ones by itself is too rare to be sure of.
	for _, reasons := range [][]string{{"Evicted"}, {"Unschedulable"}, {"PodStarting"}, {"ImageInvalid", "ImagePullFailed", "ServerCrashed", "OutOfMemory", "ContainerRefused"}} {
		times := 0
		for _, reason := range reasons {
			times += seen[reason]
		}
		if times == 0 {
			t.Errorf("no history came to %v, so nothing is known of it: %v", reasons, seen)
		}
	}
}

// TestCrashesAreQuiet: whatever a server says before it ends, the claim says the
// same while it is waited for, started and ended again.
func TestCrashesAreQuiet(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		end := fmt.Sprintf(`{exitCode: %d, reason: %s, message: %q}`,
			rapid.SampledFrom([]int{0, 1, 137, 139}).Draw(rt, "code"), rapid.SampledFrom([]string{"Error", "OOMKilled", "Completed"}).Draw(rt, "reason"),
			rapid.StringOf(rapid.RuneFrom([]rune("ab \n\t[]C:0\u202eü"), unicode.Latin)).Draw(rt, "log")+" token="+testToken+" "+testToken)
		var first verdict
		for _, state := range []string{
			`state: {terminated: ` + end + `}, lastState: {}`,
			`state: {waiting: {reason: CrashLoopBackOff, message: back-off 10s}}, lastState: {terminated: ` + end + `}`,
			`state: {running: {startedAt: "2026-11-30T11:59:59Z"}}, lastState: {terminated: ` + end + `}`,
			`state: {waiting: {reason: CrashLoopBackOff, message: back-off 5m0s}}, lastState: {terminated: ` + end + `}, restartCount: 7`,
		} {
			got := judge(podCase{pod: scheduledPod + `{name: notebook, ` + state + `}`}.situation(t))
			if first.message == "" {
				first = got
			}
			if diff := cmp.Diff(first, got, cmp.AllowUnexported(verdict{})); diff != "" {
				rt.Fatalf("the claim says something else now:\n%s", diff)
			}
		}
		if strings.Contains(first.message, testToken) || !utf8.ValidString(first.message) || strings.ContainsFunc(first.message, func(r rune) bool { return !unicode.IsPrint(r) }) {
			rt.Fatalf("the claim says %q", first.message)
		}
	})
}
