package fn

import (
	"fmt"
	"testing"
)

func TestValidateCommand(t *testing.T) {
	const (
		protection = "which decides who may open the notebook: leave it out, the token in the access Secret protects it"
		elsewhere  = "which moves the server to a port where nothing looks for it: leave it out, the port is 8888"
	)
	testValidate(t, map[string]specCase{
		"Entrypoint":  {reason: "Another way to start Jupyter.", spec: `{command: [tini, -g, --], args: [start-notebook.sh, --no-browser, --ServerApp.terminals_enabled=False]}`},
		"Shell":       {reason: "Something to do first.", spec: `{command: [sh, -c], args: ["pip install x && exec jupyter lab --ip=0.0.0.0"]}`},
		"Mentioned":   {reason: "Other tokens do not open the notebook.", spec: `args: [sh, -c, "hf login --token=x; exec jupyter lab --MyTool.token=y --ServerApp.token_renew_interval=1"]`},
		"OwnPort":     {reason: "The port that it has anyway.", spec: `args: [jupyter, lab, --port=8888, --ServerApp.port, "8888"]`},
		"OwnPortArg":  {reason: "The port that it has anyway.", spec: `{command: [jupyter, lab, --port], args: ["8888"]}`},
		"PortRetries": {reason: "It is not a port.", spec: `args: [jupyter, lab, --port-retries=0]`},
		"AnyAddress":  {reason: "The address that it has anyway.", spec: `args: [jupyter, lab, --ip, 0.0.0.0, --ServerApp.ip=*]`},

		"Port":         {reason: "Nothing looks for it there.", spec: `args: [jupyter, lab, --port=9999]`, want: []string{"spec.args has --port=9999, " + elsewhere}},
		"PortArg":      {reason: "The number may be an argument of its own.", spec: `args: [jupyter, lab, --port, "9999"]`, want: []string{"spec.args has --port 9999, " + elsewhere}},
		"PortTrait":    {reason: "The long form.", spec: `command: [jupyter, lab, --ServerApp.port=80]`, want: []string{"spec.command has ServerApp.port=80, " + elsewhere}},
		"PortClassic":  {reason: "The classic notebook's form.", spec: `args: ["jupyter notebook --NotebookApp.port='8889'"]`, want: []string{"spec.args has NotebookApp.port='8889, " + elsewhere}},
		"PortTwice":    {reason: "The last one wins.", spec: `args: [jupyter, lab, --port=8888, --port=9999]`, want: []string{"spec.args has --port=9999, " + elsewhere}},
		"PortBoth":     {reason: "The field with the wrong one is named.", spec: `{command: [jupyter, lab, --port=8888], args: [--port=9999]}`, want: []string{"spec.args has --port=9999, " + elsewhere}},
		"PortAcross":   {reason: "The number is in the arguments.", spec: `{command: [jupyter, lab, --port], args: ["9999"]}`, want: []string{"spec.args has --port 9999, " + elsewhere}},
		"PortVariable": {reason: "Nobody knows what it would be.", spec: `args: [sh, -c, "jupyter lab --port=$PORT"]`, want: []string{"spec.args has --port=, " + elsewhere}},
		"PortLonger":   {reason: "It only starts like the right one.", spec: `args: [--port=88888]`, want: []string{"spec.args has --port=88888, " + elsewhere}},

		"BaseURL":        {reason: "Neither the probe nor the URL would find it.", spec: `args: [--ServerApp.base_url=/x]`, want: []string{"spec.args has ServerApp.base_url, which moves the notebook away from its URL: leave it out"}},
		"BaseURLClassic": {reason: "The classic notebook's form.", spec: `command: [jupyter, notebook, --NotebookApp.base_url, /x]`, want: []string{"spec.command has NotebookApp.base_url, which moves the notebook away from its URL: leave it out"}},

		"Localhost":      {reason: "Nothing outside of the pod could reach it.", spec: `args: [jupyter, lab, --ip=127.0.0.1]`, want: []string{"spec.args has --ip=127.0.0.1, which hides the notebook from everybody: leave it out"}},
		"LocalhostName":  {reason: "Nothing outside of the pod could reach it.", spec: `args: [jupyter, lab, --ServerApp.ip, localhost]`, want: []string{"spec.args has ServerApp.ip localhost, which hides the notebook from everybody: leave it out"}},
		"Socket":         {reason: "Nothing outside of the pod could reach it.", spec: `args: [jupyter, lab, --sock=/tmp/x]`, want: []string{"spec.args has --sock, which hides the notebook from everybody: leave it out"}},
		"Config":         {reason: "Jupyter would read this file only.", spec: `args: [start-notebook.sh, --config=/x.py]`, want: []string{"spec.args has --config, which replaces the notebook's own configuration: leave it out, and write settings to ~/.jupyter"}},
		"ConfigArg":      {reason: "The file may be an argument of its own.", spec: `command: [jupyter, lab, --config, /x.py]`, want: []string{"spec.command has --config, which replaces the notebook's own configuration: leave it out, and write settings to ~/.jupyter"}},
		"ConfigTrait":    {reason: "The long form.", spec: `args: [--ServerApp.config_file=/x.py]`, want: []string{"spec.args has ServerApp.config_file, which replaces the notebook's own configuration: leave it out, and write settings to ~/.jupyter"}},
		"ConfigOfOthers": {reason: "Other programs have configurations, too.", spec: `args: [sh, -c, "pip config set global.x y; other --config-dir=/x; exec jupyter lab"]`},

		"TokenInShell":  {reason: "A shell's command line is one argument.", spec: `{command: [sh, -c], args: ["jupyter lab --ServerApp.token=''"]}`, want: []string{"spec.args has ServerApp.token, " + protection}},
		"TokenAcross":   {reason: "Command and arguments are one line.", spec: `{command: [jupyter, lab, --ServerApp.token], args: [""]}`, want: []string{"spec.command has ServerApp.token, " + protection}},
		"EverythingBad": {reason: "All that is wrong is told.", spec: `args: [--port=1, --ServerApp.base_url=/x, --ServerApp.token=]`, want: []string{"spec.args has ServerApp.token, " + protection, "spec.args has ServerApp.base_url, which moves the notebook away from its URL: leave it out", "spec.args has --port=1, " + elsewhere}},
	})
}

