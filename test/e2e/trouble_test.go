package e2e

import (
	"strings"
	"testing"
	"time"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// testQuota checks that a claim carries the sentence of the quota that keeps its
// pod from being made, and recovers when there is room.
func testQuota(t *testing.T) {
	n := newNamespace(t)
	n.apply(`{apiVersion: v1, kind: ResourceQuota, metadata: {name: team}, spec: {hard: {limits.memory: 512Mi}}}`)
	n.create("poor", "  image: "+lab)
	nb := n.await("poor", "short of quota", patience, func(nb notebook) bool { return nb.Status.Reason == "QuotaExceeded" })
	want := "exceeded quota: team, requested: limits.memory=1Gi, used: limits.memory=0, limited: limits.memory=512Mi"
	if nb.Status.Phase != v1.PhaseFailed || !strings.Contains(nb.Status.Message, want) {
		t.Errorf("the claim says %v, want %s", nb, want)
	}
	n.kubectl("patch", "resourcequota", "team", "--type=merge", "--patch", `{"spec":{"hard":{"limits.memory":"2Gi"}}}`)
	n.ready("poor")
}

// troublePatience is how long it may take until something is known to be wrong: a
// server has two minutes to answer, and the clock alone tells a minute later.
const troublePatience = 5 * time.Minute

// testTrouble checks that a claim whose server cannot run says why, in its status and
// once in an event, and that a corrected one recovers.
func testTrouble(phase v1.Phase, reason, says, spec, correction string) func(*testing.T) {
	return func(t *testing.T) {
		n := newNamespace(t)
		n.create("trouble", spec)
		nb := n.await("trouble", reason, troublePatience, func(nb notebook) bool { return nb.Status.Reason == reason })
		if nb.Status.Phase != phase || !strings.Contains(nb.Status.Message, says) || nb.condition("ServerReady").Status != "False" || nb.Status.ReadyReplicas != 0 {
			t.Errorf("the claim says %v, want %s and %q", nb, phase, says)
		}
		t.Logf("the claim says: %s", nb.Status.Message)
		n.eventTells("trouble", reason)
		n.patch("trouble", correction)
		n.ready("trouble")
		n.pod("trouble")
	}
}
