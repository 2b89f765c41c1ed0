package fn

import (
	"fmt"
	"net"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// service offers the server under a stable name.
func service(meta metav1.ObjectMeta, notebook string, spec *v1.NotebookSpec) *corev1.Service {
	return &corev1.Service{
		ObjectMeta: meta,
		Spec: corev1.ServiceSpec{
			Type:     serviceType(spec),
			Selector: selector(notebook),
			Ports: []corev1.ServicePort{{
				Name:       portName,
				Protocol:   corev1.ProtocolTCP,
				Port:       port,
				TargetPort: intstr.FromString(portName),
			}},
		},
	}
}

func serviceType(spec *v1.NotebookSpec) corev1.ServiceType {
	if spec.ServiceType == "" {
		return corev1.ServiceTypeClusterIP
	}
	return spec.ServiceType
}

// serviceURL is where the server is reached: at the load balancer's address or
// the node's, where the Service's type has one, or else inside the cluster.
func serviceURL(name, namespace string, svc object, nodeIP string) string {
	switch corev1.ServiceType(svc.text("spec", "type")) {
	case corev1.ServiceTypeLoadBalancer:
		if address := loadBalancerAddress(svc); address != "" {
			return httpURL(address, port)
		}
	case corev1.ServiceTypeNodePort:
		if nodePort := nodePort(svc); nodePort > 0 && nodeIP != "" {
			return httpURL(nodeIP, nodePort)
		}
	default:
	}
	return httpURL(name+"."+namespace+".svc.cluster.local", port)
}

func httpURL(host string, port int64) string {
	return "http://" + net.JoinHostPort(host, fmt.Sprint(port))
}

func loadBalancerAddress(svc object) string {
	for _, ingress := range svc.list("status", "loadBalancer", "ingress") {
		if hostname := ingress.text("hostname"); hostname != "" {
			return hostname
		}
		if ip := ingress.text("ip"); ip != "" {
			return ip
		}
	}
	return ""
}

func nodePort(svc object) int64 {
	for _, p := range svc.list("spec", "ports") {
		if p.text("name") == portName {
			return p.number("nodePort")
		}
	}
	return 0
}
