package e2e

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

var notebooks = schema.GroupVersionResource{Group: v1.Group, Version: v1.Version, Resource: "jupyternotebooks"}

// notebook is a JupyterNotebook as its user sees it.
type notebook struct {
	metav1.ObjectMeta `json:"metadata"`

	Spec   v1.NotebookSpec `json:"spec"`
	Status struct {
		v1.NotebookStatus `json:",inline"`

		Conditions []metav1.Condition `json:"conditions"`
	} `json:"status"`
}

func (nb notebook) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s: phase %q, reason %q, message %q", nb.Name, nb.Status.Phase, nb.Status.Reason, nb.Status.Message)
	for _, c := range nb.Status.Conditions {
		fmt.Fprintf(&s, "; %s=%s (%s) %s", c.Type, c.Status, c.Reason, c.Message)
	}
	return s.String()
}

// condition returns the condition of that type, or an empty one.
func (nb notebook) condition(kind string) metav1.Condition {
	for _, c := range nb.Status.Conditions {
		if c.Type == kind {
			return c
		}
	}
	return metav1.Condition{}
}

func decode(u *unstructured.Unstructured) (notebook, error) {
	var nb notebook
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &nb); err != nil {
		return nb, fmt.Errorf("cannot read notebook %s: %w", u.GetName(), err)
	}
	return nb, nil
}

// create applies a small notebook. Its spec is written like the rest of a
// claim, two spaces in.
func (n namespace) create(name, spec string) {
	n.Helper()
	n.apply(manifest(name, spec))
}

// manifest is a notebook of which a small machine can run many, unless its spec
// says how large it is.
func manifest(name, spec string) string {
	if !strings.Contains(spec, "  resources:") {
		spec = "  resources: {requests: {cpu: 10m, memory: 64Mi}, limits: {memory: 1Gi}}\n" + spec
	}
	return fmt.Sprintf(`
apiVersion: mlops.function-jupyter.dev/v1
kind: JupyterNotebook
metadata:
  name: %s
spec:
%s`, name, spec)
}

// patch edits a notebook: it merges a piece of JSON into its spec.
func (n namespace) patch(name, spec string) {
	n.Helper()
	n.kubectl("patch", "jupyternotebook", name, "--type=merge", "--patch", `{"spec":`+spec+`}`)
}

// get reads a notebook.
func (n namespace) get(name string) (notebook, error) {
	u, err := objects.Resource(notebooks).Namespace(n.name).Get(n.Context(), name, metav1.GetOptions{})
	if err != nil {
		return notebook{}, fmt.Errorf("cannot get notebook %s: %w", name, err)
	}
	return decode(u)
}

// await waits until a notebook is as a check would have it.
func (n namespace) await(name, as string, deadline time.Duration, is func(notebook) bool) notebook {
	n.Helper()
	var nb notebook
	eventually(n.T, deadline, func() (err error) {
		if nb, err = n.get(name); err != nil {
			return err
		}
		if !is(nb) {
			return fmt.Errorf("notebook is not %s: %v", as, nb)
		}
		return nil
	})
	return nb
}

// ready waits until a notebook serves, and everybody says so.
func (n namespace) ready(name string) notebook {
	n.Helper()
	return n.await(name, "ready", patience, func(nb notebook) bool {
		return nb.Status.Phase == v1.PhaseReady && nb.Status.ReadyReplicas == 1 &&
			nb.condition("Ready").Status == metav1.ConditionTrue && nb.condition("Synced").Status == metav1.ConditionTrue
	})
}

// stopped waits until a notebook has no server.
func (n namespace) stopped(name string) {
	n.Helper()
	n.await(name, "stopped", patience, func(nb notebook) bool {
		return nb.Status.Phase == v1.PhaseStopped && nb.Status.Reason == "Stopped"
	})
}

// pods lists a notebook's pods.
func (n namespace) pods(name string) []corev1.Pod {
	n.Helper()
	list, err := client.CoreV1().Pods(n.name).List(n.Context(), metav1.ListOptions{LabelSelector: "notebook-name=" + name})
	if err != nil {
		n.Fatalf("cannot list the pods of %s: %v", name, err)
	}
	return list.Items
}

// pod waits until a notebook has one pod, which is ready, and returns it.
func (n namespace) pod(name string) corev1.Pod {
	n.Helper()
	var pod corev1.Pod
	eventually(n.T, patience, func() error {
		pods := n.pods(name)
		if len(pods) != 1 {
			return fmt.Errorf("%s has %d pods", name, len(pods))
		}
		pod = pods[0]
		for _, c := range pod.Status.Conditions {
			if c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue {
				return nil
			}
		}
		return fmt.Errorf("the pod of %s is not ready", name)
	})
	return pod
}

// token reads a notebook's token as its user does.
func (n namespace) token(name string) string {
	n.Helper()
	secret, err := client.CoreV1().Secrets(n.name).Get(n.Context(), name+"-access", metav1.GetOptions{})
	if err != nil {
		n.Fatalf("cannot get the token of %s: %v", name, err)
	}
	return string(secret.Data["token"])
}
