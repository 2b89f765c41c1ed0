package fn

import (
	"fmt"
	"regexp"

	corev1 "k8s.io/api/core/v1"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// A situation is all that the phase of a notebook depends on.
type situation struct {
	notebook
	plan
	world
	composition
}

func (s situation) server() object { return s.world.composed[keyServer] }
func (s situation) pvc() object    { return s.world.composed[keyWorkspace] }

// stopped tells whether the server should not run.
func (s situation) stopped() bool {
	if s.spec == nil {
		return s.server().exists() && s.server().number("spec", "replicas") == 0
	}
	return s.plan.stopped()
}

// Reasons of a notebook on its way. Those of its troubles are beside what finds
// them.
const (
	reasonCreating          = "Creating"
	reasonVolumePending     = "VolumePending"
	reasonStarting          = "Starting"
	reasonRollingOut        = "RollingOut"
	reasonWaitingForAddress = "WaitingForAddress"
	reasonReady             = "Ready"
	reasonStopping          = "Stopping"
	reasonExpiring          = "Expiring"
)

// A verdict on a notebook is its phase and, in one sentence, why.
type verdict struct {
	phase           v1.Phase
	reason, message string
}

// A finding looks at one thing that can keep a notebook from being ready, and
// returns false if it does not.
type finding func(situation) (verdict, bool)

// findings in the order in which they matter: the first one that applies is
// what the user is told.
var findings = []finding{
	refusedNew,
	inTheWay,
	workspaceLost,
	stoppedByFunction,
	stopped,
	overQuota,
	existingClaimMissing,
	serverMissing,
	serverRefused,
	rollingOut,
	podRefused,
	podTrouble,
	workspacePending,
	noProgress,
	starting,
	incomplete,
	waitingForAddress,
	expiring,
}

// judge a notebook. What none of the findings applies to is ready.
func judge(s situation) verdict {
	for _, found := range findings {
		if v, applies := found(s); applies {
			return v
		}
	}
	return verdict{v1.PhaseReady, reasonReady, "the notebook is ready" + s.restartNote()}
}

func creating(reason, format string, args ...any) (verdict, bool) {
	return verdict{v1.PhaseCreating, reason, fmt.Sprintf(format, args...)}, true
}

func failed(reason, format string, args ...any) (verdict, bool) {
	return verdict{v1.PhaseFailed, reason, fmt.Sprintf(format, args...)}, true
}

// refusedNew: a claim that is refused and has no server has nothing to show. One
// that has a server goes on as it was.
func refusedNew(s situation) (verdict, bool) {
	if len(s.refusals) == 0 || s.server().exists() {
		return verdict{}, false
	}
	return verdict{v1.PhaseFailed, s.refusals[0].reason, sentence(s.refusals)}, true
}

// inTheWay: somebody's object has taken the place of one that the notebook had.
func inTheWay(s situation) (verdict, bool) {
	for key := range s.foreign {
		if key != keyWorkspace {
			return verdict{v1.PhaseFailed, reasonNameConflict, sentence(s.refusals)}, true
		}
	}
	return verdict{}, false
}

func workspaceLost(s situation) (verdict, bool) {
	if s.mounted().text("status", "phase") != string(corev1.ClaimLost) {
		return verdict{}, false
	}
	return failed("VolumeLost", "the volume behind PersistentVolumeClaim %s is gone, and the files with it: ask your platform team to restore it, or delete the notebook", s.workspaceName())
}

// stoppedByFunction has one sentence for the whole way to a stop that nobody waits
// for.
func stoppedByFunction(s situation) (verdict, bool) {
	if s.run.stop == nil {
		return verdict{}, false
	}
	why := "nobody used it since " + rfc3339(s.run.stop.Since) + " (idleTimeoutSeconds)"
	if s.run.stop.Reason == reasonLifetimeOver {
		why = "its lifetime was over (maxLifetimeSeconds)"
	}
	return verdict{v1.PhaseStopped, s.run.stop.Reason, "the notebook was stopped at " + rfc3339(s.run.stop.At) + ", because " + why + "," + s.whatIsKept() + ": set restartedAt to a new time to start it"}, true
}

func stopped(s situation) (verdict, bool) {
	switch {
	case !s.stopped():
		return verdict{}, false
	case !s.server().exists() || serverGone(s.server()):
		return verdict{v1.PhaseStopped, "Stopped", "the notebook is stopped" + s.whatIsKept() + ": set stopped to false to start it"}, true
	default:
		return verdict{v1.PhaseStopped, reasonStopping, "the server is shutting down" + s.whatIsKept()}, true
	}
}

func (s situation) whatIsKept() string {
	if s.workspaceName() == "" {
		return " and keeps no files, because it has no volume"
	}
	return " and its workspace is kept"
}

func existingClaimMissing(s situation) (verdict, bool) {
	claim, asked := s.existingClaim()
	if s.spec == nil || s.workspaceName() != s.spec.Volume.ExistingClaim || s.spec.Volume.ExistingClaim == "" || !asked || claim.exists() {
		return verdict{}, false
	}
	return failed("VolumeNotFound", "volume.existingClaim names PersistentVolumeClaim %s, which does not exist in namespace %s: create it, or write another name", s.spec.Volume.ExistingClaim, s.namespace)
}

var (
	exceededQuota = regexp.MustCompile(`exceeded quota: .*|failed quota: .*`)
	// podName is random and changes with each attempt, so it must not get into
	// the status.
	podName = regexp.MustCompile(`^[Pp]ods? "[^"]*" is (forbidden|invalid): `)
)

// podRefused: the API server does not let the Deployment create its pod.
func podRefused(s situation) (verdict, bool) {
	c := s.server().condition("ReplicaFailure")
	if c.text("status") != "True" {
		return verdict{}, false
	}
	return s.refusedBecause(c.text("message"))
}

// serverRefused: the API server does not even let the Deployment create the
// ReplicaSet that would create the pod. The Deployment does not count its
// generation as observed then, so this comes before rollingOut.
func serverRefused(s situation) (verdict, bool) {
	c := s.server().condition("Progressing")
	if c.text("reason") != "ReplicaSetCreateError" || s.keep || changesPod(s.server(), s.plan) {
		return verdict{}, false
	}
	return s.refusedBecause(c.text("message"))
}

func (s situation) refusedBecause(message string) (verdict, bool) {
	if quota := exceededQuota.FindString(message); quota != "" {
		return failed(reasonQuotaExceeded, "%s", noRoom("the server's pod", s.quote(quota, maxQuote), "stop"))
	}
	message = podName.ReplaceAllString(message, "")
	random := regexp.MustCompile(regexp.QuoteMeta(serverName(s.name)) + `-[0-9a-z]{1,10}-[0-9a-z]{5}\b`)
	return failed("PodRefused", "the server's pod was refused: %s", s.quote(random.ReplaceAllString(message, serverName(s.name)), maxQuote))
}

// noProgress: the Deployment itself gave up waiting, and nobody knows why.
func noProgress(s situation) (verdict, bool) {
	if !s.timedOut() {
		return verdict{}, false
	}
	hint := s.blindHint()
	if hint == "" {
		hint = "; see the events of its pod for the reason"
	}
	message := s.quote(s.server().condition("Progressing").text("message"), maxQuote)
	return failed("DeadlineExceeded", "the server did not start in %d minutes: %s%s", progressDeadline/60, message, hint)
}

// timedOut tells whether the Deployment gave up waiting for its server.
func (s situation) timedOut() bool {
	d := s.server()
	return d.condition("Progressing").text("status") == "False" && !serverReady(d) && generationObserved(d)
}

// overdue makes a failure of what has kept the server from starting for too long.
func (s situation) overdue(v verdict) verdict {
	if v.phase != v1.PhaseCreating || !s.timedOut() {
		return v
	}
	return verdict{v1.PhaseFailed, v.reason, fmt.Sprintf("%s (for %d minutes)", v.message, progressDeadline/60)}
}

// blindHint is for who must look for themselves.
func (s situation) blindHint() string {
	if s.looksAtPods() {
		return ""
	}
	return "; this platform does not let notebooks look at their pods: kubectl describe pod -l notebook-name=" + labelValue(s.name) + " says more"
}

func serverMissing(s situation) (verdict, bool) {
	if s.server().exists() {
		return verdict{}, false
	}
	return creating(reasonCreating, "the notebook's objects are being created")
}

// rollingOut: what the server runs is not yet what the claim asks for. All that
// its Deployment says is about the server before the change, so this comes first.
func rollingOut(s situation) (verdict, bool) {
	d := s.server()
	switch {
	case s.keep:
		return verdict{}, false
	case d.number("spec", "replicas") == 0, d.number("status", "observedGeneration") == 0:
		return s.serverStarting()
	case !generationObserved(d), s.restarts(d, s.plan):
		return restarting()
	default:
		return verdict{}, false
	}
}

func workspacePending(s situation) (verdict, bool) {
	pvc := s.mounted()
	if pvc.text("status", "phase") == string(corev1.ClaimBound) || !pvc.exists() || serverReady(s.server()) {
		return verdict{}, false
	}
	return s.overdue(verdict{v1.PhaseCreating, reasonVolumePending, pendingBecause(pvc)}), true
}

func starting(s situation) (verdict, bool) {
	if serverReady(s.server()) {
		return verdict{}, false
	}
	if oldPods(s.server()) {
		return restarting()
	}
	return s.serverStarting()
}

// restarting is one sentence for all that happens within seconds: a status that
// changes often has Crossplane leave out the notebook's events for minutes.
func restarting() (verdict, bool) {
	return creating(reasonRollingOut, "rolling out the change: the old server shuts down, and then the new one starts")
}

func (s situation) serverStarting() (verdict, bool) {
	image := serverImage(s.server())
	if s.spec != nil && !s.keep {
		image = s.spec.Image
	}
	return creating(reasonStarting, "the server is starting: its image %s is being pulled, or Jupyter does not answer yet%s", image, s.blindHint())
}

// incomplete: the server runs, and something that it needs is yet to come, or was
// deleted by hand.
func incomplete(s situation) (verdict, bool) {
	if s.keep {
		return verdict{}, false
	}
	for _, id := range identities(s.name) {
		_, wanted := s.objects[id.key]
		missing := !s.world.composed[id.key].exists() || (id.key == keyAccess && observedToken(s.world.composed[id.key]) == "")
		if wanted && missing {
			return creating(reasonCreating, "the server runs, and its %s %s is being created", id.kind, id.name)
		}
	}
	return verdict{}, false
}

func waitingForAddress(s situation) (verdict, bool) {
	if !s.addressPending() {
		return verdict{}, false
	}
	return creating(reasonWaitingForAddress, "the server runs, and waits for the address of its load balancer: if none comes, the cluster offers none, so write serviceType ClusterIP")
}

// expiring: the lifetime of a server that works is nearly over.
func expiring(s situation) (verdict, bool) {
	if !s.expires() {
		return verdict{}, false
	}
	return verdict{v1.PhaseReady, reasonExpiring, "the notebook is ready; " + s.expiry()}, true
}

// expiry tells the user of a server that it will be stopped.
func (s situation) expiry() string {
	return "it will be stopped at " + rfc3339(s.run.ends) + ", when its lifetime is over (maxLifetimeSeconds): save your work, or set restartedAt to a new time for another lifetime"
}

// workspaceName is the PersistentVolumeClaim that the server mounts, or empty.
func (s situation) workspaceName() string {
	if s.keep {
		return mountedClaim(s.server())
	}
	return s.workspace.claimName
}
