// Package runnerlabel reads, checks and writes the labels by which a GitHub
// workflow asks for a self-hosted runner on EC2: those of RunsOn (v2 and v3),
// of Sprinters and of github-aws-runners ("ghr-ec2-…").
//
// A label is free text that often holds a typing error, and the systems ignore
// what they do not know, so that a job starts on a runner that is not the one
// that was asked for. What is in it that decides the disk, a volume and an
// instance type, is judged by the same rules as any other volume.
//
// Facts are from the systems' own pages: runs-on.com/docs/runners/labels and
// guides/v3-migration, the schema of github.com/runs-on/config,
// sprinters.sh/docs/label, and the label parser of
// github.com/github-aws-runners/terraform-aws-github-runner, all as of
// autumn 2026.
package runnerlabel

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

// System is the kind of runner that a label asks for.
type System string

// The systems. Other is anything else, "ubuntu-latest" or a label of one's own:
// nothing is said of it. Undecided is a label that an expression of the
// workflow decides.
const (
	RunsOn           System = "runs-on"
	Sprinters        System = "sprinters"
	GitHubAWSRunners System = "github-aws-runners"
	Other            System = "other"
	Undecided        System = "unknown"
)

// Label is what a workflow asks for.
type Label struct {
	System System
	// Settings in the order in which they are written, one for each key. Keys are
	// in lower case; volumes and lists are in their canonical form where they can
	// be read.
	Settings []Setting
	// Volume on which the job works; null if none is written, unknown if an
	// expression of the workflow decides whether there is one.
	Volume optional.Value[Volume]
	// Open says that an expression of the workflow may bring more settings.
	Open bool
	// Extras are the values of RunsOn's extras, in order, each once.
	Extras []string
	// Findings are sorted. They echo no text of the label but known words and
	// numbers.
	Findings []finding.Finding

	texts []string
	edits []edit
	// single are the findings before those of a rule were merged.
	single []finding.Finding
	// places are the texts that findings are about, by rule and path; keys those
	// that settings stand in.
	places map[[2]string]int
	keys   map[string]int
}

// TextOf is the index of the text that a finding of the label is about, where
// a label is several texts.
func (l Label) TextOf(f finding.Finding) int {
	if i, ok := l.places[[2]string{f.Rule, f.Path}]; ok {
		return i
	}
	key, member, _ := strings.Cut(f.Path, ".")
	if i, ok := l.keys[key]; ok {
		return i
	}
	return l.keys[ghrKeyOf[member]] // the first one for none
}

// Setting is one setting of a label.
type Setting struct {
	Key, Value string
	// Dynamic says that the value holds an expression, ${{ … }}, so that it is not
	// known before the workflow runs.
	Dynamic bool
}

// Complete says that no expression of the workflow decides any of the label,
// but for the id of a RunsOn label, which is one by rule.
func (l Label) Complete() bool {
	return !l.Open && !slices.ContainsFunc(l.Settings, func(s Setting) bool { return s.Dynamic && s.Key != headKey })
}

// Get returns the value of a setting and whether it is written.
func (l Label) Get(key string) (Setting, bool) {
	for _, s := range l.Settings {
		if s.Key == key {
			return s, true
		}
	}
	return Setting{}, false
}

// Volume is an EBS volume as a label asks for it. Members that are left out are
// null, those that an expression decides are unknown.
type Volume struct {
	SizeGiB           optional.Value[decimal.Decimal]
	Type              optional.Value[string]
	IOPS              optional.Value[decimal.Decimal]
	ThroughputMiBPerS optional.Value[decimal.Decimal]
}

// Parser reads labels. What it says of volumes comes from the catalogue, in
// the prices of a Region.
type Parser struct {
	Catalog *catalog.Catalog
	Region  string
	// HeadsOnly leaves a text alone that has no head of a system, "cpu=4": in a
	// workflow it is a label of the user's own.
	HeadsOnly bool
}

// ShapeError says why a text is no label at all. The message has no full stop
// at the end, because Terraform adds its own to the error of a function's
// argument; it repeats nothing of the text.
type ShapeError struct{ Message string }

// Error is the message.
func (e *ShapeError) Error() string { return e.Message }

// Finding is the error as a finding, where labels are read from files.
func (e *ShapeError) Finding() finding.Finding {
	return RuleUnreadable.New(finding.Error, "", "The label "+e.Message+".", "")
}

func shapeError(format string, args ...any) error {
	return &ShapeError{Message: fmt.Sprintf(format, args...)}
}

const (
	// maxText and maxTexts are far above every label in use, and bound the work on
	// hostile input.
	maxText  = 4096
	maxTexts = 100
)

