package fn

import (
	"fmt"
	"strings"
	"testing"
)

func TestValidateMountPaths(t *testing.T) {
	cases := map[string]specCase{
		"Workspace":   {reason: "A folder of the user's choice.", spec: "volume: {mountPath: /home/jovyan/data}"},
		"Home":        {reason: "Mounts are made from the outside in.", spec: "mounts: [{mountPath: /home/jovyan, secret: a}]"},
		"Inside":      {reason: "Mounts are made from the outside in.", spec: "mounts: [{mountPath: /home/jovyan/work/data, secret: a}]"},
		"Neighbours":  {reason: "They only look like the container's own.", spec: "mounts: [{mountPath: /dev/shm2, secret: a}, {mountPath: /etc/function-jupyterx, secret: a}, {mountPath: /process, secret: a}, {mountPath: /dev/a, secret: a}, {mountPath: /etc/ssl, secret: a}]"},
		"Longest":     {reason: "As long as Linux allows.", spec: "mounts: [{mountPath: /" + strings.Repeat("a", 4095) + ", secret: a}]"},
		"TooLong":     {reason: "No file could be opened in it.", spec: "mounts: [{mountPath: /" + strings.Repeat("a", 4096) + ", secret: a}]", want: []string{"spec.mounts[0].mountPath is longer than 4096 bytes: write a shorter path, such as /data"}},
		"OnWorkspace": {reason: "The workspace is there by default.", spec: "mounts: [{mountPath: /home/jovyan/work, secret: a}]", want: []string{"spec.mounts[0].mountPath is /home/jovyan/work, where spec.volume.mountPath is mounted already: write another path"}},
		"OnWorkspaceWithSlash": {
			reason: "It is the same folder.",
			spec:   "{volume: {mountPath: /data/}, mounts: [{mountPath: /data, secret: a}, {mountPath: /x/..//data/, secret: b}]}",
			want: []string{
				"spec.mounts[0].mountPath is /data, where spec.volume.mountPath is mounted already: write another path",
				"spec.mounts[1].mountPath is /x/..//data/, where spec.mounts[0].mountPath is mounted already: write another path",
			},
		},
		"WorkspaceElsewhere": {reason: "The default is free, then.", spec: "{volume: {mountPath: /data}, mounts: [{mountPath: /home/jovyan/work, secret: a}]}"},
		"Twice": {
			reason: "Only one could be seen.",
			spec:   "mounts: [{mountPath: /a, secret: a}, {mountPath: /b, secret: b}, {mountPath: /a/, configMap: c}]",
			want:   []string{"spec.mounts[2].mountPath is /a/, where spec.mounts[0].mountPath is mounted already: write another path"},
		},
		"WorkspaceRelative": {reason: "Where would it be?", spec: "volume: {mountPath: work}", want: []string{`spec.volume.mountPath is "work": write an absolute path without a colon, such as /data`}},
	}
	for _, p := range []string{"/", "//", "/a/..", "/proc", "/proc/1/", "/sys/fs", "/dev", "/dev/", "/dev/shm", "/dev/shm/a", "/a/../dev//shm", "/../dev/shm", "/etc", "/etc/.", "/etc/function-jupyter", "/etc/function-jupyter/a"} {
		want := fmt.Sprintf("mountPath is %s, which the container needs for itself: write another path, such as /data", p)
		cases["Own"+p] = specCase{
			reason: "Without it the container or Jupyter would not start.",
			spec:   fmt.Sprintf("{volume: {mountPath: %q}, mounts: [{mountPath: %q, secret: a}]}", p, p+"/."),
			want: []string{
				"spec.volume." + want,
				"spec.mounts[0]." + strings.Replace(want, p, p+"/.", 1),
				fmt.Sprintf("spec.mounts[0].mountPath is %s/., where spec.volume.mountPath is mounted already: write another path", p),
			},
		}
	}
	for _, p := range []string{"", "data", "./data", "../data", "~/data", "C:/data", "/a:b", "/a\x00b"} {
		cases["NoPath/"+p] = specCase{
			reason: "A path starts at the root, and a container runtime splits at colons.",
			spec:   fmt.Sprintf("mounts: [{mountPath: %q, secret: a}]", p),
			want:   []string{fmt.Sprintf("spec.mounts[0].mountPath is %q: write an absolute path without a colon, such as /data", p)},
		}
	}
	testValidate(t, cases)
}

