package e2e

import (
	"strings"
	"testing"
)

// testKernel runs code in a kernel, through its websocket.
func testKernel(image string) func(*testing.T) {
	return func(t *testing.T) {
		n := newNamespace(t)
		n.create("kernel", "  image: "+image)
		out, err := n.server("kernel").Run(t.Context(), "6*7")
		if err != nil {
			t.Fatal(err)
		}
		if strings.TrimSpace(out) != "42" {
			t.Errorf("6*7 is %q, want 42", out)
		}
	}
}
