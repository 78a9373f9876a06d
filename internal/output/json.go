package output

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// jsonFormat is for programs. The shape is a contract: members are added, never
// renamed, and schema_version changes when a member's meaning does.
type jsonFormat struct{}

const schemaVersion = 1

// jsonReport is the shape of it all, whose members are written one by one.
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

// Write writes one finding after the other: of a plan with ten thousand faults,
// all of the text would take more memory than the findings.
func (jsonFormat) Write(w io.Writer, r Report) error {
	r = r.sorted()
	out := bufio.NewWriter(w)
	_, _ = fmt.Fprintf(out, "{\n  \"schema_version\": %d,\n  \"findings\": ", schemaVersion) // Flush reports the first error.
	if err := writeEach(out, r.Findings, jsonFindingOf); err != nil {
		return err
	}
	_, _ = out.WriteString(",\n  \"errors\": ")
	if err := writeEach(out, r.Errors, jsonProblemOf); err != nil {
		return err
	}
	_, _ = out.WriteString("\n}\n")
	return out.Flush()
}

func jsonFindingOf(f Located) jsonFinding {
	j := jsonFinding{
		Rule: f.Rule, Severity: f.Severity.String(), Address: f.Address, File: f.File, Line: place(f.Line), Column: place(f.Column),
		Path: f.Path, Message: f.Message, Fix: f.Fix,
	}
	if f.MonthlySavingUSD.Valid {
		n := json.Number(f.MonthlySavingUSD.Decimal.Round(2).String())
		j.MonthlySavingUSD = &n
	}
	return j
}

func jsonProblemOf(p Problem) jsonProblem {
	return jsonProblem{File: p.File, Line: place(p.Line), Column: place(p.Column), Message: p.Message}
}

// writeEach writes an array that is a member of the outermost object, in the
// layout of writeJSON.
func writeEach[T, M any](out *bufio.Writer, items []T, member func(T) M) error {
	if len(items) == 0 {
		_, _ = out.WriteString("[]")
		return nil
	}
	var text bytes.Buffer
	e := encoder(&text, "    ")
	before := "[\n    "
	for _, i := range items {
		text.Reset()
		if err := e.Encode(member(i)); err != nil {
			return err
		}
		_, _ = out.WriteString(before)
		_, _ = out.Write(bytes.TrimSuffix(text.Bytes(), []byte("\n")))
		before = ",\n    "
	}
	_, _ = out.WriteString("\n  ]")
	return nil
}

func writeJSON(w io.Writer, v any) error { return encoder(w, "").Encode(v) }

// encoder indents, after a prefix, and leaves < and > alone, because nobody puts
// this into a page of HTML as it is.
func encoder(w io.Writer, prefix string) *json.Encoder {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent(prefix, "  ")
	return e
}
