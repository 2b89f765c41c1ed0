package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// testWithoutRBAC installs the packages and leaves the manifest for later: what is
// missing can be read on the notebook, and it comes up once it is there.
func testWithoutRBAC(t *testing.T) {
	run(t, "", "kubectl", "delete", "--ignore-not-found", "-f", "deploy/rbac.yaml")
	// What Crossplane could see before, it goes on seeing until it starts anew.
	run(t, "", "kubectl", "-n", "crossplane-system", "rollout", "restart", "deployment/crossplane")
	run(t, "", "kubectl", "-n", "crossplane-system", "rollout", "status", "deployment/crossplane", "--timeout=3m")
	install(t, namespaced)

	n := newNamespace(t)
	n.create("early", "  image: "+lab+"\n  volumeSize: 1Gi")
	eventually(t, patience, func() error {
		told := n.kubectl("get", "events", "--field-selector=involvedObject.name=early", "-o", "jsonpath={.items[*].message}")
		if nb, err := n.get("early"); err == nil {
			told += nb.String()
		}
		if !strings.Contains(told, "deploy/rbac.yaml") {
			return fmt.Errorf("the notebook does not say what to do: %s", told)
		}
		return nil
	})
	if nb, err := n.get("early"); err == nil {
		t.Logf("the notebook says: %v", nb)
	}
	run(t, "", "kubectl", "apply", "-f", "deploy/rbac.yaml")
	n.ready("early")
}
