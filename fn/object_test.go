package fn

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
)

const observedDeployment = `
metadata:
  name: nb
  annotations: {note: hello, number: 5}
  deletionTimestamp: "2026-11-30T12:00:00Z"
  ownerReferences:
  - {kind: Namespace, uid: first}
  - not an owner
  - {kind: JupyterNotebook, uid: second, controller: true}
  - {kind: JupyterNotebook, uid: third, controller: true}
spec: {replicas: 2.9, paused: false, empty: {}}
status:
  conditions:
  - {type: Progressing, reason: A}
  - {reason: no type}
  - {type: Available, reason: B}
  - {type: Available, reason: C}
`

func TestObjectAt(t *testing.T) {
	o := objectOf(t, observedDeployment)
	cases := map[string]struct {
		reason string
		object object
		path   []string
		want   any
	}{
		"Text":          {reason: "A field of a field.", object: o, path: []string{"metadata", "name"}, want: "nb"},
		"False":         {reason: "What is false is there.", object: o, path: []string{"spec", "paused"}, want: false},
		"Empty":         {reason: "What is empty is there.", object: o, path: []string{"spec", "empty"}, want: map[string]any{}},
		"Missing":       {reason: "What is missing is nil.", object: o, path: []string{"spec", "template", "spec"}},
		"ThroughScalar": {reason: "Nothing is inside of text.", object: o, path: []string{"metadata", "name", "first"}},
		"ThroughList":   {reason: "Nothing of a name is inside of a list.", object: o, path: []string{"status", "conditions", "type"}},
		"NoPath":        {reason: "No path leads nowhere.", object: o},
		"NoObject":      {reason: "Nothing is inside of nothing.", object: object{}, path: []string{"metadata", "name"}},
		"NoFields":      {reason: "Nothing is inside of an empty object.", object: object{&structpb.Struct{}}, path: []string{"metadata"}},
		"NilValue":      {reason: "A damaged request may have no value at a name.", object: object{&structpb.Struct{Fields: map[string]*structpb.Value{"metadata": nil}}}, path: []string{"metadata", "name"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got any
			if v := tc.object.at(tc.path...); v != nil {
				got = v.AsInterface()
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nat(%q): -want, +got:\n%s", tc.reason, tc.path, diff)
			}
		})
	}
}

func TestObjectReaders(t *testing.T) {
	o := objectOf(t, observedDeployment)
	cases := map[string]struct {
		reason string
		read   func(object) any
		want   any
		// none is what is read of an object that does not exist.
		none any
	}{
		"exists":               {reason: "An object that was sent exists.", read: func(o object) any { return o.exists() }, want: true, none: false},
		"text":                 {reason: "Text is read.", read: func(o object) any { return o.text("metadata", "name") }, want: "nb", none: ""},
		"text of a number":     {reason: "A number is not text.", read: func(o object) any { return o.text("spec", "replicas") }, want: "", none: ""},
		"number":               {reason: "Numbers are whole in Kubernetes.", read: func(o object) any { return o.number("spec", "replicas") }, want: int64(2), none: int64(0)},
		"number of text":       {reason: "Text is not a number.", read: func(o object) any { return o.number("metadata", "name") }, want: int64(0), none: int64(0)},
		"list":                 {reason: "What is no object is left out.", read: func(o object) any { return len(o.list("metadata", "ownerReferences")) }, want: 3, none: 0},
		"list of text":         {reason: "Text is not a list.", read: func(o object) any { return len(o.list("metadata", "name")) }, want: 0, none: 0},
		"annotation":           {reason: "Annotations are text.", read: func(o object) any { return o.annotation("note") }, want: "hello", none: ""},
		"annotation of number": {reason: "Annotations are text.", read: func(o object) any { return o.annotation("number") }, want: "", none: ""},
		"annotation missing":   {reason: "An annotation that is missing is empty.", read: func(o object) any { return o.annotation("x") }, want: "", none: ""},
		"deleting":             {reason: "A deletion has a time.", read: func(o object) any { return o.deleting() }, want: true, none: false},
		"controller":           {reason: "The controller is one of the owners.", read: func(o object) any { return o.controller() }, want: "second", none: ""},
		"condition":            {reason: "The first of its type counts.", read: func(o object) any { return o.condition("Available").text("reason") }, want: "B", none: ""},
		"condition missing":    {reason: "A condition that is missing does not exist.", read: func(o object) any { return o.condition("ReplicaFailure").exists() }, want: false, none: false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.read(o)); diff != "" {
				t.Errorf("\n%s\n%s: -want, +got:\n%s", tc.reason, name, diff)
			}
			if diff := cmp.Diff(tc.none, tc.read(object{})); diff != "" {
				t.Errorf("\nNothing is read of nothing.\n%s: -want, +got:\n%s", name, diff)
			}
		})
	}
}

func TestObjectOfItsOwn(t *testing.T) {
	o := objectOf(t, "{metadata: {name: nb, ownerReferences: [{uid: a}, {uid: b, controller: false}]}}")
	if got := o.controller(); got != "" {
		t.Errorf("controller: want none, because no owner is one, got %q", got)
	}
	if o.deleting() {
		t.Error("deleting: want false, because nobody deletes the object")
	}
}
