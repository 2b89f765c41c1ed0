package fn

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/distribution/reference"
	corev1 "k8s.io/api/core/v1"
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
	reasonPolicyInvalid    = "PolicyInvalid"
	reasonWorkspaceDeleted = "WorkspaceDeleted"
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
	checkVolumeSize,
	checkVolume,
	checkService,
	checkTimeouts,
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
	for i, arg := range args {
		args[i] = shown(arg)
	}
	return []refusal{{reasonInvalidSpec, fmt.Sprintf("spec.%s %s", shown(field), fmt.Sprintf(format, args...))}}
}

// maxShown of what a user wrote, in bytes, so that the sentence around it can
// still be read.
const maxShown = 200

// shown returns a value as it is repeated in a refusal.
func shown(value any) any {
	text := fmt.Sprint(value)
	if len(text) <= maxShown {
		return value
	}
	return strings.ToValidUTF8(text[:maxShown], "") + "…"
}

// isObjectName tells whether an object could have the name.
func isObjectName(name string) bool { return len(validation.IsDNS1123Subdomain(name)) == 0 }

// openImage is one of Kubeflow's, wherever it was published. Their start script
// passes an empty token on the command line, which beats every configuration: at
// best, nobody can open the notebook with its token then.
var openImage = regexp.MustCompile(`(^|/)(kubeflownotebookswg|kubeflow/kubeflow/notebook-servers|notebooks/notebook-servers)/`)

func checkImage(spec *v1.NotebookSpec) []refusal {
	if spec.Image == "" {
		return invalid("image", "is missing: write the container image to run, for example quay.io/jupyter/scipy-notebook:2026-06-01")
	}
	if _, err := reference.ParseNormalizedNamed(spec.Image); err != nil {
		return invalid("image", "is %q, which is not a container image (%v): write registry/repository:tag, for example quay.io/jupyter/scipy-notebook:2026-06-01", spec.Image, err)
	}
	if openImage.MatchString(spec.Image) && (len(spec.Command) == 0 || spec.Command[0] == "/init") {
		return []refusal{{reasonImageUnprotected, fmt.Sprintf("spec.image %s has a start script that switches the token off: add command: [jupyter, lab], which leaves it on", spec.Image)}}
	}
	return nil
}

func checkShmSize(spec *v1.NotebookSpec) []refusal {
	if spec.ShmSize == nil {
		return nil
	}
	limit, limited := spec.Resources.Limits[corev1.ResourceMemory]
	switch {
	case spec.ShmSize.Sign() <= 0:
		return invalid("shmSize", "is %s: write a size of more than zero, such as 1Gi", spec.ShmSize)
	case isTiny(spec.ShmSize):
		return invalid("shmSize", "is %s, which is less than 1Mi: write a unit, such as 1Gi", spec.ShmSize)
	case limited && spec.ShmSize.Cmp(limit) > 0:
		return invalid("shmSize", "is %s, which is more than the memory limit of %s: it counts as memory, so write less or raise the limit", spec.ShmSize, &limit)
	default:
		return nil
	}
}

func checkVolumeSize(spec *v1.NotebookSpec) []refusal {
	switch {
	case spec.VolumeSize == nil:
		return nil
	case spec.VolumeSize.Sign() <= 0:
		return invalid("volumeSize", "is %s: write a size of more than zero, such as 10Gi", spec.VolumeSize)
	case spec.VolumeSize.Value() == math.MaxInt64: // What a larger one is cut to.
		return invalid("volumeSize", "is %s, which is more than any volume has: write less, such as 10Gi", spec.VolumeSize)
	case isTiny(spec.VolumeSize):
		return invalid("volumeSize", "is %s, which is less than 1Mi: write a unit, such as 10Gi", spec.VolumeSize)
	case spec.Volume.ExistingClaim != "":
		return invalid("volume.existingClaim", "and spec.volumeSize exclude each other: write volumeSize for a new workspace, or existingClaim to use a PersistentVolumeClaim that exists")
	default:
		return nil
	}
}

func checkVolume(spec *v1.NotebookSpec) []refusal {
	var refusals []refusal
	v := spec.Volume
	if v.ExistingClaim != "" && !isObjectName(v.ExistingClaim) {
		refusals = append(refusals, invalid("volume.existingClaim", "is %q, which cannot be the name of a PersistentVolumeClaim: write the name of one that exists", v.ExistingClaim)...)
	}
	if class := v.StorageClassName; class != nil && *class != "" && !isObjectName(*class) {
		refusals = append(refusals, invalid("volume.storageClassName", "is %q, which cannot be the name of a StorageClass: write the name of one that exists, or leave it out", *class)...)
	}
	switch v.AccessMode {
	case "", corev1.ReadWriteOnce, corev1.ReadWriteOncePod, corev1.ReadWriteMany:
	default:
		refusals = append(refusals, invalid("volume.accessMode", "is %q: write ReadWriteOnce, ReadWriteOncePod or ReadWriteMany", v.AccessMode)...)
	}
	switch v.Retention {
	case "", v1.RetentionDelete, v1.RetentionRetain:
	default:
		refusals = append(refusals, invalid("volume.retention", "is %q: write Delete or Retain", v.Retention)...)
	}
	return refusals
}

func checkService(spec *v1.NotebookSpec) []refusal {
	switch spec.ServiceType {
	case "", corev1.ServiceTypeClusterIP, corev1.ServiceTypeNodePort, corev1.ServiceTypeLoadBalancer:
		return nil
	default:
		return invalid("serviceType", "is %q: write ClusterIP, NodePort or LoadBalancer", spec.ServiceType)
	}
}

// Bounds of timeouts in seconds. The agent needs some time to look twice.
const (
	minTimeout = 60
	maxTimeout = 365 * 24 * 60 * 60
)

func checkTimeouts(spec *v1.NotebookSpec) []refusal {
	var refusals []refusal
	for _, timeout := range []struct {
		field, none string
		seconds     *int64
	}{
		{"idleTimeoutSeconds", "never", spec.IdleTimeoutSeconds},
		{"maxLifetimeSeconds", "no limit", spec.MaxLifetimeSeconds},
	} {
		if s := timeout.seconds; s != nil && *s != 0 && (*s < minTimeout || *s > maxTimeout) {
			refusals = append(refusals, invalid(timeout.field, "is %d: write 0 for %s, or %d to %d seconds, for example 86400", *s, timeout.none, minTimeout, maxTimeout)...)
		}
	}
	return refusals
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

// maxTold is how many refusals are told at once.
const maxTold = 5

// sentence joins refusals.
func sentence(refusals []refusal) string {
	told := refusals[:min(len(refusals), maxTold)]
	messages := make([]string, 0, len(told)+1)
	for _, r := range told {
		messages = append(messages, r.message)
	}
	if more := len(refusals) - len(told); more > 0 {
		messages = append(messages, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(messages, "; ")
}
