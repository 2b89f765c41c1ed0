package fn

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// shortages that a claim tells.
var shortages = []string{"does not allow the notebook:", "does not allow the notebook's ", "so the notebook has no workspace", "so the workspace stays", "so the Service stays"}

// TestPromisesOfQuotas plays short histories in a namespace whose quotas change. The
// simulated cluster fails the test when Crossplane would be refused.
func TestPromisesOfQuotas(t *testing.T) {
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		h := &history{spec: map[string]any{"image": "jupyter/scipy-notebook:latest", "maxLifetimeSeconds": 3600.0}, broken: map[string]bool{}}
		h.fakeEngine = newEngine(t, rapid.Bool().Draw(t, "namespaced"), h.spec)
		if rapid.Bool().Draw(t, "with a volume") {
			h.apply(edit{"volumeSize": "10Gi"})
		}
		if rapid.IntRange(0, 4).Draw(t, "started") > 0 {
			h.start()
		}
		for range 5 {
			quotaSet(t, h.fakeEngine)
			for range 3 {
				h.change(t)
			}
			h.settle()
			h.check(t)
			h.checkAsksOnlyWhenShort(t, seen)
		}
		h.heal(t)
	})
	t.Logf("sentences seen: %v", seen)
	for _, what := range shortages[:4] { // The last is too rare to be sure of.
		if seen[what] == 0 {
			t.Errorf("no history came to %q, so nothing is known of it: %v", what, seen)
		}
	}
}

// change something that takes or frees quota, or nothing.
func (h *history) change(t *rapid.T) {
	switch what := rapid.SampledFrom([]string{"object", "object", "storage", "storage", "serviceType", "serviceType", "stopped", "volume"}).Draw(t, "change"); what {
	case "object":
		deletedByHand(t, h.fakeEngine)
	case "volume":
		events["volume is bound"](t, h.fakeEngine)
	default:
		h.apply(rapid.SampledFrom(edits[what].valid).Draw(t, what))
	}
}

// checkAsksOnlyWhenShort: a change of a quota's use wakes up everybody who asks for
// it, so only those ask who have to wait for it.
func (h *history) checkAsksOnlyWhenShort(t *rapid.T, seen map[string]int) {
	if _, ok := h.observe(); h.rsp == nil || !ok {
		return
	}
	message := h.status("message")
	_, asks := h.rsp.GetRequirements().GetResources()[requiredQuotas]
	if short := strings.Contains(message, "exceeded quota"); asks != short {
		t.Fatalf("the function asks for quotas: %t, and says: %s", asks, message)
	}
	for _, what := range shortages {
		if strings.Contains(message, what) {
			seen[what]++
		}
	}
}
