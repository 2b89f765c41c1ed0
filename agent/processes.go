package agent

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const (
	// ticksPerSecond of Linux' process times, on every platform.
	ticksPerSecond = 100

	// busyShare of a core, above which processes are at work. A server that only
	// answers the agent and the kubelet takes a hundredth of that.
	busyShare = 0.1
)

// processes of the pod, which the agent sees because they share a PID namespace.
type processes struct {
	root string
	self int

	// used is the CPU time of each process at the last look.
	used map[int]process
	at   time.Time
}

// A process as /proc/PID/stat has it.
type process struct {
	pid, group, session, terminal, foreground int

	// start tells a process from a later one with the same number. Times are in ticks;
	// those of children that have ended count with it.
	start, ticks uint64
}

// look returns how many shells there are in terminals, how many of them run a command,
// and whether the processes compute.
func (p *processes) look(now time.Time) (shells, jobs int, busy bool) {
	used := map[int]process{}
	var ticks uint64
	for _, q := range p.list() {
		if q.pid == q.session && q.terminal != 0 {
			shells++
			if q.foreground != q.group {
				jobs++
			}
		}
		used[q.pid] = q
		before, known := p.used[q.pid]
		switch {
		case !known || before.start != q.start:
			ticks += q.ticks
		case q.ticks > before.ticks:
			ticks += q.ticks - before.ticks
		}
	}
	elapsed := now.Sub(p.at).Seconds()
	busy = p.used != nil && float64(ticks)/ticksPerSecond > busyShare*elapsed
	p.used, p.at = used, now
	return shells, jobs, busy
}

// list all processes but the agent.
func (p *processes) list() []process {
	entries, err := os.ReadDir(p.root)
	if err != nil {
		return nil
	}
	var list []process
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == p.self {
			continue
		}
		text, err := os.ReadFile(filepath.Join(p.root, entry.Name(), "stat"))
		if err != nil {
			continue // It has ended.
		}
		if q, ok := parseStat(string(text)); ok && q.pid == pid {
			list = append(list, q)
		}
	}
	return list
}

// parseStat reads /proc/PID/stat, see proc(5). The name of the program is in
// parentheses and may hold anything.
func parseStat(text string) (process, bool) {
	open, end := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
	if open < 0 || end < open {
		return process{}, false
	}
	pid, err := strconv.Atoi(strings.TrimSpace(text[:open]))
	fields := strings.Fields(text[end+1:])
	if err != nil || len(fields) < 20 {
		return process{}, false
	}
	// Numbered as in the manual, where the state is field 3.
	field := func(number int) uint64 {
		n, _ := strconv.ParseInt(fields[number-3], 10, 64)
		return uint64(max(n, 0))
	}
	return process{
		pid:        pid,
		group:      int(field(5)), //nolint:gosec // Numbers of processes are small.
		session:    int(field(6)), //nolint:gosec // See above.
		terminal:   int(field(7)), //nolint:gosec // See above.
		foreground: int(field(8)), //nolint:gosec // See above.
		ticks:      field(14) + field(15) + field(16) + field(17),
		start:      field(22),
	}, true
}
