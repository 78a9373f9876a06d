package output

import (
	"fmt"
	"io"
	"strings"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
)

// github is for a step of GitHub Actions: workflow commands that become
// annotations of the changed files.
type github struct{ Settings }

func (g github) Write(w io.Writer, r Report) error {
	r = r.sorted()
	b := linesTo(w)
	for _, f := range r.Findings {
		command := "notice"
		switch f.Severity {
		case finding.Error:
			command = "error"
		case finding.Warning:
			command = "warning"
		case finding.Info:
		}
		message := f.Message
		if f.Address != "" {
			message = f.Address + ": " + message
		}
		if f.Fix != "" {
			message += "\n" + f.Fix
		}
		b.line(annotation(command, f.File, f.Line, f.Column, g.summary(f.Finding)+" ("+f.Rule+")", message))
	}
	for _, e := range r.Errors {
		b.line(annotation("error", e.File, e.Line, e.Column, "Cannot be checked", e.Message))
	}
	return b.end()
}

// annotation is a workflow command. What was read from standard input is no file
// of the repository, so it has no place there but one in the message.
func annotation(command, file string, line, column int, title, message string) string {
	var properties []string
	if strings.HasPrefix(file, "<") {
		if line > 0 {
			message = fmt.Sprintf("Line %d, column %d: %s", line, column, message)
		}
		file, line, column = "", 0, 0
	}
	if file != "" {
		properties = append(properties, "file="+property.Replace(printable(file)))
	}
	if line > 0 {
		properties = append(properties, fmt.Sprintf("line=%d", line))
	}
	if column > 0 {
		properties = append(properties, fmt.Sprintf("col=%d", column))
	}
	properties = append(properties, "title="+property.Replace(printable(title)))
	return "::" + command + " " + strings.Join(properties, ",") + "::" + data.Replace(printableLines(message))
}

// The escapes of workflow commands (actions/toolkit, packages/core/src/command.ts).
var (
	data     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// printableLines is printable for a text of several lines.
func printableLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = printable(lines[i])
	}
	return strings.Join(lines, "\n")
}
