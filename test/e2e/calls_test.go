package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// quiet is how long a notebook is left alone to see whether the function is called
// for it.
const quiet = 10 * time.Minute

// settles is how long the function looks at a notebook that was just started: once
// more after half a minute, from when on its pod is watched.
const settles = time.Minute

// verbose has the function log each call.
const verbose = `
apiVersion: pkg.crossplane.io/v1beta1
kind: DeploymentRuntimeConfig
metadata: {name: function-jupyter-e2e}
spec:
  deploymentTemplate:
    spec:
      selector: {}
      template:
        spec:
          containers: [{name: package-runtime, args: [--debug]}]
`

// logCalls has the function log its calls, until the packages are removed.
func logCalls(t *testing.T) {
	t.Helper()
	run(t, verbose, "kubectl", "apply", "-f", "-")
	t.Cleanup(func() {
		run(t, verbose, "kubectl", "delete", "--ignore-not-found", "-f", "-")
	})
	for name := range packages(t, "function") {
		run(t, "", "kubectl", "patch", "function.pkg.crossplane.io", name, "--type=merge", "--patch", `{"spec":{"runtimeConfigRef":{"name":"function-jupyter-e2e"}}}`)
		eventually(t, patience, func() error {
			args := run(t, "", "kubectl", "-n", "crossplane-system", "get", "pods", "--selector=pkg.crossplane.io/function="+name,
				"-o", `jsonpath={range .items[*]}{.spec.containers[0].args} {.status.containerStatuses[0].ready}{"\n"}{end}`)
			if strings.TrimSpace(args) != `["--debug"] true` {
				return fmt.Errorf("the function's pods are %q, want one with --debug", args)
			}
			return nil
		})
	}
}

// testCalls counts how often the function is called in the life of a notebook, and
// that it is not called while nothing happens to it, whatever happens to others.
func testCalls(t *testing.T) {
	n := newNamespace(t)
	var record strings.Builder
	before := 0
	counted := func(what string) int {
		time.Sleep(5 * time.Second) // What an event causes is over by then.
		all := n.calls("calls")
		calls := all - before
		before = all
		fmt.Fprintf(&record, "%4d calls  %s\n", calls, what)
		return calls
	}
	n.create("calls", "  image: "+lab+"\n  volumeSize: 10Mi\n  idleTimeoutSeconds: 86400")
	n.ready("calls")
	time.Sleep(settles)
	created := counted("from kubectl apply until it is ready, and has been for a minute")
	time.Sleep(quiet)
	if calls := counted(fmt.Sprintf("in %.0f minutes in which nothing happens", quiet.Minutes())); calls > 0 {
		t.Errorf("the function was called %d times for a notebook to which nothing happened", calls)
	}
	pod := n.pod("calls").UID
	n.patch("calls", `{"env":[{"name":"A","value":"1"}]}`)
	n.replaced("calls", pod)
	n.ready("calls")
	time.Sleep(settles)
	edited := counted("for an edit that restarts it")
	n.patch("calls", `{"stopped":true}`)
	n.stopped("calls")
	stopped := counted("to stop it")
	n.patch("calls", `{"stopped":false}`)
	n.ready("calls")
	time.Sleep(settles)
	started := counted("to start it")
	n.kubectl("delete", "jupyternotebook", "calls", "--timeout=2m")
	deleted := counted("to delete it")
	t.Logf("calls of the function:\n%s", &record)
	if err := os.WriteFile(filepath.Join(artifacts, "calls.txt"), []byte(record.String()), 0o600); err != nil {
		t.Error(err)
	}
	// A function whose status flips is called without end.
	if created > 60 || edited > 60 || stopped > 30 || started > 60 || deleted > 5 {
		t.Errorf("the function is called too often:\n%s", &record)
	}
}

// calls of the function for a notebook of this namespace.
func (n namespace) calls(name string) int {
	n.Helper()
	logs := run(n.T, "", "kubectl", "-n", "crossplane-system", "logs", "--selector=pkg.crossplane.io/function", "--tail=-1")
	calls := 0
	for line := range strings.Lines(logs) {
		if strings.Contains(line, "Composed notebook") && strings.Contains(line, n.name) && strings.Contains(line, `"`+name+`"`) {
			calls++
		}
	}
	return calls
}
