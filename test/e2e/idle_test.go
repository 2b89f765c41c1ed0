package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

const (
	// idleTimeout is the shortest that there is.
	idleTimeout = time.Minute

	// idle is how the tests' notebooks ask for it.
	idle = "\n  idleTimeoutSeconds: 60"

	// busyFor is how long the tests' work takes: much longer than the timeout.
	busyFor = 100 * time.Second

	// idlePatience is how long it may take until an idle server is stopped: the
	// timeout, the agent's polls, and what a busy machine adds.
	idlePatience = idleTimeout + 2*time.Minute
)

// testIdleKernel checks that a silent cell is not idle, however long it takes, and
// that its server is when it has ended. It then starts anew, and its volume is there.
func testIdleKernel(t *testing.T) {
	n := newNamespace(t)
	tell := n.trace("idle")
	tell("kubectl apply, with idleTimeoutSeconds: 60")
	n.create("idle", "  image: "+lab+"\n  volumeSize: 1Gi"+idle)
	n.write("idle")
	k, err := n.server("idle").StartKernel(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tell(fmt.Sprintf("a cell that only sleeps, for %.0f s, and whose page is closed", busyFor.Seconds()))
	if err := k.Begin(t.Context(), fmt.Sprintf("import time; time.sleep(%.0f)", busyFor.Seconds())); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second)
	k.Leave()
	n.keepsRunning("idle", busyFor-5*time.Second)

	tell("the cell has ended")
	n.stoppedIdle("idle")
	if pods := n.kubectl("get", "pvc", "idle-workspace", "-o", "jsonpath={.status.phase}"); pods != "Bound" {
		t.Errorf("the workspace of a stopped notebook is %s", pods)
	}
	n.eventTells("idle", "Idle")

	tell("restartedAt")
	n.patch("idle", `{"restartedAt":"`+time.Now().UTC().Format(time.RFC3339)+`"}`)
	started := n.pod("idle").UID
	if nb := n.ready("idle"); nb.Status.Idle != nil {
		t.Errorf("a notebook that runs says that it is idle: %+v", nb.Status.Idle)
	}
	n.holds("idle")
	n.staysThePod("idle", started, idleTimeout-10*time.Second)
}

