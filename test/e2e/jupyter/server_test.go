package jupyter_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/function-jupyter/function-jupyter/test/e2e/jupyter"
)

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
