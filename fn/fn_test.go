package fn

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
)

const (
	// claimXR is the composite resource of a claim, less its spec.
	claimXR = `
apiVersion: mlops.function-jupyter.dev/v1
kind: XJupyterNotebook
metadata: {name: alpha-x7x2p, uid: xr-uid}
`
)

// requestFor a notebook, for which Crossplane found nothing in the way.
func requestFor(t testing.TB, xr string) *fnv1.RunFunctionRequest {
	t.Helper()
	fetched := map[string]string{requiredQuotas: ""}
	for _, key := range []string{keyWorkspace, keyAccess, keyServer, keyService, keyNetwork} {
		fetched[requiredExisting(key)] = ""
	}
	return &fnv1.RunFunctionRequest{
		Meta:              &fnv1.RequestMeta{Tag: "7f3a"},
		Observed:          &fnv1.State{Composite: &fnv1.Resource{Resource: objectOf(t, xr).Struct}},
		RequiredResources: fetchedOf(t, fetched),
	}
}

// A logbook is a logger that remembers everything.
type logbook struct {
	logging.Logger
	strings.Builder
}

func (l *logbook) Info(msg string, keysAndValues ...any) {
	_, _ = fmt.Fprintln(l, append([]any{msg}, keysAndValues...)...)
}

func (l *logbook) Debug(msg string, keysAndValues ...any) { l.Info(msg, keysAndValues...) }

// testTime is when a test happens.
var testTime = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func testFunction() *Function {
	return &Function{log: logging.NewNopLogger(), newToken: func() string { return testToken }, now: func() time.Time { return testTime }}
}

// TestRunFunction: only what is no notebook is fatal. All that a user may write
// has an answer.
func TestRunFunction(t *testing.T) {
	type want struct {
		Fatal   string
		Objects int
		Phase   string
		Reason  string
	}
	cases := map[string]struct {
		reason string
		req    *fnv1.RunFunctionRequest
		want   want
	}{
		"Empty": {
			reason: "Nobody asks for anything.",
			req:    &fnv1.RunFunctionRequest{},
			want:   want{Fatal: "the request has no observed composite resource"},
		},
		"OtherKind": {
			reason: "A Composition of something else names this function by mistake.",
			req:    requestFor(t, `{apiVersion: example.org/v1, kind: Bucket, metadata: {name: a, namespace: b}}`),
			want:   want{Fatal: "cannot compose example.org/v1 Bucket: this function composes JupyterNotebook and XJupyterNotebook of mlops.function-jupyter.dev/v1"},
		},
		"Claim": {
			reason: "A claim gets all that a notebook needs.",
			req:    requestFor(t, claimXR+`spec: {image: jupyter/a, volumeSize: 10Gi, claimRef: {name: alpha, namespace: team-a}}`),
			want:   want{Objects: 5, Phase: "Creating", Reason: "Creating"},
		},
		"Namespaced": {
			reason: "So does a composite resource that is in a namespace itself.",
			req:    requestFor(t, `{apiVersion: mlops.function-jupyter.dev/v1, kind: JupyterNotebook, metadata: {name: alpha, namespace: team-a, uid: xr-uid}, spec: {image: jupyter/a}}`),
			want:   want{Objects: 4, Phase: "Creating", Reason: "Creating"},
		},
		"NoClaim": {
			reason: "A composite resource by itself has no namespace to be in.",
			req:    requestFor(t, claimXR+`spec: {image: jupyter/a}`),
			want:   want{Phase: "Failed", Reason: reasonNoNamespace},
		},
		"NoSpec": {
			reason: "A user's mistake is not fatal.",
			req:    requestFor(t, claimXR+`spec: {claimRef: {name: alpha, namespace: team-a}}`),
			want:   want{Phase: "Failed", Reason: "InvalidSpec"},
		},
		"Unreadable": {
			reason: "Nor is a field of the wrong type.",
			req:    requestFor(t, claimXR+`spec: {image: [jupyter/a], claimRef: {name: alpha, namespace: team-a}}`),
			want:   want{Phase: "Failed", Reason: "InvalidSpec"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			rsp, err := testFunction().RunFunction(t.Context(), tc.req)
			if err != nil {
				t.Fatalf("\n%s\nRunFunction(...): %v", tc.reason, err)
			}
			got := want{Objects: len(rsp.GetDesired().GetResources())}
			for _, r := range rsp.GetResults() {
				if r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
					got.Fatal += r.GetMessage()
				}
			}
			composite := object{rsp.GetDesired().GetComposite().GetResource()}
			got.Phase, got.Reason = composite.text("status", "phase"), composite.text("status", "reason")
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nRunFunction(...): -want, +got:\n%s", tc.reason, diff)
			}
			if rsp.GetMeta().GetTag() != tc.req.GetMeta().GetTag() {
				t.Errorf("\n%s\nRunFunction(...): want tag %q, got %q", tc.reason, tc.req.GetMeta().GetTag(), rsp.GetMeta().GetTag())
			}
		})
	}
}

