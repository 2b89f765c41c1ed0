package v1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// JupyterNotebook is one running, private, persistent Jupyter server.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:categories=jupyter,shortName=jnb
// +kubebuilder:printcolumn:name="IMAGE",type=string,JSONPath=`.status.image`
// +kubebuilder:printcolumn:name="STATUS",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="URL",type=string,JSONPath=`.status.url`
type JupyterNotebook struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec   NotebookSpec   `json:"spec"`
	Status NotebookStatus `json:"status,omitzero"`
}

// NotebookSpec is what its user wants of a notebook. Every field but image is
// optional.
//
// +kubebuilder:validation:XValidation:rule="has(self.image)",message="image is required: write the container image to run, for example quay.io/jupyter/scipy-notebook:2026-06-01"
// +kubebuilder:validation:XValidation:rule="!has(self.volumeSize) || !has(self.volume) || !has(self.volume.existingClaim)",message="volumeSize and volume.existingClaim exclude each other: write volumeSize for a new workspace, or volume.existingClaim to use a PersistentVolumeClaim that exists"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.volumeSize) || has(self.volumeSize)",message="volumeSize cannot be removed, because the workspace would be lost: leave it as it was, or delete the notebook"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.volumeSize) || !has(self.volumeSize) || quantity(string(self.volumeSize)).compareTo(quantity(string(oldSelf.volumeSize))) >= 0",message="volumeSize can only grow: write at least the size that it had"
type NotebookSpec struct {
	// Image is the container image of the Jupyter server, for example
	// quay.io/jupyter/scipy-notebook:2026-06-01. Changing it rolls the server.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9][A-Za-z0-9._:/@-]*$`
	Image string `json:"image,omitempty"`

	// Resources of the server: CPU, memory, and GPUs by their resource name
	// (nvidia.com/gpu, amd.com/gpu, …). A GPU's usual taint is tolerated.
	//
	// +optional
	Resources Resources `json:"resources,omitzero"`

	// VolumeSize is the size of the persistent workspace, for example 10Gi. It
	// can grow, not shrink. Without it (and without volume.existingClaim) the
	// workspace is lost when the server stops.
	//
	// +optional
	// +kubebuilder:validation:XValidation:rule="quantity(string(self)).isGreaterThan(quantity('0'))",message="must be more than zero: write a size such as 10Gi"
	VolumeSize *resource.Quantity `json:"volumeSize,omitempty"`

	// Volume says where and how the workspace is kept.
	//
	// +optional
	Volume Volume `json:"volume,omitzero"`

	// ServiceType is how the server is reached: ClusterIP (the default) from
	// inside the cluster, NodePort through every node, LoadBalancer from outside.
	//
	// +optional
	// +kubebuilder:validation:Enum=ClusterIP;NodePort;LoadBalancer
	ServiceType corev1.ServiceType `json:"serviceType,omitempty"`

	// Stopped scales the server to zero. The workspace stays.
	//
	// +optional
	Stopped bool `json:"stopped,omitempty"`

	// RestartedAt restarts a running server when it is given a new timestamp,
	// for example 2026-11-30T12:00:00Z.
	//
	// +optional
	RestartedAt *metav1.Time `json:"restartedAt,omitempty"`

	// Env is set in the server's container. Variables that the notebook sets
	// itself (JUPYTER_TOKEN, JUPYTER_PORT, …) are refused.
	//
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=256
	Env []corev1.EnvVar `json:"env,omitempty"`

	// EnvFrom sets every key of a ConfigMap or Secret in the server's container.
	// It cannot change variables that the notebook sets itself.
	//
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	EnvFrom []corev1.EnvFromSource `json:"envFrom,omitempty"`

	// ImagePullSecrets name the Secrets that hold credentials for the image.
	//
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	ImagePullSecrets []corev1.LocalObjectReference `json:"imagePullSecrets,omitempty"`

	// Mounts are existing PersistentVolumeClaims, Secrets and ConfigMaps to mount
	// next to the workspace.
	//
	// +optional
	// +listType=map
	// +listMapKey=mountPath
	// +kubebuilder:validation:MaxItems=64
	Mounts []Mount `json:"mounts,omitempty"`

	// ShmSize is the size of /dev/shm, which data loaders of PyTorch and others
	// need. It counts as memory. The default is half of the memory limit, if
	// there is one.
	//
	// +optional
	// +kubebuilder:validation:XValidation:rule="quantity(string(self)).isGreaterThan(quantity('0'))",message="must be more than zero: write a size such as 1Gi"
	ShmSize *resource.Quantity `json:"shmSize,omitempty"`

	// Command replaces the image's entrypoint. Leave it out: the image's own is
	// right for nearly all Jupyter images.
	//
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Command []string `json:"command,omitempty"`

	// Args replace the arguments of the image's entrypoint.
	//
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=256
	Args []string `json:"args,omitempty"`

	// NodeSelector restricts the server to nodes that carry these labels.
	//
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`

	// Tolerations let the server run on nodes with these taints, next to the
	// taints of the GPUs that it asks for.
	//
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`

	// Auth says who may open the notebook.
	//
	// +optional
	Auth Auth `json:"auth,omitzero"`
}

