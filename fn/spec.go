package fn

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// annotationAccepted of the Deployment holds the last spec that was accepted.
// A claim whose spec is refused is composed from it, so that nothing that runs
// is harmed by an edit that makes no sense.
const annotationAccepted = annotationPrefix + "accepted-spec"

// parseSpec reads the spec that a claim asks for. A field that cannot be read
// is refused by its name.
func parseSpec(raw object) (*v1.NotebookSpec, []refusal) {
	m := raw.AsMap()
	spec := &v1.NotebookSpec{}
	if err := decodeSpec(m, spec); err != nil {
		return nil, unreadable("", m, func(value any) error {
			part, _ := value.(map[string]any)
			return decodeSpec(part, &v1.NotebookSpec{})
		})
	}
	return spec, nil
}

func decodeSpec(m map[string]any, spec *v1.NotebookSpec) error {
	if err := checkQuantities(m); err != nil {
		return err
	}
	return errors.Wrap(runtime.DefaultUnstructuredConverter.FromUnstructured(m, spec), "cannot decode the spec")
}

// unreadable finds the innermost fields that make a value unreadable, by
// decoding each part of the value without its siblings.
func unreadable(field string, value any, decode func(any) error) []refusal {
	err := decode(value)
	if err == nil {
		return nil
	}
	var refusals []refusal
	switch value := value.(type) {
	case map[string]any:
		if decode(map[string]any{}) != nil {
			break // Not what is in the map is wrong.
		}
		for _, key := range slices.Sorted(maps.Keys(value)) {
			refusals = append(refusals, unreadable(strings.TrimPrefix(field+"."+key, "."), value[key], func(v any) error {
				return decode(map[string]any{key: v})
			})...)
		}
	case []any:
		if decode([]any{}) != nil {
			break
		}
		for i := range value {
			refusals = append(refusals, unreadable(fmt.Sprintf("%s[%d]", field, i), value[i], func(v any) error {
				return decode([]any{v})
			})...)
		}
	}
	if len(refusals) == 0 {
		return []refusal{{reasonInvalidSpec, fmt.Sprintf("spec.%s is %s: write %s", shown(field), describe(value, err), remedy(err))}}
	}
	return refusals
}

// describe a value that cannot be read. Only quantities and timestamps cannot
// be secret.
func describe(value any, err error) string {
	text, isText := value.(string)
	if isText && (strings.Contains(err.Error(), resource.ErrFormatWrong.Error()) || strings.Contains(err.Error(), "parsing time")) {
		return fmt.Sprintf("%q", shown(text))
	}
	return "a " + typeName(value)
}

// remedy for a value that cannot be read.
func remedy(err error) string {
	for _, r := range []struct{ failure, remedy string }{
		{resource.ErrFormatWrong.Error(), "a number with or without a unit, such as 2, 500m or 10Gi"},
		{"parsing time", "a timestamp such as 2026-11-30T12:00:00Z"},
		{"cannot unmarshal", "a timestamp such as 2026-11-30T12:00:00Z"},
		{"type: string", "text, in quotes"},
		{"type: bool", "true or false"},
		{"int64", "a whole number"},
		{"restore slice", "a list"},
		{"restore struct", "a map of its fields"},
		{"restore map", "a map"},
	} {
		if strings.Contains(err.Error(), r.failure) {
			return r.remedy
		}
	}
	return "what the field reference has"
}

// typeName is what YAML calls the type of a decoded value.
func typeName(value any) string {
	switch value.(type) {
	case string:
		return "string"
	case float64, int64:
		return "number"
	case bool:
		return "boolean"
	case []any:
		return "list"
	default:
		return "map"
	}
}

// acceptedSpec is the spec that was last composed, and how it is encoded, or nil.
// Anybody may have edited the annotation, so it is not trusted more than a claim.
func acceptedSpec(server object) (*v1.NotebookSpec, string) {
	encoded := server.annotation(annotationAccepted)
	m, spec := map[string]any{}, &v1.NotebookSpec{}
	if json.Unmarshal([]byte(encoded), &m) != nil || decodeSpec(m, spec) != nil || len(validate(spec)) > 0 {
		return nil, ""
	}
	return spec, encoded
}

// encodeSpec is the inverse of acceptedSpec.
func encodeSpec(spec *v1.NotebookSpec) string {
	b, err := json.Marshal(spec)
	if err != nil {
		return ""
	}
	return string(b)
}
