package main

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// inFlight calls at once, when throughput is measured.
const inFlight = 16

// A sample of what one function does.
type sample struct {
	p50, p99   float64 // Seconds.
	throughput float64 // Calls per second, with inFlight calls at once.
}

// A round is a sample of both functions, ours first.
type round [2]sample

func measure(ctx context.Context, function, noop *server, req *fnv1.RunFunctionRequest, d time.Duration) (round, error) {
	var r round
	var err error
	for i, s := range []*server{function, noop} {
		if r[i].p50, r[i].p99, err = latency(ctx, s, req, d); err != nil {
			return r, err
		}
	}
	for i, s := range []*server{function, noop} {
		if r[i].throughput, err = throughput(ctx, s, req, d); err != nil {
			return r, err
		}
	}
	return r, nil
}

// latency of calls that follow each other.
func latency(ctx context.Context, s *server, req *fnv1.RunFunctionRequest, d time.Duration) (p50, p99 float64, err error) {
	var latencies []float64
	for began := time.Now(); time.Since(began) < d; {
		start := time.Now()
		if _, err := s.call(ctx, req); err != nil {
			return 0, 0, err
		}
		latencies = append(latencies, time.Since(start).Seconds())
	}
	slices.Sort(latencies)
	return latencies[len(latencies)/2], latencies[len(latencies)*99/100], nil
}

// throughput of many calls at once on the one connection, as Crossplane makes
// them.
func throughput(ctx context.Context, s *server, req *fnv1.RunFunctionRequest, d time.Duration) (float64, error) {
	var workers sync.WaitGroup
	var failures [inFlight]error
	calls, began := s.calls.Load(), time.Now()
	for i := range inFlight {
		workers.Go(func() {
			for failures[i] == nil && time.Since(began) < d {
				_, failures[i] = s.call(ctx, req)
			}
		})
	}
	workers.Wait()
	return float64(s.calls.Load()-calls) / time.Since(began).Seconds(), errors.Join(failures[:]...)
}
