package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
)

// report leaves out the findings of rules that the provider ignores and shows
// the rest. While it is not known which are ignored, nothing is shown: an error
// could be one of them.
func (s *settings) report(fs []finding.Finding) ([]finding.Finding, diag.Diagnostics) {
	ig, known := s.ignores.Get()
	if !known {
		return fs, nil
	}
	fs = ig.Filter(fs)
	return fs, findingDiagnostics(fs, finding.Error)
}

// dataSourceFindings is the findings attribute of a data source.
func dataSourceFindings() schema.ListNestedAttribute {
	members := make(map[string]schema.Attribute, len(findingDescriptions))
	for name, description := range findingDescriptions {
		members[name] = schema.StringAttribute{MarkdownDescription: description, Computed: true}
	}
	return schema.ListNestedAttribute{
		MarkdownDescription: "What the rules found, advice included, worst first. Errors stop the plan, warnings are shown in it; advice is only here.",
		NestedObject:        schema.NestedAttributeObject{Attributes: members},
		Computed:            true,
	}
}
