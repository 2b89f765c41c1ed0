package fn

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// notebookStatus of the claim. It must not change unless something changed in the
// world: every change wakes Crossplane up again.
func notebookStatus(s situation, v verdict) v1.NotebookStatus {
	st := v1.NotebookStatus{Phase: v.phase, Reason: v.reason, Message: message(s, v)}
	if len(s.objects) == 0 && s.world.fresh {
		return st
	}
	d := s.server()
	st.URL = s.url()
	st.AccessSecretRef = &corev1.LocalObjectReference{Name: accessName(s.name)}
	st.Volume = volumeStatus(s)
	st.Image = serverImage(d)
	if st.Image == "" && s.spec != nil {
		st.Image = s.spec.Image
	}
	if generationObserved(d) && d.number("status", "readyReplicas") > 0 {
		st.ReadyReplicas = 1
	}
	st.Idle = s.idleStatus()
	if !s.run.ends.IsZero() {
		st.StopsAt = &metav1.Time{Time: s.run.ends}
	}
	return st
}

// idleStatus of a server that was stopped because nobody used it.
func (s situation) idleStatus() *v1.IdleStatus {
	if s.run.stop == nil || s.run.stop.Reason != reasonIdle {
		return nil
	}
	return &v1.IdleStatus{Since: &metav1.Time{Time: s.run.stop.Since}, StoppedAt: &metav1.Time{Time: s.run.stop.At}}
}

// url of the server, or empty while somebody else's Service is where it would be:
// nobody should send the token there.
func (s situation) url() string {
	if s.foreign[keyService].exists() {
		return ""
	}
	return serviceURL(serviceName(s.name), s.namespace, s.world.composed[keyService], s.nodeIP())
}

// addressPending tells a notebook that waits for its load balancer's address.
func (s situation) addressPending() bool {
	svc := s.world.composed[keyService]
	balanced := svc.text("spec", "type") == string(corev1.ServiceTypeLoadBalancer)
	if !s.keep { // The Service that exists may have another type yet.
		balanced = s.spec.ServiceType == corev1.ServiceTypeLoadBalancer
	}
	return balanced && loadBalancerAddress(svc) == ""
}

// message is one sentence: the verdict, unless the user must first hear that
// the claim was not followed.
func message(s situation, v verdict) string {
	told := messageNow(s, v)
	if s.expires() && v.reason != reasonExpiring {
		told += "; " + s.expiry()
	}
	return told
}

func messageNow(s situation, v verdict) string {
	refused := sentence(s.refusals)
	switch {
	case refused != "" && v.message != refused:
		return v.message + ", but " + s.refused()
	case v.phase == v1.PhaseFailed:
		return v.message
	case s.pvc().deleting():
		return v.message + "; " + workspaceDeleted
	case len(s.workspace.notDone)+len(s.notDone) > 0:
		return v.message + "; " + strings.Join(slices.Concat(s.workspace.notDone, s.notDone), "; ")
	case s.unprotected() && s.pvc().exists():
		return v.message + ", but " + s.notRetained()
	case v.phase == v1.PhaseReady && s.notWatched() != "":
		return v.message + ", but " + s.notWatched()
	case v.phase == v1.PhaseReady && s.workspaceName() == "":
		return v.message + ", and keeps nothing when it stops: set volumeSize to keep files"
	default:
		return v.message
	}
}

func volumeStatus(s situation) *v1.VolumeStatus {
	name := s.workspaceName()
	if name == "" {
		return nil
	}
	pvc := s.mounted()
	progress, _ := resize(pvc)
	st := &v1.VolumeStatus{ClaimName: name, Resize: progress, Phase: corev1.PersistentVolumeClaimPhase(pvc.text("status", "phase"))}
	if capacity, err := parseQuantity(pvc.text("status", "capacity", "storage")); err == nil {
		st.Capacity = &capacity
	}
	if requested, err := parseQuantity(pvc.text("spec", "resources", "requests", "storage")); err == nil {
		st.Requested = &requested
	}
	return st
}

// ready tells whether a composed object is as ready as it has to be. Crossplane
// counts a notebook ready when all of its objects are.
func ready(s situation, key string) bool {
	o, exists := s.world.composed[key]
	switch {
	case !exists:
		return false
	case key == keyServer && s.stopped():
		return serverGone(o)
	case key == keyServer:
		return serverReady(o)
	case s.stopped(): // Some volumes and addresses come with the first pod.
		return true
	case key == keyWorkspace:
		return o.text("status", "phase") == string(corev1.ClaimBound)
	case key == keyService:
		return !s.addressPending()
	default:
		return true
	}
}
