package ebs_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

var (
	cat     = catalog.Embedded()
	current = cat.GP3(catalog.CurrentLimits)
	classic = cat.GP3(catalog.ClassicLimits)
)

// dec is a figure that was written.
func dec(s string) optional.Value[decimal.Decimal] {
	return optional.Known(decimal.RequireFromString(s))
}

func whole(n int64) optional.Value[decimal.Decimal] { return optional.Known(decimal.NewFromInt(n)) }

var leftOut, notKnown = optional.Null[decimal.Decimal](), optional.Unknown[decimal.Decimal]()

func gp3Prices(t interface{ Fatalf(string, ...any) }, region string) optional.Value[catalog.GP3Prices] {
	p, ok := cat.VolumePrices(region)
	if !ok {
		t.Fatalf("no prices for %s", region)
	}
	return optional.Known(p.GP3)
}

func instanceOf(t interface{ Fatalf(string, ...any) }, typ string) catalog.Instance {
	i, ok := cat.Instance(typ)
	if !ok {
		t.Fatalf("no instance %s", typ)
	}
	return i
}

// The limits of a setting, at their edges.
func TestLimitsOfASetting(t *testing.T) {
	for throughput, want := range map[int64]int64{0: 3000, 125: 3000, 750: 3000, 751: 3004, 953: 3812, 1000: 4000, 2000: 8000} {
		if got := ebs.MinIOPS(current, throughput); got != want {
			t.Errorf("MinIOPS(%d) = %d, want %d", throughput, got, want)
		}
	}
	for iops, want := range map[int64]int64{0: 125, 499: 125, 500: 125, 504: 126, 3000: 750, 3003: 750, 3004: 751, 7999: 1999, 8000: 2000, 80000: 2000} {
		if got := ebs.MaxThroughput(current, iops); got != want {
			t.Errorf("MaxThroughput(%d) = %d, want %d", iops, got, want)
		}
	}
	if got := ebs.MaxThroughput(classic, 16000); got != 1000 {
		t.Errorf("on an Outpost 16,000 IOPS carry %d", got)
	}
	// A volume of any size has the free IOPS; 160 GiB are the first to have all.
	for gib, want := range map[int64]int64{1: 3000, 6: 3000, 7: 3500, 100: 50000, 159: 79500, 160: 80000, 65536: 80000} {
		if got := ebs.MaxIOPS(current, gib); got != want {
			t.Errorf("MaxIOPS(%d) = %d, want %d", gib, got, want)
		}
	}
	if got := ebs.MaxIOPS(classic, 160); got != 16000 {
		t.Errorf("on an Outpost 160 GiB have %d IOPS", got)
	}
}

// The two limits are the inverse of each other.
func TestMinIOPSAndMaxThroughputAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		throughput := rapid.Int64Range(125, 2000).Draw(t, "MiB/s")
		iops := ebs.MinIOPS(current, throughput)
		if got := ebs.MaxThroughput(current, iops); got < throughput {
			t.Errorf("%d IOPS for %d MiB/s carry %d", iops, throughput, got)
		}
		if iops > 3000 && ebs.MaxThroughput(current, iops-1) >= throughput {
			t.Errorf("one IOPS less than %d carries %d MiB/s, too", iops, throughput)
		}
	})
}

// What settings cost beyond storage in us-east-1, published and derived.
func TestGP3Cost(t *testing.T) {
	p, _ := gp3Prices(t, "us-east-1").Get()
	for _, test := range []struct {
		throughput, iops int64
		want             string
	}{
		{125, 3000, "0"},
		{750, 3000, "25"},
		{400, 10000, "46"},
		{400, 3000, "11"},
		{1000, 4000, "40"},
		{953, 3812, "37.18"},
		{2000, 8000, "100"},
		{1000, 16000, "100"},
		{751, 3004, "25.06"},
		// Below what is free there is nothing to get back.
		{100, 1000, "0"},
	} {
		c := ebs.GP3Cost(p, current, 0, ebs.GP3{IOPS: test.iops, ThroughputMiBPerS: test.throughput})
		if !c.TotalUSD().Equal(decimal.RequireFromString(test.want)) || !c.StorageUSD.IsZero() {
			t.Errorf("%d MiB/s at %d IOPS cost %s, want %s", test.throughput, test.iops, c.TotalUSD(), test.want)
		}
	}
	c := ebs.GP3Cost(p, current, 100, ebs.GP3{IOPS: 4000, ThroughputMiBPerS: 1000})
	if c.StorageUSD.String() != "8" || c.IOPSUSD.String() != "5" || c.ThroughputUSD.String() != "35" || c.TotalUSD().String() != "48" {
		t.Errorf("parts: %+v", c)
	}
}

// io2 charges less for IOPS above 32,000 and still less above 64,000; others
// have one price or none.
func TestOtherCost(t *testing.T) {
	prices, _ := cat.VolumePrices("us-east-1")
	for _, test := range []struct {
		typ       string
		gib, iops int64
		want      string
	}{
		{"gp2", 500, 0, "50"},
		{"gp2", 500, 1500, "50"}, // IOPS come with the size
		{"st1", 1000, 0, "45"},
		{"sc1", 1000, 0, "15"},
		{"io1", 100, 0, "12.5"},
		{"io1", 100, 1000, "77.5"},
		{"io1", 100, 64000, "4172.5"},
		{"io2", 100, 32000, "2092.5"},
		{"io2", 100, 32001, "2092.5455"},
		{"io2", 100, 64000, "3548.5"},
		{"io2", 100, 64001, "3548.53185"},
		{"io2", 100, 256000, "9663.7"},
	} {
		got := ebs.OtherCost(prices.Others[test.typ], test.gib, test.iops)
		if !got.TotalUSD().Equal(decimal.RequireFromString(test.want)) || !got.ThroughputUSD.IsZero() {
			t.Errorf("%d GiB of %s with %d IOPS cost %s, want %s", test.gib, test.typ, test.iops, got.TotalUSD(), test.want)
		}
	}
}

