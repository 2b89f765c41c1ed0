// Package render tests what hack/render.sh makes of the files that it is given.
// What it renders is the golden tests' business.
package render

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	root   = "../.."
	script = root + "/hack/render.sh"
)

const claim = `apiVersion: mlops.function-jupyter.dev/v1
kind: JupyterNotebook
metadata:
  name: alpha
  namespace: team-a
spec:
  image: jupyter/scipy-notebook:latest
`

// instead returns the claim with another text in one place.
func instead(text, other string) string { return strings.Replace(claim, text, other, 1) }

// service is what kubectl prints of a notebook's Service.
const service = `apiVersion: v1
items:
- apiVersion: v1
  kind: Service
  metadata:
    annotations:
      crossplane.io/composition-resource-name: service
    name: alpha
    namespace: team-a
    ownerReferences:
    - apiVersion: mlops.function-jupyter.dev/v1
      controller: true
      kind: XJupyterNotebook
      name: alpha-xr000
      uid: 0b1d0a3e-6f0c-4b0e-9c55-0d5a9b6f7c10
  spec:
    clusterIP: 10.0.0.7
kind: List
metadata:
  resourceVersion: ""
`

func TestRender(t *testing.T) {
	requireTools(t)

	windows := func(text string) string { return "\ufeff" + strings.ReplaceAll(text, "\n", "\r\n") }

	cases := map[string]struct {
		reason   string
		claim    string
		observed string

		// rendered is part of what is rendered.
		rendered string

		// says is part of what is said about it. Without it, nothing must be.
		says string
	}{
		"FromWindows": {
			reason:   "Neither line ends of Windows nor a byte order mark hide the claim, or what exists.",
			claim:    windows(claim),
			observed: windows(service),
			rendered: "uid: 0b1d0a3e-6f0c-4b0e-9c55-0d5a9b6f7c10",
		},
		"Nulls": {
			reason:   "The API server drops nulls, but for those in lists, and so accepts the claim.",
			claim:    claim + "  volumeSize: null\n  auth: ~\n  volume: {storageClassName: null}\n",
			rendered: "name: alpha",
		},
		"NullInList": {
			reason:   "What the API server would refuse is said, and rendered all the same.",
			claim:    claim + "  args: [null]\n",
			rendered: "name: alpha",
			says:     "the API server would refuse this claim: spec.args[0]: Invalid value",
		},
		"TextThatLooksLikeANumber": {
			reason:   "A name may be of digits only, as long as it is text.",
			claim:    instead("alpha", `"123"`),
			rendered: `name: "123"`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			out, said, err := render(t, tc.claim, tc.observed)
			if err != nil || !strings.Contains(out, tc.rendered) {
				t.Errorf("%s\nerror: %v, want it rendered with %q, got:\n%s", tc.reason, err, tc.rendered, out)
			}
			if !strings.Contains(said, tc.says) || (tc.says == "") != !strings.Contains(said, "render: ") {
				t.Errorf("%s\nwant it to say %q, got:\n%s", tc.reason, tc.says, said)
			}
		})
	}
}

