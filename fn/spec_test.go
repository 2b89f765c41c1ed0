package fn

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// fullSpec has every field.
const fullSpec = `
image: jupyter/scipy-notebook:latest
resources: {requests: {cpu: 500m}, limits: {memory: 4Gi, nvidia.com/gpu: "1"}}
volumeSize: 10Gi
volume: {storageClassName: "", accessMode: ReadWriteMany, mountPath: /data, retention: Retain}
serviceType: NodePort
stopped: true
restartedAt: "2026-11-30T12:00:00Z"
env:
- {name: A, value: "1"}
- {name: B, valueFrom: {secretKeyRef: {name: a, key: b, optional: true}}}
- {name: C, valueFrom: {resourceFieldRef: {resource: limits.memory, divisor: 1Mi}}}
envFrom: [{prefix: X_, configMapRef: {name: a}}]
imagePullSecrets: [{name: a}]
mounts: [{mountPath: /a, persistentVolumeClaim: a, subPath: b, readOnly: true}]
shmSize: 1Gi
command: [tini]
args: [--, start-notebook.sh]
nodeSelector: {disk: ssd}
tolerations: [{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 60}]
auth: {mode: Token}
`

func TestParseSpec(t *testing.T) {
	cases := map[string]struct {
		reason string
		asked  string
		want   *v1.NotebookSpec
	}{
		"Empty":   {reason: "What is missing is for validation to say.", asked: "{}", want: &v1.NotebookSpec{}},
		"Full":    {reason: "Every field is read.", asked: fullSpec, want: specOf(t, fullSpec)},
		"Numbers": {reason: "Quantities may be numbers.", asked: "{volumeSize: 1073741824, resources: {limits: {cpu: 1.5}}}", want: specOf(t, `{volumeSize: "1073741824", resources: {limits: {cpu: "1.5"}}}`)},
		"Null":    {reason: "The API server would have left these out.", asked: "{image: null, volume: null, env: null, stopped: null, volumeSize: null}", want: &v1.NotebookSpec{}},
		"Others":  {reason: "Crossplane keeps fields of its own in the spec.", asked: "{image: a, claimRef: {name: x}, crossplane: {compositionRef: {name: y}}}", want: specOf(t, "image: a")},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, refusals := parseSpec(objectOf(t, tc.asked))
			if diff := cmp.Diff([]string(nil), messages(refusals)); diff != "" {
				t.Errorf("\n%s\nparseSpec(%s): -want refusals, +got:\n%s", tc.reason, tc.asked, diff)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nparseSpec(%s): -want, +got:\n%s", tc.reason, tc.asked, diff)
			}
		})
	}
}

func TestParseSpecOfNothing(t *testing.T) {
	got, refusals := parseSpec(object{})
	if diff := cmp.Diff(&v1.NotebookSpec{}, got); diff != "" || len(refusals) > 0 {
		t.Errorf("parseSpec of no spec at all: want an empty spec, got refusals %q and %s", refusals, diff)
	}
}

