package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// These agree with the Dockerfile, and a test compares them.
const (
	entrypoint = "/function"
	user       = "65532:65532"
	port       = "9443/tcp"
)

// epoch is the time of everything in the image, so that the same binary always
// makes the same image.
var epoch = time.Unix(0, 0).UTC()

// Image returns a container image that holds nothing but the binary. The same
// input gives the same image, byte for byte.
//
//nolint:ireturn // go-containerregistry has no other type for images.
func Image(binary, version, revision string) (v1.Image, error) {
	arch, err := architecture(binary)
	if err != nil {
		return nil, fmt.Errorf("cannot use %s: %w", binary, err)
	}
	l, err := layer(binary)
	if err != nil {
		return nil, fmt.Errorf("cannot make a layer of %s: %w", binary, err)
	}
	img, err := mutate.ConfigFile(empty.Image, config(arch, version, revision))
	if err != nil {
		return nil, fmt.Errorf("cannot set the image's configuration: %w", err)
	}
	img, err = mutate.Append(img, mutate.Addendum{Layer: l, History: v1.History{
		Created:   v1.Time{Time: epoch},
		CreatedBy: "COPY function /function",
	}})
	if err != nil {
		return nil, fmt.Errorf("cannot append the layer: %w", err)
	}
	return img, nil
}

// config of an image for the architecture.
func config(arch, version, revision string) *v1.ConfigFile {
	labels := map[string]string{
		"org.opencontainers.image.title":       "function-jupyter",
		"org.opencontainers.image.description": "A Crossplane composition function that computes Jupyter notebooks.",
		"org.opencontainers.image.source":      "https://github.com/function-jupyter/function-jupyter",
		"org.opencontainers.image.licenses":    "Apache-2.0",
	}
	if version != "" {
		labels["org.opencontainers.image.version"] = version
	}
	if revision != "" {
		labels["org.opencontainers.image.revision"] = revision
	}
	return &v1.ConfigFile{
		OS:           "linux",
		Architecture: arch,
		Created:      v1.Time{Time: epoch},
		RootFS:       v1.RootFS{Type: "layers"},
		Config: v1.Config{
			Entrypoint:   []string{entrypoint},
			User:         user,
			WorkingDir:   "/",
			ExposedPorts: map[string]struct{}{port: {}},
			Labels:       labels,
		},
	}
}

// layer with the binary.
//
//nolint:ireturn // go-containerregistry has no other type for layers.
func layer(binary string) (v1.Layer, error) {
	data, err := os.ReadFile(binary) //nolint:gosec // Reading what it is told to is its task.
	if err != nil {
		return nil, fmt.Errorf("cannot read it: %w", err)
	}
	archived, err := archive(data)
	if err != nil {
		return nil, fmt.Errorf("cannot archive it: %w", err)
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(archived)), nil }
	l, err := tarball.LayerFromOpener(open, tarball.WithCompressionLevel(gzip.DefaultCompression))
	if err != nil {
		return nil, fmt.Errorf("cannot compress it: %w", err)
	}
	return l, nil
}

// archive with the data at the entrypoint's path. Root owns it and everybody
// may run it, because Crossplane runs functions as a user of its own choice.
func archive(data []byte) ([]byte, error) {
	var buf bytes.Buffer
	tw := tar.NewWriter(&buf)
	err := tw.WriteHeader(&tar.Header{
		Typeflag: tar.TypeReg,
		Name:     entrypoint[1:],
		Mode:     0o755,
		Size:     int64(len(data)),
		ModTime:  epoch,
		Format:   tar.FormatUSTAR,
	})
	if err == nil {
		_, err = tw.Write(data)
	}
	// Closing writes the padding and the end of the archive.
	err = errors.Join(err, tw.Close())
	return buf.Bytes(), err
}

// architecture that the binary was built for, in OCI's words. A binary that
// would not start in an image without a libc is refused.
func architecture(binary string) (string, error) {
	f, err := elf.Open(binary)
	if err != nil {
		return "", fmt.Errorf("it is not a Linux binary: %w", err)
	}
	defer f.Close() //nolint:errcheck // Nothing was written.

	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			return "", errors.New("it is dynamically linked: build it with CGO_ENABLED=0")
		}
	}
	switch f.Machine {
	case elf.EM_X86_64:
		return "amd64", nil
	case elf.EM_AARCH64:
		return "arm64", nil
	default:
		return "", fmt.Errorf("there is no image for machine %s", f.Machine)
	}
}
