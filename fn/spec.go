package fn

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

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
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(m, spec); err != nil {
		return nil, unreadable("spec", m, decodeSpec)
	}
	return spec, nil
}

func decodeSpec(value any) error {
	m, ok := value.(map[string]any)
	if !ok {
		return fmt.Errorf("cannot decode %T", value)
	}
	return runtime.DefaultUnstructuredConverter.FromUnstructured(m, &v1.NotebookSpec{})
}

// unreadable finds the innermost fields that make a value unreadable, by
// decoding each part of the value without its siblings.
func unreadable(path string, value any, decode func(any) error) []refusal {
	err := decode(value)
	if err == nil {
		return nil
	}
	var refusals []refusal
	switch value := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			refusals = append(refusals, unreadable(path+"."+key, value[key], func(v any) error {
				return decode(map[string]any{key: v})
			})...)
		}
	case []any:
		for i := range value {
			refusals = append(refusals, unreadable(fmt.Sprintf("%s[%d]", path, i), value[i], func(v any) error {
				return decode([]any{v})
			})...)
		}
	}
	if len(refusals) == 0 {
		refusals = append(refusals, refusal{reasonInvalidSpec, path + " " + whyUnreadable(value, err)})
	}
	return refusals
}

// whyUnreadable shows only values that cannot be secret.
func whyUnreadable(value any, err error) string {
	switch text := err.Error(); {
	case strings.Contains(text, "quantities must match"), strings.Contains(text, "unable to parse quantity"):
		return fmt.Sprintf("is %q, which is not a quantity: write a number with or without a unit, such as 2, 500m or 10Gi", fmt.Sprint(value))
	case strings.Contains(text, "parsing time"):
		return fmt.Sprintf("is %q, which is not a timestamp: write one such as 2026-11-30T12:00:00Z", fmt.Sprint(value))
	default:
		return fmt.Sprintf("is a %s, which is the wrong type: see the field reference for what to write", typeName(value))
	}
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
	case map[string]any:
		return "map"
	default:
		return "null"
	}
}

// acceptedSpec is the spec that was last composed, and how it is encoded, or nil.
func acceptedSpec(server object) (*v1.NotebookSpec, string) {
	encoded := server.annotation(annotationAccepted)
	spec := &v1.NotebookSpec{}
	if err := json.Unmarshal([]byte(encoded), spec); err != nil {
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
