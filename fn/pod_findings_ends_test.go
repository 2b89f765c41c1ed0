package fn

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// TestEnds checks what is said of a server that ended, which must be the same
// while kubelet waits and starts it again.
func TestEnds(t *testing.T) {
	const more = ": kubectl logs deployment/alpha --previous shows more"
	cases := map[string]struct {
		reason string
		end    string
		want   verdict
	}{
		"OutOfMemory": {
			reason: "The limit is what to change.",
			end:    `{exitCode: 137, reason: OOMKilled}`,
			want:   verdict{v1.PhaseFailed, "OutOfMemory", "the server ran out of memory (limit 1Gi): work on less data at a time, or raise resources.limits.memory"},
		},
		"LostMemory": {
			reason: "The program that started the server may end in another way than the server.",
			end:    `{exitCode: 3, reason: OOMKilled, message: "Killed\n"}`,
			want:   verdict{v1.PhaseFailed, "OutOfMemory", "the server ran out of memory (limit 1Gi): work on less data at a time, or raise resources.limits.memory"},
		},
		"SurvivedOutOfMemory": {
			reason: "A kernel was killed, and much later somebody shut the server down.",
			end:    `{exitCode: 0, reason: OOMKilled}`,
			want:   verdict{v1.PhaseCreating, "Restarting", "the server ended by itself (for example somebody shut it down), and starts again: to stop it, set stopped to true"},
		},
		"Crash": {
			reason: "What it said last is what its user must know.",
			end:    `{exitCode: 1, reason: Error, message: "Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\n    import nosuchmodule\nModuleNotFoundError: No module named 'nosuchmodule'\n"}`,
			want:   verdict{v1.PhaseFailed, "ServerCrashed", "the server crashed with exit code 1 (ModuleNotFoundError: No module named 'nosuchmodule')" + more},
		},
		"Critical": {
			reason: "Standard output and standard error come in any order.",
			end:    `{exitCode: 1, reason: Error, message: "[C 2026-11-30 12:00:00.123 ServerApp] ERROR: the notebook server could not be started because port 8888 is not available.\n[I 2026-11-30 12:00:00.123 ServerApp] hello\n"}`,
			want:   verdict{v1.PhaseFailed, "ServerCrashed", "the server crashed with exit code 1 (ERROR: the notebook server could not be started because port 8888 is not available)" + more},
		},
		"Silent": {
			reason: "Not all say something.",
			end:    `{exitCode: 2, reason: Error}`,
			want:   verdict{v1.PhaseFailed, "ServerCrashed", "the server crashed with exit code 2" + more},
		},
		"Signal": {
			reason: "A signal has a name.",
			end:    `{exitCode: 139, reason: Error, message: "Fatal Python error: Segmentation fault at 0x00007f1c2d3e4f50"}`,
			want:   verdict{v1.PhaseFailed, "ServerCrashed", "the server crashed with exit code 139, SIGSEGV (Fatal Python error: Segmentation fault at …)" + more},
		},
		"ByItself": {
			reason: "Jupyter's menu has an entry for it.",
			end:    `{exitCode: 0, reason: Completed}`,
			want:   verdict{v1.PhaseCreating, "Restarting", "the server ended by itself (for example somebody shut it down), and starts again: to stop it, set stopped to true"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for state, pod := range map[string]string{
				"ended":   `{name: notebook, started: false, state: {terminated: ` + tc.end + `}, lastState: {}}`,
				"waiting": `{name: notebook, started: false, state: {waiting: {reason: CrashLoopBackOff, message: 'back-off 10s restarting failed container=notebook pod=alpha-1_team-a(18a931e4-4b27-48df-ba9c-4e1668a62ef4)'}}, lastState: {terminated: ` + tc.end + `}}`,
				"running": `{name: notebook, started: false, state: {running: {startedAt: "2026-11-30T11:59:59Z"}}, lastState: {terminated: ` + tc.end + `}}`,
			} {
				got := judge(podCase{pod: scheduledPod + pod}.situation(t))
				if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(verdict{})); diff != "" {
					t.Errorf("\n%s\njudge(...) while %s: -want, +got:\n%s", tc.reason, state, diff)
				}
			}
		})
	}
}

