package prototest

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hashicorp/hcl/v2/hcldec"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
	ctymsgpack "github.com/zclconf/go-cty/cty/msgpack"
)

// nesting is how blocks or nested attributes repeat.
type nesting uint8

const (
	single nesting = iota + 1
	list
	set
	mapping
)

// block is a compiled schema of a configuration block.
type block struct {
	attrs  map[string]*attribute
	blocks map[string]*nestedBlock
}

// attribute is one argument. If nested is there, its type follows from it.
type attribute struct {
	plain                        cty.Type
	nested                       *object
	required, optional, computed bool
}

// object is the schema of a nested attribute.
type object struct {
	attrs   map[string]*attribute
	nesting nesting
}

type nestedBlock struct {
	block
	nesting  nesting
	min, max int
}

// resourceSchema is the schema of a managed resource and its version.
type resourceSchema struct {
	block   *block
	version int64
}

func compileSchema(s *tfprotov6.Schema) (*block, error) {
	if s == nil || s.Block == nil {
		return &block{}, nil
	}
	return compileBlock(s.Block)
}

func compileBlock(s *tfprotov6.SchemaBlock) (*block, error) {
	attrs, err := compileAttributes(s.Attributes)
	if err != nil {
		return nil, err
	}
	b := &block{attrs: attrs, blocks: map[string]*nestedBlock{}}
	for _, n := range s.BlockTypes {
		inner, err := compileBlock(n.Block)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", n.TypeName, err)
		}
		c := &nestedBlock{block: *inner, min: int(n.MinItems), max: int(n.MaxItems)}
		switch n.Nesting {
		case tfprotov6.SchemaNestedBlockNestingModeSingle:
			c.nesting = single
		case tfprotov6.SchemaNestedBlockNestingModeList:
			c.nesting = list
		case tfprotov6.SchemaNestedBlockNestingModeSet:
			c.nesting = set
		default:
			return nil, fmt.Errorf("%s: prototest knows no blocks of nesting %s", n.TypeName, n.Nesting)
		}
		if c.nesting != single && c.typ().HasDynamicTypes() {
			return nil, fmt.Errorf("%s: prototest knows no repeated blocks with dynamic attributes", n.TypeName)
		}
		if _, twice := b.attrs[n.TypeName]; twice {
			return nil, fmt.Errorf("%s is an attribute and a block", n.TypeName)
		}
		b.blocks[n.TypeName] = c
	}
	return b, nil
}

func compileAttributes(as []*tfprotov6.SchemaAttribute) (map[string]*attribute, error) {
	out := map[string]*attribute{}
	for _, a := range as {
		c := &attribute{required: a.Required, optional: a.Optional, computed: a.Computed}
		// These are core's own checks of a schema.
		switch {
		case !c.required && !c.optional && !c.computed:
			return nil, fmt.Errorf("%s: neither required nor optional nor computed", a.Name)
		case c.required && (c.optional || c.computed):
			return nil, fmt.Errorf("%s: required, and optional or computed, too", a.Name)
		}
		var err error
		if a.NestedType != nil {
			c.nested, err = compileObject(a.NestedType)
		} else {
			c.plain, err = ctyType(a.Type)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.Name, err)
		}
		out[a.Name] = c
	}
	return out, nil
}

func compileObject(o *tfprotov6.SchemaObject) (*object, error) {
	attrs, err := compileAttributes(o.Attributes)
	if err != nil {
		return nil, err
	}
	c := &object{attrs: attrs}
	switch o.Nesting {
	case tfprotov6.SchemaObjectNestingModeSingle:
		c.nesting = single
	case tfprotov6.SchemaObjectNestingModeList:
		c.nesting = list
	case tfprotov6.SchemaObjectNestingModeSet:
		c.nesting = set
	case tfprotov6.SchemaObjectNestingModeMap:
		c.nesting = mapping
	default:
		return nil, fmt.Errorf("prototest knows no nested attributes of nesting %s", o.Nesting)
	}
	return c, nil
}

