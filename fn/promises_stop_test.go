package fn

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"

	"github.com/function-jupyter/function-jupyter/agent"
)

// TestPromisesOfStops plays histories in which servers are stopped often.
func TestPromisesOfStops(t *testing.T) {
	stops := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		h := &history{spec: map[string]any{"image": "jupyter/scipy-notebook:latest", "idleTimeoutSeconds": 60.0}, broken: map[string]bool{}}
		if rapid.Bool().Draw(t, "limited") {
			h.spec["maxLifetimeSeconds"] = 3600.0
		}
		h.fakeEngine = newEngine(t, rapid.Bool().Draw(t, "namespaced"), h.spec)
		h.start()
		actions := map[string]func(*rapid.T){"": h.check}
		for _, name := range []string{"idleTimeoutSeconds", "maxLifetimeSeconds", "restartedAt", "stopped", "image"} {
			actions["edit "+name] = func(t *rapid.T) { h.editValid(t, name) }
		}
		for _, name := range []string{"agent reports", "agent reports again", "time passes", "platform is changed", "server starts", "crossplane starts again"} {
			actions[name] = func(t *rapid.T) {
				events[name](t, h.fakeEngine)
				h.settle()
				stops[h.status("reason")]++
			}
		}
		t.Repeat(actions)
		h.heal(t)
	})
	t.Logf("phases seen: %v", stops)
	for _, reason := range []string{reasonIdle, reasonLifetimeOver, "Stopped", reasonReady} {
		if stops[reason] == 0 {
			t.Errorf("no history came to %s, so nothing is known of it: %v", reason, stops)
		}
	}
}

// checkStops: a server that ran is scaled down only because its user asked for it,
// because an agent proved that nobody uses it, or because its lifetime is over.
func checkStops(e *fakeEngine, d *unstructured.Unstructured) {
	e.Helper()
	if replicasOf(e.before) != 1 || replicasOf(d) != 0 {
		return
	}
	spec, _ := acceptedSpec(object{asStruct(e, d.Object)})
	switch {
	case spec == nil:
		e.Fatalf("a server was stopped, and nobody knows what was accepted")
	case spec.Stopped:
	case spec.IdleTimeoutSeconds != nil && e.provedIdle(time.Duration(*spec.IdleTimeoutSeconds)*time.Second):
	case spec.MaxLifetimeSeconds != nil && *spec.MaxLifetimeSeconds > 0 && e.ranFor() >= time.Duration(*spec.MaxLifetimeSeconds)*time.Second:
	default:
		e.Fatalf("the server was stopped without a reason: %s", e.status("message"))
	}
}

// provedIdle tells whether the pod that a server has now says that nobody used it
// for so long. It reads the pod in another way than the function does.
func (e *fakeEngine) provedIdle(timeout time.Duration) bool {
	pod := e.cluster.objects["Pod/agent"]
	if pod == nil || timeout <= 0 || pod.GetDeletionTimestamp() != nil {
		return false
	}
	text := asJSON(pod.Object["status"])
	r := struct {
		State agent.State
		Since time.Time
	}{}
	_, message, _ := strings.Cut(text, `"message":`)
	quoted, finished := "", time.Time{}
	if json.NewDecoder(strings.NewReader(message)).Decode(&quoted) != nil || json.Unmarshal([]byte(quoted), &r) != nil {
		return false
	}
	_, at, _ := strings.Cut(text, `"finishedAt":`)
	if json.NewDecoder(strings.NewReader(at)).Decode(&finished) != nil {
		return false
	}
	return r.State == agent.Idle && finished.Sub(r.Since) >= timeout && !strings.Contains(text, "waiting") && strings.Contains(text, `"exitCode":0`) && e.couldTakeBack(text, finished)
}

// couldTakeBack tells whether the agent that said something at a time either runs
// again since at once, or had half a minute to take it back.
func (e *fakeEngine) couldTakeBack(status string, said time.Time) bool {
	_, at, runs := strings.Cut(status, `"running":{"startedAt":`)
	started := time.Time{}
	if !runs {
		return strings.Contains(status, `"state":{"terminated"`)
	}
	return json.NewDecoder(strings.NewReader(at)).Decode(&started) == nil && (started.Sub(said) <= 10*time.Second || e.now.Sub(started) >= 30*time.Second)
}

// ranFor is how long the server had run.
func (e *fakeEngine) ranFor() time.Duration {
	started, err := time.Parse(time.RFC3339, e.before.GetAnnotations()[annotationStarted])
	if err != nil {
		return 0
	}
	return e.now.Sub(started)
}

