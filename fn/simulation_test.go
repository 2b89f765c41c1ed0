package fn

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
	"github.com/function-jupyter/function-jupyter/input/v1beta1"
)

const (
	simName      = "alpha"
	simNamespace = "team-a"

	annotationKey = "crossplane.io/composition-resource-name"
)

// A failer is a test, of Go's or of rapid's.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// A fakeEngine treats the function as Crossplane v2.4 does. It is a fake,
// because the real one needs a process for each of the many thousand calls; the
// golden tests go through the real one.
type fakeEngine struct {
	failer

	cluster *fakeCluster
	xr      *unstructured.Unstructured

	// refs are the composed objects that the composite resource refers to.
	refs map[string]bool

	// refusedKey is of an object that the API server does not take, for a quota
	// or an admission policy. Crossplane gives up there: the reconcile is cut
	// short, and nobody hears of it.
	refusedKey string
	cutShort   bool

	// backwards is the other order in which objects are applied. Crossplane's is
	// random.
	backwards bool

	// seeds are what the function required in the last reconcile.
	seeds map[string]*fnv1.ResourceSelector

	// req is the last request, and rsp the last response that was applied.
	req *fnv1.RunFunctionRequest
	rsp *fnv1.RunFunctionResponse

	// conditions of the composite resource by type.
	conditions map[string]any

	// now is when Crossplane asks.
	now time.Time

	// policy of the platform: the function's input.
	policy map[string]any

	// before is the server as it was before the last reconcile, or nil.
	before *unstructured.Unstructured

	// tokens that ever opened the server, or were made to.
	tokens []string
}

// newEngine has a composite resource of a claim, or of the namespaced kind.
func newEngine(t failer, namespaced bool, spec map[string]any) *fakeEngine {
	e := &fakeEngine{failer: t, cluster: newCluster(t), now: testTime, policy: policyWith(nil), xr: &unstructured.Unstructured{Object: map[string]any{}}}
	e.xr.SetAPIVersion(v1.Group + "/" + v1.Version)
	e.xr.SetKind(v1.CompositeKind)
	e.xr.SetName(simName + "-x7k2p")
	if namespaced {
		e.xr.SetKind(v1.Kind)
		e.xr.SetName(simName)
		e.xr.SetNamespace(simNamespace)
	}
	e.recreate()
	e.edit(spec)
	return e
}

// policyWith has some fields of a platform's policy.
func policyWith(more map[string]any) map[string]any {
	policy := map[string]any{"apiVersion": v1beta1.Group + "/" + v1beta1.Version, "kind": v1beta1.Kind}
	maps.Copy(policy, more)
	return policy
}

// recreate the composite resource, which has composed nothing yet.
func (e *fakeEngine) recreate() {
	e.xr.SetUID(e.cluster.newUID())
	e.refs, e.seeds, e.rsp, e.conditions = map[string]bool{}, nil, nil, map[string]any{}
	delete(e.xr.Object, "status")
}

// edit the claim.
func (e *fakeEngine) edit(spec map[string]any) {
	spec = maps.Clone(spec)
	if e.xr.GetNamespace() == "" {
		spec["claimRef"] = map[string]any{"apiVersion": e.xr.GetAPIVersion(), "kind": v1.Kind, "name": simName, "namespace": simNamespace}
	}
	e.xr.Object["spec"] = spec
}

// settle reconciles until nothing changes any more, as it must soon.
func (e *fakeEngine) settle() {
	e.Helper()
	const rounds = 5
	var before, after string
	for range rounds {
		before = e.state()
		e.reconcile()
		if after = e.state(); after == before {
			return
		}
	}
	e.Fatalf("still not quiet after %d reconciles of an unchanged world:\n%s", rounds, cmp.Diff(strings.Split(before, "\n"), strings.Split(after, "\n")))
}

