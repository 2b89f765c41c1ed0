package fn

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"sigs.k8s.io/yaml"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// TestExamplesSettle: every example becomes what it asks for, and then nothing
// changes any more. (Each settle ends with a reconcile that changed nothing, and
// each call is made twice.)
func TestExamplesSettle(t *testing.T) {
	files, err := filepath.Glob("../example/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	settled := 0
	for _, file := range files {
		b, err := os.ReadFile(filepath.Clean(file))
		if err != nil {
			t.Fatal(err)
		}
		claim := map[string]any{}
		if err := yaml.Unmarshal(b, &claim); err != nil || claim["kind"] != v1.Kind {
			continue // A list of functions, of what exists already, …
		}
		settled++
		t.Run(filepath.Base(file), func(t *testing.T) {
			for _, namespaced := range []bool{false, true} {
				checkSettles(t, newEngine(t, namespaced, claim["spec"].(fields)))
			}
		})
	}
	if settled == 0 {
		t.Error("there is no example of a claim")
	}
}

func checkSettles(t *testing.T, e *fakeEngine) {
	t.Helper()
	addMentioned(e)
	e.settle()
	e.now = e.now.Add(time.Minute)
	for range 2 { // The first may let the server start, and the second end.
		for _, happens := range []string{"volume is bound", "server starts", "load balancer gets an address"} {
			events[happens](nil, e)
		}
		e.settle()
	}
	want := v1.PhaseReady
	if e.xr.Object["spec"].(fields)["stopped"] == true {
		want = v1.PhaseStopped
	}
	if got := e.status("phase"); got != string(want) || e.rsp.GetDesired().GetComposite().GetReady() != fnv1.Ready_READY_TRUE {
		t.Errorf("the phase is %s, not %s: %s", got, want, e.status("message"))
	}
	if got := e.rsp.GetMeta().GetTtl().AsDuration(); got != settledTTL {
		t.Errorf("Crossplane calls again after %s, and nothing is pending that it does not watch", got)
	}
}

// addMentioned adds the volume that an example takes as there.
func addMentioned(e *fakeEngine) {
	volume, _ := e.xr.Object["spec"].(fields)["volume"].(fields)
	if name, _ := volume["existingClaim"].(string); name != "" {
		e.cluster.add("v1", "PersistentVolumeClaim", name, fields{"status": fields{"phase": "Bound"}})
	}
}

// TestRetainedWorkspaceComesBack: whoever deletes a notebook with retention
// Retain and makes a new one of the same name finds their files.
func TestRetainedWorkspaceComesBack(t *testing.T) {
	cases := map[string]struct {
		reason    string
		retention string
		spec      fields
		back      bool
	}{
		"Retain":     {reason: "The workspace is kept, and taken up whole.", retention: "Retain", spec: fields{"volumeSize": "10Gi"}, back: true},
		"OtherClass": {reason: "What cannot change of the workspace stays.", retention: "Retain", spec: fields{"volumeSize": "1Gi", "volume": fields{"storageClassName": "slow", "accessMode": "ReadWriteMany"}}, back: true},
		"Delete":     {reason: "Without retention the files go with the notebook.", retention: "Delete", spec: fields{"volumeSize": "10Gi"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.spec["image"] = "jupyter/scipy-notebook:latest"
			e := newEngine(t, false, fields{"image": "jupyter/scipy-notebook:latest", "volumeSize": "10Gi", "volume": fields{"retention": tc.retention}})
			e.start()
			was := e.composed(keyWorkspace).GetUID()
			e.recreate()
			e.cluster.collectGarbage(e.xr.GetUID())
			e.edit(tc.spec)
			e.start()
			if back := e.composed(keyWorkspace).GetUID() == was; back != tc.back {
				t.Errorf("%s\nthe same workspace is back: %t", tc.reason, back)
			}
			if got := e.status("phase"); got != string(v1.PhaseReady) {
				t.Errorf("%s\nthe phase is %s: %s", tc.reason, got, e.status("message"))
			}
		})
	}
}

// TestOrderOfPodsDoesNotMatter: Crossplane before v2.4 lists them in any order,
// and a URL that flips wakes it up again and again.
func TestOrderOfPodsDoesNotMatter(t *testing.T) {
	e := newEngine(t, false, fields{"image": "jupyter/scipy-notebook:latest", "serviceType": "NodePort"})
	e.settle()
	for _, pod := range []struct{ name, ip string }{{"alpha-1", "192.0.2.1"}, {"alpha-2", "192.0.2.2"}} {
		e.cluster.add("v1", "Pod", pod.name, fields{"status": fields{"hostIP": pod.ip}}).SetLabels(selector(simName))
	}
	e.settle()
	pods := e.req.GetRequiredResources()[requiredPods].GetItems()
	if len(pods) != 2 {
		t.Fatalf("the function was told of %d pods", len(pods))
	}
	want := e.status("url")
	pods[0], pods[1] = pods[1], pods[0]
	got := object{e.run(e.req).GetDesired().GetComposite().GetResource()}.text("status", "url")
	if got != want {
		t.Errorf("the URL is %s, and with the same pods in another order %s", want, got)
	}
}
