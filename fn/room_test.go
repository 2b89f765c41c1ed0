package fn

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestQuotas: what a quota does not allow is not made, and is told. What is there
// stays, and a raised quota heals all of it.
func TestQuotas(t *testing.T) {
	const advice = "; ask for less, delete another notebook, or ask your platform team for more"
	words := func(name, requested, used, limited string) string {
		return "exceeded quota: team, requested: " + name + "=" + requested + ", used: " + name + "=" + used + ", limited: " + name + "=" + limited + advice
	}
	plain, large := edit{"image": "jupyter/a"}, edit{"image": "jupyter/a", "volumeSize": "20Gi"}
	volume := edit{"image": "jupyter/a", "volumeSize": "10Gi"}
	deleted := func(key string) func(*fakeEngine) { return func(e *fakeEngine) { e.cluster.remove(simID(key)) } }
	type args struct {
		running edit // What runs before. Nil if nothing does.
		hard    fields
		spec    edit
		happens func(*fakeEngine)
	}
	type want struct {
		Missing []string
		Phase   string
		Reason  string
		Message string
	}
	all := []string{keyWorkspace, keyAccess, keyServer, keyService, keyNetwork}
	cases := map[string]struct {
		reason string
		args   args
		want   want
	}{
		"NewFits": {
			reason: "A quota with room changes nothing.",
			args:   args{hard: fields{"requests.storage": "10Gi", "services": "1"}, spec: volume},
			want:   want{Phase: "Creating", Reason: "Starting"},
		},
		"New": {
			reason: "Nothing is made of a notebook that cannot be made whole.",
			args:   args{hard: fields{"requests.storage": "5Gi", "services": "1"}, spec: volume},
			want:   want{Missing: all, Phase: "Failed", Reason: reasonQuotaExceeded, Message: "the namespace's quota does not allow the notebook: " + words("requests.storage", "10Gi", "0", "5Gi")},
		},
		"NewOfDefaultClass": {
			reason: "A claim that names no class gets the default one.",
			args:   args{hard: fields{"standard.storageclass.storage.k8s.io/persistentvolumeclaims": "0"}, spec: volume},
			want: want{
				Missing: all, Phase: "Failed", Reason: reasonQuotaExceeded,
				Message: "the namespace's quota does not allow the notebook: " + words("standard.storageclass.storage.k8s.io/persistentvolumeclaims", "1", "0", "0"),
			},
		},
		"Growth": {
			reason: "The rest of the notebook goes on.",
			args:   args{running: volume, hard: fields{"requests.storage": "15Gi"}, spec: large},
			want: want{
				Phase: "Ready", Reason: "Ready",
				Message: "the notebook is ready; the namespace's quota does not allow volumeSize 20Gi, so the workspace stays at 10Gi: " + words("requests.storage", "10Gi", "10Gi", "15Gi"),
			},
		},
		"VolumeAdded": {
			reason: "The server goes on without one.",
			args:   args{running: plain, hard: fields{"count/persistentvolumeclaims": "1"}, spec: volume},
			want: want{
				Missing: []string{keyWorkspace}, Phase: "Ready", Reason: "Ready",
				Message: "the notebook is ready; the namespace's quota does not allow volumeSize 10Gi, so the notebook has no workspace of its own yet: " + words("count/persistentvolumeclaims", "1", "1", "1"),
			},
		},
		"ServiceType": {
			reason: "A Service that exists stays, and is not opened.",
			args:   args{running: plain, hard: fields{"services.nodeports": "0"}, spec: edit{"image": "jupyter/a", "serviceType": "LoadBalancer"}},
			want: want{
				Missing: []string{keyWorkspace}, Phase: "Ready", Reason: "Ready",
				Message: "the notebook is ready; the namespace's quota does not allow serviceType LoadBalancer, so the Service stays ClusterIP: " + words("services.nodeports", "1", "0", "0"),
			},
		},
		"BalancerOfNodePort": {
			reason: "It stays what it was.",
			args:   args{running: edit{"image": "jupyter/a", "serviceType": "NodePort"}, hard: fields{"services.loadbalancers": "0"}, spec: edit{"image": "jupyter/a", "serviceType": "LoadBalancer"}},
			want: want{
				Missing: []string{keyWorkspace}, Phase: "Ready", Reason: "Ready",
				Message: "the notebook is ready; the namespace's quota does not allow serviceType LoadBalancer, so the Service stays NodePort: " + words("services.loadbalancers", "1", "0", "0"),
			},
		},
		"ServiceDeleted": {
			reason: "Nobody reaches the server without it, and it does not come by waiting.",
			args:   args{running: volume, hard: fields{"count/services": "0"}, spec: volume, happens: deleted(keyService)},
			want:   want{Missing: []string{keyService}, Phase: "Failed", Reason: reasonQuotaExceeded, Message: "the namespace's quota does not allow the notebook's Service alpha: " + words("count/services", "1", "0", "0")},
		},
		"ServiceDeletedWhileStopped": {
			reason: "The notebook is as stopped as it should be, and says what it will lack.",
			args:   args{running: edit{"image": "jupyter/a", "stopped": true}, hard: fields{"services": "0"}, spec: edit{"image": "jupyter/a", "stopped": true}, happens: deleted(keyService)},
			want: want{
				Missing: []string{keyWorkspace, keyService}, Phase: "Stopped", Reason: "Stopped",
				Message: "the notebook is stopped and keeps no files, because it has no volume: set stopped to false to start it; the namespace's quota does not allow the notebook's Service alpha: " + words("services", "1", "0", "0"),
			},
		},
		"SecretDeleted": {
			reason: "The server keeps its token, and all else that it has, until a new one can be kept.",
			args:   args{running: volume, hard: fields{"secrets": "0"}, spec: edit{"image": "jupyter/b", "volumeSize": "10Gi", "serviceType": "NodePort"}, happens: deleted(keyAccess)},
			want:   want{Missing: []string{keyAccess}, Phase: "Failed", Reason: reasonQuotaExceeded, Message: "the namespace's quota does not allow the notebook's Secret alpha-access: " + words("secrets", "1", "0", "0")},
		},
		"ServerDeleted": {
			reason: "The workspace stays.",
			args:   args{running: volume, hard: fields{"count/deployments.apps": "0"}, spec: volume, happens: deleted(keyServer)},
			want:   want{Missing: []string{keyServer}, Phase: "Failed", Reason: reasonQuotaExceeded, Message: "the namespace's quota does not allow the notebook's Deployment alpha: " + words("count/deployments.apps", "1", "0", "0")},
		},
		"ServerDeletedAndVolumeAdded": {
			reason: "A server is not made without the volume that it needs.",
			args:   args{running: plain, hard: fields{"requests.storage": "0"}, spec: volume, happens: deleted(keyServer)},
			want: want{
				Missing: []string{keyWorkspace, keyServer}, Phase: "Failed", Reason: reasonQuotaExceeded,
				Message: "the namespace's quota does not allow the notebook's PersistentVolumeClaim alpha-workspace: " + words("requests.storage", "10Gi", "0", "0"),
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEngine(t, false, tc.args.spec)
			if tc.args.running != nil {
				e.edit(tc.args.running)
				e.start()
				e.edit(tc.args.spec)
			}
			e.cluster.setQuota("team", tc.args.hard)
			if tc.args.happens != nil {
				tc.args.happens(e)
			}
			e.settle()
			got := want{Phase: e.status("phase"), Reason: e.status("reason"), Message: e.status("message")}
			for _, key := range all {
				if e.composed(key) == nil {
					got.Missing = append(got.Missing, key)
				}
			}
			if tc.want.Message == "" {
				got.Message = ""
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
			e.cluster.removeQuotas()
			e.start()
			if phase := e.status("phase"); phase != "Ready" && phase != "Stopped" && e.status("reason") != "WaitingForAddress" {
				t.Errorf("\n%s\nwithout the quota it is %s: %s", tc.reason, phase, e.status("message"))
			}
			if _, asks := e.rsp.GetRequirements().GetResources()[requiredQuotas]; asks {
				t.Errorf("\n%s\nthe quotas are asked for, and nothing is missing", tc.reason)
			}
		})
	}
}
