package composefile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/compose-spec/compose-go/v2/template"
	yaml "go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"
)

// Bounds far above what people write, for files that are made to be expensive:
// of nesting, of values once all anchors are followed, and of the work to fill in
// variables, which grows with a text's length and with what it fills in.
const (
	maxDepth   = 100
	maxValues  = 200_000
	maxFilling = 32 << 20
)

// The tags of YAML that a scalar can have here, and Compose's own, which keep a
// value from being merged with what it overrides.
const (
	textTag  = "!!str"
	intTag   = "!!int"
	floatTag = "!!float"
	nullTag  = "!!null"

	resetTag    = "!reset"
	overrideTag = "!override"
)

// value is a value of a Compose file, with its anchors followed, its merge keys
// applied and its variables filled in. It is not changed once it is made.
type value struct {
	kind yaml.Kind
	// tag is the type of a scalar, or one of Compose's own.
	tag string
	// text is the scalar as it is written, but for its variables.
	text   string
	items  []*value
	fields map[string]*value
	// line in its file, which elsewhere says is not the one that was given.
	line      int
	elsewhere bool
}

// field is what a mapping sets; nil if it does not, or no longer.
func (v *value) field(name string) *value {
	if v == nil || v.fields[name] == nil || v.fields[name].tag == resetTag {
		return nil
	}
	return v.fields[name]
}

// missing says that there is no value, or nothing in it.
func (v *value) missing() bool {
	return v == nil || v.kind == yaml.ScalarNode && (v.tag == nullTag || v.tag == resetTag)
}

// isText says that the value is a text.
func (v *value) isText() bool {
	return v.kind == yaml.ScalarNode && (v.tag == textTag || v.tag == overrideTag)
}

// written is the same for values that are.
func (v *value) written() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s%q", v.tag, v.text)
	for _, item := range v.items {
		b.WriteString("-" + item.written())
	}
	for _, name := range slices.Sorted(maps.Keys(v.fields)) {
		fmt.Fprintf(&b, "%q:%s", name, v.fields[name].written())
	}
	return b.String() + ";"
}

// integer is the value as a whole number.
func (v *value) integer() (int64, error) {
	switch {
	case v.kind == yaml.ScalarNode && v.tag == intTag:
		return strconv.ParseInt(strings.ReplaceAll(v.text, "_", ""), 0, 64)
	case v.isText():
		return strconv.ParseInt(v.text, 10, 64)
	}
	return 0, strconv.ErrSyntax
}

// several is a value that may be one or several.
func (v *value) several() []*value {
	switch {
	case v.missing():
		return nil
	case v.kind == yaml.SequenceNode:
		return v.items
	}
	return []*value{v}
}

// fault is an error about the value.
func (v *value) fault(setting, reason string) *Error {
	return &Error{Setting: setting, Line: v.line, Elsewhere: v.elsewhere, Reason: reason}
}

// nodes are the documents of a Compose file. The error is a *Error.
func nodes(content []byte, elsewhere bool) ([]*yaml.Node, error) {
	loader, err := yaml.NewLoader(bytes.NewReader(content), yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(maxDepth))))
	if err != nil {
		return nil, &Error{Elsewhere: elsewhere}
	}
	var out []*yaml.Node
	for {
		var n yaml.Node
		switch err := loader.Load(&n); {
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			fault := &Error{Elsewhere: elsewhere}
			if l, ok := errors.AsType[*yaml.LoadError](err); ok {
				fault.Line = l.Mark.Line
			}
			return nil, fault
		}
		out = append(out, &n)
	}
}

// tree makes values of the nodes of one file.
type tree struct {
	*reading
	vars      map[string]string
	elsewhere bool
	// open are the anchors that are being followed.
	open map[*yaml.Node]bool
}

func (t *tree) fault(n *yaml.Node, reason string) *Error {
	return &Error{Line: n.Line, Elsewhere: t.elsewhere, Reason: reason}
}

// value is a node as a value. The error is a *Error.
func (t *tree) value(n *yaml.Node) (*value, error) {
	if err := t.spend(1); err != nil {
		return nil, err
	}
	switch n.Kind {
	case yaml.DocumentNode:
		if len(n.Content) == 1 {
			return t.value(n.Content[0])
		}
	case yaml.AliasNode:
		if t.open[n.Alias] {
			return nil, t.fault(n, "an anchor is used within itself")
		}
		return t.value(n.Alias)
	case yaml.ScalarNode:
		v := &value{kind: n.Kind, tag: n.ShortTag(), text: n.Value, line: n.Line, elsewhere: t.elsewhere}
		if !v.isText() {
			return v, nil
		}
		var err error
		v.text, err = t.filled(n)
		return v, err
	case yaml.SequenceNode, yaml.MappingNode:
		if n.Anchor != "" {
			t.open[n] = true
			defer delete(t.open, n)
		}
		v := &value{kind: n.Kind, tag: n.ShortTag(), line: n.Line, elsewhere: t.elsewhere}
		if n.Kind == yaml.MappingNode {
			return v, t.mapping(v, n)
		}
		for _, c := range n.Content {
			item, err := t.value(c)
			if err != nil {
				return nil, err
			}
			if item.tag != resetTag {
				v.items = append(v.items, item)
			}
		}
		return v, nil
	default:
	}
	return nil, t.fault(n, "")
}