// TestRefused looks at files that could only be rendered as if they were not
// there, or not at all: one sentence must say which file, and what to write.
func TestRefused(t *testing.T) {
	requireTools(t)

	const spec = "spec:\n  image: jupyter/scipy-notebook:latest\n"
	cases := map[string]struct {
		claim    string
		observed string
		says     string
	}{
		"ObservedJSON":       {observed: "{\n  \"kind\": \"List\"\n}\n", says: "/observed is JSON: write it with kubectl get -o yaml."},
		"ObservedEmptyList":  {observed: "apiVersion: v1\nitems: []\nkind: List\n", says: "/observed does not hold objects with apiVersion and kind: write it with kubectl get -o yaml."},
		"ObservedIndented":   {observed: "kind: List\nitems:\n  - apiVersion: v1\n    kind: Secret\n", says: "/observed does not hold objects"},
		"ObservedNoKind":     {observed: service + "---\napiVersion: v1\n", says: "/observed does not hold objects"},
		"ObservedNothing":    {observed: "# Nothing.\n", says: "/observed does not hold objects"},
		"ClaimJSON":          {claim: "{}", says: "/claim is JSON: write one notebook in YAML."},
		"ClaimList":          {claim: service, says: "/claim is a List: write one notebook in YAML."},
		"ClaimUTF16":         {claim: "\xff\xfea\x00", says: "/claim is not UTF-8 text: write one notebook in YAML."},
		"ClaimTwice":         {claim: claim + "---\n" + claim, says: "/claim holds several objects: write one notebook in YAML."},
		"NoSpec":             {claim: instead(spec, ""), says: "/claim has no spec: write at least spec.image."},
		"NullSpec":           {claim: instead(spec, "spec:\n"), says: "/claim has no spec: write at least spec.image."},
		"TextSpec":           {claim: instead(spec, "spec: image\n"), says: "/claim has no spec: write at least spec.image."},
		"NoName":             {claim: instead("  name: alpha\n", ""), says: "/claim needs a metadata.name that is text"},
		"NumberName":         {claim: instead("alpha", "123"), says: "/claim needs a metadata.name that is text"},
		"UpperCaseName":      {claim: instead("alpha", "Alpha"), says: "/claim needs a metadata.name that is text"},
		"LongName":           {claim: instead("alpha", strings.Repeat("a", 64)), says: "/claim needs a metadata.name that is text"},
		"NumberNamespace":    {claim: instead("team-a", "1"), says: "/claim needs a metadata.namespace that is text"},
		"NamespaceWithDots":  {claim: instead("team-a", "team.a"), says: "/claim needs a metadata.namespace that is text"},
		"NamespaceIsMapping": {claim: instead("team-a", "{team: a}"), says: "/claim needs a metadata.namespace that is text"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			if tc.claim == "" {
				tc.claim = claim
			}
			out, said, err := render(t, tc.claim, tc.observed)
			if err == nil || out != "" {
				t.Errorf("want nothing rendered, got error %v and:\n%s", err, out)
			}
			if !strings.Contains(said, tc.says) || strings.Count(said, "\n") != 1 {
				t.Errorf("want one line that says %q, got:\n%s", tc.says, said)
			}
		})
	}
}

// TestCheckEnds puts a check that hangs in the place of the real one, with less
// time, so that the test need not wait as long as a user would.
func TestCheckEnds(t *testing.T) {
	requireTools(t)
	timeout, err := exec.LookPath("timeout")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	write(t, folder, "timeout", "#!/bin/sh\necho \"$@\" >\"${0%/*}/asked\"\nexec "+timeout+" 0.1 sleep 60\n")
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))

	started := time.Now()
	if _, said, err := render(t, claim, ""); err != nil {
		t.Errorf("cannot render: %v\n%s", err, said)
	}
	if took := time.Since(started); took > 20*time.Second {
		t.Errorf("rendering waited for its check: it took %v", took)
	}
	asked, err := os.ReadFile(filepath.Join(folder, "asked")) //nolint:gosec // The folder is the test's.
	if err != nil {
		t.Fatalf("the check has no timeout: %v", err)
	}
	if !strings.HasPrefix(string(asked), "-k 1 20 ") || !strings.Contains(string(asked), "resource validate") {
		t.Errorf("want a timeout of 20 seconds for the check, got: timeout %s", asked)
	}
}

// requireTools fails rather than skips: a test that did not run says nothing.
func requireTools(t *testing.T) {
	t.Helper()
	// That go test sees the script, and does not take the result for another
	// from its cache.
	if _, err := os.Stat(script); err != nil {
		t.Fatal(err)
	}
	if err := exec.Command("make", "--no-print-directory", "-C", root, "--question",
		".cache/bin/crossplane", ".cache/bin/crossplane-core").Run(); err != nil {
		t.Fatalf("the Crossplane that renders is missing or out of date: run `make tools` (%v)", err)
	}
}

// render the claim, and return what was rendered and what was said.
func render(t *testing.T, claim, observed string) (string, string, error) {
	t.Helper()
	folder := t.TempDir()
	cmd := exec.Command(script)
	cmd.Env = append(os.Environ(), "VARIANT=", "REQUIRED=", "OBSERVED=", "CLAIM="+write(t, folder, "claim", claim))
	if observed != "" {
		cmd.Env = append(cmd.Env, "OBSERVED="+write(t, folder, "observed", observed))
	}
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	return out.String(), said.String(), err
}

func write(t *testing.T, folder, name, text string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil { //nolint:gosec // One of the files is run.
		t.Fatal(err)
	}
	return path
}
