package finding_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
)

// Savings are equal when their values are: 10 and 10.00 are the same money.
var compare = cmp.Comparer(func(a, b decimal.NullDecimal) bool {
	return a.Valid == b.Valid && a.Decimal.Equal(b.Decimal)
})

func usd(s string) decimal.NullDecimal {
	return decimal.NewNullDecimal(decimal.RequireFromString(s))
}

func TestSeverity(t *testing.T) {
	for s, want := range map[finding.Severity]string{finding.Info: "info", finding.Warning: "warning", finding.Error: "error", 0: "unknown", 9: "unknown"} {
		if s.String() != want {
			t.Errorf("%d is %q, want %q", s, s, want)
		}
	}
	for _, s := range []finding.Severity{finding.Info, finding.Warning, finding.Error} {
		if got, ok := finding.ParseSeverity(s.String()); !ok || got != s {
			t.Errorf("%s is read as %s, %v", s, got, ok)
		}
	}
	for _, s := range []string{"", "unknown", "Error", "errors", " error", "warn", "0"} {
		if got, ok := finding.ParseSeverity(s); ok {
			t.Errorf("%q is read as %s", s, got)
		}
	}
	if finding.Error <= finding.Warning || finding.Warning <= finding.Info || finding.Info <= 0 {
		t.Error("severities do not rise")
	}
}

