package plan

import (
	"strings"

	"github.com/hashicorp/hcl/v2/ext/tryfunc"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// functions are Terraform's functions by name. Those that depend on nothing but
// their arguments are evaluated; all others give an unknown value, never an
// error, because try() would hide an error behind a value that Terraform would
// not come to.
var functions = func() map[string]function.Function {
	out := map[string]function.Function{
		"abs": stdlib.AbsoluteFunc, "ceil": stdlib.CeilFunc, "floor": stdlib.FloorFunc, "log": stdlib.LogFunc,
		"max": stdlib.MaxFunc, "min": stdlib.MinFunc, "parseint": stdlib.ParseIntFunc, "pow": stdlib.PowFunc, "signum": stdlib.SignumFunc,
		"chomp": stdlib.ChompFunc, "format": stdlib.FormatFunc, "formatlist": stdlib.FormatListFunc, "indent": stdlib.IndentFunc,
		"join": stdlib.JoinFunc, "lower": stdlib.LowerFunc, "regex": stdlib.RegexFunc, "regexall": stdlib.RegexAllFunc,
		"split": stdlib.SplitFunc, "strrev": stdlib.ReverseFunc,
		"substr": stdlib.SubstrFunc, "title": stdlib.TitleFunc, "trim": stdlib.TrimFunc, "trimprefix": stdlib.TrimPrefixFunc,
		"trimsuffix": stdlib.TrimSuffixFunc, "trimspace": stdlib.TrimSpaceFunc, "upper": stdlib.UpperFunc,
		"chunklist": stdlib.ChunklistFunc, "coalescelist": stdlib.CoalesceListFunc, "compact": stdlib.CompactFunc, "concat": stdlib.ConcatFunc,
		"contains": stdlib.ContainsFunc, "distinct": stdlib.DistinctFunc, "element": stdlib.ElementFunc, "flatten": stdlib.FlattenFunc,
		"keys": stdlib.KeysFunc, "merge": stdlib.MergeFunc, "range": stdlib.RangeFunc, "reverse": stdlib.ReverseListFunc,
		"setintersection": stdlib.SetIntersectionFunc, "setproduct": stdlib.SetProductFunc, "setsubtract": stdlib.SetSubtractFunc,
		"setunion": stdlib.SetUnionFunc, "slice": stdlib.SliceFunc, "sort": stdlib.SortFunc, "values": stdlib.ValuesFunc, "zipmap": stdlib.ZipmapFunc,
		"jsonencode": stdlib.JSONEncodeFunc, "jsondecode": stdlib.JSONDecodeFunc, "csvdecode": stdlib.CSVDecodeFunc,
		"try": tryfunc.TryFunc, "can": tryfunc.CanFunc,
		"tostring": conversion(cty.String), "tonumber": conversion(cty.Number), "tobool": conversion(cty.Bool),
		"tolist": conversion(cty.List(cty.DynamicPseudoType)), "toset": conversion(cty.Set(cty.DynamicPseudoType)), "tomap": conversion(cty.Map(cty.DynamicPseudoType)),
		"length": lengthFunc, "coalesce": coalesceFunc, "lookup": lookupFunc, "one": oneFunc, "sum": sumFunc, "replace": replaceFunc,
		"alltrue": allTrue(true), "anytrue": allTrue(false),
		"startswith": affix(strings.HasPrefix), "endswith": affix(strings.HasSuffix), "strcontains": affix(strings.Contains),
		"sensitive": markFunc, "ephemeralasnull": unknownFunc,
	}
	for name := range strings.FieldsSeq(notEvaluated) {
		out[name] = unknownFunc
	}
	prefixed := make(map[string]function.Function, 2*len(out))
	for name, f := range out {
		prefixed[name] = f
		prefixed["core::"+name] = f
	}
	return prefixed
}()

// notEvaluated are functions of Terraform and OpenTofu that read files, the
// clock or chance, or that no setting of a volume depends on. nonsensitive is
// among them: what was marked once is not shown.
const notEvaluated = `abspath base64decode base64encode base64gunzip base64gzip base64sha256 base64sha512 basename bcrypt cidrcontains
	cidrhost cidrnetmask cidrsubnet cidrsubnets convert dirname file filebase64 filebase64sha256 filebase64sha512 fileexists filemd5 fileset
	filesha1 filesha256 filesha512 formatdate index issensitive list map matchkeys md5 nonsensitive pathexpand plantimestamp rsadecrypt
	sha1 sha256 sha512 templatefile templatestring textdecodebase64 textencodebase64 timeadd timecmp timestamp transpose type urldecode
	urlencode uuid uuidv5 yamldecode yamlencode`

// unknownFunc takes anything and says nothing.
var unknownFunc = function.New(&function.Spec{
	VarParam: &function.Parameter{
		Name: "values", Type: cty.DynamicPseudoType,
		AllowNull: true, AllowUnknown: true, AllowDynamicType: true,
	},
	Type: function.StaticReturnType(cty.DynamicPseudoType),
	Impl: func([]cty.Value, cty.Type) (cty.Value, error) { return cty.DynamicVal, nil },
})

// markFunc is sensitive().
var markFunc = function.New(&function.Spec{
	Params: []function.Parameter{{Name: "value", Type: cty.DynamicPseudoType, AllowNull: true, AllowUnknown: true, AllowDynamicType: true, AllowMarked: true}},
	Type:   func(args []cty.Value) (cty.Type, error) { return args[0].Type(), nil },
	Impl:   func(args []cty.Value, _ cty.Type) (cty.Value, error) { return args[0].Mark(sensitive), nil },
})

// conversion is one of the to… functions.
func conversion(to cty.Type) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "v", Type: cty.DynamicPseudoType, AllowNull: true, AllowUnknown: true, AllowDynamicType: true}},
		Type: func(args []cty.Value) (cty.Type, error) {
			if args[0].Type() == cty.DynamicPseudoType {
				return cty.DynamicPseudoType, nil
			}
			v, err := convert.Convert(args[0], to)
			if err != nil {
				return cty.NilType, function.NewArgError(0, err)
			}
			return v.Type(), nil
		},
		Impl: func(args []cty.Value, typ cty.Type) (cty.Value, error) {
			if typ == cty.DynamicPseudoType {
				return cty.DynamicVal, nil
			}
			return convert.Convert(args[0], typ)
		},
	})
}

