package main

import (
	"context"
	"net"
	"os"
	"os/exec"
	"sync/atomic"
	"time"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// A server is a function that runs in a process of its own, as in a cluster,
// and one connection to it.
type server struct {
	binary  string
	metrics string // Address.
	process *exec.Cmd
	conn    *grpc.ClientConn
	client  fnv1.FunctionRunnerServiceClient
	calls   atomic.Int64
}

// start a function, and wait until it answers.
func start(ctx context.Context, binary string) (*server, error) {
	address, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	metrics, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, errors.Wrap(err, "cannot make a client")
	}
	s := &server{binary: binary, metrics: metrics, conn: conn, client: fnv1.NewFunctionRunnerServiceClient(conn)}
	s.process = exec.CommandContext(ctx, binary, "--insecure", "--address="+address, "--metrics-address="+metrics) //nolint:gosec // Whoever runs this names the binary.
	s.process.Stderr = os.Stderr
	if err := s.process.Start(); err != nil {
		return nil, errors.Wrapf(err, "cannot start %s", binary)
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if _, err := s.client.RunFunction(ctx, &fnv1.RunFunctionRequest{}, grpc.WaitForReady(true)); err != nil {
		s.stop()
		return nil, errors.Wrapf(err, "%s does not answer", binary)
	}
	return s, nil
}

// freeAddress on this machine. Another process may take it before the function
// does: then the function does not start, and says why.
func freeAddress(ctx context.Context) (string, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", errors.Wrap(err, "cannot find a free port")
	}
	return l.Addr().String(), errors.Wrap(l.Close(), "cannot free the port again")
}

// stop the process. How it ends does not matter any more.
func (s *server) stop() {
	_ = s.conn.Close()
	_ = s.process.Process.Kill()
	_ = s.process.Wait()
}

// call the function, and wait for the whole response.
func (s *server) call(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	s.calls.Add(1)
	rsp, err := s.client.RunFunction(ctx, req)
	return rsp, errors.Wrapf(err, "%s failed", s.binary)
}
