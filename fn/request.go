package fn

import (
	"time"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// A notebook says whose request this is.
type notebook struct {
	// name and namespace of the claim, or of the namespaced composite resource.
	name, namespace string

	// uid of the composite resource, which controls what it composes.
	uid string

	// applierSince is when a claim's composite resource was made, in the form of RFC
	// 3339: what was applied before was by another one. Empty for a namespaced one,
	// which applies under its name like any before it.
	applierSince string

	// now is when Crossplane asks.
	now time.Time

	// asked is the spec as it was sent.
	asked object

	// was is the composite resource as it is, with the status from the last call.
	was object

	// unheard tells that Crossplane leaves out most of what happens to this
	// notebook, because much did in a short time.
	unheard bool
}

// cooldown is how long Crossplane leaves out events, by default
// (--circuit-breaker-cooldown), and a minute more, because it then still lets pass
// only one in thirty seconds. The first event after that is heard again, so that
// there is no need to go on looking.
const cooldown = 6 * time.Minute

// readNotebook reads who asks. Its errors are not mistakes of a user: the
// function was called for something that it does not compose.
func readNotebook(req *fnv1.RunFunctionRequest, now time.Time) (notebook, error) {
	xr := object{req.GetObserved().GetComposite().GetResource()}
	if !xr.exists() {
		return notebook{}, errors.New("the request has no observed composite resource")
	}
	kind, apiVersion := xr.text("kind"), xr.text("apiVersion")
	if apiVersion != v1.Group+"/"+v1.Version || (kind != v1.Kind && kind != v1.CompositeKind) {
		return notebook{}, errors.Errorf("cannot compose %s %s: this function composes %s and %s of %s/%s", apiVersion, kind, v1.Kind, v1.CompositeKind, v1.Group, v1.Version)
	}
	nb := notebook{
		name:      xr.text("metadata", "name"),
		namespace: xr.text("metadata", "namespace"),
		uid:       xr.text("metadata", "uid"),
		now:       now,
		asked:     object{xr.at("spec").GetStructValue()},
		was:       xr,
		unheard:   unheard(xr.condition("Responsive"), now),
	}
	// A claim's composite resource is cluster-scoped and has a name that changes
	// when it is created again, so everything is named after the claim.
	if nb.namespace == "" {
		nb.name = nb.asked.text("claimRef", "name")
		nb.namespace = nb.asked.text("claimRef", "namespace")
		nb.applierSince = xr.text("metadata", "creationTimestamp")
	}
	return nb, nil
}

func unheard(responsive object, now time.Time) bool {
	since, err := time.Parse(time.RFC3339, responsive.text("lastTransitionTime"))
	return responsive.text("status") == "False" && err == nil && now.Sub(since) < cooldown
}
