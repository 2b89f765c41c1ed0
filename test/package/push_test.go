package packages

import (
	"io"
	"log"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// push the packages to a registry in this process with the real CLI, as
// hack/package.sh says to, and return the tag.
func push(t *testing.T, repository string, packages ...string) name.Tag {
	t.Helper()
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	tag, err := name.NewTag(strings.TrimPrefix(server.URL, "http://") + "/function-jupyter/" + repository + ":v0.1.0")
	if err != nil {
		t.Fatal(err)
	}
	paths := make([]string, len(packages))
	for i, p := range packages {
		paths[i] = filepath.Join(dist, p+".xpkg")
	}
	cmd := exec.CommandContext(t.Context(), cli, "xpkg", "push", "--package-files="+strings.Join(paths, ","), tag.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("crossplane xpkg push: %v\n%s", err, out)
	}
	return tag
}

// annotations of an image's layers. Crossplane reads the package from the layer
// annotated base.
func annotations(t *testing.T, img v1.Image) []string {
	t.Helper()
	m, err := img.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	all := make([]string, len(m.Layers))
	for i, l := range m.Layers {
		all[i] = l.Annotations["io.crossplane.xpkg"]
	}
	return all
}

func TestPushFunction(t *testing.T) {
	idx, err := remote.Index(push(t, "function-jupyter", functionAMD64, functionARM64))
	if err != nil {
		t.Fatalf("want one index of both architectures: %v", err)
	}
	m, err := idx.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, d := range m.Manifests {
		img, err := idx.Image(d.Digest)
		if err != nil {
			t.Fatal(err)
		}
		got[d.Platform.String()] = annotations(t, img)
	}
	want := map[string][]string{
		"linux/amd64": {"", "base", "upbound"},
		"linux/arm64": {"", "base", "upbound"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want layers, +got layers, by platform:\n%s", diff)
	}
}

func TestPushConfiguration(t *testing.T) {
	for _, pkg := range []string{claims, namespaced} {
		t.Run(pkg, func(t *testing.T) {
			img, err := remote.Image(push(t, pkg, pkg))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{"base", "upbound"}, annotations(t, img)); diff != "" {
				t.Errorf("-want layers, +got layers:\n%s", diff)
			}
		})
	}
}
