package fn

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

// A specCase is a spec, without its image, and what is told of it. Nothing is
// told of a spec that is accepted.
type specCase struct {
	reason string
	spec   string
	want   []string
}

// testValidate validates whole specs, so that no other check than the one that
// is tested has anything to say.
func testValidate(t *testing.T, cases map[string]specCase) {
	t.Helper()
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := specOf(t, tc.spec)
			spec.Image = "example.org/notebook:1"
			if diff := cmp.Diff(tc.want, messages(validate(spec))); diff != "" {
				t.Errorf("\n%s\nvalidate(%s): -want, +got:\n%s", tc.reason, tc.spec, diff)
			}
		})
	}
}

func messages(refusals []refusal) []string {
	var m []string
	for _, r := range refusals {
		m = append(m, r.message)
	}
	return m
}

func TestValidateHugeVolume(t *testing.T) {
	testValidate(t, map[string]specCase{
		"Huge": {
			reason: "It would be cut to what a number can hold, and stay pending for ever.",
			spec:   "volumeSize: 99999999999999999999Gi",
			want:   []string{"spec.volumeSize is 9223372036854775807, which is more than any volume has: write less, such as 10Gi"},
		},
		"Large": {reason: "Some file systems are this large.", spec: "volumeSize: 100Pi"},
	})
}

// TestValidateOpenImage: some images switch the token off on their own command
// line, and only another command can prevent it.
func TestValidateOpenImage(t *testing.T) {
	cases := map[string]struct {
		reason string
		spec   string
		want   []refusal
	}{
		"DockerHub": {
			reason: "Kubeflow's older images are on Docker Hub.",
			spec:   `image: kubeflownotebookswg/jupyter-scipy:v1.9.0`,
			want:   []refusal{{reasonImageUnprotected, "spec.image kubeflownotebookswg/jupyter-scipy:v1.9.0 has a start script that switches the token off: add command: [jupyter, lab], which leaves it on"}},
		},
		"Mirror": {
			reason: "A mirror keeps the path.",
			spec:   `image: mirror.example.org/ghcr/kubeflow/kubeflow/notebook-servers/jupyter-pytorch-cuda-full:v1.10.0`,
			want:   []refusal{{reasonImageUnprotected, "spec.image mirror.example.org/ghcr/kubeflow/kubeflow/notebook-servers/jupyter-pytorch-cuda-full:v1.10.0 has a start script that switches the token off: add command: [jupyter, lab], which leaves it on"}},
		},
		"OwnScript": {
			reason: "Naming the image's own script changes nothing.",
			spec:   `{image: "kubeflownotebookswg/jupyter-scipy:v1.9.0", command: [/init]}`,
			want:   []refusal{{reasonImageUnprotected, "spec.image kubeflownotebookswg/jupyter-scipy:v1.9.0 has a start script that switches the token off: add command: [jupyter, lab], which leaves it on"}},
		},
		"OwnCommand": {
			reason: "The claim's command replaces the image's script.",
			spec:   `{image: "kubeflownotebookswg/jupyter-scipy:v1.9.0", command: [jupyter, lab]}`,
		},
		"AlikeName": {
			reason: "Only whole parts of the path count.",
			spec:   `image: example.org/notkubeflownotebookswg/jupyter-scipy`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, validate(specOf(t, tc.spec)), cmp.AllowUnexported(refusal{})); diff != "" {
				t.Errorf("\n%s\nvalidate(%s): -want, +got:\n%s", tc.reason, tc.spec, diff)
			}
		})
	}
}

