package fn

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
	"github.com/function-jupyter/function-jupyter/input/v1beta1"
)

// Bounds of what a quota may say, as the schema has them.
const (
	maxQuotaCount = 1_000_000
	maxQuotaGPUs  = 16
	minBytes      = 1 << 20
)

// What a container requests that says nothing and for which the platform has no
// default. Kubernetes refuses pods that request nothing of what a quota bounds.
var (
	usualCPU    = resource.MustParse("100m")
	usualMemory = resource.MustParse("256Mi")
)

// gpuResources are resource names by type of GPU.
type gpuResources map[string]corev1.ResourceName

// A bound is one line of a quota.
type bound struct {
	// name is what users call it: cpu, or gpus.V100.
	name string

	// gpu is the type, or empty.
	gpu string

	// counts is what Kubernetes calls it.
	counts corev1.ResourceName

	hard resource.Quantity
}

// parseQuota reads the spec that a claim asks for.
func parseQuota(raw object) (*v1.QuotaSpec, []refusal) {
	m := raw.AsMap()
	spec := &v1.QuotaSpec{}
	if err := decodeQuota(m, spec); err != nil {
		return nil, unreadable("", m, func(value any) error {
			part, _ := value.(map[string]any)
			return decodeQuota(part, &v1.QuotaSpec{})
		})
	}
	return spec, validateQuota(spec)
}

func decodeQuota(m map[string]any, spec *v1.QuotaSpec) error {
	for _, field := range []string{"cpu", "memory", "storage"} {
		if text, isText := m[field].(string); isText && !plainQuantity.MatchString(text) {
			return resource.ErrFormatWrong
		}
	}
	return errors.Wrap(runtime.DefaultUnstructuredConverter.FromUnstructured(m, spec), "cannot decode the spec")
}

// validateQuota tells all that is wrong with a spec, as the schema does where there
// is an API server.
func validateQuota(spec *v1.QuotaSpec) []refusal {
	var refusals []refusal
	refuse := func(format string, args ...any) {
		refusals = append(refusals, refusal{reasonInvalidSpec, fmt.Sprintf(format, args...)})
	}
	if spec.Notebooks == nil && spec.CPU == nil && spec.Memory == nil && spec.Storage == nil && len(spec.GPUs) == 0 {
		refuse("the quota bounds nothing: write at least one of notebooks, cpu, memory, storage and gpus")
	}
	if n := spec.Notebooks; n != nil && !isCount(*n) {
		refuse("spec.notebooks is %d: write how many notebooks there may be: 0 to %d", *n, maxQuotaCount)
	}
	if spec.CPU != nil && spec.CPU.Sign() < 0 {
		refuse("spec.cpu is %s: write a number of cores, 0 or more, for example 32 or 500m", spec.CPU)
	}
	for _, bytes := range []struct {
		field    string
		quantity *resource.Quantity
	}{{"memory", spec.Memory}, {"storage", spec.Storage}} {
		if q := bytes.quantity; q != nil && !q.IsZero() && q.CmpInt64(minBytes) < 0 {
			refuse("spec.%s is %s: write 0, or an amount of at least 1Mi with its unit, for example 128Gi", bytes.field, q)
		}
	}
	if len(spec.GPUs) > maxQuotaGPUs {
		refuse("spec.gpus has %d types: write at most %d", len(spec.GPUs), maxQuotaGPUs)
		return refusals
	}
	for _, gpu := range slices.Sorted(maps.Keys(spec.GPUs)) {
		if !isCount(spec.GPUs[gpu]) {
			refuse("spec.gpus.%s is %d: write how many GPUs of the type there may be: 0 to %d", shown(gpu), spec.GPUs[gpu], maxQuotaCount)
		}
	}
	return refusals
}

func isCount(n int64) bool { return n >= 0 && n <= maxQuotaCount }

