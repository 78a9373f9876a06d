package hostpool

import (
	"time"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

// TimelineHours is how many hours a timeline shows.
const TimelineHours = 72

// Hour is one hour of a pool's life.
type Hour struct {
	// Number of the hour, from 1. The numbers of hosts are those at its end.
	Number int64
	// InUse hosts carry an instance, scrub, or did not come back.
	InUse int64
	// Allocated hosts are all there are, Free ones those that can take a launch.
	Allocated, Free int64
	// CostUSD is what the hosts of the pool cost in this hour, the desired ones
	// included; null if there is no price.
	CostUSD optional.Value[decimal.Decimal]
	// CostToDateUSD is the sum up to the end of this hour.
	CostToDateUSD optional.Value[decimal.Decimal]
}

// Timeline simulates the first TimelineHours of a pool, from the moment at which
// its desired hosts are allocated and in use. It is null or unknown where the
// results of Evaluate are. A failure loop is simulated with AWS's shortest
// launch.
func Timeline(cat *catalog.Catalog, p Pool) optional.Value[[]Hour] {
	price := hourlyPrice(cat, p.InstanceType, p.Region, p.HostHourlyPriceUSD)
	if price.IsUnknown() {
		return optional.Unknown[[]Hour]()
	}
	return optional.Map(p.plan(cat.MacHostRules()), func(pl plan) []Hour { return pl.timeline(price) })
}

func (p process) timeline(price optional.Value[decimal.Decimal]) []Hour {
	rows := make([]Hour, 0, TimelineHours)
	var hour, toDate int64 // hosts billed, in host-nanoseconds
	cost := func(billed int64) optional.Value[decimal.Decimal] {
		return optional.Map(price, func(usd decimal.Decimal) decimal.Decimal {
			return usd.Mul(decimal.NewFromInt(billed)).DivRound(decimal.NewFromInt(int64(time.Hour)), moneyDigits)
		})
	}
	last := state{}
	finish := func() {
		toDate += hour
		rows = append(rows, Hour{
			Number: int64(len(rows) + 1), InUse: last.inUse(), Allocated: last.allocated, Free: last.free(),
			CostUSD: cost(hour), CostToDateUSD: cost(toDate),
		})
		hour = 0
	}
	end := func() time.Duration { return time.Duration(len(rows)+1) * time.Hour }
	const until = TimelineHours * time.Hour
	run(p, until, func(from, to time.Duration, s state) {
		// What happens at the very end of an hour is still seen in it, so an hour is
		// finished by the span that begins there.
		last = s
		for to > end() {
			hour += s.billed(p) * int64(end()-from)
			from = end()
			finish()
		}
		hour += s.billed(p) * int64(to-from)
	})
	for len(rows) < TimelineHours {
		finish()
	}
	return rows
}
