package fn

import (
	"fmt"
	"testing"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

func TestUnschedulable(t *testing.T) {
	const preempts = " no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling."
	pending := func(message string) string {
		return fmt.Sprintf(`
metadata: {name: alpha-1, creationTimestamp: "2026-11-30T11:00:00Z"}
spec: {nodeSelector: {disk: fast, arch: arm}, containers: [{name: notebook, resources: {limits: {nvidia.com/gpu: "1"}, requests: {cpu: "90", memory: 900Gi, nvidia.com/gpu: "1"}}}]}
status: {phase: Pending, conditions: [{type: PodScheduled, status: "False", reason: Unschedulable, message: %q}]}`, message)
	}
	unschedulable := func(message string) verdict { return verdict{v1.PhaseCreating, "Unschedulable", message} }
	const less = "ask for less in resources, stop another notebook, or ask your platform team for such a node"
	judgePods(t, map[string]podCase{
		"GPU": {
			reason: "How many nodes there are says nothing.",
			pod:    pending("0/1 nodes are available: 1 Insufficient nvidia.com/gpu." + preempts),
			want:   unschedulable("no node has 1 nvidia.com/gpu free: " + less),
		},
		"Older": {
			reason: "Earlier schedulers ended the sentence in other ways.",
			pod:    pending("0/1 nodes are available: 1 Insufficient nvidia.com/gpu. preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod."),
			want:   unschedulable("no node has 1 nvidia.com/gpu free: " + less),
		},
		"CPUAndMemory": {
			reason: "All that is short is named, with its amount.",
			pod:    pending("0/1 nodes are available: 1 Insufficient cpu, 1 Insufficient memory." + preempts),
			want:   unschedulable("no node suits the server, because no node has 90 cpu free, and no node has 900Gi memory free: " + less),
		},
		"Selector": {
			reason: "The labels are named.",
			pod:    pending("0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector." + preempts),
			want:   unschedulable("no node has the labels of nodeSelector (arch=arm, disk=fast): correct nodeSelector"),
		},
		"Taints": {
			reason: "Newer schedulers do not say which.",
			pod:    pending("0/2 nodes are available: 1 Insufficient nvidia.com/gpu, 1 node(s) had untolerated taint(s)." + preempts),
			want:   unschedulable("no node suits the server, because no node has 1 nvidia.com/gpu free, and the taints of some nodes keep it out: " + less + "; or write tolerations for them"),
		},
		"Taint": {
			reason: "Older ones do.",
			pod:    pending("0/2 nodes are available: 2 node(s) had untolerated taint {dedicated: ml}. preemption: …"),
			want:   unschedulable("some nodes have the taint dedicated=ml: write a toleration for it"),
		},
		"ControlPlane": {
			reason: "Nobody wants to run a notebook there.",
			pod:    pending("0/4 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, 3 Insufficient nvidia.com/gpu. preemption: …"),
			want:   unschedulable("no node has 1 nvidia.com/gpu free: " + less),
		},
		"OnlyControlPlane": {
			reason: "There is nothing else.",
			pod:    pending("0/1 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }. preemption: …"),
			want:   unschedulable("the others are for the control plane: ask your platform team for a node"),
		},
		"NotReady": {
			reason: "Kubernetes taints nodes that do not work.",
			pod:    pending("0/1 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/not-ready: }. preemption: …"),
			want:   unschedulable("some nodes are not-ready: wait until they work again"),
		},
		"FarVolume": {
			reason: "The volume is in another zone.",
			pod:    pending("0/1 nodes are available: 1 node(s) didn't match PersistentVolume's node affinity." + preempts),
			want:   unschedulable("the volume is where no such node is: ask your platform team for a node in its zone"),
		},
		"Unknown": {
			reason: "Other schedulers and plugins have their own words.",
			pod:    pending("0/1 nodes are available: 1 node(s) had no magic." + preempts),
			want:   unschedulable("the scheduler says: node(s) had no magic: ask your platform team"),
		},
		"NoNodes": {
			reason: "So does a cluster without nodes.",
			pod:    pending("no nodes available to schedule pods"),
			want:   unschedulable("the scheduler says: no nodes available to schedule pods: ask your platform team"),
		},
		"WorkspaceUnbound": {
			reason: "What the workspace waits for is said of the workspace.",
			pod:    pending("0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found"), pvc: pendingPVC,
			want: verdict{v1.PhaseCreating, "VolumePending", `the workspace alpha-workspace waits for a volume of storage class "fast" (some classes make one only when the server's pod has found a node)`},
		},
		"WorkspaceMissing": {
			reason: "It is being created, too.",
			pod:    pending(`0/1 nodes are available: persistentvolumeclaim "alpha-workspace" not found. not found`),
			want:   verdict{v1.PhaseCreating, "Starting", startingMessage},
		},
		"MountUnbound": {
			reason: "The workspace is bound, so it is another one.",
			pod:    pending("0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found"),
			want:   unschedulable("a PersistentVolumeClaim of mounts has no volume: see with kubectl describe pvc what it waits for"),
		},
		"MountMissing": {
			reason: "It is the user's to create.",
			pod:    pending(`0/1 nodes are available: persistentvolumeclaim "data" not found. not found`),
			want:   unschedulable("PersistentVolumeClaim data of mounts does not exist: create it, or remove it from mounts"),
		},
		"FirstConsumer": {
			reason: "A workspace that waits for the pod must not hide that the pod waits for a node.",
			pod:    pending("0/1 nodes are available: 1 Insufficient nvidia.com/gpu." + preempts), pvc: pendingPVC,
			want: unschedulable("no node has 1 nvidia.com/gpu free: " + less),
		},
		"Overdue": {
			reason: "Nobody should wait for a GPU that never comes.",
			pod:    pending("0/1 nodes are available: 1 Insufficient nvidia.com/gpu." + preempts), server: overdue,
			want: verdict{v1.PhaseFailed, "Unschedulable", "no node has 1 nvidia.com/gpu free: " + less + " (for 30 minutes)"},
		},
		"Scheduled": {
			reason: "The pod has a node.",
			pod:    `{metadata: {name: alpha-1}, status: {conditions: [{type: PodScheduled, status: "True"}]}}`,
			want:   verdict{v1.PhaseCreating, "Starting", startingMessage},
		},
	})
}
