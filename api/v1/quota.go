package v1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// NotebookQuota is what all notebooks of a namespace may take together.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:categories=jupyter,shortName=jnq
// +kubebuilder:printcolumn:name="STATUS",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="NOTEBOOKS",type=string,JSONPath=`.status.used.notebooks`
// +kubebuilder:printcolumn:name="CPU",type=string,JSONPath=`.status.used.cpu`
// +kubebuilder:printcolumn:name="MEMORY",type=string,JSONPath=`.status.used.memory`
// +kubebuilder:printcolumn:name="STORAGE",type=string,JSONPath=`.status.used.storage`
// +kubebuilder:printcolumn:name="COST",type=string,JSONPath=`.status.costPerHour`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.reason`,priority=1
// +kubebuilder:printcolumn:name="MESSAGE",type=string,JSONPath=`.status.message`,priority=1
type NotebookQuota struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec   QuotaSpec   `json:"spec"`
	Status QuotaStatus `json:"status,omitzero"`
}

// QuotaSpec is the most that a namespace may have. What is left out is not bounded.
// Kubernetes enforces it as a ResourceQuota, which counts everything in the namespace:
// pods and volumes of others, too.
//
// +kubebuilder:validation:XValidation:rule="[has(self.notebooks), has(self.cpu), has(self.memory), has(self.storage), has(self.gpus) && self.gpus.size() > 0].exists(x, x)",message="the quota bounds nothing: write at least one of notebooks, cpu, memory, storage and gpus"
type QuotaSpec struct {
	// Notebooks is the number of notebooks, whether they run or not.
	//
	// +optional
	// +kubebuilder:validation:XValidation:rule="self >= 0 && self <= 1000000",message="write how many notebooks there may be: 0 or more"
	Notebooks *int64 `json:"notebooks,omitempty"`

	// CPU that all pods request together, for example "32".
	//
	// +optional
	// +kubebuilder:validation:XValidation:rule="(!string(self).matches('[eE][+-]?[0-9]{3}') && isQuantity(string(self))) && !quantity(string(self)).isLessThan(quantity('0'))",message="write a number of cores, 0 or more, for example 32 or 500m"
	CPU *resource.Quantity `json:"cpu,omitempty"`

	// Memory that all pods request together, for example 128Gi.
	//
	// +optional
	// +kubebuilder:validation:XValidation:rule="(!string(self).matches('[eE][+-]?[0-9]{3}') && isQuantity(string(self))) && (!quantity(string(self)).isLessThan(quantity('1Mi')) || quantity(string(self)).compareTo(quantity('0')) == 0)",message="write 0, or an amount of at least 1Mi with its unit, for example 128Gi"
	Memory *resource.Quantity `json:"memory,omitempty"`

	// Storage that all volumes request together, for example 1Ti.
	//
	// +optional
	// +kubebuilder:validation:XValidation:rule="(!string(self).matches('[eE][+-]?[0-9]{3}') && isQuantity(string(self))) && (!quantity(string(self)).isLessThan(quantity('1Mi')) || quantity(string(self)).compareTo(quantity('0')) == 0)",message="write 0, or an amount of at least 1Mi with its unit, for example 128Gi"
	Storage *resource.Quantity `json:"storage,omitempty"`

	// GPUs by their type, as the platform calls it (V100: 4), or by their resource's
	// name (nvidia.com/gpu: 4). Kubernetes counts by resource only: types that share
	// one are counted together, and their numbers are added up.
	//
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	// +kubebuilder:validation:XValidation:rule="self.all(t, t != '')",message="a GPU has no type: write what the platform calls it, for example V100"
	// +kubebuilder:validation:XValidation:rule="self.all(t, self[t] >= 0 && self[t] <= 1000000)",message="write how many GPUs of a type there may be: 0 or more"
	GPUs map[string]int64 `json:"gpus,omitempty"`
}

// QuotaStatus is what of a quota is used. It changes only when something changed in
// the namespace.
type QuotaStatus struct {
	// Phase of the quota, in one word: it holds from Ready on.
	//
	// +optional
	// +kubebuilder:validation:Enum=Creating;Ready;Failed
	Phase Phase `json:"phase,omitempty"`

	// Reason of the phase, in one CamelCase word that programs can rely on.
	//
	// +optional
	Reason string `json:"reason,omitempty"`

	// Message is one sentence for the user: what is nearly used up, or why there is
	// no quota and what to do.
	//
	// +optional
	Message string `json:"message,omitempty"`

	// Used is what is taken of the quota.
	//
	// +optional
	Used *QuotaAmounts `json:"used,omitempty"`

	// Hard is what may be taken at most.
	//
	// +optional
	Hard *QuotaAmounts `json:"hard,omitempty"`

	// CostPerHour is what the notebooks of the namespace cost in an hour now: the sum
	// of their hourly rates. Absent: the platform has no prices, or they are in
	// several currencies.
	//
	// +optional
	CostPerHour string `json:"costPerHour,omitempty"`

	// Currency of the cost.
	//
	// +optional
	Currency string `json:"currency,omitempty"`
}

// QuotaAmounts are amounts of what a quota bounds.
type QuotaAmounts struct {
	// Notebooks, whether they run or not.
	//
	// +optional
	Notebooks *int64 `json:"notebooks,omitempty"`

	// CPU that all pods request together.
	//
	// +optional
	CPU *resource.Quantity `json:"cpu,omitempty"`

	// Memory that all pods request together.
	//
	// +optional
	Memory *resource.Quantity `json:"memory,omitempty"`

	// Storage that all volumes request together.
	//
	// +optional
	Storage *resource.Quantity `json:"storage,omitempty"`

	// GPUs by type. Of types that share a resource, what is used is what the
	// namespace's notebooks hold.
	//
	// +optional
	GPUs map[string]int64 `json:"gpus,omitempty"`
}
