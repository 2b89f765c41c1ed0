package main

import (
	"fmt"
	"slices"
	"strings"
)

// A row of the table compares one figure of both functions.
type row struct {
	what           string
	show           func(float64) string
	function, noop float64
	ratio          float64
	goal           goal
}

// A goal for the ratio. The zero goal is none.
type goal struct {
	ratio   float64
	atLeast bool
}

func atMost(ratio float64) goal  { return goal{ratio: ratio} }
func atLeast(ratio float64) goal { return goal{ratio: ratio, atLeast: true} }

// judge what was measured.
func judge(rounds []round, before, after [2]usage) []row {
	return []row{
		paired("p50 of a call", milliseconds, atMost(1.5), rounds, func(s sample) float64 { return s.p50 }),
		paired("p99 of a call", milliseconds, goal{}, rounds, func(s sample) float64 { return s.p99 }),
		paired(fmt.Sprintf("calls per second, %d in flight", inFlight), whole, atLeast(2.0/3), rounds, func(s sample) float64 { return s.throughput }),
		single("CPU time of a call", milliseconds, goal{}, before, after, func(b, a usage) float64 { return (a.cpu - b.cpu) / (a.calls - b.calls) }),
		single("allocations of a call", whole, goal{}, before, after, func(b, a usage) float64 { return (a.objects - b.objects) / (a.calls - b.calls) }),
		single("allocated by a call", kibibytes, goal{}, before, after, func(b, a usage) float64 { return (a.bytes - b.bytes) / (a.calls - b.calls) }),
		single("peak memory", mebibytes, atMost(1.25), before, after, func(_, a usage) float64 { return a.peakMemory }),
		single("stripped binary", mebibytes, atMost(1.1), before, after, func(_, a usage) float64 { return a.binary }),
	}
}

// paired figures are those of the median round, and the ratio is the median of
// the rounds' ratios: what slows the machine for a while slows both functions.
func paired(what string, show func(float64) string, g goal, rounds []round, figure func(sample) float64) row {
	function, noop, ratios := make([]float64, len(rounds)), make([]float64, len(rounds)), make([]float64, len(rounds))
	for i, r := range rounds {
		function[i], noop[i] = figure(r[0]), figure(r[1])
		ratios[i] = function[i] / noop[i]
	}
	return row{what, show, median(function), median(noop), median(ratios), g}
}

func median(figures []float64) float64 {
	slices.Sort(figures)
	return figures[len(figures)/2]
}

// single figures are about all rounds together.
func single(what string, show func(float64) string, g goal, before, after [2]usage, figure func(before, after usage) float64) row {
	function, noop := figure(before[0], after[0]), figure(before[1], after[1])
	return row{what, show, function, noop, function / noop, g}
}

// table of the rows.
func table(rows []row) string {
	var t strings.Builder
	fmt.Fprintf(&t, "%-32s %10s %10s %7s   %s\n", "", "function", "no-op", "ratio", "goal")
	for _, r := range rows {
		fmt.Fprintf(&t, "%-32s %10s %10s %7.2f%s\n", r.what, r.show(r.function), r.show(r.noop), r.ratio, r.goal.verdict(r.ratio))
	}
	return t.String()
}

func (g goal) verdict(ratio float64) string {
	sign, met := "at most", ratio <= g.ratio
	if g.atLeast {
		sign, met = "at least", ratio >= g.ratio
	}
	switch {
	case g.ratio == 0:
		return ""
	case met:
		return fmt.Sprintf("   %s %.2f: met", sign, g.ratio)
	default:
		return fmt.Sprintf("   %s %.2f: missed", sign, g.ratio)
	}
}

func milliseconds(seconds float64) string { return fmt.Sprintf("%.3f ms", seconds*1e3) }
func whole(n float64) string              { return fmt.Sprintf("%.0f", n) }
func kibibytes(bytes float64) string      { return fmt.Sprintf("%.0f KiB", bytes/(1<<10)) }
func mebibytes(bytes float64) string      { return fmt.Sprintf("%.1f MiB", bytes/(1<<20)) }