func TestValidateImage(t *testing.T) {
	const example = "write registry/repository:tag, for example quay.io/jupyter/scipy-notebook:2026-06-01"
	cases := map[string]struct {
		reason string
		image  string
		want   []string
	}{
		"Missing": {
			reason: "There is nothing to run without an image.",
			want:   []string{"spec.image is missing: write the container image to run, for example quay.io/jupyter/scipy-notebook:2026-06-01"},
		},
		"Short":            {reason: "Docker Hub's own images need no registry.", image: "jupyter"},
		"DockerHub":        {reason: "Neither do those of its users.", image: "jupyter/scipy-notebook:latest"},
		"Port":             {reason: "A registry may have a port.", image: "localhost:5000/a/b/c:v1.2_3-x"},
		"UppercaseHost":    {reason: "A host may be in capitals.", image: "Registry.example.org/a"},
		"UppercaseTag":     {reason: "A tag may be in capitals.", image: "a:V1"},
		"Digest":           {reason: "A digest pins the image.", image: "quay.io/a/b@sha256:" + strings.Repeat("0a", 32)},
		"TagAndDigest":     {reason: "A tag may say what the digest is.", image: "quay.io/a/b:1@sha256:" + strings.Repeat("0a", 32)},
		"LongDigest":       {reason: "Container runtimes know SHA-512 too.", image: "a@sha512:" + strings.Repeat("0a", 64)},
		"LongestTag":       {reason: "A tag has up to 128 characters.", image: "a:" + strings.Repeat("t", 128)},
		"TagTooLong":       {reason: "And not more.", image: "a:" + strings.Repeat("t", 129), want: []string{fmt.Sprintf(`spec.image is "a:%s", which is not a container image (invalid reference format): %s`, strings.Repeat("t", 129), example)}},
		"UppercaseName":    {reason: "A repository's name is in lowercase.", image: "quay.io/Jupyter/x", want: []string{`spec.image is "quay.io/Jupyter/x", which is not a container image (invalid reference format: repository name (Jupyter/x) must be lowercase): ` + example}},
		"TwoTags":          {reason: "One tag is enough.", image: "a:b:c", want: []string{`spec.image is "a:b:c", which is not a container image (invalid reference format): ` + example}},
		"URL":              {reason: "An image is not a URL.", image: "https://quay.io/a", want: []string{`spec.image is "https://quay.io/a", which is not a container image (invalid reference format): ` + example}},
		"LeadingSpace":     {reason: "A Deployment would accept it, and its pod would not.", image: " a", want: []string{`spec.image is " a", which is not a container image (invalid reference format): ` + example}},
		"TrailingNewline":  {reason: "As YAML's | adds one.", image: "a\n", want: []string{`spec.image is "a\n", which is not a container image (invalid reference format): ` + example}},
		"DigestTooShort":   {reason: "A digest is not abbreviated.", image: "a@sha256:0a", want: []string{`spec.image is "a@sha256:0a", which is not a container image (invalid reference format): ` + example}},
		"DigestOfNoFormat": {reason: "The length of a digest is that of its algorithm.", image: "a@sha512:" + strings.Repeat("0a", 32), want: []string{fmt.Sprintf(`spec.image is "a@sha512:%s", which is not a container image (invalid checksum digest length): %s`, strings.Repeat("0a", 32), example)}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := specOf(t, "{}")
			spec.Image = tc.image
			if diff := cmp.Diff(tc.want, messages(validate(spec))); diff != "" {
				t.Errorf("\n%s\nvalidate(image: %q): -want, +got:\n%s", tc.reason, tc.image, diff)
			}
		})
	}
}

func TestValidateShmSize(t *testing.T) {
	testValidate(t, map[string]specCase{
		"Absent":     {reason: "There is a default.", spec: ""},
		"NoLimit":    {reason: "Without a memory limit there is nothing to compare with.", spec: "shmSize: 100Gi"},
		"AtTheLimit": {reason: "All of the memory may be shared.", spec: "{shmSize: 4Gi, resources: {limits: {memory: 4096Mi}}}"},
		"Smallest":   {reason: "1Mi was meant.", spec: "shmSize: 1Mi"},
		"Integer":    {reason: "A number is a number of bytes.", spec: "shmSize: 1048576"},
		"AboveTheLimit": {
			reason: "Shared memory counts as memory.",
			spec:   "{shmSize: 4097Mi, resources: {limits: {memory: 4Gi}}}",
			want:   []string{"spec.shmSize is 4097Mi, which is more than the memory limit of 4Gi: it counts as memory, so write less or raise the limit"},
		},
		"Zero":     {reason: "Nothing could be shared.", spec: "shmSize: 0", want: []string{"spec.shmSize is 0: write a size of more than zero, such as 1Gi"}},
		"Negative": {reason: "There is less than nothing.", spec: `shmSize: "-1Gi"`, want: []string{"spec.shmSize is -1Gi: write a size of more than zero, such as 1Gi"}},
		"NoUnit":   {reason: "The unit was forgotten.", spec: `shmSize: "2"`, want: []string{"spec.shmSize is 2, which is less than 1Mi: write a unit, such as 1Gi"}},
	})
}

