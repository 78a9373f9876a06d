package output

import (
	"fmt"
	"io"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// markdown is for a comment on a pull request or a step's summary.
type markdown struct{ Settings }

func (m markdown) Write(w io.Writer, r Report) error {
	r = r.sorted()
	b := linesTo(w)
	b.line("## runnerfit\n")
	switch {
	case len(r.Findings) > 0:
		b.line("| | where | what | how to fix | rule |")
		b.line("|---|---|---|---|---|")
		for _, f := range r.Findings {
			b.line("| ", strings.Join([]string{
				f.Severity.String(), m.where(f), cell("**" + escape(m.summary(f.Finding)) + ".** " + escape(f.Message)), cell(escape(f.Fix)), "`" + f.Rule + "`",
			}, " | "), " |")
		}
		m.savings(b, r.Findings)
	case len(r.Errors) == 0:
		b.line("No findings.")
	}
	if len(r.Errors) > 0 {
		if len(r.Findings) > 0 {
			b.line()
		}
		b.line("Not checked:\n")
		for _, e := range r.Errors {
			at := ""
			if e.File != "" {
				at = code(e.File)
				if e.Line > 0 {
					at += fmt.Sprintf(" line %d", e.Line)
				}
				at += ": "
			}
			b.line("- ", at, escape(e.Message))
		}
	}
	return b.end()
}

// savings are a table of what fixes save, with their sum; nothing if none does.
func (m markdown) savings(b *lines, fs []Located) {
	var rows [][2]string
	total := decimal.Zero
	for _, f := range fs {
		if d := f.MonthlySavingUSD; d.Valid && !d.Decimal.IsZero() {
			rows = append(rows, [2]string{m.where(f) + " `" + f.Rule + "`", escape(units.USD(d.Decimal))})
			total = total.Add(d.Decimal)
		}
	}
	if len(rows) == 0 {
		return
	}
	b.line()
	b.line("| fix | saves a month |")
	b.line("|---|--:|")
	for _, r := range rows {
		b.line("| ", r[0], " | ", r[1], " |")
	}
	b.line("| all of them | **", escape(units.USD(total)), "** |")
}

func (m markdown) where(f Located) string {
	var out []string
	if f.File != "" {
		at := f.File
		if f.Line > 0 {
			at += fmt.Sprintf(":%d", f.Line)
		}
		out = append(out, code(at))
	}
	if f.Address != "" {
		out = append(out, code(f.Address))
	}
	return cell(strings.Join(out, "<br>"))
}

// code is a text between backticks; one that has backticks itself needs more
// of them around it.
func code(s string) string {
	s = printable(s)
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		return fence + " " + s + " " + fence
	}
	return fence + s + fence
}

// escape makes a text stand as it is: no markup, no tags, no mentions.
func escape(s string) string {
	return markup.Replace(printable(strings.Join(strings.Fields(s), " ")))
}

var markup = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "@", "&#64;", "~", `\~`, "$", `\$`,
)

// cell fits a text into a cell of a table.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
