// Package observability checks what deploy/observability has for the monitoring of a
// platform, with the code of kube-state-metrics, Prometheus and Grafana.
package observability

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/kube-state-metrics/v2/pkg/customresourcestate"
	"sigs.k8s.io/yaml"
	goyaml "sigs.k8s.io/yaml/goyaml.v3"
)

// file is kube-state-metrics.yaml: a configuration, and values of two charts.
type file struct {
	Config config `yaml:",inline"`
	Chart  chart  `yaml:",inline"`
	Stack  chart  `yaml:"kube-state-metrics"`
}

type config struct {
	Kind string                          `yaml:"kind"`
	Spec customresourcestate.MetricsSpec `yaml:"spec"`
}

type chart struct {
	CustomResourceState struct {
		Enabled bool   `yaml:"enabled"`
		Config  config `yaml:"config"`
	} `yaml:"customResourceState"`
	RBAC struct {
		ExtraRules []rule `yaml:"extraRules"`
	} `yaml:"rbac"`
}

type rule struct {
	APIGroups []string `yaml:"apiGroups"`
	Resources []string `yaml:"resources"`
	Verbs     []string `yaml:"verbs"`
}

// definition is of configuration/definition.yaml what matters here.
type definition struct {
	Spec struct {
		Group      string `json:"group"`
		ClaimNames struct {
			Kind   string `json:"kind"`
			Plural string `json:"plural"`
		} `json:"claimNames"`
		Versions []struct {
			Name   string `json:"name"`
			Schema struct {
				OpenAPIV3Schema schema `json:"openAPIV3Schema"`
			} `json:"schema"`
		} `json:"versions"`
	} `json:"spec"`
}

// schema of a field.
type schema struct {
	Properties map[string]schema `json:"properties"`
	Enum       []any             `json:"enum"`
}

// at returns the schema of a field by its path.
func (s schema) at(path []string) (schema, bool) {
	for _, part := range path {
		next, found := s.Properties[part]
		if !found {
			return schema{}, false
		}
		s = next
	}
	return s, true
}

// read reads a file of the repository.
func read(t *testing.T, path ...string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(append([]string{"..", ".."}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func readFile(t *testing.T) file {
	t.Helper()
	// The decoder of kube-state-metrics, which would ignore what it does not know.
	decoder := goyaml.NewDecoder(bytes.NewReader(read(t, "deploy", "observability", "kube-state-metrics.yaml")))
	decoder.KnownFields(true)
	var f file
	if err := decoder.Decode(&f); err != nil {
		t.Fatal(err)
	}
	return f
}

// notebooks returns the one resource of the configuration.
func notebooks(t *testing.T) customresourcestate.Resource {
	t.Helper()
	resources := readFile(t).Config.Spec.Resources
	if len(resources) != 1 {
		t.Fatalf("want one resource, got %d", len(resources))
	}
	return resources[0]
}

func readDefinition(t *testing.T) definition {
	t.Helper()
	var d definition
	if err := yaml.Unmarshal(read(t, "configuration", "definition.yaml"), &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Spec.Versions) != 1 {
		t.Fatalf("want one version, got %d", len(d.Spec.Versions))
	}
	return d
}

// TestValues checks that each way to run kube-state-metrics gets the same, and may
// read notebooks.
func TestValues(t *testing.T) {
	f, d := readFile(t), readDefinition(t)
	if f.Config.Kind != "CustomResourceStateMetrics" {
		t.Errorf("want kind CustomResourceStateMetrics, got %q", f.Config.Kind)
	}
	if !f.Chart.CustomResourceState.Enabled {
		t.Error("want the chart to enable the metrics")
	}
	if diff := cmp.Diff(f.Config, f.Chart.CustomResourceState.Config); diff != "" {
		t.Errorf("-file, +values of kube-state-metrics:\n%s", diff)
	}
	if diff := cmp.Diff(f.Chart, f.Stack); diff != "" {
		t.Errorf("-values of kube-state-metrics, +values of kube-prometheus-stack:\n%s", diff)
	}
	want := []rule{{
		APIGroups: []string{d.Spec.Group},
		Resources: []string{d.Spec.ClaimNames.Plural},
		Verbs:     []string{"list", "watch"},
	}}
	if diff := cmp.Diff(want, f.Chart.RBAC.ExtraRules); diff != "" {
		t.Errorf("-want rules, +got rules:\n%s", diff)
	}
	kind := customresourcestate.GroupVersionKind{Group: d.Spec.Group, Version: d.Spec.Versions[0].Name, Kind: d.Spec.ClaimNames.Kind}
	if diff := cmp.Diff(kind, notebooks(t).GroupVersionKind); diff != "" {
		t.Errorf("-want kind, +got kind:\n%s", diff)
	}
}

// TestPaths looks for fields that notebooks do not have: kube-state-metrics would
// expose nothing of them, without a word.
func TestPaths(t *testing.T) {
	fields := readDefinition(t).Spec.Versions[0].Schema.OpenAPIV3Schema
	// Kubernetes has these of every object.
	fields.Properties["metadata"] = schema{Properties: map[string]schema{"name": {}, "namespace": {}}}

	resource := notebooks(t)
	check := func(metric string, path []string) {
		if _, found := fields.at(path); !found {
			t.Errorf("%s: notebooks have no field %s", metric, strings.Join(path, "."))
		}
	}
	labels := func(metric string, under []string, from map[string][]string) {
		for label, path := range from {
			check(metric+", label "+label, slices.Concat(under, path))
		}
	}
	labels("all metrics", nil, resource.LabelsFromPath)
	for _, m := range resource.Metrics {
		labels(m.Name, nil, m.LabelsFromPath)
		switch each := m.Each; {
		case each.Gauge != nil:
			check(m.Name, slices.Concat(each.Gauge.Path, each.Gauge.ValueFrom))
			labels(m.Name, each.Gauge.Path, each.Gauge.LabelsFromPath)
		case each.Info != nil:
			check(m.Name, each.Info.Path)
			labels(m.Name, each.Info.Path, each.Info.LabelsFromPath)
		case each.StateSet != nil:
			path := slices.Concat(each.StateSet.Path, each.StateSet.ValueFrom)
			check(m.Name, path)
			labels(m.Name, each.StateSet.Path, each.StateSet.LabelsFromPath)
			field, _ := fields.at(path)
			states := map[any]bool{}
			for _, state := range each.StateSet.List {
				states[state] = true
			}
			for _, value := range field.Enum {
				if !states[value] {
					t.Errorf("%s: %s can be %v, which is not in the list", m.Name, strings.Join(path, "."), value)
				}
				delete(states, value)
			}
			if len(states) > 0 {
				t.Errorf("%s: %s can never be %v", m.Name, strings.Join(path, "."), slices.Collect(maps.Keys(states)))
			}
		default:
			t.Errorf("%s is neither a gauge nor info nor a state set", m.Name)
		}
	}
}
