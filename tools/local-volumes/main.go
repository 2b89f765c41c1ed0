// Command local-volumes is the storage of a cluster that has one node and no
// CSI driver: each claim gets a folder of the node's disk, as a volume of the
// type `local`. Unlike those of the type `hostPath`, which Kubernetes itself
// can provision for tests, such a volume honours a pod's fsGroup, and so it can
// be written by a user who is not root.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	resizecontroller "github.com/kubernetes-csi/external-resizer/v2/pkg/controller"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
	provisioncontroller "sigs.k8s.io/sig-storage-lib-external-provisioner/v13/controller"
)

// driver is what a StorageClass names as its provisioner.
const driver = "function-jupyter.dev/local"

func main() {
	kubeconfig := flag.String("kubeconfig", "", "how to reach the cluster")
	directory := flag.String("directory", "", "where to make the volumes' folders; it is created when missing")
	node := flag.String("node", "", "the name of the node that this runs on")
	flag.Parse()

	if err := run(*kubeconfig, *directory, *node); err != nil {
		fmt.Fprintln(os.Stderr, "local-volumes:", err)
		os.Exit(1)
	}
}

// run serves claims until the process is told to end.
func run(kubeconfig, directory, node string) error {
	if directory == "" || node == "" {
		return errors.New("--directory and --node are required")
	}
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return fmt.Errorf("cannot read --kubeconfig: %w", err)
	}
	// The server shares its time between its clients better than a client can.
	config.QPS = -1
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("cannot make a client: %w", err)
	}
	p, err := newProvisioner(directory, node)
	if err != nil {
		return err
	}
	defer p.close()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	serve(ctx, client, p)
	return nil
}

// serve runs what a CSI driver has beside it, the external-provisioner and the
// external-resizer, until the context ends.
func serve(ctx context.Context, client kubernetes.Interface, p *provisioner) {
	const (
		resync   = 10 * time.Minute
		retry    = time.Second
		maxRetry = time.Minute
	)
	factory := informers.NewSharedInformerFactory(client, resync)
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[string](retry, maxRetry)
	resize := resizecontroller.NewResizeController(
		driver, resizer{}, client, resync, factory, limiter, false, maxRetry)
	factory.Start(ctx.Done())
	go resize.Run(1, ctx, nil)

	provision := provisioncontroller.NewProvisionController(
		ctx, client, driver, p, provisioncontroller.LeaderElection(false))
	provision.Run(ctx)
}