func TestOtherCostRisesWithIOPS(t *testing.T) {
	prices, _ := cat.VolumePrices("us-east-1")
	rapid.Check(t, func(t *rapid.T) {
		tiers := prices.Others["io2"]
		a, b := rapid.Int64Range(0, 256_000).Draw(t, "IOPS"), rapid.Int64Range(0, 256_000).Draw(t, "IOPS")
		a, b = min(a, b), max(a, b)
		less, more := ebs.OtherCost(tiers, 1, a).IOPSUSD, ebs.OtherCost(tiers, 1, b).IOPSUSD
		dearest, cheapest := decimal.RequireFromString("0.065"), decimal.RequireFromString("0.03185")
		if d := more.Sub(less); d.LessThan(cheapest.Mul(decimal.NewFromInt(b-a))) || d.GreaterThan(dearest.Mul(decimal.NewFromInt(b-a))) {
			t.Errorf("%d IOPS cost %s, %d cost %s", a, less, b, more)
		}
	})
}

func TestChoose(t *testing.T) {
	for _, test := range []struct {
		name      string
		demand    ebs.Demand
		instance  string
		classic   bool
		iops, mib int64
		bound     ebs.Bound
		usd       string
		usable    units.MiBPerS // 0: all of it
	}{
		{name: "nothing", demand: ebs.Demand{SizeGiB: 100}, iops: 3000, mib: 125, bound: ebs.BoundBaseline, usd: "8"},
		{name: "all that is free of IOPS", demand: ebs.Demand{SizeGiB: 100, ThroughputMiBPerS: dec("750")}, iops: 3000, mib: 750, bound: ebs.BoundThroughputRatio, usd: "33"},
		{name: "paid IOPS", demand: ebs.Demand{SizeGiB: 100, ThroughputMiBPerS: dec("1000")}, iops: 4000, mib: 1000, bound: ebs.BoundThroughputRatio, usd: "48"},
		{name: "on a Mac", demand: ebs.Demand{SizeGiB: 100, ThroughputMiBPerS: dec("1000")}, instance: "mac2-m2pro.metal", iops: 3812, mib: 953, bound: ebs.BoundInstance, usd: "45.18"},
		{name: "a budget", demand: ebs.Demand{SizeGiB: 100, BudgetUSD: dec("28")}, iops: 3000, mib: 625, bound: ebs.BoundBudget, usd: "28"},
		{name: "a fraction", demand: ebs.Demand{SizeGiB: 100, ThroughputMiBPerS: dec("750.25")}, iops: 3004, mib: 751, bound: ebs.BoundThroughputRatio, usd: "33.06"},
		{name: "less than is free", demand: ebs.Demand{SizeGiB: 100, ThroughputMiBPerS: dec("0.5"), IOPS: dec("1")}, iops: 3000, mib: 125, bound: ebs.BoundBaseline, usd: "8"},
		{name: "a negative demand is no demand", demand: ebs.Demand{SizeGiB: 100, ThroughputMiBPerS: dec("-1e30"), IOPS: dec("-1e30")}, iops: 3000, mib: 125, bound: ebs.BoundBaseline, usd: "8"},
		{name: "only IOPS", demand: ebs.Demand{SizeGiB: 100, IOPS: dec("10000.1")}, iops: 10001, mib: 125, bound: ebs.BoundNone, usd: "43.005"},
		{name: "IOPS that carry more", demand: ebs.Demand{SizeGiB: 100, IOPS: dec("10000"), ThroughputMiBPerS: dec("400")}, iops: 10000, mib: 400, bound: ebs.BoundNone, usd: "54"},
		{name: "all that gp3 has", demand: ebs.Demand{SizeGiB: 160, IOPS: dec("80000"), ThroughputMiBPerS: dec("2000")}, iops: 80000, mib: 2000, bound: ebs.BoundRange, usd: "472.8"},
		{name: "the smallest for 2,000", demand: ebs.Demand{SizeGiB: 16, ThroughputMiBPerS: dec("2000")}, iops: 8000, mib: 2000, bound: ebs.BoundRange, usd: "101.28"},
		{name: "all that the size allows", demand: ebs.Demand{SizeGiB: 8, ThroughputMiBPerS: dec("1000")}, iops: 4000, mib: 1000, bound: ebs.BoundIOPSPerGiB, usd: "40.64"},
		{name: "a budget beyond the smallest size", demand: ebs.Demand{SizeGiB: 1, BudgetUSD: dec("1000")}, iops: 3000, mib: 750, bound: ebs.BoundIOPSPerGiB, usd: "25.08"},
		{name: "a budget beyond gp3", demand: ebs.Demand{SizeGiB: 100, BudgetUSD: dec("1000")}, iops: 8000, mib: 2000, bound: ebs.BoundRange, usd: "108"},
		{name: "a budget beyond the instance", demand: ebs.Demand{SizeGiB: 100, BudgetUSD: dec("1000")}, instance: "mac2-m2pro.metal", iops: 3812, mib: 953, bound: ebs.BoundInstance, usd: "45.18"},
		{name: "a budget for the baseline", demand: ebs.Demand{SizeGiB: 100, BudgetUSD: dec("8")}, iops: 3000, mib: 125, bound: ebs.BoundBudget, usd: "8"},
		{name: "a budget past the knee", demand: ebs.Demand{SizeGiB: 100, BudgetUSD: dec("33.12")}, iops: 3008, mib: 752, bound: ebs.BoundBudget, usd: "33.12"},
		{name: "a cent less", demand: ebs.Demand{SizeGiB: 100, BudgetUSD: dec("33.11")}, iops: 3004, mib: 751, bound: ebs.BoundBudget, usd: "33.06"},
		{name: "a budget with IOPS", demand: ebs.Demand{SizeGiB: 100, IOPS: dec("4000"), BudgetUSD: dec("48.06")}, iops: 4004, mib: 1001, bound: ebs.BoundBudget, usd: "48.06"},
		// t3.small bursts to 248.55 MiB/s and sustains 20.74: the maximum counts.
		{name: "a burst", demand: ebs.Demand{SizeGiB: 100, ThroughputMiBPerS: dec("500")}, instance: "t3.small", iops: 3000, mib: 248, bound: ebs.BoundInstance, usd: "12.92"},
		// m1.large moves less than what is free, which is never cut.
		{name: "less than the baseline", demand: ebs.Demand{SizeGiB: 100, ThroughputMiBPerS: dec("500")}, instance: "m1.large", iops: 3000, mib: 125, bound: ebs.BoundInstance, usd: "8", usable: 59.604644775390625},
		{name: "more IOPS than the instance", demand: ebs.Demand{SizeGiB: 200, IOPS: dec("60000")}, instance: "mac2-m2pro.metal", iops: 55000, mib: 125, bound: ebs.BoundInstance, usd: "276"},
		{name: "within the instance", demand: ebs.Demand{SizeGiB: 100, ThroughputMiBPerS: dec("750")}, instance: "mac2-m2pro.metal", iops: 3000, mib: 750, bound: ebs.BoundThroughputRatio, usd: "33"},
		{name: "on an Outpost", demand: ebs.Demand{SizeGiB: 100, ThroughputMiBPerS: dec("1000"), IOPS: dec("16000")}, classic: true, iops: 16000, mib: 1000, bound: ebs.BoundRange, usd: "108"},
		{name: "on an Outpost with a budget", demand: ebs.Demand{SizeGiB: 100, BudgetUSD: dec("1000")}, classic: true, iops: 4000, mib: 1000, bound: ebs.BoundRange, usd: "48"},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := current
			if test.classic {
				l = classic
			}
			if test.instance != "" {
				test.demand.Ceiling = instanceOf(t, test.instance).EBS
			}
			got, err := ebs.Choose(l, gp3Prices(t, "us-east-1"), test.demand)
			if err != nil {
				t.Fatal(err)
			}
			want := ebs.GP3{IOPS: test.iops, ThroughputMiBPerS: test.mib}
			if got.Settings != want || got.BoundBy != test.bound || got.FreeThroughputMiBPerS != 750 {
				t.Errorf("got %+v bound by %q, %d free; want %+v bound by %q, 750 free", got.Settings, got.BoundBy, got.FreeThroughputMiBPerS, want, test.bound)
			}
			if test.usable == 0 {
				test.usable = units.MiBPerS(test.mib)
			}
			if got.UsableThroughput != test.usable {
				t.Errorf("usable %v, want %v", float64(got.UsableThroughput), float64(test.usable))
			}
			p, _ := gp3Prices(t, "us-east-1").Get()
			if usd := ebs.GP3Cost(p, l, test.demand.SizeGiB, got.Settings).TotalUSD(); !usd.Equal(decimal.RequireFromString(test.usd)) {
				t.Errorf("costs %s, want %s", usd, test.usd)
			}
		})
	}
}

