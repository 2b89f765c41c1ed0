package fn

import (
	"bytes"
	"encoding/base64"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
)

// patience with one request. It is long, because a machine that fuzzes is busy.
const patience = 5 * time.Second

// FuzzRunFunction feeds the function good requests with arbitrary damage, and
// arbitrary bytes as requests, some seconds after testTime, which is when the
// seeds are of. Crossplane sends neither, but other functions, users and storage
// stand between.
func FuzzRunFunction(f *testing.F) {
	seeds := seedRequests(f)
	for i, seed := range seeds {
		f.Add(uint8(i), uint32(61), []byte{})
		f.Add(uint8(i), uint32(3600), []byte{0, byte(7 * i), byte(i), 1, byte(11 * i), byte(i + 1)})
		f.Add(uint8(len(seeds)), uint32(61), deterministically(f, seed))
	}
	f.Fuzz(func(t *testing.T, seed uint8, seconds uint32, damage []byte) {
		req := &fnv1.RunFunctionRequest{}
		if i := int(seed) % (len(seeds) + 1); i < len(seeds) {
			req = proto.CloneOf(seeds[i])
			(&vandal{damage: damage}).vandalize(req)
			b, err := proto.Marshal(req)
			if err != nil {
				return // It cannot be sent.
			}
			damage = b
		}
		req.Reset()
		if proto.Unmarshal(damage, req) == nil {
			checkAnswer(t, req, testTime.Add(time.Duration(seconds)*time.Second))
		}
	})
}

// checkAnswer checks what holds of any request at all. It calls run, because
// RunFunction would hide a panic. The clock stands still, because how soon the
// function wants to be called again depends on it.
func checkAnswer(t *testing.T, req *fnv1.RunFunctionRequest, now time.Time) {
	t.Helper()
	token := "fuzz-0123456789-0123456789-0123456789"
	f := &Function{log: logging.NewNopLogger(), newToken: func() string { return token }, now: func() time.Time { return now }}
	again := proto.CloneOf(req)
	start := time.Now()
	rsp := f.run(req)
	if took := time.Since(start); took > patience {
		t.Errorf("the function took %s", took)
	}
	if rsp.GetMeta().GetTtl().AsDuration() <= 0 {
		t.Errorf("the response has meta %v", rsp.GetMeta())
	}
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(rsp)
	if err != nil {
		t.Fatalf("the response cannot be sent: %v", err)
	}
	if other := f.run(proto.CloneOf(again)); !bytes.Equal(b, deterministically(t, other)) {
		t.Errorf("the same request gave different responses:\n%s", cmp.Diff(rsp, other, protocmp.Transform()))
	}
	if isFatal(rsp) {
		return // Fatal: Crossplane applies nothing.
	}
	if where := leaked(rsp, []string{token}); where != "" {
		t.Errorf("the token is in the response: %s", where)
	}
	composed := rsp.GetDesired().GetResources()
	if again.GetObserved().GetResources()[keyWorkspace].GetResource() != nil && composed[keyWorkspace].GetResource() == nil {
		t.Errorf("the workspace is not composed any more")
	}
	checkAnswerClosed(t, again, composed, now)
}

// checkAnswerClosed: a server is composed closed, or its pod is kept as it was, even
// one that a real API server would not have.
func checkAnswerClosed(t *testing.T, req *fnv1.RunFunctionRequest, composed map[string]*fnv1.Resource, now time.Time) {
	t.Helper()
	server := composed[keyServer].GetResource()
	was := req.GetObserved().GetResources()[keyServer].GetResource()
	if server == nil || proto.Equal(server, req.GetDesired().GetResources()[keyServer].GetResource()) {
		return
	}
	if was != nil && proto.Equal(object{server}.at("spec", "template"), object{was}.at("spec", "template")) {
		return
	}
	nb, err := readNotebook(req, now)
	if err != nil {
		t.Errorf("a server is composed for nobody: %v", err)
	}
	if err := checkClosed(server, accessName(nb.name)); err != nil {
		t.Errorf("the server is open: %v", err)
	}
	if secret := composed[keyAccess].GetResource(); secret != nil && !proto.Equal(secret, req.GetDesired().GetResources()[keyAccess].GetResource()) {
		token, err := base64.StdEncoding.DecodeString(object{secret}.text("data", tokenKey))
		if err != nil || len(token) < 32 {
			t.Errorf("the server has token %q", token)
		}
	}
}

