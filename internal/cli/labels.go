package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/output"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/runnerlabel"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/workflow"
)

func (a *app) labelsCommand() *cobra.Command {
	l := labels{app: a}
	c := &cobra.Command{
		Use:   "labels FILE...",
		Short: "Check the runner labels of GitHub workflow files, and fix them",
		Long: `Reads GitHub Actions workflow files and checks the labels by which their jobs ask
for runners of RunsOn, Sprinters or github-aws-runners: misspelt and removed
keys, values that are not known, volumes that EC2 refuses or that the instance
cannot use. Other labels are left alone, and so is what an expression decides.

FILE may be a folder, whose workflow files are read, or - for standard input.
--fix writes what can be put right in one way and keeps everything else in the
file as it is, to the byte; --diff shows that instead.

The exit code is 0 if there is nothing at or above --fail-on, 2 if there is, and
1 if a file could not be checked.`,
		Example: "  runnerfit labels .github/workflows\n  runnerfit labels --fix .github/workflows/ci.yml\n  runnerfit labels --format github .github/workflows/*.yml",
		Args:    takes(1, math.MaxInt, "workflow files, or folders of them"),
		RunE: func(c *cobra.Command, args []string) error {
			return l.run(c.Context(), args)
		},
	}
	l.flags.add(c)
	c.Flags().BoolVar(&l.fix, "fix", false, "rewrite the files in place")
	c.Flags().BoolVar(&l.diff, "diff", false, "print what --fix changes instead of the findings")
	c.Flags().StringVar(&l.parser.Region, "region", catalog.DefaultRegion, "AWS Region whose prices are shown")
	return c
}

// labels is one run of the command.
type labels struct {
	*app
	flags     reportFlags
	fix, diff bool
	parser    runnerlabel.Parser
	// ignored says that a rule is not reported, so nothing is changed for it.
	ignored func(rule string) bool
}

// standardInput is what a file of this name is called in reports.
const (
	standardInput     = "-"
	standardInputName = "<stdin>"
)

func (l *labels) run(ctx context.Context, args []string) error {
	reporter, err := l.reporter(l.flags)
	if err != nil {
		return err
	}
	if !catalog.IsRegionName(l.parser.Region) {
		return fmt.Errorf("--region: not the name of an AWS Region such as %s", catalog.DefaultRegion)
	}
	if l.fix && slices.Contains(args, standardInput) {
		return errors.New("--fix: standard input cannot be rewritten; use --diff")
	}
	l.parser.Catalog, l.parser.HeadsOnly = catalog.Embedded(), true
	l.ignored = func(rule string) bool { _, ok := reporter.ignores[rule]; return ok }

	var report output.Report
	for _, arg := range args {
		files, err := workflowFiles(arg)
		if err != nil {
			report.Errors = append(report.Errors, output.Problem{File: filepath.ToSlash(arg), Message: fileMessage(err)})
			continue
		}
		for _, name := range files {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := l.file(ctx, name, &report); err != nil {
				if stopped := ctx.Err(); stopped != nil {
					return stopped
				}
				report.Errors = append(report.Errors, problem(name, err))
			}
		}
	}
	report = reporter.filter(report)
	if !l.diff {
		if err := reporter.format.Write(l.stdout, report); err != nil {
			return err
		}
	}
	for _, e := range report.Errors {
		if l.diff { // the diff has no place for them
			if _, err := fmt.Fprintf(l.stderr, "runnerfit: %s: %s\n", e.File, e.Message); err != nil {
				return err
			}
		}
	}
	return reporter.outcome(report)
}

// workflowFiles are the files that an argument names: itself, or the workflow
// files of a folder or of the repository in it.
func workflowFiles(arg string) ([]string, error) {
	if arg == standardInput {
		return []string{arg}, nil
	}
	info, err := os.Stat(arg)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{arg}, nil
	}
	if inner := filepath.Join(arg, ".github", "workflows"); isDir(inner) {
		arg = inner
	}
	entries, err := os.ReadDir(arg)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); !e.IsDir() && (ext == ".yml" || ext == ".yaml") {
			files = append(files, filepath.Join(arg, e.Name()))
		}
	}
	if len(files) == 0 {
		return nil, errNoWorkflows
	}
	return files, nil
}

