package fn

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

const (
	workspaceVolume = "workspace"
	shmVolume       = "shm"
	mountVolume     = "mount-" // And a number.
	shmPath         = "/dev/shm"

	defaultMountPath = "/home/jovyan/work"
)

// workspacePath is where the workspace is mounted, and what Jupyter shows.
func workspacePath(spec *v1.NotebookSpec) string {
	if spec.Volume.MountPath == "" {
		return defaultMountPath
	}
	return spec.Volume.MountPath
}

// podVolumes are the pod's volumes, and where its container mounts them. The
// workspace is the named PersistentVolumeClaim, or lasts as long as the pod.
func podVolumes(spec *v1.NotebookSpec, claimName string) ([]corev1.Volume, []corev1.VolumeMount) {
	volumes := []corev1.Volume{
		{Name: workspaceVolume, VolumeSource: workspaceSource(claimName)},
		{Name: configVolume, VolumeSource: configSource()},
	}
	mounts := []corev1.VolumeMount{
		{Name: workspaceVolume, MountPath: workspacePath(spec)},
		{Name: configVolume, MountPath: configPath, ReadOnly: true},
	}
	if size := shmSize(spec); size != nil {
		volumes = append(volumes, corev1.Volume{Name: shmVolume, VolumeSource: corev1.VolumeSource{
			EmptyDir: &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory, SizeLimit: size},
		}})
		mounts = append(mounts, corev1.VolumeMount{Name: shmVolume, MountPath: shmPath})
	}
	for i, m := range spec.Mounts {
		name := mountVolume + strconv.Itoa(i)
		volumes = append(volumes, corev1.Volume{Name: name, VolumeSource: mountSource(m)})
		mounts = append(mounts, corev1.VolumeMount{Name: name, MountPath: m.MountPath, SubPath: m.SubPath, ReadOnly: m.ReadOnly || m.PersistentVolumeClaim == ""})
	}
	return volumes, mounts
}

func workspaceSource(claimName string) corev1.VolumeSource {
	if claimName == "" {
		return corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}
	}
	return corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claimName}}
}

// configSource turns the pod's annotations into Jupyter's configuration files.
func configSource() corev1.VolumeSource {
	var items []corev1.DownwardAPIVolumeFile
	for _, file := range []string{serverConfig, notebookConfig} {
		items = append(items, corev1.DownwardAPIVolumeFile{
			Path:     file,
			FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.annotations['" + annotationPrefix + file + "']"},
		})
	}
	return corev1.VolumeSource{DownwardAPI: &corev1.DownwardAPIVolumeSource{Items: items}}
}

// shmSize is the claim's, or half of the memory limit, as Linux has it, or nil:
// without a limit nobody knows how much memory there is.
func shmSize(spec *v1.NotebookSpec) *resource.Quantity {
	if spec.ShmSize != nil {
		return spec.ShmSize
	}
	memory, limited := spec.Resources.Limits[corev1.ResourceMemory]
	if !limited || memory.Value() < 2 {
		return nil
	}
	return resource.NewQuantity(memory.Value()/2, resource.BinarySI)
}

func mountSource(m v1.Mount) corev1.VolumeSource {
	switch {
	case m.PersistentVolumeClaim != "":
		return corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: m.PersistentVolumeClaim, ReadOnly: m.ReadOnly}}
	case m.Secret != "":
		return corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: m.Secret}}
	default:
		return corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: m.ConfigMap}}}
	}
}
