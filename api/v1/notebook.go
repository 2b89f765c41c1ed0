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
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.reason`,priority=1
// +kubebuilder:printcolumn:name="MESSAGE",type=string,JSONPath=`.status.message`,priority=1
type JupyterNotebook struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec   NotebookSpec   `json:"spec"`
	Status NotebookStatus `json:"status,omitzero"`
}

// NotebookSpec is what its user wants of a notebook. Only image is needed.
//
// +kubebuilder:validation:XValidation:rule="has(self.image)",reason=FieldValueRequired,fieldPath=".image",message="write the container image to run, for example quay.io/jupyter/scipy-notebook:2026-06-01"
// +kubebuilder:validation:XValidation:rule="!has(self.volumeSize) || !has(self.volume) || !has(self.volume.existingClaim)",fieldPath=".volumeSize",message="volumeSize and volume.existingClaim exclude each other: write volumeSize for a new workspace, or volume.existingClaim to use a PersistentVolumeClaim that exists"
// +kubebuilder:validation:XValidation:rule="has(self.volumeSize) || !has(self.volume) || !(has(self.volume.storageClassName) || has(self.volume.accessMode) || has(self.volume.retention))",fieldPath=".volumeSize",message="storageClassName, accessMode and retention are about a new workspace: write its volumeSize too, for example 10Gi, or leave them out"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.volumeSize) || has(self.volumeSize)",fieldPath=".volumeSize",message="volumeSize cannot be removed, because the workspace would be lost: leave it as it was, or delete the notebook"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.volumeSize) || !has(self.volumeSize) || !(!string(self.volumeSize).matches('[eE][+-]?[0-9]{3}') && isQuantity(string(self.volumeSize))) || quantity(string(self.volumeSize)).compareTo(quantity(string(oldSelf.volumeSize))) >= 0",fieldPath=".volumeSize",message="volumeSize can only grow: write at least the size that it had"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.volumeSize) || (has(self.volume) && has(self.volume.storageClassName) ? self.volume.storageClassName : 'DEFAULT') == (has(oldSelf.volume) && has(oldSelf.volume.storageClassName) ? oldSelf.volume.storageClassName : 'DEFAULT')",fieldPath=".volume.storageClassName",message="storageClassName cannot change once the workspace exists: leave it as it was, or make a new notebook"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.volumeSize) || (has(self.volume) && has(self.volume.accessMode) ? self.volume.accessMode : 'ReadWriteOnce') == (has(oldSelf.volume) && has(oldSelf.volume.accessMode) ? oldSelf.volume.accessMode : 'ReadWriteOnce')",fieldPath=".volume.accessMode",message="accessMode cannot change once the workspace exists: leave it as it was, or make a new notebook"
// +kubebuilder:validation:XValidation:rule="!has(self.mounts) || !self.mounts.exists(m, m.mountPath == self.?volume.?mountPath.orValue('/home/jovyan/work'))",fieldPath=".mounts",message="a mount is where the workspace is (volume.mountPath, by default /home/jovyan/work): write another mountPath"
// +kubebuilder:validation:XValidation:rule="!has(self.shmSize) || !has(self.resources) || !has(self.resources.limits) || !('memory' in self.resources.limits) || !(!string(self.shmSize).matches('[eE][+-]?[0-9]{3}') && isQuantity(string(self.shmSize))) || !(!string(self.resources.limits['memory']).matches('[eE][+-]?[0-9]{3}') && isQuantity(string(self.resources.limits['memory']))) || quantity(string(self.shmSize)).compareTo(quantity(string(self.resources.limits['memory']))) <= 0",fieldPath=".shmSize",message="shmSize counts as memory and is above the memory limit: write less, or raise the limit"
type NotebookSpec struct {
	// Image is the container image of the Jupyter server, for example
	// quay.io/jupyter/scipy-notebook:2026-06-01. A new image restarts the server.
	//
	// +optional
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="self.matches('^([A-Za-z0-9][-A-Za-z0-9.]*(:[0-9]+)?/)?[a-z0-9]+(([._]|__|-+)[a-z0-9]+)*(/[a-z0-9]+(([._]|__|-+)[a-z0-9]+)*)*(:[A-Za-z0-9_][-A-Za-z0-9_.]{0,127})?(@[a-z0-9+._-]+:[0-9a-fA-F]{32,128})?$')",message="not a container image: write registry/name:tag, for example quay.io/jupyter/scipy-notebook:2026-06-01"
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
	// +kubebuilder:validation:XValidation:rule="(!string(self).matches('[eE][+-]?[0-9]{3}') && isQuantity(string(self))) && quantity(string(self)).isGreaterThan(quantity('0'))",message="write a size of more than zero, such as 10Gi"
	VolumeSize *resource.Quantity `json:"volumeSize,omitempty"`

	// Volume says where and how the workspace is kept.
	//
	// +optional
	Volume Volume `json:"volume,omitzero"`

	// ServiceType is how the server is reached: ClusterIP from inside the cluster,
	// NodePort through every node, LoadBalancer from outside. The default is
	// ClusterIP.
	//
	// +optional
	// +kubebuilder:validation:Enum=ClusterIP;NodePort;LoadBalancer
	ServiceType corev1.ServiceType `json:"serviceType,omitempty"`

	// Stopped scales the server to zero. The workspace stays.
	//
	// +optional
	Stopped bool `json:"stopped,omitempty"`

	// RestartedAt restarts a running server when it is given a new timestamp,
	// for example 2026-11-30T12:00:00Z, and starts one that was stopped because it
	// was idle or because its lifetime was over.
	//
	// +optional
	RestartedAt *metav1.Time `json:"restartedAt,omitempty"`

	// IdleTimeoutSeconds is after how many seconds without activity the server is
	// stopped; its workspace stays. A busy kernel, a command in a terminal, a
	// process that computes and whatever its user does are activity; an open page
	// that nobody looks at is not. 0 is never, which is the default. The server is
	// not restarted by a change, except by the first one from 0.
	//
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == 0 || (self >= 60 && self <= 31536000)",message="write 0 for never, or 60 to 31536000 seconds, for example 3600"
	IdleTimeoutSeconds *int64 `json:"idleTimeoutSeconds,omitempty"`

	// MaxLifetimeSeconds is after how many seconds the server is stopped whatever it
	// does; its workspace stays. They are counted from its last start. A server that
	// has run for longer when this is written goes on for a minute at least, or half of
	// so short a lifetime, so that its user is warned. 0 is no limit, which is the
	// default.
	//
	// +optional
	// +kubebuilder:validation:XValidation:rule="self == 0 || (self >= 60 && self <= 31536000)",message="write 0 for no limit, or 60 to 31536000 seconds, for example 86400"
	MaxLifetimeSeconds *int64 `json:"maxLifetimeSeconds,omitempty"`

	// Env is set in the server's container. Variables that the notebook sets
	// itself are refused, because they would open it or move it: JUPYTER_TOKEN,
	// JUPYTER_TOKEN_FILE, JUPYTER_PORT, JUPYTER_CONFIG_PATH, JUPYTER_NO_CONFIG,
	// JUPYTER_ENV_VARS_TO_UNSET, NOTEBOOK_ARGS, NB_PREFIX, GEN_CERT and
	// JUPYTERHUB_….
	//
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:XValidation:rule="self.name.matches('^[-._A-Za-z][-._A-Za-z0-9]*$')",fieldPath=".name",message="write letters, digits, -, _ and ., and no digit first"
	// +kubebuilder:validation:items:XValidation:rule="!(self.name in ['JUPYTER_TOKEN', 'JUPYTER_TOKEN_FILE', 'JUPYTER_PORT', 'JUPYTER_CONFIG_PATH', 'JUPYTER_NO_CONFIG', 'JUPYTER_ENV_VARS_TO_UNSET', 'NOTEBOOK_ARGS', 'NB_PREFIX', 'GEN_CERT']) && !self.name.startsWith('JUPYTERHUB_')",fieldPath=".name",message="this variable decides how the notebook is protected and reached: leave it out"
	// +kubebuilder:validation:items:XValidation:rule="!has(self.value) || !has(self.valueFrom)",message="write value or valueFrom, not both"
	// +kubebuilder:validation:items:XValidation:rule="!has(self.valueFrom) || [has(self.valueFrom.configMapKeyRef), has(self.valueFrom.secretKeyRef), has(self.valueFrom.fieldRef), has(self.valueFrom.resourceFieldRef), has(self.valueFrom.fileKeyRef)].filter(x, x).size() == 1",fieldPath=".valueFrom",message="write exactly one of configMapKeyRef, secretKeyRef, fieldRef and resourceFieldRef"
	// +kubebuilder:validation:items:XValidation:rule="!has(self.valueFrom) || !has(self.valueFrom.fileKeyRef)",fieldPath=".valueFrom",message="fileKeyRef is not supported: write configMapKeyRef or secretKeyRef"
	Env []corev1.EnvVar `json:"env,omitempty"`

	// EnvFrom sets every key of a ConfigMap or Secret in the server's container.
	// It cannot change variables that the notebook sets itself.
	//
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:XValidation:rule="has(self.configMapRef) != has(self.secretRef)",message="write exactly one of configMapRef and secretRef"
	// +kubebuilder:validation:items:XValidation:rule="self.?configMapRef.?name.orValue('name') != '' && self.?secretRef.?name.orValue('name') != ''",message="write the name of the ConfigMap or Secret"
	EnvFrom []corev1.EnvFromSource `json:"envFrom,omitempty"`

	// ImagePullSecrets name the Secrets that hold credentials for the image.
	//
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:XValidation:rule="self.name != ''",fieldPath=".name",message="write the name of the Secret"
	ImagePullSecrets []corev1.LocalObjectReference `json:"imagePullSecrets,omitempty"`

	// Mounts are existing PersistentVolumeClaims, Secrets and ConfigMaps to mount
	// next to the workspace.
	//
	// +optional
	// +listType=map
	// +listMapKey=mountPath
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:XValidation:rule="self.all(a, self.exists_one(b, a.mountPath == b.mountPath))",message="two mounts have the same mountPath: write each path once"
	Mounts []Mount `json:"mounts,omitempty"`

	// ShmSize is the size of /dev/shm, which data loaders of PyTorch and others
	// need. It counts as memory. The default is half of the memory limit, if
	// there is one.
	//
	// +optional
	// +kubebuilder:validation:XValidation:rule="(!string(self).matches('[eE][+-]?[0-9]{3}') && isQuantity(string(self))) && quantity(string(self)).isGreaterThan(quantity('0'))",message="write a size of more than zero, such as 1Gi"
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
	// +kubebuilder:validation:items:XValidation:rule="self.?operator.orValue('') in ['', 'Equal', 'Exists']",fieldPath=".operator",message="write Equal or Exists"
	// +kubebuilder:validation:items:XValidation:rule="self.?effect.orValue('') in ['', 'NoSchedule', 'PreferNoSchedule', 'NoExecute']",fieldPath=".effect",message="write NoSchedule, PreferNoSchedule or NoExecute, or leave it out for all of them"
	// +kubebuilder:validation:items:XValidation:rule="self.?key.orValue('') != '' || self.?operator.orValue('') == 'Exists'",fieldPath=".key",message="write the key of the taint, or operator: Exists to tolerate every taint"
	// +kubebuilder:validation:items:XValidation:rule="self.?value.orValue('') == '' || self.?operator.orValue('') != 'Exists'",fieldPath=".value",message="operator: Exists has no value: leave value out, or write operator: Equal"
	// +kubebuilder:validation:items:XValidation:rule="!has(self.tolerationSeconds) || self.?effect.orValue('') == 'NoExecute'",fieldPath=".tolerationSeconds",message="tolerationSeconds is only for effect: NoExecute: write that effect, or leave tolerationSeconds out"
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`

	// Auth says who may open the notebook.
	//
	// +optional
	Auth Auth `json:"auth,omitzero"`
}

