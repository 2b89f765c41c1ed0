package fn

import (
	"encoding/base64"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// A history is one notebook, and everything that its user and the world do to
// it.
type history struct {
	*fakeEngine

	spec map[string]any

	// broken groups of edits were last edited to something that makes no sense.
	broken map[string]bool
}

// TestPromises checks, for random histories, what the design promises of all of
// them; see checkResponse and checkWorld, which run with each reconcile.
func TestPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := &history{spec: map[string]any{"image": "jupyter/scipy-notebook:latest", "volumeSize": "10Gi"}, broken: map[string]bool{}}
		h.fakeEngine = newEngine(t, rapid.Bool().Draw(t, "namespaced"), h.spec)
		actions := map[string]func(*rapid.T){}
		for _, again := range []string{"", " again", " once more"} { // All actions are equally likely.
			actions["edit"+again], actions["edit wrongly"+again], actions["edit storage"+again] = h.editAny, h.editWrongly, h.editStorage
		}
		for name, happens := range events {
			actions[name] = func(t *rapid.T) {
				happens(t, h.fakeEngine)
				h.now = h.now.Add(time.Minute)
				h.settle()
			}
		}
		actions[""] = h.check
		t.Repeat(actions)
		h.heal(t)
	})
}

func (h *history) editAny(t *rapid.T) {
	h.editValid(t, rapid.SampledFrom(slices.Sorted(maps.Keys(edits))).Draw(t, "group"))
}

// editStorage is what can lose files.
func (h *history) editStorage(t *rapid.T) { h.editValid(t, "storage") }

func (h *history) editValid(t *rapid.T, name string) {
	h.apply(rapid.SampledFrom(edits[name].valid).Draw(t, "edit"))
	delete(h.broken, name)
	h.settle()
}

// editWrongly: nothing that exists may change, and nothing may come. (While
// something was in the way there may be something to repair. And if the last
// valid edit was cut short, it may not count.)
func (h *history) editWrongly(t *rapid.T) {
	name := rapid.SampledFrom(slices.Sorted(maps.Keys(edits))).Draw(t, "group")
	before, cutShort, inTheWay := h.cluster.snapshot(), h.cutShort, h.inTheWay()
	h.apply(rapid.SampledFrom(edits[name].invalid).Draw(t, "edit"))
	h.broken[name] = true
	h.settle()
	after := h.cluster.snapshot()
	if len(inTheWay) > 0 {
		maps.DeleteFunc(after, func(id, _ string) bool { return before[id] == "" })
	}
	if diff := cmp.Diff(before, after); diff != "" && !cutShort {
		t.Fatalf("an invalid edit changed the world:\n%s", diff)
	}
}

func (h *history) apply(e edit) {
	for field, value := range e {
		if value == nil {
			delete(h.spec, field)
			continue
		}
		h.spec[field] = value
	}
	h.edit(h.spec)
}

// check what the claim says of itself.
func (h *history) check(t *rapid.T) {
	if h.rsp == nil || h.cutShort {
		return
	}
	if _, ok := h.observe(); !ok {
		return // Crossplane does not call the function.
	}
	refused := h.accepted().GetStatus() != fnv1.Status_STATUS_CONDITION_TRUE
	why := h.accepted().GetMessage()
	inTheWay := h.inTheWay()
	pvc := h.composed(keyWorkspace)
	going := pvc != nil && pvc.GetDeletionTimestamp() != nil
	switch {
	case refused && h.accepted().GetReason() == reasonQuotaExceeded: // Only a new one is.
		h.checkNothingMade(t)
	case going && h.accepted().GetReason() == reasonWorkspaceDeleted: // An edit that restarts the server waits.
	case refused != (len(h.broken) > 0 || len(inTheWay) > 0 || h.policyIsBroken()):
		t.Fatalf("with broken fields %v and foreign objects %v, the claim is refused=%t: %s", h.broken, inTheWay, refused, why)
	case refused && !strings.Contains(h.status("message"), why):
		t.Fatalf("the message %q does not say %q", h.status("message"), why)
	case len(h.broken) > 0 && len(inTheWay) == 0 && !strings.Contains(why, "spec"):
		t.Fatalf("fields %v are broken, and the claim says %q", h.broken, why)
	}
	if server := h.composed(keyServer); server != nil && len(inTheWay) == 0 {
		h.checkRepaired(t, server)
	}
}

// checkRepaired: what was deleted by hand comes back, even while the claim is
// refused, as long as it is known what was accepted.
func (h *history) checkRepaired(t *rapid.T, server *unstructured.Unstructured) {
	if accepted, _ := acceptedSpec(object{asStruct(t, server.Object)}); accepted == nil {
		return
	}
	for _, key := range []string{keyAccess, keyService, keyNetwork} {
		if h.composed(key) == nil && h.cluster.hasRoom(simID(key)) {
			t.Fatalf("the %s is missing", key)
		}
	}
}

// inTheWay are the objects of somebody else, or of an earlier notebook of the
// same name, that have the name of one to compose. (One with the workspace's name
// may be in the way.)
func (h *history) inTheWay() []string {
	var ids []string
	for _, id := range identities(simName) {
		if h.cluster.objects[simID(id.key)] != nil && h.composed(id.key) == nil && (id.key != keyWorkspace || h.spec["volumeSize"] != nil) {
			ids = append(ids, simID(id.key))
		}
	}
	return ids
}

// heal everything: whatever happened, a claim that makes sense in a cluster that
// works gets its server.
func (h *history) heal(t *rapid.T) {
	h.refusedKey = ""
	h.cluster.removeQuotas()
	for name := range h.broken {
		h.apply(edits[name].valid[0])
	}
	h.apply(edits["storage"].valid[0])
	h.apply(edit{"stopped": false, "restartedAt": "2031-01-01T00:00:00Z", "maxLifetimeSeconds": nil})
	h.policy = policyWith(nil)
	events["pods go"](t, h.fakeEngine)
	for id := range h.cluster.foreign {
		if slices.ContainsFunc(identities(simName), func(i identity) bool { return i.kind+"/"+i.name == id }) {
			h.cluster.remove(id)
		}
	}
	h.cluster.collectGarbage(h.xr.GetUID())
	h.settle()
	for _, happens := range []string{"volume is bound", "server starts", "load balancer gets an address"} {
		events[happens](t, h.fakeEngine)
	}
	h.settle()
	if h.status("phase") != string(v1.PhaseReady) || h.rsp.GetDesired().GetComposite().GetReady() != fnv1.Ready_READY_TRUE {
		t.Fatalf("%s for reason %s after all was healed: %s", h.status("phase"), h.status("reason"), h.status("message"))
	}
	for key, r := range h.rsp.GetDesired().GetResources() {
		if r.GetReady() != fnv1.Ready_READY_TRUE {
			t.Fatalf("%s is not ready after all was healed", key)
		}
	}
	secret, _ := h.composed(keyAccess).Object["data"].(map[string]any)
	if got, want := base64.StdEncoding.EncodeToString(h.rsp.GetDesired().GetComposite().GetConnectionDetails()["token"]), secret[tokenKey]; got == "" || got != want {
		t.Fatalf("the connection details have token %q, and the Secret has %q", got, want)
	}
}
