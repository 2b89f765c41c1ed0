package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMerge(t *testing.T) {
	type args struct{ value, added any }
	cases := map[string]struct {
		reason string
		args   args
		want   any
	}{
		"Maps": {
			reason: "A cluster adds fields to an object and keeps the others.",
			args: args{
				value: map[string]any{"ports": map[string]any{"http": 80}},
				added: map[string]any{"ports": map[string]any{"https": 443}, "address": "10.0.0.1"},
			},
			want: map[string]any{"ports": map[string]any{"http": 80, "https": 443}, "address": "10.0.0.1"},
		},
		"Lists": {
			reason: "The defaults of a container belong to the container in the same place.",
			args: args{
				value: []any{map[string]any{"name": "a"}, map[string]any{"name": "b"}},
				added: []any{map[string]any{}, map[string]any{"policy": "Always"}},
			},
			want: []any{map[string]any{"name": "a"}, map[string]any{"name": "b", "policy": "Always"}},
		},
		"Nothing": {
			reason: "What the function leaves out, a cluster may fill in.",
			args:   args{added: []any{"ReadWriteOnce"}},
			want:   []any{"ReadWriteOnce"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, merge(tc.args.value, tc.args.added)); diff != "" {
				t.Errorf("%s\nmerge(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestPaired(t *testing.T) {
	type args struct {
		goal   goal
		rounds []round
	}
	type want struct {
		ratio   float64
		verdict string
	}
	cases := map[string]struct {
		reason string
		args   args
		want   want
	}{
		"MachineSlowsDown": {
			reason: "A round in which the machine is slow counts like any other.",
			args:   args{goal: atMost(1.5), rounds: []round{{{p50: 1}, {p50: 1}}, {{p50: 6}, {p50: 5}}, {{p50: 4}, {p50: 2}}}},
			want:   want{ratio: 1.2, verdict: "   at most 1.50: met"},
		},
		"TooSlow": {
			reason: "A ratio above the goal misses it.",
			args:   args{goal: atMost(1.5), rounds: []round{{{p50: 2}, {p50: 1}}}},
			want:   want{ratio: 2, verdict: "   at most 1.50: missed"},
		},
		"MoreIsBetter": {
			reason: "A ratio below the goal misses it where more is better.",
			args:   args{goal: atLeast(0.5), rounds: []round{{{p50: 1}, {p50: 4}}}},
			want:   want{ratio: 0.25, verdict: "   at least 0.50: missed"},
		},
		"NoGoal": {
			reason: "A figure without a goal is not judged.",
			args:   args{rounds: []round{{{p50: 1}, {p50: 4}}}},
			want:   want{ratio: 0.25},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := paired("p50", milliseconds, tc.args.goal, tc.args.rounds, func(s sample) float64 { return s.p50 })
			got := want{ratio: r.ratio, verdict: r.goal.verdict(r.ratio)}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("%s\npaired(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestFind(t *testing.T) {
	text := []byte("# TYPE process_cpu_seconds_total counter\nprocess_cpu_seconds_total 1.5e+01\nVmHWM:\t  44728 kB\n")
	cases := map[string]struct {
		reason string
		word   string
		want   float64
		err    bool
	}{
		"Metric":  {reason: "Prometheus' format, comments aside.", word: "process_cpu_seconds_total", want: 15},
		"Status":  {reason: "The kernel's format.", word: "VmHWM:", want: 44728},
		"Missing": {reason: "A figure that is not there must not count as zero.", word: "go_memstats_mallocs_total", err: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got float64
			err := find(text, map[string]*float64{tc.word: &got})
			if diff := cmp.Diff(tc.want, got); diff != "" || (err != nil) != tc.err {
				t.Errorf("%s\nfind(...): error %v, -want, +got:\n%s", tc.reason, err, diff)
			}
		})
	}
}
