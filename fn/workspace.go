package fn

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// annotationNotebook of a workspace is the exact name of its notebook. A
// retained workspace is known by it.
const annotationNotebook = annotationPrefix + "notebook"

// A workspace is what becomes of the notebook's files.
type workspace struct {
	// pvc to compose. Nil if the files are kept elsewhere or not at all.
	pvc *corev1.PersistentVolumeClaim

	// claimName of the PersistentVolumeClaim that the pod mounts. Empty if the
	// files are lost with the pod.
	claimName string

	// notDone says which changes were asked for and not made, and why.
	notDone []string
}

// planWorkspace never gives up a PersistentVolumeClaim that exists, whatever
// the spec says: Crossplane would delete it, and the files with it.
func planWorkspace(meta metav1.ObjectMeta, nb notebook, p plan, w world) workspace {
	existing, spec := w.composed[keyWorkspace], p.spec
	if spec.VolumeSize == nil && !existing.exists() {
		return workspace{claimName: spec.Volume.ExistingClaim}
	}
	if _, held := p.held[keyWorkspace]; held && !existing.exists() {
		ws := workspace{claimName: mountedClaim(w.composed[keyServer])} // The server goes on with what it has.
		ws.lacksQuota(p, fmt.Sprintf("volumeSize %s, so the notebook has no workspace of its own yet", spec.VolumeSize))
		return ws
	}
	meta.Annotations = map[string]string{annotationNotebook: nb.name}
	retain := spec.Volume.Retention == v1.RetentionRetain
	if retain {
		meta.OwnerReferences = retainedBy(meta.Namespace, existing, w)
	}
	pvc := &corev1.PersistentVolumeClaim{
		ObjectMeta: meta,
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes:      []corev1.PersistentVolumeAccessMode{accessMode(spec)},
			StorageClassName: spec.Volume.StorageClassName,
			Resources:        corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{}},
		},
	}
	if spec.VolumeSize != nil {
		pvc.Spec.Resources.Requests[corev1.ResourceStorage] = *spec.VolumeSize
	}
	ws := workspace{pvc: pvc, claimName: meta.Name}
	if existing.exists() {
		ws.keepImmutable(p, existing, w)
	}
	// Crossplane's server-side apply takes back only what the same composite resource
	// applied.
	made := existing.text("metadata", "creationTimestamp")
	if !retain && retainer(existing) != "" && made != "" && made < nb.applierSince {
		ws.refusef("volume.retention Delete is not applied, because an earlier notebook had the workspace retained: delete PersistentVolumeClaim %s yourself when this notebook is gone", meta.Name)
	}
	return ws
}

func accessMode(spec *v1.NotebookSpec) corev1.PersistentVolumeAccessMode {
	if spec.Volume.AccessMode == "" {
		return corev1.ReadWriteOnce
	}
	return spec.Volume.AccessMode
}

// keepImmutable replaces what cannot change by what it is. The API server would
// refuse the object otherwise, and nobody would tell the claim.
func (ws *workspace) keepImmutable(p plan, existing object, w world) {
	spec := p.spec
	if spec.Volume.ExistingClaim != "" {
		ws.refusef("volume.existingClaim %s is not used, because the notebook has a workspace of its own already: to move, make a new notebook", spec.Volume.ExistingClaim)
	}
	if class := existing.at("spec", "storageClassName"); class != nil || spec.Volume.StorageClassName != nil {
		name := class.GetStringValue()
		if want := spec.Volume.StorageClassName; want != nil && *want != name {
			ws.refusef("volume.storageClassName stays %q, because the class of a volume cannot change", name)
		}
		ws.pvc.Spec.StorageClassName = nil
		if class != nil {
			ws.pvc.Spec.StorageClassName = &name
		}
	}
	ws.keepAccessModes(spec, existing)
	ws.keepSize(p, existing, w)
}

func (ws *workspace) refusef(format string, args ...any) {
	ws.notDone = append(ws.notDone, fmt.Sprintf(format, args...))
}

func (ws *workspace) keepAccessModes(spec *v1.NotebookSpec, existing object) {
	var modes []corev1.PersistentVolumeAccessMode
	for _, m := range existing.at("spec", "accessModes").GetListValue().GetValues() {
		modes = append(modes, corev1.PersistentVolumeAccessMode(m.GetStringValue()))
	}
	if len(modes) == 0 {
		return
	}
	if want := spec.Volume.AccessMode; want != "" && want != modes[0] {
		ws.refusef("volume.accessMode stays %s, because the access mode of a volume cannot change", modes[0])
	}
	ws.pvc.Spec.AccessModes = modes
}

