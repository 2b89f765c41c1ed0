package fn

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// Objects of the quota research, whose three types of GPU have two resources.
const (
	quotaClaim = `{apiVersion: mlops.function-jupyter.dev/v1, kind: XNotebookQuota, metadata: {name: research-x7k2p, uid: xr-uid},
  spec: {claimRef: {name: research, namespace: team-a}, notebooks: 2, cpu: "32", gpus: {A100: 4, V100: 8, MI300: 2}}}`

	quotaPolicy = `{apiVersion: jupyter.fn.crossplane.io/v1beta1, kind: NotebookPolicy, gpuTypes: [
  {name: A100, resourceName: nvidia.com/gpu}, {name: V100, resourceName: nvidia.com/gpu}, {name: MI300, resourceName: amd.com/gpu}],
  prices: {currency: EUR}}`

	quotaCounted = `{apiVersion: v1, kind: ResourceQuota, metadata: {name: research, namespace: team-a, ownerReferences: [{controller: true, uid: xr-uid}], annotations: {
    mlops.function-jupyter.dev/accepted-spec: '{"notebooks":2,"cpu":"32","gpus":{"A100":4,"MI300":2,"V100":8}}',
    mlops.function-jupyter.dev/gpu-resources: '{"A100":"nvidia.com/gpu","MI300":"amd.com/gpu","V100":"nvidia.com/gpu"}'}},
  spec: {hard: {count/jupyternotebooks.mlops.function-jupyter.dev: "2", requests.cpu: "32", requests.nvidia.com/gpu: "12", requests.amd.com/gpu: "2"}},
  status: {hard: {count/jupyternotebooks.mlops.function-jupyter.dev: "2", requests.cpu: "32", requests.nvidia.com/gpu: "12", requests.amd.com/gpu: "2"},
    used: {count/jupyternotebooks.mlops.function-jupyter.dev: "1", requests.cpu: "31", requests.nvidia.com/gpu: "5", requests.amd.com/gpu: "1"}}}`

	quotaLimits = `{apiVersion: v1, kind: LimitRange, metadata: {name: research, namespace: team-a, ownerReferences: [{controller: true, uid: xr-uid}]},
  spec: {limits: [{type: Container, defaultRequest: {cpu: 100m}}]}}`

	quotaNotebook = `{apiVersion: mlops.function-jupyter.dev/v1, kind: JupyterNotebook, metadata: {name: alpha, namespace: team-a},
  status: {gpu: {type: A100, count: 4, held: 4}, cost: {currency: EUR, hourlyRate: "2.50"}}}`
)

// quotaRequest of the quota, of which these objects exist, in a namespace where
// nothing is in the way.
func quotaRequest(t testing.TB, claim, policy string, composed map[string]string, required map[string]string) *fnv1.RunFunctionRequest {
	t.Helper()
	req := &fnv1.RunFunctionRequest{
		Observed:          &fnv1.State{Composite: &fnv1.Resource{Resource: objectOf(t, claim).Struct}, Resources: map[string]*fnv1.Resource{}},
		RequiredResources: fetchedOf(t, map[string]string{requiredExisting(keyQuota): "", requiredExisting(keyLimits): "", requiredNotebooks: quotaNotebook}),
	}
	if policy != "" {
		req.Input = objectOf(t, policy).Struct
	}
	for key, text := range composed {
		req.Observed.Resources[key] = &fnv1.Resource{Resource: objectOf(t, text).Struct}
	}
	maps.Copy(req.GetRequiredResources(), fetchedOf(t, required))
	return req
}

func runQuota(t testing.TB, req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	t.Helper()
	f := &Function{log: logging.NewNopLogger(), newToken: func() string { return testToken }, now: time.Now}
	return f.run(req)
}

