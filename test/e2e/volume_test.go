package e2e

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
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
	class := n.fixedClass()
	n.create("fixed", "  image: "+lab+"\n  volumeSize: 1Gi\n  volume: {storageClassName: "+class+"}")
	n.ready("fixed")
	n.patch("fixed", `{"volumeSize":"2Gi"}`)
	nb := n.await("fixed", "refusing to grow", patience, func(nb notebook) bool {
		return nb.condition("VolumeReady").Reason == "ChangeNotApplied"
	})
	if got := nb.condition("VolumeReady").Message; !strings.Contains(got, class) {
		t.Errorf("the claim does not name the class: %s", got)
	}
	if got := nb.condition("Synced").Status; got != metav1.ConditionTrue {
		t.Errorf("Synced is %s, want True", got)
	}
}

// fixedClass makes a class like the default one, whose volumes cannot grow and do
// not wait for their pod. It returns its name.
func (n namespace) fixedClass() string {
	n.Helper()
	classes := client.StorageV1().StorageClasses()
	list, err := classes.List(n.Context(), metav1.ListOptions{})
	if err != nil {
		n.Fatalf("cannot list the storage classes: %v", err)
	}
	for _, class := range list.Items {
		if class.Annotations["storageclass.kubernetes.io/is-default-class"] != "true" {
			continue
		}
		class.ObjectMeta = metav1.ObjectMeta{Name: n.name + "-fixed"}
		class.AllowVolumeExpansion, class.VolumeBindingMode = nil, nil
		if _, err := classes.Create(n.Context(), &class, metav1.CreateOptions{}); err != nil {
			n.Fatalf("cannot make a storage class: %v", err)
		}
		n.Cleanup(func() { run(n.T, "", "kubectl", "delete", "storageclass", class.Name) })
		return class.Name
	}
	n.Fatal("the cluster has no default storage class")
	return ""
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
	n.takeUp()

	// What the composite resource of an earlier claim applied cannot be taken back:
	// the claim says so.
	n.patch("again", `{"volume":{"retention":"Delete"}}`)
	n.await("again", "saying that the volume stays", patience, func(nb notebook) bool {
		volume := nb.condition("VolumeReady")
		return volume.Reason == "ChangeNotApplied" && strings.Contains(volume.Message, "delete PersistentVolumeClaim again-workspace yourself")
	})
	n.kubectl("delete", "jupyternotebook", "again", "--timeout=2m")
	n.left("again", "persistentvolumeclaim/again-workspace")
}

// testRetainNamespaced does the same without claims: who wants the volume deleted
// after all is obeyed, because the composite resource has the name of the earlier one.
func testRetainNamespaced(t *testing.T) {
	n := newNamespace(t)
	n.takeUp()
	n.patch("again", `{"volume":{"retention":"Delete"}}`)
	n.owned("again", v1.Kind)
	n.kubectl("delete", "jupyternotebook", "again", "--timeout=2m")
	n.left("again")
}

// takeUp leaves a volume, and has another notebook take it up.
func (n namespace) takeUp() {
	n.Helper()
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
		n.Error("the new notebook has another volume")
	}
	n.holds("again")
}

// testDeletedVolume deletes a volume under a running server. Its files are there for
// as long as the pod is, so that no edit may restart it.
func testDeletedVolume(t *testing.T) {
	n := newNamespace(t)
	n.create("going", "  image: "+lab+"\n  volumeSize: 1Gi")
	n.ready("going")
	n.write("going")
	before := n.pod("going").UID
	n.kubectl("delete", "pvc", "going-workspace", "--wait=false")
	n.patch("going", `{"env":[{"name":"A","value":"b"}]}`)
	n.await("going", "holding the edit back", patience, func(nb notebook) bool {
		return nb.condition("Accepted").Reason == "WorkspaceDeleted" && nb.condition("VolumeReady").Reason == "Deleting"
	})
	if n.pod("going").UID != before {
		t.Error("the server was restarted")
	}
	n.holds("going")

	// Who stops it says that the files may go.
	n.patch("going", `{"stopped":true}`)
	n.stopped("going")
	n.patch("going", `{"stopped":false}`)
	n.ready("going")
}

// owned waits until a notebook's volume has these owners.
func (n namespace) owned(name, owners string) {
	n.Helper()
	eventually(n.T, patience, func() error {
		got := n.kubectl("get", "pvc", name+"-workspace", "-o", "jsonpath={.metadata.ownerReferences[*].kind}")
		if got != owners {
			return fmt.Errorf("the volume of %s is owned by %q, want %q", name, got, owners)
		}
		return nil
	})
}

// testRetention checks that who changes their mind about a volume is obeyed.
func testRetention(t *testing.T) {
	n := newNamespace(t)
	for _, change := range []struct{ from, to, owners, left string }{
		{from: "Retain", to: "Delete", owners: v1.CompositeKind},
		{from: "Delete", to: "Retain", owners: "Namespace " + v1.CompositeKind, left: "persistentvolumeclaim/to-retain-workspace"},
	} {
		name := "to-" + strings.ToLower(change.to)
		n.create(name, "  image: "+lab+"\n  volumeSize: 1Gi\n  volume: {retention: "+change.from+"}")
		n.ready(name)
		n.patch(name, `{"volume":{"retention":"`+change.to+`"}}`)
		n.owned(name, change.owners)
		n.kubectl("delete", "jupyternotebook", name, "--timeout=2m")
		n.left(name, strings.Fields(change.left)...)
	}
}

// left waits until nothing is left of a namespace's only notebook but the named
// objects.
func (n namespace) left(name string, but ...string) {
	n.Helper()
	want := strings.Join(but, "\n")
	eventually(n.T, patience, func() error {
		left := strings.TrimSpace(n.kubectl("get", "deployments,replicasets,pods,services,secrets,networkpolicies,persistentvolumeclaims", "-o", "name") +
			run(n.T, "", "kubectl", "get", "composite", "--selector=crossplane.io/claim-namespace="+n.name, "-o", "name"))
		if left != want {
			return fmt.Errorf("%s left %q, want %q", name, left, want)
		}
		return nil
	})
}