// testIdleWebsocket checks that an open page is not activity, and that stopped: true
// and false start a server again.
func testIdleWebsocket(t *testing.T) {
	n := newNamespace(t)
	n.create("open", "  image: "+classic+idle)
	k, err := n.server("open").StartKernel(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer k.Leave()
	n.stoppedIdle("open")
	n.patch("open", `{"stopped":true}`)
	n.await("open", "stopped by its user", patience, func(nb notebook) bool { return nb.Status.Reason == "Stopped" && nb.Status.Idle == nil })
	n.patch("open", `{"stopped":false}`)
	n.ready("open")
}

// testIdleTerminal checks that a command in a terminal is work, and a prompt is not.
func testIdleTerminal(t *testing.T) {
	n := newNamespace(t)
	n.create("terminal", "  image: "+lab+idle)
	if err := n.server("terminal").Type(t.Context(), fmt.Sprintf("sleep %.0f", busyFor.Seconds())); err != nil {
		t.Fatal(err)
	}
	n.keepsRunning("terminal", busyFor-10*time.Second)
	n.stoppedIdle("terminal")
}

// testIdleBlind checks that a server which answers nobody is not taken for idle. It
// is stopped (as a process) so that not even its agent can reach it.
func testIdleBlind(t *testing.T) {
	n := newNamespace(t)
	n.create("blind", "  image: "+lab+idle)
	n.ready("blind")
	pod := n.pod("blind")
	time.Sleep(15 * time.Second) // Until the agent has seen it.
	signal := func(name string) {
		n.kubectl("exec", pod.Name, "-c", "notebook", "--", "python3", "-c", signalling, name)
	}
	signal("SIGSTOP")
	nb := n.await("blind", "known to be unknown", idlePatience, func(nb notebook) bool {
		return nb.condition("ActivityKnown").Status == metav1.ConditionFalse
	})
	t.Logf("the claim says: %s", nb.condition("ActivityKnown").Message)
	n.staysThePod("blind", pod.UID, idleTimeout)
	signal("SIGCONT")
	n.await("blind", "known again", idlePatience, func(nb notebook) bool {
		return nb.condition("ActivityKnown").Status == metav1.ConditionTrue
	})
	n.stoppedIdle("blind")
}

// signalling sends a signal to the Jupyter server, which is not the first process of
// a pod with an agent.
const signalling = `
import os, signal, sys
for pid in filter(str.isdigit, os.listdir("/proc")):
    try:
        command = open("/proc/" + pid + "/cmdline").read()
    except OSError:
        continue
    if "jupyter" in command and "ipykernel" not in command and int(pid) != os.getpid():
        os.kill(int(pid), getattr(signal, sys.argv[1]))
`

// testLifetime checks that a server is stopped when its lifetime is over, whatever it
// does, and that its user is warned before.
func testLifetime(t *testing.T) {
	n := newNamespace(t)
	n.create("brief", "  image: "+lab+"\n  maxLifetimeSeconds: 90")
	k, err := n.server("brief").StartKernel(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer k.Leave()
	if err := k.Begin(t.Context(), "import time; time.sleep(600)"); err != nil {
		t.Fatal(err)
	}
	n.await("brief", "warned", patience, func(nb notebook) bool { return nb.Status.Reason == "Expiring" })
	n.eventTells("brief", "Expiring")
	nb := n.await("brief", "over", patience, func(nb notebook) bool {
		return nb.Status.Phase == v1.PhaseStopped && nb.Status.Reason == "LifetimeOver" && nb.condition("Ready").Status == metav1.ConditionTrue
	})
	n.podless("brief")
	t.Logf("the claim says: %s", nb.Status.Message)
	n.patch("brief", `{"restartedAt":"`+time.Now().UTC().Format(time.RFC3339)+`"}`)
	n.ready("brief")
}

// testAgent checks what the agent costs, and that it changes nothing of the pod that
// matters.
func testAgent(t *testing.T) {
	n := newNamespace(t)
	classes := map[string]corev1.PodQOSClass{
		"guaranteed": corev1.PodQOSGuaranteed,
		"burstable":  corev1.PodQOSBurstable,
		"besteffort": corev1.PodQOSBestEffort,
	}
	for name, resources := range map[string]string{
		"guaranteed": "{limits: {cpu: 200m, memory: 512Mi}}",
		"burstable":  "{requests: {cpu: 10m, memory: 64Mi}, limits: {memory: 1Gi}}",
		"besteffort": "{}",
	} {
		n.create(name, "  image: "+lab+"\n  resources: "+resources+"\n  idleTimeoutSeconds: 3600")
	}
	for name, class := range classes {
		n.ready(name)
		pod := n.pod(name)
		if pod.Status.QOSClass != class {
			t.Errorf("a pod that is %s without an agent is %s with it", class, pod.Status.QOSClass)
		}
		for _, c := range pod.Status.InitContainerStatuses {
			if c.RestartCount > 0 || !c.Ready {
				t.Errorf("the agent of %s does not run well: %+v", name, c)
			}
		}
		used := run(t, "", "kubectl", "get", "--raw", "/api/v1/nodes/"+pod.Spec.NodeName+"/proxy/metrics/resource")
		for line := range strings.Lines(used) {
			if strings.HasPrefix(line, "container_memory_working_set_bytes") && strings.Contains(line, `container="activity-agent"`) && strings.Contains(line, `pod="`+pod.Name+`"`) {
				t.Logf("memory of the agent of %s: %s", name, strings.Fields(line)[1])
			}
		}
	}
	// Nobody in the pod may reach Kubernetes' API.
	pod := n.pod("burstable")
	for _, v := range pod.Spec.Volumes {
		if v.Projected != nil {
			t.Errorf("the pod has a service account's token: %+v", v)
		}
	}
	// A changed timeout restarts nothing.
	n.patch("burstable", `{"idleTimeoutSeconds":7200}`)
	n.kubectl("wait", "secret/burstable-access", "--for=jsonpath={.data.idleTimeoutSeconds}=NzIwMA==", "--timeout=1m")
	n.staysThePod("burstable", pod.UID, 5*time.Second)
}

// keepsRunning fails the test unless a notebook is ready, in the same pod, for so
// long.
func (n namespace) keepsRunning(name string, long time.Duration) {
	n.Helper()
	n.ready(name)
	n.staysThePod(name, n.pod(name).UID, long)
}

// staysThePod fails the test unless a notebook has the same pod for so long.
func (n namespace) staysThePod(name string, uid types.UID, long time.Duration) {
	n.Helper()
	for end := time.Now().Add(long); time.Now().Before(end); time.Sleep(2 * time.Second) {
		for _, pod := range n.pods(name) {
			if pod.UID != uid || pod.DeletionTimestamp != nil {
				nb, err := n.get(name)
				n.Fatalf("%s lost its pod: %v %v", name, nb, err)
			}
		}
	}
}

// stoppedIdle waits until a notebook was stopped because nobody used it.
func (n namespace) stoppedIdle(name string) {
	n.Helper()
	nb := n.await(name, "stopped for being idle", idlePatience, func(nb notebook) bool {
		return nb.Status.Phase == v1.PhaseStopped && nb.Status.Reason == "Idle" && nb.condition("Ready").Status == metav1.ConditionTrue
	})
	if nb.Status.Idle == nil || nb.Status.Idle.Since == nil || nb.Status.Idle.StoppedAt == nil {
		n.Errorf("%s does not say since when it was idle: %v", name, nb)
	} else if idleFor := nb.Status.Idle.StoppedAt.Sub(nb.Status.Idle.Since.Time); idleFor < idleTimeout {
		n.Errorf("%s was stopped after only %v", name, idleFor)
	}
	n.podless(name)
}

// podless waits until a notebook has no pod any more.
func (n namespace) podless(name string) {
	n.Helper()
	eventually(n.T, patience, func() error {
		if pods := n.pods(name); len(pods) != 0 {
			return fmt.Errorf("%s has %d pods", name, len(pods))
		}
		return nil
	})
}

// eventTells fails the test unless a notebook has one event of that reason. Crossplane
// may call once more before its cache has what the first call said, and not more often.
func (n namespace) eventTells(name, reason string) {
	n.Helper()
	eventually(n.T, time.Minute, func() error {
		out := n.kubectl("get", "events", "--field-selector=involvedObject.kind=JupyterNotebook,involvedObject.name="+name+",reason="+reason,
			"-o", `jsonpath={range .items[*]}{.count}{" "}{.message}{"\n"}{end}`)
		if lines := strings.Split(strings.TrimSpace(out), "\n"); len(lines) != 1 || (!strings.HasPrefix(lines[0], "1 ") && !strings.HasPrefix(lines[0], "2 ")) {
			return fmt.Errorf("%s has the events %q of reason %s, want one", name, out, reason)
		}
		return nil
	})
}
