package fn

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestValidateEnvNames(t *testing.T) {
	const remedy = "which cannot be the name of a variable: write letters, digits, -, _ and ., and no digit first"
	cases := map[string]specCase{
		"Usual":    {reason: "Most variables.", spec: "env: [{name: HF_HOME, value: /data}, {name: a.b-c, value: x}, {name: _1}]"},
		"Empty":    {reason: "A variable may be empty.", spec: `env: [{name: A, value: ""}]`},
		"Expanded": {reason: "A variable may repeat another.", spec: `env: [{name: A, value: x}, {name: B, value: "$(A)/y"}]`},
		"NoName":   {reason: "Nothing can be found without a name.", spec: "env: [{value: x}]", want: []string{`spec.env[0].name is "", ` + remedy}},
		"Digit":    {reason: "Shells would not read it.", spec: "env: [{name: A}, {name: 1A}]", want: []string{`spec.env[1].name is "1A", ` + remedy}},
		"Space":    {reason: "Newer clusters accept it, older ones do not.", spec: "env: [{name: A B}]", want: []string{`spec.env[0].name is "A B", ` + remedy}},
		"Equals":   {reason: "That is where the name ends.", spec: `env: [{name: "A=B"}]`, want: []string{`spec.env[0].name is "A=B", ` + remedy}},
		"Dots":     {reason: "It is a path to Kubernetes.", spec: `env: [{name: ".."}, {name: "..A"}]`, want: []string{`spec.env[0].name is "..", ` + remedy, `spec.env[1].name is "..A", ` + remedy}},
		"Case":     {reason: "Other letters make another variable.", spec: "env: [{name: A}, {name: a}, {name: jupyter_token}]"},
		"Twice":    {reason: "Only one of them could be set.", spec: "env: [{name: A, value: x}, {name: B}, {name: A, value: y}]", want: []string{"spec.env[2].name is A, which is set already: leave one out"}},
		"ThreeTimes": {
			reason: "Two have to go.",
			spec:   "env: [{name: A}, {name: A}, {name: A}]",
			want:   []string{"spec.env[1].name is A, which is set already: leave one out", "spec.env[2].name is A, which is set already: leave one out"},
		},
	}
	for _, name := range []string{
		"JUPYTER_TOKEN", "JUPYTER_TOKEN_FILE", "JUPYTER_PORT", "JUPYTER_CONFIG_PATH", "JUPYTER_NO_CONFIG", "JUPYTER_ENV_VARS_TO_UNSET",
		"NOTEBOOK_ARGS", "NB_PREFIX", "GEN_CERT", "JUPYTERHUB_API_TOKEN", "JUPYTERHUB_",
	} {
		cases["Reserved/"+name] = specCase{
			reason: "It would open the notebook, or move it.",
			spec:   fmt.Sprintf("env: [{name: %s, value: x}]", name),
			want:   []string{fmt.Sprintf("spec.env[0].name is %s, which decides how the notebook is protected and reached: leave it out", name)},
		}
	}
	for _, name := range []string{"JUPYTER_TOKENS", "JUPYTERHUB", "MY_JUPYTER_TOKEN", "NB_USER", "JUPYTER_ENABLE_LAB"} {
		cases["NotReserved/"+name] = specCase{
			reason: "It only looks like one that is.",
			spec:   fmt.Sprintf("env: [{name: %s, value: x}]", name),
		}
	}
	testValidate(t, cases)
}

// TestReservedInSchema: the API server refuses what the function would.
func TestReservedInSchema(t *testing.T) {
	definition, err := os.ReadFile("../configuration/definition.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range append(jupyterEnv(""), corev1.EnvVar{Name: "GEN_CERT"}) {
		if !bytes.Contains(definition, []byte("''"+e.Name+"''")) {
			t.Errorf("the rule of env in api/v1 does not refuse %s", e.Name)
		}
	}
}

