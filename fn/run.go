package fn

import (
	"encoding/json"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// Annotations of the Deployment, which is where the function remembers them.
const (
	// annotationStarted is when the server was last started.
	annotationStarted = annotationPrefix + "started-at"

	// annotationEnds is when the lifetime of the server is over, where that is later
	// than what the claim says now.
	annotationEnds = annotationPrefix + "ends-at"

	// annotationStopped is why the function stopped the server.
	annotationStopped = annotationPrefix + "stopped-because"
)

// Reasons for which the function stops a server.
const (
	reasonIdle         = "Idle"
	reasonLifetimeOver = "LifetimeOver"
)

// A run of the server begins when it is started: by a new claim, after a stop, by
// restartedAt, or by whatever else makes it a new pod.
type run struct {
	// started is when the run began. Zero if the server does not run.
	started time.Time

	// ends is when its lifetime is over. Zero if it has no limit.
	ends time.Time

	// stop says why the function ended it. Nil if it did not.
	stop *stop
}

// A stop by the function lasts until the user starts the server again.
type stop struct {
	Reason string `json:"reason"`

	// Since when nobody used the notebook, or the start of the run.
	Since time.Time `json:"since"`

	// At is when the server was stopped.
	At time.Time `json:"at"`
}

// planRun decides whether the server runs.
func planRun(nb notebook, p plan, w world) run {
	d := w.composed[keyServer]
	last := lastStop(d)
	switch {
	case p.spec.Stopped:
		return run{}
	case last != nil && !startsAgain(d, p.spec):
		return run{stop: last}
	case !d.exists(), d.number("spec", "replicas") == 0, beginsAnew(nb, p, w):
		return run{started: nb.now, ends: endOfLife(p.spec, nb.now)}
	}
	r := run{started: startOf(d, w, nb.now)}
	if report, idle := idleReport(p, w, r.started); idle && !report.holds.IsZero() && !nb.now.Before(report.holds) {
		return run{stop: &stop{reasonIdle, report.Since, report.at}}
	}
	r.ends = endOfRun(d, p, r.started, nb.now)
	if !r.ends.IsZero() && !nb.now.Before(r.ends) {
		return run{stop: &stop{reasonLifetimeOver, r.started, nb.now.Truncate(time.Second)}}
	}
	return r
}

// beginsAnew tells whether the server is restarted, and its run with it. (Without a
// stored token it stays as it is.)
func beginsAnew(nb notebook, p plan, w world) bool {
	c := composition{token: observedToken(w.composed[keyAccess])}
	if c.token == "" {
		return false
	}
	c.workspace = planWorkspace(metav1.ObjectMeta{Name: workspaceName(nb.name), Namespace: nb.namespace}, nb, p, w)
	return c.restarts(w.composed[keyServer], p)
}

// startOf the run that goes on. Where nobody noted it, it is that of the pod.
func startOf(d object, w world, now time.Time) time.Time {
	for _, text := range []string{d.annotation(annotationStarted), w.pod().text("metadata", "creationTimestamp")} {
		if started, err := time.Parse(time.RFC3339, text); err == nil {
			return started
		}
	}
	return now
}

// startsAgain tells whether the user asked for a start since the function stopped
// the server. (Who set stopped meanwhile ended that stop.)
func startsAgain(d object, spec *v1.NotebookSpec) bool {
	was, _ := acceptedSpec(d)
	return was != nil && spec.RestartedAt != nil && !spec.RestartedAt.Equal(was.RestartedAt)
}

// lifetime of a server. 0 is without end.
func lifetime(spec *v1.NotebookSpec) time.Duration {
	if spec == nil || spec.MaxLifetimeSeconds == nil {
		return 0
	}
	return time.Duration(*spec.MaxLifetimeSeconds) * time.Second
}

// endOfLife of a server is when it is stopped whatever it does, if ever.
func endOfLife(spec *v1.NotebookSpec, started time.Time) time.Time {
	if lifetime(spec) <= 0 {
		return time.Time{}
	}
	return started.Add(lifetime(spec))
}

// endOfRun that goes on. A lifetime that is set or lowered when the server has run for
// longer already ends it only when its user has heard of it.
func endOfRun(d object, p plan, started, now time.Time) time.Time {
	end := endOfLife(p.spec, started)
	if end.IsZero() {
		return end
	}
	earliest := d.time("metadata", "annotations", annotationEnds)
	if d.annotation(annotationAccepted) != p.accepted {
		if was, _ := acceptedSpec(d); lifetime(was) != lifetime(p.spec) {
			earliest = now.Truncate(time.Second).Add(warning(p.spec))
		}
	}
	if earliest.After(end) {
		return earliest
	}
	return end
}

// Bounds of the warning before the end of a lifetime: time to save one's work.
const (
	minWarning = time.Minute
	maxWarning = 10 * time.Minute
)

// warning is how long before the end of its lifetime the user of a server hears of
// it: a tenth of the lifetime within these bounds, but never more than half of it.
func warning(spec *v1.NotebookSpec) time.Duration {
	return min(max(lifetime(spec)/10, minWarning), lifetime(spec)/2, maxWarning)
}

// expires tells whether the lifetime of the server is nearly over.
func (s situation) expires() bool {
	return s.spec != nil && !s.run.ends.IsZero() && !s.now.Before(s.run.ends.Add(-warning(s.spec)))
}

// untilNews is how long it takes until only the clock changes something. Crossplane
// calls up to a tenth earlier or later.
func (s situation) untilNews() time.Duration {
	news := settledTTL
	for _, at := range s.looks() {
		if wait := at.Sub(s.now); wait > 0 { // Rather later, or it would be called twice.
			news = min(news, wait*10/9+time.Second)
		}
	}
	if s.run.ends.IsZero() {
		return news
	}
	next := s.run.ends
	if !s.expires() {
		next = next.Add(-warning(s.spec))
	}
	return min(news, max(next.Sub(s.now)*10/11, time.Second)) // Rather earlier, and again.
}

// looks are when the pod of a server that runs tells something that it did not before,
// though it does not change.
func (s situation) looks() []time.Time {
	if s.run.started.IsZero() || !s.looksAtPods() {
		return nil
	}
	_, over := agentFailed(pod{s.world.pod()}, s.now)
	report, _ := idleReport(s.plan, s.world, s.run.started)
	return []time.Time{s.run.started.Add(quietStart), report.holds, over}
}

func rfc3339(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// lastStop is the function's stop that lasts, or nil.
func lastStop(d object) *stop {
	s := &stop{}
	if json.Unmarshal([]byte(d.annotation(annotationStopped)), s) != nil || d.number("spec", "replicas") != 0 {
		return nil
	}
	if s.Reason != reasonIdle && s.Reason != reasonLifetimeOver {
		return nil
	}
	return s
}

// annotate a Deployment with the run.
func (r run) annotate(annotations map[string]string, spec *v1.NotebookSpec) {
	if r.stop != nil {
		if b, err := json.Marshal(r.stop); err == nil {
			annotations[annotationStopped] = string(b)
		}
	}
	if !r.started.IsZero() {
		annotations[annotationStarted] = rfc3339(r.started)
	}
	if r.ends.After(endOfLife(spec, r.started)) {
		annotations[annotationEnds] = rfc3339(r.ends)
	}
}
