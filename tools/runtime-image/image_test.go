package main

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// executable returns the smallest ELF executable of a machine, with program
// headers of the given types.
func executable(t *testing.T, machine elf.Machine, progs ...elf.ProgType) []byte {
	t.Helper()
	const header, prog = 64, 56
	parts := []any{elf.Header64{
		Ident:     [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
		Type:      uint16(elf.ET_EXEC),
		Machine:   uint16(machine),
		Version:   uint32(elf.EV_CURRENT),
		Phoff:     header,
		Ehsize:    header,
		Phentsize: prog,
		Phnum:     uint16(len(progs)),
	}}
	for _, p := range progs {
		parts = append(parts, elf.Prog64{Type: uint32(p)})
	}
	var buf bytes.Buffer
	for _, p := range parts {
		if err := binary.Write(&buf, binary.LittleEndian, p); err != nil {
			t.Fatal(err)
		}
	}
	return buf.Bytes()
}

// write the content to a new file and return its path.
func write(t *testing.T, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "binary")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestArchitecture(t *testing.T) {
	type want struct {
		arch string
		err  string
	}
	cases := map[string]struct {
		reason  string
		content []byte
		want    want
	}{
		"AMD64": {
			reason:  "A static x86-64 binary goes into an amd64 image.",
			content: executable(t, elf.EM_X86_64, elf.PT_LOAD),
			want:    want{arch: "amd64"},
		},
		"ARM64": {
			reason:  "A static AArch64 binary goes into an arm64 image.",
			content: executable(t, elf.EM_AARCH64, elf.PT_LOAD),
			want:    want{arch: "arm64"},
		},
		"Dynamic": {
			reason:  "A binary that needs a loader would not start in an image that has none.",
			content: executable(t, elf.EM_X86_64, elf.PT_LOAD, elf.PT_INTERP),
			want:    want{err: "it is dynamically linked: build it with CGO_ENABLED=0"},
		},
		"OtherMachine": {
			reason:  "An architecture that we do not offer is refused, not mislabelled.",
			content: executable(t, elf.EM_S390, elf.PT_LOAD),
			want:    want{err: "there is no image for machine EM_S390"},
		},
		"NotELF": {
			reason:  "Anything else is refused, for example a binary for macOS.",
			content: []byte("#!/bin/sh\necho this is no binary\n"),
			want:    want{err: "it is not a Linux binary: bad magic number '[35 33 47 98]' in record at byte 0x0"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			arch, err := architecture(write(t, tc.content))
			got := want{arch: arch}
			if err != nil {
				got.err = err.Error()
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("\n%s\narchitecture(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestImageConfig(t *testing.T) {
	img, err := Image(write(t, executable(t, elf.EM_AARCH64)), "v1.2.3", "abc")
	if err != nil {
		t.Fatal(err)
	}
	got, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	want := v1.Config{
		Entrypoint:   []string{"/function"},
		User:         "65532:65532",
		WorkingDir:   "/",
		ExposedPorts: map[string]struct{}{"9443/tcp": {}},
		Labels: map[string]string{
			"org.opencontainers.image.title":       "function-jupyter",
			"org.opencontainers.image.description": "A Crossplane composition function that computes Jupyter notebooks.",
			"org.opencontainers.image.source":      "https://github.com/function-jupyter/function-jupyter",
			"org.opencontainers.image.licenses":    "Apache-2.0",
			"org.opencontainers.image.version":     "v1.2.3",
			"org.opencontainers.image.revision":    "abc",
		},
	}
	if diff := cmp.Diff(want, got.Config); diff != "" {
		t.Errorf("Image(...): -want config, +got config:\n%s", diff)
	}
	if platform := got.OS + "/" + got.Architecture; platform != "linux/arm64" {
		t.Errorf("Image(...): want platform linux/arm64, got %s", platform)
	}
}

// TestLayerComplete checks that the layer is a whole archive: tar readers warn of
// one that lacks its padding or its end.
func TestLayerComplete(t *testing.T) {
	const block = 512
	content := append(executable(t, elf.EM_X86_64, elf.PT_LOAD), "not a whole number of blocks"...)
	img, err := Image(write(t, content), "v1.2.3", "abc")
	if err != nil {
		t.Fatal(err)
	}
	layers, err := img.Layers()
	if err != nil {
		t.Fatal(err)
	}
	if len(layers) != 1 {
		t.Fatalf("Image(...): want one layer, got %d", len(layers))
	}
	r, err := layers[0].Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close() //nolint:errcheck // It was only read.
	got, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}

	// The header is one block. The binary follows, padded to whole blocks, and
	// two empty blocks are the end.
	want := slices.Concat(content, make([]byte, block-len(content)%block), make([]byte, 2*block))
	if !bytes.Equal(want, got[min(block, len(got)):]) {
		t.Errorf("Image(...): want a layer of %d bytes that ends in padding and two empty blocks, got %d bytes", block+len(want), len(got))
	}
}

func TestReproducible(t *testing.T) {
	content := executable(t, elf.EM_X86_64, elf.PT_LOAD)
	first, second := write(t, content), write(t, content)
	if err := os.Chtimes(second, time.Time{}, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}

	var got [][]byte
	for _, binary := range []string{first, second} {
		output := filepath.Join(t.TempDir(), "runtime.tar")
		if err := run(binary, output, "v1.2.3", "abc"); err != nil {
			t.Fatal(err)
		}
		if _, err := tarball.ImageFromPath(output, nil); err != nil {
			t.Errorf("run(...): the CLI could not read the tarball: %v", err)
		}
		data, err := os.ReadFile(output)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, data)
	}
	if !bytes.Equal(got[0], got[1]) {
		t.Error("run(...): the same binary at another place and time made another tarball")
	}
}
