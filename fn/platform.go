package fn

import (
	"fmt"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/function-jupyter/function-jupyter/input/v1beta1"
	"github.com/function-jupyter/function-jupyter/policy"
)

// A platform is what the platform team decided for the notebook's namespace.
type platform struct {
	rules *v1beta1.Rules

	// broken tells why there are no rules that could be followed.
	broken []refusal

	// asks tells that something of the rules is not known yet. Crossplane looks for
	// it, and calls again.
	asks bool

	// required objects that the rules are made of.
	required map[string]*fnv1.ResourceSelector
}

// unknown rules: whatever runs is left as it is.
func (p platform) unknown() bool { return p.asks || len(p.broken) > 0 }

// readPlatform reads the function's input, and what that names.
func readPlatform(cache *policy.Cache, input *structpb.Struct, nb notebook, w world) platform {
	p := platform{rules: &v1beta1.Rules{}, required: map[string]*fnv1.ResourceSelector{}}
	read, err := cache.Parse(input, nil)
	if err != nil {
		return p.isBroken(err.Error())
	}
	if read.ConfigName != "" {
		p.required[requiredPolicy] = named("apiextensions.crossplane.io/v1beta1", "EnvironmentConfig", read.ConfigName, "")
		config, asked := w.one(requiredPolicy)
		switch {
		case !asked:
			p.asks = true
			return p
		case !config.exists():
			return p.isBroken(fmt.Sprintf("its EnvironmentConfig %s does not exist", read.ConfigName))
		}
		if read, err = cache.Parse(input, config.at("data").GetStructValue()); err != nil {
			return p.isBroken(err.Error())
		}
	}
	var labels map[string]string
	if read.NeedsLabels() {
		p.required[requiredNamespace] = named("v1", "Namespace", nb.namespace, "")
		namespace, asked := w.one(requiredNamespace)
		if !asked {
			p.asks = true
			return p
		}
		labels = namespace.texts("metadata", "labels")
	}
	p.rules = read.For(nb.namespace, labels)
	return p
}

func (p platform) isBroken(why string) platform {
	p.broken = []refusal{{reasonPolicyInvalid, fmt.Sprintf("the platform's NotebookPolicy cannot be used (%s): your platform team must correct it", shown(why))}}
	return p
}
