package fn

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/function-jupyter/function-jupyter/agent"
)

// A pod is one of the notebook's.
type pod struct{ object }

func (p pod) node() string { return p.text("spec", "nodeName") }

// notebook is the status of the server's container.
func (p pod) notebook() containerStatus { return p.container("containerStatuses", containerName) }

// agent is the status of the activity agent's container.
func (p pod) agent() containerStatus {
	return p.container("initContainerStatuses", agent.ContainerName)
}

func (p pod) container(list, name string) containerStatus {
	for _, status := range p.list("status", list) {
		if status.text("name") == name {
			return containerStatus{status}
		}
	}
	return containerStatus{}
}

// wanted is a container as the pod's spec has it.
func (p pod) wanted(list, name string) object {
	for _, c := range p.list("spec", list) {
		if c.text("name") == name {
			return c
		}
	}
	return object{}
}

// resource of the server's container: its limit or request.
func (p pod) resource(kind, name string) string {
	return p.wanted("containers", containerName).text("resources", kind, name)
}

// A containerStatus is what kubelet says of a container: it waits, runs, or has
// ended.
type containerStatus struct{ object }

func (c containerStatus) waiting() object { return object{c.at("state", "waiting").GetStructValue()} }

func (c containerStatus) running() bool { return c.at("state", "running").GetStructValue() != nil }

func (c containerStatus) runsSince() time.Time { return c.time("state", "running", "startedAt") }

// endedBefore is how the container ended before it was last started again.
func (c containerStatus) endedBefore() object {
	return object{c.at("lastState", "terminated").GetStructValue()}
}

// ended is how the container last ended, whether or not it was started again.
func (c containerStatus) ended() object {
	if end := (object{c.at("state", "terminated").GetStructValue()}); end.exists() {
		return end
	}
	return c.endedBefore()
}

// unreadySince is when the pod was made, or was last ready.
func (p pod) unreadySince() time.Time {
	return p.condition(string(corev1.PodReady)).time("lastTransitionTime")
}

// wasReady tells whether the server that runs has answered before.
func (p pod) wasReady() bool {
	c := p.notebook()
	return c.running() && p.unreadySince().After(c.runsSince())
}

// end is how the server ended, if that is why it is not ready.
func (p pod) end() object {
	if p.wasReady() {
		return object{}
	}
	return p.notebook().ended()
}