func TestChooseImpossible(t *testing.T) {
	for _, test := range []struct {
		name     string
		demand   ebs.Demand
		instance string
		classic  bool
		argument string
		limit    ebs.Bound
		says     []string
	}{
		{
			name: "tiny and fast", demand: ebs.Demand{SizeGiB: 1, ThroughputMiBPerS: dec("2000")}, argument: "throughput_mib_per_s", limit: ebs.BoundIOPSPerGiB,
			says: []string{"2,000 MiB/s need 8,000 IOPS (4 a MiB/s)", "1 GiB carry at most 3,000 (500 a GiB)", "nearest possible is 750 MiB/s", "need 16 GiB"},
		},
		{
			name: "tiny and a fraction too fast", demand: ebs.Demand{SizeGiB: 1, ThroughputMiBPerS: dec("750.001")}, argument: "throughput_mib_per_s", limit: ebs.BoundIOPSPerGiB,
			says: []string{"751 MiB/s need 3,004 IOPS", "nearest possible is 750 MiB/s", "need 7 GiB"},
		},
		{
			name: "too fast for gp3", demand: ebs.Demand{SizeGiB: 100, ThroughputMiBPerS: dec("2000.5")}, argument: "throughput_mib_per_s", limit: ebs.BoundRange,
			says: []string{"at most 2,000 MiB/s, the demand is 2,000.5", "nearest possible is 2,000 MiB/s"},
		},
		{
			name: "too fast for gp3 and the size", demand: ebs.Demand{SizeGiB: 8, ThroughputMiBPerS: dec("1e30")}, argument: "throughput_mib_per_s", limit: ebs.BoundRange,
			says: []string{"nearest possible is 1,000 MiB/s"},
		},
		{
			name: "too fast for an Outpost", demand: ebs.Demand{SizeGiB: 100, ThroughputMiBPerS: dec("1001")}, classic: true, argument: "throughput_mib_per_s", limit: ebs.BoundRange,
			says: []string{"at most 1,000 MiB/s"},
		},
		{
			name: "too many IOPS", demand: ebs.Demand{SizeGiB: 200, IOPS: dec("80001")}, argument: "iops", limit: ebs.BoundRange,
			says: []string{"at most 80,000 IOPS, the demand is 80,001", "nearest possible is 80,000 IOPS"},
		},
		{
			name: "too many IOPS for the size", demand: ebs.Demand{SizeGiB: 10, IOPS: dec("5000.5")}, argument: "iops", limit: ebs.BoundIOPSPerGiB,
			says: []string{"at most 500 IOPS a GiB", "10 GiB carry 5,000 IOPS, the demand is 5,000.5", "nearest possible is 5,000 IOPS", "5,001 IOPS need 11 GiB"},
		},
		{
			name: "too many for the size even after the instance's cut", demand: ebs.Demand{SizeGiB: 100, IOPS: dec("60000")}, instance: "mac2-m2pro.metal", argument: "iops", limit: ebs.BoundIOPSPerGiB,
			says: []string{"100 GiB carry 50,000 IOPS, the demand is 60,000", "55,000 IOPS need 110 GiB"},
		},
		{name: "nothing", demand: ebs.Demand{SizeGiB: 0}, argument: "size_gib", limit: ebs.BoundRange, says: []string{"1 to 65,536 GiB, not 0", "nearest possible is 1 GiB"}},
		{name: "less than nothing", demand: ebs.Demand{SizeGiB: -5}, argument: "size_gib", limit: ebs.BoundRange, says: []string{"not -5", "nearest possible is 1 GiB"}},
		{name: "too large", demand: ebs.Demand{SizeGiB: 65537}, argument: "size_gib", limit: ebs.BoundRange, says: []string{"not 65,537", "nearest possible is 65,536 GiB"}},
		{name: "too large for an Outpost", demand: ebs.Demand{SizeGiB: 16385}, classic: true, argument: "size_gib", limit: ebs.BoundRange, says: []string{"1 to 16,384 GiB"}},
		{
			name: "no budget even for the storage", demand: ebs.Demand{SizeGiB: 100, BudgetUSD: dec("7.99")}, argument: "max_monthly_cost_usd", limit: ebs.BoundBudget,
			says: []string{"100 GiB at 3,000 IOPS and 125 MiB/s cost $8.00 a month", "budget of $7.99", "nearest possible is $8.00"},
		},
		{
			name: "no budget for the IOPS", demand: ebs.Demand{SizeGiB: 100, IOPS: dec("4000"), BudgetUSD: dec("12.99")}, argument: "max_monthly_cost_usd", limit: ebs.BoundBudget,
			says: []string{"at 4,000 IOPS", "cost $13.00 a month"},
		},
		{name: "a negative budget", demand: ebs.Demand{SizeGiB: 100, BudgetUSD: dec("-1")}, argument: "max_monthly_cost_usd", limit: ebs.BoundBudget, says: []string{"budget of -$1.00"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := current
			if test.classic {
				l = classic
			}
			if test.instance != "" {
				test.demand.Ceiling = instanceOf(t, test.instance).EBS
			}
			_, err := ebs.Choose(l, gp3Prices(t, "us-east-1"), test.demand)
			var limit *ebs.LimitError
			if !errors.As(err, &limit) {
				t.Fatalf("err = %v, want a LimitError", err)
			}
			if limit.Argument != test.argument || limit.Limit != test.limit || limit.Error() != limit.Message {
				t.Errorf("argument %q, limit %q; want %q, %q", limit.Argument, limit.Limit, test.argument, test.limit)
			}
			for _, s := range test.says {
				if !strings.Contains(limit.Message, s) {
					t.Errorf("does not say %q: %s", s, limit.Message)
				}
			}
		})
	}
}

