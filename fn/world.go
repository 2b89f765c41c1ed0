package fn

import (
	"cmp"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	corev1 "k8s.io/api/core/v1"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// Names under which the function asks Crossplane for objects that it does not
// compose. Crossplane calls it again, in the same reconcile, with what it found,
// and whenever one of them changes.
const (
	requiredExistingClaim = "existing-claim" + seeRBAC
	requiredNamespace     = "namespace" + seeRBAC
	requiredStorageClass  = "storage-class" + seeRBAC
	requiredPods          = "pods" + seeRBAC
	requiredAttachments   = "volume-attachments" + seeRBAC

	requiredQuotas         = "resource-quotas" + seeRBAC
	requiredStorageClasses = "storage-classes" + seeRBAC

	// seeRBAC is for who forgot the manifest. Crossplane says that it waited in
	// vain for the object of that name, and not that it may not read it.
	seeRBAC = " (see deploy/rbac.yaml)"
)

// requiredExisting is the name of whatever has the name of a composed object.
func requiredExisting(key string) string { return "existing-" + key + seeRBAC }

// A world is what exists, as far as Crossplane told.
type world struct {
	// composed objects by key: this notebook's own.
	composed map[string]object

	// unobserved keys of composed objects: Crossplane does not know yet that they
	// are this notebook's, such as a workspace that an earlier notebook left.
	unobserved map[string]bool

	// foreign objects by key: they have the name of an object to compose, and
	// somebody else made them.
	foreign map[string]object

	// unasked keys: nobody knows yet whether a foreign object is in the way.
	unasked map[string]bool

	// fresh notebooks have composed nothing yet.
	fresh bool

	// fetched are the objects that the function asked for, by its name for them.
	fetched map[string]*fnv1.Resources
}

// look sorts what Crossplane sent.
func look(req *fnv1.RunFunctionRequest, nb notebook) world {
	w := world{
		composed:   map[string]object{},
		unobserved: map[string]bool{},
		foreign:    map[string]object{},
		unasked:    map[string]bool{},
		fresh:      len(req.GetObserved().GetResources()) == 0,
		fetched:    req.GetRequiredResources(),
	}
	for _, id := range identities(nb.name) {
		if o := (object{req.GetObserved().GetResources()[id.key].GetResource()}); o.exists() {
			w.composed[id.key] = o
			continue
		}
		o, asked := w.one(requiredExisting(id.key))
		switch {
		case !asked:
			w.unasked[id.key] = true
		case !o.exists():
		case nb.uid != "" && o.controller() == nb.uid, id.key == keyWorkspace && isRetained(o, nb.name):
			w.composed[id.key], w.unobserved[id.key] = o, true
		default:
			w.foreign[id.key] = o
		}
	}
	return w
}

// one returns the required object, and whether Crossplane looked for it.
func (w world) one(name string) (object, bool) {
	resources, asked := w.fetched[name]
	for _, item := range resources.GetItems() {
		if s := item.GetResource(); s != nil {
			return object{s}, asked
		}
	}
	return object{}, asked
}

func (w world) existingClaim() (object, bool) { return w.one(requiredExistingClaim) }
func (w world) storageClass() (object, bool)  { return w.one(requiredStorageClass) }

// mounted is the PersistentVolumeClaim of the workspace, whoever made it.
func (w world) mounted() object {
	if pvc := w.composed[keyWorkspace]; pvc.exists() {
		return pvc
	}
	claim, _ := w.existingClaim()
	return claim
}

func (w world) namespaceUID() string {
	ns, _ := w.one(requiredNamespace)
	return ns.text("metadata", "uid")
}

// pod of the server: the newest that is not going.
func (w world) pod() object {
	var newest object
	for _, item := range w.fetched[requiredPods].GetItems() {
		pod := object{item.GetResource()}
		if pod.exists() && !pod.deleting() && (!newest.exists() || newer(pod, newest)) {
			newest = pod
		}
	}
	return newest
}

// newer tells which of two pods was made later. Both may be made in the same
// second, and come in any order.
func newer(a, b object) bool {
	return cmp.Or(
		cmp.Compare(a.text("metadata", "creationTimestamp"), b.text("metadata", "creationTimestamp")),
		cmp.Compare(a.text("metadata", "name"), b.text("metadata", "name")),
	) > 0
}

// nodeIP is the address of a node on which the server runs, or empty. A pod that
// was evicted stays as a record, and its node may be gone. Of others the first by
// name counts: they come in any order, and a status that flips is never quiet.
func (w world) nodeIP() string {
	var first object
	for _, item := range w.fetched[requiredPods].GetItems() {
		pod := object{item.GetResource()}
		if pod.text("status", "hostIP") == "" || pod.text("status", "phase") == string(corev1.PodFailed) {
			continue
		}
		if !first.exists() || pod.text("metadata", "name") < first.text("metadata", "name") {
			first = pod
		}
	}
	return first.text("status", "hostIP")
}

// requirements are the objects to ask for. Crossplane calls again until they stay
// the same, so they depend on the claim, on what is composed, and on the pod alone.
func requirements(nb notebook, p plan, w world, observed map[string]*fnv1.Resource) map[string]*fnv1.ResourceSelector {
	spec := p.spec
	required := map[string]*fnv1.ResourceSelector{}
	for _, id := range identities(nb.name) {
		if _, exists := observed[id.key]; exists || (id.key == keyWorkspace && spec.VolumeSize == nil) {
			continue
		}
		required[requiredExisting(id.key)] = named(id.apiVersion, id.kind, id.name, nb.namespace)
	}
	if spec.Volume.ExistingClaim != "" {
		required[requiredExistingClaim] = named("v1", "PersistentVolumeClaim", spec.Volume.ExistingClaim, nb.namespace)
	}
	if spec.Volume.Retention == v1.RetentionRetain {
		required[requiredNamespace] = named("v1", "Namespace", nb.namespace, "")
	}
	if pvc := w.composed[keyWorkspace]; wantsGrowth(spec, pvc) {
		required[requiredStorageClass] = named("storage.k8s.io/v1", "StorageClass", pvc.text("spec", "storageClassName"), "")
	}
	// Only the pod knows why it does not run, what its agent saw, and which node's
	// address to show.
	if (p.looksAtPods() && mayTell(w.composed[keyServer], nb.now)) || spec.ServiceType == corev1.ServiceTypeNodePort {
		required[requiredPods] = &fnv1.ResourceSelector{
			ApiVersion: "v1",
			Kind:       "Pod",
			Namespace:  &nb.namespace,
			Match:      &fnv1.ResourceSelector_MatchLabels{MatchLabels: &fnv1.MatchLabels{Labels: selector(nb.name)}},
		}
	}
	if p.looksAtPods() && (pod{w.pod()}).waitsForVolumes(nb.now) && w.mounted().text("spec", "volumeName") != "" {
		required[requiredAttachments] = attachments()
	}
	return required
}

// quietStart is how long a server may take to start before its pod is looked at. A
// pod that starts changes half a dozen times. Crossplane would call for each, and
// after some more changes it would leave out the notebook's events for minutes.
const quietStart = 30 * time.Second

// mayTell tells whether the pod of a server may have something to tell.
func mayTell(server object, now time.Time) bool {
	started := server.time("metadata", "annotations", annotationStarted)
	return server.number("spec", "replicas") > 0 && now.Sub(started) >= quietStart
}

// every object of a kind, in a namespace if the kind has any.
func every(apiVersion, kind, namespace string) *fnv1.ResourceSelector {
	s := named(apiVersion, kind, "", namespace)
	s.Match = &fnv1.ResourceSelector_MatchLabels{MatchLabels: &fnv1.MatchLabels{}}
	return s
}

func named(apiVersion, kind, name, namespace string) *fnv1.ResourceSelector {
	s := &fnv1.ResourceSelector{ApiVersion: apiVersion, Kind: kind, Match: &fnv1.ResourceSelector_MatchName{MatchName: name}}
	if namespace != "" {
		s.Namespace = &namespace
	}
	return s
}