func TestContainerRefused(t *testing.T) {
	const (
		shim    = `failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: `
		refused = "the server's container cannot be started"
		advice  = ": correct image, command, args or mounts"
	)
	waiting := func(reason, message string) string {
		return fmt.Sprintf(scheduledPod+`{name: notebook, state: {waiting: {reason: %s, message: %q}}, lastState: {}}`, reason, message)
	}
	notFound := verdict{v1.PhaseFailed, "ContainerRefused", refused + ` (exec: "no-such-command": executable file not found in $PATH)` + advice}
	judgePods(t, map[string]podCase{
		"NoCommand": {
			reason: "The runtime's long story ends in the cause.",
			pod:    waiting("RunContainerError", shim+`exec: "no-such-command": executable file not found in $PATH: unknown`),
			want:   notFound,
		},
		"NoCommandBackOff": {
			reason: "While kubelet waits it says the same in another place.",
			pod:    fmt.Sprintf(scheduledPod+`{name: notebook, state: {waiting: {reason: CrashLoopBackOff}}, lastState: {terminated: {exitCode: 128, reason: StartError, message: %q}}}`, shim+`exec: "no-such-command": executable file not found in $PATH: unknown`),
			want:   notFound,
		},
		"NoCommandDocker": {
			reason: "Other runtimes have another reason.",
			pod:    fmt.Sprintf(scheduledPod+`{name: notebook, state: {terminated: {exitCode: 127, reason: ContainerCannotRun, message: %q}}}`, `exec: "no-such-command": executable file not found in $PATH`),
			want:   notFound,
		},
		"Mount": {
			reason: "Where the node keeps things differs with each attempt.",
			pod:    waiting("RunContainerError", shim+`error during container init: error mounting "/var/lib/kubelet/pods/89abc071-5c10-4b21-b197-eb5434b7d1be/volumes/kubernetes.io~configmap/c" to rootfs at "/etc/passwd/x": open /run/k8s.io/83a9b812e1a674f299ec1d943513bef7a007bab16f82608a9cd9dbbfb76fb7dd/rootfs/etc/passwd/x: not a directory: unknown`),
			want:   verdict{v1.PhaseFailed, "ContainerRefused", refused + ` (error mounting "/var/lib/kubelet/pods/…/volumes/kubernetes.io~configmap/c" to rootfs at "/etc/passwd/x": open /run/k8s.io/…/rootfs/etc/passwd/x: not a directory)` + advice},
		},
		"Root": {
			reason: "What is wrong with its configuration is not that something is missing.",
			pod:    waiting("CreateContainerConfigError", `container's runAsUser breaks non-root policy (pod: "alpha-1_team-a(f2368230-043c-4e0c-897c-c29d716577b3)", container: notebook)`),
			want:   verdict{v1.PhaseFailed, "ContainerRefused", refused + ` (container's runAsUser breaks non-root policy (pod: "alpha-1_team-a(…)", container: notebook))` + advice},
		},
		"RunsAfterAll": {
			reason: "What was refused before was corrected.",
			pod:    scheduledPod + `{name: notebook, state: {running: {startedAt: "2026-11-30T11:59:00Z"}}, lastState: {terminated: {exitCode: 128, reason: StartError, message: x}}}`,
			want:   verdict{v1.PhaseCreating, "Starting", startingMessage},
		},
		"SecretMissing": {
			reason: "The Secret is named.",
			pod:    waiting("CreateContainerConfigError", `secret "nothing" not found`),
			want:   verdict{v1.PhaseFailed, "ConfigMissing", `the server cannot start, because env or envFrom name what does not exist (secret "nothing" not found): create it, or correct env and envFrom`},
		},
		"KeyMissing": {
			reason: "So is the key.",
			pod:    waiting("CreateContainerConfigError", `couldn't find key k in ConfigMap team-a/settings`),
			want:   verdict{v1.PhaseFailed, "ConfigMissing", `the server cannot start, because env or envFrom name what does not exist (couldn't find key k in ConfigMap team-a/settings): create it, or correct env and envFrom`},
		},
		"AccessSecretMissing": {
			reason: "Crossplane creates the Secret and the Deployment in any order.",
			pod:    waiting("CreateContainerConfigError", `secret "alpha-access" not found`),
			want:   verdict{v1.PhaseCreating, "Starting", startingMessage},
		},
	})
}

func TestRestartNote(t *testing.T) {
	ready := func(end string) string {
		return `{metadata: {name: alpha-1}, spec: {containers: [{name: notebook, resources: {limits: {memory: 1Gi}}}]}, status: {containerStatuses: [{name: notebook, ready: true, started: true, state: {running: {}}, lastState: {` + end + `}}]}}`
	}
	is := func(note string) verdict { return verdict{v1.PhaseReady, "Ready", "the notebook is ready" + note} }
	judgePods(t, map[string]podCase{
		"Never":       {reason: "It runs since it was started.", server: serving, pod: ready(``), want: is("")},
		"OutOfMemory": {reason: "Its kernels are gone, and this is why.", server: serving, pod: ready(`terminated: {exitCode: 137, reason: OOMKilled}`), want: is(", and was restarted because it ran out of memory (limit 1Gi)")},
		"Crashed":     {reason: "The same of any crash.", server: serving, pod: ready(`terminated: {exitCode: 1, reason: Error, message: "out of luck"}`), want: is(", and was restarted because it crashed with exit code 1 (out of luck)")},
		"ByItself":    {reason: "Who shut it down knows.", server: serving, pod: ready(`terminated: {exitCode: 0, reason: Completed}`), want: is("")},
		"NoPod":       {reason: "There is nothing to look at.", server: serving, want: is("")},
	})
}

func TestLastWords(t *testing.T) {
	long := strings.Repeat("x", maxLogTail)
	cases := map[string]struct{ reason, log, want string }{
		"None":     {reason: "Nothing was said."},
		"Blank":    {reason: "Nothing was said, at length.", log: "\n \n\t\n"},
		"Last":     {reason: "The end is what matters.", log: "a\nb\n\n", want: "b"},
		"Prefix":   {reason: "When and where it was said does not matter.", log: "[E 2026-11-30 12:00:00.123 ServerApp] no", want: "no"},
		"Classic":  {reason: "The classic Notebook leaves the date out.", log: "[W 12:00:00.123 NotebookApp] no", want: "no"},
		"Critical": {reason: "What is critical matters more than what comes after.", log: "[C 12:00:00.123 NotebookApp] no\nbye", want: "no"},
		"Colours":  {reason: "Jupyter colours its log.", log: "\x1b[31m[C 12:00:00.123 ServerApp]\x1b[m no", want: "no"},
		"Cut":      {reason: "Half a line may begin inside a token.", log: long + "\nend", want: "end"},
		"AllCut":   {reason: "Nothing whole is left.", log: long},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := lastWords(tc.log); got != tc.want {
				t.Errorf("\n%s\nlastWords(...): want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}
