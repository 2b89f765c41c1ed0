package fn

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

func checkResources(spec *v1.NotebookSpec) []refusal {
	r := spec.Resources
	refusals := checkResourceList("resources.requests", r.Requests)
	refusals = append(refusals, checkResourceList("resources.limits", r.Limits)...)
	for _, name := range slices.Sorted(maps.Keys(r.Requests)) {
		request := r.Requests[name]
		limit, limited := r.Limits[name]
		switch {
		case !limited && isHugePage(name):
			refusals = append(refusals, invalid("resources.limits", "has no %s, and huge pages need a limit that is equal to their request", name)...)
		case !limited:
		case wholeOnly(name) && request.Cmp(limit) != 0:
			refusals = append(refusals, invalid("resources", "asks for %s of %s with a limit of %s: %s cannot be shared, so write the same in both, or only the limit", &request, name, &limit, name)...)
		case request.Cmp(limit) > 0:
			refusals = append(refusals, invalid("resources.requests."+string(name), "is %s, which is above its limit of %s: lower the request or raise the limit", &request, &limit)...)
		}
	}
	return refusals
}

func checkResourceList(field string, list map[corev1.ResourceName]resource.Quantity) []refusal {
	var refusals []refusal
	for _, name := range slices.Sorted(maps.Keys(list)) {
		quantity := list[name]
		switch {
		case !knownResource(name):
			refusals = append(refusals, invalid(field, "has %q, which is not a resource: write cpu, memory, ephemeral-storage, or a device's name such as nvidia.com/gpu", name)...)
		case quantity.Sign() < 0:
			refusals = append(refusals, invalid(field+"."+string(name), "is %s: write zero or more", &quantity)...)
		case isExtended(name) && quantity.MilliValue()%1000 != 0:
			refusals = append(refusals, invalid(field+"."+string(name), "is %s: write a whole number", &quantity)...)
		case isHugePage(name) && !hasComputeResource(list):
			refusals = append(refusals, invalid(field, "has %s without cpu or memory: add one of them", name)...)
		}
	}
	return refusals
}

func hasComputeResource(list map[corev1.ResourceName]resource.Quantity) bool {
	_, cpu := list[corev1.ResourceCPU]
	_, memory := list[corev1.ResourceMemory]
	return cpu || memory
}

func knownResource(name corev1.ResourceName) bool {
	switch name {
	case corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage:
		return true
	default:
		return isExtended(name) || isHugePage(name)
	}
}

// isExtended tells a device's resource, such as a GPU, by Kubernetes' rule: it
// has a domain, which is not one of Kubernetes' own.
func isExtended(name corev1.ResourceName) bool {
	domain, _, found := strings.Cut(string(name), "/")
	return found && !strings.HasPrefix(domain, "requests.") &&
		domain != "kubernetes.io" && !strings.HasSuffix(domain, ".kubernetes.io") &&
		len(validation.IsQualifiedName(string(name))) == 0
}

func isHugePage(name corev1.ResourceName) bool {
	size, found := strings.CutPrefix(string(name), corev1.ResourceHugePagesPrefix)
	_, err := resource.ParseQuantity(size)
	return found && err == nil
}

// wholeOnly resources are never overcommitted: request and limit are equal.
func wholeOnly(name corev1.ResourceName) bool { return isExtended(name) || isHugePage(name) }
