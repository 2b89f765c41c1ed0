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
	if all := n.kubectl("get", "jupyternotebooks,deployments,pods,services,networkpolicies,events", "-o", "yaml"); strings.Contains(all, token) {
		t.Error("the token is outside of its Secret")
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