func TestBudgetWithoutPrices(t *testing.T) {
	none := optional.Null[catalog.GP3Prices]()
	if _, err := ebs.Choose(current, none, ebs.Demand{SizeGiB: 100, BudgetUSD: dec("28")}); !errors.Is(err, ebs.ErrNoPrice) {
		t.Errorf("a budget without prices: %v", err)
	}
	// A demand needs no prices.
	if c, err := ebs.Choose(current, none, ebs.Demand{SizeGiB: 100, ThroughputMiBPerS: dec("750")}); err != nil || c.Settings.ThroughputMiBPerS != 750 {
		t.Errorf("a demand without prices: %+v, %v", c, err)
	}
}

func TestKnees(t *testing.T) {
	knee := func(iops, mib int64, why string) ebs.Knee {
		return ebs.Knee{Settings: ebs.GP3{IOPS: iops, ThroughputMiBPerS: mib}, Why: why}
	}
	for _, test := range []struct {
		name     string
		demand   ebs.Demand
		instance string
		want     []ebs.Knee
	}{
		{"large", ebs.Demand{SizeGiB: 100}, "", []ebs.Knee{
			knee(3000, 125, "the free baseline"), knee(3000, 750, "the most throughput that these IOPS carry"), knee(8000, 2000, "the most that gp3 has"),
		}},
		{"on a Mac", ebs.Demand{SizeGiB: 100}, "mac2-m2pro.metal", []ebs.Knee{
			knee(3000, 125, "the free baseline"), knee(3000, 750, "the most throughput that these IOPS carry"), knee(3812, 953, "all that the instance can carry"),
		}},
		{"with IOPS", ebs.Demand{SizeGiB: 100, IOPS: dec("5000")}, "", []ebs.Knee{
			knee(5000, 125, "the demanded IOPS at the free throughput"), knee(5000, 1250, "the most throughput that these IOPS carry"), knee(8000, 2000, "the most that gp3 has"),
		}},
		{"small", ebs.Demand{SizeGiB: 8}, "", []ebs.Knee{
			knee(3000, 125, "the free baseline"), knee(3000, 750, "the most throughput that these IOPS carry"), knee(4000, 1000, "the most that this size allows"),
		}},
		// One point and not two where the curve ends before it bends.
		{"smallest", ebs.Demand{SizeGiB: 1}, "", []ebs.Knee{knee(3000, 125, "the free baseline"), knee(3000, 750, "the most that this size allows")}},
		{"on a small instance", ebs.Demand{SizeGiB: 100}, "t3.small", []ebs.Knee{knee(3000, 125, "the free baseline"), knee(3000, 248, "all that the instance can carry")}},
		{"on a slow instance", ebs.Demand{SizeGiB: 100}, "m1.large", []ebs.Knee{knee(3000, 125, "the free baseline")}},
		{"with all IOPS", ebs.Demand{SizeGiB: 100, IOPS: dec("50000")}, "", []ebs.Knee{
			knee(50000, 125, "the demanded IOPS at the free throughput"), knee(50000, 2000, "the most that gp3 has"),
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.instance != "" {
				test.demand.Ceiling = instanceOf(t, test.instance).EBS
			}
			got, err := ebs.Choose(current, optional.Null[catalog.GP3Prices](), test.demand)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got.Knees); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// someLimits are limits like gp3's, small enough that every setting can be
// looked at.
func someLimits(t *rapid.T) catalog.GP3Limits {
	perMiB := rapid.Int64Range(1, 4).Draw(t, "IOPS a MiB/s")
	minThroughput := rapid.Int64Range(1, 4).Draw(t, "free MiB/s")
	// The free IOPS carry the free throughput, as they do in both sets.
	minIOPS := minThroughput*perMiB + rapid.Int64Range(0, 12).Draw(t, "more free IOPS")
	maxIOPS := minIOPS + rapid.Int64Range(0, 40).Draw(t, "paid IOPS")
	return catalog.GP3Limits{
		SizeGiB: catalog.Range{Min: 1, Max: 12},
		IOPS:    catalog.Range{Min: minIOPS, Max: maxIOPS},
		// So do the most IOPS and the most throughput.
		ThroughputMiB: catalog.Range{Min: minThroughput, Max: min(minThroughput+rapid.Int64Range(0, 16).Draw(t, "paid MiB/s"), maxIOPS/perMiB)},
		IOPSPerGiB:    rapid.Int64Range(1, 9).Draw(t, "IOPS a GiB"),
		IOPSPerMiB:    perMiB,
	}
}

// somePrices are those of a region.
func somePrices(t *rapid.T) catalog.GP3Prices {
	p, _ := gp3Prices(t, rapid.SampledFrom(cat.PricedRegions()).Draw(t, "region")).Get()
	return p
}

// someDemand is a whole or fractional figure around a range, or none.
func someDemand(t *rapid.T, name string, r catalog.Range) optional.Value[decimal.Decimal] {
	if rapid.Bool().Draw(t, "without "+name) {
		return leftOut
	}
	return optional.Known(decimal.New(rapid.Int64Range(0, (r.Max+3)*10).Draw(t, name+" in tenths"), -1))
}

// someCeiling is an instance about as fast as a volume, or none.
func someCeiling(t *rapid.T, l catalog.GP3Limits) optional.Value[catalog.EBSCeiling] {
	if rapid.Bool().Draw(t, "without an instance") {
		return optional.Null[catalog.EBSCeiling]()
	}
	maximum := catalog.EBSRate{
		Bandwidth: units.MbitPerS(rapid.Int64Range(0, (l.ThroughputMiB.Max+3)*9).Draw(t, "Mbit/s")),
		IOPS:      rapid.Int64Range(0, l.IOPS.Max+5).Draw(t, "instance's IOPS"),
	}
	return optional.Known(catalog.EBSCeiling{Maximum: maximum})
}

// settings are all settings that EC2 takes at any size, of those that are of
// use on the instance.
func settings(l catalog.GP3Limits, ceiling optional.Value[catalog.EBSCeiling]) (out []ebs.GP3) {
	mostThroughput, mostIOPS := l.ThroughputMiB.Max, l.IOPS.Max
	if c, ok := ceiling.Get(); ok {
		mostIOPS = min(mostIOPS, max(l.IOPS.Min, c.Maximum.IOPS))
		for mostThroughput > l.ThroughputMiB.Min && units.MiBPerS(mostThroughput) > c.Maximum.Throughput() {
			mostThroughput--
		}
	}
	for throughput := l.ThroughputMiB.Min; throughput <= mostThroughput; throughput++ {
		for iops := l.IOPS.Min; iops <= mostIOPS; iops++ {
			if throughput*l.IOPSPerMiB <= iops {
				out = append(out, ebs.GP3{IOPS: iops, ThroughputMiBPerS: throughput})
			}
		}
	}
	return out
}

func fits(l catalog.GP3Limits, gib int64, s ebs.GP3) bool {
	return s.IOPS <= l.IOPS.Min || s.IOPS <= gib*l.IOPSPerGiB
}

// atLeast says whether a setting has what is demanded.
func atLeast(demand optional.Value[decimal.Decimal], has, most int64) bool {
	d, ok := demand.Get()
	return !ok || decimal.NewFromInt(has).GreaterThanOrEqual(d) || has == most
}

// The optimiser against a look at every setting. It knows nothing of the
// formulas: what EC2 takes, what the instance carries, what was demanded, and
// what it costs.
func TestChooseIsTheCheapest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, p := someLimits(t), somePrices(t)
		d := ebs.Demand{
			SizeGiB:           rapid.Int64Range(1, 12).Draw(t, "GiB"),
			ThroughputMiBPerS: someDemand(t, "MiB/s", l.ThroughputMiB),
			IOPS:              someDemand(t, "IOPS", l.IOPS),
			Ceiling:           someCeiling(t, l),
		}
		useful := settings(l, d.Ceiling)
		var mostThroughput, mostIOPS int64
		for _, s := range useful {
			mostThroughput, mostIOPS = max(mostThroughput, s.ThroughputMiBPerS), max(mostIOPS, s.IOPS)
		}
		beyond := func(v optional.Value[decimal.Decimal], r catalog.Range) bool {
			n, _ := v.Get()
			return n.GreaterThan(decimal.NewFromInt(r.Max))
		}
		var cheapest optional.Value[decimal.Decimal]
		for _, s := range useful {
			// A demand above what the instance carries is met by all that it carries.
			if !fits(l, d.SizeGiB, s) || !atLeast(d.ThroughputMiBPerS, s.ThroughputMiBPerS, mostThroughput) || !atLeast(d.IOPS, s.IOPS, mostIOPS) {
				continue
			}
			cost := ebs.GP3Cost(p, l, d.SizeGiB, s).TotalUSD()
			if least, ok := cheapest.Get(); !ok || cost.LessThan(least) {
				cheapest = optional.Known(cost)
			}
		}
		if beyond(d.ThroughputMiBPerS, l.ThroughputMiB) || beyond(d.IOPS, l.IOPS) {
			cheapest = leftOut
		}
		got, err := ebs.Choose(l, optional.Known(p), d)
		least, possible := cheapest.Get()
		if possible != (err == nil) {
			t.Fatalf("err = %v, possible: %v", err, possible)
		}
		if err != nil {
			checkNearest(t, l, optional.Known(p), d, err)
			return
		}
		checkTakesIt(t, l, d, got)
		if !atLeast(d.ThroughputMiBPerS, got.Settings.ThroughputMiBPerS, mostThroughput) || !atLeast(d.IOPS, got.Settings.IOPS, mostIOPS) {
			t.Errorf("%+v does not meet the demand", got.Settings)
		}
		if cost := ebs.GP3Cost(p, l, d.SizeGiB, got.Settings).TotalUSD(); !cost.Equal(least) {
			t.Errorf("%+v costs %s, the cheapest %s", got.Settings, cost, least)
		}
	})
}

