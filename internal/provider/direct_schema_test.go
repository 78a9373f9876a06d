package provider

import (
	"reflect"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
)

// frameworksOwn names what a part of a schema has that only the framework's walks
// see to, which directServer leaves out.
func frameworksOwn(part any) []string {
	var out []string
	v := reflect.Indirect(reflect.ValueOf(part))
	for _, name := range []string{"Validators", "PlanModifiers", "Default", "WriteOnly"} {
		if f := v.FieldByName(name); f.IsValid() && !f.IsZero() {
			out = append(out, name)
		}
	}
	return out
}

// A validator, a plan modifier, a default or a write-only member of a guard would
// be passed over: it belongs into ValidateConfig or judge.
func TestGuardsLeaveNothingToTheFramework(t *testing.T) {
	modified := schema.StringAttribute{PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()}}
	if got := frameworksOwn(modified); len(got) != 1 {
		t.Fatalf("a plan modifier is not seen: %v", got)
	}
	var check func(at string, attributes map[string]schema.Attribute, blocks map[string]schema.Block)
	checked := 0
	report := func(at string, part any) {
		checked++
		for _, what := range frameworksOwn(part) {
			t.Errorf("%s has %s", at, what)
		}
	}
	check = func(at string, attributes map[string]schema.Attribute, blocks map[string]schema.Block) {
		for name, a := range attributes {
			report(at+"."+name, a)
		}
		for name, b := range blocks {
			report(at+"."+name, b)
			switch b := b.(type) {
			case schema.SingleNestedBlock:
				check(at+"."+name, b.Attributes, b.Blocks)
			case schema.ListNestedBlock:
				report(at+"."+name+"[]", b.NestedObject)
				check(at+"."+name, b.NestedObject.Attributes, b.NestedObject.Blocks)
			default:
				t.Errorf("%s.%s is a kind of block that complete does not know", at, name)
			}
		}
	}
	ctx := t.Context()
	for _, construct := range newProvider("test").Resources(ctx) {
		r := construct()
		if _, ok := r.(guardResource); !ok {
			continue
		}
		var s resource.SchemaResponse
		r.Schema(ctx, resource.SchemaRequest{}, &s)
		check(reflect.TypeOf(r).String(), s.Schema.Attributes, s.Schema.Blocks)
	}
	if checked < 30 {
		t.Errorf("only %d parts of schemas were looked at", checked)
	}
}
