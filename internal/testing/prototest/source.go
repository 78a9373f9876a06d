package prototest

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/dynblock"
	"github.com/hashicorp/hcl/v2/hcldec"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
	"github.com/zclconf/go-cty/cty/gocty"
)

// source is a block of configuration as somebody wrote it.
type source struct {
	text []byte
	body hcl.Body
}

// parse reads the body of a block. A mistake of the syntax is one of the test.
func (p *Provider) parse(blockType string, labels []string, body string) *source {
	p.t.Helper()
	var b strings.Builder
	b.WriteString(blockType)
	for _, l := range labels {
		fmt.Fprintf(&b, " %q", l)
	}
	fmt.Fprintf(&b, " {\n%s\n}\n", body)
	text := []byte(b.String())
	file, diags := hclsyntax.ParseConfig(text, "config.tf", hcl.InitialPos)
	content, more := file.Body.Content(&hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{{Type: blockType, LabelNames: labels}}})
	if diags = append(diags, more...); diags.HasErrors() {
		p.t.Fatalf("prototest: the syntax of the test's configuration: %s\n%s", diags, text)
	}
	return &source{text: text, body: content.Blocks[0].Body}
}

// decode makes a value of configuration. Its diagnostics are Terraform's own,
// which never reach the provider.
func (p *Provider) decode(src *source, schema *block) (cty.Value, Diagnostics) {
	p.t.Helper()
	ctx := p.evalContext()
	spec := schema.spec()
	v, diags := hcldec.Decode(dynblock.Expand(src.body, ctx), spec, ctx)
	var out Diagnostics
	for _, d := range diags {
		severity := SeverityError
		if d.Severity == hcl.DiagWarning {
			severity = SeverityWarning
		}
		out = append(out, Diagnostic{Severity: severity, Summary: d.Summary, Detail: d.Detail, Line: src.line(d.Subject), ByTerraform: true})
	}
	return v, out
}

// evalContext is what an expression of a configuration may refer to: unknown,
// the provider's functions, and a few of Terraform's own.
func (p *Provider) evalContext() *hcl.EvalContext {
	functions := map[string]function.Function{
		"concat":     stdlib.ConcatFunc,
		"contains":   stdlib.ContainsFunc,
		"jsonencode": stdlib.JSONEncodeFunc,
		"length":     stdlib.LengthFunc,
		"merge":      stdlib.MergeFunc,
	}
	for name := range p.functionSpec {
		functions["provider::"+p.name()+"::"+name] = p.function(name)
	}
	return &hcl.EvalContext{
		Variables: map[string]cty.Value{"unknown": cty.DynamicVal},
		Functions: functions,
	}
}

// line is the text of the line at which a range starts.
func (s *source) line(r *hcl.Range) string {
	if r == nil {
		return ""
	}
	lines := bytes.Split(s.text, []byte("\n"))
	if r.Start.Line > len(lines) {
		return ""
	}
	return string(bytes.TrimSpace(lines[r.Start.Line-1]))
}

// locate is the line that Terraform shows for a diagnostic at a path: that of
// the attribute if it is written in a block, else that of the deepest block on
// the way. It follows internal/tfdiags of Terraform and OpenTofu.
func (s *source) locate(path cty.Path) string {
	body := s.body
	if len(path) == 0 {
		r := body.MissingItemRange()
		return s.line(&r)
	}
	blocks, final := path, path[len(path)-1]
	index, hasIndex := final.(cty.IndexStep)
	if hasIndex && len(path) > 1 {
		blocks, final = path[:len(path)-1], path[len(path)-2]
	}
	if len(blocks) > 1 {
		body = descend(body, blocks)
	}
	r := body.MissingItemRange()
	if step, ok := final.(cty.GetAttrStep); ok {
		content, _, diags := body.PartialContent(&hcl.BodySchema{Attributes: []hcl.AttributeSchema{{Name: step.Name, Required: true}}})
		if a, there := content.Attributes[step.Name]; there && !diags.HasErrors() {
			r = a.Expr.Range()
			if hasIndex {
				r = elementRange(index, a)
			}
		}
	}
	return s.line(&r)
}

// descend follows a path through blocks as far as it leads.
func descend(body hcl.Body, path cty.Path) hcl.Body {
	for i := 0; i < len(path); i++ {
		step, ok := path[i].(cty.GetAttrStep)
		if !ok {
			return body
		}
		content, _, diags := body.PartialContent(&hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{{Type: step.Name}}})
		if diags.HasErrors() {
			return body
		}
		index := 0
		if i+1 < len(path) {
			if next, ok := path[i+1].(cty.IndexStep); ok {
				i++
				if gocty.FromCtyValue(next.Key, &index) != nil {
					return body
				}
			} else if len(content.Blocks) > 1 {
				return body
			}
		}
		switch {
		case len(content.Blocks) == 0:
			continue
		case index >= len(content.Blocks):
			return body
		}
		body = content.Blocks[index].Body
	}
	return body
}

// elementRange is where an element of a list or map is written.
func elementRange(step cty.IndexStep, a *hcl.Attribute) hcl.Range {
	switch step.Key.Type() {
	case cty.Number:
		items, diags := hcl.ExprList(a.Expr)
		var i int
		if err := gocty.FromCtyValue(step.Key, &i); err == nil && !diags.HasErrors() && i < len(items) {
			return items[i].Range()
		}
	case cty.String:
		pairs, diags := hcl.ExprMap(a.Expr)
		if diags.HasErrors() {
			break
		}
		for _, pair := range pairs {
			if key, diags := pair.Key.Value(nil); !diags.HasErrors() && key.RawEquals(step.Key) {
				return pair.Value.StartRange()
			}
		}
		return a.NameRange
	}
	return a.Expr.Range()
}
