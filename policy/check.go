package policy

import (
	"slices"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"
	"github.com/distribution/reference"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/function-jupyter/function-jupyter/input/v1beta1"
)

// check finds the first thing in rules that cannot be as it is.
func check(rules *v1beta1.Rules) error {
	for _, c := range []func(*v1beta1.Rules) error{checkEnvironments, checkGPUTypes, checkResources, checkStorage, checkIdle, checkAuth, checkPod, checkNetwork, checkPrices} {
		if err := c(rules); err != nil {
			return err
		}
	}
	return nil
}

func checkEnvironments(rules *v1beta1.Rules) error {
	names := map[string]bool{}
	for i, e := range rules.Environments {
		if e.Name == "" || names[e.Name] {
			return errors.Errorf("environments[%d].name is %q, which is empty or used twice: give each environment a name of its own", i, e.Name)
		}
		names[e.Name] = true
		if _, err := reference.ParseNormalizedNamed(e.Image); err != nil {
			return errors.Errorf("environments[%s].image is %q, which is not a container image: write registry/repository:tag", e.Name, e.Image)
		}
	}
	for _, e := range rules.Environments {
		if e.Replacement != "" && !names[e.Replacement] {
			return errors.Errorf("environments[%s].replacement is %q, and there is no such environment", e.Name, e.Replacement)
		}
	}
	if name := rules.DefaultEnvironment; name != "" && !names[name] {
		return errors.Errorf("defaultEnvironment is %q, and there is no such environment", name)
	}
	return nil
}

func checkGPUTypes(rules *v1beta1.Rules) error {
	names := map[string]bool{}
	for i, g := range rules.GPUTypes {
		switch {
		case g.Name == "" || names[g.Name]:
			return errors.Errorf("gpuTypes[%d].name is %q, which is empty or used twice: give each type a name of its own", i, g.Name)
		case g.CountMax < 0:
			return errors.Errorf("gpuTypes[%s].countMax is %d: write the most that a notebook may have, or leave it out", g.Name, g.CountMax)
		}
		if len(validation.IsQualifiedName(string(g.ResourceName))) > 0 || !strings.Contains(string(g.ResourceName), "/") {
			return errors.Errorf("gpuTypes[%s].resourceName is %q: write the device's, for example nvidia.com/gpu", g.Name, g.ResourceName)
		}
		if err := checkTolerations("gpuTypes["+g.Name+"]", g.Tolerations); err != nil {
			return err
		}
		if errs := metav1validation.ValidateLabels(g.NodeSelector, field.NewPath("gpuTypes").Key(g.Name).Child("nodeSelector")); len(errs) > 0 {
			return errs[0]
		}
		names[g.Name] = true
	}
	return nil
}

func checkResources(rules *v1beta1.Rules) error {
	for name, most := range rules.Resources.Max {
		if most.Sign() < 0 {
			return errors.Errorf("resources.max.%s is %s: write zero or more", name, &most)
		}
		for field, list := range map[string]map[string]resource.Quantity{"requests": byText(rules.Resources.Default.Requests), "limits": byText(rules.Resources.Default.Limits)} {
			if usual, exists := list[string(name)]; exists && usual.Cmp(most) > 0 {
				return errors.Errorf("resources.default.%s.%s is %s, which is above resources.max.%s of %s", field, name, &usual, name, &most)
			}
		}
	}
	for name, request := range rules.Resources.Default.Requests {
		if limit, limited := rules.Resources.Default.Limits[name]; limited && request.Cmp(limit) > 0 {
			return errors.Errorf("resources.default.requests.%s is %s, which is above its limit of %s", name, &request, &limit)
		}
	}
	return nil
}

func byText[K ~string](list map[K]resource.Quantity) map[string]resource.Quantity {
	m := make(map[string]resource.Quantity, len(list))
	for name, quantity := range list {
		m[string(name)] = quantity
	}
	return m
}

func checkStorage(rules *v1beta1.Rules) error {
	s := rules.Storage
	for field, size := range map[string]*resource.Quantity{"defaultSize": s.DefaultSize, "maxSize": s.MaxSize} {
		if size != nil && size.CmpInt64(1<<20) < 0 {
			return errors.Errorf("storage.%s is %s, which is less than 1Mi: write a unit, such as 10Gi", field, size)
		}
	}
	if s.DefaultSize != nil && s.MaxSize != nil && s.DefaultSize.Cmp(*s.MaxSize) > 0 {
		return errors.Errorf("storage.defaultSize is %s, which is above storage.maxSize of %s", s.DefaultSize, s.MaxSize)
	}
	if !slices.Contains([]string{"", "Delete", "Retain"}, s.Retention) {
		return errors.Errorf("storage.retention is %q: write Delete or Retain", s.Retention)
	}
	return nil
}

// minTimeout in seconds, that a claim can write.
const minTimeout = 60

func checkIdle(rules *v1beta1.Rules) error {
	i := rules.Idle
	usual := int64(0)
	if i.DefaultSeconds != nil {
		usual = *i.DefaultSeconds
	}
	exempt := i.ExemptAllowed == nil || *i.ExemptAllowed
	switch {
	case i.MaxSeconds != 0 && i.MaxSeconds < max(i.MinSeconds, minTimeout):
		return errors.Errorf("idle.maxSeconds is %d: write at least %d, or 0 for no bound", i.MaxSeconds, max(i.MinSeconds, minTimeout))
	case usual != 0 && usual < max(i.MinSeconds, minTimeout):
		return errors.Errorf("idle.defaultSeconds is %d: write at least %d, or 0 for never", usual, max(i.MinSeconds, minTimeout))
	case i.MaxSeconds != 0 && usual > i.MaxSeconds:
		return errors.Errorf("idle.defaultSeconds is %d, which is above idle.maxSeconds of %d", usual, i.MaxSeconds)
	case usual == 0 && !exempt:
		return errors.New("idle.exemptAllowed is false, and idle.defaultSeconds is 0, which is exempt: write the default")
	}
	return nil
}

func checkAuth(rules *v1beta1.Rules) error {
	for i, mode := range rules.Auth.Modes {
		if mode != "Token" && mode != "None" {
			return errors.Errorf("auth.modes[%d] is %q: write Token or None", i, mode)
		}
	}
	return nil
}

func checkPrices(rules *v1beta1.Rules) error {
	p := rules.Prices
	if p == nil {
		return nil
	}
	prices := map[string]*resource.Quantity{"cpuCoreHour": p.CPUCoreHour, "memoryGiBHour": p.MemoryGiBHour, "storageGiBMonth": p.StorageGiBMonth}
	for name, price := range p.GPUHour {
		if !strings.Contains(name, "/") && !slices.ContainsFunc(rules.GPUTypes, func(g v1beta1.GPUType) bool { return g.Name == name }) {
			return errors.Errorf("prices.gpuHour has %q, and there is no such GPU type: write one of gpuTypes, or the name of a resource", name)
		}
		prices["gpuHour."+name] = &price
	}
	for name, price := range prices {
		if price != nil && price.Sign() < 0 {
			return errors.Errorf("prices.%s is %s: write zero or more", name, price)
		}
	}
	if p.Currency == "" {
		return errors.New("prices.currency is missing: write it, for example EUR")
	}
	return nil
}
