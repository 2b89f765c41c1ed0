package packages

import (
	"context"
	"encoding/json"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// start the function that is in the package for this machine, and return a
// client of it. The function ends with the test.
//
//nolint:ireturn // gRPC's generated clients are interfaces.
func start(t *testing.T) fnv1.FunctionRunnerServiceClient {
	t.Helper()
	path := filepath.Join(t.TempDir(), "function")
	f := open(t, dist, "function-jupyter-linux-"+runtime.GOARCH).binary(t)
	if err := os.WriteFile(path, f.content, 0o700); err != nil {
		t.Fatal(err)
	}
	address := freeAddress(t)
	cmd := exec.CommandContext(t.Context(), path, "--insecure", "--address="+address, "--metrics-address=")
	cmd.Stderr = t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatalf("cannot start the function: %v", err)
	}
	// t.Context is cancelled, and the function killed, just before cleanup.
	t.Cleanup(func() { _ = cmd.Wait() })

	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return fnv1.NewFunctionRunnerServiceClient(conn)
}

// freeAddress of this machine on which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() //nolint:errcheck // It was only needed for its address.
	return l.Addr().String()
}

// reconcile calls the function as Crossplane does: again and again with what it
// asked for, until it asks for nothing else. Nothing exists that is not in the request.
func reconcile(t *testing.T, client fnv1.FunctionRunnerServiceClient, req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if req.GetRequiredResources() == nil {
		req.RequiredResources = map[string]*fnv1.Resources{}
	}
	for range 6 {
		rsp, err := client.RunFunction(ctx, req, grpc.WaitForReady(true))
		if err != nil {
			t.Fatalf("RunFunction(...): %v", err)
		}
		asked := rsp.GetRequirements().GetResources()
		if len(asked) == len(req.GetRequiredResources()) {
			return rsp
		}
		for name := range asked {
			if _, exists := req.GetRequiredResources()[name]; !exists {
				req.RequiredResources[name] = &fnv1.Resources{}
			}
		}
	}
	t.Fatal("RunFunction(...): asked for something else on each of six calls")
	return nil
}

// notebook is the composite resource of the claim in example/, with further
// fields in its spec.
func notebook(t *testing.T, spec map[string]any) *fnv1.Resource {
	t.Helper()
	claim := objects(t, read(t, "example/claim.yaml"))[0]
	fields, _, err := unstructured.NestedMap(claim.Object, "spec")
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(fields, spec)
	fields["claimRef"] = map[string]any{"name": claim.GetName(), "namespace": "team-a"}
	return resource(t, map[string]any{
		"apiVersion": claim.GetAPIVersion(),
		"kind":       "XJupyterNotebook",
		"metadata":   map[string]any{"name": claim.GetName() + "-x7k2p", "uid": "1c5e6a0e-5c4e-4b0c-9d4c-3f0f3f6c7d11"},
		"spec":       fields,
	})
}

// resource that Crossplane would send.
func resource(t *testing.T, o map[string]any) *fnv1.Resource {
	t.Helper()
	data, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	s := &structpb.Struct{}
	if err := protojson.Unmarshal(data, s); err != nil {
		t.Fatal(err)
	}
	return &fnv1.Resource{Resource: s}
}

func TestServe(t *testing.T) {
	rsp := reconcile(t, start(t), &fnv1.RunFunctionRequest{
		Meta:     &fnv1.RequestMeta{Tag: "hello"},
		Observed: &fnv1.State{Composite: notebook(t, nil)},
	})
	if got := rsp.GetMeta().GetTag(); got != "hello" {
		t.Errorf("want the answer to our request, got one to %q", got)
	}
	for _, r := range rsp.GetResults() {
		if r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
			t.Errorf("want no fatal result, got %s", r.GetMessage())
		}
	}
	var got []string
	for name := range rsp.GetDesired().GetResources() {
		got = append(got, name)
	}
	slices.Sort(got)
	want := []string{"access", "network", "notebook", "service", "workspace"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want the notebook's five objects, -want, +got:\n%s", diff)
	}
}
