package provider

import (
	"context"
	"maps"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/rulebook"
)

// Summaries of diagnostics that do not come from a rule. No value stands in a
// summary: Terraform merges warnings whose summaries are the same.
const (
	summaryInvalid       = "Invalid value"
	summaryIgnore        = "Invalid entry in ignore_rules"
	summaryImpossible    = "Impossible volume"
	summaryUnknownType   = "Instance type is not in the catalogue"
	summaryNotConfigured = "Provider configuration is not known yet"
)

// objectOptions refuse nothing: null and unknown members have types of their own.
var objectOptions = basetypes.ObjectAsOptions{}

// invalid says what is wrong with the shape of a value. The text has no full
// stop: it is shared with function errors, to which Terraform adds one.
func invalid(at path.Path, text string) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(at, summaryInvalid, sentence(at, text)+".")
}

// sentence begins a text with a capital letter, unless it begins with the name
// of an attribute, which stays as it is written.
func sentence(at path.Path, text string) string {
	word, _, _ := strings.Cut(text, " ")
	for _, step := range at.Steps() {
		if name, ok := step.(path.PathStepAttributeName); ok && word == string(name) {
			return text
		}
	}
	if text == "" || strings.ContainsAny(word, "_.[") {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// findingDiagnostic shows a finding: why it is one, what to write, and the rule
// to look up or to ignore.
func findingDiagnostic(f finding.Finding, severity finding.Severity) diag.Diagnostic {
	rule, _ := rulebook.Registry().Get(f.Rule)
	detail := f.Message
	if f.Fix != "" {
		detail += "\n\n" + f.Fix
	}
	detail += "\n\nRule: " + f.Rule
	at := attributePath(f.Path)
	switch {
	case severity == finding.Error && f.Path == "":
		return diag.NewErrorDiagnostic(rule.Summary, detail)
	case severity == finding.Error:
		return diag.NewAttributeErrorDiagnostic(at, rule.Summary, detail)
	case f.Path == "":
		return diag.NewWarningDiagnostic(rule.Summary, detail)
	}
	return diag.NewAttributeWarningDiagnostic(at, rule.Summary, detail)
}

// findingDiagnostics shows the findings that belong on the screen. Advice does
// not. atMost caps their severity: a configuration that was accepted before
// must never block a destroy.
func findingDiagnostics(fs []finding.Finding, atMost finding.Severity) (diags diag.Diagnostics) {
	for _, f := range fs {
		if f.Severity >= finding.Warning {
			diags.Append(findingDiagnostic(f, min(f.Severity, atMost)))
		}
	}
	return diags
}

// attributePath turns "volume[2].iops" into the path of an attribute.
func attributePath(s string) path.Path {
	p := path.Empty()
	for step := range strings.SplitSeq(s, ".") {
		name, index, isList := strings.Cut(strings.TrimSuffix(step, "]"), "[")
		p = p.AtName(name)
		if i, err := strconv.Atoi(index); isList && err == nil {
			p = p.AtListIndex(i)
		}
	}
	return p
}

// ignoresFrom reads a map of ignored rules and reports ids that do not exist
// and reasons that are missing. It is unknown while any of it is.
func ignoresFrom(_ context.Context, at path.Path, m types.Map) (optional.Value[finding.Ignores], diag.Diagnostics) {
	if m.IsUnknown() {
		return optional.Unknown[finding.Ignores](), nil
	}
	ig := make(finding.Ignores, len(m.Elements()))
	wait := false
	for id, v := range m.Elements() {
		reason, _ := v.(types.String)
		if reason.IsUnknown() {
			wait = true
			continue
		}
		ig[id] = reason.ValueString()
	}
	var diags diag.Diagnostics
	for _, f := range ig.Check(rulebook.Registry()) {
		diags.AddAttributeError(at.AtMapKey(f.ID), summaryIgnore, f.Problem)
	}
	if wait {
		return optional.Unknown[finding.Ignores](), diags
	}
	return optional.Known(ig), diags
}

// merged are the ignored rules of the provider and of an object together.
func merged(a, b optional.Value[finding.Ignores]) optional.Value[finding.Ignores] {
	return optional.Map2(a.Or(nil), b.Or(nil), func(a, b finding.Ignores) finding.Ignores {
		out := make(finding.Ignores, len(a)+len(b))
		for _, m := range []finding.Ignores{a, b} {
			maps.Copy(out, m)
		}
		return out
	})
}

// findingType is the type of a finding in results.
var findingType = types.ObjectType{AttrTypes: map[string]attr.Type{
	"rule":     types.StringType,
	"severity": types.StringType,
	"path":     types.StringType,
	"message":  types.StringType,
	"fix":      types.StringType,
}}

// findingDescriptions describe the members of a finding, wherever it is shown.
var findingDescriptions = map[string]string{
	"rule":     "Id of the rule, for `ignore_rules` and the rule's page.",
	"severity": "`error`, `warning` or `info`.",
	"path":     "Setting to change, such as `root.throughput_mib_per_s`; empty for the object as a whole.",
	"message":  "What is wrong and why.",
	"fix":      "What to write instead, and what it costs or saves.",
}

// findingsValue is a list of findings as a result.
func findingsValue(fs []finding.Finding) types.List {
	elements := make([]attr.Value, len(fs))
	for i, f := range fs {
		elements[i] = types.ObjectValueMust(findingType.AttrTypes, map[string]attr.Value{
			"rule":     types.StringValue(f.Rule),
			"severity": types.StringValue(f.Severity.String()),
			"path":     types.StringValue(f.Path),
			"message":  types.StringValue(f.Message),
			"fix":      types.StringValue(f.Fix),
		})
	}
	return types.ListValueMust(findingType, elements)
}

// configured takes the provider's settings from a data source's request. They
// are absent while Terraform only validates.
func configured(req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) *settings {
	if req.ProviderData == nil {
		return nil
	}
	s, ok := req.ProviderData.(*settings)
	if !ok {
		resp.Diagnostics.AddError("Unexpected provider data", "This is a bug in the provider; please report it.")
	}
	return s
}

// needPrices reports that a data source cannot answer because the provider's
// region or prices are not known yet. Data sources are read at plan all the
// same, so this has to be said instead of waited for.
func (s *settings) needPrices(own types.String) (region string, diags diag.Diagnostics) {
	region, ok := s.regionOr(own).Get()
	if !ok || !s.pricesKnown {
		diags.AddError(summaryNotConfigured,
			"The provider's region or prices depend on something that is created only at apply, but data sources are read at plan. "+
				"Take them from variables or locals, or set region in the data source.")
	}
	return region, diags
}
