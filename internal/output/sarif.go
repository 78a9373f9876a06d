package output

import (
	"io"
	"net/url"
	"path"
	"strings"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
)

// sarif is for code scanning: SARIF 2.1.0, the part of it that GitHub reads.
// It is written here and not by a library, because the one that is maintained
// brings an unmaintained validator into the binary and prints dozens of empty
// members for every result. The tests validate the output with it.
type sarif struct{ Settings }

const (
	sarifSchema = "https://json.schemastore.org/sarif-2.1.0.json"
	language    = "en-US"
	homepage    = "https://github.com/runnerfit/terraform-provider-runnerfit"
)

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool        sarifTool         `json:"tool"`
	Invocations []sarifInvocation `json:"invocations"`
	Results     []sarifResult     `json:"results"`
	ColumnKind  string            `json:"columnKind"`
	Language    string            `json:"language"`
	// NewlineSequences are what lines were counted by.
	NewlineSequences []string `json:"newlineSequences"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name           string      `json:"name"`
	Version        string      `json:"version,omitempty"`
	InformationURI string      `json:"informationUri"`
	Language       string      `json:"language"`
	Rules          []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID                   string              `json:"id"`
	ShortDescription     sarifText           `json:"shortDescription"`
	Help                 *sarifHelp          `json:"help,omitempty"`
	DefaultConfiguration *sarifConfiguration `json:"defaultConfiguration,omitempty"`
}

type sarifConfiguration struct {
	Level string `json:"level"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifHelp struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown"`
}

type sarifResult struct {
	RuleID    string          `json:"ruleId"`
	RuleIndex int             `json:"ruleIndex"`
	Level     string          `json:"level"`
	Message   sarifText       `json:"message"`
	Locations []sarifLocation `json:"locations,omitempty"`
}

type sarifLocation struct {
	PhysicalLocation *sarifPhysical `json:"physicalLocation,omitempty"`
	LogicalLocations []sarifLogical `json:"logicalLocations,omitempty"`
}

type sarifPhysical struct {
	ArtifactLocation sarifArtifact `json:"artifactLocation"`
	Region           *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn,omitempty"`
}

type sarifLogical struct {
	FullyQualifiedName string `json:"fullyQualifiedName"`
}

type sarifInvocation struct {
	ExecutionSuccessful        bool                `json:"executionSuccessful"`
	ToolExecutionNotifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
}

type sarifNotification struct {
	Level     string          `json:"level"`
	Message   sarifText       `json:"message"`
	Locations []sarifLocation `json:"locations,omitempty"`
}

func (s sarif) Write(w io.Writer, r Report) error {
	r = r.sorted()
	run := sarifRun{
		Tool:             sarifTool{sarifDriver{Name: "runnerfit", Version: s.Version, InformationURI: homepage, Language: language, Rules: []sarifRule{}}},
		Results:          []sarifResult{},
		ColumnKind:       "unicodeCodePoints",
		Language:         language,
		NewlineSequences: []string{"\r\n", "\n", "\r"},
	}
	index := map[string]int{}
	for _, f := range r.Findings {
		if _, ok := index[f.Rule]; !ok {
			index[f.Rule] = len(run.Tool.Driver.Rules)
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, s.rule(f.Finding))
		}
		message := f.Message
		if f.Fix != "" {
			message += "\n" + f.Fix
		}
		run.Results = append(run.Results, sarifResult{
			RuleID: f.Rule, RuleIndex: index[f.Rule], Level: sarifLevel(f.Severity), Message: sarifText{printableLines(message)},
			Locations: location(f.File, f.Line, f.Column, f.Address),
		})
	}
	invocation := sarifInvocation{ExecutionSuccessful: len(r.Errors) == 0}
	for _, e := range r.Errors {
		invocation.ToolExecutionNotifications = append(invocation.ToolExecutionNotifications, sarifNotification{
			Level: "error", Message: sarifText{printable(e.Message)}, Locations: location(e.File, e.Line, e.Column, ""),
		})
	}
	run.Invocations = []sarifInvocation{invocation}
	return writeJSON(w, sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{run}})
}

func (s sarif) rule(f finding.Finding) sarifRule {
	out := sarifRule{ID: f.Rule, ShortDescription: sarifText{s.summary(f)}}
	r, ok := s.Rules.Get(f.Rule)
	if !ok {
		return out
	}
	if len(r.Severities) > 0 {
		out.DefaultConfiguration = &sarifConfiguration{sarifLevel(r.Severities[0])}
	}
	if page, err := r.Page(); err == nil {
		out.Help = &sarifHelp{Text: page, Markdown: page}
	}
	return out
}

func sarifLevel(s finding.Severity) string {
	switch s {
	case finding.Error:
		return "error"
	case finding.Warning:
		return "warning"
	case finding.Info:
	}
	return "note"
}

// location is a place; none if nothing is known of it.
func location(file string, line, column int, address string) []sarifLocation {
	var l sarifLocation
	if file != "" {
		l.PhysicalLocation = &sarifPhysical{ArtifactLocation: sarifArtifact{fileURI(file)}}
		if line > 0 {
			l.PhysicalLocation.Region = &sarifRegion{StartLine: line, StartColumn: column}
		}
	}
	if address != "" {
		l.LogicalLocations = []sarifLogical{{printable(address)}}
	}
	if l.PhysicalLocation == nil && l.LogicalLocations == nil {
		return nil
	}
	return []sarifLocation{l}
}

// fileURI writes a path as a URI: relative as it is, so that code scanning
// finds the file in the repository.
func fileURI(file string) string {
	u := url.URL{Path: file}
	switch {
	case path.IsAbs(file):
		u.Scheme = "file"
	case strings.Contains(strings.SplitN(file, "/", 2)[0], ":"):
		u.Path = "./" + file // a colon in the first part would make it a scheme
	}
	return u.String()
}
