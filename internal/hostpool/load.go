package hostpool

import (
	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/mac"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/shape"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// Load is the work that hosts are needed for, and how long they are idle in
// between.
type Load struct {
	InstanceType optional.Value[string]
	// Region whose prices are used; catalog.DefaultRegion if null.
	Region                  optional.Value[string]
	JobsPerHour, JobMinutes optional.Value[decimal.Decimal]
	// RecycleMinutes is how long the scrub after each instance takes;
	// DefaultRecycleMinutes if null.
	RecycleMinutes optional.Value[decimal.Decimal]
	// LaunchMinutes is how long it takes until the next instance takes jobs; 0 if null.
	LaunchMinutes optional.Value[decimal.Decimal]
	// TargetUtilization is the part of the time that hosts should be busy;
	// DefaultTargetUtilization if null.
	TargetUtilization optional.Value[decimal.Decimal]
	// VMsPerHost is how many jobs run on a host at a time; 1 if null. With two nested
	// VMs a job gets a fresh VM and the host is not recycled for it.
	VMsPerHost optional.Value[decimal.Decimal]
	// IdleGapHours and UseHours are a stretch without work and the use after it.
	IdleGapHours, UseHours optional.Value[decimal.Decimal]
	// HostHourlyPriceUSD takes the place of the catalogue's price.
	HostHourlyPriceUSD optional.Value[decimal.Decimal]
}

// DefaultTargetUtilization leaves a fifth of the time free: at full utilization
// a queue grows without bound.
var DefaultTargetUtilization = decimal.New(8, -1)

// What is cheaper between two uses of a host.
const (
	Keep    = "keep"
	Release = "release"
	Equal   = "equal"
)

// LoadResult is what follows from a Load. A null member does not apply or has no
// price; an unknown one waits for an input.
type LoadResult struct {
	Hosts optional.Value[int64]
	// MonthlyCostUSD is for those hosts, 730 hours.
	MonthlyCostUSD optional.Value[decimal.Decimal]
	// KeepCostUSD is what one host costs over the gap and the use after it when it is
	// kept, ReleaseCostUSD when it is released and allocated anew for the use.
	KeepCostUSD, ReleaseCostUSD optional.Value[decimal.Decimal]
	// Cheaper is Keep, Release or Equal.
	Cheaper optional.Value[string]
	// Findings say what is not known of the type: whether it exists, and its price.
	Findings []finding.Finding
}

const mostJobsPerHour = 1_000_000

// Missing are the members without which nothing or only half of a question is
// asked.
func (l Load) Missing() []shape.Problem {
	var ps shape.Problems
	// Either question may be asked alone, half of one may not.
	jobs := !l.JobsPerHour.IsNull() || !l.JobMinutes.IsNull()
	gap := !l.IdleGapHours.IsNull() || !l.UseHours.IsNull()
	ps.Required("jobs_per_hour", l.JobsPerHour.IsNull() && (jobs || !gap))
	ps.Required("job_minutes", l.JobMinutes.IsNull() && (jobs || !gap))
	ps.Required("idle_gap_hours", l.IdleGapHours.IsNull() && gap)
	ps.Required("use_hours", l.UseHours.IsNull() && gap)
	return ps
}

// Problems are the faults of shape that need no catalogue. HostsNeeded is for
// loads without problems.
func (l Load) Problems() []shape.Problem {
	var ps shape.Problems
	ps.NotEmpty("instance_type", l.InstanceType)
	ps.Number("jobs_per_hour", l.JobsPerHour, shape.NotNegative(mostJobsPerHour))
	ps.Number("job_minutes", l.JobMinutes, shape.Positive(mostMinutes))
	ps.Number("recycle_minutes", l.RecycleMinutes, shape.NotNegative(mostMinutes))
	ps.Number("launch_minutes", l.LaunchMinutes, shape.NotNegative(mostMinutes))
	ps.Number("vms_per_host", l.VMsPerHost, shape.PositiveWhole(mac.MaxGuests))
	ps.Number("idle_gap_hours", l.IdleGapHours, shape.NotNegative(mostHours))
	ps.Number("use_hours", l.UseHours, shape.Positive(mostHours))
	ps.Number("host_hourly_price_usd", l.HostHourlyPriceUSD, shape.Positive(mostUSDPerHour))
	if u, ok := l.TargetUtilization.Get(); ok && (u.LessThan(leastUtilization) || u.GreaterThan(decimal.NewFromInt(1))) {
		ps.Add("target_utilization", "target_utilization must be at least %s and at most 1, where hosts would be busy all the time", units.Decimal(leastUtilization))
	}
	return ps
}

// leastUtilization keeps the number of hosts within bounds.
var leastUtilization = decimal.New(1, -2)

// HostsNeeded works out how many hosts carry a load, and whether a host should be
// released between two uses. All arithmetic is exact: 6 jobs an hour of 140
// minutes are 14 hosts and not one more.
func HostsNeeded(cat *catalog.Catalog, l Load) LoadResult {
	price := hourlyPrice(cat, l.InstanceType, l.Region, l.HostHourlyPriceUSD)
	r := LoadResult{Hosts: l.hosts()}
	r.MonthlyCostUSD = optional.Map2(r.Hosts, month(price), func(n int64, usd decimal.Decimal) decimal.Decimal {
		return usd.Mul(decimal.NewFromInt(n))
	})
	kept := optional.Map2(l.IdleGapHours, l.UseHours, decimal.Decimal.Add)
	released := optional.Map2(l.IdleGapHours, l.UseHours, func(_, use decimal.Decimal) decimal.Decimal {
		return decimal.Max(decimal.NewFromInt(int64(cat.MacHostRules().MinimumAllocationHours)), use)
	})
	r.KeepCostUSD = optional.Map2(kept, price, decimal.Decimal.Mul)
	r.ReleaseCostUSD = optional.Map2(released, price, decimal.Decimal.Mul)
	// The price does not matter for which of the two is cheaper.
	r.Cheaper = optional.Map2(kept, released, func(kept, released decimal.Decimal) string {
		switch kept.Cmp(released) {
		case -1:
			return Keep
		case 1:
			return Release
		}
		return Equal
	})
	r.Findings = finding.Merge(append(UnknownType(cat, l.InstanceType), priceUnknown(Pool{InstanceType: l.InstanceType, Region: l.Region}, month(price))...))
	return r
}

func (l Load) hosts() optional.Value[int64] {
	vms := l.VMsPerHost.Or(decimal.NewFromInt(1))
	between := optional.Map2(l.RecycleMinutes.Or(decimal.NewFromInt(DefaultRecycleMinutes)), l.LaunchMinutes.Or(decimal.Zero), decimal.Decimal.Add)
	perJob := optional.Then(vms, func(n decimal.Decimal) optional.Value[decimal.Decimal] {
		if n.GreaterThan(decimal.NewFromInt(1)) {
			return l.JobMinutes
		}
		return optional.Map2(l.JobMinutes, between, decimal.Decimal.Add)
	})
	busy := optional.Map2(l.JobsPerHour, perJob, decimal.Decimal.Mul)
	have := optional.Map2(vms, l.TargetUtilization.Or(DefaultTargetUtilization), func(n, u decimal.Decimal) decimal.Decimal {
		return n.Mul(u).Mul(decimal.NewFromInt(minutesPerHour))
	})
	return optional.Map2(busy, have, func(busy, have decimal.Decimal) int64 {
		whole, rest := busy.QuoRem(have, 0)
		if rest.IsPositive() {
			return whole.IntPart() + 1
		}
		return whole.IntPart()
	})
}

const minutesPerHour = 60
