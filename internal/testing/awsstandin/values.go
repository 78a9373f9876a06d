package awsstandin

import (
	"math/big"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// object is the members of an object.
type object = map[string]tftypes.Value

func null(t tftypes.Type) tftypes.Value    { return tftypes.NewValue(t, nil) }
func unknown(t tftypes.Type) tftypes.Value { return tftypes.NewValue(t, tftypes.UnknownValue) }
func str(s string) tftypes.Value           { return tftypes.NewValue(tftypes.String, s) }

func present(v tftypes.Value) bool { return v.IsKnown() && !v.IsNull() }

// fields returns the members of a known object or map, else nil.
func fields(v tftypes.Value) object {
	m := object{}
	if !present(v) || v.As(&m) != nil {
		return nil
	}
	return m
}

// elements returns the members of a known list or set, else nil.
func elements(v tftypes.Value) []tftypes.Value {
	var l []tftypes.Value
	if !present(v) || v.As(&l) != nil {
		return nil
	}
	return l
}

// text returns a known string, else "".
func text(v tftypes.Value) string {
	var s string
	if !present(v) || v.As(&s) != nil {
		return ""
	}
	return s
}

// texts returns the members of a known list or set of strings.
func texts(v tftypes.Value) []string {
	var out []string
	for _, e := range elements(v) {
		out = append(out, text(e))
	}
	return out
}

// textMap returns the members of a known map of strings.
func textMap(v tftypes.Value) map[string]string {
	out := map[string]string{}
	for k, e := range fields(v) {
		out[k] = text(e)
	}
	return out
}

// number returns a known number without its fraction, else 0.
func number(v tftypes.Value) int64 {
	f := new(big.Float)
	if !present(v) || v.As(&f) != nil {
		return 0
	}
	n, _ := f.Int64()
	return n
}

// isTrue says whether a value is known to be true.
func isTrue(v tftypes.Value) bool {
	var b bool
	return present(v) && v.As(&b) == nil && b
}

// pack encodes a value of a block for the protocol.
func (b *block) pack(v tftypes.Value) (*tfprotov5.DynamicValue, error) {
	d, err := tfprotov5.NewDynamicValue(b.typ, v)
	return &d, err
}

// unpack decodes a value of a block; one that is left out is null.
func (b *block) unpack(d *tfprotov5.DynamicValue) (tftypes.Value, error) {
	if d == nil {
		return null(b.typ), nil
	}
	return d.Unmarshal(b.typ)
}
