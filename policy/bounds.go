package policy

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
	"github.com/function-jupyter/function-jupyter/input/v1beta1"
)

// resources gives what the claim says nothing of, and keeps all within bounds.
func (r *Resolution) resources(rules *v1beta1.Rules) {
	asked := &r.Spec.Resources
	limits, requests := maps.Clone(asked.Limits), maps.Clone(asked.Requests)
	for name, usual := range rules.Resources.Default.Limits {
		if _, written := limits[name]; !written {
			limits = put(limits, name, atLeast(usual, requests[name]))
		}
	}
	for name, usual := range rules.Resources.Default.Requests {
		if _, written := requests[name]; !written {
			requests = put(requests, name, atMost(usual, limits, name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(rules.Resources.Max)) {
		most := rules.Resources.Max[name]
		for _, written := range []struct {
			what string
			list map[corev1.ResourceName]resource.Quantity
		}{{"limit", limits}, {"request", requests}} {
			if quantity, exists := written.list[name]; exists && quantity.Cmp(most) > 0 {
				r.deny("%s %s %s is above this platform's maximum of %s", name, written.what, &quantity, &most)
				break
			}
		}
		// What has no limit has no bound, either.
		if _, limited := limits[name]; !limited && shared(name) {
			limits = put(limits, name, most)
		}
	}
	asked.Limits, asked.Requests = limits, requests
}

// shared resources can be used without asking for them.
func shared(name corev1.ResourceName) bool {
	return name == corev1.ResourceCPU || name == corev1.ResourceMemory || name == corev1.ResourceEphemeralStorage
}

func put(list map[corev1.ResourceName]resource.Quantity, name corev1.ResourceName, quantity resource.Quantity) map[corev1.ResourceName]resource.Quantity {
	if list == nil {
		list = map[corev1.ResourceName]resource.Quantity{}
	}
	list[name] = quantity
	return list
}

// atLeast a request: a limit is never below it.
func atLeast(limit, request resource.Quantity) resource.Quantity {
	if limit.Cmp(request) < 0 {
		return request
	}
	return limit
}

// atMost the limit: a request is never above it.
func atMost(request resource.Quantity, limits map[corev1.ResourceName]resource.Quantity, name corev1.ResourceName) resource.Quantity {
	if limit, limited := limits[name]; limited && request.Cmp(limit) > 0 {
		return limit
	}
	return request
}

// storage of a workspace that is to be made, and the bound of every one.
func (r *Resolution) storage(rules *v1beta1.Rules, hasWorkspace bool) {
	spec, s := r.Spec, rules.Storage
	if spec.VolumeSize == nil && spec.Volume.ExistingClaim == "" && !hasWorkspace && s.DefaultSize != nil {
		size := s.DefaultSize.DeepCopy()
		spec.VolumeSize = &size
	}
	if spec.VolumeSize == nil {
		return
	}
	if s.MaxSize != nil && spec.VolumeSize.Cmp(*s.MaxSize) > 0 {
		r.deny("volumeSize %s is above this platform's maximum of %s", spec.VolumeSize, s.MaxSize)
	}
	if spec.Volume.StorageClassName == nil && s.DefaultClass != "" && !hasWorkspace {
		class := s.DefaultClass
		spec.Volume.StorageClassName = &class
	}
	if spec.Volume.Retention == "" {
		spec.Volume.Retention = v1.Retention(s.Retention)
	}
}

// idle timeout by default, and its bounds.
func (r *Resolution) idle(rules *v1beta1.Rules) {
	i, asked := rules.Idle, r.Spec.IdleTimeoutSeconds
	switch {
	case asked == nil && i.DefaultSeconds != nil && *i.DefaultSeconds > 0:
		seconds := *i.DefaultSeconds
		r.Spec.IdleTimeoutSeconds = &seconds
	case asked == nil:
	case *asked == 0 && i.ExemptAllowed != nil && !*i.ExemptAllowed:
		r.deny("idleTimeoutSeconds 0 is not allowed here: leave it out, or write how many seconds")
	case *asked > 0 && *asked < i.MinSeconds:
		r.deny("idleTimeoutSeconds %d is below this platform's minimum of %d", *asked, i.MinSeconds)
	case i.MaxSeconds > 0 && *asked > i.MaxSeconds:
		r.deny("idleTimeoutSeconds %d is above this platform's maximum of %d", *asked, i.MaxSeconds)
	}
}
