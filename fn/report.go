package fn

import (
	"maps"
	"time"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/runtime"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// How long Crossplane may wait before it calls again, if nothing changes that
// it watches. It watches all that the function composes and requires.
const (
	settledTTL = time.Hour
	pendingTTL = time.Minute
	unheardTTL = 10 * time.Second
)

// report writes the composition, and what to say about it, into the response.
func report(rsp *fnv1.RunFunctionResponse, s situation) error {
	v := judge(s)
	composite, err := compositeStatus(rsp, notebookStatus(s, v))
	if err != nil {
		return err
	}
	composite.Ready = readiness((v.phase == v1.PhaseReady || v.phase == v1.PhaseStopped) && allReady(s))
	composite.ConnectionDetails = connectionDetails(s)
	desired := rsp.GetDesired()
	if desired.GetResources() == nil {
		desired.Resources = make(map[string]*fnv1.Resource, len(s.objects))
	}
	for key, o := range s.objects {
		desired.Resources[key] = &fnv1.Resource{Resource: o, Ready: readiness(ready(s, key))}
	}
	rsp.Conditions = append(rsp.GetConditions(), conditions(s, v)...)
	rsp.Results = append(rsp.GetResults(), newEvents(s, v)...)
	if len(s.required) > 0 {
		rsp.Requirements = &fnv1.Requirements{Resources: s.required}
	}
	rsp.Meta.Ttl = durationpb.New(ttl(s, v.phase))
	return nil
}

func allReady(s situation) bool {
	for key := range s.objects {
		if !ready(s, key) {
			return false
		}
	}
	return len(s.objects) > 0
}

func ttl(s situation, phase v1.Phase) time.Duration {
	switch {
	case s.unheard:
		return unheardTTL
	case phase == v1.PhaseCreating:
		return min(pendingTTL, s.untilNews())
	default:
		return min(settledTTL, s.untilNews())
	}
}

func readiness(isReady bool) fnv1.Ready {
	if isReady {
		return fnv1.Ready_READY_TRUE
	}
	return fnv1.Ready_READY_FALSE
}

// compositeStatus puts the status next to what earlier functions of the
// pipeline wrote, and returns the desired composite resource.
func compositeStatus(rsp *fnv1.RunFunctionResponse, st v1.NotebookStatus) (*fnv1.Resource, error) {
	m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&st)
	if err != nil {
		return nil, errors.Wrap(err, "cannot encode the status")
	}
	own, err := structpb.NewStruct(m)
	if err != nil {
		return nil, errors.Wrap(err, "cannot encode the status")
	}
	if rsp.GetDesired() == nil {
		rsp.Desired = &fnv1.State{}
	}
	if rsp.GetDesired().GetComposite() == nil {
		rsp.Desired.Composite = &fnv1.Resource{}
	}
	composite := rsp.GetDesired().GetComposite()
	if composite.GetResource() == nil {
		composite.Resource = &structpb.Struct{}
	}
	fields := composite.GetResource().GetFields()
	if fields == nil {
		fields = map[string]*structpb.Value{}
		composite.Resource.Fields = fields
	}
	if theirs := fields["status"].GetStructValue(); theirs.GetFields() != nil {
		maps.Copy(theirs.GetFields(), own.GetFields())
	} else {
		fields["status"] = structpb.NewStructValue(own)
	}
	return composite, nil
}

// connectionDetails are the one place, besides the access Secret, where the
// token may be.
func connectionDetails(s situation) map[string][]byte {
	if len(s.objects) == 0 || s.token == "" {
		return nil
	}
	return map[string][]byte{"url": []byte(s.url()), "token": []byte(s.token)}
}
