package agent

import (
	"fmt"
	"slices"
	"time"
)

// A sight is what one look at a notebook shows.
type sight struct {
	// doubt is why it is not known whether anybody uses the notebook. If it is not
	// empty, the rest means nothing.
	doubt string

	// busy is what goes on. Empty if nothing does.
	busy string

	// last is when Jupyter saw the last activity.
	last time.Time

	// kernels by id, sorted, and how many terminals there are.
	kernels   []string
	terminals int
}

func (s sight) String() string {
	switch {
	case s.doubt != "":
		return s.doubt
	case s.busy != "":
		return s.busy
	default:
		return fmt.Sprintf("%d kernels idle, %d terminals at their prompt", len(s.kernels), s.terminals)
	}
}

// sameAs tells whether there is neither more nor less than there was.
func (s sight) sameAs(before sight) bool {
	return slices.Equal(s.kernels, before.kernels) && s.terminals == before.terminals
}
