package e2e

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"github.com/function-jupyter/function-jupyter/test/e2e/jupyter"
)

var forwarding = regexp.MustCompile(`^Forwarding from (127\.0\.0\.1:\d+)`)

// forward makes the Service of a notebook reachable from here, as the README tells
// its users to, until the test ends. It returns the local address.
func (n namespace) forward(name string) string {
	n.Helper()
	// Not the test's own context: what has begun in it ends before cleanups do.
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, "kubectl", "-n", n.name, "port-forward", "service/"+name, ":8888")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		cancel()
		n.Fatalf("cannot forward a port: %v", err)
	}
	n.Cleanup(func() { cancel(); _ = cmd.Wait() })

	late := time.AfterFunc(30*time.Second, cancel)
	defer late.Stop()
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		if m := forwarding.FindStringSubmatch(lines.Text()); m != nil {
			return m[1]
		}
	}
	cancel()
	_ = cmd.Wait()
	n.Fatalf("kubectl port-forward to %s did not start: %s", name, stderr.String())
	return ""
}

// server returns a notebook's Jupyter server, with the URL of its status and the
// token of its Secret. Connections go through a forwarded port: the URL's own host
// is known inside of the cluster only.
func (n namespace) server(name string) *jupyter.Server {
	n.Helper()
	nb := n.ready(name)
	address := n.forward(name)
	return &jupyter.Server{
		URL:   nb.Status.URL,
		Token: n.token(name),
		HTTP: &http.Client{Transport: &http.Transport{
			DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
				return (&net.Dialer{}).DialContext(ctx, network, address)
			},
		}},
	}
}

// thesis is a file that nobody wants to lose, and what is in it.
const thesis, draft = "thesis.txt", "It was a dark and stormy night."

// write writes the thesis to a notebook's workspace.
func (n namespace) write(name string) {
	n.Helper()
	if err := n.server(name).WriteFile(n.Context(), thesis, []byte(draft)); err != nil {
		n.Fatal(err)
	}
}

// holds fails the test unless the thesis is in a notebook's workspace.
func (n namespace) holds(name string) {
	n.Helper()
	got, err := n.server(name).ReadFile(n.Context(), thesis)
	if err != nil {
		n.Fatal(err)
	}
	if string(got) != draft {
		n.Errorf("%s holds %q, want %q", thesis, got, draft)
	}
}

// neighbour is a pod that stays up for others to ask from: what the cluster's own
// network shows to a neighbour. It returns a function that asks for a URL, with a
// token if it is not empty, and returns the status code or why there is none.
func (n namespace) neighbour() func(url, token string) string {
	n.Helper()
	n.apply(fmt.Sprintf(`
apiVersion: v1
kind: Pod
metadata: {name: neighbour}
spec:
  terminationGracePeriodSeconds: 0
  automountServiceAccountToken: false
  securityContext: {runAsNonRoot: true, runAsUser: 1000, seccompProfile: {type: RuntimeDefault}}
  containers:
    - name: neighbour
      image: %s
      command: [sleep, infinity]
      securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
`, lab))
	n.kubectl("wait", "pod/neighbour", "--for=condition=Ready", "--timeout=3m")
	const ask = `
import sys, urllib.request, urllib.error
url, token = sys.stdin.read().split("\n")
headers = {"Authorization": "token " + token} if token else {}
try:
    print(urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=5).status)
except urllib.error.HTTPError as e:
    print(e.code)
except OSError as e:
    print(e)
`
	return func(url, token string) string {
		n.Helper()
		out := run(n.T, url+"\n"+token, "kubectl", "-n", n.name, "exec", "--stdin", "neighbour", "--", "python3", "-c", ask)
		return strings.TrimSpace(out)
	}
}

// url is where a notebook's status must say that it is.
func (n namespace) url(name string) string {
	return fmt.Sprintf("http://%s.%s.svc.cluster.local:8888", name, n.name)
}
