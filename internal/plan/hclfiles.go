package plan

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	hcljson "github.com/hashicorp/hcl/v2/json"
)

// maxFile is far beyond any file of configuration.
const maxFile = 64 << 20

// moduleFiles is a folder of configuration as it stands there, before anything
// in it is evaluated.
type moduleFiles struct {
	dir       string // as the user named it
	real      string // without symbolic links
	variables map[string]*variableBlock
	locals    map[string]*hcl.Attribute
	outputs   map[string]hcl.Expression
	calls     map[string]*callBlock
	resources map[string]*resourceBlock
	// providers are the bodies of provider "aws" blocks by alias, "" for none.
	providers map[string]hcl.Expression // region
	// ignoreRules is what the provider "runnerfit" block without an alias ignores.
	ignoreRules hcl.Expression
	// values are those of terraform.tfvars and *.auto.tfvars, which count for a
	// root module only.
	values map[string]*hcl.Attribute
	files  map[string]*File
}

type variableBlock struct {
	typ         hcl.Expression
	preset      hcl.Expression
	sensitive   bool
	notNullable bool
	place       hcl.Range
}

type callBlock struct {
	source       string
	sourceKnown  bool
	count        hcl.Expression
	forEach      hcl.Expression
	arguments    hcl.Attributes
	place        hcl.Range
	dir          string // of a local module, else empty
	providerRefs hcl.Expression
}

type resourceBlock struct {
	typ, name string
	place     hcl.Range
	end       hcl.Range
	count     hcl.Expression
	forEach   hcl.Expression
	provider  hcl.Expression
	before    hcl.Expression // create_before_destroy
	ignored   []string       // ignore_changes
	body      hcl.Body
	overrides []hcl.Body
	wanted    bool
}

// configSchema is what is read at the top of a file.
var configSchema = &hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{
	{Type: "variable", LabelNames: []string{"name"}},
	{Type: "locals"},
	{Type: "output", LabelNames: []string{"name"}},
	{Type: "module", LabelNames: []string{"name"}},
	{Type: "resource", LabelNames: []string{"type", "name"}},
	{Type: "provider", LabelNames: []string{"name"}},
}}

// ignoredChanges are the attributes that ignore_changes names, "all" for all.
func ignoredChanges(e hcl.Expression) []string {
	if e == nil {
		return nil
	}
	if word := hcl.ExprAsKeyword(e); word != "" {
		return []string{word}
	}
	list, _ := hcl.ExprList(e)
	var out []string
	for _, item := range list {
		// In JSON, the names are texts.
		t, diags := hcl.RelTraversalForExpr(item)
		if diags.HasErrors() || len(t) == 0 {
			if v, diags := item.Value(nil); !diags.HasErrors() {
				name, _ := textOf(v).Get()
				out = append(out, name)
			}
			continue
		}
		if a, ok := t[0].(hcl.TraverseAttr); ok {
			out = append(out, a.Name)
		}
	}
	return out
}

func attributesNamed(names ...string) []hcl.AttributeSchema {
	out := make([]hcl.AttributeSchema, len(names))
	for i, n := range names {
		out[i].Name = n
	}
	return out
}

var (
	variableSchema = &hcl.BodySchema{Attributes: attributesNamed("type", "default", "sensitive", "nullable")}
	outputSchema   = &hcl.BodySchema{Attributes: attributesNamed("value")}
	providerBlock  = &hcl.BodySchema{Attributes: attributesNamed("region", "alias")}
	ownProvider    = &hcl.BodySchema{Attributes: attributesNamed("ignore_rules", "alias")}
	callSchema     = &hcl.BodySchema{Attributes: attributesNamed("source", "version", "count", "for_each", "providers", "depends_on"), Blocks: []hcl.BlockHeaderSchema{{Type: "lifecycle"}}}
	metaSchema     = &hcl.BodySchema{Attributes: attributesNamed("count", "for_each", "provider"), Blocks: []hcl.BlockHeaderSchema{{Type: "lifecycle"}}}
	lifecycle      = &hcl.BodySchema{Attributes: attributesNamed("create_before_destroy", "ignore_changes")}
)

// isConfigFile says whether a file of a folder is configuration.
func isConfigFile(name string) bool {
	if strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") || strings.HasPrefix(name, "#") {
		return false // hidden, or an editor's
	}
	for _, ext := range []string{".tf", ".tf.json", ".tofu", ".tofu.json"} {
		if strings.HasSuffix(name, ext) && name != ext {
			return true
		}
	}
	return false
}

// IsConfigFile says whether a file's name is that of a file of configuration.
func IsConfigFile(name string) bool { return isConfigFile(filepath.Base(name)) }

