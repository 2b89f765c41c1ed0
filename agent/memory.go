package agent

import (
	"encoding/json"
	"os"
	"time"

	"github.com/crossplane/function-sdk-go/errors"
)

// memory is a file with the report that stands. The agent that said it has ended; the
// next one must know of it, to take it back.
type memory struct{ file string }

// said is a report, and when it was made.
type said struct {
	Report

	At time.Time `json:"at"`
}

// load what was said last. Where it cannot be read, it is taken for a report that
// allows to stop the server, and of long ago: the first look takes it back.
func (m memory) load() said {
	b, err := os.ReadFile(m.file)
	if os.IsNotExist(err) {
		return said{}
	}
	s := said{}
	if err != nil || json.Unmarshal(b, &s) != nil {
		return said{Report: Report{State: Idle}}
	}
	return s
}

// save what is said now. What is not remembered must not be said.
func (m memory) save(r Report, at time.Time) error {
	b, err := json.Marshal(said{r, at})
	if err != nil {
		return errors.Wrap(err, "cannot encode the report")
	}
	if err := os.WriteFile(m.file+".new", b, 0o600); err != nil {
		return errors.Wrap(err, "cannot remember the report")
	}
	return errors.Wrap(os.Rename(m.file+".new", m.file), "cannot remember the report")
}
