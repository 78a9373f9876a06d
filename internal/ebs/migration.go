package ebs

import (
	"fmt"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// Migration judges the change of a volume from gp2 to gp3: what gp2 had by its
// size has to be written for gp3, or it is lost.
func (j Judge) Migration(before, after Volume) []finding.Finding {
	from, _ := before.Type.Get()
	to, _ := after.Type.Get()
	gib, sizeKnown := before.WholeSize().Get()
	l := j.limits()
	s, settingsKnown := after.Settings(l).Get()
	if from != "gp2" || to != TypeGP3 || !sizeKnown || gib < 1 || !settingsKnown {
		return nil
	}
	was := gp2Equal(j.Catalog, gib)
	same := GP3{IOPS: max(s.IOPS, was.IOPS), ThroughputMiBPerS: max(s.ThroughputMiBPerS, was.ThroughputMiBPerS)}
	same.IOPS = max(same.IOPS, MinIOPS(l, same.ThroughputMiBPerS))
	var lost []string
	if s.ThroughputMiBPerS < was.ThroughputMiBPerS {
		lost = append(lost, fmt.Sprintf("%s MiB/s, after the change it has %s", units.Count(was.ThroughputMiBPerS), units.Count(s.ThroughputMiBPerS)))
	}
	if s.IOPS < was.IOPS {
		lost = append(lost, fmt.Sprintf("%s IOPS, after the change it has %s", units.Count(was.IOPS), units.Count(s.IOPS)))
	}
	if len(lost) == 0 {
		return nil
	}
	path := j.Names.Throughput
	if s.ThroughputMiBPerS >= was.ThroughputMiBPerS {
		path = j.Names.IOPS
	}
	fix := fmt.Sprintf("Write %s (%s)", j.Set(s, same), j.Change(s, same))
	if p, ok := j.Catalog.VolumePrices(j.Region); ok {
		if old, ok := p.Others["gp2"]; ok {
			d := GP3Cost(p.GP3, l, gib, same).TotalUSD().Sub(OtherCost(old, gib, 0).TotalUSD())
			switch d.Cmp(decimal.Zero) {
			case -1:
				fix += fmt.Sprintf("; that is still %s a month less than gp2", units.USD(d.Neg()))
			case 1:
				fix += fmt.Sprintf("; that is %s a month more than gp2", units.USD(d))
			}
		}
	}
	return []finding.Finding{RuleVolumeTypeLegacy.New(finding.Warning, path,
		fmt.Sprintf("%s GiB of gp2 give %s.", units.Count(gib), strings.Join(lost, ", and ")), fix+".")}
}
