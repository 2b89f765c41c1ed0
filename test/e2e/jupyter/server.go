// Package jupyter is a small client of a Jupyter server: its REST API and the
// websocket of its kernels. It speaks to the classic Notebook 6 and to Jupyter
// Server 2 alike.
package jupyter

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	// requestTimeout of one request. All of them are answered at once, except
	// that the start of a kernel can take seconds on a busy machine.
	requestTimeout = 30 * time.Second

	// maxBody of an answer that is read, and of a message of a kernel.
	maxBody = 16 << 20
)

// Server is a Jupyter server as its user knows it.
type Server struct {
	// URL of the server's pages, as the status of the notebook says.
	URL string
	// Token that lets the user in. It is only ever sent in a header, because
	// servers log addresses.
	Token string
	// HTTP carries the requests and the websockets. Nil means the default.
	HTTP *http.Client
}

// Status returns the code with which the server answers a GET of the path. No
// token is sent if it is empty. A redirect is an answer, too: it is how a page
// sends a stranger to the login.
func (s *Server) Status(ctx context.Context, path, token string) (int, error) {
	caller := Server{URL: s.URL, Token: token, HTTP: s.HTTP}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	resp, err := caller.do(ctx, http.MethodGet, path, nil)
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	return resp.StatusCode, nil
}

// file is a file as the contents API has it. In JSON, content is base64.
type file struct {
	Type    string `json:"type"`
	Format  string `json:"format"`
	Content []byte `json:"content"`
}

// WriteFile writes a file of the workspace. Its folder must exist.
func (s *Server) WriteFile(ctx context.Context, name string, content []byte) error {
	in := file{Type: "file", Format: "base64", Content: content}
	return s.call(ctx, http.MethodPut, contentsPath(name), in, nil)
}

// ReadFile reads a file of the workspace.
func (s *Server) ReadFile(ctx context.Context, name string) ([]byte, error) {
	var out file
	err := s.call(ctx, http.MethodGet, contentsPath(name)+"?type=file&format=base64", nil, &out)
	return out.Content, err
}

func contentsPath(name string) string {
	return "api/contents/" + (&url.URL{Path: name}).EscapedPath()
}

// call sends in, unless it is nil, and reads the answer into out, unless that
// is nil. Any answer that is not a success is an error.
func (s *Server) call(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return fmt.Errorf("cannot encode the body of %s %s: %w", method, path, err)
		}
		body = bytes.NewReader(b)
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	resp, err := s.do(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()

	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxBody))
	if err != nil {
		return fmt.Errorf("cannot read the answer to %s %s: %w", method, path, err)
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return fmt.Errorf("cannot %s %s: the server answers %s: %.300s", method, path, resp.Status, s.hide(string(answer)))
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("cannot decode the answer to %s %s: %w", method, path, err)
	}
	return nil
}

// do sends one request, and does not follow where the answer may point.
func (s *Server) do(ctx context.Context, method, path string, body io.Reader) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, s.address(path), body)
	if err != nil {
		return nil, fmt.Errorf("cannot make a request: %w", err)
	}
	req.Header = s.header()
	resp, err := s.client().Do(req)
	if err != nil {
		return nil, fmt.Errorf("cannot reach the Jupyter server: %w", err)
	}
	return resp, nil
}

func (s *Server) client() *http.Client {
	client := &http.Client{}
	if s.HTTP != nil {
		*client = *s.HTTP
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return client
}

func (s *Server) header() http.Header {
	header := http.Header{}
	if s.Token != "" {
		header.Set("Authorization", "token "+s.Token)
	}
	return header
}

func (s *Server) address(path string) string {
	return strings.TrimSuffix(s.URL, "/") + "/" + strings.TrimPrefix(path, "/")
}

// hide removes the token from a text that the server wrote.
func (s *Server) hide(text string) string {
	if s.Token == "" {
		return text
	}
	return strings.ReplaceAll(text, s.Token, "<token>")
}