func TestValidateEnvValues(t *testing.T) {
	const oneWord = "is DOCKER_STACKS_JUPYTER_CMD, which must be one word: write lab or notebook, and arguments in args"
	testValidate(t, map[string]specCase{
		"Command":           {reason: "What docker-stacks images may start.", spec: "env: [{name: DOCKER_STACKS_JUPYTER_CMD, value: notebook}]"},
		"CommandWithArgs":   {reason: "An argument could open the notebook.", spec: "env: [{name: DOCKER_STACKS_JUPYTER_CMD, value: lab --no-browser}]", want: []string{"spec.env[0] " + oneWord}},
		"CommandEmpty":      {reason: "Jupyter alone starts nothing.", spec: `env: [{name: DOCKER_STACKS_JUPYTER_CMD, value: ""}]`, want: []string{"spec.env[0] " + oneWord}},
		"CommandOfVariable": {reason: "Nobody knows what it would be.", spec: `env: [{name: DOCKER_STACKS_JUPYTER_CMD, value: "$(A)"}]`, want: []string{"spec.env[0] " + oneWord}},
		"CommandFromSecret": {reason: "Nobody knows what it would be.", spec: "env: [{name: DOCKER_STACKS_JUPYTER_CMD, valueFrom: {secretKeyRef: {name: a, key: b}}}]", want: []string{"spec.env[0] " + oneWord}},
		"Flag": {
			reason: "A command line could repeat it.",
			spec:   `{env: [{name: A, value: x}, {name: B, value: "--ServerApp.token="}], args: ["lab", "$(B)"]}`,
			want: []string{
				"spec.env[1].value has ServerApp.token, which decides who may open the notebook: leave it out, the token in the access Secret protects it",
				"spec.args has $(B), which Kubernetes replaces by a variable that could be a flag: write the value itself",
			},
		},
		"OtherFlag":      {reason: "Other programs have ports, too.", spec: `env: [{name: TENSORBOARD_ARGS, value: "--port 6006"}]`},
		"ValueAndSource": {reason: "Only one of them could be set.", spec: "env: [{name: A, value: x, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]", want: []string{"spec.env[0] has both value and valueFrom: write one of them"}},
		"BadNameAndBadSource": {
			reason: "Both are told.",
			spec:   "env: [{name: 1, valueFrom: {}}]",
			want: []string{
				`spec.env[0].name is "1", which cannot be the name of a variable: write letters, digits, -, _ and ., and no digit first`,
				"spec.env[0].valueFrom is not exactly one of fieldRef, resourceFieldRef, configMapKeyRef and secretKeyRef: write one of them",
			},
		},
	})
}

// testValueFrom validates one variable's sources.
func testValueFrom(t *testing.T, cases map[string]specCase) {
	t.Helper()
	for name, tc := range cases {
		tc.spec = "env: [{name: A, valueFrom: {" + tc.spec + "}}]"
		for i := range tc.want {
			tc.want[i] = "spec.env[0].valueFrom" + tc.want[i]
		}
		cases[name] = tc
	}
	testValidate(t, cases)
}

