package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// testDrift changes by hand what belongs to a notebook: it is put right within
// seconds.
func testDrift(t *testing.T) {
	n := newNamespace(t)
	n.create("drift", "  image: "+lab)
	n.ready("drift")

	for what, hand := range map[string]struct {
		change []string
		check  []string
		want   string
	}{
		"a deleted Service": {
			change: []string{"delete", "service", "drift"},
			check:  []string{"get", "service", "drift", "-o", "jsonpath={.spec.ports[0].port}", "--ignore-not-found"},
			want:   "8888",
		},
		"a deleted NetworkPolicy": {
			change: []string{"delete", "networkpolicy", "drift"},
			check:  []string{"get", "networkpolicy", "drift", "-o", "jsonpath={.spec.policyTypes[0]}", "--ignore-not-found"},
			want:   "Ingress",
		},
		"replicas": {
			change: []string{"scale", "deployment", "drift", "--replicas=3"},
			check:  []string{"get", "deployment", "drift", "-o", "jsonpath={.spec.replicas}"},
			want:   "1",
		},
		"an image": {
			change: []string{"set", "image", "deployment/drift", "notebook=" + classic},
			check:  []string{"get", "deployment", "drift", "-o", "jsonpath={.spec.template.spec.containers[0].image}"},
			want:   lab,
		},
	} {
		n.kubectl(hand.change...)
		changed := time.Now()
		eventually(t, 30*time.Second, func() error {
			if got := n.kubectl(hand.check...); got != hand.want {
				return fmt.Errorf("%s: is %q, want %q", what, got, hand.want)
			}
			return nil
		})
		t.Logf("%s: put right after %.1f s", what, time.Since(changed).Seconds())
	}
	n.ready("drift")
	n.pod("drift")
}

// testConflict checks that what somebody else made is left alone, whether it was
// there before the notebook or the notebook comes and goes.
func testConflict(t *testing.T) {
	n := newNamespace(t)
	n.apply(`
apiVersion: v1
kind: Service
metadata: {name: taken, labels: {owner: somebody}}
spec:
  selector: {app: something-else}
  ports: [{port: 80}]
`)
	before := n.kubectl("get", "service", "taken", "-o", "jsonpath={.metadata.uid} {.metadata.resourceVersion}")

	spec := "  image: " + lab + "\n  volumeSize: 1Gi"
	refused := func(nb notebook) bool {
		return nb.Status.Phase == v1.PhaseFailed && nb.Status.Reason == "NameConflict"
	}
	n.create("taken", spec)
	nb := n.await("taken", "refused", patience, refused)
	if !strings.Contains(nb.Status.Message, "Service") || !strings.Contains(nb.Status.Message, "taken") {
		t.Errorf("the claim does not say which object is in the way: %s", nb.Status.Message)
	}
	n.kubectl("delete", "jupyternotebook", "taken", "--timeout=2m")
	n.left("taken", "service/taken")
	after := n.kubectl("get", "service", "taken", "-o", "jsonpath={.metadata.uid} {.metadata.resourceVersion}")
	if after != before {
		t.Error("the Service that somebody else made was changed")
	}

	// Out of the way, the notebook comes up.
	n.create("taken", spec)
	n.await("taken", "refused again", patience, refused)
	n.kubectl("delete", "service", "taken")
	n.ready("taken")
}
