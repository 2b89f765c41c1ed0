package fn

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestServer(t *testing.T) {
	for name, tc := range map[string]struct {
		reason   string
		spec     string
		replicas string
	}{
		"Running": {reason: "One user, one server.", spec: `image: jupyter/a`, replicas: "1"},
		"Stopped": {reason: "A stopped server takes nothing.", spec: `{image: jupyter/a, stopped: true}`, replicas: "0"},
	} {
		t.Run(name, func(t *testing.T) {
			nb, p := notebook{name: "alpha", namespace: "team-a"}, plan{spec: specOf(t, tc.spec), accepted: "{the spec}"}
			got := server(metav1.ObjectMeta{Name: "alpha"}, nb, p, "alpha-workspace", testToken)
			want := &appsv1.Deployment{
				ObjectMeta: metav1.ObjectMeta{Name: "alpha", Annotations: map[string]string{"mlops.function-jupyter.dev/accepted-spec": "{the spec}"}},
				Spec: typedOf[appsv1.DeploymentSpec](t, `
replicas: `+tc.replicas+`
selector: {matchLabels: {app: jupyter-notebook, notebook-name: alpha}}
strategy: {type: Recreate}
revisionHistoryLimit: 2
progressDeadlineSeconds: 1800
template: {}`),
			}
			want.Annotations[annotationPod] = podHash(got.Spec.Template)
			want.Spec.Template = podTemplate(nb, p, "alpha-workspace", testToken)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("\n%s\nserver(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestServerReadyOrGone(t *testing.T) {
	type want struct{ Ready, Gone bool }
	cases := map[string]struct {
		reason string
		server string
		want   want
	}{
		"Missing": {reason: "There is none."},
		"New": {
			reason: "Nobody has looked at it yet.",
			server: `{metadata: {generation: 1}, spec: {replicas: 1}}`,
		},
		"Ready": {
			reason: "A replica of the current generation is ready.",
			server: `{metadata: {generation: 3}, spec: {replicas: 1}, status: {observedGeneration: 3, replicas: 1, updatedReplicas: 1, readyReplicas: 1}}`,
			want:   want{Ready: true},
		},
		"EditedSince": {
			reason: "The ready replica is that of the spec before.",
			server: `{metadata: {generation: 4}, spec: {replicas: 1}, status: {observedGeneration: 3, replicas: 1, updatedReplicas: 1, readyReplicas: 1}}`,
		},
		"OldReplicaReady": {
			reason: "Only the old replica is ready.",
			server: `{metadata: {generation: 4}, spec: {replicas: 1}, status: {observedGeneration: 4, replicas: 1, readyReplicas: 1}}`,
		},
		"OldReplicaBesideNew": {
			reason: "Which of the two is ready is not said.",
			server: `{metadata: {generation: 4}, spec: {replicas: 1}, status: {observedGeneration: 4, replicas: 2, updatedReplicas: 1, readyReplicas: 1}}`,
		},
		"Starting": {
			reason: "It runs and does not answer.",
			server: `{metadata: {generation: 1}, spec: {replicas: 1}, status: {observedGeneration: 1, replicas: 1, updatedReplicas: 1}}`,
		},
		"Stopping": {
			reason: "The Deployment is about to be scaled.",
			server: `{metadata: {generation: 2}, spec: {replicas: 0}, status: {observedGeneration: 1, replicas: 1, updatedReplicas: 1, readyReplicas: 1}}`,
		},
		"ShuttingDown": {
			reason: "Its pod is counted until it is gone.",
			server: `{metadata: {generation: 2}, spec: {replicas: 0}, status: {observedGeneration: 2, terminatingReplicas: 1}}`,
		},
		"Gone": {
			reason: "All counters are absent when they are zero.",
			server: `{metadata: {generation: 2}, spec: {replicas: 0}, status: {observedGeneration: 2}}`,
			want:   want{Gone: true},
		},
		"CrashedNotGone": {
			reason: "It should run, and has no replica.",
			server: `{metadata: {generation: 2}, spec: {replicas: 1}, status: {observedGeneration: 2}}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			d := object{}
			if tc.server != "" {
				d = objectOf(t, tc.server)
			}
			if diff := cmp.Diff(tc.want, want{serverReady(d), serverGone(d)}); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestServerRuns(t *testing.T) {
	type want struct{ Image, Claim string }
	cases := map[string]struct {
		reason string
		server string
		want   want
	}{
		"Missing": {reason: "Nothing runs.", server: `{}`},
		"Sidecar": {
			reason: "Others may add containers and volumes before ours.",
			server: `spec: {template: {spec: {
containers: [{name: proxy, image: proxy:1}, {name: notebook, image: jupyter/a}],
volumes: [{name: other, persistentVolumeClaim: {claimName: other}}, {name: workspace, persistentVolumeClaim: {claimName: alpha-workspace}}]}}}`,
			want: want{"jupyter/a", "alpha-workspace"},
		},
		"Ephemeral": {
			reason: "An emptyDir is no claim.",
			server: `spec: {template: {spec: {containers: [{name: notebook, image: jupyter/a}], volumes: [{name: workspace, emptyDir: {}}]}}}`,
			want:   want{Image: "jupyter/a"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			d := objectOf(t, tc.server)
			if diff := cmp.Diff(tc.want, want{serverImage(d), mountedClaim(d)}); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestChangesPod: see TestChangesPodVolume, too.
func TestChangesPod(t *testing.T) {
	const was = `{"image":"jupyter/a","resources":{"limits":{"memory":"4Gi"}}}`
	cases := map[string]struct {
		reason   string
		accepted string
		spec     string
		want     bool
	}{
		"Nothing":       {reason: "The spec is the same.", accepted: was, spec: `{image: jupyter/a, resources: {limits: {memory: 4Gi}}}`},
		"SameQuantity":  {reason: "4096Mi are 4Gi.", accepted: was, spec: `{image: jupyter/a, resources: {limits: {memory: 4096Mi}}}`},
		"ServiceType":   {reason: "The Service is not the pod.", accepted: was, spec: `{image: jupyter/a, resources: {limits: {memory: 4Gi}}, serviceType: NodePort}`},
		"Stopped":       {reason: "Neither is the number of replicas.", accepted: was, spec: `{image: jupyter/a, resources: {limits: {memory: 4Gi}}, stopped: true}`},
		"Image":         {reason: "Another image is another pod.", accepted: was, spec: `{image: jupyter/b, resources: {limits: {memory: 4Gi}}}`, want: true},
		"Resources":     {reason: "So is another limit.", accepted: was, spec: `{image: jupyter/a, resources: {limits: {memory: 8Gi}}}`, want: true},
		"RestartedAt":   {reason: "A restart is a new pod.", accepted: was, spec: `{image: jupyter/a, resources: {limits: {memory: 4Gi}}, restartedAt: "2026-11-30T12:00:00Z"}`, want: true},
		"Unreadable":    {reason: "Nobody knows what the pod was made of.", accepted: `{"image":`, spec: `image: jupyter/a`, want: true},
		"NotAnnotated":  {reason: "Nor then.", spec: `image: jupyter/a`, want: true},
		"MountPathSame": {reason: "The default may be written out without a restart.", accepted: `{"image":"jupyter/a"}`, spec: `{image: jupyter/a, volume: {mountPath: /home/jovyan/work}}`, want: false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			d := objectOf(t, `metadata: {annotations: {}}`)
			d.at("metadata", "annotations").GetStructValue().Fields = objectOf(t, annotationAccepted+": '"+tc.accepted+"'").GetFields()
			p := plan{spec: specOf(t, tc.spec)}
			p.accepted = encodeSpec(p.spec)
			if got := changesPod(d, p); got != tc.want {
				t.Errorf("\n%s\nchangesPod(...): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}

// TestKnowsToken: a token that was replaced restarts the server.
func TestKnowsToken(t *testing.T) {
	started := objectOf(t, `spec: {template: {metadata: {annotations: {mlops.function-jupyter.dev/jupyter_server_config.json: '{"ServerApp":{"password":"`+hashedPassword(testToken)+`"}}'}}}}`)
	if !knowsToken(started, testToken) {
		t.Error("knowsToken(...): the server was started with this token")
	}
	if knowsToken(started, "another") {
		t.Error("knowsToken(...): the server was started with another token")
	}
}
