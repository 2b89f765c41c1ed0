package fn

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// Flags of a Jupyter command line. A command line is stronger than the
// configuration that the function gives.
var (
	// protectionFlag decides who may open the server.
	protectionFlag = regexp.MustCompile(`(?i)\w*(App|IdentityProvider)\.(token|password|hashed_password|identity_provider_class|login_handler_class|password_required|allow_unauthenticated_access)\b`)
	configFlag     = regexp.MustCompile(`(?i)--config[\s=]|\w*App\.config_file(_name)?\b`)
	baseURLFlag    = regexp.MustCompile(`(?i)\w*App\.base_url\b`)
	addressFlag    = regexp.MustCompile(`(?i)(--ip|\w*App\.ip)[\s=]+["']?(localhost|127\.[0-9.]+|::1)\b|--sock\b|\w*App\.sock\b`)
	tlsFlag        = regexp.MustCompile(`(?i)--(cert|key)file\b|\w*App\.(cert|key)file\b`)
	portFlag       = regexp.MustCompile(`(?i)(?:--port|\w*App\.port)[\s=]+["']?(\w*)`)
)

func checkCommand(spec *v1.NotebookSpec) []refusal {
	line := strings.Join(slices.Concat(spec.Command, spec.Args), " ")
	var refusals []refusal
	for _, refused := range []struct {
		flag *regexp.Regexp
		why  string
	}{
		{protectionFlag, "decides who may open the notebook: leave it out, the token in the access Secret protects it"},
		{configFlag, "replaces the notebook's own configuration: leave it out, and write settings to ~/.jupyter"},
		{baseURLFlag, "moves the notebook away from its URL: leave it out"},
		{addressFlag, "hides the notebook from everybody: leave it out"},
		{tlsFlag, "serves HTTPS, where neither the probes nor the URL look: leave it out"},
	} {
		if flag := strings.TrimRight(refused.flag.FindString(line), "= \t\n"); flag != "" {
			refusals = append(refusals, invalid(commandOrArgs(spec, flag), "has %s, which %s", flag, refused.why)...)
		}
	}
	for _, m := range portFlag.FindAllStringSubmatch(line, -1) {
		if m[1] != strconv.Itoa(port) {
			refusals = append(refusals, invalid(commandOrArgs(spec, m[0]), "has %s, which moves the server to a port where nothing looks for it: leave it out, the port is %d", m[0], port)...)
		}
	}
	return append(refusals, checkReferences(spec)...)
}

// variable is a reference that Kubernetes replaces by the variable's value. Of
// two dollar signs before it, the first one keeps it as it is.
var variable = regexp.MustCompile(`(\$*)\$\(([A-Za-z_.-][A-Za-z0-9_.-]*)\)`)

// checkReferences refuses references to variables in a command line: what they
// stand for could be a flag, and with envFrom nobody here knows it. Without
// variables, $(nproc) is the shell's.
func checkReferences(spec *v1.NotebookSpec) []refusal {
	var refusals []refusal
	for field, words := range map[string][]string{"args": spec.Args, "command": spec.Command} {
		for _, m := range variable.FindAllStringSubmatch(strings.Join(words, " "), -1) {
			if escaped := len(m[1])%2 == 1; !escaped && (sets(spec.Env, m[2]) || len(spec.EnvFrom) > 0) {
				refusals = append(refusals, invalid(field, "has $(%s), which Kubernetes replaces by a variable that could be a flag: write the value itself", m[2])...)
			}
		}
	}
	slices.SortFunc(refusals, func(a, b refusal) int { return strings.Compare(a.message, b.message) })
	return refusals
}

// commandOrArgs names the field that has the flag.
func commandOrArgs(spec *v1.NotebookSpec, flag string) string {
	if strings.Contains(strings.Join(spec.Command, " "), flag) {
		return "command"
	}
	return "args"
}
