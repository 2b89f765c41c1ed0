package fn

import (
	"encoding/json"
	"time"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// Annotations of the Deployment, which is where the function remembers them.
const (
	// annotationStarted is when the server was last started.
	annotationStarted = annotationPrefix + "started-at"

	// annotationStopped is why the function stopped the server.
	annotationStopped = annotationPrefix + "stopped-because"
)

// Reasons for which the function stops a server.
const (
	reasonIdle         = "Idle"
	reasonLifetimeOver = "LifetimeOver"
)

// A run of the server begins when it is started: by a new claim, after a stop, by
// restartedAt, or by an edit of its pod.
type run struct {
	// started is when the run began. Zero if the server does not run.
	started time.Time

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
	case !d.exists(), d.number("spec", "replicas") == 0, changesPod(d, p):
		return run{started: nb.now}
	}
	started := startOf(d, w, nb.now)
	if since, at, idle := idleSince(p, w, started); idle {
		return run{stop: &stop{reasonIdle, since, at}}
	}
	if end, limited := endOfLife(p.spec, started); limited && !nb.now.Before(end) {
		return run{stop: &stop{reasonLifetimeOver, started, end}}
	}
	return run{started: started}
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

// endOfLife is when the server is stopped whatever it does, if ever.
func endOfLife(spec *v1.NotebookSpec, started time.Time) (time.Time, bool) {
	if spec.MaxLifetimeSeconds == nil || *spec.MaxLifetimeSeconds <= 0 || started.IsZero() {
		return time.Time{}, false
	}
	return started.Add(time.Duration(*spec.MaxLifetimeSeconds) * time.Second), true
}

// endOfLife of the server that runs.
func (s situation) endOfLife() (time.Time, bool) {
	if s.spec == nil {
		return time.Time{}, false
	}
	return endOfLife(s.spec, s.run.started)
}

// maxWarning before the end of a lifetime.
const maxWarning = 10 * time.Minute

// warning is how long before the end of its lifetime the user of a server hears of
// it: a tenth of the lifetime, or ten minutes.
func (s situation) warning() time.Duration {
	return min(time.Duration(*s.spec.MaxLifetimeSeconds)*time.Second/10, maxWarning)
}

// untilNews is how long it takes until only the clock changes something. Crossplane
// calls up to a tenth earlier or later.
func (s situation) untilNews() time.Duration {
	if quiet := s.run.started.Add(quietStart).Sub(s.now); quiet > 0 && s.looksAtPods() && !s.run.started.IsZero() {
		return quiet*10/9 + time.Second // Rather later, or it would be called twice.
	}
	end, limited := s.endOfLife()
	if !limited {
		return settledTTL
	}
	next := end.Add(-s.warning())
	if !s.now.Before(next) {
		next = end
	}
	return max(next.Sub(s.now)*10/11, time.Second) // Rather earlier, and again.
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
func (r run) annotate(annotations map[string]string) {
	if r.stop != nil {
		if b, err := json.Marshal(r.stop); err == nil {
			annotations[annotationStopped] = string(b)
		}
	}
	if !r.started.IsZero() {
		annotations[annotationStarted] = rfc3339(r.started)
	}
}
