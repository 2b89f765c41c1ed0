package e2e

import (
	"strings"
	"testing"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// testQuotaVolume checks that a claim says what a quota does not allow before
// Crossplane creates anything, and follows the quota.
func testQuotaVolume(t *testing.T) {
	n := newNamespace(t)
	n.apply(`{apiVersion: v1, kind: ResourceQuota, metadata: {name: team}, spec: {hard: {requests.storage: 512Mi}}}`)
	n.create("small", "  image: "+lab+"\n  volumeSize: 1Gi")
	nb := n.await("small", "short of quota", patience, func(nb notebook) bool { return nb.Status.Reason == "QuotaExceeded" })
	want := "exceeded quota: team, requested: requests.storage=1Gi, used: requests.storage=0, limited: requests.storage=512Mi"
	if nb.Status.Phase != v1.PhaseFailed || !strings.Contains(nb.Status.Message, want) {
		t.Errorf("the claim says %v, want %s", nb, want)
	}
	if made := strings.TrimSpace(n.kubectl("get", "deployments,services,secrets,networkpolicies,persistentvolumeclaims", "-o", "name")); made != "" {
		t.Errorf("%q was created all the same", made)
	}

	n.limitStorage("2Gi")
	n.ready("small")
	before := n.pod("small").UID

	n.patch("small", `{"volumeSize":"3Gi"}`)
	want = "exceeded quota: team, requested: requests.storage=2Gi, used: requests.storage=1Gi, limited: requests.storage=2Gi"
	nb = n.await("small", "refusing to grow", patience, func(nb notebook) bool {
		return nb.condition("VolumeReady").Reason == "ChangeNotApplied" && strings.Contains(nb.Status.Message, want)
	})
	if nb.Status.Phase != v1.PhaseReady || nb.condition("Synced").Status != "True" {
		t.Errorf("the claim says %v, want it to be ready", nb)
	}
	if size := n.kubectl("get", "pvc", "small-workspace", "-o", "jsonpath={.spec.resources.requests.storage}"); size != "1Gi" {
		t.Errorf("the volume asks for %s, want 1Gi", size)
	}

	n.limitStorage("4Gi")
	n.await("small", "larger", patience, func(nb notebook) bool {
		v := nb.Status.Volume
		return v != nil && v.Capacity != nil && v.Capacity.String() == "3Gi" && nb.condition("VolumeReady").Reason == "Bound"
	})
	if n.pod("small").UID != before {
		t.Error("the server was restarted")
	}
}

// limitStorage of the namespace.
func (n namespace) limitStorage(size string) {
	n.Helper()
	n.kubectl("patch", "resourcequota", "team", "--type=merge", "--patch", `{"spec":{"hard":{"requests.storage":"`+size+`"}}}`)
}
