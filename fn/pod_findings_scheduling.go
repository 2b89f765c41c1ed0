package fn

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// A clause is one thing that the scheduler has against some nodes, and what to do
// about it.
type clause struct{ what, advice string }

// unschedulable: no node takes the pod.
func unschedulable(s situation, p pod) (verdict, bool) {
	c := p.condition(string(corev1.PodScheduled))
	if c.text("status") != string(corev1.ConditionFalse) || c.text("reason") != corev1.PodReasonUnschedulable {
		return verdict{}, false
	}
	clauses := map[string]clause{}
	for _, text := range schedulerClauses(c.text("message")) {
		if !s.waitsForWorkspace(text) {
			found := s.explain(text, p)
			clauses[found.what] = found
		}
	}
	if len(clauses) > 1 { // No notebook is for such a node.
		delete(clauses, controlPlane.what)
	}
	if len(clauses) == 0 {
		return verdict{}, false
	}
	return creating("Unschedulable", "%s", sayAll(clauses))
}

// sayAll clauses, always in the same order.
func sayAll(clauses map[string]clause) string {
	whats := slices.Sorted(maps.Keys(clauses))
	if len(whats) == 1 {
		return whats[0] + ": " + clauses[whats[0]].advice
	}
	var advice []string
	for _, what := range whats {
		if a := clauses[what].advice; !slices.Contains(advice, a) {
			advice = append(advice, a)
		}
	}
	return "no node suits the server, because " + strings.Join(whats, ", and ") + ": " + strings.Join(advice, "; or ")
}

var (
	preemption = regexp.MustCompile(`\. (no new claims to deallocate|preemption|not found|[0-9]+ [a-z ]*preempt).*$`)
	nodeCount  = regexp.MustCompile(`^[0-9]+ `)
)

// schedulerClauses of a message such as "0/3 nodes are available: 1 Insufficient
// cpu, 2 node(s) were unschedulable. preemption: …", without the counts, which
// change with every node that comes or goes.
func schedulerClauses(message string) []string {
	if _, after, found := strings.Cut(message, "nodes are available: "); found {
		message = after
	}
	message = strings.TrimRight(preemption.ReplaceAllString(message, ""), ". ")
	var clauses []string
	for text := range strings.SplitSeq(message, ", ") {
		if text = nodeCount.ReplaceAllString(text, ""); text != "" {
			clauses = append(clauses, text)
		}
	}
	return clauses
}

var (
	claimNotFound = regexp.MustCompile(`^persistentvolumeclaim "([^"]*)" not found`)
	insufficient  = regexp.MustCompile(`^Insufficient (\S+)$`)
	taint         = regexp.MustCompile(`^node\(s\) had (?:untolerated )?taint \{([^}]*)\}`)
)

const unboundClaims = "pod has unbound immediate PersistentVolumeClaims"

// waitsForWorkspace tells a clause that only says that the workspace has no volume
// yet.
func (s situation) waitsForWorkspace(text string) bool {
	if m := claimNotFound.FindStringSubmatch(text); m != nil {
		return m[1] == s.workspaceName()
	}
	return text == unboundClaims && s.mounted().exists() && s.mounted().text("status", "phase") != string(corev1.ClaimBound)
}

var controlPlane = clause{"the others are for the control plane", "ask your platform team for a node"}

// fixedClauses are what the scheduler says in always the same words.
var fixedClauses = map[string]clause{
	"node(s) had untolerated taint(s)":                         {"the taints of some nodes keep it out", "write tolerations for them"},
	"node(s) didn't match PersistentVolume's node affinity":    farVolume,
	"node(s) had volume node affinity conflict":                farVolume,
	"node(s) had no available volume zone":                     farVolume,
	"node(s) exceed max volume count":                          {"some nodes have as many volumes as they can have", "stop another notebook"},
	"node(s) didn't find available persistent volumes to bind": {"no volume is there that could be bound", "ask your platform team for one"},
	"node(s) were unschedulable":                               {"some nodes take no new pods for now", "wait until they do"},
	"Too many pods":                                            {"some nodes are full of pods", "stop another notebook"},
	unboundClaims:                                              {"a PersistentVolumeClaim of mounts has no volume", "see with kubectl describe pvc what it waits for"},
}

var farVolume = clause{"the volume is where no such node is", "ask your platform team for a node in its zone"}

// explain a clause. One that is not known is repeated.
func (s situation) explain(text string, p pod) clause {
	if known, ok := fixedClauses[text]; ok {
		return known
	}
	if m := insufficient.FindStringSubmatch(text); m != nil {
		return clause{
			fmt.Sprintf("no node has %s free", s.quote(strings.TrimSpace(p.resource("requests", m[1])+" "+m[1]), maxQuote)),
			"ask for less in resources, stop another notebook, or ask your platform team for such a node",
		}
	}
	if m := taint.FindStringSubmatch(text); m != nil {
		return tainted(s.quote(m[1], maxQuote))
	}
	if m := claimNotFound.FindStringSubmatch(text); m != nil {
		return clause{fmt.Sprintf("PersistentVolumeClaim %s of mounts does not exist", s.quote(m[1], maxQuote)), "create it, or remove it from mounts"}
	}
	if strings.HasPrefix(text, "node(s) didn't match Pod's node affinity") || strings.HasPrefix(text, "node(s) didn't match node selector") {
		return clause{fmt.Sprintf("no node has the labels of nodeSelector%s", s.inBrackets(selectorText(p), maxQuote)), "correct nodeSelector"}
	}
	return clause{"the scheduler says: " + s.quote(text, maxQuote), "ask your platform team"}
}

// tainted explains a taint in the scheduler's form, "key: value".
func tainted(text string) clause {
	key, value, _ := strings.Cut(text, ":")
	if value = strings.TrimSpace(value); value != "" {
		value = "=" + value
	}
	switch {
	case key == "node-role.kubernetes.io/control-plane", key == "node-role.kubernetes.io/master":
		return controlPlane
	case strings.HasPrefix(key, "node.kubernetes.io/"):
		return clause{"some nodes are " + strings.TrimPrefix(key, "node.kubernetes.io/"), "wait until they work again"}
	default:
		return clause{fmt.Sprintf("some nodes have the taint %s%s", key, value), "write a toleration for it"}
	}
}

func selectorText(p pod) string {
	var pairs []string
	selector := object{p.at("spec", "nodeSelector").GetStructValue()}
	for _, key := range slices.Sorted(maps.Keys(selector.GetFields())) {
		pairs = append(pairs, key+"="+selector.text(key))
	}
	return strings.Join(pairs, ", ")
}
