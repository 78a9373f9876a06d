// Package machosts says of an account's dedicated EC2 Mac hosts what a list of
// them does not: from when each may be released, how long it has done nothing,
// and what it has cost until now.
package machosts

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

// Host is a dedicated host as EC2 describes it.
type Host struct {
	ID, Type, State, AvailabilityZone string
	// Allocated is zero if EC2 does not say when.
	Allocated time.Time
	// Released is zero while the host is allocated.
	Released time.Time
	// InstanceIDs are the instances on it now.
	InstanceIDs []string
	// LastUsed is the end of the last instance that is known of; zero if none is: EC2
	// forgets an instance about an hour after its end.
	LastUsed time.Time
	Tags     map[string]string
}

// States of a host, as EC2 names them.
const (
	StateAvailable = "available"
	StatePending   = "pending"
	StateReleased  = "released"
)

// Report is what follows for one host.
type Report struct {
	Host
	// Scrubbing says that the host is being cleaned after its last instance: AWS calls
	// that pending, and takes no instance on it in the meantime.
	Scrubbing bool
	// AgeHours is null where the allocation is not known.
	AgeHours optional.Value[float64]
	// ReleasableAt is 24 hours after its allocation, null where that is not known.
	// Releasable says that the time has come and nothing is on the host; one that is
	// scrubbed can be released only then.
	ReleasableAt optional.Value[time.Time]
	Releasable   bool
	// IdleHours is how long nothing has been on it, 0 while something is, and null
	// where neither the end of its last instance nor the allocation is known.
	// IdleAtMost says that it is an upper bound: the end of its last instance is no
	// longer known, so that the time counts from the allocation.
	IdleHours  optional.Value[float64]
	IdleAtMost bool
	// HourUSD is the price of an hour, null if it is not known; CostUSD that of the
	// hours until now, and LeastUSD what the host costs if it is released as soon as
	// that is allowed. Both are null without its allocation, too.
	HourUSD, CostUSD, LeastUSD optional.Value[decimal.Decimal]
}

// Totals are those of hosts that are still allocated.
type Totals struct {
	Hosts, Idle, Scrubbing, Releasable int64
	// HourUSD and CostUSD are null where a host has no price.
	HourUSD, CostUSD optional.Value[decimal.Decimal]
}

// Evaluate works out the reports, in the order of the hosts.
func Evaluate(cat *catalog.Catalog, region string, now time.Time, hosts []Host) ([]Report, Totals) {
	out := make([]Report, 0, len(hosts))
	t := Totals{HourUSD: optional.Known(decimal.Zero), CostUSD: optional.Known(decimal.Zero)}
	for _, h := range hosts {
		r := evaluate(cat, region, now, h)
		out = append(out, r)
		if !h.Released.IsZero() {
			continue
		}
		t.Hosts++
		if len(r.InstanceIDs) == 0 && !r.Scrubbing {
			t.Idle++
		}
		if r.Scrubbing {
			t.Scrubbing++
		}
		if r.Releasable {
			t.Releasable++
		}
		t.HourUSD = optional.Map2(t.HourUSD, r.HourUSD, decimal.Decimal.Add)
		t.CostUSD = optional.Map2(t.CostUSD, r.CostUSD, decimal.Decimal.Add)
	}
	return out, t
}

func evaluate(cat *catalog.Catalog, region string, now time.Time, h Host) Report {
	rules := cat.MacHostRules()
	minimum := time.Duration(rules.MinimumAllocationHours) * time.Hour
	end := now
	if !h.Released.IsZero() && h.Released.Before(now) {
		end = h.Released
	}
	// A clock that is behind AWS's must not make an age negative.
	since := func(t time.Time) time.Duration { return max(0, end.Sub(t)) }
	age, allocated := since(h.Allocated), !h.Allocated.IsZero()
	r := Report{Host: h, AgeHours: optional.Null[float64](), ReleasableAt: optional.Null[time.Time](), IdleHours: optional.Known(0.0)}
	r.InstanceIDs = slices.Clone(h.InstanceIDs)
	used := len(h.InstanceIDs) > 0
	r.Scrubbing = h.State == StatePending && !used
	if allocated {
		at := h.Allocated.Add(minimum)
		r.AgeHours, r.ReleasableAt = optional.Known(age.Hours()), optional.Known(at)
		r.Releasable = h.State == StateAvailable && !used && !now.Before(at)
	}
	switch {
	case used || !h.Released.IsZero():
	case h.LastUsed.After(h.Allocated):
		r.IdleHours = optional.Known(since(h.LastUsed).Hours())
	case allocated:
		r.IdleHours, r.IdleAtMost = optional.Known(age.Hours()), true
	default:
		r.IdleHours = optional.Null[float64]()
	}
	if p, ok := cat.MacHostPrice(region, h.Type); ok {
		r.HourUSD = optional.Known(p.USDPerHour)
		if !allocated {
			r.CostUSD, r.LeastUSD = optional.Null[decimal.Decimal](), optional.Null[decimal.Decimal]()
			return r
		}
		r.CostUSD = optional.Known(cost(p.USDPerHour, age))
		r.LeastUSD = optional.Known(cost(p.USDPerHour, max(age, minimum)))
	}
	return r
}

// cost is exact to the second, as AWS bills.
func cost(usdPerHour decimal.Decimal, d time.Duration) decimal.Decimal {
	return usdPerHour.Mul(decimal.NewFromInt(int64(d / time.Second))).Div(decimal.NewFromInt(3600))
}
