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
