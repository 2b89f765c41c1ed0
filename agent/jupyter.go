package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/crossplane/function-sdk-go/errors"
)

const (
	// requestTimeout of one question. All are about what the server knows by heart.
	requestTimeout = 5 * time.Second

	// maxAnswer in bytes: some hundred kernels.
	maxAnswer = 256 << 10

	// untracked keeps a question from counting as activity.
	untracked = "?no_track_activity=1"
)

// jupyter is the server, as far as its REST API tells.
type jupyter struct {
	base string
	http *http.Client

	// patience with a kernel that is asked.
	patience time.Duration
}

// kernel and terminal as the API has them. Stamps come with and without a fraction.
type (
	kernel struct {
		ID           string    `json:"id"`
		State        string    `json:"execution_state"`
		LastActivity time.Time `json:"last_activity"`
	}
	terminal struct {
		LastActivity time.Time `json:"last_activity"`
	}
)

// look asks for all that the server tells of activity. The status alone does not tell
// of kernels that are busy.
func (j *jupyter) look(ctx context.Context, token string, now time.Time) sight {
	status := struct {
		Started      time.Time `json:"started"`
		LastActivity time.Time `json:"last_activity"`
	}{}
	var kernels []kernel
	var terminals []terminal
	for _, question := range []struct {
		path   string
		answer any
	}{
		{"api/status", &status}, {"api/kernels", &kernels}, {"api/terminals", &terminals},
	} {
		code, err := j.get(ctx, token, question.path, question.answer)
		if code == http.StatusNotFound && question.path == "api/terminals" {
			continue // The server has none, or they are switched off.
		}
		if err != nil {
			return sight{doubt: err.Error()}
		}
	}
	if status.LastActivity.IsZero() && status.Started.IsZero() {
		return sight{doubt: "GET api/status: the answer has no last_activity"}
	}
	s := sight{terminals: len(terminals)}
	stamps := []time.Time{status.Started, status.LastActivity}
	for _, k := range kernels {
		s.kernels = append(s.kernels, k.ID)
		stamps = append(stamps, k.LastActivity)
		if k.State != "idle" { // Not all that is active says busy.
			s.busy = fmt.Sprintf("a kernel is %s", describe(k.State))
		}
	}
	for _, t := range terminals {
		stamps = append(stamps, t.LastActivity)
	}
	slices.Sort(s.kernels)
	s.last = latest(stamps, now)
	return s
}

// latest of some stamps. One of the future is of now.
func latest(stamps []time.Time, now time.Time) time.Time {
	last := slices.MaxFunc(stamps, time.Time.Compare)
	if last.After(now) {
		return now
	}
	return last
}

// describe a state that a server made up, in a report.
func describe(state string) string {
	if state == "" || len(state) > 20 {
		return "in no known state"
	}
	return state
}

// get asks a question. The token is in a header, because servers log addresses.
func (j *jupyter) get(ctx context.Context, token, path string, answer any) (code int, err error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, j.base+path+untracked, nil)
	if err != nil {
		return 0, errors.Wrapf(err, "GET %s", path)
	}
	req.Header = authorization(token)
	rsp, err := j.http.Do(req)
	if err != nil {
		return 0, errors.Errorf("GET %s: %s", path, withoutAddress(err))
	}
	defer func() { _ = rsp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(rsp.Body, maxAnswer+1))
	switch {
	case rsp.StatusCode != http.StatusOK:
		return rsp.StatusCode, errors.Errorf("GET %s: %s", path, http.StatusText(rsp.StatusCode))
	case err != nil:
		return rsp.StatusCode, errors.Errorf("GET %s: %s", path, withoutAddress(err))
	case len(body) > maxAnswer:
		return rsp.StatusCode, errors.Errorf("GET %s: the answer has more than %d bytes", path, maxAnswer)
	case json.Unmarshal(body, answer) != nil:
		return rsp.StatusCode, errors.Errorf("GET %s: the answer is not what Jupyter answers", path)
	}
	return rsp.StatusCode, nil
}

func authorization(token string) http.Header {
	return http.Header{"Authorization": {"token " + token}}
}

// withoutAddress is the cause of an error only: what a report says must stay the same
// while its cause does, and ports do not.
func withoutAddress(err error) string {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "no answer in time"
	case strings.Contains(err.Error(), "connection refused"):
		return "connection refused"
	default:
		return "no answer"
	}
}
