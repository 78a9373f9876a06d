package ebs

import (
	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// TypeGP3 is the volume type that most of this package is about.
const TypeGP3 = "gp3"

// Volume is an EBS volume as somebody wrote it. A null Type is gp3; null IOPS
// and throughput are the free baseline.
type Volume struct {
	// Name tells volumes of one object apart in messages: "root". It may be empty.
	Name              string
	Type              optional.Value[string]
	SizeGiB           optional.Value[decimal.Decimal]
	IOPS              optional.Value[decimal.Decimal]
	ThroughputMiBPerS optional.Value[decimal.Decimal]
	// IOPSBound says that the load is known to be limited by IOPS, so that IOPS
	// beyond what the throughput needs are no waste.
	IOPSBound bool
	// ThroughputJudged says that another rule, which knows what the volume is for,
	// judges its throughput, so that general advice about it would say it twice.
	ThroughputJudged bool
}

// WholeSize is the size as a whole number of GiB.
func (v Volume) WholeSize() optional.Value[int64] { return whole(v.SizeGiB) }

// Settings are the gp3 setting with left-out members at the free baseline;
// unknown while one of them is, or if one is not a whole number; null if the
// volume is of another type.
func (v Volume) Settings(l catalog.GP3Limits) optional.Value[GP3] {
	return optional.Then(v.Type.Or(TypeGP3), func(t string) optional.Value[GP3] {
		if t != TypeGP3 {
			return optional.Null[GP3]()
		}
		iops := whole(v.IOPS.Or(decimal.NewFromInt(l.IOPS.Min)))
		throughput := whole(v.ThroughputMiBPerS.Or(decimal.NewFromInt(l.ThroughputMiB.Min)))
		return optional.Map2(iops, throughput, func(i, t int64) GP3 { return GP3{IOPS: i, ThroughputMiBPerS: t} })
	})
}

// Throughput is what the volume can move, whatever its type: the setting of
// gp3, and what the documentation of the other types promises for their size
// and IOPS. Null if the type is not known.
func (v Volume) Throughput(cat *catalog.Catalog, set catalog.LimitSet) optional.Value[units.MiBPerS] {
	return optional.Then(v.Type.Or(TypeGP3), func(name string) optional.Value[units.MiBPerS] {
		if name == TypeGP3 {
			written := v.ThroughputMiBPerS.Or(decimal.NewFromInt(cat.GP3(set).ThroughputMiB.Min))
			return optional.Map(whole(written), func(n int64) units.MiBPerS { return units.MiBPerS(n) })
		}
		t, ok := cat.VolumeType(name)
		if !ok {
			return optional.Null[units.MiBPerS]()
		}
		switch {
		case name == "gp2":
			return optional.Map(v.WholeSize(), func(gib int64) units.MiBPerS { return units.MiBPerS(gp2Equal(cat, gib).ThroughputMiBPerS) })
		case !t.IOPS.IsNull():
			return optional.Map(whole(v.IOPS), func(iops int64) units.MiBPerS { return provisionedThroughput(t, iops) })
		}
		return optional.Known(t.MaxThroughput)
	})
}

// ProvisionedIOPS are the IOPS that the volume has, whatever its type: what was
// written, what gp2 has by its size, and none worth counting for hard disks. It
// is null where a type needs a figure and has none, or is not known.
func (v Volume) ProvisionedIOPS(cat *catalog.Catalog, l catalog.GP3Limits) optional.Value[int64] {
	return optional.Then(v.Type.Or(TypeGP3), func(name string) optional.Value[int64] {
		if name == TypeGP3 {
			return whole(v.IOPS.Or(decimal.NewFromInt(l.IOPS.Min)))
		}
		t, ok := cat.VolumeType(name)
		switch {
		case !ok:
			return optional.Null[int64]()
		case name == "gp2":
			return optional.Map(v.WholeSize(), func(gib int64) int64 { return gp2Equal(cat, gib).IOPS })
		case !t.IOPS.IsNull():
			return whole(v.IOPS)
		}
		return optional.Known(int64(0))
	})
}

// Cost is the price in US dollars a month; unknown while an input is, null if
// the type or the region's prices are not known, or IOPS that the type charges
// for were left out.
func (v Volume) Cost(cat *catalog.Catalog, set catalog.LimitSet, region string) optional.Value[Cost] {
	return optional.Then(v.Type.Or(TypeGP3), func(name string) optional.Value[Cost] {
		prices, ok := cat.VolumePrices(region)
		if !ok {
			return optional.Null[Cost]()
		}
		if name == TypeGP3 {
			l := cat.GP3(set)
			return optional.Map2(v.WholeSize(), v.Settings(l), func(gib int64, s GP3) Cost {
				return GP3Cost(prices.GP3, l, gib, s)
			})
		}
		p, ok := prices.Others[name]
		if !ok {
			return optional.Null[Cost]()
		}
		iops := optional.Known(int64(0))
		if len(p.IOPSTiers) > 0 {
			iops = whole(v.IOPS) // null if they were left out, and then so is the price
		}
		return optional.Map2(v.WholeSize(), iops, func(gib, iops int64) Cost { return OtherCost(p, gib, iops) })
	})
}

// whole is a number of whole units. A fraction, or a figure beyond any limit,
// counts as not known: a rule of its own reports it.
func whole(v optional.Value[decimal.Decimal]) optional.Value[int64] {
	return optional.Then(v, func(d decimal.Decimal) optional.Value[int64] {
		if !d.IsInteger() || d.Abs().GreaterThan(largest) {
			return optional.Unknown[int64]()
		}
		return optional.Known(d.IntPart())
	})
}

// largest is far above every limit of EBS and far below the overflow of
// anything that is multiplied here.
var largest = decimal.New(1, 12)

// gp2Equal is the gp3 setting that keeps what a gp2 volume of this size gave:
// 3 IOPS a GiB, and 128 MiB/s up to 170 GiB, 250 above (EBS user guide,
// General Purpose SSD volumes).
func gp2Equal(cat *catalog.Catalog, sizeGiB int64) GP3 {
	gp2, l := cat.GP2(), cat.GP3(catalog.CurrentLimits)
	s := GP3{
		IOPS:              max(l.IOPS.Min, min(gp2.IOPS.Max, sizeGiB*gp2.IOPSPerGiB)),
		ThroughputMiBPerS: gp2.ThroughputMiB.Min,
	}
	if sizeGiB > gp2.BurstThroughputOverGiB {
		s.ThroughputMiBPerS = gp2.ThroughputMiB.Max
	}
	return s
}

// provisionedThroughput is what a volume with provisioned IOPS moves. An I/O
// counts as one up to 256 KiB (EBS user guide, I/O characteristics), so few
// IOPS carry little, whatever the type's maximum.
func provisionedThroughput(t catalog.VolumeType, iops int64) units.MiBPerS {
	const perMiBPerS = 4
	most := t.ThroughputAt(iops)
	if t.MiBPerSPerIOPS > 0 {
		return most
	}
	return min(most, units.MiBPerS(iops)/perMiBPerS)
}
