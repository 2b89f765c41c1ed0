package v1beta1

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Environment is an image under a name that users remember.
type Environment struct {
	// Name of the environment, for example tensorflow-2.11.
	//
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`

	// Image of the environment.
	//
	// +kubebuilder:validation:MinLength=1
	Image string `json:"image"`

	// Description for users.
	//
	// +optional
	Description string `json:"description,omitempty"`

	// Deprecated environments work, and warn.
	//
	// +optional
	Deprecated bool `json:"deprecated,omitempty"`

	// Replacement of a deprecated one: the name of another environment.
	//
	// +optional
	Replacement string `json:"replacement,omitempty"`
}

// Images that are allowed besides those of the environments.
type Images struct {
	// Allow has patterns of images, in which a * stands for any text:
	// registry.example.org/data/*. Without patterns every image is allowed; an empty
	// list allows none but those of the environments.
	//
	// +optional
	// +listType=atomic
	Allow *[]string `json:"allow,omitempty"`
}

// ResourceRules are defaults and bounds of what a notebook asks for.
type ResourceRules struct {
	// Default requests and limits, for each resource that the claim says nothing of.
	//
	// +optional
	Default ResourceDefaults `json:"default,omitzero"`

	// Max is the most that a notebook may ask for, by the name of any resource.
	//
	// +optional
	Max corev1.ResourceList `json:"max,omitempty"`
}

// ResourceDefaults are what a notebook has that asks for nothing.
type ResourceDefaults struct {
	// Requests by resource.
	//
	// +optional
	Requests corev1.ResourceList `json:"requests,omitempty"`

	// Limits by resource.
	//
	// +optional
	Limits corev1.ResourceList `json:"limits,omitempty"`
}

// GPUType is what a GPU's name in a claim means on this platform.
type GPUType struct {
	// Name that users write, for example V100.
	//
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`

	// ResourceName of the device, for example nvidia.com/gpu.
	ResourceName corev1.ResourceName `json:"resourceName"`

	// NodeSelector of the nodes that have it.
	//
	// +optional
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`

	// Tolerations of their taints, next to the one of the resource's name.
	//
	// +optional
	// +listType=atomic
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`

	// CountMax is how many a notebook may have. 0 is no bound.
	//
	// +optional
	// +kubebuilder:validation:Minimum=0
	CountMax int64 `json:"countMax,omitempty"`
}

// Storage of the workspaces.
type Storage struct {
	// DefaultClass of a new workspace. The default is the cluster's default class.
	//
	// +optional
	DefaultClass string `json:"defaultClass,omitempty"`

	// DefaultSize of the workspace of a notebook that names none. Without it such a
	// notebook keeps nothing.
	//
	// +optional
	DefaultSize *resource.Quantity `json:"defaultSize,omitempty"`

	// MaxSize of a workspace.
	//
	// +optional
	MaxSize *resource.Quantity `json:"maxSize,omitempty"`

	// Retention of a workspace whose claim says nothing. The default is Delete.
	//
	// +optional
	// +kubebuilder:validation:Enum=Delete;Retain
	Retention string `json:"retention,omitempty"`
}

// Idle says when notebooks that nobody uses are stopped.
type Idle struct {
	// DefaultSeconds of notebooks whose claim says nothing. 0 is never, which is the
	// default.
	//
	// +optional
	// +kubebuilder:validation:Minimum=0
	DefaultSeconds *int64 `json:"defaultSeconds,omitempty"`

	// MinSeconds that a claim may write, apart from 0.
	//
	// +optional
	// +kubebuilder:validation:Minimum=0
	MinSeconds int64 `json:"minSeconds,omitempty"`

	// MaxSeconds that a claim may write. 0 is no bound.
	//
	// +optional
	// +kubebuilder:validation:Minimum=0
	MaxSeconds int64 `json:"maxSeconds,omitempty"`

	// ExemptAllowed tells whether a claim may write 0, for never. The default is true.
	//
	// +optional
	ExemptAllowed *bool `json:"exemptAllowed,omitempty"`
}

// Auth says who may open a notebook.
type Auth struct {
	// Modes that a claim may choose: Token, None. The default is Token alone.
	//
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:items:Enum=Token;None
	Modes []string `json:"modes,omitempty"`
}

