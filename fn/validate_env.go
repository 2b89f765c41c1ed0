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

// jupyterCommand is a subcommand of jupyter, without arguments of its own.
var jupyterCommand = regexp.MustCompile(`^[a-z]+$`)

func checkEnv(spec *v1.NotebookSpec) []refusal {
	var refusals []refusal
	seen := map[string]bool{}
	for i, e := range spec.Env {
		field := fmt.Sprintf("env[%d]", i)
		switch {
		case len(validation.IsEnvVarName(e.Name)) > 0:
			refusals = append(refusals, invalid(field+".name", "is %q, which cannot be the name of a variable: write letters, digits and underscores", e.Name)...)
		case seen[e.Name]:
			refusals = append(refusals, invalid(field+".name", "is %s, which is set already: leave one out", e.Name)...)
		case isReserved(e.Name):
			refusals = append(refusals, invalid(field+".name", "is %s, which the notebook needs for itself: leave it out", e.Name)...)
		case e.Name == "DOCKER_STACKS_JUPYTER_CMD" && (e.ValueFrom != nil || !jupyterCommand.MatchString(e.Value)):
			refusals = append(refusals, invalid(field, "must be one word, such as lab or notebook: write arguments in args")...)
		}
		seen[e.Name] = true
		if why := wrongEnvSource(e); why != "" {
			refusals = append(refusals, invalid(field, "%s", why)...)
		}
	}
	return refusals
}

// wrongEnvSource repeats what Kubernetes demands of a variable's value.
func wrongEnvSource(e corev1.EnvVar) string {
	from := e.ValueFrom
	if from == nil {
		return ""
	}
	sources := 0
	for _, present := range []bool{from.FieldRef != nil, from.ResourceFieldRef != nil, from.ConfigMapKeyRef != nil, from.SecretKeyRef != nil} {
		if present {
			sources++
		}
	}
	switch {
	case e.Value != "":
		return "has both value and valueFrom: write one of them"
	case sources != 1 || from.FileKeyRef != nil:
		return "has a valueFrom that is not exactly one of fieldRef, resourceFieldRef, configMapKeyRef and secretKeyRef: write one of them"
	case from.FieldRef != nil && !fieldPath.MatchString(from.FieldRef.FieldPath):
		return fmt.Sprintf("has fieldPath %q, which pods do not offer: write one such as metadata.name or status.podIP", from.FieldRef.FieldPath)
	case from.ResourceFieldRef != nil && !resourcePath.MatchString(from.ResourceFieldRef.Resource):
		return fmt.Sprintf("has resource %q: write one such as limits.memory or requests.cpu", from.ResourceFieldRef.Resource)
	case from.ConfigMapKeyRef != nil:
		return wrongKey("configMapKeyRef", from.ConfigMapKeyRef.Name, from.ConfigMapKeyRef.Key)
	case from.SecretKeyRef != nil:
		return wrongKey("secretKeyRef", from.SecretKeyRef.Name, from.SecretKeyRef.Key)
	default:
		return ""
	}
}

var (
	fieldPath    = regexp.MustCompile(`^(metadata\.(name|namespace|uid)|metadata\.(labels|annotations)\['[^']+'\]|spec\.(nodeName|serviceAccountName)|status\.(hostIPs?|podIPs?))$`)
	resourcePath = regexp.MustCompile(`^(limits|requests)\.(cpu|memory|ephemeral-storage|hugepages-.+)$`)
)

func wrongKey(field, name, key string) string {
	if len(validation.IsDNS1123Subdomain(name)) > 0 || len(validation.IsConfigMapKey(key)) > 0 {
		return fmt.Sprintf("has a %s with name %q and key %q: write the name and a key of one that exists", field, name, key)
	}
	return ""
}

func checkEnvFrom(spec *v1.NotebookSpec) []refusal {
	var refusals []refusal
	for i, e := range spec.EnvFrom {
		field := fmt.Sprintf("envFrom[%d]", i)
		var names []string
		if e.ConfigMapRef != nil {
			names = append(names, e.ConfigMapRef.Name)
		}
		if e.SecretRef != nil {
			names = append(names, e.SecretRef.Name)
		}
		switch {
		case len(names) != 1:
			refusals = append(refusals, invalid(field, "names %d sources: write exactly one of configMapRef and secretRef", len(names))...)
		case len(validation.IsDNS1123Subdomain(names[0])) > 0:
			refusals = append(refusals, invalid(field, "names %q, which cannot be the name of an object: write the name of one that exists", names[0])...)
		case e.Prefix != "" && len(validation.IsEnvVarName(e.Prefix)) > 0:
			refusals = append(refusals, invalid(field+".prefix", "is %q, which cannot start the name of a variable", e.Prefix)...)
		}
	}
	return refusals
}

// isReserved tells whether the notebook sets a variable itself, or whether it
// makes an image start something else than a notebook that the token protects.
func isReserved(name string) bool {
	return strings.HasPrefix(name, "JUPYTERHUB_") || slices.ContainsFunc(jupyterEnv(""), func(e corev1.EnvVar) bool {
		return e.Name == name
	})
}
