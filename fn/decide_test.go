package fn

import (
	"maps"
	"slices"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// runningSpec was accepted last.
const runningSpec = "{image: 'a:1', volumeSize: 1Gi}"

// runningServer is a Deployment that keeps the spec that was accepted last.
func runningServer(t *testing.T) object {
	t.Helper()
	server, err := structpb.NewStruct(map[string]any{
		"kind":     "Deployment",
		"metadata": map[string]any{"annotations": map[string]any{annotationAccepted: encodeSpec(specOf(t, runningSpec))}},
		"spec":     map[string]any{"replicas": 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	return object{server}
}

// A decision is what tests compare of a plan.
type decision struct {
	spec     *v1.NotebookSpec
	keep     bool
	refusals []refusal
	required []string
}

// toMake asks for the quotas, too: something is missing.
func toMake(required []string) []string { return append(slices.Clone(required), requiredQuotas) }

func TestDecide(t *testing.T) {
	const noImage = "spec.image is missing: write the container image to run, for example quay.io/jupyter/scipy-notebook:2026-06-01"
	nb := notebook{name: "nb", namespace: "team-a", uid: "123"}
	all := []string{requiredExisting(keyAccess), requiredExisting(keyNetwork), requiredExisting(keyServer), requiredExisting(keyService)}
	goingWorkspace := objectOf(t, `metadata: {deletionTimestamp: "2026-11-30T12:00:00Z"}`)
	withWorkspace := append(slices.Clone(all), requiredExisting(keyWorkspace))
	cases := map[string]struct {
		reason string
		nb     notebook
		asked  string
		world  world
		want   decision
	}{
		"NoNamespace": {
			reason: "A composite resource without a claim has nowhere to compose into.",
			nb:     notebook{name: "nb"},
			asked:  "image: a",
			want:   decision{keep: true, refusals: []refusal{{reasonNoNamespace, "this XJupyterNotebook belongs to no claim: create a JupyterNotebook in a namespace instead"}}},
		},
		"NoName": {
			reason: "A composite resource without a claim has no name to compose by.",
			nb:     notebook{namespace: "team-a"},
			asked:  "image: a",
			want:   decision{keep: true, refusals: []refusal{{reasonNoNamespace, "this XJupyterNotebook belongs to no claim: create a JupyterNotebook in a namespace instead"}}},
		},
		"New": {
			reason: "Before anything is created, all names are looked up.",
			nb:     nb, asked: runningSpec,
			want: decision{spec: specOf(t, runningSpec), required: toMake(withWorkspace)},
		},
		"NewWithoutWorkspace": {
			reason: "A workspace that is not wanted cannot be in the way.",
			nb:     nb, asked: "image: a",
			want: decision{spec: specOf(t, "image: a"), required: toMake(all)},
		},
		"NewRefused": {
			reason: "A new claim that makes no sense composes nothing.",
			nb:     nb, asked: "{}",
			want: decision{keep: true, refusals: []refusal{{reasonInvalidSpec, noImage}}},
		},
		"NewUnreadable": {
			reason: "Nothing is read of a claim that cannot be read whole.",
			nb:     nb, asked: "{image: a, stopped: 1}",
			want: decision{keep: true, refusals: []refusal{{reasonInvalidSpec, "spec.stopped is a number: write true or false"}}},
		},
		"Edited": {
			reason: "What makes sense is followed.",
			nb:     nb, asked: "{image: 'a:2', volumeSize: 1Gi}",
			world: world{composed: map[string]object{keyServer: runningServer(t)}},
			want:  decision{spec: specOf(t, "{image: 'a:2', volumeSize: 1Gi}"), required: toMake(withWorkspace)},
		},
		"EditRefused": {
			reason: "What runs stays as it was accepted, and what it needs is asked for.",
			nb:     nb, asked: "volume: {existingClaim: other}",
			world: world{composed: map[string]object{keyServer: runningServer(t)}},
			want:  decision{spec: specOf(t, runningSpec), refusals: []refusal{{reasonInvalidSpec, noImage}}, required: toMake(withWorkspace)},
		},
		"EditUnreadable": {
			reason: "What runs stays as it was accepted.",
			nb:     nb, asked: "image: 5",
			world: world{composed: map[string]object{keyServer: runningServer(t)}},
			want:  decision{spec: specOf(t, runningSpec), refusals: []refusal{{reasonInvalidSpec, "spec.image is a number: write text, in quotes"}}, required: toMake(withWorkspace)},
		},
		"EditTooLarge": {
			reason: "A spec that cannot be kept is not followed, or the next refusal would harm what runs.",
			nb:     nb, asked: "{image: a, args: [" + strings.Repeat("x", 128<<10) + "]}",
			world: world{composed: map[string]object{keyServer: runningServer(t)}},
			want:  decision{spec: specOf(t, runningSpec), refusals: []refusal{{reasonInvalidSpec, "spec is 128 KiB, which is more than 128 KiB: move large values to a ConfigMap or a Secret, and name it in envFrom or mounts"}}, required: toMake(withWorkspace)},
		},
		"EditWhileWorkspaceGoes": {
			reason: "A restart would end the pod that holds the files.",
			nb:     nb, asked: "{image: 'a:2', volumeSize: 1Gi}",
			world: world{composed: map[string]object{keyServer: runningServer(t), keyWorkspace: goingWorkspace}},
			want: decision{spec: specOf(t, runningSpec), required: toMake(withWorkspace), refusals: []refusal{
				{reasonWorkspaceDeleted, "it restarts the server, and somebody deleted the workspace, whose files go then: copy what you need, and set spec.stopped to true"},
			}},
		},
		"HarmlessEditWhileWorkspaceGoes": {
			reason: "The server goes on running.",
			nb:     nb, asked: "{image: 'a:1', volumeSize: 1Gi, serviceType: NodePort}",
			world: world{composed: map[string]object{keyServer: runningServer(t), keyWorkspace: goingWorkspace}},
			want:  decision{spec: specOf(t, "{image: 'a:1', volumeSize: 1Gi, serviceType: NodePort}"), required: toMake(withWorkspace)},
		},
		"StoppedWhileWorkspaceGoes": {
			reason: "Who says that it may stop says that the files may go.",
			nb:     nb, asked: "{image: 'a:2', volumeSize: 1Gi, stopped: true}",
			world: world{composed: map[string]object{keyServer: runningServer(t), keyWorkspace: goingWorkspace}},
			want:  decision{spec: specOf(t, "{image: 'a:2', volumeSize: 1Gi, stopped: true}"), required: toMake(withWorkspace)},
		},
		"EditRefusedAndNothingKept": {
			reason: "If somebody removed the annotation, nothing is composed anew, and nothing goes.",
			nb:     nb, asked: "{}",
			world: world{composed: map[string]object{keyServer: objectOf(t, "kind: Deployment")}},
			want:  decision{keep: true, refusals: []refusal{{reasonInvalidSpec, noImage}}},
		},
		"Taken": {
			reason: "What somebody else made stays theirs.",
			nb:     nb, asked: runningSpec,
			world: world{fresh: true, foreign: map[string]object{keyServer: objectOf(t, "kind: Deployment"), keyService: objectOf(t, "kind: Service")}},
			want: decision{spec: specOf(t, runningSpec), keep: true, required: withWorkspace, refusals: []refusal{
				{reasonNameConflict, "Deployment nb in namespace team-a exists already and does not belong to this notebook: rename or delete it, or give the notebook another name"},
				{reasonNameConflict, "Service nb in namespace team-a exists already and does not belong to this notebook: rename or delete it, or give the notebook another name"},
			}},
		},
		"TakenWorkspace": {
			reason: "Nobody's files are mixed with others'.",
			nb:     nb, asked: runningSpec,
			world: world{fresh: true, foreign: map[string]object{keyWorkspace: objectOf(t, "kind: PersistentVolumeClaim")}},
			want: decision{spec: specOf(t, runningSpec), keep: true, required: withWorkspace, refusals: []refusal{
				{reasonNameConflict, "PersistentVolumeClaim nb-workspace in namespace team-a exists already and does not belong to this notebook: rename or delete it, or give the notebook another name"},
			}},
		},
		"TakenWorkspaceNotWanted": {
			reason: "What is not wanted is not in the way.",
			nb:     nb, asked: "image: a",
			world: world{foreign: map[string]object{keyWorkspace: objectOf(t, "kind: PersistentVolumeClaim")}},
			want:  decision{spec: specOf(t, "image: a"), required: toMake(all)},
		},
		"TakenByWhatIsGoing": {
			reason: "A notebook that was deleted a moment ago is not in the way for long.",
			nb:     nb, asked: "image: a",
			world: world{foreign: map[string]object{keyAccess: objectOf(t, `metadata: {deletionTimestamp: "2026-11-30T12:00:00Z"}`)}},
			want: decision{spec: specOf(t, "image: a"), keep: true, required: all, refusals: []refusal{
				{reasonNameConflict, "Secret nb-access in namespace team-a is still being deleted: the notebook goes on when it is gone"},
			}},
		},
		"VolumeAddedAndTaken": {
			reason: "What runs without the workspace goes on, and what is deleted of it by hand comes back.",
			nb:     nb, asked: "{image: a, volumeSize: 10Gi}",
			world: world{
				composed: map[string]object{keyServer: objectOf(t, `metadata: {annotations: {mlops.function-jupyter.dev/accepted-spec: '{"image":"a"}'}}`)},
				foreign:  map[string]object{keyWorkspace: objectOf(t, "kind: PersistentVolumeClaim")},
			},
			want: decision{spec: specOf(t, "image: a"), required: toMake(withWorkspace), refusals: []refusal{
				{reasonNameConflict, "PersistentVolumeClaim nb-workspace in namespace team-a exists already and does not belong to this notebook: rename or delete it"},
			}},
		},
		"EditRefusedAndTaken": {
			reason: "The user hears of both, the mistake first, and is not told to leave what runs.",
			nb:     nb, asked: "{}",
			world: world{composed: map[string]object{keyServer: runningServer(t)}, foreign: map[string]object{keyNetwork: objectOf(t, "kind: NetworkPolicy")}},
			want: decision{spec: specOf(t, runningSpec), keep: true, required: withWorkspace, refusals: []refusal{
				{reasonInvalidSpec, noImage},
				{reasonNameConflict, "NetworkPolicy nb in namespace team-a exists already and does not belong to this notebook: rename or delete it"},
			}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.nb.asked = objectOf(t, tc.asked)
			p := decide(tc.nb, tc.world, nil, nil)
			got := decision{spec: p.spec, keep: p.keep, refusals: p.refusals, required: slices.Sorted(maps.Keys(p.required))}
			got.required = slices.DeleteFunc(got.required, func(name string) bool { return name == requiredPods }) // See TestRequirements.
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(decision{}, refusal{})); diff != "" {
				t.Errorf("\n%s\ndecide(%.200s): -want, +got:\n%s", tc.reason, tc.asked, diff)
			}
			want := ""
			if tc.want.spec != nil {
				want = encodeSpec(tc.want.spec)
			}
			if diff := cmp.Diff(want, p.accepted); diff != "" {
				t.Errorf("\n%s\ndecide(%.200s): -want accepted, +got:\n%s", tc.reason, tc.asked, diff)
			}
		})
	}
}

// TestDecideAsksForNothingTwice leaves out what is observed: Crossplane has sent
// it already.
func TestDecideAsksForNothingTwice(t *testing.T) {
	nb := notebook{name: "nb", namespace: "team-a", asked: objectOf(t, exampleSpec)}
	observed, w := map[string]*fnv1.Resource{}, world{composed: map[string]object{}}
	for _, id := range identities(nb.name) {
		w.composed[id.key] = objectOf(t, "kind: "+id.kind)
		observed[id.key] = &fnv1.Resource{Resource: w.composed[id.key].Struct}
	}
	noPods := objectOf(t, "{apiVersion: jupyter.fn.crossplane.io/v1beta1, kind: NotebookPolicy, diagnostics: {pods: false}}")
	if p := decide(nb, w, observed, noPods.Struct); len(p.required) > 0 {
		t.Errorf("decide: want nothing required, got %q", slices.Sorted(maps.Keys(p.required)))
	}
}

// TestKeepRestart: only a new time restarts a server, and not that there is none any
// more.
func TestKeepRestart(t *testing.T) {
	restarted := `{image: a, restartedAt: "2026-11-30T12:00:00Z"}`
	server := runningServer(t)
	server.at("metadata", "annotations").GetStructValue().GetFields()[annotationAccepted] = structpb.NewStringValue(encodeSpec(specOf(t, restarted)))
	for asked, want := range map[string]string{
		`image: a`: restarted,
		restarted:  restarted,
		`{image: a, restartedAt: "2026-11-30T13:00:00Z"}`: `{image: a, restartedAt: "2026-11-30T13:00:00Z"}`,
	} {
		p := judgeClaim(notebook{name: "nb", namespace: "team-a", asked: objectOf(t, asked)}, world{composed: map[string]object{keyServer: server}}, nil)
		if diff := cmp.Diff(specOf(t, want), p.spec); diff != "" || p.accepted != encodeSpec(p.spec) {
			t.Errorf("judgeClaim(...) of %s: accepted %s: -want, +got:\n%s", asked, p.accepted, diff)
		}
		if changes := changesPod(server, p); changes != (asked != restarted && asked != `image: a`) {
			t.Errorf("judgeClaim(...) of %s: restarts: %v", asked, changes)
		}
	}
}
