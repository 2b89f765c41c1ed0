package agent

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
	"github.com/crossplane/function-sdk-go/errors"
)

const (
	// answerTimeout of a kernel. One whose main thread is free answers at once.
	answerTimeout = 15 * time.Second

	// maxMessage of a kernel, in bytes.
	maxMessage = 1 << 20
)

// ask each kernel on its shell channel, where it answers only when it runs nothing.
// https://jupyter-client.readthedocs.io/en/stable/messaging.html
func (j *jupyter) ask(ctx context.Context, token string, kernels []string) error {
	for _, id := range kernels {
		if err := j.askKernel(ctx, token, id); err != nil {
			return errors.Wrapf(err, "kernel %s", id)
		}
	}
	return nil
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
	Content  struct{} `json:"content"`
}

type message struct {
	Header  header `json:"header"`
	Parent  header `json:"parent_header"`
	Content struct {
		State string `json:"execution_state"`
	} `json:"content"`
}

func (j *jupyter) askKernel(ctx context.Context, token, id string) error {
	ctx, cancel := context.WithTimeout(ctx, j.patience)
	defer cancel()
	session := rand.Text()
	conn, _, err := websocket.Dial(ctx, j.base+"api/kernels/"+id+"/channels?session_id="+session, &websocket.DialOptions{ //nolint:bodyclose // The library says that it need not be.
		HTTPClient: j.http,
		HTTPHeader: authorization(token),
	})
	if err != nil {
		return errors.New("cannot open its websocket")
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(maxMessage)

	asked := request{Channel: "shell", Header: header{ID: rand.Text(), Type: "kernel_info_request", Session: session, Version: "5.3"}}
	if err := wsjson.Write(ctx, conn, asked); err != nil {
		return errors.New("cannot ask it")
	}
	// It is idle again after its answer, in any order. Who does not wait for both takes
	// the later one for activity of somebody else.
	for answered, idle := false, false; !answered || !idle; {
		_, b, err := conn.Read(ctx)
		if err != nil {
			return errors.New("no answer in time")
		}
		m := message{}
		if json.Unmarshal(b, &m) != nil || m.Parent.ID != asked.Header.ID {
			continue // Something else that the kernel says, such as the output of a thread.
		}
		answered = answered || m.Header.Type == "kernel_info_reply"
		idle = idle || m.Content.State == "idle"
	}
	return nil
}
