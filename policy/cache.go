package policy

import (
	"sync"

	"google.golang.org/protobuf/types/known/structpb"
)

// maxCached is how many policies are remembered: one for each Composition, and what
// they were before.
const maxCached = 16

// A Cache remembers what was parsed, because a policy rarely changes and comes with
// each call. The zero Cache is empty.
type Cache struct {
	mu     sync.Mutex
	parsed []parsed
}

type parsed struct {
	input, config *structpb.Struct
	policy        *Policy
	err           error
}

// Parse does as the function of that name does, once for each input.
func (c *Cache) Parse(input, config *structpb.Struct) (*Policy, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, known := range c.parsed {
		if equal(known.input, input) && equal(known.config, config) {
			c.parsed[0], c.parsed[i] = c.parsed[i], c.parsed[0] // Soonest found next time.
			return known.policy, known.err
		}
	}
	policy, err := Parse(input, config)
	c.parsed = append([]parsed{{input, config, policy, err}}, c.parsed[:min(len(c.parsed), maxCached-1)]...)
	return policy, err
}

// equal tells whether two documents are the same. It does what proto.Equal does,
// without its reflection, which would take longer than all that is saved.
func equal(a, b *structpb.Struct) bool {
	if (a == nil) != (b == nil) || len(a.GetFields()) != len(b.GetFields()) {
		return false
	}
	for key, value := range a.GetFields() {
		if other, exists := b.GetFields()[key]; !exists || !equalValue(value, other) {
			return false
		}
	}
	return true
}

func equalValue(a, b *structpb.Value) bool {
	switch a := a.GetKind().(type) {
	case *structpb.Value_StructValue:
		b, ok := b.GetKind().(*structpb.Value_StructValue)
		return ok && equal(a.StructValue, b.StructValue)
	case *structpb.Value_ListValue:
		b, ok := b.GetKind().(*structpb.Value_ListValue)
		return ok && equalList(a.ListValue.GetValues(), b.ListValue.GetValues())
	case *structpb.Value_StringValue:
		b, ok := b.GetKind().(*structpb.Value_StringValue)
		return ok && a.StringValue == b.StringValue
	case *structpb.Value_NumberValue:
		b, ok := b.GetKind().(*structpb.Value_NumberValue)
		return ok && a.NumberValue == b.NumberValue
	case *structpb.Value_BoolValue:
		b, ok := b.GetKind().(*structpb.Value_BoolValue)
		return ok && a.BoolValue == b.BoolValue
	default:
		_, ok := b.GetKind().(*structpb.Value_NullValue)
		return ok
	}
}

func equalList(a, b []*structpb.Value) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !equalValue(a[i], b[i]) {
			return false
		}
	}
	return true
}
