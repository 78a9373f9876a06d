// Package hostpool knows what becomes of a pool of dedicated EC2 Mac hosts when
// launches fail: how many hosts are in use at a time, whether the quota runs
// out, and what the additional hosts cost, which cannot be given back within 24
// hours. It also says how many hosts a load needs.
//
// A pool is simulated event by event (see simulate.go), from the moment at which
// its desired hosts are allocated and in use. The clock is an input: nothing here
// asks for the time. What the simulation settles to is worked out by closed
// forms (see process.go), which a test compares with it.
package hostpool

import (
	"fmt"
	"math/big"
	"time"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/shape"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// Pool is a pool of dedicated Mac hosts as somebody wrote it. Unknown members
// are waited for: nothing is said of them, and what depends on them is unknown.
type Pool struct {
	InstanceType optional.Value[string]
	// Region whose prices are used; catalog.DefaultRegion if null.
	Region optional.Value[string]
	// DesiredHosts is how many hosts run an instance when all is well.
	DesiredHosts optional.Value[decimal.Decimal]
	// MaxHosts is the quota: how many hosts may be allocated.
	MaxHosts optional.Value[decimal.Decimal]
	// AutoReleaseHosts is the host resource group's auto-release-host: free hosts
	// are given back.
	AutoReleaseHosts optional.Value[bool]
	// AutoAllocateHosts is the group's auto-allocate-host: a launch that finds no
	// free host allocates one. True if null.
	AutoAllocateHosts optional.Value[bool]
	// GracePeriodSeconds is the time that an instance is allowed to take until it is
	// ready: the group's health check grace period, or the lifecycle hook's timeout.
	GracePeriodSeconds optional.Value[decimal.Decimal]
	// BootToReadySeconds is what it takes from boot, as mac.EvaluateStorage predicts
	// it. Unless both are given, launches are not taken to fail all the time.
	BootToReadySeconds optional.Value[decimal.Decimal]
	// LaunchSeconds is what of AWS's own launch comes on top of BootToReadySeconds
	// within the allowed time; 0 if null. It is also the launch's part of a failure
	// loop's cycle, for which AWS's range is taken if null.
	LaunchSeconds optional.Value[decimal.Decimal]
	// FailedLaunchesPerDay of the whole pool, evenly spaced. None if null, and then
	// the findings say that it is not known how many there are.
	FailedLaunchesPerDay optional.Value[decimal.Decimal]
	// FailedHostsReturn says that a host is free again after its scrub. True if null.
	FailedHostsReturn optional.Value[bool]
	// RecycleMinutes is how long the scrub takes; DefaultRecycleMinutes if null.
	RecycleMinutes optional.Value[decimal.Decimal]
	// ScrubMetered says that a host is billed while it scrubs. True if null, because
	// AWS says that it is not and no bill was seen that proves it.
	ScrubMetered optional.Value[bool]
	// AutoReleaseAfterHours is the age at which the group gives a free host back: 24
	// if null, and never less. Users disagree whether it does so at all.
	AutoReleaseAfterHours optional.Value[decimal.Decimal]
	// ReleaseAfterHours is the age at which somebody releases a free additional host
	// by hand; nobody does if null. It is 24 at least.
	ReleaseAfterHours optional.Value[decimal.Decimal]
	// HostHourlyPriceUSD takes the place of the catalogue's price.
	HostHourlyPriceUSD optional.Value[decimal.Decimal]
}

// DefaultRecycleMinutes is how long a scrub takes if nobody says: what AWS said
// of Apple silicon for years. Its current page says up to 270, and users report
// 50 to 120.
const DefaultRecycleMinutes = 110

// Verdict sums a pool up.
type Verdict string

const (
	// Safe pools pay for no host beyond the desired ones.
	Safe Verdict = "safe"
	// Costly pools pay for additional hosts.
	Costly Verdict = "costly"
	// Exhausts is the verdict on pools in which a launch finds no host.
	Exhausts Verdict = "exhausts"
)

// Result is what follows from a Pool. A null member does not apply or has no
// price; an unknown one waits for an input.
type Result struct {
	// HostMonthUSD is the price of one host for a month of 730 hours.
	HostMonthUSD optional.Value[decimal.Decimal]
	// MinimumAllocationUSD is the price of one host for the 24 hours that it is
	// billed at least, which is what a needless replacement costs.
	MinimumAllocationUSD optional.Value[decimal.Decimal]
	// PeakHosts is the most hosts in use at a time.
	PeakHosts optional.Value[int64]
	// HoursToExhaustion is when the last free host is taken before a launch finds
	// none; null if that does not happen within the Horizon.
	HoursToExhaustion optional.Value[float64]
	// ExposureUSDMonth is what the hosts beyond the desired ones cost in a month,
	// once the pool has settled.
	ExposureUSDMonth         optional.Value[decimal.Decimal]
	Verdict                  optional.Value[Verdict]
	Findings                 []finding.Finding
	FindingsWaitForAnUnknown bool
}

// The largest figures that are taken. They are far above anything real, and
// keep the work and the arithmetic bounded.
const (
	mostHosts          = 10_000
	mostFailuresPerDay = 100_000
	mostSeconds        = 1_000_000
	mostMinutes        = 44_640 // a month
	mostHours          = 87_600 // ten years
	mostUSDPerHour     = 1_000_000
)

// Problems are the faults of shape that need no catalogue. Evaluate is for
// pools without problems.
func (p Pool) Problems() []shape.Problem {
	var ps shape.Problems
	atLeastOne := func(most int64) shape.Range {
		return shape.Range{Min: decimal.NewFromInt(1), Max: decimal.NewFromInt(most)}
	}
	ps.NotEmpty("instance_type", p.InstanceType)
	// A group may be scaled to nothing, so 0 desired hosts are fine.
	hosts := shape.NotNegative(mostHosts)
	hosts.Whole = true
	ps.Number("desired_hosts", p.DesiredHosts, hosts)
	ps.Number("max_hosts", p.MaxHosts, shape.PositiveWhole(mostHosts).Needed())
	ps.Number("grace_period_seconds", p.GracePeriodSeconds, atLeastOne(mostSeconds))
	ps.Number("boot_to_ready_seconds", p.BootToReadySeconds, shape.Positive(mostSeconds))
	ps.Number("launch_seconds", p.LaunchSeconds, shape.NotNegative(mostSeconds))
	ps.Number("failed_launches_per_day", p.FailedLaunchesPerDay, shape.NotNegative(mostFailuresPerDay))
	ps.Number("recycle_minutes", p.RecycleMinutes, atLeastOne(mostMinutes))
	ps.Number("auto_release_after_hours", p.AutoReleaseAfterHours, shape.NotNegative(mostHours))
	ps.Number("release_after_hours", p.ReleaseAfterHours, shape.NotNegative(mostHours))
	ps.Number("host_hourly_price_usd", p.HostHourlyPriceUSD, shape.Positive(mostUSDPerHour))
	return ps
}

// NotMac says what is wrong with an instance type that is in the table and is
// not a Mac: other dedicated hosts have no minimum time and no scrub. A type
// that is not in the table may be a newer Mac.
func NotMac(cat *catalog.Catalog, typ optional.Value[string]) (shape.Problem, bool) {
	name, ok := typ.Get()
	if !ok {
		return shape.Problem{}, false
	}
	i, ok := cat.Instance(name)
	if !ok || i.IsMac() {
		return shape.Problem{}, false
	}
	return shape.Problem{
		Path:    "instance_type",
		Message: fmt.Sprintf("%s is not an EC2 Mac, and only Mac hosts are billed for 24 hours at least and scrubbed between instances", name),
	}, true
}

// plan is a Pool whose members are all known, in the terms of the model.
type plan struct {
	Pool
	rules catalog.MacHostRules
	// process is the pool at its worst: in a failure loop, with AWS's shortest launch.
	process
	outcome
	// slow is the outcome with AWS's longest launch, where that differs.
	slow optional.Value[outcome]
	// cycle is how long a launch of a failure loop keeps its host: shortest and longest.
	cycle [2]time.Duration
	// perDay is the given rate of failures, null if none was given.
	perDay optional.Value[decimal.Decimal]
	// ready and allowed are the seconds that were compared; only in a loop.
	ready, allowed decimal.Decimal
}

// Evaluate works out what becomes of a pool and applies the rules.
func Evaluate(cat *catalog.Catalog, p Pool) Result {
	rules := cat.MacHostRules()
	price := hourlyPrice(cat, p.InstanceType, p.Region, p.HostHourlyPriceUSD)
	r := Result{
		HostMonthUSD:         month(price),
		MinimumAllocationUSD: times(price, rules.MinimumAllocationHours),
	}
	pl := p.plan(rules)
	r.PeakHosts = optional.Map(pl, func(pl plan) int64 { return pl.peak })
	r.HoursToExhaustion = optional.Then(pl, func(pl plan) optional.Value[float64] {
		if !pl.exhausts() {
			return optional.Null[float64]()
		}
		return optional.Known(hours(pl.full))
	})
	r.ExposureUSDMonth = optional.Map2(pl, r.HostMonthUSD, func(pl plan, usd decimal.Decimal) decimal.Decimal {
		return exposure(pl.extra, usd)
	})
	r.Verdict = optional.Map(pl, plan.verdict)
	r.Findings = findings(cat, p, pl, r.HostMonthUSD)
	r.FindingsWaitForAnUnknown = pl.IsUnknown() || p.InstanceType.IsUnknown() || r.HostMonthUSD.IsUnknown()
	return r
}

// plan is unknown while a member that the model needs is, null if one is missing
// that has no default.
func (p Pool) plan(rules catalog.MacHostRules) optional.Value[plan] {
	hosts := optional.Both(p.DesiredHosts, p.MaxHosts)
	switches := optional.Both(p.AutoReleaseHosts, optional.Both(p.AutoAllocateHosts.Or(true), optional.Both(p.FailedHostsReturn.Or(true), p.ScrubMetered.Or(true))))
	spans := optional.Both(p.RecycleMinutes.Or(decimal.NewFromInt(DefaultRecycleMinutes)), p.AutoReleaseAfterHours.Or(decimal.Zero))
	if hosts.IsUnknown() || switches.IsUnknown() || spans.IsUnknown() || p.ReleaseAfterHours.IsUnknown() ||
		p.FailedLaunchesPerDay.IsUnknown() || p.tooLate().IsUnknown() {
		return optional.Unknown[plan]()
	}
	h, haveHosts := hosts.Get()
	s, haveSwitches := switches.Get()
	t, _ := spans.Get()
	if !haveHosts || !haveSwitches {
		return optional.Null[plan]()
	}
	pl := plan{Pool: p, rules: rules, perDay: p.FailedLaunchesPerDay}
	pl.process = process{
		desired: h.A.IntPart(), max: h.B.IntPart(),
		grows: s.B.A, returns: s.B.B.A, scrubUnmetered: !s.B.B.B,
		recycle: duration(t.A, time.Minute),
		hold:    keptForever,
	}
	if s.A {
		pl.hold = pl.heldFor(t.B)
	}
	if d, ok := p.ReleaseAfterHours.Get(); ok {
		if byHand := pl.heldFor(d); pl.hold == keptForever || byHand < pl.hold {
			pl.hold = byHand
		}
	}
	if late, _ := p.tooLate().Get(); late {
		pl.failAlways()
	} else if n, ok := p.FailedLaunchesPerDay.Get(); ok {
		pl.period = periodOf(n)
	}
	pl.outcome = pl.settle()
	return optional.Known(pl)
}

// tooLate says whether an instance is ready only after the time that it is
// allowed, so that every launch fails; null if that cannot be told.
func (p Pool) tooLate() optional.Value[bool] {
	if p.BootToReadySeconds.IsNull() || p.GracePeriodSeconds.IsNull() {
		return optional.Null[bool]()
	}
	ready := optional.Map2(p.BootToReadySeconds, p.LaunchSeconds.Or(decimal.Zero), decimal.Decimal.Add)
	return optional.Map2(ready, p.GracePeriodSeconds, decimal.Decimal.GreaterThan)
}

// failAlways sets up a failure loop: each slot takes another host as soon as it
// has been launched and has waited for the allowed time.
func (pl *plan) failAlways() {
	pl.loop = true
	pl.allowed, _ = pl.GracePeriodSeconds.Get()
	boot, _ := pl.BootToReadySeconds.Get()
	launch, _ := pl.LaunchSeconds.Or(decimal.Zero).Get()
	pl.ready = boot.Add(launch)
	allowed := duration(pl.allowed, time.Second)
	if d, ok := pl.LaunchSeconds.Get(); ok {
		cycle := allowed + duration(d, time.Second)
		pl.cycle = [2]time.Duration{cycle, cycle}
	} else {
		pl.cycle = [2]time.Duration{
			allowed + time.Duration(pl.rules.LaunchMinutesMin)*time.Minute,
			allowed + time.Duration(pl.rules.LaunchMinutesMax)*time.Minute,
		}
		slow := pl.process
		slow.period = nanoseconds(pl.cycle[1])
		pl.slow = optional.Known(slow.settle())
	}
	pl.period = nanoseconds(pl.cycle[0])
}

// heldFor is how long a host is held that is released after so many hours: at
// least as long as AWS keeps it.
func (pl *plan) heldFor(age decimal.Decimal) time.Duration {
	return max(duration(age, time.Hour), time.Duration(pl.rules.MinimumAllocationHours)*time.Hour)
}

// exhausts says whether launches are refused for want of hosts. Where the pool
// is fixed and its hosts come back, a failed launch waits for its own host's
// scrub, which costs neither money nor quota.
func (pl plan) exhausts() bool {
	return pl.exhausted && (pl.grows || pl.loop || !pl.returns || pl.desired > pl.limit())
}

func (pl plan) verdict() Verdict {
	switch {
	case pl.exhausts():
		return Exhausts
	case pl.extra.Sign() > 0:
		return Costly
	}
	return Safe
}

// hourlyPrice of a host; null if nobody knows it.
func hourlyPrice(cat *catalog.Catalog, typ, region optional.Value[string], own optional.Value[decimal.Decimal]) optional.Value[decimal.Decimal] {
	return own.OrElse(optional.Then(optional.Both(typ, region.Or(catalog.DefaultRegion)), func(p optional.Pair[string, string]) optional.Value[decimal.Decimal] {
		price, ok := cat.MacHostPrice(p.B, p.A)
		if !ok {
			return optional.Null[decimal.Decimal]()
		}
		return optional.Known(price.USDPerHour)
	}))
}

func month(usdPerHour optional.Value[decimal.Decimal]) optional.Value[decimal.Decimal] {
	return times(usdPerHour, units.HoursPerMonth)
}

func times(usd optional.Value[decimal.Decimal], n int) optional.Value[decimal.Decimal] {
	return optional.Map(usd, func(d decimal.Decimal) decimal.Decimal { return d.Mul(decimal.NewFromInt(int64(n))) })
}

// exposure is what an average number of hosts costs a month.
func exposure(hosts *big.Rat, usdPerMonth decimal.Decimal) decimal.Decimal {
	return usdPerMonth.Mul(decimal.NewFromBigInt(hosts.Num(), 0)).DivRound(decimal.NewFromBigInt(hosts.Denom(), 0), moneyDigits)
}

// moneyDigits is how many decimals of a dollar are kept until amounts are shown.
const moneyDigits = 12

// duration is a figure in units of time, to the nanosecond.
func duration(d decimal.Decimal, unit time.Duration) time.Duration {
	return time.Duration(d.Mul(decimal.NewFromInt(int64(unit))).IntPart())
}

// rateDigits is how many decimals of a number of failures a day count.
const rateDigits = 6

// periodOf is the time between failures in nanoseconds; nil if there are none.
func periodOf(perDay decimal.Decimal) *big.Rat {
	perDay = perDay.Round(rateDigits)
	if !perDay.IsPositive() {
		return nil
	}
	return new(big.Rat).Quo(nanoseconds(24*time.Hour), perDay.Rat())
}

// hours turns nanoseconds into hours.
func hours(ns *big.Rat) float64 {
	h, _ := new(big.Rat).Quo(ns, nanoseconds(time.Hour)).Float64()
	return h
}
