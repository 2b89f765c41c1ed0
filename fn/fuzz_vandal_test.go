package fn

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
)

// A vandal damages a request as arbitrary bytes tell it to.
type vandal struct{ damage []byte }

// next is a number below a limit.
func (v *vandal) next(limit int) int {
	if len(v.damage) == 0 || limit <= 1 {
		return 0
	}
	n := int(v.damage[0])
	v.damage = v.damage[1:]
	if limit > 256 && len(v.damage) > 0 {
		n = n<<8 | int(v.damage[0])
		v.damage = v.damage[1:]
	}
	return n % limit
}

// vandalize a request until no bytes are left, or enough is broken.
func (v *vandal) vandalize(req *fnv1.RunFunctionRequest) {
	const enough, tooLarge = 12, 1 << 20 // Crossplane cannot store more than an MiB or so.
	for range enough {
		if len(v.damage) == 0 || proto.Size(req) > tooLarge {
			return
		}
		if v.next(8) == 0 {
			v.breakResource(req)
			continue
		}
		slots := slotsOf(req)
		s := slots[v.next(len(slots))]
		s.set(v.value(s.value, slots))
	}
}

// breakResource damages what is around the objects.
func (v *vandal) breakResource(req *fnv1.RunFunctionRequest) {
	resources := resourcesOf(req)
	r := resources[v.next(len(resources))]
	switch v.next(8) {
	case 0:
		r.Resource = nil
	case 1:
		r.Resource = &structpb.Struct{}
	case 2:
		r.Resource = proto.CloneOf(resources[v.next(len(resources))].GetResource())
	case 3:
		keys := sortedKeys(req.GetObserved().GetResources())
		if len(keys) > 0 {
			delete(req.GetObserved().GetResources(), keys[v.next(len(keys))])
		}
	case 4:
		keys := sortedKeys(req.GetRequiredResources())
		if len(keys) > 0 {
			delete(req.GetRequiredResources(), keys[v.next(len(keys))])
		}
	case 5:
		key := identities(simName)[v.next(5)].key
		req.Desired = &fnv1.State{Composite: req.GetDesired().GetComposite(), Resources: map[string]*fnv1.Resource{key: r}}
	case 6:
		req.Desired = nil
	default:
		req.RequiredResources = map[string]*fnv1.Resources{requiredExisting(keyWorkspace): {Items: []*fnv1.Resource{r, nil}}}
	}
}

// words that mean something to somebody.
var words = []string{
	"", "0", "-1", "1e9999", "9999999999999999999Gi", "1.5", "NaN", "null", "true", "{}", "[]", "None", "Retain", "Delete", "Recreate", "NodePort", "LoadBalancer",
	"JUPYTER_TOKEN", "--ServerApp.token=", "../..", "/", "\x00", "\u202e", "💥", "2026-11-30T12:00:00Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59-12:00",
	"PersistentVolumeClaim", "Bound", "Pending", "Lost", "alpha", "alpha-workspace", "notebook", "workspace", "token", "dG9rZW4=", "%s%d%!", "a.b", "9", "-", ".", "mlops.function-jupyter.dev/v1",
	`{"image":"x"}`, `{"image":"x","args":["--ServerApp.token="]}`, `{"volumeSize":"1e9999"}`,
}

// value to put in place of another.
func (v *vandal) value(old *structpb.Value, slots []slot) *structpb.Value {
	switch v.next(14) {
	case 0:
		return structpb.NewNullValue()
	case 1:
		return structpb.NewNumberValue([]float64{0, -1, 1, 0.5, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, 1 << 62, -1 << 63, 1e-300}[v.next(11)])
	case 2:
		return structpb.NewBoolValue(v.next(2) == 1)
	case 3:
		return structpb.NewStringValue(strings.Repeat(words[v.next(len(words))], 1<<v.next(13)))
	case 4, 5, 6:
		return structpb.NewStringValue(words[v.next(len(words))])
	case 7:
		list := &structpb.ListValue{}
		for range v.next(300) / (1 + proto.Size(old)>>10) {
			list.Values = append(list.Values, proto.CloneOf(old))
		}
		return structpb.NewListValue(list)
	case 8:
		return structpb.NewListValue(&structpb.ListValue{})
	case 9:
		return structpb.NewStructValue(&structpb.Struct{})
	case 10:
		return v.nested(old)
	case 11:
		return &structpb.Value{}
	case 12:
		return nil // It is gone.
	default:
		return proto.CloneOf(slots[v.next(len(slots))].value)
	}
}

// nested is a value deep inside lists or maps. (Protocol Buffers refuse to read
// what is nested 10,000 deep.)
func (v *vandal) nested(inner *structpb.Value) *structpb.Value {
	field := words[v.next(len(words))]
	for range v.next(3000) {
		if field == "" {
			inner = structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{inner}})
		} else {
			inner = structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{field: inner}})
		}
	}
	return inner
}

// A slot holds one value of a request.
type slot struct {
	value *structpb.Value
	set   func(*structpb.Value)
}

// slotsOf a request, always in the same order.
func slotsOf(req *fnv1.RunFunctionRequest) []slot {
	var slots []slot
	for _, r := range resourcesOf(req) {
		slots = appendFields(slots, r.GetResource(), 0)
	}
	if len(slots) == 0 {
		slots = append(slots, slot{set: func(*structpb.Value) {}})
	}
	return slots
}

func appendFields(slots []slot, s *structpb.Struct, depth int) []slot {
	for _, field := range sortedKeys(s.GetFields()) {
		value := s.GetFields()[field]
		slots = append(slots, slot{value, func(v *structpb.Value) {
			if v == nil {
				delete(s.GetFields(), field)
				return
			}
			s.Fields[field] = v
		}})
		slots = appendInside(slots, value, depth+1)
	}
	return slots
}

func appendInside(slots []slot, value *structpb.Value, depth int) []slot {
	const tooDeep = 20
	if depth > tooDeep {
		return slots
	}
	list := value.GetListValue().GetValues()
	for i, element := range list {
		slots = append(slots, slot{element, func(v *structpb.Value) { list[i] = v }})
		slots = appendInside(slots, element, depth+1)
	}
	return appendFields(slots, value.GetStructValue(), depth)
}

// resourcesOf a request: the composite resource, and then all others.
func resourcesOf(req *fnv1.RunFunctionRequest) []*fnv1.Resource {
	resources := []*fnv1.Resource{req.GetObserved().GetComposite()}
	if c := req.GetDesired().GetComposite(); c != nil {
		resources = append(resources, c)
	}
	for _, key := range sortedKeys(req.GetObserved().GetResources()) {
		resources = append(resources, req.GetObserved().GetResources()[key])
	}
	for _, key := range sortedKeys(req.GetRequiredResources()) {
		for _, item := range req.GetRequiredResources()[key].GetItems() {
			if item != nil {
				resources = append(resources, item)
			}
		}
	}
	return resources
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
