package fn

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

// podOf is the pod that a spec is composed to.
func podOf(t *testing.T, spec string) corev1.PodTemplateSpec {
	t.Helper()
	return podTemplate(notebook{name: "alpha", namespace: "team-a"}, plan{spec: specOf(t, spec)}, "", testToken)
}

// TestPodTemplate checks what every pod has, whatever its claim says.
func TestPodTemplate(t *testing.T) {
	pod := podOf(t, `image: jupyter/a`)
	want := typedOf[corev1.PodSpec](t, `
hostname: alpha
enableServiceLinks: false
automountServiceAccountToken: false
terminationGracePeriodSeconds: 60
securityContext:
  runAsUser: 1000
  runAsGroup: 100
  runAsNonRoot: true
  fsGroup: 100
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: {type: RuntimeDefault}
`)
	got := *pod.Spec.DeepCopy()
	got.Containers, got.Volumes = nil, nil // Tested below, and in volumes_test.go.
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("podTemplate(...): -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff(labels("alpha"), pod.Labels); diff != "" {
		t.Errorf("podTemplate(...): labels: -want, +got:\n%s", diff)
	}
	annotations := []string{"mlops.function-jupyter.dev/jupyter_notebook_config.json", "mlops.function-jupyter.dev/jupyter_server_config.json"}
	if diff := cmp.Diff(annotations, slices.Sorted(maps.Keys(pod.Annotations))); diff != "" {
		t.Errorf("podTemplate(...): annotations: -want, +got:\n%s", diff)
	}
}

// TestContainer checks what every container has, and above all that nothing
// kills it for being busy.
func TestContainer(t *testing.T) {
	want := typedOf[corev1.Container](t, `
name: notebook
image: jupyter/a
ports: [{name: http, containerPort: 8888, protocol: TCP}]
workingDir: /home/jovyan/work
terminationMessagePolicy: FallbackToLogsOnError
startupProbe:
  httpGet: {path: "/api?no_track_activity=1", port: http}
  periodSeconds: 2
  timeoutSeconds: 5
  failureThreshold: 300
readinessProbe:
  httpGet: {path: "/api?no_track_activity=1", port: http}
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 3
securityContext:
  allowPrivilegeEscalation: false
  capabilities: {drop: [ALL]}
`)
	containers := podOf(t, `image: jupyter/a`).Spec.Containers
	if len(containers) != 1 {
		t.Fatalf("podTemplate(...): want 1 container, got %d", len(containers))
	}
	got := containers[0]
	got.Env, got.VolumeMounts = nil, nil // Tested below, and in volumes_test.go.
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("container(...): -want, +got:\n%s", diff)
	}
}

// TestContainerEnv: of two variables of one name the last one counts, and env
// counts more than envFrom.
func TestContainerEnv(t *testing.T) {
	c := podOf(t, `
image: jupyter/a
env: [{name: HF_HOME, value: /data}, {name: OWN, valueFrom: {secretKeyRef: {name: s, key: k}}}]
envFrom: [{secretRef: {name: keys}}, {prefix: X_, configMapRef: {name: settings}}]
`).Spec.Containers[0]
	env := typedOf[[]corev1.EnvVar](t, `[{name: HF_HOME, value: /data}, {name: OWN, valueFrom: {secretKeyRef: {name: s, key: k}}}]`)
	if diff := cmp.Diff(slices.Concat(env, []corev1.EnvVar{{Name: envJupyterCommand, Value: "lab"}}, jupyterEnv("alpha-access")), c.Env); diff != "" {
		t.Errorf("container(...): the notebook's own variables must come last: -want, +got:\n%s", diff)
	}
	envFrom := typedOf[[]corev1.EnvFromSource](t, `[{secretRef: {name: keys}}, {prefix: X_, configMapRef: {name: settings}}]`)
	if diff := cmp.Diff(envFrom, c.EnvFrom); diff != "" {
		t.Errorf("container(...): envFrom: -want, +got:\n%s", diff)
	}
}

// TestPodExtras checks what a claim may add, and that it takes nothing away.
func TestPodExtras(t *testing.T) {
	pod := podOf(t, `
image: jupyter/a
command: [start.sh]
args: [jupyter, lab]
imagePullSecrets: [{name: registry}]
nodeSelector: {zone: a}
tolerations: [{key: team, operator: Equal, value: a, effect: NoSchedule}]
resources: {limits: {nvidia.com/gpu: "1"}}
restartedAt: "2026-11-30T13:00:00+01:00"
`)
	want := typedOf[corev1.PodSpec](t, `
containers: [{command: [start.sh], args: [jupyter, lab]}]
imagePullSecrets: [{name: registry}]
nodeSelector: {zone: a}
tolerations:
- {key: team, operator: Equal, value: a, effect: NoSchedule}
- {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}
`)
	got := corev1.PodSpec{
		Containers:       []corev1.Container{{Command: pod.Spec.Containers[0].Command, Args: pod.Spec.Containers[0].Args}},
		ImagePullSecrets: pod.Spec.ImagePullSecrets,
		NodeSelector:     pod.Spec.NodeSelector,
		Tolerations:      pod.Spec.Tolerations,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("podTemplate(...): -want, +got:\n%s", diff)
	}
	if got := pod.Annotations["mlops.function-jupyter.dev/restartedAt"]; got != "2026-11-30T12:00:00Z" {
		t.Errorf("podTemplate(...): restartedAt: the same instant must be the same pod, got %s", got)
	}
}

