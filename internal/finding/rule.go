package finding

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Rule describes a rule: the id that people ignore it by, the constant summary
// that heads its diagnostics, and the page that explains it.
type Rule struct {
	// ID is stable for ever.
	ID string
	// Summary heads a diagnostic: at most 60 characters, and no value in it, because
	// Terraform merges warnings with the same summary.
	Summary string
	// Severities that the rule can have, worst first.
	Severities []Severity
	// Pages holds the page "rules/ID.md", which explains the rule in Markdown: an
	// example that breaks it, why it matters, how to fix it and how to ignore it.
	Pages fs.FS
}

// Page reads the rule's page.
func (r Rule) Page() (string, error) {
	b, err := fs.ReadFile(r.Pages, "rules/"+r.ID+".md")
	return string(b), err
}

// New starts a finding of this rule.
func (r Rule) New(s Severity, path, message, fix string) Finding {
	return Finding{Rule: r.ID, Severity: s, Path: path, Message: message, Fix: fix}
}

// Registry holds rules by id.
type Registry struct {
	byID map[string]Rule
}

// NewRegistry collects the rules of several subjects. It panics on a duplicate
// id, which is a programming error.
func NewRegistry(subjects ...[]Rule) *Registry {
	r := &Registry{byID: map[string]Rule{}}
	for _, rules := range subjects {
		for _, rule := range rules {
			if _, dup := r.byID[rule.ID]; dup {
				panic("rule registered twice: " + rule.ID)
			}
			r.byID[rule.ID] = rule
		}
	}
	return r
}

// Get looks a rule up by its id.
func (r *Registry) Get(id string) (Rule, bool) {
	rule, ok := r.byID[id]
	return rule, ok
}

// All returns the rules sorted by id.
func (r *Registry) All() []Rule {
	out := make([]Rule, 0, len(r.byID))
	for _, id := range slices.Sorted(maps.Keys(r.byID)) {
		out = append(out, r.byID[id])
	}
	return out
}

// Closest returns the rule id most like a mistyped one.
func (r *Registry) Closest(id string) string {
	best, _ := Closest(id, slices.Sorted(maps.Keys(r.byID)))
	return best
}

// Closest returns the known word with the least edit distance to the given one
// and that distance. Words are compared without regard to letter case; of
// equally close words the first in the list wins. Only the first 100
// characters of a long word are looked at, which bounds the work on hostile
// input.
func Closest(word string, known []string) (string, int) {
	if r := []rune(word); len(r) > maxWord {
		word = string(r[:maxWord])
	}
	word = strings.ToLower(word)
	best, least := "", -1
	for _, k := range known {
		d := distance(word, strings.ToLower(k))
		if least < 0 || d < least {
			best, least = k, d
		}
	}
	return best, least
}

// distance is the edit distance, or little more than that to the beginning of
// the known word: people leave the end of long names away ("desired" for
// "desired_hosts").
func distance(word, known string) int {
	d := levenshtein.ComputeDistance(word, known)
	if n := len([]rune(word)); n >= 4 && n < len(known) {
		d = min(d, levenshtein.ComputeDistance(word, known[:n])+1)
	}
	return d
}

const maxWord = 100

// Ignores are rules that somebody decided not to hear about, each with the
// reason: id = reason.
type Ignores map[string]string

// Check reports what is wrong with a list of ignored rules: an id that does
// not exist (with the closest one that does) or a reason that is missing. The
// result is sorted by id; the second value of each pair says what is wrong.
// Reasons are free text and are not repeated.
func (ig Ignores) Check(r *Registry) []IgnoreFault {
	var out []IgnoreFault
	for _, id := range slices.Sorted(maps.Keys(ig)) {
		if _, ok := r.Get(id); !ok {
			out = append(out, IgnoreFault{ID: id, Problem: fmt.Sprintf("There is no such rule. The closest is %q.", r.Closest(id))})
			continue
		}
		if strings.TrimSpace(ig[id]) == "" {
			out = append(out, IgnoreFault{ID: id, Problem: fmt.Sprintf("Ignoring %s needs a reason, so that the next reader knows why: write %s = \"who agreed to it, and why\".", id, quoteKey(id))})
		}
	}
	return out
}

func quoteKey(id string) string { return `"` + id + `"` }

// IgnoreFault is one fault in a list of ignored rules.
type IgnoreFault struct {
	ID      string
	Problem string
}

// Filter leaves out the findings of ignored rules.
func (ig Ignores) Filter(fs []Finding) []Finding {
	if len(ig) == 0 {
		return fs
	}
	out := fs[:0:0]
	for _, f := range fs {
		if strings.TrimSpace(ig[f.Rule]) == "" {
			out = append(out, f)
		}
	}
	return out
}
