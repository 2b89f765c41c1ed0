package fn

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	k8slabels "k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
)

const (
	simTime = "2026-11-30T12:00:00Z"

	// otherUID is of a controller that is not this notebook.
	otherUID = types.UID("0ther")
)

// A fakeCluster is one namespace of an API server, with what the function
// relies on of its defaults, and of its refusals: each is a failed test, because
// the function must never cause one.
type fakeCluster struct {
	failer

	objects map[string]*unstructured.Unstructured

	// applied is what Crossplane last applied of each object, as the API server
	// remembers it in managedFields.
	applied map[string]map[string]any

	// foreign objects, which must stay as they are.
	foreign map[string]string

	// workspace that must stay for ever, once there is one.
	workspace types.UID

	uids int
}

func newCluster(t failer) *fakeCluster {
	c := &fakeCluster{failer: t, objects: map[string]*unstructured.Unstructured{}, applied: map[string]map[string]any{}, foreign: map[string]string{}}
	c.add("v1", "Namespace", simNamespace, nil)
	c.add("storage.k8s.io/v1", "StorageClass", "standard", map[string]any{"allowVolumeExpansion": true}).SetAnnotations(map[string]string{"storageclass.kubernetes.io/is-default-class": "true"})
	c.add("storage.k8s.io/v1", "StorageClass", "slow", nil)
	c.add("v1", "PersistentVolumeClaim", "my-data", map[string]any{"status": map[string]any{"phase": "Bound"}})
	for id := range c.objects {
		c.foreign[id] = asJSON(c.objects[id].Object)
	}
	return c
}

// add an object that the notebook has nothing to do with.
func (c *fakeCluster) add(apiVersion, kind, name string, fields map[string]any) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{}}
	maps.Copy(o.Object, fields)
	o.SetAPIVersion(apiVersion)
	o.SetKind(kind)
	o.SetName(name)
	o.SetUID(c.newUID())
	c.objects[idOf(o)] = o
	return o
}

func (c *fakeCluster) newUID() types.UID {
	c.uids++
	return types.UID(fmt.Sprintf("00000000-0000-4000-8000-%012d", c.uids))
}

// remove an object, as a user does.
func (c *fakeCluster) remove(id string) {
	delete(c.objects, id)
	delete(c.applied, id)
	delete(c.foreign, id)
}

// state of all objects.
func (c *fakeCluster) state() string {
	var b strings.Builder
	for _, id := range slices.Sorted(maps.Keys(c.objects)) {
		fmt.Fprintln(&b, id, asJSON(c.objects[id].Object))
	}
	return b.String()
}

// snapshot of all objects, by their ids.
func (c *fakeCluster) snapshot() map[string]string {
	s := make(map[string]string, len(c.objects))
	for id, o := range c.objects {
		s[id] = asJSON(o.Object)
	}
	return s
}

// fetch what the function requires. What does not exist is nil.
func (c *fakeCluster) fetch(selectors map[string]*fnv1.ResourceSelector) map[string]*fnv1.Resources {
	c.countQuotas()
	fetched := make(map[string]*fnv1.Resources, len(selectors))
	for name, s := range selectors {
		fetched[name] = nil
		for _, id := range slices.Sorted(maps.Keys(c.objects)) {
			o := c.objects[id]
			if o.GetKind() != s.GetKind() || o.GetAPIVersion() != s.GetApiVersion() || !matches(s, o) {
				continue
			}
			if fetched[name] == nil {
				fetched[name] = &fnv1.Resources{}
			}
			fetched[name].Items = append(fetched[name].Items, &fnv1.Resource{Resource: asStruct(c, o.Object)})
		}
	}
	return fetched
}

func matches(s *fnv1.ResourceSelector, o *unstructured.Unstructured) bool {
	if want := s.GetMatchLabels(); want != nil {
		return k8slabels.SelectorFromSet(want.GetLabels()).Matches(k8slabels.Set(o.GetLabels()))
	}
	return o.GetName() == s.GetMatchName()
}

// apply an object as server-side apply does, for this one field manager.
func (c *fakeCluster) apply(key string, want *unstructured.Unstructured, controller metav1.OwnerReference) {
	c.Helper()
	id := idOf(want)
	live, exists := c.objects[id]
	if exists {
		owner := metav1.GetControllerOf(live)
		if _, foreign := c.foreign[id]; foreign || (owner != nil && owner.UID != controller.UID) {
			c.Fatalf("%s is somebody else's, and was applied", id)
		}
	} else {
		live = c.add(want.GetAPIVersion(), want.GetKind(), want.GetName(), nil)
		live.SetNamespace(want.GetNamespace())
		live.SetCreationTimestamp(metav1.Time{}) // As a clock would make each run different.
	}
	annotations := want.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[annotationKey] = key
	want.SetAnnotations(annotations)
	want.SetOwnerReferences(append(want.GetOwnerReferences(), controller))

	next := &unstructured.Unstructured{Object: merge(live.Object, c.applied[id], want.Object)}
	c.defaults(next, live)
	if exists {
		c.checkImmutable(live, next)
		c.checkQuotas(live, next)
	} else {
		c.checkQuotas(nil, next)
	}
	if asJSON(next.Object["spec"]) != asJSON(live.Object["spec"]) {
		next.SetGeneration(live.GetGeneration() + 1)
	}
	c.objects[id], c.applied[id] = next, owned(live.Object, c.applied[id], want.Object)
}