func isOverride(name string) bool {
	base, _, _ := strings.Cut(name, ".")
	return base == "override" || strings.HasSuffix(base, "_override")
}

func isAutoValues(name string) bool {
	return name == "terraform.tfvars" || name == "terraform.tfvars.json" || strings.HasSuffix(name, ".auto.tfvars") || strings.HasSuffix(name, ".auto.tfvars.json")
}

// shadowed leaves out the files that OpenTofu has a version of its own of.
func shadowed(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		other := ""
		switch {
		case strings.HasSuffix(name, ".tf"):
			other = strings.TrimSuffix(name, ".tf") + ".tofu"
		case strings.HasSuffix(name, ".tf.json"):
			other = strings.TrimSuffix(name, ".tf.json") + ".tofu.json"
		}
		return other != "" && slices.Contains(names, other)
	})
}

// parsed is a file of a folder, parsed.
type parsed struct {
	name     string
	file     *File
	body     hcl.Body
	problems []Problem
}

// parseFile reads and parses one file.
func parseFile(path string, contents map[string][]byte) parsed {
	p := parsed{name: filepath.Base(path)}
	shown := filepath.ToSlash(path)
	source, given := contents[shown]
	var err error
	if !given {
		source, err = readFile(path)
	}
	if err != nil {
		p.problems = []Problem{{File: shown, Message: fileMessage(err)}}
		return p
	}
	if line, column, deep := nestedTooDeep(source); deep {
		p.problems = []Problem{{File: shown, Line: line, Column: column, Message: fmt.Sprintf("It is nested more than %d levels deep here, so the file is not read.", maxNesting)}}
		return p
	}
	f := &File{Name: shown, Source: source, JSON: strings.HasSuffix(path, ".json")}
	if bytes.HasPrefix(source, []byte(bom)) {
		f.Source, f.BOM = source[len(bom):], true
	}
	p.file = f
	if at, found := tooManyOperators(f); found {
		p.problems = []Problem{{File: shown, Line: at.Line, Column: at.Column, Message: fmt.Sprintf("An expression has more than %d operators, so the file is not read.", maxOperators)}}
		return p
	}
	var hf *hcl.File
	var diags hcl.Diagnostics
	if f.JSON {
		hf, diags = parseJSON(f)
	} else {
		hf, diags = hclsyntax.ParseConfig(f.Source, shown, hcl.InitialPos)
	}
	if diags.HasErrors() {
		p.problems = append(p.problems, problemsOf(diags, shown)...)
		return p
	}
	p.body = hf.Body
	p.problems = append(p.problems, f.readIgnores()...)
	return p
}

// parseJSON keeps nesting within what a recursive parser can take.
func parseJSON(f *File) (*hcl.File, hcl.Diagnostics) {
	r := newJSONReader(bytes.NewReader(f.Source))
	err := r.skip()
	if err == nil {
		err = r.end()
	}
	if e, ok := errors.AsType[*JSONError](err); ok && strings.Contains(e.Message, "nested") {
		pos := hcl.Pos{Line: e.Line, Column: e.Column}
		return nil, hcl.Diagnostics{{Severity: hcl.DiagError, Summary: "Nested too deeply", Detail: e.Message, Subject: &hcl.Range{Filename: f.Name, Start: pos, End: pos}}}
	}
	return hcljson.Parse(f.Source, f.Name)
}

// maxNesting is how many brackets may be open in a file of configuration: the
// parser is a recursive one.
const maxNesting = 1_000

// readFile reads a file of configuration, but nothing that goes on for ever.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	switch {
	case info.IsDir():
		return nil, errIsFolder
	case !info.Mode().IsRegular():
		return nil, errNotRegular
	case info.Size() > maxFile:
		return nil, errTooLarge
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(b) > maxFile {
		return nil, errTooLarge
	}
	return b, nil
}

// nestedTooDeep finds the bracket that is one too many. It looks at brackets
// only, wherever they stand: it may be wrong about a file with thousands of
// brackets in texts, which nobody has.
func nestedTooDeep(b []byte) (line, column int, deep bool) {
	depth := 0
	for i, c := range b {
		switch c {
		case '{', '[', '(':
			if depth++; depth > maxNesting {
				start := bytes.LastIndexByte(b[:i], '\n') + 1
				return bytes.Count(b[:i], []byte("\n")) + 1, utf8.RuneCount(bytes.TrimPrefix(b[start:i], []byte(bom))) + 1, true
			}
		case '}', ']', ')':
			depth = max(0, depth-1)
		}
	}
	return 0, 0, false
}

