package plan

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

// Document is a plan or a state that was read from JSON.
type Document struct {
	Configuration *Configuration
	// Notes are what the reader of a report should know of the plan.
	Notes []string
	// Errored says that the plan says of itself that it is not whole.
	Errored bool
}

// ReadJSON reads what terraform show -json prints of a plan or a state. source
// is what it is called in reports. An error is a *JSONError where a place can be
// named.
func ReadJSON(in io.Reader, source string) (*Document, error) {
	r := newJSONReader(in)
	switch _, err := r.in.Peek(1); {
	case errors.Is(err, io.EOF):
		return nil, &JSONError{Line: 1, Column: 1, Message: "The input is empty; what terraform show -json prints of a plan is needed."}
	case err != nil:
		return nil, err
	}
	if magic, _ := r.in.Peek(len(zipMagic)); string(magic) == zipMagic {
		return nil, &JSONError{Line: 1, Column: 1, Message: "This is a saved plan, which only Terraform can read. Give what terraform show -json prints of it."}
	}
	if b, err := r.next(); err != nil {
		return nil, err
	} else if b != '{' {
		return nil, &JSONError{Line: r.line, Column: max(1, r.column), Message: "This is no JSON object. Give what terraform show -json prints of a plan."}
	}
	d := &document{r: r, source: source, config: &configModule{}}
	if err := r.object(d.member); err != nil {
		return nil, err
	}
	if err := r.end(); err != nil {
		return nil, err
	}
	return d.finish()
}

// zipMagic starts a saved plan.
const zipMagic = "PK\x03\x04"

// document is a plan in work.
type document struct {
	r      *jsonReader
	source string

	version   string
	hasPlan   bool
	hasValues bool
	rawState  bool
	log       bool
	errored   bool
	partial   bool

	changes []change
	config  *configModule
	// regions are the literal regions of provider configurations, by their key.
	regions     map[string]string
	relevant    relevance
	ignoreRules map[string]string
}

// change is a resource instance as the plan has it, until its configuration is
// known. There may be many thousands, so it has no more than it needs.
type change struct {
	address, module, typ, name, key                                 string
	action                                                          Change
	after, afterUnknown, afterSensitive, beforeValues, beforeSecret packed
}

// object is the resource instance itself, from a file.
func (c *change) object(source string) Object {
	o := Object{Address: c.address, Type: c.typ, Source: source, Change: c.action, config: c.address, key: c.key}
	if base, ok := strings.CutSuffix(c.address, c.key); ok {
		o.config, o.key = base, c.address[len(base):] // the one text for both
	}
	return o
}

func (d *document) member(key string) (err error) {
	switch key {
	case "format_version":
		var n *node
		if n, err = d.r.value(); err == nil {
			d.version = n.text
			err = d.checkVersion()
		}
	case "resource_changes":
		d.hasPlan = true
		err = d.r.orNull(func() error { return d.r.array(d.resourceChange) })
	case "planned_values":
		d.hasPlan = true
		err = d.r.skip()
	case "values":
		d.hasValues = true
		err = d.r.orNull(func() error { return d.r.object(d.stateValues) })
	case "configuration":
		err = d.r.orNull(func() error { return d.r.object(d.configuration) })
	case "relevant_attributes":
		err = d.r.orNull(func() error { return d.r.array(d.relevantAttribute) })
	case "errored":
		err = d.flag(&d.errored)
	case "complete":
		complete := true
		err = d.flag(&complete)
		d.partial = !complete
	case "lineage", "serial":
		d.rawState = true
		err = d.r.skip()
	case "@level", "@message":
		d.log = true
		return d.kindError()
	default:
		err = d.r.skip()
	}
	return err
}

// orNull reads a value unless it is null.
func (r *jsonReader) orNull(read func() error) error {
	b, err := r.next()
	if err != nil {
		return err
	}
	if b == 'n' {
		return r.skip()
	}
	return read()
}

