package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/distribution/reference"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
	"github.com/function-jupyter/function-jupyter/input/v1beta1"
)

// A Resolution is what a claim means on a platform.
type Resolution struct {
	// Spec with all that the platform knows better: the image of an environment, the
	// resource, nodes and taints of a GPU type, and the defaults.
	Spec *v1.NotebookSpec

	// Denied says, in sentences, what the platform does not allow.
	Denied []string

	// Warnings are what a user should know, and may ignore.
	Warnings []string
}

func (r *Resolution) deny(format string, args ...any) {
	r.Denied = append(r.Denied, fmt.Sprintf(format, args...))
}

// Resolve a spec by the rules of its namespace. HasWorkspace tells that the notebook
// has one, whose size and class are no longer a matter of defaults.
func Resolve(asked *v1.NotebookSpec, rules *v1beta1.Rules, hasWorkspace bool) Resolution {
	r := Resolution{Spec: asked.DeepCopy()}
	r.environment(rules)
	r.gpu(rules)
	r.nodes(rules)
	r.resources(rules)
	r.storage(rules, hasWorkspace)
	r.idle(rules)
	return r
}

// environment finds the image.
func (r *Resolution) environment(rules *v1beta1.Rules) {
	spec := r.Spec
	if spec.Image == "" && spec.Environment == "" {
		spec.Environment = rules.DefaultEnvironment
	}
	if spec.Environment == "" {
		r.image(rules)
		return
	}
	i := slices.IndexFunc(rules.Environments, func(e v1beta1.Environment) bool { return e.Name == spec.Environment })
	if i < 0 {
		r.deny("environment %s is unknown; available: %s", shown(spec.Environment), list(environments(rules)))
		return
	}
	e := rules.Environments[i]
	spec.Image = e.Image
	if e.Deprecated {
		warning := fmt.Sprintf("environment %s is deprecated", e.Name)
		if e.Replacement != "" {
			warning += ": use " + e.Replacement
		}
		r.Warnings = append(r.Warnings, warning)
	}
}

// environments that are not deprecated, by name.
func environments(rules *v1beta1.Rules) []string {
	var names []string
	for _, e := range rules.Environments {
		if !e.Deprecated {
			names = append(names, e.Name)
		}
	}
	return names
}

// image that a claim names itself.
func (r *Resolution) image(rules *v1beta1.Rules) {
	image := r.Spec.Image
	if image == "" || rules.Images.Allow == nil {
		return
	}
	for _, e := range rules.Environments {
		if e.Image == image {
			return
		}
	}
	if matches(patterns(*rules.Images.Allow), image) || matches(patterns(*rules.Images.Allow), canonical(image)) {
		return
	}
	allowed := slices.Clone(*rules.Images.Allow)
	for _, name := range environments(rules) {
		allowed = append(allowed, "environment "+name)
	}
	r.deny("image %s is not allowed here; allowed: %s", shown(image), list(allowed))
}

// canonical is the whole name of an image, with the registry that is not written.
func canonical(image string) string {
	named, err := reference.ParseNormalizedNamed(image)
	if err != nil {
		return image
	}
	return named.String()
}

// gpu turns a type of GPU into what Kubernetes calls it.
func (r *Resolution) gpu(rules *v1beta1.Rules) {
	gpu := r.Spec.GPU
	if gpu == nil {
		return
	}
	i := slices.IndexFunc(rules.GPUTypes, func(g v1beta1.GPUType) bool { return g.Name == gpu.Type })
	if i < 0 {
		names := make([]string, 0, len(rules.GPUTypes))
		for _, g := range rules.GPUTypes {
			names = append(names, g.Name)
		}
		r.deny("gpu type %s is unknown; available: %s", shown(gpu.Type), list(names))
		return
	}
	g, count := rules.GPUTypes[i], int64(1)
	if gpu.Count != nil {
		count = *gpu.Count
	}
	if g.CountMax > 0 && count > g.CountMax {
		r.deny("gpu count %d is above this platform's maximum of %d of type %s", count, g.CountMax, g.Name)
	}
	quantity := resource.NewQuantity(count, resource.DecimalSI)
	for _, written := range []map[corev1.ResourceName]resource.Quantity{r.Spec.Resources.Requests, r.Spec.Resources.Limits} {
		if q, exists := written[g.ResourceName]; exists && q.Cmp(*quantity) != 0 {
			r.deny("gpu asks for %d %s, and resources for %s of them: write one of the two", count, g.ResourceName, &q)
			return
		}
	}
	if r.Spec.Resources.Limits == nil {
		r.Spec.Resources.Limits = map[corev1.ResourceName]resource.Quantity{}
	}
	r.Spec.Resources.Limits[g.ResourceName] = *quantity
	r.Spec.NodeSelector = r.selectNodes(g)
	r.Spec.Tolerations = append(r.Spec.Tolerations, g.Tolerations...)
}

// nodes of the platform's notebooks are not for the claim to choose otherwise.
func (r *Resolution) nodes(rules *v1beta1.Rules) {
	for _, key := range slices.Sorted(maps.Keys(rules.Pod.NodeSelector)) {
		if have, exists := r.Spec.NodeSelector[key]; exists && have != rules.Pod.NodeSelector[key] {
			r.deny("nodeSelector %s is %s, and this platform's notebooks run on nodes with %s: leave it out", shown(key), shown(have), rules.Pod.NodeSelector[key])
		}
	}
}

// selectNodes that have a GPU of a type, and what the claim asks for.
func (r *Resolution) selectNodes(g v1beta1.GPUType) map[string]string {
	selector := maps.Clone(r.Spec.NodeSelector)
	for _, key := range slices.Sorted(maps.Keys(g.NodeSelector)) {
		if have, exists := selector[key]; exists && have != g.NodeSelector[key] {
			r.deny("nodeSelector %s is %s, and nodes with gpu type %s have %s: leave it out", shown(key), shown(have), g.Name, g.NodeSelector[key])
		}
		if selector == nil {
			selector = map[string]string{}
		}
		selector[key] = g.NodeSelector[key]
	}
	return selector
}

// shown is what a user wrote, short enough for a sentence.
func shown(text string) string {
	const most = 200
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// list names, if there are not too many.
func list(names []string) string {
	const most = 20
	switch {
	case len(names) == 0:
		return "none"
	case len(names) > most:
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	default:
		return strings.Join(names, ", ")
	}
}
