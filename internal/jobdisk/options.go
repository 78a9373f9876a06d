package jobdisk

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/lazyregexp"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// same is an option on the job's own instance and volume.
func (e *evaluation) same(name string) Option {
	return Option{Name: name, InstanceType: optional.Known(e.InstanceType), SizeGiB: e.size, Settings: e.settings}
}

func (e *evaluation) keep() Option {
	o := e.same(Keep)
	b := e.bound
	o.Fits = optional.Known(b.name == BoundNone)
	if b.name != BoundNone {
		o.Why = "The job waits for its disk: " + b.reached(e) + "."
		return o
	}
	o.Why = "No limit is reached: the nearest is " + b.reached(e) + "."
	if note := e.burstNote(); note != "" {
		o.Why += " " + note
	}
	return o
}

// reached says how near a peak comes to its limit.
func (b bound) reached(e *evaluation) string {
	whose := "the volume's"
	if !b.volume {
		whose = e.InstanceType + "'s"
		if c, ok := e.ceiling.Get(); ok && c.CanBurst() {
			whose += map[bool]string{true: " burst of", false: " sustained"}[e.bursts()]
		}
	}
	return fmt.Sprintf("%s %s at peak, %s %% of %s %s", amount(b.peak), b.unit, units.Decimal(b.percent().Round(0)), whose, amount(b.limit))
}

// burstNote says that a short job runs above what its instance sustains.
func (e *evaluation) burstNote() string {
	c, ok := e.ceiling.Get()
	if !ok || !c.CanBurst() || !e.bursts() {
		return ""
	}
	var what []string
	if sustained := decimal.NewFromInt(c.Sustained.IOPS); e.iops.GreaterThan(sustained) {
		what = append(what, fmt.Sprintf("%s IOPS are above the %s", amount(e.iops), amount(sustained)))
	}
	if sustained := decimal.NewFromFloat(float64(c.Sustained.Throughput())); e.throughput.GreaterThan(sustained) {
		what = append(what, fmt.Sprintf("%s MiB/s are above the %s", amount(e.throughput), amount(sustained)))
	}
	if len(what) == 0 {
		return ""
	}
	return fmt.Sprintf("%s that %s sustains: its burst carries them for at least %d minutes in 24 hours, and the job takes %s.",
		strings.Join(what, " and "), e.InstanceType, burstMinutes, amount(e.minutes))
}

// What a RunsOn v2 runner has where a label asks for no volume (runs-on.com,
// the volume label).
const (
	defaultSizeGiB       = 40
	defaultIOPS          = 3000
	defaultThroughputMiB = 400
)

// withTmpfs is an option whose files are in memory. The volume then holds the
// system alone, so of a volume above the runner's default the job pays for the
// default; a smaller one stays as it is.
func (e *evaluation) withTmpfs(name string) Option {
	return Option{
		Name:    name,
		SizeGiB: min(e.size, defaultSizeGiB),
		Settings: ebs.GP3{
			IOPS:              min(e.settings.IOPS, defaultIOPS),
			ThroughputMiBPerS: min(e.settings.ThroughputMiBPerS, defaultThroughputMiB),
		},
	}
}

// smallerVolume says so where a tmpfs option has another volume than the job.
func (e *evaluation) smallerVolume(o Option) string {
	if o.SizeGiB == e.size && o.Settings == e.settings {
		return ""
	}
	return fmt.Sprintf(" The volume then holds the system alone, so it is cut to a runner's default: %d GiB, %s MiB/s and %s IOPS.",
		o.SizeGiB, units.Count(o.Settings.ThroughputMiBPerS), units.Count(o.Settings.IOPS))
}

func (e *evaluation) tmpfs() Option {
	o := e.withTmpfs(Tmpfs)
	o.InstanceType = optional.Known(e.InstanceType)
	i, ok := e.instance.Get()
	if !ok {
		o.Why = fmt.Sprintf("Whether the job fits cannot be told: the memory of %s is not in the table of %s.", e.InstanceType, e.cat.InstanceSource().AsOf)
		return o
	}
	fits, why := e.tmpfsFits(i)
	o.Fits, o.Why = optional.Known(fits), sentence("its files in memory", fits, why)+e.smallerVolume(o)
	return o
}

