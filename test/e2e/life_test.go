package e2e

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// testLife leads one notebook through its life, and prints what its user saw. Its
// files outlive restarts, stops and other images.
func testLife(t *testing.T) {
	n := newNamespace(t)
	tell := n.trace("alpha")

	tell("kubectl apply")
	n.create("alpha", "  image: "+lab+"\n  volumeSize: 1Gi")
	n.ready("alpha")
	n.write("alpha")
	first := n.pod("alpha").UID

	tell("an edit: another image")
	n.patch("alpha", `{"image":"`+labNext+`"}`)
	second := n.replaced("alpha", first)
	n.holds("alpha")
	if got := n.ready("alpha").Status.Image; got != labNext {
		t.Errorf("status.image is %s, want %s", got, labNext)
	}

	tell("restartedAt")
	n.patch("alpha", `{"restartedAt":"`+time.Now().UTC().Format(time.RFC3339)+`"}`)
	n.replaced("alpha", second)
	n.holds("alpha")

	tell("an edit that the platform does not allow: auth.mode: None")
	third := n.pod("alpha").UID
	n.patch("alpha", `{"auth":{"mode":"None"}}`)
	nb := n.await("alpha", "refusing an edit", patience, func(nb notebook) bool {
		return nb.condition("Accepted").Status == metav1.ConditionFalse
	})
	if nb.Status.Phase != v1.PhaseReady || n.pod("alpha").UID != third {
		t.Errorf("a refused edit did not leave the server alone: %v", nb)
	}
	n.patch("alpha", `{"auth":null}`)
	n.await("alpha", "accepted again", patience, func(nb notebook) bool {
		return nb.condition("Accepted").Status == metav1.ConditionTrue
	})

	tell("stopped: true")
	n.patch("alpha", `{"stopped":true}`)
	n.stopped("alpha")
	n.podless("alpha")

	tell("stopped: false")
	n.patch("alpha", `{"stopped":false}`)
	n.ready("alpha")
	n.holds("alpha")

	tell("kubectl delete")
	n.kubectl("delete", "jupyternotebook", "alpha", "--timeout=2m")
	n.left("alpha")
}

// replaced waits until a notebook's pod is another one, which is ready, and returns
// that.
func (n namespace) replaced(name string, old types.UID) types.UID {
	n.Helper()
	eventually(n.T, patience, func() error {
		for _, pod := range n.pods(name) {
			if pod.UID == old {
				return fmt.Errorf("%s still has the pod of before", name)
			}
		}
		return nil
	})
	return n.pod(name).UID
}
