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

// NotebookPolicy is what a platform team decides for all notebooks. It has no
// fields yet: without a policy everything works with safe defaults.
//
// +kubebuilder:object:root=true
// +kubebuilder:storageversion
// +kubebuilder:resource:categories=crossplane
type NotebookPolicy struct {
	metav1.TypeMeta `json:",inline"`

	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`
}
