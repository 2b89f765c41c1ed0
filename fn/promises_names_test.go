package fn

import (
	"strings"
	"testing"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation"
	"pgregory.net/rapid"
)

// deploymentSuffix is what Kubernetes adds to a Deployment's name for the name of
// its ReplicaSet, which has to be a valid name, too.
const deploymentSuffix = "-5d5b8d7c9f"

// nameErrors are what Kubernetes has against what is named after a notebook.
func nameErrors(notebook string) []string {
	errs := validation.IsDNS1035Label(serviceName(notebook)) // And so the pod's hostname.
	for _, name := range []string{workspaceName(notebook), accessName(notebook), serverName(notebook) + deploymentSuffix, networkName(notebook)} {
		errs = append(errs, validation.IsDNS1123Subdomain(name)...)
	}
	for key, value := range labels(notebook) {
		errs = append(errs, validation.IsQualifiedName(key)...)
		errs = append(errs, validation.IsValidLabelValue(value)...)
	}
	return errs
}

// TestNamesOfAllNotebooks: any two claims that may be in one namespace get valid
// names, and different ones.
func TestNamesOfAllNotebooks(t *testing.T) {
	// Few characters, so that near misses are likely.
	name := rapid.StringMatching(`[a9]([-a.9]{0,300}[a9])?`).Filter(func(s string) bool { return len(validation.IsDNS1123Subdomain(s)) == 0 })
	rapid.Check(t, func(t *rapid.T) {
		one := name.Draw(t, "one")
		if errs := nameErrors(one); len(errs) > 0 {
			t.Fatalf("names after %s: %v", one, errs)
		}
		other := rapid.OneOf(name, rapid.Just(one+"a"), rapid.Just(strings.ReplaceAll(one, ".", "-")), rapid.Just("nb-"+one)).Draw(t, "other")
		if one == other || len(other) > maxNameLength {
			return
		}
		for i, id := range identities(one) {
			if theirs := identities(other)[i]; id.name == theirs.name {
				t.Fatalf("%s and %s would share the %s %s", one, other, id.kind, id.name)
			}
		}
		if labelValue(one) == labelValue(other) {
			t.Fatalf("%s and %s would share their pods", one, other)
		}
	})
}

// TestNamesOfNonsense: what cannot be the name of a claim is cut without leaving
// half a character, which could not be sent back.
func TestNamesOfNonsense(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		notebook := strings.Repeat(rapid.StringN(1, 9, -1).Draw(t, "part"), rapid.IntRange(1, 99).Draw(t, "times"))
		for _, id := range identities(notebook) {
			if !utf8.ValidString(id.name) {
				t.Fatalf("the %s of %q is %q", id.kind, notebook, id.name)
			}
		}
	})
}
