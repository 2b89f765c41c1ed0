package fn

import (
	"regexp"

	"k8s.io/apimachinery/pkg/api/resource"
)

// plainQuantity is what people write. Kubernetes takes 1e999999999 for a
// quantity, too, and would calculate with it for hours.
var plainQuantity = regexp.MustCompile(`^[+-]?([0-9]{1,32}(\.[0-9]{0,32})?|\.[0-9]{1,32})([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]{1,2})?$`)

// parseQuantity reads a quantity that people could have written.
func parseQuantity(text string) (resource.Quantity, error) {
	if !plainQuantity.MatchString(text) {
		return resource.Quantity{}, resource.ErrFormatWrong
	}
	return resource.ParseQuantity(text) //nolint:wrapcheck // Nobody reads it.
}

// checkQuantities refuses a spec with a quantity that is better not calculated
// with, or even read.
func checkQuantities(spec map[string]any) error {
	resources, _ := spec["resources"].(map[string]any)
	requests, _ := resources["requests"].(map[string]any)
	limits, _ := resources["limits"].(map[string]any)
	quantities := []any{spec["volumeSize"], spec["shmSize"]}
	for _, list := range []map[string]any{requests, limits} {
		for _, quantity := range list {
			quantities = append(quantities, quantity)
		}
	}
	env, _ := spec["env"].([]any)
	for _, e := range env {
		quantities = append(quantities, divisor(e))
	}
	for _, quantity := range quantities {
		if text, isText := quantity.(string); isText && !plainQuantity.MatchString(text) {
			return resource.ErrFormatWrong
		}
	}
	return nil
}

// divisor of a variable that tells a resource of the container, or nil.
func divisor(env any) any {
	for _, field := range []string{"valueFrom", "resourceFieldRef", "divisor"} {
		m, _ := env.(map[string]any)
		env = m[field]
	}
	return env
}
