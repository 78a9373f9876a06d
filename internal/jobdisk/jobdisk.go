// Package jobdisk answers whether a Linux CI job waits for its disk, and what
// the cheapest way out is: the same instance with the job's files in memory
// (tmpfs), a type with twice the memory, or a faster volume.
//
// The model is fitted to one published series of builds on RunsOn runners
// (runs-on.com, the tmpfs article, autumn 2026): a Docker build that writes
// about 29 GB and stops at a volume's 3,000 IOPS, a Rust build that peaks at
// 519. What it says of another job is arithmetic on that job's own figures;
// only the share of written data that stays in memory is an assumption.
package jobdisk

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/runnerlabel"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// The options, which are also the verdicts.
const (
	Keep            = "keep"
	Tmpfs           = "tmpfs"
	TmpfsMoreMemory = "tmpfs-more-memory"
	FasterVolume    = "faster-volume"
)

// OptionNames are the names of all options, in the order of the rule of thumb:
// where prices do not decide, the earlier one is taken.
var OptionNames = []string{Keep, Tmpfs, TmpfsMoreMemory, FasterVolume}

// What a job can be bound by.
const (
	BoundNone               = "none"
	BoundVolumeIOPS         = "volume-iops"
	BoundVolumeThroughput   = "volume-throughput"
	BoundInstanceIOPS       = "instance-iops"
	BoundInstanceThroughput = "instance-throughput"
)

// Defaults of a Job's left-out members.
var (
	// DefaultTmpfsLimitPercent is what a tmpfs may hold, in percent of the memory,
	// where swap is compressed in memory (zram). Without it, it is 100.
	DefaultTmpfsLimitPercent = decimal.NewFromInt(150)
	// DefaultResidentShare is the share of what a job writes that takes memory at
	// its peak, with compressed swap. It is an assumption that agrees with both
	// observations: 27 GiB written do not fit 16 GiB, and fit 32. Without such swap
	// it is 1.
	DefaultResidentShare = decimal.New(5, -1)
	// DefaultSystemMemoryGiB is what the system and the runner take.
	DefaultSystemMemoryGiB = decimal.NewFromInt(2)
)

const (
	// burstMinutes is how long an instance that bursts holds its maximum at least,
	// in 24 hours (EC2 user guide, EBS-optimized instances).
	burstMinutes = 30
	// boundPercent is from what share of a limit a job is taken to wait for it.
	boundPercent = 90
	// above is by how many percent a faster volume exceeds the measured peak, so
	// that the peak is below boundPercent of it.
	above = 15
)

// Job is a job as its disk chart shows it.
type Job struct {
	InstanceType string
	Region       string
	// Volume is the gp3 volume that it ran on. Null IOPS and throughput are gp3's
	// free baseline.
	Volume ebs.Volume
	// The peaks of the job, and what it wrote.
	PeakIOPS, PeakThroughputMiBPerS optional.Value[decimal.Decimal]
	WrittenGiB, PeakMemoryGiB       optional.Value[decimal.Decimal]
	// Minutes the job took on this volume.
	Minutes optional.Value[decimal.Decimal]
	// OverheadMinutes are billed on top of each job: boot and set-up; 0 if null.
	OverheadMinutes optional.Value[decimal.Decimal]
	// MeasuredMinutes are what the job took with an option, by the option's name.
	MeasuredMinutes map[string]decimal.Decimal
	// TmpfsLimitPercent, ResidentShare and SystemMemoryGiB: see the defaults.
	TmpfsLimitPercent, ResidentShare, SystemMemoryGiB optional.Value[decimal.Decimal]
	// HourlyPriceUSD is the price of an hour of the instance, spot or on demand, for
	// every option; null for the catalogue's. A price that the user gave for a
	// certain type goes before it where an option runs on another type.
	HourlyPriceUSD optional.Value[decimal.Decimal]
	// SwapGiB is the size of a swap file on the volume; null for none.
	SwapGiB optional.Value[decimal.Decimal]
}

// Result is the answer for a job.
type Result struct {
	Verdict string
	BoundBy string
	// MemoryNeededGiB is the least memory with which the job runs on tmpfs.
	MemoryNeededGiB decimal.Decimal
	// Options, the cheapest that fits first.
	Options []Option
	// Label of the verdict.
	Label    string
	Findings []finding.Finding
}

