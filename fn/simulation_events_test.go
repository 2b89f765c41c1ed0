package fn

import (
	"encoding/base64"
	"maps"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"

	"github.com/function-jupyter/function-jupyter/input/v1beta1"
)

// events that befall a notebook, by name. One that does not apply does nothing.
var events = map[string]func(*rapid.T, *fakeEngine){
	"volume is bound":           func(_ *rapid.T, e *fakeEngine) { e.setStatus(keyWorkspace, volumeStatusIs("Bound")) },
	"volume is lost":            func(_ *rapid.T, e *fakeEngine) { e.setStatus(keyWorkspace, volumeStatusIs("Lost")) },
	"volume is deleted by hand": func(_ *rapid.T, e *fakeEngine) { e.setMeta(keyWorkspace, "deletionTimestamp", simTime) },
	"server starts":             func(_ *rapid.T, e *fakeEngine) { e.setStatus(keyServer, serverStatusIs(1, nil)) },
	"server is replaced":        func(_ *rapid.T, e *fakeEngine) { e.setStatus(keyServer, serverStatusIs(0, nil)) },
	"server makes no progress": func(_ *rapid.T, e *fakeEngine) {
		e.setStatus(keyServer, serverStatusIs(0, fields{"type": "Progressing", "status": "False", "message": "timed out"}))
	},
	"quota is exceeded": func(_ *rapid.T, e *fakeEngine) {
		e.setStatus(keyServer, serverStatusIs(0, fields{"type": "ReplicaFailure", "status": "True", "message": `pods "alpha-x" is forbidden: exceeded quota: team`}))
	},
	"load balancer gets an address": func(_ *rapid.T, e *fakeEngine) {
		if o := e.composed(keyService); o != nil && o.Object["spec"].(fields)["type"] == "LoadBalancer" {
			e.setStatus(keyService, func(*unstructured.Unstructured) fields {
				return fields{"loadBalancer": fields{"ingress": values{fields{"ip": "192.0.2.7"}}}}
			})
		}
	},
	"pod runs":            podRuns,
	"pod is in any state": podInAnyState,
	"agent reports":       agentReports,
	"agent reports again": agentReports,
	"time passes": func(t *rapid.T, e *fakeEngine) {
		e.now = e.now.Add(time.Duration(rapid.IntRange(1, 7200).Draw(t, "seconds")) * time.Second)
	},
	"platform is changed": func(t *rapid.T, e *fakeEngine) {
		e.policy = policyWith(rapid.SampledFrom([]fields{
			nil,
			{"agent": fields{"image": "mirror/agent:v2"}},
			{"agent": fields{"resources": fields{"memory": "20Mi"}}},
			{"diagnostics": fields{"pods": false}},
			{"kind": "Other"},
			{"unknown": true},
		}).Draw(t, "policy"))
	},
	"pods go": func(_ *rapid.T, e *fakeEngine) {
		maps.DeleteFunc(e.cluster.objects, func(id string, _ *unstructured.Unstructured) bool { return strings.HasPrefix(id, "Pod/") })
	},
	"object is deleted by hand": deletedByHand,
	"secret is edited by hand":  secretEdited,
	"accepted spec is damaged":  acceptedDamaged,
	"foreign object appears":    foreignAppears,
	"foreign object goes":       foreignGoes,
	"claim is created again":    func(_ *rapid.T, e *fakeEngine) { e.recreate() },
	"garbage is collected":      func(_ *rapid.T, e *fakeEngine) { e.cluster.collectGarbage(e.xr.GetUID()) },
	"object is refused": func(t *rapid.T, e *fakeEngine) {
		e.refusedKey = rapid.SampledFrom(identities(simName)).Draw(t, "identity").key
		e.backwards = rapid.Bool().Draw(t, "backwards")
	},
	"all objects are taken":   func(_ *rapid.T, e *fakeEngine) { e.refusedKey = "" },
	"quota is set":            quotaSet,
	"quota is raised":         func(_ *rapid.T, e *fakeEngine) { e.cluster.removeQuotas() },
	"crossplane starts again": func(_ *rapid.T, e *fakeEngine) { e.seeds = nil },
}

// policyIsBroken tells whether the platform's policy makes no sense.
func (e *fakeEngine) policyIsBroken() bool {
	return e.policy["kind"] != v1beta1.Kind || e.policy["unknown"] != nil
}

