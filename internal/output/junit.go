package output

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
)

// junit is for CI systems that show test reports: each finding is a test case
// that failed, each piece of advice one that passed and has something to say.
type junit struct{ Settings }

type junitSuites struct {
	XMLName  xml.Name   `xml:"testsuites"`
	Name     string     `xml:"name,attr"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Errors   int        `xml:"errors,attr"`
	Suite    junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name      string       `xml:"name,attr"`
	ClassName string       `xml:"classname,attr"`
	File      string       `xml:"file,attr,omitempty"`
	Line      int          `xml:"line,attr,omitempty"`
	Failure   *junitResult `xml:"failure,omitempty"`
	Error     *junitResult `xml:"error,omitempty"`
	SystemOut string       `xml:"system-out,omitempty"`
}

type junitResult struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

func (j junit) Write(w io.Writer, r Report) error {
	r = r.sorted()
	suite := junitSuite{Name: "runnerfit"}
	for _, f := range r.Findings {
		c := junitCase{Name: f.Rule, ClassName: printable(f.Address), File: printable(f.File), Line: f.Line}
		if c.ClassName == "" {
			c.ClassName = "runnerfit"
		}
		body := []string{printable(f.Message)}
		if f.Fix != "" {
			body = append(body, printable(f.Fix))
		}
		if f.File != "" {
			at := printable(f.File)
			if f.Line > 0 {
				at += fmt.Sprintf(":%d", f.Line)
				c.Name += fmt.Sprintf(" (line %d)", f.Line)
			}
			body = append(body, at)
		}
		if f.Severity == finding.Info {
			c.SystemOut = strings.Join(body, "\n")
		} else {
			c.Failure = &junitResult{Type: f.Severity.String(), Message: j.summary(f.Finding), Text: strings.Join(body, "\n")}
			suite.Failures++
		}
		suite.Cases = append(suite.Cases, c)
	}
	for _, e := range r.Errors {
		suite.Errors++
		suite.Cases = append(suite.Cases, junitCase{
			Name: "read", ClassName: "runnerfit", File: printable(e.File), Line: e.Line,
			Error: &junitResult{Type: "error", Message: "Cannot be checked", Text: printable(e.Message)},
		})
	}
	if len(suite.Cases) == 0 {
		// Several systems take a report without a case for a broken one.
		suite.Cases = []junitCase{{Name: "no findings", ClassName: "runnerfit"}}
	}
	suite.Tests = len(suite.Cases)
	out, err := xml.MarshalIndent(junitSuites{
		Name: suite.Name, Tests: suite.Tests, Failures: suite.Failures, Errors: suite.Errors, Suite: suite,
	}, "", "  ")
	if err != nil {
		return err
	}
	b := linesTo(w)
	b.line(strings.TrimSuffix(xml.Header, "\n"))
	b.line(string(out))
	return b.end()
}
