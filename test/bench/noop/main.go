// Package main serves a function that does nothing. What it costs is what the
// function SDK costs, and so what our own function is measured against.
package main

import (
	"context"

	"github.com/alecthomas/kong"
	"github.com/crossplane/function-sdk-go"
	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/response"
)

// CLI of the function. It has the flags of ours.
type CLI struct {
	Debug bool `help:"Emit debug logs in addition to info logs." short:"d"`

	Network            string `default:"tcp"                                                                help:"Network on which to listen for gRPC connections."`
	Address            string `default:":9443"                                                              help:"Address at which to listen for gRPC connections."`
	MetricsAddress     string `default:":8080"                                                              help:"Address at which to serve Prometheus metrics; empty for none."`
	TLSCertsDir        string `env:"TLS_SERVER_CERTS_DIR"                                                   help:"Directory with the server's certificate (tls.key, tls.crt) and the CA that signed the clients' (ca.crt)."`
	Insecure           bool   `help:"Serve without mTLS. For development only: --tls-certs-dir is ignored."`
	MaxRecvMessageSize int    `default:"4"                                                                  help:"Maximum size of received messages, in MiB."`
}

type noop struct {
	fnv1.UnimplementedFunctionRunnerServiceServer
}

// RunFunction returns the desired state that it was sent.
func (noop) RunFunction(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	return response.To(req, response.DefaultTTL), nil
}

// Run serves the function until it is told to stop.
func (c *CLI) Run() error {
	if _, err := function.NewLogger(c.Debug); err != nil {
		return errors.Wrap(err, "cannot make a logger")
	}
	return errors.Wrap(function.Serve(noop{},
		function.Listen(c.Network, c.Address),
		function.MTLSCertificates(c.TLSCertsDir),
		function.Insecure(c.Insecure),
		function.MaxRecvMessageSize(c.MaxRecvMessageSize*1024*1024),
		function.WithMetricsServer(c.MetricsAddress)), "cannot serve")
}

func main() {
	ctx := kong.Parse(&CLI{}, kong.Description("A Crossplane composition function that does nothing."))
	ctx.FatalIfErrorf(ctx.Run())
}