// state of all that a reconcile may change.
func (e *fakeEngine) state() string {
	var b strings.Builder
	fmt.Fprintln(&b, asJSON(e.xr.Object["status"]))
	for _, c := range e.rsp.GetConditions() {
		fmt.Fprintln(&b, c.GetType(), c.GetStatus(), c.GetReason(), c.GetMessage())
	}
	fmt.Fprintf(&b, "response %x\n", sha256.Sum256(deterministically(e, e.rsp)))
	b.WriteString(e.cluster.state())
	return b.String()
}

// reconcile once.
func (e *fakeEngine) reconcile() {
	e.Helper()
	observed, ok := e.observe()
	if !ok {
		return
	}
	rsp := e.runUntilStable(observed)
	if rsp == nil {
		return
	}
	checkResponse(e, rsp)
	for key := range observed {
		if _, desired := rsp.GetDesired().GetResources()[key]; !desired {
			e.cluster.collect(observed[key])
		}
	}
	desired := map[string]*unstructured.Unstructured{}
	e.refs = map[string]bool{}
	for key, r := range rsp.GetDesired().GetResources() {
		desired[key] = &unstructured.Unstructured{Object: r.GetResource().AsMap()}
		e.refs[idOf(desired[key])] = true
	}
	keys := slices.Sorted(maps.Keys(desired))
	if e.backwards {
		slices.Reverse(keys)
	}
	e.before = e.composed(keyServer).DeepCopy()
	for _, key := range keys {
		if e.cutShort = key == e.refusedKey; e.cutShort {
			checkWorld(e)
			return
		}
		e.cluster.apply(key, desired[key], e.controller())
	}
	e.seeds, e.rsp = rsp.GetRequirements().GetResources(), rsp
	e.xr.Object["status"] = rsp.GetDesired().GetComposite().GetResource().AsMap()["status"]
	e.setConditions(rsp)
	checkWorld(e)
}

// setConditions as Crossplane does: those that are not given any more stay.
func (e *fakeEngine) setConditions(rsp *fnv1.RunFunctionResponse) {
	for _, c := range rsp.GetConditions() {
		e.conditions[c.GetType()] = map[string]any{"type": c.GetType(), "status": map[fnv1.Status]string{fnv1.Status_STATUS_CONDITION_TRUE: "True", fnv1.Status_STATUS_CONDITION_FALSE: "False"}[c.GetStatus()], "reason": c.GetReason(), "message": c.GetMessage()}
	}
	conditions := make([]any, 0, len(e.conditions))
	for _, kind := range slices.Sorted(maps.Keys(e.conditions)) {
		conditions = append(conditions, e.conditions[kind])
	}
	status, _ := e.xr.Object["status"].(map[string]any)
	status["conditions"] = conditions
}

func (e *fakeEngine) controller() metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: e.xr.GetAPIVersion(), Kind: e.xr.GetKind(), Name: e.xr.GetName(), UID: e.xr.GetUID(), Controller: new(true), BlockOwnerDeletion: new(true)}
}

// observe what the composite resource refers to. Crossplane gives up the whole
// reconcile if one of the objects is not controlled by anybody, and was not
// made by it.
func (e *fakeEngine) observe() (map[string]*unstructured.Unstructured, bool) {
	observed := map[string]*unstructured.Unstructured{}
	for id := range e.refs {
		o, exists := e.cluster.objects[id]
		if !exists {
			continue
		}
		if c := metav1.GetControllerOf(o); c != nil && c.UID != e.xr.GetUID() {
			continue
		}
		key := o.GetAnnotations()[annotationKey]
		if key == "" {
			return nil, false
		}
		observed[key] = o
	}
	return observed, true
}

