package ebs

import (
	"fmt"
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
	if d := b.Sub(a); d.IsZero() {
		return "at no charge"
	} else {
		return units.SignedUSD(d) + " a month"
	}
}

// noPrice says why a change cannot be priced.
func (j Judge) noPrice() string {
	if j.Region == "" {
		return "price not known yet"
	}
	return "no price in US dollars for this Region: " + j.Catalog.PriceNote(j.Region)
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
	if !v.ThroughputMiBPerS.IsNull() {
		bad(j.Names.Throughput, fmt.Sprintf("Throughput can be set for gp3 only; %s reaches %s at most, whatever is written.", name, t.MaxThroughput),
			fmt.Sprintf("Leave %s out, or write %s = \"gp3\".", j.Names.Throughput, j.Names.Type))
	}
	switch r, provisioned := t.IOPS.Get(); {
	case !provisioned && !v.IOPS.IsNull():
		bad(j.Names.IOPS, fmt.Sprintf("IOPS cannot be set for %s.", name),
			fmt.Sprintf("Leave %s out, or write %s = \"gp3\".", j.Names.IOPS, j.Names.Type))
	case provisioned && v.IOPS.IsNull():
		bad(j.Names.IOPS, fmt.Sprintf("%s needs a number of IOPS, %s to %s.", name, units.Count(r.Min), units.Count(r.Max)),
			fmt.Sprintf("Write %s, or write %s = \"gp3\", which comes with %s.", j.Names.IOPS, j.Names.Type, units.Count(j.limits().IOPS.Min)))
	}
	return fs
}

// gp3Ranges: outside the range AWS refuses; below the free baseline sources
// disagree whether EC2 refuses the value or raises it, so that is a warning.
func (j Judge) gp3Ranges(v Volume) []finding.Finding {
	l := j.limits()
	var fs []finding.Finding
	if gib, ok := v.WholeSize().Get(); ok && !l.SizeGiB.Contains(gib) {
		fs = append(fs, RuleGP3SizeRange.New(finding.Error, j.Names.Size,
			fmt.Sprintf("A gp3 volume has %s to %s GiB%s, not %s.", units.Count(l.SizeGiB.Min), units.Count(l.SizeGiB.Max), since(l), units.Count(gib)),
			fmt.Sprintf("Write %s = %d.", j.Names.Size, clamp(gib, l.SizeGiB))))
	}
	check := func(rule finding.Rule, path, unit string, r catalog.Range, v optional.Value[int64]) {
		n, ok := v.Get()
		switch {
		case !ok || r.Contains(n):
		case n > 0 && n < r.Min:
			fs = append(fs, rule.New(finding.Warning, path,
				fmt.Sprintf("%s %s is below the %s that every gp3 volume gets for nothing. Sources disagree whether EC2 refuses less or raises it.", units.Count(n), unit, units.Count(r.Min)),
				fmt.Sprintf("Write %s = %d, or leave it out: it costs nothing.", path, r.Min)))
		default:
			fs = append(fs, rule.New(finding.Error, path,
				fmt.Sprintf("gp3 has %s to %s %s%s, not %s.", units.Count(r.Min), units.Count(r.Max), unit, since(l), units.Count(n)),
				fmt.Sprintf("Write %s = %d.", path, clamp(n, r))))
		}
	}
	check(RuleGP3IOPSRange, j.Names.IOPS, "IOPS", l.IOPS, whole(v.IOPS))
	check(RuleGP3ThroughputRange, j.Names.Throughput, "MiB/s", l.ThroughputMiB, whole(v.ThroughputMiBPerS))
	return fs
}

