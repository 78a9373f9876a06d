package ebs

import (
	"fmt"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

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
