package units_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// Figures that AWS publishes, to the last digit: whoever compares them with
// another source must not find a difference in the last place.
func TestConversions(t *testing.T) {
	for _, test := range []struct {
		mbit units.MbitPerS
		mb   units.MBPerS
		mib  units.MiBPerS
	}{
		{0, 0, 0},
		{8, 1, 0.95367431640625},
		{174, 21.75, 20.742416381835938}, // t3.small
		{1_250, 156.25, 149.01161193847656},
		{2_085, 260.625, 248.5513687133789},
		{8_000, 1_000, 953.67431640625},
		{10_000, 1_250, 1_192.0928955078125},
		{14_000, 1_750, 1_668.9300537109375},
		{300_000, 37_500, 35_762.786865234375},
	} {
		if got := test.mbit.MB(); got != test.mb {
			t.Errorf("%v = %v, want %v", float64(test.mbit), float64(got), float64(test.mb))
		}
		if got := test.mbit.MiB(); got != test.mib {
			t.Errorf("%v = %v, want %v", float64(test.mbit), float64(got), float64(test.mib))
		}
		if got := test.mb.MiB(); got != test.mib {
			t.Errorf("%v = %v, want %v", float64(test.mb), float64(got), float64(test.mib))
		}
		if got := test.mb.Mbit(); got != test.mbit {
			t.Errorf("%v = %v, want %v", float64(test.mb), float64(got), float64(test.mbit))
		}
		if got := test.mib.MB(); got != test.mb {
			t.Errorf("%v = %v, want %v", float64(test.mib), float64(got), float64(test.mb))
		}
		if got := test.mib.Mbit(); got != test.mbit {
			t.Errorf("%v = %v, want %v", float64(test.mib), float64(got), float64(test.mbit))
		}
	}
}

// The other direction, from what people provision.
func TestFromMiB(t *testing.T) {
	for _, test := range []struct {
		mib units.MiBPerS
		mb  units.MBPerS
	}{
		{1, 1.048576},
		{125, 131.072},
		{750, 786.432},
		{1_000, 1_048.576},
		{2_000, 2_097.152},
	} {
		if got := test.mib.MB(); got != test.mb {
			t.Errorf("%v = %v, want %v", float64(test.mib), float64(got), float64(test.mb))
		}
	}
	if got, want := units.MiBPerS(953).Mbit(), units.MbitPerS(7_994.343424); got != want {
		t.Errorf("953 MiB/s are %v Mbit/s, want %v", float64(got), float64(want))
	}
}

// Whole published figures come back as they were, to the last bit.
func TestRoundTripsOfPublishedFiguresAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mbit := units.MbitPerS(rapid.Int64Range(0, 10_000_000).Draw(t, "Mbit/s"))
		if got := mbit.MiB().Mbit(); got != mbit {
			t.Errorf("Mbit/s by MiB/s: %v became %v", float64(mbit), float64(got))
		}
		if got := mbit.MB().Mbit(); got != mbit {
			t.Errorf("Mbit/s by MB/s: %v became %v", float64(mbit), float64(got))
		}
		if got := mbit.MB().MiB().MB(); got != mbit.MB() {
			t.Errorf("MB/s by MiB/s: %v became %v", float64(mbit.MB()), float64(got))
		}
	})
}

// Anything comes back within the last bits of a float64, and larger stays larger.
func TestRoundTrips(t *testing.T) {
	near := func(a, b float64) bool { return math.Abs(a-b) <= 4e-16*math.Abs(a) }
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.Float64Range(1e-9, 1e12).Draw(t, "rate")
		if got := units.MbitPerS(f).MiB().Mbit(); !near(f, float64(got)) {
			t.Errorf("Mbit/s by MiB/s: %v became %v", f, float64(got))
		}
		if got := units.MBPerS(f).Mbit().MB(); float64(got) != f {
			t.Errorf("MB/s by Mbit/s: %v became %v", f, float64(got))
		}
		if got := units.MiBPerS(f).MB().MiB(); !near(f, float64(got)) {
			t.Errorf("MiB/s by MB/s: %v became %v", f, float64(got))
		}
		// The two ways from Mbit/s to MiB/s are the same.
		if a, b := units.MbitPerS(f).MiB(), units.MbitPerS(f).MB().MiB(); !near(float64(a), float64(b)) {
			t.Errorf("%v Mbit/s are %v or %v MiB/s", f, float64(a), float64(b))
		}
		if g := f * 1.001; units.MiBPerS(f).MB() >= units.MiBPerS(g).MB() || units.MbitPerS(f).MiB() >= units.MbitPerS(g).MiB() {
			t.Errorf("a conversion does not keep %v below %v", f, g)
		}
		if mib := units.MiBPerS(f); float64(mib.MB()) <= f || float64(mib.Mbit()) <= float64(mib.MB()) {
			t.Errorf("a MiB is more than a MB and a MB more than a Mbit, but not at %v", f)
		}
	})
}

