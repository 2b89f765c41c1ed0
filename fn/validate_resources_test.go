package fn

import (
	"strings"
	"testing"
)

func TestValidateResources(t *testing.T) {
	const names = `which is not a resource: write cpu, memory, ephemeral-storage, or a device's name such as nvidia.com/gpu`
	testValidate(t, map[string]specCase{
		"Usual": {
			reason: "What the example asks for.",
			spec:   `resources: {requests: {cpu: "1", memory: 2Gi}, limits: {cpu: "2", memory: 4Gi}}`,
		},
		"Integers": {
			reason: "A quantity may be a number.",
			spec:   "resources: {requests: {cpu: 1, memory: 2147483648}, limits: {cpu: 1.5, memory: 4294967296, nvidia.com/gpu: 1}}",
		},
		"RequestIsLimit": {
			reason: "The same amount in other words.",
			spec:   "resources: {requests: {cpu: 1500m, memory: 2Gi}, limits: {cpu: 1.5, memory: 2048Mi}}",
		},
		"Zero": {
			reason: "No GPU is a number of GPUs.",
			spec:   "resources: {requests: {cpu: 0}, limits: {memory: 0, nvidia.com/gpu: 0}}",
		},
		"EphemeralStorage": {
			reason: "Any other size is as good as one in bytes.",
			spec:   "resources: {requests: {ephemeral-storage: 1}, limits: {ephemeral-storage: 10Gi}}",
		},
		"RequestAboveLimit": {
			reason: "One thousandth is too much already.",
			spec:   "resources: {requests: {cpu: 2001m, memory: 3Gi}, limits: {cpu: 2, memory: 2Gi}}",
			want: []string{
				"spec.resources.requests.cpu is 2001m, which is above its limit of 2: lower the request or raise the limit",
				"spec.resources.requests.memory is 3Gi, which is above its limit of 2Gi: lower the request or raise the limit",
			},
		},
		"Negative": {
			reason: "Nobody has less than nothing to give.",
			spec:   "resources: {requests: {cpu: -1m}, limits: {memory: -1}}",
			want: []string{
				"spec.resources.requests.cpu is -1m: write zero or more",
				"spec.resources.limits.memory is -1: write zero or more",
			},
		},
		"MemoryWithoutUnit": {
			reason: "4 is four bytes, and 400m is less than one: the container would not start.",
			spec:   "resources: {requests: {memory: 400m}, limits: {memory: 4}}",
			want: []string{
				"spec.resources.requests.memory is 400m, which is less than 1Mi: write a unit, such as 4Gi",
				"spec.resources.limits.memory is 4, which is less than 1Mi: write a unit, such as 4Gi",
			},
		},
		"MemorySmallest": {reason: "1Mi was meant.", spec: "resources: {limits: {memory: 1Mi}}"},
		"UnknownNames": {
			reason: "What no node has is never scheduled, or not even accepted.",
			spec:   "resources: {requests: {gpu: 1}, limits: {storage: 1Gi, pods: 1}}",
			want: []string{
				`spec.resources.requests has "gpu", ` + names,
				`spec.resources.limits has "pods", ` + names,
				`spec.resources.limits has "storage", ` + names,
			},
		},
	})
}

