package fn

import (
	"encoding/base64"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
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

// testToken is one as the function makes them.
const testToken = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// testAccess is a Secret that holds it.
var testAccess = `data: {token: ` + base64.StdEncoding.EncodeToString([]byte(testToken)) + `}`

// typedOf parses a part of a Kubernetes object in YAML.
func typedOf[T any](t testing.TB, text string) T { //nolint:ireturn // It returns the type that its caller names.
	t.Helper()
	var v T
	if err := yaml.UnmarshalStrict([]byte(text), &v); err != nil {
		t.Fatalf("%T: %v", v, err)
	}
	return v
}

// situationOf the notebook alpha in the namespace team-a, of whose objects those
// exist, and for which Crossplane found what was fetched. Without a spec, the
// notebook is kept as it is.
func situationOf(t testing.TB, spec string, composed, fetched map[string]string) situation {
	t.Helper()
	nb := notebook{name: "alpha", namespace: "team-a", uid: "xr-uid"}
	p := plan{keep: true}
	if spec != "" {
		p = plan{spec: specOf(t, spec)}
		p.accepted = encodeSpec(p.spec)
	}
	w := world{composed: map[string]object{}, fresh: len(composed) == 0, fetched: fetchedOf(t, fetched)}
	if _, serves := composed[keyServer]; serves { // What a cluster with a server has, too.
		for key, text := range map[string]string{keyAccess: testAccess, keyService: `{}`, keyNetwork: `{}`} {
			w.composed[key] = objectOf(t, text)
		}
	}
	for key, text := range composed {
		w.composed[key] = objectOf(t, text)
		if text == "" { // To leave one out.
			delete(w.composed, key)
		}
	}
	c, err := compose(nb, p, w, func() string { return testToken })
	if err == nil && !p.keep { // The same function made the server before.
		stampPod(w.composed[keyServer], podHash(podTemplate(nb, p, c.workspace.claimName, c.token)))
		c, err = compose(nb, p, w, func() string { return testToken })
	}
	if err != nil {
		t.Fatalf("compose(...): %v", err)
	}
	return situation{nb, p, w, c}
}

// stampPod notes the hash of the pod template that a server was made with.
func stampPod(server object, hash string) {
	if annotations := server.at("metadata", "annotations").GetStructValue().GetFields(); annotations != nil {
		annotations[annotationPod] = structpb.NewStringValue(hash)
	}
}

// fetchedOf are required objects by the function's name for them. Empty text is
// an object that Crossplane looked for and did not find.
func fetchedOf(t testing.TB, texts map[string]string) map[string]*fnv1.Resources {
	t.Helper()
	fetched := map[string]*fnv1.Resources{}
	for name, text := range texts {
		fetched[name] = &fnv1.Resources{}
		if text != "" {
			fetched[name].Items = []*fnv1.Resource{{Resource: objectOf(t, text).Struct}}
		}
	}
	return fetched
}
