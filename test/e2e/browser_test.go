package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/function-jupyter/function-jupyter/test/e2e/browser"
)

// testBrowser opens the URL of a notebook in Chromium, and works there as a person
// does. The picture of it is kept.
func testBrowser(image string, frontend browser.Frontend) func(*testing.T) {
	return func(t *testing.T) {
		n := newNamespace(t)
		n.create("page", "  image: "+image+"\n  volumeSize: 1Gi")
		nb := n.ready("page")
		complaints, err := browser.Visit{
			URL:        nb.Status.URL,
			Token:      n.token("page"),
			Frontend:   frontend,
			HostRules:  fmt.Sprintf("MAP %s %s", strings.TrimPrefix(nb.Status.URL, "http://"), n.forward("page")),
			Screenshot: filepath.Join(artifacts, string(frontend)+".png"),
		}.Run(t.Context())
		for _, complaint := range complaints {
			t.Errorf("the page complains: %s", complaint)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
