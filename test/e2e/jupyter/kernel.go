package jupyter

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
)

// runTimeout of a whole Run: the start of a kernel, and the code.
const runTimeout = 2 * time.Minute

// Run starts a kernel, executes the code in it through its websocket, and
// removes the kernel. It returns what the code printed and its result.
func (s *Server) Run(ctx context.Context, code string) (output string, err error) {
	ctx, cancel := context.WithTimeout(ctx, runTimeout)
	defer cancel()
	k, err := s.StartKernel(ctx)
	if err != nil {
		return "", err
	}
	defer func() {
		// A kernel that could not answer in time must be removed, too.
		err = errors.Join(err, s.call(context.WithoutCancel(ctx), http.MethodDelete, k.path, nil, nil))
		k.Leave()
	}()
	output, err = k.request(ctx, "execute", execution(code))
	if err != nil {
		return "", fmt.Errorf("cannot run the code: %w", err)
	}
	return output, nil
}

// StartKernel starts a kernel and opens its websocket. The kernel stays when the
// caller leaves.
func (s *Server) StartKernel(ctx context.Context) (*Kernel, error) {
	ctx, cancel := context.WithTimeout(ctx, runTimeout)
	defer cancel()
	var started struct {
		ID string `json:"id"`
	}
	if err := s.call(ctx, http.MethodPost, "api/kernels", struct{}{}, &started); err != nil {
		return nil, err
	}
	k := &Kernel{path: "api/kernels/" + started.ID, session: rand.Text(), hide: s.hide}
	conn, err := s.dial(ctx, k.path+"/channels?session_id="+k.session)
	if err != nil {
		return nil, fmt.Errorf("cannot open the websocket of the kernel: %w", err)
	}
	k.conn = conn
	// The server throws the kernel's output away until it has passed on a first
	// reply.
	if _, err := k.request(ctx, "kernel_info", struct{}{}); err != nil {
		k.Leave()
		return nil, fmt.Errorf("cannot greet the kernel: %w", err)
	}
	if err := s.awaitIdle(ctx, k); err != nil {
		k.Leave()
		return nil, err
	}
	return k, nil
}

// awaitIdle waits until the server knows that a new kernel has started. A server that
// missed the kernel's first words says "starting" until the kernel has run something,
// and may miss that, too.
func (s *Server) awaitIdle(ctx context.Context, k *Kernel) error {
	for {
		var known struct {
			State string `json:"execution_state"`
		}
		if err := s.call(ctx, http.MethodGet, k.path, nil, &known); err != nil {
			return err
		}
		if known.State == "idle" {
			return nil
		}
		if _, err := k.request(ctx, "execute", execution("pass")); err != nil {
			return fmt.Errorf("a kernel stays %s: %w", known.State, err)
		}
		time.Sleep(time.Second)
	}
}

// dial opens a websocket.
func (s *Server) dial(ctx context.Context, path string) (*websocket.Conn, error) {
	conn, _, err := websocket.Dial(ctx, s.address(path), &websocket.DialOptions{ //nolint:bodyclose // The library says that it need not be.
		HTTPClient: s.client(),
		HTTPHeader: s.header(),
	})
	if err != nil {
		return nil, fmt.Errorf("cannot open a websocket: %w", err)
	}
	conn.SetReadLimit(maxBody)
	return conn, nil
}

// Begin has the kernel execute code, and does not wait for the end of it.
func (k *Kernel) Begin(ctx context.Context, code string) error {
	_, err := k.send(ctx, "execute", execution(code))
	return err
}

// Leave closes the websocket, as a browser does that is closed.
func (k *Kernel) Leave() { _ = k.conn.CloseNow() }

func execution(code string) map[string]any {
	return map[string]any{
		"code":        code,
		"silent":      false, // Kernels of 2022 do not answer a request without it.
		"allow_stdin": false,
	}
}

// Kernel is a kernel, and a connection to it. What its messages mean is in
// https://jupyter-client.readthedocs.io/en/stable/messaging.html
type Kernel struct {
	path    string
	conn    *websocket.Conn
	session string
	hide    func(string) string // The token, which code finds in its environment.
}

type header struct {
	ID      string `json:"msg_id"`
	Type    string `json:"msg_type"`
	Session string `json:"session"`
	User    string `json:"username"`
	Version string `json:"version"`
}

type request struct {
	Channel  string   `json:"channel"`
	Header   header   `json:"header"`
	Parent   struct{} `json:"parent_header"`
	Metadata struct{} `json:"metadata"`
	Content  any      `json:"content"`
}

// message of a kernel. Its content has those fields that go with its type.
type message struct {
	Header  header `json:"header"`
	Parent  header `json:"parent_header"`
	Content struct {
		// Of stream:
		Name string `json:"name"`
		Text string `json:"text"`
		// Of execute_result and display_data, by media type:
		Data map[string]any `json:"data"`
		// Of status:
		State string `json:"execution_state"`
		// Of replies:
		Status string `json:"status"`
		Error  string `json:"ename"`
		Reason string `json:"evalue"`
	} `json:"content"`
}

// request sends a request and waits for its reply. The output of a request that
// executes is complete when the kernel is idle again, which may be told before
// or after the reply.
func (k *Kernel) request(ctx context.Context, kind string, content any) (string, error) {
	id, err := k.send(ctx, kind, content)
	if err != nil {
		return "", err
	}
	var output strings.Builder
	replied, idle := false, kind != "execute"
	for !replied || !idle {
		var m message
		if err := wsjson.Read(ctx, k.conn, &m); err != nil {
			return "", fmt.Errorf("cannot wait longer for the kernel's answer to %s: %w", kind, err)
		}
		switch {
		case m.Content.State == "dead" || m.Content.State == "restarting":
			return "", fmt.Errorf("the kernel died: it is %s", m.Content.State)
		case m.Parent.ID != id:
		case m.Header.Type == kind+"_reply":
			if m.Content.Status != "ok" {
				return "", fmt.Errorf("%s: %s: %s", m.Content.Status, m.Content.Error, k.hide(m.Content.Reason))
			}
			replied = true
		case m.Content.State == "idle":
			idle = true
		default:
			output.WriteString(m.text())
		}
	}
	return output.String(), nil
}

// send a request, and return its id.
func (k *Kernel) send(ctx context.Context, kind string, content any) (id string, err error) {
	sent := request{
		Channel: "shell",
		Header:  header{ID: rand.Text(), Type: kind + "_request", Session: k.session, Version: "5.3"},
		Content: content,
	}
	if err := wsjson.Write(ctx, k.conn, sent); err != nil {
		return "", fmt.Errorf("cannot send the kernel %s: %w", sent.Header.Type, err)
	}
	return sent.Header.ID, nil
}

// text that a message shows to the user, if any.
func (m message) text() string {
	switch m.Header.Type {
	case "stream":
		if m.Content.Name == "stdout" {
			return m.Content.Text
		}
	case "execute_result", "display_data":
		if text, ok := m.Content.Data["text/plain"].(string); ok {
			return text
		}
	}
	return ""
}