func TestValidateVolume(t *testing.T) {
	long := strings.Repeat("a", 253)
	testValidate(t, map[string]specCase{
		"Size":          {reason: "The usual workspace.", spec: "volumeSize: 10Gi"},
		"SizeInteger":   {reason: "A number is a number of bytes.", spec: "volumeSize: 10737418240"},
		"SizeSmallest":  {reason: "1Mi was meant.", spec: "volumeSize: 1Mi"},
		"SizeZero":      {reason: "Kubernetes would refuse the claim.", spec: "volumeSize: 0", want: []string{"spec.volumeSize is 0: write a size of more than zero, such as 10Gi"}},
		"SizeNegative":  {reason: "Kubernetes would refuse the claim.", spec: "volumeSize: -1", want: []string{"spec.volumeSize is -1: write a size of more than zero, such as 10Gi"}},
		"SizeNoUnit":    {reason: "The unit was forgotten.", spec: "volumeSize: 10", want: []string{"spec.volumeSize is 10, which is less than 1Mi: write a unit, such as 10Gi"}},
		"SizeMilli":     {reason: "m is a thousandth.", spec: "volumeSize: 10m", want: []string{"spec.volumeSize is 10m, which is less than 1Mi: write a unit, such as 10Gi"}},
		"ExistingClaim": {reason: "The longest name of an object.", spec: "volume: {existingClaim: " + long + "}"},
		"ExistingClaimTooLong": {
			reason: "Longer than the longest name. Not all of it need be told.",
			spec:   "volume: {existingClaim: a" + long + "}",
			want:   []string{fmt.Sprintf(`spec.volume.existingClaim is "%s…", which cannot be the name of a PersistentVolumeClaim: write the name of one that exists`, long[:200])},
		},
		"ExistingClaimAndSize": {
			reason: "One workspace is enough.",
			spec:   "{volumeSize: 10Gi, volume: {existingClaim: data}}",
			want:   []string{"spec.volume.existingClaim and spec.volumeSize exclude each other: write volumeSize for a new workspace, or existingClaim to use a PersistentVolumeClaim that exists"},
		},
		"ClassEmpty":     {reason: "The empty class means no class, not the default.", spec: `{volumeSize: 1Gi, volume: {storageClassName: ""}}`},
		"Class":          {reason: "Names of classes may have dots.", spec: "{volumeSize: 1Gi, volume: {storageClassName: fast.ssd-1}}"},
		"ClassUppercase": {reason: "No object has such a name.", spec: "{volumeSize: 1Gi, volume: {storageClassName: Fast}}", want: []string{`spec.volume.storageClassName is "Fast", which cannot be the name of a StorageClass: write the name of one that exists, or leave it out`}},
		"ClassOfNoSize":  {reason: "Without a size the class does not matter.", spec: "volume: {storageClassName: fast, retention: Retain, accessMode: ReadWriteMany}"},
		"AccessOnce":     {reason: "The default, written out.", spec: "volume: {accessMode: ReadWriteOnce}"},
		"AccessOncePod":  {reason: "Stricter than the default.", spec: "volume: {accessMode: ReadWriteOncePod}"},
		"AccessReadOnly": {reason: "A workspace is written to.", spec: "volume: {accessMode: ReadOnlyMany}", want: []string{`spec.volume.accessMode is "ReadOnlyMany": write ReadWriteOnce, ReadWriteOncePod or ReadWriteMany`}},
		"Delete":         {reason: "The default, written out.", spec: "volume: {retention: Delete}"},
		"RetentionKeep":  {reason: "Nothing is kept by mistake.", spec: "volume: {retention: Keep}", want: []string{`spec.volume.retention is "Keep": write Delete or Retain`}},
		"AllWrong": {
			reason: "All that is wrong is told, always in the same order.",
			spec:   "volume: {existingClaim: A, storageClassName: B, accessMode: C, retention: D}",
			want: []string{
				`spec.volume.existingClaim is "A", which cannot be the name of a PersistentVolumeClaim: write the name of one that exists`,
				`spec.volume.storageClassName is "B", which cannot be the name of a StorageClass: write the name of one that exists, or leave it out`,
				`spec.volume.accessMode is "C": write ReadWriteOnce, ReadWriteOncePod or ReadWriteMany`,
				`spec.volume.retention is "D": write Delete or Retain`,
			},
		},
	})
}

func TestValidateService(t *testing.T) {
	testValidate(t, map[string]specCase{
		"ClusterIP":    {reason: "The default, written out.", spec: "serviceType: ClusterIP"},
		"NodePort":     {reason: "Through every node.", spec: "serviceType: NodePort"},
		"LoadBalancer": {reason: "From outside.", spec: "serviceType: LoadBalancer"},
		"ExternalName": {reason: "It would lead elsewhere.", spec: "serviceType: ExternalName", want: []string{`spec.serviceType is "ExternalName": write ClusterIP, NodePort or LoadBalancer`}},
		"Lowercase":    {reason: "Kubernetes is strict here.", spec: "serviceType: nodeport", want: []string{`spec.serviceType is "nodeport": write ClusterIP, NodePort or LoadBalancer`}},
	})
}

func TestValidateAuth(t *testing.T) {
	cases := map[string]struct {
		reason string
		spec   string
		want   []refusal
	}{
		"Absent": {reason: "The token is the default.", spec: "image: a"},
		"Token":  {reason: "The default, written out.", spec: "{image: a, auth: {mode: Token}}"},
		"None": {
			reason: "No policy allows it yet.",
			spec:   "{image: a, auth: {mode: None}}",
			want:   []refusal{{reasonAuthNotAllowed, "spec.auth.mode None would leave the notebook open to everyone, and this platform does not allow it: write Token, or leave auth out"}},
		},
		"Unknown": {
			reason: "What is not known is not guessed.",
			spec:   "{image: a, auth: {mode: none}}",
			want:   []refusal{{reasonInvalidSpec, `spec.auth.mode is "none": write Token, or leave auth out`}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := validate(specOf(t, tc.spec))
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(refusal{})); diff != "" {
				t.Errorf("\n%s\nvalidate(%s): -want, +got:\n%s", tc.reason, tc.spec, diff)
			}
		})
	}
}

