package policy

import (
	"net/netip"
	"slices"

	"github.com/crossplane/function-sdk-go/errors"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/function-jupyter/function-jupyter/input/v1beta1"
)

// checkPod refuses what would make every notebook's pod invalid.
func checkPod(rules *v1beta1.Rules) error {
	p := rules.Pod
	for path, labels := range map[string]map[string]string{"labels": p.Labels, "nodeSelector": p.NodeSelector} {
		if errs := metav1validation.ValidateLabels(labels, field.NewPath("pod", path)); len(errs) > 0 {
			return errs[0]
		}
	}
	for key := range p.Annotations {
		if len(validation.IsQualifiedName(key)) > 0 {
			return errors.Errorf("pod.annotations has the key %q: write a name such as example.org/team", key)
		}
	}
	for _, name := range []struct{ field, text string }{
		{"priorityClassName", p.PriorityClassName}, {"runtimeClassName", p.RuntimeClassName}, {"queueName", p.QueueName},
	} {
		if name.text != "" && len(validation.IsDNS1123Subdomain(name.text)) > 0 {
			return errors.Errorf("pod.%s is %q, which cannot be the name of an object", name.field, name.text)
		}
	}
	for i, secret := range p.ImagePullSecrets {
		if len(validation.IsDNS1123Subdomain(secret.Name)) > 0 {
			return errors.Errorf("pod.imagePullSecrets[%d].name is %q, which cannot be the name of a Secret", i, secret.Name)
		}
	}
	if !slices.Contains([]string{"", "restricted", "baseline"}, p.SecurityLevel) {
		return errors.Errorf("pod.securityLevel is %q: write restricted or baseline", p.SecurityLevel)
	}
	return checkTolerations("pod", p.Tolerations)
}

func checkTolerations(path string, tolerations []corev1.Toleration) error {
	for i, t := range tolerations {
		switch {
		case t.Key != "" && len(validation.IsQualifiedName(t.Key)) > 0:
			return errors.Errorf("%s.tolerations[%d].key is %q, which cannot be the key of a taint", path, i, t.Key)
		case !slices.Contains([]corev1.TolerationOperator{"", corev1.TolerationOpEqual, corev1.TolerationOpExists}, t.Operator):
			return errors.Errorf("%s.tolerations[%d].operator is %q: write Equal or Exists", path, i, t.Operator)
		case t.Key == "" && t.Operator != corev1.TolerationOpExists:
			return errors.Errorf("%s.tolerations[%d] has no key: write one, or operator Exists to tolerate all taints", path, i)
		case t.Operator == corev1.TolerationOpExists && t.Value != "":
			return errors.Errorf("%s.tolerations[%d] has a value, and operator Exists takes none: leave one of the two out", path, i)
		case !slices.Contains([]corev1.TaintEffect{"", corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute}, t.Effect):
			return errors.Errorf("%s.tolerations[%d].effect is %q: write NoSchedule, PreferNoSchedule or NoExecute", path, i, t.Effect)
		case t.TolerationSeconds != nil && t.Effect != corev1.TaintEffectNoExecute:
			return errors.Errorf("%s.tolerations[%d].tolerationSeconds needs effect NoExecute", path, i)
		}
	}
	return nil
}

// checkNetwork refuses what would make every notebook's NetworkPolicy invalid.
func checkNetwork(rules *v1beta1.Rules) error {
	if err := checkPeers("network.from", rules.Network.From); err != nil {
		return err
	}
	if rules.Network.Egress == nil {
		return nil
	}
	for i, rule := range *rules.Network.Egress {
		if err := checkPeers(field.NewPath("network", "egress").Index(i).Child("to").String(), rule.To); err != nil {
			return err
		}
		for j, p := range rule.Ports {
			if p.Port == nil && p.EndPort != nil || p.EndPort != nil && (p.Port.IntValue() == 0 || *p.EndPort < p.Port.IntVal) {
				return errors.Errorf("network.egress[%d].ports[%d].endPort needs a port that is a number and not above it", i, j)
			}
			if p.Protocol != nil && !slices.Contains([]corev1.Protocol{corev1.ProtocolTCP, corev1.ProtocolUDP, corev1.ProtocolSCTP}, *p.Protocol) {
				return errors.Errorf("network.egress[%d].ports[%d].protocol is %q: write TCP, UDP or SCTP", i, j, *p.Protocol)
			}
		}
	}
	return nil
}

func checkPeers(path string, peers []networkingv1.NetworkPolicyPeer) error {
	for i, peer := range peers {
		at := field.NewPath(path).Index(i)
		switch {
		case peer.IPBlock == nil && peer.PodSelector == nil && peer.NamespaceSelector == nil:
			return errors.Errorf("%s is empty: write an ipBlock, a podSelector or a namespaceSelector", at)
		case peer.IPBlock != nil && (peer.PodSelector != nil || peer.NamespaceSelector != nil):
			return errors.Errorf("%s has an ipBlock and a selector: write one of the two", at)
		case peer.IPBlock != nil:
			if err := checkBlock(at, peer.IPBlock); err != nil {
				return err
			}
		}
		for name, selector := range map[string]*metav1.LabelSelector{"podSelector": peer.PodSelector, "namespaceSelector": peer.NamespaceSelector} {
			if errs := metav1validation.ValidateLabelSelector(selector, metav1validation.LabelSelectorValidationOptions{}, at.Child(name)); len(errs) > 0 {
				return errs[0]
			}
		}
	}
	return nil
}

func checkBlock(at *field.Path, block *networkingv1.IPBlock) error {
	whole, err := netip.ParsePrefix(block.CIDR)
	if err != nil {
		return errors.Errorf("%s.ipBlock.cidr is %q: write a block of addresses such as 10.0.0.0/8", at, block.CIDR)
	}
	for i, text := range block.Except {
		except, err := netip.ParsePrefix(text)
		if err != nil || !whole.Contains(except.Addr()) || except.Bits() <= whole.Bits() {
			return errors.Errorf("%s.ipBlock.except[%d] is %q: write a block of addresses inside of %s", at, i, text, block.CIDR)
		}
	}
	return nil
}
