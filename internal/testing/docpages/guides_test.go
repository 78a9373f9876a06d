package docpages

import (
	"path"
	"slices"
	"strings"
	"testing"
)

// Guides that show nothing of a terminal: one is about promises, the other about
// an account that nobody here has.
var withoutTerminal = []string{"compatibility.md", "live-aws.md"}

// Each guide starts from a problem, not from the product, and shows an example
// with what comes out, which TestTranscripts runs.
func TestGuides(t *testing.T) {
	guides := under(t, "templates/guides")
	if len(guides) < 10 {
		t.Fatalf("only %d guides: %v", len(guides), guides)
	}
	for _, guide := range guides {
		text := read(t, guide)
		shows := false
		for _, f := range fencesOf(t, guide, strings.Split(text, "\n")) {
			shows = shows || (f.language == "console" && (strings.HasPrefix(f.text, "$ terraform ") || strings.HasPrefix(f.text, "$ runnerfit ")))
		}
		if listed := slices.Contains(withoutTerminal, path.Base(guide)); shows == listed {
			t.Errorf("%s shows a terminal: %t; an exception: %t", guide, shows, listed)
		}
		_, body, _ := strings.Cut(text, "\n# ")
		_, body, _ = strings.Cut(body, "\n\n")
		if first, _, _ := strings.Cut(body, "\n\n"); strings.HasPrefix(first, "#") || strings.Contains(first, "runnerfit") || strings.HasPrefix(first, "|") {
			t.Errorf("%s does not start with what the reader's problem is, but with %q", guide, first)
		}
		if !strings.Contains(read(t, "docs/index.md"), "(guides/"+path.Base(guide)+")") {
			t.Errorf("the index does not lead to %s", guide)
		}
	}
}

// The first question of everybody who has read what this is.
func TestIndexSaysWhatToUse(t *testing.T) {
	p := parse(t, "docs/index.md")
	p.require(t, "Function, data source, guard or audit?", "Guides", "Compatibility", "What is embedded, as of when")
	table := p.sections["Function, data source, guard or audit?"]
	for _, way := range []string{"| a function |", "| a data source |", "| a guard |", "| the audit |"} {
		if !strings.Contains(table, way) {
			t.Errorf("the index's table does not have %q", way)
		}
	}
}