// sentence says whether something fits and why.
func sentence(what string, fits bool, why string) string {
	if fits {
		return fmt.Sprintf("The job fits with %s: %s.", what, why)
	}
	return fmt.Sprintf("The job does not fit with %s: %s.", what, why)
}

func (e *evaluation) moreMemory() Option {
	o := e.withTmpfs(TmpfsMoreMemory)
	i, ok := e.instance.Get()
	if !ok {
		o.Why = fmt.Sprintf("Which type has twice the memory cannot be told: %s is not in the table of %s.", e.InstanceType, e.cat.InstanceSource().AsOf)
		return o
	}
	larger, ok := e.twiceTheMemory(i)
	if !ok {
		o.Why = fmt.Sprintf("The table of %s has no type of the same generation and architecture with the %d vCPUs of %s and twice its memory.",
			e.cat.InstanceSource().AsOf, i.VCPUs, i.Type)
		return o
	}
	fits, why := e.tmpfsFits(larger)
	o.InstanceType = optional.Known(larger.Type)
	o.Fits, o.Why = optional.Known(fits), sentence("its files in memory and twice the memory", fits, why)+e.smallerVolume(o)
	return o
}

// typeParts are series, generation, attributes and size: m, 8, a, xlarge.
var typeParts = lazyregexp.New(`\A([a-z]+)([0-9]+)([a-z0-9-]*)\.([a-z0-9-]+)\z`)

// generalSeries are the series that a job which asks for more memory can move
// to: not those that are paid for accelerators, local disks or HPC networks.
var generalSeries = []string{"c", "m", "r", "x", "z"}

// twiceTheMemory is the cheapest type with the same vCPUs and architecture, of
// the same generation, that has twice the memory or more and that the job fits
// on. A sibling with the same attributes (m8a and r8a, both AMD) goes before
// all others that have a price, too: it has the same cores. If the job fits on none, it is the first
// that has twice the memory.
func (e *evaluation) twiceTheMemory(own catalog.Instance) (catalog.Instance, bool) {
	parts := typeParts().FindStringSubmatch(own.Type)
	if parts == nil {
		return catalog.Instance{}, false
	}
	type candidate struct {
		catalog.Instance
		fits, sibling, priced bool
		price                 decimal.Decimal
	}
	better := func(a, b candidate) bool {
		switch {
		case a.fits != b.fits:
			return a.fits
		case a.priced != b.priced:
			return a.priced
		case a.sibling != b.sibling:
			return a.sibling
		case !a.price.Equal(b.price):
			return a.price.LessThan(b.price)
		}
		return a.Type < b.Type
	}
	var best candidate
	for i := range e.cat.Instances() {
		p := typeParts().FindStringSubmatch(i.Type)
		if p == nil || !slices.Contains(generalSeries, p[1]) || p[2] != parts[2] || i.VCPUs != own.VCPUs || i.MemoryMiB < 2*own.MemoryMiB ||
			i.BareMetal != own.BareMetal || i.IsMac() || !sharesArchitecture(i, own) {
			continue
		}
		c := candidate{Instance: i, sibling: p[3] == parts[3]}
		c.fits, _ = e.tmpfsFits(i)
		var price catalog.Price
		if price, c.priced = e.cat.InstancePrice(e.Region, i.Type); c.priced {
			c.price = price.USDPerHour
		}
		if best.Type == "" || better(c, best) {
			best = c
		}
	}
	return best.Instance, best.Type != ""
}

func sharesArchitecture(a, b catalog.Instance) bool {
	return slices.ContainsFunc(a.Architectures, func(x string) bool { return slices.Contains(b.Architectures, x) })
}

