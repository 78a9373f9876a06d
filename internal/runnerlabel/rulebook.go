package runnerlabel

import (
	"embed"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
)

//go:embed rules/*.md
var pages embed.FS

func rule(id, summary string, severities ...finding.Severity) finding.Rule {
	return finding.Rule{ID: id, Summary: summary, Severities: severities, Pages: pages}
}

// The rules of labels. Each has a page of the same name under rules/. The
// systems ignore what they do not know, so that a job runs, on another runner
// than the one that was asked for: those are warnings.
var (
	RuleUnreadable   = rule("label-unreadable", "Runner label cannot be read", finding.Error)
	RuleUnknownKey   = rule("label-unknown-key", "Runner label has a key that is not known", finding.Warning, finding.Info)
	RuleUnknownValue = rule("label-unknown-value", "Runner label has a value that is not known", finding.Warning, finding.Info)
	RuleDiskRemoved  = rule("label-disk-removed", "Runner label asks for a disk in the removed way", finding.Warning)
	RuleVolume       = rule("label-volume", "Runner label has a volume that cannot be read", finding.Error, finding.Warning)
)

// Rules are the rules of this package.
func Rules() []finding.Rule {
	return []finding.Rule{RuleUnreadable, RuleUnknownKey, RuleUnknownValue, RuleDiskRemoved, RuleVolume}
}