func TestValidateMountSources(t *testing.T) {
	const (
		one  = "is not exactly one of persistentVolumeClaim, secret and configMap: write one of them"
		name = "which cannot be the name of an object: write the name of one that exists"
	)
	cases := map[string]specCase{
		"All": {
			reason: "One mount of each kind.",
			spec:   "mounts: [{mountPath: /a, persistentVolumeClaim: a.b, readOnly: true, subPath: x/y}, {mountPath: /b, secret: 1-b}, {mountPath: /c, configMap: c}]",
		},
		"SameSource": {reason: "One volume may be seen in two folders.", spec: "mounts: [{mountPath: /a, persistentVolumeClaim: a}, {mountPath: /b, persistentVolumeClaim: a}]"},
		"None":       {reason: "Nothing could be mounted.", spec: "mounts: [{mountPath: /a}]", want: []string{"spec.mounts[0] " + one}},
		"Two":        {reason: "One of them could not be seen.", spec: "mounts: [{mountPath: /a, secret: a, configMap: b}]", want: []string{"spec.mounts[0] " + one}},
		"Three":      {reason: "Their names do not matter, then.", spec: "mounts: [{mountPath: /a, secret: A, configMap: B, persistentVolumeClaim: C}]", want: []string{"spec.mounts[0] " + one}},
	}
	for _, kind := range []string{"persistentVolumeClaim", "secret", "configMap"} {
		cases["BadName/"+kind] = specCase{
			reason: "No object has such a name.",
			spec:   "mounts: [{mountPath: /a, " + kind + ": A_B}]",
			want:   []string{"spec.mounts[0]." + kind + ` is "A_B", ` + name},
		}
	}
	for _, subPath := range []string{"a", "a/b/", "a..b/..c", "...", ".", "a//b"} {
		cases["SubPath/"+subPath] = specCase{
			reason: "A folder inside the volume.",
			spec:   fmt.Sprintf("mounts: [{mountPath: /a, persistentVolumeClaim: a, subPath: %q}]", subPath),
		}
	}
	for _, subPath := range []string{"/a", "..", "../a", "a/..", "a/../b"} {
		cases["BadSubPath/"+subPath] = specCase{
			reason: "It would lead out of the volume.",
			spec:   fmt.Sprintf("mounts: [{mountPath: /a, persistentVolumeClaim: a, subPath: %q}]", subPath),
			want:   []string{fmt.Sprintf("spec.mounts[0].subPath is %q: write a relative path without ..", subPath)},
		}
	}
	testValidate(t, cases)
}

func TestValidatePullSecrets(t *testing.T) {
	testValidate(t, map[string]specCase{
		"Two":     {reason: "Images may come from two registries.", spec: "imagePullSecrets: [{name: a}, {name: b.c}]"},
		"Twice":   {reason: "Kubernetes takes each once.", spec: "imagePullSecrets: [{name: a}, {name: a}]", want: []string{"spec.imagePullSecrets[1].name is a, which is listed already: leave one out"}},
		"NoName":  {reason: "Which one?", spec: "imagePullSecrets: [{}]", want: []string{`spec.imagePullSecrets[0].name is "", which cannot be the name of a Secret: write the name of one that exists`}},
		"BadName": {reason: "No Secret has such a name.", spec: "imagePullSecrets: [{name: Docker}]", want: []string{`spec.imagePullSecrets[0].name is "Docker", which cannot be the name of a Secret: write the name of one that exists`}},
	})
}

func TestValidateNodeSelector(t *testing.T) {
	const remedy = "which is not a label: write a label that nodes carry"
	testValidate(t, map[string]specCase{
		"Labels":     {reason: "Labels with and without a domain or a value.", spec: `nodeSelector: {kubernetes.io/arch: amd64, disk: "", Zone_1.a: A-b.c_d}`},
		"Longest":    {reason: "A name and a value of 63 characters.", spec: "nodeSelector: {" + strings.Repeat("k", 63) + ": " + strings.Repeat("v", 63) + "}"},
		"KeyTooLong": {reason: "And not more.", spec: "nodeSelector: {" + strings.Repeat("k", 64) + ": v}", want: []string{"spec.nodeSelector has " + strings.Repeat("k", 64) + `: "v", ` + remedy}},
		"NoKey":      {reason: "A label has a name.", spec: `nodeSelector: {"": v}`, want: []string{`spec.nodeSelector has : "v", ` + remedy}},
		"BadValues": {
			reason: "Keys are in order, for the sentence to stay the same.",
			spec:   "nodeSelector: {c: -x, b: x y, a: " + strings.Repeat("v", 64) + ", d/e/f: x}",
			want: []string{
				`spec.nodeSelector has a: "` + strings.Repeat("v", 64) + `", ` + remedy,
				`spec.nodeSelector has b: "x y", ` + remedy,
				`spec.nodeSelector has c: "-x", ` + remedy,
				`spec.nodeSelector has d/e/f: "x", ` + remedy,
			},
		},
	})
}

