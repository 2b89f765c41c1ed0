package fn

import (
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/function-jupyter/function-jupyter/input/v1beta1"
)

const (
	annotationRestarted = annotationPrefix + "restartedAt"

	// labelQueue is where Kueue looks for the queue of a Deployment or a pod.
	labelQueue = "kueue.x-k8s.io/queue-name"

	// The user and group of the docker-stacks images, and of those that follow them.
	userID  = 1000
	groupID = 100

	// baseline is the level of Pod Security that lets an image choose its user.
	baseline = "baseline"
)

// over returns both maps in one. Where they differ the second one holds.
func over(base, other map[string]string) map[string]string {
	if len(base) == 0 {
		return other
	}
	merged := maps.Clone(base)
	maps.Copy(merged, other)
	return merged
}

// queued adds the platform's Kueue queue to labels.
func queued(labels map[string]string, rules v1beta1.Pod) map[string]string {
	if rules.QueueName == "" {
		return labels
	}
	return over(map[string]string{labelQueue: rules.QueueName}, labels)
}

// podLabels are the platform's and, before those, ours, by which the pod is found.
func podLabels(nb notebook, rules v1beta1.Pod) map[string]string {
	return over(rules.Labels, queued(labels(nb.name), rules))
}

// podAnnotations are the platform's and, before those, ours, which configure Jupyter.
func podAnnotations(p plan, token string) map[string]string {
	annotations := map[string]string{}
	maps.Copy(annotations, p.rules().Pod.Annotations)
	for file, content := range jupyterConfig(p.spec, token) {
		annotations[annotationPrefix+file] = content
	}
	if p.spec.RestartedAt != nil {
		annotations[annotationRestarted] = p.spec.RestartedAt.UTC().Format(time.RFC3339)
	}
	return annotations
}

// pullSecrets of the claim and the platform, each once.
func pullSecrets(claim, platform []corev1.LocalObjectReference) []corev1.LocalObjectReference {
	secrets := slices.Clone(claim)
	for _, secret := range platform {
		if !slices.Contains(secrets, secret) {
			secrets = append(secrets, secret)
		}
	}
	return secrets
}

// podSecurity fulfils Pod Security "restricted", or "baseline" where the platform has
// images that need a user of their own.
func podSecurity(rules v1beta1.Pod) *corev1.PodSecurityContext {
	security := &corev1.PodSecurityContext{
		FSGroup:             new(int64(groupID)),
		FSGroupChangePolicy: new(corev1.FSGroupChangeOnRootMismatch), // Always takes minutes on a large volume.
		SeccompProfile:      &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}
	if rules.SecurityLevel != baseline {
		security.RunAsUser, security.RunAsGroup, security.RunAsNonRoot = new(int64(userID)), new(int64(groupID)), new(true)
	}
	return security
}

func containerSecurity(rules v1beta1.Pod) *corev1.SecurityContext {
	if rules.SecurityLevel == baseline { // Its start script may change its user.
		return nil
	}
	return &corev1.SecurityContext{
		AllowPrivilegeEscalation: new(false),
		Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
	}
}
