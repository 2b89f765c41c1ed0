package fn

import (
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/function-jupyter/function-jupyter/agent"
)

// podInAnyState appears, or changes, or is being deleted.
func podInAnyState(t *rapid.T, e *fakeEngine) {
	if e.composed(keyServer) == nil {
		return
	}
	one := func(label string, choices ...any) any { return rapid.SampledFrom(choices).Draw(t, label) }
	moment := func(label string) string {
		seconds := rapid.SampledFrom([]int{-7200, -700, -90, -1, 0, 90}).Draw(t, label)
		return rfc3339(e.now.Add(time.Duration(seconds) * time.Second))
	}
	status := func(name string) any {
		return fields{
			"name": name, "started": rapid.Bool().Draw(t, "started"), "ready": rapid.Bool().Draw(t, "ready"),
			"state": containerState(t, e, moment), "lastState": containerState(t, e, moment),
		}
	}
	o := e.cluster.add("v1", "Pod", rapid.SampledFrom([]string{"alpha-1", "alpha-2", "alpha-3"}).Draw(t, "name"), fields{
		"spec": one("spec", nil, "damaged", fields{
			"nodeName":   "node-a",
			"containers": values{fields{"name": containerName, "resources": fields{"limits": fields{"memory": "1Gi"}}}},
			"volumes":    values{fields{"name": "mount-0", "secret": fields{"secretName": "s"}}, "damaged"},
		}),
		"status": fields{
			"phase": one("phase", "Pending", "Running", "Pending", "Running", "Running", "Failed", 5.0), "reason": one("reason", nil, "Evicted"), "message": messageOf(t, e),
			"conditions": values{
				fields{"type": "PodScheduled", "status": one("scheduled", "True", "True", "True", "False"), "reason": "Unschedulable", "message": messageOf(t, e), "lastTransitionTime": moment("scheduled since")},
				fields{"type": "PodReadyToStartContainers", "status": one("sandbox", "True", "False")},
				fields{"type": "Ready", "status": "False", "lastTransitionTime": moment("unready since")},
			},
			"containerStatuses":     one("containers", nil, "damaged", values{status(containerName)}, values{nil, status(containerName)}, values{status(containerName), "damaged"}),
			"initContainerStatuses": one("agent", nil, values{status(agent.ContainerName)}),
		},
	})
	o.SetLabels(selector(simName))
	if rapid.Bool().Draw(t, "counts") {
		e.setStatus(keyServer, serverStatusIs(0, nil))
	}
	o.Object["metadata"].(fields)["creationTimestamp"] = moment("created")
	if rapid.Bool().Draw(t, "deleted") {
		o.Object["metadata"].(fields)["deletionTimestamp"] = moment("deleted at")
	}
}

func containerState(t *rapid.T, e *fakeEngine, moment func(string) string) any {
	switch rapid.IntRange(0, 7).Draw(t, "state") {
	case 0:
		return fields{}
	case 1:
		return "damaged"
	case 2:
		return fields{"running": fields{"startedAt": moment("runs since")}}
	case 3, 4, 5:
		return fields{"waiting": fields{"message": messageOf(t, e), "reason": rapid.SampledFrom([]string{
			"", "ContainerCreating", "PodInitializing", "CrashLoopBackOff", "ErrImagePull", "ImagePullBackOff", "InvalidImageName", "CreateContainerConfigError", "RunContainerError", "Other",
		}).Draw(t, "waits for")}}
	default:
		return fields{"terminated": fields{
			"exitCode": rapid.SampledFrom([]any{0.0, 1.0, 137.0, 139.0, -1.0, "damaged"}).Draw(t, "code"), "message": messageOf(t, e),
			"reason":    rapid.SampledFrom([]string{"Error", "Completed", "OOMKilled", "StartError", ""}).Draw(t, "ended"),
			"startedAt": moment("started at"), "finishedAt": moment("finished at"),
		}}
	}
}

// messageOf a pod, in which there may be a token.
func messageOf(t *rapid.T, e *fakeEngine) any {
	messages := []any{
		nil, 5.0,
		fields{},
		"", "\n", "\x00\u202e💥", strings.Repeat("x", 5000), `secret "s" not found`,
		"0/3 nodes are available: 1 Insufficient nvidia.com/gpu, 2 node(s) had untolerated taint {k: v}. preemption: none.",
		`Back-off pulling image "a": ErrImagePull: not found`, "[C 2026-11-30 12:00:00.123 ServerApp] no",
	}
	for _, token := range e.tokens {
		messages = append(messages, "[I 2026-11-30 12:00:00.123 ServerApp] http://localhost:8888/lab?token="+token+"\n")
		if !strings.HasPrefix(token, "chosen") { // Nobody knows that one when it was replaced.
			messages = append(messages, "\x1b[1m"+token, strings.ToUpper(token)+"\nbye", strings.Repeat("y", maxLogTail)+token[9:]+"\n")
		}
	}
	return rapid.SampledFrom(messages).Draw(t, "message")
}
