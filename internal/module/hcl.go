package module

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"
)

// body is what stands in a file or a block.
type body struct{ *hclwrite.Body }

// document is a file of HCL that is being written.
type document struct {
	body

	file *hclwrite.File
}

// newDocument begins a file with a comment that says what is in it; "" for
// none.
func newDocument(comment string) *document {
	f := hclwrite.NewEmptyFile()
	d := &document{body: body{f.Body()}, file: f}
	if comment != "" {
		d.comment(comment)
		d.gap()
	}
	return d
}

// as makes a file of the document, formatted as `terraform fmt` does.
func (d *document) as(name string) File {
	text := strings.TrimRight(string(hclwrite.Format(d.file.Bytes())), "\n") + "\n"
	// An empty block is one line, as people write it.
	text = strings.ReplaceAll(text, " {\n}\n", " {}\n")
	return File{Name: name, Content: []byte(text)}
}

// block adds a block, and an empty line before it unless it is the first thing.
func (b body) block(typ string, labels ...string) body {
	return body{b.AppendNewBlock(typ, labels).Body()}
}

// gap adds an empty line.
func (b body) gap() { b.AppendNewline() }

// comment adds lines that begin with "# ".
func (b body) comment(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		b.AppendUnstructuredTokens(hclwrite.Tokens{{Type: hclsyntax.TokenComment, Bytes: []byte(strings.TrimRight("# "+line, " ") + "\n")}})
	}
}

// text sets an attribute to a string as it is: "${" stands for itself.
func (b body) text(name, value string) { b.value(name, cty.StringVal(value)) }

// number sets an attribute to a number.
func (b body) number(name string, value float64) { b.value(name, cty.NumberFloatVal(value)) }

// flag sets an attribute to true or false.
func (b body) flag(name string, value bool) { b.value(name, cty.BoolVal(value)) }

// value sets an attribute to a value.
func (b body) value(name string, v cty.Value) { b.SetAttributeValue(name, v) }

// set sets an attribute to an expression: a reference, a template in its
// quotes, a call. A comment may follow it in the same line.
func (b body) set(name, expression string) {
	b.SetAttributeRaw(name, expr(expression))
}

// expr are the tokens of an expression. The expressions are this package's own,
// so that a wrong one is a fault in it, which its tests would meet.
func expr(text string) hclwrite.Tokens {
	f, diags := hclwrite.ParseConfig([]byte("x = "+text+"\n"), "expression", hcl.InitialPos)
	if diags.HasErrors() {
		panic(fmt.Sprintf("not an expression: %s: %s", text, diags))
	}
	return f.Body().GetAttribute("x").Expr().BuildTokens(nil)
}

// validation is a rule of a variable.
type validation struct {
	// condition is an expression, message a template without its quotes.
	condition, message string
}

// variable is an input of a module.
type variable struct {
	name, typ, description string
	// value is the default as an expression; "" if the variable is required.
	value       string
	validations []validation
	// nullable says that null means something; else null is refused, or takes the
	// default.
	nullable bool
}

// addTo writes the variable's block.
func (v variable) addTo(b body) {
	inner := b.block("variable", v.name)
	inner.text("description", v.description)
	inner.set("type", v.typ)
	if v.value != "" {
		inner.set("default", v.value)
	}
	if !v.nullable {
		inner.flag("nullable", false)
	}
	for _, r := range v.validations {
		inner.gap()
		rule := inner.block("validation")
		rule.set("condition", r.condition)
		rule.text("error_message", r.message)
	}
}

// variables writes variables.tf.
func variables(comment string, vs []variable) File {
	d := newDocument(comment)
	for i, v := range vs {
		if i > 0 {
			d.gap()
		}
		v.addTo(d.body)
	}
	return d.as("variables.tf")
}

// result is an output of a module.
type result struct {
	name, description string
	// value is an expression.
	value string
}

// outputs writes outputs.tf.
func outputs(rs []result) File {
	d := newDocument("")
	for i, r := range rs {
		if i > 0 {
			d.gap()
		}
		b := d.block("output", r.name)
		b.text("description", r.description)
		b.set("value", r.value)
	}
	return d.as("outputs.tf")
}

// versions writes versions.tf: what the module needs. Kinds without AWS leave
// hashicorp/aws out.
func versions(aws bool) File {
	d := newDocument("")
	t := d.block("terraform")
	// Provider-defined functions, and mocked providers in tests.
	t.text("required_version", ">= 1.8")
	t.gap()
	requiredProviders(t, aws)
	return d.as("versions.tf")
}

// requiredProviders says which providers a module needs.
func requiredProviders(t body, aws bool) {
	p := t.block("required_providers")
	if aws {
		p.set("aws", `{
    source  = "hashicorp/aws"
    version = ">= 6.0"
  }`)
	}
	p.set("runnerfit", `{
    source  = "runnerfit/runnerfit"
    version = ">= 0.1"
  }`)
}
