// Package policy reads what a platform team decided, and applies it to what a user
// asks for.
package policy

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/crossplane/function-sdk-go/errors"
	"google.golang.org/protobuf/types/known/structpb"
	kjson "sigs.k8s.io/json"

	"github.com/function-jupyter/function-jupyter/input/v1beta1"
)

// A Policy is what a platform team wrote, in one or two documents.
type Policy struct {
	// ConfigName is that of the EnvironmentConfig with the second document, or empty.
	ConfigName string

	// rules without those of namespaces, as they were written.
	rules map[string]any

	// namespaces with rules of their own, in the order in which they go over others.
	namespaces []namespaceRules

	mu     sync.Mutex
	merged map[string]*v1beta1.Rules
}

type namespaceRules struct {
	names  []*regexp.Regexp
	labels map[string]string
	rules  map[string]any
}

// Parse the function's input, and the data of an EnvironmentConfig that goes over it.
// Both may be nil. Its errors name what is wrong, and where.
func Parse(input, config *structpb.Struct) (*Policy, error) {
	p := &Policy{rules: map[string]any{}, merged: map[string]*v1beta1.Rules{}}
	for _, document := range []struct {
		of     string
		fields *structpb.Struct
	}{{"", input}, {"its EnvironmentConfig: ", config}} {
		if document.fields == nil {
			continue
		}
		if err := p.add(document.fields.AsMap(), document.fields == config); err != nil {
			return nil, errors.Errorf("%s%s", document.of, err.Error())
		}
	}
	// What can be contradictory must be so before anybody asks for it.
	if _, err := p.decode(p.rules); err != nil {
		return nil, err
	}
	for i, ns := range p.namespaces {
		if _, err := p.decode(merge(p.rules, ns.rules)); err != nil {
			return nil, errors.Errorf("namespaces[%d]: %s", i, err.Error())
		}
	}
	return p, nil
}

// add a document over those before it.
func (p *Policy) add(fields map[string]any, isConfig bool) error {
	document := &v1beta1.NotebookPolicy{}
	if err := decode(fields, document); err != nil {
		return err
	}
	if !isConfig {
		if document.Kind != v1beta1.Kind || document.APIVersion != v1beta1.Group+"/"+v1beta1.Version {
			return errors.Errorf("it is %q of %q, and not a %s of %s/%s", document.Kind, document.APIVersion, v1beta1.Kind, v1beta1.Group, v1beta1.Version)
		}
		p.ConfigName = document.EnvironmentConfig
	} else if document.EnvironmentConfig != "" {
		return errors.New("environmentConfig cannot name another one: leave it out")
	}
	overrides, _ := fields["namespaces"].([]any)
	for i, ns := range document.Namespaces {
		if len(ns.Names)+len(ns.Labels) == 0 {
			return errors.Errorf("namespaces[%d] has neither names nor labels: write to which namespaces it applies", i)
		}
		rules, _ := overrides[i].(map[string]any)
		p.namespaces = append(p.namespaces, namespaceRules{patterns(ns.Names), ns.Labels, without(rules, "names", "labels")})
	}
	p.rules = merge(p.rules, without(fields, "apiVersion", "kind", "metadata", "environmentConfig", "namespaces"))
	return nil
}

// NeedsLabels tells whether the labels of namespaces matter.
func (p *Policy) NeedsLabels() bool {
	return slices.ContainsFunc(p.namespaces, func(ns namespaceRules) bool { return len(ns.labels) > 0 })
}

// For returns the rules for a namespace. Nobody may change them.
func (p *Policy) For(namespace string, labels map[string]string) *v1beta1.Rules {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := make([]byte, len(p.namespaces))
	rules := p.rules
	for i, ns := range p.namespaces {
		if key[i] = '-'; ns.appliesTo(namespace, labels) {
			key[i] = '+'
		}
	}
	if merged, known := p.merged[string(key)]; known {
		return merged
	}
	for i, ns := range p.namespaces {
		if key[i] == '+' {
			rules = merge(rules, ns.rules)
		}
	}
	merged, err := p.decode(rules)
	if err != nil { // Only several together contradict each other.
		merged = &v1beta1.Rules{}
	}
	p.merged[string(key)] = merged
	return merged
}

func (ns namespaceRules) appliesTo(namespace string, labels map[string]string) bool {
	if len(ns.names) > 0 && !matches(ns.names, namespace) {
		return false
	}
	for key, value := range ns.labels {
		if have, exists := labels[key]; !exists || have != value {
			return false
		}
	}
	return true
}

// decode rules, and check them.
func (p *Policy) decode(fields map[string]any) (*v1beta1.Rules, error) {
	rules := &v1beta1.Rules{}
	if err := decode(fields, rules); err != nil {
		return nil, err
	}
	return rules, check(rules)
}

// decode a document. Its errors name the field that is unknown or of the wrong type.
func decode(fields map[string]any, into any) error {
	if err := checkNumbers("", fields); err != nil {
		return err
	}
	b, err := json.Marshal(fields)
	if err != nil {
		return errors.Wrap(err, "it is no JSON")
	}
	unknown, err := kjson.UnmarshalStrict(b, into)
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		return errors.Errorf("%s must not be a %s", wrong.Field, wrong.Value)
	}
	for _, err := range append([]error{err}, unknown...) {
		if err != nil {
			return errors.New(strings.TrimPrefix(err.Error(), "json: "))
		}
	}
	return nil
}

// hugeExponent is of a number that Kubernetes would calculate with for hours.
var hugeExponent = regexp.MustCompile(`^[+-]?[0-9.]+[eE][+-]?[0-9]{3,}$`)

func checkNumbers(path string, value any) error {
	switch value := value.(type) {
	case string:
		if hugeExponent.MatchString(value) {
			return errors.Errorf("%s is %.50s, which is no quantity such as 16Mi", path, value)
		}
	case map[string]any:
		for key, v := range value {
			if err := checkNumbers(strings.TrimPrefix(path+"."+key, "."), v); err != nil {
				return err
			}
		}
	case []any:
		for i, v := range value {
			if err := checkNumbers(fmt.Sprintf("%s[%d]", path, i), v); err != nil {
				return err
			}
		}
	}
	return nil
}

// patterns in which a * stands for any text.
func patterns(texts []string) []*regexp.Regexp {
	compiled := make([]*regexp.Regexp, 0, len(texts))
	for _, text := range texts {
		compiled = append(compiled, pattern(text))
	}
	return compiled
}

func pattern(text string) *regexp.Regexp {
	return regexp.MustCompile(`^` + strings.ReplaceAll(regexp.QuoteMeta(text), `\*`, `.*`) + `$`)
}

func matches(patterns []*regexp.Regexp, text string) bool {
	return slices.ContainsFunc(patterns, func(p *regexp.Regexp) bool { return p.MatchString(text) })
}
