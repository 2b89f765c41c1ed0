package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/crossplane/crossplane-runtime/v2/pkg/xcrd"
	xpv1 "github.com/crossplane/crossplane/apis/v2/apiextensions/v1"
	ext "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	extvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"
)

// crds are the CustomResourceDefinitions that Crossplane makes of the committed
// definitions, by what they are for.
func crds(t *testing.T) map[string]*ext.CustomResourceDefinition {
	t.Helper()
	claims := readXRD(t, "../../configuration/definition.yaml")
	namespaced := readXRD(t, "../../configuration-namespaced/definition.yaml")
	out := map[string]*ext.CustomResourceDefinition{}
	for name, derive := range map[string]func() (*extv1.CustomResourceDefinition, error){
		"Claim":      func() (*extv1.CustomResourceDefinition, error) { return xcrd.ForCompositeResourceClaim(claims) },
		"Composite":  func() (*extv1.CustomResourceDefinition, error) { return xcrd.ForCompositeResource(claims) },
		"Namespaced": func() (*extv1.CustomResourceDefinition, error) { return xcrd.ForCompositeResource(namespaced) },
	} {
		crd, err := derive()
		if err != nil {
			t.Fatalf("cannot derive the CustomResourceDefinition of the %s: %v", name, err)
		}
		extv1.SetDefaults_CustomResourceDefinition(crd)
		extv1.SetDefaults_CustomResourceDefinitionSpec(&crd.Spec)
		out[name] = &ext.CustomResourceDefinition{}
		if err := extv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(crd, out[name], nil); err != nil {
			t.Fatalf("cannot convert the CustomResourceDefinition of the %s: %v", name, err)
		}
		out[name].Status.StoredVersions = []string{crd.Spec.Versions[0].Name}
	}
	return out
}

func readXRD(t *testing.T, path string) *xpv1.CompositeResourceDefinition {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("cannot read the definition: %v", err)
	}
	xrd := &xpv1.CompositeResourceDefinition{}
	if err := yaml.UnmarshalStrict(data, xrd); err != nil {
		t.Fatalf("cannot parse %s: %v", path, err)
	}
	xrd.SetUID("a-uid") // The owner of the CustomResourceDefinition must have one.
	return xrd
}

// TestCustomResourceDefinitions asks the API server's own code whether it would
// take the schemas. It refuses, among others, rules that may cost too much.
func TestCustomResourceDefinitions(t *testing.T) {
	for name, crd := range crds(t) {
		t.Run(name, func(t *testing.T) {
			for _, err := range extvalidation.ValidateCustomResourceDefinition(context.Background(), crd) {
				t.Error(err)
			}
		})
	}
}

// An apiServer validates objects of one kind as the real one does.
type apiServer struct {
	schema    *structuralschema.Structural
	validator validation.SchemaValidator
	rules     *cel.Validator
}

func newAPIServer(t *testing.T, crd *ext.CustomResourceDefinition) apiServer {
	t.Helper()
	props := crd.Spec.Validation
	schema, err := structuralschema.NewStructural(props.OpenAPIV3Schema)
	if err != nil {
		t.Fatalf("cannot make the structural schema: %v", err)
	}
	validator, _, err := validation.NewSchemaValidator(props.OpenAPIV3Schema)
	if err != nil {
		t.Fatalf("cannot make the validator: %v", err)
	}
	return apiServer{schema: schema, validator: validator, rules: cel.NewValidator(schema, true, celconfig.PerCallLimit)}
}

// validate a new spec, or an update of an old one.
func (a apiServer) validate(t *testing.T, spec, old string) field.ErrorList {
	t.Helper()
	obj := a.object(t, spec)
	errs := listtype.ValidateListSetsAndMaps(nil, a.schema, obj)
	var oldObj any
	if old != "" {
		oldObj = a.object(t, old)
		errs = append(errs, validation.ValidateCustomResourceUpdate(nil, obj, oldObj, a.validator)...)
	} else {
		errs = append(errs, validation.ValidateCustomResource(nil, obj, a.validator)...)
	}
	ruleErrs, _ := a.rules.Validate(context.Background(), nil, a.schema, obj, oldObj, celconfig.RuntimeCELCostBudget)
	return append(errs, ruleErrs...)
}

func (a apiServer) object(t *testing.T, spec string) map[string]any {
	t.Helper()
	data, err := yaml.YAMLToJSON([]byte(spec))
	if err != nil {
		t.Fatalf("cannot parse the spec: %v", err)
	}
	var s map[string]any
	if err := json.Unmarshal(data, &s); err != nil { // Integers stay integers.
		t.Fatalf("cannot parse the spec: %v", err)
	}
	obj := map[string]any{"metadata": map[string]any{"name": "alpha"}, "spec": s}
	defaulting.Default(obj, a.schema)
	return obj
}

// TestUpdates has the edits that depend on what was there before. What a claim
// may not be at all is tested in test/claims, with the real CLI.
func TestUpdates(t *testing.T) {
	cases := map[string]struct {
		reason string
		old    string
		spec   string
		want   string // Part of the only error. Empty: none.
	}{
		"Grow":                  {reason: "A workspace can grow.", old: "volumeSize: 10Gi", spec: "volumeSize: 20Gi"},
		"SameSize":              {reason: "The same size in another unit is no change.", old: "volumeSize: 1Gi", spec: "volumeSize: 1024Mi"},
		"WholeNumbers":          {reason: "A size may be a number of bytes.", old: "volumeSize: 1000", spec: "volumeSize: 1k"},
		"AddSize":               {reason: "A workspace that was not kept can be kept from now on.", old: "stopped: true", spec: "{volumeSize: 1Gi, volume: {storageClassName: fast}}"},
		"ExistingClaimToSize":   {reason: "The existing claim stays where it is.", old: "volume: {existingClaim: data}", spec: "volumeSize: 1Gi"},
		"AddDefaultAccessMode":  {reason: "Writing the default is no change.", old: "volumeSize: 1Gi", spec: "{volumeSize: 1Gi, volume: {accessMode: ReadWriteOnce}}"},
		"ChangeRetention":       {reason: "Retention can be decided at any time.", old: "{volumeSize: 1Gi, volume: {retention: Delete}}", spec: "{volumeSize: 1Gi, volume: {retention: Retain}}"},
		"ChangeMountPath":       {reason: "Where the workspace is mounted is the pod's business.", old: "volumeSize: 1Gi", spec: "{volumeSize: 1Gi, volume: {mountPath: /work}}"},
		"Shrink":                {reason: "A volume cannot shrink.", old: "volumeSize: 10Gi", spec: "volumeSize: 5Gi", want: "spec.volumeSize: Invalid value: volumeSize can only grow: write at least the size that it had"},
		"ShrinkByUnit":          {reason: "10G is less than 10Gi.", old: "volumeSize: 10Gi", spec: "volumeSize: 10G", want: "volumeSize can only grow"},
		"ShrinkToNoNumber":      {reason: "The schema's pattern lets through what is no quantity.", old: "volumeSize: 10Gi", spec: "volumeSize: 1e1.5", want: "write a size of more than zero"},
		"RemoveSize":            {reason: "Without volumeSize there would be no workspace.", old: "volumeSize: 10Gi", spec: "stopped: true", want: "volumeSize cannot be removed"},
		"SizeToExistingClaim":   {reason: "The workspace would be lost.", old: "volumeSize: 1Gi", spec: "volume: {existingClaim: data}", want: "volumeSize cannot be removed"},
		"ChangeClass":           {reason: "A volume's class is immutable.", old: "{volumeSize: 1Gi, volume: {storageClassName: slow}}", spec: "{volumeSize: 1Gi, volume: {storageClassName: fast}}", want: "spec.volume.storageClassName: Invalid value: storageClassName cannot change"},
		"AddClass":              {reason: "The workspace has the default class already.", old: "volumeSize: 1Gi", spec: "{volumeSize: 1Gi, volume: {storageClassName: fast}}", want: "storageClassName cannot change"},
		"RemoveClass":           {reason: "The default class may be another one.", old: "{volumeSize: 1Gi, volume: {storageClassName: slow}}", spec: "volumeSize: 1Gi", want: "storageClassName cannot change"},
		"DefaultClassToNoClass": {reason: "An empty class is not the default class.", old: "volumeSize: 1Gi", spec: "{volumeSize: 1Gi, volume: {storageClassName: ''}}", want: "storageClassName cannot change"},
		"ChangeAccessMode":      {reason: "A volume's access modes are immutable.", old: "volumeSize: 1Gi", spec: "{volumeSize: 1Gi, volume: {accessMode: ReadWriteMany}}", want: "spec.volume.accessMode: Invalid value: accessMode cannot change"},
	}
	for kind, crd := range crds(t) {
		server := newAPIServer(t, crd)
		for name, tc := range cases {
			t.Run(kind+"/"+name, func(t *testing.T) {
				check(t, tc.reason, server.validate(t, withImage(tc.spec), withImage(tc.old)), tc.want)
			})
		}
	}
}

// TestDuplicates has what the real API server refuses because of the list's
// type, and the CLI overlooks.
func TestDuplicates(t *testing.T) {
	cases := map[string]struct {
		reason string
		spec   string
		want   string
	}{
		"Env":              {reason: "A variable has one value.", spec: "env: [{name: A, value: one}, {name: A, value: two}]", want: "spec.env[1]: Duplicate value"},
		"ImagePullSecrets": {reason: "Naming a Secret twice is a mistake.", spec: "imagePullSecrets: [{name: a}, {name: a}]", want: "spec.imagePullSecrets[1]: Duplicate value"},
	}
	for kind, crd := range crds(t) {
		server := newAPIServer(t, crd)
		for name, tc := range cases {
			t.Run(kind+"/"+name, func(t *testing.T) {
				check(t, tc.reason, server.validate(t, withImage(tc.spec), ""), tc.want)
			})
		}
	}
}

// TestLargest checks that the longest lists that the schema allows do not
// exhaust what the API server lets rules cost.
func TestLargest(t *testing.T) {
	var spec strings.Builder
	spec.WriteString("image: jupyter/base-notebook\nenv:\n")
	for i := range 256 {
		fmt.Fprintf(&spec, "- {name: %s_%d, value: x}\n", strings.Repeat("LONG_NAME_", 6), i)
	}
	spec.WriteString("mounts:\n")
	for i := range 64 {
		fmt.Fprintf(&spec, "- {mountPath: /%s/%d, secret: s}\n", strings.Repeat("folder", 20), i)
	}
	for kind, crd := range crds(t) {
		t.Run(kind, func(t *testing.T) {
			check(t, "A claim that the schema allows must not cost too much.", newAPIServer(t, crd).validate(t, spec.String(), ""), "")
		})
	}
}

func withImage(spec string) string {
	if fields, ok := strings.CutPrefix(spec, "{"); ok {
		return "{image: jupyter/base-notebook, " + fields
	}
	return "image: jupyter/base-notebook\n" + spec
}

func check(t *testing.T, reason string, errs field.ErrorList, want string) {
	t.Helper()
	switch {
	case want == "" && len(errs) > 0:
		t.Errorf("%s\nrefused: %v", reason, errs.ToAggregate())
	case want != "" && (len(errs) != 1 || !strings.Contains(errs[0].Error(), want)):
		t.Errorf("%s\nwant one error with %q, got: %v", reason, want, errs.ToAggregate())
	}
}
