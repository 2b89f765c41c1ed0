package fn

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

func checkMounts(spec *v1.NotebookSpec) []refusal {
	workspace := workspacePath(spec)
	refusals := checkMountPath("volume.mountPath", workspace)
	seen := map[string]string{path.Clean(workspace): "volume.mountPath"}
	for i, m := range spec.Mounts {
		field := fmt.Sprintf("mounts[%d]", i)
		refusals = append(refusals, checkMountPath(field+".mountPath", m.MountPath)...)
		refusals = append(refusals, checkMountSource(field, m)...)
		clean := path.Clean(m.MountPath)
		if other, taken := seen[clean]; taken {
			refusals = append(refusals, invalid(field+".mountPath", "is %s, where spec.%s is mounted already: write another path", m.MountPath, other)...)
		}
		seen[clean] = field + ".mountPath"
		if path.IsAbs(m.SubPath) || slices.Contains(strings.Split(m.SubPath, "/"), "..") {
			refusals = append(refusals, invalid(field+".subPath", "is %q: write a relative path without ..", m.SubPath)...)
		}
	}
	return refusals
}

func checkMountPath(field, p string) []refusal {
	clean := path.Clean(p)
	switch {
	case !path.IsAbs(p) || strings.ContainsRune(p, ':') || strings.ContainsRune(p, 0):
		return invalid(field, "is %q: write an absolute path without a colon, such as /data", p)
	case clean == "/" || within(clean, configPath) || within(clean, shmPath) || within(clean, "/proc") || within(clean, "/sys") || clean == path.Dir(shmPath):
		return invalid(field, "is %s, which the container needs for itself: write another path, such as /data", p)
	default:
		return nil
	}
}

// within tells whether a path is a folder or inside it. Both are clean.
func within(p, folder string) bool { return p == folder || strings.HasPrefix(p, folder+"/") }

func checkMountSource(field string, m v1.Mount) []refusal {
	var refusals []refusal
	sources := 0
	for kind, name := range map[string]string{"persistentVolumeClaim": m.PersistentVolumeClaim, "secret": m.Secret, "configMap": m.ConfigMap} {
		if name == "" {
			continue
		}
		sources++
		if len(validation.IsDNS1123Subdomain(name)) > 0 {
			refusals = append(refusals, invalid(field+"."+kind, "is %q, which cannot be the name of an object: write the name of one that exists", name)...)
		}
	}
	if sources != 1 {
		return invalid(field, "names %d volumes: write exactly one of persistentVolumeClaim, secret and configMap", sources)
	}
	return refusals
}

func checkPullSecrets(spec *v1.NotebookSpec) []refusal {
	var refusals []refusal
	seen := map[string]bool{}
	for i, s := range spec.ImagePullSecrets {
		field := fmt.Sprintf("imagePullSecrets[%d].name", i)
		switch {
		case len(validation.IsDNS1123Subdomain(s.Name)) > 0:
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
		if len(validation.IsQualifiedName(key)) > 0 || len(validation.IsValidLabelValue(spec.NodeSelector[key])) > 0 {
			refusals = append(refusals, invalid("nodeSelector", "has %s: %q, which is not a label: write a label that nodes carry", key, spec.NodeSelector[key])...)
		}
	}
	return refusals
}

func checkTolerations(spec *v1.NotebookSpec) []refusal {
	var refusals []refusal
	for i, t := range spec.Tolerations {
		if why := wrongToleration(t); why != "" {
			refusals = append(refusals, invalid(fmt.Sprintf("tolerations[%d]", i), "%s", why)...)
		}
	}
	return refusals
}

// wrongToleration repeats what Kubernetes demands of a toleration.
func wrongToleration(t corev1.Toleration) string {
	exists := t.Operator == corev1.TolerationOpExists
	switch {
	case t.Operator != "" && t.Operator != corev1.TolerationOpEqual && !exists:
		return fmt.Sprintf("has operator %q: write Exists or Equal", t.Operator)
	case t.Key == "" && !exists:
		return "has no key: write the taint's key, or operator Exists to tolerate every taint"
	case t.Key != "" && len(validation.IsQualifiedName(t.Key)) > 0:
		return fmt.Sprintf("has key %q, which cannot be the key of a taint", t.Key)
	case exists && t.Value != "":
		return "has a value with operator Exists: leave the value out, or write operator Equal"
	case len(validation.IsValidLabelValue(t.Value)) > 0:
		return fmt.Sprintf("has value %q, which cannot be the value of a taint", t.Value)
	case !slices.Contains([]corev1.TaintEffect{"", corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute}, t.Effect):
		return fmt.Sprintf("has effect %q: write NoSchedule, PreferNoSchedule or NoExecute, or leave it out", t.Effect)
	case t.TolerationSeconds != nil && t.Effect != corev1.TaintEffectNoExecute:
		return "has tolerationSeconds without effect NoExecute: leave tolerationSeconds out, or write that effect"
	default:
		return ""
	}
}

var (
	// protectionFlag of a Jupyter command line decides who may open the server.
	protectionFlag = regexp.MustCompile(`(?i)\w*(App|IdentityProvider)\.(token|password|hashed_password|identity_provider_class|login_handler_class|allow_unauthenticated_access)\b`)
	// baseURLFlag moves the pages away from where the probe and the URL say.
	baseURLFlag = regexp.MustCompile(`(?i)\w*App\.base_url\b`)
	portFlag    = regexp.MustCompile(`(?i)(?:--port|\w*App\.port)[\s=]+["']?(\w*)`)
)

func checkCommand(spec *v1.NotebookSpec) []refusal {
	line := strings.Join(slices.Concat(spec.Command, spec.Args), " ")
	var refusals []refusal
	if flag := protectionFlag.FindString(line); flag != "" {
		refusals = append(refusals, invalid("args", "or spec.command sets %s, which decides who may open the notebook: leave it out, the token in the access Secret protects it", flag)...)
	}
	if flag := baseURLFlag.FindString(line); flag != "" {
		refusals = append(refusals, invalid("args", "or spec.command sets %s, which moves the notebook away from its URL: leave it out", flag)...)
	}
	if m := portFlag.FindStringSubmatch(line); m != nil && m[1] != fmt.Sprint(port) {
		refusals = append(refusals, invalid("args", "or spec.command moves the server to port %q, where nothing looks for it: leave the port out, it is %d", m[1], port)...)
	}
	return refusals
}
