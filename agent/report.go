// Package agent watches in a notebook's pod whether anybody uses the notebook.
package agent

import (
	"encoding/json"
	"time"

	"github.com/crossplane/function-sdk-go/errors"
)

// ContainerName of the agent in a notebook's pod.
const ContainerName = "activity-agent"

// State of a notebook, as far as the agent knows it.
type State string

// States. A later report replaces an earlier one.
const (
	// Idle: nobody has used the notebook for its timeout. It may be stopped.
	Idle State = "Idle"

	// Active takes back an earlier report: the notebook must not be stopped.
	Active State = "Active"

	// Unknown: the agent has not been able to find out for a while. The notebook
	// must not be stopped.
	Unknown State = "Unknown"
)

// A Report is the only thing that an agent ever says, and how: it ends, with the
// report as the termination message of its container. Kubernetes shows that in the
// pod's status, and starts the agent again. So a pod needs no access to
// Kubernetes' API.
type Report struct {
	State State `json:"state"`

	// Since when nobody has used the notebook. Only with Idle.
	Since time.Time `json:"since,omitzero"`

	// TimeoutSeconds that the agent waited for. Only with Idle.
	TimeoutSeconds int64 `json:"timeoutSeconds,omitempty"`

	// Seen is what the agent saw: with Idle what there was that could have been
	// active, with Unknown why it does not know. It never holds a token.
	Seen string `json:"seen,omitempty"`
}

// maxReport in bytes: Kubernetes cuts a termination message at 4096.
const maxReport = 4096

// ParseReport reads a termination message. Anything at all may be in one.
func ParseReport(message string) (Report, error) {
	r := Report{}
	if len(message) > maxReport {
		return Report{}, errors.Errorf("the report has %d bytes, which is more than %d", len(message), maxReport)
	}
	if err := json.Unmarshal([]byte(message), &r); err != nil {
		return Report{}, errors.Wrap(err, "cannot read the report")
	}
	switch r.State {
	case Idle:
		if r.Since.IsZero() || r.TimeoutSeconds <= 0 {
			return Report{}, errors.New("the report says idle, and not since when or for which timeout")
		}
	case Active, Unknown:
	default:
		return Report{}, errors.Errorf("the report has the unknown state %q", r.State)
	}
	return r, nil
}

// Encode writes a report as a termination message.
func (r Report) Encode() string {
	b, err := json.Marshal(r)
	if err != nil { // Impossible for years that a clock has.
		return ""
	}
	return string(b)
}
