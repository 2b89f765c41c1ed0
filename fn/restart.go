package fn

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"

	"github.com/function-jupyter/function-jupyter/agent"
)

// annotationPod of the Deployment is a hash of the pod template that was composed.
// What Kubernetes shows of a template has its defaults in it, and what somebody
// edited by hand; only the hash tells whether the function itself would make
// another pod now.
const annotationPod = annotationPrefix + "pod"

// podHash of a template.
func podHash(template corev1.PodTemplateSpec) string {
	b, err := json.Marshal(template)
	if err != nil { // Impossible: it was decoded from JSON.
		return ""
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// restarts tells whether the user has the server restarted, by an edit or by a new
// token.
func (c *composition) restarts(d object, p plan) bool {
	return changesPod(d, p) || mountedClaim(d) != c.workspace.claimName || !knowsToken(d, c.token)
}

// holdBack keeps the pod of a server that runs when nobody but the system would
// change it, such as a new version of the function or a changed policy: that must
// not end anybody's work. It returns what the next restart changes.
func (c *composition) holdBack(wanted, observed object, p plan, w world) []string {
	runs := observed.number("spec", "replicas") > 0 && wanted.number("spec", "replicas") > 0
	if !runs || neverRan(p, w) || observed.annotation(annotationPod) == wanted.annotation(annotationPod) || c.restarts(observed, p) {
		return nil
	}
	spec, have := wanted.at("spec").GetStructValue(), observed.at("spec", "template")
	changes := differences("", object{spec}.at("template"), have)
	if hasAgent(observed) && !hasAgent(wanted) {
		changes = append(changes, "initContainers["+agent.ContainerName+"]")
	}
	spec.GetFields()["template"] = have
	annotations := wanted.at("metadata", "annotations").GetStructValue().GetFields()
	delete(annotations, annotationPod)
	if hash := observed.annotation(annotationPod); hash != "" {
		annotations[annotationPod] = structpb.NewStringValue(hash)
	}
	if len(changes) == 0 {
		changes = []string{"fields that are not set any more"}
	}
	return changes
}

// neverRan tells a server none of whose pods came to run it, for example because the
// platform's agent cannot be pulled: there is nothing to lose.
func neverRan(p plan, w world) bool {
	if !p.looksAtPods() || !w.pod().exists() {
		return false
	}
	for _, item := range w.fetched[requiredPods].GetItems() {
		p := pod{object{item.GetResource()}}
		c := p.notebook()
		if p.text("status", "phase") != string(corev1.PodPending) || c.running() || c.ended().exists() {
			return false
		}
	}
	return true
}

// differences between a wanted value and the one that exists, as paths. What only
// exists may be a default, so it is no difference.
func differences(path string, want, have *structpb.Value) []string {
	var paths []string
	switch want := want.GetKind().(type) {
	case *structpb.Value_StructValue:
		for _, field := range slices.Sorted(maps.Keys(want.StructValue.GetFields())) {
			paths = append(paths, differences(path+"."+field, want.StructValue.GetFields()[field], object{have.GetStructValue()}.at(field))...)
		}
		return paths
	case *structpb.Value_ListValue:
		if keyedByName(want.ListValue) && keyedByName(have.GetListValue()) {
			return differentElements(path, want.ListValue, have.GetListValue())
		}
	}
	if proto.Equal(want, have) {
		return nil
	}
	return []string{strings.TrimPrefix(strings.TrimPrefix(path, ".spec"), ".")}
}

// differentElements of lists whose elements have names.
func differentElements(path string, want, have *structpb.ListValue) []string {
	elements := func(list *structpb.ListValue) map[string]*structpb.Value {
		m := make(map[string]*structpb.Value, len(list.GetValues()))
		for _, v := range list.GetValues() {
			m[object{v.GetStructValue()}.text("name")] = v
		}
		return m
	}
	wanted, existing := elements(want), elements(have)
	names := maps.Clone(wanted)
	maps.Copy(names, existing)
	var paths []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		element := fmt.Sprintf("%s[%s]", path, name)
		if w, h := wanted[name], existing[name]; w != nil && h != nil {
			paths = append(paths, differences(element, w, h)...)
		} else {
			paths = append(paths, strings.TrimPrefix(strings.TrimPrefix(element, ".spec"), "."))
		}
	}
	return paths
}

// keyedByName tells whether all elements of a list have names.
func keyedByName(list *structpb.ListValue) bool {
	for _, v := range list.GetValues() {
		if (object{v.GetStructValue()}).text("name") == "" {
			return false
		}
	}
	return len(list.GetValues()) > 0
}

// maxChanges that are named.
const maxChanges = 5

// pendingRestart says what the next restart changes.
func pendingRestart(changes []string) string {
	told := strings.Join(changes[:min(len(changes), maxChanges)], ", ")
	if more := len(changes) - maxChanges; more > 0 {
		told += fmt.Sprintf(" and %d more", more)
	}
	return "the server's pod would be made in another way now (" + told + "), which waits for the server's next restart: set restartedAt to a new time when it suits you"
}