// Option is one way to run the job.
type Option struct {
	Name string
	// InstanceType is null if the catalogue has none.
	InstanceType optional.Value[string]
	SizeGiB      int64
	Settings     ebs.GP3
	// Label in RunsOn's syntax; null without a type.
	Label optional.Value[string]
	// Minutes the job takes; MinutesAssumed says that nobody measured it and that
	// they are those of the job as it is.
	Minutes        decimal.Decimal
	MinutesAssumed bool
	// CostPerJobUSD is exact to 12 decimals; null if a price is not known.
	CostPerJobUSD optional.Value[decimal.Decimal]
	Why           string
	// Fits is null where it cannot be told.
	Fits optional.Value[bool]
}

// Evaluate finds what bounds a job and what each way out costs. It is for jobs
// without Problems.
func Evaluate(cat *catalog.Catalog, j Job) Result {
	e := newEvaluation(cat, j)
	r := Result{BoundBy: e.bound.name, MemoryNeededGiB: e.memoryNeeded()}
	r.Options = []Option{e.keep(), e.tmpfs(), e.moreMemory(), e.fasterVolume()}
	for i := range r.Options {
		e.complete(&r.Options[i])
	}
	slices.SortStableFunc(r.Options, compareOptions)

	r.Verdict = e.verdict(r.Options)
	chosen := r.Options[slices.IndexFunc(r.Options, func(o Option) bool { return o.Name == r.Verdict })]
	r.Label, _ = chosen.Label.Get()
	r.Findings = finding.Merge(e.findings(chosen))
	return r
}

// verdict is keep where nothing is bound, else the cheapest option that fits.
// If none is known to fit, a faster volume is worth a try: unlike a tmpfs that
// is too small, it breaks nothing.
func (e *evaluation) verdict(sorted []Option) string {
	if e.bound.name == BoundNone {
		return Keep
	}
	if first := sorted[0]; isTrue(first.Fits) {
		return first.Name
	}
	if slices.ContainsFunc(sorted, func(o Option) bool { return o.Name == FasterVolume && o.Fits.IsNull() }) {
		return FasterVolume
	}
	return Keep
}

// evaluation is a job in work.
type evaluation struct {
	Job
	cat      *catalog.Catalog
	judge    ebs.Judge
	limits   catalog.GP3Limits
	instance optional.Value[catalog.Instance]
	ceiling  optional.Value[catalog.EBSCeiling]
	settings ebs.GP3
	size     int64

	iops, throughput, written, memory, minutes, overhead decimal.Decimal
	tmpfsLimit, resident, system                         decimal.Decimal
	bound                                                bound
	instanceFindings                                     []finding.Finding
}

func newEvaluation(cat *catalog.Catalog, j Job) *evaluation {
	e := &evaluation{
		Job: j, cat: cat, limits: cat.GP3(catalog.CurrentLimits),
		judge:      ebs.Judge{Catalog: cat, Limits: catalog.CurrentLimits, Region: j.Region, Names: ebs.OurNames},
		iops:       known(j.PeakIOPS),
		throughput: known(j.PeakThroughputMiBPerS),
		written:    known(j.WrittenGiB),
		memory:     known(j.PeakMemoryGiB),
		minutes:    known(j.Minutes),
		overhead:   known(j.OverheadMinutes),
		tmpfsLimit: known(j.TmpfsLimitPercent.Or(DefaultTmpfsLimitPercent)),
		resident:   known(j.ResidentShare.Or(DefaultResidentShare)),
		system:     known(j.SystemMemoryGiB.Or(DefaultSystemMemoryGiB)),
	}
	e.settings, _ = j.Volume.Settings(e.limits).Get()
	e.size, _ = j.Volume.WholeSize().Get()
	e.instance, e.instanceFindings = e.judge.Instance(optional.Known(j.InstanceType))
	e.ceiling = optional.Then(e.instance, func(i catalog.Instance) optional.Value[catalog.EBSCeiling] { return i.EBS })
	e.bound = e.findBound()
	return e
}

