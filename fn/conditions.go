package fn

import (
	"fmt"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/function-jupyter/function-jupyter/agent"
	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// Conditions of a claim, next to Crossplane's own.
const (
	conditionAccepted    = "Accepted"
	conditionVolumeReady = "VolumeReady"
	conditionServerReady = "ServerReady"

	conditionRestartPending = "RestartPending"

	// conditionActivityKnown is only there while somebody wants to know.
	conditionActivityKnown = "ActivityKnown"

	reasonActivityUnknown = "ActivityUnknown"
)

// conditions of the claim, always in the same order. Crossplane keeps one that is
// not given any more as it was.
func conditions(s situation, v verdict) []*fnv1.Condition {
	all := []*fnv1.Condition{accepted(s), volumeReady(s), serverIsReady(v), restartPending(s)}
	if c := activityKnown(s); c != nil {
		all = append(all, c)
	}
	return all
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

// refused says what is not followed, and whose it is.
func (s situation) refused() string {
	if s.refusals[0].reason == reasonPolicyInvalid {
		return sentence(s.refusals)
	}
	return "its last change is refused: " + sentence(s.refusals)
}

func volumeReady(s situation) *fnv1.Condition {
	switch pvc := s.pvc(); {
	case pvc.exists():
		return workspaceReady(s, pvc)
	case s.held[keyWorkspace] != "" && !s.keep:
		return volume(false, reasonQuotaExceeded, "%s", strings.Join(s.workspace.notDone, "; "))
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
	if message := s.resizing(pvc); message != "" {
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

// growth of a volume, as far as it has come.
const (
	resizeRunning    = "Resizing"
	resizeFileSystem = "FileSystemResizePending"
	resizeFailed     = "ResizeFailed"
)

// resize tells how far the growth of a PersistentVolumeClaim has come, and what it
// says of that. Without growth it is empty.
func resize(pvc object) (progress, message string) {
	for _, step := range []struct {
		conditionType corev1.PersistentVolumeClaimConditionType
		progress      string
	}{
		{corev1.PersistentVolumeClaimControllerResizeError, resizeFailed},
		{corev1.PersistentVolumeClaimNodeResizeError, resizeFailed},
		{corev1.PersistentVolumeClaimFileSystemResizePending, resizeFileSystem},
		{corev1.PersistentVolumeClaimResizing, resizeRunning},
	} {
		if c := pvc.condition(string(step.conditionType)); c.text("status") == "True" {
			return step.progress, c.text("message")
		}
	}
	requested, err := parseQuantity(pvc.text("spec", "resources", "requests", "storage"))
	capacity, none := parseQuantity(pvc.text("status", "capacity", "storage"))
	if err == nil && none == nil && requested.Cmp(capacity) > 0 {
		return resizeRunning, ""
	}
	return "", ""
}

// resizing is a sentence about the growth of a PersistentVolumeClaim, or empty.
func (s situation) resizing(pvc object) string {
	progress, said := resize(pvc)
	if progress == "" {
		return ""
	}
	size := fmt.Sprintf("from %s to %s", pvc.text("status", "capacity", "storage"), pvc.text("spec", "resources", "requests", "storage"))
	sentence := map[string]string{
		resizeRunning:    "the volume grows " + size,
		resizeFileSystem: "the volume grows " + size + ": its storage has, and its file system follows while the server runs",
		resizeFailed:     "the volume cannot grow " + size + ": ask your platform team",
	}[progress]
	return sentence + s.inBrackets(said, maxQuote)
}

// restartPending tells whether a restart would change the server.
func restartPending(s situation) *fnv1.Condition {
	if len(s.heldBack) > 0 {
		return condition(conditionRestartPending, true, "PodChanged", pendingRestart(s.heldBack))
	}
	return condition(conditionRestartPending, false, "NothingPending", "")
}

// activityKnown tells whether a notebook that is to be stopped when idle is watched,
// or nil if it need not be.
func activityKnown(s situation) *fnv1.Condition {
	if why := s.notWatched(); why != "" {
		return condition(conditionActivityKnown, false, reasonActivityUnknown, why)
	}
	if s.spec != nil && idleTimeout(s.spec) > 0 {
		return condition(conditionActivityKnown, true, "Watched", "")
	}
	if s.was.condition(conditionActivityKnown).exists() {
		return condition(conditionActivityKnown, true, "NotWatched", "idleTimeoutSeconds is not set")
	}
	return nil
}

// notWatched says why a server is not stopped when nobody uses it, though its claim
// asks for that.
func (s situation) notWatched() string {
	switch {
	case s.keep && hasAgent(s.server()) && !s.stopped():
		return "nobody stops the server when it is idle, as long as its claim is refused"
	case s.keep, s.spec == nil, idleTimeout(s.spec) == 0, s.stopped():
		return ""
	case !s.looksAtPods():
		return "idleTimeoutSeconds has no effect, because this platform does not let notebooks look at their pods"
	case s.server().exists() && !hasAgent(s.server()) && len(s.heldBack) > 0:
		return "idleTimeoutSeconds has no effect until the server restarts, because nothing watches it yet"
	}
	p := pod{s.world.pod()}
	if r, ok := agentReport(p); ok && r.State == agent.Unknown {
		return "idleTimeoutSeconds has no effect at present, because the server does not tell whether anybody uses it" + s.inBrackets(r.Seen, maxQuote)
	}
	if end, _ := agentFailed(p, s.now); end.exists() {
		return fmt.Sprintf("idleTimeoutSeconds has no effect at present, because the platform's activity agent ended with exit code %d%s: if this lasts, ask your platform team", end.number("exitCode"), s.inBrackets(end.text("reason"), maxQuote))
	}
	return ""
}

// serverIsReady follows the phase: a notebook is ready only if its server is.
func serverIsReady(v verdict) *fnv1.Condition {
	return condition(conditionServerReady, v.phase == v1.PhaseReady, v.reason, v.message)
}
