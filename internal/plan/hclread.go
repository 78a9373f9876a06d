package plan

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/dynblock"
	"github.com/hashicorp/hcl/v2/hcldec"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

// Folders are folders of configuration that were read.
type Folders struct {
	// Roots are the root modules, one model each, in the order of their paths.
	Roots    []*Configuration
	Files    map[string]*File
	Problems []Problem
	// Notes are what the reader of a report should know.
	Notes []string
}

// Options of ReadFolders.
type Options struct {
	// ValueFiles set variables of the root modules, as -var-file does.
	ValueFiles []string
	// Single are folders that are read without the folders in them.
	Single []string
	// Contents take the place of what files hold, by their names in reports.
	Contents map[string][]byte
	// Progress is told of each folder; it may be nil.
	Progress func(done, of int)
}

// ReadFolders reads folders of configuration and all folders in them. Modules
// that another one calls are read with its arguments and not by themselves. It
// fails only if ctx is done; what cannot be read is a problem of its file.
func ReadFolders(ctx context.Context, paths []string, o Options) (*Folders, error) {
	out := &Folders{Files: map[string]*File{}}
	t := &tree{modules: map[string]*moduleFiles{}, values: map[string]*hcl.Attribute{}, contents: o.Contents}
	for _, name := range o.ValueFiles {
		p := parseFile(name, o.Contents)
		out.Problems = append(out.Problems, p.problems...)
		if p.body != nil {
			out.Files[p.file.Name] = p.file
			attributes, _ := p.body.JustAttributes()
			maps.Copy(t.values, attributes)
		}
	}
	var dirs []string
	for _, p := range paths {
		found, problems := foldersIn(p)
		out.Problems = append(out.Problems, problems...)
		dirs = append(dirs, found...)
	}
	for _, dir := range o.Single {
		dirs = append(dirs, filepath.Clean(dir))
	}
	for i, dir := range dirs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if _, err := filepath.EvalSymlinks(dir); err != nil {
			out.Problems = append(out.Problems, Problem{File: filepath.ToSlash(dir), Message: folderMessage(err)})
		}
		t.load(dir)
		if o.Progress != nil {
			o.Progress(i+1, len(dirs))
		}
	}
	roots := t.roots()
	read := make([]rootModule, len(roots))
	var wg sync.WaitGroup
	slots := make(chan struct{}, 4)
	for i, m := range roots {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if ctx.Err() == nil {
				read[i] = t.readRoot(m)
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, r := range read {
		out.Roots = append(out.Roots, r.configuration)
		out.Problems = append(out.Problems, r.problems...)
	}
	out.Problems = append(out.Problems, t.problems...)
	out.Problems = onceEach(out.Problems)
	out.Notes = t.notes()
	for _, m := range t.modules {
		if m != nil {
			maps.Copy(out.Files, m.files)
		}
	}
	return out, nil
}

// onceEach leaves out problems that are there twice: a module that several others
// call, a file that was named twice.
func onceEach(ps []Problem) []Problem {
	seen := map[Problem]bool{}
	return slices.DeleteFunc(ps, func(p Problem) bool {
		if seen[p] {
			return true
		}
		seen[p] = true
		return false
	})
}

// mostNoted is how many places a note names.
const mostNoted = 3

// notes tell of the modules that are not looked at because their source is no
// folder here.
func (t *tree) notes() []string {
	var places []string
	for _, m := range t.order {
		for _, c := range m.calls {
			if c.dir == "" {
				places = append(places, fmt.Sprintf("%s line %d", c.place.Filename, c.place.Start.Line))
			}
		}
	}
	n := len(places)
	if n == 0 {
		return nil
	}
	slices.Sort(places)
	named, more := places, ""
	if n > mostNoted {
		named, more = places[:mostNoted], fmt.Sprintf(" and %d more", n-mostNoted)
	}
	return []string{fmt.Sprintf("Modules whose source is no folder here were not checked (%s%s). Check a plan to see them.", strings.Join(named, ", "), more)}
}

// foldersIn are a folder and the folders in it that may hold configuration.
// Symbolic links to folders are not followed, so there is an end to it.
func foldersIn(root string) (dirs []string, problems []Problem) {
	if _, err := os.Stat(root); err != nil {
		return nil, []Problem{{File: filepath.ToSlash(root), Message: folderMessage(err)}}
	}
	// A root that is itself a link is followed.
	if info, err := os.Lstat(root); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		root += string(filepath.Separator)
	}
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			problems = append(problems, Problem{File: filepath.ToSlash(path), Message: folderMessage(err)})
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !d.IsDir():
			return nil
		case path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return fs.SkipDir
		}
		dirs = append(dirs, filepath.Clean(path))
		return nil
	})
	return dirs, problems
}

