package output

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	sarifschema "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
)

var update = flag.Bool("update", false, "write the golden files anew")

var registry = finding.NewRegistry([]finding.Rule{
	{
		ID: "speed-limit", Summary: "Volume is too slow", Severities: []finding.Severity{finding.Error, finding.Warning},
		Pages: fstest.MapFS{"rules/speed-limit.md": {Data: []byte("# speed-limit\n\nWhat it means.\n")}},
	},
	{ID: "waste", Summary: "Volume is paid for and not used", Severities: []finding.Severity{finding.Info}, Pages: fstest.MapFS{}},
})

var settings = Settings{Rules: registry, Version: "1.2.3"}

// reports are what the golden files show. Everything that a format has to
// escape is in one of them.
var reports = map[string]Report{
	"empty": {},
	"one": {
		Findings: []Located{{
			Finding: finding.Finding{Rule: "speed-limit", Severity: finding.Error, Path: "volume.iops", Message: "1,000 MiB/s at 3,000 IOPS are refused.", Fix: "Write 4000iops (+$5.00 a month)."},
			Address: "jobs.build", File: ".github/workflows/ci.yml", Line: 12, Column: 14, Excerpt: "    runs-on: runs-on=1/volume=80gb:gp3:1000mbs:3000iops",
		}},
	},
	"many": {
		Findings: []Located{
			{
				Finding: finding.Finding{Rule: "waste", Severity: finding.Info, Message: "The other 12,000 are paid for.", Fix: "Write 4000iops.", MonthlySavingUSD: decimal.NewNullDecimal(decimal.RequireFromString("60.005"))},
				Address: "jobs.b", File: "b.yml", Line: 3, Column: 5,
			},
			{
				Finding: finding.Finding{Rule: "speed-limit", Severity: finding.Warning, Message: "A | pipe, `ticks`, <b>tags</b>, *stars*, 100 % and @someone: all of them stand in a message that is long enough to be wrapped.", Fix: "Write a, b: c."},
				Address: `jobs["a|b"]`, File: "dir/with, comma: and %.yml", Line: 7, Column: 1, Excerpt: "\truns-on: \x1b[31mred\u202e",
			},
			{
				Finding: finding.Finding{Rule: "speed-limit", Severity: finding.Error, Message: "No place is known."},
			},
			{
				Finding: finding.Finding{Rule: "not-registered", Severity: finding.Warning, Message: "A rule that nobody knows."},
				File:    "b.yml",
			},
		},
		Errors: []Problem{
			{File: "z.yml", Line: 4, Column: 2, Message: "This is not YAML:\x1b[31m a colon is missing."},
			{Message: "No files were found."},
		},
	},
}

