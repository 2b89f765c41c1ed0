package fn

import (
	"slices"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// routine reasons of a notebook that comes up. Its phase shows them; an event for
// each would only bury those that matter.
var routine = []string{reasonCreating, reasonStarting, reasonVolumePending, reasonRollingOut, reasonStopping, reasonWaitingForAddress}

// newEvents of the notebook: one for each thing that was not so when the
// function was last asked.
func newEvents(s situation, v verdict) []*fnv1.Result {
	var events []*fnv1.Result
	add := func(severity fnv1.Severity, reason, message string) {
		events = append(events, &fnv1.Result{Severity: severity, Reason: &reason, Message: message, Target: fnv1.Target_TARGET_COMPOSITE_AND_CLAIM.Enum()})
	}
	newVerdict := string(v.phase) != s.was.text("status", "phase") || v.reason != s.was.text("status", "reason")
	if newVerdict && !slices.Contains(routine, v.reason) {
		add(severity(v), v.reason, v.message)
	}
	refused := s.was.condition(conditionAccepted)
	if why := sentence(s.refusals); why != "" && why != v.message && (refused.text("status") != "False" || refused.text("message") != why) {
		add(fnv1.Severity_SEVERITY_WARNING, s.refusals[0].reason, s.refused())
	}
	if s.expires() && v.reason != reasonExpiring && !strings.Contains(s.was.text("status", "message"), s.expiry()) {
		add(fnv1.Severity_SEVERITY_WARNING, reasonExpiring, s.expiry())
	}
	if len(s.heldBack) > 0 && s.was.condition(conditionRestartPending).text("status") != "True" {
		add(fnv1.Severity_SEVERITY_NORMAL, conditionRestartPending, pendingRestart(s.heldBack))
	}
	if why := s.notWatched(); why != "" && s.was.condition(conditionActivityKnown).text("status") != "False" {
		add(fnv1.Severity_SEVERITY_WARNING, reasonActivityUnknown, why)
	}
	return events
}

// severity of a verdict: a warning is for what somebody should do something about.
func severity(v verdict) fnv1.Severity {
	switch {
	case v.phase == v1.PhaseReady && v.reason == reasonReady, v.phase == v1.PhaseStopped:
		return fnv1.Severity_SEVERITY_NORMAL
	default:
		return fnv1.Severity_SEVERITY_WARNING
	}
}
