package fn

import (
	"time"

	"github.com/function-jupyter/function-jupyter/agent"
)

// A standing report is the last that the agent of a pod said, and when. It stands
// until the agent says something else.
type standing struct {
	agent.Report

	at time.Time
}

// agentReport is what the agent of the server's pod said, if anything can be made of
// it. Anybody who may write a pod's status could have said it; nobody else can.
func agentReport(pod object) (standing, bool) {
	for _, c := range pod.list("status", "initContainerStatuses") {
		if c.text("name") != agent.ContainerName {
			continue
		}
		ended := object{c.at("state", "terminated").GetStructValue()}
		// Only a running agent can take back what it said before.
		if !ended.exists() && c.at("state", "running").GetStructValue() != nil {
			ended = object{c.at("lastState", "terminated").GetStructValue()}
		}
		at, err := time.Parse(time.RFC3339, ended.text("finishedAt"))
		if err != nil || ended.number("exitCode") != 0 {
			return standing{}, false
		}
		report, err := agent.ParseReport(ended.text("message"))
		return standing{report, at}, err == nil
	}
	return standing{}, false
}

// skew between the clocks of the function, the API server and a node that does no
// harm: it is well below half of the shortest timeout, so that no report of a pod
// before a start can be taken for one after it.
const skew = 20 * time.Second

// idleSince is since when nobody used the notebook and when its agent said so, if
// that allows to stop it: the report is of this run of the server, and it waited for
// the timeout that the claim has now.
func idleSince(p plan, w world, started time.Time) (since, at time.Time, idle bool) {
	pod := w.pod()
	created, err := time.Parse(time.RFC3339, pod.text("metadata", "creationTimestamp"))
	if !p.watched() || err != nil || created.Before(started.Add(-skew)) {
		return time.Time{}, time.Time{}, false
	}
	r, ok := agentReport(pod)
	timeout := time.Duration(idleTimeout(p.spec)) * time.Second
	if !ok || r.State != agent.Idle || r.at.Sub(r.Since) < timeout || r.Since.Before(created.Add(-skew)) {
		return time.Time{}, time.Time{}, false
	}
	return r.Since, r.at, true
}