// TestValidateProtection spells the flags that would open the notebook in all
// the ways that Jupyter understands.
func TestValidateProtection(t *testing.T) {
	cases := map[string]specCase{}
	for _, flag := range []string{
		"ServerApp.token", "NotebookApp.token", "LabApp.token", "SingleUserServerApp.token", "IdentityProvider.token", "PasswordIdentityProvider.token",
		"ServerApp.password", "NotebookApp.password", "PasswordIdentityProvider.hashed_password",
		"ServerApp.identity_provider_class", "ServerApp.login_handler_class", "ServerApp.password_required", "ServerApp.allow_unauthenticated_access",
	} {
		for _, form := range []string{"--%s=", "-%s=x", "--%s ''", "c.%s = ''", `--%s=""`} {
			line := fmt.Sprintf(form, flag)
			for _, field := range []string{"command", "args"} {
				cases[field+"/"+line] = specCase{
					reason: "A command line is stronger than the configuration.",
					spec:   fmt.Sprintf("%s: [%q, %q]", field, "jupyter", "lab "+line),
					want:   []string{fmt.Sprintf("spec.%s has %s, which decides who may open the notebook: leave it out, the token in the access Secret protects it", field, flag)},
				}
			}
		}
	}
	testValidate(t, cases)
}

// TestValidateReferences: Kubernetes puts the values of variables into a command
// line, and so could put a flag there that nobody has seen.
func TestValidateReferences(t *testing.T) {
	const why = ", which Kubernetes replaces by a variable that could be a flag: write the value itself"
	testValidate(t, map[string]specCase{
		"Env":     {reason: "Two halves of a flag look harmless.", spec: `{env: [{name: X, value: "--ServerApp.to"}, {name: Z, value: "ken="}], args: [start.sh, "$(X)$(Z)"]}`, want: []string{"spec.args has $(X)" + why, "spec.args has $(Z)" + why}},
		"Source":  {reason: "Nobody here knows the value.", spec: `{env: [{name: X, valueFrom: {configMapKeyRef: {name: a, key: b}}}], command: [jupyter, lab, "$(X)"]}`, want: []string{"spec.command has $(X)" + why}},
		"EnvFrom": {reason: "Nor the names.", spec: `{envFrom: [{configMapRef: {name: a}}], args: ["$(X)"]}`, want: []string{"spec.args has $(X)" + why}},
		"Shell":   {reason: "Where there is no such variable, it is the shell's.", spec: `{env: [{name: X, value: a}], args: [sh, -c, "jupyter lab $(nproc) $X"]}`},
		"Escaped": {reason: "Two dollar signs are one.", spec: `{env: [{name: X, value: a}], args: [sh, -c, "echo $$(X)"]}`},
	})
}

func TestValidateTLSFlags(t *testing.T) {
	testValidate(t, map[string]specCase{
		"Option": {reason: "The probes would never succeed.", spec: `args: [--certfile=/x]`, want: []string{"spec.args has --certfile, which serves HTTPS, where neither the probes nor the URL look: leave it out"}},
		"Long":   {reason: "Nor with its long name.", spec: `args: [--ServerApp.keyfile, /x]`, want: []string{"spec.args has ServerApp.keyfile, which serves HTTPS, where neither the probes nor the URL look: leave it out"}},
	})
}