func TestParseSpecUnreadable(t *testing.T) {
	const (
		quantity  = "write a number with or without a unit, such as 2, 500m or 10Gi"
		timestamp = "write a timestamp such as 2026-11-30T12:00:00Z"
	)
	cases := map[string]struct {
		reason string
		asked  string
		want   []string
	}{
		"Text":            {reason: "A number is not text.", asked: "image: 5", want: []string{"spec.image is a number: write text, in quotes"}},
		"TextIsMap":       {reason: "The field is wrong, and not what is in it.", asked: "image: {name: 5}", want: []string{"spec.image is a map: write text, in quotes"}},
		"TextIsList":      {reason: "The field is wrong, and not what is in it.", asked: "serviceType: [5]", want: []string{"spec.serviceType is a list: write text, in quotes"}},
		"Boolean":         {reason: "In quotes it is text.", asked: `stopped: "true"`, want: []string{"spec.stopped is a string: write true or false"}},
		"BooleanIsNumber": {reason: "One is not true.", asked: "stopped: 1", want: []string{"spec.stopped is a number: write true or false"}},

		"CPU":             {reason: "There is no such unit.", asked: "resources: {limits: {cpu: two, memory: 1Gi}}", want: []string{`spec.resources.limits.cpu is "two": ` + quantity}},
		"Memory":          {reason: "Bytes have no B.", asked: "resources: {requests: {memory: 4GB}}", want: []string{`spec.resources.requests.memory is "4GB": ` + quantity}},
		"QuantityEmpty":   {reason: "It is not zero.", asked: `volumeSize: ""`, want: []string{`spec.volumeSize is "": ` + quantity}},
		"QuantitySpace":   {reason: "Kubernetes would take one around it, and not inside.", asked: `volumeSize: "10 Gi"`, want: []string{`spec.volumeSize is "10 Gi": ` + quantity}},
		"QuantityIsBool":  {reason: "How much is true?", asked: "shmSize: true", want: []string{"spec.shmSize is a boolean: " + quantity}},
		"QuantityIsMap":   {reason: "The field is wrong, and not what is in it.", asked: "resources: {limits: {cpu: {a: 1}}}", want: []string{"spec.resources.limits.cpu is a map: " + quantity}},
		"QuantityForAges": {reason: "Kubernetes would read it, and calculate for hours.", asked: `volumeSize: "1e999999999"`, want: []string{`spec.volumeSize is "1e999999999": ` + quantity}},
		"QuantityOfAges":  {reason: "Kubernetes would not even be done with reading.", asked: `resources: {requests: {cpu: "1e-999999999"}}`, want: []string{`spec.resources.requests.cpu is "1e-999999999": ` + quantity}},
		"QuantityLong":    {reason: "Not all of it need be told.", asked: "volumeSize: 1" + strings.Repeat("x", 300), want: []string{`spec.volumeSize is "1` + strings.Repeat("x", 199) + `…": ` + quantity}},
		"Divisor":         {reason: "A quantity far inside.", asked: `env: [{name: A}, {name: B, valueFrom: {resourceFieldRef: {divisor: "1e99999"}}}]`, want: []string{`spec.env[1].valueFrom.resourceFieldRef.divisor is "1e99999": ` + quantity}},
		"Resources":       {reason: "A list has no names.", asked: "resources: {limits: [{cpu: 1}]}", want: []string{"spec.resources.limits is a list: write a map"}},

		"Timestamp":         {reason: "A day is not a moment.", asked: `restartedAt: "2026-11-30"`, want: []string{`spec.restartedAt is "2026-11-30": ` + timestamp}},
		"TimestampIsNumber": {reason: "Seconds since when?", asked: "restartedAt: 1796040000", want: []string{"spec.restartedAt is a number: " + timestamp}},
		"TimestampIsMap":    {reason: "The field is wrong, and not what is in it.", asked: "restartedAt: {a: 1}", want: []string{"spec.restartedAt is a map: " + timestamp}},

		"EnvValue":       {reason: "A value may be secret, and is not told.", asked: "env: [{name: A, value: 5}]", want: []string{"spec.env[0].value is a number: write text, in quotes"}},
		"EnvIsMap":       {reason: "Docker Compose has it so.", asked: "env: {A: b}", want: []string{"spec.env is a map: write a list"}},
		"EnvItemIsText":  {reason: "Docker Compose has it so.", asked: "env: [{name: A}, B=secret]", want: []string{"spec.env[1] is a string: write a map of its fields"}},
		"EnvOptional":    {reason: "A field far inside.", asked: "env: [{name: A, valueFrom: {secretKeyRef: {name: a, key: b, optional: maybe}}}]", want: []string{"spec.env[0].valueFrom.secretKeyRef.optional is a string: write true or false"}},
		"ValueFrom":      {reason: "Which kind of source?", asked: "env: [{name: A, valueFrom: secret}]", want: []string{"spec.env[0].valueFrom is a string: write a map of its fields"}},
		"EnvFrom":        {reason: "A list was left out.", asked: "envFrom: {secretRef: {name: a}}", want: []string{"spec.envFrom is a map: write a list"}},
		"PullSecrets":    {reason: "Kubernetes wants a name field.", asked: "imagePullSecrets: [a]", want: []string{"spec.imagePullSecrets[0] is a string: write a map of its fields"}},
		"Mounts":         {reason: "A field of an item.", asked: `mounts: [{mountPath: /a}, {mountPath: /b, readOnly: "yes"}]`, want: []string{"spec.mounts[1].readOnly is a string: write true or false"}},
		"Args":           {reason: "A command line is a list.", asked: "args: jupyter lab", want: []string{"spec.args is a string: write a list"}},
		"Command":        {reason: "An item of a list.", asked: "command: [nice, -n, 5]", want: []string{"spec.command[2] is a number: write text, in quotes"}},
		"NodeSelector":   {reason: "Labels are text.", asked: "nodeSelector: {gpu: true}", want: []string{"spec.nodeSelector.gpu is a boolean: write text, in quotes"}},
		"Selector":       {reason: "Labels have names.", asked: "nodeSelector: [gpu]", want: []string{"spec.nodeSelector is a list: write a map"}},
		"Seconds":        {reason: "Seconds are whole.", asked: "tolerations: [{tolerationSeconds: 1.5}]", want: []string{"spec.tolerations[0].tolerationSeconds is a number: write a whole number"}},
		"SecondsIsText":  {reason: "A number has no quotes.", asked: `tolerations: [{tolerationSeconds: "60"}]`, want: []string{"spec.tolerations[0].tolerationSeconds is a string: write a whole number"}},
		"Volume":         {reason: "Its fields have names.", asked: "volume: 10Gi", want: []string{"spec.volume is a string: write a map of its fields"}},
		"VolumeField":    {reason: "A field of a field.", asked: "volume: {mountPath: [a]}", want: []string{"spec.volume.mountPath is a list: write text, in quotes"}},
		"Auth":           {reason: "YAML takes off for false.", asked: "auth: {mode: false}", want: []string{"spec.auth.mode is a boolean: write text, in quotes"}},
		"Several":        {reason: "All of them, in alphabetical order.", asked: "{volumeSize: x, image: 5, stopped: 1}", want: []string{"spec.image is a number: write text, in quotes", "spec.stopped is a number: write true or false", `spec.volumeSize is "x": ` + quantity}},
		"NextToReadable": {reason: "What can be read is not blamed.", asked: "{volumeSize: 1Gi, image: a, env: [{name: A}, {name: 5}]}", want: []string{"spec.env[1].name is a number: write text, in quotes"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec, refusals := parseSpec(objectOf(t, tc.asked))
			if spec != nil {
				t.Errorf("\n%s\nparseSpec(%s): want no spec, got %+v", tc.reason, tc.asked, spec)
			}
			if diff := cmp.Diff(tc.want, messages(refusals)); diff != "" {
				t.Errorf("\n%s\nparseSpec(%s): -want, +got:\n%s", tc.reason, tc.asked, diff)
			}
		})
	}
}

