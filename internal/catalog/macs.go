package catalog

import (
	"slices"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog/record"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// Mac looks an EC2 Mac type up by its exact name, "mac2-m2pro.metal". It is
// false for a type that the table does not know and for one that is no Mac.
func (c *Catalog) Mac(typ string) (Mac, bool) {
	t := c.facts.macs()
	at := slices.IndexFunc(t.Types, func(r record.Mac) bool { return r.Type == typ })
	if at < 0 {
		return Mac{}, false
	}
	return mac(t.Types[at], t.Source), true
}

// Macs are all EC2 Mac types, sorted by name.
func (c *Catalog) Macs() []Mac {
	t := c.facts.macs()
	out := make([]Mac, 0, len(t.Types))
	for _, r := range t.Types {
		out = append(out, mac(r, t.Source))
	}
	return out
}

func mac(r record.Mac, s record.Source) Mac {
	return Mac{
		Type:            r.Type,
		HostFamily:      r.HostFamily,
		Chip:            r.Chip,
		Machine:         r.Machine,
		CPUCores:        optional.FromPointer(r.CPUCores),
		ScrubMinutesMax: r.ScrubMinutesMax,
		Regions:         slices.Clone(r.Regions),
		Source:          source(s),
	}
}

// MacHostRules are AWS's rules for dedicated Mac hosts.
func (c *Catalog) MacHostRules() MacHostRules {
	t := c.facts.macs()
	r := t.Rules
	return MacHostRules{
		MinimumAllocationHours:    r.MinimumAllocationHours,
		InstancesPerHost:          r.InstancesPerHost,
		LaunchMinutesMin:          int(r.LaunchMinutes[0]),
		LaunchMinutesMax:          int(r.LaunchMinutes[1]),
		ScrubMinutesIntel:         r.ScrubMinutesIntel,
		ScrubMinutesIntelFirmware: r.ScrubMinutesIntelFirmware,
		ScrubMinutesAppleCurrent:  r.ScrubMinutesAppleCurrent,
		ScrubMinutesAppleOlder:    r.ScrubMinutesAppleOlder,
		RecommendedIOPS:           r.RecommendedIOPS,
		RecommendedThroughput:     units.MiBPerS(r.RecommendedThroughputMiB),
		Source:                    source(t.Source),
	}
}
