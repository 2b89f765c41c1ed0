package agent

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// settings are files that may change at any time: Kubernetes writes them anew when
// the Secret behind them changes.
type settings struct{ folder string }

// timeout after which a notebook is idle. 0 is never.
func (s settings) timeout() time.Duration {
	seconds, err := strconv.ParseInt(s.read("idleTimeoutSeconds"), 10, 32)
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

// token that opens the server.
func (s settings) token() string { return s.read("token") }

func (s settings) read(name string) string {
	b, err := os.ReadFile(filepath.Join(s.folder, name)) //nolint:gosec // Both names are the agent's own.
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
