package e2e

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// testMany applies many notebooks at once, and kills the function and Crossplane
// while they come up. In the end all are ready, nothing is doubled, and no token
// or volume was replaced.
func testMany(t *testing.T) {
	const count = 30
	n := newNamespace(t)
	var all strings.Builder
	for i := range count {
		all.WriteString("---" + manifest(fmt.Sprintf("many-%02d", i), "  image: "+lab+"\n  volumeSize: 10Mi\n"))
	}
	begin := time.Now()
	n.apply(all.String())

	// In the middle is when some have their objects and others do not.
	created := func() int {
		return len(strings.Fields(n.kubectl("get", "secrets", "--selector=app=jupyter-notebook", "-o", "name")))
	}
	until := func(least int) {
		eventually(t, patience, func() error {
			if got := created(); got < least {
				return fmt.Errorf("%d of %d notebooks have their Secret, want %d", got, count, least)
			}
			return nil
		})
	}
	kill := func(selector string) {
		killed := run(t, "", "kubectl", "-n", "crossplane-system", "delete", "pods", "--grace-period=0", "--force", "--selector="+selector, "-o", "name")
		if killed == "" {
			t.Fatalf("no pod has the labels %s", selector)
		}
	}
	until(3)
	kill("pkg.crossplane.io/function")
	until(6)
	kill("app=crossplane")
	midway := n.irreplaceable()
	if len(midway) >= 2*count {
		t.Errorf("nothing was killed in the middle: all %d notebooks had their objects", count)
	}
	t.Logf("killed the function, and Crossplane when there were %d Secrets and volumes of %d", len(midway), 2*count)

	ten := 10 * time.Minute
	for i := range count {
		n.await(fmt.Sprintf("many-%02d", i), "ready", ten, func(nb notebook) bool {
			return nb.Status.Phase == "Ready" && nb.condition("Ready").Status == "True"
		})
	}
	t.Logf("%d notebooks are ready after %.0f s", count, time.Since(begin).Seconds())

	end := n.irreplaceable()
	for name, identity := range midway {
		if end[name] != identity {
			t.Errorf("%s was lost or replaced", name)
		}
	}
	// A claim that was interrupted must not have got a second composite resource.
	composites := strings.Fields(run(t, "", "kubectl", "get", "xjupyternotebooks", "-o",
		`jsonpath={.items[?(@.spec.claimRef.namespace=="`+n.name+`")].metadata.name}`))
	if len(composites) != count {
		t.Errorf("there are %d composite resources, want %d", len(composites), count)
	}
	for _, kind := range []string{"deployments", "replicasets", "pods", "services", "secrets", "persistentvolumeclaims", "networkpolicies"} {
		got := strings.Fields(n.kubectl("get", kind, "--selector=app=jupyter-notebook", "-o", "name"))
		if len(got) != count {
			t.Errorf("there are %d %s, want %d", len(got), kind, count)
		}
	}
}

// irreplaceable are the namespace's tokens and volumes: what identifies each, by
// its name.
func (n namespace) irreplaceable() map[string]string {
	n.Helper()
	identities := map[string]string{}
	ours := metav1.ListOptions{LabelSelector: "app=jupyter-notebook"}
	secrets, err := client.CoreV1().Secrets(n.name).List(n.Context(), ours)
	if err != nil {
		n.Fatalf("cannot list the Secrets: %v", err)
	}
	for _, s := range secrets.Items {
		identities[s.Name] = fmt.Sprintf("%s %x", s.UID, sha256.Sum256(s.Data["token"]))
	}
	volumes, err := client.CoreV1().PersistentVolumeClaims(n.name).List(n.Context(), ours)
	if err != nil {
		n.Fatalf("cannot list the volumes: %v", err)
	}
	for _, v := range volumes.Items {
		identities[v.Name] = string(v.UID)
	}
	return identities
}
