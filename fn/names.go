package fn

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
)

// Kubernetes' limits, in bytes.
const (
	maxLabelLength = 63  // Label values, and the names of Services.
	maxNameLength  = 253 // Names of other objects.

	// A Deployment's name is followed by a hash in the name of its ReplicaSet.
	maxServerLength = maxNameLength - len("-5d5b8d7c9f")
)

// dnsLabel1035 is what Kubernetes accepts as the name of a Service, which is
// stricter than what it accepts as the name of a claim.
var dnsLabel1035 = regexp.MustCompile(`^[a-z]([-a-z0-9]*[a-z0-9])?$`)

// Names of the composed objects. They derive from the claim's own name alone,
// so that a claim that is deleted and created again finds its workspace.
func workspaceName(notebook string) string { return cut(notebook, "-workspace", maxNameLength) }
func accessName(notebook string) string    { return cut(notebook, "-access", maxNameLength) }
func serverName(notebook string) string    { return cut(notebook, "", maxServerLength) }
func networkName(notebook string) string   { return cut(notebook, "", maxNameLength) }

// serviceName is the claim's name wherever a Service may have that name. Dots
// and a leading digit are replaced, and a hash keeps the result unique.
func serviceName(notebook string) string {
	if len(notebook) <= maxLabelLength && dnsLabel1035.MatchString(notebook) {
		return notebook
	}
	name := strings.ReplaceAll(notebook, ".", "-")
	if !dnsLabel1035.MatchString(name[:min(len(name), 1)]) {
		name = "nb-" + name
	}
	return hashed(name, notebook, maxLabelLength)
}

// labelValue is the claim's name as a label value.
func labelValue(notebook string) string { return cut(notebook, "", maxLabelLength) }

// cut joins a name and a suffix, and replaces the end of a name that is too
// long by a hash of it, so that different names stay different.
func cut(name, suffix string, limit int) string {
	if len(name)+len(suffix) <= limit {
		return name + suffix
	}
	return hashed(name, name, limit-len(suffix)) + suffix
}

// hashed cuts a name to make room for the hash of the original.
func hashed(name, original string, limit int) string {
	tail := "-" + hash(original)
	name = strings.ToValidUTF8(name[:min(len(name), limit-len(tail))], "") // Without half a character.
	return strings.TrimRight(name, "-.") + tail
}

// hash of a name, short enough to be part of one.
func hash(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:4])
}

// labels of every composed object, and of the server's pod.
func labels(notebook string) map[string]string {
	name := labelValue(notebook)
	return map[string]string{
		labelApp:                       appName,
		labelNotebook:                  name,
		"app.kubernetes.io/name":       appName,
		"app.kubernetes.io/instance":   name,
		"app.kubernetes.io/component":  "notebook",
		"app.kubernetes.io/part-of":    "function-jupyter",
		"app.kubernetes.io/managed-by": managedBy,
	}
}

// selector of the server's pod. A Deployment's selector can never change.
func selector(notebook string) map[string]string {
	return map[string]string{labelApp: appName, labelNotebook: labelValue(notebook)}
}

const (
	appName   = "jupyter-notebook"
	managedBy = "function-jupyter"

	labelApp      = "app"
	labelNotebook = "notebook-name"

	// annotationPrefix of everything that the function notes on objects.
	annotationPrefix = "mlops.function-jupyter.dev/"
)
