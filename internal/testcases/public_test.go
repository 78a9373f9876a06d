package testcases

import (
	"slices"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/mac"
)

// The tables are used far from here, so that a slip in them would be looked for
// in the wrong place.
func TestPublicCasesAreSound(t *testing.T) {
	rules := slices.Concat(ebs.Rules(), mac.Rules())
	check := func(table string, all []Facts) {
		seen := map[string]bool{}
		for _, f := range all {
			if f.ID == "" || f.Facts == "" || seen[f.ID] {
				t.Errorf("%s: case %q has no facts or no ID of its own", table, f.ID)
			}
			seen[f.ID] = true
			worst := finding.Severity(0)
			for _, w := range f.Findings {
				worst = max(worst, w.Severity)
				at := slices.IndexFunc(rules, func(r finding.Rule) bool { return r.ID == w.Rule })
				if at < 0 || !slices.Contains(rules[at].Severities, w.Severity) {
					t.Errorf("%s: case %s expects %s of %s", table, f.ID, w.Severity, w.Rule)
				}
			}
			if worst != f.Level {
				t.Errorf("%s: case %s is of level %s, but its worst finding is %s", table, f.ID, f.Level, worst)
			}
		}
	}
	var volumes, hosts, devices []Facts
	for _, c := range Volumes {
		volumes = append(volumes, c.Facts)
	}
	for _, c := range Hosts {
		hosts = append(hosts, c.Facts)
	}
	for _, c := range Devices {
		devices = append(devices, c.Facts)
	}
	check("Volumes", volumes)
	check("Hosts", hosts)
	check("Devices", devices)
}

// Compare is what all the tables rest on: it has to see every difference.
func TestCompare(t *testing.T) {
	want := []Finding{{Rule: "a", Severity: finding.Warning, Path: "p", Says: []string{"7 of 8", "write 8"}, SavingUSD: "1.5"}}
	good := finding.Finding{Rule: "a", Severity: finding.Warning, Path: "p", Message: "It is 7 of 8.", Fix: "So write 8.", MonthlySavingUSD: decimal.NewNullDecimal(decimal.RequireFromString("1.50"))}
	if diff := Compare(want, []finding.Finding{good}); diff != "" {
		t.Errorf("the same differs: %s", diff)
	}
	change := func(f func(*finding.Finding)) []finding.Finding { g := good; f(&g); return []finding.Finding{g} }
	for name, got := range map[string][]finding.Finding{
		"nothing":          nil,
		"one more":         {good, good},
		"another rule":     change(func(f *finding.Finding) { f.Rule = "b" }),
		"another severity": change(func(f *finding.Finding) { f.Severity = finding.Error }),
		"another path":     change(func(f *finding.Finding) { f.Path = "q" }),
		"another message":  change(func(f *finding.Finding) { f.Message = "It is 6 of 8." }),
		"another fix":      change(func(f *finding.Finding) { f.Fix = "So write 9." }),
		"another saving": change(func(f *finding.Finding) {
			f.MonthlySavingUSD = decimal.NewNullDecimal(decimal.RequireFromString("1.49"))
		}),
		"no saving":               change(func(f *finding.Finding) { f.MonthlySavingUSD = decimal.NullDecimal{} }),
		"the order the other way": {{Rule: "z"}, good},
	} {
		if Compare(want, got) == "" {
			t.Errorf("%s is not noticed", name)
		}
	}
	if diff := Compare(nil, []finding.Finding{good}); !strings.Contains(diff, "So write 8") {
		t.Errorf("what was said is not shown: %s", diff)
	}
}
