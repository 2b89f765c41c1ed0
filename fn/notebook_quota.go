package fn

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
	"github.com/function-jupyter/function-jupyter/input/v1beta1"
)

// Keys of what a NotebookQuota composes.
const (
	keyQuota  = "quota"
	keyLimits = "limits"
)

// annotationGPUs of the ResourceQuota holds the resource of each type of GPU, which
// the platform's policy may not know any more.
const annotationGPUs = annotationPrefix + "gpu-resources"

// quotaIdentities are all that a NotebookQuota may compose.
func quotaIdentities(name string) []identity {
	return []identity{
		{keyQuota, "v1", "ResourceQuota", cut(name, "", maxNameLength)},
		{keyLimits, "v1", "LimitRange", cut(name, "", maxNameLength)},
	}
}

// A quotaPlan is what a NotebookQuota is to bound, and why not.
type quotaPlan struct {
	// spec to compose: the claim's, or the last one that was accepted, or nil.
	spec *v1.QuotaSpec

	// gpus are the resources of the types of GPU in the spec.
	gpus gpuResources

	// rules of the platform.
	rules *v1beta1.Rules

	// keep what exists as it is.
	keep bool

	// refusals of what the claim asks for now.
	refusals []refusal

	// required objects to ask Crossplane for.
	required map[string]*fnv1.ResourceSelector
}

// answerQuota is the whole way from what a NotebookQuota says to what should exist
// and what to say.
func (f *Function) answerQuota(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) error {
	q, err := readComposite(req, quotaKinds, f.now())
	if err != nil {
		return err
	}
	w := lookFor(req, q, quotaIdentities(q.name))
	p := decideQuota(q, w, readPlatform(&f.policies, req.GetInput(), q, w))
	objects, err := composeQuota(q, p, w)
	if err != nil {
		return err
	}
	if err := reportQuota(rsp, quotaSituation{q, p, w, objects}); err != nil {
		return err
	}
	f.log.Debug("Composed quota", "tag", req.GetMeta().GetTag(), "namespace", q.namespace, "name", q.name, "objects", len(objects))
	return nil
}

// decideQuota what to bound, by the platform's policy.
func decideQuota(q notebook, w world, platform platform) quotaPlan {
	if refusals := checkQuotaName(q); len(refusals) > 0 {
		return quotaPlan{keep: true, refusals: refusals, rules: platform.rules, required: platform.required}
	}
	p := judgeQuota(q, w, platform)
	p.rules, p.required = platform.rules, quotaNeeds(q, w)
	maps.Copy(p.required, platform.required)
	return p
}

// checkQuotaName refuses a quota of no namespace.
func checkQuotaName(q notebook) []refusal {
	if q.name == "" || q.namespace == "" {
		return []refusal{{reasonNoNamespace, fmt.Sprintf("this %s belongs to no claim: create a %s in a namespace instead", v1.QuotaCompositeKind, v1.QuotaKind)}}
	}
	return checkName(q)
}

// judgeQuota finds what to compose: what the claim asks for, or else what there is.
func judgeQuota(q notebook, w world, platform platform) quotaPlan {
	if platform.unknown() {
		return quotaAsBefore(w, platform.broken)
	}
	spec, refusals := parseQuota(q.asked)
	if len(refusals) > 0 {
		return quotaAsBefore(w, refusals)
	}
	gpus, refusals := resolveGPUs(spec, platform.rules)
	if len(refusals) > 0 {
		return quotaAsBefore(w, refusals)
	}
	p := quotaPlan{spec: spec, gpus: gpus, rules: platform.rules}
	if taken := p.conflicts(q, w); len(taken) > 0 {
		return quotaAsBefore(w, taken)
	}
	return p
}

// quotaAsBefore keeps what exists, with what the ResourceQuota notes of it.
func quotaAsBefore(w world, refusals []refusal) quotaPlan {
	p := quotaPlan{keep: true, refusals: refusals}
	noted := w.composed[keyQuota]
	m, gpus := map[string]any{}, gpuResources{}
	if json.Unmarshal([]byte(noted.annotation(annotationAccepted)), &m) != nil || json.Unmarshal([]byte(noted.annotation(annotationGPUs)), &gpus) != nil {
		return p
	}
	spec := &v1.QuotaSpec{}
	if decodeQuota(m, spec) == nil && len(validateQuota(spec)) == 0 {
		p.spec, p.gpus = spec, gpus
	}
	return p
}

