package fn

import (
	"fmt"
	"slices"
	"strings"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"
)

// patienceWithVolumes is how long a pod may wait on its node before it is worth a
// question.
const patienceWithVolumes = time.Minute

// waitsForVolumes tells a pod that has had a node for a while, and nothing in it
// was started yet. Without its condition it may as well be pulling an image.
func (p pod) waitsForVolumes(now time.Time) bool {
	c := p.notebook()
	scheduled := p.condition(string(corev1.PodScheduled))
	return scheduled.text("status") == string(corev1.ConditionTrue) &&
		now.Sub(scheduled.time("lastTransitionTime")) > patienceWithVolumes &&
		p.condition(string(corev1.PodReadyToStartContainers)).text("status") == string(corev1.ConditionFalse) &&
		!c.running() && !c.ended().exists()
}

// attachments of all volumes: they have no labels to choose by.
func attachments() *fnv1.ResourceSelector {
	return &fnv1.ResourceSelector{
		ApiVersion: "storage.k8s.io/v1",
		Kind:       "VolumeAttachment",
		Match:      &fnv1.ResourceSelector_MatchLabels{MatchLabels: &fnv1.MatchLabels{}},
	}
}

// attachment of the workspace's volume to the node, and another node that has it,
// or nothing.
func (s situation) attachment(node string) (here object, elsewhere string) {
	volume := s.mounted().text("spec", "volumeName")
	for _, item := range s.fetched[requiredAttachments].GetItems() {
		a := object{item.GetResource()}
		other := a.text("spec", "nodeName")
		switch {
		case volume == "" || a.text("spec", "source", "persistentVolumeName") != volume:
		case other == node:
			here = a
		case attached(a) && (elsewhere == "" || other < elsewhere):
			elsewhere = other
		}
	}
	return here, elsewhere
}

func attached(a object) bool { return a.at("status", "attached").GetBoolValue() }

// volumeInUse: a volume can be attached to one node only.
func volumeInUse(s situation, p pod) (verdict, bool) {
	here, elsewhere := s.attachment(p.node())
	if !p.waitsForVolumes(s.now) || elsewhere == "" || attached(here) || s.shared() {
		return verdict{}, false
	}
	return creating("VolumeInUse", "the workspace's volume is still attached to node %s, where another pod has it or had it: stop what uses it there, or ask your platform team if that node is gone", s.quote(elsewhere, maxQuote))
}

// shared workspaces may be attached to many nodes.
func (s situation) shared() bool {
	return slices.ContainsFunc(s.mounted().at("spec", "accessModes").GetListValue().GetValues(), func(mode *structpb.Value) bool {
		return mode.GetStringValue() == string(corev1.ReadWriteMany)
	})
}

// volumeNotAttached: the storage does not get it done.
func volumeNotAttached(s situation, p pod) (verdict, bool) {
	here, _ := s.attachment(p.node())
	if !p.waitsForVolumes(s.now) || !here.exists() || attached(here) {
		return verdict{}, false
	}
	return creating("VolumeAttachPending", "the workspace's volume is not attached to node %s yet%s: if this lasts, ask your platform team", s.quote(p.node(), maxQuote), s.inBrackets(here.text("status", "attachError", "message"), maxQuote))
}

// podStarting: nobody but the pod's events says what it waits for.
func podStarting(s situation, p pod) (verdict, bool) {
	if !p.waitsForVolumes(s.now) {
		return verdict{}, false
	}
	advice := "if this lasts, kubectl describe pod -l notebook-name=" + labelValue(s.name) + " says why"
	if mounted := p.mounts(); len(mounted) > 0 {
		advice = "see whether " + s.quote(strings.Join(mounted, ", "), maxQuote) + " of mounts exist; " + advice
	}
	return creating("PodStarting", "the server's pod waits on node %s for its volumes or its network: %s", s.quote(p.node(), maxQuote), advice)
}

// mounts of the claim, as its pod has them.
func (p pod) mounts() []string {
	var mounts []string
	for _, v := range p.list("spec", "volumes") {
		if !strings.HasPrefix(v.text("name"), mountVolume) {
			continue
		}
		for _, kind := range []struct{ field, key, name string }{
			{"secret", "secretName", "Secret"}, {"configMap", "name", "ConfigMap"}, {"persistentVolumeClaim", "claimName", "PersistentVolumeClaim"},
		} {
			if name := v.text(kind.field, kind.key); name != "" {
				mounts = append(mounts, fmt.Sprintf("%s %s", kind.name, name))
			}
		}
	}
	slices.Sort(mounts)
	return slices.Compact(mounts)
}
