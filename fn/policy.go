package fn

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	kjson "sigs.k8s.io/json"

	"github.com/function-jupyter/function-jupyter/input/v1beta1"
)

// readPolicy reads what the platform team decided. A policy that makes no sense
// harms nothing that runs, and says so on every notebook.
func readPolicy(input *structpb.Struct) (v1beta1.NotebookPolicy, []refusal) {
	policy := v1beta1.NotebookPolicy{}
	if input == nil {
		return policy, nil
	}
	raw := object{input}
	for _, field := range [][]string{{"agent", "resources", "cpu"}, {"agent", "resources", "memory"}} {
		if text := raw.text(field...); text != "" && !plainQuantity.MatchString(text) {
			return policy, brokenPolicy(fmt.Sprintf("%s is %q, which is no quantity such as 16Mi", strings.Join(field, "."), shown(text)))
		}
	}
	if err := decodePolicy(input, &policy); err != nil {
		return v1beta1.NotebookPolicy{}, brokenPolicy(err.Error())
	}
	if policy.Kind != v1beta1.Kind || policy.APIVersion != v1beta1.Group+"/"+v1beta1.Version {
		return v1beta1.NotebookPolicy{}, brokenPolicy(fmt.Sprintf("it is a %s of %s, and not a %s of %s/%s", shown(policy.Kind), shown(policy.APIVersion), v1beta1.Kind, v1beta1.Group, v1beta1.Version))
	}
	return policy, nil
}

// decodePolicy names the field that is unknown or of the wrong type.
func decodePolicy(input *structpb.Struct, into *v1beta1.NotebookPolicy) error {
	b, err := input.MarshalJSON()
	if err != nil {
		return fmt.Errorf("it is no JSON: %w", err)
	}
	unknown, err := kjson.UnmarshalStrict(b, into)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("%s must not be a %s", wrong.Field, wrong.Value)
	}
	return errors.Join(append(unknown, err)...)
}

func brokenPolicy(why string) []refusal {
	return []refusal{{reasonPolicyInvalid, fmt.Sprintf("the platform's NotebookPolicy cannot be used (%s): your platform team must correct the input of the Composition", shown(why))}}
}
