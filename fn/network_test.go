package fn

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestNetwork(t *testing.T) {
	const head = `
podSelector: {matchLabels: {app: jupyter-notebook, notebook-name: alpha}}
policyTypes: [Ingress, Egress]
egress:
- to:
  - namespaceSelector: {}
  - ipBlock:
      cidr: 0.0.0.0/0
      except: [169.254.169.254/32, 169.254.170.2/32, 100.100.100.200/32]
  - ipBlock:
      cidr: ::/0
      except: ["fd00:ec2::254/128", "fd20:ce::254/128"]
ingress:
- ports: [{protocol: TCP, port: 8888}]
`
	cases := map[string]struct {
		reason string
		spec   string
		want   string
	}{
		"Default": {
			reason: "Only the pods of the claim's namespace may reach the server, and it may reach all but the clouds' credentials.",
			spec:   `image: jupyter/a`,
			want:   head + "  from: [{podSelector: {}}]",
		},
		"ClusterIP": {
			reason: "The default, written out.",
			spec:   `{image: jupyter/a, serviceType: ClusterIP}`,
			want:   head + "  from: [{podSelector: {}}]",
		},
		"LoadBalancer": {
			reason: "Who comes through a load balancer may have any address, and still only reaches the one port.",
			spec:   `{image: jupyter/a, serviceType: LoadBalancer}`,
			want:   head,
		},
		"NodePort": {
			reason: "So may who comes through a node.",
			spec:   `{image: jupyter/a, serviceType: NodePort}`,
			want:   head,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := network(metav1.ObjectMeta{Name: "alpha"}, "alpha", specOf(t, tc.spec))
			want := &networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Name: "alpha"}, Spec: typedOf[networkingv1.NetworkPolicySpec](t, tc.want)}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("\n%s\nnetwork(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