var errNoWorkflows = errors.New("the folder has no workflow files (*.yml, *.yaml)")

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// file looks at one file, and fixes it if that was asked for.
func (l *labels) file(ctx context.Context, name string, report *output.Report) error {
	source, err := l.read(ctx, name)
	if err != nil {
		return err
	}
	f, err := workflow.Parse(source)
	if err != nil {
		return err
	}
	if l.fix || l.diff {
		fixed, made := f.Apply(l.changes(f))
		if l.diff {
			shown := strings.TrimPrefix(filepath.ToSlash(name), "/")
			diff, err := diffOf(shown, string(source), string(fixed), func(string) bool { return true })
			if err != nil {
				return err
			}
			if _, err := io.WriteString(l.stdout, diff); err != nil {
				return err
			}
		}
		if l.fix && len(made) > 0 {
			if err := rewrite(name, fixed); err != nil {
				return err
			}
			if _, err := fmt.Fprintf(l.stderr, "%s: %s\n", name, count(len(made), "label fixed", "labels fixed")); err != nil {
				return err
			}
			// What is left is what is reported.
			if f, err = workflow.Parse(fixed); err != nil {
				return err
			}
		}
	}
	shown := filepath.ToSlash(name)
	if name == standardInput {
		shown = standardInputName
	}
	for _, j := range f.Jobs() {
		report.Findings = append(report.Findings, l.findings(shown, j)...)
	}
	return nil
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// read reads a file, but not one that goes on for ever.
func (l *labels) read(ctx context.Context, name string) ([]byte, error) {
	in := l.stdin
	if name != standardInput {
		f, err := openRegular(name)
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }()
		in = f
	}
	return io.ReadAll(io.LimitReader(interruptible(ctx, in), workflow.MaxSize+1))
}

// changes are the labels of a file that can be put right.
func (l *labels) changes(f *workflow.File) []workflow.Change {
	var out []workflow.Change
	for _, j := range f.Jobs() {
		fixed, err := l.parser.FixExcept(l.ignored, j.Values()...)
		if err != nil {
			continue // reported when the label is checked
		}
		for i, t := range j.Texts {
			if fixed[i] != t.Value {
				out = append(out, workflow.Change{Text: t, To: fixed[i]})
			}
		}
	}
	return out
}

// findings are what is wrong with the label of a job, each at its line.
func (l *labels) findings(file string, j workflow.Job) []output.Located {
	located := func(f finding.Finding, t *workflow.Text) output.Located {
		return output.Located{Finding: f, Address: j.Address, File: file, Line: t.Line, Column: t.Column, Excerpt: t.Excerpt}
	}
	label, err := l.parser.Parse(j.Values()...)
	if shape, ok := errors.AsType[*runnerlabel.ShapeError](err); ok {
		return []output.Located{located(shape.Finding(), j.Texts[0])}
	}
	var out []output.Located
	for _, f := range label.Findings {
		out = append(out, located(f, j.Texts[label.TextOf(f)]))
	}
	return out
}

// problem is an error with the place that it names.
func problem(name string, err error) output.Problem {
	p := output.Problem{File: filepath.ToSlash(name), Message: fileMessage(err)}
	if name == standardInput {
		p.File = standardInputName
	}
	if s, ok := errors.AsType[*workflow.SyntaxError](err); ok {
		p.Line, p.Column, p.Message = s.Line, s.Column, s.Message
	}
	return p
}

// fileMessage is an error of the file system as a sentence, without the name,
// which stands beside it.
func fileMessage(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "There is no such file."
	case errors.Is(err, fs.ErrPermission):
		return "There is no permission to read or write it."
	}
	text := err.Error()
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		text = p.Err.Error()
	}
	return strings.ToUpper(text[:1]) + strings.TrimSuffix(text[1:], ".") + "."
}
