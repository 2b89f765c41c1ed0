package v1beta1

import (
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

	// EnvironmentConfig is the name of an EnvironmentConfig of Crossplane whose data
	// has fields of a policy, too. They go over those that are written here, so that a
	// Composition need not be changed to set them. When it changes, notebooks follow
	// by themselves.
	//
	// +optional
	EnvironmentConfig string `json:"environmentConfig,omitempty"`

	Rules `json:",inline"`

	// Namespaces have rules of their own. All that apply to a namespace go over the
	// rules of the policy, each over those before it.
	//
	// +optional
	// +listType=atomic
	Namespaces []NamespaceRules `json:"namespaces,omitempty"`
}

// NamespaceRules go over the policy's in some namespaces. A field that is written
// replaces the policy's. Of lists whose elements have names (environments, gpuTypes)
// it replaces those of the same name, and adds others.
type NamespaceRules struct {
	// Names of the namespaces. A * stands for any text: team-*.
	//
	// +optional
	// +listType=atomic
	Names []string `json:"names,omitempty"`

	// Labels that the namespaces have. Without names, labels alone decide; with
	// names, both must fit.
	//
	// +optional
	Labels map[string]string `json:"labels,omitempty"`

	Rules `json:",inline"`
}

// Rules for notebooks.
type Rules struct {
	// Environments are images that users may name.
	//
	// +optional
	// +listType=map
	// +listMapKey=name
	Environments []Environment `json:"environments,omitempty"`

	// DefaultEnvironment of notebooks that name neither an image nor an environment.
	//
	// +optional
	DefaultEnvironment string `json:"defaultEnvironment,omitempty"`

	// Images say which others they may use.
	//
	// +optional
	Images Images `json:"images,omitzero"`

	// Resources have defaults and bounds.
	//
	// +optional
	Resources ResourceRules `json:"resources,omitzero"`

	// GPUTypes are what users may write as gpu.type.
	//
	// +optional
	// +listType=map
	// +listMapKey=name
	GPUTypes []GPUType `json:"gpuTypes,omitempty"`

	// Storage of the workspaces.
	//
	// +optional
	Storage Storage `json:"storage,omitzero"`

	// Idle says when notebooks that nobody uses are stopped.
	//
	// +optional
	Idle Idle `json:"idle,omitzero"`

	// Auth says who may open a notebook.
	//
	// +optional
	Auth Auth `json:"auth,omitzero"`

	// Network says from where notebooks are reached, and what they reach.
	//
	// +optional
	Network Network `json:"network,omitzero"`

	// Pod has what every notebook's pod gets.
	//
	// +optional
	Pod Pod `json:"pod,omitzero"`

	// Agent watches in a notebook's pod whether anybody uses it.
	//
	// +optional
	Agent Agent `json:"agent,omitzero"`

	// Diagnostics say where the function looks for the reason why a notebook does
	// not run.
	//
	// +optional
	Diagnostics Diagnostics `json:"diagnostics,omitzero"`

	// Prices make the cost of a notebook known.
	//
	// +optional
	Prices *Prices `json:"prices,omitempty"`
}
