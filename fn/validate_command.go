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
	return refusals
}

// commandOrArgs names the field that has the flag.
func commandOrArgs(spec *v1.NotebookSpec, flag string) string {
	if strings.Contains(strings.Join(spec.Command, " "), flag) {
		return "command"
	}
	return "args"
}
