// Package golden renders claims through the real Crossplane CLI, and compares
// all that comes out with files.
//
// The folder of a case has claim.yaml, want.yaml and, where the case needs them,
// observed.yaml (composed objects that exist) and required.yaml (other objects
// of the cluster). `go test ./test/golden -update` writes the want.yaml files:
// read what changed before you commit it.
package golden

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the want.yaml files instead of comparing them")

// root of the repository.
const root = "../.."

func TestGolden(t *testing.T) {
	requireTools(t)
	watchInputs(t)

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			got := tidy(t, tc.render(t, name))
			tc.validate(t, got)

			path := filepath.Join(name, "want.yaml")
			if *update {
				if err := os.WriteFile(path, got.bytes(), 0o644); err != nil { //nolint:gosec // The files are for everybody.
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(path) //nolint:gosec // The path is a case's.
			if err != nil {
				t.Fatalf("%v: run make golden, and read what it wrote", err)
			}
			if diff := cmp.Diff(lines(want), lines(got.bytes())); diff != "" {
				t.Errorf("%s\n%s: -want, +got:\n%s\nIf this is what you meant, run make golden, and read what it wrote.", tc.reason, path, diff)
			}
		})
	}
}

func lines(text []byte) []string { return strings.Split(string(text), "\n") }

// TestFolders finds a folder that no case renders: it would prove nothing.
func TestFolders(t *testing.T) {
	claims, err := fs.Glob(os.DirFS("."), "*/claim.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, claim := range claims {
		if _, ok := cases[filepath.Dir(claim)]; !ok {
			t.Errorf("%s belongs to no case: add one to cases_test.go", claim)
		}
	}
}

// requireTools fails rather than skips: a golden test that did not run says
// nothing. It builds nothing either, because several renderings would build the
// same tool at once.
func requireTools(t *testing.T) {
	t.Helper()
	tools := []string{".cache/bin/crossplane", ".cache/bin/crossplane-core"}
	if _, err := run(nil, nil, "make", append([]string{"--no-print-directory", "-C", root, "--question"}, tools...)...); err != nil {
		t.Fatalf("the Crossplane that renders is missing or out of date: run make tools (%v)", err)
	}
}

// inputs of the renderings, besides the cases.
var inputs = []string{
	"go.mod", "main.go", "fn/*.go", "api/*/*.go", "input/*/*.go",
	"hack/*", ".cache/bin/crossplane*", "example/functions.yaml", "configuration*/*.yaml",
}

// watchInputs looks at every input. `go test` notices, and does not take the
// result from its cache when one of them changed.
func watchInputs(t *testing.T) {
	t.Helper()
	for _, pattern := range inputs {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no files (%v)", pattern, err)
		}
		for _, file := range files {
			if _, err := os.Stat(file); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// render the case as `make render` does.
func (tc testCase) render(t *testing.T, name string) []byte {
	t.Helper()
	claim := filepath.Join(name, "claim.yaml")
	if _, err := os.Stat(claim); err != nil {
		t.Fatal(err)
	}
	observed := name
	if tc.observed != "" {
		observed = tc.observed
	}
	out, err := run(nil, []string{
		"CLAIM=" + claim,
		"OBSERVED=" + ifExists(filepath.Join(observed, "observed.yaml")),
		"REQUIRED=" + ifExists(filepath.Join(name, "required.yaml")),
		"VARIANT=" + tc.variant,
	}, filepath.Join(root, "hack", "render.sh"))
	if err != nil {
		t.Fatalf("cannot render %s: %v", name, err)
	}
	return out
}

func ifExists(path string) string {
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

// validate the objects as an API server would. A status field that the
// definition does not declare stops Crossplane for good.
func (tc testCase) validate(t *testing.T, got rendering) {
	t.Helper()
	configuration := "configuration"
	if tc.variant != "" {
		configuration += "-" + tc.variant
	}
	out, err := run(got.acceptable(t).bytes(), []string{"CROSSPLANE_CONFIG=" + filepath.Join(root, "hack", "crossplane.yaml")},
		filepath.Join(root, ".cache", "bin", "crossplane"), "resource", "validate", filepath.Join(root, configuration, "definition.yaml"), "-",
		"--crossplane-image=", "--cache-dir="+filepath.Join(root, ".cache", "schemas"), "--skip-success-results", "--error-on-missing-schemas")
	if err != nil {
		t.Errorf("what was rendered is not valid: %v\n%s", err, out)
	}
}

// run a command and return what it printed. What it said on standard error is
// part of the error.
func run(stdin []byte, env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...) //nolint:gosec // Only this file calls it.
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdin = bytes.NewReader(stdin)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return out, fmt.Errorf("%w: %s", err, strings.TrimSpace(said.String()))
	}
	return out, nil
}