func TestString(t *testing.T) {
	for want, got := range map[string]string{
		"8,000 Mbit/s":     units.MbitPerS(8_000).String(),
		"156.25 MB/s":      units.MBPerS(156.25).String(),
		"1,192.09 MiB/s":   units.MiBPerS(1_192.0928955078125).String(),
		"0 MiB/s":          units.MiBPerS(0).String(),
		"1,048.58 MB/s":    units.MiBPerS(1_000).MB().String(),
		"35,762.79 MiB/s":  units.MbitPerS(300_000).MiB().String(),
		"-1,000.5 MiB/s":   units.MiBPerS(-1_000.5).String(),
		"9,999,999 Mbit/s": units.MbitPerS(9_999_999).String(),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestNumber(t *testing.T) {
	for _, test := range []struct {
		f    float64
		want string
	}{
		{0, "0"},
		{math.Copysign(0, -1), "0"},
		{0.004, "0"},
		{-0.004, "0"}, // not "-0"
		{0.006, "0.01"},
		{-0.006, "-0.01"},
		{0.5, "0.5"},
		{1, "1"},
		{10, "10"}, // zeros before the point stay
		{100, "100"},
		{999.994, "999.99"},
		{999.996, "1,000"}, // rounding makes a new group
		{-999.996, "-1,000"},
		{1_000, "1,000"},
		{1_192.0928955078125, "1,192.09"},
		{-1_234_567.891, "-1,234,567.89"},
		{1e15, "1,000,000,000,000,000"},
		{1e21, "1,000,000,000,000,000,000,000"}, // no exponent, which nobody reads
		{math.Inf(1), "+Inf"},
		{math.Inf(-1), "-Inf"},
		{math.NaN(), "NaN"},
	} {
		if got := units.Number(test.f); got != test.want {
			t.Errorf("Number(%v) = %q, want %q", test.f, got, test.want)
		}
	}
}

func TestCount(t *testing.T) {
	for _, test := range []struct {
		n    int64
		want string
	}{
		{0, "0"},
		{7, "7"},
		{-7, "-7"},
		{999, "999"},
		{-999, "-999"}, // the sign is no digit: not "-,999"
		{1_000, "1,000"},
		{-1_000, "-1,000"},
		{80_000, "80,000"},
		{1_234_567, "1,234,567"},
		{math.MaxInt64, "9,223,372,036,854,775,807"},
		{math.MinInt64, "-9,223,372,036,854,775,808"},
	} {
		if got := units.Count(test.n); got != test.want {
			t.Errorf("Count(%d) = %q, want %q", test.n, got, test.want)
		}
	}
}

func TestDecimal(t *testing.T) {
	for in, want := range map[string]string{
		"0":                   "0",
		"-0.004":              "-0.004", // exact: nothing is rounded away
		"750.5":               "750.5",
		"3000.500":            "3,000.5",
		"-1234567.000001":     "-1,234,567.000001",
		"1e9":                 "1,000,000,000",
		"1000000000000000000": "1,000,000,000,000,000,000",
	} {
		if got := units.Decimal(decimal.RequireFromString(in)); got != want {
			t.Errorf("Decimal(%s) = %q, want %q", in, got, want)
		}
	}
	if got := units.Decimal(decimal.New(1, 60)); got != "1"+strings.Repeat(",000", 20) {
		t.Errorf("10^60 is %s", got)
	}
}

func TestUSD(t *testing.T) {
	for _, test := range []struct{ in, usd, signed string }{
		{"0", "$0.00", "+$0.00"},
		{"0.004", "$0.00", "+$0.00"},
		{"-0.004", "$0.00", "+$0.00"}, // what rounds to nothing has no minus
		{"0.005", "$0.01", "+$0.01"},
		{"-0.005", "-$0.01", "-$0.01"},
		{"2.82", "$2.82", "+$2.82"},
		{"-2.82", "-$2.82", "-$2.82"},
		{"25", "$25.00", "+$25.00"},
		{"999.995", "$1,000.00", "+$1,000.00"},
		{"-1138.8", "-$1,138.80", "-$1,138.80"},
		{"123456789.999", "$123,456,790.00", "+$123,456,790.00"},
	} {
		d := decimal.RequireFromString(test.in)
		if got := units.USD(d); got != test.usd {
			t.Errorf("USD(%s) = %q, want %q", test.in, got, test.usd)
		}
		if got := units.SignedUSD(d); got != test.signed {
			t.Errorf("SignedUSD(%s) = %q, want %q", test.in, got, test.signed)
		}
	}
}

// Whatever is printed reads back as the figure: no digit is lost or moved by
// the commas.
func TestPrintedFiguresReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64().Draw(t, "n")
		if got, err := strconv.ParseInt(strings.ReplaceAll(units.Count(n), ",", ""), 10, 64); err != nil || got != n {
			t.Errorf("%d is printed as %s", n, units.Count(n))
		}
		d := decimal.New(rapid.Int64().Draw(t, "unscaled"), rapid.Int32Range(-9, 9).Draw(t, "exponent"))
		if got := decimal.RequireFromString(strings.ReplaceAll(units.Decimal(d), ",", "")); !got.Equal(d) {
			t.Errorf("%s is printed as %s", d, units.Decimal(d))
		}
		if got := decimal.RequireFromString(strings.NewReplacer(",", "", "$", "").Replace(units.USD(d))); !got.Equal(d.Round(2)) {
			t.Errorf("%s dollars are printed as %s", d, units.USD(d))
		}
		f := rapid.Float64Range(-1e12, 1e12).Draw(t, "f")
		got, err := strconv.ParseFloat(strings.ReplaceAll(units.Number(f), ",", ""), 64)
		if err != nil || math.Abs(got-f) > 0.005+1e-3*math.Abs(f)/1e12 {
			t.Errorf("%v is printed as %s", f, units.Number(f))
		}
		for _, s := range []string{units.Count(n), units.Number(f), units.Decimal(d)} {
			whole, _, _ := strings.Cut(strings.TrimPrefix(s, "-"), ".")
			for i, g := range strings.Split(whole, ",") {
				if len(g) > 3 || g == "" || (i > 0 && len(g) != 3) {
					t.Errorf("groups of %s", s)
				}
			}
		}
	})
}
