// Package usage says what an EBS volume really did: from its minutes, as
// CloudWatch counts them, the rates that it reached at each percentile, the
// minutes at its limit, and the cheapest gp3 setting that would do for the same
// work, with head-room that is stated.
//
// A rate is the average of a minute: operations or bytes of the minute divided
// by 60. Shorter peaks are not in it. Percentiles are over all minutes in which
// the volume existed, and a minute without a figure counts as idle, because EBS
// reports none for a volume that is idle or attached to nothing. The percentile p
// of n minutes is the value at place ceil(p/100 × n) of the sorted ones (nearest
// rank): always a minute that there was, never one in between.
package usage

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

const (
	// DefaultDays is the window if nobody says: two working weeks.
	DefaultDays = 14
	// MaxDays is how long CloudWatch keeps one-minute figures.
	MaxDays = 15
	// DefaultPercentile is the percentile that a recommendation is for: at 99, one
	// minute of a hundred may be slower.
	DefaultPercentile = 99
	// MinPercentile keeps a recommendation from being for less than half of the work.
	MinPercentile = 50
	// DefaultHeadroomPercent is added to the percentile.
	DefaultHeadroomPercent = 20
	// MaxHeadroomPercent is above any reason.
	MaxHeadroomPercent = 1000
)

// atLimit is the part of a limit from which a minute counts as throttled. A
// volume at its limit shows it as a dead-flat line within a few tenths of a
// percent; 2 % leave room for the minute's edges.
const atLimit = 0.98

// Series are the minutes of a window: sums of operations and bytes, NaN where
// there is no figure.
type Series struct {
	// Start is the first minute's.
	Start                                    time.Time
	ReadOps, WriteOps, ReadBytes, WriteBytes []float64
}

// NewSeries is a window without any figure.
func NewSeries(start time.Time, minutes int) Series {
	empty := func() []float64 {
		v := make([]float64, minutes)
		for i := range v {
			v[i] = math.NaN()
		}
		return v
	}
	return Series{Start: start, ReadOps: empty(), WriteOps: empty(), ReadBytes: empty(), WriteBytes: empty()}
}

// Minutes in the window.
func (s Series) Minutes() int { return len(s.ReadOps) }

// Window is the window of the last days before now, in whole minutes.
func Window(now time.Time, days int) (start time.Time, minutes int) {
	minutes = days * 24 * 60
	return now.UTC().Truncate(time.Minute).Add(-time.Duration(minutes) * time.Minute), minutes
}

// Volume is what was measured.
type Volume struct {
	Type                             string
	SizeGiB, IOPS, ThroughputMiBPerS int64
	Created                          time.Time
	// Region whose prices are used.
	Region string
	// InstanceType that it is attached to; empty if it is not or that is not known.
	InstanceType string
}

// Options of a report.
type Options struct {
	Percentile      float64
	HeadroomPercent float64
}

// Percentiles of one rate.
type Percentiles struct{ P50, P95, P99, Max, Chosen float64 }

// Rates are reads, writes and both together. The total of a percentile is not
// the sum of the two: they need not be busy in the same minutes.
type Rates struct{ Read, Write, Total Percentiles }

// Why minutes were throttled.
const (
	ByIOPS       = "iops"
	ByThroughput = "throughput"
	ByBoth       = "both"
)

// Report is what a volume did.
type Report struct {
	Volume  Volume
	Options Options
	Start   time.Time
	// Minutes of the window in which the volume existed, and those of them with a
	// figure.
	Minutes, MinutesWithData int
	// IOPS and MiBPerS are null without any figure.
	IOPS, MiBPerS optional.Value[Rates]
	// LimitIOPS and LimitMiBPerS are what the volume can do; null where its type has
	// no such limit.
	LimitIOPS, LimitMiBPerS optional.Value[float64]
	// ThrottledMinutes are those at a limit, ThrottledBy says which; null if none.
	ThrottledMinutes optional.Value[int64]
	ThrottledBy      optional.Value[string]
	// Recommended is the cheapest gp3 setting for the percentile with head-room, null
	// without figures or where gp3 cannot do it.
	Recommended optional.Value[ebs.GP3]
	// AtLeast says that the volume was at its limit at the percentile itself, so that
	// nobody knows how much more it would have done.
	AtLeast bool
	// CurrentUSD and RecommendedUSD are prices a month, SavingUSD their difference,
	// negative if the recommendation costs more. Null where a price is not known.
	CurrentUSD, RecommendedUSD, SavingUSD optional.Value[decimal.Decimal]
	// Notes are what a reader has to know to read the figures right.
	Notes []string
}

// Throttled is the note on a recommendation that is a lower bound.
const Throttled = "throttled: demand is at least this"