// dynamic is a function of values of any type whose result depends on them.
func dynamic(impl func(args []cty.Value) (cty.Value, error)) function.Function {
	return function.New(&function.Spec{
		VarParam: &function.Parameter{Name: "values", Type: cty.DynamicPseudoType, AllowNull: true, AllowUnknown: true, AllowDynamicType: true},
		Type: func(args []cty.Value) (cty.Type, error) {
			v, err := impl(args)
			if err != nil {
				return cty.NilType, err
			}
			return v.Type(), nil
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) { return impl(args) },
	})
}

// lengthFunc is length(), of texts, too.
var lengthFunc = dynamic(func(args []cty.Value) (cty.Value, error) {
	if err := one(args); err != nil {
		return cty.NilVal, err
	}
	v := args[0]
	switch {
	case !v.IsKnown():
		return cty.UnknownVal(cty.Number), nil
	case v.IsNull():
		return cty.NilVal, function.NewArgErrorf(0, "must not be null")
	case v.Type() == cty.String:
		return stdlib.Strlen(v)
	case v.CanIterateElements():
		return v.Length(), nil
	}
	return cty.NilVal, function.NewArgErrorf(0, "has no length")
})

// coalesceFunc is coalesce(): the first that is neither null nor empty.
var coalesceFunc = dynamic(func(args []cty.Value) (cty.Value, error) {
	types := make([]cty.Type, len(args))
	for i, a := range args {
		types[i] = a.Type()
	}
	to, _ := convert.UnifyUnsafe(types)
	if to == cty.NilType {
		return cty.NilVal, function.NewArgErrorf(0, "all arguments must have the same type")
	}
	for _, a := range args {
		v, err := convert.Convert(a, to)
		if err != nil {
			return cty.NilVal, err
		}
		if !v.IsKnown() {
			return cty.UnknownVal(to), nil
		}
		if v.IsNull() || v.Type() == cty.String && v.AsString() == "" {
			continue
		}
		return v, nil
	}
	return cty.NilVal, function.NewArgErrorf(0, "no argument is set")
})

// lookupFunc is lookup(), with and without a default.
var lookupFunc = dynamic(func(args []cty.Value) (cty.Value, error) {
	if len(args) != 2 && len(args) != 3 {
		return cty.NilVal, function.NewArgErrorf(0, "takes two or three arguments")
	}
	m, key := args[0], args[1]
	if !m.IsKnown() || !key.IsKnown() || key.Type() != cty.String && key.Type() != cty.Number {
		return cty.DynamicVal, nil
	}
	if m.IsNull() || key.IsNull() {
		return cty.NilVal, function.NewArgErrorf(0, "must not be null")
	}
	name, err := convert.Convert(key, cty.String)
	if err != nil {
		return cty.NilVal, err
	}
	switch t := m.Type(); {
	case t.IsObjectType() && t.HasAttribute(name.AsString()):
		return m.GetAttr(name.AsString()), nil
	case t.IsMapType() && m.HasIndex(name).True():
		return m.Index(name), nil
	case !t.IsObjectType() && !t.IsMapType():
		return cty.NilVal, function.NewArgErrorf(0, "must be a map")
	}
	if len(args) == 3 {
		return args[2], nil
	}
	return cty.NilVal, function.NewArgErrorf(1, "is not in the map")
})

