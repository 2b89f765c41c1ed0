package fn

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/function-jupyter/function-jupyter/agent"
)

// A podFinding looks at one thing that can keep a pod from being ready, and
// returns false if it does not.
type podFinding func(situation, pod) (verdict, bool)

// podFindings in the order in which they matter, from the pod's birth on.
var podFindings = []podFinding{
	evicted,
	unschedulable,
	agentFailing,
	imageTrouble,
	configMissing,
	containerRefused,
	outOfMemory,
	neverAnswered,
	crashed,
	endedByItself,
	notAnswering,
	volumeInUse,
	volumeNotAttached,
	podStarting,
}

// podTrouble is what the pod says. A pod of the server before a change has nothing
// to say any more.
func podTrouble(s situation) (verdict, bool) {
	d := s.server()
	p := pod{s.world.pod()}
	if !s.looksAtPods() || !p.exists() || serverReady(d) || d.number("status", "replicas") > d.number("status", "updatedReplicas") {
		return verdict{}, false
	}
	for _, found := range podFindings {
		if v, applies := found(s, p); applies {
			return s.overdue(v), true
		}
	}
	return verdict{}, false
}

// evicted: the pod is over, and the Deployment makes another one.
func evicted(s situation, p pod) (verdict, bool) {
	if p.text("status", "phase") != string(corev1.PodFailed) {
		return verdict{}, false
	}
	why := strings.Trim(p.text("status", "reason")+": "+p.text("status", "message"), ": ")
	return creating("Evicted", "the server's pod was taken from its node%s, and a new one is made", s.inBrackets(why, maxQuote))
}

const (
	// patienceWithServer is how long a server may take to answer before it is worth
	// a word: large images import a lot.
	patienceWithServer = 2 * time.Minute

	// maxQuote in bytes of what others wrote.
	maxQuote = 300
)

// notAnswering: the server runs, and its probes fail.
func notAnswering(s situation, p pod) (verdict, bool) {
	c := p.notebook()
	switch {
	case !c.running():
		return verdict{}, false
	case p.wasReady():
		return creating("NotAnswering", "the server does not answer at the moment: if this lasts, something in it uses all of its CPU or memory, so ask for more, or restart it with restartedAt")
	case s.now.Sub(c.runsSince()) > patienceWithServer:
		return creating("NotAnswering", "the server runs, but does not answer at %s: %s", probed, answersElsewhere)
	default:
		return verdict{}, false
	}
}

// neverAnswered: kubelet ended a server that had not answered for as long as it
// may take. (The pod has not been ready since before that server started.)
func neverAnswered(_ situation, p pod) (verdict, bool) {
	end := p.end()
	started := end.time("startedAt")
	if end.time("finishedAt").Sub(started) < startupBudget*time.Second || p.unreadySince().After(started) || !slices.Contains(endsOfTerminated, end.number("exitCode")) {
		return verdict{}, false
	}
	return failed("NotAnswering", "the server did not answer at %s for %d minutes, and was restarted: %s", probed, startupBudget/60, answersElsewhere)
}

// endsOfTerminated programs: Jupyter's own, and those of SIGTERM and SIGKILL.
var endsOfTerminated = []int64{0, 128 + 15, 128 + 9}

const (
	probed = "http://localhost:8888/api"

	answersElsewhere = "its command or image must start Jupyter on port 8888 with base URL /, or is slow, so look into its log"
)

// agentFailing: the server waits for the agent beside it to start. (An agent that
// ends to report has not failed.)
func agentFailing(s situation, p pod) (verdict, bool) {
	c := p.agent()
	kind, cause := pullError(c.waiting())
	end := c.ended()
	failing := kind != throttled && !slices.Contains(onTheWay, c.waiting().text("reason"))
	if end.number("exitCode") != 0 {
		failing, cause = true, end.text("message")
	}
	if !failing || p.notebook().running() || p.notebook().ended().exists() {
		return verdict{}, false
	}
	image := s.inBrackets(p.wanted("initContainers", agent.ContainerName).text("image"), maxQuote)
	return failed("AgentFailing", "the platform's activity agent%s does not start, and the server waits for it%s: ask your platform team to correct it", image, s.inBrackets(cause, maxQuote))
}

// onTheWay are reasons for which containers wait that will start, or have.
var onTheWay = []string{"", "PodInitializing", "ContainerCreating", "CrashLoopBackOff"}

// inBrackets quotes what others wrote, if they wrote anything.
func (s situation) inBrackets(text string, limit int) string {
	if text = s.quote(text, limit); text == "" {
		return ""
	}
	return " (" + text + ")"
}
