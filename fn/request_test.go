package fn

import (
	"testing"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
)

func TestReadNotebook(t *testing.T) {
	const apiVersion = "apiVersion: mlops.function-jupyter.dev/v1\n"
	type want struct {
		nb  notebook
		err string
	}
	cases := map[string]struct {
		reason string
		xr     object
		want   want
	}{
		"Claim": {
			reason: "Everything is named after the claim, and not after its composite resource.",
			xr: objectOf(t, apiVersion+`
kind: XJupyterNotebook
metadata: {name: nb-x7k2f, uid: "123", creationTimestamp: "2026-11-30T12:00:00Z"}
spec: {claimRef: {name: nb, namespace: team-a}, image: a}
`),
			want: want{nb: notebook{name: "nb", namespace: "team-a", uid: "123", applierSince: "2026-11-30T12:00:00Z", asked: objectOf(t, "{claimRef: {name: nb, namespace: team-a}, image: a}")}},
		},
		"Namespaced": {
			reason: "A namespaced composite resource has no claim.",
			xr: objectOf(t, apiVersion+`
kind: JupyterNotebook
metadata: {name: nb, namespace: team-b, uid: "123", creationTimestamp: "2026-11-30T12:00:00Z"}
spec: {image: a}
`),
			want: want{nb: notebook{name: "nb", namespace: "team-b", uid: "123", asked: objectOf(t, "{image: a}")}},
		},
		"NamespacedWithClaimRef": {
			reason: "A user of the namespaced variant may write what is not in its schema, and does not leave the namespace by it.",
			xr: objectOf(t, apiVersion+`
kind: JupyterNotebook
metadata: {name: nb, namespace: team-b}
spec: {claimRef: {name: other, namespace: kube-system}}
`),
			want: want{nb: notebook{name: "nb", namespace: "team-b", asked: objectOf(t, "{claimRef: {name: other, namespace: kube-system}}")}},
		},
		"NoClaim": {
			reason: "A composite resource without a claim belongs to no namespace.",
			xr:     objectOf(t, apiVersion+"kind: XJupyterNotebook\nmetadata: {name: nb}\nspec: {image: a}"),
			want:   want{nb: notebook{asked: objectOf(t, "{image: a}")}},
		},
		"NoSpec": {
			reason: "What is missing is for validation to say.",
			xr:     objectOf(t, apiVersion+"kind: JupyterNotebook\nmetadata: {name: nb, namespace: team-b}"),
			want:   want{nb: notebook{name: "nb", namespace: "team-b"}},
		},
		"SpecOfText": {
			reason: "A damaged request is not worse than an empty one.",
			xr:     objectOf(t, apiVersion+"kind: JupyterNotebook\nmetadata: {name: nb, namespace: team-b}\nspec: x"),
			want:   want{nb: notebook{name: "nb", namespace: "team-b"}},
		},
		"NoComposite": {
			reason: "The function was called for nothing.",
			want:   want{err: "the request has no observed composite resource"},
		},
		"OtherKind": {
			reason: "The function was called in another Composition.",
			xr:     objectOf(t, apiVersion+"kind: Database"),
			want:   want{err: "cannot compose mlops.function-jupyter.dev/v1 Database: this function composes JupyterNotebook and XJupyterNotebook of mlops.function-jupyter.dev/v1"},
		},
		"OtherVersion": {
			reason: "Another version may have other fields.",
			xr:     objectOf(t, "apiVersion: mlops.function-jupyter.dev/v2\nkind: JupyterNotebook"),
			want:   want{err: "cannot compose mlops.function-jupyter.dev/v2 JupyterNotebook: this function composes JupyterNotebook and XJupyterNotebook of mlops.function-jupyter.dev/v1"},
		},
		"OtherGroup": {
			reason: "Kubeflow's notebooks are others.",
			xr:     objectOf(t, "apiVersion: kubeflow.org/v1\nkind: JupyterNotebook"),
			want:   want{err: "cannot compose kubeflow.org/v1 JupyterNotebook: this function composes JupyterNotebook and XJupyterNotebook of mlops.function-jupyter.dev/v1"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := &fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: tc.xr.Struct}}}
			nb, err := readNotebook(req, time.Time{})
			nb.was = object{} // It is the request's, as it is.
			got := want{nb: nb}
			if err != nil {
				got.err = err.Error()
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{}, notebook{}), protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nreadNotebook(…): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestReadNotebookOfNothing(t *testing.T) {
	for name, req := range map[string]*fnv1.RunFunctionRequest{
		"Nil":         nil,
		"Empty":       {},
		"NoComposite": {Observed: &fnv1.State{}},
		"NoResource":  {Observed: &fnv1.State{Composite: &fnv1.Resource{}}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := readNotebook(req, testTime); err == nil {
				t.Error("readNotebook: want an error, because there is nothing to read")
			}
		})
	}
}

func TestUnheard(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	cases := map[string]struct {
		reason     string
		responsive string
		want       bool
	}{
		"Unsaid": {reason: "Older versions of Crossplane do not say.", responsive: `{}`},
		"Heard":  {reason: "The circuit is closed.", responsive: `{status: "True", lastTransitionTime: "2026-11-30T11:59:00Z"}`},
		"Unheard": {
			reason:     "Crossplane leaves out what happens now.",
			responsive: `{status: "False", lastTransitionTime: "2026-11-30T11:56:00Z"}`, want: true,
		},
		"ClockBehind": {
			reason:     "Crossplane's clock may be before ours.",
			responsive: `{status: "False", lastTransitionTime: "2026-11-30T12:00:03Z"}`, want: true,
		},
		"LongAgo":  {reason: "The next event will be heard.", responsive: `{status: "False", lastTransitionTime: "2026-11-30T11:54:00Z"}`},
		"SomeTime": {reason: "What cannot be read does not make Crossplane busy for ever.", responsive: `{status: "False", lastTransitionTime: soon}`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := unheard(objectOf(t, tc.responsive), now); got != tc.want {
				t.Errorf("\n%s\nunheard(…): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}