func folderMessage(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "There is no such file or folder."
	case errors.Is(err, fs.ErrPermission):
		return "There is no permission to read it."
	}
	return fileMessage(err)
}

// tree are the modules that were read, by their real path.
type tree struct {
	mu       sync.Mutex
	modules  map[string]*moduleFiles
	order    []*moduleFiles
	problems []Problem
	values   map[string]*hcl.Attribute
	contents map[string][]byte
}

// load reads a folder once; nil if it holds no configuration, or is not there,
// which is told where it is called.
func (t *tree) load(dir string) *moduleFiles {
	resolved, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil
	}
	if abs, err := filepath.Abs(resolved); err == nil {
		resolved = abs
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if m, ok := t.modules[resolved]; ok {
		return m
	}
	m, problems := readModule(dir, t.contents)
	t.modules[resolved] = m
	t.problems = append(t.problems, problems...)
	if m != nil {
		t.order = append(t.order, m)
	}
	return m
}

// roots are the modules that no other calls. Of modules that call each other in
// a circle the first one counts as a root.
func (t *tree) roots() []*moduleFiles {
	called := map[string]bool{}
	queue := t.order
	for n := 0; len(queue) > 0; queue = t.order[n:] { // grows while called modules are read
		m := queue[0]
		n++
		for _, name := range slices.Sorted(maps.Keys(m.calls)) {
			c := m.calls[name]
			if c.dir == "" {
				continue
			}
			if child := t.load(c.dir); child != nil && child != m {
				called[child.real] = true
			}
		}
	}
	var out []*moduleFiles
	reached := map[string]bool{}
	var reach func(m *moduleFiles)
	reach = func(m *moduleFiles) {
		if m == nil || reached[m.real] {
			return
		}
		reached[m.real] = true
		for _, c := range m.calls {
			if c.dir != "" {
				reach(t.load(c.dir))
			}
		}
	}
	for _, m := range t.order {
		if !called[m.real] {
			out = append(out, m)
			reach(m)
		}
	}
	for _, m := range t.order {
		if !reached[m.real] {
			out = append(out, m)
			reach(m)
		}
	}
	return out
}

// rootModule is what was found in a root module and all that it calls.
type rootModule struct {
	configuration *Configuration
	resources     []*resource
	problems      []Problem
}

// maxResources bounds how many resource instances of one root module are looked
// at.
const maxResources = 200_000

// tooMany says that the rest of a root module is not looked at, once.
func (m *rootModule) tooMany(s *scope, r *resourceBlock) {
	p := s.place(r.place)
	problem := Problem{Line: p.Line, Column: p.Column, Message: "The configuration has more than 200,000 resource instances; from here on they are not checked."}
	if p.File != nil {
		problem.File = p.File.Name
	}
	if !slices.ContainsFunc(m.problems, func(o Problem) bool { return o.Message == problem.Message }) {
		m.problems = append(m.problems, problem)
	}
}

func (t *tree) readRoot(m *moduleFiles) rootModule {
	var out rootModule
	root := newScope(t, m, "")
	t.read(root, &out, []string{m.real})
	out.configuration = build(out.resources)
	out.configuration.IgnoreRules = root.ignoreRules()
	out.resources = nil
	return out
}

// ignoreRules are the rules that the provider block of a root module ignores,
// with their reasons.
func (s *scope) ignoreRules() map[string]string {
	v, _ := s.eval(s.m.ignoreRules, iteration{}).UnmarkDeep()
	if v.IsNull() || !v.IsKnown() || !v.CanIterateElements() || v.Type().IsSetType() || v.Type().IsListType() || v.Type().IsTupleType() {
		return nil
	}
	out := map[string]string{}
	for it := v.ElementIterator(); it.Next(); {
		k, reason := it.Element()
		if text, ok := textOf(reason).Get(); ok {
			out[k.AsString()] = text
		}
	}
	return out
}