// Parse reads a label: one text, or the several labels of one job that GitHub
// takes as an array. It returns a *ShapeError for what cannot be a label:
// nothing, a control character, an expression without end, or a text that is
// far too long.
func (p Parser) Parse(texts ...string) (Label, error) {
	if len(texts) == 0 {
		return Label{}, shapeError("is empty: a runner label is text such as runs-on=1/cpu=4")
	}
	if len(texts) > maxTexts {
		return Label{}, shapeError("has %d labels; more than %d are a mistake", len(texts), maxTexts)
	}
	for i, t := range texts {
		where := ""
		if len(texts) > 1 {
			where = fmt.Sprintf("has a label (number %d) that ", i+1)
		}
		if err := checkText(where, t); err != nil {
			return Label{}, err
		}
	}
	d := &draft{Parser: p, texts: texts, label: Label{places: map[[2]string]int{}, keys: map[string]int{}}}
	switch system := p.systemOf(texts); system {
	case RunsOn:
		d.runsOn()
	case Sprinters:
		d.sprinters()
	case GitHubAWSRunners:
		d.githubAWSRunners()
	default:
		d.label.System = system
		if system == Undecided {
			d.label.Open, d.label.Volume = true, optional.Unknown[Volume]()
		}
	}
	l := d.label
	l.texts, l.edits, l.single = texts, d.edits, d.findings
	l.Findings = finding.Merge(d.findings)
	return l, nil
}

// draft is a label while it is read.
type draft struct {
	Parser
	texts    []string
	label    Label
	findings []finding.Finding
	edits    []edit
	// reading is the index of the text that is read, -1 when all have been.
	reading int
}

func (d *draft) report(fs ...finding.Finding) {
	d.findings = append(d.findings, fs...)
	for _, f := range fs {
		at := [2]string{f.Rule, f.Path}
		if _, ok := d.label.places[at]; !ok && d.reading >= 0 {
			d.label.places[at] = d.reading
		}
	}
}

// set adds a setting, or replaces an earlier one of the same key.
func (d *draft) set(s Setting) (twice bool) {
	d.label.keys[s.Key] = d.reading
	for i := range d.label.Settings {
		if d.label.Settings[i].Key == s.Key {
			d.label.Settings[i] = s
			return true
		}
	}
	d.label.Settings = append(d.label.Settings, s)
	return false
}

// checkText finds what makes a text unreadable as a label.
func checkText(where, t string) error {
	if len(t) > maxText {
		return shapeError("%sis too long: %d bytes, where a runner label has at most %d", where, len(t), maxText)
	}
	if !utf8.ValidString(t) {
		return shapeError("%sis not valid UTF-8 text", where)
	}
	// A block scalar of YAML ends in a line break, which is not meant.
	t = strings.TrimRight(t, " \t\r\n")
	if strings.TrimSpace(t) == "" {
		return shapeError("%sis empty: a runner label is text such as runs-on=1/cpu=4", where)
	}
	n := 0
	for _, r := range t {
		n++
		if unicode.IsControl(r) {
			return shapeError("%shas a control character or a line break at character %d", where, n)
		}
	}
	for i := 0; i < len(t); {
		end, isExpr := expression(t, i)
		switch {
		case isExpr && end < 0:
			return shapeError("%shas an expression that starts with ${{ and is never closed by }}", where)
		case isExpr:
			i = end
		default:
			i++
		}
	}
	return nil
}

// expression finds the end of an expression ${{ … }} that starts at i, as
// GitHub does: text between single quotes closes nothing. The end is -1 if
// there is none.
func expression(t string, i int) (end int, ok bool) {
	if !strings.HasPrefix(t[i:], "${{") {
		return 0, false
	}
	quoted := false
	for j := i + len("${{"); j < len(t); j++ {
		switch {
		case t[j] == '\'':
			quoted = !quoted
		case !quoted && strings.HasPrefix(t[j:], "}}"):
			return j + len("}}"), true
		}
	}
	return -1, true
}

// dynamic says whether a text holds an expression.
func dynamic(t string) bool { return strings.Contains(t, "${{") }

// systemOf tells by their heads which system labels are of.
func (p Parser) systemOf(texts []string) System {
	undecided, misspelt := false, false
	for _, t := range texts {
		t = lower(strings.TrimSpace(t))
		switch {
		case isRunsOnHead(t):
			return RunsOn
		case strings.HasPrefix(t, "sprinters:"):
			return Sprinters
		case hasGHR(t):
			return GitHubAWSRunners
		}
		if isMisspeltHead(t) {
			misspelt = true
		}
		undecided = undecided || strings.HasPrefix(t, "${{")
	}
	switch t := lower(strings.TrimSpace(texts[0])); {
	case misspelt:
		return RunsOn
	case len(texts) == 1 && isFragment(t) && (!p.HeadsOnly || strings.HasPrefix(t, "runner=")):
		return RunsOn
	}
	if undecided {
		return Undecided
	}
	return Other
}

// span is a part of one of the texts.
type span struct {
	text       int // index
	start, end int // bytes
}

func (d *draft) at(s span) string { return d.texts[s.text][s.start:s.end] }

// trimmed leaves white space around a part out of its span.
func (d *draft) trimmed(s span) span {
	t := d.at(s)
	s.start += len(t) - len(strings.TrimLeftFunc(t, unicode.IsSpace))
	s.end = s.start + len(strings.TrimSpace(t))
	return s
}

// sections are the parts of a text between separators. An expression is never
// split. cut says whether the separator at byte i is one.
func sections(text string, index int, cut func(i int) bool) []span {
	var out []span
	start := 0
	for i := 0; i < len(text); {
		if end, ok := expression(text, i); ok {
			i = end
			continue
		}
		if cut(i) {
			out = append(out, span{index, start, i})
			start = i + 1
		}
		i++
	}
	return append(out, span{index, start, len(text)})
}
