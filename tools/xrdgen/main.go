// Command xrdgen turns the CustomResourceDefinitions that controller-gen writes
// for api/v1 into what this project ships of them: the CompositeResourceDefinitions
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

// An offer is how a kind is offered.
type offer struct {
	// definition is the name of its file.
	definition string

	// connectionKeys of the Secret that a claim may ask for.
	connectionKeys []string
}

// offers by kind.
var offers = map[string]offer{
	"JupyterNotebook": {definition: "definition.yaml", connectionKeys: []string{"url", "token"}},
	"NotebookQuota":   {definition: "quota-definition.yaml"},
}

func main() {
	types := flag.String("types", "", "the folder of the Go types that the CustomResourceDefinitions were made of")
	out := flag.String("out", "", "the folder to write into: the root of the project, or a copy to compare with it")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: xrdgen [flags] crd.yaml…")
		flag.PrintDefaults()
	}
	flag.Parse()

	if err := run(flag.Args(), *types, *out); err != nil {
		fmt.Fprintln(os.Stderr, "xrdgen:", err)
		os.Exit(1)
	}
}

// run reads CustomResourceDefinitions and writes every file made of them.
func run(paths []string, types, out string) error {
	structs, err := readStructs(types)
	if err != nil {
		return err
	}
	document := []byte(referenceNote)
	for _, path := range paths {
		crd, err := readCRD(path)
		if err != nil {
			return err
		}
		if err := define(crd, out); err != nil {
			return err
		}
		section, err := reference(crd, structs)
		if err != nil {
			return err
		}
		document = append(document, section...)
	}
	return write(filepath.Join(out, "docs/reference.md"), document)
}

// define a kind in both Configurations.
func define(crd *extv1.CustomResourceDefinition, out string) error {
	o, known := offers[crd.Spec.Names.Kind]
	if !known {
		return fmt.Errorf("xrdgen does not know how to offer a %s", crd.Spec.Names.Kind)
	}
	claims, err := claimXRD(crd, o.connectionKeys)
	if err != nil {
		return err
	}
	if err := write(filepath.Join(out, "configuration", o.definition), claims); err != nil {
		return err
	}
	namespaced, err := namespacedXRD(crd)
	if err != nil {
		return err
	}
	return write(filepath.Join(out, "configuration-namespaced", o.definition), namespaced)
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
