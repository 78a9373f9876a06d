package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/audit"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/output"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/plan"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/rulebook"
)

func (a *app) auditCommand() *cobra.Command {
	r := auditRun{app: a}
	c := &cobra.Command{
		Use:   "audit [PATH...|-]",
		Short: "Check Terraform that you already have, and fix it",
		Long: `Checks plans and folders of Terraform or OpenTofu configuration for volumes that
EC2 refuses, that are slower than they look or cost more than they need to, and
for EC2 Mac hosts that do not start, are not released or not covered.

PATH is a folder (the working folder if none is given; folders in it are read,
too), a file of configuration (only its findings are reported), or what
terraform show -json prints of a plan or a state; - reads that from standard
input. Nothing is sent anywhere, and values that Terraform marks as sensitive
are not looked at. What cannot be known is not guessed: in a folder, a value from
a data source or a variable without a value is left alone.

A rule is ignored with --ignore, in .runnerfit.hcl, or by a comment on the line of
the setting or above it: # runnerfit:ignore RULE reason.

The exit code is 0 if there is nothing at or above --fail-on, 2 if there is, and
1 if something could not be checked.`,
		Example: "  runnerfit audit infra\n  terraform show -json plan.out | runnerfit audit -\n  runnerfit audit --fix infra\n  runnerfit audit --format sarif infra > runnerfit.sarif",
		RunE: func(c *cobra.Command, args []string) error {
			r.failOnGiven, r.regionGiven = c.Flags().Changed("fail-on"), c.Flags().Changed("region")
			return r.run(c.Context(), args)
		},
	}
	r.flags.add(c)
	c.Flags().BoolVar(&r.fix, "fix", false, "rewrite literals in the configuration where a finding has one right value")
	c.Flags().BoolVar(&r.diff, "diff", false, "print what --fix changes instead of the findings, as a patch for git apply --unidiff-zero; with --fix, change it, too")
	c.Flags().StringVar(&r.baseline, "baseline", "", "`FILE` of findings that are known and not reported")
	c.Flags().BoolVar(&r.writeBaseline, "write-baseline", false, "write all findings to the baseline (default "+defaultBaseline+") instead of reporting them")
	r.addInput(c)
	return c
}

// auditRun is one run of the command.
type auditRun struct {
	*app
	flags                    reportFlags
	fix, diff, writeBaseline bool
	baseline, region         string
	configFile               string
	valueFiles               []string

	failOnGiven, regionGiven bool
	options                  audit.Options
	reporter                 reporter
}

// addInput adds the flags about what is read.
func (r *auditRun) addInput(c *cobra.Command) {
	c.Flags().StringVar(&r.region, "region", catalog.DefaultRegion, "AWS Region whose prices are shown where the configuration names none")
	c.Flags().StringArrayVar(&r.valueFiles, "var-file", nil, "`FILE` with values of variables, as for terraform plan; may be given several times")
	c.Flags().StringVar(&r.configFile, "config", "", "`FILE` to use instead of "+configName)
}

func (r *auditRun) run(ctx context.Context, args []string) error {
	if err := r.configure(); err != nil {
		return err
	}
	if len(args) == 0 {
		args = []string{"."}
	}
	inputs, err := sortInputs(args)
	if err != nil {
		return err
	}
	if (r.fix || r.diff) && len(inputs.plans) > 0 {
		return errors.New("--fix and --diff change configuration; give folders, and no plan")
	}
	if r.diff && r.flags.format != "" && r.flags.format != "text" {
		return errors.New("--diff prints a diff instead of the findings; leave --format out")
	}
	var known *audit.Baseline
	if r.baseline != "" && !r.writeBaseline {
		if known, err = readBaseline(r.baseline); err != nil {
			return err
		}
	}
	report, findings, err := r.look(ctx, inputs, nil)
	if err != nil {
		return err
	}
	if r.fix || r.diff {
		left, err := r.change(ctx, inputs, report, findings)
		if err != nil {
			return err
		}
		if r.fix { // else the files are as they were
			report = left
		}
	}
	if r.writeBaseline {
		return r.writeBaselineFile(report)
	}
	if known != nil {
		report.Findings = known.New(report.Findings)
	}
	if !r.diff {
		if err := r.reporter.format.Write(r.stdout, report); err != nil {
			return err
		}
	}
	return r.reporter.outcome(report)
}