// Resources of the server's container, as Kubernetes has them.
//
// +kubebuilder:validation:XValidation:rule="!has(self.requests) || !has(self.limits) || self.requests.all(r, !(r in self.limits) || quantity(string(self.requests[r])).compareTo(quantity(string(self.limits[r]))) <= 0)",message="a request is above its limit: lower the request or raise the limit"
// +kubebuilder:validation:XValidation:rule="!has(self.requests) || self.requests.all(r, !quantity(string(self.requests[r])).isLessThan(quantity('0')))",message="a request is negative: write zero or more"
// +kubebuilder:validation:XValidation:rule="!has(self.limits) || self.limits.all(r, !quantity(string(self.limits[r])).isLessThan(quantity('0')))",message="a limit is negative: write zero or more"
type Resources struct {
	// Requests are what the server is sure to have.
	//
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	Requests map[corev1.ResourceName]resource.Quantity `json:"requests,omitempty"`

	// Limits are what the server may use at most.
	//
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	Limits map[corev1.ResourceName]resource.Quantity `json:"limits,omitempty"`
}

// Volume says where and how the workspace is kept.
type Volume struct {
	// StorageClassName of the workspace. The default is the cluster's default
	// class. It cannot change once the workspace exists.
	//
	// +optional
	// +kubebuilder:validation:MaxLength=253
	StorageClassName *string `json:"storageClassName,omitempty"`

	// AccessMode of the workspace. The default is ReadWriteOnce. It cannot change
	// once the workspace exists.
	//
	// +optional
	// +kubebuilder:validation:Enum=ReadWriteOnce;ReadWriteOncePod;ReadWriteMany
	AccessMode corev1.PersistentVolumeAccessMode `json:"accessMode,omitempty"`

	// MountPath of the workspace in the container, which is also the folder that
	// Jupyter shows. The default is /home/jovyan/work.
	//
	// +optional
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:Pattern=`^/[^:]+$`
	MountPath string `json:"mountPath,omitempty"`

	// Retention says what becomes of the workspace when the notebook is deleted:
	// Delete (the default) or Retain. A new notebook of the same name takes a
	// retained workspace up again.
	//
	// +optional
	// +kubebuilder:validation:Enum=Delete;Retain
	Retention Retention `json:"retention,omitempty"`

	// ExistingClaim is the name of a PersistentVolumeClaim in the notebook's
	// namespace to use as the workspace. The notebook never changes or deletes it.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	ExistingClaim string `json:"existingClaim,omitempty"`
}

// Retention is what becomes of a workspace when its notebook is deleted.
type Retention string

// Retentions.
const (
	RetentionDelete Retention = "Delete"
	RetentionRetain Retention = "Retain"
)

// Mount is one existing volume to mount next to the workspace. Exactly one of
// persistentVolumeClaim, secret and configMap names it.
//
// +kubebuilder:validation:XValidation:rule="[has(self.persistentVolumeClaim), has(self.secret), has(self.configMap)].filter(x, x).size() == 1",message="write exactly one of persistentVolumeClaim, secret and configMap"
type Mount struct {
	// MountPath in the container.
	//
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:Pattern=`^/[^:]+$`
	MountPath string `json:"mountPath"`

	// PersistentVolumeClaim to mount, by name.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	PersistentVolumeClaim string `json:"persistentVolumeClaim,omitempty"`

	// Secret to mount, by name.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Secret string `json:"secret,omitempty"`

	// ConfigMap to mount, by name.
	//
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	ConfigMap string `json:"configMap,omitempty"`

	// SubPath inside the volume. The default is the volume's root.
	//
	// +optional
	// +kubebuilder:validation:MaxLength=512
	SubPath string `json:"subPath,omitempty"`

	// ReadOnly mounts the volume read-only. Secrets and ConfigMaps always are.
	//
	// +optional
	ReadOnly bool `json:"readOnly,omitempty"`
}

// Auth says who may open the notebook.
type Auth struct {
	// Mode is Token (the default): who knows the token in the access Secret may
	// open the notebook. None leaves it open, and is refused unless the
	// platform's policy allows it.
	//
	// +optional
	// +kubebuilder:validation:Enum=Token;None
	Mode AuthMode `json:"mode,omitempty"`
}

// AuthMode is how a notebook is protected.
type AuthMode string

// Auth modes.
const (
	AuthModeToken AuthMode = "Token"
	AuthModeNone  AuthMode = "None"
)