// The same for a budget: the most throughput that it pays for, and that as
// cheaply as possible.
func TestChooseWithinABudget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, p := someLimits(t), somePrices(t)
		d := ebs.Demand{
			SizeGiB: rapid.Int64Range(1, 12).Draw(t, "GiB"),
			IOPS:    someDemand(t, "IOPS", l.IOPS),
			Ceiling: someCeiling(t, l),
		}
		budget := decimal.New(rapid.Int64Range(0, 400).Draw(t, "cents"), -2)
		d.BudgetUSD = optional.Known(budget)

		useful := settings(l, d.Ceiling)
		var mostIOPS int64
		for _, s := range useful {
			mostIOPS = max(mostIOPS, s.IOPS)
		}
		type found struct {
			throughput int64
			cost       decimal.Decimal
		}
		var best optional.Value[found]
		for _, s := range useful {
			cost := ebs.GP3Cost(p, l, d.SizeGiB, s).TotalUSD()
			if !fits(l, d.SizeGiB, s) || !atLeast(d.IOPS, s.IOPS, mostIOPS) || cost.GreaterThan(budget) {
				continue
			}
			if b, ok := best.Get(); !ok || s.ThroughputMiBPerS > b.throughput || (s.ThroughputMiBPerS == b.throughput && cost.LessThan(b.cost)) {
				best = optional.Known(found{s.ThroughputMiBPerS, cost})
			}
		}
		if n, _ := d.IOPS.Get(); n.GreaterThan(decimal.NewFromInt(l.IOPS.Max)) {
			best = optional.Null[found]()
		}
		got, err := ebs.Choose(l, optional.Known(p), d)
		want, possible := best.Get()
		if possible != (err == nil) {
			t.Fatalf("err = %v, possible: %v", err, possible)
		}
		if err != nil {
			checkNearest(t, l, optional.Known(p), d, err)
			return
		}
		checkTakesIt(t, l, d, got)
		cost := ebs.GP3Cost(p, l, d.SizeGiB, got.Settings).TotalUSD()
		if got.Settings.ThroughputMiBPerS != want.throughput || !cost.Equal(want.cost) {
			t.Errorf("%+v for %s, want %d MiB/s for %s", got.Settings, cost, want.throughput, want.cost)
		}
		if (got.BoundBy == ebs.BoundBudget) != (want.throughput < mostThroughputOf(useful, l, d)) {
			t.Errorf("bound by %q at %d MiB/s", got.BoundBy, want.throughput)
		}
	})
}

