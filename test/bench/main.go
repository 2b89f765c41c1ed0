// Package main measures what the function costs, next to a function on the same
// SDK that does nothing. Each runs in a process of its own. They take turns, so
// that whatever else the machine does slows both.
//
// It never fails because something is slow.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/proto"
)

type options struct {
	function, noop string
	claim, cluster string
	rounds         int
	duration       time.Duration
}

func main() {
	var o options
	flag.StringVar(&o.function, "function", "", "binary of the function")
	flag.StringVar(&o.noop, "noop", "", "binary of the function that does nothing")
	flag.StringVar(&o.claim, "claim", "example/claim.yaml", "notebook to measure with")
	flag.StringVar(&o.cluster, "cluster", "test/bench/cluster.yaml", "what a cluster adds to it")
	flag.IntVar(&o.rounds, "rounds", 25, "how often each function is measured")
	flag.DurationVar(&o.duration, "duration", 250*time.Millisecond, "how long each measurement lasts")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, o)
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	if o.rounds < 1 || o.duration <= 0 {
		return errors.New("nothing can be measured in no time: raise -rounds or -duration")
	}
	function, err := start(ctx, o.function)
	if err != nil {
		return err
	}
	defer function.stop()
	noop, err := start(ctx, o.noop)
	if err != nil {
		return err
	}
	defer noop.stop()
	req, err := steadyRequest(ctx, function, o.claim, o.cluster)
	if err != nil {
		return errors.Wrap(err, "cannot make the request")
	}
	rows, err := compare(ctx, function, noop, req, o)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(os.Stdout, "%s, when it runs: a request of %d bytes; %d rounds of %v in sequence and %v with %d calls in flight.\n\n%s",
		o.claim, proto.Size(req), o.rounds, o.duration, o.duration, inFlight, table(rows))
	return errors.Wrap(err, "cannot print")
}

// compare both functions.
func compare(ctx context.Context, function, noop *server, req *fnv1.RunFunctionRequest, o options) ([]row, error) {
	if _, err := measure(ctx, function, noop, req, o.duration); err != nil { // To warm up.
		return nil, err
	}
	before, err := usages(ctx, function, noop)
	if err != nil {
		return nil, err
	}
	rounds := make([]round, o.rounds)
	for i := range rounds {
		if rounds[i], err = measure(ctx, function, noop, req, o.duration); err != nil {
			return nil, err
		}
	}
	after, err := usages(ctx, function, noop)
	if err != nil {
		return nil, err
	}
	return judge(rounds, before, after), nil
}
