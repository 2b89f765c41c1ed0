package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/sig-storage-lib-external-provisioner/v13/controller"
)

// provisioner makes and removes the volumes' folders.
type provisioner struct {
	// root is the folder above them all. Nothing outside of it is ever touched,
	// whatever a volume says and wherever a notebook's symlink leads.
	root *os.Root
	node string
}

// newProvisioner returns a provisioner of folders in the directory.
func newProvisioner(directory, node string) (*provisioner, error) {
	// The kubelet reads the path from the volume, and it must be absolute there.
	directory, err := filepath.Abs(directory)
	if err != nil {
		return nil, fmt.Errorf("cannot find the folder of the volumes: %w", err)
	}
	if err := os.MkdirAll(directory, 0o700); err != nil {
		return nil, fmt.Errorf("cannot make the folder of the volumes: %w", err)
	}
	root, err := os.OpenRoot(directory)
	if err != nil {
		return nil, fmt.Errorf("cannot open the folder of the volumes: %w", err)
	}
	return &provisioner{root: root, node: node}, nil
}

// Provision makes a folder, and returns the volume to create for it. The
// library asks for no block volumes, as it sees that there is no SupportsBlock.
func (p *provisioner) Provision(
	_ context.Context, o controller.ProvisionOptions,
) (*corev1.PersistentVolume, controller.ProvisioningState, error) {
	// A folder that is there was made for this volume by an attempt that failed
	// later: its name is made of the claim's UID. The kubelet gives the folder to
	// the pod's fsGroup.
	if err := p.root.MkdirAll(o.PVName, 0o770); err != nil {
		return nil, controller.ProvisioningFinished, fmt.Errorf("cannot make the volume's folder: %w", err)
	}

	volume := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: o.PVName},
		Spec: corev1.PersistentVolumeSpec{
			AccessModes: o.PVC.Spec.AccessModes,
			Capacity: corev1.ResourceList{
				corev1.ResourceStorage: o.PVC.Spec.Resources.Requests[corev1.ResourceStorage],
			},
			PersistentVolumeReclaimPolicy: *o.StorageClass.ReclaimPolicy,
			PersistentVolumeSource: corev1.PersistentVolumeSource{
				Local: &corev1.LocalVolumeSource{Path: p.path(o.PVName)},
			},
			NodeAffinity: onlyOn(p.node),
		},
	}
	return volume, controller.ProvisioningFinished, nil
}

// Delete removes a volume's folder, and is content when there is none.
func (p *provisioner) Delete(_ context.Context, volume *corev1.PersistentVolume) error {
	if local := volume.Spec.Local; local == nil || local.Path != p.path(volume.Name) {
		return &controller.IgnoredError{Reason: "the volume was not made here"}
	}
	if err := p.root.RemoveAll(volume.Name); err != nil {
		return fmt.Errorf("cannot remove the volume's folder: %w", err)
	}
	return nil
}

// onlyOn has the scheduler put the pods that use a volume on one node.
func onlyOn(node string) *corev1.VolumeNodeAffinity {
	return &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchExpressions: []corev1.NodeSelectorRequirement{{
				Key:      corev1.LabelHostname,
				Operator: corev1.NodeSelectorOpIn,
				Values:   []string{node},
			}},
		}},
	}}
}

func (p *provisioner) close() {
	_ = p.root.Close()
}

// path of a volume's folder.
func (p *provisioner) path(volume string) string {
	return filepath.Join(p.root.Name(), volume)
}
