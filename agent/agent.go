package agent

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"runtime/debug"
	"time"

	"github.com/crossplane/function-sdk-go/errors"
)

// memoryLimit in bytes for the agent's heap. Its container has 16 MiB, of which the
// program needs some for itself.
const memoryLimit = 10 << 20

// Config says where an agent finds what it needs.
type Config struct {
	// Server is the base URL of the Jupyter server.
	Server string

	// Settings is the folder with the files token and idleTimeoutSeconds.
	Settings string

	// State is a folder that outlives a restart of the container.
	State string

	// TerminationLog is the file for the report.
	TerminationLog string
}

// Run watches until there is something to report, and reports it. When it is told to
// end before, it says nothing.
func Run(ctx context.Context, c Config, log *slog.Logger) error {
	debug.SetMemoryLimit(memoryLimit)
	debug.SetGCPercent(25)
	w := &watch{
		settings:  settings{folder: c.Settings},
		jupyter:   &jupyter{base: c.Server, http: newClient(), patience: answerTimeout},
		processes: &processes{root: "/proc", self: os.Getpid()},
		memory:    memory{file: c.State + "/report.json"},
		clock:     clock{now: time.Now, sleep: sleep},
		log:       log,
	}
	report, done := w.run(ctx)
	if !done {
		return nil
	}
	err := os.WriteFile(c.TerminationLog, []byte(report.Encode()), 0o644) //nolint:gosec // The kubelet reads it.
	return errors.Wrap(err, "cannot write the report")
}

// clock is the time, and a way to let it pass. Sleep returns false when the agent is
// told to end.
type clock struct {
	now   func() time.Time
	sleep func(ctx context.Context, d time.Duration) bool
}

func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// newClient asks the server itself: no proxy, and no page that it points to.
func newClient() *http.Client {
	return &http.Client{
		Transport:     &http.Transport{MaxIdleConns: 1, ReadBufferSize: 4 << 10, WriteBufferSize: 4 << 10},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