// owned is what only the notebook wants. Others own what was there before the
// notebook wanted the same, such as the name of the volume that was bound.
func owned(live, before, want map[string]any) map[string]any {
	own := map[string]any{}
	for k, v := range want {
		there, exists := live[k]
		was, wanted := before[k]
		if part, isMap := v.(map[string]any); isMap {
			there, _ := there.(map[string]any)
			was, _ := was.(map[string]any)
			own[k] = owned(there, was, part)
			continue
		}
		if !exists || wanted || asJSON(there) != asJSON(v) {
			own[k] = v
		}
	}
	return own
}

// merge what is wanted into what is there, and remove what was wanted before.
func merge(live, before, want map[string]any) map[string]any {
	merged := maps.Clone(live)
	if merged == nil {
		merged = map[string]any{}
	}
	for k, was := range before {
		if _, still := want[k]; still {
			continue
		}
		rest, isMap := merged[k].(map[string]any)
		if part, wasMap := was.(map[string]any); isMap && wasMap {
			if rest = merge(rest, part, nil); len(rest) > 0 {
				merged[k] = rest
				continue
			}
		}
		delete(merged, k)
	}
	for k, v := range want {
		if part, isMap := v.(map[string]any); isMap {
			there, _ := live[k].(map[string]any)
			was, _ := before[k].(map[string]any)
			v = merge(there, was, part)
		}
		merged[k] = v
	}
	return merged
}

// defaults are what the API server fills in.
func (c *fakeCluster) defaults(o, live *unstructured.Unstructured) {
	spec, _ := o.Object["spec"].(map[string]any)
	was, _ := live.Object["spec"].(map[string]any)
	fill := func(field string, value any) {
		if old, allocated := was[field]; allocated {
			value = old
		}
		if _, set := spec[field]; !set {
			spec[field] = value
		}
	}
	switch o.GetKind() {
	case "PersistentVolumeClaim":
		fill("storageClassName", "standard")
		fill("volumeMode", "Filesystem")
		if o.Object["status"] == nil {
			o.Object["status"] = map[string]any{"phase": "Pending"}
		}
	case "Service":
		fill("clusterIP", fmt.Sprintf("10.0.0.%d", c.uids%250))
		if spec["type"] == "ClusterIP" {
			delete(o.Object, "status")
			return
		}
		ports, _ := spec["ports"].([]any)
		port, _ := ports[0].(map[string]any)
		port["nodePort"] = float64(30088)
	}
}

// checkImmutable repeats what the API server refuses to change.
func (c *fakeCluster) checkImmutable(live, next *unstructured.Unstructured) {
	c.Helper()
	frozen := map[string][][]string{
		"PersistentVolumeClaim": {{"spec", "accessModes"}, {"spec", "storageClassName"}, {"spec", "volumeName"}, {"spec", "volumeMode"}},
		"Deployment":            {{"spec", "selector"}},
		"Secret":                {{"type"}},
		"Service":               {{"spec", "clusterIP"}},
	}
	for _, path := range frozen[next.GetKind()] {
		before, _, _ := unstructured.NestedFieldNoCopy(live.Object, path...)
		after, _, _ := unstructured.NestedFieldNoCopy(next.Object, path...)
		if diff := cmp.Diff(before, after); diff != "" {
			c.Fatalf("%s: the API server refuses to change %s:\n%s", idOf(next), strings.Join(path, "."), diff)
		}
	}
	if next.GetKind() == "PersistentVolumeClaim" {
		c.checkSize(live, next)
	}
}

func (c *fakeCluster) checkSize(live, next *unstructured.Unstructured) {
	c.Helper()
	before, after := requested(live), requested(next)
	class, _, _ := unstructured.NestedString(live.Object, "spec", "storageClassName")
	phase, _, _ := unstructured.NestedString(live.Object, "status", "phase")
	switch cmp := after.Cmp(before); {
	case cmp < 0:
		c.Fatalf("the workspace shrinks from %s to %s", &before, &after)
	case cmp > 0 && phase != "Bound":
		c.Fatalf("a workspace that is not bound grows from %s to %s", &before, &after)
	case cmp > 0 && class != "standard":
		c.Fatalf("a workspace of class %q grows from %s to %s", class, &before, &after)
	}
}

// requested size of a PersistentVolumeClaim.
func requested(pvc *unstructured.Unstructured) resource.Quantity {
	text, _, _ := unstructured.NestedString(pvc.Object, "spec", "resources", "requests", "storage")
	q, _ := resource.ParseQuantity(text)
	return q
}

// collect what Crossplane does not want any more.
func (c *fakeCluster) collect(o *unstructured.Unstructured) {
	c.Helper()
	if o.GetKind() == "PersistentVolumeClaim" {
		c.Fatalf("the workspace is not composed any more, and so deleted")
	}
	if metav1.GetControllerOf(o) != nil {
		c.remove(idOf(o))
	}
}

// collectGarbage removes what no owner that still lives wants to keep.
func (c *fakeCluster) collectGarbage(xr types.UID) {
	alive := map[types.UID]bool{xr: true, otherUID: true, c.objects["Namespace/"+simNamespace].GetUID(): true}
	for id, o := range c.objects {
		owners := o.GetOwnerReferences()
		if len(owners) == 0 {
			continue
		}
		left := slices.DeleteFunc(owners, func(owner metav1.OwnerReference) bool { return !alive[owner.UID] })
		o.SetOwnerReferences(left)
		if len(left) > 0 && (o.GetDeletionTimestamp() == nil || metav1.GetControllerOf(o) != nil) {
			continue // A volume that is deleted goes when nothing uses it any more.
		}
		if o.GetUID() == c.workspace {
			c.workspace = ""
		}
		c.remove(id)
	}
}

func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // Never: all is made of JSON.
	}
	return string(b)
}
