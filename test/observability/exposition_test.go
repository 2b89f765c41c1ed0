package observability

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/common/expfmt"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/klog/v2"
	"k8s.io/kube-state-metrics/v2/pkg/customresourcestate"
	"k8s.io/kube-state-metrics/v2/pkg/metric"
	generator "k8s.io/kube-state-metrics/v2/pkg/metric_generator"
	metricsstore "k8s.io/kube-state-metrics/v2/pkg/metrics_store"
	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "accept what differs from testdata")

// golden compares a text with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("-%s, +got (go test -update accepts it):\n%s", name, diff)
	}
}

// examples returns the notebooks of testdata.
func examples(t *testing.T) []unstructured.Unstructured {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", "notebooks.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var all []unstructured.Unstructured
	for i, document := range strings.Split(string(content), "\n---\n") {
		if i == 0 {
			continue // What the file is.
		}
		// Numbers are those that kube-state-metrics gets from the API server.
		document = "apiVersion: mlops.function-jupyter.dev/v1\nkind: JupyterNotebook\n" + document
		encoded, err := yaml.YAMLToJSON([]byte(document))
		if err != nil {
			t.Fatal(err)
		}
		var u unstructured.Unstructured
		if err := u.UnmarshalJSON(encoded); err != nil {
			t.Fatal(err)
		}
		all = append(all, u)
	}
	return all
}

// families returns what kube-state-metrics makes of the configuration.
func families(t *testing.T) []generator.FamilyGenerator {
	t.Helper()
	resource := notebooks(t)
	for i := range resource.Metrics {
		each := &resource.Metrics[i].Each
		each.Type = metric.Type(strings.ToLower(string(each.Type))) // As kube-state-metrics does first.
	}
	factory, err := customresourcestate.NewCustomResourceMetrics(resource)
	if err != nil {
		t.Fatal(err)
	}
	return factory.MetricFamilyGenerators()
}

// exposition returns what kube-state-metrics exposes of the examples, sorted, and
// what it logs.
func exposition(t *testing.T) (text, logged string) {
	t.Helper()
	var log bytes.Buffer
	klog.LogToStderr(false)
	klog.SetOutput(&log)

	families := families(t)
	store := metricsstore.NewMetricsStore(generator.ExtractMetricFamilyHeaders(families), generator.ComposeMetricGenFuncs(families))
	for _, notebook := range examples(t) {
		if err := store.Add(&notebook); err != nil {
			t.Fatal(err)
		}
	}
	writers := metricsstore.MetricsWriterList{metricsstore.NewMetricsWriter("jupyternotebooks", store)}
	var b bytes.Buffer
	for _, w := range metricsstore.SanitizeHeaders(expfmt.NewFormat(expfmt.TypeTextPlain), writers) {
		if err := w.WriteAll(&b); err != nil {
			t.Fatal(err)
		}
	}
	klog.Flush()
	return sorted(b.String()), log.String()
}

// sorted sorts the samples of each family: they come in any order.
func sorted(exposition string) string {
	var out, samples []string
	flush := func() {
		slices.Sort(samples)
		out = append(out, samples...)
		samples = nil
	}
	for line := range strings.SplitSeq(strings.TrimSpace(exposition), "\n") {
		if strings.HasPrefix(line, "#") {
			flush()
			out = append(out, line)
			continue
		}
		samples = append(samples, line)
	}
	flush()
	return strings.Join(out, "\n") + "\n"
}

// TestExposition checks what kube-state-metrics makes of notebooks, and that one
// without GPUs, price or status is nothing to complain about.
func TestExposition(t *testing.T) {
	text, logged := exposition(t)
	golden(t, "metrics.prom", text)
	for line := range strings.Lines(logged) {
		if !strings.Contains(line, "Custom resource state added metrics") {
			t.Errorf("kube-state-metrics logs %s", line)
		}
	}
}

// TestExamples looks for fields of the examples that notebooks do not have.
func TestExamples(t *testing.T) {
	fields := readDefinition(t).Spec.Versions[0].Schema.OpenAPIV3Schema
	for _, notebook := range examples(t) {
		for _, part := range []string{"spec", "status"} {
			object, _, err := unstructured.NestedMap(notebook.Object, part)
			if err != nil {
				t.Fatal(err)
			}
			delete(object, "conditions") // Crossplane adds them to the schema.
			checkFields(t, fields.Properties[part], object, notebook.GetName()+": "+part)
		}
	}
}

func checkFields(t *testing.T, s schema, object map[string]any, path string) {
	t.Helper()
	for name, value := range object {
		field, found := s.Properties[name]
		if !found {
			t.Errorf("%s has no field %s", path, name)
		}
		if inner, ok := value.(map[string]any); ok {
			checkFields(t, field, inner, path+"."+name)
		}
	}
}
