package ebs

import (
	"math"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

// SameAsGP3 is the gp3 setting that gives what a gp2 or io1 volume has. It is
// null if gp3 cannot, or the volume is of another type or its size is not known.
// A throughput that is written although the type has none to set is what
// somebody wants, and is kept.
func (j Judge) SameAsGP3(v Volume) optional.Value[GP3] {
	none := optional.Null[GP3]()
	name, _ := v.Type.Get()
	gib, ok := v.WholeSize().Get()
	if !ok {
		return none
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
			return none
		}
		same = GP3{ThroughputMiBPerS: max(l.ThroughputMiB.Min, int64(math.Ceil(float64(provisionedThroughput(t, iops)))))}
		same.IOPS = max(iops, MinIOPS(l, same.ThroughputMiBPerS))
	default:
		return none
	}
	if wanted, ok := whole(v.ThroughputMiBPerS).Get(); ok && wanted > 0 {
		same.ThroughputMiBPerS = wanted
		same.IOPS = max(same.IOPS, MinIOPS(l, wanted))
	}
	if !l.SizeGiB.Contains(gib) || same.IOPS > MaxIOPS(l, gib) || same.ThroughputMiBPerS > l.ThroughputMiB.Max {
		return none
	}
	return optional.Known(same)
}

// Fit is the setting that the finding of a rule about the instance says to
// write: RuleInstanceThroughput or RuleInstanceIOPS. It is null if there is none.
func (j Judge) Fit(v Volume, instance optional.Value[catalog.Instance], rule string) optional.Value[GP3] {
	l := j.limits()
	s, ok := v.Settings(l).Get()
	ceiling, hasCeiling := ceilingOf(instance).Get()
	if !ok || !hasCeiling {
		return optional.Null[GP3]()
	}
	if rule == RuleInstanceThroughput.ID {
		return optional.Known(j.fit(v, s, ceiling))
	}
	to := GP3{IOPS: max(l.IOPS.Min, ceiling.Maximum.IOPS, MinIOPS(l, s.ThroughputMiBPerS)), ThroughputMiBPerS: s.ThroughputMiBPerS}
	if to.IOPS >= s.IOPS {
		return optional.Null[GP3]()
	}
	return optional.Known(to)
}
