package main

import (
	"testing"

	xpv1 "github.com/crossplane/crossplane/apis/v2/apiextensions/v1"
	"github.com/google/go-cmp/cmp"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"
)

// exampleCRD of one kind, with what controller-gen adds at the top of a schema.
const exampleCRD = `
spec:
  group: example.org
  names: {kind: Thing, listKind: ThingList, plural: things, singular: thing, shortNames: [th], categories: [all]}
  scope: Namespaced
  versions:
  - name: v1
    additionalPrinterColumns:
    - {name: SIZE, type: string, jsonPath: .status.size}
    schema:
      openAPIV3Schema:
        description: Thing is a thing.
        type: object
        required: [metadata, spec, status]
        properties:
          apiVersion: {type: string}
          kind: {type: string}
          metadata: {type: object}
          spec:
            description: Spec of a thing.
            type: object
            required: [size]
            x-kubernetes-validations:
            - {rule: "self.size != 3", fieldPath: .size, message: three is taken}
            - {rule: "true", fieldPath: .parts.name, message: names are final}
            properties:
              size: {type: integer, description: "Size of it.\nThe default is 1. It can grow."}
              parts:
                description: Parts of it.
                type: object
                x-kubernetes-validations:
                - {rule: has(self.name), reason: FieldValueRequired, fieldPath: .name, message: write a name}
                properties:
                  name: {type: string, description: Name of a|b.}
                  kind: {type: string, enum: [Big, Small]}
              env: {type: array, maxItems: 2, items: {type: object}}
          status:
            type: object
            properties:
              size: {type: string, description: Size that it has.}
    served: true
    storage: true
`

func example(t *testing.T) *extv1.CustomResourceDefinition {
	t.Helper()
	crd := &extv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict([]byte(exampleCRD), crd); err != nil {
		t.Fatal(err)
	}
	return crd
}

// exampleVersion of a definition made of exampleCRD.
const exampleVersion = `
  versions:
  - name: v1
    served: true
    referenceable: true
    additionalPrinterColumns:
    - {name: SIZE, type: string, jsonPath: .status.size}
`

func parse(t *testing.T, definition string) *xpv1.CompositeResourceDefinition {
	t.Helper()
	xrd := &xpv1.CompositeResourceDefinition{}
	if err := yaml.UnmarshalStrict([]byte(definition), xrd); err != nil {
		t.Fatal(err)
	}
	return xrd
}

func TestXRD(t *testing.T) {
	cases := map[string]struct {
		reason   string
		generate func(*extv1.CustomResourceDefinition) ([]byte, error)
		want     string
	}{
		"Claims": {
			reason:   "The kind is the claim's, and a composite resource stands behind it.",
			generate: claimXRD,
			want: `
apiVersion: apiextensions.crossplane.io/v1
kind: CompositeResourceDefinition
metadata: {name: xthings.example.org}
spec:
  group: example.org
  names: {kind: XThing, listKind: XThingList, plural: xthings, singular: xthing, categories: [all]}
  claimNames: {kind: Thing, listKind: ThingList, plural: things, singular: thing, shortNames: [th], categories: [all]}
  connectionSecretKeys: [url, token]
  defaultCompositionRef: {name: xthings.example.org}
`,
		},
		"Namespaced": {
			reason:   "The kind is the composite resource's own, in a namespace.",
			generate: namespacedXRD,
			want: `
apiVersion: apiextensions.crossplane.io/v2
kind: CompositeResourceDefinition
metadata: {name: things.example.org}
spec:
  group: example.org
  names: {kind: Thing, listKind: ThingList, plural: things, singular: thing, shortNames: [th], categories: [all]}
  scope: Namespaced
  defaultCompositionRef: {name: things.example.org}
`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			data, err := tc.generate(example(t))
			if err != nil {
				t.Fatal(err)
			}
			got, want := parse(t, string(data)), parse(t, tc.want+exampleVersion)
			got.Spec.Versions[0].Schema = nil // TestSchema has it.
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestSchema(t *testing.T) {
	cases := map[string]struct {
		reason string
		schema extv1.JSONSchemaProps
		want   extv1.JSONSchemaProps
	}{
		"CrossplanesFields": {
			reason: "What Crossplane declares itself must not be in the definition.",
			schema: extv1.JSONSchemaProps{
				Required:   []string{"metadata", "spec"},
				Properties: map[string]extv1.JSONSchemaProps{"kind": {}, "metadata": {}, "spec": {}, "status": {}},
			},
			want: extv1.JSONSchemaProps{
				Required:   []string{"spec"},
				Properties: map[string]extv1.JSONSchemaProps{"spec": {}, "status": {}},
			},
		},
		"Quantities": {
			reason: "Quantities are bounded wherever they are.",
			schema: specOf(extv1.JSONSchemaProps{AdditionalProperties: &extv1.JSONSchemaPropsOrBool{Schema: &extv1.JSONSchemaProps{XIntOrString: true}}}),
			want: specOf(extv1.JSONSchemaProps{AdditionalProperties: &extv1.JSONSchemaPropsOrBool{
				Schema: &extv1.JSONSchemaProps{XIntOrString: true, MaxLength: ptr.To[int64](64)},
			}}),
		},
		"Keys": {
			reason: "Keys of lists are bounded, unless they are already.",
			schema: specOf(extv1.JSONSchemaProps{XListMapKeys: []string{"name", "path"}, Items: &extv1.JSONSchemaPropsOrArray{
				Schema: &extv1.JSONSchemaProps{Properties: map[string]extv1.JSONSchemaProps{"name": {}, "path": {MaxLength: ptr.To[int64](512)}, "value": {}}},
			}}),
			want: specOf(extv1.JSONSchemaProps{XListMapKeys: []string{"name", "path"}, Items: &extv1.JSONSchemaPropsOrArray{
				Schema: &extv1.JSONSchemaProps{Properties: map[string]extv1.JSONSchemaProps{"name": {MaxLength: ptr.To[int64](253)}, "path": {MaxLength: ptr.To[int64](512)}, "value": {}}},
			}}),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(&tc.want, schema(&tc.schema)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func specOf(field extv1.JSONSchemaProps) extv1.JSONSchemaProps {
	return extv1.JSONSchemaProps{
		Required:   []string{"spec"},
		Properties: map[string]extv1.JSONSchemaProps{"spec": {Properties: map[string]extv1.JSONSchemaProps{"field": field}}},
	}
}
