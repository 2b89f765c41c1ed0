// Package fn is the composition function: it computes what a JupyterNotebook or a
// NotebookQuota needs, and what to say about it, from the claim and from what exists.
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

	"github.com/function-jupyter/function-jupyter/policy"
)

// A Function composes notebooks and quotas. It remembers nothing of them between calls.
type Function struct {
	fnv1.UnimplementedFunctionRunnerServiceServer

	log      logging.Logger
	newToken func() string
	now      func() time.Time
	policies policy.Cache
}

// New returns a Function that logs to the supplied logger.
func New(log logging.Logger) *Function {
	return &Function{log: log, newToken: randomToken, now: time.Now}
}

// RunFunction answers one reconcile of one claim. A panic would end the process and
// with it the service to all others.
func (f *Function) RunFunction(_ context.Context, req *fnv1.RunFunctionRequest) (rsp *fnv1.RunFunctionResponse, err error) {
	defer func() {
		if r := recover(); r != nil {
			f.log.Info("Recovered from a panic", "tag", req.GetMeta().GetTag(), "panic", r, "stack", string(debug.Stack()))
			rsp, err = nil, status.Errorf(codes.Internal, "cannot compose: the function has a bug, see its log for tag %s", req.GetMeta().GetTag())
		}
	}()
	return f.run(req), nil
}

// run answers whoever asks.
func (f *Function) run(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	rsp := response.To(req, pendingTTL)
	answer := f.answerNotebook
	if isQuota(req) {
		answer = f.answerQuota
	}
	if err := answer(req, rsp); err != nil {
		response.Fatal(rsp, err)
	}
	return rsp
}

// answerNotebook is the whole way from what a claim says and what exists to what
// should exist and what to say.
func (f *Function) answerNotebook(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) error {
	nb, err := readNotebook(req, f.now())
	if err != nil {
		return err
	}
	w := look(req, nb)
	p := decide(nb, w, req.GetObserved().GetResources(), readPlatform(&f.policies, req.GetInput(), nb, w))
	c, err := compose(nb, p, w, f.newToken)
	if err != nil {
		return err
	}
	if err := report(rsp, situation{nb, p, w, c}); err != nil {
		return err
	}
	f.log.Debug("Composed notebook", "tag", req.GetMeta().GetTag(), "namespace", nb.namespace, "name", nb.name, "objects", len(c.objects))
	return nil
}

// randomToken is 256 bits in hexadecimal. It does not fail: rand.Read ends the
// program rather than return less.
func randomToken() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b)
	return hex.EncodeToString(b)
}
