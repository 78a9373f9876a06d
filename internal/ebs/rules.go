package ebs

import (
	"fmt"
	"math"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// Names are what the settings of a volume are called where they are written,
// so that a path and a fix can be pasted.
type Names struct {
	Size, IOPS, Throughput, Type, InstanceType string
}

// OurNames are the names in runnerfit's own objects.
var OurNames = Names{Size: "size_gib", IOPS: "iops", Throughput: "throughput_mib_per_s", Type: "type", InstanceType: "instance_type"}

// Judge applies the rules of volumes. The zero Limits are the current ones.
type Judge struct {
	Catalog *catalog.Catalog
	Limits  catalog.LimitSet
	Region  string
	Names   Names
}

// Volume judges one volume by itself and against the instance it is meant for.
// The instance is null if none was given or it is not in the table, unknown if
// it is not known yet; then only the rules that need none are applied. Paths
// are those of the settings within the volume.
func (j Judge) Volume(v Volume, instance optional.Value[catalog.Instance]) []finding.Finding {
	name, ok := v.Type.Or(TypeGP3).Get()
	if !ok {
		return nil
	}
	var fs []finding.Finding
	fs = append(fs, j.typeAttributes(v, name)...)
	if name == TypeGP3 {
		fs = append(fs, j.gp3Ranges(v)...)
		fs = append(fs, j.gp3Ratio(v)...)
		fs = append(fs, j.gp3IOPSPerGiB(v)...)
		fs = append(fs, j.gp3IOPSUnneeded(v)...)
		fs = append(fs, j.gp3DefaultThroughput(v, instance)...)
	} else {
		fs = append(fs, j.legacy(v, name)...)
	}
	fs = append(fs, j.instanceThroughput(v, instance)...)
	fs = append(fs, j.instanceIOPS(v, name, instance)...)
	return finding.Under("", v.Name, fs)
}

func (j Judge) limits() catalog.GP3Limits { return j.Catalog.GP3(j.Limits) }

// gp3Cost is the price of a gp3 setting beyond storage; ok is false if the
// region's prices are not known.
func (j Judge) gp3Cost(s GP3) (decimal.Decimal, bool) {
	p, ok := j.Catalog.VolumePrices(j.Region)
	if !ok {
		return decimal.Zero, false
	}
	return GP3Cost(p.GP3, j.limits(), 0, s).TotalUSD(), true
}

// Change says what a change of a gp3 setting costs or saves: "+$5.00 a month".
func (j Judge) Change(from, to GP3) string {
	a, known := j.gp3Cost(from)
	b, _ := j.gp3Cost(to)
	if !known {
		return j.noPrice()
	}
	d := b.Sub(a)
	if d.IsZero() {
		return "at no charge"
	}
	return units.SignedUSD(d) + " a month"
}

// ChangeOf is Change where the size changes, too.
func (j Judge) ChangeOf(fromGiB int64, from GP3, toGiB int64, to GP3) string {
	p, known := j.Catalog.VolumePrices(j.Region)
	if !known {
		return j.noPrice()
	}
	l := j.limits()
	return units.SignedUSD(GP3Cost(p.GP3, l, toGiB, to).TotalUSD().Sub(GP3Cost(p.GP3, l, fromGiB, from).TotalUSD())) + " a month"
}

// noPrice says why a change cannot be priced.
func (j Judge) noPrice() string {
	if j.Region == "" {
		return "price not known yet"
	}
	const none = "no price in US dollars for this Region"
	if note := j.Catalog.PriceNote(j.Region); note != "" {
		return none + ": " + note
	}
	return none // of this type: gp3's own may have been given by the user
}

// Saving is what a change of a gp3 setting saves a month, invalid if nothing.
func (j Judge) Saving(from, to GP3) decimal.NullDecimal {
	a, known := j.gp3Cost(from)
	b, _ := j.gp3Cost(to)
	if d := a.Sub(b); known && d.IsPositive() {
		return decimal.NewNullDecimal(d)
	}
	return decimal.NullDecimal{}
}

// Set writes the settings that differ as they have to be written.
func (j Judge) Set(from, to GP3) string {
	var parts []string
	if from.ThroughputMiBPerS != to.ThroughputMiBPerS {
		parts = append(parts, fmt.Sprintf("%s = %d", j.Names.Throughput, to.ThroughputMiBPerS))
	}
	if from.IOPS != to.IOPS {
		parts = append(parts, fmt.Sprintf("%s = %d", j.Names.IOPS, to.IOPS))
	}
	return strings.Join(parts, " and ")
}

// typeAttributes: AWS refuses a setting that the type does not have, and
// fractions of any.
func (j Judge) typeAttributes(v Volume, name string) []finding.Finding {
	var fs []finding.Finding
	bad := func(path, message, fix string) {
		fs = append(fs, RuleVolumeTypeAttribute.New(finding.Error, path, message, fix))
	}
	for _, f := range []struct {
		path string
		v    optional.Value[decimal.Decimal]
		what string
	}{{j.Names.Size, v.SizeGiB, "The size"}, {j.Names.IOPS, v.IOPS, "IOPS"}, {j.Names.Throughput, v.ThroughputMiBPerS, "Throughput"}} {
		if d, ok := f.v.Get(); ok && !d.IsInteger() {
			bad(f.path, fmt.Sprintf("%s must be a whole number: AWS takes no fraction such as %s.", f.what, units.Decimal(d)),
				fmt.Sprintf("Write %s = %s.", f.path, d.Ceil()))
		}
	}
	if name == TypeGP3 {
		return fs
	}
	t, known := j.Catalog.VolumeType(name)
	if !known {
		closest, _ := finding.Closest(name, j.Catalog.VolumeTypeNames())
		bad(j.Names.Type, fmt.Sprintf("There is no such EBS volume type. Types are %s.", strings.Join(j.Catalog.VolumeTypeNames(), ", ")),
			fmt.Sprintf("Write %s = %q if that is what was meant.", j.Names.Type, closest))
		return fs
	}
	if v.ThroughputMiBPerS.IsKnown() { // an unknown one may turn out null
		bad(j.Names.Throughput, fmt.Sprintf("Throughput can be set for gp3 only; %s reaches %s at most, whatever is written.", name, t.MaxThroughput),
			fmt.Sprintf("Leave %s out, or write %s = \"gp3\".", j.Names.Throughput, j.Names.Type))
	}
	switch r, provisioned := t.IOPS.Get(); {
	case !provisioned && v.IOPS.IsKnown():
		bad(j.Names.IOPS, fmt.Sprintf("IOPS cannot be set for %s.", name),
			fmt.Sprintf("Leave %s out, or write %s = \"gp3\".", j.Names.IOPS, j.Names.Type))
	case provisioned && v.IOPS.IsNull():
		bad(j.Names.IOPS, fmt.Sprintf("%s needs a number of IOPS, %s to %s.", name, units.Count(r.Min), units.Count(r.Max)),
			fmt.Sprintf("Write %s, or write %s = \"gp3\", which comes with %s.", j.Names.IOPS, j.Names.Type, units.Count(j.limits().IOPS.Min)))
	}
	j.otherRanges(v, t, bad)
	return fs
}

// otherRanges: what AWS refuses of the types other than gp3, whose ranges are no
// business of a rule of their own.
func (j Judge) otherRanges(v Volume, t catalog.VolumeType, bad func(path, message, fix string)) {
	if d, near, ok := outside(v.SizeGiB, t.SizeGiB); ok {
		bad(j.Names.Size, fmt.Sprintf("A volume of type %s has %s to %s GiB, not %s.", t.Name, units.Count(t.SizeGiB.Min), units.Count(t.SizeGiB.Max), units.Decimal(d)),
			fmt.Sprintf("Write %s = %d.", j.Names.Size, near))
	}
	r, provisioned := t.IOPS.Get()
	if !provisioned {
		return
	}
	if d, near, ok := outside(v.IOPS, r); ok {
		bad(j.Names.IOPS, fmt.Sprintf("%s takes %s to %s IOPS, not %s.", t.Name, units.Count(r.Min), units.Count(r.Max), units.Decimal(d)),
			fmt.Sprintf("Write %s = %d.", j.Names.IOPS, near))
		return
	}
	gib, sizeKnown := v.WholeSize().Get()
	iops, iopsKnown := whole(v.IOPS).Get()
	if most := gib * t.IOPSPerGiB; sizeKnown && iopsKnown && t.IOPSPerGiB > 0 && t.SizeGiB.Contains(gib) && iops > most {
		bad(j.Names.IOPS, fmt.Sprintf("%s has at most %s IOPS a GiB: %s GiB carry %s, not %s.", t.Name, units.Count(t.IOPSPerGiB), units.Count(gib), units.Count(most), units.Count(iops)),
			fmt.Sprintf("Write %s = %d, or %s = %d.", j.Names.IOPS, most, j.Names.Size, ceilDiv(iops, t.IOPSPerGiB)))
	}
}

// gp3Ranges: outside the range AWS refuses; below the free baseline sources
// disagree whether EC2 refuses the value or raises it, so that is a warning.
func (j Judge) gp3Ranges(v Volume) []finding.Finding {
	l := j.limits()
	var fs []finding.Finding
	if d, near, ok := outside(v.SizeGiB, l.SizeGiB); ok {
		fs = append(fs, RuleGP3SizeRange.New(finding.Error, j.Names.Size,
			fmt.Sprintf("A gp3 volume has %s to %s GiB%s, not %s.", units.Count(l.SizeGiB.Min), units.Count(l.SizeGiB.Max), j.since(l), units.Decimal(d)),
			fmt.Sprintf("Write %s = %d%s.", j.Names.Size, near, j.smaller(v, near))))
	}
	check := func(rule finding.Rule, path, unit string, r catalog.Range, value optional.Value[decimal.Decimal], write func(near int64) string) {
		d, near, ok := outside(value, r)
		switch {
		case !ok:
		case d.IsPositive() && near == r.Min:
			fs = append(fs, rule.New(finding.Warning, path,
				fmt.Sprintf("%s %s is below the %s that every gp3 volume gets for nothing. Sources disagree whether EC2 refuses less or raises it.", units.Decimal(d), unit, units.Count(r.Min)),
				j.atLeast(v, path, r.Min)))
		default:
			fs = append(fs, rule.New(finding.Error, path,
				fmt.Sprintf("gp3 has %s to %s %s%s, not %s.", units.Count(r.Min), units.Count(r.Max), unit, j.since(l), units.Decimal(d)),
				fmt.Sprintf("Write %s.", write(near))))
		}
	}
	check(RuleGP3IOPSRange, j.Names.IOPS, "IOPS", l.IOPS, v.IOPS, func(near int64) string {
		iops := min(near, j.mostIOPS(v))
		s, ok := v.Settings(l).Get()
		if !ok {
			return fmt.Sprintf("%s = %d", j.Names.IOPS, iops)
		}
		to := GP3{IOPS: iops, ThroughputMiBPerS: min(s.ThroughputMiBPerS, MaxThroughput(l, iops))}
		return fmt.Sprintf("%s%s", j.Set(s, to), j.cheaper(s, to))
	})
	check(RuleGP3ThroughputRange, j.Names.Throughput, "MiB/s", l.ThroughputMiB, v.ThroughputMiBPerS, func(near int64) string {
		s, ok := v.Settings(l).Get()
		if !ok {
			return fmt.Sprintf("%s = %d", j.Names.Throughput, near)
		}
		to := j.InThroughputRange(v, s)
		return j.Set(s, to) + j.cheaper(s, to)
	})
	return fs
}

// InThroughputRange is the setting with the throughput nearest to that of s
// that gp3 can have, and the IOPS that carry it, as far as the volume's size
// allows.
func (j Judge) InThroughputRange(v Volume, s GP3) GP3 {
	l := j.limits()
	to := GP3{ThroughputMiBPerS: min(max(s.ThroughputMiBPerS, l.ThroughputMiB.Min), l.ThroughputMiB.Max)}
	if to.IOPS = s.IOPS; MinIOPS(l, to.ThroughputMiBPerS) > l.IOPS.Min {
		to.IOPS = min(max(s.IOPS, MinIOPS(l, to.ThroughputMiBPerS)), max(s.IOPS, j.mostIOPS(v)))
	}
	to.ThroughputMiBPerS = min(to.ThroughputMiBPerS, max(MaxThroughput(l, to.IOPS), l.ThroughputMiB.Min))
	return to
}

// cheaper is the price of coming back into a range, in brackets; nothing where
// the setting was below it, which has no price.
func (j Judge) cheaper(from, to GP3) string {
	if from.IOPS <= 0 || from.ThroughputMiBPerS <= 0 {
		return ""
	}
	return " (" + j.Change(from, to) + ")"
}

// smaller is cheaper for a size.
func (j Judge) smaller(v Volume, toGiB int64) string {
	gib, sizeKnown := v.WholeSize().Get()
	s, ok := v.Settings(j.limits()).Get()
	if !sizeKnown || !ok || gib <= toGiB {
		return ""
	}
	return " (" + j.ChangeOf(gib, s, toGiB, s) + ")"
}

// mostIOPS are the most IOPS that the volume may have, as far as its size is
// known.
func (j Judge) mostIOPS(v Volume) int64 {
	l := j.limits()
	if gib, ok := v.WholeSize().Get(); ok && gib >= l.SizeGiB.Min {
		return MaxIOPS(l, gib)
	}
	return l.IOPS.Max
}

// atLeast is the way out of a setting below the baseline.
func (j Judge) atLeast(v Volume, path string, least int64) string {
	if need := j.LeastIOPS(v); path == j.Names.IOPS && need > least {
		return fmt.Sprintf("Write %s = %d, which the throughput needs.", path, need)
	}
	return fmt.Sprintf("Write %s = %d, or leave it out: it costs nothing.", path, least)
}

// LeastIOPS are the IOPS that carry the throughput of the volume, if it can have
// them; else those that every gp3 volume has.
func (j Judge) LeastIOPS(v Volume) int64 {
	l := j.limits()
	s, ok := v.Settings(l).Get()
	if need := MinIOPS(l, s.ThroughputMiBPerS); ok && s.ThroughputMiBPerS <= l.ThroughputMiB.Max && need <= j.mostIOPS(v) {
		return max(l.IOPS.Min, need)
	}
	return l.IOPS.Min
}

// outside says whether a whole number lies outside a range, and which end of it
// is nearer. It works on decimals, because a figure too large for any other
// rule is still too large.
func outside(v optional.Value[decimal.Decimal], r catalog.Range) (d decimal.Decimal, near int64, ok bool) {
	d, known := v.Get()
	switch {
	case !known || !d.IsInteger():
		return d, 0, false // a rule of its own reports a fraction
	case d.LessThan(decimal.NewFromInt(r.Min)):
		return d, r.Min, true
	case d.GreaterThan(decimal.NewFromInt(r.Max)):
		return d, r.Max, true
	}
	return d, 0, false
}

// since says from when the limits hold, because they were raised once.
func (j Judge) since(l catalog.GP3Limits) string {
	if l.Set == catalog.ClassicLimits {
		return " on Outposts (and everywhere before " + j.Catalog.GP3(catalog.CurrentLimits).From + ")"
	}
	return " (since " + l.From + ")"
}

// gp3Ratio: EC2 refuses more than 0.25 MiB/s per provisioned IOPS when the
// volume is created. A launch template takes the same values without a word,
// so that the fault shows only when no runner starts.
func (j Judge) gp3Ratio(v Volume) []finding.Finding {
	l := j.limits()
	s, ok := v.Settings(l).Get()
	if !ok || s.IOPS <= 0 || s.ThroughputMiBPerS*l.IOPSPerMiB <= s.IOPS {
		return nil
	}
	if s.ThroughputMiBPerS <= l.ThroughputMiB.Min {
		return nil // IOPS below the baseline, which a rule of its own reports: raised to it they carry this
	}
	ratio := decimal.NewFromInt(s.ThroughputMiBPerS).DivRound(decimal.NewFromInt(s.IOPS), 6)
	most := decimal.NewFromInt(1).Div(decimal.NewFromInt(l.IOPSPerMiB))
	where := ""
	if v.IOPS.IsNull() {
		where = " (what gp3 has when none are written)"
	}
	var ways []string
	more := GP3{IOPS: MinIOPS(l, s.ThroughputMiBPerS), ThroughputMiBPerS: s.ThroughputMiBPerS}
	if s.ThroughputMiBPerS > l.ThroughputMiB.Max { // a rule of its own reports that, and says the same
		more = j.InThroughputRange(v, s)
		ways = append(ways, fmt.Sprintf("Write %s (%s)", j.Set(s, more), j.Change(s, more)))
	} else {
		if gib, ok := v.WholeSize().Get(); !ok || more.IOPS <= MaxIOPS(l, gib) {
			ways = append(ways, fmt.Sprintf("Write %s (%s)", j.Set(s, more), j.Change(s, more)))
		} else if l.SizeGiB.Contains(gib) {
			if s.IOPS > l.IOPS.Min && s.IOPS == MaxIOPS(l, gib) {
				where = fmt.Sprintf(" (the most that %s GiB may have)", units.Count(gib))
			}
			need := ceilDiv(more.IOPS, l.IOPSPerGiB)
			ways = append(ways, fmt.Sprintf("Write %s and %s = %d (%s)", j.Set(s, more), j.Names.Size, need, j.ChangeOf(gib, s, need, more)))
		}
	}
	less := GP3{IOPS: s.IOPS, ThroughputMiBPerS: MaxThroughput(l, s.IOPS)}
	if less.IOPS < l.IOPS.Min {
		less.IOPS = l.IOPS.Min
		less.ThroughputMiBPerS = min(s.ThroughputMiBPerS, MaxThroughput(l, less.IOPS))
	}
	if len(ways) == 0 {
		ways = append(ways, fmt.Sprintf("Write %s (%s)", j.Set(s, less), j.Change(s, less)))
	} else if less != more {
		ways = append(ways, fmt.Sprintf("or %s (%s)", j.Set(s, less), j.Change(s, less)))
	}
	return []finding.Finding{RuleGP3ThroughputRatio.New(finding.Error, j.Names.Throughput,
		fmt.Sprintf("%s MiB/s at %s IOPS%s is a ratio of %s MiB/s per IOPS; EC2 refuses more than %s when it creates the volume, though a launch template accepts it.",
			units.Count(s.ThroughputMiBPerS), units.Count(s.IOPS), where, ratio.StringFixed(6), most),
		strings.Join(ways, ", ")+".")}
}

// gp3IOPSPerGiB: 500 IOPS a GiB, but a volume of any size may have the baseline.
func (j Judge) gp3IOPSPerGiB(v Volume) []finding.Finding {
	l := j.limits()
	gib, sizeKnown := v.WholeSize().Get()
	iops, iopsKnown := whole(v.IOPS).Get()
	if !sizeKnown || !iopsKnown || gib < l.SizeGiB.Min || iops > l.IOPS.Max || iops <= MaxIOPS(l, gib) {
		return nil
	}
	most, need := MaxIOPS(l, gib), ceilDiv(iops, l.IOPSPerGiB)
	less := fmt.Sprintf("%s = %d", j.Names.IOPS, most)
	larger := fmt.Sprintf("%s = %d", j.Names.Size, need)
	if s, ok := v.Settings(l).Get(); ok {
		// Fewer IOPS may carry less throughput, too.
		to := GP3{IOPS: most, ThroughputMiBPerS: min(s.ThroughputMiBPerS, MaxThroughput(l, most))}
		less = fmt.Sprintf("%s (%s)", j.Set(s, to), j.Change(s, to))
		larger += fmt.Sprintf(" (%s)", j.ChangeOf(gib, s, need, s))
	}
	return []finding.Finding{RuleGP3IOPSPerGiB.New(finding.Error, j.Names.IOPS,
		fmt.Sprintf("A gp3 volume has at most %d IOPS a GiB: %s GiB carry %s, not %s.", l.IOPSPerGiB, units.Count(gib), units.Count(most), units.Count(iops)),
		fmt.Sprintf("Write %s, or %s.", less, larger))}
}

// gp3IOPSUnneeded: paid IOPS that the throughput does not need.
func (j Judge) gp3IOPSUnneeded(v Volume) []finding.Finding {
	l := j.limits()
	s, ok := v.Settings(l).Get()
	if !ok || v.IOPSBound || v.IOPS.IsNull() {
		return nil
	}
	need := GP3{IOPS: MinIOPS(l, s.ThroughputMiBPerS), ThroughputMiBPerS: s.ThroughputMiBPerS}
	if s.IOPS <= need.IOPS || s.IOPS > l.IOPS.Max {
		return nil
	}
	f := RuleGP3IOPSUnneeded.New(finding.Info, j.Names.IOPS,
		fmt.Sprintf("%s MiB/s need %s IOPS; the other %s are paid for and change nothing unless the load is many small I/Os.",
			units.Count(s.ThroughputMiBPerS), units.Count(need.IOPS), units.Count(s.IOPS-need.IOPS)),
		fmt.Sprintf("Write %s (%s), unless measured IOPS say otherwise.", j.Set(s, need), j.Change(s, need)))
	f.MonthlySavingUSD = j.Saving(s, need)
	return []finding.Finding{f}
}

// gp3DefaultThroughput: the default speed on an instance that sustains at least
// twice as much.
func (j Judge) gp3DefaultThroughput(v Volume, instance optional.Value[catalog.Instance]) []finding.Finding {
	l := j.limits()
	s, ok := v.Settings(l).Get()
	ceiling, hasCeiling := ceilingOf(instance).Get()
	if !ok || !hasCeiling || v.ThroughputJudged || s.ThroughputMiBPerS != l.ThroughputMiB.Min {
		return nil
	}
	sustained := ceiling.Sustained.Throughput()
	if sustained < 2*units.MiBPerS(l.ThroughputMiB.Min) {
		return nil
	}
	var ways []string
	for _, t := range []int64{500, MaxThroughput(l, s.IOPS)} {
		if to := (GP3{IOPS: s.IOPS, ThroughputMiBPerS: min(t, int64(sustained))}); to.ThroughputMiBPerS*l.IOPSPerMiB <= to.IOPS {
			if w := fmt.Sprintf("%s (%s)", j.Set(s, to), j.Change(s, to)); len(ways) == 0 || ways[0] != w {
				ways = append(ways, w)
			}
		}
	}
	if len(ways) == 0 {
		return nil
	}
	return []finding.Finding{RuleGP3DefaultThroughput.New(finding.Info, j.Names.Throughput,
		fmt.Sprintf("The volume has gp3's default of %s MiB/s, %s %% of the %s that the instance sustains.",
			units.Count(s.ThroughputMiBPerS), units.Number(math.Round(float64(s.ThroughputMiBPerS)/float64(sustained)*1000)/10), sustained),
		"If its speed matters, write "+strings.Join(ways, " or ")+": no IOPS have to be paid for that.")}
}

// legacy: gp3 gives the same speed for less.
func (j Judge) legacy(v Volume, name string) []finding.Finding {
	gib, sizeKnown := v.WholeSize().Get()
	same, ok := j.SameAsGP3(v).Get()
	if !ok || !sizeKnown {
		return nil
	}
	l := j.limits()
	write := fmt.Sprintf("%s = \"gp3\"", j.Names.Type)
	message := j.legacyMessage(gib, name, same)
	if v.ThroughputMiBPerS.IsKnown() {
		message = fmt.Sprintf("Throughput is written, but %s has none to set; gp3 does have it.", name)
	} else if same.ThroughputMiBPerS > l.ThroughputMiB.Min {
		write += fmt.Sprintf(", %s = %d", j.Names.Throughput, same.ThroughputMiBPerS)
	}
	if same.IOPS > l.IOPS.Min {
		write += fmt.Sprintf(", %s = %d", j.Names.IOPS, same.IOPS)
	} else if name == "io1" {
		write += fmt.Sprintf(" and leave %s out", j.Names.IOPS)
	}
	f := RuleVolumeTypeLegacy.New(finding.Warning, j.Names.Type, message, fmt.Sprintf("Write %s (%s).", write, j.noPrice()))
	p, known := j.Catalog.VolumePrices(j.Region)
	op, listed := p.Others[name]
	if !known || !listed {
		return []finding.Finding{f}
	}
	iops, _ := whole(v.IOPS.Or(decimal.Zero)).Get()
	was := OtherCost(op, gib, iops).TotalUSD()
	change := GP3Cost(p.GP3, l, gib, same).TotalUSD().Sub(was)
	f.Fix = fmt.Sprintf("Write %s (%s a month).", write, units.SignedUSD(change))
	if change.IsNegative() {
		f.MonthlySavingUSD = decimal.NewNullDecimal(change.Neg())
		return []finding.Finding{f}
	}
	// Small gp2 volumes have their speed in bursts, and gp3's price for it outweighs
	// what the storage saves. What is left is the volume without it.
	plain := GP3Cost(p.GP3, l, gib, GP3{IOPS: l.IOPS.Min, ThroughputMiBPerS: l.ThroughputMiB.Min}).TotalUSD().Sub(was)
	if !plain.IsNegative() || name != "gp2" {
		return nil // gp3 is not cheaper here
	}
	f.Message = fmt.Sprintf("%s GiB of %s give %s MiB/s at most; a gp3 volume costs less with its free %s MiB/s, and not with the same speed.",
		units.Count(gib), name, units.Count(same.ThroughputMiBPerS), units.Count(l.ThroughputMiB.Min))
	f.Fix = fmt.Sprintf("Write %s = \"gp3\" (%s a month) if that is enough, or %s (%s a month).", j.Names.Type, units.SignedUSD(plain), write, units.SignedUSD(change))
	return []finding.Finding{f}
}

// legacyMessage warns of what changing nothing but the type would lose: the
// throughput, which older types do not have to be told, and the IOPS that gp2
// has by its size.
func (j Judge) legacyMessage(gib int64, name string, same GP3) string {
	l := j.limits()
	throughput, free := units.Count(same.ThroughputMiBPerS), units.Count(l.ThroughputMiB.Min)
	switch {
	case same.ThroughputMiBPerS <= l.ThroughputMiB.Min:
		return fmt.Sprintf("%s GiB of %s give at most %s MiB/s; gp3 gives the same for less.", units.Count(gib), name, throughput)
	case name == "gp2" && same.IOPS > l.IOPS.Min:
		return fmt.Sprintf("%s GiB of %s give %s MiB/s and %s IOPS; gp3 gives the same for less. A plain change to gp3 would fall back to %s MiB/s and %s IOPS, so both have to be written.",
			units.Count(gib), name, throughput, units.Count(same.IOPS), free, units.Count(l.IOPS.Min))
	}
	return fmt.Sprintf("%s GiB of %s give %s MiB/s; gp3 gives the same for less. A plain change to gp3 would fall back to %s MiB/s, so its throughput has to be written.",
		units.Count(gib), name, throughput, free)
}

// ceilingOf is the EBS ceiling of an instance that is known and in the table.
func ceilingOf(instance optional.Value[catalog.Instance]) optional.Value[catalog.EBSCeiling] {
	return optional.Then(instance, func(i catalog.Instance) optional.Value[catalog.EBSCeiling] { return i.EBS })
}

// instanceThroughput: a volume faster than the instance. Never about the free
// baseline, which nobody pays for and 207 types do not sustain.
func (j Judge) instanceThroughput(v Volume, instance optional.Value[catalog.Instance]) []finding.Finding {
	l := j.limits()
	s, ok := v.Settings(l).Get()
	ceiling, hasCeiling := ceilingOf(instance).Get()
	if !ok || !hasCeiling || s.ThroughputMiBPerS <= l.ThroughputMiB.Min {
		return nil
	}
	i, _ := instance.Get()
	most, sustained, t := ceiling.Maximum.Throughput(), ceiling.Sustained.Throughput(), units.MiBPerS(s.ThroughputMiBPerS)
	switch {
	case t > most:
		fit := j.fit(v, s, ceiling)
		message := fmt.Sprintf("%s = %s are provisioned, but all volumes of %s together move %s = %s at most%s, so %s are usable.",
			t, t.MB(), i.Type, ceiling.Maximum.Bandwidth.MB(), most, burstNote(ceiling), most)
		f := RuleInstanceThroughput.New(finding.Warning, j.Names.Throughput, message,
			fmt.Sprintf("Write %s: the same speed, %s.", j.Set(s, fit), j.Change(s, fit)))
		f.MonthlySavingUSD = j.Saving(s, fit)
		return []finding.Finding{f}
	case t > sustained:
		return []finding.Finding{RuleInstanceThroughput.New(finding.Info, j.Names.Throughput,
			fmt.Sprintf("%s sustains %s and reaches the volume's %s in bursts only (%s at most, for at least 30 minutes in 24 hours).", i.Type, sustained, t, most),
			"Right for jobs of half an hour; for longer ones the rest of the volume's speed is not there.")}
	}
	return nil
}

// fit is the cheapest setting that uses all of an instance: the throughput cut
// to whole MiB/s, and the IOPS cut with it where they were there only to carry
// it. Where there were too few IOPS even for the throughput that is left, or for
// the volume's size too many, it is a setting that EC2 takes all the same.
func (j Judge) fit(v Volume, s GP3, ceiling catalog.EBSCeiling) GP3 {
	l := j.limits()
	to := GP3{IOPS: s.IOPS, ThroughputMiBPerS: min(l.ThroughputMiB.Max, max(l.ThroughputMiB.Min, int64(ceiling.Maximum.Throughput())))}
	if s.IOPS <= MinIOPS(l, s.ThroughputMiBPerS) {
		to.IOPS = MinIOPS(l, to.ThroughputMiBPerS)
	}
	to.IOPS = min(to.IOPS, j.mostIOPS(v))
	to.ThroughputMiBPerS = min(to.ThroughputMiBPerS, MaxThroughput(l, to.IOPS))
	return to
}

func burstNote(c catalog.EBSCeiling) string {
	if !c.CanBurst() {
		return ""
	}
	return fmt.Sprintf(" (in bursts; %s sustained)", c.Sustained.Throughput())
}

// instanceIOPS: more IOPS than the instance can do. Never about gp3's free
// baseline; a provisioned type pays for every one.
func (j Judge) instanceIOPS(v Volume, typeName string, instance optional.Value[catalog.Instance]) []finding.Finding {
	l := j.limits()
	iops, ok := whole(v.IOPS).Get()
	ceiling, hasCeiling := ceilingOf(instance).Get()
	if !ok || !hasCeiling {
		return nil
	}
	if typeName == TypeGP3 {
		if iops <= l.IOPS.Min {
			return nil
		}
	} else if t, _ := j.Catalog.VolumeType(typeName); t.IOPS.IsNull() {
		return nil // such a type has no IOPS to set, which is another rule's error
	}
	i, _ := instance.Get()
	switch {
	case iops > ceiling.Maximum.IOPS:
		f := RuleInstanceIOPS.New(finding.Warning, j.Names.IOPS,
			fmt.Sprintf("%s IOPS are provisioned, but all volumes of %s together do %s at most.", units.Count(iops), i.Type, units.Count(ceiling.Maximum.IOPS)), "")
		most := min(max(l.IOPS.Min, ceiling.Maximum.IOPS), j.mostIOPS(v))
		switch s, ok := v.Settings(l).Get(); {
		case typeName != TypeGP3:
			f.Fix, f.MonthlySavingUSD = j.FewerProvisioned(typeName, iops, ceiling.Maximum.IOPS)
		case !ok:
			f.Fix = fmt.Sprintf("Write %s = %d, or what the throughput needs if that is more (%d a MiB/s).", j.Names.IOPS, most, l.IOPSPerMiB)
		default:
			to := s
			if MinIOPS(l, s.ThroughputMiBPerS) > most {
				to = j.fit(v, s, ceiling) // the throughput needs more; what of it is of use may not
			}
			to.IOPS = max(min(to.IOPS, most), MinIOPS(l, to.ThroughputMiBPerS))
			if to.IOPS >= s.IOPS {
				return nil
			}
			f.Fix = fmt.Sprintf("Write %s: the same speed, %s.", j.Set(s, to), j.Change(s, to))
			f.MonthlySavingUSD = j.Saving(s, to)
		}
		return []finding.Finding{f}
	case iops > ceiling.Sustained.IOPS:
		return []finding.Finding{RuleInstanceIOPS.New(finding.Info, j.Names.IOPS,
			fmt.Sprintf("%s sustains %s IOPS and reaches the volume's %s in bursts only (%s at most, for at least 30 minutes in 24 hours).",
				i.Type, units.Count(ceiling.Sustained.IOPS), units.Count(iops), units.Count(ceiling.Maximum.IOPS)),
			"Right for jobs of half an hour; for longer ones the rest of the IOPS are not there.")}
	}
	return nil
}

// FewerProvisioned is the advice to cut the IOPS of a type that charges for
// each, and what that saves.
func (j Judge) FewerProvisioned(typeName string, from, to int64) (fix string, saving decimal.NullDecimal) {
	price := j.noPrice()
	if p, known := j.Catalog.VolumePrices(j.Region); known {
		if op, ok := p.Others[typeName]; ok {
			d := OtherCost(op, 0, from).TotalUSD().Sub(OtherCost(op, 0, to).TotalUSD())
			price, saving = units.SignedUSD(d.Neg())+" a month", decimal.NewNullDecimal(d)
		}
	}
	return fmt.Sprintf("Write %s = %d: the same speed, %s.", j.Names.IOPS, to, price), saving
}

// Budget judges the volumes of one instance together: its ceiling is one
// budget for all of them. busyTogether is false where the volumes are known to
// be busy one after the other, which makes it advice. Volumes at the free
// baseline are not counted against the budget: they cost nothing.
func (j Judge) Budget(volumes []Volume, instance optional.Value[catalog.Instance], busyTogether bool) []finding.Finding {
	l := j.limits()
	i, known := instance.Get()
	ceiling, hasCeiling := ceilingOf(instance).Get()
	if !known || !hasCeiling {
		return nil
	}
	var throughput, iops share
	for _, v := range volumes {
		t, tKnown := v.Throughput(j.Catalog, j.Limits).Get()
		n, nKnown := v.ProvisionedIOPS(j.Catalog, l).Get()
		if !tKnown || !nKnown {
			return nil // one share is not known, so no sum is
		}
		throughput.add(int64(t), l.ThroughputMiB.Min)
		iops.add(n, l.IOPS.Min)
	}
	var fs []finding.Finding
	report := func(sh share, unit string, most, sustained float64) {
		if sh.volumes < 2 || float64(sh.paid) <= sustained {
			return
		}
		severity, reach := finding.Warning, fmt.Sprintf("carries %s %s at most", units.Number(most), unit)
		if ceiling.CanBurst() {
			reach = fmt.Sprintf("sustains %s %s and bursts to %s", units.Number(sustained), unit, units.Number(most))
		}
		fix := "Give the volumes less, or choose an instance type that carries the sum."
		if float64(sh.paid) <= most {
			severity, fix = finding.Info, "Right if they are not busy together for more than half an hour."
		}
		if !busyTogether {
			severity, fix = finding.Info, "Right if they are busy one after the other, as a boot and the pull after it are; then each may have the whole budget."
		}
		fs = append(fs, RuleInstanceSharedBudget.New(severity, "",
			fmt.Sprintf("%d volumes share one budget: %s %s are provisioned in all, %s %s.", sh.volumes, units.Count(sh.paid), unit, i.Type, reach), fix))
	}
	report(throughput, "MiB/s", float64(ceiling.Maximum.Throughput()), float64(ceiling.Sustained.Throughput()))
	report(iops, "IOPS", float64(ceiling.Maximum.IOPS), float64(ceiling.Sustained.IOPS))
	return finding.Merge(fs)
}

// share is what the volumes that are paid for ask of a budget.
type share struct {
	volumes int
	paid    int64
}

func (s *share) add(n, free int64) {
	if n > free {
		s.volumes++
		s.paid += n
	}
}

// Instance looks an instance type up for the rules: null if none was written
// or it is not in the table. A type that is not in the table is reported,
// because all rules that need its ceiling are then silent.
func (j Judge) Instance(typ optional.Value[string]) (optional.Value[catalog.Instance], []finding.Finding) {
	name, ok := typ.Get()
	if !ok {
		return optional.Map(typ, func(string) catalog.Instance { return catalog.Instance{} }), nil
	}
	i, ok := j.Catalog.Instance(name)
	src := j.Catalog.InstanceSource()
	switch {
	case ok && !i.EBS.IsNull():
		return optional.Known(i), nil
	case ok:
		return optional.Known(i), []finding.Finding{RuleInstanceUnknown.New(finding.Warning, j.Names.InstanceType,
			fmt.Sprintf("AWS publishes no EBS limits for %s (table of %s), so only the volumes' own rules are checked.", name, src.AsOf), "")}
	}
	return optional.Null[catalog.Instance](), []finding.Finding{UnknownInstance(j.Catalog, name, j.Names.InstanceType, "only the volumes' own rules are checked")}
}

// UnknownInstance says that a type is not in the table, of what date that is,
// and what therefore is not done.
func UnknownInstance(cat *catalog.Catalog, name, path, so string) finding.Finding {
	what := "The instance type"
	if catalog.IsTypeName(name) {
		what = name
	}
	fix := ""
	if closest := cat.ClosestInstances(name, 1); len(closest) > 0 {
		fix = fmt.Sprintf("If it is not newer than that, the closest type is %s.", closest[0])
	}
	return RuleInstanceUnknown.New(finding.Warning, path,
		fmt.Sprintf("%s is not in the table of %s, so %s.", what, cat.InstanceSource().AsOf, so), fix)
}
