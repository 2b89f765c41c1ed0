package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

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

// testTrouble checks that a claim whose server cannot run says that it is not
// there, and that a corrected one recovers. The trouble is what its pod says.
func testTrouble(trouble, spec, correction string) func(*testing.T) {
	return func(t *testing.T) {
		n := newNamespace(t)
		n.create("trouble", spec)
		// Every claim says for a while that its server is starting.
		eventually(t, patience, func() error {
			var seen []string
			for _, pod := range n.pods("trouble") {
				seen = append(seen, troubles(pod)...)
			}
			if !slices.Contains(seen, trouble) {
				return fmt.Errorf("the pod says %q, want %s", seen, trouble)
			}
			return nil
		})
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

// troubles are the reasons for which a pod does not run.
func troubles(pod corev1.Pod) []string {
	var reasons []string
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
			reasons = append(reasons, c.Reason)
		}
	}
	for _, c := range pod.Status.ContainerStatuses {
		if c.State.Waiting != nil {
			reasons = append(reasons, c.State.Waiting.Reason)
		}
	}
	return reasons
}
