package testcases

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

// Said is a finding as a front end shows it.
type Said struct{ Rule, Severity, Path, Text string }

// Check compares what a front end shows with the findings that a case has, all
// of them and in their order.
func Check(t *testing.T, want []Finding, got []Said) {
	t.Helper()
	type head struct{ Rule, Severity, Path string }
	var wantHeads, gotHeads []head
	for _, w := range want {
		wantHeads = append(wantHeads, head{w.Rule, w.Severity.String(), w.Path})
	}
	for _, g := range got {
		gotHeads = append(gotHeads, head{g.Rule, g.Severity, g.Path})
	}
	if diff := cmp.Diff(wantHeads, gotHeads); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
		return
	}
	for i, w := range want {
		for _, says := range w.Says {
			if !strings.Contains(got[i].Text, says) {
				t.Errorf("%s does not say %q:\n%s", w.Rule, says, got[i].Text)
			}
		}
	}
}

// CheckFindings is Check on the findings of a domain package.
func CheckFindings(t *testing.T, want []Finding, got []finding.Finding) {
	t.Helper()
	said := make([]Said, len(got))
	for i, f := range got {
		said[i] = Said{Rule: f.Rule, Severity: f.Severity.String(), Path: f.Path, Text: f.Message + "\n" + f.Fix}
	}
	Check(t, want, said)
}

// found is a finding that a case must have.
func found(severity finding.Severity, rule, path string, says ...string) Finding {
	return Finding{Rule: rule, Severity: severity, Path: path, Says: says}
}

// Number is a figure that was written.
func Number(s string) optional.Value[decimal.Decimal] { return amount(s) }
