// Package fn is the composition function: it computes what a JupyterNotebook
// needs, and what to say about it, from the claim and from what exists.
package fn

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"runtime/debug"
	"time"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/response"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// A Function composes notebooks. It holds no state between calls.
type Function struct {
	fnv1.UnimplementedFunctionRunnerServiceServer

	log      logging.Logger
	newToken func() string
	now      func() time.Time
}

// New returns a Function that logs to the supplied logger.
func New(log logging.Logger) *Function {
	return &Function{log: log, newToken: randomToken, now: time.Now}
}

// RunFunction answers one reconcile of one notebook. A panic would end the
// process and with it the service to all other notebooks.
func (f *Function) RunFunction(_ context.Context, req *fnv1.RunFunctionRequest) (rsp *fnv1.RunFunctionResponse, err error) {
	defer func() {
		if r := recover(); r != nil {
			f.log.Info("Recovered from a panic", "tag", req.GetMeta().GetTag(), "panic", r, "stack", string(debug.Stack()))
			rsp, err = nil, status.Errorf(codes.Internal, "cannot compose the notebook: the function has a bug, see its log for tag %s", req.GetMeta().GetTag())
		}
	}()
	return f.run(req), nil
}

// run is the whole way from what a claim says and what exists to what should
// exist and what to say.
func (f *Function) run(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	rsp := response.To(req, pendingTTL)
	nb, err := readNotebook(req, f.now())
	if err != nil {
		response.Fatal(rsp, err)
		return rsp
	}
	w := look(req, nb)
	p := decide(nb, w, req.GetObserved().GetResources(), req.GetInput())
	c, err := compose(nb, p, w, f.newToken)
	if err != nil {
		response.Fatal(rsp, err)
		return rsp
	}
	if err := report(rsp, situation{nb, p, w, c}); err != nil {
		response.Fatal(rsp, err)
		return rsp
	}
	f.log.Debug("Composed notebook", "tag", req.GetMeta().GetTag(), "namespace", nb.namespace, "name", nb.name, "objects", len(c.objects))
	return rsp
}

// randomToken is 256 bits in hexadecimal. It does not fail: rand.Read ends the
// program rather than return less.
func randomToken() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b)
	return hex.EncodeToString(b)
}
