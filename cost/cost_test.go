package cost

import (
	"encoding/json"
	"math/big"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
)

var start = time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)

func rate(compute, storage string) Rate {
	return Rate{Currency: "EUR", Compute: Number(compute), Storage: Number(storage)}
}

func TestNext(t *testing.T) {
	type args struct {
		was          *v1.CostStatus
		now          time.Time
		runningSince time.Time
		rate         Rate
	}
	at := func(hours int) metav1.Time { return metav1.NewTime(start.Add(time.Duration(hours) * time.Hour)) }
	since := func(hours int) *metav1.Time { t := at(hours); return &t }
	running := &v1.CostStatus{Currency: "EUR", HourlyRate: "0.35", StorageHourlyRate: "0.05", Since: at(0), RunningSince: since(0), AccumulatedCost: "0"}
	cases := map[string]struct {
		reason string
		args   args
		want   *v1.CostStatus
	}{
		"New": {
			reason: "A notebook that does not run yet costs its workspace.",
			args:   args{now: start, rate: rate("0.3", "0.05")},
			want:   &v1.CostStatus{Currency: "EUR", HourlyRate: "0.05", StorageHourlyRate: "0.05", Since: at(0), AccumulatedCost: "0"},
		},
		"Unchanged": {
			reason: "As long as nothing changes, nothing is written.",
			args:   args{was: running, now: start.Add(5 * time.Hour), runningSince: start, rate: rate("0.3", "0.05")},
			want:   running,
		},
		"Stop": {
			reason: "A stop closes the account of the run, and the workspace goes on.",
			args:   args{was: running, now: start.Add(2 * time.Hour), rate: rate("0.3", "0.05")},
			want:   &v1.CostStatus{Currency: "EUR", HourlyRate: "0.05", StorageHourlyRate: "0.05", Since: at(2), AccumulatedSeconds: 7200, AccumulatedCost: "0.7"},
		},
		"Restart": {
			reason: "A restart begins another run at the same rate.",
			args:   args{was: running, now: start.Add(2 * time.Hour), runningSince: start.Add(2 * time.Hour), rate: rate("0.3", "0.05")},
			want:   &v1.CostStatus{Currency: "EUR", HourlyRate: "0.35", StorageHourlyRate: "0.05", Since: at(2), RunningSince: since(2), AccumulatedSeconds: 7200, AccumulatedCost: "0.7"},
		},
		"PriceChange": {
			reason: "Other prices hold from now on, and the run is the same.",
			args:   args{was: running, now: start.Add(2 * time.Hour), runningSince: start, rate: rate("0.6", "0.05")},
			want:   &v1.CostStatus{Currency: "EUR", HourlyRate: "0.65", StorageHourlyRate: "0.05", Since: at(2), RunningSince: since(0), AccumulatedSeconds: 7200, AccumulatedCost: "0.7"},
		},
		"Currency": {
			reason: "Amounts of two currencies are not added: the account begins anew, and the time does not.",
			args:   args{was: running, now: start.Add(2 * time.Hour), runningSince: start, rate: Rate{Currency: "USD", Compute: Number("1")}},
			want:   &v1.CostStatus{Currency: "USD", HourlyRate: "1", StorageHourlyRate: "0", Since: at(2), RunningSince: since(0), AccumulatedSeconds: 7200, AccumulatedCost: "0"},
		},
		"ClockBack": {
			reason: "A clock that goes back takes nothing back.",
			args:   args{was: running, now: start.Add(-time.Hour), rate: rate("0.3", "0.05")},
			want:   &v1.CostStatus{Currency: "EUR", HourlyRate: "0.05", StorageHourlyRate: "0.05", Since: at(-1), AccumulatedCost: "0"},
		},
		"Damaged": {
			reason: "What somebody wrote into the status cannot be added.",
			args:   args{was: &v1.CostStatus{Currency: "EUR", HourlyRate: "much", AccumulatedCost: "1e999999999"}, now: start, rate: rate("0", "1")},
			want:   &v1.CostStatus{Currency: "EUR", HourlyRate: "1", StorageHourlyRate: "1", Since: at(0), AccumulatedCost: "0"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := Next(tc.args.was, tc.args.now, tc.args.runningSince, tc.args.rate)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nNext(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestClock compares the account with a simulation that adds up every hour as it
// passes: over any history of starts, stops, sizes and prices the total is right at
// any moment, and the account changes only when something did.
func TestClock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var account *v1.CostStatus
		now, running := start, time.Time{}
		compute, storage := big.NewRat(3, 10), big.NewRat(5, 100)
		total, seconds, changes := new(big.Rat), int64(0), int64(0)
		look := func() {
			next := Next(account, now, running, Rate{Currency: "EUR", Compute: compute, Storage: storage})
			account = encoded(t, next)
		}
		look()
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			before := *account
			passed := rapid.Int64Range(0, 100_000).Draw(t, "seconds")
			now = now.Add(time.Duration(passed) * time.Second)
			hourly := new(big.Rat).Set(storage)
			if !running.IsZero() {
				hourly.Add(hourly, compute)
				seconds += passed
			}
			total.Add(total, hourly.Mul(hourly, big.NewRat(passed, 3600)))
			look()
			if diff := cmp.Diff(before, *account); diff != "" {
				t.Fatalf("the account changed though only time passed: -before, +after:\n%s", diff)
			}
			if !near(Total(account, now), total, changes+1) || Seconds(account, now) != seconds {
				t.Fatalf("after %d changes: want %s for %d s, got %s for %d s", changes, total.FloatString(6), seconds, Total(account, now).FloatString(6), Seconds(account, now))
			}
			switch rapid.SampledFrom([]string{"start", "stop", "resize", "storage", "nothing"}).Draw(t, "event") {
			case "start":
				running = now
			case "stop":
				running = time.Time{}
			case "resize":
				compute = big.NewRat(rapid.Int64Range(0, 1000).Draw(t, "compute"), 100)
			case "storage":
				storage = big.NewRat(rapid.Int64Range(0, 1000).Draw(t, "storage"), 1000)
			}
			changes++
			look()
		}
	})
}

// near tells whether two amounts differ by no more than what so many changes round.
func near(a, b *big.Rat, changes int64) bool {
	difference := new(big.Rat).Sub(a, b)
	return difference.Abs(difference).Cmp(big.NewRat(changes, 1_000_000)) <= 0
}

// encoded is the account as the API server keeps it.
func encoded(t *rapid.T, account *v1.CostStatus) *v1.CostStatus {
	b, err := json.Marshal(account)
	if err != nil {
		t.Fatal(err)
	}
	kept := &v1.CostStatus{}
	if err := json.Unmarshal(b, kept); err != nil {
		t.Fatal(err)
	}
	kept.Since = metav1.NewTime(kept.Since.UTC())
	if kept.RunningSince != nil {
		kept.RunningSince = &metav1.Time{Time: kept.RunningSince.UTC()}
	}
	return kept
}