// TestRunFunctionTwice: the same request has the same response, byte for byte.
func TestRunFunctionTwice(t *testing.T) {
	req := requestFor(t, claimXR+`
spec:
  claimRef: {name: alpha, namespace: team-a}
  image: jupyter/a
  volumeSize: 10Gi
  serviceType: NodePort
  resources: {limits: {cpu: "2", memory: 4Gi, nvidia.com/gpu: "1", amd.com/gpu: "1"}}
  nodeSelector: {a: "1", b: "2", c: "3"}`)
	first, err := testFunction().RunFunction(t.Context(), proto.CloneOf(req))
	if err != nil {
		t.Fatalf("RunFunction(...): %v", err)
	}
	for range 20 {
		later, err := testFunction().RunFunction(t.Context(), proto.CloneOf(req))
		if err != nil {
			t.Fatalf("RunFunction(...): %v", err)
		}
		if diff := cmp.Diff(first, later, protocmp.Transform()); diff != "" {
			t.Fatalf("RunFunction(...): -first, +later:\n%s", diff)
		}
	}
}

// TestRunFunctionRecovers: a bug must not end the process, and must be found.
func TestRunFunctionRecovers(t *testing.T) {
	logged := &logbook{}
	f := testFunction()
	f.log = logged
	f.newToken = func() string { panic("a bug") }
	req := requestFor(t, claimXR+`spec: {image: jupyter/a, claimRef: {name: alpha, namespace: team-a}}`)
	rsp, err := f.RunFunction(t.Context(), req)
	if rsp != nil || status.Code(err) != codes.Internal || !strings.Contains(err.Error(), "see its log for tag 7f3a") {
		t.Errorf("RunFunction(...): want an internal error that names the tag, got %v, %v", rsp, err)
	}
	for _, want := range []string{"panic a bug", "tag 7f3a", "fn_test.go"} {
		if !strings.Contains(logged.String(), want) {
			t.Errorf("RunFunction(...): the log does not have %s: %s", want, logged.String())
		}
	}
}

// TestRunFunctionLogsNoSecrets, not even when it logs all that it can.
func TestRunFunctionLogsNoSecrets(t *testing.T) {
	logged := &logbook{}
	f := testFunction()
	f.log = logged
	req := requestFor(t, claimXR+`spec: {image: jupyter/a, env: [{name: PASSWORD, value: hunter2}], claimRef: {name: alpha, namespace: team-a}}`)
	if _, err := f.RunFunction(t.Context(), req); err != nil {
		t.Fatalf("RunFunction(...): %v", err)
	}
	if !strings.Contains(logged.String(), "name alpha") {
		t.Errorf("RunFunction(...): the debug log does not name the notebook: %s", logged.String())
	}
	for _, secret := range []string{testToken, "hunter2"} {
		if strings.Contains(logged.String(), secret) {
			t.Errorf("RunFunction(...): the log has %s: %s", secret, logged.String())
		}
	}
}

// TestRandomToken: 256 bits, never the same, and usable.
func TestRandomToken(t *testing.T) {
	f := New(logging.NewNopLogger())
	first, second := f.newToken(), f.newToken()
	if first == second {
		t.Errorf("newToken(): twice %s", first)
	}
	if !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(first) || !usableToken.MatchString(first) {
		t.Errorf("newToken(): want 64 hexadecimal digits, got %s", first)
	}
}

// TestRunFunctionUnheard: what Crossplane leaves out is looked at soon all the same.
func TestRunFunctionUnheard(t *testing.T) {
	xr := claimXR + `
spec: {claimRef: {name: alpha, namespace: team-a}, image: jupyter/a}
status: {conditions: [{type: Responsive, status: "False", reason: WatchCircuitOpen, lastTransitionTime: "2026-11-30T11:59:00Z"}]}
`
	opened := time.Date(2026, 11, 30, 11, 59, 0, 0, time.UTC)
	for after, want := range map[time.Duration]time.Duration{time.Minute: 10 * time.Second, 10 * time.Minute: 30*time.Second*10/9 + time.Second} {
		f := testFunction()
		f.now = func() time.Time { return opened.Add(after) }
		rsp, err := f.RunFunction(t.Context(), requestFor(t, xr))
		if err != nil {
			t.Fatal(err)
		}
		if got := rsp.GetMeta().GetTtl().AsDuration(); got != want {
			t.Errorf("%s after the circuit opened: the next call is after %s, want %s", after, got, want)
		}
	}
}
