package fn

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// A quota is a ResourceQuota of the namespace.
type quota struct {
	name       string
	hard, used corev1.ResourceList
}

// quotas of the namespace, in the order of their names. Those with a scope are left
// out: no scope has anything to do with what a notebook composes.
func (w world) quotas() []quota {
	var quotas []quota
	for _, item := range w.fetched[requiredQuotas].GetItems() {
		o := object{item.GetResource()}
		if len(o.at("spec", "scopes").GetListValue().GetValues()) > 0 || o.at("spec", "scopeSelector") != nil {
			continue
		}
		q := quota{name: o.text("metadata", "name"), hard: o.amounts("status", "hard"), used: o.amounts("status", "used")}
		if len(q.hard) == 0 { // Its controller has not looked at it yet.
			q.hard = o.amounts("spec", "hard")
		}
		quotas = append(quotas, q)
	}
	slices.SortStableFunc(quotas, func(a, b quota) int { return cmp.Compare(a.name, b.name) })
	return quotas
}

// amounts returns the quantities at the path that people could have written.
func (o object) amounts(path ...string) corev1.ResourceList {
	amounts := corev1.ResourceList{}
	for name, v := range o.at(path...).GetStructValue().GetFields() {
		if q, err := parseQuantity(v.GetStringValue()); err == nil {
			amounts[corev1.ResourceName(name)] = q
		}
	}
	return amounts
}

// exceeded says in Kubernetes' own words which quota does not allow to take so much
// more, or nothing if all of them do.
func exceeded(quotas []quota, takes corev1.ResourceList) string {
	for _, q := range quotas {
		if words := q.exceededBy(takes); words != "" {
			return words
		}
	}
	return ""
}

func (q quota) exceededBy(takes corev1.ResourceList) string {
	var requested, used, limited []string
	for _, name := range slices.Sorted(maps.Keys(takes)) {
		request, use := takes[name], q.used[name]
		limit, limits := q.hard[name]
		sum := use.DeepCopy()
		sum.Add(request)
		if !limits || sum.Cmp(limit) <= 0 {
			continue
		}
		requested = append(requested, fmt.Sprintf("%s=%s", name, &request))
		used = append(used, fmt.Sprintf("%s=%s", name, &use))
		limited = append(limited, fmt.Sprintf("%s=%s", name, &limit))
	}
	if len(requested) == 0 {
		return ""
	}
	return fmt.Sprintf("exceeded quota: %s, requested: %s, used: %s, limited: %s", q.name, strings.Join(requested, ","), strings.Join(used, ","), strings.Join(limited, ","))
}

// noRoom is the sentence for what a quota does not allow. To stop a notebook makes
// room for pods; other room only comes from one that is deleted.
func noRoom(what, exceeded, makeRoom string) string {
	return fmt.Sprintf("the namespace's quota does not allow %s: %s; ask for less, %s another notebook, or ask your platform team for more", what, exceeded, makeRoom)
}

// Names that quotas have for what a notebook takes.
const (
	countPrefix = "count/"
	classSuffix = ".storageclass.storage.k8s.io/"
)

// newTakes is what a new object takes of quotas, by their names for it. It is nil
// for one that is not needed.
func newTakes(key string, spec *v1.NotebookSpec, w world) corev1.ResourceList {
	switch {
	case key == keyWorkspace && spec.VolumeSize == nil:
		return nil
	case key == keyWorkspace:
		return takesVolume(w.newClass(spec), *spec.VolumeSize)
	case key == keyAccess:
		return one("secrets", countPrefix+"secrets")
	case key == keyServer:
		return one(countPrefix + "deployments.apps")
	case key == keyService:
		return one(append(ports(spec.ServiceType), "services", countPrefix+"services")...)
	default:
		return one(countPrefix + "networkpolicies.networking.k8s.io")
	}
}

// moreTakes is what an object that exists takes more of quotas than before.
func moreTakes(key string, spec *v1.NotebookSpec, existing object, w world) corev1.ResourceList {
	switch key {
	case keyWorkspace:
		if more := growth(spec, existing, w); !more.IsZero() {
			return takesStorage(existing.text("spec", "storageClassName"), more)
		}
		return nil
	case keyService:
		had := ports(corev1.ServiceType(existing.text("spec", "type")))
		return one(slices.DeleteFunc(ports(spec.ServiceType), func(name corev1.ResourceName) bool { return slices.Contains(had, name) })...)
	default:
		return nil
	}
}

func takesVolume(class string, size resource.Quantity) corev1.ResourceList {
	takes := takesStorage(class, size)
	maps.Copy(takes, one(corev1.ResourcePersistentVolumeClaims, countPrefix+"persistentvolumeclaims"))
	if class != "" {
		maps.Copy(takes, one(corev1.ResourceName(class+classSuffix)+corev1.ResourcePersistentVolumeClaims))
	}
	return takes
}

func takesStorage(class string, size resource.Quantity) corev1.ResourceList {
	takes := corev1.ResourceList{corev1.ResourceRequestsStorage: size}
	if class != "" {
		takes[corev1.ResourceName(class+classSuffix)+corev1.ResourceRequestsStorage] = size
	}
	return takes
}

// ports that a type of Service takes. A load balancer reaches the server through a
// port of the nodes.
func ports(serviceType corev1.ServiceType) []corev1.ResourceName {
	switch serviceType {
	case corev1.ServiceTypeNodePort:
		return []corev1.ResourceName{corev1.ResourceServicesNodePorts}
	case corev1.ServiceTypeLoadBalancer:
		return []corev1.ResourceName{corev1.ResourceServicesNodePorts, corev1.ResourceServicesLoadBalancers}
	default:
		return nil
	}
}

func one(names ...corev1.ResourceName) corev1.ResourceList {
	takes := make(corev1.ResourceList, len(names))
	for _, name := range names {
		takes[name] = resource.MustParse("1")
	}
	return takes
}

// newClass is the storage class that a new workspace gets, or empty.
func (w world) newClass(spec *v1.NotebookSpec) string {
	if class := spec.Volume.StorageClassName; class != nil {
		return *class
	}
	return w.defaultClass().text("metadata", "name")
}

// defaultClass of the cluster: the newest, as Kubernetes chooses if there are
// several. Of two that were made in the same second it takes the first by name.
func (w world) defaultClass() object {
	var chosen object
	for _, item := range w.fetched[requiredStorageClasses].GetItems() {
		class := object{item.GetResource()}
		if class.annotation("storageclass.kubernetes.io/is-default-class") != "true" {
			continue
		}
		made := cmp.Compare(class.text("metadata", "creationTimestamp"), chosen.text("metadata", "creationTimestamp"))
		if !chosen.exists() || made > 0 || (made == 0 && class.text("metadata", "name") < chosen.text("metadata", "name")) {
			chosen = class
		}
	}
	return chosen
}

// limitsClass tells whether a quota has limits for storage classes.
func limitsClass(q quota) bool {
	for name := range q.hard {
		if strings.Contains(string(name), classSuffix) {
			return true
		}
	}
	return false
}
