package e2e

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// testUpgrade upgrades the packages of the previous commit, changed so that it made
// another pod, to this one's while notebooks run. None may be restarted by that. The
// new pod comes with the next restart, whoever asks for it and how.
func testUpgrade(t *testing.T) {
	push(t, previous(t), "v0.1.1")
	push(t, "dist", "v0.1.2")
	upgrade(t, "v0.1.1")

	n := newNamespace(t)
	restarts := map[string]string{
		"restarted": `{"restartedAt":"2026-11-30T12:00:00Z"}`,
		"edited":    `{"env":[{"name":"A","value":"1"}]}`,
		"kept":      "",
	}
	templates, pods := map[string]string{}, map[string]types.UID{}
	for name := range restarts {
		n.create(name, "  image: "+lab+"\n  volumeSize: 1Gi")
	}
	for name := range restarts {
		n.ready(name)
		templates[name] = n.template(name)
		pods[name] = n.pod(name).UID
	}
	n.write("kept")

	upgrade(t, "v0.1.2")
	for name, restart := range restarts {
		// Only the new function is left to bring this back.
		n.kubectl("delete", "service", name)
		n.kubectl("wait", "--for=create", "service/"+name, "--timeout=1m")
		nb := n.await(name, "waiting for a restart", patience, func(nb notebook) bool {
			return nb.condition("RestartPending").Status == metav1.ConditionTrue
		})
		if message := nb.condition("RestartPending").Message; !strings.Contains(message, "terminationGracePeriodSeconds") {
			t.Errorf("%s does not say what changes: %s", name, message)
		}
		n.ready(name)
		if n.pod(name).UID != pods[name] || n.template(name) != templates[name] {
			t.Errorf("%s was restarted by the upgrade", name)
		}
		if restart == "" {
			continue
		}
		n.patch(name, restart)
		n.replaced(name, pods[name])
		n.ready(name)
		n.await(name, "waiting for nothing", patience, func(nb notebook) bool {
			return nb.condition("RestartPending").Status == metav1.ConditionFalse
		})
	}
	n.holds("kept")
	n.eventTells("kept", "RestartPending")

	// A stop is a restart, too.
	n.patch("kept", `{"stopped":true}`)
	n.stopped("kept")
	if n.template("kept") == templates["kept"] {
		t.Error("a stopped notebook still has the pod of before the upgrade")
	}
	n.patch("kept", `{"stopped":false}`)
	n.ready("kept")
	n.holds("kept")
}

// template is the pod that a notebook's Deployment asks for.
func (n namespace) template(name string) string {
	n.Helper()
	return n.kubectl("get", "deployment", name, "-o", "jsonpath={.spec.template}")
}

// previous builds the packages of the commit before this one, with a pod that ends a
// second later. Changes that are not
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
		sed -i 's/stopGracePeriod = 60$/stopGracePeriod = 61/' "$2/fn/pod.go"
		grep -q 'stopGracePeriod = 61' "$2/fn/pod.go"
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
