package fn

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
	"github.com/function-jupyter/function-jupyter/input/v1beta1"
	"github.com/function-jupyter/function-jupyter/policy"
)

// A plan is what to compose, and why not.
type plan struct {
	// spec to compose, completed by the policy: the claim's, or the last one that was
	// accepted, or nil.
	spec *v1.NotebookSpec

	// asked is what the claim said itself. Nil if the policy had nothing to complete.
	asked *v1.NotebookSpec

	// accepted is what the claim said, as the Deployment keeps it, and resolved the
	// spec, if it is another one.
	accepted, resolved string

	// policy of the platform for the notebook's namespace. Nil as long as it is unknown.
	policy *v1beta1.Rules

	// warnings of the policy, which change nothing.
	warnings []string

	// run of the server.
	run run

	// keep what exists as it is, because nothing can be composed from a spec.
	keep bool

	// halt what is kept, because its claim is stopped.
	halt bool

	// refusals of what the claim asks for now.
	refusals []refusal

	// unchanged claim that is refused: it was accepted once.
	unchanged bool

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

// claim is what the claim said itself.
func (p plan) claim() *v1.NotebookSpec {
	if p.asked != nil {
		return p.asked
	}
	return p.spec
}

// rules of the platform. Without any, all is as it is by default.
func (p plan) rules() *v1beta1.Rules {
	if p.policy == nil {
		return &v1beta1.Rules{}
	}
	return p.policy
}

// decide what to compose, by the platform's policy.
func decide(nb notebook, w world, observed map[string]*fnv1.Resource, platform platform) plan {
	p := judgeClaim(nb, w, platform)
	p.required = map[string]*fnv1.ResourceSelector{}
	if !platform.unknown() {
		p.policy = platform.rules
	}
	if p.spec != nil {
		p.required = requirements(nb, p, w, observed)
	}
	maps.Copy(p.required, platform.required)
	if platform.unknown() {
		p.spec = nil
	}
	if p.spec == nil {
		return p.asItIs(nb, w)
	}
	if taken := conflicts(nb, p.spec, w); len(taken) > 0 {
		p = p.goOn(nb, w, taken)
	}
	if p.keep {
		return p.asItIs(nb, w)
	}
	p = p.withinQuotas(nb, w)
	if !p.leavesServer() {
		p.run = planRun(nb, p, w)
	}
	return p
}

// asItIs leaves the server as it is: what the function stopped stays so, and what its
// user stops needs no more than that.
func (p plan) asItIs(nb notebook, w world) plan {
	p.run.stop = lastStop(w.composed[keyServer])
	p.halt = nb.asked.at("stopped").GetBoolValue()
	return p
}

// judgeClaim finds the spec to compose: what the claim asks for, or else what was
// accepted last.
func judgeClaim(nb notebook, w world, platform platform) plan {
	if nb.name == "" || nb.namespace == "" {
		return plan{keep: true, refusals: []refusal{{reasonNoNamespace, fmt.Sprintf("this %s belongs to no claim: create a %s in a namespace instead", v1.CompositeKind, v1.Kind)}}}
	}
	if refusals := checkName(nb); len(refusals) > 0 {
		return plan{keep: true, refusals: refusals}
	}
	server := w.composed[keyServer]
	if platform.unknown() {
		return plan{spec: foreseen(nb, server), keep: true, refusals: platform.broken}
	}
	p, refusals := readClaim(nb, w, platform)
	if len(refusals) == 0 {
		return p
	}
	before, ok := plan{refusals: refusals, unchanged: p.accepted != "" && p.accepted == server.annotation(annotationAccepted)}.asBefore(server, platform.rules)
	before.keep = !ok
	if ok && p.claim() != nil && p.claim().Stopped && isDenied(refusals) {
		before = before.stopping()
	}
	return before
}

// foreseen is a spec that tells which objects the function will ask for when it knows
// the platform's rules, so that Crossplane need not be asked in so many rounds.
func foreseen(nb notebook, server object) *v1.NotebookSpec {
	if spec := acceptedSpec(server); spec != nil {
		return spec
	}
	spec, _ := parseSpec(nb.asked)
	return spec
}

// isDenied tells whether the platform alone is against what a claim asks for.
func isDenied(refusals []refusal) bool {
	return !slices.ContainsFunc(refusals, func(r refusal) bool { return r.reason != reasonPolicyDenied && r.reason != reasonAuthNotAllowed })
}

// stopping what ran before: a stop is always allowed.
func (p plan) stopping() plan {
	spec, asked := *p.spec, *p.claim()
	spec.Stopped, asked.Stopped = true, true
	if p.resolved != "" {
		p.asked, p.resolved = &asked, encodeSpec(&spec)
	}
	p.spec, p.accepted = &spec, encodeSpec(&asked)
	return p
}

// readClaim completes what a claim asks for by the policy, and refuses what cannot be
// or is not allowed.
func readClaim(nb notebook, w world, platform platform) (plan, []refusal) {
	asked, refusals := parseSpec(nb.asked)
	if asked == nil {
		return plan{}, refusals
	}
	server := w.composed[keyServer]
	keepRestart(asked, server)
	r := policy.Resolve(asked, platform.rules, w.composed[keyWorkspace].exists())
	keepDefaultSize(r.Spec, platform.rules, w)
	p := plan{spec: r.Spec, accepted: encodeSpec(asked), warnings: r.Warnings}
	if encoded := encodeSpec(r.Spec); encoded != p.accepted {
		p.asked, p.resolved = asked, encoded
	}
	refusals = slices.Concat(checkChoice(asked), denied(r.Denied), checkAuthAllowed(asked, platform.rules))
	if len(refusals) == 0 {
		refusals = slices.Concat(validate(r.Spec), checkSize(max(len(p.accepted), len(p.resolved))))
	}
	if len(refusals) == 0 {
		refusals = losesFiles(asked, w)
	}
	return p, refusals
}

// keepDefaultSize of a workspace that was made by default: the platform's default of
// today is for those that are made today.
func keepDefaultSize(spec *v1.NotebookSpec, rules *v1beta1.Rules, w world) {
	have, err := parseQuantity(w.composed[keyWorkspace].text("spec", "resources", "requests", "storage"))
	if err == nil && spec.VolumeSize == nil && spec.Volume.ExistingClaim == "" && rules.Storage.DefaultSize != nil {
		spec.VolumeSize = &have
	}
}

// denied are refusals of the platform.
func denied(sentences []string) []refusal {
	refusals := make([]refusal, 0, len(sentences))
	for _, text := range sentences {
		refusals = append(refusals, refusal{reasonPolicyDenied, text})
	}
	return refusals
}

// asBefore goes on with what was accepted last, if that can be composed. Its next
// server has a token if the platform does not allow it to have none any more.
func (p plan) asBefore(server object, rules *v1beta1.Rules) (plan, bool) {
	spec := acceptedSpec(server)
	if spec == nil {
		return p, false
	}
	p.spec, p.asked = spec, acceptedClaim(server)
	p.accepted, p.resolved = server.annotation(annotationAccepted), server.annotation(annotationResolved)
	if len(checkAuthAllowed(spec, rules)) > 0 {
		closed := *spec
		closed.Auth.Mode = v1.AuthModeToken
		p.spec = &closed
	}
	return p, true
}

// keepRestart of a spec that asks for none any more: only a new time restarts a
// server.
func keepRestart(spec *v1.NotebookSpec, server object) {
	if spec.RestartedAt != nil || !strings.Contains(server.annotation(annotationAccepted), `"restartedAt"`) {
		return
	}
	if was := acceptedClaim(server); was != nil {
		spec.RestartedAt = was.RestartedAt
	}
}

// goOn with what ran before an object was in the way, from its own spec, or else
// keep all as it is.
func (p plan) goOn(nb notebook, w world, taken []refusal) plan {
	p.refusals = append(p.refusals, taken...)
	if before, ok := p.asBefore(w.composed[keyServer], p.rules()); ok && len(conflicts(nb, before.spec, w)) == 0 {
		return before
	}
	p.keep = true
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
	was := acceptedClaim(w.composed[keyServer])
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
