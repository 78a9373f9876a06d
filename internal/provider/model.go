package provider

import (
	"context"
	"reflect"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Models are structs whose fields are values of the framework, each with the
// name of its member in a tfsdk tag. The framework fills and reads them too, but
// looks at the struct anew each time and compiles a regular expression for each
// struct, which was two fifths of what planning a guard allocated. The functions here
// remember what a struct looks like, and leave to the framework whatever is not
// plain: it knows what to say about it.

// getModel is Config.Get.
func getModel(ctx context.Context, config tfsdk.Config, m any) diag.Diagnostics {
	v, err := config.Schema.Type().ValueFromTerraform(ctx, config.Raw)
	if o, ok := v.(types.Object); err == nil && ok && fill(o, m) {
		return nil
	}
	return config.Get(ctx, m)
}

// setState is State.Set.
func setState(ctx context.Context, state *tfsdk.State, m any) diag.Diagnostics {
	if raw, ok := terraformValue(ctx, state.Schema.Type(), m); ok {
		state.Raw = raw
		return nil
	}
	return state.Set(ctx, m)
}

// setPlan is Plan.Set.
func setPlan(ctx context.Context, plan *tfsdk.Plan, m any) diag.Diagnostics {
	if raw, ok := terraformValue(ctx, plan.Schema.Type(), m); ok {
		plan.Raw = raw
		return nil
	}
	return plan.Set(ctx, m)
}

// modelFrom is Object.As.
func modelFrom(ctx context.Context, o types.Object, m any) diag.Diagnostics {
	if fill(o, m) {
		return nil
	}
	return o.As(ctx, m, objectOptions)
}

// objectFrom is types.ObjectValueFrom.
func objectFrom(ctx context.Context, attributes map[string]attr.Type, m any) (types.Object, diag.Diagnostics) {
	if members, ok := membersOf(m); ok {
		return types.ObjectValue(attributes, members)
	}
	return types.ObjectValueFrom(ctx, attributes, m)
}

func terraformValue(ctx context.Context, typ attr.Type, m any) (tftypes.Value, bool) {
	t, ok1 := typ.(types.ObjectType)
	members, ok2 := membersOf(m)
	if !ok1 || !ok2 {
		return tftypes.Value{}, false
	}
	o, diags := types.ObjectValue(t.AttrTypes, members)
	if diags.HasError() {
		return tftypes.Value{}, false
	}
	raw, err := o.ToTerraformValue(ctx)
	return raw, err == nil
}

// fill sets the fields of the struct that m points to. It is false, and the
// struct may be half filled, unless members and fields are the same.
func fill(o types.Object, m any) bool {
	if o.IsNull() || o.IsUnknown() {
		return false
	}
	to := reflect.ValueOf(m).Elem()
	fields, members := fieldsOf(to.Type()), o.Attributes()
	if len(fields) != len(members) {
		return false
	}
	for _, f := range fields {
		v := reflect.ValueOf(members[f.name])
		field := to.FieldByIndex(f.index)
		if !v.IsValid() || v.Type() != field.Type() {
			return false
		}
		field.Set(v)
	}
	return true
}

// membersOf are the values of the struct that m is or points to.
func membersOf(m any) (map[string]attr.Value, bool) {
	from := reflect.Indirect(reflect.ValueOf(m))
	fields := fieldsOf(from.Type())
	out := make(map[string]attr.Value, len(fields))
	for _, f := range fields {
		v, ok := reflect.TypeAssert[attr.Value](from.FieldByIndex(f.index))
		if !ok {
			return nil, false
		}
		out[f.name] = v
	}
	return out, true
}

// modelField is a field with its place in the struct.
type modelField struct {
	name  string
	index []int
}

var models sync.Map // reflect.Type to []modelField

func fieldsOf(t reflect.Type) []modelField {
	if known, ok := models.Load(t); ok {
		fields, _ := known.([]modelField) // nothing else is stored
		return fields
	}
	var fields []modelField
	for _, f := range reflect.VisibleFields(t) {
		if name, ok := f.Tag.Lookup("tfsdk"); ok && name != "-" {
			fields = append(fields, modelField{name, f.Index})
		}
	}
	models.Store(t, fields)
	return fields
}