// lacksQuota says what is not done for want of quota, once that is known.
func (ws *workspace) lacksQuota(p plan, what string) {
	if words := p.held[keyWorkspace]; words != "" {
		ws.refusef("%s", noRoom(what, words, "delete"))
	}
}

// keepSize lets a bound volume grow if its class can and the quotas allow it, and
// nothing else.
func (ws *workspace) keepSize(p plan, existing object, w world) {
	have, err := parseQuantity(existing.text("spec", "resources", "requests", "storage"))
	if err != nil { // Not from an API server.
		return
	}
	requests := ws.pvc.Spec.Resources.Requests
	want, wanted := requests[corev1.ResourceStorage]
	if wanted && want.Cmp(have) > 0 && ws.canGrow(&want, &have, existing, w) {
		if _, held := p.held[keyWorkspace]; !held {
			return
		}
		ws.lacksQuota(p, fmt.Sprintf("volumeSize %s, so the workspace stays at %s", &want, &have))
	}
	switch {
	case !wanted && p.spec.Volume.ExistingClaim == "":
		ws.refusef("volumeSize was removed, and the workspace of %s stays: to be rid of its files, delete the notebook", &have)
	case wanted && want.Cmp(have) < 0:
		ws.refusef("volumeSize %s is less than the workspace's %s, and a volume cannot shrink: it stays as it is", &want, &have)
	}
	requests[corev1.ResourceStorage] = have
}

// canGrow asks the class before Crossplane asks the API server, whose refusal
// would stop everything else that the notebook needs.
func (ws *workspace) canGrow(want, have *resource.Quantity, existing object, w world) bool {
	class, asked := w.storageClass()
	switch {
	case existing.text("status", "phase") != string(corev1.ClaimBound):
		ws.refusef("volumeSize %s waits until the workspace of %s is bound to a volume", want, have)
	case existing.text("spec", "storageClassName") == "":
		ws.refusef("volumeSize %s is not applied, because the workspace has no storage class that could grow it: it stays at %s", want, have)
	case !asked: // Crossplane fetches it and calls again.
	case !class.exists():
		ws.refusef("volumeSize %s is not applied, because the storage class %q does not exist any more: the workspace stays at %s", want, existing.text("spec", "storageClassName"), have)
	case !class.at("allowVolumeExpansion").GetBoolValue():
		ws.refusef("volumeSize %s is not applied, because volumes of the storage class %q cannot grow: the workspace stays at %s", want, class.text("metadata", "name"), have)
	default:
		return true
	}
	return false
}

// wantsGrowth tells whether the storage class must be asked.
func wantsGrowth(spec *v1.NotebookSpec, existing object) bool {
	have, err := parseQuantity(existing.text("spec", "resources", "requests", "storage"))
	return err == nil && spec.VolumeSize != nil && spec.VolumeSize.Cmp(have) > 0 && existing.text("spec", "storageClassName") != ""
}

// growth is by how much the workspace grows if the quotas allow it.
func growth(spec *v1.NotebookSpec, existing object, w world) resource.Quantity {
	have, err := parseQuantity(existing.text("spec", "resources", "requests", "storage"))
	if err != nil || !wantsGrowth(spec, existing) || !new(workspace).canGrow(spec.VolumeSize, &have, existing, w) {
		return resource.Quantity{}
	}
	more := spec.VolumeSize.DeepCopy()
	more.Sub(have)
	return more
}

// retainedBy makes the namespace a second owner of the workspace: when the
// notebook goes, Kubernetes' garbage collector keeps what still has an owner.
func retainedBy(namespace string, existing object, w world) []metav1.OwnerReference {
	uid := w.namespaceUID()
	if uid == "" {
		uid = retainer(existing)
	}
	if uid == "" { // Crossplane fetches the namespace and calls again.
		return nil
	}
	return []metav1.OwnerReference{{APIVersion: "v1", Kind: "Namespace", Name: namespace, UID: types.UID(uid)}}
}

// retainer is the UID of the namespace that owns a workspace, or empty.
func retainer(pvc object) string {
	for _, owner := range pvc.list("metadata", "ownerReferences") {
		if owner.text("kind") == "Namespace" && owner.text("apiVersion") == "v1" {
			return owner.text("uid")
		}
	}
	return ""
}

// isRetained tells a workspace that an earlier notebook of this name left.
func isRetained(pvc object, notebook string) bool {
	return !pvc.deleting() && pvc.controller() == "" &&
		pvc.annotation(annotationNotebook) == notebook &&
		pvc.text("metadata", "labels", "app.kubernetes.io/managed-by") == managedBy
}