func TestAcceptedSpec(t *testing.T) {
	full := specOf(t, fullSpec)
	cases := map[string]struct {
		reason     string
		annotation string
		want       *v1.NotebookSpec
	}{
		"Same":     {reason: "What was accepted comes back as it was.", annotation: encodeSpec(full), want: full},
		"Missing":  {reason: "Nothing was accepted yet."},
		"NotJSON":  {reason: "Anybody may have edited it.", annotation: "{"},
		"NoSpec":   {reason: "Anybody may have edited it.", annotation: "[]"},
		"Null":     {reason: "What a spec that cannot be read is encoded as.", annotation: encodeSpec(nil)},
		"BadType":  {reason: "Anybody may have edited it.", annotation: `{"image": 5}`},
		"Opened":   {reason: "It is not trusted more than a claim.", annotation: `{"image": "a", "auth": {"mode": "None"}}`},
		"ForAges":  {reason: "It is read as carefully as a claim.", annotation: `{"image": "a", "volumeSize": "1e-999999999"}`},
		"Hijacked": {reason: "It is not trusted more than a claim.", annotation: `{"image": "a", "args": ["--ServerApp.token="]}`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server, err := structpb.NewStruct(map[string]any{"metadata": map[string]any{"annotations": map[string]any{annotationAccepted: tc.annotation}}})
			if err != nil {
				t.Fatal(err)
			}
			got, encoded := acceptedSpec(object{server})
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nacceptedSpec(%s): -want, +got:\n%s", tc.reason, tc.annotation, diff)
			}
			want := tc.annotation
			if tc.want == nil {
				want = ""
			}
			if diff := cmp.Diff(want, encoded); diff != "" {
				t.Errorf("\n%s\nacceptedSpec(%s): -want encoded, +got:\n%s", tc.reason, tc.annotation, diff)
			}
		})
	}
}

// TestEncodeSpec encodes what the schema leaves out, so that the annotation is
// as short as the claim.
func TestEncodeSpec(t *testing.T) {
	var got map[string]any
	if err := json.Unmarshal([]byte(encodeSpec(specOf(t, exampleSpec))), &got); err != nil {
		t.Fatal(err)
	}
	want := objectOf(t, exampleSpec).AsMap()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("encodeSpec(%s): -want, +got:\n%s", exampleSpec, diff)
	}
}
