package browser_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/function-jupyter/function-jupyter/test/e2e/browser"
)

// TestVisit visits the real server that the environment names. With the flags
// -artifacts -outputdir=DIR, go test keeps the screenshot.
func TestVisit(t *testing.T) {
	v := browser.Visit{
		URL:        os.Getenv("JUPYTER_URL"),
		Token:      os.Getenv("JUPYTER_TOKEN"),
		Frontend:   browser.Frontend(os.Getenv("JUPYTER_FRONTEND")),
		HostRules:  os.Getenv("JUPYTER_HOST_RULES"),
		Screenshot: filepath.Join(t.ArtifactDir(), "notebook.png"),
	}
	if v.URL == "" || v.Token == "" || v.Frontend == "" {
		t.Skip("not tried on a real server: set JUPYTER_URL, JUPYTER_TOKEN and JUPYTER_FRONTEND (lab or classic) to those of one")
	}
	complaints, err := v.Run(t.Context())
	if err != nil {
		t.Error(err)
	}
	for _, complaint := range complaints {
		t.Errorf("the page complains: %s", complaint)
	}
}
