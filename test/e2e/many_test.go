package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"
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
	t.Logf("killed the function when %d of %d had their objects", created(), count)
	until(10)
	kill("app=crossplane")
	t.Logf("killed Crossplane when %d of %d had their objects", created(), count)
	const identity = "jsonpath={range .items[*]}{.metadata.name} {.metadata.uid} {.data.token}\n{end}"
	midway := n.kubectl("get", "secrets,persistentvolumeclaims", "--selector=app=jupyter-notebook", "-o", identity)

	ten := 10 * time.Minute
	for i := range count {
		n.await(fmt.Sprintf("many-%02d", i), "ready", ten, func(nb notebook) bool {
			return nb.Status.Phase == "Ready" && nb.condition("Ready").Status == "True"
		})
	}
	t.Logf("%d notebooks are ready after %.0f s", count, time.Since(begin).Seconds())

	end := n.kubectl("get", "secrets,persistentvolumeclaims", "--selector=app=jupyter-notebook", "-o", identity)
	for made := range strings.SplitSeq(strings.TrimSuffix(midway, "\n"), "\n") {
		if !strings.Contains(end, made+"\n") {
			t.Errorf("%s was lost or replaced", strings.Fields(made)[0])
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