// mapping fills in the fields of a mapping. What it says itself goes before what
// it merges, and of that the first before the others.
func (t *tree) mapping(v *value, n *yaml.Node) error {
	v.fields = map[string]*value{}
	merged := map[string]*value{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		if k.Kind == yaml.AliasNode {
			k = k.Alias
		}
		if k.Kind != yaml.ScalarNode {
			return t.fault(k, "a key that is no text")
		}
		c, err := t.value(n.Content[i+1])
		if err != nil {
			return err
		}
		if k.ShortTag() == "!!merge" {
			if err := t.merge(merged, c); err != nil {
				return err
			}
			continue
		}
		if v.fields[k.Value] != nil {
			return t.fault(k, "a key that is there already")
		}
		v.fields[k.Value] = c
	}
	for k, c := range merged {
		if v.fields[k] == nil {
			v.fields[k] = c
		}
	}
	return nil
}

// merge adds what "<<" names, one mapping or several.
func (t *tree) merge(into map[string]*value, c *value) error {
	for _, m := range c.several() {
		if m.kind != yaml.MappingNode {
			return m.fault("", "only a mapping can be merged")
		}
		if err := t.spend(len(m.fields)); err != nil {
			return err
		}
		for k, v := range m.fields {
			if into[k] == nil {
				into[k] = v
			}
		}
	}
	return nil
}

// filled is a text with its variables filled in.
func (t *tree) filled(n *yaml.Node) (string, error) {
	dollars := strings.Count(n.Value, "$")
	if dollars == 0 {
		return n.Value, nil
	}
	if t.filling += dollars * len(n.Value); t.filling > maxFilling {
		return "", t.fault(n, "more variables than can be filled in")
	}
	lookup := func(name string) (string, bool) { s, ok := t.vars[name]; return s, ok }
	text, err := template.Substitute(n.Value, lookup)
	if missing, ok := errors.AsType[*template.MissingRequiredError](err); ok {
		return "", &Error{Problem: fmt.Sprintf("needs the variable %s, which has no value; %s", missing.Variable, t.toDo())}
	}
	if err != nil {
		return "", t.fault(n, "a variable is written as ${NAME}, and a dollar sign as $$")
	}
	for name, v := range template.ExtractVariables(map[string]any{"": n.Value}, template.DefaultPattern) {
		if _, ok := lookup(name); !ok && v.DefaultValue == "" && v.PresenceValue == "" {
			t.empty[name] = true
		}
	}
	return text, nil
}

// merged is a value with what it overrides below it: mappings are merged, lists
// are joined but for what the one below has already, anything else is replaced.
func (r *reading) merged(base, over *value) (*value, error) {
	switch {
	case base == nil || base.tag == resetTag:
		return over, nil
	case over == nil:
		return base, nil
	case over.tag == resetTag || over.tag == overrideTag:
		return over, nil
	case over.missing():
		return base, nil
	case base.kind != over.kind || over.kind == yaml.ScalarNode:
		return over, nil
	}
	if err := r.spend(len(base.items) + len(base.fields) + len(over.items)); err != nil {
		return nil, err
	}
	out := *over
	out.items = slices.Clone(base.items)
	has := map[string]bool{}
	for _, item := range base.items {
		has[item.written()] = true
	}
	for _, item := range over.items {
		if !has[item.written()] {
			out.items = append(out.items, item)
		}
	}
	out.fields = maps.Clone(base.fields)
	for k, o := range over.fields {
		m, err := r.merged(base.fields[k], o)
		if err != nil {
			return nil, err
		}
		out.fields[k] = m
	}
	return &out, nil
}

// settled is a value whose !reset and !override have done their work: they hold
// for what a file or a service overrides, and not for what builds on it.
func (r *reading) settled(v *value) (*value, error) {
	if v == nil {
		return nil, nil
	}
	if err := r.spend(1); err != nil {
		return nil, err
	}
	out := *v
	if out.tag == overrideTag {
		out.tag = textTag
	}
	out.items, out.fields = slices.Clone(v.items), maps.Clone(v.fields)
	var err error
	for i, item := range v.items {
		if out.items[i], err = r.settled(item); err != nil {
			return nil, err
		}
	}
	for k, f := range v.fields {
		if f.tag == resetTag {
			delete(out.fields, k)
		} else if out.fields[k], err = r.settled(f); err != nil {
			return nil, err
		}
	}
	return &out, nil
}

// spend counts values and fails when there are too many.
func (r *reading) spend(n int) error {
	if r.values += n; r.values > maxValues {
		return &Error{Problem: fmt.Sprintf("comes to more than %d values once its anchors, extends and includes are followed, which is no Compose file", maxValues)}
	}
	return nil
}

// emptyVariables are the names of the variables that a Compose file was filled
// in with, but that have no value and no default.
type emptyVariables map[string]bool

// names are the variables, the first few of many.
func (e emptyVariables) names() string {
	const most = 5
	all := slices.Sorted(maps.Keys(e))
	if len(all) <= most {
		return strings.Join(all, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(all[:most], ", "), len(all)-most)
}
