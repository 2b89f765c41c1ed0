package fn

import (
	"fmt"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// A plan is what to compose, and why not.
type plan struct {
	// spec to compose: the claim's, or the last one that was accepted, or nil.
	spec *v1.NotebookSpec

	// accepted is the spec as the Deployment keeps it.
	accepted string

	// keep what exists as it is, because nothing can be composed from a spec.
	keep bool

	// refusals of what the claim asks for now.
	refusals []refusal

	// required objects to ask Crossplane for.
	required map[string]*fnv1.ResourceSelector
}

// decide judges what the claim asks for. (The platform's policy has its place
// here, next to validation.)
func decide(nb notebook, w world, observed map[string]*fnv1.Resource) plan {
	if nb.name == "" || nb.namespace == "" {
		return plan{keep: true, refusals: []refusal{{reasonNoNamespace, fmt.Sprintf("this %s belongs to no claim: create a %s in a namespace instead", v1.CompositeKind, v1.Kind)}}}
	}
	if refusals := checkName(nb); len(refusals) > 0 {
		return plan{keep: true, refusals: refusals}
	}
	spec, refusals := parseSpec(nb.asked)
	if len(refusals) == 0 {
		refusals = validate(spec)
	}
	encoded := encodeSpec(spec)
	refusals = append(refusals, checkSize(encoded)...)
	if len(refusals) == 0 {
		refusals = losesFiles(spec, w)
	}
	if len(refusals) > 0 {
		spec, encoded = acceptedSpec(w.composed[keyServer])
	}
	if spec == nil {
		return plan{keep: true, refusals: refusals}
	}
	taken := conflicts(nb, spec, w)
	p := plan{
		spec:     spec,
		accepted: encoded,
		keep:     len(taken) > 0,
		refusals: append(refusals, taken...),
		required: requirements(nb, spec, w, observed),
	}
	if !p.keep {
		return p
	}
	// What ran without the object that is taken goes on from its own spec.
	if was, encoded := acceptedSpec(w.composed[keyServer]); was != nil && len(conflicts(nb, was, w)) == 0 {
		p.spec, p.accepted, p.keep = was, encoded, false
	}
	return p
}

// checkName refuses names that no API server accepts. Only a rendering without
// one can have them.
func checkName(nb notebook) []refusal {
	var refusals []refusal
	if !isObjectName(nb.name) {
		refusals = append(refusals, refusal{reasonInvalidSpec, fmt.Sprintf("metadata.name is %q, which cannot be the name of an object: write lower-case letters, digits, - and .", shown(nb.name))})
	}
	if len(validation.IsDNS1123Label(nb.namespace)) > 0 {
		refusals = append(refusals, refusal{reasonInvalidSpec, fmt.Sprintf("metadata.namespace is %q, which cannot be the name of a namespace: write lower-case letters, digits and -", shown(nb.namespace))})
	}
	return refusals
}

// losesFiles refuses an edit that restarts the server while somebody has its
// workspace deleted: the files are there for as long as the pod is. Only to stop
// it is to say that they may go.
func losesFiles(spec *v1.NotebookSpec, w world) []refusal {
	if spec.Stopped || !w.composed[keyWorkspace].deleting() {
		return nil
	}
	was, _ := acceptedSpec(w.composed[keyServer])
	if was == nil || samePod(was, spec) {
		return nil
	}
	return []refusal{{reasonWorkspaceDeleted, "it restarts the server, and somebody deleted the workspace, whose files go then: copy what you need, and set spec.stopped to true"}}
}

// conflicts refuses to take over objects that somebody else made.
func conflicts(nb notebook, spec *v1.NotebookSpec, w world) []refusal {
	var refusals []refusal
	for _, id := range identities(nb.name) {
		o, foreign := w.foreign[id.key]
		if !foreign || (id.key == keyWorkspace && spec.VolumeSize == nil) {
			continue
		}
		what := "exists already and does not belong to this notebook: rename or delete it"
		switch {
		case o.deleting():
			what = "is still being deleted: the notebook goes on when it is gone"
		case w.fresh: // One that runs would leave its files behind.
			what += ", or give the notebook another name"
		}
		refusals = append(refusals, refusal{reasonNameConflict, fmt.Sprintf("%s %s in namespace %s %s", id.kind, id.name, nb.namespace, what)})
	}
	return refusals
}