func TestCheckSize(t *testing.T) {
	const most = 128 << 10
	cases := map[string]struct {
		reason string
		size   int
		want   []string
	}{
		"Fits":     {reason: "128 KiB fit in an annotation next to others.", size: most},
		"TooLarge": {reason: "One byte more may not.", size: most + 1, want: []string{"spec is 128 KiB, which is more than 128 KiB: move large values to a ConfigMap or a Secret, and name it in envFrom or mounts"}},
		"Huge":     {reason: "The sentence says how much too large it is.", size: 1 << 20, want: []string{"spec is 1024 KiB, which is more than 128 KiB: move large values to a ConfigMap or a Secret, and name it in envFrom or mounts"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, messages(checkSize(strings.Repeat("x", tc.size)))); diff != "" {
				t.Errorf("\n%s\ncheckSize(%d bytes): -want, +got:\n%s", tc.reason, tc.size, diff)
			}
		})
	}
}

// TestValidateAlwaysTheSame validates a spec with many mistakes, some of them in
// maps, again and again: a sentence that changes its order is a change of status.
func TestValidateAlwaysTheSame(t *testing.T) {
	const text = `
image: A
resources:
  requests: {a: 1, b: 1, c: 1, cpu: 3, memory: 3Gi}
  limits: {a: 1, b: 1, c: 1, cpu: 2, memory: 2Gi}
mounts:
- {mountPath: /a, persistentVolumeClaim: A, secret: B, configMap: C}
nodeSelector: {"-a": x, "-b": x, "-c": x}
`
	want := messages(validate(specOf(t, text)))
	if len(want) != 13 {
		t.Errorf("validate(%s): want 13 refusals, got %q", text, want)
	}
	for range 50 {
		if diff := cmp.Diff(want, messages(validate(specOf(t, text)))); diff != "" {
			t.Fatalf("validate(%s): -first time, +later:\n%s", text, diff)
		}
	}
}

func TestInvalidShowsOnlySoMuch(t *testing.T) {
	cases := map[string]struct {
		reason string
		field  string
		value  any
		want   string
	}{
		"Short": {reason: "What is short is shown whole.", field: "image", value: strings.Repeat("x", 200), want: `spec.image is "` + strings.Repeat("x", 200) + `"`},
		"Long":  {reason: "What is long is cut.", field: "image", value: strings.Repeat("x", 201), want: `spec.image is "` + strings.Repeat("x", 200) + `…"`},
		"Cut":   {reason: "No character is cut in two.", field: "image", value: strings.Repeat("x", 199) + "é", want: `spec.image is "` + strings.Repeat("x", 199) + `…"`},
		"Field": {reason: "A field's name can be a key that the user chose.", field: strings.Repeat("x", 300), value: "x", want: "spec." + strings.Repeat("x", 200) + `… is "x"`},
		"Name":  {reason: "Kubernetes has strings of its own types.", field: "x", value: corev1.ServiceType(strings.Repeat("x", 201)), want: `spec.x is "` + strings.Repeat("x", 200) + `…"`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff([]string{tc.want}, messages(invalid(tc.field, "is %q", tc.value))); diff != "" {
				t.Errorf("\n%s\ninvalid(%q, %q): -want, +got:\n%s", tc.reason, tc.field, tc.value, diff)
			}
		})
	}
}

func TestSentence(t *testing.T) {
	many := func(n int) []refusal {
		var refusals []refusal
		for i := range n {
			refusals = append(refusals, refusal{reasonInvalidSpec, fmt.Sprint(i)})
		}
		return refusals
	}
	cases := map[string]struct {
		reason   string
		refusals []refusal
		want     string
	}{
		"None": {reason: "Nothing to say.", want: ""},
		"One":  {reason: "One mistake is one sentence.", refusals: many(1), want: "0"},
		"Five": {reason: "A user can mend five mistakes at a time.", refusals: many(5), want: "0; 1; 2; 3; 4"},
		"Six":  {reason: "More would not be read.", refusals: many(6), want: "0; 1; 2; 3; 4; and 1 more"},
		"Many": {reason: "More would not be read.", refusals: many(300), want: "0; 1; 2; 3; 4; and 295 more"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, sentence(tc.refusals)); diff != "" {
				t.Errorf("\n%s\nsentence(%d refusals): -want, +got:\n%s", tc.reason, len(tc.refusals), diff)
			}
		})
	}
}
