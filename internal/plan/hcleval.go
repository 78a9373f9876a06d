package plan

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

// mark is what a value carries through every expression that it goes into.
type mark string

const (
	// sensitive values are not shown, so they are not known.
	sensitive mark = "sensitive"
	// guarded values come from one of runnerfit's own objects.
	guarded mark = "guarded"
	// referMark starts a mark that names the resource that a value comes from.
	referMark = "from "
)

// scope is a module as one call of it sees it.
type scope struct {
	m *moduleFiles
	t *tree
	// address is that of the module instance, "" for the root.
	address string
	// caller is the module that calls this one, with what is repeated there.
	caller    *scope
	call      *callBlock
	iteration iteration

	variables map[string]cty.Value
	locals    map[string]cty.Value
	busy      map[string]bool
	outputs   map[string]cty.Value
	resources map[string]cty.Value
	children  map[string]*callInstances
}

// iteration is what count.index and each.… are.
type iteration struct {
	// key as it stands in the address: `["x"]`, `[0]`; empty for none, or one that
	// is not known.
	key   string
	count cty.Value // NilVal where there is none
	each  cty.Value
}

func newScope(t *tree, m *moduleFiles, address string) *scope {
	return &scope{
		m: m, t: t, address: address, variables: map[string]cty.Value{}, locals: map[string]cty.Value{}, busy: map[string]bool{},
		outputs: map[string]cty.Value{}, resources: map[string]cty.Value{}, children: map[string]*callInstances{},
	}
}

// once evaluates something that may depend on itself; if it does, it is unknown.
func (s *scope) once(what string, cache map[string]cty.Value, name string, eval func() cty.Value) cty.Value {
	if v, ok := cache[name]; ok {
		return v
	}
	at := what + name
	if s.busy[at] {
		return cty.DynamicVal
	}
	s.busy[at] = true
	v := eval()
	delete(s.busy, at)
	cache[name] = v
	return v
}

// eval evaluates an expression; whatever goes wrong makes it unknown, since
// Terraform itself tells people of their errors.
func (s *scope) eval(e hcl.Expression, it iteration) (v cty.Value) {
	defer func() {
		// Evaluation of hostile input has made the library panic before; one value
		// that is not known is better than no audit at all.
		if recover() != nil {
			v = cty.DynamicVal
		}
	}()
	if e == nil {
		return cty.NullVal(cty.DynamicPseudoType)
	}
	ctx := s.context(e, it)
	if tooHeavy(e, ctx) {
		return cty.DynamicVal
	}
	v, diags := e.Value(ctx)
	if diags.HasErrors() || v == cty.NilVal || weight(v, maxWeight) < 0 {
		return cty.DynamicVal
	}
	return v
}

// maxWeight bounds the values that expressions give, in bytes of text and
// elements: a local value that repeats another one twice, which repeats another
// one twice, has no end. What is larger is no setting of a volume.
const maxWeight = 1 << 16

// mostUses bounds how often the largest value may be used in one expression.
const mostUses = 1 << 8

// tooHeavy says whether the values that an expression refers to come to more
// than it is evaluated with: each of them is bounded, but not how many there are.
func tooHeavy(e hcl.Expression, ctx *hcl.EvalContext) bool {
	uses := e.Variables()
	if len(uses) <= mostUses {
		return false
	}
	left := mostUses * maxWeight
	weights := map[[2]string]int{}
	for _, t := range uses {
		name, _ := memberOf(t)
		k := [2]string{t.RootName(), name}
		w, ok := weights[k]
		if !ok {
			v := ctx.Variables[k[0]]
			if u := unmark(v); u.IsKnown() && u.Type().IsObjectType() && u.Type().HasAttribute(name) {
				v = u.GetAttr(name)
			}
			w = maxWeight - weight(v, maxWeight)
			weights[k] = w
		}
		if left -= w; left < 0 {
			return true
		}
	}
	return false
}