// read finds the resources of a module and of the modules that it calls. path
// are the real folders on the way here.
func (t *tree) read(s *scope, out *rootModule, path []string) {
	if len(out.resources) == maxResources {
		return
	}
	for _, at := range slices.Sorted(maps.Keys(s.m.resources)) {
		r := s.m.resources[at]
		if !r.wanted {
			continue
		}
		for _, it := range s.repeat(r.count, r.forEach).items {
			if len(out.resources) == maxResources {
				out.tooMany(s, r)
				return
			}
			out.resources = append(out.resources, s.read(r, it))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.m.calls)) {
		call := s.m.calls[name]
		if call.dir == "" {
			continue
		}
		child := t.load(call.dir)
		switch {
		case child == nil:
			out.problems = append(out.problems, s.missing(call)...)
			continue
		case slices.Contains(path, child.real) || len(path) >= maxModuleDepth:
			out.problems = append(out.problems, Problem{
				File: call.place.Filename, Line: call.place.Start.Line, Column: call.place.Start.Column,
				Message: "The module calls itself, in the end; it is not looked at again.",
			})
			continue
		}
		instances := s.calls(name, call)
		if instances == nil {
			continue
		}
		for _, c := range instances.scopes {
			t.read(c, out, append(slices.Clone(path), child.real))
		}
	}
}

// missing reports a local module that is not there, once.
func (s *scope) missing(call *callBlock) []Problem {
	if info, err := os.Stat(call.dir); err == nil && info.IsDir() {
		return nil // an empty folder
	}
	return []Problem{{
		File: call.place.Filename, Line: call.place.Start.Line, Column: call.place.Start.Column,
		Message: "There is no folder of the module's source, so what it makes is not checked.",
	}}
}

// maxModuleDepth bounds how deep modules call each other.
const maxModuleDepth = 30

// callInstances are the instances of a module call.
type callInstances struct {
	repetition
	scopes []*scope
}

// calls are the instances of a called local module; nil for another one.
func (s *scope) calls(name string, call *callBlock) *callInstances {
	if c, ok := s.children[name]; ok {
		return c
	}
	if call.dir == "" {
		return nil
	}
	m := s.t.load(call.dir)
	// A module that calls itself gives nothing: with a count it would be as many
	// modules as there are grains of sand.
	if m == nil || s.calledBy(m) {
		return nil
	}
	c := &callInstances{}
	s.children[name] = c
	c.repetition = s.repeat(call.count, call.forEach)
	for _, it := range c.items {
		child := newScope(s.t, m, join(s.address, "module."+name+it.key))
		child.caller, child.call, child.iteration = s, call, it
		c.scopes = append(c.scopes, child)
	}
	return c
}

// calledBy says whether a module is this one or one of its callers.
func (s *scope) calledBy(m *moduleFiles) bool {
	n := 0
	for c := s; c != nil; c = c.caller {
		if n++; c.m == m || n > maxModuleDepth {
			return true
		}
	}
	return false
}

// read makes a resource instance of its block.
func (s *scope) read(r *resourceBlock, it iteration) *resource {
	base := join(s.address, r.typ+"."+r.name)
	out := &resource{Object: Object{
		Address: base + it.key, Type: r.typ, Place: s.place(r.place), config: base, key: it.key,
		Region: s.region(r.provider), ignored: r.ignored,
	}}
	out.Place.LastLine = r.end.Start.Line
	sch := schemas()[r.typ]
	out.body = s.body(sch, r.body, out.Place, it)
	for _, o := range r.overrides {
		overlay(out.body, s.body(sch, o, out.Place, it))
	}
	if r.before != nil {
		out.CreateBeforeDestroy = (&body{attributes: map[string]*attribute{"x": s.attribute(&hcl.Attribute{Name: "x", Expr: r.before, Range: r.before.Range()}, it)}}).boolean("x")
	}
	return out
}

// overlay puts what an override file says over a block.
func overlay(b, over *body) {
	maps.Copy(b.attributes, over.attributes)
	maps.Copy(b.blocks, over.blocks)
}

// bodySchemas are the schemas in the terms of the parser.
var bodySchemas sync.Map

func hclSchema(s *schema) *hcl.BodySchema {
	if v, ok := bodySchemas.Load(s); ok {
		if hs, ok := v.(*hcl.BodySchema); ok {
			return hs
		}
	}
	hs := &hcl.BodySchema{Attributes: attributesNamed(slices.Sorted(maps.Keys(s.attributes))...)}
	for _, name := range slices.Sorted(maps.Keys(s.blocks)) {
		hs.Blocks = append(hs.Blocks, hcl.BlockHeaderSchema{Type: name})
	}
	bodySchemas.Store(s, hs)
	return hs
}

