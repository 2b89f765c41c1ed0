package main

import (
	"bytes"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
)

const (
	managed   = `{"apiVersion":"v1","metadata":{"managedFields":[{"manager":"a"}],"name":"a"},"spec":{"metadata":{"managedFields":[1]}}}`
	unmanaged = `{"apiVersion":"v1","metadata":{"name":"a"},"spec":{"metadata":{"managedFields":[1]}}}`
)

// request with an object wherever a request has one.
func request(sent, passedOn string) *fnv1.RunFunctionRequest {
	state := func(object string) *fnv1.State {
		r := &fnv1.Resource{Resource: resource.MustStructJSON(object), Ready: fnv1.Ready_READY_TRUE}
		return &fnv1.State{Composite: r, Resources: map[string]*fnv1.Resource{"a": r, "b": r}}
	}
	return &fnv1.RunFunctionRequest{
		Meta:              &fnv1.RequestMeta{Tag: "tag"},
		Observed:          state(sent),
		Desired:           state(passedOn),
		Input:             resource.MustStructJSON(passedOn),
		Context:           resource.MustStructJSON(passedOn),
		RequiredResources: map[string]*fnv1.Resources{"c": {Items: []*fnv1.Resource{{Resource: resource.MustStructJSON(sent)}, {}}}},
	}
}

func TestUnmarshal(t *testing.T) {
	cases := map[string]struct {
		reason string
		sent   proto.Message
		want   proto.Message
	}{
		"Request": {
			reason: "Only the managed fields of observed and required objects are left out: what is passed on stays whole.",
			sent:   request(managed, managed),
			want:   request(unmanaged, managed),
		},
		"Other": {
			reason: "Other messages are not touched.",
			sent:   resource.MustStructJSON(managed),
			want:   resource.MustStructJSON(managed),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := newCodec()
			b, err := c.Marshal(tc.sent)
			if err != nil {
				t.Fatal(err)
			}
			got := tc.want.ProtoReflect().New().Interface()
			if err := c.Unmarshal(b, got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got, protocmp.Transform(), protocmp.IgnoreUnknown()); diff != "" {
				t.Errorf("%s\nUnmarshal(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// Whatever happened to a request, this codec reads from it what gRPC's own does,
// the managed fields aside.
func TestUnmarshalDamaged(t *testing.T) {
	whole, err := proto.MarshalOptions{Deterministic: true}.Marshal(request(managed, `{}`))
	if err != nil {
		t.Fatal(err)
	}
	c := newCodec()
	read := 0
	for i := range whole {
		for _, damage := range [][]byte{{}, {0}, {whole[i] + 1}, {whole[i] | 0x80}, {whole[i], whole[i]}} {
			b := bytes.Join([][]byte{whole[:i], damage, whole[i+1:]}, nil)
			want, got := &fnv1.RunFunctionRequest{}, &fnv1.RunFunctionRequest{}
			if proto.Unmarshal(b, want) != nil {
				_ = c.Unmarshal(mem.BufferSlice{mem.SliceBuffer(b)}, got) // It must not panic.
				continue
			}
			read++
			if err := c.Unmarshal(mem.BufferSlice{mem.SliceBuffer(b)}, got); err != nil {
				t.Fatalf("byte %d as %v: %v", i, damage, err)
			}
			forget(want)
			forget(got)
			if !proto.Equal(want, got) {
				t.Fatalf("byte %d as %v: -want, +got:\n%s", i, damage, cmp.Diff(want, got, protocmp.Transform()))
			}
		}
	}
	if read < len(whole) {
		t.Errorf("only %d damaged requests of %d could be read", read, 5*len(whole))
	}
}

// A tag may take more bytes than it needs. Nobody sends one, and it must not
// shift what follows it.
func TestUnmarshalLongTag(t *testing.T) {
	field := func(number protowire.Number, parts ...string) string {
		return string(protowire.AppendString(protowire.AppendTag(nil, number, protowire.BytesType), strings.Join(parts, "")))
	}
	entry := "\x8a\x00" + field(1, field(1, "managedFields"), field(2))[1:]
	object := field(1, field(1, "metadata"), field(2, field(5, entry)))
	b := []byte(field(2, field(1, field(1, object))))
	want, got := &fnv1.RunFunctionRequest{}, &fnv1.RunFunctionRequest{}
	if err := proto.Unmarshal(b, want); err != nil {
		t.Fatal(err)
	}
	if err := newCodec().Unmarshal(mem.BufferSlice{mem.SliceBuffer(b)}, got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Errorf("Unmarshal(...): -want, +got:\n%s", diff)
	}
}

// forget the managed fields of a request, decoded or not.
func forget(req *fnv1.RunFunctionRequest) {
	objects := []*structpb.Struct{req.GetObserved().GetComposite().GetResource()}
	for _, r := range req.GetObserved().GetResources() {
		objects = append(objects, r.GetResource())
	}
	for _, rs := range req.GetRequiredResources() {
		for _, r := range rs.GetItems() {
			objects = append(objects, r.GetResource())
		}
	}
	for _, o := range objects {
		if meta := o.GetFields()["metadata"].GetStructValue(); meta != nil {
			delete(meta.GetFields(), "managedFields")
			meta.ProtoReflect().SetUnknown(nil)
		}
	}
}
