package fn

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/function-jupyter/function-jupyter/agent"
	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// release of the function, which make package sets.
var release = "v0.1.0"

const (
	// agentRepository is where releases are published.
	agentRepository = "xpkg.crossplane.io/function-jupyter/function-jupyter"

	// agentUserID is not the notebook's, so that what runs there can neither end the
	// agent nor read its memory.
	agentUserID = 65532

	agentSettingsVolume, agentSettingsPath = "agent-settings", "/etc/function-jupyter-agent"
	agentStateVolume, agentStatePath       = "agent-state", "/var/lib/function-jupyter-agent"

	// idleTimeoutKey of the access Secret tells the agent its timeout. Kubernetes
	// carries changes into the pod, so that a new timeout restarts nothing.
	idleTimeoutKey = "idleTimeoutSeconds"

	// agentCPUBurst is how much more CPU than it asks for the agent may use where
	// that does not change the pod's quality of service.
	agentCPUBurst = 10
)

// idleTimeout of a claim in seconds. 0 is never.
func idleTimeout(spec *v1.NotebookSpec) int64 {
	if spec.IdleTimeoutSeconds == nil {
		return 0
	}
	return *spec.IdleTimeoutSeconds
}

// watched tells whether an agent is to watch the notebook. Without a look at its
// pod nobody would hear what the agent says.
func (p plan) watched() bool { return idleTimeout(p.spec) > 0 && p.looksAtPods() }

// looksAtPods tells whether the platform lets the function look at pods.
func (p plan) looksAtPods() bool {
	return p.policy.Diagnostics.Pods == nil || *p.policy.Diagnostics.Pods
}

// addAgent adds the agent to a pod. It starts before the server and ends after it.
// The agent sees the server's processes, because Jupyter does not tell of all that
// runs there.
func addAgent(pod *corev1.PodSpec, p plan, secret string) {
	always := corev1.ContainerRestartPolicyAlways
	pod.ShareProcessNamespace = new(true)
	pod.InitContainers = []corev1.Container{{
		Name:          agent.ContainerName,
		Image:         agentImage(p),
		Args:          []string{"agent"},
		RestartPolicy: &always,
		Resources:     agentResources(p),
		VolumeMounts: []corev1.VolumeMount{
			{Name: agentSettingsVolume, MountPath: agentSettingsPath, ReadOnly: true},
			{Name: agentStateVolume, MountPath: agentStatePath},
		},
		SecurityContext: &corev1.SecurityContext{
			RunAsUser:                new(int64(agentUserID)),
			RunAsGroup:               new(int64(agentUserID)),
			AllowPrivilegeEscalation: new(false),
			ReadOnlyRootFilesystem:   new(true),
			Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		},
	}}
	pod.Volumes = append(pod.Volumes,
		corev1.Volume{Name: agentSettingsVolume, VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: secret}}},
		corev1.Volume{Name: agentStateVolume, VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}})
}

func agentImage(p plan) string {
	if image := p.policy.Agent.Image; image != "" {
		return image
	}
	return agentRepository + ":" + release
}

// agentResources leave the pod's quality of service as the notebook's container
// makes it: the agent has a request where that has one, and a limit where that has
// one, and both are the same where they are the same there.
func agentResources(p plan) corev1.ResourceRequirements {
	amounts := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("10m"), corev1.ResourceMemory: resource.MustParse("16Mi")}
	if cpu := p.policy.Agent.Resources.CPU; cpu != nil {
		amounts[corev1.ResourceCPU] = *cpu
	}
	if memory := p.policy.Agent.Resources.Memory; memory != nil {
		amounts[corev1.ResourceMemory] = *memory
	}
	r := corev1.ResourceRequirements{Requests: corev1.ResourceList{}, Limits: corev1.ResourceList{}}
	for name, amount := range amounts {
		request, requested := p.spec.Resources.Requests[name]
		limit, limited := p.spec.Resources.Limits[name]
		if requested {
			r.Requests[name] = amount
		}
		if limited {
			r.Limits[name] = amount
		}
		if name == corev1.ResourceCPU && requested && limited && request.Cmp(limit) < 0 {
			r.Limits[name] = *resource.NewMilliQuantity(amount.MilliValue()*agentCPUBurst, resource.DecimalSI)
		}
	}
	return r
}

// agentSettings are what the access Secret has for the agent.
func agentSettings(p plan) map[string][]byte {
	if !p.watched() {
		return nil
	}
	return map[string][]byte{idleTimeoutKey: []byte(strconv.FormatInt(idleTimeout(p.spec), 10))}
}

// hasAgent tells whether an agent watches what the Deployment runs.
func hasAgent(d object) bool {
	for _, c := range d.list("spec", "template", "spec", "initContainers") {
		if c.text("name") == agent.ContainerName {
			return true
		}
	}
	return false
}
