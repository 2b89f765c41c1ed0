package agent

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/crossplane/function-sdk-go/errors"
)

const (
	// The server is asked about four times in a timeout.
	minPeriod = 5 * time.Second
	maxPeriod = 30 * time.Second

	// doubtLimit is how long a doubt lasts until it is reported, or the timeout if
	// that is shorter. A server that has not answered yet has startLimit.
	doubtLimit = 5 * time.Minute
	startLimit = 15 * time.Minute

	// askAgain is after how long kernels that did not answer are asked again, or the
	// timeout if that is shorter: to ask costs the output of a page that is closed.
	askAgain = 10 * time.Minute

	// quickAnswer is how long a kernel whose main thread is free may take to answer, its
	// websocket included: a tenth of a second where there is CPU. One that takes longer
	// may have run something meanwhile, which its answer hides.
	quickAnswer = 2 * time.Second

	// settle is how long the server is left alone between the question to its kernels
	// and the last look.
	settle = 5 * time.Second

	// patience with a server that does not answer any more after it was reported to
	// be idle, in polls. It may just be shutting down.
	patience = 3
)

// A watch is what the agent knows, from its start to its report.
type watch struct {
	settings  settings
	jupyter   *jupyter
	processes *processes
	memory    memory
	clock     clock
	log       *slog.Logger

	// started is when the agent was.
	started time.Time

	// active is when somebody last used the notebook, as far as is known.
	active time.Time

	// answered tells whether the server ever did.
	answered bool

	// doubted is since when it is not known whether anybody uses the notebook.
	doubted time.Time
	doubts  int

	// asked is when the kernels were last asked in vain.
	asked time.Time
}

// run looks at the server again and again, until there is something to report. It
// returns false if the agent is told to end.
func (w *watch) run(ctx context.Context) (Report, bool) {
	w.started = w.clock.now()
	w.active = w.started
	said := w.memory.load()
	for {
		timeout := w.settings.timeout()
		seen := w.look(ctx)
		if ctx.Err() != nil {
			return Report{}, false
		}
		report, due := w.judge(ctx, said, seen, timeout)
		if due {
			if err := w.memory.save(report, w.clock.now()); err == nil {
				w.log.Info("Reporting", "state", report.State, "seen", report.Seen)
				return report, true
			}
			w.log.Info("Not reporting what could not be taken back later", "state", report.State)
		}
		if !w.clock.sleep(ctx, w.period(timeout, said)) {
			return Report{}, false
		}
	}
}

// period between two looks. A server that starts will answer soon, and one that may be
// stopped at any moment must not be kept from its work.
func (w *watch) period(timeout time.Duration, said said) time.Duration {
	if said.State == Idle || !w.answered {
		return minPeriod
	}
	return min(max(timeout/4, minPeriod), maxPeriod)
}

// judge what was seen, in the light of what was said before.
func (w *watch) judge(ctx context.Context, said said, seen sight, timeout time.Duration) (Report, bool) {
	w.note(seen)
	switch said.State {
	case Idle:
		return Report{State: Active, Seen: seen.String()}, w.isWrong(said, seen, timeout)
	case Unknown:
		return Report{State: Active, Seen: seen.String()}, seen.doubt == ""
	case Active:
	}
	if seen.doubt != "" {
		limit := min(doubtLimit, timeout)
		if !w.answered {
			limit = startLimit
		}
		return Report{State: Unknown, Seen: seen.doubt}, timeout > 0 && w.clock.now().Sub(w.doubted) >= limit
	}
	idle := timeout > 0 && seen.busy == "" && w.clock.now().Sub(w.active) >= timeout
	if !idle || w.clock.now().Sub(w.asked) < min(askAgain, timeout) {
		return Report{}, false
	}
	since := w.active
	return Report{State: Idle, Since: since, TimeoutSeconds: int64(timeout.Seconds()), Seen: seen.String()}, w.confirm(ctx, seen)
}

// note what was seen. A doubt counts as activity.
func (w *watch) note(seen sight) {
	now := w.clock.now()
	if seen.doubt != "" {
		w.active = now
		if w.doubts++; w.doubts == 1 {
			w.doubted = now
			w.log.Info("Cannot tell whether anybody uses the notebook", "why", seen.doubt)
		}
		if !w.answered {
			w.doubted = w.started
		}
		return
	}
	w.answered, w.doubts = true, 0
	if seen.busy != "" {
		w.active = now
	}
	if seen.last.After(w.active) {
		w.active = seen.last
	}
	if w.active.After(now) { // A clock that goes wrong must not delay a stop for ever.
		w.active = now
	}
}

// confirm that a notebook is idle. Jupyter's own word is no proof, so each kernel is
// asked to answer; then nothing may have happened but that.
func (w *watch) confirm(ctx context.Context, before sight) bool {
	began := w.clock.now()
	err := w.jupyter.ask(ctx, w.settings.token(), before.kernels)
	answered := w.clock.now()
	if took := answered.Sub(began); err == nil && took > quickAnswer*time.Duration(max(len(before.kernels), 1)) {
		err = errors.Errorf("%d kernels took %s", len(before.kernels), took)
	}
	if err != nil {
		w.log.Info("Kernels that should be idle do not answer at once", "why", err.Error())
		w.asked = answered
		return false
	}
	end := answered.Add(time.Second)
	if !w.clock.sleep(ctx, settle) {
		return false
	}
	after := w.look(ctx)
	if after.doubt == "" && after.busy == "" && after.sameAs(before) && !after.last.After(end) {
		return true
	}
	w.note(after)
	return false
}

// isWrong tells whether a report that somebody may act on is not true any more.
func (w *watch) isWrong(said said, seen sight, timeout time.Duration) bool {
	if seen.doubt != "" {
		return w.doubts >= patience
	}
	return seen.busy != "" || seen.last.After(said.At) || timeout == 0 || said.At.Sub(said.Since) < timeout
}

// look at the server and at its processes.
func (w *watch) look(ctx context.Context) sight {
	now := w.clock.now()
	seen := w.jupyter.look(ctx, w.settings.token(), now)
	shells, jobs, busy := w.processes.look(now)
	switch {
	case seen.doubt != "" || seen.busy != "":
	case shells < seen.terminals: // Such as where containers do not see each other.
		seen.busy = "a terminal is open whose processes cannot be seen"
	case jobs > 0:
		seen.busy = fmt.Sprintf("%d commands run in terminals", jobs)
	case busy:
		seen.busy = "processes compute"
	}
	return seen
}
