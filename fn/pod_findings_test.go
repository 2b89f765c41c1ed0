package fn

import (
	"strings"
	"testing"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// The statuses of pods in these tests are what kubelet and the scheduler of
// Kubernetes v1.36 wrote on a cluster with containerd, but for names and times.
const (
	// scheduledPod has a node, and a container whose status is to be written.
	scheduledPod = `
metadata: {name: alpha-1, creationTimestamp: "2026-11-30T11:00:00Z"}
spec: {nodeName: node-a, containers: [{name: notebook, resources: {limits: {memory: 1Gi}, requests: {memory: 1Gi, cpu: "1"}}}]}
status:
  phase: Pending
  conditions:
  - {type: PodReadyToStartContainers, status: "True", lastTransitionTime: "2026-11-30T11:00:01Z"}
  - {type: Ready, status: "False", reason: ContainersNotReady, message: 'containers with unready status: [notebook]', lastTransitionTime: "2026-11-30T11:00:00Z"}
  - {type: PodScheduled, status: "True", lastTransitionTime: "2026-11-30T11:00:00Z"}
  containerStatuses:
  - `

	// mountingPod waits for its volumes.
	mountingPod = `
metadata: {name: alpha-1, creationTimestamp: "2026-11-30T11:00:00Z"}
spec:
  nodeName: node-a
  containers: [{name: notebook}]
  volumes:
  - {name: workspace, persistentVolumeClaim: {claimName: alpha-workspace}}
  - {name: mount-1, secret: {secretName: keys}}
  - {name: mount-0, persistentVolumeClaim: {claimName: data}}
  - {name: mount-2, configMap: {name: settings}}
  - {name: mount-3, secret: {secretName: keys}}
status:
  phase: Pending
  conditions:
  - {type: PodReadyToStartContainers, status: "False", lastTransitionTime: "2026-11-30T11:00:00Z"}
  - {type: PodScheduled, status: "True", lastTransitionTime: "2026-11-30T11:00:00Z"}
  containerStatuses:
  - {name: notebook, ready: false, started: false, state: {waiting: {reason: ContainerCreating}}, lastState: {}}
`

	// runningPod runs since eleven, its Ready condition is to be written.
	runningPod = `
metadata: {name: alpha-1, creationTimestamp: "2026-11-30T11:00:00Z"}
status:
  phase: Running
  containerStatuses: [{name: notebook, ready: false, started: false, state: {running: {startedAt: "2026-11-30T11:00:00Z"}}, lastState: {}}]
  conditions:
  - `

	// attachedPVC is a workspace whose volume can be attached.
	attachedPVC = `{metadata: {name: alpha-workspace}, spec: {volumeName: pv-1, accessModes: [ReadWriteOnce]}, status: {phase: Bound}}`

	startingMessage = "the server is starting: its image jupyter/a is being pulled, or Jupyter does not answer yet"
)

// podNow is when Crossplane asks in these tests.
func podNow(t testing.TB) time.Time {
	t.Helper()
	now, err := time.Parse(time.RFC3339, "2026-11-30T12:00:00Z")
	if err != nil {
		t.Fatal(err)
	}
	return now
}

// A podCase is a notebook that is not ready, and its pod.
type podCase struct {
	reason string
	pod    string

	// spec, image, status of the Deployment, and PersistentVolumeClaim, if they are
	// not as usual.
	spec, image, server, pvc string
	attachments              []string

	want verdict
}

func (tc podCase) situation(t *testing.T) situation {
	t.Helper()
	or := func(text, usual string) string {
		if text == "" {
			return usual
		}
		return text
	}
	asUsual := func(text string) string { return strings.ReplaceAll(text, "jupyter/a", or(tc.image, "jupyter/a")) }
	fetched := map[string]string{requiredPods: tc.pod}
	s := situationOf(t, asUsual(or(tc.spec, keptSpec)), map[string]string{
		keyWorkspace: or(tc.pvc, boundPVC),
		keyServer:    asUsual(keptServer) + or(tc.server, booting),
	}, fetched)
	s.now = podNow(t)
	s.fetched[requiredAttachments] = &fnv1.Resources{}
	for _, text := range tc.attachments {
		s.fetched[requiredAttachments].Items = append(s.fetched[requiredAttachments].Items, &fnv1.Resource{Resource: objectOf(t, text).Struct})
	}
	return s
}

func judgePods(t *testing.T, cases map[string]podCase) {
	t.Helper()
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, judge(tc.situation(t)), cmp.AllowUnexported(verdict{})); diff != "" {
				t.Errorf("\n%s\njudge(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestPodTrouble(t *testing.T) {
	const crashing = scheduledPod + `{name: notebook, state: {waiting: {reason: CrashLoopBackOff}}, lastState: {terminated: {exitCode: 1, reason: Error}}}`
	judgePods(t, map[string]podCase{
		"NoPod": {
			reason: "The Deployment is about to make it.",
			want:   verdict{v1.PhaseCreating, "Starting", startingMessage},
		},
		"Unknown": {
			reason: "A pod may say nothing at all.",
			pod:    `{}`,
			want:   verdict{v1.PhaseCreating, "Starting", startingMessage},
		},
		"Creating": {
			reason: "The image is being pulled: nothing is wrong.",
			pod:    scheduledPod + `{name: notebook, ready: false, started: false, state: {waiting: {reason: ContainerCreating}}, lastState: {}}`,
			want:   verdict{v1.PhaseCreating, "Starting", startingMessage},
		},
		"OldPod": {
			reason: "That the server before a correction crashed says nothing.",
			pod:    crashing, server: `{observedGeneration: 2, replicas: 1, updatedReplicas: 0}`,
			want: verdict{v1.PhaseCreating, "RollingOut", "rolling out the change: the old server shuts down, and then the new one starts"},
		},
		"Failed": {
			reason: "A failure does not become worse.",
			pod:    crashing, server: overdue,
			want: verdict{v1.PhaseFailed, "ServerCrashed", "the server crashed with exit code 1: kubectl logs deployment/alpha --previous shows more"},
		},
		"Overdue": {
			reason: "What keeps the server for too long is a failure.",
			pod:    mountingPod, server: overdue,
			want: verdict{v1.PhaseFailed, "PodStarting", "the server's pod waits on node node-a for its volumes or its network: see whether ConfigMap settings, PersistentVolumeClaim data, Secret keys of mounts exist; if this lasts, kubectl describe pod -l notebook-name=alpha says why (for 30 minutes)"},
		},
		"NobodyKnows": {
			reason: "If nothing explains it, there are still the events.",
			pod:    scheduledPod + `{name: notebook, state: {waiting: {reason: ContainerCreating}}}`, server: overdue,
			want: verdict{v1.PhaseFailed, "DeadlineExceeded", `the server did not start in 30 minutes: ReplicaSet "alpha-1" has timed out progressing; see the events of its pod for the reason`},
		},
		"Evicted": {
			reason: "The Deployment makes another one, and this one stays as a record.",
			pod:    `{metadata: {name: alpha-1}, status: {phase: Failed, reason: Evicted, message: "Pod ephemeral local storage usage exceeds the total limit of containers 10Mi. "}}`,
			want:   verdict{v1.PhaseCreating, "Evicted", "the server's pod was taken from its node (Evicted: Pod ephemeral local storage usage exceeds the total limit of containers 10Mi), and a new one is made"},
		},
		"Rejected": {
			reason: "The node itself may refuse what the scheduler gave it.",
			pod:    `{metadata: {name: alpha-1}, status: {phase: Failed, reason: OutOfcpu, message: "Pod was rejected: Node didn't have enough resource: cpu, requested: 99000, used: 200, capacity: 2000"}}`,
			want:   verdict{v1.PhaseCreating, "Evicted", "the server's pod was taken from its node (OutOfcpu: Pod was rejected: Node didn't have enough resource: cpu, requested: 99000, used: 200, capacity: 2000), and a new one is made"},
		},
		"FailedSilently": {
			reason: "A pod may fail without a word.",
			pod:    `{metadata: {name: alpha-1}, status: {phase: Failed}}`,
			want:   verdict{v1.PhaseCreating, "Evicted", "the server's pod was taken from its node, and a new one is made"},
		},
	})
}

func TestBlind(t *testing.T) {
	const hint = "; this platform does not let notebooks look at their pods: kubectl describe pod -l notebook-name=alpha says more"
	crashing := scheduledPod + `{name: notebook, state: {waiting: {reason: CrashLoopBackOff}}, lastState: {terminated: {exitCode: 1, reason: Error}}}`
	cases := map[string]struct {
		reason string
		server string
		want   verdict
	}{
		"Starting": {reason: "A pod that is known for its node says no more.", server: booting, want: verdict{v1.PhaseCreating, "Starting", startingMessage + hint}},
		"Overdue": {
			reason: "Nobody knows why.", server: overdue,
			want: verdict{v1.PhaseFailed, "DeadlineExceeded", `the server did not start in 30 minutes: ReplicaSet "alpha-1" has timed out progressing` + hint},
		},
		"Ready": {reason: "There is nothing to look for.", server: serving, want: verdict{v1.PhaseReady, "Ready", "the notebook is ready"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := podCase{pod: crashing, server: tc.server}.situation(t)
			s.policy.Diagnostics.Pods = new(false)
			if diff := cmp.Diff(tc.want, judge(s), cmp.AllowUnexported(verdict{})); diff != "" {
				t.Errorf("\n%s\njudge(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestNotAnswering(t *testing.T) {
	const elsewhere = "its command or image must start Jupyter on port 8888 with base URL /, or is slow, so look into its log"
	const killed = scheduledPod + `{name: notebook, state: {waiting: {reason: CrashLoopBackOff}}, lastState: {terminated: {reason: Error, `
	judgePods(t, map[string]podCase{
		"Never": {
			reason: "It has been long enough to be worth a word.",
			pod:    runningPod + `{type: Ready, status: "False", lastTransitionTime: "2026-11-30T10:59:00Z"}`,
			want:   verdict{v1.PhaseCreating, "NotAnswering", "the server runs, but does not answer at http://localhost:8888/api: " + elsewhere},
		},
		"NotYet": {
			reason: "Some need two minutes.",
			pod:    strings.Replace(runningPod, `startedAt: "2026-11-30T11:00:00Z"`, `startedAt: "2026-11-30T11:58:00Z"`, 1) + `{type: Ready, status: "False", lastTransitionTime: "2026-11-30T11:57:00Z"}`,
			want:   verdict{v1.PhaseCreating, "Starting", startingMessage},
		},
		"NotAnyMore": {
			reason: "It was ready after it had started.",
			pod:    runningPod + `{type: Ready, status: "False", lastTransitionTime: "2026-11-30T11:59:59Z"}`,
			want:   verdict{v1.PhaseCreating, "NotAnswering", "the server does not answer at the moment: if this lasts, something in it uses all of its CPU or memory, so ask for more, or restart it with restartedAt"},
		},
		"NotAnyMoreAfterCrash": {
			reason: "An earlier crash has nothing to do with it.",
			pod:    strings.Replace(runningPod, `lastState: {}`, `lastState: {terminated: {exitCode: 1}}`, 1) + `{type: Ready, status: "False", lastTransitionTime: "2026-11-30T11:59:59Z"}`,
			want:   verdict{v1.PhaseCreating, "NotAnswering", "the server does not answer at the moment: if this lasts, something in it uses all of its CPU or memory, so ask for more, or restart it with restartedAt"},
		},
		"Killed": {
			reason: "The start-up probe had it killed.",
			pod:    killed + `exitCode: 137, startedAt: "2026-11-30T11:00:02Z", finishedAt: "2026-11-30T11:10:03Z"}}}`,
			want:   verdict{v1.PhaseFailed, "NotAnswering", "the server did not answer at http://localhost:8888/api for 10 minutes, and was restarted: " + elsewhere},
		},
		"ShutDown": {
			reason: "Jupyter ends in peace when it is asked to.",
			pod:    killed + `exitCode: 0, startedAt: "2026-11-30T11:00:02Z", finishedAt: "2026-11-30T11:10:03Z"}}}`,
			want:   verdict{v1.PhaseFailed, "NotAnswering", "the server did not answer at http://localhost:8888/api for 10 minutes, and was restarted: " + elsewhere},
		},
		"ShutDownByUser": {
			reason: "It was ready, and so not ended by the start-up probe.",
			pod: strings.Replace(killed, `lastTransitionTime: "2026-11-30T11:00:00Z"}
  - {type: PodScheduled`, `lastTransitionTime: "2026-11-30T11:59:00Z"}
  - {type: PodScheduled`, 1) + `exitCode: 0, startedAt: "2026-11-30T11:00:02Z", finishedAt: "2026-11-30T11:59:00Z"}}}`,
			want: verdict{v1.PhaseCreating, "Restarting", "the server ended by itself (for example somebody shut it down), and starts again: to stop it, set stopped to true"},
		},
		"SlowCrash": {
			reason: "What ends by its own fault says why.",
			pod:    killed + `exitCode: 1, message: "no space left", startedAt: "2026-11-30T11:00:02Z", finishedAt: "2026-11-30T11:20:03Z"}}}`,
			want:   verdict{v1.PhaseFailed, "ServerCrashed", "the server crashed with exit code 1 (no space left): kubectl logs deployment/alpha --previous shows more"},
		},
	})
}

func TestVolumeAttachments(t *testing.T) {
	const (
		waits     = "the server's pod waits on node node-a for its volumes or its network: see whether ConfigMap settings, PersistentVolumeClaim data, Secret keys of mounts exist; if this lasts, kubectl describe pod -l notebook-name=alpha says why"
		here      = `{spec: {nodeName: node-a, source: {persistentVolumeName: pv-1}}, status: {attached: `
		elsewhere = `{spec: {nodeName: node-b, source: {persistentVolumeName: pv-1}}, status: {attached: `
	)
	judgePods(t, map[string]podCase{
		"Elsewhere": {
			reason: "Another node has the volume.",
			pod:    mountingPod, pvc: attachedPVC, attachments: []string{here + `false}}`, elsewhere + `true}}`},
			want: verdict{v1.PhaseCreating, "VolumeInUse", "the workspace's volume is still attached to node node-b, where another pod has it or had it: stop what uses it there, or ask your platform team if that node is gone"},
		},
		"OnTheWayHere": {
			reason: "The storage says why not.",
			pod:    mountingPod, pvc: attachedPVC, attachments: []string{elsewhere + `false}}`, here + `false, attachError: {message: "rpc error: volume is busy"}}}`},
			want: verdict{v1.PhaseCreating, "VolumeAttachPending", "the workspace's volume is not attached to node node-a yet (rpc error: volume is busy): if this lasts, ask your platform team"},
		},
		"OtherVolume": {
			reason: "Volumes of others are attached everywhere.",
			pod:    mountingPod, pvc: attachedPVC, attachments: []string{strings.Replace(elsewhere, "pv-1", "pv-2", 1) + `true}}`},
			want: verdict{v1.PhaseCreating, "PodStarting", waits},
		},
		"Shared": {
			reason: "Such a volume may be on many nodes.",
			pod:    mountingPod, pvc: strings.Replace(attachedPVC, "ReadWriteOnce", "ReadWriteMany", 1), attachments: []string{elsewhere + `true}}`},
			want: verdict{v1.PhaseCreating, "PodStarting", waits},
		},
		"Here": {
			reason: "The volume has moved.",
			pod:    mountingPod, pvc: attachedPVC, attachments: []string{elsewhere + `true}}`, here + `true}}`},
			want: verdict{v1.PhaseCreating, "PodStarting", waits},
		},
		"NotYet": {
			reason: "A minute is not long.",
			pod:    strings.ReplaceAll(mountingPod, "11:00:00Z", "11:59:00Z"), pvc: attachedPVC, attachments: []string{elsewhere + `true}}`},
			want: verdict{v1.PhaseCreating, "Starting", startingMessage},
		},
		"NoMounts": {
			reason: "There is nothing else of the claim's to look at.",
			pod:    strings.Replace(mountingPod, "volumes:", "others:", 1),
			want:   verdict{v1.PhaseCreating, "PodStarting", "the server's pod waits on node node-a for its volumes or its network: if this lasts, kubectl describe pod -l notebook-name=alpha says why"},
		},
	})
}

func TestAgentFailing(t *testing.T) {
	withAgent := strings.Replace(scheduledPod, "nodeName:", "initContainers: [{name: activity-agent, image: registry.example.org/agent:nope}], nodeName:", 1) + `{name: notebook, state: {waiting: {reason: PodInitializing}}, lastState: {}}
  initContainerStatuses:
  - `
	const failing = "the platform's activity agent (registry.example.org/agent:nope) does not start, and the server waits for it"
	judgePods(t, map[string]podCase{
		"Image": {
			reason: "Nodes pull the agent's image, too.",
			pod:    withAgent + `{name: activity-agent, state: {waiting: {reason: ImagePullBackOff, message: 'Back-off pulling image "registry.example.org/agent:nope": ErrImagePull: rpc error: code = NotFound desc = failed to pull and unpack image "registry.example.org/agent:nope": failed to resolve reference "registry.example.org/agent:nope": registry.example.org/agent:nope: not found'}}}`,
			want:   verdict{v1.PhaseFailed, "AgentFailing", failing + " (registry.example.org/agent:nope: not found): ask your platform team to correct it"},
		},
		"Crash": {
			reason: "It ends before the server may start.",
			pod:    withAgent + `{name: activity-agent, state: {waiting: {reason: CrashLoopBackOff, message: back-off 10s restarting failed container}}, lastState: {terminated: {exitCode: 2, message: "cannot read the token\n"}}}`,
			want:   verdict{v1.PhaseFailed, "AgentFailing", failing + " (cannot read the token): ask your platform team to correct it"},
		},
		"CrashAgain": {
			reason: "It says the same while it runs again.",
			pod:    withAgent + `{name: activity-agent, state: {running: {}}, lastState: {terminated: {exitCode: 2, message: "cannot read the token\n"}}}`,
			want:   verdict{v1.PhaseFailed, "AgentFailing", failing + " (cannot read the token): ask your platform team to correct it"},
		},
		"Reports": {
			reason: "It ends to report.",
			pod:    withAgent + `{name: activity-agent, state: {waiting: {reason: CrashLoopBackOff}}, lastState: {terminated: {exitCode: 0, message: '{"state":"Active"}'}}}`,
			want:   verdict{v1.PhaseCreating, "Starting", startingMessage},
		},
		"ServerRuns": {
			reason: "The server does not wait for it any more.",
			pod:    strings.Replace(withAgent, "waiting: {reason: PodInitializing}", `running: {startedAt: "2026-11-30T11:59:00Z"}`, 1) + `{name: activity-agent, lastState: {terminated: {exitCode: 2}}}`,
			want:   verdict{v1.PhaseCreating, "Starting", startingMessage},
		},
		"Starts": {
			reason: "It is being pulled.",
			pod:    withAgent + `{name: activity-agent, state: {waiting: {reason: PodInitializing}}}`,
			want:   verdict{v1.PhaseCreating, "Starting", startingMessage},
		},
	})
}
