package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/hostpool"
)

var (
	_ resource.Resource                   = (*macHostPoolResource)(nil)
	_ resource.ResourceWithConfigure      = (*macHostPoolResource)(nil)
	_ resource.ResourceWithValidateConfig = (*macHostPoolResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*macHostPoolResource)(nil)
)

// NewMacHostPoolResource is the guard of a pool of dedicated Mac hosts.
func NewMacHostPoolResource() resource.Resource {
	return &macHostPoolResource{guard[macHostPoolModel]{kind: macHostPoolKind{}}}
}

type macHostPoolResource struct{ guard[macHostPoolModel] }

type macHostPoolModel struct {
	hostPoolInputs
	hostPoolResults
	guardCommon
	Findings types.List `tfsdk:"findings"`
}

func (r *macHostPoolResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_mac_host_pool"
}

func (r *macHostPoolResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Guards a pool of dedicated EC2 Mac hosts: says before an apply what failed launches will cost while hosts cannot be given back, and stops the plan when they use the quota up. It creates nothing.",
		Attributes:          guardAttributes(hostPoolResourceAttributes()),
	}
}

// macHostPoolKind is what this guard adds to all guards.
type macHostPoolKind struct{}

func (macHostPoolKind) common(m *macHostPoolModel) *guardCommon {
	return &m.guardCommon
}

func (macHostPoolKind) shape(_ context.Context, m *macHostPoolModel) diag.Diagnostics {
	return m.shape()
}

func (macHostPoolKind) evaluate(ctx context.Context, s *settings, m *macHostPoolModel) (verdict, diag.Diagnostics) {
	p := m.pool()
	p.Region = s.pricedRegion(m.Region)
	ignores, diags := ignoresOf(ctx, s, m.IgnoreRules)
	if fault, ok := hostpool.NotMac(s.catalog, p.InstanceType); ok {
		diags.Append(invalid(attributePath(fault.Path), fault.Message))
	}
	if diags.HasError() {
		return verdict{}, diags
	}
	r := hostpool.Evaluate(s.catalog, p)
	ig, ignoresKnown := ignores.Get()
	found := ig.Filter(r.Findings)
	m.show(r)
	m.Findings = findingsValue(found)
	if r.FindingsWaitForAnUnknown || !ignoresKnown || m.OnError.IsUnknown() {
		m.Findings = types.ListUnknown(findingType)
	}
	return verdict{findings: found, withhold: !ignoresKnown}, diags
}
