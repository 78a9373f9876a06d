package output

import (
	"encoding/json"
	"io"
)

// jsonFormat is for programs. The shape is a contract: members are added, never
// renamed, and schema_version changes when a member's meaning does.
type jsonFormat struct{}

const schemaVersion = 1

type jsonReport struct {
	SchemaVersion int           `json:"schema_version"`
	Findings      []jsonFinding `json:"findings"`
	Errors        []jsonProblem `json:"errors"`
}

type jsonFinding struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Address  string `json:"address"`
	File     string `json:"file"`
	// Line and Column are null where they are not known.
	Line    *int   `json:"line"`
	Column  *int   `json:"column"`
	Path    string `json:"path"`
	Message string `json:"message"`
	Fix     string `json:"fix"`
	// MonthlySavingUSD is null where the fix saves nothing or no price is known.
	MonthlySavingUSD *json.Number `json:"monthly_saving_usd"`
}

type jsonProblem struct {
	File    string `json:"file"`
	Line    *int   `json:"line"`
	Column  *int   `json:"column"`
	Message string `json:"message"`
}

// place is a line or column; null if it is not known.
func place(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}

func (jsonFormat) Write(w io.Writer, r Report) error {
	r = r.sorted()
	out := jsonReport{SchemaVersion: schemaVersion, Findings: []jsonFinding{}, Errors: []jsonProblem{}}
	for _, f := range r.Findings {
		j := jsonFinding{
			Rule: f.Rule, Severity: f.Severity.String(), Address: f.Address, File: f.File, Line: place(f.Line), Column: place(f.Column),
			Path: f.Path, Message: f.Message, Fix: f.Fix,
		}
		if f.MonthlySavingUSD.Valid {
			n := json.Number(f.MonthlySavingUSD.Decimal.Round(2).String())
			j.MonthlySavingUSD = &n
		}
		out.Findings = append(out.Findings, j)
	}
	for _, e := range r.Errors {
		out.Errors = append(out.Errors, jsonProblem{File: e.File, Line: place(e.Line), Column: place(e.Column), Message: e.Message})
	}
	return writeJSON(w, out)
}

// writeJSON indents, and leaves < and > alone, because nobody puts this into a
// page of HTML as it is.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
