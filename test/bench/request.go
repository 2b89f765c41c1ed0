package main

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// steadyRequest is what Crossplane sends for a notebook that runs: its composite
// resource, and all composed objects in full. They are what the function itself
// composes, with what a cluster adds, so that the function finds nothing to do.
func steadyRequest(ctx context.Context, s *server, claimFile, clusterFile string) (*fnv1.RunFunctionRequest, error) {
	var claim map[string]any
	if err := read(claimFile, &claim); err != nil {
		return nil, err
	}
	var added map[string]map[string]any
	if err := read(clusterFile, &added); err != nil {
		return nil, err
	}
	composite, err := merged(map[string]any{"spec": claim["spec"]}, added["composite"])
	if err != nil {
		return nil, err
	}
	req := &fnv1.RunFunctionRequest{
		Meta: &fnv1.RequestMeta{
			Tag: strings.Repeat("0123456789abcdef", 4),
			Capabilities: []fnv1.Capability{
				fnv1.Capability_CAPABILITY_CAPABILITIES,
				fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES,
				fnv1.Capability_CAPABILITY_CREDENTIALS,
				fnv1.Capability_CAPABILITY_CONDITIONS,
				fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS,
			},
		},
		Observed: &fnv1.State{Composite: composite, Resources: map[string]*fnv1.Resource{}},
		Input: &structpb.Struct{Fields: map[string]*structpb.Value{
			"apiVersion": structpb.NewStringValue("jupyter.fn.crossplane.io/v1beta1"),
			"kind":       structpb.NewStringValue("NotebookPolicy"),
		}},
		Context: &structpb.Struct{},
	}
	// At first nothing exists, then everything, and then the status says so.
	for range 3 {
		rsp, err := reconcile(ctx, s, req)
		if err != nil {
			return nil, err
		}
		if err := apply(req.GetObserved(), rsp.GetDesired(), added); err != nil {
			return nil, err
		}
	}
	rsp, err := reconcile(ctx, s, req)
	if err != nil {
		return nil, err
	}
	return req, steady(req.GetObserved(), rsp.GetDesired())
}

func read(file string, into any) error {
	b, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		return errors.Wrap(err, "cannot read")
	}
	return errors.Wrapf(yaml.Unmarshal(b, into), "cannot read %s", file)
}

// reconcile calls the function until it asks for nothing more, as Crossplane
// does. Nothing of what it asks for exists.
func reconcile(ctx context.Context, s *server, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	req = proto.CloneOf(req)
	for {
		rsp, err := s.call(ctx, req)
		if err != nil {
			return nil, err
		}
		known := len(req.GetRequiredResources())
		req.RequiredResources = map[string]*fnv1.Resources{}
		for name := range rsp.GetRequirements().GetResources() {
			req.RequiredResources[name] = &fnv1.Resources{}
		}
		if len(req.GetRequiredResources()) == known {
			return rsp, nil
		}
	}
}

// apply what the function desires, as a cluster would.
func apply(observed, desired *fnv1.State, added map[string]map[string]any) error {
	for key, r := range desired.GetResources() {
		object, err := merged(r.GetResource().AsMap(), added[key])
		if err != nil {
			return err
		}
		observed.Resources[key] = object
	}
	composite, err := merged(observed.GetComposite().GetResource().AsMap(), desired.GetComposite().GetResource().AsMap())
	if err != nil {
		return err
	}
	composite.ConnectionDetails = desired.GetComposite().GetConnectionDetails()
	observed.Composite = composite
	return nil
}

func merged(object, added map[string]any) (*fnv1.Resource, error) {
	s, err := structpb.NewStruct(mergeMaps(object, added))
	return &fnv1.Resource{Resource: s}, errors.Wrap(err, "cannot encode")
}

func mergeMaps(value, added map[string]any) map[string]any {
	value = maps.Clone(value)
	if value == nil {
		value = map[string]any{}
	}
	for k, v := range added {
		value[k] = merge(value[k], v)
	}
	return value
}

// merge what was added into a value: maps by key, and lists by index.
func merge(value, added any) any {
	switch added := added.(type) {
	case map[string]any:
		m, _ := value.(map[string]any)
		return mergeMaps(m, added)
	case []any:
		old, _ := value.([]any)
		list := make([]any, max(len(old), len(added)))
		copy(list, old)
		for i, v := range added {
			list[i] = merge(list[i], v)
		}
		return list
	default:
		return added
	}
}

// steady tells whether what was observed is all that the function desires.
// Otherwise it would be busy with something else than what is to be measured.
func steady(observed, desired *fnv1.State) error {
	if composed, exist := len(desired.GetResources()), len(observed.GetResources()); composed == 0 || composed != exist {
		return errors.Errorf("the function composes %d objects, and %d exist", composed, exist)
	}
	if desired.GetComposite().GetReady() != fnv1.Ready_READY_TRUE {
		message := desired.GetComposite().GetResource().GetFields()["status"].GetStructValue().GetFields()["message"].GetStringValue()
		return errors.Errorf("the function says that the notebook is not ready: %s", message)
	}
	return nil
}
