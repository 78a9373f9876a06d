// Package rulepages tries out the pages of the rules: it needs the provider and
// HCL, which the packages that the pages belong to know nothing of.
package rulepages

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/audit"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/output"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/plan"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/provider"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/rulebook"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/prototest"
)

// Every rule has a page, which says the same things under the same headings.
// What it shows is tried out: its example breaks the rule with the message that
// is printed below it, its fix does not, and its ways of ignoring the rule
// silence it. With -update the messages are written anew.

var update = flag.Bool("update", false, "write the messages in the pages anew")

const (
	sectionExample = "Example"
	sectionWhy     = "Why"
	sectionFix     = "How to fix"
	sectionIgnore  = "How to ignore"
)

var sections = []string{sectionExample, sectionWhy, sectionFix, sectionIgnore}

// packages is the folder of the packages that own the rules. It is absolute,
// because an example is audited in a folder of its own.
var packages string

func TestPages(t *testing.T) {
	var err error
	if packages, err = filepath.Abs(filepath.Join("..", "..")); err != nil {
		t.Fatal(err)
	}
	for _, rule := range rulebook.Registry().All() {
		t.Run(rule.ID, func(t *testing.T) {
			text, err := rule.Page()
			if err != nil {
				t.Fatal(err)
			}
			p := parsePage(t, text)
			p.checkForm(t, rule)
			if t.Failed() {
				return
			}
			p.checkExample(t, rule)
			p.checkFix(t, rule)
			p.checkIgnore(t, rule)
		})
	}
}

// page is a rule's page taken apart.
type page struct {
	title, intro, severity string
	headings               []string
	prose                  map[string]string
	code                   map[string][]codeBlock
}

type codeBlock struct{ language, text string }

func (p page) blocks(section, language string) []string {
	var out []string
	for _, b := range p.code[section] {
		if b.language == language {
			out = append(out, b.text)
		}
	}
	return out
}

func parsePage(t *testing.T, text string) page {
	t.Helper()
	p := page{prose: map[string]string{}, code: map[string][]codeBlock{}}
	section, fence := "", (*codeBlock)(nil)
	for line := range strings.Lines(text) {
		bare := strings.TrimRight(line, "\n")
		switch {
		case fence != nil && bare == "```":
			p.code[section] = append(p.code[section], *fence)
			fence = nil
		case fence != nil:
			fence.text += line
		case strings.HasPrefix(bare, "```"):
			fence = &codeBlock{language: strings.TrimPrefix(bare, "```")}
		case strings.HasPrefix(bare, "# "):
			p.title = strings.TrimPrefix(bare, "# ")
		case strings.HasPrefix(bare, "## "):
			section = strings.TrimPrefix(bare, "## ")
			p.headings = append(p.headings, section)
		default:
			p.prose[section] += line
		}
	}
	if fence != nil {
		t.Fatal("a code block is not closed")
	}
	p.intro, p.severity, _ = strings.Cut(p.prose[""], "\nSeverity: ")
	return p
}

var severityWord = regexp.MustCompile(`\b(error|warning|info)\b`)

func (p page) checkForm(t *testing.T, rule finding.Rule) {
	t.Helper()
	if p.title != rule.ID {
		t.Errorf("the title is %q", p.title)
	}
	if strings.TrimSpace(p.intro) == "" {
		t.Error("nothing says what the rule means")
	}
	said := map[string]bool{}
	for _, w := range severityWord.FindAllString(p.severity, -1) {
		said[w] = true
	}
	has := map[string]bool{}
	for _, s := range rule.Severities {
		has[s.String()] = true
	}
	if !maps.Equal(said, has) {
		t.Errorf("the line that starts with \"Severity: \" speaks of %q, the rule has %q", slices.Sorted(maps.Keys(said)), slices.Sorted(maps.Keys(has)))
	}
	if !slices.Equal(p.headings, sections) {
		t.Errorf("the headings are %q, want %q", p.headings, sections)
	}
	for _, s := range []string{sectionWhy, sectionFix, sectionIgnore} {
		if strings.TrimSpace(p.prose[s]) == "" {
			t.Errorf("nothing stands under %q", s)
		}
	}
	for section, n := range map[string]int{sectionExample: 1, sectionFix: 1} {
		if got := len(p.blocks(section, "terraform")); got != n {
			t.Errorf("%q has %d terraform blocks, want %d", section, got, n)
		}
	}
	if len(p.blocks(sectionExample, "text")) != 1 {
		t.Errorf("%q has no text block with the message", sectionExample)
	}
	if !strings.Contains(p.prose[sectionIgnore]+strings.Join(p.blocks(sectionIgnore, "terraform"), ""), "ignore_rules") {
		t.Errorf("%q does not mention ignore_rules", sectionIgnore)
	}
}