// mostThroughputOf is the most that a volume of the demand's size can have.
func mostThroughputOf(useful []ebs.GP3, l catalog.GP3Limits, d ebs.Demand) (most int64) {
	for _, s := range useful {
		if fits(l, d.SizeGiB, s) {
			most = max(most, s.ThroughputMiBPerS)
		}
	}
	return most
}

// checkTakesIt: EC2 takes the setting and every knee, and the knees rise.
func checkTakesIt(t *rapid.T, l catalog.GP3Limits, d ebs.Demand, c ebs.Choice) {
	all := []ebs.GP3{c.Settings}
	for i, k := range c.Knees {
		all = append(all, k.Settings)
		if i > 0 && (k.Settings.ThroughputMiBPerS <= c.Knees[i-1].Settings.ThroughputMiBPerS || k.Settings.IOPS < c.Knees[i-1].Settings.IOPS) {
			t.Errorf("knees do not rise: %+v", c.Knees)
		}
	}
	for _, s := range all {
		if !l.IOPS.Contains(s.IOPS) || !l.ThroughputMiB.Contains(s.ThroughputMiBPerS) || s.ThroughputMiBPerS*l.IOPSPerMiB > s.IOPS || !fits(l, d.SizeGiB, s) {
			t.Errorf("EC2 refuses %+v for %d GiB", s, d.SizeGiB)
		}
	}
	if last := c.Knees[len(c.Knees)-1].Settings.ThroughputMiBPerS; last != mostThroughputOf(settings(l, d.Ceiling), l, d) {
		t.Errorf("the curve ends at %d MiB/s", last)
	}
}

