package observability

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/table"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
	"github.com/prometheus/prometheus/promql/parser"
)

// grafana is a dashboard in the schema that every Grafana reads.
type grafana = dashboard.Dashboard //nolint:staticcheck // Its successor is for those with the newest Grafana only.

// query is what a panel asks for.
type query struct{ panel, expr string }

// complaints returns what of a dashboard is not as the schema has it that Grafana
// publishes. Fields that it does not know are complaints, in the options of panels and
// in queries, too.
func complaints(content []byte) string {
	runtime := cog.NewRuntime()
	runtime.RegisterDataqueryVariant(prometheus.VariantConfig())
	runtime.RegisterPanelcfgVariant(stat.VariantConfig())
	runtime.RegisterPanelcfgVariant(table.VariantConfig())
	runtime.RegisterPanelcfgVariant(timeseries.VariantConfig())

	// These return an error without text when there is none, and leave out some of
	// what they read.
	var all strings.Builder
	say := func(err error) {
		if err != nil && err.Error() != "" {
			fmt.Fprintln(&all, err)
		}
	}
	var strict, d grafana
	say(strict.UnmarshalJSONStrict(content))
	say(json.Unmarshal(content, &d))
	say(d.Validate())
	// Panels do not look at these strictly.
	var configs struct {
		Panels []struct {
			FieldConfig json.RawMessage `json:"fieldConfig"`
		} `json:"panels"`
	}
	say(json.Unmarshal(content, &configs))
	for _, p := range configs.Panels {
		var config dashboard.FieldConfigSource
		say(config.UnmarshalJSONStrict(p.FieldConfig))
	}
	return all.String()
}

func readDashboard(t *testing.T) grafana {
	t.Helper()
	var d grafana
	if err := json.Unmarshal(read(t, "deploy", "observability", "dashboard.json"), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestDashboardSchema checks the dashboard by Grafana's schema, and that mistakes
// are noticed wherever they are.
func TestDashboardSchema(t *testing.T) {
	content := read(t, "deploy", "observability", "dashboard.json")
	if got := complaints(content); got != "" {
		t.Error(got)
	}
	for _, field := range []string{
		"schemaVersion", "templating", "includeAll", "gridPos", "collapsed", "targets", "expr", "legendFormat",
		"reduceOptions", "cellHeight", "tooltip", "decimals", "custom", "stacking", "transformations", "matcher",
	} {
		t.Run(field, func(t *testing.T) {
			if !bytes.Contains(content, []byte(`"`+field+`":`)) {
				t.Fatal("the dashboard has no such field")
			}
			if complaints(bytes.ReplaceAll(content, []byte(`"`+field+`":`), []byte(`"mistake":`))) == "" {
				t.Error("a field that is misspelt is not noticed")
			}
		})
	}
}

// queries returns what the panels of a dashboard ask for, with each variable replaced
// by a value.
func queries(t *testing.T, d grafana) []query {
	t.Helper()
	variables := strings.NewReplacer("$namespace", "team-.*", "$__range", "1h")
	var all []query
	for _, p := range d.Panels {
		if p.Panel == nil {
			continue
		}
		for _, target := range p.Panel.Targets {
			q, ok := target.(*prometheus.Dataquery)
			if !ok {
				t.Fatalf("panel %q does not ask Prometheus", *p.Panel.Title)
			}
			expr := variables.Replace(q.Expr)
			if strings.Contains(expr, "$") {
				t.Errorf("panel %q uses a variable that there is not: %s", *p.Panel.Title, expr)
			}
			all = append(all, query{panel: *p.Panel.Title, expr: expr})
		}
	}
	return all
}

// TestDashboardPanels checks what the schema cannot: that Grafana shows the panels where
// they should be, of the Prometheus that its user chose, and what they are.
func TestDashboardPanels(t *testing.T) {
	d := readDashboard(t)
	ids := map[uint32]bool{}
	var taken []dashboard.GridPos
	place := func(title string, id *uint32, pos *dashboard.GridPos) {
		if id == nil || ids[*id] {
			t.Errorf("panel %q has no id of its own", title)
		} else {
			ids[*id] = true
		}
		if pos.X+pos.W > 24 {
			t.Errorf("panel %q is out of the grid", title)
		}
		for _, other := range taken {
			if pos.X < other.X+other.W && other.X < pos.X+pos.W && pos.Y < other.Y+other.H && other.Y < pos.Y+pos.H {
				t.Errorf("panel %q is on another one", title)
			}
		}
		taken = append(taken, *pos)
	}
	chosen := func(what string, source *common.DataSourceRef) {
		if source == nil || *source.Type != "prometheus" || *source.Uid != "${datasource}" {
			t.Errorf("%s: want the data source that the dashboard's variable names, got %v", what, source)
		}
	}
	for _, p := range d.Panels {
		if p.RowPanel != nil {
			place(*p.RowPanel.Title, &p.RowPanel.Id, p.RowPanel.GridPos)
			continue
		}
		place(*p.Panel.Title, p.Panel.Id, p.Panel.GridPos)
		chosen(*p.Panel.Title, p.Panel.Datasource)
		if p.Panel.Description == nil || *p.Panel.Description == "" {
			t.Errorf("panel %q does not say what it shows", *p.Panel.Title)
		}
		if !slices.Contains([]string{"stat", "table", "timeseries"}, p.Panel.Type) {
			t.Errorf("panel %q: the options of type %s are not checked: register it", *p.Panel.Title, p.Panel.Type)
		}
		for _, target := range p.Panel.Targets {
			chosen(*p.Panel.Title, target.(*prometheus.Dataquery).Datasource)
		}
	}
	var variables []string
	for _, v := range d.Templating.List {
		variables = append(variables, v.Name)
		if v.Name == "namespace" {
			chosen("variable namespace", v.Datasource)
		}
	}
	if !slices.Equal(variables, []string{"datasource", "namespace"}) {
		t.Errorf("want variables datasource and namespace, got %v", variables)
	}
}

// TestDashboardMetrics looks for metrics that kube-state-metrics does not expose.
func TestDashboardMetrics(t *testing.T) {
	exposed := map[string]bool{}
	for _, family := range families(t) {
		exposed[family.Name] = true
	}
	check := func(where, name string) {
		if !exposed[name] {
			t.Errorf("%s asks for %q, which kube-state-metrics does not expose", where, name)
		}
	}
	d := readDashboard(t)
	for _, q := range queries(t, d) {
		expr, err := parser.NewParser(parser.Options{}).ParseExpr(q.expr)
		if err != nil {
			t.Errorf("panel %q: %v: %s", q.panel, err, q.expr)
			continue
		}
		parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
			if selector, ok := node.(*parser.VectorSelector); ok {
				check("panel "+q.panel, selector.Name)
			}
			return nil
		})
	}
	values := regexp.MustCompile(`^label_values\((\w+), namespace\)$`)
	for _, v := range d.Templating.List {
		if v.Definition == nil {
			continue
		}
		m := values.FindStringSubmatch(*v.Definition)
		if m == nil {
			t.Errorf("variable %s asks for %s", v.Name, *v.Definition)
			continue
		}
		check("variable "+v.Name, m[1])
	}
}