func render(t *testing.T, name string, r Report, s Settings) string {
	t.Helper()
	f, ok := New(name, s)
	if !ok {
		t.Fatalf("no format %s", name)
	}
	var b bytes.Buffer
	if err := f.Write(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	t.Parallel()
	for _, name := range Names() {
		for which, r := range reports {
			t.Run(name+"/"+which, func(t *testing.T) {
				t.Parallel()
				got := render(t, name, r, settings)
				file := filepath.Join("testdata", which+"."+name)
				if *update {
					if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if got != string(want) {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
			})
		}
	}
}

// TestStable: the order of the findings in a report does not matter.
func TestStable(t *testing.T) {
	t.Parallel()
	r := reports["many"]
	for _, name := range Names() {
		want := render(t, name, r, settings)
		for range 20 {
			shuffled := Report{Findings: append([]Located{}, r.Findings...), Errors: append([]Problem{}, r.Errors...)}
			rand.Shuffle(len(shuffled.Findings), func(i, j int) {
				shuffled.Findings[i], shuffled.Findings[j] = shuffled.Findings[j], shuffled.Findings[i]
			})
			rand.Shuffle(len(shuffled.Errors), func(i, j int) {
				shuffled.Errors[i], shuffled.Errors[j] = shuffled.Errors[j], shuffled.Errors[i]
			})
			if got := render(t, name, shuffled, settings); got != want {
				t.Fatalf("%s depends on the order:\n%s\n%s", name, got, want)
			}
		}
	}
}

// TestSARIFSchema validates against the published schema.
func TestSARIFSchema(t *testing.T) {
	t.Parallel()
	for which, r := range reports {
		log, err := sarifschema.FromString(render(t, "sarif", r, settings))
		if err != nil {
			t.Fatalf("%s: %v", which, err)
		}
		if err := log.Validate(); err != nil {
			t.Errorf("%s: %v", which, err)
		}
		if got, want := len(log.Runs[0].Results), len(r.Findings); got != want {
			t.Errorf("%s: %d results, want %d", which, got, want)
		}
	}
}

// TestWellFormed: programs can read what is meant for programs.
func TestWellFormed(t *testing.T) {
	t.Parallel()
	for which, r := range reports {
		var report struct {
			SchemaVersion int              `json:"schema_version"`
			Findings      []map[string]any `json:"findings"`
			Errors        []map[string]any `json:"errors"`
		}
		if err := json.Unmarshal([]byte(render(t, "json", r, settings)), &report); err != nil {
			t.Fatal(err)
		}
		if report.SchemaVersion != 1 || len(report.Findings) != len(r.Findings) || len(report.Errors) != len(r.Errors) || report.Findings == nil || report.Errors == nil {
			t.Errorf("%s: %+v", which, report)
		}
		var suites junitSuites
		if err := xml.Unmarshal([]byte(render(t, "junit", r, settings)), &suites); err != nil {
			t.Fatal(err)
		}
		if suites.Tests == 0 || suites.Tests != len(suites.Suite.Cases) || suites.Errors != len(r.Errors) {
			t.Errorf("%s: %+v", which, suites)
		}
	}
}

// TestHarmless: what a file holds cannot command the terminal or the CI system
// that the output goes to.
func TestHarmless(t *testing.T) {
	t.Parallel()
	evil := "x\n::set-output name=a::b\x1b]0;title\x07\u202e%0A"
	r := Report{
		Findings: []Located{{Finding: finding.Finding{Rule: "waste", Severity: finding.Info, Message: "m " + evil, Fix: "f " + evil}, Address: evil, File: "a" + evil, Line: 1, Excerpt: evil}},
		Errors:   []Problem{{File: evil, Message: evil}},
	}
	for _, name := range Names() {
		if name == "json" || name == "sarif" {
			continue // escaped by the encoder
		}
		out := render(t, name, r, settings)
		if strings.ContainsAny(out, "\x1b\x07\u202e") {
			t.Errorf("%s lets control characters through: %q", name, out)
		}
		for line := range strings.Lines(out) {
			if name == "github" && strings.HasPrefix(line, "::set-output") {
				t.Errorf("%s lets a command through: %q", name, line)
			}
		}
	}
}

func TestColor(t *testing.T) {
	t.Parallel()
	plain := render(t, "text", reports["many"], settings)
	if strings.Contains(plain, "\x1b") {
		t.Error("there is colour without a terminal")
	}
	colored := settings
	colored.Color = true
	got := render(t, "text", reports["many"], colored)
	if !strings.Contains(got, "\x1b[1m\x1b[31mError:\x1b[0m\x1b[1m Volume is too slow\x1b[0m") {
		t.Errorf("an error is not red and its head not bold: %q", got)
	}
	for _, code := range []string{"\x1b[0m", "\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[33m"} {
		got = strings.ReplaceAll(got, code, "")
	}
	if got != plain {
		t.Errorf("colour changes more than colours:\n%s\n%s", got, plain)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	if got, want := strings.Join(Names(), " "), "text json sarif junit github markdown"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if _, ok := New("yaml", settings); ok {
		t.Error("there is no format yaml")
	}
}

func TestWorst(t *testing.T) {
	t.Parallel()
	for which, want := range map[string]finding.Severity{"empty": 0, "one": finding.Error, "many": finding.Error} {
		if got := reports[which].Worst(); got != want {
			t.Errorf("%s: got %s, want %s", which, got, want)
		}
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errBroken }

var errBroken = errors.New("broken pipe")

func TestWriteError(t *testing.T) {
	t.Parallel()
	for _, name := range Names() {
		f, _ := New(name, settings)
		if err := f.Write(brokenPipe{}, reports["one"]); !errors.Is(err, errBroken) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
