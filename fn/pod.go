package fn

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

const (
	containerName = "notebook"

	annotationRestarted = annotationPrefix + "restartedAt"

	// The user and group of the docker-stacks images, and of those that follow them.
	userID  = 1000
	groupID = 100

	// startupBudget in seconds is for images that prepare themselves.
	startupBudget = 600

	// stopGracePeriod in seconds: a server with many kernels took 27 to stop.
	stopGracePeriod = 60
)

// podTemplate is the server's pod, safe by the standards of Pod Security
// "restricted". It has no access to Kubernetes' API.
func podTemplate(nb notebook, p plan, claimName, token string) corev1.PodTemplateSpec {
	spec := p.spec
	volumes, mounts := podVolumes(spec, claimName)
	annotations := map[string]string{}
	for file, content := range jupyterConfig(token, workspacePath(spec)) {
		annotations[annotationPrefix+file] = content
	}
	if spec.RestartedAt != nil {
		annotations[annotationRestarted] = spec.RestartedAt.UTC().Format(time.RFC3339)
	}
	template := corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: labels(nb.name), Annotations: annotations},
		Spec: corev1.PodSpec{
			Containers:                    []corev1.Container{container(nb, spec, mounts)},
			Volumes:                       volumes,
			Hostname:                      serviceName(nb.name),
			ImagePullSecrets:              spec.ImagePullSecrets,
			NodeSelector:                  spec.NodeSelector,
			Tolerations:                   slices.Concat(spec.Tolerations, deviceTolerations(spec)),
			EnableServiceLinks:            new(false),
			AutomountServiceAccountToken:  new(false),
			TerminationGracePeriodSeconds: new(int64(stopGracePeriod)),
			SecurityContext: &corev1.PodSecurityContext{
				RunAsUser:           new(int64(userID)),
				RunAsGroup:          new(int64(groupID)),
				RunAsNonRoot:        new(true),
				FSGroup:             new(int64(groupID)),
				FSGroupChangePolicy: new(corev1.FSGroupChangeOnRootMismatch), // Always takes minutes on a large volume.
				SeccompProfile:      &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
			},
		},
	}
	if p.watched() {
		addAgent(&template.Spec, p, accessName(nb.name))
	}
	return template
}

// container of the server. It has no liveness probe, because a kernel must
// never be killed for being busy.
func container(nb notebook, spec *v1.NotebookSpec, mounts []corev1.VolumeMount) corev1.Container {
	return corev1.Container{
		Name:           containerName,
		Image:          spec.Image,
		Command:        spec.Command,
		Args:           spec.Args,
		WorkingDir:     workspacePath(spec), // Terminals start here, and not where files are lost.
		Ports:          []corev1.ContainerPort{{Name: portName, ContainerPort: port, Protocol: corev1.ProtocolTCP}},
		EnvFrom:        spec.EnvFrom,
		Env:            slices.Concat(spec.Env, jupyterCommandEnv(spec), jupyterEnv(accessName(nb.name))),
		Resources:      containerResources(spec),
		VolumeMounts:   mounts,
		StartupProbe:   probe(2, startupBudget/2),
		ReadinessProbe: probe(10, 3),
		// Its last words are on the claim.
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
		SecurityContext: &corev1.SecurityContext{
			AllowPrivilegeEscalation: new(false),
			Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		},
	}
}

// probe asks the server itself. The path needs no token, and with its argument
// the question does not count as activity.
func probe(periodSeconds, failures int32) *corev1.Probe {
	return &corev1.Probe{
		ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{
			Path: baseURL + "api?no_track_activity=1",
			Port: intstr.FromString(portName),
		}},
		PeriodSeconds:    periodSeconds,
		TimeoutSeconds:   5,
		FailureThreshold: failures,
	}
}

// containerResources are the claim's. Kubernetes wants a limit for a device, so
// a request alone is its limit too.
func containerResources(spec *v1.NotebookSpec) corev1.ResourceRequirements {
	limits := corev1.ResourceList(spec.Resources.Limits)
	for name, quantity := range spec.Resources.Requests {
		if _, limited := limits[name]; !limited && isExtended(name) {
			limits = limits.DeepCopy()
			if limits == nil {
				limits = corev1.ResourceList{}
			}
			limits[name] = quantity
		}
	}
	return corev1.ResourceRequirements{Requests: spec.Resources.Requests, Limits: limits}
}

// deviceTolerations let the pod run on nodes that are kept for the devices that
// it asks for. By convention such a node's taint has the resource's name as its
// key; slices of an NVIDIA GPU are on nodes with the taint of the whole.
func deviceTolerations(spec *v1.NotebookSpec) []corev1.Toleration {
	var keys []string
	for _, list := range []map[corev1.ResourceName]resource.Quantity{spec.Resources.Requests, spec.Resources.Limits} {
		for name, quantity := range list {
			if !isExtended(name) || quantity.IsZero() {
				continue
			}
			keys = append(keys, string(name))
			if strings.HasPrefix(string(name), "nvidia.com/") {
				keys = append(keys, "nvidia.com/gpu")
			}
		}
	}
	slices.Sort(keys)
	var tolerations []corev1.Toleration
	for _, key := range slices.Compact(keys) {
		tolerations = append(tolerations, corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule})
	}
	return tolerations
}