// weight is what is left of a budget after a value; negative if it is too large.
func weight(v cty.Value, left int) int {
	v, _ = v.Unmark()
	switch t := v.Type(); {
	case !v.IsKnown() || v.IsNull():
		return left - 1
	case t == cty.String:
		return left - 1 - len(v.AsString())
	case t.IsCollectionType() || t.IsTupleType() || t.IsObjectType():
		left--
		for it := v.ElementIterator(); it.Next() && left >= 0; {
			k, e := it.Element()
			if k, _ := k.Unmark(); k.Type() == cty.String && k.IsKnown() && !k.IsNull() && !t.IsSetType() {
				left -= len(k.AsString())
			}
			left = weight(e, left)
		}
		return left
	}
	return left - 1
}

// context holds what an expression refers to, and nothing else.
func (s *scope) context(e hcl.Expression, it iteration) *hcl.EvalContext {
	ctx := &hcl.EvalContext{Functions: functions}
	members := map[string]map[string]cty.Value{}
	whole := map[string]cty.Value{}
	for _, t := range e.Variables() {
		root := t.RootName()
		switch root {
		case "each", "count":
			whole[root] = it.value(root)
			continue
		case "path", "terraform", "self", "data", "ephemeral":
			whole[root] = cty.DynamicVal
			continue
		}
		name, ok := memberOf(t)
		if !ok {
			whole[root] = cty.DynamicVal
			continue
		}
		if members[root] == nil {
			members[root] = map[string]cty.Value{}
		}
		if _, done := members[root][name]; done && root != "module" {
			continue
		}
		switch root {
		case "var":
			members[root][name] = s.variable(name)
		case "local":
			members[root][name] = s.local(name)
		case "module":
			members[root][name] = s.module(name)
		default:
			members[root][name] = s.resource(root, name)
		}
	}
	ctx.Variables = whole
	for root, m := range members {
		if _, unknown := whole[root]; !unknown {
			ctx.Variables[root] = cty.ObjectVal(m)
		}
	}
	if extra := otherFunctions(e); len(extra) > 0 {
		ctx.Functions = maps.Clone(functions)
		for _, name := range extra {
			ctx.Functions[name] = unknownFunc
		}
	}
	return ctx
}

// otherFunctions are functions in an expression that are not Terraform's: those
// of providers. An error about them would be hidden by try().
func otherFunctions(e hcl.Expression) []string {
	n, ok := unwrap(e).(hclsyntax.Node)
	if !ok {
		return nil
	}
	var out []string
	_ = hclsyntax.VisitAll(n, func(n hclsyntax.Node) hcl.Diagnostics {
		if c, ok := n.(*hclsyntax.FunctionCallExpr); ok {
			if _, known := functions[c.Name]; !known {
				out = append(out, c.Name)
			}
		}
		return nil
	})
	return out
}

// memberOf is the name after the root of a traversal.
func memberOf(t hcl.Traversal) (string, bool) {
	if len(t) < 2 {
		return "", false
	}
	switch step := t[1].(type) {
	case hcl.TraverseAttr:
		return step.Name, true
	case hcl.TraverseIndex:
		if step.Key.Type() == cty.String && step.Key.IsKnown() && !step.Key.IsNull() {
			return step.Key.AsString(), true
		}
	}
	return "", false
}

func (it iteration) value(root string) cty.Value {
	v := it.count
	if root == "each" {
		v = it.each
	}
	if v == cty.NilVal {
		return cty.DynamicVal
	}
	return v
}

// variable is the value of an input variable.
func (s *scope) variable(name string) cty.Value {
	decl, declared := s.m.variables[name]
	if !declared {
		return cty.DynamicVal
	}
	return s.once("var.", s.variables, name, func() cty.Value {
		v := s.given(name, decl)
		if decl.sensitive {
			v = v.Mark(sensitive)
		}
		return v
	})
}

// given is what a variable was set to, or its default, in the variable's type.
func (s *scope) given(name string, decl *variableBlock) cty.Value {
	typ, defaults := cty.DynamicPseudoType, (*typeexpr.Defaults)(nil)
	if decl.typ != nil {
		if t, d, diags := typeexpr.TypeConstraintWithDefaults(decl.typ); !diags.HasErrors() {
			typ, defaults = t, d
		}
	}
	v, set := cty.NilVal, false
	if e := s.argument(name); e != nil {
		set = true
		if s.caller != nil {
			v = s.caller.eval(e, s.iteration)
		} else {
			v = s.eval(e, iteration{})
		}
	}
	unmarked := unmark(v)
	if !set || decl.notNullable && unmarked.IsKnown() && unmarked.IsNull() {
		if decl.preset == nil {
			return cty.UnknownVal(typ.WithoutOptionalAttributesDeep())
		}
		v = s.eval(decl.preset, iteration{})
	}
	return convertTo(v, typ, defaults)
}

