package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// statOf writes a /proc/PID/stat.
func statOf(pid int, name string, group, session, terminal, foreground int, ticks, start uint64) string {
	return fmt.Sprintf("%d (%s) S 1 %d %d %d %d 4194304 1 2 3 4 %d 0 0 0 20 0 1 0 %d 123 456 18446744073709551615 1 1", pid, name, group, session, terminal, foreground, ticks, start)
}

func TestParseStat(t *testing.T) {
	cases := map[string]struct {
		reason string
		text   string
		want   process
		ok     bool
	}{
		"Shell":       {reason: "A shell that runs a command in the foreground.", text: statOf(42, "bash", 42, 42, 34816, 50, 7, 900), want: process{42, 42, 42, 34816, 50, 900, 7}, ok: true},
		"NoTerminal":  {reason: "Without a terminal its foreground is -1.", text: statOf(42, "jupyter-lab", 42, 42, 0, -1, 7, 900), want: process{42, 42, 42, 0, 0, 900, 7}, ok: true},
		"Parentheses": {reason: "A program may have any name.", text: statOf(42, "a) S 1 (b c", 42, 42, 0, -1, 7, 900), want: process{42, 42, 42, 0, 0, 900, 7}, ok: true},
		"Empty":       {reason: "The process has just ended."},
		"Short":       {reason: "Not from Linux.", text: "42 (bash) S 1 42"},
		"Backwards":   {reason: "Nor is this.", text: ")42("},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, ok := parseStat(tc.text)
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(process{})); diff != "" || ok != tc.ok {
				t.Errorf("\n%s\nparseStat(...): ok=%t, -want, +got:\n%s", tc.reason, ok, diff)
			}
		})
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add(statOf(42, "bash", 42, 42, 34816, 50, 7, 900))
	f.Add(")(")
	f.Fuzz(func(_ *testing.T, text string) { parseStat(text) })
}

func TestProcesses(t *testing.T) {
	type seen struct {
		Shells, Jobs int
		Busy         bool
	}
	const server = 10
	pause, agent := statOf(1, "pause", 1, 1, 0, -1, 1, 1), statOf(99, "function", 99, 99, 0, -1, 5000, 5)
	cases := map[string]struct {
		reason        string
		before, after []string
		want          seen
	}{
		"Quiet": {
			reason: "A server that waits.",
			before: []string{pause, agent, statOf(server, "jupyter-lab", server, server, 0, -1, 300, 10)},
			after:  []string{pause, agent, statOf(server, "jupyter-lab", server, server, 0, -1, 301, 10)},
		},
		"Prompt": {
			reason: "A shell whose own group is in the foreground waits for its user.",
			after:  []string{statOf(20, "bash", 20, 20, 34816, 20, 3, 10)},
			want:   seen{Shells: 1},
		},
		"Command": {
			reason: "A silent command in the foreground is work.",
			after:  []string{statOf(20, "bash", 20, 20, 34816, 21, 3, 10), statOf(21, "sleep", 21, 20, 34816, 21, 0, 11)},
			want:   seen{Shells: 1, Jobs: 1},
		},
		"Computes": {
			reason: "A child of a kernel that Jupyter knows nothing of.",
			before: []string{statOf(server, "python3", server, server, 0, -1, 300, 10)},
			after:  []string{statOf(server, "python3", server, server, 0, -1, 500, 10)},
			want:   seen{Busy: true},
		},
		"ManyCompute": {
			reason: "Together they take more than a tenth of a core.",
			before: []string{statOf(30, "a", 30, 30, 0, -1, 0, 10), statOf(31, "b", 31, 31, 0, -1, 0, 10)},
			after:  []string{statOf(30, "a", 30, 30, 0, -1, 60, 10), statOf(31, "b", 31, 31, 0, -1, 60, 10)},
			want:   seen{Busy: true},
		},
		"New": {
			reason: "All that a new process used, it used since the last look.",
			before: []string{pause},
			after:  []string{pause, statOf(31, "make", 31, 31, 0, -1, 200, 50)},
			want:   seen{Busy: true},
		},
		"NumberUsedAgain": {
			reason: "A later process with the number of an earlier one is new.",
			before: []string{statOf(31, "make", 31, 31, 0, -1, 90000, 50)},
			after:  []string{statOf(31, "gcc", 31, 31, 0, -1, 200, 60)},
			want:   seen{Busy: true},
		},
		"Ended": {
			reason: "A process that has ended takes nothing away.",
			before: []string{statOf(31, "make", 31, 31, 0, -1, 90000, 50), statOf(server, "jupyter-lab", server, server, 0, -1, 300, 10)},
			after:  []string{statOf(server, "jupyter-lab", server, server, 0, -1, 300, 10)},
		},
		"Alone": {reason: "Where containers do not see each other, the agent sees itself.", after: []string{agent}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := &processes{self: 99, root: procOf(t, tc.before)}
			p.look(noon)
			p.root = procOf(t, tc.after)
			got := seen{}
			got.Shells, got.Jobs, got.Busy = p.look(noon.Add(10 * time.Second))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nlook(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// procOf is a /proc with some processes.
func procOf(t *testing.T, stats []string) string {
	t.Helper()
	root := t.TempDir()
	for _, stat := range append(stats, "self ()") {
		pid := "self"
		if q, ok := parseStat(stat); ok {
			pid = fmt.Sprint(q.pid)
		}
		if err := os.MkdirAll(filepath.Join(root, pid), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, pid, "stat"), []byte(stat), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}