// configure joins flags and the configuration file; flags count for more.
func (r *auditRun) configure() error {
	config, err := readConfig(r.configFile)
	if err != nil {
		return err
	}
	if !r.failOnGiven && config.FailOn != "" {
		r.flags.failOn = config.FailOn
	}
	if !r.regionGiven && config.Region != "" {
		r.region = config.Region
	}
	if !catalog.IsRegionName(r.region) {
		return fmt.Errorf("--region: not the name of an AWS Region such as %s", catalog.DefaultRegion)
	}
	if r.reporter, err = r.app.reporter(r.flags); err != nil {
		return err
	}
	for id, reason := range config.IgnoreRules {
		if _, given := r.reporter.ignores[id]; !given {
			r.reporter.ignores[id] = reason
		}
	}
	r.options = audit.Options{
		Catalog: catalog.Embedded().WithPrices(config.prices()), Region: r.region, Ignores: r.reporter.ignores,
	}
	return nil
}

// inputs are the arguments by what they are.
type inputs struct {
	folders []string
	// single are the folders of files that were named.
	single []string
	plans  []string
	// only are the files whose findings are wanted, where files were named; nil
	// for all.
	only []string
}

// sortInputs tells folders, files of configuration and plans apart.
func sortInputs(args []string) (inputs, error) {
	var in inputs
	named := false
	for _, arg := range args {
		info, err := os.Stat(arg)
		switch {
		case arg == standardInput:
			if slices.Contains(in.plans, arg) {
				return in, errors.New("standard input can be read only once")
			}
			in.plans = append(in.plans, arg)
		case err == nil && info.IsDir():
			in.folders = append(in.folders, arg)
			in.only = append(in.only, filepath.ToSlash(filepath.Clean(arg))+"/")
		case plan.IsConfigFile(arg):
			named = true
			in.single = append(in.single, filepath.Dir(arg))
			in.only = append(in.only, filepath.ToSlash(filepath.Clean(arg)))
		case err != nil && filepath.Ext(arg) == "":
			in.folders = append(in.folders, arg) // a folder that is not there
		default:
			in.plans = append(in.plans, arg)
		}
	}
	if !named {
		in.only = nil
	}
	return in, nil
}

// wanted says whether findings in a file were asked for.
func (in inputs) wanted(file string) bool {
	if in.only == nil || file == "" {
		return true
	}
	return slices.ContainsFunc(in.only, func(o string) bool {
		return o == file || o == "./" || strings.HasSuffix(o, "/") && strings.HasPrefix(file, o)
	})
}

// look reads all inputs and judges them. contents take the place of files.
func (r *auditRun) look(ctx context.Context, in inputs, contents map[string][]byte) (output.Report, []audit.Finding, error) {
	var report output.Report
	var all []audit.Finding
	if len(in.folders)+len(in.single) > 0 {
		progress, done := r.progress()
		folders, err := plan.ReadFolders(ctx, in.folders, plan.Options{ValueFiles: r.valueFiles, Single: in.single, Contents: contents, Progress: progress})
		done()
		if err != nil {
			return report, nil, err
		}
		report.Errors = append(report.Errors, problemsIn(folders)...)
		if contents == nil { // once, and not after each round of --fix
			for _, n := range folders.Notes {
				_, _ = fmt.Fprintf(r.stderr, "runnerfit: %s\n", n)
			}
		}
		for _, c := range folders.Roots {
			for _, f := range audit.Run(c, r.options) {
				if in.wanted(f.File) {
					all = append(all, f)
				}
			}
		}
		if len(folders.Roots) == 0 && len(report.Errors) == 0 && len(in.plans) == 0 {
			report.Errors = append(report.Errors, output.Problem{File: filepath.ToSlash(slices.Concat(in.folders, in.single)[0]), Message: "There is no Terraform configuration in this folder."})
		}
	}
	for _, name := range in.plans {
		if err := ctx.Err(); err != nil {
			return report, nil, err
		}
		fs, problem := r.plan(ctx, name)
		if err := ctx.Err(); err != nil {
			return report, nil, err
		}
		if problem != nil {
			report.Errors = append(report.Errors, *problem)
		}
		all = append(all, fs...)
	}
	all = audit.Distinct(all)
	for _, f := range all {
		report.Findings = append(report.Findings, f.Located)
	}
	return report, all, nil
}

