package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/audit"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/lazyregexp"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/output"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/plan"
)

// maxRounds bounds how often findings are fixed and looked for again: one change
// may show another fault, but not for ever.
const maxRounds = 20

// change puts right what can be, in memory first, and gives the report of what
// is left. Files are written at the end, each at once.
func (r *auditRun) change(ctx context.Context, in inputs, report output.Report, findings []audit.Finding) (output.Report, error) {
	before, after := map[string][]byte{}, map[string][]byte{}
	made := map[string]int{}
	var unfixed []audit.Unfixed
	for range maxRounds {
		var edits map[string][]audit.Edit
		edits, unfixed = audit.Changes(findings, in.changeable)
		if len(edits) == 0 {
			break
		}
		for name, es := range edits {
			f := es[0].File
			if _, seen := before[name]; !seen {
				before[name] = audit.Apply(f, nil)
			}
			after[name] = audit.Apply(f, es)
			made[name] += len(es)
		}
		var err error
		if report, findings, err = r.look(ctx, in, after); err != nil {
			return report, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if err := r.show(name, before[name], after[name], made[name]); err != nil {
			return report, err
		}
	}
	for _, u := range unfixed {
		if _, err := fmt.Fprintf(r.stderr, "%s:%d: %s is not changed: %s\n", u.File, u.Line, u.Rule, u.Why); err != nil {
			return report, err
		}
	}
	return report, nil
}

// oneSetting is a line with one setting of a volume, and perhaps a comment.
var oneSetting = lazyregexp.New(`^\s*"?(iops|throughput|type|volume_type|device_name)"?\s*[=:]\s*(\(*[0-9.]+\)*|"[a-z0-9/]*"|null)\s*,?\s*((#|//).*)?\s*$`)

// changeable says whether a file is in what was named. Local modules elsewhere
// are read with it, but may be somebody else's.
func (in inputs) changeable(f *plan.File) bool {
	file, err := filepath.Abs(filepath.FromSlash(f.Name))
	if err != nil {
		return false
	}
	under := func(dir string) bool {
		rel, err := filepath.Rel(dir, file)
		return err == nil && filepath.IsLocal(rel)
	}
	return slices.ContainsFunc(in.folders, func(dir string) bool {
		abs, err := filepath.Abs(dir)
		return err == nil && under(abs)
	}) || slices.ContainsFunc(in.only, func(name string) bool {
		abs, err := filepath.Abs(filepath.FromSlash(name))
		return err == nil && abs == file
	})
}

// show prints a change as a diff, and writes it.
func (r *auditRun) show(name string, before, after []byte, made int) error {
	if r.diff {
		shown := strings.TrimPrefix(name, "/")
		text, err := diffOf(shown, string(before), string(after), oneSetting().MatchString)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(r.stdout, text); err != nil {
			return err
		}
		if strings.Contains(text, hiddenLine) {
			if _, err := fmt.Fprintf(r.stderr, "%s: a line of its diff is not shown, so it cannot be applied; --fix writes the change\n", name); err != nil {
				return err
			}
		}
	}
	if !r.fix {
		return nil
	}
	path := filepath.FromSlash(name)
	// Somebody may have written to the file since it was read.
	if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, before) {
		return fmt.Errorf("%s: it has changed while it was checked; nothing was written to it", name)
	}
	if err := rewrite(path, after); err != nil {
		return err
	}
	_, err := fmt.Fprintf(r.stderr, "%s: %s\n", name, count(made, "setting changed", "settings changed"))
	return err
}
