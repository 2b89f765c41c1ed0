package main

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// provisionedBy is the annotation by which a volume says who made it.
const provisionedBy = "pv.kubernetes.io/provisioned-by"

// resizer grows volumes. A folder holds what the disk has room for, so that
// nothing is to be done but to agree.
type resizer struct{}

// Name of the resizer, as events show it.
func (resizer) Name() string {
	return driver
}

// DriverSupportsControlPlaneExpansion says that Resize is all that it takes.
func (resizer) DriverSupportsControlPlaneExpansion() bool {
	return true
}

// CanSupport says whether the volume is one of this program's.
func (resizer) CanSupport(volume *corev1.PersistentVolume, _ *corev1.PersistentVolumeClaim) bool {
	return volume.Annotations[provisionedBy] == driver
}

// Resize agrees to the size, and needs nothing of the kubelet.
func (resizer) Resize(
	_ *corev1.PersistentVolume, size resource.Quantity,
) (newSize resource.Quantity, fsResizeRequired bool, err error) {
	return size, false, nil
}
