package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/sig-storage-lib-external-provisioner/v13/controller"
)

func TestVolumeComesAndGoes(t *testing.T) {
	p := testProvisioner(t)

	volume := provision(t, p, "pvc-1")
	folder := filepath.Join(p.root.Name(), "pvc-1")
	if got := volume.Spec.Local.Path; got != folder {
		t.Errorf("volume's path: got %s, want %s", got, folder)
	}
	if got := volume.Spec.Capacity.Storage().String(); got != "10Gi" {
		t.Errorf("volume's capacity: got %s, want the 10Gi that were asked for", got)
	}
	if err := os.WriteFile(filepath.Join(folder, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	// An attempt that is repeated keeps the folder.
	if again := provision(t, p, "pvc-1"); !cmp.Equal(volume, again) {
		t.Errorf("repeated: -first, +second\n%s", cmp.Diff(volume, again))
	}

	// So does a deletion, as if the program had ended before it was recorded.
	for range 2 {
		if err := p.Delete(t.Context(), volume); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(folder); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("the folder after its deletion: got %v, want that it does not exist", err)
		}
	}
}

func TestDeleteStaysInsideTheDirectory(t *testing.T) {
	p := testProvisioner(t)
	outside := filepath.Join(t.TempDir(), "kept")
	if err := os.Mkdir(outside, 0o700); err != nil {
		t.Fatal(err)
	}

	elsewhere := provision(t, p, "pvc-1")
	elsewhere.Spec.Local.Path = outside
	upwards := provision(t, p, "pvc-1")
	upwards.Name = "../kept"
	upwards.Spec.Local.Path = p.path(upwards.Name)
	hostPath := provision(t, p, "pvc-1")
	hostPath.Spec.PersistentVolumeSource = corev1.PersistentVolumeSource{
		HostPath: &corev1.HostPathVolumeSource{Path: outside},
	}
	for name, volume := range map[string]*corev1.PersistentVolume{
		"elsewhere": elsewhere, "upwards": upwards, "hostPath": hostPath,
	} {
		if err := p.Delete(t.Context(), volume); err == nil {
			t.Errorf("%s: got no error, want one", name)
		}
	}

	// A symlink that a notebook left behind is removed, and not what it leads to.
	volume := provision(t, p, "pvc-2")
	if err := os.Symlink(outside, filepath.Join(volume.Spec.Local.Path, "link")); err != nil {
		t.Fatal(err)
	}
	if err := p.Delete(t.Context(), volume); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(outside); err != nil {
		t.Errorf("a folder outside of the directory: got %v, want that it is kept", err)
	}
}

// The library refuses a claim of a block volume for a provisioner that is none
// of these.
func TestBlockVolumesAreRefused(t *testing.T) {
	if _, ok := any(&provisioner{}).(controller.BlockProvisioner); ok {
		t.Error("the provisioner claims to know block volumes, and makes folders")
	}
}

// testProvisioner returns a provisioner in a directory of the test's own.
func testProvisioner(t *testing.T) *provisioner {
	t.Helper()
	p, err := newProvisioner(filepath.Join(t.TempDir(), "volumes"), "node")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.close)
	return p
}

// provision a volume of 10Gi.
func provision(t *testing.T, p *provisioner, name string) *corev1.PersistentVolume {
	t.Helper()
	policy := corev1.PersistentVolumeReclaimDelete
	volume, _, err := p.Provision(t.Context(), controller.ProvisionOptions{
		PVName:       name,
		StorageClass: &storagev1.StorageClass{ReclaimPolicy: &policy},
		PVC: &corev1.PersistentVolumeClaim{Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources: corev1.VolumeResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("10Gi")},
			},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return volume
}
