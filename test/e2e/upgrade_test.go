package e2e

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"
)

// testUpgrade upgrades the packages of the previous commit to this one's while
// notebooks run. Only what composes another pod may restart them, and then it is
// printed.
func testUpgrade(t *testing.T) {
	push(t, previous(t), "v0.1.1")
	push(t, "dist", "v0.1.2")
	upgrade(t, "v0.1.1")

	n := newNamespace(t)
	names := []string{"plain", "kept"}
	n.create("plain", "  image: "+lab)
	n.create("kept", "  image: "+lab+"\n  volumeSize: 1Gi")
	templates, pods := map[string]string{}, map[string]types.UID{}
	for _, name := range names {
		n.ready(name)
		templates[name] = n.template(name)
		pods[name] = n.pod(name).UID
	}
	n.write("kept")

	upgrade(t, "v0.1.2")
	for _, name := range names {
		// Only the new function is left to bring this back.
		n.kubectl("delete", "service", name)
		n.kubectl("wait", "--for=create", "service/"+name, "--timeout=1m")
		if got := n.template(name); got != templates[name] {
			t.Logf("%s has another pod, which restarts it.\nbefore: %s\nafter:  %s", name, templates[name], got)
			n.replaced(name, pods[name])
		}
		n.ready(name)
		if got := n.pod(name).UID; n.template(name) == templates[name] && got != pods[name] {
			t.Errorf("%s was restarted by the upgrade", name)
		}
	}
	n.holds("kept")
}

// template is the pod that a notebook's Deployment asks for.
func (n namespace) template(name string) string {
	n.Helper()
	return n.kubectl("get", "deployment", name, "-o", "jsonpath={.spec.template}")
}

// previous builds the packages of the commit before this one. Changes that are not
// committed are this one's: then it is the last commit.
func previous(t *testing.T) (dist string) {
	t.Helper()
	commit := "HEAD~1"
	if _, err := try(t.Context(), "", "git", "rev-parse", "--verify", "--quiet", commit); err != nil {
		t.Log("this clone does not have the commit before: only the upgrade itself is tried")
		commit = "HEAD"
	}
	if run(t, "", "git", "status", "--porcelain", "--untracked-files=no") != "" {
		commit = "HEAD"
	}
	commit = strings.TrimSpace(run(t, "", "git", "rev-parse", "--verify", cmp.Or(os.Getenv("UPGRADE_FROM"), commit)))
	t.Logf("upgrading from %s", commit)

	tree, err := filepath.Abs(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	run(t, "", "bash", "-c", `set -euo pipefail
		git archive "$1" | tar -x -C "$2"
		mkdir "$2/.cache" && ln -s "$PWD/.cache/bin" "$2/.cache/bin"
		"$2/hack/package.sh"`, "bash", commit, tree)
	return filepath.Join(tree, "dist")
}

// upgrade moves what is installed to another version, and waits until only that
// runs.
func upgrade(t *testing.T, version string) {
	t.Helper()
	for _, kind := range []string{"function", "configuration"} {
		for name, repository := range packages(t, kind) {
			run(t, "", "crossplane", "xpkg", "update", kind, repository+":"+version, name)
		}
	}
	installed(t)
	for name := range packages(t, "function") {
		eventually(t, patience, func() error {
			want := run(t, "", "kubectl", "get", "function.pkg.crossplane.io", name, "-o", "jsonpath={.status.currentRevision}")
			got := run(t, "", "kubectl", "-n", "crossplane-system", "get", "pods", "--selector=pkg.crossplane.io/function="+name,
				"-o", `jsonpath={.items[*].metadata.labels.pkg\.crossplane\.io/revision}`)
			if got != want {
				return fmt.Errorf("pods run of the revisions %q, want only %s", got, want)
			}
			return nil
		})
	}
}
