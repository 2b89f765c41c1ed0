// Package main serves the function that composes Jupyter notebooks.
package main

import (
	"github.com/alecthomas/kong"
	"github.com/crossplane/function-sdk-go"
	"github.com/crossplane/function-sdk-go/errors"
	"google.golang.org/grpc/encoding"

	"github.com/function-jupyter/function-jupyter/fn"
)

// CLI of the function. The flags are those of Crossplane's function template,
// because Crossplane's package runtime passes them.
type CLI struct {
	Debug bool `help:"Emit debug logs in addition to info logs." short:"d"`

	Network            string `default:"tcp"            help:"Network on which to listen for gRPC connections."`
	Address            string `default:":9443"          help:"Address at which to listen for gRPC connections."`
	MetricsAddress     string `default:":8080"          help:"Address at which to serve Prometheus metrics; empty for none."`
	TLSCertsDir        string `env:"TLS_SERVER_CERTS_DIR" help:"Directory with the server's certificate (tls.key, tls.crt) and the CA that signed the clients' (ca.crt)."`
	Insecure           bool   `help:"Serve without mTLS. For development only: --tls-certs-dir is ignored."`
	MaxRecvMessageSize int    `default:"4"              help:"Maximum size of received messages, in MiB."`
}

// Run serves the function until it is told to stop.
func (c *CLI) Run() error {
	encoding.RegisterCodecV2(newCodec())
	log, err := function.NewLogger(c.Debug)
	if err != nil {
		return errors.Wrap(err, "cannot make a logger")
	}
	return errors.Wrap(function.Serve(fn.New(log),
		function.Listen(c.Network, c.Address),
		function.MTLSCertificates(c.TLSCertsDir),
		function.Insecure(c.Insecure),
		function.MaxRecvMessageSize(c.MaxRecvMessageSize*1024*1024),
		function.WithMetricsServer(c.MetricsAddress)), "cannot serve the function")
}

func main() {
	ctx := kong.Parse(&CLI{}, kong.Description("A Crossplane composition function that computes Jupyter notebooks."))
	ctx.FatalIfErrorf(ctx.Run())
}
