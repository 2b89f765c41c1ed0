package packages

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// binary is the function inside a package.
func (p *xpkg) binary(t *testing.T) *file {
	t.Helper()
	if n := len(p.layers[""]); n != 1 {
		t.Fatalf("want one layer with the runtime, got %d", n)
	}
	all := files(t, p.layers[""][0])
	f := all["function"]
	if f == nil || len(all) != 1 {
		t.Fatalf("want only the function in the runtime's layer, got %d files", len(all))
	}
	return f
}

func TestRuntime(t *testing.T) {
	cases := map[string]struct {
		reason  string
		arch    string
		machine elf.Machine
	}{
		functionAMD64: {
			reason:  "Nodes with Intel's and AMD's processors run a static x86-64 binary, and not as root.",
			arch:    "amd64",
			machine: elf.EM_X86_64,
		},
		functionARM64: {
			reason:  "Nodes with Arm's processors run a static AArch64 binary, and not as root.",
			arch:    "arm64",
			machine: elf.EM_AARCH64,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Log(tc.reason)
			p := open(t, dist, name)
			if p.config.OS != "linux" || p.config.Architecture != tc.arch {
				t.Errorf("want platform linux/%s, got %s/%s", tc.arch, p.config.OS, p.config.Architecture)
			}
			want := v1.Config{
				Entrypoint:   []string{"/function"},
				User:         "65532:65532",
				WorkingDir:   "/",
				ExposedPorts: map[string]struct{}{"9443/tcp": {}},
			}
			got := p.config.Config
			got.Labels = nil
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want config, +got config:\n%s", diff)
			}
			checkBinary(t, p.binary(t), tc.machine)
		})
	}
}

// checkBinary checks that the function would start in an empty image.
func checkBinary(t *testing.T, f *file, machine elf.Machine) {
	t.Helper()
	if f.mode != 0o755 {
		t.Errorf("Crossplane runs functions as user 2000: want mode 0755, got %#o", f.mode)
	}
	e, err := elf.NewFile(bytes.NewReader(f.content))
	if err != nil {
		t.Fatal(err)
	}
	if e.Machine != machine || e.Type != elf.ET_EXEC {
		t.Errorf("want an executable for %s, got %s for %s", machine, e.Type, e.Machine)
	}
	for _, prog := range e.Progs {
		if prog.Type == elf.PT_INTERP || prog.Type == elf.PT_DYNAMIC {
			t.Errorf("want a static binary, got one with %s", prog.Type)
		}
	}
	if e.Section(".symtab") != nil || e.Section(".debug_info") != nil {
		t.Error("want a stripped binary, got one with symbols")
	}
}

// TestReproducible builds all packages again, elsewhere, and compares. It fails
// as well when sources changed after make package.
func TestReproducible(t *testing.T) {
	again := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "hack/package.sh")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "DIST="+again)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("hack/package.sh: %v\n%s", err, out)
	}
	for _, name := range []string{functionAMD64, functionARM64, claims, namespaced} {
		want, got := digests(t, open(t, dist, name)), digests(t, open(t, again, name))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: want the same layers from the same sources (or did they change? run make package), -first build, +second build:\n%s", name, diff)
		}
	}
}

// digests of the layers, by annotation.
func digests(t *testing.T, p *xpkg) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for annotation, layers := range p.layers {
		for _, l := range layers {
			all[annotation] = append(all[annotation], digest(t, l))
		}
	}
	return all
}

// TestDockerfile checks that the Dockerfile makes the image that is embedded in
// the packages.
func TestDockerfile(t *testing.T) {
	dockerfile := strings.ReplaceAll(string(read(t, "Dockerfile")), "\\\n", " ")
	final := dockerfile[strings.LastIndex(dockerfile, "\nFROM "):]
	config := open(t, dist, functionAMD64).config.Config

	var ports []string
	for port := range config.ExposedPorts {
		ports = append(ports, strings.TrimSuffix(port, "/tcp"))
	}
	want := map[string]string{
		"ENTRYPOINT": `["` + strings.Join(config.Entrypoint, `", "`) + `"]`,
		"USER":       config.User,
		"WORKDIR":    config.WorkingDir,
		"EXPOSE":     strings.Join(ports, " "),
		"COPY":       "--from=build /function /function",
	}
	got := map[string]string{}
	for instruction := range want {
		for _, m := range regexp.MustCompile(`(?m)^`+instruction+` (.*)$`).FindAllStringSubmatch(final, -1) {
			got[instruction] += m[1]
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-image, +last stage of the Dockerfile:\n%s", diff)
	}

	labels := map[string]string{}
	for _, m := range regexp.MustCompile(`(org\.opencontainers\.\S+)="([^"]*)"`).FindAllStringSubmatch(final, -1) {
		labels[m[1]] = m[2]
	}
	for label, value := range config.Labels {
		// Only who builds knows these, and passes them to docker build --label.
		if label == "org.opencontainers.image.version" || label == "org.opencontainers.image.revision" {
			continue
		}
		if strings.HasPrefix(label, "org.opencontainers.") && labels[label] != value {
			t.Errorf("LABEL %s: the image has %q, the Dockerfile %q", label, value, labels[label])
		}
	}

	build := regexp.MustCompile(`go build (-trimpath .*) -o`)
	inDockerfile, inScript := build.FindStringSubmatch(dockerfile), build.FindStringSubmatch(string(read(t, "hack/package.sh")))
	if len(inDockerfile) == 0 || len(inScript) == 0 || inDockerfile[1] != inScript[1] {
		t.Errorf("want the same go build in the Dockerfile and in hack/package.sh, got %q and %q", inDockerfile, inScript)
	}
}