// Network says from where notebooks are reached, and what they reach.
type Network struct {
	// From has those who may reach a notebook besides its own namespace, such as an
	// ingress controller.
	//
	// +optional
	// +listType=atomic
	From []networkingv1.NetworkPolicyPeer `json:"from,omitempty"`

	// Egress rules replace the default, which is everything but the clouds' metadata
	// services. An empty list allows nothing.
	//
	// +optional
	// +listType=atomic
	Egress *[]networkingv1.NetworkPolicyEgressRule `json:"egress,omitempty"`
}

// Pod has what every notebook's pod gets.
type Pod struct {
	// Labels of the pods.
	//
	// +optional
	Labels map[string]string `json:"labels,omitempty"`

	// Annotations of the pods.
	//
	// +optional
	Annotations map[string]string `json:"annotations,omitempty"`

	// NodeSelector of the pods, next to the claim's and the GPU type's.
	//
	// +optional
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`

	// Tolerations of the pods, next to the claim's and the GPU type's.
	//
	// +optional
	// +listType=atomic
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`

	// ImagePullSecrets of the pods, next to the claim's. They are Secrets of each
	// notebook's namespace.
	//
	// +optional
	// +listType=map
	// +listMapKey=name
	ImagePullSecrets []corev1.LocalObjectReference `json:"imagePullSecrets,omitempty"`

	// PriorityClassName of the pods.
	//
	// +optional
	PriorityClassName string `json:"priorityClassName,omitempty"`

	// RuntimeClassName of the pods, such as that of a sandbox.
	//
	// +optional
	RuntimeClassName string `json:"runtimeClassName,omitempty"`

	// SecurityLevel is the level of the Pod Security Standards that the pods fulfil:
	// restricted, or baseline for images that need their own user, as root. The
	// default is restricted.
	//
	// +optional
	// +kubebuilder:validation:Enum=restricted;baseline
	SecurityLevel string `json:"securityLevel,omitempty"`

	// QueueName is the Kueue queue through which the pods are admitted.
	//
	// +optional
	QueueName string `json:"queueName,omitempty"`
}

// Agent watches in a notebook's pod whether anybody uses it. Only notebooks with
// an idleTimeoutSeconds have one.
type Agent struct {
	// Image of the agent, which is that of the function. Nodes pull it for the pods
	// of users. The default is the image of this release.
	//
	// +optional
	Image string `json:"image,omitempty"`

	// Resources of the agent. Each is the agent's request where the notebook has a
	// request, and its limit where the notebook has a limit, so that the pod keeps
	// its quality of service. (The limit of its CPU is ten times as much where the
	// notebook's is above its request.) The default is 10m of CPU and 16Mi of memory.
	//
	// +optional
	Resources AgentResources `json:"resources,omitzero"`
}

// AgentResources are amounts for the agent's container.
type AgentResources struct {
	// CPU, for example 10m.
	//
	// +optional
	CPU *resource.Quantity `json:"cpu,omitempty"`

	// Memory, for example 16Mi.
	//
	// +optional
	Memory *resource.Quantity `json:"memory,omitempty"`
}

// Diagnostics say where the function looks for the reason why a notebook does not
// run.
type Diagnostics struct {
	// Pods tells whether the function may look at the pods of notebooks. Crossplane
	// then keeps all pods of the cluster in memory. Without it the reasons of a
	// failure are few, and no notebook is stopped for being idle. The default is
	// true.
	//
	// +optional
	Pods *bool `json:"pods,omitempty"`
}

// Prices of what a notebook uses.
type Prices struct {
	// Currency of all prices, for example EUR.
	//
	// +kubebuilder:validation:MinLength=1
	Currency string `json:"currency"`

	// CPUCoreHour is the price of a CPU core for an hour, for example "0.04".
	//
	// +optional
	CPUCoreHour *resource.Quantity `json:"cpuCoreHour,omitempty"`

	// MemoryGiBHour is the price of a GiB of memory for an hour.
	//
	// +optional
	MemoryGiBHour *resource.Quantity `json:"memoryGiBHour,omitempty"`

	// StorageGiBMonth is the price of a GiB of a workspace for a month of 730 hours.
	//
	// +optional
	StorageGiBMonth *resource.Quantity `json:"storageGiBMonth,omitempty"`

	// GPUHour is the price of a GPU for an hour, by its type.
	//
	// +optional
	GPUHour map[string]resource.Quantity `json:"gpuHour,omitempty"`
}
