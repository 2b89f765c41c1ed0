package fn

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

func TestPodVolumes(t *testing.T) {
	type args struct{ spec, claimName string }
	type want struct{ volumes, mounts string }
	// What every pod has besides its workspace.
	const (
		config = `
- name: jupyter-config
  downwardAPI:
    items:
    - path: jupyter_server_config.json
      fieldRef: {apiVersion: v1, fieldPath: "metadata.annotations['mlops.function-jupyter.dev/jupyter_server_config.json']"}
    - path: jupyter_notebook_config.json
      fieldRef: {apiVersion: v1, fieldPath: "metadata.annotations['mlops.function-jupyter.dev/jupyter_notebook_config.json']"}`
		configMount = `
- {name: jupyter-config, mountPath: /etc/function-jupyter, readOnly: true}`
	)
	cases := map[string]struct {
		reason string
		args   args
		want   want
	}{
		"Ephemeral": {
			reason: "Without a PersistentVolumeClaim the workspace lasts as long as the pod.",
			args:   args{spec: `image: jupyter/a`},
			want: want{
				volumes: `[{name: workspace, emptyDir: {}}]`,
				mounts:  `[{name: workspace, mountPath: /home/jovyan/work}]`,
			},
		},
		"Persistent": {
			reason: "The workspace is the PersistentVolumeClaim, wherever the claim wants it.",
			args:   args{spec: `{image: jupyter/a, volume: {mountPath: /data}}`, claimName: "alpha-workspace"},
			want: want{
				volumes: `[{name: workspace, persistentVolumeClaim: {claimName: alpha-workspace}}]`,
				mounts:  `[{name: workspace, mountPath: /data}]`,
			},
		},
		"Shm": {
			reason: "Shared memory is memory, and has a limit.",
			args:   args{spec: `{image: jupyter/a, shmSize: 1Gi}`},
			want: want{
				volumes: `[{name: workspace, emptyDir: {}}, {name: shm, emptyDir: {medium: Memory, sizeLimit: 1Gi}}]`,
				mounts:  `[{name: workspace, mountPath: /home/jovyan/work}, {name: shm, mountPath: /dev/shm}]`,
			},
		},
		"Mounts": {
			reason: "Secrets and ConfigMaps are read-only, PersistentVolumeClaims if the claim says so.",
			args: args{spec: `
image: jupyter/a
mounts:
- {mountPath: /shared, persistentVolumeClaim: shared}
- {mountPath: /corpus, persistentVolumeClaim: corpus, readOnly: true, subPath: en/2026}
- {mountPath: /keys, secret: keys}
- {mountPath: /settings, configMap: settings, readOnly: false}`},
			want: want{
				volumes: `
- {name: workspace, emptyDir: {}}
- {name: mount-0, persistentVolumeClaim: {claimName: shared}}
- {name: mount-1, persistentVolumeClaim: {claimName: corpus, readOnly: true}}
- {name: mount-2, secret: {secretName: keys}}
- {name: mount-3, configMap: {name: settings}}`,
				mounts: `
- {name: workspace, mountPath: /home/jovyan/work}
- {name: mount-0, mountPath: /shared}
- {name: mount-1, mountPath: /corpus, readOnly: true, subPath: en/2026}
- {name: mount-2, mountPath: /keys, readOnly: true}
- {name: mount-3, mountPath: /settings, readOnly: true}`,
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			volumes, mounts := podVolumes(specOf(t, tc.args.spec), tc.args.claimName)
			wantVolumes := insertSecond(typedOf[[]corev1.Volume](t, tc.want.volumes), typedOf[[]corev1.Volume](t, config)[0])
			if diff := cmp.Diff(wantVolumes, volumes); diff != "" {
				t.Errorf("\n%s\npodVolumes(...): volumes: -want, +got:\n%s", tc.reason, diff)
			}
			wantMounts := insertSecond(typedOf[[]corev1.VolumeMount](t, tc.want.mounts), typedOf[[]corev1.VolumeMount](t, configMount)[0])
			if diff := cmp.Diff(wantMounts, mounts); diff != "" {
				t.Errorf("\n%s\npodVolumes(...): mounts: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// insertSecond puts what every pod has after its workspace.
func insertSecond[T any](list []T, second T) []T {
	return append([]T{list[0], second}, list[1:]...)
}

func TestShmSize(t *testing.T) {
	cases := map[string]struct {
		reason string
		spec   string
		want   string
	}{
		"Asked":         {reason: "The claim decides.", spec: `{image: jupyter/a, shmSize: 3Gi, resources: {limits: {memory: 4Gi}}}`, want: "3Gi"},
		"HalfOfMemory":  {reason: "Linux gives half of the memory, too.", spec: `{image: jupyter/a, resources: {limits: {memory: 4Gi}}}`, want: "2Gi"},
		"NoLimit":       {reason: "Nobody knows how much memory the server has.", spec: `{image: jupyter/a, resources: {requests: {memory: 4Gi}}}`},
		"UselessMemory": {reason: "Half of one byte is nothing.", spec: `{image: jupyter/a, resources: {limits: {memory: 1}}}`},
		"UnevenMemory":  {reason: "There are no half bytes.", spec: `{image: jupyter/a, resources: {limits: {memory: 5}}}`, want: "2"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := ""
			if size := shmSize(specOf(t, tc.spec)); size != nil {
				got = size.String()
			}
			if got != tc.want {
				t.Errorf("\n%s\nshmSize(...): want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}
