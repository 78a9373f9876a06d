package catalog

import (
	"slices"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog/record"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// GP3 is the name of the volume type that has limits and prices of its own
// here, see GP3Limits and GP3Prices.
const GP3 = "gp3"

// ParseLimitSet reads "current" or "classic".
func ParseLimitSet(s string) (LimitSet, bool) {
	switch set := LimitSet(s); set {
	case CurrentLimits, ClassicLimits:
		return set, true
	}
	return "", false
}

// GP3 returns the limits of gp3 volumes. A set that does not exist is taken
// for the current one; ParseLimitSet tells.
func (c *Catalog) GP3(set LimitSet) GP3Limits {
	if _, ok := ParseLimitSet(string(set)); !ok {
		set = CurrentLimits
	}
	t := c.facts.volumes()
	r := t.GP3[string(set)]
	return GP3Limits{
		Set:           set,
		From:          r.From,
		SizeGiB:       closedRange(r.SizeGiB),
		IOPS:          closedRange(r.IOPS),
		ThroughputMiB: closedRange(r.ThroughputMiB),
		IOPSPerGiB:    r.IOPSPerGiB,
		IOPSPerMiB:    r.IOPSPerMiB,
		Source:        source(t.Source),
	}
}

// GP2Limits are how the speed of a gp2 volume follows from its size.
type GP2Limits struct {
	// IOPSPerGiB is the IOPS that a GiB brings, within IOPS.
	IOPSPerGiB int64
	// IOPS a volume has at all times: Min even if it is tiny, Max however large.
	IOPS Range
	// BurstIOPS is what a volume below it reaches while its burst credits last.
	BurstIOPS int64
	// BurstCredits is how many I/O operations a full bucket of credits holds.
	BurstCredits int64
	// ThroughputMiB in MiB/s: Min for small volumes, Max for large ones.
	ThroughputMiB Range
	// BurstThroughputOverGiB is the largest size that is held to ThroughputMiB.Min;
	// larger volumes reach Max at least while they burst.
	BurstThroughputOverGiB int64
	// FullThroughputFromGiB is the size from which ThroughputMiB.Max needs no credits.
	FullThroughputFromGiB int64
	Source                Source
}

// GP2 returns the limits of gp2 volumes.
func (c *Catalog) GP2() GP2Limits {
	t := c.facts.volumes()
	return GP2Limits{
		IOPSPerGiB:             t.GP2.IOPSPerGiB,
		IOPS:                   closedRange(t.GP2.IOPS),
		BurstIOPS:              t.GP2.BurstIOPS,
		BurstCredits:           t.GP2.BurstCredits,
		ThroughputMiB:          closedRange(t.GP2.ThroughputMiB),
		BurstThroughputOverGiB: t.GP2.BurstThroughputOver,
		FullThroughputFromGiB:  t.GP2.FullThroughputFrom,
		Source:                 source(t.Source),
	}
}

// VolumeType looks a volume type other than gp3 up: gp2, io1, io2, st1, sc1 or
// standard. It is false for gp3, whose limits are GP3, and for anything else.
func (c *Catalog) VolumeType(name string) (VolumeType, bool) {
	t := c.facts.volumes()
	at := slices.IndexFunc(t.Types, func(r record.VolumeType) bool { return r.Name == name })
	if at < 0 {
		return VolumeType{}, false
	}
	r := t.Types[at]
	v := VolumeType{
		Name:           r.Name,
		SizeGiB:        closedRange(r.SizeGiB),
		IOPS:           optional.Map(optional.FromPointer(r.IOPS), closedRange),
		IOPSPerGiB:     r.IOPSPerGiB,
		MaxThroughput:  units.MiBPerS(r.MaxThroughputMiB),
		MiBPerSPerIOPS: r.MiBPerIOPS,
		Bootable:       r.Bootable,
		Source:         source(t.Source),
	}
	for _, s := range r.ThroughputSteps {
		v.ThroughputSteps = append(v.ThroughputSteps, ThroughputStep{UpToIOPS: s.UpToIOPS, Throughput: units.MiBPerS(s.ThroughputMiB)})
	}
	return v, true
}

// VolumeTypeNames are the names of all volume types, gp3 among them, sorted.
func (c *Catalog) VolumeTypeNames() []string {
	names := []string{GP3}
	for _, r := range c.facts.volumes().Types {
		names = append(names, r.Name)
	}
	slices.Sort(names)
	return names
}

// ThroughputStep is a ceiling of throughput that holds up to a count of
// provisioned IOPS.
type ThroughputStep struct {
	UpToIOPS   int64
	Throughput units.MiBPerS
}

// ThroughputAt is the most throughput that a volume of the type reaches with
// so many provisioned IOPS. Types whose IOPS are not provisioned always have
// MaxThroughput.
func (v VolumeType) ThroughputAt(iops int64) units.MiBPerS {
	most := v.MaxThroughput
	for _, s := range v.ThroughputSteps {
		if iops <= s.UpToIOPS {
			most = min(most, s.Throughput)
		}
	}
	if v.MiBPerSPerIOPS > 0 {
		most = min(most, units.MiBPerS(max(0, float64(iops))*v.MiBPerSPerIOPS))
	}
	return most
}
