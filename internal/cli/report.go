package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/output"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/rulebook"
)

// reportFlags are the flags of commands that look at files and report findings.
type reportFlags struct {
	format, failOn string
	ignore         []string
}

// never is a --fail-on that no finding reaches.
const never = "never"

func (f *reportFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.format, "format", "text", strings.Join(output.Names(), ", "))
	f.addRules(c, finding.Warning.String())
}

// addRules adds the flags about what counts, for commands that print findings in
// one way only.
func (f *reportFlags) addRules(c *cobra.Command, failOn string) {
	c.Flags().StringVar(&f.failOn, "fail-on", failOn, "lowest severity that makes the exit code 2: error, warning, info or never")
	c.Flags().StringArrayVar(&f.ignore, "ignore", nil, "`RULE=REASON` that is not reported; may be given several times")
}

// reporter prints reports as the flags say.
type reporter struct {
	format  output.Format
	failOn  finding.Severity // 0 for never
	ignores finding.Ignores
}

// reporter checks the flags before anything is read.
func (a *app) reporter(f reportFlags) (reporter, error) {
	var r reporter
	format, ok := output.New(f.format, output.Settings{Rules: rulebook.Registry(), Version: a.version, Color: wantsColor(a.stdout)})
	if !ok {
		return r, fmt.Errorf("--format: must be one of %s", strings.Join(output.Names(), ", "))
	}
	r.format = format
	if f.failOn != never {
		if r.failOn, ok = finding.ParseSeverity(f.failOn); !ok {
			return r, errors.New("--fail-on: must be error, warning, info or never")
		}
	}
	r.ignores = finding.Ignores{}
	for _, s := range f.ignore {
		id, reason, _ := strings.Cut(s, "=")
		r.ignores[id] = reason
	}
	if faults := r.ignores.Check(rulebook.Registry()); len(faults) > 0 {
		return r, fmt.Errorf("--ignore %s: %s", faults[0].ID, faults[0].Problem)
	}
	return r, nil
}

// filter leaves ignored rules out.
func (r reporter) filter(report output.Report) output.Report {
	report.Findings = slices.DeleteFunc(report.Findings, func(f output.Located) bool {
		return len(r.ignores.Filter([]finding.Finding{f.Finding})) == 0
	})
	return report
}

// outcome is the result of a command that has printed its report: what could
// not be looked at makes it a failure, whatever was found elsewhere.
func (r reporter) outcome(report output.Report) error {
	switch {
	case len(report.Errors) == 1:
		return errors.New("1 file could not be checked")
	case len(report.Errors) > 1:
		return fmt.Errorf("%d files could not be checked", len(report.Errors))
	case r.failOn > 0 && report.Worst() >= r.failOn:
		return ErrFindings
	}
	return nil
}

// wantsColor says whether output goes to a person who wants colours
// (https://no-color.org).
func wantsColor(w io.Writer) bool {
	return isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