var (
	errIsFolder   = errors.New("it is a folder")
	errNotRegular = errors.New("it is no ordinary file")
	errTooLarge   = fmt.Errorf("it is larger than %d MiB", maxFile>>20)
)

// fileMessage is an error of the file system as a sentence, without the name,
// which stands beside it.
func fileMessage(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "There is no such file."
	case errors.Is(err, fs.ErrPermission):
		return "There is no permission to read it."
	}
	text := err.Error()
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		text = p.Err.Error()
	}
	return "It cannot be read: " + strings.TrimSuffix(text, ".") + "."
}

// problemsOf are the errors of a parser. Its summaries are constants; details
// may repeat what stands in the file and are left out where they do.
func problemsOf(diags hcl.Diagnostics, file string) []Problem {
	var out []Problem
	for _, d := range diags {
		if d.Severity != hcl.DiagError {
			continue
		}
		p := Problem{File: file, Message: strings.TrimSuffix(d.Summary, ".") + "."}
		if d.Detail != "" && !strings.ContainsAny(d.Detail, "\"'`“") {
			p.Message += " " + strings.Join(strings.Fields(d.Detail), " ")
		}
		if d.Subject != nil {
			p.Line, p.Column = d.Subject.Start.Line, d.Subject.Start.Column
		}
		out = append(out, p)
		if len(out) == maxDiagnostics {
			break
		}
	}
	return out
}

// maxDiagnostics is how many errors of one file are told.
const maxDiagnostics = 10

// readModule reads a folder. Files that cannot be read are problems; the rest
// of the folder is read all the same.
func readModule(dir string, contents map[string][]byte) (*moduleFiles, []Problem) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, []Problem{{File: filepath.ToSlash(dir), Message: fileMessage(err)}}
	}
	var names, valueFiles []string
	for _, e := range entries {
		switch name := e.Name(); {
		case e.IsDir():
		case isConfigFile(name):
			names = append(names, name)
		case isAutoValues(name):
			valueFiles = append(valueFiles, name)
		}
	}
	names = shadowed(names)
	if len(names) == 0 {
		return nil, nil
	}
	resolved, err := filepath.EvalSymlinks(dir)
	if err != nil {
		resolved = dir
	}
	if abs, err := filepath.Abs(resolved); err == nil {
		resolved = abs
	}
	m := &moduleFiles{
		dir: dir, real: resolved, variables: map[string]*variableBlock{}, locals: map[string]*hcl.Attribute{}, outputs: map[string]hcl.Expression{},
		calls: map[string]*callBlock{}, resources: map[string]*resourceBlock{}, providers: map[string]hcl.Expression{}, values: map[string]*hcl.Attribute{},
		files: map[string]*File{},
	}
	// Overrides come last, each after the others in the order of their names.
	slices.SortStableFunc(names, func(a, b string) int {
		switch x, y := isOverride(a), isOverride(b); {
		case x == y:
			return strings.Compare(a, b)
		case x:
			return 1
		}
		return -1
	})
	var problems []Problem
	for _, p := range parseAll(dir, names, contents) {
		problems = append(problems, p.problems...)
		if p.body == nil {
			continue
		}
		m.files[p.file.Name] = p.file
		problems = append(problems, m.add(p)...)
	}
	// terraform.tfvars first, then the others by name: the last one counts.
	slices.SortStableFunc(valueFiles, func(a, b string) int {
		rank := func(s string) int {
			switch s {
			case "terraform.tfvars":
				return 0
			case "terraform.tfvars.json":
				return 1
			}
			return 2
		}
		if rank(a) != rank(b) {
			return rank(a) - rank(b)
		}
		return strings.Compare(a, b)
	})
	for _, p := range parseAll(dir, valueFiles, contents) {
		problems = append(problems, p.problems...)
		if p.body != nil {
			m.files[p.file.Name] = p.file
			m.addValues(p.body)
		}
	}
	return m, problems
}

// addValues reads a file of values for variables.
func (m *moduleFiles) addValues(body hcl.Body) {
	attributes, _ := body.JustAttributes()
	maps.Copy(m.values, attributes)
}

// parseAll parses files side by side.
func parseAll(dir string, names []string, contents map[string][]byte) []parsed {
	out := make([]parsed, len(names))
	var wg sync.WaitGroup
	slots := make(chan struct{}, max(1, runtime.GOMAXPROCS(0)))
	for i, name := range names {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			out[i] = parseFile(filepath.Join(dir, name), contents)
		})
	}
	wg.Wait()
	return out
}

