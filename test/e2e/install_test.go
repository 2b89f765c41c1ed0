package e2e

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// claims and namespaced are the configurations: a cluster has one of them.
const (
	claims     = "configuration-jupyter"
	namespaced = "configuration-jupyter-namespaced"
)

// testREADME runs the commands of the README's section "Install", as they are
// written there, in a namespace of their own. Only the registry is another.
func testREADME(t *testing.T) {
	n := newNamespace(t)
	script := "set -euxo pipefail\n" + strings.Join(commands(t, "Install"), "\n")
	placeholder := regexp.MustCompile(`(?m)^export REGISTRY=.*$`)
	if !placeholder.MatchString(script) {
		t.Fatal("the README does not say where to push the packages: it has no line export REGISTRY=…")
	}
	script = placeholder.ReplaceAllLiteralString(script, "export REGISTRY="+registry)
	t.Log(run(t, "", "env", "KUBECONFIG="+n.kubeconfig(), "bash", "-c", script))
	published = true
	n.ready("datascience-project-alpha")
	n.kubectl("delete", "jupyternotebook", "datascience-project-alpha", "--timeout=2m")
}

// commands returns the shell commands of a section of the README.
func commands(t *testing.T, section string) []string {
	t.Helper()
	readme, err := os.ReadFile(filepath.Join(repository, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, found := strings.Cut(string(readme), "\n## "+section+"\n")
	if !found {
		t.Fatalf("the README has no section %s", section)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	var blocks []string
	for _, m := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(text, -1) {
		blocks = append(blocks, m[1])
	}
	return blocks
}

// kubeconfig returns a kubeconfig with which commands that name no namespace are in
// this one.
func (n namespace) kubeconfig() string {
	n.Helper()
	file := filepath.Join(n.TempDir(), "kubeconfig")
	content := run(n.T, "", "kubectl", "config", "view", "--raw", "--flatten", "--minify")
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		n.Fatal(err)
	}
	run(n.T, "", "kubectl", "--kubeconfig="+file, "config", "set-context", "--current", "--namespace="+n.name)
	return file
}

// published tells whether this run has pushed its packages.
var published bool

// install installs a configuration, as the README tells to. With go test -run, the
// test that pushes the packages as the README tells to may be left out.
func install(t *testing.T, configuration string) {
	t.Helper()
	if !published {
		run(t, "", "make", "package")
		push(t, "dist", "v0.1.0")
		published = true
	}
	run(t, "", "crossplane", "xpkg", "install", "configuration", registry+"/"+configuration+":v0.1.0")
	installed(t)
}

// push pushes packages, as make package prints it.
func push(t *testing.T, dist, version string) {
	t.Helper()
	for name, files := range map[string]string{
		"function-jupyter": dist + "/function-jupyter-linux-amd64.xpkg," + dist + "/function-jupyter-linux-arm64.xpkg",
		claims:             dist + "/" + claims + ".xpkg",
		namespaced:         dist + "/" + namespaced + ".xpkg",
	} {
		run(t, "", "crossplane", "xpkg", "push", "-f", files, registry+"/"+name+":"+version)
	}
}

// installed waits until the packages work.
func installed(t *testing.T) {
	t.Helper()
	for _, wait := range [][]string{
		{"configurations.pkg.crossplane.io,functions.pkg.crossplane.io", "--all", "--for=condition=Healthy"},
		{"crd/jupyternotebooks." + v1.Group, "--for=condition=Established"},
	} {
		eventually(t, patience, func() error {
			_, err := try(t.Context(), "", append([]string{"kubectl", "wait", "--timeout=5s"}, wait...)...)
			return err
		})
	}
}

// packages returns the repositories that our packages of a kind are from, by their
// names. The cluster may have others, which are left alone.
func packages(t *testing.T, kind string) map[string]string {
	t.Helper()
	ours := map[string]string{}
	out := run(t, "", "kubectl", "get", kind+"s.pkg.crossplane.io", "-o", `jsonpath={range .items[*]}{.metadata.name} {.spec.package}{"\n"}{end}`)
	for line := range strings.Lines(out) {
		name, source, _ := strings.Cut(strings.TrimSpace(line), " ")
		repository := source[:max(strings.LastIndex(source, ":"), 0)]
		if slices.Contains([]string{"function-jupyter", claims, namespaced}, path.Base(repository)) {
			ours[name] = repository
		}
	}
	return ours
}

// uninstall removes the packages. No notebook may be left.
func uninstall(t *testing.T) {
	t.Helper()
	for _, kind := range []string{"configuration", "function"} {
		for name := range packages(t, kind) {
			run(t, "", "kubectl", "delete", kind+".pkg.crossplane.io", name, "--timeout=2m")
		}
	}
	run(t, "", "kubectl", "wait", "--for=delete", "crd/jupyternotebooks."+v1.Group, "--timeout=2m")
}
