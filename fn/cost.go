package fn

import (
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	v1 "github.com/function-jupyter/function-jupyter/api/v1"
	"github.com/function-jupyter/function-jupyter/cost"
	"github.com/function-jupyter/function-jupyter/input/v1beta1"
)

// hoursPerMonth is what a month has on average.
const hoursPerMonth = 730

// cost of the notebook, or nil where the platform has never had prices.
func (s situation) cost() *v1.CostStatus {
	was, since := s.costBefore(), s.runningSince()
	prices := s.rules().Prices
	switch {
	case was == nil && prices == nil:
		return nil
	case s.policy == nil: // Only what was known can go on.
		return s.costAsItWas(was, since)
	case prices == nil:
		return cost.Next(was, s.now, since, cost.Rate{Currency: was.Currency})
	default:
		return cost.Next(was, s.now, since, cost.Rate{Currency: prices.Currency, Compute: s.computeRate(prices), Storage: s.storageRate(prices)})
	}
}

// costAsItWas goes on without prices. A server may end meanwhile.
func (s situation) costAsItWas(was *v1.CostStatus, since time.Time) *v1.CostStatus {
	hourly, storage := cost.Number(was.HourlyRate), cost.Number(was.StorageHourlyRate)
	if was.RunningSince == nil {
		since = time.Time{}
	}
	return cost.Next(was, s.now, since, cost.Rate{Currency: was.Currency, Compute: new(big.Rat).Sub(hourly, storage), Storage: storage})
}

// costBefore is the account as it was last written.
func (s situation) costBefore() *v1.CostStatus {
	written := s.was.at("status", "cost").GetStructValue()
	if written == nil {
		return nil
	}
	b, err := written.MarshalJSON()
	was := &v1.CostStatus{}
	if err != nil || json.Unmarshal(b, was) != nil {
		return nil
	}
	return was
}

// runningSince is when the run that the server is in was first ready, or zero while it
// does not hold what it asks for.
func (s situation) runningSince() time.Time {
	if !s.holds() {
		return time.Time{}
	}
	was := s.was.time("status", "cost", "runningSince")
	if was.IsZero() || s.run.started.Truncate(time.Second).After(was) {
		return s.now
	}
	return was
}

// holds tells whether the server keeps from others what it asks for: from its first
// answer until it is stopped, whatever happens to it, unless it is without a node.
func (s situation) holds() bool {
	d := s.server()
	switch {
	case !d.exists(), s.stopped(), d.number("spec", "replicas") == 0:
		return false
	case serverReady(d):
		return true
	case s.world.pod().condition(string(corev1.PodScheduled)).text("status") == "False":
		return false
	default:
		return s.was.text("status", "cost", "runningSince") != "" || s.was.number("status", "gpu", "held") > 0
	}
}

// computeRate is what the server reserves, by its Deployment: that is what runs.
func (s situation) computeRate(prices *v1beta1.Prices) *big.Rat {
	reserved := s.reserved()
	rate := new(big.Rat)
	for name, price := range map[corev1.ResourceName]*resource.Quantity{corev1.ResourceCPU: prices.CPUCoreHour, corev1.ResourceMemory: prices.MemoryGiBHour} {
		amount := rational(reserved[name])
		if name == corev1.ResourceMemory {
			amount = gibibytes(reserved[name])
		}
		if price != nil {
			rate.Add(rate, amount.Mul(amount, rational(*price)))
		}
	}
	for _, g := range s.gpus() {
		if price, priced := prices.GPUHour[g.name]; priced {
			amount := new(big.Rat).SetInt64(g.count)
			rate.Add(rate, amount.Mul(amount, rational(price)))
		}
	}
	return rate
}

// storageRate is that of the notebook's own workspace, once it has a volume.
func (s situation) storageRate(prices *v1beta1.Prices) *big.Rat {
	capacity, err := parseQuantity(s.pvc().text("status", "capacity", "storage"))
	if err != nil || prices.StorageGiBMonth == nil {
		return new(big.Rat)
	}
	rate := gibibytes(capacity)
	rate.Mul(rate, rational(*prices.StorageGiBMonth))
	return rate.Quo(rate, new(big.Rat).SetInt64(hoursPerMonth))
}

// reserved by the server's container: what it requests, and where it requests nothing,
// its limit, as Kubernetes has it.
func (s situation) reserved() corev1.ResourceList {
	reserved := corev1.ResourceList{}
	for _, c := range s.server().list("spec", "template", "spec", "containers") {
		if c.text("name") != containerName {
			continue
		}
		for _, field := range []string{"limits", "requests"} {
			for name, text := range c.texts("resources", field) {
				if quantity, err := parseQuantity(text); err == nil {
					reserved[corev1.ResourceName(name)] = quantity
				}
			}
		}
	}
	return reserved
}

// gpus of one type.
type gpus struct {
	name  string
	count int64
}

// gpus that the server reserves, by the platform's names for them.
func (s situation) gpus() []gpus {
	reserved := s.reserved()
	var all []gpus
	for _, name := range slices.Sorted(maps.Keys(reserved)) {
		quantity := reserved[name]
		if isExtended(name) && quantity.Sign() > 0 {
			all = append(all, gpus{s.gpuType(name), quantity.Value()})
		}
	}
	return all
}

// gpuType of a device: what its claim calls it, or the dearest that its nodes could
// have. What has no type has the name of its resource.
func (s situation) gpuType(name corev1.ResourceName) string {
	nodes := s.server().texts("spec", "template", "spec", "nodeSelector")
	best, price := "", resource.Quantity{}
	for _, g := range s.rules().GPUTypes {
		if g.ResourceName != name || !contains(nodes, g.NodeSelector) {
			continue
		}
		if asked := s.claimedGPU(); asked != nil && asked.Type == g.Name {
			return g.Name
		}
		var theirs resource.Quantity
		if prices := s.rules().Prices; prices != nil {
			theirs = prices.GPUHour[g.Name]
		}
		if best == "" || theirs.Cmp(price) > 0 {
			best, price = g.Name, theirs
		}
	}
	if best == "" {
		return string(name)
	}
	return best
}

func (s situation) claimedGPU() *v1.GPU {
	if s.spec == nil || s.claim() == nil {
		return nil
	}
	return s.claim().GPU
}

// contains tells whether labels have all of the others.
func contains(labels, others map[string]string) bool {
	for key, value := range others {
		if labels[key] != value {
			return false
		}
	}
	return true
}

// gpuStatus of a server that asks for GPUs.
func (s situation) gpuStatus() *v1.GPUStatus {
	all := s.gpus()
	if len(all) == 0 {
		return nil
	}
	st := &v1.GPUStatus{Type: all[0].name, Count: all[0].count}
	if s.holds() {
		st.Held = st.Count
	}
	return st
}

// rational is a quantity as an exact number.
func rational(q resource.Quantity) *big.Rat {
	n, ok := new(big.Rat).SetString(q.AsDec().String())
	if !ok { // Impossible: it is a decimal number.
		return new(big.Rat)
	}
	return n
}

func gibibytes(q resource.Quantity) *big.Rat {
	n := rational(q)
	return n.Quo(n, new(big.Rat).SetInt64(1<<30))
}