// seedRequests are of notebooks in all kinds of states.
func seedRequests(t testing.TB) []*fnv1.RunFunctionRequest {
	t.Helper()
	spec := func(more fields) fields {
		all := fields{
			"image": "jupyter/scipy-notebook:latest", "volumeSize": "10Gi",
			"resources": fields{"limits": fields{"memory": "4Gi", "nvidia.com/gpu": "1"}},
			"env":       values{fields{"name": "A", "value": "1"}},
			"mounts":    values{fields{"mountPath": "/data", "secret": "s"}},
		}
		maps.Copy(all, more)
		maps.DeleteFunc(all, func(_ string, value any) bool { return value == nil })
		return all
	}
	histories := map[string]func(e *fakeEngine){
		"fresh":   func(*fakeEngine) {},
		"created": func(e *fakeEngine) { e.settle() },
		"ready":   func(e *fakeEngine) { e.start() },
		"refused": func(e *fakeEngine) { e.start(); e.edit(spec(fields{"auth": fields{"mode": "None"}})) },
		"refused and damaged": func(e *fakeEngine) {
			e.start()
			e.composed(keyServer).SetAnnotations(map[string]string{annotationKey: keyServer})
			e.edit(spec(fields{"image": ""}))
		},
		"node port": func(e *fakeEngine) {
			e.edit(spec(fields{"serviceType": "NodePort"}))
			e.start()
			e.cluster.add("v1", "Pod", "alpha-1", fields{"status": fields{"hostIP": "192.0.2.1"}}).SetLabels(selector(simName))
		},
		"pod crashes": func(e *fakeEngine) {
			e.podOf(objectOf(t, scheduledPod+`{name: notebook, state: {waiting: {reason: CrashLoopBackOff}}, lastState: {terminated: {exitCode: 1, message: "[C 12:00:00.123 ServerApp] no"}}}`))
		},
		"pod finds no image": func(e *fakeEngine) {
			e.podOf(objectOf(t, scheduledPod+`{name: notebook, state: {waiting: {reason: ImagePullBackOff, message: 'Back-off pulling image "a": ErrImagePull: not found'}}}`))
		},
		"pod waits": func(e *fakeEngine) { e.podOf(objectOf(t, mountingPod)) },
		"load balancer": func(e *fakeEngine) {
			e.edit(spec(fields{"serviceType": "LoadBalancer"}))
			e.start()
			events["load balancer gets an address"](nil, e)
		},
		"stopped": func(e *fakeEngine) { e.start(); e.edit(spec(fields{"stopped": true})) },
		"growing": func(e *fakeEngine) {
			e.start()
			e.edit(spec(fields{"volumeSize": "20Gi", "volume": fields{"retention": "Retain"}}))
		},
		"over quota": func(e *fakeEngine) { e.cluster.setQuota("team", fields{"requests.storage": "5Gi", "services": "0"}) },
		"growing over quota": func(e *fakeEngine) {
			e.start()
			e.cluster.setQuota("team", fields{"requests.storage": "15Gi", "services.nodeports": "0"})
			e.edit(spec(fields{"volumeSize": "20Gi", "serviceType": "LoadBalancer"}))
		},
		"retained": func(e *fakeEngine) { e.appears(keyWorkspace, retainedFor(simName)) },
		"conflict": func(e *fakeEngine) { e.appears(keyService, all()) },
		"existing": func(e *fakeEngine) {
			e.edit(spec(fields{"volumeSize": nil, "volume": fields{"existingClaim": "my-data"}}))
		},
		"no access": func(e *fakeEngine) { e.start(); e.cluster.remove(simID(keyAccess)) },
	}
	var requests []*fnv1.RunFunctionRequest
	for i, name := range sortedKeys(histories) {
		e := newEngine(t, i%2 == 0, spec(nil))
		histories[name](e)
		e.reconcile()
		theirs := []fields{{}, {"status": fields{}}, {"status": fields{"theirs": true}}}[i%3] // Of an earlier function.
		e.req.Desired = &fnv1.State{Composite: &fnv1.Resource{Resource: asStruct(t, theirs)}}
		requests = append(requests, e.req)
	}
	return requests
}

// podOf a server that is not ready any more.
func (e *fakeEngine) podOf(pod object) {
	e.start()
	events["server is replaced"](nil, e)
	e.cluster.add("v1", "Pod", "alpha-1", pod.AsMap()).SetLabels(selector(simName))
}

// start a notebook, and wait until it runs.
func (e *fakeEngine) start() {
	e.settle()
	events["volume is bound"](nil, e)
	events["server starts"](nil, e)
	e.now = e.now.Add(time.Minute)
	e.settle()
}

func isFatal(rsp *fnv1.RunFunctionResponse) bool {
	return slices.ContainsFunc(rsp.GetResults(), func(r *fnv1.Result) bool { return r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL })
}
