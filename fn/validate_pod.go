package fn

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

func checkMounts(spec *v1.NotebookSpec) []refusal {
	workspace := workspacePath(spec)
	refusals := checkMountPath("volume.mountPath", workspace)
	taken := map[string]string{path.Clean(workspace): "volume.mountPath"}
	for i, m := range spec.Mounts {
		field := fmt.Sprintf("mounts[%d]", i)
		refusals = append(refusals, checkMountPath(field+".mountPath", m.MountPath)...)
		if other, isTaken := taken[path.Clean(m.MountPath)]; isTaken {
			refusals = append(refusals, invalid(field+".mountPath", "is %s, where spec.%s is mounted already: write another path", m.MountPath, other)...)
		}
		taken[path.Clean(m.MountPath)] = field + ".mountPath"
		refusals = append(refusals, checkMountSource(field, m)...)
		if path.IsAbs(m.SubPath) || slices.Contains(strings.Split(m.SubPath, "/"), "..") {
			refusals = append(refusals, invalid(field+".subPath", "is %q: write a relative path without ..", m.SubPath)...)
		}
	}
	return refusals
}

// maxPathLength in bytes, as Linux has it.
const maxPathLength = 4096

// ownPaths are what the container needs for itself.
var ownPaths = []string{configPath, shmPath, "/proc", "/sys"}

func checkMountPath(field, p string) []refusal {
	clean := path.Clean(p)
	overlaps := func(own string) bool { return within(clean, own) || within(own, clean) }
	switch {
	case !path.IsAbs(p) || strings.ContainsRune(p, ':') || strings.ContainsRune(p, 0):
		return invalid(field, "is %q: write an absolute path without a colon, such as /data", p)
	case len(p) > maxPathLength:
		return invalid(field, "is longer than %d bytes: write a shorter path, such as /data", maxPathLength)
	case slices.ContainsFunc(ownPaths, overlaps):
		return invalid(field, "is %s, which the container needs for itself: write another path, such as /data", p)
	default:
		return nil
	}
}

// within tells whether a path is a folder or inside it. Both are clean.
func within(p, folder string) bool {
	return p == folder || strings.HasPrefix(p, strings.TrimSuffix(folder, "/")+"/")
}

func checkMountSource(field string, m v1.Mount) []refusal {
	if countTrue(m.PersistentVolumeClaim != "", m.Secret != "", m.ConfigMap != "") != 1 {
		return invalid(field, "is not exactly one of persistentVolumeClaim, secret and configMap: write one of them")
	}
	for _, source := range []struct{ kind, name string }{
		{"persistentVolumeClaim", m.PersistentVolumeClaim},
		{"secret", m.Secret},
		{"configMap", m.ConfigMap},
	} {
		if source.name != "" && !isObjectName(source.name) {
			return invalid(field+"."+source.kind, "is %q, which cannot be the name of an object: write the name of one that exists", source.name)
		}
	}
	return nil
}

func checkPullSecrets(spec *v1.NotebookSpec) []refusal {
	var refusals []refusal
	seen := map[string]bool{}
	for i, s := range spec.ImagePullSecrets {
		field := fmt.Sprintf("imagePullSecrets[%d].name", i)
		switch {
		case !isObjectName(s.Name):
			refusals = append(refusals, invalid(field, "is %q, which cannot be the name of a Secret: write the name of one that exists", s.Name)...)
		case seen[s.Name]:
			refusals = append(refusals, invalid(field, "is %s, which is listed already: leave one out", s.Name)...)
		}
		seen[s.Name] = true
	}
	return refusals
}

func checkNodeSelector(spec *v1.NotebookSpec) []refusal {
	var refusals []refusal
	for _, key := range slices.Sorted(maps.Keys(spec.NodeSelector)) {
		value := spec.NodeSelector[key]
		if len(validation.IsQualifiedName(key)) > 0 || len(validation.IsValidLabelValue(value)) > 0 {
			refusals = append(refusals, invalid("nodeSelector", "has %s: %q, which is not a label: write a label that nodes carry", key, value)...)
		}
	}
	return refusals
}

func checkTolerations(spec *v1.NotebookSpec) []refusal {
	var refusals []refusal
	for i, t := range spec.Tolerations {
		refusals = append(refusals, checkToleration(fmt.Sprintf("tolerations[%d]", i), t)...)
	}
	return refusals
}

// maxSeconds is what survives as a number in JSON.
const maxSeconds = 1 << 53

// checkToleration repeats what Kubernetes demands of a toleration.
func checkToleration(field string, t corev1.Toleration) []refusal {
	exists := t.Operator == corev1.TolerationOpExists
	switch {
	case t.Operator != "" && t.Operator != corev1.TolerationOpEqual && !exists:
		return invalid(field+".operator", "is %q: write Exists or Equal", t.Operator)
	case t.Key == "" && !exists:
		return invalid(field+".key", "is missing: write the taint's key, or operator Exists to tolerate every taint")
	case t.Key != "" && len(validation.IsQualifiedName(t.Key)) > 0:
		return invalid(field+".key", "is %q, which cannot be the key of a taint: write one that nodes carry", t.Key)
	case exists && t.Value != "":
		return invalid(field+".value", "is %q with operator Exists: leave the value out, or write operator Equal", t.Value)
	case len(validation.IsValidLabelValue(t.Value)) > 0:
		return invalid(field+".value", "is %q, which cannot be the value of a taint: write one that nodes carry", t.Value)
	case !slices.Contains([]corev1.TaintEffect{"", corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute}, t.Effect):
		return invalid(field+".effect", "is %q: write NoSchedule, PreferNoSchedule or NoExecute, or leave it out", t.Effect)
	case t.TolerationSeconds == nil:
		return nil
	case t.Effect != corev1.TaintEffectNoExecute:
		return invalid(field+".tolerationSeconds", "is %d without effect NoExecute: leave tolerationSeconds out, or write that effect", *t.TolerationSeconds)
	case *t.TolerationSeconds < -maxSeconds || *t.TolerationSeconds > maxSeconds:
		return invalid(field+".tolerationSeconds", "is %d: write less, or leave it out to tolerate the taint for ever", *t.TolerationSeconds)
	default:
		return nil
	}
}
