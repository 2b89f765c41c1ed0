// Package e2e tries notebooks on a real cluster: Crossplane, a kubelet, Jupyter
// servers and a browser. `make e2e` provides all of them.
package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// The cluster under test, and what of it the tests use. hack/e2e.sh sets the
// environment.
var (
	client  kubernetes.Interface
	objects dynamic.Interface

	// registry is where packages are pushed to: a host and a path.
	registry = os.Getenv("REGISTRY")

	// Images of Jupyter servers. labNext differs from lab in its digest only.
	lab     = os.Getenv("LAB_IMAGE")
	labNext = os.Getenv("LAB_NEXT_IMAGE")
	classic = os.Getenv("CLASSIC_IMAGE")
)

// repository is the root of this repository, and artifacts the folder that keeps
// what the tests leave for people to look at.
var (
	repository = filepath.Join("..", "..")
	artifacts  = filepath.Join(repository, ".cache", "e2e")
)

func TestMain(m *testing.M) {
	if err := connect(); err != nil {
		fmt.Fprintf(os.Stderr, "e2e: %v: run make e2e, which provides a cluster.\n", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func connect() error {
	for _, name := range []string{"KUBECONFIG", "REGISTRY", "LAB_IMAGE", "LAB_NEXT_IMAGE", "CLASSIC_IMAGE"} {
		if os.Getenv(name) == "" {
			return fmt.Errorf("%s is not set", name)
		}
	}
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return fmt.Errorf("cannot read the kubeconfig: %w", err)
	}
	// Tests wait by asking, many at a time.
	config.QPS, config.Burst = 100, 200
	if client, err = kubernetes.NewForConfig(config); err != nil {
		return fmt.Errorf("cannot make a client: %w", err)
	}
	if objects, err = dynamic.NewForConfig(config); err != nil {
		return fmt.Errorf("cannot make a client: %w", err)
	}
	if _, err := client.Discovery().ServerVersion(); err != nil {
		return fmt.Errorf("cannot reach the cluster: %w", err)
	}
	return os.MkdirAll(artifacts, 0o750)
}

// run runs a command in the repository, and fails the test if that fails.
func run(t *testing.T, stdin string, command ...string) string {
	t.Helper()
	// Not the test's own context: that has ended when a test cleans up.
	out, err := try(context.Background(), stdin, command...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// try runs a command in the repository, and returns what it writes to standard
// output. What it writes to standard error is in the error.
func try(ctx context.Context, stdin string, command ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir = repository
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return stdout.String(), fmt.Errorf("%s: %w\n%s%s", strings.Join(command, " "), err, stdout.String(), stderr.String())
	}
	return stdout.String(), nil
}

// eventually waits until a check has nothing to say. After the deadline the last
// it said is the failure.
func eventually(t *testing.T, deadline time.Duration, check func() error) {
	t.Helper()
	end := time.Now().Add(deadline)
	for {
		err := check()
		if err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("after %v: %v", deadline, err)
		}
		time.Sleep(500 * time.Millisecond)
	}
}