func (d *document) flag(to *bool) error {
	n, err := d.r.value()
	if err == nil && n.kind == wordNode {
		*to = n.text == "true"
	}
	return err
}

// checkVersion: the major version says whether the format can be understood.
func (d *document) checkVersion() error {
	major, _, _ := strings.Cut(d.version, ".")
	switch major {
	case "1":
		return nil
	case "0":
		return d.r.fail("The plan has an old format (format_version 0.x), which Terraform wrote before version 1.1. Plan with a newer Terraform.")
	}
	return d.r.fail("The plan has a format_version that is not known here; 1.x is.")
}

func (d *document) kindError() error {
	at := &JSONError{Line: 1, Column: 1}
	switch {
	case d.log:
		at.Message = "This is the log that terraform plan -json prints. Save the plan with -out and give what terraform show -json prints of it."
	case d.rawState:
		at.Message = "This is a state file as Terraform stores it. Give what terraform show -json prints of a plan, or of the state."
	default:
		at.Message = "This JSON is no plan and no state: it has no format_version. Give what terraform show -json prints of a plan."
	}
	return at
}

func (d *document) finish() (*Document, error) {
	switch {
	case d.version == "":
		return nil, d.kindError()
	case !d.hasPlan && !d.hasValues:
		// An empty state and an empty plan have neither, and are fine.
		return &Document{Configuration: newBuilder().finish()}, nil
	}
	d.settleRelevance()
	b := newBuilder()
	for i := range d.changes {
		b.add(d.resource(&d.changes[i]))
		d.changes[i] = change{} // it is not needed any more
	}
	out := &Document{Configuration: b.finish(), Errored: d.errored}
	out.Configuration.IgnoreRules = d.ignoreRules
	if d.partial && !d.errored {
		out.Notes = append(out.Notes, "The plan is not complete: it was made with -target, or Terraform put part of it off. Only what is in it was checked.")
	}
	out.Notes = append(out.Notes, d.relevant.notes()...)
	return out, nil
}

// resourceChange reads one element of resource_changes. Terraform writes the
// type before the change; if another program did not, nothing of it is read.
func (d *document) resourceChange() error {
	var c change
	var mode string
	keep := false
	err := d.r.object(func(key string) (err error) {
		switch key {
		case "address":
			c.address, err = d.r.text()
		case "module_address":
			c.module, err = d.r.name()
		case "mode":
			mode, err = d.r.name()
		case "type":
			c.typ, err = d.r.name()
		case "name":
			c.name, err = d.r.name()
		case "index":
			c.key, err = d.r.index()
		case "deposed":
			mode = "deposed" // what is left of an object that was replaced
			err = d.r.skip()
		case "change":
			s, wanted := schemas()[c.typ]
			if !wanted || mode != "managed" {
				return d.otherChange(c.address)
			}
			keep = true
			return d.r.object(func(key string) error { return d.changeMember(&c, key, s) })
		default:
			err = d.r.skip()
		}
		return err
	})
	if err != nil || !keep || mode != "managed" {
		return err
	}
	d.changes = append(d.changes, c)
	return nil
}

// index reads an instance key and gives it as it stands in an address.
func (r *jsonReader) index() (string, error) {
	n, err := r.value()
	if err != nil {
		return "", err
	}
	return keyText(n), nil
}

// keyText is an instance key as it stands in an address.
func keyText(n *node) string {
	switch n.kind {
	case textNode:
		return "[" + quote(n.text) + "]"
	case wordNode:
		return "[" + n.text + "]"
	default:
	}
	return ""
}

