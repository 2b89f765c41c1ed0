package fn

import (
	"fmt"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	corev1 "k8s.io/api/core/v1"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// Conditions of a claim, next to Crossplane's own.
const (
	conditionAccepted    = "Accepted"
	conditionVolumeReady = "VolumeReady"
	conditionServerReady = "ServerReady"
)

// conditions of the claim, always all of them and in the same order.
func conditions(s situation, v verdict) []*fnv1.Condition {
	return []*fnv1.Condition{accepted(s), volumeReady(s), serverIsReady(v)}
}

func condition(conditionType string, isTrue bool, reason, message string) *fnv1.Condition {
	c := &fnv1.Condition{
		Type:   conditionType,
		Status: fnv1.Status_STATUS_CONDITION_FALSE,
		Reason: reason,
		Target: fnv1.Target_TARGET_COMPOSITE_AND_CLAIM.Enum(),
	}
	if isTrue {
		c.Status = fnv1.Status_STATUS_CONDITION_TRUE
	}
	if message != "" {
		c.Message = &message
	}
	return c
}

// accepted tells whether the notebook is what its claim asks for.
func accepted(s situation) *fnv1.Condition {
	if len(s.refusals) > 0 {
		return condition(conditionAccepted, false, s.refusals[0].reason, sentence(s.refusals))
	}
	return condition(conditionAccepted, true, "Accepted", "")
}

func volumeReady(s situation) *fnv1.Condition {
	switch pvc := s.pvc(); {
	case pvc.exists():
		return workspaceReady(s, pvc)
	case s.workspace.pvc != nil:
		return volume(false, "Creating", "the workspace is being created")
	case s.spec == nil, s.keep && s.spec.VolumeSize != nil:
		return volume(false, "NotCreated", "the claim is not accepted, so there is no workspace")
	case s.spec.Volume.ExistingClaim == "":
		return volume(true, "Ephemeral", "nothing is kept when the server stops: set volumeSize to keep files")
	}
	return existingReady(s)
}

func existingReady(s situation) *fnv1.Condition {
	name := s.spec.Volume.ExistingClaim
	claim, asked := s.existingClaim()
	switch phase := corev1.PersistentVolumeClaimPhase(claim.text("status", "phase")); {
	case asked && !claim.exists():
		return volume(false, "VolumeNotFound", "PersistentVolumeClaim %s does not exist", name)
	case phase == corev1.ClaimLost:
		return volume(false, "VolumeLost", volumeLost)
	case phase == corev1.ClaimPending:
		return volume(false, "VolumePending", "%s", pendingBecause(claim))
	default:
		return volume(true, "ExistingClaim", "the workspace is PersistentVolumeClaim %s, which the notebook never deletes", name)
	}
}

func volume(ready bool, reason, format string, args ...any) *fnv1.Condition {
	return condition(conditionVolumeReady, ready, reason, fmt.Sprintf(format, args...))
}

const (
	volumeLost       = "the volume of the workspace is gone"
	workspaceDeleted = "somebody deleted the workspace: its files go when the server stops, so copy what you need"
)

func workspaceReady(s situation, pvc object) *fnv1.Condition {
	switch phase := corev1.PersistentVolumeClaimPhase(pvc.text("status", "phase")); {
	case pvc.deleting():
		return volume(false, "Deleting", "%s", workspaceDeleted)
	case phase == corev1.ClaimLost:
		return volume(false, "VolumeLost", volumeLost)
	case len(s.workspace.notDone) > 0:
		return volume(phase == corev1.ClaimBound, "ChangeNotApplied", "%s", strings.Join(s.workspace.notDone, "; "))
	case s.unprotected():
		return volume(false, "NotRetained", "%s", s.notRetained())
	case phase != corev1.ClaimBound:
		return volume(false, "VolumePending", "%s", pendingBecause(pvc))
	}
	if message := resizing(pvc); message != "" {
		return volume(true, "Resizing", "%s", message)
	}
	return volume(true, "Bound", "")
}

// unprotected tells a workspace that should outlive the notebook and would not.
func (s situation) unprotected() bool {
	return s.spec != nil && s.spec.Volume.Retention == v1.RetentionRetain && s.workspace.pvc != nil && len(s.workspace.pvc.OwnerReferences) == 0
}

func (s situation) notRetained() string {
	return "the workspace would not outlive the notebook yet, because Crossplane could not read the namespace " + s.namespace
}

// pendingBecause explains a PersistentVolumeClaim without a volume, as far as
// the claim itself shows it.
func pendingBecause(pvc object) string {
	name := pvc.text("metadata", "name")
	if class := pvc.text("spec", "storageClassName"); class != "" {
		return fmt.Sprintf("the workspace %s waits for a volume of storage class %q (some classes make one only when the server's pod has found a node)", name, class)
	}
	if pvc.at("spec", "storageClassName") != nil {
		return fmt.Sprintf("the workspace %s waits for somebody to create a volume, because volume.storageClassName is empty", name)
	}
	return fmt.Sprintf("the workspace %s has no storage class, and the cluster has no default one: ask your platform team for one, or make a new notebook with volume.storageClassName", name)
}

// resizing repeats what the PersistentVolumeClaim says of its growth.
func resizing(pvc object) string {
	for _, conditionType := range []corev1.PersistentVolumeClaimConditionType{
		corev1.PersistentVolumeClaimControllerResizeError,
		corev1.PersistentVolumeClaimNodeResizeError,
		corev1.PersistentVolumeClaimFileSystemResizePending,
		corev1.PersistentVolumeClaimResizing,
	} {
		c := pvc.condition(string(conditionType))
		if c.text("status") != "True" {
			continue
		}
		if message := c.text("message"); message != "" {
			return fmt.Sprintf("the volume is growing (%s): %s", conditionType, message)
		}
		return fmt.Sprintf("the volume is growing (%s)", conditionType)
	}
	return ""
}

// serverIsReady follows the phase: a notebook is ready only if its server is.
func serverIsReady(v verdict) *fnv1.Condition {
	return condition(conditionServerReady, v.phase == v1.PhaseReady, v.reason, v.message)
}
