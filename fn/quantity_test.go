package fn

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
)

func TestPlainQuantity(t *testing.T) {
	cases := map[string]struct {
		reason     string
		quantities []string
		want       bool
	}{
		"Written": {
			reason:     "What people write.",
			quantities: []string{"0", "1", "500m", "1.5", "10Gi", "1e3", "1E6", "+1", "-1", ".5", "5.", "1n", "1u", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Ti", "1Pi", "1Ei", "1e-3", "1e+3", "12345678901234567890", "1e99"},
			want:       true,
		},
		"NotQuantities": {
			reason:     "What Kubernetes cannot read either.",
			quantities: []string{"", "x", "1..2", "--1", "1x", "1e", "1GB", "1 Gi", "1ki", "1mi", "1KI", "Gi", "true", "1,5", "٣", "."},
		},
		"Strange": {
			reason:     "What Kubernetes can read, and nobody means.",
			quantities: []string{"1e100", "1e-100", "1E+999", "1e999999999", " 1", "1 ", "1\n", "e3", strings.Repeat("9", 33), "0." + strings.Repeat("0", 33)},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for _, q := range tc.quantities {
				if got := plainQuantity.MatchString(q); got != tc.want {
					t.Errorf("\n%s\nplainQuantity of %q: want %t, got %t", tc.reason, q, tc.want, got)
				}
			}
		})
	}
}

// TestPlainQuantitiesAreQuick calculates with the largest and the longest
// quantities that pass.
func TestPlainQuantitiesAreQuick(t *testing.T) {
	start := time.Now()
	for _, q := range []string{"9e99", "-9e99", "1e-99", "9999999999E", strings.Repeat("9", 32) + "e99", strings.Repeat("9", 32) + "." + strings.Repeat("9", 32) + "e-99", strings.Repeat("9", 32) + "Ei"} {
		parsed, err := resource.ParseQuantity(q)
		if err != nil || !plainQuantity.MatchString(q) {
			t.Fatalf("%q is not a quantity that passes (%v)", q, err)
		}
		isTiny(&parsed)
		parsed.Cmp(resource.MustParse("1e-9"))
		parsed.MilliValue()
		parsed.Add(resource.MustParse("1"))
	}
	if took := time.Since(start); took > time.Second {
		t.Errorf("calculating with quantities took %s", took)
	}
}

func TestCheckQuantities(t *testing.T) {
	const bad = "1e999999999"
	cases := map[string]struct {
		reason string
		spec   map[string]any
		want   error
	}{
		"Empty":          {reason: "There is nothing to check."},
		"Plain":          {reason: "All of them are plain.", spec: objectOf(t, fullSpec).AsMap()},
		"Number":         {reason: "Numbers are small enough to be calculated with.", spec: map[string]any{"volumeSize": 1e300}},
		"Elsewhere":      {reason: "What is no quantity is not checked.", spec: map[string]any{"image": bad, "env": []any{map[string]any{"name": "A", "value": bad}}}},
		"WrongTypes":     {reason: "They are for decoding to refuse.", spec: map[string]any{"resources": "x", "env": []any{"x", map[string]any{"valueFrom": 1.0}}, "volumeSize": []any{bad}}},
		"VolumeSize":     {reason: "It is compared.", spec: map[string]any{"volumeSize": bad}, want: resource.ErrFormatWrong},
		"ShmSize":        {reason: "It is compared.", spec: map[string]any{"shmSize": bad}, want: resource.ErrFormatWrong},
		"Request":        {reason: "It is compared.", spec: map[string]any{"resources": map[string]any{"requests": map[string]any{"cpu": bad}}}, want: resource.ErrFormatWrong},
		"Limit":          {reason: "It is compared.", spec: map[string]any{"resources": map[string]any{"limits": map[string]any{"x.com/y": bad}}}, want: resource.ErrFormatWrong},
		"DivisorOfLater": {reason: "Every variable is looked at.", spec: objectOf(t, `env: [{name: A}, {name: B, valueFrom: {resourceFieldRef: {divisor: "1e999999999"}}}]`).AsMap(), want: resource.ErrFormatWrong},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, checkQuantities(tc.spec), cmp.Comparer(func(a, b error) bool { return a == b })); diff != "" { //nolint:errorlint // The very same error.
				t.Errorf("\n%s\ncheckQuantities(%v): -want, +got:\n%s", tc.reason, tc.spec, diff)
			}
		})
	}
}

func TestParseQuantity(t *testing.T) {
	if q, err := parseQuantity("10Gi"); err != nil || q.String() != "10Gi" {
		t.Errorf("parseQuantity(10Gi): got %s, %v", &q, err)
	}
	// Kubernetes' parser calculates for hours with these.
	for _, text := range []string{"1e999999999", "1e-999999999", "", "ten"} {
		if _, err := parseQuantity(text); err == nil {
			t.Errorf("parseQuantity(%s): want an error", text)
		}
	}
}
