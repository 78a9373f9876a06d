package prototest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
)

// unknownMarker is a type of its own so that Unknown equals nothing else.
type unknownMarker struct{}

// String names the value in messages of tests.
func (unknownMarker) String() string { return "(known after apply)" }

// Unknown is what Go makes of a value that is known after apply.
var Unknown = unknownMarker{}

// Attr reads a value inside another as Go has it: nil for null, Unknown,
// float64, string, bool, []any (lists, sets, tuples) and map[string]any. The
// path is as people write it: "root.iops", "findings[0].rule",
// `by_name["data"].iops`. Below null is nil, below unknown is Unknown; a name
// that the type does not have, or an element that is not there, fails the test.
func Attr(tb testing.TB, v cty.Value, path string) any {
	tb.Helper()
	steps, err := parsePath(path)
	if err != nil {
		tb.Fatalf("prototest: the path %q: %v", path, err)
	}
	for _, step := range steps {
		if v, err = stepInto(v, step); err != nil {
			tb.Fatalf("prototest: %q: %v", path, err)
		}
	}
	return goValue(v)
}

func stepInto(v cty.Value, step any) (cty.Value, error) {
	t := v.Type()
	switch s := step.(type) {
	case string:
		switch {
		case t == cty.DynamicPseudoType:
			return v, nil
		case t.IsObjectType():
			if !t.HasAttribute(s) {
				return v, fmt.Errorf("there is no %q", s)
			}
			if v.IsNull() {
				return cty.NullVal(t.AttributeType(s)), nil
			}
			return v.GetAttr(s), nil
		case t.IsMapType():
			return element(v, cty.StringVal(s))
		}
		return v, fmt.Errorf("%s has no %q", t.FriendlyName(), s)
	case int:
		if !t.IsListType() && !t.IsTupleType() && t != cty.DynamicPseudoType {
			return v, fmt.Errorf("%s has no elements by number", t.FriendlyName())
		}
		return element(v, cty.NumberIntVal(int64(s)))
	}
	return v, fmt.Errorf("%v is no step", step)
}

func element(v, key cty.Value) (cty.Value, error) {
	switch {
	case v.IsNull():
		return cty.NullVal(cty.DynamicPseudoType), nil
	case !v.IsKnown():
		return cty.DynamicVal, nil
	case !v.HasIndex(key).True():
		return v, fmt.Errorf("there is no element %s", renderCtyPath(cty.Path{cty.IndexStep{Key: key}}))
	}
	return v.Index(key), nil
}

// parsePath splits a path into names and numbers.
func parsePath(path string) ([]any, error) {
	var out []any
	for rest := path; rest != ""; {
		switch {
		case strings.HasPrefix(rest, "["):
			inside, after, found := strings.Cut(rest[1:], "]")
			if !found {
				return nil, errors.New("a [ is not closed")
			}
			if n, err := strconv.Atoi(inside); err == nil {
				out = append(out, n)
			} else if s, err := strconv.Unquote(inside); err == nil {
				out = append(out, s)
			} else {
				return nil, fmt.Errorf("%s is neither a number nor a quoted string", inside)
			}
			rest = after
		default:
			rest = strings.TrimPrefix(rest, ".")
			end := strings.IndexAny(rest, ".[")
			if end < 0 {
				end = len(rest)
			}
			if end == 0 {
				return nil, errors.New("a name is empty")
			}
			out = append(out, rest[:end])
			rest = rest[end:]
		}
	}
	return out, nil
}

// PrivateKey reads one key of a private state as terraform-plugin-framework
// stores it; empty if it is not there.
func PrivateKey(tb testing.TB, private []byte, key string) string {
	tb.Helper()
	if len(private) == 0 {
		return ""
	}
	keys := map[string][]byte{}
	if err := json.Unmarshal(private, &keys); err != nil {
		tb.Fatalf("prototest: the private state is not the framework's: %v: %s", err, private)
	}
	return string(keys[key])
}

// goValue is a value as Go has it.
func goValue(v cty.Value) any {
	switch {
	case v == cty.NilVal || v.IsKnown() && v.IsNull():
		return nil
	case !v.IsKnown():
		return Unknown
	}
	switch t := v.Type(); {
	case t == cty.String:
		return v.AsString()
	case t == cty.Bool:
		return v.True()
	case t == cty.Number:
		f, _ := v.AsBigFloat().Float64()
		return f
	case t.IsObjectType(), t.IsMapType():
		out := map[string]any{}
		for it := v.ElementIterator(); it.Next(); {
			k, e := it.Element()
			out[k.AsString()] = goValue(e)
		}
		return out
	default:
		out := []any{}
		for it := v.ElementIterator(); it.Next(); {
			_, e := it.Element()
			out = append(out, goValue(e))
		}
		return out
	}
}
