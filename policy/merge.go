package policy

import (
	"maps"
	"slices"
)

// merge a document over another one. A field that it has replaces the other's, a map
// goes over the other's map in the same way, and of lists whose elements have names
// an element replaces the one of its name. Neither document changes.
func merge(base, over map[string]any) map[string]any {
	merged := maps.Clone(base)
	if merged == nil {
		merged = map[string]any{}
	}
	for key, value := range over {
		merged[key] = mergeValue(base[key], value)
	}
	return merged
}

func mergeValue(base, over any) any {
	switch over := over.(type) {
	case map[string]any:
		if base, ok := base.(map[string]any); ok {
			return merge(base, over)
		}
	case []any:
		if base, ok := base.([]any); ok && named(base) && named(over) {
			return mergeNamed(base, over)
		}
	}
	return over
}

// mergeNamed replaces elements whole: half of another GPU type is none.
func mergeNamed(base, over []any) []any {
	merged := slices.Clone(base)
	for _, element := range over {
		i := slices.IndexFunc(merged, func(e any) bool { return nameOf(e) == nameOf(element) })
		if i < 0 {
			merged = append(merged, element)
		} else {
			merged[i] = element
		}
	}
	return merged
}

func named(list []any) bool {
	return len(list) > 0 && !slices.ContainsFunc(list, func(e any) bool { return nameOf(e) == "" })
}

func nameOf(element any) string {
	fields, _ := element.(map[string]any)
	name, _ := fields["name"].(string)
	return name
}

func without(fields map[string]any, keys ...string) map[string]any {
	rest := maps.Clone(fields)
	for _, key := range keys {
		delete(rest, key)
	}
	return rest
}
