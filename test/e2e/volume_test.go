package e2e

import (
	"fmt"
	"strings"
	"testing"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// testGrowth checks that a volume grows with its claim, online, and never shrinks.
func testGrowth(t *testing.T) {
	n := newNamespace(t)
	n.create("grow", "  image: "+lab+"\n  volumeSize: 1Gi")
	n.ready("grow")
	n.write("grow")
	before := n.pod("grow").UID

	n.patch("grow", `{"volumeSize":"2Gi"}`)
	n.await("grow", "larger", patience, func(nb notebook) bool {
		v := nb.Status.Volume
		return v != nil && v.Capacity != nil && v.Capacity.String() == "2Gi" && nb.condition("VolumeReady").Reason == "Bound"
	})

	_, err := try(t.Context(), "", "kubectl", "-n", n.name, "patch", "jupyternotebook", "grow", "--type=merge", "--patch", `{"spec":{"volumeSize":"1Gi"}}`)
	if err == nil || !strings.Contains(err.Error(), "volumeSize can only grow") {
		t.Errorf("shrinking is not refused with a sentence: %v", err)
	}
	if got := n.kubectl("get", "pvc", "grow-workspace", "-o", "jsonpath={.spec.resources.requests.storage} {.status.capacity.storage}"); got != "2Gi 2Gi" {
		t.Errorf("the volume has %s, want 2Gi 2Gi", got)
	}
	if after := n.pod("grow").UID; after != before {
		t.Error("the server was restarted")
	}
	n.holds("grow")
}

// testFixedClass checks what a claim says of a class whose volumes cannot grow.
func testFixedClass(t *testing.T) {
	n := newNamespace(t)
	n.create("fixed", "  image: "+lab+"\n  volumeSize: 1Gi\n  volume: {storageClassName: fixed}")
	n.ready("fixed")
	n.patch("fixed", `{"volumeSize":"2Gi"}`)
	nb := n.await("fixed", "refusing to grow", patience, func(nb notebook) bool {
		return nb.condition("VolumeReady").Reason == "ChangeNotApplied"
	})
	if got := nb.condition("VolumeReady").Message; !strings.Contains(got, "fixed") {
		t.Errorf("the claim does not name the class: %s", got)
	}
	if got := nb.condition("Synced").Status; got != metav1.ConditionTrue {
		t.Errorf("Synced is %s, want True", got)
	}
}

// testDelete checks that a notebook leaves nothing behind.
func testDelete(t *testing.T) {
	n := newNamespace(t)
	n.create("gone", "  image: "+lab+"\n  volumeSize: 1Gi")
	n.ready("gone")
	volume := n.kubectl("get", "pvc", "gone-workspace", "-o", "jsonpath={.spec.volumeName}")
	n.kubectl("delete", "jupyternotebook", "gone", "--timeout=2m")
	n.left("gone")
	eventually(t, patience, func() error {
		_, err := client.CoreV1().PersistentVolumes().Get(t.Context(), volume, metav1.GetOptions{})
		if errors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("volume %s is still there, or cannot be looked at: %w", volume, err)
	})
}

// testRetain checks that a retained volume outlives its notebook, with its files,
// and serves the next one of that name.
func testRetain(t *testing.T) {
	n := newNamespace(t)
	const spec = "\n  volumeSize: 1Gi\n  volume: {retention: Retain}"
	n.create("again", "  image: "+lab+spec)
	n.ready("again")
	n.write("again")
	uid := n.kubectl("get", "pvc", "again-workspace", "-o", "jsonpath={.metadata.uid}")

	n.kubectl("delete", "jupyternotebook", "again", "--timeout=2m")
	n.left("again", "persistentvolumeclaim/again-workspace")

	n.create("again", "  image: "+lab+spec)
	n.ready("again")
	if got := n.kubectl("get", "pvc", "again-workspace", "-o", "jsonpath={.metadata.uid}"); got != uid {
		t.Error("the new notebook has another volume")
	}
	n.holds("again")

	// What the composite resource of an earlier claim applied cannot be taken back:
	// the claim says so. Namespaced ones go by their name.
	n.patch("again", `{"volume":{"retention":"Delete"}}`)
	n.await("again", "saying that the volume stays, or owning it alone", patience, func(nb notebook) bool {
		volume := nb.condition("VolumeReady")
		owners := n.kubectl("get", "pvc", "again-workspace", "-o", "jsonpath={.metadata.ownerReferences[*].kind}")
		return strings.Contains(volume.Message, "delete PersistentVolumeClaim again-workspace yourself") || owners == v1.Kind
	})
	n.kubectl("delete", "jupyternotebook", "again", "--timeout=2m")
	n.kubectl("delete", "pvc", "again-workspace", "--ignore-not-found", "--timeout=2m")
	n.left("again")
}

// testRetention checks that who changes their mind about a volume is obeyed.
func testRetention(t *testing.T) {
	n := newNamespace(t)
	for _, change := range []struct{ from, to, left string }{
		{from: "Retain", to: "Delete"},
		{from: "Delete", to: "Retain", left: "persistentvolumeclaim/to-retain-workspace"},
	} {
		name := "to-" + strings.ToLower(change.to)
		n.create(name, "  image: "+lab+"\n  volumeSize: 1Gi\n  volume: {retention: "+change.from+"}")
		n.ready(name)
		n.patch(name, `{"volume":{"retention":"`+change.to+`"}}`)
		eventually(t, patience, func() error {
			owners := n.kubectl("get", "pvc", name+"-workspace", "-o", "jsonpath={.metadata.ownerReferences[*].kind}")
			if strings.Contains(owners, "Namespace") != (change.to == "Retain") {
				return fmt.Errorf("the volume is owned by %s", owners)
			}
			return nil
		})
		n.kubectl("delete", "jupyternotebook", name, "--timeout=2m")
		n.left(name, strings.Fields(change.left)...)
	}
}

// left waits until nothing is left of a notebook but the named objects.
func (n namespace) left(name string, but ...string) {
	n.Helper()
	want := strings.Join(but, "\n")
	eventually(n.T, patience, func() error {
		left := strings.TrimSpace(n.kubectl("get", "deployments,replicasets,pods,services,secrets,networkpolicies,persistentvolumeclaims",
			"--selector=notebook-name="+name, "-o", "name"))
		if left != want {
			return fmt.Errorf("%s left %q, want %q", name, left, want)
		}
		return nil
	})
}