func unmark(v cty.Value) cty.Value {
	if v == cty.NilVal {
		return cty.DynamicVal
	}
	v, _ = v.Unmark()
	return v
}

// convertTo converts to the type of a variable; what cannot be converted is an
// error in Terraform and unknown here.
func convertTo(v cty.Value, typ cty.Type, defaults *typeexpr.Defaults) (out cty.Value) {
	defer func() {
		if recover() != nil { // see eval
			out = cty.DynamicVal
		}
	}()
	if defaults != nil && !v.IsNull() {
		v = defaults.Apply(v)
	}
	converted, err := convert.Convert(v, typ)
	if err != nil {
		return cty.DynamicVal
	}
	return converted
}

// argument is the expression that sets a variable: the module's argument, or a
// file of values.
func (s *scope) argument(name string) hcl.Expression {
	if s.caller != nil {
		if a, ok := s.call.arguments[name]; ok {
			return a.Expr
		}
		return nil
	}
	if a, ok := s.t.values[name]; ok {
		return a.Expr
	}
	if a, ok := s.m.values[name]; ok {
		return a.Expr
	}
	return nil
}

func (s *scope) local(name string) cty.Value {
	a, declared := s.m.locals[name]
	if !declared {
		return cty.DynamicVal
	}
	return s.once("local.", s.locals, name, func() cty.Value { return s.eval(a.Expr, iteration{}) })
}

// output is the value of an output of this module.
func (s *scope) output(name string) cty.Value {
	e, declared := s.m.outputs[name]
	if !declared {
		return cty.DynamicVal
	}
	return s.once("output.", s.outputs, name, func() cty.Value { return s.eval(e, iteration{}) })
}

// module is the value of a called module: an object of its outputs, or several.
func (s *scope) module(name string) cty.Value {
	at := "module." + name
	if s.busy[at] {
		return cty.DynamicVal
	}
	s.busy[at] = true
	defer delete(s.busy, at)
	call, declared := s.m.calls[name]
	if !declared {
		return cty.DynamicVal
	}
	c := s.calls(name, call)
	if c == nil || c.open {
		if c != nil && len(c.scopes) == 1 {
			return c.scopes[0].allOutputs() // it may not be there, but if it is, this is what it gives
		}
		return cty.DynamicVal
	}
	return c.repeated(func(i int) cty.Value { return c.scopes[i].allOutputs() })
}

func (s *scope) allOutputs() cty.Value {
	out := make(map[string]cty.Value, len(s.m.outputs))
	for name := range s.m.outputs {
		out[name] = s.output(name)
	}
	return cty.ObjectVal(out)
}

// resource is the value of a resource: nothing of it is known but where it
// comes from.
func (s *scope) resource(typ, name string) cty.Value {
	at := typ + "." + name
	r, declared := s.m.resources[at]
	marks := cty.NewValueMarks()
	if strings.HasPrefix(typ, "runnerfit_") {
		marks = cty.NewValueMarks(guarded)
	}
	if !declared {
		return cty.DynamicVal.WithMarks(marks)
	}
	return s.once("resource.", s.resources, at, func() cty.Value {
		base := join(s.address, at)
		reps := s.repeat(r.count, r.forEach)
		one := func(key string) cty.Value { return cty.DynamicVal.Mark(mark(referMark + base + key)).WithMarks(marks) }
		if reps.open || !reps.several {
			return one("")
		}
		return reps.repeated(func(i int) cty.Value { return one(reps.items[i].key) })
	})
}

// repetition is how often a block is there.
type repetition struct {
	items []iteration
	// several says that there is a count or for_each.
	several bool
	// open says that how often is not known; then there is one item, whose keys
	// are unknown.
	open bool
	// keys of a for_each; nil for a count.
	keys []string
}

// maxInstances bounds how many instances of one block are looked at.
const maxInstances = 20_000

