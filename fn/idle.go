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

	// holds is from when on one may act on it: from then on the agent, which runs
	// again, would have taken it back. Zero as long as it does not run.
	holds time.Time
}

const (
	// startsAtOnce is how long Kubernetes takes to start an agent again. If it takes
	// longer, somebody may have used the notebook meanwhile.
	startsAtOnce = 10 * time.Second

	// looksAgain is how long an agent may take until it has looked at the server, and
	// taken back what it said before.
	looksAgain = 30 * time.Second

	// agentWorks is how long an agent must run until an earlier failure of it is over.
	agentWorks = 10 * time.Minute
)

// agentReport is what the agent of the server's pod said, if anything can be made of
// it. Anybody who may write a pod's status could have said it; nobody else can.
func agentReport(p pod) (standing, bool) {
	c := p.agent()
	end := c.ended()
	at := end.time("finishedAt")
	report, err := agent.ParseReport(end.text("message"))
	if err != nil || at.IsZero() || end.number("exitCode") != 0 {
		return standing{}, false
	}
	r := standing{Report: report, at: at}
	started := c.runsSince()
	switch {
	case c.at("state", "terminated").GetStructValue() != nil: // It has just been said.
		r.holds = at
	case started.IsZero(): // Nobody could take it back.
	case started.Sub(at) <= startsAtOnce:
		r.holds = at
	default:
		r.holds = started.Add(looksAgain)
	}
	return r, true
}

// skew between the clocks of the function, the API server and a node that does no
// harm: it is well below half of the shortest timeout, so that no report of a pod
// before a start can be taken for one after it.
const skew = 20 * time.Second

// idleReport of a run of the server: that nobody used it, for the timeout that the
// claim has now.
func idleReport(p plan, w world, started time.Time) (standing, bool) {
	pod := pod{w.pod()}
	created := pod.time("metadata", "creationTimestamp")
	if !p.watched() || created.IsZero() || created.Before(started.Add(-skew)) {
		return standing{}, false
	}
	r, ok := agentReport(pod)
	timeout := time.Duration(idleTimeout(p.spec)) * time.Second
	if !ok || r.State != agent.Idle || r.at.Sub(r.Since) < timeout || r.Since.Before(created.Add(-skew)) {
		return standing{}, false
	}
	return r, true
}

// agentFailed is how the agent of a pod that runs failed, and from when on that is
// over, unless it fails again.
func agentFailed(p pod, now time.Time) (end object, over time.Time) {
	c := p.agent()
	if end = c.ended(); end.number("exitCode") == 0 {
		return object{}, time.Time{}
	}
	if started := c.runsSince(); !started.IsZero() {
		over = started.Add(agentWorks)
	}
	if !over.IsZero() && !now.Before(over) {
		return object{}, time.Time{}
	}
	return end, over
}