// Analyze works out a report.
func Analyze(cat *catalog.Catalog, v Volume, s Series, o Options) Report {
	r := Report{Volume: v, Options: o, Start: s.Start}
	r.limits(cat)
	s = r.existing(s)
	r.Minutes = s.Minutes()
	ops, bytes := newRates(r.Minutes), newRates(r.Minutes)
	var throttledIOPS, throttledBytes, throttled int64
	for i := range r.Minutes {
		if !isIdle(s.ReadOps[i], s.WriteOps[i], s.ReadBytes[i], s.WriteBytes[i]) {
			r.MinutesWithData++
		}
		ops.set(i, s.ReadOps[i]/60, s.WriteOps[i]/60)
		bytes.set(i, mibPerS(s.ReadBytes[i]), mibPerS(s.WriteBytes[i]))
		byIOPS, byBytes := reaches(ops.total[i], r.LimitIOPS), reaches(bytes.total[i], r.LimitMiBPerS)
		if byIOPS {
			throttledIOPS++
		}
		if byBytes {
			throttledBytes++
		}
		if byIOPS || byBytes {
			throttled++
		}
	}
	if r.MinutesWithData == 0 {
		r.costs(cat)
		r.Notes = append(r.Notes, "There are no figures in the window: the volume was not attached, or had no I/O at all.")
		return r
	}
	r.IOPS, r.MiBPerS = optional.Known(ops.percentiles(o.Percentile)), optional.Known(bytes.percentiles(o.Percentile))
	r.ThrottledMinutes = optional.Known(throttled)
	switch {
	case throttledIOPS > 0 && throttledBytes > 0:
		r.ThrottledBy = optional.Known(ByBoth)
	case throttledIOPS > 0:
		r.ThrottledBy = optional.Known(ByIOPS)
	case throttledBytes > 0:
		r.ThrottledBy = optional.Known(ByThroughput)
	}
	r.recommend(cat)
	r.costs(cat)
	return r
}

// existing cuts the minutes off in which the volume did not exist yet.
func (r *Report) existing(s Series) Series {
	before := int(r.Volume.Created.Sub(s.Start) / time.Minute)
	if r.Volume.Created.IsZero() || before <= 0 {
		return s
	}
	all := s.Minutes()
	before = min(before, all)
	r.Start = s.Start.Add(time.Duration(before) * time.Minute)
	r.Notes = append(r.Notes, fmt.Sprintf("The volume is younger than the window: %s of %s.", span(all-before), span(all)))
	return Series{Start: r.Start, ReadOps: s.ReadOps[before:], WriteOps: s.WriteOps[before:], ReadBytes: s.ReadBytes[before:], WriteBytes: s.WriteBytes[before:]}
}

// span writes minutes as people say them.
func span(minutes int) string {
	switch {
	case minutes >= 48*60:
		return units.Number(math.Round(float64(minutes)/60/24*10)/10) + " days"
	case minutes >= 120:
		return units.Number(math.Round(float64(minutes)/60*10)/10) + " hours"
	}
	return fmt.Sprintf("%d minutes", minutes)
}

// limits are what the volume can do at most, whatever its type.
func (r *Report) limits(cat *catalog.Catalog) {
	v := r.Volume
	as := r.asWritten()
	r.LimitMiBPerS = optional.Map(as.Throughput(cat, catalog.CurrentLimits), func(t units.MiBPerS) float64 { return float64(t) })
	switch t, _ := cat.VolumeType(v.Type); {
	case v.Type == "gp2":
		// Small gp2 volumes burst above what their size gives them.
		iops := v.IOPS
		if g := cat.GP2(); iops < g.BurstIOPS {
			iops = g.BurstIOPS
		}
		r.LimitIOPS = optional.Known(float64(iops))
	case v.Type == ebs.TypeGP3 || !t.IOPS.IsNull():
		r.LimitIOPS = optional.Known(float64(v.IOPS))
	}
	if !r.LimitMiBPerS.IsKnown() {
		r.LimitMiBPerS = optional.Null[float64]()
	}
}

// asWritten is the volume as the rules have it.
func (r *Report) asWritten() ebs.Volume {
	v := r.Volume
	out := ebs.Volume{Type: optional.Known(v.Type), SizeGiB: optional.Known(decimal.NewFromInt(v.SizeGiB))}
	if v.IOPS > 0 && v.Type != "gp2" {
		out.IOPS = optional.Known(decimal.NewFromInt(v.IOPS))
	}
	if v.ThroughputMiBPerS > 0 {
		out.ThroughputMiBPerS = optional.Known(decimal.NewFromInt(v.ThroughputMiBPerS))
	}
	return out
}

func reaches(rate float64, limit optional.Value[float64]) bool {
	l, ok := limit.Get()
	return ok && l > 0 && rate >= l*atLimit
}

