// Package testcases holds real configurations that people got wrong or right in
// public, as tables: what was written, and what has to be said about it. The
// tests of the rules use them, and so do those of the provider and of the
// command line, so that all three give the same answer.
//
// Only facts were taken over. Prices are those of us-east-1. Where an entry of
// a collection gave another verdict than this project's design, the design wins
// and the case's Note says so; Note also says what the case does not show.
//
// The collector's names of checks map to rules like this:
//
//	gp3.ratio                      gp3-throughput-ratio
//	gp3.limits, gp3.size_iops      gp3-size-range, gp3-iops-range, gp3-throughput-range, gp3-iops-per-gib
//	gp3.throughput_max, iops.type  gp3-throughput-range, volume-type-attribute
//	gp3.iops_min, throughput_min   gp3-iops-range, gp3-throughput-range (below the baseline: warnings)
//	gp3.iops_unneeded              gp3-iops-unneeded
//	gp3.default_throughput         gp3-default-throughput
//	gp3.type                       volume-type-attribute (whole numbers)
//	instance.throughput(_units)    instance-throughput
//	instance.iops                  instance-iops
//	instance.throughput_sum        instance-shared-budget
//	migrate.gp2_throughput         volume-type-legacy
//	root.device_name               mac-root-device
//	root.default                   mac-root-throughput (advice: no mapping at all)
//	root.smaller_than_ami          mac-root-size
//	apfs.grow                      mac-root-size (advice)
//	asg.grace_below_boot           mac-grace-period
//	mac.vm_limit                   mac-vm-limit
//	volume.lazy_load               mac-vmdata-snapshot
//	instance.source, price.stale   the catalogue's own sources and dates
package testcases

import (
	"fmt"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/mac"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// Finding is what has to be found.
type Finding struct {
	Rule     string
	Severity finding.Severity
	Path     string
	// Says are figures and words that the message and the fix have to hold.
	Says []string
	// SavingUSD is what the fix saves a month, "" for nothing.
	SavingUSD string
}

// Facts are what a case of any kind has.
type Facts struct {
	// ID of the case in the collection; a suffix tells several objects of one case apart.
	ID string
	// Facts in a sentence.
	Facts string
	// Note says where and why the design overrides the collection's verdict, or
	// what of it is not shown here; empty if nothing.
	Note string
	// Level is the worst severity that has to be found, 0 for nothing at all.
	Level finding.Severity
	// Findings are all that have to be found, in order; nothing else may be.
	Findings []Finding
}

// VolumeCase is one volume, judged alone and against its instance type if one
// was given.
type VolumeCase struct {
	Facts
	InstanceType optional.Value[string]
	Volume       ebs.Volume
	// Costs are settings that the case is about, with their exact prices.
	Costs []Cost
}

// Cost is a gp3 setting with its price in us-east-1, exact, and what limits it.
type Cost struct {
	// Of says which setting it is: "as asked", "fix".
	Of                                         string
	SizeGiB, IOPS, ThroughputMiBPerS           int64
	StorageUSD, IOPSUSD, ThroughputUSD, AllUSD string
	// MinIOPS carry the throughput, MaxThroughput is what the IOPS carry, MaxIOPS
	// is what the size may have.
	MinIOPS, MaxThroughput, MaxIOPS int64
}

// Setting is the setting without its size.
func (c Cost) Setting() ebs.GP3 {
	return ebs.GP3{IOPS: c.IOPS, ThroughputMiBPerS: c.ThroughputMiBPerS}
}

// HostCase is one Mac host, judged by the guard of its storage.
type HostCase struct {
	Facts
	Storage mac.Storage
	// Filled-in settings of the root, and the cost of all volumes.
	RootIOPS, RootThroughputMiBPerS int64
	MonthlyUSD                      string
}

// DeviceCase is the block device mappings of a Mac's launch template.
type DeviceCase struct {
	Facts
	Mappings []mac.Mapping
}

// CeilingCase is what an instance type can move to and from its volumes.
type CeilingCase struct {
	IDs                           []string
	Type                          string
	SustainedMB, MaximumMB        units.MBPerS
	SustainedMiB, MaximumMiB      string // two decimals
	SustainedIOPS, MaximumIOPS    int64
	FreeBaselineOfMaximumPercents string // what 125 MiB/s are of the maximum, two decimals
}

// Compare says how findings differ from what has to be found: "" if not at all.
func Compare(want []Finding, got []finding.Finding) string {
	line := func(severity finding.Severity, rule, path string) string {
		return fmt.Sprintf("%s %s at %q", severity, rule, path)
	}
	var wants, gots []string
	for _, w := range want {
		wants = append(wants, line(w.Severity, w.Rule, w.Path))
	}
	for _, g := range got {
		gots = append(gots, line(g.Severity, g.Rule, g.Path))
	}
	if a, b := strings.Join(wants, "\n\t"), strings.Join(gots, "\n\t"); a != b {
		var texts []string
		for _, g := range got {
			texts = append(texts, g.Message+" "+g.Fix)
		}
		return fmt.Sprintf("want findings\n\t%s\ngot\n\t%s\nwhich say\n\t%s", a, b, strings.Join(texts, "\n\t"))
	}
	var out []string
	for i, g := range got { // as many as are wanted
		w, text := want[i], g.Message+" "+g.Fix
		for _, s := range w.Says {
			if !strings.Contains(text, s) {
				out = append(out, fmt.Sprintf("%s does not say %q: %s", w.Rule, s, text))
			}
		}
		if saving := g.MonthlySavingUSD; saving.Valid != (w.SavingUSD != "") || (saving.Valid && !saving.Decimal.Equal(decimal.RequireFromString(w.SavingUSD))) {
			out = append(out, fmt.Sprintf("%s saves %v, want %q", w.Rule, saving.Decimal, w.SavingUSD))
		}
	}
	return strings.Join(out, "\n")
}

// amount is a figure that was written.
func amount(s string) optional.Value[decimal.Decimal] {
	return optional.Known(decimal.RequireFromString(s))
}

// leftOut is a figure that was left out.
var leftOut = optional.Null[decimal.Decimal]()

// noType is an instance type that was not given.
var noType = optional.Null[string]()