// checkRestarts: a server that runs gets another pod only because its user asked for
// that, or because its token or its volume changed.
func checkRestarts(e *fakeEngine, d *unstructured.Unstructured) {
	e.Helper()
	if replicasOf(e.before) != 1 || replicasOf(d) != 1 {
		return
	}
	was, is := object{asStruct(e, e.before.Object)}, object{asStruct(e, d.Object)}
	config := func(o object) string {
		return o.text("spec", "template", "metadata", "annotations", annotationPrefix+serverConfig)
	}
	unchanged := was.annotation(annotationAccepted) == is.annotation(annotationAccepted) && config(was) == config(is) && mountedClaim(was) == mountedClaim(is)
	if unchanged && !e.nothingRan() && asJSON(was.at("spec", "template").AsInterface()) != asJSON(is.at("spec", "template").AsInterface()) {
		e.Fatalf("the platform restarted a server:\n%s\n%s", asJSON(e.before.Object), asJSON(d.Object))
	}
}

// nothingRan tells whether there are pods, and none of them came to run the server.
func (e *fakeEngine) nothingRan() bool {
	pods := 0
	for _, o := range e.cluster.objects {
		if o.GetKind() != "Pod" || o.GetLabels()[labelNotebook] != simName {
			continue
		}
		pods++
		status := asJSON(o.Object["status"])
		if !strings.Contains(status, `"phase":"Pending"`) || strings.Contains(status, `"running":`) || strings.Contains(status, `"terminated":`) {
			return false
		}
	}
	return pods > 0
}

func replicasOf(d *unstructured.Unstructured) int64 {
	if d == nil {
		return -1
	}
	n, _, _ := unstructured.NestedFloat64(d.Object, "spec", "replicas")
	return int64(n)
}

// agentReports something, true or damaged, in a pod that is or is not the server's.
func agentReports(t *rapid.T, e *fakeEngine) {
	if e.composed(keyServer) == nil {
		return
	}
	at := e.now.Add(-time.Duration(rapid.IntRange(0, 600).Draw(t, "age")) * time.Second)
	idleFor := time.Duration(rapid.SampledFrom([]int{0, 59, 60, 601, 4000}).Draw(t, "idle")) * time.Second
	since, created := at.Add(-idleFor), e.now.Add(-time.Duration(rapid.IntRange(0, 7200).Draw(t, "created"))*time.Second)
	if started, err := time.Parse(time.RFC3339, e.composed(keyServer).GetAnnotations()[annotationStarted]); err == nil && rapid.Bool().Draw(t, "likely") {
		since, created, at = started.Add(time.Second), started, e.now // As a real agent does when nobody ever comes.
	}
	good := agent.Report{State: agent.Idle, Since: since, TimeoutSeconds: 60, Seen: "1 kernel idle"}.Encode()
	message := rapid.SampledFrom([]string{
		good, good, good, good[:len(good)-1], strings.Replace(good, "Idle", "idle", 1), strings.ReplaceAll(good, `"since"`, `"then"`), good + good,
		agent.Report{State: agent.Active}.Encode(), agent.Report{State: agent.Unknown, Seen: "GET api/kernels: 403"}.Encode(), "", "null", "[]", strings.Repeat(" ", 5000) + good,
		`{"state":"Idle","since":"9999-12-31T23:59:59Z","timeoutSeconds":1}`, `{"state":"Idle","since":"0001-01-01T00:00:00Z","timeoutSeconds":60}`, `{"state":5}`,
	}).Draw(t, "message")
	ended := fields{"terminated": fields{"exitCode": rapid.SampledFrom([]float64{0, 0, 0, 1, 137}).Draw(t, "exit code"), "finishedAt": at.Format(time.RFC3339), "message": message}}
	restarted := time.Duration(rapid.IntRange(0, 300).Draw(t, "restarted after")) * time.Second
	status := rapid.SampledFrom([]fields{
		{"state": ended}, {"state": fields{"running": fields{"startedAt": at.Add(time.Second).Format(time.RFC3339)}}, "lastState": ended}, {"state": fields{"running": fields{"startedAt": at.Add(restarted).Format(time.RFC3339)}}, "lastState": ended}, {"state": fields{"waiting": fields{"reason": "CrashLoopBackOff"}}, "lastState": ended}, {"lastState": ended}, {},
	}).Draw(t, "status")
	status["name"] = rapid.SampledFrom([]string{agent.ContainerName, agent.ContainerName, agent.ContainerName, "other"}).Draw(t, "container")
	delete(e.cluster.objects, "Pod/agent")
	o := e.cluster.add("v1", "Pod", "agent", fields{"status": fields{"initContainerStatuses": values{status}}})
	o.SetLabels(selector(simName))
	o.Object["metadata"].(fields)["creationTimestamp"] = created.Format(time.RFC3339)
	if rapid.IntRange(0, 3).Draw(t, "going") == 0 {
		o.Object["metadata"].(fields)["deletionTimestamp"] = created.Format(time.RFC3339)
	}
}
