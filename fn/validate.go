package fn

import (
	"fmt"
	"strings"

	"github.com/distribution/reference"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// A refusal says why a claim's spec is not composed, and what to write instead.
type refusal struct{ reason, message string }

// Reasons of refusals.
const (
	reasonInvalidSpec      = "InvalidSpec"
	reasonNameConflict     = "NameConflict"
	reasonNoNamespace      = "NoNamespace"
	reasonAuthNotAllowed   = "AuthNotAllowed"
	reasonImageUnprotected = "ImageUnprotected"
)

// A check refuses what it is named for. Crossplane goes on when the API server
// finds a composed object invalid, and the claim would not hear of it, so all
// that could make one invalid must be refused here.
type check func(*v1.NotebookSpec) []refusal

// checks of a claim's spec, in the order in which their refusals are told.
var checks = []check{
	checkImage,
	checkResources,
	checkShmSize,
	checkVolume,
	checkService,
	checkMounts,
	checkEnv,
	checkEnvFrom,
	checkPullSecrets,
	checkCommand,
	checkNodeSelector,
	checkTolerations,
	checkAuth,
}

// maxSpecSize in bytes, so that the accepted spec fits in an annotation.
const maxSpecSize = 128 << 10

// validate tells all that is wrong with a spec.
func validate(spec *v1.NotebookSpec) []refusal {
	var refusals []refusal
	for _, c := range checks {
		refusals = append(refusals, c(spec)...)
	}
	return refusals
}

// invalid refuses a field of the spec.
func invalid(field, format string, args ...any) []refusal {
	return []refusal{{reasonInvalidSpec, "spec." + field + " " + fmt.Sprintf(format, args...)}}
}

func checkImage(spec *v1.NotebookSpec) []refusal {
	if spec.Image == "" {
		return invalid("image", "is missing: write the container image to run, for example quay.io/jupyter/scipy-notebook:2026-06-01")
	}
	if _, err := reference.ParseNormalizedNamed(spec.Image); err != nil {
		return invalid("image", "is %q, which is not a container image (%v): write registry/repository:tag, for example quay.io/jupyter/scipy-notebook:2026-06-01", spec.Image, err)
	}
	return nil
}

func checkShmSize(spec *v1.NotebookSpec) []refusal {
	if spec.ShmSize == nil {
		return nil
	}
	if spec.ShmSize.Sign() <= 0 {
		return invalid("shmSize", "is %s: write a size of more than zero, such as 1Gi", spec.ShmSize)
	}
	if limit, ok := spec.Resources.Limits[corev1.ResourceMemory]; ok && spec.ShmSize.Cmp(limit) > 0 {
		return invalid("shmSize", "is %s, which is more than the memory limit of %s: it counts as memory, so write less or raise the limit", spec.ShmSize, &limit)
	}
	return nil
}

func checkVolume(spec *v1.NotebookSpec) []refusal {
	var refusals []refusal
	refuse := func(field, format string, args ...any) {
		refusals = append(refusals, invalid(field, format, args...)...)
	}
	v := spec.Volume
	if spec.VolumeSize != nil {
		refusals = append(refusals, checkVolumeSize(spec.VolumeSize)...)
		if v.ExistingClaim != "" {
			refuse("volume.existingClaim", "and spec.volumeSize exclude each other: write volumeSize for a new workspace, or existingClaim to use a PersistentVolumeClaim that exists")
		}
	}
	if v.ExistingClaim != "" && len(validation.IsDNS1123Subdomain(v.ExistingClaim)) > 0 {
		refuse("volume.existingClaim", "is %q, which cannot be the name of a PersistentVolumeClaim", v.ExistingClaim)
	}
	if c := v.StorageClassName; c != nil && *c != "" && len(validation.IsDNS1123Subdomain(*c)) > 0 {
		refuse("volume.storageClassName", "is %q, which cannot be the name of a StorageClass", *c)
	}
	switch v.AccessMode {
	case "", corev1.ReadWriteOnce, corev1.ReadWriteOncePod, corev1.ReadWriteMany:
	default:
		refuse("volume.accessMode", "is %q: write ReadWriteOnce, ReadWriteOncePod or ReadWriteMany", v.AccessMode)
	}
	switch v.Retention {
	case "", v1.RetentionDelete, v1.RetentionRetain:
	default:
		refuse("volume.retention", "is %q: write Delete or Retain", v.Retention)
	}
	return refusals
}

func checkVolumeSize(size *resource.Quantity) []refusal {
	if size.Sign() <= 0 {
		return invalid("volumeSize", "is %s: write a size of more than zero, such as 10Gi", size)
	}
	return nil
}

func checkService(spec *v1.NotebookSpec) []refusal {
	switch spec.ServiceType {
	case "", corev1.ServiceTypeClusterIP, corev1.ServiceTypeNodePort, corev1.ServiceTypeLoadBalancer:
		return nil
	default:
		return invalid("serviceType", "is %q: write ClusterIP, NodePort or LoadBalancer", spec.ServiceType)
	}
}

func checkAuth(spec *v1.NotebookSpec) []refusal {
	switch spec.Auth.Mode {
	case "", v1.AuthModeToken:
		return nil
	case v1.AuthModeNone:
		return []refusal{{reasonAuthNotAllowed, "spec.auth.mode None would leave the notebook open to everyone, and this platform does not allow it: write Token, or leave auth out"}}
	default:
		return invalid("auth.mode", "is %q: write Token, or leave auth out", spec.Auth.Mode)
	}
}

// checkSize refuses an encoded spec that is too large to be kept.
func checkSize(encoded string) []refusal {
	if size := len(encoded); size > maxSpecSize {
		return []refusal{{reasonInvalidSpec, fmt.Sprintf("spec is %d KiB, which is more than %d KiB: move large values to a ConfigMap or a Secret, and name it in envFrom or mounts", size>>10, maxSpecSize>>10)}}
	}
	return nil
}

// sentence joins all refusals.
func sentence(refusals []refusal) string {
	messages := make([]string, 0, len(refusals))
	for _, r := range refusals {
		messages = append(messages, r.message)
	}
	return strings.Join(messages, "; ")
}