// known is a figure that Problems has checked to be there; 0 if it is optional
// and left out.
func known(v optional.Value[decimal.Decimal]) decimal.Decimal {
	d, _ := v.Get()
	return d
}

// bound is the limit that a job waits for, or the one that it comes nearest to.
type bound struct {
	name string
	// volume says that the limit is the volume's, not the instance's.
	volume      bool
	peak, limit decimal.Decimal
	unit        string
}

// percent is how much of the limit the peak is.
func (b bound) percent() decimal.Decimal {
	if !b.limit.IsPositive() {
		return decimal.Zero
	}
	return b.peak.Mul(hundred).DivRound(b.limit, 1)
}

var hundred = decimal.NewFromInt(100)

// bursts says whether the job is short enough to run on the instance's burst.
func (e *evaluation) bursts() bool {
	return !e.minutes.GreaterThan(decimal.NewFromInt(burstMinutes))
}

// rate is the instance's ceiling that holds for a job of this length.
func (e *evaluation) rate() (catalog.EBSRate, bool) {
	c, ok := e.ceiling.Get()
	if !ok {
		return catalog.EBSRate{}, false
	}
	if e.bursts() {
		return c.Maximum, true
	}
	return c.Sustained, true
}

// findBound compares each peak with the limits of the volume and of the
// instance. Of several the one that is used most is named; in a tie the
// volume, which is easier to change.
func (e *evaluation) findBound() bound {
	limits := []bound{
		{BoundVolumeIOPS, true, e.iops, decimal.NewFromInt(e.settings.IOPS), "IOPS"},
		{BoundVolumeThroughput, true, e.throughput, decimal.NewFromInt(e.settings.ThroughputMiBPerS), "MiB/s"},
	}
	if r, ok := e.rate(); ok {
		limits = append(limits,
			bound{BoundInstanceIOPS, false, e.iops, decimal.NewFromInt(r.IOPS), "IOPS"},
			bound{BoundInstanceThroughput, false, e.throughput, decimal.NewFromFloat(float64(r.Throughput())), "MiB/s"})
	}
	nearest := limits[0]
	for _, b := range limits[1:] {
		// a/b > c/d without a division.
		if b.peak.Mul(nearest.limit).GreaterThan(nearest.peak.Mul(b.limit)) {
			nearest = b
		}
	}
	if nearest.peak.Mul(hundred).LessThan(nearest.limit.Mul(decimal.NewFromInt(boundPercent))) || nearest.peak.IsZero() {
		nearest.name = BoundNone
	}
	return nearest
}

// memoryNeeded is the least memory with which both conditions of a tmpfs hold:
// what is resident fits beside job and system, and the files stay below the
// limit of the tmpfs.
func (e *evaluation) memoryNeeded() decimal.Decimal {
	return decimal.Max(e.resides(), e.written.Mul(hundred).DivRound(e.tmpfsLimit, 6))
}

// resides is job, system and the resident share of what is written.
func (e *evaluation) resides() decimal.Decimal {
	return e.memory.Add(e.system).Add(e.written.Mul(e.resident))
}

// tmpfsFits says whether the job runs on tmpfs on an instance, and why.
func (e *evaluation) tmpfsFits(i catalog.Instance) (bool, string) {
	have := decimal.NewFromInt(i.MemoryMiB).DivRound(decimal.NewFromInt(units.MiBPerGiB), 6)
	limit := have.Mul(e.tmpfsLimit).Div(hundred)
	sum := fmt.Sprintf("%s GiB for the job, %s for the system and %s of the %s GiB that it writes are %s GiB",
		amount(e.memory), amount(e.system), amount(e.written.Mul(e.resident)), amount(e.written), amount(e.resides()))
	switch {
	case e.resides().GreaterThan(have):
		return false, fmt.Sprintf("%s, more than the %s GiB of %s", sum, amount(have), i.Type)
	case e.written.GreaterThan(limit):
		return false, fmt.Sprintf("the %s GiB that it writes are more than the %s GiB that a tmpfs of %s %% of memory holds on %s",
			amount(e.written), amount(limit), amount(e.tmpfsLimit), i.Type)
	}
	return true, fmt.Sprintf("%s, of %s on %s", sum, amount(have), i.Type)
}

