package fn

import (
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"
)

// decimal is an amount of money. What big.Rat takes beyond that could keep it
// calculating for hours.
var decimal = regexp.MustCompile(`^[0-9]{1,30}(\.[0-9]{1,30})?$`)

// A costPerHour is what notebooks cost in an hour.
type costPerHour struct {
	perHour, currency string

	// currencies that are not added up.
	currencies []string
}

// costOf notebooks: the sum of their hourly rates. Where none has any, it is zero in
// the platform's currency.
func costOf(notebooks []object, currency string) costPerHour {
	sum, digits, currencies := new(big.Rat), 0, map[string]bool{}
	for _, nb := range notebooks {
		rate, of := nb.text("status", "cost", "hourlyRate"), nb.text("status", "cost", "currency")
		amount, isNumber := new(big.Rat).SetString(decimalOf(rate))
		if !isNumber || of == "" {
			continue
		}
		_, fraction, _ := strings.Cut(rate, ".")
		sum.Add(sum, amount)
		digits = max(digits, len(fraction))
		currencies[of] = true
	}
	switch all := slices.Sorted(maps.Keys(currencies)); {
	case len(all) > 1:
		return costPerHour{currencies: all}
	case len(all) == 1:
		return costPerHour{perHour: sum.FloatString(digits), currency: all[0]}
	case currency != "":
		return costPerHour{perHour: "0", currency: currency}
	default:
		return costPerHour{}
	}
}

// decimalOf returns an amount, or nothing if it is none.
func decimalOf(text string) string {
	if !decimal.MatchString(text) {
		return ""
	}
	return text
}
