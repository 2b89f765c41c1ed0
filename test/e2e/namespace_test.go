package e2e

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// patience is how long a test waits for what takes a pod: on a machine of two
// cores that has others to start, too.
const patience = 3 * time.Minute

// namespace is a namespace of one test. Pod Security "restricted" is enforced in
// it, as in the namespaces of careful platforms.
type namespace struct {
	*testing.T

	name string
}

// newNamespace makes a namespace, and removes it when the test ends, with all
// that is in it. If the test failed, it prints all of that first.
func newNamespace(t *testing.T) namespace {
	t.Helper()
	made, err := client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		GenerateName: "e2e-",
		Labels: map[string]string{
			"pod-security.kubernetes.io/enforce": "restricted",
			"function-jupyter.dev/e2e":           "true",
		},
		Annotations: map[string]string{"function-jupyter.dev/test": t.Name()},
	}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatalf("cannot make a namespace: %v", err)
	}
	n := namespace{T: t, name: made.Name}
	t.Cleanup(func() {
		if t.Failed() {
			n.dump()
		}
		n.remove()
	})
	return n
}

// remove removes the notebooks first: without its namespace, a notebook could not
// be.
func (n namespace) remove() {
	n.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if os.Getenv("KEEP") != "" && n.Failed() {
		n.Logf("KEEP is set: namespace %s stays", n.name)
		return
	}
	if _, err := try(ctx, "", "kubectl", "-n", n.name, "delete", "--ignore-not-found", "--timeout=2m", "jupyternotebooks", "--all"); err != nil {
		n.Errorf("cannot remove the notebooks: %v", err)
		n.dump()
	}
	err := client.CoreV1().Namespaces().Delete(ctx, n.name, metav1.DeleteOptions{})
	if err != nil && !errors.IsNotFound(err) {
		n.Errorf("cannot remove the namespace: %v", err)
	}
}

// kubectl runs kubectl in the namespace.
func (n namespace) kubectl(args ...string) string {
	n.Helper()
	return run(n.T, "", append([]string{"kubectl", "-n", n.name}, args...)...)
}

// apply applies manifests as a user does.
func (n namespace) apply(manifests string) {
	n.Helper()
	run(n.T, manifests, "kubectl", "-n", n.name, "apply", "-f", "-")
}

// dump prints what there is in the namespace, and what those said who made it.
// Secrets are left out, and tokens that are in logs.
func (n namespace) dump() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var b strings.Builder
	show := func(args ...string) {
		out, err := try(ctx, "", append([]string{"kubectl"}, args...)...)
		fmt.Fprintf(&b, "--- kubectl %s\n%s", strings.Join(args, " "), out)
		if err != nil {
			fmt.Fprintf(&b, "%v\n", err)
		}
	}
	show("-n", n.name, "get", "jupyternotebooks,pods,deployments,replicasets,services,persistentvolumeclaims,networkpolicies,resourcequotas", "-o", "wide")
	show("-n", n.name, "get", "events", "--sort-by=.lastTimestamp")
	show("-n", n.name, "get", "jupyternotebooks,deployments,pods,persistentvolumeclaims", "-o", "yaml")
	show("get", "composite", "--all-namespaces", "-o", "yaml")
	show("-n", n.name, "logs", "--selector=app=jupyter-notebook", "--all-containers", "--prefix", "--tail=50")
	show("-n", "crossplane-system", "get", "pods", "-o", "wide")
	show("-n", "crossplane-system", "logs", "--selector=app=crossplane", "--tail=60")
	show("-n", "crossplane-system", "logs", "--selector=pkg.crossplane.io/function", "--tail=60")
	n.Log(n.redact(ctx, b.String()))
}

// redact removes the tokens of the namespace's notebooks from a text. Old Jupyter
// servers log the addresses that browsers open.
func (n namespace) redact(ctx context.Context, text string) string {
	secrets, err := client.CoreV1().Secrets(n.name).List(ctx, metav1.ListOptions{})
	if err != nil {
		return "not shown, because the tokens to be removed are not known: " + err.Error()
	}
	for _, s := range secrets.Items {
		if token := string(s.Data["token"]); token != "" {
			text = strings.ReplaceAll(text, token, "<token>")
		}
	}
	return text
}
