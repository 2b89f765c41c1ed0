package fn

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

// TestAgentResources checks that the agent never changes how Kubernetes classifies
// the pod.
func TestAgentResources(t *testing.T) {
	cases := map[string]struct {
		reason    string
		resources string
		want      string
	}{
		"BestEffort":  {reason: "Without anything it asks for nothing.", resources: `{}`, want: `{requests: {}, limits: {}}`},
		"Guaranteed":  {reason: "Where both are the same they are.", resources: `{requests: {cpu: "1", memory: 1Gi}, limits: {cpu: "1", memory: 1Gi}}`, want: `{requests: {cpu: 10m, memory: 16Mi}, limits: {cpu: 10m, memory: 16Mi}}`},
		"Burst":       {reason: "Where CPU may burst it may.", resources: `{requests: {cpu: "1", memory: 1Gi}, limits: {cpu: "2", memory: 2Gi}}`, want: `{requests: {cpu: 10m, memory: 16Mi}, limits: {cpu: 100m, memory: 16Mi}}`},
		"OnlyMemory":  {reason: "It has what the notebook has.", resources: `{requests: {memory: 1Gi}, limits: {memory: 1Gi}}`, want: `{requests: {memory: 16Mi}, limits: {memory: 16Mi}}`},
		"OnlyRequest": {reason: "And not more.", resources: `{requests: {cpu: "1"}}`, want: `{requests: {cpu: 10m}, limits: {}}`},
		"GPU":         {reason: "It needs none.", resources: `{limits: {nvidia.com/gpu: "1"}}`, want: `{requests: {}, limits: {}}`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := plan{spec: specOf(t, `{image: jupyter/a, resources: `+tc.resources+`}`)}
			if diff := cmp.Diff(typedOf[corev1.ResourceRequirements](t, tc.want), agentResources(p)); diff != "" {
				t.Errorf("\n%s\nagentResources(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestAgentOfPolicy(t *testing.T) {
	input := objectOf(t, `{apiVersion: jupyter.fn.crossplane.io/v1beta1, kind: NotebookPolicy, agent: {image: mirror/agent:v2, resources: {cpu: 5m, memory: 20Mi}}}`)
	policy, refusals := readPolicy(input.Struct)
	if len(refusals) > 0 {
		t.Fatal(sentence(refusals))
	}
	p := plan{policy: policy, spec: specOf(t, `{image: jupyter/a, idleTimeoutSeconds: 600, resources: {limits: {cpu: "1", memory: 1Gi}, requests: {cpu: "1", memory: 1Gi}}}`)}
	pod := &corev1.PodSpec{}
	addAgent(pod, p, "alpha-access")
	got := pod.InitContainers[0]
	if want := typedOf[corev1.ResourceRequirements](t, `{requests: {cpu: 5m, memory: 20Mi}, limits: {cpu: 5m, memory: 20Mi}}`); got.Image != "mirror/agent:v2" || cmp.Diff(want, got.Resources) != "" {
		t.Errorf("addAgent(...): image %s, resources %+v", got.Image, got.Resources)
	}
	if diff := cmp.Diff(map[string][]byte{"idleTimeoutSeconds": []byte("600")}, agentSettings(p)); diff != "" {
		t.Errorf("agentSettings(...): -want, +got:\n%s", diff)
	}
	p.policy.Diagnostics.Pods = new(false)
	if got := agentSettings(p); got != nil {
		t.Errorf("agentSettings(...): nobody hears the agent, and it is told %v", got)
	}
}
