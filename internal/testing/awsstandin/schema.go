package awsstandin

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// schemaJSON is in the format of `terraform providers schema -json`.
//
//go:embed data/schema.json
var schemaJSON []byte

// schemas are all types that the stand-in knows.
type schemas struct {
	provider    *objectType
	resources   map[string]*objectType
	dataSources map[string]*objectType
	// anyType has made-up values by attribute name, for types without one of
	// their own.
	anyType map[string]any
}

// objectType is a resource, a data source or the provider block.
type objectType struct {
	*block
	rules
	name string
	// id and arn are templates; see maker.expand.
	id, arn string
}

// block is a configuration block.
type block struct {
	attributes map[string]*attribute
	blocks     map[string]*nestedBlock
	deprecated bool
	// typ is worked out once, because every call needs it.
	typ tftypes.Object
}

// attribute is an attribute of a block.
type attribute struct {
	typ                              tftypes.Type
	required, optional, computed     bool
	sensitive, writeOnly, deprecated bool
	attributeBehaviour
}

// nestedBlock is a block inside another.
type nestedBlock struct {
	*block
	mode               nesting
	minItems, maxItems int64
	blockBehaviour
}

// nesting says how often a nested block can be there.
type nesting string

const (
	nestingSingle nesting = "single"
	nestingList   nesting = "list"
	nestingSet    nesting = "set"
)

// The part of the format of `terraform providers schema -json` that is used.
type (
	jsonSchema struct {
		Block jsonBlock `json:"block"`
	}
	jsonBlock struct {
		Attributes map[string]jsonAttribute `json:"attributes"`
		BlockTypes map[string]jsonNested    `json:"block_types"`
		Deprecated bool                     `json:"deprecated"`
	}
	jsonAttribute struct {
		Type       json.RawMessage `json:"type"`
		Required   bool            `json:"required"`
		Optional   bool            `json:"optional"`
		Computed   bool            `json:"computed"`
		Sensitive  bool            `json:"sensitive"`
		WriteOnly  bool            `json:"write_only"`
		Deprecated bool            `json:"deprecated"`
	}
	jsonNested struct {
		NestingMode nesting   `json:"nesting_mode"`
		MinItems    int64     `json:"min_items"`
		MaxItems    int64     `json:"max_items"`
		Block       jsonBlock `json:"block"`
	}
)

// loadSchemas reads the embedded facts.
func loadSchemas() (*schemas, error) {
	var doc struct {
		Schemas map[string]struct {
			Provider    jsonSchema            `json:"provider"`
			Resources   map[string]jsonSchema `json:"resource_schemas"`
			DataSources map[string]jsonSchema `json:"data_source_schemas"`
		} `json:"provider_schemas"`
	}
	if err := json.Unmarshal(schemaJSON, &doc); err != nil {
		return nil, fmt.Errorf("data/schema.json: %w", err)
	}
	provider, ok := doc.Schemas[Address]
	if !ok {
		return nil, fmt.Errorf("data/schema.json has no provider %s", Address)
	}
	s := &schemas{}
	var err error
	if s.provider, err = newObjectType("provider", provider.Provider); err != nil {
		return nil, err
	}
	if s.resources, err = newObjectTypes(provider.Resources); err != nil {
		return nil, err
	}
	if s.dataSources, err = newObjectTypes(provider.DataSources); err != nil {
		return nil, err
	}
	return s, s.addBehaviour()
}

func newObjectTypes(from map[string]jsonSchema) (map[string]*objectType, error) {
	out := make(map[string]*objectType, len(from))
	for name, schema := range from {
		o, err := newObjectType(name, schema)
		if err != nil {
			return nil, err
		}
		out[name] = o
	}
	return out, nil
}

func newObjectType(name string, from jsonSchema) (*objectType, error) {
	b, err := newBlock(from.Block)
	if err != nil {
		return nil, fmt.Errorf("data/schema.json: %s: %w", name, err)
	}
	return &objectType{block: b, name: name}, nil
}

func newBlock(from jsonBlock) (*block, error) {
	b := &block{attributes: map[string]*attribute{}, blocks: map[string]*nestedBlock{}, deprecated: from.Deprecated}
	types := map[string]tftypes.Type{}
	for name, a := range from.Attributes {
		typ, err := tftypes.ParseJSONType(a.Type) //nolint:staticcheck // There is no other reader of this notation.
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		types[name] = typ
		b.attributes[name] = &attribute{
			typ: typ, required: a.Required, optional: a.Optional, computed: a.Computed,
			sensitive: a.Sensitive, writeOnly: a.WriteOnly, deprecated: a.Deprecated,
		}
	}
	for name, n := range from.BlockTypes {
		inner, err := newBlock(n.Block)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		b.blocks[name] = &nestedBlock{block: inner, mode: n.NestingMode, minItems: n.MinItems, maxItems: n.MaxItems}
		switch n.NestingMode {
		case nestingSingle:
			types[name] = inner.typ
		case nestingList:
			types[name] = tftypes.List{ElementType: inner.typ}
		case nestingSet:
			types[name] = tftypes.Set{ElementType: inner.typ}
		default:
			return nil, fmt.Errorf("%s: nesting mode %q", name, n.NestingMode)
		}
	}
	b.typ = tftypes.Object{AttributeTypes: types}
	return b, nil
}