// Resources of the server's container, as Kubernetes has them.
//
// +kubebuilder:validation:XValidation:rule="!has(self.requests) || !has(self.limits) || self.requests.all(r, !(r in self.limits) || !(!string(self.requests[r]).matches('[eE][+-]?[0-9]{3}') && isQuantity(string(self.requests[r]))) || !(!string(self.limits[r]).matches('[eE][+-]?[0-9]{3}') && isQuantity(string(self.limits[r]))) || quantity(string(self.requests[r])).compareTo(quantity(string(self.limits[r]))) <= 0)",message="a request is above its limit: lower the request or raise the limit"
// +kubebuilder:validation:XValidation:rule="!has(self.requests) || !has(self.limits) || self.requests.all(r, !r.contains('/') || !(r in self.limits) || string(self.requests[r]) == string(self.limits[r]))",message="a GPU or other device is requested and limited to different numbers: write it under limits only"
type Resources struct {
	// Requests are what the server is sure to have.
	//
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	// +kubebuilder:validation:XValidation:rule="self.all(r, r in ['cpu', 'memory', 'ephemeral-storage'] || r.startsWith('hugepages-') || r.contains('/'))",message="unknown resource: write cpu, memory, ephemeral-storage, or a device with its vendor's domain such as nvidia.com/gpu"
	// +kubebuilder:validation:XValidation:rule="self.all(r, (!string(self[r]).matches('[eE][+-]?[0-9]{3}') && isQuantity(string(self[r]))) && !quantity(string(self[r])).isLessThan(quantity('0')))",message="a request is negative or no number: write zero or more, for example cpu: 500m or memory: 2Gi"
	// +kubebuilder:validation:XValidation:rule="self.all(r, !r.contains('/') || !(!string(self[r]).matches('[eE][+-]?[0-9]{3}') && isQuantity(string(self[r]))) || quantity(string(self[r])).isInteger())",message="a GPU or other device is counted in whole numbers: write 1 or more"
	Requests map[corev1.ResourceName]resource.Quantity `json:"requests,omitempty"`

	// Limits are what the server may use at most.
	//
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	// +kubebuilder:validation:XValidation:rule="self.all(r, r in ['cpu', 'memory', 'ephemeral-storage'] || r.startsWith('hugepages-') || r.contains('/'))",message="unknown resource: write cpu, memory, ephemeral-storage, or a device with its vendor's domain such as nvidia.com/gpu"
	// +kubebuilder:validation:XValidation:rule="self.all(r, (!string(self[r]).matches('[eE][+-]?[0-9]{3}') && isQuantity(string(self[r]))) && !quantity(string(self[r])).isLessThan(quantity('0')))",message="a limit is negative or no number: write zero or more, for example cpu: 500m or memory: 2Gi"
	// +kubebuilder:validation:XValidation:rule="self.all(r, !r.contains('/') || !(!string(self[r]).matches('[eE][+-]?[0-9]{3}') && isQuantity(string(self[r]))) || quantity(string(self[r])).isInteger())",message="a GPU or other device is counted in whole numbers: write 1 or more"
	Limits map[corev1.ResourceName]resource.Quantity `json:"limits,omitempty"`
}