func TestSort(t *testing.T) {
	want := []finding.Finding{
		{Rule: "b", Severity: finding.Error, Path: "root.iops"},
		{Rule: "a", Severity: finding.Error, Path: "vmdata.iops"},
		{Rule: "z", Severity: finding.Warning, Path: ""},
		{Rule: "a", Severity: finding.Warning, Path: "root"},
		{Rule: "b", Severity: finding.Warning, Path: "root"},
		{Rule: "b", Severity: finding.Warning, Path: "root", Subject: "x"},
		{Rule: "b", Severity: finding.Warning, Path: "root", Subject: "x", Message: "m"},
		{Rule: "b", Severity: finding.Warning, Path: "root", Subject: "x", Message: "m", Fix: "f"},
		{Rule: "b", Severity: finding.Warning, Path: "root", Subject: "x", Message: "m", Fix: "f", MonthlySavingUSD: usd("9")},
		{Rule: "b", Severity: finding.Warning, Path: "root", Subject: "x", Message: "m", Fix: "f", MonthlySavingUSD: usd("10")},
		{Rule: "a", Severity: finding.Info, Path: "a"},
	}
	rapid.Check(t, func(t *rapid.T) {
		got := rapid.Permutation(want).Draw(t, "order")
		finding.Sort(got)
		if diff := cmp.Diff(want, got, compare); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestMerge(t *testing.T) {
	for _, test := range []struct {
		name     string
		in, want []finding.Finding
	}{
		{"nothing", nil, []finding.Finding{}},
		{
			"one stays as it is",
			[]finding.Finding{{Rule: "r", Severity: finding.Warning, Subject: "root", Path: "root.iops", Message: "m.", Fix: "f.", MonthlySavingUSD: usd("1")}},
			[]finding.Finding{{Rule: "r", Severity: finding.Warning, Subject: "root", Path: "root.iops", Message: "m.", Fix: "f.", MonthlySavingUSD: usd("1")}},
		},
		{
			"the same text is said once, of all its subjects",
			[]finding.Finding{
				{Rule: "r", Severity: finding.Warning, Subject: "b", Path: "b.iops", Message: "Too many.", Fix: "Write 1.", MonthlySavingUSD: usd("2.50")},
				{Rule: "r", Severity: finding.Warning, Subject: "a", Path: "a.iops", Message: "Too many.", Fix: "Write 1."},
				{Rule: "r", Severity: finding.Warning, Subject: "c", Path: "c.iops", Message: "Too many.", Fix: "Write 1.", MonthlySavingUSD: usd("0.5")},
			},
			[]finding.Finding{{Rule: "r", Severity: finding.Warning, Path: "a.iops", Message: "a, b, c: Too many.", Fix: "a, b, c: Write 1.", MonthlySavingUSD: usd("3")}},
		},
		{
			"different texts follow each other",
			[]finding.Finding{
				{Rule: "r", Severity: finding.Info, Subject: "vmdata", Path: "vmdata.iops", Message: "Seven.", Fix: "Write 7."},
				{Rule: "r", Severity: finding.Info, Subject: "root", Path: "root.iops", Message: "Three.", Fix: "Write 3."},
			},
			[]finding.Finding{{Rule: "r", Severity: finding.Info, Path: "root.iops", Message: "root: Three. vmdata: Seven.", Fix: "root: Write 3. vmdata: Write 7."}},
		},
		{
			// The line that is pointed at is the one to change first.
			"the worst comes first",
			[]finding.Finding{
				{Rule: "r", Severity: finding.Info, Subject: "root", Path: "root.iops", Message: "In bursts."},
				{Rule: "r", Severity: finding.Warning, Subject: "vmdata", Path: "vmdata.iops", Message: "Never.", Fix: "Write 7."},
			},
			[]finding.Finding{{Rule: "r", Severity: finding.Warning, Path: "vmdata.iops", Message: "vmdata: Never. root: In bursts.", Fix: "vmdata: Write 7."}},
		},
		{
			"errors are merged only on one line",
			[]finding.Finding{
				{Rule: "r", Severity: finding.Error, Subject: "root", Path: "root.iops", Message: "No."},
				{Rule: "r", Severity: finding.Error, Subject: "vmdata", Path: "vmdata.iops", Message: "No."},
				{Rule: "r", Severity: finding.Error, Subject: "vmdata", Path: "vmdata.iops", Message: "Neither."},
				{Rule: "r", Severity: finding.Warning, Subject: "root", Path: "root.iops", Message: "Hm."},
			},
			[]finding.Finding{
				{Rule: "r", Severity: finding.Error, Subject: "root", Path: "root.iops", Message: "No."},
				{Rule: "r", Severity: finding.Error, Path: "vmdata.iops", Message: "vmdata: Neither. vmdata: No."},
				{Rule: "r", Severity: finding.Warning, Subject: "root", Path: "root.iops", Message: "Hm."},
			},
		},
		{
			"rules are kept apart",
			[]finding.Finding{{Rule: "b", Severity: finding.Info, Message: "m"}, {Rule: "a", Severity: finding.Info, Message: "m"}},
			[]finding.Finding{{Rule: "a", Severity: finding.Info, Message: "m"}, {Rule: "b", Severity: finding.Info, Message: "m"}},
		},
		{
			// Two looks at one thing save the money once.
			"the very same finding counts once",
			[]finding.Finding{
				{Rule: "r", Severity: finding.Info, Subject: "a", Path: "p", Message: "m.", Fix: "f.", MonthlySavingUSD: usd("5")},
				{Rule: "r", Severity: finding.Info, Subject: "a", Path: "p", Message: "m.", Fix: "f.", MonthlySavingUSD: usd("5.00")},
			},
			[]finding.Finding{{Rule: "r", Severity: finding.Info, Subject: "a", Path: "p", Message: "m.", Fix: "f.", MonthlySavingUSD: usd("5")}},
		},
		{
			"without subjects there is no head",
			[]finding.Finding{{Rule: "r", Severity: finding.Info, Message: "MiB/s."}, {Rule: "r", Severity: finding.Info, Message: "IOPS."}},
			[]finding.Finding{{Rule: "r", Severity: finding.Info, Message: "IOPS. MiB/s."}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := slices.Clone(test.in)
			got := finding.Merge(test.in)
			if diff := cmp.Diff(test.want, got, compare); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, test.in, compare); diff != "" {
				t.Errorf("the input was changed (-before +after):\n%s", diff)
			}
		})
	}
}

// anyFindings are findings over so few rules, paths, subjects and texts that
// many of them collide.
func anyFindings(t *rapid.T) []finding.Finding {
	few := func(name string, of ...string) string { return rapid.SampledFrom(of).Draw(t, name) }
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) finding.Finding {
		f := finding.Finding{
			Rule:     few("rule", "a", "b"),
			Severity: rapid.SampledFrom([]finding.Severity{finding.Info, finding.Warning, finding.Error}).Draw(t, "severity"),
			Subject:  few("subject", "", "root", "vmdata"),
			Path:     few("path", "", "root.iops", "vmdata.iops"),
			Message:  few("message", "One.", "Two."),
			Fix:      few("fix", "", "Write 1.", "Write 2."),
		}
		if n := rapid.Int64Range(0, 3).Draw(t, "saving"); n > 0 {
			f.MonthlySavingUSD = decimal.NewNullDecimal(decimal.NewFromInt(n))
		}
		return f
	}), 0, 8).Draw(t, "findings")
}