// resolveGPUs finds the resources of the types of GPU. Who knows a resource's name
// may write that.
func resolveGPUs(spec *v1.QuotaSpec, rules *v1beta1.Rules) (gpuResources, []refusal) {
	known, names := gpuResources{}, make([]string, 0, len(rules.GPUTypes))
	for _, g := range rules.GPUTypes {
		known[g.Name] = g.ResourceName
		names = append(names, g.Name)
	}
	var refusals []refusal
	gpus := gpuResources{}
	for _, gpu := range slices.Sorted(maps.Keys(spec.GPUs)) {
		name, isType := known[gpu]
		switch {
		case !isType && isDevice(corev1.ResourceName(gpu)):
			name = corev1.ResourceName(gpu)
		case !isType:
			refusals = append(refusals, refusal{reasonPolicyDenied, fmt.Sprintf("spec.gpus has type %s, which is unknown; available: %s; a resource such as nvidia.com/gpu may be written, too", shown(gpu), available(names))})
		case !isDevice(name):
			refusals = append(refusals, refusal{reasonPolicyInvalid, fmt.Sprintf("spec.gpus has type %s, whose resource %s Kubernetes cannot count: your platform team must correct it", shown(gpu), shown(string(name)))})
		}
		gpus[gpu] = name
	}
	return gpus, refusals
}

// isDevice tells whether a quota can count a resource.
func isDevice(name corev1.ResourceName) bool {
	return strings.Contains(string(name), "/") && len(validation.IsQualifiedName(corev1.DefaultResourceRequestsPrefix+string(name))) == 0
}

func available(names []string) string {
	const most = 20
	switch {
	case len(names) == 0:
		return "none"
	case len(names) > most:
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	default:
		return strings.Join(names, ", ")
	}
}

// bounds of the quota, always in the same order.
func (p quotaPlan) bounds() []bound {
	if p.spec == nil {
		return nil
	}
	var bounds []bound
	if n := p.spec.Notebooks; n != nil {
		bounds = append(bounds, bound{name: "notebooks", counts: countPrefix + v1.Plural + "." + v1.Group, hard: *resource.NewQuantity(*n, resource.DecimalSI)})
	}
	for _, b := range []struct {
		name   string
		counts corev1.ResourceName
		hard   *resource.Quantity
	}{
		{"cpu", corev1.ResourceRequestsCPU, p.spec.CPU},
		{"memory", corev1.ResourceRequestsMemory, p.spec.Memory},
		{"storage", corev1.ResourceRequestsStorage, p.spec.Storage},
	} {
		if b.hard != nil {
			bounds = append(bounds, bound{name: b.name, counts: b.counts, hard: *b.hard})
		}
	}
	for _, gpu := range slices.Sorted(maps.Keys(p.spec.GPUs)) {
		bounds = append(bounds, bound{
			name:   "gpus." + gpu,
			gpu:    gpu,
			counts: corev1.DefaultResourceRequestsPrefix + p.gpus[gpu],
			hard:   *resource.NewQuantity(p.spec.GPUs[gpu], resource.DecimalSI),
		})
	}
	return bounds
}

// hard is what Kubernetes is to enforce. What it cannot tell apart is added up.
func hard(bounds []bound) corev1.ResourceList {
	list := corev1.ResourceList{}
	for _, b := range bounds {
		sum := list[b.counts]
		sum.Add(b.hard)
		list[b.counts] = sum
	}
	return list
}

// defaultRequests of containers that request nothing of what the quota bounds. They
// are never more than all that it allows.
func defaultRequests(spec *v1.QuotaSpec, rules *v1beta1.Rules) corev1.ResourceList {
	if spec == nil {
		return nil
	}
	requests := corev1.ResourceList{}
	for _, r := range []struct {
		name  corev1.ResourceName
		usual resource.Quantity
		hard  *resource.Quantity
	}{
		{corev1.ResourceCPU, usualCPU, spec.CPU},
		{corev1.ResourceMemory, usualMemory, spec.Memory},
	} {
		if r.hard == nil {
			continue
		}
		request := r.usual
		if byDefault, exists := rules.Resources.Default.Requests[r.name]; exists {
			request = byDefault
		}
		if request.Cmp(*r.hard) > 0 {
			request = *r.hard
		}
		requests[r.name] = request.DeepCopy()
	}
	return requests
}