// problemsIn are what could not be read of folders, and comments that ignore a
// rule that there is none of.
func problemsIn(folders *plan.Folders) []output.Problem {
	var out []output.Problem
	for _, p := range folders.Problems {
		out = append(out, output.Problem(p))
	}
	registry := rulebook.Registry()
	for _, f := range folders.Files {
		for _, ig := range f.Ignores() {
			for _, fault := range (finding.Ignores{ig.Rule: "given"}).Check(registry) {
				out = append(out, output.Problem{File: f.Name, Line: ig.Line, Message: "Ignored rule: " + fault.Problem})
			}
		}
	}
	return out
}

// readPlan reads a plan or a state, and says how its file is shown.
func (a *app) readPlan(ctx context.Context, name string) (d *plan.Document, shown string, problem *output.Problem) {
	in, shown := interruptible(ctx, a.stdin), standardInputName
	if name != standardInput {
		shown = filepath.ToSlash(name)
		f, err := openRegular(name)
		if err != nil {
			return nil, shown, &output.Problem{File: shown, Message: fileMessage(err)}
		}
		defer func() { _ = f.Close() }()
		in = f
	}
	d, err := plan.ReadJSON(in, shown)
	if err != nil {
		problem = &output.Problem{File: shown, Message: fileMessage(err)}
		if e, ok := errors.AsType[*plan.JSONError](err); ok {
			problem.Line, problem.Column, problem.Message = e.Line, e.Column, e.Message
		}
		return nil, shown, problem
	}
	return d, shown, nil
}

// plan reads and judges a plan or a state.
func (r *auditRun) plan(ctx context.Context, name string) ([]audit.Finding, *output.Problem) {
	d, shown, problem := r.readPlan(ctx, name)
	if problem != nil {
		return nil, problem
	}
	for _, n := range d.Notes {
		_, _ = fmt.Fprintf(r.stderr, "runnerfit: %s: %s\n", shown, n)
	}
	fs := audit.Run(d.Configuration, r.options)
	if d.Errored {
		return fs, &output.Problem{File: shown, Message: "The plan says of itself that it ended with an error, so it is not whole. What is in it was checked."}
	}
	return fs, nil
}

// progress tells a person at a terminal how far it is.
func (r *auditRun) progress() (report func(done, of int), end func()) {
	if !isTerminal(r.stderr) {
		return nil, func() {}
	}
	const clearCode = "\r\x1b[K"
	return func(done, of int) {
			_, _ = fmt.Fprintf(r.stderr, "%sreading folder %d of %d", clearCode, done, of)
		}, func() {
			_, _ = io.WriteString(r.stderr, clearCode)
		}
}

// defaultBaseline is where --write-baseline writes if no file is named.
const defaultBaseline = ".runnerfit-baseline.json"

func readBaseline(name string) (*audit.Baseline, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("--baseline %s: %s", name, strings.ToLower(fileMessage(err)))
	}
	defer func() { _ = f.Close() }()
	b, err := audit.ReadBaseline(f)
	if err != nil {
		return nil, fmt.Errorf("--baseline %s: %w", name, err)
	}
	return b, nil
}

func (r *auditRun) writeBaselineFile(report output.Report) error {
	name := r.baseline
	if name == "" {
		name = defaultBaseline
	}
	text, err := audit.NewBaseline(report.Findings).Text()
	if err != nil {
		return err
	}
	if _, err := os.Stat(name); errors.Is(err, os.ErrNotExist) {
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			return err
		}
	}
	if err := rewrite(name, text); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(r.stderr, "%s: %s\n", name, count(len(report.Findings), "finding", "findings")); err != nil {
		return err
	}
	report.Findings = nil
	return r.reporter.outcome(report)
}