// runUntilStable calls the function until it requires nothing new.
func (e *fakeEngine) runUntilStable(observed map[string]*unstructured.Unstructured) *fnv1.RunFunctionResponse {
	e.Helper()
	const maxIterations = 5
	req := &fnv1.RunFunctionRequest{
		Meta:              &fnv1.RequestMeta{Tag: "tag"},
		Observed:          &fnv1.State{Composite: &fnv1.Resource{Resource: asStruct(e, e.xr.Object)}, Resources: map[string]*fnv1.Resource{}},
		RequiredResources: e.cluster.fetch(e.seeds),
		Input:             asStruct(e, e.policy),
	}
	for key, o := range observed {
		req.Observed.Resources[key] = &fnv1.Resource{Resource: asStruct(e, o.Object)}
	}
	seeded := req.GetRequiredResources()
	var last *fnv1.Requirements
	for i := range maxIterations + 1 {
		rsp := e.run(req)
		if proto.Equal(rsp.GetRequirements(), last) {
			return rsp
		}
		last = rsp.GetRequirements()
		next := maps.Clone(seeded)
		maps.Copy(next, e.cluster.fetch(last.GetResources()))
		if i == 0 && maps.EqualFunc(next, req.GetRequiredResources(), func(a, b *fnv1.Resources) bool { return proto.Equal(a, b) }) {
			return rsp
		}
		req.RequiredResources = next
	}
	e.Fatalf("requirements did not stabilize: %v", last)
	return nil
}

// run the function twice, to see that it says the same twice.
func (e *fakeEngine) run(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	e.Helper()
	e.req = req
	before := len(e.tokens)
	once := func() (*fnv1.RunFunctionResponse, []byte) {
		e.tokens = e.tokens[:before]
		f := &Function{log: logging.NewNopLogger(), newToken: e.newToken, now: func() time.Time { return e.now }}
		rsp := f.run(overTheWire(e, req))
		return rsp, deterministically(e, rsp)
	}
	first, want := once()
	second, got := once()
	if !bytes.Equal(got, want) {
		e.Fatalf("the same request gave different responses:\n%s", cmp.Diff(first, second, protocmp.Transform()))
	}
	return second
}

// overTheWire is the request as it arrives: nothing is shared with the caller,
// and what is nil in a map is empty.
func overTheWire(t failer, req *fnv1.RunFunctionRequest) *fnv1.RunFunctionRequest {
	t.Helper()
	arrived := &fnv1.RunFunctionRequest{}
	if err := proto.Unmarshal(deterministically(t, req), arrived); err != nil {
		t.Fatalf("cannot unmarshal the request: %v", err)
	}
	return arrived
}

func deterministically(t failer, m proto.Message) []byte {
	t.Helper()
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		t.Fatalf("cannot marshal: %v", err)
	}
	return b
}

func (e *fakeEngine) newToken() string {
	token := fmt.Sprintf("%064x", 0xabcdef0000+len(e.tokens))
	e.tokens = append(e.tokens, token)
	return token
}

// status that the claim shows.
func (e *fakeEngine) status(field string) string {
	s, _, _ := unstructured.NestedString(e.xr.Object, "status", field)
	return s
}

// accepted is the condition of that name that the claim shows, or nil.
func (e *fakeEngine) accepted() *fnv1.Condition {
	for _, c := range e.rsp.GetConditions() {
		if c.GetType() == conditionAccepted {
			return c
		}
	}
	return nil
}

// composed object of a key, if it exists and is this notebook's.
func (e *fakeEngine) composed(key string) *unstructured.Unstructured {
	o := e.cluster.objects[simID(key)]
	if o == nil {
		return nil
	}
	if c := metav1.GetControllerOf(o); c == nil || c.UID != e.xr.GetUID() {
		return nil
	}
	return o
}

// simID is the id in the fake cluster of the object that has a key.
func simID(key string) string {
	for _, id := range identities(simName) {
		if id.key == key {
			return id.kind + "/" + id.name
		}
	}
	return ""
}

func idOf(o *unstructured.Unstructured) string { return o.GetKind() + "/" + o.GetName() }

func asStruct(t failer, m map[string]any) *structpb.Struct {
	t.Helper()
	// The detour makes numbers and lists what structpb knows.
	s := &structpb.Struct{}
	if err := s.UnmarshalJSON([]byte(asJSON(m))); err != nil {
		t.Fatalf("cannot encode %v: %v", m, err)
	}
	return s
}