func TestValidateValueFrom(t *testing.T) {
	const one = " is not exactly one of fieldRef, resourceFieldRef, configMapKeyRef and secretKeyRef: write one of them"
	testValueFrom(t, map[string]specCase{
		"None":    {reason: "There must be a source.", spec: "", want: []string{one}},
		"Two":     {reason: "There can be one source only.", spec: "configMapKeyRef: {name: a, key: b}, secretKeyRef: {name: a, key: b}", want: []string{one}},
		"File":    {reason: "Few clusters have it.", spec: "fileKeyRef: {volumeName: a, path: b, key: C}", want: []string{one}},
		"OneFile": {reason: "Nor next to another.", spec: "fieldRef: {fieldPath: metadata.name}, fileKeyRef: {volumeName: a, path: b, key: C}", want: []string{one}},

		"ConfigMap":         {reason: "The usual way.", spec: "configMapKeyRef: {name: my.config, key: .a_B-1}"},
		"Secret":            {reason: "The usual way.", spec: "secretKeyRef: {name: a, key: b, optional: true}"},
		"SecretNoName":      {reason: "Which one?", spec: "secretKeyRef: {key: b}", want: []string{`.secretKeyRef.name is "", which cannot be the name of an object: write the name of one that exists`}},
		"ConfigMapBadName":  {reason: "No ConfigMap has such a name.", spec: "configMapKeyRef: {name: A_B, key: b}", want: []string{`.configMapKeyRef.name is "A_B", which cannot be the name of an object: write the name of one that exists`}},
		"ConfigMapNoKey":    {reason: "Which one?", spec: "configMapKeyRef: {name: a}", want: []string{`.configMapKeyRef.key is "": write a key of a`}},
		"SecretBadKey":      {reason: "No Secret has such a key.", spec: "secretKeyRef: {name: a, key: b/c}", want: []string{`.secretKeyRef.key is "b/c": write a key of a`}},
		"SecretKeyDots":     {reason: "No Secret has such a key.", spec: "secretKeyRef: {name: a, key: ..b}", want: []string{`.secretKeyRef.key is "..b": write a key of a`}},
		"LongestKey":        {reason: "Keys have up to 253 characters.", spec: "secretKeyRef: {name: a, key: " + strings.Repeat("k", 253) + "}"},
		"SecretKeyTooLong":  {reason: "And not more.", spec: "secretKeyRef: {name: a, key: " + strings.Repeat("k", 254) + "}", want: []string{`.secretKeyRef.key is "` + strings.Repeat("k", 200) + `…": write a key of a`}},
		"FieldLabel":        {reason: "A pod knows its labels.", spec: `fieldRef: {fieldPath: "metadata.labels['app.kubernetes.io/name']"}`},
		"FieldAnnotation":   {reason: "And its annotations.", spec: `fieldRef: {apiVersion: v1, fieldPath: "metadata.annotations['a']"}`},
		"FieldBadLabel":     {reason: "No label has such a name.", spec: `fieldRef: {fieldPath: "metadata.labels['a b']"}`, want: []string{`.fieldRef.fieldPath is "metadata.labels['a b']", which pods do not offer: write one such as metadata.name or status.podIP`}},
		"FieldAllLabels":    {reason: "A variable has one value.", spec: "fieldRef: {fieldPath: metadata.labels}", want: []string{`.fieldRef.fieldPath is "metadata.labels", which pods do not offer: write one such as metadata.name or status.podIP`}},
		"FieldPhase":        {reason: "It changes while the pod runs.", spec: "fieldRef: {fieldPath: status.phase}", want: []string{`.fieldRef.fieldPath is "status.phase", which pods do not offer: write one such as metadata.name or status.podIP`}},
		"FieldNone":         {reason: "Which one?", spec: "fieldRef: {}", want: []string{`.fieldRef.fieldPath is "", which pods do not offer: write one such as metadata.name or status.podIP`}},
		"FieldOtherVersion": {reason: "There is one version of pods.", spec: "fieldRef: {apiVersion: v2, fieldPath: metadata.name}", want: []string{`.fieldRef.apiVersion is "v2": write v1, or leave it out`}},
	})
	paths := map[string]specCase{}
	for _, path := range []string{"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"} {
		paths["Field/"+path] = specCase{reason: "A pod knows it when it starts.", spec: "fieldRef: {fieldPath: " + path + "}"}
	}
	testValueFrom(t, paths)
}

