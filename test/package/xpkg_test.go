// Package packages tests what `make package` wrote: it opens every package in
// dist/ and starts the function that is inside. Run it with -count=1, because
// go test does not notice that dist/ has changed.
package packages

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// root of the repository.
const root = "../.."

// dist is where the packages are, and cli the CLI that made them.
var (
	dist = filepath.Join(root, "dist")
	cli  = filepath.Join(root, ".cache/bin/crossplane")
)

// Names of the packages.
const (
	functionAMD64 = "function-jupyter-linux-amd64"
	functionARM64 = "function-jupyter-linux-arm64"
	claims        = "configuration-jupyter"
	namespaced    = "configuration-jupyter-namespaced"
)

// An xpkg is an opened package. Crossplane finds its layers by the annotation
// io.crossplane.xpkg, which a package file keeps in the labels of its config.
type xpkg struct {
	config *v1.ConfigFile

	// layers by annotation: "base" has the package's objects, "upbound" the
	// examples, and "" are the runtime's own.
	layers map[string][]v1.Layer
}

// open the package of a name. There is no skipping: a package that is missing
// is a failed test.
func open(t *testing.T, folder, name string) *xpkg {
	t.Helper()
	img, err := tarball.ImageFromPath(filepath.Join(folder, name+".xpkg"), nil)
	if errors.Is(err, os.ErrNotExist) {
		t.Fatalf("there is no dist/%s.xpkg: run make package", name)
	}
	if err != nil {
		t.Fatalf("cannot read %s: %v", name, err)
	}
	config, err := img.ConfigFile()
	if err != nil {
		t.Fatalf("cannot read the config of %s: %v", name, err)
	}
	layers, err := img.Layers()
	if err != nil {
		t.Fatalf("cannot read the layers of %s: %v", name, err)
	}
	p := &xpkg{config: config, layers: map[string][]v1.Layer{}}
	for _, l := range layers {
		annotation := config.Config.Labels["io.crossplane.xpkg:"+digest(t, l)]
		p.layers[annotation] = append(p.layers[annotation], l)
	}
	return p
}

// objects in the layer with the annotation, which holds one file of YAML.
func (p *xpkg) objects(t *testing.T, annotation string) []unstructured.Unstructured {
	t.Helper()
	if n := len(p.layers[annotation]); n != 1 {
		t.Fatalf("want one layer annotated %s, got %d", annotation, n)
	}
	files := files(t, p.layers[annotation][0])
	name := map[string]string{"base": "package.yaml", "upbound": ".up/examples.yaml"}[annotation]
	if len(files) != 1 || files[name] == nil {
		t.Fatalf("want only %s in the layer annotated %s, got %d files", name, annotation, len(files))
	}
	return objects(t, files[name].content)
}

// object of the kind in the package. There must be exactly one.
func (p *xpkg) object(t *testing.T, kind string) unstructured.Unstructured {
	t.Helper()
	var found []unstructured.Unstructured
	for _, o := range p.objects(t, "base") {
		if o.GetKind() == kind {
			found = append(found, o)
		}
	}
	if len(found) != 1 {
		t.Fatalf("want one %s in the package, got %d", kind, len(found))
	}
	return found[0]
}

// kinds in the package.
func (p *xpkg) kinds(t *testing.T) []string {
	t.Helper()
	var kinds []string
	for _, o := range p.objects(t, "base") {
		kinds = append(kinds, o.GetKind())
	}
	return kinds
}

// objects in a stream of YAML documents. Fields that are written twice are
// refused.
func objects(t *testing.T, stream []byte) []unstructured.Unstructured {
	t.Helper()
	var all []unstructured.Unstructured
	for doc := range bytes.SplitSeq(append([]byte("\n"), stream...), []byte("\n---\n")) {
		var o unstructured.Unstructured
		if err := yaml.UnmarshalStrict(doc, &o.Object); err != nil {
			t.Fatalf("cannot read YAML: %v\n%s", err, doc)
		}
		if len(o.Object) > 0 {
			all = append(all, o)
		}
	}
	return all
}

// A file in a layer.
type file struct {
	mode    int64
	content []byte
}

// files in the layer, by path.
func files(t *testing.T, l v1.Layer) map[string]*file {
	t.Helper()
	r, err := l.Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close() //nolint:errcheck // It was only read.

	found := map[string]*file{}
	for tr := tar.NewReader(r); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(tr)
		if err != nil {
			t.Fatal(err)
		}
		found[h.Name] = &file{mode: h.Mode, content: content}
	}
}

// digest of the layer as it is stored.
func digest(t *testing.T, l v1.Layer) string {
	t.Helper()
	d, err := l.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return d.String()
}

// read a file of the repository.
func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
