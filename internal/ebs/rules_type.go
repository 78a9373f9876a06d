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
