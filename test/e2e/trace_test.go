package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
)

// trace records every status that a notebook shows from now on. The function that
// it returns puts a heading between them. When the test ends, the record is
// printed and kept.
func (n namespace) trace(name string) func(heading string) {
	n.Helper()
	w, err := objects.Resource(notebooks).Namespace(n.name).Watch(n.Context(), metav1.ListOptions{FieldSelector: "metadata.name=" + name})
	if err != nil {
		n.Fatalf("cannot watch %s: %v", name, err)
	}
	r := &recorder{since: time.Now()}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for event := range w.ResultChan() {
			r.see(event)
		}
	}()
	n.Cleanup(func() {
		w.Stop()
		<-done
		text := strings.ReplaceAll(r.String(), n.name, "team-a")
		text = n.redact(context.Background(), text)
		n.Logf("the life of a notebook, as its status tells it:\n%s", text)
		if err := os.WriteFile(filepath.Join(artifacts, strings.ReplaceAll(n.Name(), "/", "-")+".txt"), []byte(text), 0o600); err != nil {
			n.Errorf("cannot keep the trace: %v", err)
		}
	})
	return r.head
}

// recorder writes down a status when it differs from the one before.
type recorder struct {
	sync.Mutex
	strings.Builder

	since time.Time
	last  string
}

func (r *recorder) head(heading string) {
	r.Lock()
	defer r.Unlock()
	fmt.Fprintf(r, "# %s\n", heading)
	r.since = time.Now()
}

func (r *recorder) see(event watch.Event) {
	u, ok := event.Object.(*unstructured.Unstructured)
	if !ok {
		return
	}
	nb, err := decode(u)
	line := describe(nb)
	if err != nil {
		line = err.Error()
	}
	if event.Type == watch.Deleted {
		line = "gone"
	}
	r.Lock()
	defer r.Unlock()
	if line == r.last {
		return
	}
	r.last = line
	fmt.Fprintf(r, "%5.1fs  %s\n", time.Since(r.since).Seconds(), line)
}

// describe is what of a status matters to its user, in one line.
func describe(nb notebook) string {
	ready := nb.condition("Ready")
	if nb.Status.Phase == "" {
		return "no status yet"
	}
	line := fmt.Sprintf("%-8s %-13s Ready=%-7s", nb.Status.Phase, nb.Status.Reason, ready.Status)
	if ready.Reason == "Deleting" {
		line += " deleting"
	}
	if nb.condition("Accepted").Status == metav1.ConditionFalse {
		line += " Accepted=False"
	}
	return strings.TrimSpace(line + " " + nb.Status.Message)
}
