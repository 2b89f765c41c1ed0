package fn

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/randfill"
)

// TestEncodeLikeKubernetes compares with Kubernetes' own converter, over random
// objects of all kinds that the function composes.
func TestEncodeLikeKubernetes(t *testing.T) {
	fill := randfill.NewWithSeed(1).NilChance(0.3).NumElements(0, 3).MaxDepth(12).Funcs(
		func(q *resource.Quantity, c randfill.Continue) {
			*q = *resource.NewMilliQuantity(c.Int63n(1e9), resource.DecimalSI)
		},
		func(t *metav1.Time, c randfill.Continue) { *t = metav1.Unix(c.Int63n(1e9), 0) },
		func(v *intstr.IntOrString, c randfill.Continue) { *v = intstr.FromString(c.String(8)) },
		func(f *metav1.FieldsV1, _ randfill.Continue) { f.Raw = []byte(`{"f:metadata":{}}`) },
		func(n *int64, c randfill.Continue) { *n = c.Int63n(1 << 40) },
		func(s *string, c randfill.Continue) { *s = "abcdefghijklmnopqrstuvwxyz"[c.Intn(26):][:1] },
	)
	kinds := map[string]func() any{
		"PersistentVolumeClaim": func() any { return &corev1.PersistentVolumeClaim{} },
		"Secret":                func() any { return &corev1.Secret{} },
		"Deployment":            func() any { return &appsv1.Deployment{} },
		"Service":               func() any { return &corev1.Service{} },
		"NetworkPolicy":         func() any { return &networkingv1.NetworkPolicy{} },
	}
	for kind, fresh := range kinds {
		t.Run(kind, func(t *testing.T) {
			for range 100 {
				o := fresh()
				fill.Fill(o)
				want, err := viaMap(kind, o)
				if err != nil {
					t.Fatalf("Kubernetes' converter: %v", err)
				}
				got, err := encode(identity{apiVersion: "v1", kind: kind}, o)
				if err != nil {
					t.Fatalf("encode(%s): %v", kind, err)
				}
				if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
					t.Fatalf("encode(%s): -want, +got:\n%s", kind, diff)
				}
			}
		})
	}
}

func viaMap(kind string, o any) (*structpb.Struct, error) {
	m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return nil, err
	}
	m["apiVersion"], m["kind"] = "v1", kind
	delete(m, "status")
	return structpb.NewStruct(m)
}

func TestEncodeUnknown(t *testing.T) {
	if _, err := encodeValue(reflect.ValueOf(make(chan int))); err == nil {
		t.Error("encodeValue(chan int): want an error, because it has no JSON")
	}
}

func BenchmarkEncode(b *testing.B) {
	nb := notebook{name: "alpha", namespace: "team-a"}
	id := identities(nb.name)[2]
	o := server(meta(id, nb), nb, plan{spec: specOf(b, exampleSpec)}, "alpha-workspace", "token")
	b.Run("Direct", func(b *testing.B) {
		for b.Loop() {
			if _, err := encode(id, o); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("ViaMap", func(b *testing.B) {
		for b.Loop() {
			if _, err := viaMap(id.kind, o); err != nil {
				b.Fatal(err)
			}
		}
	})
}