// impliedBy are the rules that say something only where another one does.
var impliedBy = map[string]string{
	"job-tmpfs-memory": "job-volume-bound", // a job that does not wait for its disk needs no tmpfs
}

// checkExample: the example breaks this rule and, as far as a plan says
// anything, no other, and the page shows what is said.
func (p page) checkExample(t *testing.T, rule finding.Rule) {
	t.Helper()
	said := evaluate(t, p.blocks(sectionExample, "terraform")[0], "", "")
	var message string
	for _, s := range said {
		switch {
		case s.rule == rule.ID && message == "":
			message = s.text
		case s.rule != rule.ID && s.severity != finding.Info.String() && s.rule != impliedBy[rule.ID]:
			t.Errorf("the example breaks another rule:\n%s", s.text)
		}
	}
	if message == "" {
		t.Fatalf("the example does not break the rule, it says %v", said)
	}
	shown := p.blocks(sectionExample, "text")[0]
	if shown == message {
		return
	}
	if !*update {
		t.Errorf("the page shows\n%s\nthe rule says\n%s", shown, message)
		return
	}
	files, err := filepath.Glob(filepath.Join(packages, "*", "rules", rule.ID+".md"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the page's file: %v, %v", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	// No other block of a page is a text.
	old := "```text\n" + shown + "```"
	if strings.Count(string(text), old) != 1 {
		t.Fatal("the page on disk is not the one that was built in")
	}
	if err := os.WriteFile(files[0], []byte(strings.Replace(string(text), old, "```text\n"+message+"```", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// checkFix: the fix is silent, but for advice about other things.
func (p page) checkFix(t *testing.T, rule finding.Rule) {
	t.Helper()
	for _, s := range evaluate(t, p.blocks(sectionFix, "terraform")[0], "", "") {
		if s.rule == rule.ID || s.severity != finding.Info.String() {
			t.Errorf("the fix is not silent:\n%s", s.text)
		}
	}
}

// checkIgnore: each of the shown ways of ignoring silences the rule. A provider
// block and the ignore_rules of a resource are tried on the example; an
// expression stands for itself.
func (p page) checkIgnore(t *testing.T, rule finding.Rule) {
	t.Helper()
	example := p.blocks(sectionExample, "terraform")[0]
	tried := 0
	for _, text := range p.blocks(sectionIgnore, "terraform") {
		for _, b := range parseBlocks(t, text) {
			var said []statement
			switch b.kind {
			case "provider":
				said = evaluate(t, example, b.body, "")
			case "resource":
				if isAWS(b) { // a comment
					for _, s := range evaluate(t, text, "", "") {
						if s.rule == rule.ID {
							t.Errorf("the comment does not silence the rule:\n%s", s.text)
						}
					}
					if strings.Contains(text, "runnerfit:ignore "+rule.ID+" ") {
						uncommented := strings.ReplaceAll(text, "runnerfit:ignore", "")
						if !slices.ContainsFunc(evaluate(t, uncommented, "", ""), func(s statement) bool { return s.rule == rule.ID }) {
							t.Error("without the comment the rule says nothing either")
						}
					}
					tried++
					continue
				}
				said = evaluate(t, example, "", b.attributes["ignore_rules"])
				// The example may be an expression, which has no ignore_rules.
				evaluate(t, harmlessGuard, "", b.attributes["ignore_rules"])
			default:
				said = evaluate(t, text, "", "")
			}
			if isGuard(t, example) || b.kind != "provider" && b.kind != "resource" {
				for _, s := range said {
					if s.rule == rule.ID {
						t.Errorf("%s does not silence the rule:\n%s", b.kind, s.text)
					}
				}
			}
			tried++
		}
	}
	if tried == 0 {
		t.Errorf("%q shows nothing", sectionIgnore)
	}
}

// harmlessGuard is one that no rule has anything against.
const harmlessGuard = `resource "runnerfit_mac_host_storage" "host" {
  instance_type = "mac2-m2pro.metal"
  root {
    size_gib = 100
  }
}
`

// statement is something said about a configuration, by a diagnostic or as an
// element of a list of findings.
type statement struct{ rule, severity, text string }

func (s statement) String() string { return s.severity + " " + s.rule }

// tfBlock is a block at the top of a configuration.
type tfBlock struct {
	kind   string
	labels []string
	body   string
	// attributes are the texts of the attributes' expressions.
	attributes map[string]string
	syntax     *hclsyntax.Body
}

func parseBlocks(t *testing.T, text string) []tfBlock {
	t.Helper()
	file, diags := hclsyntax.ParseConfig([]byte(text), "main.tf", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatalf("the syntax of an example: %s", diags)
	}
	var out []tfBlock
	for _, b := range file.Body.(*hclsyntax.Body).Blocks {
		tb := tfBlock{kind: b.Type, labels: b.Labels, syntax: b.Body, attributes: map[string]string{}}
		tb.body = text[b.OpenBraceRange.End.Byte:b.CloseBraceRange.Start.Byte]
		for name, a := range b.Body.Attributes {
			r := a.Expr.Range()
			tb.attributes[name] = text[r.Start.Byte:r.End.Byte]
		}
		out = append(out, tb)
	}
	return out
}

func isGuard(t *testing.T, text string) bool {
	t.Helper()
	return slices.ContainsFunc(parseBlocks(t, text), func(b tfBlock) bool {
		return b.kind == "resource" && strings.HasPrefix(b.labels[0], "runnerfit_")
	})
}

// evaluate plans the resources, reads the data sources and evaluates the
// outputs and locals of a configuration. providerBody is that of a provider
// block, ignore an expression for the ignore_rules of its resources.
func evaluate(t *testing.T, text, providerBody, ignore string) []statement {
	t.Helper()
	blocks := parseBlocks(t, text)
	for _, b := range blocks {
		if b.kind == "provider" {
			providerBody = b.body
		}
	}
	p := prototest.New(t, provider.NewServer("test"), prototest.Config(providerBody))
	var out []statement
	for _, b := range blocks {
		switch {
		case b.kind == "resource" && strings.HasPrefix(b.labels[0], "runnerfit_"):
			body := b.body
			if ignore != "" {
				body += "\nignore_rules = " + ignore
			}
			pl := p.Resource(b.labels[0]).Plan(body)
			out = append(out, fromDiagnostics(t, text, b, pl.Diagnostics)...)
			out = append(out, unsaid(fromValue(pl.State), out)...)
		case b.kind == "data" && strings.HasPrefix(b.labels[0], "runnerfit_"):
			r := p.DataSource(b.labels[0]).Read(b.body)
			out = append(out, fromDiagnostics(t, text, b, r.Diagnostics)...)
			out = append(out, fromValue(r.State)...)
		case b.kind == "output", b.kind == "locals":
			for _, name := range slices.Sorted(maps.Keys(b.attributes)) {
				if b.kind == "output" && name != "value" {
					continue
				}
				v, err := p.Eval(b.attributes[name])
				if err != nil {
					t.Fatalf("%s: %v", b.attributes[name], err)
				}
				out = append(out, fromValue(v)...)
			}
		}
	}
	if slices.ContainsFunc(blocks, isAWS) {
		out = append(out, audited(t, text)...)
	}
	return out
}

func isAWS(b tfBlock) bool { return b.kind == "resource" && strings.HasPrefix(b.labels[0], "aws_") }

// unsaid are the findings of a list that no diagnostic has said.
func unsaid(list, said []statement) []statement {
	return slices.DeleteFunc(list, func(s statement) bool {
		return slices.ContainsFunc(said, func(o statement) bool { return o.rule == s.rule && o.severity == s.severity })
	})
}

// fromDiagnostics shows diagnostics as Terraform does without colours.
func fromDiagnostics(t *testing.T, text string, b tfBlock, ds prototest.Diagnostics) []statement {
	t.Helper()
	var out []statement
	for _, d := range ds {
		_, rule, found := strings.Cut(d.Detail, "\n\nRule: ")
		if !found {
			t.Fatalf("not a rule's: %s", d)
		}
		number, line := locate(text, b.kind, d)
		if line == "" {
			t.Fatalf("no such line in the example: %s", d)
		}
		out = append(out, statement{rule: rule, severity: string(d.Severity), text: fmt.Sprintf(
			"%s: %s\n\n  with %s.%s,\n  on main.tf line %d, in %s %q %q:\n  %2d: %s\n\n%s",
			strings.ToUpper(string(d.Severity[:1]))+string(d.Severity[1:]), d.Summary,
			b.labels[0], b.labels[1], number, b.kind, b.labels[0], b.labels[1], number, line, wrap(d.Detail, ""),
		)})
	}
	return out
}

// locate finds the line that a diagnostic points at: in the block that its path
// names, or the header of the whole.
func locate(text, kind string, d prototest.Diagnostic) (number int, line string) {
	parent, _, nested := strings.Cut(d.Path, ".")
	// Of repeated blocks, "volume[2]" is the third.
	parent, index, _ := strings.Cut(strings.TrimSuffix(parent, "]"), "[")
	skip, _ := strconv.Atoi(index)
	inside := !nested
	for l := range strings.SplitSeq(text, "\n") {
		number++
		if nested && !inside && strings.HasPrefix(strings.TrimSpace(l), parent+" ") {
			inside = skip == 0
			skip--
		}
		if inside && (strings.TrimSpace(l) == d.Line || strings.HasPrefix(l, kind) && strings.HasPrefix(d.Line, kind)) {
			return number, l
		}
	}
	return 0, ""
}

// fromValue finds the findings in a value, wherever they are.
func fromValue(v cty.Value) []statement {
	var out []statement
	_ = cty.Walk(v, func(_ cty.Path, v cty.Value) (bool, error) {
		if v.IsNull() || !v.IsKnown() || !v.Type().IsObjectType() || !v.Type().HasAttribute("rule") || !v.Type().HasAttribute("fix") {
			return true, nil
		}
		get := func(name string) string { return v.GetAttr(name).AsString() }
		out = append(out, fromFinding(get("rule"), get("severity"), get("path"), get("message"), get("fix")))
		return false, nil
	})
	return out
}

// fromFinding shows an element of a list of findings.
func fromFinding(rule, severity, path, message, fix string) statement {
	const indent = "          "
	text := "rule      " + rule + "\nseverity  " + severity + "\n"
	if path != "" {
		text += "path      " + path + "\n"
	}
	text += "message   " + strings.TrimLeft(wrap(message, indent), " ")
	if fix != "" {
		text += "fix       " + strings.TrimLeft(wrap(fix, indent), " ")
	}
	return statement{rule: rule, severity: severity, text: text}
}

// audited shows what an audit of the configuration as main.tf says.
func audited(t *testing.T, text string) []statement {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.WriteFile("main.tf", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	folders, err := plan.ReadFolders(t.Context(), []string{"."}, plan.Options{})
	if err != nil || len(folders.Problems) > 0 || len(folders.Roots) != 1 {
		t.Fatalf("reading the example: %v %v", err, folders.Problems)
	}
	format, _ := output.New("text", output.Settings{Rules: rulebook.Registry()})
	var out []statement
	for _, f := range audit.Run(folders.Roots[0], audit.Options{Catalog: catalog.Embedded()}) {
		var b strings.Builder
		if err := format.Write(&b, output.Report{Findings: []output.Located{f.Located}}); err != nil {
			t.Fatal(err)
		}
		// The last line counts the findings.
		said, _, _ := strings.Cut(b.String(), "\nRule: "+f.Rule+"\n")
		out = append(out, statement{rule: f.Rule, severity: f.Severity.String(), text: said + "\nRule: " + f.Rule + "\n"})
	}
	slices.SortStableFunc(out, func(a, b statement) int { return strings.Compare(a.severity, b.severity) })
	return out
}

// width is the one that Terraform wraps a message to.
const width = 78

// wrap breaks lines between words, each with an indentation.
func wrap(text, indent string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		column := 0
		for i, word := range strings.Fields(line) {
			switch {
			case i == 0:
				b.WriteString(indent)
				column = len(indent)
			case column+1+len([]rune(word)) > width:
				b.WriteString("\n" + indent)
				column = len(indent)
			default:
				b.WriteByte(' ')
				column++
			}
			b.WriteString(word)
			column += len([]rune(word))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
