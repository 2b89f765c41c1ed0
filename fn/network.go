package fn

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// Addresses from which clouds hand their credentials to whoever asks on a node.
var (
	metadataIPv4 = []string{
		"169.254.169.254/32", // AWS, Azure, Google Cloud and most others.
		"169.254.170.2/32",   // AWS, task credentials.
		"100.100.100.200/32", // Alibaba Cloud.
	}
	metadataIPv6 = []string{
		"fd00:ec2::254/128", // AWS.
		"fd20:ce::254/128",  // Google Cloud.
	}
)

// network lets only the claim's namespace reach the server, and the server
// reach all but the clouds' metadata.
func network(meta metav1.ObjectMeta, notebook string, spec *v1.NotebookSpec) *networkingv1.NetworkPolicy {
	tcp, http := corev1.ProtocolTCP, intstr.FromInt32(port)
	return &networkingv1.NetworkPolicy{
		ObjectMeta: meta,
		Spec: networkingv1.NetworkPolicySpec{
			PodSelector: metav1.LabelSelector{MatchLabels: selector(notebook)},
			PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress},
			Ingress: []networkingv1.NetworkPolicyIngressRule{{
				From:  ingressPeers(spec),
				Ports: []networkingv1.NetworkPolicyPort{{Protocol: &tcp, Port: &http}},
			}},
			Egress: []networkingv1.NetworkPolicyEgressRule{{To: []networkingv1.NetworkPolicyPeer{
				// Some network plugins do not count pods as part of any address block.
				{NamespaceSelector: &metav1.LabelSelector{}},
				{IPBlock: &networkingv1.IPBlock{CIDR: "0.0.0.0/0", Except: metadataIPv4}},
				{IPBlock: &networkingv1.IPBlock{CIDR: "::/0", Except: metadataIPv6}},
			}}},
		},
	}
}

// ingressPeers are the pods of the claim's namespace. A Service that is meant
// to be reached from outside needs more: its callers have any address.
func ingressPeers(spec *v1.NotebookSpec) []networkingv1.NetworkPolicyPeer {
	if serviceType(spec) != corev1.ServiceTypeClusterIP {
		return nil
	}
	return []networkingv1.NetworkPolicyPeer{{PodSelector: &metav1.LabelSelector{}}}
}