func (e *fakeEngine) setStatus(key string, status func(*unstructured.Unstructured) fields) {
	if o := e.composed(key); o != nil {
		o.Object["status"] = status(o)
	}
}

func (e *fakeEngine) setMeta(key, field, value string) {
	if o := e.composed(key); o != nil {
		o.Object["metadata"].(fields)[field] = value
	}
}

func volumeStatusIs(phase string) func(*unstructured.Unstructured) fields {
	return func(o *unstructured.Unstructured) fields {
		o.Object["spec"].(fields)["volumeName"] = "pv-1"
		q := requested(o)
		return fields{"phase": phase, "capacity": fields{"storage": q.String()}}
	}
}

// serverStatusIs what the Deployment's controller writes.
func serverStatusIs(ready int, condition fields) func(*unstructured.Unstructured) fields {
	return func(o *unstructured.Unstructured) fields {
		status := fields{"observedGeneration": float64(o.GetGeneration())}
		if condition != nil {
			status["conditions"] = values{condition}
		}
		if o.Object["spec"].(fields)["replicas"] != 0.0 {
			status["replicas"], status["updatedReplicas"] = 1.0, 1.0
			if ready > 0 {
				status["readyReplicas"] = 1.0
			}
		}
		return status
	}
}

func podRuns(t *rapid.T, e *fakeEngine) {
	if e.composed(keyServer) == nil {
		return
	}
	name := rapid.SampledFrom([]string{"alpha-1", "alpha-2"}).Draw(t, "pod")
	o := e.cluster.add("v1", "Pod", name, fields{"status": fields{"hostIP": "192.0.2." + name[len(name)-1:]}})
	o.SetLabels(selector(simName))
}

func deletedByHand(t *rapid.T, e *fakeEngine) {
	key := rapid.SampledFrom([]string{keyAccess, keyServer, keyService, keyNetwork}).Draw(t, "key")
	if e.composed(key) != nil {
		e.cluster.remove(simID(key))
	}
}

func secretEdited(t *rapid.T, e *fakeEngine) {
	o := e.composed(keyAccess)
	if o == nil {
		return
	}
	chosen := "chosen-by-hand-0123456789-0123456789"
	data := rapid.SampledFrom([]any{nil, fields{}, fields{"token": ""}, fields{"token": base64.StdEncoding.EncodeToString([]byte("short"))}, fields{"token": base64.StdEncoding.EncodeToString([]byte(chosen))}}).Draw(t, "data")
	o.Object["data"] = data
	e.tokens = append(e.tokens, chosen)
}

func acceptedDamaged(t *rapid.T, e *fakeEngine) {
	o := e.composed(keyServer)
	if o == nil {
		return
	}
	text := rapid.SampledFrom([]string{"", "null", "{}", "[]", "{", `{"image":5}`, `{"image":""}`, `{"image":"x","args":["--ServerApp.token="]}`, `{"image":"x","env":[{"name":"A"},{"name":"A"}]}`}).Draw(t, "text")
	annotations := o.GetAnnotations()
	annotations[annotationAccepted] = text
	if text == "" {
		delete(annotations, annotationAccepted)
	}
	o.SetAnnotations(annotations)
}

// foreignAppears under the name of an object of the notebook.
func foreignAppears(t *rapid.T, e *fakeEngine) {
	id := rapid.SampledFrom(identities(simName)).Draw(t, "identity")
	if _, taken := e.cluster.objects[simID(id.key)]; taken {
		return
	}
	o := e.cluster.add(id.apiVersion, id.kind, id.name, fields{"data": fields{"theirs": "YQ=="}})
	o.SetNamespace(simNamespace)
	if rapid.Bool().Draw(t, "controlled") {
		owner := e.controller()
		owner.UID = otherUID
		o.Object["metadata"].(fields)["ownerReferences"] = values{asStruct(e, fields{"apiVersion": "apps/v1", "kind": "Other", "name": "other", "uid": string(otherUID), "controller": true}).AsMap()}
	}
	e.cluster.foreign[simID(id.key)] = asJSON(o.Object)
}

func foreignGoes(t *rapid.T, e *fakeEngine) {
	if id := simID(rapid.SampledFrom(identities(simName)).Draw(t, "identity").key); e.cluster.foreign[id] != "" {
		e.cluster.remove(id)
	}
}
