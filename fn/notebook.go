package fn

import (
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

const (
	// oldReplicaSets are kept for a look at what ran before, not for a rollback.
	oldReplicaSets = 2

	// progressDeadline in seconds leaves room for pulling an image of many GB.
	progressDeadline = 1800
)

// server is the Deployment that runs the notebook. A volume can be attached to
// one node only, so the old pod goes before the new one comes.
func server(meta metav1.ObjectMeta, nb notebook, p plan, claimName, token string) *appsv1.Deployment {
	template := podTemplate(nb, p, claimName, token)
	meta.Annotations = map[string]string{annotationAccepted: p.accepted, annotationPod: podHash(template)}
	p.run.annotate(meta.Annotations, p.spec)
	return &appsv1.Deployment{
		ObjectMeta: meta,
		Spec: appsv1.DeploymentSpec{
			Replicas:                new(replicas(p)),
			Selector:                &metav1.LabelSelector{MatchLabels: selector(nb.name)},
			Strategy:                appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType},
			RevisionHistoryLimit:    new(int32(oldReplicaSets)),
			ProgressDeadlineSeconds: new(int32(progressDeadline)),
			Template:                template,
		},
	}
}

func replicas(p plan) int32 {
	if p.stopped() {
		return 0
	}
	return 1
}

// serverReady tells whether the Deployment's current generation has a ready
// replica. A replica of an older generation says nothing of the spec that the
// Deployment has now.
func serverReady(d object) bool {
	return generationObserved(d) &&
		d.number("status", "updatedReplicas") >= 1 &&
		d.number("status", "readyReplicas") >= 1 &&
		d.number("status", "replicas") == d.number("status", "updatedReplicas")
}

// serverGone tells whether the Deployment was scaled to zero and nothing of it
// is left.
func serverGone(d object) bool {
	return generationObserved(d) && d.number("spec", "replicas") == 0 && d.number("status", "replicas") == 0 && !oldPods(d)
}

// oldPods tells whether pods of the server before a change are left. Kubernetes
// does not count those that are shutting down among the replicas.
func oldPods(d object) bool {
	return d.number("status", "terminatingReplicas") > 0 || d.number("status", "replicas") > d.number("status", "updatedReplicas")
}

func generationObserved(d object) bool {
	return d.exists() && d.number("status", "observedGeneration") >= d.number("metadata", "generation")
}

// serverImage is the image that the Deployment runs.
func serverImage(d object) string {
	for _, c := range d.list("spec", "template", "spec", "containers") {
		if c.text("name") == containerName {
			return c.text("image")
		}
	}
	return ""
}

// mountedClaim is the PersistentVolumeClaim that the Deployment mounts as the
// workspace, or empty.
func mountedClaim(d object) string {
	for _, v := range d.list("spec", "template", "spec", "volumes") {
		if v.text("name") == workspaceVolume {
			return v.text("persistentVolumeClaim", "claimName")
		}
	}
	return ""
}

// changesPod tells whether a plan changes the pod that the Deployment has, because
// its user asked for something else. It restarts the server.
func changesPod(d object, p plan) bool {
	if d.annotation(annotationAccepted) == p.accepted {
		return false
	}
	was, _ := acceptedSpec(d)
	if was == nil || !samePod(was, p.spec) {
		return true
	}
	// The first timeout needs an agent in the pod. Later ones reach it there.
	return p.watched() && idleTimeout(was) == 0 && !hasAgent(d)
}

// samePod tells whether two specs make the same pod of the same volume.
func samePod(a, b *v1.NotebookSpec) bool {
	return equality.Semantic.DeepEqual(podPart(*a), podPart(*b))
}

// podPart of a spec is what the pod is made of, except for the volume: which one
// it mounts depends on the workspace that exists, too.
func podPart(spec v1.NotebookSpec) v1.NotebookSpec {
	spec.VolumeSize, spec.Volume = nil, v1.Volume{MountPath: workspacePath(&spec)}
	spec.ServiceType, spec.Stopped = "", false
	spec.IdleTimeoutSeconds, spec.MaxLifetimeSeconds = nil, nil
	return spec
}

// knowsToken tells whether the server was started with the token. One that was
// replaced restarts it.
func knowsToken(d object, token string) bool {
	config := d.text("spec", "template", "metadata", "annotations", annotationPrefix+serverConfig)
	return config == "" || strings.Contains(config, hashedPassword(token))
}