// TestHostname: Kubernetes derives one from the pod's name otherwise, and refuses
// what is too long.
func TestHostname(t *testing.T) {
	pod := podTemplate(notebook{name: "2nd.try"}, plan{spec: specOf(t, `image: jupyter/a`)}, "", testToken)
	if want := serviceName("2nd.try"); pod.Spec.Hostname != want {
		t.Errorf("podTemplate(...): hostname: want %s, got %s", want, pod.Spec.Hostname)
	}
}

func TestContainerResources(t *testing.T) {
	cases := map[string]struct {
		reason string
		spec   string
		want   string
	}{
		"None": {reason: "The namespace's LimitRange decides.", spec: `image: jupyter/a`, want: `{}`},
		"AsAsked": {
			reason: "Requests and limits are the user's.",
			spec:   `{image: jupyter/a, resources: {requests: {cpu: "1", memory: 2Gi}, limits: {cpu: "2", memory: 4Gi}}}`,
			want:   `{requests: {cpu: "1", memory: 2Gi}, limits: {cpu: "2", memory: 4Gi}}`,
		},
		"DeviceRequested": {
			reason: "Kubernetes refuses a device without a limit.",
			spec:   `{image: jupyter/a, resources: {requests: {amd.com/gpu: "2", cpu: "1"}}}`,
			want:   `{requests: {amd.com/gpu: "2", cpu: "1"}, limits: {amd.com/gpu: "2"}}`,
		},
		"DeviceRequestedNextToLimits": {
			reason: "The other limits stay, and cpu gets none.",
			spec:   `{image: jupyter/a, resources: {requests: {amd.com/gpu: "2", cpu: "1"}, limits: {memory: 4Gi}}}`,
			want:   `{requests: {amd.com/gpu: "2", cpu: "1"}, limits: {memory: 4Gi, amd.com/gpu: "2"}}`,
		},
		"DeviceLimited": {
			reason: "Kubernetes requests what is limited.",
			spec:   `{image: jupyter/a, resources: {limits: {nvidia.com/gpu: "1"}}}`,
			want:   `{limits: {nvidia.com/gpu: "1"}}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := specOf(t, tc.spec)
			before := spec.DeepCopy()
			if diff := cmp.Diff(typedOf[corev1.ResourceRequirements](t, tc.want), containerResources(spec)); diff != "" {
				t.Errorf("\n%s\ncontainerResources(...): -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(before, spec); diff != "" {
				t.Errorf("\n%s\ncontainerResources(...) changed the spec: -before, +after:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestDeviceTolerations(t *testing.T) {
	cases := map[string]struct {
		reason    string
		resources string
		want      []string
	}{
		"None":     {reason: "Cores and memory have no taints.", resources: `{limits: {cpu: "2", memory: 4Gi, hugepages-2Mi: 4Mi}}`},
		"NVIDIA":   {reason: "The taint has the resource's name.", resources: `{limits: {nvidia.com/gpu: "1"}}`, want: []string{"nvidia.com/gpu"}},
		"AMD":      {reason: "Any vendor's device has its own taint.", resources: `{limits: {amd.com/gpu: "1"}}`, want: []string{"amd.com/gpu"}},
		"Zero":     {reason: "A notebook without a GPU must not sit on its node.", resources: `{limits: {nvidia.com/gpu: "0"}}`},
		"Twice":    {reason: "One toleration is enough.", resources: `{requests: {nvidia.com/gpu: "1"}, limits: {nvidia.com/gpu: "1"}}`, want: []string{"nvidia.com/gpu"}},
		"Request":  {reason: "A request is a limit, too.", resources: `{requests: {amd.com/gpu: "1"}}`, want: []string{"amd.com/gpu"}},
		"MIG":      {reason: "A slice of a GPU is on a node with the taint of whole ones.", resources: `{limits: {nvidia.com/mig-1g.5gb: "1"}}`, want: []string{"nvidia.com/gpu", "nvidia.com/mig-1g.5gb"}},
		"MIGZero":  {reason: "No slice, no toleration.", resources: `{limits: {nvidia.com/mig-1g.5gb: "0"}}`},
		"Many":     {reason: "The order is always the same.", resources: `{limits: {xilinx.com/fpga: "1", amd.com/gpu: "1", nvidia.com/gpu: "1"}}`, want: []string{"amd.com/gpu", "nvidia.com/gpu", "xilinx.com/fpga"}},
		"NotIn":    {reason: "A resource of Kubernetes' own domain is no device.", resources: `{limits: {kubernetes.io/batteries: "1"}}`},
		"Adjacent": {reason: "Only NVIDIA's own devices are on its nodes.", resources: `{limits: {mynvidia.com/gpu: "1"}}`, want: []string{"mynvidia.com/gpu"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var want []corev1.Toleration
			for _, key := range tc.want {
				want = append(want, corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule})
			}
			got := deviceTolerations(specOf(t, "image: jupyter/a\nresources: "+tc.resources))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("\n%s\ndeviceTolerations(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
