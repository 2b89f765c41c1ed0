// Command xrdgen turns the CustomResourceDefinition that controller-gen writes
// for api/v1 into what this project ships of it: the CompositeResourceDefinition
// of each Configuration, and the field reference.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

func main() {
	crd := flag.String("crd", "", "the CustomResourceDefinition of the JupyterNotebook")
	types := flag.String("types", "", "the folder of the Go types that it was made of")
	out := flag.String("out", "", "the folder to write into: the root of the project, or a copy to compare with it")
	flag.Parse()

	if err := run(*crd, *types, *out); err != nil {
		fmt.Fprintln(os.Stderr, "xrdgen:", err)
		os.Exit(1)
	}
}

// run reads a CustomResourceDefinition and writes every file made of it.
func run(path, types, out string) error {
	crd, err := readCRD(path)
	if err != nil {
		return err
	}
	claims, err := claimXRD(crd)
	if err != nil {
		return err
	}
	namespaced, err := namespacedXRD(crd)
	if err != nil {
		return err
	}
	structs, err := readStructs(types)
	if err != nil {
		return err
	}
	reference, err := reference(crd, structs)
	if err != nil {
		return err
	}

	for name, content := range map[string][]byte{
		"configuration/definition.yaml":            claims,
		"configuration-namespaced/definition.yaml": namespaced,
		"docs/reference.md":                        reference,
	} {
		if err := write(filepath.Join(out, name), content); err != nil {
			return err
		}
	}
	return nil
}

// readCRD reads a CustomResourceDefinition of one version.
func readCRD(path string) (*extv1.CustomResourceDefinition, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the CustomResourceDefinition: %w", err)
	}
	crd := &extv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(data, crd); err != nil {
		return nil, fmt.Errorf("cannot parse %s: %w", path, err)
	}
	if n := len(crd.Spec.Versions); n != 1 {
		return nil, fmt.Errorf("%s has %d versions, and xrdgen knows what to do with one", path, n)
	}
	return crd, nil
}

// write a file, and the folder that it is in.
func write(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("cannot make the folder of %s: %w", path, err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	return nil
}
