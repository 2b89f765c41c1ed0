// Package cost keeps the account of a notebook. It notes what was reached when
// something changed, and how fast it grows from then on, so that a total can be told
// at any moment and nothing has to be written as time passes.
package cost

import (
	"math/big"
	"regexp"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

// Decimals of what is written. A total is exact to a millionth for each change.
const (
	rateDecimals = 9
	costDecimals = 6
)

// A Rate is what an hour costs.
type Rate struct {
	Currency string

	// Compute while the server runs, and Storage at any time. Nil is nothing.
	Compute, Storage *big.Rat
}

// Next is the account after a look at the notebook. It is the account from before as
// long as nothing changed. RunningSince is zero while the server does not run. Another
// currency begins another account: nobody knows what the old one is worth in it.
func Next(was *v1.CostStatus, now, runningSince time.Time, rate Rate) *v1.CostStatus {
	storage := text(rate.Storage, rateDecimals)
	hourly := storage
	if !runningSince.IsZero() {
		hourly = text(sum(rate.Compute, rate.Storage), rateDecimals)
	}
	if was != nil && was.HourlyRate == hourly && was.StorageHourlyRate == storage && was.Currency == rate.Currency && since(was.RunningSince).Equal(truncated(runningSince)) {
		return was
	}
	next := &v1.CostStatus{
		Currency:          rate.Currency,
		HourlyRate:        hourly,
		StorageHourlyRate: storage,
		Since:             metav1.NewTime(truncated(now)),
		AccumulatedCost:   "0",
	}
	if !runningSince.IsZero() {
		next.RunningSince = &metav1.Time{Time: truncated(runningSince)}
	}
	if was != nil {
		next.AccumulatedSeconds = Seconds(was, now)
		if was.Currency == rate.Currency {
			next.AccumulatedCost = text(Total(was, now), costDecimals)
		}
	}
	return next
}

// Total is what a notebook has cost until a moment after the last change.
func Total(of *v1.CostStatus, at time.Time) *big.Rat {
	hours := big.NewRat(elapsed(of, at), int64(time.Hour/time.Second))
	return sum(Number(of.AccumulatedCost), hours.Mul(hours, Number(of.HourlyRate)))
}

// Seconds for which its server has run until then.
func Seconds(of *v1.CostStatus, at time.Time) int64 {
	if of.RunningSince == nil {
		return of.AccumulatedSeconds
	}
	return of.AccumulatedSeconds + elapsed(of, at)
}

// elapsed seconds since the last change. Clocks may go back.
func elapsed(of *v1.CostStatus, at time.Time) int64 {
	return max(0, int64(truncated(at).Sub(of.Since.Time)/time.Second))
}

func truncated(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }

func since(t *metav1.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.Time
}

// amount as this package writes it. What big.Rat reads beyond that could keep it
// calculating for hours.
var amount = regexp.MustCompile(`^[0-9]{1,30}(\.[0-9]{1,30})?$`)

// Number that was written, or 0 if it was not a number.
func Number(text string) *big.Rat {
	n := new(big.Rat)
	if amount.MatchString(text) {
		n.SetString(text)
	}
	return n
}

func sum(amounts ...*big.Rat) *big.Rat {
	total := new(big.Rat)
	for _, amount := range amounts {
		if amount != nil {
			total.Add(total, amount)
		}
	}
	return total
}

// text of a number, without zeros that say nothing.
func text(n *big.Rat, decimals int) string {
	if n == nil {
		return "0"
	}
	return strings.TrimSuffix(strings.TrimRight(n.FloatString(decimals), "0"), ".")
}
