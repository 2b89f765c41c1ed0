package fn

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestService(t *testing.T) {
	for asked, want := range map[string]string{"": "ClusterIP", "ClusterIP": "ClusterIP", "NodePort": "NodePort", "LoadBalancer": "LoadBalancer"} {
		t.Run("Type"+asked, func(t *testing.T) {
			got := service(metav1.ObjectMeta{Name: "alpha"}, "alpha", specOf(t, `{image: jupyter/a, serviceType: "`+asked+`"}`))
			want := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "alpha"}, Spec: typedOf[corev1.ServiceSpec](t, `
type: `+want+`
selector: {app: jupyter-notebook, notebook-name: alpha}
ports: [{name: http, protocol: TCP, port: 8888, targetPort: http}]`)}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("service(...): -want, +got:\n%s", diff)
			}
		})
	}
}

func TestServiceURL(t *testing.T) {
	const inside = "http://alpha.team-a.svc.cluster.local:8888"
	cases := map[string]struct {
		reason  string
		service string
		nodeIP  string
		want    string
	}{
		"NoServiceYet": {reason: "The address inside the cluster is known from the start.", service: `{}`, want: inside},
		"ClusterIP":    {reason: "The cluster's own address changes with the Service, its name does not.", service: `spec: {type: ClusterIP, clusterIP: 10.0.0.1}`, nodeIP: "192.0.2.1", want: inside},
		"LoadBalancerPending": {
			reason:  "Until it has an address, the server is reached from inside.",
			service: `spec: {type: LoadBalancer}`,
			want:    inside,
		},
		"LoadBalancerIP": {
			reason:  "The load balancer listens on the Service's port.",
			service: `{spec: {type: LoadBalancer, ports: [{name: http, port: 8888, nodePort: 31000}]}, status: {loadBalancer: {ingress: [{ip: 192.0.2.9}]}}}`,
			nodeIP:  "192.0.2.1",
			want:    "http://192.0.2.9:8888",
		},
		"LoadBalancerHostname": {
			reason:  "A name is better than an address, which may change.",
			service: `{spec: {type: LoadBalancer}, status: {loadBalancer: {ingress: [{ip: 192.0.2.9, hostname: lb.example.org}]}}}`,
			want:    "http://lb.example.org:8888",
		},
		"LoadBalancerIPv6": {
			reason:  "An IPv6 address in a URL has brackets.",
			service: `{spec: {type: LoadBalancer}, status: {loadBalancer: {ingress: [{ip: "2001:db8::9"}]}}}`,
			want:    "http://[2001:db8::9]:8888",
		},
		"LoadBalancerEmptyIngress": {
			reason:  "An entry without an address is none.",
			service: `{spec: {type: LoadBalancer}, status: {loadBalancer: {ingress: [{}, {ip: 192.0.2.9}]}}}`,
			want:    "http://192.0.2.9:8888",
		},
		"NodePort": {
			reason:  "The node's address, and the port that Kubernetes chose.",
			service: `spec: {type: NodePort, ports: [{name: http, port: 8888, nodePort: 31000}]}`,
			nodeIP:  "192.0.2.1",
			want:    "http://192.0.2.1:31000",
		},
		"NodePortIPv6": {
			reason:  "An IPv6 address in a URL has brackets.",
			service: `spec: {type: NodePort, ports: [{name: http, port: 8888, nodePort: 31000}]}`,
			nodeIP:  "2001:db8::1",
			want:    "http://[2001:db8::1]:31000",
		},
		"NodePortUnscheduled": {
			reason:  "No node runs the server yet.",
			service: `spec: {type: NodePort, ports: [{name: http, port: 8888, nodePort: 31000}]}`,
			want:    inside,
		},
		"NodePortUnallocated": {
			reason:  "Kubernetes has not chosen a port yet.",
			service: `spec: {type: NodePort, ports: [{name: http, port: 8888}]}`,
			nodeIP:  "192.0.2.1",
			want:    inside,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := serviceURL("alpha", "team-a", objectOf(t, tc.service), tc.nodeIP); got != tc.want {
				t.Errorf("\n%s\nserviceURL(...): want %s, got %s", tc.reason, tc.want, got)
			}
		})
	}
}