// recommend finds the cheapest setting for the chosen percentile and head-room.
func (r *Report) recommend(cat *catalog.Catalog) {
	l := cat.GP3(catalog.CurrentLimits)
	iops, _ := r.IOPS.Get()
	bytes, _ := r.MiBPerS.Get()
	r.AtLeast = reaches(iops.Total.Chosen, r.LimitIOPS) || reaches(bytes.Total.Chosen, r.LimitMiBPerS)
	throttled, _ := r.ThrottledMinutes.Get()
	p := "p" + units.Number(r.Options.Percentile)
	switch {
	case r.AtLeast:
		r.Notes = append(r.Notes, Throttled)
	case throttled > 0:
		r.Notes = append(r.Notes, fmt.Sprintf("The volume was at its limit for %s, which %s leaves out: at the recommended setting these and more would be slower.", minutesOf(throttled), p))
	}

	headroom := decimal.NewFromFloat(r.Options.HeadroomPercent).Div(decimal.NewFromInt(100)).Add(decimal.NewFromInt(1))
	wantIOPS := decimal.NewFromFloat(iops.Total.Chosen).Mul(headroom)
	wantBytes := decimal.NewFromFloat(bytes.Total.Chosen).Mul(headroom)
	// What no gp3 volume of this size can have is cut, and said.
	if most := decimal.NewFromInt(ebs.MaxIOPS(l, r.Volume.SizeGiB)); wantIOPS.GreaterThan(most) {
		wantIOPS = most
		r.Notes = append(r.Notes, fmt.Sprintf("The recommended IOPS are the most that %s GiB of gp3 can have; %s and its head-room would be more.", units.Count(r.Volume.SizeGiB), p))
	}
	if most := decimal.NewFromInt(ebs.MaxThroughput(l, ebs.MaxIOPS(l, r.Volume.SizeGiB))); wantBytes.GreaterThan(most) {
		wantBytes = most
		r.Notes = append(r.Notes, fmt.Sprintf("The recommended throughput is the most that %s GiB of gp3 can have; %s and its head-room would be more.", units.Count(r.Volume.SizeGiB), p))
	}
	d := ebs.Demand{SizeGiB: r.Volume.SizeGiB, IOPS: optional.Known(wantIOPS), ThroughputMiBPerS: optional.Known(wantBytes)}
	if i, ok := cat.Instance(r.Volume.InstanceType); ok {
		d.Ceiling = i.EBS
	}
	prices := optional.Null[catalog.GP3Prices]()
	choice, err := ebs.Choose(l, prices, d)
	if err != nil {
		r.Notes = append(r.Notes, "There is no gp3 setting for this volume: "+err.Error())
		return
	}
	if choice.BoundBy == ebs.BoundInstance {
		r.Notes = append(r.Notes, "The recommended setting is what the instance can carry at most.")
	}
	r.Recommended = optional.Known(choice.Settings)
}

func minutesOf(n int64) string {
	if n == 1 {
		return "1 minute"
	}
	return units.Count(n) + " minutes"
}

// costs are those of the volume as it is and as recommended.
func (r *Report) costs(cat *catalog.Catalog) {
	r.CurrentUSD = optional.Map(r.asWritten().Cost(cat, catalog.CurrentLimits, r.Volume.Region), ebs.Cost.TotalUSD)
	if r.CurrentUSD.IsUnknown() {
		r.CurrentUSD = optional.Null[decimal.Decimal]()
	}
	if s, ok := r.Recommended.Get(); ok {
		if p, known := cat.VolumePrices(r.Volume.Region); known {
			r.RecommendedUSD = optional.Known(ebs.GP3Cost(p.GP3, cat.GP3(catalog.CurrentLimits), r.Volume.SizeGiB, s).TotalUSD())
		}
	}
	r.SavingUSD = optional.Map2(r.CurrentUSD, r.RecommendedUSD, decimal.Decimal.Sub)
}

// rates are a series of reads, writes and their sum, each minute of it known.
type rates struct{ read, write, total []float64 }

func newRates(n int) rates {
	all := make([]float64, 3*n)
	return rates{read: all[:n:n], write: all[n : 2*n : 2*n], total: all[2*n:]}
}

func (r rates) set(i int, read, write float64) {
	r.read[i], r.write[i] = orZero(read), orZero(write)
	r.total[i] = r.read[i] + r.write[i]
}

// percentiles sorts the series: their order in time is lost.
func (r rates) percentiles(chosen float64) Rates {
	of := func(v []float64) Percentiles {
		slices.Sort(v)
		return Percentiles{P50: nearestRank(v, 50), P95: nearestRank(v, 95), P99: nearestRank(v, 99), Max: v[len(v)-1], Chosen: nearestRank(v, chosen)}
	}
	return Rates{Read: of(r.read), Write: of(r.write), Total: of(r.total)}
}

// nearestRank is the percentile of sorted values. The place is worked out from
// the percentile in thousandths, in whole numbers: in floats, 99 % of 100 may come
// out as 99.00000000000001, which rounds up to the wrong place.
func nearestRank(sorted []float64, percentile float64) float64 {
	const scale = 1000
	n, p := int64(len(sorted)), int64(math.Round(percentile*scale))
	rank := (p*n + 100*scale - 1) / (100 * scale)
	return sorted[max(1, min(n, rank))-1]
}

func mibPerS(bytesPerMinute float64) float64 { return bytesPerMinute / 60 / (1 << 20) }

func orZero(f float64) float64 {
	if math.IsNaN(f) {
		return 0
	}
	return f
}

// isIdle says whether a minute has no figure at all.
func isIdle(values ...float64) bool {
	return !slices.ContainsFunc(values, func(f float64) bool { return !math.IsNaN(f) })
}
