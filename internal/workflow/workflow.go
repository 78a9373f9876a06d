// Package workflow finds the runner labels in a GitHub Actions workflow file,
// with the places where they stand, and changes them there: nothing else in the
// file changes by a byte.
package workflow

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	yaml "go.yaml.in/yaml/v4"
)

// MaxSize is the largest file that is read, in bytes. GitHub's own limit for a
// workflow is 512 KiB.
const MaxSize = 4 << 20

// SyntaxError says why a file is no workflow.
type SyntaxError struct {
	// Line and Column count from 1; 0 if they are not known.
	Line, Column int
	// Message is a sentence.
	Message string
}

// Error is the place and the message.
func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return e.Message
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Message)
}

// File is a workflow file that was read.
type File struct {
	source []byte
	lines  []*line
	jobs   []Job
}

// Job is a job of a workflow and the label that it asks for a runner with.
type Job struct {
	// Address is "jobs.build".
	Address string
	// Texts are the labels: one for a string, several for an array.
	Texts []*Text
}

// Values are the labels as texts.
func (j Job) Values() []string {
	out := make([]string, len(j.Texts))
	for i, t := range j.Texts {
		out[i] = t.Value
	}
	return out
}

// Text is one label where it stands.
type Text struct {
	Value string
	// Line and Column count from 1; columns are characters.
	Line, Column int
	// Excerpt is the line.
	Excerpt string

	node *yaml.Node
}

// Jobs are the jobs that name a runner, in the order of the file. A job that
// takes its label from another by an alias is not listed again. Jobs that call
// another workflow have no runner of their own.
func (f *File) Jobs() []Job { return f.jobs }

// maxDepth bounds how many aliases and merge keys are followed one after the
// other, and maxJobs what is made of a file.
const (
	maxDepth = 20
	maxJobs  = 10_000
)

// Parse reads a workflow file. It returns a *SyntaxError for what is not YAML,
// too large, or not text. A file of several documents is read as a whole,
// though GitHub looks at the first only.
func Parse(source []byte) (*File, error) {
	if len(source) > MaxSize {
		return nil, &SyntaxError{Message: fmt.Sprintf("The file has %d bytes, more than the %d that are read; GitHub takes 512 KiB.", len(source), MaxSize)}
	}
	if !utf8.Valid(source) {
		return nil, &SyntaxError{Message: "The file is not text in UTF-8."}
	}
	documents, err := load(source)
	if err != nil {
		return nil, err
	}
	f := &File{source: source, lines: splitLines(source)}
	r := reading{File: f, seen: map[*yaml.Node]bool{}, runsOn: newLookup("runs-on"), labels: newLookup("labels")}
	for _, d := range documents {
		jobs, _ := newLookup("jobs").in(d)
		jobs = resolve(jobs, 0)
		if jobs == nil || jobs.Kind != yaml.MappingNode {
			continue
		}
		for i := 0; i+1 < len(jobs.Content) && len(f.jobs) < maxJobs; i += 2 {
			r.job(jobs.Content[i].Value, jobs.Content[i+1])
		}
	}
	return f, nil
}

// load parses all documents. It does not follow aliases, so that a file that
// grows without end by them costs nothing.
func load(source []byte) ([]*yaml.Node, error) {
	loader, err := yaml.NewLoader(bytes.NewReader(source))
	if err != nil {
		return nil, syntaxError(err)
	}
	var out []*yaml.Node
	for {
		var n yaml.Node
		switch err := loader.Load(&n); {
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, syntaxError(err)
		}
		if n.Kind == yaml.DocumentNode && len(n.Content) > 0 {
			out = append(out, n.Content[0])
		}
	}
}

// syntaxError takes the library's words and place.
func syntaxError(err error) error {
	e := &SyntaxError{Message: "The file is not valid YAML."}
	if load, ok := errors.AsType[*yaml.LoadError](err); ok {
		e.Line, e.Column = load.Mark.Line, load.Mark.Column
		if m := strings.TrimSpace(load.Message); m != "" && len(m) < 200 {
			e.Message = fmt.Sprintf("The file is not valid YAML: %s.", m)
		}
	}
	return e
}

// resolve follows an alias.
func resolve(n *yaml.Node, depth int) *yaml.Node {
	for ; n != nil && n.Kind == yaml.AliasNode; depth++ {
		if depth > maxDepth {
			return nil
		}
		n = n.Alias
	}
	return n
}

// lookup finds one key. Each node is searched once, however many aliases lead
// to it, so that merge keys that fan out again and again cost no more than the
// file is long.
type lookup struct {
	key  string
	done map[*yaml.Node]*yaml.Node // nil value while it is searched, and for none
}

func newLookup(key string) *lookup {
	return &lookup{key: key, done: map[*yaml.Node]*yaml.Node{}}
}

// in finds the key in a mapping, or in the mappings that are merged into it.
func (l *lookup) in(n *yaml.Node) (*yaml.Node, bool) {
	v := l.search(n, 0)
	return v, v != nil
}

func (l *lookup) search(n *yaml.Node, depth int) *yaml.Node {
	n = resolve(n, depth)
	if n == nil || depth > maxDepth {
		return nil
	}
	if v, seen := l.done[n]; seen {
		return v
	}
	l.done[n] = nil
	v := l.within(n, depth)
	l.done[n] = v
	return v
}

func (l *lookup) within(n *yaml.Node, depth int) *yaml.Node {
	if n.Kind == yaml.SequenceNode { // several mappings to merge
		for _, c := range n.Content {
			if v := l.search(c, depth+1); v != nil {
				return v
			}
		}
		return nil
	}
	if n.Kind != yaml.MappingNode {
		return nil
	}
	var merged *yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		switch k := n.Content[i]; {
		case k.Kind == yaml.ScalarNode && k.Value == l.key:
			return n.Content[i+1]
		case k.Kind == yaml.ScalarNode && k.Value == "<<":
			merged = n.Content[i+1]
		}
	}
	if merged == nil {
		return nil
	}
	return l.search(merged, depth+1)
}

// reading is a file while its jobs are looked up.
type reading struct {
	*File
	seen           map[*yaml.Node]bool
	runsOn, labels *lookup
}

func (f *reading) job(name string, n *yaml.Node) {
	runsOn, ok := f.runsOn.in(n)
	if !ok {
		return
	}
	runsOn = resolve(runsOn, 0)
	if runsOn != nil && runsOn.Kind == yaml.MappingNode { // { group: …, labels: … }
		if runsOn, ok = f.labels.in(runsOn); !ok {
			return
		}
		runsOn = resolve(runsOn, 0)
	}
	if runsOn == nil || f.seen[runsOn] {
		return
	}
	f.seen[runsOn] = true
	j := Job{Address: "jobs." + name}
	switch runsOn.Kind {
	case yaml.ScalarNode:
		j.Texts = append(j.Texts, f.text(runsOn))
	case yaml.SequenceNode:
		for _, c := range runsOn.Content {
			if c = resolve(c, 0); c != nil && c.Kind == yaml.ScalarNode {
				j.Texts = append(j.Texts, f.text(c))
			}
		}
	default:
		return
	}
	if len(j.Texts) == 0 { // an empty array is an empty label
		j.Texts = append(j.Texts, f.text(runsOn))
	}
	f.jobs = append(f.jobs, j)
}

func (f *File) text(n *yaml.Node) *Text {
	t := &Text{Line: n.Line, Column: n.Column, Excerpt: f.excerpt(n.Line), node: n}
	if n.Kind == yaml.ScalarNode && n.Tag != "!!null" {
		t.Value = n.Value
	}
	return t
}