func TestValidateDevices(t *testing.T) {
	const names = `which is not a resource: write cpu, memory, ephemeral-storage, or a device's name such as nvidia.com/gpu`
	// The longest domain that a quota can name: it puts "requests." before it.
	longest := strings.Repeat("a.", 122)[:243] + "b"
	testValidate(t, map[string]specCase{
		"LimitOnly":   {reason: "The usual way.", spec: "resources: {limits: {nvidia.com/gpu: 1}}"},
		"RequestOnly": {reason: "It is the limit, too.", spec: "resources: {requests: {amd.com/gpu: 2}}"},
		"Both":        {reason: "They are equal.", spec: `resources: {requests: {nvidia.com/mig-1g.5gb: "2"}, limits: {nvidia.com/mig-1g.5gb: 2}}`},
		"Longest":     {reason: "A name of 63 in a domain of 244 characters.", spec: "resources: {limits: {" + longest + "/" + strings.Repeat("g", 63) + ": 1}}"},
		"RequestBelowLimit": {
			reason: "A device cannot be shared.",
			spec:   "resources: {requests: {nvidia.com/gpu: 1}, limits: {nvidia.com/gpu: 2}}",
			want:   []string{"spec.resources asks for 1 of nvidia.com/gpu with a limit of 2: nvidia.com/gpu cannot be shared, so write the same in both, or only the limit"},
		},
		"RequestAboveLimit": {
			reason: "A device cannot be shared.",
			spec:   "resources: {requests: {nvidia.com/gpu: 2}, limits: {nvidia.com/gpu: 1}}",
			want:   []string{"spec.resources asks for 2 of nvidia.com/gpu with a limit of 1: nvidia.com/gpu cannot be shared, so write the same in both, or only the limit"},
		},
		"Half": {
			reason: "A device cannot be cut in two.",
			spec:   "resources: {requests: {amd.com/gpu: 500m}, limits: {nvidia.com/gpu: 1.5}}",
			want: []string{
				"spec.resources.requests.amd.com/gpu is 500m: write a whole number",
				"spec.resources.limits.nvidia.com/gpu is 1500m: write a whole number",
			},
		},
		"Negative": {
			reason: "Nobody has less than no device.",
			spec:   "resources: {limits: {nvidia.com/gpu: -1}}",
			want:   []string{"spec.resources.limits.nvidia.com/gpu is -1: write zero or more"},
		},
		"DomainTooLong": {
			reason: "A quota could not name it, so Kubernetes accepts it nowhere.",
			spec:   "resources: {limits: {a" + longest + "/g: 1}}",
			want:   []string{`spec.resources.limits has "a` + longest[:199] + `…", ` + names},
		},
		"NoDomain":      {reason: "A vendor is missing.", spec: "resources: {limits: {/gpu: 1}}", want: []string{`spec.resources.limits has "/gpu", ` + names}},
		"NoName":        {reason: "A name is missing.", spec: "resources: {limits: {nvidia.com/: 1}}", want: []string{`spec.resources.limits has "nvidia.com/", ` + names}},
		"TwoSlashes":    {reason: "One slash is enough.", spec: "resources: {limits: {a.com/b/c: 1}}", want: []string{`spec.resources.limits has "a.com/b/c", ` + names}},
		"KubernetesOwn": {reason: "Kubernetes has no devices of its own.", spec: "resources: {limits: {kubernetes.io/gpu: 1}}", want: []string{`spec.resources.limits has "kubernetes.io/gpu", ` + names}},
		"Quota":         {reason: "This is how a quota names it.", spec: "resources: {limits: {requests.nvidia.com/gpu: 1}}", want: []string{`spec.resources.limits has "requests.nvidia.com/gpu", ` + names}},
		"NotADomain":    {reason: "A domain has no underscores.", spec: "resources: {limits: {my_vendor/gpu: 1}}", want: []string{`spec.resources.limits has "my_vendor/gpu", ` + names}},
	})
}

