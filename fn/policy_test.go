package fn

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/function-jupyter/function-jupyter/input/v1beta1"
)

func TestReadPolicy(t *testing.T) {
	const kind = `apiVersion: jupyter.fn.crossplane.io/v1beta1, kind: NotebookPolicy`
	broken := func(why string) string {
		return "the platform's NotebookPolicy cannot be used (" + why + "): your platform team must correct the input of the Composition"
	}
	cases := map[string]struct {
		reason string
		input  string
		want   string
	}{
		"None":        {reason: "A policy is optional."},
		"Empty":       {reason: "So is each of its fields.", input: `{` + kind + `}`},
		"Whole":       {reason: "All fields there are.", input: `{` + kind + `, metadata: {name: policy}, agent: {image: a, resources: {cpu: 5m, memory: 20Mi}}, diagnostics: {pods: false}}`},
		"Unknown":     {reason: "A field that is misspelt must not be without effect.", input: `{` + kind + `, agnet: {}}`, want: broken(`unknown field "agnet"`)},
		"UnknownDeep": {reason: "Wherever it is.", input: `{` + kind + `, agent: {images: a}}`, want: broken(`unknown field "agent.images"`)},
		"Kind":        {reason: "It may be meant for another function.", input: `{apiVersion: v1, kind: ConfigMap}`, want: broken("it is a ConfigMap of v1, and not a NotebookPolicy of jupyter.fn.crossplane.io/v1beta1")},
		"NoKind":      {reason: "Or for nobody.", input: `{}`, want: broken("it is a  of , and not a NotebookPolicy of jupyter.fn.crossplane.io/v1beta1")},
		"Quantity":    {reason: "The field is named.", input: `{` + kind + `, agent: {resources: {memory: much}}}`, want: broken(`agent.resources.memory is "much", which is no quantity such as 16Mi`)},
		"Type":        {reason: "So is what is wrong with its type.", input: `{` + kind + `, diagnostics: {pods: "no"}}`, want: broken("diagnostics.pods must not be a string")},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var input *structpb.Struct
			if tc.input != "" {
				input = objectOf(t, tc.input).Struct
			}
			policy, refusals := readPolicy(input)
			if diff := cmp.Diff(tc.want, sentence(refusals)); diff != "" {
				t.Errorf("\n%s\nreadPolicy(...): -want, +got:\n%s", tc.reason, diff)
			}
			if tc.want != "" && (policy.Agent.Image != "" || policy.Diagnostics.Pods != nil) {
				t.Errorf("\n%s\nreadPolicy(...): a broken policy decides something: %+v", tc.reason, policy)
			}
		})
	}
	t.Run("Values", func(t *testing.T) {
		policy, _ := readPolicy(objectOf(t, cases["Whole"].input).Struct)
		want := v1beta1.Agent{Image: "a", Resources: typedOf[v1beta1.AgentResources](t, `{cpu: 5m, memory: 20Mi}`)}
		if diff := cmp.Diff(want, policy.Agent); diff != "" || *policy.Diagnostics.Pods {
			t.Errorf("readPolicy(...): pods %v, agent: -want, +got:\n%s", *policy.Diagnostics.Pods, diff)
		}
	})
}
