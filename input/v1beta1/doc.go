// Package v1beta1 holds the Go types of the function's input, the
// NotebookPolicy. Its schema in package/input is generated from them by
// `make generate`.
//
// +kubebuilder:object:generate=true
// +groupName=jupyter.fn.crossplane.io
// +versionName=v1beta1
package v1beta1
