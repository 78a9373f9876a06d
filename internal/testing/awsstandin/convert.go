package awsstandin

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// toValue turns a plain Go value into a value of a type. Members of an object
// that are left out are null. A value that does not fit is a mistake in the
// stand-in's own tables, which its tests find.
func toValue(t tftypes.Type, v any) tftypes.Value {
	if v == nil {
		return null(t)
	}
	switch typ := t.(type) {
	case tftypes.List:
		return tftypes.NewValue(t, toValues(typ.ElementType, v))
	case tftypes.Set:
		return tftypes.NewValue(t, toValues(typ.ElementType, v))
	case tftypes.Map:
		members := object{}
		for name, e := range toMap(v) {
			members[name] = toValue(typ.ElementType, e)
		}
		return tftypes.NewValue(t, members)
	case tftypes.Object:
		members, given := object{}, toMap(v)
		for name, et := range typ.AttributeTypes {
			members[name] = toValue(et, given[name])
		}
		return tftypes.NewValue(t, members)
	}
	if i, ok := v.(int); ok {
		v = int64(i)
	}
	if err := tftypes.ValidateValue(t, v); err != nil {
		panic(fmt.Sprintf("awsstandin: %v is not a value of type %s", v, t))
	}
	return tftypes.NewValue(t, v)
}

func toValues(t tftypes.Type, v any) []tftypes.Value {
	out := []tftypes.Value{}
	switch list := v.(type) {
	case []any:
		for _, e := range list {
			out = append(out, toValue(t, e))
		}
	case []string:
		for _, e := range list {
			out = append(out, toValue(t, e))
		}
	default:
		panic(fmt.Sprintf("awsstandin: %v is not a list", v))
	}
	return out
}

func toMap(v any) map[string]any {
	switch m := v.(type) {
	case map[string]any:
		return m
	case map[string]string:
		out := map[string]any{}
		for k, s := range m {
			out[k] = s
		}
		return out
	}
	panic(fmt.Sprintf("awsstandin: %v is not a map", v))
}

// empty is the zero value of a type: "", 0, false, empty collections.
func empty(t tftypes.Type) tftypes.Value {
	switch {
	case t.Is(tftypes.String):
		return str("")
	case t.Is(tftypes.Number):
		return tftypes.NewValue(t, int64(0))
	case t.Is(tftypes.Bool):
		return tftypes.NewValue(t, false)
	case t.Is(tftypes.DynamicPseudoType):
		return null(t)
	}
	switch typ := t.(type) {
	case tftypes.Object:
		members := object{}
		for name, et := range typ.AttributeTypes {
			members[name] = empty(et)
		}
		return tftypes.NewValue(t, members)
	case tftypes.Map:
		return tftypes.NewValue(t, object{})
	}
	return tftypes.NewValue(t, []tftypes.Value{})
}

// absent is an object of the block's type as core sends it when the
// configuration has nothing: attributes null, repeated blocks empty.
func (b *block) absent() object {
	out := object{}
	for name, a := range b.attributes {
		out[name] = null(a.typ)
	}
	for name, n := range b.blocks {
		t := b.typ.AttributeTypes[name]
		if n.mode == nestingSingle {
			out[name] = null(t)
		} else {
			out[name] = empty(t)
		}
	}
	return out
}