// add takes over what a file declares.
func (m *moduleFiles) add(p parsed) []Problem {
	content, _, diags := p.body.PartialContent(configSchema)
	problems := problemsOf(diags, p.file.Name)
	over := isOverride(p.name)
	for _, b := range content.Blocks {
		switch b.Type {
		case "variable":
			m.addVariable(b, over)
		case "locals":
			attributes, _ := b.Body.JustAttributes()
			maps.Copy(m.locals, attributes)
		case "output":
			c, _, _ := b.Body.PartialContent(outputSchema)
			if a, ok := c.Attributes["value"]; ok {
				m.outputs[b.Labels[0]] = a.Expr
			}
		case "module":
			m.addCall(b)
		case "provider":
			m.addProvider(b)
		case "resource":
			m.addResource(b, over)
		}
	}
	return problems
}

func (m *moduleFiles) addVariable(b *hcl.Block, over bool) {
	v := &variableBlock{place: b.DefRange}
	if old := m.variables[b.Labels[0]]; old != nil && over {
		*v = *old
	}
	c, _, _ := b.Body.PartialContent(variableSchema)
	if a, ok := c.Attributes["type"]; ok {
		v.typ = a.Expr
	}
	if a, ok := c.Attributes["default"]; ok {
		v.preset, v.place = a.Expr, a.Range
	}
	if a, ok := c.Attributes["sensitive"]; ok {
		// Only a literal is allowed; anything else counts as sensitive.
		val, diags := a.Expr.Value(nil)
		v.sensitive = diags.HasErrors() || !isFalse(val)
	}
	if a, ok := c.Attributes["nullable"]; ok {
		val, diags := a.Expr.Value(nil)
		v.notNullable = !diags.HasErrors() && isFalse(val)
	}
	m.variables[b.Labels[0]] = v
}

func (m *moduleFiles) addProvider(b *hcl.Block) {
	if b.Labels[0] == "runnerfit" {
		c, _, _ := b.Body.PartialContent(ownProvider)
		if _, aliased := c.Attributes["alias"]; !aliased {
			m.ignoreRules = expression(c, "ignore_rules")
		}
	}
	if b.Labels[0] != "aws" {
		return
	}
	c, _, _ := b.Body.PartialContent(providerBlock)
	alias := ""
	if a, ok := c.Attributes["alias"]; ok {
		if v, diags := a.Expr.Value(nil); !diags.HasErrors() {
			alias, _ = textOf(v).Get()
		}
	}
	if a, ok := c.Attributes["region"]; ok {
		m.providers[alias] = a.Expr
	}
}

func (m *moduleFiles) addCall(b *hcl.Block) {
	c, rest, _ := b.Body.PartialContent(callSchema)
	call := &callBlock{place: b.DefRange}
	if a, ok := c.Attributes["source"]; ok {
		if v, diags := a.Expr.Value(nil); !diags.HasErrors() {
			call.source, call.sourceKnown = textOf(v).Get()
		}
	}
	call.count, call.forEach = expression(c, "count"), expression(c, "for_each")
	call.arguments, _ = rest.JustAttributes()
	if s := call.source; strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../") || s == "." || s == ".." {
		call.dir = filepath.Join(m.dir, filepath.FromSlash(s))
	}
	if a, ok := c.Attributes["providers"]; ok {
		call.providerRefs = a.Expr
	}
	m.calls[b.Labels[0]] = call
}

func expression(c *hcl.BodyContent, name string) hcl.Expression {
	if a, ok := c.Attributes[name]; ok {
		return a.Expr
	}
	return nil
}

func (m *moduleFiles) addResource(b *hcl.Block, over bool) {
	at := b.Labels[0] + "." + b.Labels[1]
	c, rest, _ := b.Body.PartialContent(metaSchema)
	if old := m.resources[at]; old != nil && over {
		old.overrides = append(old.overrides, rest)
		return
	}
	r := &resourceBlock{typ: b.Labels[0], name: b.Labels[1], place: b.DefRange, end: b.Body.MissingItemRange(), body: rest}
	if body, ok := b.Body.(*hclsyntax.Body); ok {
		r.end = body.EndRange
	}
	_, r.wanted = schemas()[r.typ]
	r.count, r.forEach, r.provider = expression(c, "count"), expression(c, "for_each"), expression(c, "provider")
	for _, l := range c.Blocks.OfType("lifecycle") {
		lc, _, _ := l.Body.PartialContent(lifecycle)
		r.before = expression(lc, "create_before_destroy")
		r.ignored = ignoredChanges(expression(lc, "ignore_changes"))
	}
	// Terraform refuses a second one of the same name; it is judged all the same,
	// for such folders are what collections of examples look like.
	for m.resources[at] != nil {
		at += " "
	}
	m.resources[at] = r
}
