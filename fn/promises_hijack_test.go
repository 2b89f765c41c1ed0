package fn

import (
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// A newcomer is an object that has the name of one that the notebook composes.
type newcomer func(e *fakeEngine, o *unstructured.Unstructured)

func ownedBy(uid, kind string) newcomer {
	return func(_ *fakeEngine, o *unstructured.Unstructured) {
		o.Object["metadata"].(fields)["ownerReferences"] = values{fields{"apiVersion": "v1", "kind": kind, "name": "owner", "uid": uid, "controller": true}}
	}
}

func labelled(key, value string) newcomer {
	return func(_ *fakeEngine, o *unstructured.Unstructured) { o.SetLabels(map[string]string{key: value}) }
}

func annotated(key, value string) newcomer {
	return func(_ *fakeEngine, o *unstructured.Unstructured) { o.SetAnnotations(map[string]string{key: value}) }
}

// retainedFor looks as the workspace that an earlier notebook left.
func retainedFor(name string) newcomer {
	return func(_ *fakeEngine, o *unstructured.Unstructured) {
		o.SetLabels(labels(name))
		o.SetAnnotations(map[string]string{annotationNotebook: name})
		o.Object["spec"] = fields{"accessModes": values{"ReadWriteOnce"}, "storageClassName": "slow", "volumeMode": "Filesystem", "resources": fields{"requests": fields{"storage": "7Gi"}}}
	}
}

func all(of ...newcomer) newcomer {
	return func(e *fakeEngine, o *unstructured.Unstructured) {
		for _, n := range of {
			n(e, o)
		}
	}
}

// TestNeverHijack: what a new notebook does about an object that is there
// already.
func TestNeverHijack(t *testing.T) {
	everyKey := []string{keyWorkspace, keyAccess, keyServer, keyService, keyNetwork}
	cases := map[string]struct {
		reason  string
		is      newcomer
		keys    []string
		takenUp bool
	}{
		"Nobodys":              {reason: "Crossplane would adopt, overwrite and later delete it.", is: all(), keys: everyKey},
		"SomebodyElses":        {reason: "It has a controller already.", is: ownedBy("other", "Other"), keys: everyKey},
		"Lookalike":            {reason: "Anybody may label their objects as they like.", is: labelled("app.kubernetes.io/managed-by", managedBy), keys: everyKey},
		"EarlierNotebooks":     {reason: "It goes away with the notebook that it belongs to.", is: all(ownedBy("earlier", v1.CompositeKind), retainedFor(simName)), keys: everyKey},
		"RetainedButNotVolume": {reason: "Only workspaces are retained.", is: retainedFor(simName), keys: everyKey[1:]},
		"OtherRetained":        {reason: "The workspace of a notebook with a similar name is not this one's.", is: retainedFor("alpha-2"), keys: everyKey[:1]},
		"AnnotatedVolume":      {reason: "An annotation alone does not make it this product's.", is: annotated(annotationNotebook, simName), keys: everyKey[:1]},
		"Retained":             {reason: "The files of the earlier notebook of this name are what its user wants back.", is: retainedFor(simName), keys: everyKey[:1], takenUp: true},
	}
	for name, tc := range cases {
		for _, key := range tc.keys {
			t.Run(name+"/"+key, func(t *testing.T) {
				e := newEngine(t, true, fields{"image": "jupyter/scipy-notebook:latest", "volumeSize": "10Gi"})
				o := e.appears(key, tc.is)
				e.settle()
				if tc.takenUp {
					checkTakenUp(t, e, tc.reason, o)
				} else {
					checkRefused(t, e, tc.reason, o)
				}
			})
		}
	}
}

// appears puts an object in the way.
func (e *fakeEngine) appears(key string, is newcomer) *unstructured.Unstructured {
	for _, id := range identities(simName) {
		if id.key != key {
			continue
		}
		o := e.cluster.add(id.apiVersion, id.kind, id.name, nil)
		o.SetNamespace(simNamespace)
		is(e, o)
		return o
	}
	return nil
}

func checkTakenUp(t *testing.T, e *fakeEngine, reason string, o *unstructured.Unstructured) {
	t.Helper()
	if got := e.accepted(); got.GetStatus() != fnv1.Status_STATUS_CONDITION_TRUE {
		t.Errorf("%s\nnot accepted: %s", reason, got.GetMessage())
	}
	for _, id := range identities(simName) {
		if e.composed(id.key) == nil {
			t.Errorf("%s\nthe notebook has no %s", reason, id.key)
		}
	}
	if got := e.cluster.objects[idOf(o)].GetUID(); got != o.GetUID() {
		t.Errorf("%s\n%s was replaced", reason, idOf(o))
	}
}

// checkRefused: nothing is composed, and the claim says what is in the way. When
// that is gone, the notebook comes.
func checkRefused(t *testing.T, e *fakeEngine, reason string, o *unstructured.Unstructured) {
	t.Helper()
	if n := len(e.rsp.GetDesired().GetResources()); n != 0 {
		t.Errorf("%s\n%d objects were composed", reason, n)
	}
	if !strings.Contains(e.status("message"), o.GetKind()+" "+o.GetName()+" in namespace "+simNamespace) || e.status("reason") != reasonNameConflict || e.status("phase") != string(v1.PhaseFailed) {
		t.Errorf("%s\nthe claim says %s for reason %s: %s", reason, e.status("phase"), e.status("reason"), e.status("message"))
	}
	e.cluster.remove(idOf(o))
	e.settle()
	checkTakenUp(t, e, "Nothing is in the way any more.", e.cluster.objects[idOf(o)])
}

// TestOwnIsNotForeign: an object that the notebook composed in a reconcile that
// did not end is its own, though Crossplane does not refer to it.
func TestOwnIsNotForeign(t *testing.T) {
	for _, id := range identities(simName) {
		t.Run(id.key, func(t *testing.T) {
			e := newEngine(t, true, fields{"image": "jupyter/scipy-notebook:latest", "volumeSize": "10Gi"})
			e.settle()
			own := e.composed(id.key)
			for other := range e.refs {
				if other != idOf(own) && other != simID(keyWorkspace) {
					e.cluster.remove(other)
				}
			}
			e.refs, e.seeds, e.rsp = map[string]bool{}, nil, nil
			e.settle()
			checkTakenUp(t, e, "Its controller is this notebook.", own)
		})
	}
}

// TestRetainedStaysWhileRefused: a notebook that is refused for another reason does
// not take up its workspace yet.
func TestRetainedStaysWhileRefused(t *testing.T) {
	e := newEngine(t, false, fields{"image": "jupyter/scipy-notebook:latest", "volumeSize": "10Gi"})
	e.appears(keyWorkspace, retainedFor(simName))
	e.appears(keyService, all())
	before := e.cluster.state()
	e.settle()
	if after := e.cluster.state(); after != before {
		t.Errorf("A new notebook that is refused composes nothing.\nbefore:\n%s\nafter:\n%s", before, after)
	}
}

// TestForeignVolumeDoesNotMatter to a notebook that needs none.
func TestForeignVolumeDoesNotMatter(t *testing.T) {
	e := newEngine(t, false, fields{"image": "jupyter/scipy-notebook:latest"})
	o := e.appears(keyWorkspace, all())
	e.cluster.foreign[idOf(o)] = asJSON(o.Object)
	e.settle()
	if got := e.accepted(); got.GetStatus() != fnv1.Status_STATUS_CONDITION_TRUE || e.composed(keyServer) == nil {
		t.Errorf("A notebook without volumeSize has no use for the name of a workspace.\nnot accepted: %s", got.GetMessage())
	}
}

// TestRunningNotebookStays when somebody takes the place of one of its objects.
func TestRunningNotebookStays(t *testing.T) {
	for _, key := range []string{keyAccess, keyServer, keyService, keyNetwork} {
		t.Run(key, func(t *testing.T) {
			e := newEngine(t, false, fields{"image": "jupyter/scipy-notebook:latest", "volumeSize": "10Gi"})
			e.settle()
			e.cluster.remove(simID(key))
			o := e.appears(key, ownedBy("other", "Other"))
			e.cluster.foreign[idOf(o)] = asJSON(o.Object)
			before := e.cluster.state()
			e.settle()
			if after := e.cluster.state(); after != before {
				t.Errorf("Nothing changes until the foreign %s is out of the way.\nbefore:\n%s\nafter:\n%s", o.GetKind(), before, after)
			}
			if !strings.Contains(e.status("message"), o.GetKind()+" "+o.GetName()) {
				t.Errorf("The claim must say what is in the way, and says: %s", e.status("message"))
			}
		})
	}
}