// composes tells whether the plan has an object of the key.
func (p quotaPlan) composes(key string) bool {
	return key == keyQuota || len(defaultRequests(p.spec, p.rules)) > 0
}

// conflicts refuses to take over objects that somebody else made.
func (p quotaPlan) conflicts(q notebook, w world) []refusal {
	var refusals []refusal
	for _, id := range quotaIdentities(q.name) {
		o, foreign := w.foreign[id.key]
		if !foreign || !p.composes(id.key) {
			continue
		}
		what := "exists already and does not belong to this quota: rename or delete it, or give the quota another name"
		if o.deleting() {
			what = "is still being deleted: the quota goes on when it is gone"
		}
		refusals = append(refusals, refusal{reasonNameConflict, fmt.Sprintf("%s %s in namespace %s %s", id.kind, id.name, q.namespace, what)})
	}
	return refusals
}

// quotaNeeds are the objects to ask for: what may be in the way, and the
// notebooks that the quota is about.
func quotaNeeds(q notebook, w world) map[string]*fnv1.ResourceSelector {
	required := map[string]*fnv1.ResourceSelector{requiredNotebooks: every(v1.Group+"/"+v1.Version, v1.Kind, q.namespace)}
	for _, id := range quotaIdentities(q.name) {
		if !w.composed[id.key].exists() || w.unobserved[id.key] {
			required[requiredExisting(id.key)] = named(id.apiVersion, id.kind, id.name, q.namespace)
		}
	}
	return required
}

// composeQuota computes what should exist. A new quota is composed whole or not at
// all.
func composeQuota(q notebook, p quotaPlan, w world) (map[string]*structpb.Struct, error) {
	if p.keep {
		return kept(w, false), nil
	}
	objects := map[string]*structpb.Struct{}
	for _, id := range quotaIdentities(q.name) {
		if !p.composes(id.key) {
			continue
		}
		if w.unasked[id.key] { // Crossplane looks for it, and calls again.
			if w.fresh {
				return map[string]*structpb.Struct{}, nil
			}
			continue
		}
		meta := metav1.ObjectMeta{Name: id.name, Namespace: q.namespace, Labels: quotaLabels(q.name)}
		s, err := encode(id, p.build(id.key, meta))
		if err != nil {
			return nil, errors.Wrapf(err, "cannot encode the %s", id.kind)
		}
		objects[id.key] = s
	}
	return objects, nil
}

// build the object of a key.
func (p quotaPlan) build(key string, meta metav1.ObjectMeta) any {
	if key == keyLimits {
		return &corev1.LimitRange{ObjectMeta: meta, Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{
			Type:           corev1.LimitTypeContainer,
			DefaultRequest: defaultRequests(p.spec, p.rules),
		}}}}
	}
	meta.Annotations = map[string]string{annotationAccepted: jsonOf(p.spec), annotationGPUs: jsonOf(p.gpus)}
	return &corev1.ResourceQuota{ObjectMeta: meta, Spec: corev1.ResourceQuotaSpec{Hard: hard(p.bounds())}}
}

// jsonOf encodes what is always valid JSON.
func jsonOf(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}

func quotaLabels(name string) map[string]string {
	return map[string]string{
		"app.kubernetes.io/name":       "notebook-quota",
		"app.kubernetes.io/instance":   labelValue(name),
		"app.kubernetes.io/part-of":    "function-jupyter",
		"app.kubernetes.io/managed-by": managedBy,
	}
}

// notebooks of the namespace.
func (w world) notebooks() []object {
	var all []object
	for _, item := range w.fetched[requiredNotebooks].GetItems() {
		if o := (object{item.GetResource()}); o.exists() {
			all = append(all, o)
		}
	}
	return all
}