// The order in which rules run is nobody's business.
func TestMergeDoesNotDependOnOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fs := anyFindings(t)
		if diff := cmp.Diff(finding.Merge(fs), finding.Merge(rapid.Permutation(fs).Draw(t, "order")), compare); diff != "" {
			t.Errorf("another order gives another result:\n%s", diff)
		}
	})
}

func TestMergeKeepsWhatMatters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fs := anyFindings(t)
		got := finding.Merge(fs)
		if finding.Worst(got) != finding.Worst(fs) {
			t.Errorf("worst was %s, is %s", finding.Worst(fs), finding.Worst(got))
		}
		if diff := cmp.Diff(got, finding.Merge(got), compare); diff != "" {
			t.Errorf("merging again changes the result:\n%s", diff)
		}
		for _, f := range fs {
			if !slices.ContainsFunc(got, func(g finding.Finding) bool {
				return g.Rule == f.Rule && g.Severity >= f.Severity && strings.Contains(g.Message, f.Message) && strings.Contains(g.Fix, f.Fix) &&
					(f.Severity != finding.Error || g.Path == f.Path)
			}) {
				t.Errorf("lost %+v in %+v", f, got)
			}
		}
		// A rule speaks once about everything that is not an error.
		said := map[string]int{}
		for _, f := range got {
			if f.Severity != finding.Error {
				said[f.Rule]++
			}
		}
		for rule, n := range said {
			if n > 1 {
				t.Errorf("%s is said %d times", rule, n)
			}
		}
	})
}

func TestUnder(t *testing.T) {
	in := func() []finding.Finding {
		return []finding.Finding{{Path: "iops"}, {Path: ""}, {Path: "a.b", Subject: "own"}}
	}
	for _, test := range []struct {
		prefix, subject string
		want            []finding.Finding
	}{
		{"root", "the root", []finding.Finding{{Path: "root.iops", Subject: "the root"}, {Path: "root", Subject: "the root"}, {Path: "root.a.b", Subject: "own"}}},
		{"", "the root", []finding.Finding{{Path: "iops", Subject: "the root"}, {Path: "", Subject: "the root"}, {Path: "a.b", Subject: "own"}}},
		{"volume[2]", "", []finding.Finding{{Path: "volume[2].iops"}, {Path: "volume[2]"}, {Path: "volume[2].a.b", Subject: "own"}}},
		{"", "", in()},
	} {
		if diff := cmp.Diff(test.want, finding.Under(test.prefix, test.subject, in()), compare); diff != "" {
			t.Errorf("under %q as %q (-want +got):\n%s", test.prefix, test.subject, diff)
		}
	}
	if got := finding.Under("a", "b", nil); len(got) != 0 {
		t.Errorf("of nothing came %v", got)
	}
}

func TestWorst(t *testing.T) {
	for want, fs := range map[finding.Severity][]finding.Finding{
		0:               nil,
		finding.Info:    {{Severity: finding.Info}, {Severity: finding.Info}},
		finding.Warning: {{Severity: finding.Info}, {Severity: finding.Warning}},
		finding.Error:   {{Severity: finding.Error}, {Severity: finding.Info}},
	} {
		if got := finding.Worst(fs); got != want {
			t.Errorf("worst of %v is %s, want %s", fs, got, want)
		}
	}
}
