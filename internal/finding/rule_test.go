package finding_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
)

var registry = finding.NewRegistry(
	[]finding.Rule{{ID: "mac-root-throughput"}, {ID: "mac-root-size"}},
	[]finding.Rule{{ID: "gp3-iops-range", Summary: "second subject"}},
)

func TestRegistry(t *testing.T) {
	if r, ok := registry.Get("gp3-iops-range"); !ok || r.Summary != "second subject" {
		t.Errorf("Get = %+v, %v", r, ok)
	}
	for _, id := range []string{"", "gp3", "GP3-IOPS-RANGE"} {
		if _, ok := registry.Get(id); ok {
			t.Errorf("there is a rule %q", id)
		}
	}
	var ids []string
	for _, r := range registry.All() {
		ids = append(ids, r.ID)
	}
	if diff := cmp.Diff([]string{"gp3-iops-range", "mac-root-size", "mac-root-throughput"}, ids); diff != "" {
		t.Errorf("All (-want +got):\n%s", diff)
	}
	defer func() {
		if recover() == nil {
			t.Error("two rules of one id were taken")
		}
	}()
	finding.NewRegistry([]finding.Rule{{ID: "a"}}, []finding.Rule{{ID: "a"}})
}

func TestRule(t *testing.T) {
	r := finding.Rule{ID: "a-rule", Pages: fstest.MapFS{"rules/a-rule.md": {Data: []byte("# a-rule")}}}
	want := finding.Finding{Rule: "a-rule", Severity: finding.Warning, Path: "p", Message: "m", Fix: "f"}
	if diff := cmp.Diff(want, r.New(finding.Warning, "p", "m", "f"), compare); diff != "" {
		t.Errorf("New (-want +got):\n%s", diff)
	}
	if page, err := r.Page(); err != nil || page != "# a-rule" {
		t.Errorf("Page = %q, %v", page, err)
	}
	r.ID = "without-a-page"
	if _, err := r.Page(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing page gives %v", err)
	}
}

func TestClosest(t *testing.T) {
	known := []string{"gp2", "gp3", "io1", "standard"}
	for _, test := range []struct {
		word, want string
		distance   int
	}{
		{"gp3", "gp3", 0},
		{"GP3", "gp3", 0},
		{"pg3", "gp3", 2},
		{"gp", "gp2", 1}, // of equally close ones the first
		{"", "gp2", 3},
		{"standart", "standard", 1},
		{"íö1", "io1", 2}, // letters are counted, not bytes
	} {
		if got, d := finding.Closest(test.word, known); got != test.want || d != test.distance {
			t.Errorf("Closest(%q) = %q at %d, want %q at %d", test.word, got, d, test.want, test.distance)
		}
	}
	if got, d := finding.Closest("a", nil); got != "" || d != -1 {
		t.Errorf("of nothing the closest is %q at %d", got, d)
	}
	// Only the first 100 letters count.
	if _, d := finding.Closest(strings.Repeat("ä", 1<<20), []string{"b"}); d != 100 {
		t.Errorf("a long word is %d away", d)
	}
	if got := registry.Closest("mac-root-thruput"); got != "mac-root-throughput" {
		t.Errorf("closest rule is %s", got)
	}
	if got := finding.NewRegistry().Closest("a"); got != "" {
		t.Errorf("closest of no rules is %s", got)
	}
}

// No known word is closer than the one that is named, and a known word is its
// own closest.
func TestClosestIsClosest(t *testing.T) {
	words := rapid.SliceOfN(rapid.StringMatching(`[a-c]{0,4}`), 1, 6)
	rapid.Check(t, func(t *rapid.T) {
		known, word := words.Draw(t, "known"), rapid.StringMatching(`[a-c]{0,4}`).Draw(t, "word")
		_, least := finding.Closest(word, known)
		for _, k := range known {
			if _, d := finding.Closest(word, []string{k}); d < least {
				t.Errorf("%q is %d from %q, but the least is said to be %d", k, d, word, least)
			}
			if best, d := finding.Closest(k, known); d != 0 || best != k {
				t.Errorf("closest to %q of %q is %q", k, known, best)
			}
		}
	})
}

func TestIgnores(t *testing.T) {
	ig := finding.Ignores{
		"mac-root-size":       "a reason that stays private",
		"mac-root-throughput": " \t",
		"gp3-iops-rang":       "another secret",
		"":                    "",
	}
	faults := ig.Check(registry)
	want := []finding.IgnoreFault{
		{ID: "", Problem: `There is no such rule. The closest is "mac-root-size".`},
		{ID: "gp3-iops-rang", Problem: `There is no such rule. The closest is "gp3-iops-range".`},
		{ID: "mac-root-throughput", Problem: `Ignoring mac-root-throughput needs a reason, so that the next reader knows why: write "mac-root-throughput" = "who agreed to it, and why".`},
	}
	if diff := cmp.Diff(want, faults); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, f := range faults {
		if strings.Contains(f.Problem, "secret") || strings.Contains(f.Problem, "private") {
			t.Errorf("a reason is repeated: %s", f.Problem)
		}
	}
	for _, fine := range []finding.Ignores{nil, {}, {"mac-root-size": "agreed"}} {
		if faults := fine.Check(registry); len(faults) > 0 {
			t.Errorf("%v: %v", fine, faults)
		}
	}
}

func TestFilter(t *testing.T) {
	fs := []finding.Finding{{Rule: "a", Path: "1"}, {Rule: "b"}, {Rule: "a", Path: "2"}, {Rule: "c"}}
	for _, test := range []struct {
		name string
		ig   finding.Ignores
		want []finding.Finding
	}{
		{"nothing is ignored", nil, fs},
		{"one rule, wherever it is", finding.Ignores{"a": "reason"}, []finding.Finding{{Rule: "b"}, {Rule: "c"}}},
		{"a rule that has no finding", finding.Ignores{"d": "reason"}, fs},
		// Check reports these; until then they silence nothing.
		{"without a reason", finding.Ignores{"a": "", "b": " "}, fs},
		{"all", finding.Ignores{"a": "1", "b": "2", "c": "3"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := test.ig.Filter(fs)
			if len(got) != len(test.want) || (len(got) > 0 && !cmp.Equal(test.want, got, compare)) {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
			if len(fs) != 4 || fs[0].Path != "1" || fs[1].Rule != "b" {
				t.Errorf("the input was changed: %+v", fs)
			}
		})
	}
}

// Closest and Check see whatever somebody typed: they answer and do not repeat
// it.
func FuzzClosest(f *testing.F) {
	for _, s := range []string{"", "mac-root-size", "MAC-ROOT-SIZE", "\xff\xfe", "mac\x00root", strings.Repeat("x", 300), "ſ", "İ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, word string) {
		best := registry.Closest(word)
		if _, ok := registry.Get(best); !ok {
			t.Errorf("closest to %q is %q, which is no rule", word, best)
		}
		for _, fault := range (finding.Ignores{word: ""}).Check(registry) {
			if _, known := registry.Get(word); !known && fault.Problem != `There is no such rule. The closest is "`+best+`".` {
				t.Errorf("%q: %s", word, fault.Problem)
			}
		}
	})
}
