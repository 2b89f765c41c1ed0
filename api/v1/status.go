package v1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// NotebookStatus is what became of a notebook. It holds facts and changes only
// when something changed in the world.
type NotebookStatus struct {
	// Phase of the notebook, in one word.
	//
	// +optional
	// +kubebuilder:validation:Enum=Creating;Ready;Stopped;Failed
	Phase Phase `json:"phase,omitempty"`

	// Reason of the phase, in one CamelCase word that programs can rely on.
	//
	// +optional
	Reason string `json:"reason,omitempty"`

	// Message is one sentence for the user: what the notebook is waiting for, or
	// why it does not run and what to do.
	//
	// +optional
	Message string `json:"message,omitempty"`

	// URL of the server, without its token.
	//
	// +optional
	URL string `json:"url,omitempty"`

	// ReadyReplicas is 1 while the server answers, else 0.
	//
	// +optional
	ReadyReplicas int32 `json:"readyReplicas"`

	// Image that the server runs.
	//
	// +optional
	Image string `json:"image,omitempty"`

	// Volume that holds the workspace. Absent: nothing is kept.
	//
	// +optional
	Volume *VolumeStatus `json:"volume,omitempty"`

	// Idle is set while the server is stopped because nobody used it.
	//
	// +optional
	Idle *IdleStatus `json:"idle,omitempty"`

	// StopsAt is when the server's lifetime (maxLifetimeSeconds) is over.
	//
	// +optional
	StopsAt *metav1.Time `json:"stopsAt,omitempty"`

	// AccessSecretRef names the Secret, in the notebook's namespace, whose key
	// token opens the server.
	//
	// +optional
	AccessSecretRef *corev1.LocalObjectReference `json:"accessSecretRef,omitempty"`
}

// VolumeStatus is what is known of the workspace's PersistentVolumeClaim.
type VolumeStatus struct {
	// ClaimName of the PersistentVolumeClaim.
	//
	// +optional
	ClaimName string `json:"claimName,omitempty"`

	// Requested is the size that the PersistentVolumeClaim asks for. It is more
	// than the capacity while the volume grows.
	//
	// +optional
	Requested *resource.Quantity `json:"requested,omitempty"`

	// Resize says how far the growth of the volume has come: Resizing while its
	// storage grows, FileSystemResizePending while only the file system is left,
	// and ResizeFailed with the reason in the condition VolumeReady. Absent: the
	// volume does not grow.
	//
	// +optional
	Resize string `json:"resize,omitempty"`

	// Capacity that the volume really has.
	//
	// +optional
	Capacity *resource.Quantity `json:"capacity,omitempty"`

	// Phase of the PersistentVolumeClaim: Pending, Bound or Lost.
	//
	// +optional
	Phase corev1.PersistentVolumeClaimPhase `json:"phase,omitempty"`
}

// IdleStatus is about a server that was stopped because nobody used it.
type IdleStatus struct {
	// Since when nobody used it.
	//
	// +optional
	Since *metav1.Time `json:"since,omitempty"`

	// StoppedAt is when it was stopped.
	//
	// +optional
	StoppedAt *metav1.Time `json:"stoppedAt,omitempty"`
}

// Phase of a notebook.
type Phase string

// Phases. There is none for deletion, which Crossplane's own Ready condition
// shows.
const (
	PhaseCreating Phase = "Creating"
	PhaseReady    Phase = "Ready"
	PhaseStopped  Phase = "Stopped"
	PhaseFailed   Phase = "Failed"
)
