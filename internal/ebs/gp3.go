// Package ebs knows what EBS volumes allow, what they cost, which gp3 setting
// is the cheapest for a demand, and how volumes share the ceiling of the
// instance that they are attached to. Its rules judge volumes; see rules.go.
package ebs

import (
	"errors"
	"fmt"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// GP3 is a complete gp3 setting. AWS takes whole numbers only.
type GP3 struct {
	IOPS              int64
	ThroughputMiBPerS int64
}

// Cost is what a volume costs in US dollars a month of 730 hours, exact.
type Cost struct {
	StorageUSD, IOPSUSD, ThroughputUSD decimal.Decimal
}

// TotalUSD is the sum of the parts.
func (c Cost) TotalUSD() decimal.Decimal {
	return c.StorageUSD.Add(c.IOPSUSD).Add(c.ThroughputUSD)
}

// MinIOPS is the fewest provisioned IOPS that carry a whole throughput in
// MiB/s: four an MiB/s (AWS words it as at most 0.25 MiB/s per IOPS), and never
// fewer than the free baseline.
func MinIOPS(l catalog.GP3Limits, throughputMiBPerS int64) int64 {
	return max(l.IOPS.Min, throughputMiBPerS*l.IOPSPerMiB)
}

// MaxThroughput is the most throughput in whole MiB/s that provisioned IOPS
// carry: a quarter of them, never less than the free baseline and never more
// than the range.
func MaxThroughput(l catalog.GP3Limits, iops int64) int64 {
	return min(l.ThroughputMiB.Max, max(l.ThroughputMiB.Min, iops/l.IOPSPerMiB))
}

// MaxIOPS is the most IOPS that a volume of this size may have: 500 a GiB, but
// any volume however small gets the free baseline.
func MaxIOPS(l catalog.GP3Limits, sizeGiB int64) int64 {
	return min(l.IOPS.Max, max(l.IOPS.Min, sizeGiB*l.IOPSPerGiB))
}

// IOPSWithin are wanted IOPS, at most what a volume of this size may have. Where
// they are free, the size does not matter and is not waited for; a size that is
// null sets no limit.
func IOPSWithin(l catalog.GP3Limits, sizeGiB optional.Value[int64], want int64) optional.Value[int64] {
	want = min(want, l.IOPS.Max)
	if want <= l.IOPS.Min || sizeGiB.IsNull() {
		return optional.Known(want)
	}
	return optional.Map(sizeGiB, func(gib int64) int64 { return min(want, MaxIOPS(l, gib)) })
}

// GP3Cost is the price of a gp3 volume. Only what lies above the free baseline
// is charged for; the setting itself is not judged.
func GP3Cost(p catalog.GP3Prices, l catalog.GP3Limits, sizeGiB int64, s GP3) Cost {
	return Cost{
		StorageUSD:    p.GiBMonth.Mul(decimal.NewFromInt(sizeGiB)),
		IOPSUSD:       p.IOPSMonth.Mul(decimal.NewFromInt(max(0, s.IOPS-l.IOPS.Min))),
		ThroughputUSD: p.MiBPerSMonth.Mul(decimal.NewFromInt(max(0, s.ThroughputMiBPerS-l.ThroughputMiB.Min))),
	}
}

// OtherCost is the price of a volume of another type than gp3: storage, and
// provisioned IOPS in tiers where the type has them.
func OtherCost(p catalog.OtherPrices, sizeGiB, iops int64) Cost {
	c := Cost{StorageUSD: p.GiBMonth.Mul(decimal.NewFromInt(sizeGiB))}
	below := int64(0)
	for _, t := range p.IOPSTiers {
		upTo := t.UpTo
		if upTo == 0 || upTo > iops {
			upTo = iops
		}
		if upTo <= below {
			break
		}
		c.IOPSUSD = c.IOPSUSD.Add(t.Month.Mul(decimal.NewFromInt(upTo - below)))
		below = upTo
	}
	return c
}

// Bound names the limit that decides a gp3 setting.
type Bound string

// The limits that can decide a setting. BoundNone: the demand itself decides,
// no limit is touched.
const (
	BoundNone            Bound = ""
	BoundThroughputRatio Bound = "throughput-ratio"
	BoundIOPSPerGiB      Bound = "iops-per-gib"
	BoundBaseline        Bound = "baseline"
	BoundRange           Bound = "range"
	BoundInstance        Bound = "instance"
	BoundBudget          Bound = "budget"
)

// Demand is what a gp3 volume is wanted for. Throughput and IOPS are demands,
// not settings: fractions are allowed and are rounded up.
type Demand struct {
	SizeGiB           int64
	ThroughputMiBPerS optional.Value[decimal.Decimal]
	IOPS              optional.Value[decimal.Decimal]
	// BudgetUSD is the most that the volume may cost a month, storage included. It
	// takes the place of a throughput demand.
	BudgetUSD optional.Value[decimal.Decimal]
	// Ceiling of the instance, null if the volume is not meant for one or its
	// ceiling is not known.
	Ceiling optional.Value[catalog.EBSCeiling]
}

// Choice is the cheapest valid setting for a demand.
type Choice struct {
	Settings GP3
	BoundBy  Bound
	// FreeThroughputMiBPerS is the most throughput for which no IOPS are paid.
	FreeThroughputMiBPerS int64
	// UsableThroughput is what of the setting's throughput the instance carries at its maximum.
	UsableThroughput units.MiBPerS
	// Knees are the points where the cost curve gets steeper or ends, cheapest first.
	Knees []Knee
}

// Knee is a point of the cost curve.
type Knee struct {
	Settings GP3
	// Why the curve bends or ends here.
	Why string
}

// LimitError says which limit makes a demand impossible and what is the nearest
// that is possible.
type LimitError struct {
	// Argument is the member of Demand at fault: "size_gib", "throughput_mib_per_s",
	// "iops" or "max_monthly_cost_usd".
	Argument string
	Limit    Bound
	Message  string
}

// Error is the message.
func (e *LimitError) Error() string { return e.Message }

// ErrNoPrice says that a budget cannot be turned into a setting because the
// region's prices are not known.
var ErrNoPrice = errors.New("a budget needs the region's prices, which are not known")

// Choose finds the cheapest gp3 setting for a demand: the throughput rounded
// up, and the fewest IOPS that carry both it and the IOPS demand. An instance
// ceiling cuts the setting down to what the instance can carry at its maximum,
// never below the free baseline. It returns a *LimitError for an impossible
// demand, ErrNoPrice for a budget without prices.
func Choose(l catalog.GP3Limits, prices optional.Value[catalog.GP3Prices], d Demand) (Choice, error) {
	c := chooser{l: l, d: d}
	if !l.SizeGiB.Contains(d.SizeGiB) {
		return Choice{}, &LimitError{
			Argument: "size_gib", Limit: BoundRange,
			Message: fmt.Sprintf("A gp3 volume has %s to %s GiB, not %s. The nearest possible is %s GiB.",
				units.Count(l.SizeGiB.Min), units.Count(l.SizeGiB.Max), units.Count(d.SizeGiB), units.Count(clamp(d.SizeGiB, l.SizeGiB))),
		}
	}
	var err error
	if c.iops, err = c.demandedIOPS(); err != nil {
		return Choice{}, err
	}
	var s GP3
	if budget, ok := d.BudgetUSD.Get(); ok {
		s, err = c.withinBudget(prices, budget)
	} else {
		s, err = c.forThroughput()
	}
	if err != nil {
		return Choice{}, err
	}
	return Choice{
		Settings:              s,
		BoundBy:               c.boundBy(s),
		FreeThroughputMiBPerS: MaxThroughput(l, l.IOPS.Min),
		UsableThroughput:      c.usable(s.ThroughputMiBPerS),
		Knees:                 c.knees(),
	}, nil
}

// chooser holds one demand while its setting is worked out.
type chooser struct {
	l    catalog.GP3Limits
	d    Demand
	iops int64 // demanded IOPS, rounded up, at least the baseline, at most what the instance carries

	cutByInstance bool
	cutBySize     bool
	atBudget      bool
}

func (c *chooser) demandedIOPS() (int64, error) {
	want, ok := c.d.IOPS.Get()
	if !ok {
		return c.l.IOPS.Min, nil
	}
	if want.GreaterThan(decimal.NewFromInt(c.l.IOPS.Max)) {
		return 0, &LimitError{
			Argument: "iops", Limit: BoundRange,
			Message: fmt.Sprintf("gp3 has at most %s IOPS, the demand is %s. The nearest possible is %s IOPS.",
				units.Count(c.l.IOPS.Max), units.Decimal(want), units.Count(MaxIOPS(c.l, c.d.SizeGiB))),
		}
	}
	iops := roundUp(want, c.l.IOPS)
	if ceiling, ok := c.d.Ceiling.Get(); ok {
		if most := max(c.l.IOPS.Min, ceiling.Maximum.IOPS); iops > most {
			iops, c.cutByInstance = most, true
		}
	}
	if most := MaxIOPS(c.l, c.d.SizeGiB); iops > most {
		return 0, &LimitError{
			Argument: "iops", Limit: BoundIOPSPerGiB,
			Message: fmt.Sprintf("A gp3 volume has at most %d IOPS a GiB: %s GiB carry %s IOPS, the demand is %s. The nearest possible is %s IOPS; %s IOPS need %s GiB.",
				c.l.IOPSPerGiB, units.Count(c.d.SizeGiB), units.Count(most), units.Decimal(want), units.Count(most),
				units.Count(iops), units.Count(ceilDiv(iops, c.l.IOPSPerGiB))),
		}
	}
	return iops, nil
}

func (c *chooser) forThroughput() (GP3, error) {
	t := c.l.ThroughputMiB.Min
	if want, ok := c.d.ThroughputMiBPerS.Get(); ok {
		if want.GreaterThan(decimal.NewFromInt(c.l.ThroughputMiB.Max)) {
			return GP3{}, &LimitError{
				Argument: "throughput_mib_per_s", Limit: BoundRange,
				Message: fmt.Sprintf("gp3 has at most %s MiB/s, the demand is %s. The nearest possible is %s MiB/s.",
					units.Count(c.l.ThroughputMiB.Max), units.Decimal(want), units.Count(c.mostForSize())),
			}
		}
		t = roundUp(want, c.l.ThroughputMiB)
		if most, ok := c.instanceThroughput(); ok && t > most {
			t, c.cutByInstance = most, true
		}
		if most := c.mostForSize(); t > most {
			need := MinIOPS(c.l, t)
			return GP3{}, &LimitError{
				Argument: "throughput_mib_per_s", Limit: BoundIOPSPerGiB,
				Message: fmt.Sprintf("%s MiB/s need %s IOPS (%d a MiB/s), but %s GiB carry at most %s (%d a GiB). The nearest possible is %s MiB/s; %s MiB/s need %s GiB.",
					units.Count(t), units.Count(need), c.l.IOPSPerMiB, units.Count(c.d.SizeGiB), units.Count(MaxIOPS(c.l, c.d.SizeGiB)), c.l.IOPSPerGiB,
					units.Count(most), units.Count(t), units.Count(ceilDiv(need, c.l.IOPSPerGiB))),
			}
		}
	}
	return c.at(t), nil
}

// at is the cheapest setting that carries a throughput and the demanded IOPS.
func (c *chooser) at(throughputMiBPerS int64) GP3 {
	return GP3{IOPS: max(c.iops, MinIOPS(c.l, throughputMiBPerS)), ThroughputMiBPerS: throughputMiBPerS}
}

// mostForSize is the most throughput that the volume's size allows.
func (c *chooser) mostForSize() int64 {
	return MaxThroughput(c.l, MaxIOPS(c.l, c.d.SizeGiB))
}

// instanceThroughput is the most whole MiB/s that are of use on the instance.
// IOPS above the instance's own would be paid for nothing, so a throughput that
// needs them is cut, too.
func (c *chooser) instanceThroughput() (int64, bool) {
	ceiling, ok := c.d.Ceiling.Get()
	if !ok {
		return 0, false
	}
	byBandwidth := int64(ceiling.Maximum.Throughput())
	byIOPS := max(c.l.IOPS.Min, ceiling.Maximum.IOPS) / c.l.IOPSPerMiB
	return max(c.l.ThroughputMiB.Min, min(byBandwidth, byIOPS)), true
}

// most is the most throughput that size, range and instance allow together.
func (c *chooser) most() int64 {
	t := c.mostForSize()
	if cap, ok := c.instanceThroughput(); ok {
		t = min(t, cap)
	}
	return t
}

// withinBudget finds the most throughput that the budget pays for. The cost
// never falls as throughput rises, so a binary search over whole MiB/s with
// exact costs gives the largest affordable one.
func (c *chooser) withinBudget(prices optional.Value[catalog.GP3Prices], budget decimal.Decimal) (GP3, error) {
	p, ok := prices.Get()
	if !ok {
		return GP3{}, ErrNoPrice
	}
	affordable := func(t int64) bool {
		return !GP3Cost(p, c.l, c.d.SizeGiB, c.at(t)).TotalUSD().GreaterThan(budget)
	}
	low, high := c.l.ThroughputMiB.Min, c.most()
	if !affordable(low) {
		// To the cent above: a budget of the cent below would not be enough.
		least := GP3Cost(p, c.l, c.d.SizeGiB, c.at(low)).TotalUSD().RoundCeil(2)
		return GP3{}, &LimitError{
			Argument: "max_monthly_cost_usd", Limit: BoundBudget,
			Message: fmt.Sprintf("%s GiB at %s IOPS and %s MiB/s cost %s a month, which is above the budget of %s. The nearest possible is %s.",
				units.Count(c.d.SizeGiB), units.Count(c.at(low).IOPS), units.Count(low), units.USD(least), units.USD(budget), units.USD(least)),
		}
	}
	if !affordable(high) {
		c.atBudget = true
		for high-low > 1 {
			if mid := (low + high) / 2; affordable(mid) {
				low = mid
			} else {
				high = mid
			}
		}
		return c.at(low), nil
	}
	if cap, ok := c.instanceThroughput(); ok && high == cap && cap < c.mostForSize() {
		c.cutByInstance = true
	} else {
		c.cutBySize = high < c.l.ThroughputMiB.Max
	}
	return c.at(high), nil
}

func (c *chooser) boundBy(s GP3) Bound {
	l := c.l
	switch {
	case c.atBudget:
		return BoundBudget
	case c.cutByInstance:
		return BoundInstance
	case s.ThroughputMiBPerS == l.ThroughputMiB.Max || s.IOPS == l.IOPS.Max:
		return BoundRange
	case c.cutBySize || (s.IOPS > l.IOPS.Min && s.IOPS == MaxIOPS(l, c.d.SizeGiB)):
		return BoundIOPSPerGiB
	case s.IOPS == s.ThroughputMiBPerS*l.IOPSPerMiB:
		return BoundThroughputRatio
	case s.IOPS == l.IOPS.Min:
		return BoundBaseline
	}
	return BoundNone
}

func (c *chooser) usable(throughputMiBPerS int64) units.MiBPerS {
	t := units.MiBPerS(throughputMiBPerS)
	if ceiling, ok := c.d.Ceiling.Get(); ok {
		t = min(t, ceiling.Maximum.Throughput())
	}
	return t
}

// knees are the free start of the curve, the point from which each MiB/s takes
// paid IOPS with it, and the end.
func (c *chooser) knees() []Knee {
	end, endWhy := c.most(), "the most that gp3 has"
	switch cap, ok := c.instanceThroughput(); {
	case ok && end == cap && cap < c.mostForSize():
		endWhy = "all that the instance can carry"
	case end < c.l.ThroughputMiB.Max:
		endWhy = "the most that this size allows"
	}
	startWhy := "the free baseline"
	if c.iops > c.l.IOPS.Min {
		startWhy = "the demanded IOPS at the free throughput"
	}
	var out []Knee
	add := func(t int64, why string) {
		if n := len(out); n == 0 || out[n-1].Settings.ThroughputMiBPerS < t {
			out = append(out, Knee{Settings: c.at(t), Why: why})
		}
	}
	add(c.l.ThroughputMiB.Min, startWhy)
	if carried := MaxThroughput(c.l, c.iops); carried < end {
		add(carried, "the most throughput that these IOPS carry")
	}
	add(end, endWhy)
	return out
}

func clamp(n int64, r catalog.Range) int64 { return max(r.Min, min(r.Max, n)) }

// roundUp is a demand as a whole number, at least what is free. It must not be
// above the range.
func roundUp(demand decimal.Decimal, r catalog.Range) int64 {
	return decimal.Max(demand, decimal.NewFromInt(r.Min)).Ceil().IntPart()
}

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }
