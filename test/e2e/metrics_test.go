package e2e

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// testMetrics checks that kube-state-metrics makes metrics of a notebook's status,
// when it is told and allowed no more than deploy/observability says.
func testMetrics(t *testing.T) {
	n := newNamespace(t)
	exposed := n.metrics()
	n.create("counted", "  image: "+lab+"\n  idleTimeoutSeconds: 3600")
	n.ready("counted")
	exposed("the notebook runs",
		`jupyter_notebook_phase{phase="Ready"} 1`,
		`jupyter_notebook_phase{phase="Stopped"} 0`,
		`jupyter_notebook_status_info{phase="Ready",reason="Ready"} 1`,
		`jupyter_notebook_info{image="`+lab+`"} 1`,
		`jupyter_notebook_idle_timeout_seconds{} 3600`)

	n.patch("counted", `{"stopped":true}`)
	n.stopped("counted")
	exposed("the notebook is stopped",
		`jupyter_notebook_phase{phase="Ready"} 0`,
		`jupyter_notebook_phase{phase="Stopped"} 1`,
		`jupyter_notebook_status_info{phase="Stopped",reason="Stopped"} 1`)

	n.kubectl("delete", "jupyternotebook", "counted", "--timeout=2m")
	exposed("the notebook is gone")
}

// metrics starts kube-state-metrics for the namespace, until the test ends. It
// returns a function that waits until that exposes some samples of the notebook
// "counted", whose other labels do not matter. Without samples it waits until there is
// none.
func (n namespace) metrics() func(when string, samples ...string) {
	n.Helper()
	kubeconfig := n.kubeStateMetricsMay()
	port := freePort(n.T)
	// Not the test's own context: what has begun in it ends before cleanups do.
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, "kube-state-metrics",
		"--kubeconfig="+kubeconfig,
		"--custom-resource-state-only",
		"--custom-resource-state-config-file=deploy/observability/kube-state-metrics.yaml",
		"--namespaces="+n.name,
		"--host=127.0.0.1", "--port="+port,
		"--telemetry-host=127.0.0.1", "--telemetry-port="+freePort(n.T))
	cmd.Dir = repository
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		cancel()
		n.Fatalf("cannot start kube-state-metrics: %v", err)
	}
	n.Cleanup(func() {
		cancel()
		_ = cmd.Wait()
		if n.Failed() {
			n.Logf("kube-state-metrics says:\n%s", log.String())
		}
	})

	return func(when string, samples ...string) {
		n.Helper()
		eventually(n.T, time.Minute, func() error {
			text, err := get(n.Context(), "http://127.0.0.1:"+port+"/metrics")
			if err != nil {
				return err
			}
			if len(samples) == 0 && strings.Contains(text, `notebook="counted"`) {
				return fmt.Errorf("%s, and kube-state-metrics still exposes it:\n%s", when, text)
			}
			for _, sample := range samples {
				if !n.exposes(text, sample) {
					return fmt.Errorf("%s, and kube-state-metrics does not expose %s of it:\n%s", when, sample, text)
				}
			}
			return nil
		})
	}
}

// kubeStateMetricsMay returns a kubeconfig with the permissions that kube-state-metrics
// needs for notebooks: those of the README, and to see what kinds there are.
func (n namespace) kubeStateMetricsMay() string {
	n.Helper()
	n.kubectl("create", "serviceaccount", "kube-state-metrics")
	n.Cleanup(func() {
		run(n.T, "", "kubectl", "delete", "--ignore-not-found", "clusterrole,clusterrolebinding", n.name)
	})
	n.apply(fmt.Sprintf(`
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: %[1]s}
rules:
  - {apiGroups: [mlops.function-jupyter.dev], resources: [jupyternotebooks], verbs: [list, watch]}
  - {apiGroups: [apiextensions.k8s.io], resources: [customresourcedefinitions], verbs: [list, watch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: %[1]s}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: %[1]s}
subjects: [{kind: ServiceAccount, name: kube-state-metrics, namespace: %[1]s}]
`, n.name))
	file := n.kubeconfig()
	token := strings.TrimSpace(n.kubectl("create", "token", "kube-state-metrics"))
	for _, args := range [][]string{
		{"set-credentials", "kube-state-metrics", "--token=" + token},
		{"set-context", "--current", "--user=kube-state-metrics"},
	} {
		run(n.T, "", append([]string{"kubectl", "--kubeconfig=" + file, "config"}, args...)...)
	}
	return file
}

// exposes tells whether a text has a sample of the notebook "counted", with at least
// the given labels.
func (n namespace) exposes(text, sample string) bool {
	name, rest, _ := strings.Cut(sample, "{")
	labels, value, _ := strings.Cut(rest, "} ")
	want := append(strings.Split(labels, ","), `namespace="`+n.name+`"`, `notebook="counted"`)
	for line := range strings.Lines(text) {
		has, found := strings.CutPrefix(strings.TrimSpace(line), name+"{")
		if !found || !strings.HasSuffix(has, "} "+value) {
			continue
		}
		all := true
		for _, label := range want {
			all = all && strings.Contains(has, label)
		}
		if all {
			return true
		}
	}
	return false
}

// freePort returns a port that nobody listened to a moment ago.
func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
}

// get returns what is at a URL.
func get(ctx context.Context, url string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", url, response.Status)
	}
	return string(body), err
}
