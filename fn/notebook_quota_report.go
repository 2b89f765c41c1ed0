package fn

import (
	"fmt"
	"slices"
	"strings"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// Reasons of a quota.
const (
	reasonCounting   = "Counting"
	reasonNearlyFull = "NearlyFull"
	reasonFull       = "Full"
)

// A quotaSituation is all that the status of a quota depends on.
type quotaSituation struct {
	notebook
	quotaPlan
	world

	objects map[string]*structpb.Struct
}

// reportQuota writes what to compose, and what to say about it, into the response.
func reportQuota(rsp *fnv1.RunFunctionResponse, s quotaSituation) error {
	v := judgeUse(s)
	st := quotaStatus(s, v)
	composite, err := compositeStatus(rsp, &st)
	if err != nil {
		return err
	}
	composite.Ready = readiness(v.phase == v1.PhaseReady)
	if rsp.GetDesired().GetResources() == nil {
		rsp.Desired.Resources = make(map[string]*fnv1.Resource, len(s.objects))
	}
	for key, o := range s.objects {
		rsp.Desired.Resources[key] = &fnv1.Resource{Resource: o, Ready: readiness(s.holds(key))}
	}
	rsp.Conditions = append(rsp.GetConditions(), s.accepted())
	rsp.Results = append(rsp.GetResults(), s.newEvents(v)...)
	if len(s.required) > 0 {
		rsp.Requirements = &fnv1.Requirements{Resources: s.required}
	}
	rsp.Meta.Ttl = durationpb.New(s.ttl(v.phase))
	return nil
}

func (s quotaSituation) ttl(phase v1.Phase) time.Duration {
	switch {
	case s.unheard:
		return unheardTTL
	case phase == v1.PhaseCreating:
		return pendingTTL
	default:
		return settledTTL
	}
}

// holds tells whether an object exists, and Kubernetes goes by it.
func (s quotaSituation) holds(key string) bool {
	o := s.composed[key]
	if key != keyQuota || !o.exists() {
		return o.exists()
	}
	want, have := o.amounts("spec", "hard"), o.amounts("status", "hard")
	if s.spec != nil && !s.keep {
		want = hard(s.bounds())
	}
	for name, quantity := range want {
		if counted, exists := have[name]; !exists || counted.Cmp(quantity) != 0 {
			return false
		}
	}
	return len(want) == len(have)
}

// judgeUse finds the phase of a quota, and what is nearly used up.
func judgeUse(s quotaSituation) verdict {
	switch {
	case len(s.refusals) > 0 && !s.composed[keyQuota].exists():
		return verdict{v1.PhaseFailed, s.refusals[0].reason, sentence(s.refusals)}
	case !s.composed[keyQuota].exists():
		return verdict{v1.PhaseCreating, reasonCreating, "the quota is being created"}
	case !s.holds(keyQuota):
		return verdict{v1.PhaseCreating, reasonCounting, "Kubernetes is counting what is used"}
	case !s.keep && s.composes(keyLimits) && !s.holds(keyLimits):
		return verdict{v1.PhaseCreating, reasonCreating, "the LimitRange of the quota is being created"}
	}
	reason, short := reasonReady, []string{}
	for _, u := range s.uses() {
		if !u.nearlyFull() {
			continue
		}
		if reason != reasonFull {
			reason = reasonNearlyFull
		}
		if u.used.Cmp(u.hard) >= 0 {
			reason = reasonFull
		}
		short = append(short, fmt.Sprintf("%s: %s of %s are used", u.name, &u.used, &u.hard))
	}
	if len(short) > 0 {
		return verdict{v1.PhaseReady, reason, strings.Join(short, "; ")}
	}
	return verdict{v1.PhaseReady, reason, "the quota is ready"}
}

// A use is what is taken of all that Kubernetes counts together.
type use struct {
	name       string
	hard, used resource.Quantity

	// gpus are the types that it cannot tell apart, if there are several.
	gpus []string
}

// nearlyFull is what has at most a tenth left. What is not to be had at all is not
// full.
func (u use) nearlyFull() bool {
	if u.hard.IsZero() && u.used.IsZero() {
		return false
	}
	return u.used.AsApproximateFloat64() >= 0.9*u.hard.AsApproximateFloat64()
}

// uses of the quota, in the order of its bounds.
func (s quotaSituation) uses() []use {
	var uses []use
	all, used := s.bounds(), s.composed[keyQuota].amounts("status", "used")
	sums := hard(all)
	for i, b := range all {
		if slices.ContainsFunc(all[:i], func(before bound) bool { return before.counts == b.counts }) {
			continue
		}
		u := use{name: b.name, hard: sums[b.counts], used: used[b.counts]}
		if gpus := s.sharing(b.counts); len(gpus) > 1 {
			u.name, u.gpus = resourceOf(b.counts), gpus
		}
		uses = append(uses, u)
	}
	return uses
}

// resourceOf what a quota counts.
func resourceOf(counts corev1.ResourceName) string {
	return strings.TrimPrefix(string(counts), corev1.DefaultResourceRequestsPrefix)
}

// sharing are the types of GPU that are counted as one resource.
func (s quotaSituation) sharing(counts corev1.ResourceName) []string {
	var gpus []string
	for _, b := range s.bounds() {
		if b.counts == counts && b.gpu != "" {
			gpus = append(gpus, b.gpu)
		}
	}
	return gpus
}

// quotaStatus must not change unless something changed in the namespace.
func quotaStatus(s quotaSituation, v verdict) v1.QuotaStatus {
	st := v1.QuotaStatus{Phase: v.phase, Reason: v.reason}
	told := []string{v.message}
	if quota := s.composed[keyQuota]; quota.exists() && s.spec != nil {
		st.Hard, st.Used = s.amounts()
	}
	for _, u := range s.uses() {
		if len(u.gpus) > 1 {
			told = append(told, fmt.Sprintf("Kubernetes cannot tell the GPUs %s apart, and bounds all of them together: %s of %s", strings.Join(u.gpus, ", "), &u.hard, u.name))
		}
	}
	if _, asked := s.fetched[requiredNotebooks]; asked {
		c := costOf(s.notebooks(), s.currency())
		st.CostPerHour, st.Currency = c.perHour, c.currency
		if len(c.currencies) > 0 {
			told = append(told, "the notebooks' costs are in "+strings.Join(c.currencies, ", ")+", and not added up")
		}
	}
	st.Message = strings.Join(told, "; ")
	if refused := sentence(s.refusals); refused != "" && refused != v.message {
		st.Message += ", but " + s.refused()
	}
	return st
}

func (s quotaSituation) currency() string {
	if s.rules.Prices == nil {
		return ""
	}
	return s.rules.Prices.Currency
}

// amounts of what the quota bounds, and of what is used of it.
func (s quotaSituation) amounts() (hard, used *v1.QuotaAmounts) {
	hard, used = &v1.QuotaAmounts{}, &v1.QuotaAmounts{}
	counted := s.composed[keyQuota].amounts("status", "used")
	for _, b := range s.bounds() {
		b.put(hard, b.hard)
		quantity, exists := counted[b.counts]
		switch {
		case b.gpu != "" && len(s.sharing(b.counts)) > 1:
			b.put(used, *resource.NewQuantity(s.heldGPUs(b.gpu), resource.DecimalSI))
		case exists:
			b.put(used, quantity)
		}
	}
	return hard, used
}

// put an amount where it belongs.
func (b bound) put(in *v1.QuotaAmounts, quantity resource.Quantity) {
	switch b.counts {
	case corev1.ResourceRequestsCPU:
		in.CPU = &quantity
	case corev1.ResourceRequestsMemory:
		in.Memory = &quantity
	case corev1.ResourceRequestsStorage:
		in.Storage = &quantity
	default:
		n := quantity.Value()
		if b.gpu == "" {
			in.Notebooks = &n
			return
		}
		if in.GPUs == nil {
			in.GPUs = map[string]int64{}
		}
		in.GPUs[b.gpu] = n
	}
}

// heldGPUs of a type by the notebooks of the namespace.
func (s quotaSituation) heldGPUs(gpu string) int64 {
	var sum int64
	for _, nb := range s.notebooks() {
		if held := nb.number("status", "gpu", "held"); nb.text("status", "gpu", "type") == gpu && isCount(held) {
			sum += held
		}
	}
	return sum
}

// accepted tells whether the quota is what its claim asks for.
func (s quotaSituation) accepted() *fnv1.Condition {
	if len(s.refusals) > 0 {
		return condition(conditionAccepted, false, s.refusals[0].reason, sentence(s.refusals))
	}
	return condition(conditionAccepted, true, "Accepted", "")
}

// refused says what is not followed, and whose it is.
func (s quotaSituation) refused() string {
	if s.refusals[0].reason == reasonPolicyInvalid {
		return sentence(s.refusals)
	}
	return "its last change is refused: " + sentence(s.refusals)
}

// newEvents of the quota: that it holds, and what is refused.
func (s quotaSituation) newEvents(v verdict) []*fnv1.Result {
	var events []*fnv1.Result
	add := func(severity fnv1.Severity, reason, message string) {
		events = append(events, &fnv1.Result{Severity: severity, Reason: &reason, Message: message, Target: fnv1.Target_TARGET_COMPOSITE_AND_CLAIM.Enum()})
	}
	was := s.was.condition(conditionAccepted)
	switch why := sentence(s.refusals); {
	case why != "" && (was.text("status") != "False" || was.text("message") != why):
		add(fnv1.Severity_SEVERITY_WARNING, s.refusals[0].reason, why)
	case why == "" && v.phase == v1.PhaseReady && s.was.text("status", "phase") != string(v1.PhaseReady):
		add(fnv1.Severity_SEVERITY_NORMAL, reasonReady, "the quota is ready")
	}
	return events
}
