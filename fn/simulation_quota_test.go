package fn

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"
)

// quotaUse is what an object takes of quotas, in another way than the function
// counts it.
func quotaUse(o *unstructured.Unstructured) map[string]resource.Quantity {
	use := map[string]resource.Quantity{}
	count := func(names ...string) {
		for _, name := range names {
			use[name] = resource.MustParse("1")
		}
	}
	switch o.GetKind() {
	case "PersistentVolumeClaim":
		count("persistentvolumeclaims", "count/persistentvolumeclaims")
		use["requests.storage"] = requested(o)
		if class, _, _ := unstructured.NestedString(o.Object, "spec", "storageClassName"); class != "" {
			count(class + ".storageclass.storage.k8s.io/persistentvolumeclaims")
			use[class+".storageclass.storage.k8s.io/requests.storage"] = requested(o)
		}
	case "Service":
		count("services", "count/services")
		switch kind, _, _ := unstructured.NestedString(o.Object, "spec", "type"); kind {
		case "LoadBalancer":
			count("services.loadbalancers", "services.nodeports")
		case "NodePort":
			count("services.nodeports")
		}
	case "Secret":
		count("secrets", "count/secrets")
	case "Deployment":
		count("count/deployments.apps")
	case "NetworkPolicy":
		count("count/networkpolicies.networking.k8s.io")
	}
	return use
}

// limits that quotas may have. The namespace has one volume from the start.
var limits = []fields{
	{"requests.storage": "0"},
	{"requests.storage": "10Gi"},
	{"requests.storage": "25Gi"},
	{"persistentvolumeclaims": "1"},
	{"count/persistentvolumeclaims": "2"},
	{"standard.storageclass.storage.k8s.io/requests.storage": "10Gi"},
	{"standard.storageclass.storage.k8s.io/persistentvolumeclaims": "0"},
	{"slow.storageclass.storage.k8s.io/requests.storage": "1Gi"},
	{"services": "0"},
	{"count/services": "1"},
	{"services.nodeports": "0"},
	{"services.loadbalancers": "0", "services.nodeports": "1"},
	{"secrets": "0"},
	{"count/secrets": "1"},
	{"count/deployments.apps": "0"},
	{"count/networkpolicies.networking.k8s.io": "0"},
	{"pods": "0", "limits.memory": "1Gi"},
}

// quotaSet makes a quota, raises it or lowers it.
func quotaSet(t *rapid.T, e *fakeEngine) {
	name := rapid.SampledFrom([]string{"team", "other"}).Draw(t, "quota")
	e.cluster.setQuota(name, rapid.SampledFrom(limits).Draw(t, "limits"))
}

func (c *fakeCluster) setQuota(name string, hard fields) {
	c.add("v1", "ResourceQuota", name, fields{"spec": fields{"hard": hard}}).SetNamespace(simNamespace)
	c.countQuotas()
}

func (c *fakeCluster) removeQuotas() {
	maps.DeleteFunc(c.objects, func(id string, _ *unstructured.Unstructured) bool { return strings.HasPrefix(id, "ResourceQuota/") })
}

// countQuotas writes what is used into their status.
func (c *fakeCluster) countQuotas() {
	total := map[string]resource.Quantity{}
	for _, o := range c.objects {
		for name, amount := range quotaUse(o) {
			sum := total[name]
			sum.Add(amount)
			total[name] = sum
		}
	}
	for id, o := range c.objects {
		if !strings.HasPrefix(id, "ResourceQuota/") {
			continue
		}
		hard, used := o.Object["spec"].(fields)["hard"].(fields), fields{}
		for name := range hard {
			amount := total[name]
			used[name] = amount.String()
		}
		o.Object["status"] = fields{"hard": hard, "used": used}
	}
}

// checkQuotas: the function must not cause what a quota refuses.
func (c *fakeCluster) checkQuotas(live, next *unstructured.Unstructured) {
	c.Helper()
	if why := c.overQuota(live, next); why != "" {
		c.Fatalf("%s is refused: %s", idOf(next), why)
	}
}

// overQuota names the quota that refuses an object, which may be a change of one.
func (c *fakeCluster) overQuota(live, next *unstructured.Unstructured) string {
	delete(c.objects, idOf(next)) // It was stored before the quotas are asked.
	if live != nil {
		c.objects[idOf(next)] = live
	}
	c.countQuotas()
	before := map[string]resource.Quantity{}
	if live != nil {
		before = quotaUse(live)
	}
	for _, id := range slices.Sorted(maps.Keys(c.objects)) {
		status, isQuota := c.objects[id].Object["status"].(fields)
		if !isQuota || !strings.HasPrefix(id, "ResourceQuota/") {
			continue
		}
		for name, amount := range quotaUse(next) {
			amount.Sub(before[name])
			hard, limited := status["hard"].(fields)[name].(string)
			if !limited || amount.Sign() <= 0 {
				continue
			}
			used, _ := status["used"].(fields)[name].(string)
			amount.Add(resource.MustParse(used))
			if amount.Cmp(resource.MustParse(hard)) > 0 {
				return id + " " + name
			}
		}
	}
	return ""
}

// hasRoom tells whether the quotas certainly allow an object that does not exist. Of
// Services it thinks of the one that takes most.
func (c *fakeCluster) hasRoom(id string) bool {
	kind, name, _ := strings.Cut(id, "/")
	o := &unstructured.Unstructured{Object: fields{"kind": kind, "spec": fields{"type": "LoadBalancer"}}}
	o.SetName(name)
	return c.overQuota(nil, o) == ""
}

// checkNothingMade: a new notebook that is over quota composes nothing, and names
// a quota that there is.
func (h *history) checkNothingMade(t *rapid.T) {
	quota, _, _ := strings.Cut(strings.SplitAfter(h.accepted().GetMessage(), "exceeded quota: ")[1], ",")
	if len(h.refs) > 0 || h.cluster.objects["ResourceQuota/"+quota] == nil {
		t.Fatalf("the notebook is refused with %v made: %s", h.refs, h.accepted().GetMessage())
	}
}
