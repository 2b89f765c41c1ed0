// Command network-policies enforces the NetworkPolicies of a cluster on the node
// that it runs on. It is kube-network-policies, which decides in user space about
// the first packet of each connection. Its own command only runs as a pod, and
// only on kernels built with CONFIG_NFT_QUEUE.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/netip"
	"os"
	"os/signal"
	"syscall"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/kube-network-policies/pkg/networkpolicy"
)

// queue is the number of the kernel's queue of packets to decide about.
const queue = 100

func main() {
	kubeconfig := flag.String("kubeconfig", "", "how to reach the cluster")
	node := flag.String("node", "", "the name of the node that this runs on")
	pods := flag.String("pods", "", "the range of the pods' addresses")
	flag.Parse()

	if err := run(*kubeconfig, *node, *pods); err != nil {
		fmt.Fprintln(os.Stderr, "network-policies:", err)
		os.Exit(1)
	}
}

// run enforces policies until the process is told to end, and leaves nothing in
// the packet filter then.
func run(kubeconfig, node, pods string) (err error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return fmt.Errorf("cannot read --kubeconfig: %w", err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("cannot make a client: %w", err)
	}
	addresses, err := netip.ParsePrefix(pods)
	if err != nil {
		return fmt.Errorf("cannot read --pods: %w", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	if err := addTable(addresses); err != nil {
		return fmt.Errorf("cannot change the packet filter: %w", err)
	}
	defer func() { err = errors.Join(err, removeTable()) }()
	return enforce(ctx, client, node)
}

// enforce decides about the packets in the queue until the context ends.
func enforce(ctx context.Context, client kubernetes.Interface, node string) error {
	factory := informers.NewSharedInformerFactory(client, 0)
	controller, err := networkpolicy.NewController(
		client,
		factory.Networking().V1().NetworkPolicies(),
		factory.Core().V1().Namespaces(),
		factory.Core().V1().Pods(),
		nil, nil, nil, nil, // AdminNetworkPolicies are off.
		networkpolicy.Config{NodeName: node, QueueID: queue},
	)
	if err != nil {
		return fmt.Errorf("cannot make the controller: %w", err)
	}
	factory.Start(ctx.Done())
	if err := controller.Run(ctx); err != nil {
		return fmt.Errorf("cannot enforce policies: %w", err)
	}
	return nil
}
