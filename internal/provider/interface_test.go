package provider

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/snapshot"
)

var _ = flag.Bool("update", false, "write the snapshot of the schema anew")

// Configurations are written against these names and types, so a line that
// changes breaks somebody's plan.
func TestInterface(t *testing.T) {
	server, err := NewServer("test")()
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil || len(s.Diagnostics) > 0 {
		t.Fatal(err, s.Diagnostics)
	}
	lines := schemaLines(`provider "runnerfit"`, s.Provider)
	for _, name := range slices.Sorted(maps.Keys(s.ResourceSchemas)) {
		lines = append(lines, schemaLines("resource "+name, s.ResourceSchemas[name])...)
	}
	for _, name := range slices.Sorted(maps.Keys(s.DataSourceSchemas)) {
		lines = append(lines, schemaLines("data "+name, s.DataSourceSchemas[name])...)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Functions)) {
		lines = append(lines, functionLines(name, s.Functions[name])...)
	}
	snapshot.Check(t, "testdata/interface.txt", lines)
}

func schemaLines(at string, s *tfprotov6.Schema) []string {
	return append([]string{fmt.Sprintf("%s: schema version %d", at, s.Version)}, blockLines(at, s.Block)...)
}

func blockLines(at string, b *tfprotov6.SchemaBlock) []string {
	lines := attributeLines(at, b.Attributes)
	for _, n := range sortedBy(b.BlockTypes, func(n *tfprotov6.SchemaNestedBlock) string { return n.TypeName }) {
		line := fmt.Sprintf("%s.%s: block, %s", at, n.TypeName, strings.ToLower(n.Nesting.String()))
		if n.MinItems > 0 || n.MaxItems > 0 {
			line += fmt.Sprintf(", from %d to %d", n.MinItems, n.MaxItems)
		}
		lines = append(append(lines, line), blockLines(at+"."+n.TypeName, n.Block)...)
	}
	return lines
}

func attributeLines(at string, as []*tfprotov6.SchemaAttribute) []string {
	var lines []string
	for _, a := range sortedBy(as, func(a *tfprotov6.SchemaAttribute) string { return a.Name }) {
		typ := ""
		if a.NestedType != nil {
			typ = "nested attributes, " + strings.ToLower(a.NestedType.Nesting.String())
		} else {
			typ = typeText(a.Type)
		}
		words := []string{fmt.Sprintf("%s.%s: %s", at, a.Name, typ)}
		for _, f := range []struct {
			is   bool
			word string
		}{
			{a.Required, "required"},
			{a.Optional, "optional"},
			{a.Computed, "computed"},
			{a.Sensitive, "sensitive"},
			{a.WriteOnly, "write-only"},
			{a.Deprecated, "deprecated"},
		} {
			if f.is {
				words = append(words, f.word)
			}
		}
		lines = append(lines, strings.Join(words, ", "))
		if a.NestedType != nil {
			lines = append(lines, attributeLines(at+"."+a.Name, a.NestedType.Attributes)...)
		}
	}
	return lines
}

func functionLines(name string, f *tfprotov6.Function) []string {
	at := "function " + name
	var lines []string
	parameter := func(p *tfprotov6.FunctionParameter, dots string) {
		line := fmt.Sprintf("%s(%s%s): %s", at, p.Name, dots, typeText(p.Type))
		if p.AllowNullValue {
			line += ", may be null"
		}
		if p.AllowUnknownValues {
			line += ", may be unknown"
		}
		lines = append(lines, line)
	}
	for _, p := range f.Parameters {
		parameter(p, "")
	}
	if p := f.VariadicParameter; p != nil {
		parameter(p, "…")
	}
	// Members of the result have lines of their own, as attributes have.
	result := f.Return.Type
	prefix := at + " returns"
	if l, ok := result.(tftypes.List); ok {
		result, prefix = l.ElementType, prefix+" a list of"
	}
	object, ok := result.(tftypes.Object)
	if !ok {
		return append(lines, prefix+" "+typeText(result))
	}
	for _, member := range slices.Sorted(maps.Keys(object.AttributeTypes)) {
		lines = append(lines, fmt.Sprintf("%s objects with %s: %s", prefix, member, typeText(object.AttributeTypes[member])))
	}
	return lines
}

// typeText writes a type as a configuration does.
func typeText(t tftypes.Type) string {
	switch t := t.(type) {
	case tftypes.List:
		return "list(" + typeText(t.ElementType) + ")"
	case tftypes.Set:
		return "set(" + typeText(t.ElementType) + ")"
	case tftypes.Map:
		return "map(" + typeText(t.ElementType) + ")"
	case tftypes.Object:
		var members []string
		for _, name := range slices.Sorted(maps.Keys(t.AttributeTypes)) {
			members = append(members, name+" = "+typeText(t.AttributeTypes[name]))
		}
		return "object({ " + strings.Join(members, ", ") + " })"
	}
	switch {
	case t.Is(tftypes.DynamicPseudoType):
		return "any"
	case t.Is(tftypes.Bool):
		return "bool"
	case t.Is(tftypes.Number):
		return "number"
	case t.Is(tftypes.String):
		return "string"
	}
	return t.String()
}

func sortedBy[T any](s []T, key func(T) string) []T {
	return slices.SortedFunc(slices.Values(s), func(a, b T) int { return strings.Compare(key(a), key(b)) })
}