func amount(d decimal.Decimal) string { return units.Decimal(d.Round(2)) }

func isTrue(v optional.Value[bool]) bool {
	b, ok := v.Get()
	return ok && b
}

func compareOptions(a, b Option) int {
	rank := func(o Option) int {
		switch fits, ok := o.Fits.Get(); {
		case ok && fits:
			return 0
		case !ok:
			return 1
		}
		return 2
	}
	if c := cmp.Compare(rank(a), rank(b)); c != 0 {
		return c
	}
	x, xKnown := a.CostPerJobUSD.Get()
	y, yKnown := b.CostPerJobUSD.Get()
	switch {
	case xKnown && yKnown:
		return x.Cmp(y)
	case xKnown:
		return -1
	case yKnown:
		return 1
	}
	return 0
}

// complete fills in what follows from an option's type, volume and name.
func (e *evaluation) complete(o *Option) {
	o.Minutes, o.MinutesAssumed = e.minutes, o.Name != Keep
	if m, ok := e.MeasuredMinutes[o.Name]; ok {
		o.Minutes, o.MinutesAssumed = m, false
	}
	typ, ok := o.InstanceType.Get()
	if !ok {
		return
	}
	same := o.Name == FasterVolume && o.SizeGiB == e.size && o.Settings == e.settings // no option of its own
	if !o.MinutesAssumed && o.Name != Keep && !same && !isTrue(o.Fits) {
		// The job was seen to run so, whatever the arithmetic says.
		o.Fits = optional.Known(true)
		o.Why += " It was measured, so it counts as fitting."
	}
	settings := []runnerlabel.Setting{
		{Key: "family", Value: typ},
		{Key: "volume", Value: runnerlabel.FormatVolume(runnerlabel.Volume{
			SizeGiB:           optional.Known(decimal.NewFromInt(o.SizeGiB)),
			Type:              optional.Known(ebs.TypeGP3),
			IOPS:              optional.Known(decimal.NewFromInt(o.Settings.IOPS)),
			ThroughputMiBPerS: optional.Known(decimal.NewFromInt(o.Settings.ThroughputMiBPerS)),
		})},
	}
	if o.Name == Tmpfs || o.Name == TmpfsMoreMemory {
		settings = append(settings, runnerlabel.Setting{Key: "extras", Value: "tmpfs"})
	}
	if label, err := (runnerlabel.Parser{Catalog: e.cat, Region: e.Region}).Write(settings); err == nil {
		o.Label = optional.Known(label)
	}
	price, note, priced := e.price(typ)
	p, volumePriced := e.cat.VolumePrices(e.Region)
	if !priced || !volumePriced {
		o.Why += " Its price is not known"
		if !volumePriced {
			o.Why += ": " + e.cat.PriceNote(e.Region)
		}
		o.Why += "."
		return
	}
	o.Why += note
	month := ebs.GP3Cost(p.GP3, e.limits, o.SizeGiB, o.Settings).TotalUSD()
	// (minutes + overhead) × (hour ÷ 60 + month ÷ 43,800), divided once at the end.
	hours := price.Mul(decimal.NewFromInt(units.HoursPerMonth)).Add(month)
	o.CostPerJobUSD = optional.Known(o.Minutes.Add(e.overhead).Mul(hours).DivRound(decimal.NewFromInt(units.MinutesPerMonth), costDecimals))
}

// costDecimals is far below a cent of a thousand jobs.
const costDecimals = 12

// price is the hourly price of a type, with a note where it is not the type's own.
func (e *evaluation) price(typ string) (usd decimal.Decimal, note string, ok bool) {
	given, hasGiven := e.HourlyPriceUSD.Get()
	if hasGiven && typ == e.InstanceType {
		return given, "", true
	}
	listed, ok := e.cat.InstancePrice(e.Region, typ)
	// Only a price that the user gave has no date.
	if own := ok && listed.Source.AsOf == ""; hasGiven && !own {
		return given, fmt.Sprintf(" Reckoned at the given $%s an hour; if %s costs another, give its price in the provider's prices.", given, typ), true
	}
	return listed.USDPerHour, "", ok
}
