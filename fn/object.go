package fn

import (
	"time"

	"google.golang.org/protobuf/types/known/structpb"
)

// An object is a Kubernetes object as Crossplane sends it. It is read field by
// field, because only a few fields of each observed object matter, and none of
// them can be relied on to be there or to have the right type. The zero object
// does not exist.
type object struct{ *structpb.Struct }

func (o object) exists() bool { return o.Struct != nil }

// at returns the value at the path, or nil.
func (o object) at(path ...string) *structpb.Value {
	s := o.Struct
	for i, field := range path {
		v := s.GetFields()[field]
		if i == len(path)-1 {
			return v
		}
		s = v.GetStructValue()
	}
	return nil
}

func (o object) text(path ...string) string { return o.at(path...).GetStringValue() }

func (o object) number(path ...string) int64 { return int64(o.at(path...).GetNumberValue()) }

// time at the path, or the zero time.
func (o object) time(path ...string) time.Time {
	t, err := time.Parse(time.RFC3339, o.text(path...))
	if err != nil {
		return time.Time{}
	}
	return t
}

// list returns the elements of the list at the path that are objects.
func (o object) list(path ...string) []object {
	values := o.at(path...).GetListValue().GetValues()
	objects := make([]object, 0, len(values))
	for _, v := range values {
		if s := v.GetStructValue(); s != nil {
			objects = append(objects, object{s})
		}
	}
	return objects
}

func (o object) annotation(key string) string { return o.text("metadata", "annotations", key) }

func (o object) deleting() bool { return o.text("metadata", "deletionTimestamp") != "" }

// controller is the UID of the object's controller, or empty.
func (o object) controller() string {
	for _, owner := range o.list("metadata", "ownerReferences") {
		if owner.at("controller").GetBoolValue() {
			return owner.text("uid")
		}
	}
	return ""
}

// condition returns the status condition of that type, which may not exist.
func (o object) condition(conditionType string) object {
	for _, c := range o.list("status", "conditions") {
		if c.text("type") == conditionType {
			return c
		}
	}
	return object{}
}