// fasterVolume is a volume a little above the measured peak. A job that was
// stopped by its volume never showed what it would take: there it is twice the
// limit that stopped it, and whether that is enough is not known.
func (e *evaluation) fasterVolume() Option {
	o := e.same(FasterVolume)
	if e.bound.name != BoundVolumeIOPS && e.bound.name != BoundVolumeThroughput {
		o.Fits = optional.Known(false)
		o.Why = "It buys nothing: the volume is not what the job waits for."
		return o
	}
	iops, iopsHidden := wanted(e.iops, e.settings.IOPS, 100)
	throughput, throughputHidden := wanted(e.throughput, e.settings.ThroughputMiBPerS, 10)
	iops, throughput = min(iops, e.limits.IOPS.Max), min(throughput, e.limits.ThroughputMiB.Max)
	size := e.size
	for _, need := range []int64{iops, ebs.MinIOPS(e.limits, throughput)} {
		if need > e.limits.IOPS.Min {
			size = max(size, (need+e.limits.IOPSPerGiB-1)/e.limits.IOPSPerGiB)
		}
	}
	d := ebs.Demand{
		SizeGiB:           size,
		IOPS:              optional.Known(decimal.NewFromInt(iops)),
		ThroughputMiBPerS: optional.Known(decimal.NewFromInt(throughput)),
	}
	if r, ok := e.rate(); ok {
		d.Ceiling = optional.Known(catalog.EBSCeiling{Sustained: r, Maximum: r})
	}
	choice, err := ebs.Choose(e.limits, optional.Null[catalog.GP3Prices](), d)
	if err != nil {
		o.Fits = optional.Known(false)
		o.Why = "No gp3 volume does: " + err.Error()
		return o
	}
	o.SizeGiB, o.Settings = size, choice.Settings
	gained := o.Settings.IOPS > e.settings.IOPS
	if e.bound.name == BoundVolumeThroughput {
		gained = o.Settings.ThroughputMiBPerS > e.settings.ThroughputMiBPerS
	}
	if !gained {
		o.Fits = optional.Known(false)
		o.Why = fmt.Sprintf("It buys nothing: %s carries no more than the volume has.", e.InstanceType)
		o.SizeGiB, o.Settings = e.size, e.settings
		return o
	}
	if o.Fits = optional.Known(true); iopsHidden || throughputHidden {
		o.Fits = optional.Null[bool]()
	}
	full := e.fillsInstance()
	if full && isTrue(o.Fits) {
		o.Fits = optional.Null[bool]()
	}
	what := fmt.Sprintf("%s IOPS and %s MiB/s", units.Count(o.Settings.IOPS), units.Count(o.Settings.ThroughputMiBPerS))
	switch {
	case full && !iopsHidden && !throughputHidden:
		o.Why = fmt.Sprintf("%s, of which %s carries hardly more than the job's peak: the job waits for the instance then.", what, e.InstanceType)
	case o.Fits.IsNull():
		o.Why = fmt.Sprintf("%s, twice the limit that stopped the job. Whether that is enough is not known, because the peak shows the limit and not the job: measure again.", what)
	case choice.BoundBy == ebs.BoundInstance:
		o.Why = fmt.Sprintf("%s, all that %s carries.", what, e.InstanceType)
	default:
		o.Why = fmt.Sprintf("%s, %d %% above the measured peak.", what, above)
	}
	return o
}

// fillsInstance says whether a peak is so near to what the instance carries that
// the job waits for it whatever its volume does.
func (e *evaluation) fillsInstance() bool {
	r, ok := e.rate()
	if !ok {
		return false
	}
	near := func(peak, limit decimal.Decimal) bool {
		return !peak.Mul(hundred).LessThan(limit.Mul(decimal.NewFromInt(boundPercent)))
	}
	return near(e.iops, decimal.NewFromInt(r.IOPS)) || near(e.throughput, decimal.NewFromFloat(float64(r.Throughput())))
}

// wanted is the setting for a peak, rounded up to a readable figure. hidden
// says that the peak stands at the setting itself, so that it shows the limit
// and not the job.
func wanted(peak decimal.Decimal, setting, step int64) (want int64, hidden bool) {
	s := decimal.NewFromInt(setting)
	if peak.Mul(hundred).LessThan(s.Mul(decimal.NewFromInt(boundPercent))) {
		return setting, false
	}
	if peak.Mul(hundred).LessThan(s.Mul(decimal.NewFromInt(100 + above))) {
		return 2 * setting, true
	}
	w := peak.Mul(decimal.NewFromInt(100 + above)).Div(hundred)
	return w.Div(decimal.NewFromInt(step)).Ceil().IntPart() * step, false
}