// checkNearest: what an error names as the nearest possible is possible.
func checkNearest(t *rapid.T, l catalog.GP3Limits, p optional.Value[catalog.GP3Prices], d ebs.Demand, err error) {
	var limit *ebs.LimitError
	if !errors.As(err, &limit) {
		t.Fatalf("err = %v, want a LimitError", err)
	}
	_, text, found := strings.Cut(limit.Message, "The nearest possible is ")
	if !found {
		t.Fatalf("no nearest possible: %s", limit.Message)
	}
	text = strings.NewReplacer("$", "", ",", "", ";", "").Replace(strings.TrimSuffix(text, "."))
	nearest := optional.Known(decimal.RequireFromString(strings.Fields(text)[0]))
	near := d
	switch limit.Argument {
	case "throughput_mib_per_s":
		near.ThroughputMiBPerS = nearest
	case "iops":
		near.IOPS = nearest
		near.ThroughputMiBPerS, near.BudgetUSD = leftOut, leftOut // they are judged after it
	case "max_monthly_cost_usd":
		near.BudgetUSD = nearest
	default:
		t.Fatalf("argument %q", limit.Argument)
	}
	if _, err := ebs.Choose(l, p, near); err != nil {
		t.Errorf("%s\nthe nearest possible is not: %v", limit.Message, err)
	}
}

// The closed form for a budget in any region: the throughput's price up to the
// knee, beyond it the price of the IOPS besides.
func TestBudgetFormula(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := somePrices(t)
		gib := rapid.Int64Range(16, 65536).Draw(t, "GiB") // any size that carries 2,000 MiB/s
		iops := rapid.Int64Range(3000, 8000).Draw(t, "IOPS")
		beyond := decimal.New(rapid.Int64Range(0, 20_000).Draw(t, "cents beyond storage and IOPS"), -2)
		start := ebs.GP3Cost(p, current, gib, ebs.GP3{IOPS: iops, ThroughputMiBPerS: 125}).TotalUSD()

		knee := iops / 4
		toKnee := p.MiBPerSMonth.Mul(decimal.NewFromInt(knee - 125))
		var want int64
		if beyond.LessThanOrEqual(toKnee) {
			want = 125 + beyond.Div(p.MiBPerSMonth).Floor().IntPart()
		} else {
			// The next whole MiB/s needs the fewer IOPS the nearer the knee is below it.
			spare := decimal.NewFromInt(iops - 4*knee).Mul(p.IOPSMonth)
			each := p.MiBPerSMonth.Add(p.IOPSMonth.Mul(decimal.NewFromInt(4)))
			want = min(2000, knee+beyond.Sub(toKnee).Add(spare).Div(each).Floor().IntPart())
		}
		got, err := ebs.Choose(current, optional.Known(p), ebs.Demand{SizeGiB: gib, IOPS: whole(iops), BudgetUSD: optional.Known(start.Add(beyond))})
		if err != nil {
			t.Fatal(err)
		}
		if got.Settings.ThroughputMiBPerS != want {
			t.Errorf("%s beyond %d IOPS pays for %d MiB/s, want %d", beyond, iops, got.Settings.ThroughputMiBPerS, want)
		}
	})
}

