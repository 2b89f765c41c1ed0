// Package fn is the composition function: it computes what a JupyterNotebook
// needs, and what to say about it, from the claim and from what exists.
package fn

import (
	"context"
	"time"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/response"
)

// A Function composes notebooks. It holds no state between calls.
type Function struct {
	fnv1.UnimplementedFunctionRunnerServiceServer

	log logging.Logger
}

// New returns a Function that logs to the supplied logger.
func New(log logging.Logger) *Function {
	return &Function{log: log}
}

// RunFunction answers one reconcile of one notebook.
func (f *Function) RunFunction(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	return response.To(req, time.Minute), nil
}