// quote writes a text as Terraform does in an address.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i, c := range s {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\t':
			b.WriteString(`\t`)
		case (c == '$' || c == '%') && strings.HasPrefix(s[i+1:], "{"):
			b.WriteRune(c)
			b.WriteRune(c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func (d *document) changeMember(c *change, key string, s *schema) (err error) {
	switch key {
	case "actions":
		var n *node
		if n, err = d.r.value(); err == nil {
			c.action = changeOf(n)
		}
	case "before":
		c.beforeValues, err = d.r.packed(s)
	case "after":
		c.after, err = d.r.packed(s)
	case "after_unknown":
		c.afterUnknown, err = d.r.marks(s)
	case "after_sensitive":
		c.afterSensitive, err = d.r.marks(s)
	case "before_sensitive":
		c.beforeSecret, err = d.r.marks(s)
	default:
		err = d.r.skip()
	}
	return err
}

func changeOf(n *node) Change {
	var words []string
	for _, i := range n.items {
		words = append(words, i.text)
	}
	switch strings.Join(words, " ") {
	case "create":
		return Create
	case "update":
		return Update
	case "delete":
		return Delete
	case "delete create":
		return Replace
	case "create delete":
		return ReplaceFirst
	}
	return NoChange
}

// stateValues reads the values of a state.
func (d *document) stateValues(key string) error {
	if key != "root_module" {
		return d.r.skip()
	}
	return d.r.object(func(key string) error { return d.stateModule(key) })
}

func (d *document) stateModule(key string) error {
	switch key {
	case "resources":
		return d.r.array(d.stateResource)
	case "child_modules":
		return d.r.array(func() error {
			return d.r.object(func(key string) error { return d.stateModule(key) })
		})
	}
	return d.r.skip()
}

func (d *document) stateResource() error {
	var c change
	var mode string
	keep := false
	err := d.r.object(func(key string) (err error) {
		switch key {
		case "address":
			c.address, err = d.r.text()
		case "mode":
			mode, err = d.r.name()
		case "type":
			c.typ, err = d.r.name()
		case "name":
			c.name, err = d.r.name()
		case "index":
			c.key, err = d.r.index()
		case "values":
			s, wanted := schemas()[c.typ]
			if !wanted || mode != "managed" {
				return d.r.skip()
			}
			keep = true
			c.after, err = d.r.packed(s)
		case "sensitive_values":
			if s, wanted := schemas()[c.typ]; wanted {
				c.afterSensitive, err = d.r.marks(s)
				return err
			}
			err = d.r.skip()
		default:
			err = d.r.skip()
		}
		return err
	})
	if err != nil || !keep || mode != "managed" {
		return err
	}
	d.changes = append(d.changes, c)
	return nil
}

// resource joins what the plan says of a resource instance with what stands in
// its configuration.
func (d *document) resource(c *change) *resource {
	r := &resource{Object: c.object(d.source)}
	s := schemas()[c.typ]
	m := &merger{module: c.module, config: d.config.find(moduleNames(c.module)), relevant: &d.relevant, texts: &d.r.pool}
	var expressions *configBlock
	if m.config != nil {
		cr := m.config.resources[c.typ+"."+c.name]
		if cr != nil {
			expressions = cr.block
			r.Region = d.regions[cr.provider]
		}
	}
	if after := c.after.node(); after != nil && after.kind == objectNode {
		fresh := c.action == Create || c.action == Replace || c.action == ReplaceFirst
		r.body = m.body(s, after, c.afterUnknown.node(), c.afterSensitive.node(), origin{expressions: expressions, fresh: fresh})
		if m.unsure {
			d.relevant.unsure = append(d.relevant.unsure, c.address)
		}
	} else {
		r.body = emptyBody(Place{})
	}
	if before := c.beforeValues.node(); before != nil && before.kind == objectNode {
		r.before = m.body(s, before, nil, c.beforeSecret.node(), origin{})
	}
	return r
}

// merger makes bodies of the parts of a plan that each tell something of them.
type merger struct {
	module   string
	config   *configModule
	relevant *relevance
	// texts has what many resources have in common.
	texts *pool
	// unsure says that something may have been left out or not.
	unsure bool
}

// origin is what is known of where the values of a block come from.
type origin struct {
	// expressions of the block, nil where they cannot be told.
	expressions *configBlock
	// dynamic says that a dynamic block has made it, whose expressions a plan does
	// not have.
	dynamic bool
	// fresh says that the object is created, so that whatever is known of it
	// stands in the configuration; of an object that is changed, a value may be
	// one that AWS had filled in.
	fresh bool
}

// body joins values, the marks of what is unknown and what is secret, and the
// expressions.
func (m *merger) body(s *schema, values, unknown, secret *node, from origin) *body {
	b := &body{attributes: map[string]*attribute{}, blocks: map[string]*blockList{}}
	if unknown.isTrue() || secret.isTrue() {
		b.unknown = true
		return b
	}
	hidden := from.dynamic
	for name := range s.attributes {
		a, local := m.attribute(name, values, unknown, secret, from)
		if a != nil {
			b.attributes[name] = a
		}
		hidden = hidden || local && slices.Contains(volumeAttributes, name)
	}
	if hidden && m.relevant.judgedByGuard(b) {
		for _, name := range []string{"iops", "throughput"} {
			if a := b.attributes[name]; a != nil {
				a.guarded = true
			}
		}
	}
	for name, inner := range s.blocks {
		l := m.blocks(name, inner, values.member(name), unknown.member(name), secret.member(name), from)
		if l != nil {
			b.blocks[name] = l
		}
	}
	return b
}

// attribute is nil if the attribute was left out. local says that its value
// comes from a local value, of which a plan does not have the expression.
func (m *merger) attribute(name string, values, unknown, secret *node, from origin) (a *attribute, local bool) {
	v := values.member(name)
	there := v != nil
	a = &attribute{scalar: optional.Unknown[string]()}
	e := from.expressions.attribute(name)
	a.written = e != nil
	if e != nil {
		for _, ref := range e.references {
			rs, guarded := m.config.resolve(m.module, ref)
			a.guarded = a.guarded || guarded
			a.refs = append(a.refs, rs...)
			local = local || strings.HasPrefix(ref, "local.")
		}
		a.refs = exact(a.refs)
		a.literal = len(e.references) == 0
	}
	switch {
	case secret.member(name).isTrue():
	case !there && unknown.member(name).isTrue() && from.expressions != nil && e == nil:
		// It was left out, and the provider or AWS will fill it in.
		a.scalar = optional.Null[string]()
	case !there && unknown.member(name).isTrue() && from.dynamic:
		a.scalar = m.absent(name)
	case !there:
	case v.kind == nullNode:
		a.scalar = optional.Null[string]()
	case v.kind == textNode || v.kind == wordNode:
		text := v.text
		if v.kind == textNode { // words are mostly numbers, whose text nobody keeps
			text = m.texts.own(text)
		}
		a.scalar = optional.Known(text)
		a.written = a.written || from.dynamic && from.fresh
	case v.kind == objectNode:
		for _, inner := range v.members {
			a.keys = append(a.keys, m.texts.own(inner.name))
		}
		slices.Sort(a.keys)
	case v.kind == listNode:
		a.isList = true
		marks, secrets := unknown.member(name), secret.member(name)
		for i, item := range v.items {
			switch {
			case marks.item(i).isTrue() || secrets.item(i).isTrue() || item.kind == listNode || item.kind == objectNode || item.kind == nullNode:
				a.list = append(a.list, optional.Unknown[string]())
			default:
				a.list = append(a.list, optional.Known(m.texts.own(item.text)))
			}
		}
	}
	if a.scalar.IsNull() && !a.written && len(a.refs) == 0 {
		return nil, local
	}
	return a, local
}

func (m *merger) blocks(name string, s *schema, values, unknown, secret *node, from origin) *blockList {
	written := from.expressions.block(name)
	switch {
	case secret.isTrue():
		return &blockList{open: true}
	case unknown.isTrue() || values == nil && unknown != nil && len(unknown.items) == 0:
		if from.expressions != nil && len(written) == 0 && (m.relevant.leftOut("iops") || !m.relevant.told) {
			return nil // left out; what the provider fills in is not known and not written
		}
		return &blockList{open: true}
	case values == nil || values.kind == nullNode:
		return nil
	}
	items := values.items
	if values.kind == objectNode { // a block that there is one of
		items = []*node{values}
		unknown, secret = &node{items: []*node{unknown}}, &node{items: []*node{secret}}
	}
	l := &blockList{}
	used := make([]bool, len(written))
	for i, item := range items {
		if item == nil || item.kind != objectNode {
			continue
		}
		inner := origin{expressions: match(written, used, item, i, len(items)), fresh: from.fresh}
		inner.dynamic = inner.expressions == nil && (from.expressions != nil || from.dynamic)
		l.bodies = append(l.bodies, m.body(s, item, unknown.item(i), secret.item(i), inner))
	}
	return l
}

// match is the configuration of a block. A set has another order than the
// configuration, so the constants have to agree. It is nil if no block does,
// which a dynamic block has made then.
func match(written []*configBlock, used []bool, values *node, at, count int) *configBlock {
	fits := func(i int) bool { return !used[i] && written[i].agrees(values) }
	if len(written) == count && fits(at) {
		used[at] = true
		return written[at]
	}
	for i := range written {
		if fits(i) {
			used[i] = true
			return written[i]
		}
	}
	return nil
}

// moduleNames are the names of the modules in a module's address.
func moduleNames(address string) []string {
	if address == "" {
		return nil
	}
	var out []string
	for i, part := range strings.Split(withoutKeys(address), ".") {
		if i%2 == 1 {
			out = append(out, part)
		}
	}
	return out
}

// configModule is a module in a plan's configuration.
type configModule struct {
	resources map[string]*configResource
	calls     map[string]*configCall
	outputs   map[string][]string // references
	parent    *configModule
	// call is the name by which the parent calls it.
	call string
}

type configResource struct {
	provider string
	block    *configBlock
}

type configCall struct {
	arguments map[string][]string // references of each
	module    *configModule
}

// configBlock are the expressions of a block.
type configBlock struct {
	attributes map[string]*configExpression
	blocks     map[string][]*configBlock
}

type configExpression struct {
	constant   *node
	references []string
}

func (b *configBlock) attribute(name string) *configExpression {
	if b == nil {
		return nil
	}
	return b.attributes[name]
}

func (b *configBlock) block(name string) []*configBlock {
	if b == nil {
		return nil
	}
	return b.blocks[name]
}

// agrees says whether the constants of a block are those of the values.
func (b *configBlock) agrees(values *node) bool {
	for name, e := range b.attributes {
		v := values.member(name)
		if e.constant == nil || v == nil {
			continue
		}
		if e.constant.kind == listNode {
			if len(v.items) != len(e.constant.items) {
				return false
			}
			continue
		}
		if v.kind != nullNode && v.text != e.constant.text {
			return false
		}
	}
	return true
}

func (m *configModule) find(path []string) *configModule {
	for _, name := range path {
		if m == nil {
			return nil
		}
		call := m.calls[name]
		if call == nil {
			return nil
		}
		m = call.module
	}
	return m
}

// configuration reads the members of "configuration".
func (d *document) configuration(key string) error {
	switch key {
	case "root_module":
		return d.r.object(func(key string) error { return d.configModule(d.config, key) })
	case "provider_config":
		d.regions = map[string]string{}
		return d.r.object(d.providerConfig)
	}
	return d.r.skip()
}

// providerConfig reads the region of a provider, if it is a constant.
func (d *document) providerConfig(key string) error {
	return d.r.object(func(member string) error {
		if member != "expressions" {
			return d.r.skip()
		}
		if key == "runnerfit" {
			return d.ignoredRules()
		}
		b, err := d.expressions(providerSchema)
		if err != nil {
			return err
		}
		if e := b.attribute("region"); e != nil && e.constant != nil && e.constant.kind == textNode {
			d.regions[key] = e.constant.text
		}
		return nil
	})
}

var providerSchema = reads("region")

// ignoredRules reads what the provider block ignores, if it is a constant.
func (d *document) ignoredRules() error {
	return d.r.ifObject(func(name string) error {
		if name != "ignore_rules" {
			return d.r.skip()
		}
		return d.r.ifObject(func(name string) error {
			if name != "constant_value" {
				return d.r.skip()
			}
			d.ignoreRules = map[string]string{}
			return d.r.ifObject(func(id string) error {
				n, err := d.r.value()
				if err == nil && n.kind == textNode {
					d.ignoreRules[id] = n.text
				}
				return err
			})
		})
	})
}

func (d *document) configModule(m *configModule, key string) error {
	switch key {
	case "resources":
		m.resources = map[string]*configResource{}
		return d.r.array(func() error { return d.configResource(m) })
	case "outputs":
		m.outputs = map[string][]string{}
		return d.r.object(func(name string) error {
			return d.r.object(func(key string) error {
				if key != "expression" {
					return d.r.skip()
				}
				refs, err := d.anyReferences()
				m.outputs[name] = refs
				return err
			})
		})
	case "module_calls":
		m.calls = map[string]*configCall{}
		return d.r.object(func(name string) error { return d.configCall(m, name) })
	}
	return d.r.skip()
}

func (d *document) configCall(parent *configModule, name string) error {
	c := &configCall{arguments: map[string][]string{}, module: &configModule{parent: parent, call: name}}
	parent.calls[name] = c
	return d.r.object(func(key string) error {
		switch key {
		case "expressions":
			return d.r.object(func(argument string) error {
				refs, err := d.anyReferences()
				c.arguments[argument] = refs
				return err
			})
		case "module":
			return d.r.object(func(key string) error { return d.configModule(c.module, key) })
		}
		return d.r.skip()
	})
}

func (d *document) configResource(m *configModule) error {
	var mode, typ, name string
	cr := &configResource{}
	err := d.r.object(func(key string) (err error) {
		switch key {
		case "mode":
			mode, err = d.r.text()
		case "type":
			typ, err = d.r.text()
		case "name":
			name, err = d.r.text()
		case "provider_config_key":
			cr.provider, err = d.r.text()
		case "expressions":
			s, wanted := schemas()[typ]
			if !wanted {
				return d.r.skip()
			}
			cr.block, err = d.expressions(s)
		default:
			err = d.r.skip()
		}
		return err
	})
	if err == nil && mode == "managed" {
		if _, wanted := schemas()[typ]; wanted {
			if cr.block == nil {
				cr.block = &configBlock{}
			}
			m.resources[typ+"."+name] = cr
		}
	}
	return err
}

// expressions reads the expressions of a block.
func (d *document) expressions(s *schema) (*configBlock, error) {
	b := &configBlock{attributes: map[string]*configExpression{}, blocks: map[string][]*configBlock{}}
	return b, d.r.object(func(key string) error {
		if _, ok := s.attributes[key]; ok {
			e, err := d.expression()
			b.attributes[key] = e
			return err
		}
		inner, ok := s.blocks[key]
		if !ok {
			return d.r.skip()
		}
		one := func() error {
			ib, err := d.expressions(inner)
			b.blocks[key] = append(b.blocks[key], ib)
			return err
		}
		p, err := d.r.next()
		switch {
		case err != nil:
			return err
		case p == '[':
			return d.r.array(one)
		case p == '{':
			return one()
		}
		return d.r.skip()
	})
}

// expression reads one expression: a constant, or the references in it.
func (d *document) expression() (*configExpression, error) {
	e := &configExpression{}
	p, err := d.r.next()
	if err != nil {
		return e, err
	}
	if p != '{' {
		return e, d.r.skip()
	}
	return e, d.r.object(func(key string) (err error) {
		switch key {
		case "constant_value":
			e.constant, err = d.r.value()
		case "references":
			e.references, err = d.references()
		default:
			err = d.r.skip()
		}
		return err
	})
}

func (d *document) references() ([]string, error) {
	n, err := d.r.value()
	if err != nil {
		return nil, err
	}
	var out []string
	for _, i := range n.items {
		if i != nil && i.kind == textNode {
			out = append(out, i.text)
		}
	}
	return out, nil
}

// anyReferences reads the references of an expression that may be a nested one.
func (d *document) anyReferences() ([]string, error) {
	var out []string
	var read func() error
	read = func() error {
		p, err := d.r.next()
		switch {
		case err != nil:
			return err
		case p == '[':
			return d.r.array(read)
		case p != '{':
			return d.r.skip()
		}
		return d.r.object(func(key string) error {
			if key == "references" {
				refs, err := d.references()
				out = append(out, refs...)
				return err
			}
			if key == "constant_value" {
				return d.r.skip()
			}
			return read()
		})
	}
	return out, read()
}

// maxHops bounds how far a reference is followed through modules.
const maxHops = 50

// resolve follows a reference of a plan's configuration to the resources that
// it is about, through variables to the caller and through outputs to the
// called module. guarded says that one of runnerfit's own objects is among them.
// A plan does not have local values, so there the way ends.
func (m *configModule) resolve(module, ref string) (out []reference, guarded bool) {
	seen := map[string]bool{}
	var follow func(m *configModule, module, ref string, hops int)
	follow = func(m *configModule, module, ref string, hops int) {
		at := module + "|" + ref
		if m == nil || hops > maxHops || seen[at] {
			return
		}
		seen[at] = true
		parts := splitReference(ref)
		if len(parts) < 2 {
			return
		}
		switch root := parts[0]; {
		case root == "var":
			if m.parent == nil {
				return
			}
			for _, r := range m.parent.calls[m.call].arguments[bare(parts[1])] {
				follow(m.parent, parentModule(module), r, hops+1)
			}
		case root == "module":
			name := bare(parts[1])
			call := m.calls[name]
			if call == nil || len(parts) < 3 {
				return
			}
			child := join(module, "module."+parts[1])
			for _, r := range call.module.outputs[bare(parts[2])] {
				follow(call.module, child, r, hops+1)
			}
		case root == "local" || root == "each" || root == "count" || root == "path" || root == "terraform" || root == "data" || root == "self":
		case strings.HasPrefix(root, "runnerfit_"):
			guarded = true
			fallthrough
		default:
			if r := reference(join(module, root+"."+parts[1])); !slices.Contains(out, r) {
				out = append(out, r)
			}
		}
	}
	follow(m, module, ref, 0)
	return out, guarded
}

// exact leaves out the references that another one is more exact than: Terraform
// lists aws_launch_template.a["x"] and aws_launch_template.a for one traversal.
func exact(refs []reference) []reference {
	return slices.DeleteFunc(slices.Clone(refs), func(r reference) bool {
		return slices.ContainsFunc(refs, func(o reference) bool {
			return len(o) > len(r) && withoutKeys(string(o)) == withoutKeys(string(r))
		})
	})
}

func join(module, rest string) string {
	if module == "" {
		return rest
	}
	return module + "." + rest
}

// splitReference takes a reference apart at the dots that are not in a key.
func splitReference(ref string) []string {
	var out []string
	start, depth, quoted := 0, 0, false
	for i := 0; i < len(ref); i++ {
		switch c := ref[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == '.' && depth == 0:
			out = append(out, ref[start:i])
			start = i + 1
		}
	}
	return append(out, ref[start:])
}

// bare is a part of a reference without its key.
func bare(part string) string {
	name, _, _ := strings.Cut(part, "[")
	return name
}

// parentModule is the address of the module that calls a module.
func parentModule(address string) string {
	parts := splitReference(address)
	if len(parts) <= 2 {
		return ""
	}
	return strings.Join(parts[:len(parts)-2], ".")
}

// IsJSON says whether a text can only be JSON, looking at its beginning.
func IsJSON(start []byte) bool {
	start = bytes.TrimPrefix(start, []byte(bom))
	start = bytes.TrimLeft(start, " \t\r\n")
	return bytes.HasPrefix(start, []byte("{"))
}

// Types are the resource types that are read, sorted.
func Types() []string { return slices.Sorted(maps.Keys(schemas())) }
