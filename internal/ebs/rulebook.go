package ebs

import (
	"embed"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
)

//go:embed rules/*.md
var pages embed.FS

var (
	errorOnly    = []finding.Severity{finding.Error}
	errorWarning = []finding.Severity{finding.Error, finding.Warning}
	warningOnly  = []finding.Severity{finding.Warning}
	warningInfo  = []finding.Severity{finding.Warning, finding.Info}
	infoOnly     = []finding.Severity{finding.Info}
)

// The rules of volumes. Each has a page of the same name under rules/.
var (
	RuleGP3SizeRange         = rule("gp3-size-range", "gp3 volume size is outside AWS's limits", errorOnly)
	RuleGP3IOPSRange         = rule("gp3-iops-range", "gp3 IOPS are outside AWS's limits", errorWarning)
	RuleGP3ThroughputRange   = rule("gp3-throughput-range", "gp3 throughput is outside AWS's limits", errorWarning)
	RuleGP3ThroughputRatio   = rule("gp3-throughput-ratio", "gp3 throughput needs more IOPS than it has", errorOnly)
	RuleGP3IOPSPerGiB        = rule("gp3-iops-per-gib", "gp3 volume is too small for its IOPS", errorOnly)
	RuleGP3IOPSUnneeded      = rule("gp3-iops-unneeded", "gp3 IOPS are paid for but not needed", infoOnly)
	RuleGP3DefaultThroughput = rule("gp3-default-throughput", "gp3 volume runs at its default speed", infoOnly)
	RuleVolumeTypeAttribute  = rule("volume-type-attribute", "EBS volume type does not take this setting", errorOnly)
	RuleVolumeTypeLegacy     = rule("volume-type-legacy", "EBS volume of an older type costs more than gp3", warningOnly)
	RuleInstanceThroughput   = rule("instance-throughput", "EBS volume is faster than its instance", warningInfo)
	RuleInstanceIOPS         = rule("instance-iops", "EBS volume has more IOPS than its instance", warningInfo)
	RuleInstanceSharedBudget = rule("instance-shared-budget", "EBS volumes together exceed their instance", warningInfo)
	RuleInstanceUnknown      = rule("instance-unknown", "Instance type is not in the catalogue", warningOnly)
	RuleInstanceEBSCard      = rule("instance-ebs-card", "EBS card is one that the instance does not have", errorOnly)
	RuleInstanceVolumeCount  = rule("instance-volume-count", "More EBS volumes than the instance can attach", errorOnly)
)

// Rules are the rules of volumes.
func Rules() []finding.Rule {
	return []finding.Rule{
		RuleGP3SizeRange, RuleGP3IOPSRange, RuleGP3ThroughputRange, RuleGP3ThroughputRatio, RuleGP3IOPSPerGiB,
		RuleGP3IOPSUnneeded, RuleGP3DefaultThroughput, RuleVolumeTypeAttribute, RuleVolumeTypeLegacy,
		RuleInstanceThroughput, RuleInstanceIOPS, RuleInstanceSharedBudget, RuleInstanceUnknown,
		RuleInstanceEBSCard, RuleInstanceVolumeCount,
	}
}

func rule(id, summary string, severities []finding.Severity) finding.Rule {
	return finding.Rule{ID: id, Summary: summary, Severities: severities, Pages: pages}
}