// since says of what date the limits are, because they were raised once.
func since(l catalog.GP3Limits) string {
	if l.Set == catalog.ClassicLimits {
		return " on Outposts (and everywhere before 2025-09-26)"
	}
	return " (since " + l.Source.AsOf + ")"
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
	ratio := decimal.NewFromInt(s.ThroughputMiBPerS).DivRound(decimal.NewFromInt(s.IOPS), 6)
	most := decimal.NewFromInt(1).Div(decimal.NewFromInt(l.IOPSPerMiB))
	unset := ""
	if v.IOPS.IsNull() {
		unset = " (what gp3 has when none are written)"
	}
	var ways []string
	more := GP3{IOPS: MinIOPS(l, s.ThroughputMiBPerS), ThroughputMiBPerS: s.ThroughputMiBPerS}
	iopsFit := more.IOPS <= l.IOPS.Max
	if gib, ok := v.WholeSize().Get(); ok && iopsFit {
		iopsFit = more.IOPS <= MaxIOPS(l, gib)
	}
	if iopsFit && s.ThroughputMiBPerS <= l.ThroughputMiB.Max {
		ways = append(ways, fmt.Sprintf("Write %s (%s)", j.Set(s, more), j.Change(s, more)))
	}
	less := GP3{IOPS: s.IOPS, ThroughputMiBPerS: MaxThroughput(l, s.IOPS)}
	if less.IOPS < l.IOPS.Min {
		less.IOPS = l.IOPS.Min
		less.ThroughputMiBPerS = min(s.ThroughputMiBPerS, MaxThroughput(l, less.IOPS))
	}
	ways = append(ways, fmt.Sprintf("%s %s (%s)", map[bool]string{true: "or", false: "Write"}[len(ways) > 0], j.Set(s, less), j.Change(s, less)))
	return []finding.Finding{RuleGP3ThroughputRatio.New(finding.Error, j.Names.Throughput,
		fmt.Sprintf("%s MiB/s at %s IOPS%s is a ratio of %s MiB/s per IOPS; EC2 refuses more than %s when it creates the volume, though a launch template accepts it.",
			units.Count(s.ThroughputMiBPerS), units.Count(s.IOPS), unset, ratio.StringFixed(6), most),
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
	most := MaxIOPS(l, gib)
	return []finding.Finding{RuleGP3IOPSPerGiB.New(finding.Error, j.Names.IOPS,
		fmt.Sprintf("A gp3 volume has at most %d IOPS a GiB: %s GiB carry %s, not %s.", l.IOPSPerGiB, units.Count(gib), units.Count(most), units.Count(iops)),
		fmt.Sprintf("Write %s = %d, or %s = %d.", j.Names.IOPS, most, j.Names.Size, ceilDiv(iops, l.IOPSPerGiB)))}
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
			units.Count(s.ThroughputMiBPerS), units.Number(float64(s.ThroughputMiBPerS)/float64(sustained)*100), sustained),
		"If its speed matters, write "+strings.Join(ways, " or ")+": no IOPS have to be paid for that.")}
}

