package fn

import (
	"maps"
	"slices"
	"testing"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// allOf are all objects of keptSpec, with that server.
func allOf(server string) map[string]string {
	return map[string]string{keyWorkspace: boundPVC, keyAccess: testAccess, keyServer: server, keyService: `spec: {type: ClusterIP}`, keyNetwork: `{}`}
}

// TestReport checks what Crossplane makes of a notebook.
func TestReport(t *testing.T) {
	type want struct {
		Ready   fnv1.Ready
		Objects map[string]fnv1.Ready
		TTL     time.Duration
	}
	const yes, no = fnv1.Ready_READY_TRUE, fnv1.Ready_READY_FALSE
	cases := map[string]struct {
		reason   string
		spec     string
		composed map[string]string
		want     want
	}{
		"New": {
			reason: "Nothing is ready that nobody has seen.",
			spec:   lostSpec,
			want:   want{Ready: no, Objects: map[string]fnv1.Ready{keyAccess: no, keyServer: no, keyService: no, keyNetwork: no}, TTL: time.Minute},
		},
		"Ready": {
			reason: "Nothing is pending that Crossplane does not watch.",
			spec:   keptSpec, composed: allOf(keptServer + serving),
			want: want{Ready: yes, Objects: map[string]fnv1.Ready{keyWorkspace: yes, keyAccess: yes, keyServer: yes, keyService: yes, keyNetwork: yes}, TTL: time.Hour},
		},
		"Starting": {
			reason: "One object that is not ready is enough.",
			spec:   keptSpec, composed: allOf(keptServer + booting),
			want: want{Ready: no, Objects: map[string]fnv1.Ready{keyWorkspace: yes, keyAccess: yes, keyServer: no, keyService: yes, keyNetwork: yes}, TTL: time.Minute},
		},
		"RollingOut": {
			reason: "The server is ready, and not the one that is asked for.",
			spec:   `{image: jupyter/b, volumeSize: 10Gi}`, composed: allOf(keptServer + serving),
			want: want{Ready: no, Objects: map[string]fnv1.Ready{keyWorkspace: yes, keyAccess: yes, keyServer: yes, keyService: yes, keyNetwork: yes}, TTL: time.Minute},
		},
		"Stopped": {
			reason: "A stopped notebook is what its user wants.",
			spec:   `{image: jupyter/a, volumeSize: 10Gi, stopped: true}`, composed: allOf(stoppedServer + `{observedGeneration: 3}`),
			want: want{Ready: yes, Objects: map[string]fnv1.Ready{keyWorkspace: yes, keyAccess: yes, keyServer: yes, keyService: yes, keyNetwork: yes}, TTL: time.Hour},
		},
		"Failed": {
			reason: "Whatever corrects it is watched.",
			spec:   keptSpec, composed: allOf(keptServer + overPods),
			want: want{Ready: no, Objects: map[string]fnv1.Ready{keyWorkspace: yes, keyAccess: yes, keyServer: no, keyService: yes, keyNetwork: yes}, TTL: time.Hour},
		},
		"Nothing": {
			reason: "A notebook without objects is not ready.",
			want:   want{Ready: no, Objects: map[string]fnv1.Ready{}, TTL: time.Minute},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			rsp := reported(t, situationOf(t, tc.spec, tc.composed, nil), nil)
			got := want{Ready: rsp.GetDesired().GetComposite().GetReady(), Objects: map[string]fnv1.Ready{}, TTL: rsp.GetMeta().GetTtl().AsDuration()}
			for key, r := range rsp.GetDesired().GetResources() {
				got.Objects[key] = r.GetReady()
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nreport(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// reported is the response to a situation, after what earlier functions of the
// pipeline wanted.
func reported(t *testing.T, s situation, desired *fnv1.State) *fnv1.RunFunctionResponse {
	t.Helper()
	rsp := &fnv1.RunFunctionResponse{Meta: &fnv1.ResponseMeta{}, Desired: desired}
	if err := report(rsp, s); err != nil {
		t.Fatalf("report(...): %v", err)
	}
	return rsp
}

// TestReportNextToOthers: an earlier function of the pipeline keeps what it said,
// except where it says something about this notebook's own fields.
func TestReportNextToOthers(t *testing.T) {
	own := map[string]any{
		"phase": "Creating", "reason": "Creating", "message": "the notebook's objects are being created", "readyReplicas": 0.0,
		"url": "http://alpha.team-a.svc.cluster.local:8888", "image": "jupyter/a", "accessSecretRef": map[string]any{"name": "alpha-access"},
	}
	with := func(more map[string]any) map[string]any {
		m := maps.Clone(own)
		maps.Copy(m, more)
		return m
	}
	cases := map[string]struct {
		reason    string
		composite string
		want      map[string]any
	}{
		"Nothing":     {reason: "The function may be the first.", want: map[string]any{"status": own}},
		"Empty":       {reason: "A composite resource without fields is one, too.", composite: `{}`, want: map[string]any{"status": own}},
		"EmptyStatus": {reason: "So is a status without fields.", composite: `status: {}`, want: map[string]any{"status": own}},
		"NoStatus":    {reason: "A status that is none is replaced.", composite: `status: 7`, want: map[string]any{"status": own}},
		"OtherFields": {
			reason: "What others say stays.", composite: `{metadata: {labels: {a: b}}, status: {theirs: 1}}`,
			want: map[string]any{"metadata": map[string]any{"labels": map[string]any{"a": "b"}}, "status": with(map[string]any{"theirs": 1.0})},
		},
		"SameField": {reason: "The phase is this function's to say.", composite: `status: {phase: Theirs}`, want: map[string]any{"status": own}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			desired := &fnv1.State{Resources: map[string]*fnv1.Resource{"theirs": {Resource: objectOf(t, `kind: ConfigMap`).Struct, Ready: fnv1.Ready_READY_TRUE}}}
			if tc.composite != "" {
				desired.Composite = &fnv1.Resource{Resource: objectOf(t, tc.composite).Struct}
			}
			rsp := reported(t, situationOf(t, lostSpec, nil, nil), desired)
			if diff := cmp.Diff(tc.want, rsp.GetDesired().GetComposite().GetResource().AsMap()); diff != "" {
				t.Errorf("\n%s\nreport(...): composite: -want, +got:\n%s", tc.reason, diff)
			}
			theirs := &fnv1.Resource{Resource: objectOf(t, `kind: ConfigMap`).Struct, Ready: fnv1.Ready_READY_TRUE}
			if diff := cmp.Diff(theirs, rsp.GetDesired().GetResources()["theirs"], protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nreport(...): their object: -want, +got:\n%s", tc.reason, diff)
			}
			if got := len(rsp.GetDesired().GetResources()); got != 5 {
				t.Errorf("\n%s\nreport(...): want 4 objects next to theirs, got %d", tc.reason, got-1)
			}
		})
	}
}

// TestReportConditions: those of earlier functions stay, before this one's.
func TestReportConditions(t *testing.T) {
	rsp := &fnv1.RunFunctionResponse{Meta: &fnv1.ResponseMeta{}, Conditions: []*fnv1.Condition{{Type: "Theirs"}}}
	if err := report(rsp, situationOf(t, lostSpec, nil, nil)); err != nil {
		t.Fatalf("report(...): %v", err)
	}
	var types []string
	for _, c := range rsp.GetConditions() {
		types = append(types, c.GetType())
	}
	if diff := cmp.Diff([]string{"Theirs", "Accepted", "VolumeReady", "ServerReady", "RestartPending"}, types); diff != "" {
		t.Errorf("report(...): -want, +got:\n%s", diff)
	}
}

func TestReportRequirements(t *testing.T) {
	s := situationOf(t, lostSpec, nil, nil)
	if got := reported(t, s, nil).GetRequirements(); got != nil {
		t.Errorf("report(...): want no requirements, got %v", got)
	}
	s.required = map[string]*fnv1.ResourceSelector{"namespace": named("v1", "Namespace", "team-a", "")}
	got := reported(t, s, nil).GetRequirements().GetResources()
	if diff := cmp.Diff([]string{"namespace"}, slices.Sorted(maps.Keys(got))); diff != "" {
		t.Errorf("report(...): requirements: -want, +got:\n%s", diff)
	}
}

func TestConnectionDetails(t *testing.T) {
	const url = "http://alpha.team-a.svc.cluster.local:8888"
	composed := func(text string) map[string]string {
		return map[string]string{keyAccess: text, keyServer: lostServer + serving}
	}
	cases := map[string]struct {
		reason    string
		situation situation
		want      map[string][]byte
	}{
		"New":          {reason: "The token of the Secret that is being created.", situation: situationOf(t, lostSpec, nil, nil), want: map[string][]byte{"url": []byte(url), "token": []byte(testToken)}},
		"Observed":     {reason: "The token of the Secret that exists.", situation: situationOf(t, lostSpec, composed(`data: {token: YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWE=}`), nil), want: map[string][]byte{"url": []byte(url), "token": []byte("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")}},
		"Nothing":      {reason: "Nothing is composed, so nothing can be opened.", situation: situationOf(t, "", nil, nil)},
		"KeptUnusable": {reason: "A token that protects nothing is none.", situation: situationOf(t, "", composed(`data: {token: YQ==}`), nil)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, connectionDetails(tc.situation)); diff != "" {
				t.Errorf("\n%s\nconnectionDetails(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestTTL(t *testing.T) {
	want := map[v1.Phase]time.Duration{v1.PhaseCreating: time.Minute, v1.PhaseReady: time.Hour, v1.PhaseStopped: time.Hour, v1.PhaseFailed: time.Hour}
	for phase, d := range want {
		if got := ttl(situation{}, phase); got != d {
			t.Errorf("ttl(%s): want %s, got %s", phase, d, got)
		}
		if got := ttl(situation{notebook: notebook{unheard: true}}, phase); got != 10*time.Second {
			t.Errorf("ttl(%s) while events are left out: want 10s, got %s", phase, got)
		}
	}
}
