// Package main serves the function that composes Jupyter notebooks, and is the agent
// that watches one.
package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
	"github.com/crossplane/function-sdk-go"
	"github.com/crossplane/function-sdk-go/errors"
	"google.golang.org/grpc/encoding"

	"github.com/function-jupyter/function-jupyter/agent"
	"github.com/function-jupyter/function-jupyter/fn"
)

// CLI of the program. Without a command it serves, because Crossplane's package
// runtime passes flags only.
type CLI struct {
	Serve ServeCommand `cmd:"" default:"withargs" help:"Serve the composition function."`
	Agent AgentCommand `cmd:""                    help:"Watch in a notebook's pod whether anybody uses the notebook."`
}

// ServeCommand serves the function. Its flags are those of Crossplane's function
// template.
type ServeCommand struct {
	Debug bool `help:"Emit debug logs in addition to info logs." short:"d"`

	Network            string `default:"tcp"            help:"Network on which to listen for gRPC connections."`
	Address            string `default:":9443"          help:"Address at which to listen for gRPC connections."`
	MetricsAddress     string `default:":8080"          help:"Address at which to serve Prometheus metrics; empty for none."`
	TLSCertsDir        string `env:"TLS_SERVER_CERTS_DIR" help:"Directory with the server's certificate (tls.key, tls.crt) and the CA that signed the clients' (ca.crt)."`
	Insecure           bool   `help:"Serve without mTLS. For development only: --tls-certs-dir is ignored."`
	MaxRecvMessageSize int    `default:"4"              help:"Maximum size of received messages, in MiB."`
}

// Run serves the function until it is told to stop.
func (c *ServeCommand) Run() error {
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

// AgentCommand watches a notebook. The defaults are what the function composes.
type AgentCommand struct {
	Server         string `default:"http://127.0.0.1:8888/"         help:"Base URL of the Jupyter server."`
	Settings       string `default:"/etc/function-jupyter-agent"    help:"Folder with the files token and idleTimeoutSeconds."`
	State          string `default:"/var/lib/function-jupyter-agent" help:"Folder that outlives a restart of the container."`
	TerminationLog string `default:"/dev/termination-log"           help:"File for the report."`
}

// Run watches until there is something to report, or until it is told to stop.
func (c *AgentCommand) Run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return errors.Wrap(agent.Run(ctx, agent.Config(*c), slog.New(slog.NewTextHandler(os.Stderr, nil))), "cannot watch the notebook")
}

func main() {
	ctx := kong.Parse(&CLI{}, kong.Description("A Crossplane composition function that computes Jupyter notebooks."))
	ctx.FatalIfErrorf(ctx.Run())
}
