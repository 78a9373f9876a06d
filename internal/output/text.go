package output

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
)

// text is for people: like a diagnostic of Terraform, with the line of the
// file that it is about.
type text struct{ Settings }

const (
	// lineWidth is where Terraform wraps, too.
	lineWidth = 78
	// maxExcerpt cuts absurdly long lines.
	maxExcerpt = 200
)

func (t text) Write(w io.Writer, r Report) error {
	r = r.sorted()
	b := linesTo(w)
	for _, f := range r.Findings {
		t.finding(b, f)
	}
	for _, e := range r.Errors {
		b.line(t.bold(t.red("Error:")+" Cannot be checked"), "\n")
		t.place(b, e.File, e.Line, "", "")
		b.line(wrap(printable(e.Message)), "\n")
	}
	b.line(t.total(r))
	return b.end()
}

func (t text) finding(b *lines, f Located) {
	severity := f.Severity.String()
	head := strings.ToUpper(severity[:1]) + severity[1:] + ":"
	switch f.Severity {
	case finding.Error:
		head = t.red(head)
	case finding.Warning:
		head = t.yellow(head)
	case finding.Info:
	}
	b.line(t.bold(head+" "+t.summary(f.Finding)), "\n")
	t.place(b, f.File, f.Line, f.Address, f.Excerpt)
	b.line(wrap(printable(f.Message)))
	if f.Fix != "" {
		b.line()
		b.line(wrap(printable(f.Fix)))
	}
	b.line()
	b.line("Rule: ", f.Rule, "\n")
}

// place prints where something is, and the line that stands there.
func (t text) place(b *lines, file string, line int, address, excerpt string) {
	var where []string
	if file != "" {
		on := "on " + printable(file)
		if line > 0 {
			on += " line " + strconv.Itoa(line)
		}
		where = append(where, on)
	}
	if address != "" {
		where = append(where, "in "+printable(address))
	}
	if len(where) == 0 {
		return
	}
	colon := ""
	if excerpt != "" {
		colon = ":"
	}
	b.line("  ", strings.Join(where, ", "), colon)
	if excerpt != "" {
		e := []rune(printable(excerpt))
		if len(e) > maxExcerpt {
			e = append(e[:maxExcerpt], '…')
		}
		b.line(fmt.Sprintf("  %d: %s", line, strings.TrimRight(string(e), " ")))
	}
	b.line()
}

// total is the last line: how many of what.
func (t text) total(r Report) string {
	n := map[finding.Severity]int{}
	for _, f := range r.Findings {
		n[f.Severity]++
	}
	var parts []string
	add := func(count int, one, many string) {
		switch {
		case count == 1:
			parts = append(parts, "1 "+one)
		case count > 1:
			parts = append(parts, strconv.Itoa(count)+" "+many)
		}
	}
	add(n[finding.Error], "error", "errors")
	add(n[finding.Warning], "warning", "warnings")
	add(n[finding.Info], "piece of advice", "pieces of advice")
	add(len(r.Errors), "file not checked", "files not checked")
	if len(parts) == 0 {
		return t.green("No findings.")
	}
	return strings.Join(parts, ", ") + "."
}

func (t text) color(code, s string) string {
	if !t.Color {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (t text) red(s string) string    { return t.color("31", s) }
func (t text) yellow(s string) string { return t.color("33", s) }
func (t text) green(s string) string  { return t.color("32", s) }

// bold keeps what is coloured inside bold, too.
func (t text) bold(s string) string {
	if !t.Color {
		return s
	}
	return "\x1b[1m" + strings.ReplaceAll(s, "\x1b[0m", "\x1b[0m\x1b[1m") + "\x1b[0m"
}

// wrap breaks a text into lines at spaces.
func wrap(s string) string {
	var b strings.Builder
	width := 0
	for i, word := range strings.Fields(s) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case width+1+n > lineWidth:
			b.WriteByte('\n')
			width = 0
		default:
			b.WriteByte(' ')
			width++
		}
		b.WriteString(word)
		width += n
	}
	return b.String()
}
