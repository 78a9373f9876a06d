// Package output prints what was found in files, in the format that a person,
// a program or a CI system reads. Every format is a Format; all print the same
// Report.
package output

import (
	"bufio"
	"cmp"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
)

// Located is a finding with its place.
type Located struct {
	finding.Finding
	// Address of the object: "aws_launch_template.agent", "jobs.build". It may be
	// empty.
	Address string
	// Device is the name of the volume that the finding is about, where the object may
	// have several; else empty. It says which block is meant when others are put
	// above it.
	Device string
	// File as the caller names it, with slashes; empty for none.
	File string
	// Line and Column count from 1; 0 if they are not known. Columns are characters.
	Line, Column int
	// Excerpt is the line of the file; empty if it is not to be shown.
	Excerpt string
}

// Problem is something that kept a file from being looked at.
type Problem struct {
	File         string
	Line, Column int
	// Message is a sentence.
	Message string
}

// Report is what was found, and what could not be looked at.
type Report struct {
	Findings []Located
	Errors   []Problem
}

// Worst is the highest severity among the findings, 0 if there are none.
func (r Report) Worst() finding.Severity {
	var w finding.Severity
	for _, f := range r.Findings {
		w = max(w, f.Severity)
	}
	return w
}

// sorted is the report in the order in which it is shown: worst first, then by
// place, then by rule.
func (r Report) sorted() Report {
	out := Report{Findings: slices.Clone(r.Findings), Errors: slices.Clone(r.Errors)}
	slices.SortStableFunc(out.Findings, func(a, b Located) int {
		return cmp.Or(
			cmp.Compare(b.Severity, a.Severity),
			strings.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column),
			strings.Compare(a.Address, b.Address),
			strings.Compare(a.Rule, b.Rule),
			strings.Compare(a.Message, b.Message),
		)
	})
	slices.SortStableFunc(out.Errors, func(a, b Problem) int {
		return cmp.Or(
			strings.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column),
			strings.Compare(a.Message, b.Message),
		)
	})
	return out
}

// Format prints reports. The same report is always printed the same, whatever
// order its findings are in.
type Format interface {
	Write(w io.Writer, r Report) error
}

// Settings are what the formats have to know beyond a report.
type Settings struct {
	// Rules explain the findings.
	Rules *finding.Registry
	// Version of the program, for formats that name it.
	Version string
	// Color says that the text is for a terminal.
	Color bool
}

// formats by name, in the order in which they are listed.
var formats = []struct {
	name string
	make func(Settings) Format
}{
	{"text", func(s Settings) Format { return text{s} }},
	{"json", func(Settings) Format { return jsonFormat{} }},
	{"sarif", func(s Settings) Format { return sarif{s} }},
	{"junit", func(s Settings) Format { return junit{s} }},
	{"github", func(s Settings) Format { return github{s} }},
	{"markdown", func(s Settings) Format { return markdown{s} }},
}

// New is the format of a name; false if there is none.
func New(name string, s Settings) (Format, bool) {
	for _, f := range formats {
		if f.name == name {
			return f.make(s), true
		}
	}
	return nil, false
}

// Names are the names of all formats.
func Names() []string {
	out := make([]string, len(formats))
	for i, f := range formats {
		out[i] = f.name
	}
	return out
}

// summary heads a finding.
func (s Settings) summary(f finding.Finding) string {
	if r, ok := s.Rules.Get(f.Rule); ok {
		return r.Summary
	}
	return f.Rule
}

// printable leaves out what would do more than stand in a text: a file that is
// looked at must not move the cursor of a terminal, or end a line of a log that
// a CI system reads commands from.
func printable(s string) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return '\uFFFD'
		}
		return r
	}, s)
}

// lines writes an output line by line. The first error of the writer is kept for
// the end.
type lines struct{ out *bufio.Writer }

func linesTo(w io.Writer) *lines { return &lines{bufio.NewWriter(w)} }

func (l *lines) line(parts ...string) {
	for _, p := range parts {
		_, _ = l.out.WriteString(p) // end reports the error.
	}
	_ = l.out.WriteByte('\n')
}

func (l *lines) end() error { return l.out.Flush() }