// Asking for more never costs less, and the same demand is never dearer with an
// instance's ceiling than without.
func TestCostRisesWithTheDemand(t *testing.T) {
	macs := cat.Macs()
	rapid.Check(t, func(t *rapid.T) {
		l := rapid.SampledFrom([]catalog.GP3Limits{current, classic}).Draw(t, "limits")
		p := somePrices(t)
		gib := rapid.Int64Range(l.IOPS.Max/l.IOPSPerGiB, l.SizeGiB.Max).Draw(t, "GiB")
		i := instanceOf(t, rapid.SampledFrom(macs).Draw(t, "Mac").Type)
		cost := func(throughput, iops int64, ceiling optional.Value[catalog.EBSCeiling]) decimal.Decimal {
			c, err := ebs.Choose(l, optional.Known(p), ebs.Demand{SizeGiB: gib, ThroughputMiBPerS: whole(throughput), IOPS: whole(iops), Ceiling: ceiling})
			if err != nil {
				t.Fatal(err)
			}
			return ebs.GP3Cost(p, l, gib, c.Settings).TotalUSD()
		}
		throughput := rapid.Int64Range(0, l.ThroughputMiB.Max).Draw(t, "MiB/s")
		iops := rapid.Int64Range(0, l.IOPS.Max).Draw(t, "IOPS")
		moreThroughput := rapid.Int64Range(throughput, l.ThroughputMiB.Max).Draw(t, "more MiB/s")
		moreIOPS := rapid.Int64Range(iops, l.IOPS.Max).Draw(t, "more IOPS")
		for _, ceiling := range []optional.Value[catalog.EBSCeiling]{optional.Null[catalog.EBSCeiling](), i.EBS} {
			less, more := cost(throughput, iops, ceiling), cost(moreThroughput, moreIOPS, ceiling)
			if less.GreaterThan(more) {
				t.Errorf("%d MiB/s at %d IOPS cost %s, %d at %d only %s", throughput, iops, less, moreThroughput, moreIOPS, more)
			}
		}
		if free, cut := cost(throughput, iops, optional.Null[catalog.EBSCeiling]()), cost(throughput, iops, i.EBS); cut.GreaterThan(free) {
			t.Errorf("with a ceiling %s, without %s", cut, free)
		}
	})
}

// The optimiser and the rules agree: nothing that is chosen is an error, or
// above the instance that it was chosen for.
func TestChoiceIsWithoutFault(t *testing.T) {
	var types []string
	for i := range cat.Instances() {
		types = append(types, i.Type)
	}
	rapid.Check(t, func(t *rapid.T) {
		set := rapid.SampledFrom([]catalog.LimitSet{catalog.CurrentLimits, catalog.ClassicLimits}).Draw(t, "limits")
		l := cat.GP3(set)
		region := rapid.SampledFrom(cat.PricedRegions()).Draw(t, "region")
		i := instanceOf(t, rapid.SampledFrom(types).Draw(t, "type"))
		d := ebs.Demand{SizeGiB: rapid.Int64Range(1, l.SizeGiB.Max).Draw(t, "GiB"), Ceiling: i.EBS, IOPS: someDemand(t, "IOPS", l.IOPS)}
		if rapid.Bool().Draw(t, "with a budget") {
			d.BudgetUSD = optional.Known(decimal.New(rapid.Int64Range(0, 1_000_000).Draw(t, "cents"), -2))
		} else {
			d.ThroughputMiBPerS = someDemand(t, "MiB/s", l.ThroughputMiB)
		}
		c, err := ebs.Choose(l, gp3Prices(t, region), d)
		if err != nil {
			t.Skip("impossible demand")
		}
		j := ebs.Judge{Catalog: cat, Limits: set, Region: region, Names: ebs.OurNames}
		v := ebs.Volume{SizeGiB: whole(d.SizeGiB), IOPS: whole(c.Settings.IOPS), ThroughputMiBPerS: whole(c.Settings.ThroughputMiBPerS), IOPSBound: true}
		for _, f := range j.Volume(v, optional.Known(i)) {
			if f.Severity > finding.Info {
				t.Errorf("%+v on %s for %d GiB: %s %s: %s", c.Settings, i.Type, d.SizeGiB, f.Severity, f.Rule, f.Message)
			}
		}
		if c.UsableThroughput > units.MiBPerS(c.Settings.ThroughputMiBPerS) {
			t.Errorf("%v of %d are usable", c.UsableThroughput, c.Settings.ThroughputMiBPerS)
		}
	})
}

func ExampleChoose() {
	prices, _ := catalog.Embedded().VolumePrices("us-east-1")
	limits := catalog.Embedded().GP3(catalog.CurrentLimits)
	mac, _ := catalog.Embedded().Instance("mac2-m2pro.metal")
	c, err := ebs.Choose(limits, optional.Known(prices.GP3), ebs.Demand{
		SizeGiB:           100,
		ThroughputMiBPerS: optional.Known(decimal.NewFromInt(1000)),
		Ceiling:           mac.EBS,
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(c.Settings.ThroughputMiBPerS, c.Settings.IOPS, c.BoundBy, units.USD(ebs.GP3Cost(prices.GP3, limits, 100, c.Settings).TotalUSD()))
	// Output: 953 3812 instance $45.18
}
