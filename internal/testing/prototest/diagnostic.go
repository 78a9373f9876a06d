package prototest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
)

// Severity of a diagnostic. Terraform has these two.
type Severity string

// The severities.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
)

// Diagnostic is one error or warning as a user gets it.
type Diagnostic struct {
	Severity        Severity
	Summary, Detail string
	// Path of the attribute as people write it, "root.iops", "volume[1].iops",
	// `ignore_rules["x"]`; empty for the object as a whole.
	Path string
	// Line is the line of configuration that Terraform points at, without its
	// indentation.
	Line string
	// ByTerraform says that Terraform's core refused the configuration by the
	// schema, before the provider was asked.
	ByTerraform bool
}

// String is the diagnostic on a few lines, for messages of tests.
func (d Diagnostic) String() string {
	s := fmt.Sprintf("%s: %s", d.Severity, d.Summary)
	if d.Path != "" {
		s += " (at " + d.Path + ")"
	}
	if d.Line != "" {
		s += "\n  on: " + d.Line
	}
	if d.Detail != "" {
		s += "\n  " + strings.ReplaceAll(d.Detail, "\n", "\n  ")
	}
	return s
}

// Diagnostics are errors and warnings in the order in which they came.
type Diagnostics []Diagnostic

// Errors are those that are errors.
func (ds Diagnostics) Errors() Diagnostics { return ds.of(SeverityError) }

// Warnings are those that are warnings.
func (ds Diagnostics) Warnings() Diagnostics { return ds.of(SeverityWarning) }

func (ds Diagnostics) of(s Severity) Diagnostics {
	var out Diagnostics
	for _, d := range ds {
		if d.Severity == s {
			out = append(out, d)
		}
	}
	return out
}

func (ds Diagnostics) hasErrors() bool { return len(ds.Errors()) > 0 }

// String is all of them, "none" if there are none.
func (ds Diagnostics) String() string {
	if len(ds) == 0 {
		return "none"
	}
	out := make([]string, 0, len(ds))
	for _, d := range ds {
		out = append(out, d.String())
	}
	return strings.Join(out, "\n")
}

// convertDiagnostics reads the protocol's diagnostics and finds the lines they
// point at, if there is a configuration.
func convertDiagnostics(ds []*tfprotov6.Diagnostic, src *source) Diagnostics {
	var out Diagnostics
	for _, d := range ds {
		c := Diagnostic{Severity: SeverityError, Summary: d.Summary, Detail: d.Detail}
		if d.Severity == tfprotov6.DiagnosticSeverityWarning {
			c.Severity = SeverityWarning
		}
		path := ctyPath(d.Attribute)
		c.Path = renderCtyPath(path)
		if src != nil {
			c.Line = src.locate(path)
		}
		out = append(out, c)
	}
	return out
}

// ctyPath converts a path of the protocol. An element of a set ends it, because
// it cannot be pointed at.
func ctyPath(p *tftypes.AttributePath) cty.Path {
	var out cty.Path
	if p == nil {
		return out
	}
	for _, step := range p.Steps() {
		switch s := step.(type) {
		case tftypes.AttributeName:
			out = append(out, cty.GetAttrStep{Name: string(s)})
		case tftypes.ElementKeyInt:
			out = append(out, cty.IndexStep{Key: cty.NumberIntVal(int64(s))})
		case tftypes.ElementKeyString:
			out = append(out, cty.IndexStep{Key: cty.StringVal(string(s))})
		default:
			return out
		}
	}
	return out
}

func renderCtyPath(p cty.Path) string {
	var b strings.Builder
	for _, step := range p {
		switch s := step.(type) {
		case cty.GetAttrStep:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s.Name)
		case cty.IndexStep:
			switch {
			case s.Key.Type() == cty.String && s.Key.IsKnown() && !s.Key.IsNull():
				b.WriteString("[" + strconv.Quote(s.Key.AsString()) + "]")
			case s.Key.Type() == cty.Number && s.Key.IsKnown() && !s.Key.IsNull():
				b.WriteString("[" + s.Key.AsBigFloat().Text('f', -1) + "]")
			default:
				b.WriteString("[…]")
			}
		}
	}
	return b.String()
}
