package e2e

import (
	"strings"
	"testing"

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
	n.patch("poor", `{"resources":{"limits":{"memory":"900Mi"}}}`)
	n.ready("poor")
}

// testTrouble checks that a claim whose server cannot run says that it is not
// there, and that a corrected one recovers.
func testTrouble(spec, correction string) func(*testing.T) {
	return func(t *testing.T) {
		n := newNamespace(t)
		n.create("trouble", spec)
		nb := n.await("trouble", "starting", patience, func(nb notebook) bool {
			return nb.Status.Reason == "Starting" && nb.condition("ServerReady").Status == "False"
		})
		if nb.Status.Phase != v1.PhaseCreating || nb.Status.Message == "" || nb.Status.ReadyReplicas != 0 || nb.condition("Ready").Status == "True" {
			t.Errorf("the claim says %v", nb)
		}
		t.Logf("the claim says: %s", nb.Status.Message)
		n.patch("trouble", correction)
		n.ready("trouble")
		n.pod("trouble")
	}
}
