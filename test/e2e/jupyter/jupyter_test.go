package jupyter_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/function-jupyter/function-jupyter/test/e2e/jupyter"
)

// server is the real one that the environment names.
func server(t *testing.T) *jupyter.Server {
	t.Helper()
	s := &jupyter.Server{URL: os.Getenv("JUPYTER_URL"), Token: os.Getenv("JUPYTER_TOKEN")}
	if s.URL == "" || s.Token == "" {
		t.Skip("not tried on a real server: set JUPYTER_URL and JUPYTER_TOKEN to those of one")
	}
	return s
}

func TestStatus(t *testing.T) {
	s := server(t)
	cases := map[string]struct {
		reason string
		path   string
		token  string
		want   int
	}{
		"Health":     {reason: "The probes have no token.", path: "api", want: http.StatusOK},
		"NoToken":    {reason: "A stranger stays outside.", path: "api/status", want: http.StatusForbidden},
		"WrongToken": {reason: "Only the right token counts.", path: "api/status", token: "wrong", want: http.StatusForbidden},
		"Token":      {reason: "The user comes in.", path: "api/status", token: s.Token, want: http.StatusOK},
		"Redirect":   {reason: "Where the page is now would be another question.", path: "", want: http.StatusFound},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := s.Status(t.Context(), tc.path, tc.token)
			if err != nil {
				t.Fatal(err)
			}
			if got != tc.want {
				t.Errorf("\n%s\nStatus(%q): got %d, want %d", tc.reason, tc.path, got, tc.want)
			}
		})
	}
}

func TestRun(t *testing.T) {
	s := server(t)
	cases := map[string]struct {
		reason  string
		code    string
		want    string
		wantErr string
	}{
		"Result": {reason: "The last value is shown.", code: "6*7", want: "42"},
		"Both":   {reason: "So is what was printed before it.", code: "print('six')\n6*7", want: "six\n42"},
		"Large":  {reason: "A message can be longer than most.", code: "print('x' * 100_000)", want: strings.Repeat("x", 100_000) + "\n"},
		"Raises": {reason: "The exception is the error.", code: "1/0", wantErr: "ZeroDivisionError: division by zero"},
		"Dies":   {reason: "Nobody waits for a dead kernel.", code: "import os; os._exit(1)", wantErr: "the kernel died"},
		"Tells": {
			reason:  "The kernel knows the token, the error must not.",
			code:    "import os; raise Exception('it is ' + os.environ['JUPYTER_TOKEN'])",
			wantErr: "Exception: it is <token>",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := s.Run(t.Context(), tc.code)
			if got != tc.want {
				t.Errorf("\n%s\nRun(…): got %q, want %q", tc.reason, got, tc.want)
			}
			if tc.wantErr == "" && err != nil || tc.wantErr != "" && (err == nil || !strings.Contains(err.Error(), tc.wantErr)) {
				t.Errorf("\n%s\nRun(…): got error %v, want %q", tc.reason, err, tc.wantErr)
			}
		})
	}
}

// TestTransport reaches the server by an address that its URL does not name, as
// through a forwarded port.
func TestTransport(t *testing.T) {
	s := server(t)
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	address := u.Host
	u.Host = "localhost:1" // Nobody is there.
	s.URL = u.String()
	s.HTTP = &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, address)
		},
	}}
	if got, err := s.Run(t.Context(), "6*7"); err != nil || got != "42" {
		t.Errorf("Run(…): got %q, %v, want 42", got, err)
	}
}

func TestFiles(t *testing.T) {
	s := server(t)
	const name, want = "e2e ü?.txt", "six by nine\n"
	if err := s.WriteFile(t.Context(), name, []byte(want)); err != nil {
		t.Fatal(err)
	}
	got, err := s.ReadFile(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("ReadFile(%q): got %q, want %q", name, got, want)
	}
	if seen, err := s.Run(t.Context(), "import os; print(open('"+name+"').read(), end=''); os.remove('"+name+"')"); err != nil || seen != want {
		t.Errorf("Run(…): a kernel reads the file as %q, %v, want %q", seen, err, want)
	}
	if _, err := s.ReadFile(t.Context(), name); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("ReadFile(%q): got %v, want 404 for a file that is gone", name, err)
	}
}

// TestErrorsHideTheToken asks a server that repeats all that it is told, and one
// that is not there.
func TestErrorsHideTheToken(t *testing.T) {
	const token = "0123456789abcdef"
	parrot := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "who is "+r.Header.Get("Authorization")+"?", http.StatusForbidden)
	}))
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	defer parrot.Close()

	for _, address := range []string{parrot.URL, gone.URL, "not a URL"} {
		s := &jupyter.Server{URL: address, Token: token}
		_, runErr := s.Run(t.Context(), "6*7")
		_, readErr := s.ReadFile(t.Context(), "file")
		for _, err := range []error{runErr, readErr, s.WriteFile(t.Context(), "file", nil)} {
			if err == nil {
				t.Errorf("%s: got no error", address)
			} else if strings.Contains(err.Error(), token) {
				t.Errorf("%s: an error holds the token", address)
			}
		}
	}
}
