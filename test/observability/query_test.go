package observability

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/util/annotations"
)

// now is when somebody looks at the dashboard.
var now = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

// seriesSet is a list of series.
type seriesSet struct {
	series []storage.Series
	next   int
}

func (s *seriesSet) Next() bool                      { s.next++; return s.next <= len(s.series) }
func (s *seriesSet) At() storage.Series              { return s.series[s.next-1] } //nolint:ireturn // As the engine wants it.
func (*seriesSet) Err() error                        { return nil }
func (*seriesSet) Warnings() annotations.Annotations { return nil }

// scraped is what Prometheus has when it has scraped the examples each minute for an
// hour, from two instances of kube-state-metrics, as there are during its rollout.
func scraped(t *testing.T) *storage.MockQueryable {
	t.Helper()
	text, _ := exposition(t)
	decoder := expfmt.NewTextParser(model.UTF8Validation)
	families, err := decoder.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var all []storage.Series
	for name, family := range families {
		for _, metric := range family.GetMetric() {
			var points []promql.FPoint
			for at := now.Add(-time.Hour); !at.After(now); at = at.Add(time.Minute) {
				points = append(points, promql.FPoint{T: at.UnixMilli(), F: metric.GetGauge().GetValue()})
			}
			set := labels.NewBuilder(labels.FromStrings(model.MetricNameLabel, name, "job", "kube-state-metrics"))
			for _, label := range metric.GetLabel() {
				set.Set(label.GetName(), label.GetValue())
			}
			for _, instance := range []string{"one", "another"} {
				all = append(all, promql.NewStorageSeries(promql.Series{Metric: set.Set("instance", instance).Labels(), Floats: points}))
			}
		}
	}
	return &storage.MockQueryable{MockQuerier: &storage.MockQuerier{
		SelectMockFunction: func(_ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
			var found []storage.Series
			for _, s := range all {
				if !slices.ContainsFunc(matchers, func(m *labels.Matcher) bool { return !m.Matches(s.Labels().Get(m.Name)) }) {
					found = append(found, s)
				}
			}
			return &seriesSet{series: found}
		},
	}}
}

// TestDashboardNumbers checks what the panels show of the examples.
func TestDashboardNumbers(t *testing.T) {
	engine := promql.NewEngine(promql.EngineOpts{
		MaxSamples: 100_000,
		Timeout:    time.Minute,
		Parser:     parser.NewParser(parser.Options{}),
	})
	data := scraped(t)
	var shown strings.Builder
	for _, q := range queries(t, readDashboard(t)) {
		asked, err := engine.NewInstantQuery(t.Context(), data, nil, q.expr, now)
		if err != nil {
			t.Fatalf("panel %q: %v", q.panel, err)
		}
		vector, err := asked.Exec(t.Context()).Vector()
		if err != nil {
			t.Fatalf("panel %q: %v", q.panel, err)
		}
		if len(vector) == 0 {
			t.Errorf("panel %q is empty", q.panel)
		}
		var lines []string
		for _, sample := range vector {
			lines = append(lines, fmt.Sprintf("%s %.6g\n", sample.Metric, sample.F))
		}
		slices.Sort(lines)
		fmt.Fprintf(&shown, "# %s\n%s\n", q.panel, strings.Join(lines, ""))
	}
	golden(t, "dashboard.txt", shown.String())
}
