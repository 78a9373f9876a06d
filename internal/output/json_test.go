package output

import (
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
)

// manyFindings is a report with n findings and n files that could not be read.
func manyFindings(n int) Report {
	var r Report
	for i := range n {
		r.Findings = append(r.Findings, Located{
			Finding: finding.Finding{
				Rule: "gp3-iops", Severity: finding.Error, Path: "block_device_mappings[0].ebs.iops",
				Message: "751 MiB/s need \"3004\" IOPS & not <3000>.", Fix: "Write iops = 3004.",
				MonthlySavingUSD: decimal.NullDecimal{Decimal: decimal.New(int64(i), -3), Valid: i%2 == 0},
			},
			Address: "aws_launch_template.t[" + strconv.Itoa(i) + "]", File: "plan.json", Line: i,
		})
		r.Errors = append(r.Errors, Problem{File: strconv.Itoa(i), Line: i, Message: "It was cut off."})
	}
	return r
}

// What is written one by one is what would be written at once.
func TestJSONOneByOne(t *testing.T) {
	for _, n := range []int{0, 1, 3} {
		r := manyFindings(n).sorted()
		whole := jsonReport{SchemaVersion: schemaVersion, Findings: []jsonFinding{}, Errors: []jsonProblem{}}
		for _, f := range r.Findings {
			whole.Findings = append(whole.Findings, jsonFindingOf(f))
		}
		for _, p := range r.Errors {
			whole.Errors = append(whole.Errors, jsonProblemOf(p))
		}
		var want, got strings.Builder
		if err := writeJSON(&want, whole); err != nil {
			t.Fatal(err)
		}
		if err := (jsonFormat{}).Write(&got, r); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want.String(), got.String()); d != "" {
			t.Errorf("%d findings (-want +got):\n%s", n, d)
		}
	}
}

// The writer's error is the format's, whenever it comes.
func TestJSONWriterFails(t *testing.T) {
	for _, n := range []int{0, 1_000} {
		r, w := io.Pipe()
		_ = r.CloseWithError(io.ErrNoProgress)
		if err := (jsonFormat{}).Write(w, manyFindings(n)); err != io.ErrNoProgress { //nolint:errorlint // It is passed on as it is.
			t.Errorf("%d findings: got %v", n, err)
		}
	}
}

func BenchmarkJSON(b *testing.B) {
	r := manyFindings(10_000)
	b.ReportAllocs()
	for b.Loop() {
		if err := (jsonFormat{}).Write(io.Discard, r); err != nil {
			b.Fatal(err)
		}
	}
}
