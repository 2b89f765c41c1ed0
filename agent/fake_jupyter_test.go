package agent

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
)

const testToken = "0123456789abcdef0123456789abcdef"

// A fakeJupyter answers what a test makes it answer. It is a fake, because a real
// server does not lie when it is told to; the end-to-end tests have real ones.
type fakeJupyter struct {
	// answers by path. An answer that starts with a number is a status code.
	answers map[string]string

	// deaf kernels answer nothing.
	deaf bool

	// asked is called when a kernel was asked.
	asked func()
}

func (f *fakeJupyter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "token "+testToken {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	if strings.HasSuffix(r.URL.Path, "/channels") {
		f.serveKernel(w, r)
		return
	}
	if r.URL.Query().Get("no_track_activity") != "1" {
		w.WriteHeader(http.StatusTeapot) // This question would count as activity.
		return
	}
	switch answer := f.answers[strings.TrimPrefix(r.URL.Path, "/")]; answer {
	case "302":
		http.Redirect(w, r, "/login", http.StatusFound)
	case "403", "404", "500", "":
		w.WriteHeader(map[string]int{"403": http.StatusForbidden, "404": http.StatusNotFound, "500": http.StatusInternalServerError, "": http.StatusNotFound}[answer])
	default:
		_, _ = w.Write([]byte(answer))
	}
}

func (f *fakeJupyter) start(t *testing.T) *jupyter {
	t.Helper()
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	return &jupyter{base: server.URL + "/", http: newClient(), patience: 100 * time.Millisecond}
}

func (f *fakeJupyter) serveKernel(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer func() { _ = conn.CloseNow() }()
	var asked request
	ctx := r.Context()
	if wsjson.Read(ctx, conn, &asked) != nil || f.deaf {
		<-ctx.Done()
		return
	}
	if f.asked != nil {
		f.asked()
	}
	say := func(ctx context.Context, kind, state string) {
		m := message{Header: header{Type: kind}, Parent: asked.Header}
		m.Content.State = state
		_ = wsjson.Write(ctx, conn, m)
	}
	_ = conn.Write(ctx, websocket.MessageBinary, []byte("what no agent understands"))
	say(ctx, "status", "busy")
	say(ctx, "kernel_info_reply", "")
	say(ctx, "status", "idle")
	<-ctx.Done()
}