// Volume says where and how the workspace is kept.
type Volume struct {
	// StorageClassName of the workspace. The default is the cluster's default
	// class. It cannot change once the workspace exists.
	//
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^([a-z0-9]([-a-z0-9.]*[a-z0-9])?)?$')",message="write the name of a StorageClass: lowercase letters, digits, - and ."
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
	// +kubebuilder:validation:XValidation:rule="self.matches('^(/([^/:.][^/:]*|[.][^/:.][^/:]*))+$')",message="write an absolute path without colons, dots and a slash at its end, for example /home/jovyan/data"
	// +kubebuilder:validation:XValidation:rule="self != '/dev' && !self.matches('^/(proc|sys|dev/shm|etc/function-jupyter)(/|$)')",message="the container needs this path for itself: write another path, for example /home/jovyan/data"
	MountPath string `json:"mountPath,omitempty"`

	// Retention says what becomes of the workspace when the notebook is deleted:
	// Retain keeps it, and a new notebook of the same name takes it up again. The
	// default is Delete.
	//
	// +optional
	// +kubebuilder:validation:Enum=Delete;Retain
	Retention Retention `json:"retention,omitempty"`

	// ExistingClaim is the name of a PersistentVolumeClaim in the notebook's
	// namespace to use as the workspace. The notebook never changes or deletes it.
	//
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')",message="write the name of a PersistentVolumeClaim: lowercase letters, digits, - and ."
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
	// +kubebuilder:validation:XValidation:rule="self.matches('^(/([^/:.][^/:]*|[.][^/:.][^/:]*))+$')",message="write an absolute path without colons, dots and a slash at its end, for example /home/jovyan/data"
	// +kubebuilder:validation:XValidation:rule="self != '/dev' && !self.matches('^/(proc|sys|dev/shm|etc/function-jupyter)(/|$)')",message="the container needs this path for itself: write another path, for example /home/jovyan/data"
	MountPath string `json:"mountPath"`

	// PersistentVolumeClaim to mount, by name.
	//
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')",message="write the name of a PersistentVolumeClaim: lowercase letters, digits, - and ."
	PersistentVolumeClaim string `json:"persistentVolumeClaim,omitempty"`

	// Secret to mount, by name.
	//
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')",message="write the name of a Secret: lowercase letters, digits, - and ."
	Secret string `json:"secret,omitempty"`

	// ConfigMap to mount, by name.
	//
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')",message="write the name of a ConfigMap: lowercase letters, digits, - and ."
	ConfigMap string `json:"configMap,omitempty"`

	// SubPath inside the volume. The default is the volume's root.
	//
	// +optional
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="!self.matches('^/|(^|/)[.][.](/|$)')",message="write a path inside the volume, without a slash at its start and without .."
	SubPath string `json:"subPath,omitempty"`

	// ReadOnly mounts the volume read-only. Secrets and ConfigMaps always are.
	//
	// +optional
	ReadOnly bool `json:"readOnly,omitempty"`
}

// Auth says who may open the notebook.
type Auth struct {
	// Mode Token: who knows the token in the access Secret may open the notebook.
	// Mode None leaves it open, and is refused unless the platform's policy allows
	// it. The default is Token.
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
