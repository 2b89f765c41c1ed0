// Package claims asks the real Crossplane CLI what it thinks of claims: it must
// take every example, and refuse each file in bad/ for the reason that the
// file's first line has.
package claims

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/yaml"
)

// root of the repository.
const root = "../.."

// definitions of both Configurations, by what they offer.
var definitions = map[string]string{
	"Claims":     "configuration/definition.yaml",
	"Namespaced": "configuration-namespaced/definition.yaml",
}

// A result of the CLI for one notebook.
type result struct {
	Kind   string `json:"kind"`
	Name   string `json:"name"`
	Status string `json:"status"`
	Errors []struct {
		Message string `json:"message"`
	} `json:"errors"`
}

// messages of a result, one a line. The CLI also evaluates rules about values of
// the wrong type, which the API server does not: that says nothing.
func (r result) messages() string {
	var b strings.Builder
	for _, e := range r.Errors {
		if !strings.Contains(e.Message, " evaluating rule: ") {
			b.WriteString("\n  " + e.Message)
		}
	}
	return b.String()
}

func TestExamples(t *testing.T) {
	examples := notebooks(t, filepath.Join(root, "example", "*.yaml"))
	for name, definition := range definitions {
		t.Run(name, func(t *testing.T) {
			for _, r := range validate(t, definition, examples) {
				if r.Status != "valid" {
					t.Errorf("%s %s is %s:%s", r.Kind, r.Name, r.Status, r.messages())
				}
			}
		})
	}
}

// TestPolicies checks the input that the Compositions give to the function.
func TestPolicies(t *testing.T) {
	for _, configuration := range []string{"configuration", "configuration-namespaced"} {
		t.Run(configuration, func(t *testing.T) {
			results := validate(t, "package/input", []string{filepath.Join(root, configuration, "composition.yaml")})
			i := slices.IndexFunc(results, func(r result) bool { return r.Kind == "NotebookPolicy" })
			switch {
			case i < 0:
				t.Error("the Composition has no NotebookPolicy")
			case results[i].Status != "valid":
				t.Errorf("the NotebookPolicy is %s:%s", results[i].Status, results[i].messages())
			}
		})
	}
}

func TestBadClaims(t *testing.T) {
	files := notebooks(t, filepath.Join("bad", "*.yaml"))
	for name, definition := range definitions {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			results := byName(t, validate(t, definition, files))
			for _, file := range files {
				claim := strings.TrimSuffix(filepath.Base(file), ".yaml")
				want := wanted(t, file)
				got, ok := results[claim]
				switch {
				case !ok:
					t.Errorf("%s: its claim must be named %s", file, claim)
				case !strings.Contains(got.messages(), want):
					t.Errorf("%s\nwant: %s\ngot:%s", file, want, got.messages())
				}
			}
			checkEveryRule(t, definition, results)
		})
	}
}

// checkEveryRule finds rules that no bad claim breaks. Those that compare with
// what was there before are tested in tools/xrdgen.
func checkEveryRule(t *testing.T, definition string, results map[string]result) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, definition)) //nolint:gosec // One of the repository's own files.
	if err != nil {
		t.Fatal(err)
	}
	var xrd any
	if err := yaml.Unmarshal(data, &xrd); err != nil {
		t.Fatal(err)
	}
	rules := messagesOfRules(xrd)
	if len(rules) == 0 {
		t.Errorf("%s has no rules", definition)
	}
	for _, rule := range rules {
		if !slices.ContainsFunc(slices.Collect(maps.Values(results)), func(r result) bool {
			return strings.Contains(r.messages(), rule)
		}) {
			t.Errorf("no file in bad/ breaks this rule: %s", rule)
		}
	}
}

// messagesOfRules collects the messages of all rules in a schema, apart from
// those about updates.
func messagesOfRules(schema any) []string {
	var messages []string
	switch schema := schema.(type) {
	case map[string]any:
		rule, _ := schema["rule"].(string)
		message, _ := schema["message"].(string)
		if rule != "" && !strings.Contains(rule, "oldSelf") {
			messages = append(messages, message)
		}
		for _, v := range schema {
			messages = append(messages, messagesOfRules(v)...)
		}
	case []any:
		for _, v := range schema {
			messages = append(messages, messagesOfRules(v)...)
		}
	}
	return messages
}

// notebooks are the files with a JupyterNotebook that match the pattern.
func notebooks(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, file := range files {
		data, err := os.ReadFile(file) //nolint:gosec // One of the repository's own files.
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(data, []byte("\nkind: JupyterNotebook\n")) {
			found = append(found, file)
		}
	}
	if len(found) == 0 {
		t.Fatalf("%s has no JupyterNotebook", pattern)
	}
	return found
}

// wanted is the error that the first line of a bad claim has.
func wanted(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file) //nolint:gosec // One of the repository's own files.
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(data), "\n")
	want, ok := strings.CutPrefix(line, "# want: ")
	if !ok || want == "" {
		t.Fatalf("%s must start with a line `# want: part of the error`", file)
	}
	return want
}

func byName(t *testing.T, results []result) map[string]result {
	t.Helper()
	m := map[string]result{}
	for _, r := range results {
		if _, twice := m[r.Name]; twice {
			t.Errorf("two claims are named %s", r.Name)
		}
		m[r.Name] = r
	}
	return m
}

// validate files with the CLI, which fails when one of them is not valid.
func validate(t *testing.T, definition string, files []string) []result {
	t.Helper()
	cli := filepath.Join(root, ".cache", "bin", "crossplane")
	if _, err := os.Stat(cli); err != nil {
		t.Fatalf("the Crossplane CLI is not built (%v): run make tools", err)
	}
	cmd := exec.CommandContext(t.Context(), cli, "resource", "validate", filepath.Join(root, definition), strings.Join(files, ","), //nolint:gosec // The arguments are this file's.
		"--crossplane-image=", "--cache-dir="+t.TempDir(), "--output=json")
	cmd.Env = append(os.Environ(), "CROSSPLANE_CONFIG="+filepath.Join(root, "hack", "crossplane.yaml"))
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatalf("cannot run the Crossplane CLI: %v", err)
	}
	var all struct {
		Resources []result `json:"resources"`
	}
	if err := json.Unmarshal(out, &all); err != nil {
		t.Fatalf("cannot read what the Crossplane CLI prints (%v):\n%s%s", err, out, said.Bytes())
	}
	if len(all.Resources) < len(files) {
		t.Fatalf("the Crossplane CLI looked at %d objects only, in %d files", len(all.Resources), len(files))
	}
	return all.Resources
}