// legacy: gp3 gives the same speed for less.
func (j Judge) legacy(v Volume, name string) []finding.Finding {
	gib, ok := v.WholeSize().Get()
	if !ok || (name != "gp2" && name != "io1") {
		return nil
	}
	l := j.limits()
	var same GP3
	switch name {
	case "gp2":
		same = gp2Equal(j.Catalog, gib)
	case "io1":
		iops, ok := whole(v.IOPS).Get()
		t, _ := j.Catalog.VolumeType(name)
		if !ok {
			return nil
		}
		same = GP3{ThroughputMiBPerS: max(l.ThroughputMiB.Min, int64(provisionedThroughput(t, iops)))}
		same.IOPS = max(iops, MinIOPS(l, same.ThroughputMiBPerS))
	}
	if !l.SizeGiB.Contains(gib) || same.IOPS > MaxIOPS(l, gib) || same.ThroughputMiBPerS > l.ThroughputMiB.Max {
		return nil // gp3 cannot do it
	}
	write := fmt.Sprintf("%s = \"gp3\", %s = %d", j.Names.Type, j.Names.Throughput, same.ThroughputMiBPerS)
	if same.IOPS > l.IOPS.Min {
		write += fmt.Sprintf(", %s = %d", j.Names.IOPS, same.IOPS)
	} else if name == "io1" {
		write += fmt.Sprintf(" and leave %s out", j.Names.IOPS)
	}
	price := j.noPrice()
	var saving decimal.NullDecimal
	if p, known := j.Catalog.VolumePrices(j.Region); known {
		if op, ok := p.Others[name]; ok {
			iops, _ := whole(v.IOPS.Or(decimal.Zero)).Get()
			d := GP3Cost(p.GP3, l, gib, same).TotalUSD().Sub(OtherCost(op, gib, iops).TotalUSD())
			if !d.IsNegative() {
				return nil // gp3 would cost more for the same speed
			}
			price, saving = units.SignedUSD(d)+" a month", decimal.NewNullDecimal(d.Neg())
		}
	}
	f := RuleVolumeTypeLegacy.New(finding.Warning, j.Names.Type,
		fmt.Sprintf("%s GiB of %s give %s MiB/s; gp3 gives the same for less. A plain change to gp3 would fall back to %s MiB/s, so its throughput has to be written.",
			units.Count(gib), name, units.Count(same.ThroughputMiBPerS), units.Count(l.ThroughputMiB.Min)),
		fmt.Sprintf("Write %s (%s).", write, price))
	f.MonthlySavingUSD = saving
	return []finding.Finding{f}
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
		fit := j.fit(s, ceiling)
		message := fmt.Sprintf("%s = %s are provisioned, but all volumes of %s together move %s = %s at most%s, so %s are usable.",
			t, t.MB(), i.Type, ceiling.Maximum.Bandwidth.MB(), most, burstNote(ceiling), most)
		f := RuleInstanceThroughput.New(finding.Warning, j.Names.Throughput, message, "")
		if fit == s {
			return []finding.Finding{f}
		}
		f.Fix = fmt.Sprintf("Write %s: the same speed, %s.", j.Set(s, fit), j.Change(s, fit))
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
// to whole MiB/s, and the IOPS cut with it where they were there only to carry it.
func (j Judge) fit(s GP3, ceiling catalog.EBSCeiling) GP3 {
	l := j.limits()
	to := GP3{IOPS: s.IOPS, ThroughputMiBPerS: max(l.ThroughputMiB.Min, int64(ceiling.Maximum.Throughput()))}
	if s.IOPS <= MinIOPS(l, s.ThroughputMiBPerS) {
		to.IOPS = min(s.IOPS, MinIOPS(l, to.ThroughputMiBPerS))
	}
	return to
}

func burstNote(c catalog.EBSCeiling) string {
	if !c.CanBurst() {
		return ""
	}
	return fmt.Sprintf(" (in bursts; %s sustained)", c.Sustained.Throughput())
}

// instanceIOPS: more IOPS than the instance can do.
func (j Judge) instanceIOPS(v Volume, typeName string, instance optional.Value[catalog.Instance]) []finding.Finding {
	l := j.limits()
	iops, ok := whole(v.IOPS).Get()
	ceiling, hasCeiling := ceilingOf(instance).Get()
	if !ok || !hasCeiling || iops <= l.IOPS.Min {
		return nil
	}
	i, _ := instance.Get()
	switch {
	case iops > ceiling.Maximum.IOPS:
		f := RuleInstanceIOPS.New(finding.Warning, j.Names.IOPS,
			fmt.Sprintf("%s IOPS are provisioned, but all volumes of %s together do %s at most.", units.Count(iops), i.Type, units.Count(ceiling.Maximum.IOPS)), "")
		if s, ok := v.Settings(l).Get(); ok && typeName == TypeGP3 {
			to := GP3{IOPS: max(l.IOPS.Min, ceiling.Maximum.IOPS, MinIOPS(l, s.ThroughputMiBPerS)), ThroughputMiBPerS: s.ThroughputMiBPerS}
			if to.IOPS < s.IOPS {
				f.Fix = fmt.Sprintf("Write %s: the same speed, %s.", j.Set(s, to), j.Change(s, to))
				f.MonthlySavingUSD = j.Saving(s, to)
			}
		} else {
			f.Fix = fmt.Sprintf("Write %s = %d: the same speed for less.", j.Names.IOPS, ceiling.Maximum.IOPS)
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
		n, nKnown := whole(v.IOPS.Or(decimal.NewFromInt(l.IOPS.Min))).Get()
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
	what := "The instance type"
	if catalog.IsTypeName(name) {
		what = name
	}
	message := fmt.Sprintf("%s is not in the table of %s, so only the volumes' own rules are checked.", what, src.AsOf)
	fix := ""
	if closest := j.Catalog.ClosestInstances(name, 1); len(closest) > 0 {
		fix = fmt.Sprintf("If it is not newer than that, the closest type is %s.", closest[0])
	}
	return optional.Null[catalog.Instance](), []finding.Finding{RuleInstanceUnknown.New(finding.Warning, j.Names.InstanceType, message, fix)}
}
