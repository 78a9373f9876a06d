package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/output"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/plan"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/report"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/rulebook"
)

func (a *app) reportCommand() *cobra.Command {
	r := htmlReport{auditRun: auditRun{app: a}}
	c := &cobra.Command{
		Use:   "report PATH -o FILE.html",
		Short: "Draw what the audit reads: start-up, cost, shared budget, hosts",
		Long: `Writes a page to look at, of what the audit reads: for each fleet its findings
with their fixes, the predicted start-up of Macs, what its volumes cost now and
after the fixes, how they share the instance's ceiling, and what becomes of its
hosts over 72 hours.

PATH is a folder of Terraform or OpenTofu configuration, or what
terraform show -json prints of a plan or a state; - reads that from standard
input. The page is one file that needs no network and no script. It shows
addresses, types, figures and findings; values that Terraform marks as sensitive
are not looked at, and nothing is sent anywhere. The same input gives the same
page; --date writes a date on it.

What is there already is not overwritten without --force. The exit code is 0, 1 if
something could not be read, and 2 if --fail-on says so.`,
		Example: "  runnerfit report infra -o report.html\n  terraform show -json plan.out | runnerfit report - -o report.html",
		Args:    takes(1, 1, "one PATH: a folder, or a plan in JSON"),
		RunE: func(c *cobra.Command, args []string) error {
			r.failOnGiven, r.regionGiven = true, c.Flags().Changed("region")
			return r.run(c.Context(), args[0])
		},
	}
	c.Flags().StringVarP(&r.out, "output", "o", "", "`FILE` to write the page to, - for standard output (required)")
	c.Flags().BoolVar(&r.force, "force", false, "overwrite the file")
	c.Flags().StringVar(&r.date, "date", "", "`DATE` to show on the page; none if it is left out")
	r.flags.addRules(c, never)
	r.addInput(c)
	r.flags.format = "text" // for errors; findings are in the page
	return c
}

// htmlReport is one run of the command. It reads and ignores as the audit does.
type htmlReport struct {
	auditRun
	out, date string
	force     bool
}

func (r *htmlReport) run(ctx context.Context, path string) error {
	if r.out == "" {
		return errors.New("where to? Give the page a name with -o FILE.html, or -o - for standard output")
	}
	if err := r.configure(); err != nil {
		return err
	}
	// Before the work is done, and again when it is.
	if err := r.free(); err != nil {
		return err
	}
	in, err := r.read(ctx, path)
	if err != nil {
		return err
	}
	if len(in.Configurations) == 0 && len(in.Problems) > 0 {
		p := in.Problems[0]
		return fmt.Errorf("%s: %s No report was written", p.File, p.Message)
	}
	in.Audit, in.Rules, in.Version, in.Date = r.options, rulebook.Registry(), r.version, r.date
	page := report.Build(in)
	var b bytes.Buffer
	if err := page.HTML(&b); err != nil {
		return err
	}
	if err := r.write(b.Bytes()); err != nil {
		return err
	}
	for _, p := range in.Problems {
		where := p.File
		if p.Line > 0 {
			where += fmt.Sprintf(" line %d", p.Line)
		}
		_, _ = fmt.Fprintf(r.stderr, "runnerfit: %s: %s\n", where, p.Message)
	}
	return r.reporter.outcome(output.Report{Findings: page.All, Errors: in.Problems})
}

// read reads the configurations that a path stands for.
func (r *htmlReport) read(ctx context.Context, path string) (report.Input, error) {
	in := report.Input{Source: filepath.ToSlash(path)}
	found, err := sortInputs([]string{path})
	if err != nil {
		return in, err
	}
	if len(found.plans) == 0 {
		progress, done := r.progress()
		folders, err := plan.ReadFolders(ctx, found.folders, plan.Options{ValueFiles: r.valueFiles, Single: found.single, Progress: progress})
		done()
		if err != nil {
			return in, err
		}
		in.Configurations, in.Problems = folders.Roots, problemsIn(folders)
		if len(in.Configurations) == 0 && len(in.Problems) == 0 {
			in.Problems = []output.Problem{{File: in.Source, Message: "There is no Terraform configuration in this folder."}}
		}
		return in, nil
	}
	d, shown, problem := r.readPlan(ctx, path)
	if ctx.Err() != nil {
		return in, ctx.Err()
	}
	in.Source = shown
	if problem != nil {
		in.Problems = []output.Problem{*problem}
		return in, nil
	}
	in.Configurations, in.Notes = []*plan.Configuration{d.Configuration}, d.Notes
	if d.Errored {
		in.Problems = []output.Problem{{File: in.Source, Message: "The plan says of itself that it ended with an error, so it is not whole. What is in it is shown."}}
	}
	return in, nil
}

// free says what is wrong with the place to write to.
func (r *htmlReport) free() error {
	if r.out == standardInput || r.force {
		return nil
	}
	switch _, err := os.Lstat(r.out); {
	case err == nil:
		return fmt.Errorf("%s is there already; --force overwrites it", r.out)
	case errors.Is(err, fs.ErrNotExist):
		return nil
	default:
		return fmt.Errorf("%s: %s", r.out, fileMessage(err))
	}
}

// write writes the page at once: whoever opens it sees the whole page, or the old
// one.
func (r *htmlReport) write(page []byte) (err error) {
	if r.out == standardInput {
		_, err := io.Copy(r.stdout, bytes.NewReader(page))
		return err
	}
	if _, err := os.Stat(r.out); err == nil && r.force {
		if err := rewrite(r.out, page); err != nil {
			return fmt.Errorf("%s: %s", r.out, fileMessage(err))
		}
		_, err := fmt.Fprintln(r.stderr, r.out)
		return err
	}
	temporary, err := beside(r.out, page, 0o644)
	if err != nil {
		return fmt.Errorf("%s: %s", r.out, fileMessage(err))
	}
	defer func() { _ = os.Remove(temporary) }()
	// A link, unlike a rename, does not replace what has come there meanwhile.
	switch err := os.Link(temporary, r.out); {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s is there already; --force overwrites it", r.out)
	case err != nil: // a file system without links
		if err := r.free(); err != nil {
			return err
		}
		if err := os.Rename(temporary, r.out); err != nil {
			return fmt.Errorf("%s: %s", r.out, fileMessage(err))
		}
	}
	_, err = fmt.Fprintln(r.stderr, r.out)
	return err
}