// oneFunc is one(): the only element, or null.
var oneFunc = dynamic(func(args []cty.Value) (cty.Value, error) {
	if err := one(args); err != nil {
		return cty.NilVal, err
	}
	v := args[0]
	switch {
	case !v.IsKnown():
		return cty.DynamicVal, nil
	case v.IsNull() || !v.CanIterateElements() || !v.Type().IsListType() && !v.Type().IsSetType() && !v.Type().IsTupleType():
		return cty.NilVal, function.NewArgErrorf(0, "must be a list or a set")
	case !v.IsWhollyKnown() && v.Type().IsSetType():
		return cty.DynamicVal, nil
	case v.LengthInt() == 0:
		return cty.NullVal(cty.DynamicPseudoType), nil
	case v.LengthInt() > 1:
		return cty.NilVal, function.NewArgErrorf(0, "has more than one element")
	}
	it := v.ElementIterator()
	it.Next()
	_, e := it.Element()
	return e, nil
})

// sumFunc is sum().
var sumFunc = dynamic(func(args []cty.Value) (cty.Value, error) {
	if err := one(args); err != nil {
		return cty.NilVal, err
	}
	v := args[0]
	switch {
	case !v.IsWhollyKnown():
		return cty.UnknownVal(cty.Number), nil
	case v.IsNull() || !v.CanIterateElements() || v.LengthInt() == 0:
		return cty.NilVal, function.NewArgErrorf(0, "must be a list of numbers")
	}
	total := cty.Zero
	for it := v.ElementIterator(); it.Next(); {
		_, e := it.Element()
		n, err := convert.Convert(e, cty.Number)
		if err != nil || n.IsNull() {
			return cty.NilVal, function.NewArgErrorf(0, "must be a list of numbers")
		}
		total = total.Add(n)
	}
	return total, nil
})

// replaceFunc is replace(), whose pattern is a regular expression between slashes.
var replaceFunc = function.New(&function.Spec{
	Params: []function.Parameter{{Name: "s", Type: cty.String}, {Name: "from", Type: cty.String}, {Name: "to", Type: cty.String}},
	Type:   function.StaticReturnType(cty.String),
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		from := args[1].AsString()
		if len(from) > 1 && strings.HasPrefix(from, "/") && strings.HasSuffix(from, "/") {
			return stdlib.RegexReplace(args[0], cty.StringVal(from[1:len(from)-1]), args[2])
		}
		return stdlib.Replace(args[0], args[1], args[2])
	},
})

// allTrue is alltrue() and anytrue().
func allTrue(all bool) function.Function {
	return dynamic(func(args []cty.Value) (cty.Value, error) {
		if err := one(args); err != nil {
			return cty.NilVal, err
		}
		v := args[0]
		if !v.IsKnown() {
			return cty.UnknownVal(cty.Bool), nil
		}
		if v.IsNull() || !v.CanIterateElements() {
			return cty.NilVal, function.NewArgErrorf(0, "must be a list of booleans")
		}
		unknown := false
		for it := v.ElementIterator(); it.Next(); {
			_, e := it.Element()
			b, err := convert.Convert(e, cty.Bool)
			if err != nil {
				return cty.NilVal, err
			}
			switch {
			case !b.IsKnown():
				unknown = true
			case b.IsNull():
				if all {
					return cty.False, nil
				}
			case b.True() != all:
				return cty.BoolVal(!all), nil
			}
		}
		if unknown {
			return cty.UnknownVal(cty.Bool), nil
		}
		return cty.BoolVal(all), nil
	})
}

// affix is one of the functions that look for a text in another.
func affix(found func(s, part string) bool) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "string", Type: cty.String}, {Name: "part", Type: cty.String}},
		Type:   function.StaticReturnType(cty.Bool),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			return cty.BoolVal(found(args[0].AsString(), args[1].AsString())), nil
		},
	})
}

// one makes sure that there is one argument.
func one(args []cty.Value) error {
	if len(args) != 1 {
		return function.NewArgErrorf(0, "takes one argument")
	}
	return nil
}
