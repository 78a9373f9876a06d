package audit

import (
	"embed"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
)

//go:embed rules/*.md
var pages embed.FS

func rule(id, summary string, severities ...finding.Severity) finding.Rule {
	return finding.Rule{ID: id, Summary: summary, Severities: severities, Pages: pages}
}

// The rules about resources, which only an audit sees. Each has a page of the
// same name under rules/.
var (
	RuleHostGroupKind   = rule("host-group-kind", "Resource group cannot manage dedicated hosts", finding.Error)
	RuleHostGroupFamily = rule("host-group-family", "Host resource group does not allow the instance family", finding.Error)
	RuleHostLicence     = rule("host-license", "Licence configuration does not cover the hosts", finding.Error, finding.Warning)
	RuleScaleInChurn    = rule("host-scale-in-churn", "Scaling on load gives up Mac hosts that bill for a day", finding.Warning)
	RuleReplaceGap      = rule("host-replace-gap", "Replacing a Mac leaves a gap or takes a second host", finding.Warning, finding.Info)
	RuleDestroy24h      = rule("host-destroy-24h", "Mac hosts cannot be destroyed within 24 hours", finding.Info)
	RuleHostZone        = rule("host-zone", "Availability zone is the name of a Region", finding.Error)
	RuleHostLeak        = rule("host-leak", "Mac host stays on the bill without an instance", finding.Warning)
	RuleSettingZero     = rule("volume-setting-zero", "Volume setting is 0 where unset is meant", finding.Info)
)

// Rules are the rules of this package.
func Rules() []finding.Rule {
	return []finding.Rule{
		RuleHostGroupKind, RuleHostGroupFamily, RuleHostLicence, RuleScaleInChurn, RuleReplaceGap,
		RuleDestroy24h, RuleHostZone, RuleHostLeak, RuleSettingZero,
	}
}
