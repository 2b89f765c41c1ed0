package v1beta1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Group, Version and Kind of the function's input.
const (
	Group   = "jupyter.fn.crossplane.io"
	Version = "v1beta1"
	Kind    = "NotebookPolicy"
)

// NotebookPolicy is what a platform team decides for all notebooks. Every field
// is optional: without a policy everything works with safe defaults.
//
// +kubebuilder:object:root=true
// +kubebuilder:storageversion
// +kubebuilder:resource:categories=crossplane
type NotebookPolicy struct {
	metav1.TypeMeta `json:",inline"`

	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// Agent watches in a notebook's pod whether anybody uses it.
	//
	// +optional
	Agent Agent `json:"agent,omitzero"`

	// Diagnostics say where the function looks for the reason why a notebook does
	// not run.
	//
	// +optional
	Diagnostics Diagnostics `json:"diagnostics,omitzero"`
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
