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

type resourceList = map[corev1.ResourceName]resource.Quantity

func checkResources(spec *v1.NotebookSpec) []refusal {
	requests, limits := spec.Resources.Requests, spec.Resources.Limits
	refusals := slices.Concat(
		checkResourceList("resources.requests", requests),
		checkResourceList("resources.limits", limits),
		checkHugePages(requests, limits),
	)
	for _, name := range slices.Sorted(maps.Keys(requests)) {
		if limit, limited := limits[name]; limited {
			refusals = append(refusals, checkRequest(name, requests[name], limit)...)
		}
	}
	return refusals
}

func checkResourceList(list string, quantities resourceList) []refusal {
	var refusals []refusal
	for _, name := range slices.Sorted(maps.Keys(quantities)) {
		refusals = append(refusals, checkResource(list, name, quantities[name])...)
	}
	return refusals
}

func checkResource(list string, name corev1.ResourceName, quantity resource.Quantity) []refusal {
	field := list + "." + string(name)
	switch {
	case !knownResource(name):
		return invalid(list, "has %q, which is not a resource: write cpu, memory, ephemeral-storage, or a device's name such as nvidia.com/gpu", name)
	case quantity.Sign() < 0:
		return invalid(field, "is %s: write zero or more", &quantity)
	case name == corev1.ResourceMemory && isTiny(&quantity):
		return invalid(field, "is %s, which is less than 1Mi: write a unit, such as 4Gi", &quantity)
	case isExtended(name) && quantity.MilliValue()%1000 != 0:
		return invalid(field, "is %s: write a whole number", &quantity)
	case isHugePage(name) && quantity.Value()%pageSize(name) != 0:
		return invalid(field, "is %s: write a multiple of the page size", &quantity)
	default:
		return nil
	}
}

// isTiny tells a size that lost its unit: 4 is four bytes, and 400m is not one.
func isTiny(size *resource.Quantity) bool {
	return size.Sign() > 0 && size.CmpInt64(1<<20) < 0
}

// checkRequest against the limit of the same resource.
func checkRequest(name corev1.ResourceName, request, limit resource.Quantity) []refusal {
	shared := !isExtended(name) && !isHugePage(name)
	switch {
	case !shared && request.Cmp(limit) != 0:
		return invalid("resources", "asks for %s of %s with a limit of %s: %s cannot be shared, so write the same in both, or only the limit", &request, name, &limit, name)
	case request.Cmp(limit) > 0:
		return invalid("resources.requests."+string(name), "is %s, which is above its limit of %s: lower the request or raise the limit", &request, &limit)
	default:
		return nil
	}
}

// checkHugePages repeats what Kubernetes demands of whoever uses them.
func checkHugePages(requests, limits resourceList) []refusal {
	var refusals []refusal
	for _, name := range slices.Sorted(maps.Keys(requests)) {
		if _, limited := limits[name]; !limited && isHugePage(name) {
			refusals = append(refusals, invalid("resources.limits", "has no %s: huge pages need a limit, so write the same in both, or only the limit", name)...)
		}
	}
	names := slices.Concat(slices.Collect(maps.Keys(requests)), slices.Collect(maps.Keys(limits)))
	if slices.ContainsFunc(names, isHugePage) && !slices.Contains(names, corev1.ResourceCPU) && !slices.Contains(names, corev1.ResourceMemory) {
		refusals = append(refusals, invalid("resources", "has huge pages without cpu or memory: write one of them, too")...)
	}
	return refusals
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
// has a domain, which is not one of Kubernetes' own, and a quota can name it.
func isExtended(name corev1.ResourceName) bool {
	s := string(name)
	return strings.Contains(s, "/") && !strings.Contains(s, corev1.ResourceDefaultNamespacePrefix) &&
		!strings.HasPrefix(s, corev1.DefaultResourceRequestsPrefix) &&
		len(validation.IsQualifiedName(corev1.DefaultResourceRequestsPrefix+s)) == 0
}

func isHugePage(name corev1.ResourceName) bool { return pageSize(name) > 0 }

// pageSize of huge pages in bytes, or zero.
func pageSize(name corev1.ResourceName) int64 {
	text, found := strings.CutPrefix(string(name), corev1.ResourceHugePagesPrefix)
	if !found || !plainQuantity.MatchString(text) || len(validation.IsQualifiedName(string(name))) > 0 {
		return 0
	}
	size, err := resource.ParseQuantity(text)
	if err != nil || size.MilliValue()%1000 != 0 {
		return 0
	}
	return size.Value()
}
