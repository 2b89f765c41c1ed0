package fn

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
	"github.com/function-jupyter/function-jupyter/input/v1beta1"
)

func quantityOf(text string) *resource.Quantity {
	q := resource.MustParse(text)
	return &q
}

func TestParseQuota(t *testing.T) {
	cases := map[string]struct {
		reason string
		spec   string
		want   []string
	}{
		"Whole":         {reason: "All fields can be read.", spec: `{notebooks: 2, cpu: 32, memory: 64Gi, storage: "1Ti", gpus: {V100: 4}}`},
		"Zero":          {reason: "Nothing may be the most.", spec: `{notebooks: 0, cpu: 0, memory: 0, storage: "0", gpus: {V100: 0}}`},
		"Empty":         {reason: "A quota bounds something.", spec: `{}`, want: []string{"the quota bounds nothing: write at least one of notebooks, cpu, memory, storage and gpus"}},
		"Negative":      {reason: "Nothing is less than nothing.", spec: `{notebooks: -1, gpus: {V100: -1}}`, want: []string{"spec.notebooks is -1: write how many notebooks there may be: 0 to 1000000", "spec.gpus.V100 is -1: write how many GPUs of the type there may be: 0 to 1000000"}},
		"NegativeCPU":   {reason: "Nothing is less than nothing.", spec: `{cpu: -1}`, want: []string{"spec.cpu is -1: write a number of cores, 0 or more, for example 32 or 500m"}},
		"NoUnit":        {reason: "64 bytes are a mistake.", spec: `{memory: 64, storage: 500m}`, want: []string{"spec.memory is 64: write 0, or an amount of at least 1Mi with its unit, for example 128Gi", "spec.storage is 500m: write 0, or an amount of at least 1Mi with its unit, for example 128Gi"}},
		"NoQuantity":    {reason: "A unit that does not exist is named.", spec: `{memory: 64GB}`, want: []string{`spec.memory is "64GB": write a number with or without a unit, such as 2, 500m or 10Gi`}},
		"EndlesslyLong": {reason: "What would be calculated with for hours is not read.", spec: `{cpu: 1e999999999}`, want: []string{`spec.cpu is "1e999999999": write a number with or without a unit, such as 2, 500m or 10Gi`}},
		"NoNumber":      {reason: "Text is no count.", spec: `{gpus: {V100: many}}`, want: []string{"spec.gpus.V100 is a string: write a whole number"}},
		"NoMap":         {reason: "GPUs have types.", spec: `{gpus: 4}`, want: []string{"spec.gpus is a number: write a map"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, refusals := parseQuota(objectOf(t, tc.spec))
			var got []string
			for _, r := range refusals {
				got = append(got, r.message)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nparseQuota(…): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestResolveGPUs(t *testing.T) {
	rules := typedOf[v1beta1.Rules](t, `gpuTypes: [{name: V100, resourceName: nvidia.com/gpu}, {name: odd, resourceName: gpu}, {name: a/b, resourceName: amd.com/gpu}]`)
	type want struct {
		gpu    corev1.ResourceName
		reason string
	}
	cases := map[string]struct {
		reason string
		gpu    string
		want   want
	}{
		"Type":        {reason: "The platform knows its types.", gpu: "V100", want: want{gpu: "nvidia.com/gpu"}},
		"Resource":    {reason: "A resource needs no type.", gpu: "nvidia.com/mig-1g.5gb", want: want{gpu: "nvidia.com/mig-1g.5gb"}},
		"TypeFirst":   {reason: "A type may look like a resource.", gpu: "a/b", want: want{gpu: "amd.com/gpu"}},
		"Unknown":     {reason: "A type that does not exist is refused.", gpu: "V99", want: want{reason: reasonPolicyDenied}},
		"Uncountable": {reason: "Kubernetes would refuse the ResourceQuota.", gpu: "odd", want: want{gpu: "gpu", reason: reasonPolicyInvalid}},
		"NoResource":  {reason: "Kubernetes would refuse the ResourceQuota.", gpu: "nvidia.com/", want: want{reason: reasonPolicyDenied}},
		"Empty":       {reason: "A GPU has a type.", gpu: "", want: want{reason: reasonPolicyDenied}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			gpus, refusals := resolveGPUs(&v1.QuotaSpec{GPUs: map[string]int64{tc.gpu: 1}}, &rules)
			got := want{gpu: gpus[tc.gpu]}
			for _, r := range refusals {
				got.reason = r.reason
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("\n%s\nresolveGPUs(…): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestQuotaHard(t *testing.T) {
	spec := typedOf[v1.QuotaSpec](t, `{notebooks: 2, cpu: 32, memory: 64Gi, storage: 1Ti, gpus: {A100: 4, V100: 8, amd.com/gpu: 2}}`)
	p := quotaPlan{spec: &spec, gpus: gpuResources{"A100": "nvidia.com/gpu", "V100": "nvidia.com/gpu", "amd.com/gpu": "amd.com/gpu"}}
	want := typedOf[corev1.ResourceList](t, `{count/jupyternotebooks.mlops.function-jupyter.dev: "2", requests.cpu: "32", requests.memory: 64Gi,
  requests.storage: 1Ti, requests.nvidia.com/gpu: "12", requests.amd.com/gpu: "2"}`)
	if diff := cmp.Diff(want, hard(p.bounds())); diff != "" {
		t.Errorf("hard(…): -want, +got:\n%s", diff)
	}
}

func TestDefaultRequests(t *testing.T) {
	cases := map[string]struct {
		reason string
		spec   string
		rules  string
		want   string
	}{
		"Usual":    {reason: "Pods that request nothing get a little.", spec: `{cpu: 32, memory: 64Gi}`, want: `{cpu: 100m, memory: 256Mi}`},
		"Platform": {reason: "The platform knows better.", spec: `{cpu: 32, memory: 64Gi}`, rules: `resources: {default: {requests: {cpu: 250m}}}`, want: `{cpu: 250m, memory: 256Mi}`},
		"Small":    {reason: "Nobody gets more than there is.", spec: `{cpu: 50m}`, want: `{cpu: 50m}`},
		"Unbound":  {reason: "What is not bounded need not be requested.", spec: `{notebooks: 2, storage: 1Ti, gpus: {V100: 1}}`, want: `{}`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec, rules := typedOf[v1.QuotaSpec](t, tc.spec), typedOf[v1beta1.Rules](t, tc.rules)
			if diff := cmp.Diff(typedOf[corev1.ResourceList](t, tc.want), defaultRequests(&spec, &rules)); diff != "" {
				t.Errorf("\n%s\ndefaultRequests(…): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestCostOf(t *testing.T) {
	cases := map[string]struct {
		reason    string
		notebooks []string
		currency  string
		want      costPerHour
	}{
		"Sum":        {reason: "Amounts are added up exactly.", notebooks: []string{`{currency: EUR, hourlyRate: "0.1"}`, `{currency: EUR, hourlyRate: "0.25"}`, `{}`}, currency: "EUR", want: costPerHour{perHour: "0.35", currency: "EUR"}},
		"Zero":       {reason: "An empty namespace costs nothing.", currency: "EUR", want: costPerHour{perHour: "0", currency: "EUR"}},
		"NoPrices":   {reason: "Without prices nothing is known.", notebooks: []string{`{}`}},
		"Currencies": {reason: "Amounts in several currencies are not added up.", notebooks: []string{`{currency: USD, hourlyRate: "1"}`, `{currency: EUR, hourlyRate: "1"}`}, want: costPerHour{currencies: []string{"EUR", "USD"}}},
		"Nonsense":   {reason: "What is no amount does not count.", notebooks: []string{`{currency: EUR, hourlyRate: "1e999999999"}`, `{currency: EUR, hourlyRate: 1}`, `{currency: EUR, hourlyRate: "2"}`}, want: costPerHour{perHour: "2", currency: "EUR"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var notebooks []object
			for _, c := range tc.notebooks {
				notebooks = append(notebooks, objectOf(t, `{status: {cost: `+c+`}}`))
			}
			if diff := cmp.Diff(tc.want, costOf(notebooks, tc.currency), cmp.AllowUnexported(costPerHour{})); diff != "" {
				t.Errorf("\n%s\ncostOf(…): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestNearlyFull(t *testing.T) {
	cases := map[string]struct {
		reason     string
		used, hard string
		want       bool
	}{
		"Room":      {reason: "There is room.", used: "8", hard: "10", want: false},
		"Little":    {reason: "A tenth is left.", used: "9", hard: "10", want: true},
		"Over":      {reason: "The quota was lowered.", used: "12", hard: "10", want: true},
		"Forbidden": {reason: "What is not to be had is not full.", used: "0", hard: "0", want: false},
		"Units":     {reason: "Units do not matter.", used: "120Gi", hard: "1Ti", want: false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := (use{used: *quantityOf(tc.used), hard: *quantityOf(tc.hard)}).nearlyFull(); got != tc.want {
				t.Errorf("\n%s\nnearlyFull(): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}
