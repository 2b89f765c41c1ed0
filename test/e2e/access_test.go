package e2e

import (
	"strings"
	"testing"
)

// testAccess checks who gets in: by the Service's name, with the token only, and
// from the notebook's own namespace only.
func testAccess(t *testing.T) {
	n := newNamespace(t)
	n.create("open", "  image: "+lab)
	nb := n.ready("open")
	if nb.Status.URL != n.url("open") {
		t.Errorf("status.url is %s, want %s", nb.Status.URL, n.url("open"))
	}

	ask := n.neighbour()
	token := n.token("open")
	for path, want := range map[string]struct{ stranger, user, liar string }{
		"/api":          {"200", "200", "200"}, // The version, for probes.
		"/api/status":   {"403", "200", "403"},
		"/api/contents": {"403", "200", "403"},
		"/api/kernels":  {"403", "200", "403"},
	} {
		for who, answer := range map[string][2]string{
			"without a token":    {ask(nb.Status.URL+path, ""), want.stranger},
			"with its token":     {ask(nb.Status.URL+path, token), want.user},
			"with another token": {ask(nb.Status.URL+path, strings.Repeat("0", len(token))), want.liar},
		} {
			if answer[0] != answer[1] {
				t.Errorf("%s %s answers %s, want %s", path, who, answer[0], answer[1])
			}
		}
	}

	// Nobody else has the token.
	for _, where := range [][]string{
		{"get", "jupyternotebooks,deployments,replicasets,pods,services,networkpolicies,events", "-o", "yaml"},
		{"get", "composite", "--all-namespaces", "-o", "yaml"},
		{"logs", "--namespace=crossplane-system", "--selector=pkg.crossplane.io/function", "--tail=-1"},
		{"logs", "--namespace=crossplane-system", "--selector=app=crossplane", "--tail=-1"},
	} {
		if strings.Contains(n.kubectl(where...), token) {
			t.Errorf("the token is outside of its Secret: kubectl %s shows it", strings.Join(where, " "))
		}
	}
}

// testStranger checks that other namespaces do not even reach the server. It needs
// a cluster that enforces NetworkPolicies.
func testStranger(t *testing.T) {
	n, other := newNamespace(t), newNamespace(t)
	n.create("open", "  image: "+lab)
	nb := n.ready("open")
	if got := n.neighbour()(nb.Status.URL+"/api", ""); got != "200" {
		t.Errorf("a neighbour gets %s, want 200", got)
	}
	if got := other.neighbour()(nb.Status.URL+"/api", ""); !strings.Contains(got, "timed out") {
		t.Errorf("a pod of another namespace gets %s, want no answer", got)
	}
}

// testNodePort opens a notebook at a port of its node, which other namespaces
// reach, too: its user asked for that.
func testNodePort(t *testing.T) {
	n, other := newNamespace(t), newNamespace(t)
	n.create("outside", "  image: "+lab+"\n  serviceType: NodePort")
	nb := n.ready("outside")
	pod := n.pod("outside")
	port := n.kubectl("get", "service", "outside", "-o", "jsonpath={.spec.ports[0].nodePort}")
	if want := "http://" + pod.Status.HostIP + ":" + port; nb.Status.URL != want {
		t.Errorf("status.url is %s, want %s", nb.Status.URL, want)
	}
	ask := other.neighbour()
	if got := ask(nb.Status.URL+"/api/status", ""); got != "403" {
		t.Errorf("a stranger gets %s, want 403", got)
	}
	if got := ask(nb.Status.URL+"/api/status", n.token("outside")); got != "200" {
		t.Errorf("the user gets %s, want 200", got)
	}
}

// testLoadBalancer waits for an address, and shows it. The test itself is the load
// balancer's controller, which a cluster may not have.
func testLoadBalancer(t *testing.T) {
	n := newNamespace(t)
	n.create("balanced", "  image: "+lab+"\n  serviceType: LoadBalancer")
	n.await("balanced", "waiting for an address", patience, func(nb notebook) bool {
		return nb.Status.Reason == "WaitingForAddress" && nb.Status.ReadyReplicas == 1
	})
	n.kubectl("patch", "service", "balanced", "--subresource=status", "--type=merge",
		"--patch", `{"status":{"loadBalancer":{"ingress":[{"ip":"192.0.2.7"}]}}}`)
	if nb := n.ready("balanced"); nb.Status.URL != "http://192.0.2.7:8888" {
		t.Errorf("status.url is %s, want http://192.0.2.7:8888", nb.Status.URL)
	}
}
