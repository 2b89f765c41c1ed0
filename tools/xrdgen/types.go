package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
)

// The structs of a Go package, by name, with their fields in the order of the
// source. That is the order to read about them in, and a schema has lost it.
type structs map[string][]structField

// A structField is a field as its JSON name and its Go type, without the star
// of a pointer.
type structField struct {
	json string
	typ  ast.Expr
}

// readStructs reads the Go files of a folder. They are parsed and not imported,
// so that this tool need not share the project's dependencies.
func readStructs(dir string) (structs, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, fmt.Errorf("cannot list the Go files of %s: %w", dir, err)
	}
	found := structs{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("cannot parse %s: %w", name, err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if s, ok := spec.Type.(*ast.StructType); ok {
				found[spec.Name.Name] = fieldsOf(s)
			}
			return false
		})
	}
	return found, nil
}

func fieldsOf(s *ast.StructType) []structField {
	var fields []structField
	for _, f := range s.Fields.List {
		if f.Tag == nil {
			continue
		}
		tag := reflect.StructTag(strings.Trim(f.Tag.Value, "`"))
		name, _, _ := strings.Cut(tag.Get("json"), ",")
		if name == "" {
			continue
		}
		typ := f.Type
		if pointer, ok := typ.(*ast.StarExpr); ok {
			typ = pointer.X
		}
		fields = append(fields, structField{json: name, typ: typ})
	}
	return fields
}

// name of a type as its source has it, such as corev1.EnvVar, or nothing if it
// is a list or a map.
func name(typ ast.Expr) string {
	switch typ := typ.(type) {
	case *ast.Ident:
		return typ.Name
	case *ast.SelectorExpr:
		return name(typ.X) + "." + typ.Sel.Name
	default:
		return ""
	}
}
