package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

var notebookQuotas = schema.GroupVersionResource{Group: v1.Group, Version: v1.Version, Resource: "notebookquotas"}

// testNotebookQuota checks that the API server refuses a notebook too many with the
// quota's name, that the quota says what is used, and that a notebook that goes makes
// room for another.
func testNotebookQuota(t *testing.T) {
	run(t, "", "kubectl", "wait", "--timeout=3m", "--for=condition=Established", "crd/notebookquotas."+v1.Group)
	n := newNamespace(t)
	n.applyQuota(`{notebooks: 1, cpu: "1", memory: 8Gi, storage: 5Gi}`)
	n.awaitQuota("ready and empty", func(st v1.QuotaStatus) bool {
		return st.Phase == v1.PhaseReady && st.Used != nil && st.Used.Notebooks != nil && *st.Used.Notebooks == 0
	})

	n.create("first", "  image: "+lab+"\n  volumeSize: 1Gi")
	n.ready("first")
	st := n.awaitQuota("full", func(st v1.QuotaStatus) bool {
		return st.Reason == "Full" && st.Used.CPU != nil && st.Used.CPU.String() == "10m" && st.Used.Storage != nil && st.Used.Storage.String() == "1Gi"
	})
	if want := "notebooks: 1 of 1 are used"; st.Message != want {
		t.Errorf("the quota says %q, want %q", st.Message, want)
	}
	if st.Hard == nil || st.Hard.Notebooks == nil || *st.Hard.Notebooks != 1 || st.Hard.Memory == nil || st.Hard.Memory.String() != "8Gi" {
		t.Errorf("the quota says that %+v is the most, want what was asked for", st.Hard)
	}
	t.Logf("the notebooks cost %q %s in an hour", st.CostPerHour, st.Currency)

	_, err := try(t.Context(), manifest("second", "  image: "+lab), "kubectl", "-n", n.name, "apply", "-f", "-")
	if want := "exceeded quota: research, requested: count/jupyternotebooks." + v1.Group + "=1"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a second notebook: want an error with %q, got: %v", want, err)
	}

	// What the platform cannot follow leaves the quota as it is.
	n.applyQuota(`{notebooks: 2, gpus: {no-such-type: 1}}`)
	st = n.awaitQuota("refusing an edit", func(st v1.QuotaStatus) bool { return strings.Contains(st.Message, "no-such-type") })
	if st.Phase != v1.PhaseReady || st.Hard == nil || st.Hard.Notebooks == nil || *st.Hard.Notebooks != 1 {
		t.Errorf("a refused edit did not leave the quota alone: %+v", st)
	}
	n.applyQuota(`{notebooks: 1, cpu: "1", memory: 8Gi, storage: 5Gi}`)

	n.kubectl("delete", "jupyternotebook", "first", "--timeout=2m")
	n.awaitQuota("empty again", func(st v1.QuotaStatus) bool {
		return st.Used != nil && st.Used.Notebooks != nil && *st.Used.Notebooks == 0
	})
	eventually(t, patience, func() error {
		_, err := try(t.Context(), manifest("second", "  image: "+lab), "kubectl", "-n", n.name, "apply", "-f", "-")
		return err
	})
	n.ready("second")
}

// applyQuota applies the quota research, and removes it before its namespace.
func (n namespace) applyQuota(spec string) {
	n.Helper()
	n.apply(fmt.Sprintf("{apiVersion: %s/%s, kind: %s, metadata: {name: research}, spec: %s}", v1.Group, v1.Version, v1.QuotaKind, spec))
	n.Cleanup(func() {
		if keep && n.Failed() {
			return
		}
		if _, err := try(context.Background(), "", "kubectl", "-n", n.name, "delete", "--ignore-not-found", "--timeout=2m", "notebookquota", "research"); err != nil {
			n.Errorf("cannot remove the quota: %v", err)
		}
	})
}

// awaitQuota waits until the quota research is as a check would have it.
func (n namespace) awaitQuota(as string, is func(v1.QuotaStatus) bool) v1.QuotaStatus {
	n.Helper()
	var quota v1.NotebookQuota
	eventually(n.T, patience, func() error {
		u, err := objects.Resource(notebookQuotas).Namespace(n.name).Get(n.Context(), "research", metav1.GetOptions{})
		if err != nil {
			return fmt.Errorf("cannot get the quota: %w", err)
		}
		quota = v1.NotebookQuota{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &quota); err != nil {
			return fmt.Errorf("cannot read the quota: %w", err)
		}
		if !is(quota.Status) {
			return fmt.Errorf("quota is not %s: %v", as, u.Object["status"])
		}
		return nil
	})
	return quota.Status
}
