// Package attached judges the EBS volumes that an account has against the
// instances that they are attached to: each by itself, and all of an instance
// against its one budget.
package attached

import (
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

// Volume is a volume that exists. IOPS and throughput are 0 where its type has no
// such setting.
type Volume struct {
	ID, Type                         string
	SizeGiB, IOPS, ThroughputMiBPerS int64
	// InstanceID is empty for a volume that is attached to nothing. InstanceType is
	// empty if it is not known.
	InstanceID, InstanceType string
	CardIndex                int64
}

// VolumeReport is what is said of a volume.
type VolumeReport struct {
	Volume
	MonthlyCostUSD optional.Value[decimal.Decimal]
	Findings       []finding.Finding
}

// InstanceReport is what is said of an instance's volumes together.
type InstanceReport struct {
	ID, Type  string
	VolumeIDs []string
	Findings  []finding.Finding
}

// Evaluate judges volumes and, sorted by id, the instances that they are attached
// to. A sum is judged over the given volumes only, so a budget is right where
// none of an instance's volumes was filtered out.
func Evaluate(cat *catalog.Catalog, region string, volumes []Volume) ([]VolumeReport, []InstanceReport) {
	j := ebs.Judge{Catalog: cat, Limits: catalog.CurrentLimits, Region: region, Names: ebs.OurNames}
	type card struct {
		instance string
		index    int64
	}
	byInstance := map[string]*InstanceReport{}
	byCard := map[card][]ebs.Volume{}
	instances := map[string]optional.Value[catalog.Instance]{}
	out := make([]VolumeReport, 0, len(volumes))
	for _, v := range volumes {
		instance := optional.Null[catalog.Instance]()
		if v.InstanceType != "" {
			i, ok := instances[v.InstanceType]
			if !ok {
				i, _ = j.Instance(optional.Known(v.InstanceType))
				instances[v.InstanceType] = i
			}
			instance = onCard(i, v.CardIndex)
		}
		written := v.written()
		r := VolumeReport{Volume: v, Findings: finding.Merge(j.Volume(written, instance))}
		r.MonthlyCostUSD = optional.Map(written.Cost(cat, catalog.CurrentLimits, region), ebs.Cost.TotalUSD)
		out = append(out, r)
		if v.InstanceID == "" {
			continue
		}
		if byInstance[v.InstanceID] == nil {
			byInstance[v.InstanceID] = &InstanceReport{ID: v.InstanceID, Type: v.InstanceType}
		}
		i := byInstance[v.InstanceID]
		i.VolumeIDs = append(i.VolumeIDs, v.ID)
		byCard[card{v.InstanceID, v.CardIndex}] = append(byCard[card{v.InstanceID, v.CardIndex}], written)
	}
	for c, vs := range byCard {
		i := byInstance[c.instance]
		if i.Type == "" {
			continue
		}
		of := instances[i.Type]
		together := true
		if t, ok := of.Get(); ok {
			together = !t.IsMac() // root and VMData are busy one after the other
		}
		i.Findings = append(i.Findings, j.Budget(vs, onCard(of, c.index), together)...)
	}
	reports := make([]InstanceReport, 0, len(byInstance))
	for _, i := range byInstance {
		if i.Type != "" {
			_, unknown := j.Instance(optional.Known(i.Type))
			i.Findings = append(i.Findings, unknown...)
		}
		i.Findings = finding.Merge(i.Findings)
		reports = append(reports, *i)
	}
	slices.SortFunc(reports, func(a, b InstanceReport) int { return strings.Compare(a.ID, b.ID) })
	return out, reports
}

// written is the volume as the rules have it. What EC2 reports for types that
// take no setting is not a setting.
func (v Volume) written() ebs.Volume {
	out := ebs.Volume{Type: optional.Known(v.Type), SizeGiB: optional.Known(decimal.NewFromInt(v.SizeGiB))}
	if v.IOPS > 0 && v.Type != "gp2" && v.Type != "st1" && v.Type != "sc1" && v.Type != "standard" {
		out.IOPS = optional.Known(decimal.NewFromInt(v.IOPS))
	}
	if v.ThroughputMiBPerS > 0 && v.Type == ebs.TypeGP3 {
		out.ThroughputMiBPerS = optional.Known(decimal.NewFromInt(v.ThroughputMiBPerS))
	}
	return out
}

// onCard is an instance as the volumes on one of its EBS cards see it.
func onCard(instance optional.Value[catalog.Instance], index int64) optional.Value[catalog.Instance] {
	i, ok := instance.Get()
	if !ok || len(i.Cards) < 2 || index < 0 || index >= int64(len(i.Cards)) {
		return instance
	}
	i.EBS = optional.Known(i.Cards[index])
	return optional.Known(i)
}
