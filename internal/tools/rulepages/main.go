// Command rulepages writes the pages of the rules, which are embedded beside the
// rules' code, into the documentation, with an index of all rules.
// tools/generate.sh runs it.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/rulebook"
)

func main() {
	folder := flag.String("folder", filepath.Join("docs", "guides"), "where to write the pages")
	flag.Parse()
	if err := write(*folder, rulebook.Registry().All()); err != nil {
		fmt.Fprintln(os.Stderr, "rulepages:", err)
		os.Exit(1)
	}
}

// write writes a page for each rule, "rule-ID.md", and the index, "rules.md".
func write(folder string, rules []finding.Rule) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	files := map[string]string{"rules.md": index(rules)}
	for _, r := range rules {
		text, err := r.Page()
		if err != nil {
			return err
		}
		if files["rule-"+r.ID+".md"], err = page(r, text); err != nil {
			return err
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// frontmatter is what the registries read of a page. The title and the
// description must not contain what YAML would take for its own.
func frontmatter(title, description string) string {
	return fmt.Sprintf("---\npage_title: %q\nsubcategory: \"Rules\"\ndescription: |-\n  %s\n---\n\n", title, description)
}

// page is a rule's page as a guide.
func page(r finding.Rule, text string) (string, error) {
	heading := "# " + r.ID + "\n\n"
	body, ok := strings.CutPrefix(text, heading)
	if !ok {
		return "", fmt.Errorf("the page of %s does not begin with its heading", r.ID)
	}
	intro, _, ok := strings.Cut(body, "\n\n")
	if !ok {
		return "", fmt.Errorf("the page of %s has no introduction", r.ID)
	}
	return frontmatter("Rule "+r.ID, strings.Join(strings.Fields(intro), " ")) +
		text + "\n---\n\n[All rules](rules.md#" + r.ID + ")\n", nil
}

const indexIntro = `# Rules

What runnerfit checks. Every finding names the rule that it comes from, and the rule's
page shows an example with its message, why it matters, how to fix it, and how to ignore
it. ` + "`runnerfit rules ID`" + ` prints the same page on the command line.

An ` + "`error`" + ` is something that AWS refuses, or that cannot do what it was written for; it
stops a plan. A ` + "`warning`" + ` works, but is capped, wasteful or risky. ` + "`info`" + ` is advice: it is
in the ` + "`findings`" + ` of an object, and a plan does not show it. A rule with several
severities takes the one that fits the case.

Ids never change. To silence a rule, write its id and a reason into ` + "`ignore_rules`" + `.

| rule | severity | what it says |
|---|---|---|
`

// index is the table of all rules, each with an anchor to link to.
func index(rules []finding.Rule) string {
	var b strings.Builder
	b.WriteString(frontmatter("Rules", "What runnerfit checks: every rule with its severity, and a link to its explanation."))
	b.WriteString(indexIntro)
	for _, r := range rules {
		var severities []string
		for _, s := range r.Severities {
			severities = append(severities, s.String())
		}
		fmt.Fprintf(&b, "| <a id=%q></a>[`%[1]s`](rule-%[1]s.md) | %s | %s |\n", r.ID, strings.Join(severities, ", "), r.Summary)
	}
	return b.String()
}
