package fn

import (
	"fmt"
	"maps"
	"slices"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	corev1 "k8s.io/api/core/v1"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// reasonQuotaExceeded is that of all that a quota does not allow.
const reasonQuotaExceeded = "QuotaExceeded"

// withinQuotas takes out of a plan what the namespace's quotas do not allow.
// Crossplane creates the objects itself, and gives up the whole reconcile when it
// may not: the claim would never hear why.
//
// Every change of a quota's use wakes up all notebooks that have asked for it, so
// it is asked for only as long as something is to be made or to grow.
func (p plan) withinQuotas(nb notebook, w world) plan {
	demand := demandOf(nb, p.spec, w)
	if len(demand) == 0 {
		return p
	}
	known := true
	for name, s := range quotaRequirements(nb, p.spec, w) {
		p.required[name] = s
		_, asked := w.fetched[name]
		known = known && asked
	}
	p.held = held(demand, w.quotas(), known)
	if w.fresh && known {
		if p = p.wholeOrNothing(demand, w); p.keep {
			return p
		}
	}
	was, encoded := acceptedSpec(w.composed[keyServer])
	if p.held[keyAccess] != "" && was != nil && encoded != p.accepted {
		// A server keeps what it has until its token is stored, and all the rest with it.
		p.spec, p.accepted = was, encoded
		return p.withinQuotas(nb, w)
	}
	p = p.tellMissing(nb, w)
	if words, isHeld := p.held[keyService]; isHeld && w.composed[keyService].exists() {
		p = p.keepServiceType(w.composed[keyService], words)
	}
	return p
}

// tellMissing says which objects cannot be made. (The workspace says so itself.) A
// server is not made without what it needs.
func (p plan) tellMissing(nb notebook, w world) plan {
	for _, id := range identities(nb.name) {
		words := p.held[id.key]
		if words == "" || w.composed[id.key].exists() {
			continue
		}
		if id.key != keyWorkspace {
			p.notDone = append(p.notDone, cannotMake(id, words))
		}
	}
	for _, key := range []string{keyWorkspace, keyAccess} {
		if words := p.held[key]; words != "" && !w.composed[key].exists() && !w.composed[keyServer].exists() {
			p.held[keyServer] = words
		}
	}
	return p
}

func cannotMake(id identity, words string) string {
	return noRoom(fmt.Sprintf("the notebook's %s %s", id.kind, id.name), words, "delete")
}

// leavesServer tells whether the server is neither made nor changed.
func (p plan) leavesServer() bool {
	_, noServer := p.held[keyServer]
	_, noAccess := p.held[keyAccess]
	return noServer || noAccess
}

// demandOf a notebook is what it is about to take of quotas, by the key of the
// object that takes it.
func demandOf(nb notebook, spec *v1.NotebookSpec, w world) map[string]corev1.ResourceList {
	demand := map[string]corev1.ResourceList{}
	for _, id := range identities(nb.name) {
		var takes corev1.ResourceList
		if existing := w.composed[id.key]; existing.exists() {
			takes = moreTakes(id.key, spec, existing, w)
		} else if !w.foreign[id.key].exists() {
			takes = newTakes(id.key, spec, w)
		}
		if len(takes) > 0 {
			demand[id.key] = takes
		}
	}
	return demand
}

// quotaRequirements are what must be known of quotas. The cluster's default class
// matters only if a quota limits classes and the claim names none.
func quotaRequirements(nb notebook, spec *v1.NotebookSpec, w world) map[string]*fnv1.ResourceSelector {
	required := map[string]*fnv1.ResourceSelector{requiredQuotas: every("v1", "ResourceQuota", nb.namespace)}
	newVolume := spec.VolumeSize != nil && !w.composed[keyWorkspace].exists()
	if newVolume && spec.Volume.StorageClassName == nil && slices.ContainsFunc(w.quotas(), limitsClass) {
		required[requiredStorageClasses] = every("storage.k8s.io/v1", "StorageClass", "")
	}
	return required
}

func held(demand map[string]corev1.ResourceList, quotas []quota, known bool) map[string]string {
	held := map[string]string{}
	for key, takes := range demand {
		if words := exceeded(quotas, takes); !known || words != "" {
			held[key] = words
		}
	}
	return held
}

// wholeOrNothing refuses a new notebook of which a quota does not allow a part.
func (p plan) wholeOrNothing(demand map[string]corev1.ResourceList, w world) plan {
	all := corev1.ResourceList{}
	for key, takes := range demand {
		if !w.composed[key].exists() { // A workspace that is taken up can do without growth.
			maps.Copy(all, takes) // No two objects take the same.
		}
	}
	if words := exceeded(w.quotas(), all); words != "" {
		p.refusals, p.keep = append(p.refusals, refusal{reasonQuotaExceeded, noRoom("the notebook", words, "delete")}), true
	}
	return p
}

// keepServiceType leaves the Service as it is. All that depends on its type follows:
// a Service that is only for the namespace must not be opened to everybody.
func (p plan) keepServiceType(svc object, words string) plan {
	has := corev1.ServiceTypeClusterIP
	if svc.text("spec", "type") == string(corev1.ServiceTypeNodePort) {
		has = corev1.ServiceTypeNodePort
	}
	if words != "" {
		p.notDone = append(p.notDone, noRoom(fmt.Sprintf("serviceType %s, so the Service stays %s", p.spec.ServiceType, has), words, "delete"))
	}
	spec := *p.spec
	spec.ServiceType = has
	p.spec = &spec
	return p
}

// overQuota: something that the notebook needs cannot be made. One that runs
// without a workspace goes on.
func overQuota(s situation) (verdict, bool) {
	for _, id := range identities(s.name) {
		words := s.held[id.key]
		runsWithout := id.key == keyWorkspace && s.server().exists() && s.workspaceName() != id.name
		if words == "" || runsWithout || s.world.composed[id.key].exists() {
			continue
		}
		return failed(reasonQuotaExceeded, "%s", cannotMake(id, words))
	}
	return verdict{}, false
}