// ctyType converts by way of the JSON form, which is what travels in the
// protocol.
func ctyType(t tftypes.Type) (cty.Type, error) {
	if t == nil {
		return cty.NilType, errors.New("has no type")
	}
	j, err := json.Marshal(t)
	if err != nil {
		return cty.NilType, err
	}
	var out cty.Type
	err = json.Unmarshal(j, &out)
	return out, err
}

// typ is the type of a block's value.
func (b *block) typ() cty.Type {
	attrs := map[string]cty.Type{}
	for name, a := range b.attrs {
		attrs[name] = a.typ()
	}
	for name, n := range b.blocks {
		t := n.typ()
		switch n.nesting {
		case list:
			t = cty.List(t)
		case set:
			t = cty.Set(t)
		default: // a single block is its own value
		}
		attrs[name] = t
	}
	return cty.Object(attrs)
}

func (a *attribute) typ() cty.Type { return a.configType().WithoutOptionalAttributesDeep() }

// configType is the type that configuration is converted to: members of nested
// attributes that are not required may be left out there.
func (a *attribute) configType() cty.Type {
	if a.nested == nil {
		return a.plain
	}
	attrs, mayBeLeftOut := map[string]cty.Type{}, []string{}
	for name, m := range a.nested.attrs {
		attrs[name] = m.configType()
		if !m.required {
			mayBeLeftOut = append(mayBeLeftOut, name)
		}
	}
	t := cty.ObjectWithOptionalAttrs(attrs, mayBeLeftOut)
	switch a.nested.nesting {
	case list:
		return cty.List(t)
	case set:
		return cty.Set(t)
	case mapping:
		return cty.Map(t)
	default:
		return t
	}
}

// elementType is the type of one object of a nested attribute.
func (o *object) elementType() cty.Type {
	attrs := map[string]cty.Type{}
	for name, a := range o.attrs {
		attrs[name] = a.typ()
	}
	return cty.Object(attrs)
}

// spec tells the HCL decoder what to expect.
func (b *block) spec() hcldec.ObjectSpec {
	out := hcldec.ObjectSpec{}
	for name, a := range b.attrs {
		out[name] = &hcldec.AttrSpec{Name: name, Type: a.configType(), Required: a.required}
	}
	for name, n := range b.blocks {
		switch n.nesting {
		case list:
			out[name] = &hcldec.BlockListSpec{TypeName: name, Nested: n.spec(), MinItems: n.min, MaxItems: n.max}
		case set:
			out[name] = &hcldec.BlockSetSpec{TypeName: name, Nested: n.spec(), MinItems: n.min, MaxItems: n.max}
		default:
			out[name] = &hcldec.BlockSpec{TypeName: name, Nested: n.spec(), Required: n.min == 1}
		}
	}
	return out
}

// empty is what an empty block decodes to: everything null, no blocks.
func (b *block) empty() cty.Value {
	attrs := map[string]cty.Value{}
	for name, a := range b.attrs {
		attrs[name] = cty.NullVal(a.typ())
	}
	for name, n := range b.blocks {
		switch n.nesting {
		case list:
			attrs[name] = cty.ListValEmpty(n.typ())
		case set:
			attrs[name] = cty.SetValEmpty(n.typ())
		default:
			attrs[name] = cty.NullVal(n.typ())
		}
	}
	return cty.ObjectVal(attrs)
}

func encode(v cty.Value, t cty.Type) (*tfprotov6.DynamicValue, error) {
	b, err := ctymsgpack.Marshal(v, t)
	return &tfprotov6.DynamicValue{MsgPack: b}, err
}

func decodeDynamic(d *tfprotov6.DynamicValue, t cty.Type) (cty.Value, error) {
	if d == nil || len(d.MsgPack) == 0 {
		return cty.NilVal, errors.New("there is no value")
	}
	return ctymsgpack.Unmarshal(d.MsgPack, t)
}
