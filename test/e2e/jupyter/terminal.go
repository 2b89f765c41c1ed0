package jupyter

import (
	"context"
	"fmt"
	"net/http"

	"github.com/coder/websocket/wsjson"
)

// Type opens a terminal, types a line into its shell, and leaves. The terminal and
// what it runs stay.
func (s *Server) Type(ctx context.Context, line string) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	var opened struct {
		Name string `json:"name"`
	}
	if err := s.call(ctx, http.MethodPost, "api/terminals", struct{}{}, &opened); err != nil {
		return err
	}
	conn, err := s.dial(ctx, "terminals/websocket/"+opened.Name)
	if err != nil {
		return err
	}
	defer func() { _ = conn.CloseNow() }()
	// What is typed before the shell's prompt would be shown twice, but is run once.
	var greeting []any
	if err := wsjson.Read(ctx, conn, &greeting); err != nil {
		return fmt.Errorf("cannot wait for the terminal: %w", err)
	}
	if err := wsjson.Write(ctx, conn, []string{"stdin", line + "\r"}); err != nil {
		return fmt.Errorf("cannot type into the terminal: %w", err)
	}
	// The server has passed it on when it shows something.
	for range 2 {
		var shown []any
		if err := wsjson.Read(ctx, conn, &shown); err != nil {
			return fmt.Errorf("cannot see what was typed: %w", err)
		}
	}
	return nil
}