// repeat evaluates count and for_each.
func (s *scope) repeat(count, forEach hcl.Expression) repetition {
	open := repetition{several: true, open: true, items: []iteration{{}}}
	switch {
	case count != nil:
		v, _ := s.eval(count, iteration{}).Unmark()
		n, ok := parseCount(v)
		if !ok || n > maxInstances {
			return open
		}
		rep := repetition{several: true}
		for i := range n {
			rep.items = append(rep.items, iteration{
				key: "[" + strconv.Itoa(i) + "]", count: cty.ObjectVal(map[string]cty.Value{"index": cty.NumberIntVal(int64(i))}),
			})
		}
		return rep
	case forEach != nil:
		v, _ := s.eval(forEach, iteration{}).Unmark()
		if v.IsNull() || !v.IsKnown() || !v.CanIterateElements() || v.Type().IsListType() || v.Type().IsTupleType() {
			return open
		}
		if v.Type().IsSetType() && !v.IsWhollyKnown() || v.LengthInt() > maxInstances {
			return open
		}
		rep := repetition{several: true}
		for it := v.ElementIterator(); it.Next(); {
			k, e := it.Element()
			if v.Type().IsSetType() {
				k = e
			}
			k, _ = k.Unmark()
			name, ok := textOf(k).Get()
			if !ok {
				return open
			}
			rep.keys = append(rep.keys, name)
			rep.items = append(rep.items, iteration{
				key: "[" + quote(name) + "]", each: cty.ObjectVal(map[string]cty.Value{"key": cty.StringVal(name), "value": e}),
			})
		}
		if rep.keys == nil {
			rep.keys = []string{}
		}
		return rep
	}
	return repetition{items: []iteration{{}}}
}

// repeated makes one value of those of the instances.
func (r repetition) repeated(value func(i int) cty.Value) cty.Value {
	switch {
	case !r.several:
		return value(0)
	case r.keys != nil:
		m := make(map[string]cty.Value, len(r.keys))
		for i, k := range r.keys {
			m[k] = value(i)
		}
		return cty.ObjectVal(m)
	}
	l := make([]cty.Value, len(r.items))
	for i := range r.items {
		l[i] = value(i)
	}
	return cty.TupleVal(l)
}

func parseCount(v cty.Value) (int, bool) {
	if !v.IsKnown() || v.IsNull() {
		return 0, false
	}
	n, err := convert.Convert(v, cty.Number)
	if err != nil || !n.IsKnown() || n.IsNull() {
		return 0, false
	}
	i, accuracy := n.AsBigFloat().Int64()
	if accuracy != 0 || i < 0 || i > 1<<30 {
		return 0, false
	}
	return int(i), true
}

func isFalse(v cty.Value) bool {
	s, ok := textOf(v).Get()
	return ok && s == "false"
}

// textOf is a scalar as text, as Terraform converts it; unknown for anything
// else.
func textOf(v cty.Value) optional.Value[string] {
	v, _ = v.Unmark()
	switch {
	case v == cty.NilVal || !v.IsKnown():
		return optional.Unknown[string]()
	case v.IsNull():
		return optional.Null[string]()
	}
	switch v.Type() {
	case cty.String:
		return optional.Known(v.AsString())
	case cty.Bool:
		return optional.Known(strconv.FormatBool(v.True()))
	case cty.Number:
		f := v.AsBigFloat()
		switch {
		case f.IsInf() || f.MantExp(nil) < -maxBits:
			return optional.Unknown[string]()
		case f.MantExp(nil) > maxBits:
			return optional.Known(strings.Repeat("-", (1-f.Sign())/2) + tooLarge)
		}
		return optional.Known(f.Text('f', -1))
	}
	return optional.Unknown[string]()
}

// maxBits keeps numbers to what can be written in a line; tooLarge stands for one
// beyond it.
const (
	maxBits  = 130
	tooLarge = "1e40"
)

// references of a value: the resources that it comes from, in order.
func referencesOf(marks cty.ValueMarks) (refs []reference, isGuarded, isSensitive bool) {
	for m := range marks {
		m, ok := m.(mark)
		if !ok {
			continue
		}
		switch {
		case m == guarded:
			isGuarded = true
		case m == sensitive:
			isSensitive = true
		case strings.HasPrefix(string(m), referMark):
			refs = append(refs, reference(strings.TrimPrefix(string(m), referMark)))
		}
	}
	slices.Sort(refs)
	return refs, isGuarded, isSensitive
}
