package prototest

import (
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"
)

// FunctionError is what a function answered instead of a value.
type FunctionError struct {
	// Text is the provider's own, which Terraform wraps.
	Text string
	// Argument at fault, counted from 0; nil if the call as a whole is.
	Argument *int
}

// Error is the text and the argument.
func (e *FunctionError) Error() string {
	if e.Argument == nil {
		return e.Text
	}
	return fmt.Sprintf("argument %d: %s", *e.Argument, e.Text)
}

// Call calls a function with values, which are converted to the types of its
// parameters. The error is a *FunctionError if the provider gave it.
func (p *Provider) Call(name string, args ...cty.Value) (cty.Value, error) {
	p.t.Helper()
	f := p.function(name)
	params := f.Params()
	converted := slices.Clone(args)
	for i, arg := range args {
		want := cty.DynamicPseudoType
		if i < len(params) {
			want = params[i].Type
		} else if v := f.VarParam(); v != nil {
			want = v.Type
		}
		var err error
		if converted[i], err = convert.Convert(arg, want); err != nil {
			return cty.NilVal, fmt.Errorf("argument %d: %w", i, err)
		}
	}
	return f.Call(converted)
}

// Eval evaluates an expression, in which the provider's functions are called as
// in configuration: provider::NAME::function(…). The error is a *FunctionError
// if a function gave it, else it is Terraform's.
func (p *Provider) Eval(expression string) (cty.Value, error) {
	p.t.Helper()
	e, diags := hclsyntax.ParseExpression([]byte(expression), "expression.tf", hcl.InitialPos)
	if diags.HasErrors() {
		p.t.Fatalf("prototest: the syntax of %s: %s", expression, diags)
	}
	v, diags := e.Value(p.evalContext())
	if !diags.HasErrors() {
		return v, nil
	}
	for _, d := range diags {
		if call, ok := hcl.DiagnosticExtra[hclsyntax.FunctionCallDiagExtra](d); ok && call.FunctionCallError() != nil {
			return cty.NilVal, call.FunctionCallError()
		}
	}
	return cty.NilVal, diags
}

// function makes a callable function of the provider's, with the behaviour of
// the tool's core around it.
func (p *Provider) function(name string) function.Function {
	p.t.Helper()
	spec, ok := p.functionSpec[name]
	if !ok {
		unknownType(p, "function", name, p.functionSpec)
	}
	result, err := ctyType(spec.Return.Type)
	p.noError("the return type of "+name, err)
	fs := &function.Spec{Type: function.StaticReturnType(result)}
	for _, param := range spec.Parameters {
		fs.Params = append(fs.Params, p.parameter(name, param))
	}
	if spec.VariadicParameter != nil {
		v := p.parameter(name, spec.VariadicParameter)
		fs.VarParam = &v
	}
	fs.Impl = func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		req := &tfprotov6.CallFunctionRequest{Name: name}
		for i, arg := range args {
			param := fs.VarParam
			allow := spec.VariadicParameter
			if i < len(fs.Params) {
				param, allow = &fs.Params[i], spec.Parameters[i]
			}
			// Unlike cty, the protocol promises this of nested values, too.
			if !allow.AllowUnknownValues && !arg.IsWhollyKnown() {
				return cty.UnknownVal(result), nil
			}
			if arg.IsNull() && p.openTofu {
				req.Arguments = append(req.Arguments, &tfprotov6.DynamicValue{})
				continue
			}
			req.Arguments = append(req.Arguments, p.encode(arg, param.Type))
		}
		resp, err := p.server.CallFunction(p.t.Context(), req)
		if err != nil {
			return cty.NilVal, fmt.Errorf("CallFunction: %w", err)
		}
		if e := resp.Error; e != nil {
			call := &FunctionError{Text: e.Text}
			if e.FunctionArgument != nil {
				i := int(*e.FunctionArgument)
				call.Argument = &i
			}
			return cty.NilVal, call
		}
		return decodeDynamic(resp.Result, result)
	}
	return function.New(fs)
}

func (p *Provider) parameter(name string, param *tfprotov6.FunctionParameter) function.Parameter {
	p.t.Helper()
	t, err := ctyType(param.Type)
	p.noError(fmt.Sprintf("the type of %s of %s", param.Name, name), err)
	return function.Parameter{
		Name:         param.Name,
		Type:         t,
		AllowNull:    param.AllowNullValue,
		AllowUnknown: param.AllowUnknownValues,
		// A literal null has no type. Terraform passes it to a dynamic parameter,
		// OpenTofu takes it for a reason not to call.
		AllowDynamicType: t == cty.DynamicPseudoType && !p.openTofu,
	}
}
