package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const exampleTypes = `package v1

type Thing struct {
	metav1.TypeMeta ` + "`json:\",inline\"`" + `
	Spec   Spec   ` + "`json:\"spec\"`" + `
	Status Status ` + "`json:\"status,omitzero\"`" + `
}

type Spec struct {
	Size  *int            ` + "`json:\"size\"`" + `
	Parts *Parts          ` + "`json:\"parts,omitempty\"`" + `
	Env   []corev1.EnvVar ` + "`json:\"env,omitempty\"`" + `
}

type Parts struct {
	Name string ` + "`json:\"name\"`" + `
	Kind Kind   ` + "`json:\"kind\"`" + `
}

type Kind string

type Status struct {
	Size string ` + "`json:\"size\"`" + `
}
`

func exampleStructs(t *testing.T, source string) structs {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "types.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	types, err := readStructs(dir)
	if err != nil {
		t.Fatal(err)
	}
	return types
}

func TestReference(t *testing.T) {
	const envVar = "[EnvVar](https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.35/#envvar-v1-core)"
	want := `
# Field reference of Thing

` + "`apiVersion: example.org/v1`" + `

Thing is a thing.

## spec

Spec of a thing.

| Field | Type | Meaning | Default | Rules |
|---|---|---|---|---|
| ` + "`size`" + ` | integer | Size of it. It can grow. | 1 | required<br>three is taken |
| ` + "`parts`" + ` | object | Parts of it. |  |  |
| ` + "`parts.name`" + ` | string | Name of a\|b. |  | required: write a name<br>names are final |
| ` + "`parts.kind`" + ` | ` + "`Big`, `Small`" + ` |  |  |  |
| ` + "`env`" + ` | list of ` + envVar + ` |  |  | at most 2 |

## status



| Field | Type | Meaning | Default | Rules |
|---|---|---|---|---|
| ` + "`size`" + ` | string | Size that it has. |  |  |
`
	got, err := reference(example(t), exampleStructs(t, exampleTypes))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestReferenceOfOldCRD has a Go field that the CRD does not know.
func TestReferenceOfOldCRD(t *testing.T) {
	types := exampleStructs(t, strings.Replace(exampleTypes, `json:"size"`, `json:"weight"`, 1))
	_, err := reference(example(t), types)
	if err == nil || !strings.Contains(err.Error(), "no field weight") {
		t.Errorf("want an error about the field weight, got: %v", err)
	}
}
