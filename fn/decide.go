package fn

import (
	"fmt"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
	"github.com/function-jupyter/function-jupyter/input/v1beta1"
)

// A plan is what to compose, and why not.
type plan struct {
	// spec to compose: the claim's, or the last one that was accepted, or nil.
	spec *v1.NotebookSpec

	// accepted is the spec as the Deployment keeps it.
	accepted string

	// policy of the platform.
	policy v1beta1.NotebookPolicy

	// run of the server.
	run run

	// keep what exists as it is, because nothing can be composed from a spec.
	keep bool

	// refusals of what the claim asks for now.
	refusals []refusal

	// held are the keys of objects that are not made, or do not grow, for want of
	// quota: with the words of the quota, or without as long as it is not known.
	held map[string]string

	// notDone says which changes were asked for and not made, and why.
	notDone []string

	// required objects to ask Crossplane for.
	required map[string]*fnv1.ResourceSelector
}

// stopped tells whether the server should not run.
func (p plan) stopped() bool { return p.spec.Stopped || p.run.stop != nil }

// decide what to compose, by the platform's policy.
func decide(nb notebook, w world, observed map[string]*fnv1.Resource, input *structpb.Struct) plan {
	policy, broken := readPolicy(input)
	p := judgeClaim(nb, w, broken)
	p.policy = policy
	if p.spec == nil {
		return p.asItIs(w)
	}
	p.required = requirements(nb, p, w, observed)
	if taken := conflicts(nb, p.spec, w); len(taken) > 0 {
		p = p.goOn(nb, w, taken)
	}
	if p.keep {
		return p.asItIs(w)
	}
	p = p.withinQuotas(nb, w)
	if !p.leavesServer() {
		p.run = planRun(nb, p, w)
	}
	return p
}

// asItIs leaves the server as it is: what the function stopped stays so.
func (p plan) asItIs(w world) plan {
	p.run.stop = lastStop(w.composed[keyServer])
	return p
}

// judgeClaim finds the spec to compose: what the claim asks for, or else what was
// accepted last.
func judgeClaim(nb notebook, w world, refusals []refusal) plan {
	if nb.name == "" || nb.namespace == "" {
		return plan{keep: true, refusals: []refusal{{reasonNoNamespace, fmt.Sprintf("this %s belongs to no claim: create a %s in a namespace instead", v1.CompositeKind, v1.Kind)}}}
	}
	if refusals := checkName(nb); len(refusals) > 0 {
		return plan{keep: true, refusals: refusals}
	}
	spec, unread := parseSpec(nb.asked)
	refusals = append(refusals, unread...)
	if spec != nil {
		refusals = append(refusals, validate(spec)...)
		keepRestart(spec, w.composed[keyServer])
	}
	encoded := encodeSpec(spec)
	refusals = append(refusals, checkSize(encoded)...)
	if len(refusals) == 0 {
		refusals = losesFiles(spec, w)
	}
	if len(refusals) > 0 {
		spec, encoded = acceptedSpec(w.composed[keyServer])
	}
	return plan{spec: spec, accepted: encoded, keep: spec == nil, refusals: refusals}
}

// keepRestart of a spec that asks for none any more: only a new time restarts a
// server.
func keepRestart(spec *v1.NotebookSpec, server object) {
	if spec.RestartedAt != nil || !strings.Contains(server.annotation(annotationAccepted), `"restartedAt"`) {
		return
	}
	if was, _ := acceptedSpec(server); was != nil {
		spec.RestartedAt = was.RestartedAt
	}
}

// goOn with what ran before an object was in the way, from its own spec, or else
// keep all as it is.
func (p plan) goOn(nb notebook, w world, taken []refusal) plan {
	p.refusals, p.keep = append(p.refusals, taken...), true
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
	if spec.Stopped || !w.composed[keyWorkspace].deleting() || w.composed[keyServer].number("spec", "replicas") == 0 {
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