func TestValidateTolerations(t *testing.T) {
	cases := map[string]specCase{
		"Equal":             {reason: "The default operator.", spec: "{key: a/b, value: c, effect: NoSchedule}"},
		"EqualWrittenOut":   {reason: "The default operator, written out.", spec: `{key: a, operator: Equal, value: "", effect: PreferNoSchedule}`},
		"Exists":            {reason: "Any value.", spec: "{key: nvidia.com/gpu, operator: Exists}"},
		"Everything":        {reason: "Every taint.", spec: "{operator: Exists}"},
		"Seconds":           {reason: "For an hour.", spec: "{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 3600}"},
		"SecondsAnyTaint":   {reason: "For no time at all.", spec: "{operator: Exists, effect: NoExecute, tolerationSeconds: 0}"},
		"SecondsNegative":   {reason: "Kubernetes takes it for zero.", spec: "{operator: Exists, effect: NoExecute, tolerationSeconds: -1}"},
		"SecondsMost":       {reason: "The largest number that JSON keeps.", spec: "{operator: Exists, effect: NoExecute, tolerationSeconds: 9007199254740992}"},
		"SecondsTooMany":    {reason: "It would become another number on its way.", spec: "{operator: Exists, effect: NoExecute, tolerationSeconds: 9007199254740993}", want: []string{".tolerationSeconds is 9007199254740993: write less, or leave it out to tolerate the taint for ever"}},
		"SecondsTooFew":     {reason: "It would become another number on its way.", spec: "{operator: Exists, effect: NoExecute, tolerationSeconds: -9223372036854775808}", want: []string{".tolerationSeconds is -9223372036854775808: write less, or leave it out to tolerate the taint for ever"}},
		"SecondsNoEffect":   {reason: "Only NoExecute ends a pod.", spec: "{key: a, operator: Exists, tolerationSeconds: 60}", want: []string{".tolerationSeconds is 60 without effect NoExecute: leave tolerationSeconds out, or write that effect"}},
		"SecondsNoSchedule": {reason: "Only NoExecute ends a pod.", spec: "{key: a, effect: NoSchedule, tolerationSeconds: 60}", want: []string{".tolerationSeconds is 60 without effect NoExecute: leave tolerationSeconds out, or write that effect"}},
		"OperatorLowercase": {reason: "Kubernetes is strict here.", spec: "{key: a, operator: exists}", want: []string{`.operator is "exists": write Exists or Equal`}},
		"OperatorGreater":   {reason: "Few clusters have it.", spec: `{key: a, operator: Gt, value: "5"}`, want: []string{`.operator is "Gt": write Exists or Equal`}},
		"Empty":             {reason: "It tolerates nothing.", spec: "{}", want: []string{".key is missing: write the taint's key, or operator Exists to tolerate every taint"}},
		"NoKey":             {reason: "A value alone is no taint.", spec: "{operator: Equal, value: a}", want: []string{".key is missing: write the taint's key, or operator Exists to tolerate every taint"}},
		"BadKey":            {reason: "No taint has such a key.", spec: "{key: a b, operator: Exists}", want: []string{`.key is "a b", which cannot be the key of a taint: write one that nodes carry`}},
		"ExistsWithValue":   {reason: "Any value, or this one?", spec: "{key: a, operator: Exists, value: b}", want: []string{`.value is "b" with operator Exists: leave the value out, or write operator Equal`}},
		"AnyKeyWithValue":   {reason: "Any taint, or this one?", spec: "{operator: Exists, value: b}", want: []string{`.value is "b" with operator Exists: leave the value out, or write operator Equal`}},
		"BadValue":          {reason: "No taint has such a value.", spec: "{key: a, value: b c}", want: []string{`.value is "b c", which cannot be the value of a taint: write one that nodes carry`}},
		"ValueTooLong":      {reason: "A value has up to 63 characters.", spec: "{key: a, value: " + strings.Repeat("v", 64) + "}", want: []string{`.value is "` + strings.Repeat("v", 64) + `", which cannot be the value of a taint: write one that nodes carry`}},
		"BadEffect":         {reason: "Kubernetes is strict here.", spec: "{key: a, effect: noschedule}", want: []string{`.effect is "noschedule": write NoSchedule, PreferNoSchedule or NoExecute, or leave it out`}},
	}
	for name, tc := range cases {
		tc.spec = "tolerations: [{operator: Exists}, " + tc.spec + "]"
		for i := range tc.want {
			tc.want[i] = "spec.tolerations[1]" + tc.want[i]
		}
		cases[name] = tc
	}
	testValidate(t, cases)
}
