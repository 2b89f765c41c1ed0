package fn

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// envJupyterCommand chooses what the docker-stacks images start.
const envJupyterCommand = "DOCKER_STACKS_JUPYTER_CMD"

// jupyterCommand is a subcommand of jupyter, without arguments of its own.
var jupyterCommand = regexp.MustCompile(`^[a-z]+$`)

func checkEnv(spec *v1.NotebookSpec) []refusal {
	var refusals []refusal
	seen := map[string]bool{}
	for i, e := range spec.Env {
		field := fmt.Sprintf("env[%d]", i)
		if seen[e.Name] {
			refusals = append(refusals, invalid(field+".name", "is %s, which is set already: leave one out", e.Name)...)
		}
		seen[e.Name] = true
		refusals = append(refusals, checkEnvName(field+".name", e.Name)...)
		refusals = append(refusals, checkEnvValue(field, e)...)
	}
	return refusals
}

func checkEnvName(field, name string) []refusal {
	switch {
	case len(validation.IsEnvVarName(name)) > 0:
		return invalid(field, "is %q, which cannot be the name of a variable: write letters, digits, -, _ and ., and no digit first", name)
	case isReserved(name):
		return invalid(field, "is %s, which decides how the notebook is protected and reached: leave it out", name)
	default:
		return nil
	}
}

// isReserved tells whether the notebook sets a variable itself, or whether it
// makes an image start something else than a notebook that the token protects
// and the probes reach. The schema refuses the same ones.
func isReserved(name string) bool {
	return strings.HasPrefix(name, "JUPYTERHUB_") || name == "GEN_CERT" || sets(jupyterEnv(""), name)
}

// sets tells whether one of the variables has that name.
func sets(env []corev1.EnvVar, name string) bool {
	return slices.ContainsFunc(env, func(e corev1.EnvVar) bool { return e.Name == name })
}

func checkEnvValue(field string, e corev1.EnvVar) []refusal {
	flag := protectionFlag.FindString(e.Value)
	switch {
	case e.Name == envJupyterCommand && (e.ValueFrom != nil || !jupyterCommand.MatchString(e.Value)):
		return invalid(field, "is %s, which must be one word: write lab or notebook, and arguments in args", e.Name)
	case flag != "": // For a command line that repeats the variable.
		return invalid(field+".value", "has %s, which decides who may open the notebook: leave it out, the token in the access Secret protects it", flag)
	case e.ValueFrom == nil:
		return nil
	case e.Value != "":
		return invalid(field, "has both value and valueFrom: write one of them")
	default:
		return checkEnvSource(field+".valueFrom", e.ValueFrom)
	}
}

// checkEnvSource repeats what Kubernetes demands of a variable's source.
func checkEnvSource(field string, from *corev1.EnvVarSource) []refusal {
	if countTrue(from.FieldRef != nil, from.ResourceFieldRef != nil, from.ConfigMapKeyRef != nil, from.SecretKeyRef != nil) != 1 || from.FileKeyRef != nil {
		return invalid(field, "is not exactly one of fieldRef, resourceFieldRef, configMapKeyRef and secretKeyRef: write one of them")
	}
	switch {
	case from.FieldRef != nil:
		return checkFieldRef(field+".fieldRef", from.FieldRef)
	case from.ResourceFieldRef != nil:
		return checkResourceFieldRef(field+".resourceFieldRef", from.ResourceFieldRef)
	case from.ConfigMapKeyRef != nil:
		return checkKeyRef(field+".configMapKeyRef", from.ConfigMapKeyRef.Name, from.ConfigMapKeyRef.Key)
	default:
		return checkKeyRef(field+".secretKeyRef", from.SecretKeyRef.Name, from.SecretKeyRef.Key)
	}
}

func countTrue(conditions ...bool) int {
	count := 0
	for _, c := range conditions {
		if c {
			count++
		}
	}
	return count
}

var (
	fieldPath    = regexp.MustCompile(`^(metadata\.(name|namespace|uid)|spec\.(nodeName|serviceAccountName)|status\.(hostIPs?|podIPs?))$`)
	subscript    = regexp.MustCompile(`^metadata\.(?:labels|annotations)\['(.+)'\]$`)
	resourcePath = regexp.MustCompile(`^(limits|requests)\.(cpu|memory|ephemeral-storage|hugepages-.+)$`)
)

func checkFieldRef(field string, ref *corev1.ObjectFieldSelector) []refusal {
	if ref.APIVersion != "" && ref.APIVersion != "v1" {
		return invalid(field+".apiVersion", "is %q: write v1, or leave it out", ref.APIVersion)
	}
	key := subscript.FindStringSubmatch(ref.FieldPath)
	if !fieldPath.MatchString(ref.FieldPath) && (key == nil || len(validation.IsQualifiedName(key[1])) > 0) {
		return invalid(field+".fieldPath", "is %q, which pods do not offer: write one such as metadata.name or status.podIP", ref.FieldPath)
	}
	return nil
}

func checkResourceFieldRef(field string, ref *corev1.ResourceFieldSelector) []refusal {
	units := []string{"1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"}
	if strings.HasSuffix(ref.Resource, ".cpu") {
		units = []string{"1", "1m"}
	}
	switch {
	case !resourcePath.MatchString(ref.Resource):
		return invalid(field+".resource", "is %q: write one such as limits.memory or requests.cpu", ref.Resource)
	case ref.ContainerName != "" && ref.ContainerName != containerName:
		return invalid(field+".containerName", "is %q: write %s, or leave it out", ref.ContainerName, containerName)
	case !ref.Divisor.IsZero() && !slices.Contains(units, ref.Divisor.String()):
		return invalid(field+".divisor", "is %s: write one of %s", &ref.Divisor, strings.Join(units, ", "))
	default:
		return nil
	}
}

func checkKeyRef(field, name, key string) []refusal {
	switch {
	case !isObjectName(name):
		return invalid(field+".name", "is %q, which cannot be the name of an object: write the name of one that exists", name)
	case len(validation.IsConfigMapKey(key)) > 0:
		return invalid(field+".key", "is %q: write a key of %s", key, name)
	default:
		return nil
	}
}

func checkEnvFrom(spec *v1.NotebookSpec) []refusal {
	var refusals []refusal
	for i, e := range spec.EnvFrom {
		refusals = append(refusals, checkEnvFromSource(fmt.Sprintf("envFrom[%d]", i), e)...)
	}
	return refusals
}

func checkEnvFromSource(field string, e corev1.EnvFromSource) []refusal {
	switch {
	case (e.ConfigMapRef == nil) == (e.SecretRef == nil):
		return invalid(field, "is not exactly one of configMapRef and secretRef: write one of them")
	case e.ConfigMapRef != nil && !isObjectName(e.ConfigMapRef.Name):
		return invalid(field+".configMapRef.name", "is %q, which cannot be the name of a ConfigMap: write the name of one that exists", e.ConfigMapRef.Name)
	case e.SecretRef != nil && !isObjectName(e.SecretRef.Name):
		return invalid(field+".secretRef.name", "is %q, which cannot be the name of a Secret: write the name of one that exists", e.SecretRef.Name)
	case e.Prefix != "" && len(validation.IsEnvVarName(e.Prefix)) > 0:
		return invalid(field+".prefix", "is %q, which cannot start the name of a variable: write letters, digits, -, _ and ., and no digit first", e.Prefix)
	default:
		return nil
	}
}
