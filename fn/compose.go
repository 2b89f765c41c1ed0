package fn

import (
	"maps"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"
	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A composition is what should exist.
type composition struct {
	objects   map[string]*structpb.Struct
	workspace workspace

	// token that opens the server. Empty if nothing is composed.
	token string

	// heldBack is what the next restart of the server changes.
	heldBack []string
}

// compose computes what should exist from the plan. A new notebook is composed
// whole or not at all.
func compose(nb notebook, p plan, w world, newToken func() string) (composition, error) {
	c := composition{token: observedToken(w.composed[keyAccess])}
	if p.keep {
		c.objects = kept(w)
		return c, nil
	}
	stored := c.token != ""
	if _, held := p.held[keyAccess]; !stored && !held { // Nobody could keep it.
		c.token = newToken()
	}
	c.objects = make(map[string]*structpb.Struct, len(w.composed))
	for _, id := range identities(nb.name) {
		o := c.build(id.key, meta(id, nb), nb, p, w)
		if o == nil {
			continue
		}
		_, held := p.held[id.key]
		// Crossplane looks for what was not asked yet, and calls again.
		if w.unasked[id.key] || (held && !w.composed[id.key].exists()) {
			if w.fresh {
				c.objects = nil
				return c, nil
			}
			continue
		}
		// A server knows the hash of its token. It keeps the one that it has until
		// the new one is stored, or each attempt to store one would restart it.
		if server := w.composed[keyServer]; id.key == keyServer && !stored && server.exists() {
			c.objects[id.key] = keptObject(server)
			continue
		}
		s, err := encode(id, o)
		if err != nil {
			return composition{}, errors.Wrapf(err, "cannot encode the %s", id.kind)
		}
		if id.key == keyServer {
			c.heldBack = c.holdBack(object{s}, w.composed[keyServer], p, w)
		}
		c.objects[id.key] = s
	}
	return c, nil
}

// build the object of a key, or nil if the notebook needs none.
func (c *composition) build(key string, meta metav1.ObjectMeta, nb notebook, p plan, w world) any {
	switch key {
	case keyWorkspace:
		c.workspace = planWorkspace(meta, nb, p, w)
		if c.workspace.pvc == nil {
			return nil
		}
		return c.workspace.pvc
	case keyAccess:
		return accessSecret(meta, p, c.token)
	case keyServer:
		return server(meta, nb, p, c.workspace.claimName, c.token)
	case keyService:
		return service(meta, nb.name, p.spec)
	default:
		return network(meta, nb.name, p.spec)
	}
}

func meta(id identity, nb notebook) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: id.name, Namespace: nb.namespace, Labels: labels(nb.name)}
}

// kept returns objects as they are, less what only Kubernetes and Crossplane
// write. It is for claims that cannot be composed from a spec: whatever exists of
// them must not go. What only could be taken up stays where it is.
func kept(w world) map[string]*structpb.Struct {
	objects := make(map[string]*structpb.Struct, len(w.composed))
	for key, o := range w.composed {
		if !w.unobserved[key] {
			objects[key] = keptObject(o)
		}
	}
	return objects
}

func keptObject(o object) *structpb.Struct {
	fields := map[string]*structpb.Value{}
	maps.Copy(fields, o.GetFields())
	delete(fields, "status")
	fields["metadata"] = structpb.NewStructValue(keptMeta(object{o.at("metadata").GetStructValue()}))
	return &structpb.Struct{Fields: fields}
}

func keptMeta(meta object) *structpb.Struct {
	fields := map[string]*structpb.Value{}
	for _, field := range []string{"name", "namespace"} {
		if v := meta.at(field); v != nil {
			fields[field] = v
		}
	}
	keep := func(field string, own func(key string) bool) {
		values := maps.Clone(meta.at(field).GetStructValue().GetFields())
		maps.DeleteFunc(values, func(key string, _ *structpb.Value) bool { return !own(key) })
		if len(values) > 0 {
			fields[field] = structpb.NewStructValue(&structpb.Struct{Fields: values})
		}
	}
	keep("labels", func(key string) bool { return !strings.HasPrefix(key, "crossplane.io/") })
	keep("annotations", func(key string) bool { return strings.HasPrefix(key, annotationPrefix) })
	if owners := keptOwners(meta); len(owners) > 0 {
		fields["ownerReferences"] = structpb.NewListValue(&structpb.ListValue{Values: owners})
	}
	return &structpb.Struct{Fields: fields}
}

// keptOwners are all but the controller, which Crossplane adds by itself.
func keptOwners(meta object) []*structpb.Value {
	var owners []*structpb.Value
	for _, o := range meta.list("ownerReferences") {
		if !o.at("controller").GetBoolValue() {
			owners = append(owners, structpb.NewStructValue(o.Struct))
		}
	}
	return owners
}