// body reads a block as far as its schema says.
func (s *scope) body(sch *schema, hb hcl.Body, at Place, it iteration) (b *body) {
	b = &body{place: at, attributes: map[string]*attribute{}, blocks: map[string]*blockList{}}
	defer func() {
		if recover() != nil { // see eval
			b = unknownBody(at)
		}
	}()
	content, _, diags := dynblock.Expand(hb, s.dynamicContext(sch, hb, it)).PartialContent(hclSchema(sch))
	s.fill(b, sch, content, diags, it)
	return b
}

// fill takes over what stands in a block whose dynamic blocks are expanded.
func (s *scope) fill(b *body, sch *schema, content *hcl.BodyContent, diags hcl.Diagnostics, it iteration) {
	for name, a := range content.Attributes {
		b.attributes[name] = s.attribute(a, it)
	}
	s.t.duplicates(diags)
	if diags.HasErrors() {
		// A dynamic block that cannot be expanded leaves nothing behind.
		for name := range sch.blocks {
			b.blocks[name] = &blockList{open: true}
		}
	}
	for _, inner := range content.Blocks {
		l := b.blocks[inner.Type]
		if l == nil {
			l = &blockList{}
			b.blocks[inner.Type] = l
		}
		if u, ok := inner.Body.(hcldec.UnknownBody); ok && u.Unknown() {
			l.open = true
			continue
		}
		place := s.place(inner.DefRange)
		place.LastLine = inner.Body.MissingItemRange().Start.Line
		ib := &body{place: place, attributes: map[string]*attribute{}, blocks: map[string]*blockList{}}
		innerSchema := sch.blocks[inner.Type]
		content, _, diags := inner.Body.PartialContent(hclSchema(innerSchema))
		s.fill(ib, innerSchema, content, diags, it)
		l.bodies = append(l.bodies, ib)
	}
}

// duplicates reports settings that a JSON file has twice: Terraform refuses
// them, and the parser takes one of the two. In other files the parser refuses
// them itself.
func (t *tree) duplicates(diags hcl.Diagnostics) {
	for _, d := range diags {
		if d.Summary == "Duplicate argument" && d.Subject != nil {
			t.mu.Lock()
			t.problems = append(t.problems, problemsOf(hcl.Diagnostics{d}, d.Subject.Filename)...)
			t.mu.Unlock()
		}
	}
}

// dynamicContext holds what dynamic blocks are repeated over.
func (s *scope) dynamicContext(sch *schema, hb hcl.Body, it iteration) *hcl.EvalContext {
	traversals := dynblock.ExpandVariablesHCLDec(hb, specOf(sch))
	if len(traversals) == 0 {
		return &hcl.EvalContext{Functions: functions}
	}
	return s.context(traversed(traversals), it)
}

// specOf is a schema in the terms of hcldec.
func specOf(s *schema) hcldec.Spec {
	spec := hcldec.ObjectSpec{}
	for name := range s.attributes {
		spec[name] = &hcldec.AttrSpec{Name: name, Type: cty.DynamicPseudoType}
	}
	for name, inner := range s.blocks {
		spec["block "+name] = &hcldec.BlockTupleSpec{TypeName: name, Nested: specOf(inner)}
	}
	return spec
}

// traversed is an expression of which only the variables matter.
type traversed []hcl.Traversal

func (t traversed) Value(*hcl.EvalContext) (cty.Value, hcl.Diagnostics) { return cty.DynamicVal, nil }
func (t traversed) Variables() []hcl.Traversal                          { return t }
func (t traversed) Range() hcl.Range                                    { return hcl.Range{} }
func (t traversed) StartRange() hcl.Range                               { return hcl.Range{} }

// attribute evaluates an attribute.
func (s *scope) attribute(at *hcl.Attribute, it iteration) *attribute {
	place := s.place(at.Range)
	expr := bareExpression(at.Expr)
	value := expr.Range()
	place.Start, place.End = value.Start.Byte, value.End.Byte
	a := &attribute{place: place, written: true, literal: isLiteral(expr)}
	v := s.eval(at.Expr, it)
	inner, marks := v.UnmarkDeep()
	var isSensitive bool
	a.refs, a.guarded, isSensitive = referencesOf(marks)
	if !a.literal {
		a.from = s.origins(expr)
	}
	switch t := inner.Type(); {
	case isSensitive:
		a.scalar = optional.Unknown[string]()
	case inner.IsKnown() && !inner.IsNull() && (t.IsListType() || t.IsSetType() || t.IsTupleType()):
		a.isList = true
		for e := inner.ElementIterator(); e.Next(); {
			_, v := e.Element()
			a.list = append(a.list, textOf(v))
		}
	default:
		a.scalar = textOf(inner)
		if inner.IsKnown() && !inner.IsNull() && (t.IsMapType() || t.IsObjectType()) {
			for e := inner.ElementIterator(); e.Next(); {
				k, _ := e.Element()
				a.keys = append(a.keys, k.AsString())
			}
		}
	}
	return a
}

