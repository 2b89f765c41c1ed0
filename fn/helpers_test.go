package fn

import (
	"testing"

	"google.golang.org/protobuf/types/known/structpb"
	"sigs.k8s.io/yaml"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// exampleSpec is that of example/claim.yaml.
const exampleSpec = `
image: jupyter/scipy-notebook:latest
volumeSize: 10Gi
resources:
  requests: {cpu: "1", memory: 2Gi}
  limits: {cpu: "2", memory: 4Gi}
`

// specOf parses a spec in YAML, as the API server would.
func specOf(t testing.TB, text string) *v1.NotebookSpec {
	t.Helper()
	spec := &v1.NotebookSpec{}
	if err := yaml.UnmarshalStrict([]byte(text), spec); err != nil {
		t.Fatalf("spec: %v", err)
	}
	return spec
}

// objectOf parses an object in YAML, as Crossplane would send it.
func objectOf(t testing.TB, text string) object {
	t.Helper()
	m := map[string]any{}
	if err := yaml.Unmarshal([]byte(text), &m); err != nil {
		t.Fatalf("object: %v", err)
	}
	s, err := structpb.NewStruct(m)
	if err != nil {
		t.Fatalf("object: %v", err)
	}
	return object{s}
}