func TestValidateHugePages(t *testing.T) {
	const names = `which is not a resource: write cpu, memory, ephemeral-storage, or a device's name such as nvidia.com/gpu`
	testValidate(t, map[string]specCase{
		"LimitOnly":      {reason: "The request is the same.", spec: "resources: {limits: {hugepages-2Mi: 4Mi, memory: 1Gi}}"},
		"Both":           {reason: "They are equal.", spec: "resources: {requests: {hugepages-1Gi: 1Gi}, limits: {hugepages-1Gi: 1024Mi, cpu: 1}}"},
		"MemoryBelow":    {reason: "Memory may be asked for in the other list.", spec: "resources: {requests: {memory: 1Gi}, limits: {hugepages-2Mi: 2Mi}}"},
		"None":           {reason: "No pages are a multiple of a page.", spec: "resources: {limits: {hugepages-2Mi: 0, memory: 1Gi}}"},
		"SizeInBytes":    {reason: "A size may be written in any unit.", spec: "resources: {limits: {hugepages-2097152: 2Mi, memory: 1Gi}}"},
		"WithoutMemory":  {reason: "Kubernetes wants cpu or memory next to them.", spec: "resources: {limits: {hugepages-2Mi: 2Mi}}", want: []string{"spec.resources has huge pages without cpu or memory: write one of them, too"}},
		"WithoutLimit":   {reason: "Huge pages cannot be shared.", spec: "resources: {requests: {hugepages-2Mi: 2Mi, memory: 1Gi}}", want: []string{"spec.resources.limits has no hugepages-2Mi: huge pages need a limit, so write the same in both, or only the limit"}},
		"NotEqual":       {reason: "Huge pages cannot be shared.", spec: "resources: {requests: {hugepages-2Mi: 2Mi}, limits: {hugepages-2Mi: 4Mi, memory: 1Gi}}", want: []string{"spec.resources asks for 2Mi of hugepages-2Mi with a limit of 4Mi: hugepages-2Mi cannot be shared, so write the same in both, or only the limit"}},
		"PartOfAPage":    {reason: "A page cannot be cut in two.", spec: "resources: {limits: {hugepages-2Mi: 3Mi, memory: 1Gi}}", want: []string{"spec.resources.limits.hugepages-2Mi is 3Mi: write a multiple of the page size"}},
		"LessThanAByte":  {reason: "Neither can a byte.", spec: "resources: {limits: {hugepages-2Mi: 1m, memory: 1Gi}}", want: []string{"spec.resources.limits.hugepages-2Mi is 1m: write a multiple of the page size"}},
		"NoSize":         {reason: "There is no page of no size.", spec: "resources: {limits: {hugepages-: 1, memory: 1Gi}}", want: []string{`spec.resources.limits has "hugepages-", ` + names}},
		"SizeZero":       {reason: "There is no page of no size.", spec: "resources: {limits: {hugepages-0: 1, memory: 1Gi}}", want: []string{`spec.resources.limits has "hugepages-0", ` + names}},
		"SizeNegative":   {reason: "There is no page of less.", spec: "resources: {limits: {hugepages--2Mi: 2Mi, memory: 1Gi}}", want: []string{`spec.resources.limits has "hugepages--2Mi", ` + names}},
		"SizeFraction":   {reason: "A page is some bytes.", spec: "resources: {limits: {hugepages-500m: 1, memory: 1Gi}}", want: []string{`spec.resources.limits has "hugepages-500m", ` + names}},
		"SizeWithPlus":   {reason: "It is a quantity, and not a name.", spec: "resources: {limits: {hugepages-+2Mi: 2Mi, memory: 1Gi}}", want: []string{`spec.resources.limits has "hugepages-+2Mi", ` + names}},
		"SizeTooMuch":    {reason: "Kubernetes itself divides by zero here.", spec: "resources: {limits: {hugepages-1e30: 1, memory: 1Gi}}", want: []string{`spec.resources.limits has "hugepages-1e30", ` + names}},
		"SizeForAges":    {reason: "It is not even calculated with.", spec: "resources: {limits: {hugepages-1e999999999: 1, memory: 1Gi}}", want: []string{`spec.resources.limits has "hugepages-1e999999999", ` + names}},
		"NameTooLong":    {reason: "A name has up to 63 characters.", spec: "resources: {limits: {hugepages-" + strings.Repeat("0", 60) + "2Mi: 2Mi, memory: 1Gi}}", want: []string{`spec.resources.limits has "hugepages-` + strings.Repeat("0", 60) + `2Mi", ` + names}},
		"WithVendor":     {reason: "Huge pages have no vendor.", spec: "resources: {limits: {hugepages-2Mi/x: 1, memory: 1Gi}}", want: []string{`spec.resources.limits has "hugepages-2Mi/x", ` + names}},
		"OfMemoryOnly":   {reason: "Without huge pages, nothing is wanted of them.", spec: "resources: {limits: {ephemeral-storage: 1Gi}}"},
		"SeveralLimits":  {reason: "Each kind of page needs its limit.", spec: "resources: {requests: {hugepages-2Mi: 2Mi, hugepages-1Gi: 1Gi, cpu: 1}}", want: []string{"spec.resources.limits has no hugepages-1Gi: huge pages need a limit, so write the same in both, or only the limit", "spec.resources.limits has no hugepages-2Mi: huge pages need a limit, so write the same in both, or only the limit"}},
		"NegativeAmount": {reason: "There are no less than no pages.", spec: "resources: {limits: {hugepages-2Mi: -2Mi, memory: 1Gi}}", want: []string{"spec.resources.limits.hugepages-2Mi is -2Mi: write zero or more"}},
	})
}
