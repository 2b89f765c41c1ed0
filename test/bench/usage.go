package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"
)

// A usage is what a process has used since it started.
type usage struct {
	calls      float64
	cpu        float64 // Seconds.
	objects    float64 // Allocations.
	bytes      float64 // Allocated.
	peakMemory float64 // Bytes that were resident at once.
	binary     float64 // Bytes.
}

// usages of both functions.
func usages(ctx context.Context, function, noop *server) ([2]usage, error) {
	var both [2]usage
	for i, s := range []*server{function, noop} {
		u, err := s.usage(ctx)
		if err != nil {
			return both, errors.Wrapf(err, "cannot tell what %s uses", s.binary)
		}
		both[i] = u
	}
	return both, nil
}

func (s *server) usage(ctx context.Context) (usage, error) {
	u := usage{calls: float64(s.calls.Load())}
	info, err := os.Stat(s.binary)
	if err != nil {
		return u, errors.Wrap(err, "cannot find the binary")
	}
	u.binary = float64(info.Size())

	// The kernel knows the most memory that a process ever had.
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.process.Process.Pid))
	if err != nil {
		return u, errors.Wrap(err, "cannot read peak memory")
	}
	if err := find(status, map[string]*float64{"VmHWM:": &u.peakMemory}); err != nil {
		return u, err
	}
	u.peakMemory *= 1 << 10

	// The rest the process tells itself.
	metrics, err := get(ctx, "http://"+s.metrics+"/metrics")
	if err != nil {
		return u, err
	}
	return u, find(metrics, map[string]*float64{
		"process_cpu_seconds_total":     &u.cpu,
		"go_memstats_mallocs_total":     &u.objects,
		"go_memstats_alloc_bytes_total": &u.bytes,
	})
}

func get(ctx context.Context, url string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return nil, errors.Wrap(err, "cannot ask for metrics")
	}
	rsp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, errors.Wrap(err, "cannot get metrics")
	}
	body, err := io.ReadAll(rsp.Body)
	return body, errors.Wrap(errors.Join(err, rsp.Body.Close()), "cannot read metrics")
}

// find the numbers that follow these words at the start of a line.
func find(text []byte, numbers map[string]*float64) error {
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) < 2 || numbers[words[0]] == nil {
			continue
		}
		number, err := strconv.ParseFloat(words[1], 64)
		if err != nil {
			return errors.Wrapf(err, "cannot read %s", words[0])
		}
		*numbers[words[0]] = number
		delete(numbers, words[0])
	}
	for word := range numbers {
		return errors.Errorf("there is no %s", word)
	}
	return nil
}