// unwrap is the expression in a dynamic block without what makes its iterator
// known.
func unwrap(e hcl.Expression) hcl.Expression {
	return hcl.UnwrapExpressionUntil(e, func(e hcl.Expression) bool {
		_, wrapped := e.(interface{ UnwrapExpression() hcl.Expression })
		return !wrapped
	})
}

// bareExpression is an expression without what a dynamic block wraps it in, and
// without parentheses around it.
func bareExpression(e hcl.Expression) hcl.Expression {
	e = unwrap(e)
	for {
		p, ok := e.(*hclsyntax.ParenthesesExpr)
		if !ok {
			return e
		}
		e = p.Expression
	}
}

// isLiteral says whether an expression is a literal that can be replaced.
func isLiteral(e hcl.Expression) bool {
	switch e := e.(type) {
	case *hclsyntax.LiteralValueExpr:
		return true
	case *hclsyntax.TemplateExpr:
		return e.IsStringLiteral()
	}
	if len(e.Variables()) > 0 {
		return false
	}
	if _, native := e.(hclsyntax.Expression); native {
		return false
	}
	// JSON: a number, or a text without a template in it.
	v, diags := e.Value(nil)
	return !diags.HasErrors() && v.IsWhollyKnown()
}

// maxOrigins is how many origins of a value are told.
const maxOrigins = 3

// origins name the variables and local values that an expression uses.
func (s *scope) origins(e hcl.Expression) []Origin {
	var out []Origin
	for _, t := range e.Variables() {
		name, ok := memberOf(t)
		if !ok {
			continue
		}
		root := t.RootName()
		o := Origin{Name: root + "." + name}
		switch root {
		case "var":
			decl := s.m.variables[name]
			if decl == nil {
				continue
			}
			o.Place = s.place(decl.place)
			if arg := s.argument(name); arg != nil {
				at := s
				if s.caller != nil {
					at = s.caller
				}
				o.Place = at.place(arg.Range())
			}
		case "local":
			a := s.m.locals[name]
			if a == nil {
				continue
			}
			o.Place = s.place(a.Range)
		case "each", "count", "path", "terraform", "self":
			o.Name = root
		}
		if !slices.ContainsFunc(out, func(p Origin) bool { return p.Name == o.Name }) && len(out) < maxOrigins {
			out = append(out, o)
		}
	}
	return out
}

// place is a range in one of the module's files.
func (s *scope) place(r hcl.Range) Place {
	p := Place{File: s.m.files[r.Filename], Line: r.Start.Line, Column: r.Start.Column, Start: r.Start.Byte, End: r.End.Byte}
	if p.File == nil {
		return Place{}
	}
	// The parser counts columns in grapheme clusters, of which a line of
	// configuration rarely has others than characters.
	if start := bytes.LastIndexByte(p.File.Source[:min(p.Start, len(p.File.Source))], '\n') + 1; p.Start-start < longLine {
		p.Column = utf8.RuneCount(p.File.Source[start:p.Start]) + 1
	}
	return p
}

// region is that of the provider configuration that a resource uses.
func (s *scope) region(provider hcl.Expression) string {
	alias := ""
	if provider != nil {
		t, diags := hcl.AbsTraversalForExpr(provider)
		if diags.HasErrors() || t.RootName() != "aws" {
			return ""
		}
		alias, _ = memberOf(t)
	}
	return s.regionOf(alias)
}

func (s *scope) regionOf(alias string) string {
	if e, ok := s.m.providers[alias]; ok {
		if v, known := textOf(s.eval(e, iteration{})).Get(); known && catalog.IsRegionName(v) {
			return v
		}
		return ""
	}
	if s.caller == nil {
		return ""
	}
	if e := s.call.providerRefs; e != nil {
		pairs, diags := hcl.ExprMap(e)
		if diags.HasErrors() {
			return ""
		}
		for _, p := range pairs {
			to, td := hcl.AbsTraversalForExpr(p.Key)
			from, fd := hcl.AbsTraversalForExpr(p.Value)
			if td.HasErrors() || fd.HasErrors() {
				continue
			}
			a, _ := memberOf(to)
			b, _ := memberOf(from)
			if to.RootName() == "aws" && a == alias {
				return s.caller.regionOf(b)
			}
		}
	}
	return s.caller.regionOf(alias)
}
