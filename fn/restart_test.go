package fn

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestHoldBack checks that only a user restarts a server that runs.
func TestHoldBack(t *testing.T) {
	const (
		old   = `{metadata: {annotations: {v: "1"}}, spec: {containers: [{name: notebook, image: jupyter/a, terminationMessagePath: /dev/termination-log}], dnsPolicy: ClusterFirst}}`
		next  = `{metadata: {annotations: {v: "2"}}, spec: {containers: [{name: notebook, image: jupyter/a}]}}`
		spec  = `image: jupyter/a`
		asIs  = `{"image":"jupyter/a"}`
		other = `{"image":"jupyter/b"}`
	)
	deployment := func(replicas, accepted, hash, template string) string {
		if hash != "" {
			hash = `, mlops.function-jupyter.dev/pod: ` + hash
		}
		return `{metadata: {annotations: {mlops.function-jupyter.dev/accepted-spec: '` + accepted + `'` + hash + `}}, spec: {replicas: ` + replicas + `, template: ` + template + `}}`
	}
	type want struct {
		Changes  []string
		Template string
		Hash     string
	}
	changed := want{Template: next, Hash: "h2"}
	cases := map[string]struct {
		reason   string
		wanted   string
		observed string
		pod      string
		want     want
	}{
		"New":         {reason: "Nothing runs yet.", wanted: deployment("1", asIs, "h2", next), want: changed},
		"Same":        {reason: "The function makes the pod that it made.", wanted: deployment("1", asIs, "h2", next), observed: deployment("1", asIs, "h2", old), want: changed},
		"NewFunction": {reason: "A user did not ask for that.", wanted: deployment("1", asIs, "h2", next), observed: deployment("1", asIs, "h1", old), want: want{[]string{"metadata.annotations.v"}, old, "h1"}},
		"OldFunction": {reason: "A version that noted no hash made it.", wanted: deployment("1", asIs, "h2", next), observed: deployment("1", asIs, "", old), want: want{[]string{"metadata.annotations.v"}, old, ""}},
		"OnlyLess": {
			reason:   "What is not set any more cannot be told from a default.",
			wanted:   deployment("1", asIs, "h2", `{spec: {containers: [{name: notebook, image: jupyter/a}]}}`),
			observed: deployment("1", asIs, "h1", old),
			want:     want{[]string{"fields that are not set any more"}, old, "h1"},
		},
		"NoAgent": {
			reason:   "A list that is not wanted any more would look like a default.",
			wanted:   deployment("1", asIs, "h2", `{spec: {containers: [{name: notebook}]}}`),
			observed: deployment("1", asIs, "h1", `{spec: {containers: [{name: notebook}], initContainers: [{name: activity-agent}]}}`),
			want:     want{[]string{"initContainers[activity-agent]"}, `{spec: {containers: [{name: notebook}], initContainers: [{name: activity-agent}]}}`, "h1"},
		},
		"NeverRan": {
			reason: "What the platform did wrong heals when it is corrected.",
			wanted: deployment("1", asIs, "h2", next), observed: deployment("1", asIs, "h1", old),
			pod:  `{status: {phase: Pending, initContainerStatuses: [{name: activity-agent, state: {waiting: {reason: ImagePullBackOff}}}], containerStatuses: [{name: notebook, state: {waiting: {reason: PodInitializing}}}]}}`,
			want: changed,
		},
		"RanBefore": {
			reason: "Files of a server without a volume live as long as its pod.",
			wanted: deployment("1", asIs, "h2", next), observed: deployment("1", asIs, "h1", old),
			pod:  `{status: {phase: Pending, containerStatuses: [{name: notebook, state: {waiting: {reason: CrashLoopBackOff}}, lastState: {terminated: {exitCode: 1}}}]}}`,
			want: want{[]string{"metadata.annotations.v"}, old, "h1"},
		},
		"Edited":   {reason: "A user asked for another pod, and gets all of it.", wanted: deployment("1", asIs, "h2", next), observed: deployment("1", other, "h1", old), want: changed},
		"Stopping": {reason: "The server ends anyway.", wanted: deployment("0", asIs, "h2", next), observed: deployment("1", asIs, "h1", old), want: changed},
		"Starting": {reason: "It did not run.", wanted: deployment("1", asIs, "h2", next), observed: deployment("0", asIs, "h1", old), want: changed},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := plan{spec: specOf(t, spec), accepted: asIs}
			c, wanted, observed := &composition{}, objectOf(t, tc.wanted), object{}
			if tc.observed != "" {
				observed = objectOf(t, tc.observed)
			}
			w := world{fetched: fetchedOf(t, map[string]string{requiredPods: tc.pod})}
			got := want{Changes: c.holdBack(wanted, observed, p, w), Hash: wanted.annotation(annotationPod)}
			if diff := cmp.Diff(want{Changes: tc.want.Changes, Hash: tc.want.Hash}, got); diff != "" {
				t.Errorf("\n%s\nholdBack(...): -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(objectOf(t, tc.want.Template).AsMap(), wanted.at("spec", "template").GetStructValue().AsMap()); diff != "" {
				t.Errorf("\n%s\nholdBack(...): the template: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestDifferences(t *testing.T) {
	cases := map[string]struct {
		reason     string
		want, have string
		paths      []string
	}{
		"Same":     {reason: "Nothing differs.", want: `{spec: {a: 1}}`, have: `{spec: {a: 1}}`},
		"Default":  {reason: "What only exists may be a default.", want: `{spec: {a: 1}}`, have: `{spec: {a: 1, b: 2}}`},
		"Changed":  {reason: "The path is short.", want: `{spec: {a: {b: 1}}}`, have: `{spec: {a: {b: 2}}}`, paths: []string{"a.b"}},
		"Added":    {reason: "A new field is named whole.", want: `{spec: {a: {b: {c: 1}}}}`, have: `{spec: {a: {}}}`, paths: []string{"a.b.c"}},
		"Element":  {reason: "Elements have names.", want: `{spec: {a: [{name: x, v: 1}, {name: z}]}}`, have: `{spec: {a: [{name: z}, {name: x, v: 2}]}}`, paths: []string{"a[x].v"}},
		"Elements": {reason: "They come and go.", want: `{spec: {a: [{name: x}]}}`, have: `{spec: {a: [{name: z}]}}`, paths: []string{"a[x]", "a[z]"}},
		"List":     {reason: "A list without names is one value.", want: `{spec: {a: [1, 2]}}`, have: `{spec: {a: [1]}}`, paths: []string{"a"}},
		"Kinds":    {reason: "A value of another kind is another value.", want: `{spec: {a: [{name: x}]}}`, have: `{spec: {a: 5}}`, paths: []string{"a"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := differences("", object{objectOf(t, `{o: `+tc.want+`}`).Struct}.at("o"), object{objectOf(t, `{o: `+tc.have+`}`).Struct}.at("o"))
			if diff := cmp.Diff(tc.paths, got); diff != "" {
				t.Errorf("\n%s\ndifferences(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestPendingRestart(t *testing.T) {
	got := pendingRestart(strings.Split("abcdefg", ""))
	want := "the server's pod would be made in another way now (a, b, c, d, e and 2 more), which waits for the server's next restart: set restartedAt to a new time when it suits you"
	if got != want {
		t.Errorf("pendingRestart(...): want %q, got %q", want, got)
	}
}
