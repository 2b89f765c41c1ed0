// Package v1 holds the Go types of the JupyterNotebook claim. The schemas in
// configuration/ and configuration-namespaced/ are generated from them by
// `make generate`.
//
// In the rules, a guard with matches stands before each isQuantity: with an
// exponent of three digits or more, such as in 1e999999999, Kubernetes' parser
// would calculate for hours, in the API server, too.
//
// +kubebuilder:object:generate=true
// +groupName=mlops.function-jupyter.dev
// +versionName=v1
package v1

// Group and Version of the API, and the kinds that it has.
const (
	Group   = "mlops.function-jupyter.dev"
	Version = "v1"

	// Kind of the claim, and of the namespaced composite resource.
	Kind = "JupyterNotebook"
	// CompositeKind of the cluster-scoped composite resource behind a claim.
	CompositeKind = "XJupyterNotebook"
)