func TestValidateResourceFieldRef(t *testing.T) {
	const sizes = "write one of 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei"
	testValueFrom(t, map[string]specCase{
		"CPU":             {reason: "As OMP_NUM_THREADS wants it.", spec: "resourceFieldRef: {resource: limits.cpu}"},
		"MilliCPU":        {reason: "In thousandths.", spec: "resourceFieldRef: {resource: requests.cpu, divisor: 1m}"},
		"WholeCPU":        {reason: "A number is a quantity.", spec: "resourceFieldRef: {resource: requests.cpu, divisor: 1}"},
		"Memory":          {reason: "In mebibytes.", spec: "resourceFieldRef: {resource: limits.memory, divisor: 1Mi, containerName: notebook}"},
		"DivisorZero":     {reason: "Zero is the default.", spec: `resourceFieldRef: {resource: limits.memory, divisor: "0"}`},
		"EphemeralMega":   {reason: "In megabytes.", spec: "resourceFieldRef: {resource: requests.ephemeral-storage, divisor: 1M}"},
		"HugePages":       {reason: "Of any size.", spec: "resourceFieldRef: {resource: limits.hugepages-2Mi, divisor: 1Ei}"},
		"OtherContainer":  {reason: "There is one container.", spec: "resourceFieldRef: {resource: limits.cpu, containerName: app}", want: []string{`.resourceFieldRef.containerName is "app": write notebook, or leave it out`}},
		"NoResource":      {reason: "Which one?", spec: "resourceFieldRef: {}", want: []string{`.resourceFieldRef.resource is "": write one such as limits.memory or requests.cpu`}},
		"NoList":          {reason: "The limit or the request?", spec: "resourceFieldRef: {resource: cpu}", want: []string{`.resourceFieldRef.resource is "cpu": write one such as limits.memory or requests.cpu`}},
		"Device":          {reason: "Kubernetes does not tell devices.", spec: "resourceFieldRef: {resource: limits.nvidia.com/gpu}", want: []string{`.resourceFieldRef.resource is "limits.nvidia.com/gpu": write one such as limits.memory or requests.cpu`}},
		"CPUInKibi":       {reason: "CPUs are not counted so.", spec: "resourceFieldRef: {resource: limits.cpu, divisor: 1Ki}", want: []string{".resourceFieldRef.divisor is 1Ki: write one of 1, 1m"}},
		"MemoryInMilli":   {reason: "Bytes are not cut in pieces.", spec: "resourceFieldRef: {resource: limits.memory, divisor: 1m}", want: []string{".resourceFieldRef.divisor is 1m: " + sizes}},
		"MemoryInTwos":    {reason: "A unit is one of something.", spec: "resourceFieldRef: {resource: requests.memory, divisor: 2Mi}", want: []string{".resourceFieldRef.divisor is 2Mi: " + sizes}},
		"MemoryIn1024":    {reason: "Kubernetes compares letters.", spec: "resourceFieldRef: {resource: limits.memory, divisor: 1024}", want: []string{".resourceFieldRef.divisor is 1024: " + sizes}},
		"MemoryNegative":  {reason: "A unit is one of something.", spec: `resourceFieldRef: {resource: limits.memory, divisor: "-1"}`, want: []string{".resourceFieldRef.divisor is -1: " + sizes}},
		"HugePagesInTwos": {reason: "A unit is one of something.", spec: "resourceFieldRef: {resource: limits.hugepages-2Mi, divisor: 2Mi}", want: []string{".resourceFieldRef.divisor is 2Mi: " + sizes}},
	})
}

func TestValidateEnvFrom(t *testing.T) {
	const one = "is not exactly one of configMapRef and secretRef: write one of them"
	testValidate(t, map[string]specCase{
		"ConfigMap":    {reason: "The usual way.", spec: "envFrom: [{configMapRef: {name: a.b}}]"},
		"Secret":       {reason: "The usual way.", spec: "envFrom: [{prefix: DB_, secretRef: {name: a, optional: true}}]"},
		"Twice":        {reason: "The later one wins.", spec: "envFrom: [{secretRef: {name: a}}, {secretRef: {name: a}}]"},
		"None":         {reason: "There must be a source.", spec: "envFrom: [{prefix: A}]", want: []string{"spec.envFrom[0] " + one}},
		"Two":          {reason: "There can be one source only.", spec: "envFrom: [{configMapRef: {name: a}}, {configMapRef: {name: a}, secretRef: {name: b}}]", want: []string{"spec.envFrom[1] " + one}},
		"NoName":       {reason: "Which one?", spec: "envFrom: [{configMapRef: {}}]", want: []string{`spec.envFrom[0].configMapRef.name is "", which cannot be the name of a ConfigMap: write the name of one that exists`}},
		"BadName":      {reason: "No Secret has such a name.", spec: "envFrom: [{secretRef: {name: a_b}}]", want: []string{`spec.envFrom[0].secretRef.name is "a_b", which cannot be the name of a Secret: write the name of one that exists`}},
		"PrefixDigit":  {reason: "Shells would not read it.", spec: `envFrom: [{prefix: "1", secretRef: {name: a}}]`, want: []string{`spec.envFrom[0].prefix is "1", which cannot start the name of a variable: write letters, digits, -, _ and ., and no digit first`}},
		"PrefixEquals": {reason: "That is where the name ends.", spec: `envFrom: [{prefix: "A=", configMapRef: {name: a}}]`, want: []string{`spec.envFrom[0].prefix is "A=", which cannot start the name of a variable: write letters, digits, -, _ and ., and no digit first`}},
	})
}
