package awsstandin

import (
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
)

// proto is the schema as the protocol transports it. The version is 0 although
// the real one's is not for some types: it is not known.
func (b *block) proto() *tfprotov5.Schema {
	return &tfprotov5.Schema{Block: b.protoBlock()}
}

func (b *block) protoBlock() *tfprotov5.SchemaBlock {
	out := &tfprotov5.SchemaBlock{Deprecated: b.deprecated}
	for _, name := range sortedKeys(b.attributes) {
		a := b.attributes[name]
		out.Attributes = append(out.Attributes, &tfprotov5.SchemaAttribute{
			Name: name, Type: a.typ, Required: a.required, Optional: a.optional, Computed: a.computed,
			Sensitive: a.sensitive, WriteOnly: a.writeOnly, Deprecated: a.deprecated,
		})
	}
	for _, name := range sortedKeys(b.blocks) {
		n := b.blocks[name]
		out.BlockTypes = append(out.BlockTypes, &tfprotov5.SchemaNestedBlock{
			TypeName: name, Nesting: n.mode.proto(), MinItems: n.minItems, MaxItems: n.maxItems, Block: n.protoBlock(),
		})
	}
	return out
}

func (m nesting) proto() tfprotov5.SchemaNestedBlockNestingMode {
	switch m {
	case nestingSingle:
		return tfprotov5.SchemaNestedBlockNestingModeSingle
	case nestingList:
		return tfprotov5.SchemaNestedBlockNestingModeList
	case nestingSet:
		return tfprotov5.SchemaNestedBlockNestingModeSet
	}
	return tfprotov5.SchemaNestedBlockNestingModeInvalid
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