func TestQuota(t *testing.T) {
	whole := map[string]string{keyQuota: quotaCounted, keyLimits: quotaLimits}
	type args struct {
		claim    string
		policy   string
		composed map[string]string
		required map[string]string
	}
	type want struct {
		Status   v1.QuotaStatus
		Composes []string

		// Kept: what is composed is what exists.
		Kept  bool
		Ready bool
	}
	amounts := func(notebooks, a100, v100, mi300 int64, cpu string) *v1.QuotaAmounts {
		return &v1.QuotaAmounts{Notebooks: &notebooks, CPU: quantityOf(cpu), GPUs: map[string]int64{"A100": a100, "V100": v100, "MI300": mi300}}
	}
	hard, used := amounts(2, 4, 8, 2, "32"), amounts(1, 4, 0, 1, "31")
	const (
		shared = "Kubernetes cannot tell the GPUs A100, V100 apart, and bounds all of them together: 12 of nvidia.com/gpu"
		nearly = "cpu: 31 of 32 are used; " + shared
		wrong  = `the platform's NotebookPolicy cannot be used (prices.currency is missing: write it, for example EUR): your platform team must correct it`
	)
	cases := map[string]struct {
		reason string
		args   args
		want   want
	}{
		"New": {
			reason: "A new quota is composed whole.",
			args:   args{claim: quotaClaim, policy: quotaPolicy},
			want: want{
				Status:   v1.QuotaStatus{Phase: v1.PhaseCreating, Reason: reasonCreating, Message: "the quota is being created; " + shared, CostPerHour: "2.50", Currency: "EUR"},
				Composes: []string{keyLimits, keyQuota},
			},
		},
		"Ready": {
			reason: "What is used is told by type; of types that share a resource by what notebooks hold.",
			args:   args{claim: quotaClaim, policy: quotaPolicy, composed: whole},
			want: want{
				Status:   v1.QuotaStatus{Phase: v1.PhaseReady, Reason: reasonNearlyFull, Message: nearly, Hard: hard, Used: used, CostPerHour: "2.50", Currency: "EUR"},
				Composes: []string{keyLimits, keyQuota},
				Ready:    true,
			},
		},
		"LimitsMissing": {
			reason: "Without its LimitRange, pods that request nothing are refused.",
			args:   args{claim: quotaClaim, policy: quotaPolicy, composed: map[string]string{keyQuota: quotaCounted}},
			want: want{
				Status:   v1.QuotaStatus{Phase: v1.PhaseCreating, Reason: reasonCreating, Message: "the LimitRange of the quota is being created; " + shared, Hard: hard, Used: used, CostPerHour: "2.50", Currency: "EUR"},
				Composes: []string{keyLimits, keyQuota},
			},
		},
		"BrokenPolicy": {
			reason: "A policy that does not parse leaves all as it is.",
			args:   args{claim: quotaClaim, policy: `{apiVersion: jupyter.fn.crossplane.io/v1beta1, kind: NotebookPolicy, prices: {}}`, composed: whole},
			want: want{
				Status:   v1.QuotaStatus{Phase: v1.PhaseReady, Reason: reasonNearlyFull, Message: nearly + ", but " + wrong, Hard: hard, Used: used, CostPerHour: "2.50", Currency: "EUR"},
				Composes: []string{keyLimits, keyQuota},
				Kept:     true,
				Ready:    true,
			},
		},
		"TypeRemoved": {
			reason: "A type that the platform does not have any more stays bounded as it was.",
			args:   args{claim: quotaClaim, composed: whole},
			want: want{
				Status:   v1.QuotaStatus{Phase: v1.PhaseReady, Reason: reasonNearlyFull, Message: nearly + ", but its last change is refused: spec.gpus has type A100, which is unknown; available: none; a resource such as nvidia.com/gpu may be written, too; spec.gpus has type MI300, which is unknown; available: none; a resource such as nvidia.com/gpu may be written, too; spec.gpus has type V100, which is unknown; available: none; a resource such as nvidia.com/gpu may be written, too", Hard: hard, Used: used, CostPerHour: "2.50", Currency: "EUR"},
				Composes: []string{keyLimits, keyQuota},
				Kept:     true,
				Ready:    true,
			},
		},
		"Conflict": {
			reason: "What somebody else made is not taken over.",
			args:   args{claim: quotaClaim, policy: quotaPolicy, required: map[string]string{requiredExisting(keyLimits): `{metadata: {name: research}}`}},
			want:   want{Status: v1.QuotaStatus{Phase: v1.PhaseFailed, Reason: reasonNameConflict, Message: "LimitRange research in namespace team-a exists already and does not belong to this quota: rename or delete it, or give the quota another name", CostPerHour: "2.50", Currency: "EUR"}},
		},
		"LimitsNotNeeded": {
			reason: "A LimitRange is in the way of those quotas only that need one.",
			args: args{
				claim:    `{apiVersion: mlops.function-jupyter.dev/v1, kind: NotebookQuota, metadata: {name: research, namespace: team-a}, spec: {notebooks: 2}}`,
				required: map[string]string{requiredExisting(keyLimits): `{metadata: {name: research}}`, requiredNotebooks: ""},
			},
			want: want{Status: v1.QuotaStatus{Phase: v1.PhaseCreating, Reason: reasonCreating, Message: "the quota is being created"}, Composes: []string{keyQuota}},
		},
		"NoNamespace": {
			reason: "A quota belongs to a namespace.",
			args:   args{claim: `{apiVersion: mlops.function-jupyter.dev/v1, kind: XNotebookQuota, metadata: {name: research}, spec: {notebooks: 2}}`, required: map[string]string{requiredNotebooks: ""}},
			want:   want{Status: v1.QuotaStatus{Phase: v1.PhaseFailed, Reason: reasonNoNamespace, Message: "this XNotebookQuota belongs to no claim: create a NotebookQuota in a namespace instead"}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := quotaRequest(t, tc.args.claim, tc.args.policy, tc.args.composed, tc.args.required)
			rsp := runQuota(t, req)
			got := want{
				Status: typedOf[v1.QuotaStatus](t, jsonOf(object{rsp.GetDesired().GetComposite().GetResource()}.at("status").AsInterface())),
				Ready:  rsp.GetDesired().GetComposite().GetReady() == fnv1.Ready_READY_TRUE,
				Kept:   len(tc.args.composed) > 0,
			}
			for key, r := range rsp.GetDesired().GetResources() {
				got.Composes = append(got.Composes, key)
				was := object{req.GetObserved().GetResources()[key].GetResource()}
				got.Kept = got.Kept && was.exists() && proto.Equal(r.GetResource(), keptObject(was))
			}
			slices.Sort(got.Composes)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(rsp, runQuota(t, proto.CloneOf(req)), protocmp.Transform()); diff != "" {
				t.Errorf("the same request gave different responses:\n%s", diff)
			}
		})
	}
}

// TestQuotaAsksFirst checks that nothing is composed as long as something could be in
// the way.
func TestQuotaAsksFirst(t *testing.T) {
	req := quotaRequest(t, quotaClaim, quotaPolicy, nil, nil)
	req.RequiredResources = nil
	rsp := runQuota(t, req)
	if n := len(rsp.GetDesired().GetResources()); n != 0 {
		t.Errorf("%d objects are composed before it is known what exists", n)
	}
	want := []string{requiredExisting(keyLimits), requiredExisting(keyQuota), requiredNotebooks}
	if diff := cmp.Diff(want, sortedKeys(rsp.GetRequirements().GetResources())); diff != "" {
		t.Errorf("-want, +required:\n%s", diff)
	}
}

// TestQuotaTakesUp checks that what Crossplane made and does not know of yet is the
// quota's own.
func TestQuotaTakesUp(t *testing.T) {
	rsp := runQuota(t, quotaRequest(t, quotaClaim, quotaPolicy, nil, map[string]string{requiredExisting(keyQuota): quotaCounted}))
	if n := len(rsp.GetDesired().GetResources()); n != 2 {
		t.Errorf("want both objects composed, got %d", n)
	}
}
