package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/hostpool"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

var (
	_ datasource.DataSource                   = (*macHostPoolDataSource)(nil)
	_ datasource.DataSourceWithConfigure      = (*macHostPoolDataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*macHostPoolDataSource)(nil)
)

// NewMacHostPoolDataSource is runnerfit_mac_host_pool as a data source: the
// guard's numbers with a timeline, which would be too much for a state.
func NewMacHostPoolDataSource() datasource.DataSource { return &macHostPoolDataSource{} }

type macHostPoolDataSource struct{ settings *settings }

type macHostPoolDataModel struct {
	hostPoolInputs
	hostPoolResults
	Findings types.List `tfsdk:"findings"`
	Timeline types.List `tfsdk:"timeline"`
}

var timelineType = types.ObjectType{AttrTypes: map[string]attr.Type{
	"hour":             types.Int64Type,
	"hosts_in_use":     types.Int64Type,
	"hosts_allocated":  types.Int64Type,
	"hosts_free":       types.Int64Type,
	"cost_usd":         types.Float64Type,
	"cost_to_date_usd": types.Float64Type,
}}

func (d *macHostPoolDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_mac_host_pool"
}

func (d *macHostPoolDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	count := func(description string) schema.Int64Attribute {
		return schema.Int64Attribute{MarkdownDescription: description, Computed: true}
	}
	usd := func(description string) schema.Float64Attribute {
		return schema.Float64Attribute{MarkdownDescription: description, Computed: true}
	}
	attributes := hostPoolDataSourceAttributes()
	findings := dataSourceFindings()
	findings.MarkdownDescription = "What the rules found, advice included, worst first. None of it stops a plan or is shown in it; that is what the guard is for."
	attributes["findings"] = findings
	attributes["timeline"] = schema.ListNestedAttribute{
		MarkdownDescription: "The first 72 hours, simulated event by event from the moment at which the desired hosts are allocated and in use: launches, failures, scrubs, releases. A failure loop runs at AWS's shortest launch unless `launch_seconds` is given.",
		Computed:            true,
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"hour":             count("The hour, 1 to 72. Numbers of hosts are those at its end."),
			"hosts_in_use":     count("Hosts that carry an instance, scrub, or did not come back."),
			"hosts_allocated":  count("Hosts that are allocated, and paid for."),
			"hosts_free":       count("Allocated hosts that a launch could take."),
			"cost_usd":         usd("US dollars for the whole pool in this hour; null where no price is known."),
			"cost_to_date_usd": usd("US dollars for the whole pool from the start to the end of this hour."),
		}},
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "What becomes of a pool of dedicated EC2 Mac hosts when launches fail, hour by hour. It takes the inputs of the guard of the same name, and only informs: findings are returned, none stops a plan.",
		Attributes:          attributes,
	}
}

func (d *macHostPoolDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.settings = configured(req, resp)
}

func (d *macHostPoolDataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	var m macHostPoolDataModel
	resp.Diagnostics.Append(getModel(ctx, req.Config, &m)...)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(m.shape()...)
	}
}

func (d *macHostPoolDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m macHostPoolDataModel
	resp.Diagnostics.Append(getModel(ctx, req.Config, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	p := m.pool()
	region, diags := d.settings.needPrices(m.Region)
	resp.Diagnostics.Append(diags...)
	if fault, ok := hostpool.NotMac(d.settings.catalog, p.InstanceType); ok {
		resp.Diagnostics.Append(invalid(attributePath(fault.Path), fault.Message))
	}
	if resp.Diagnostics.HasError() {
		return
	}
	p.Region = optional.Known(region)
	r := hostpool.Evaluate(d.settings.catalog, p)
	// It informs and does not judge, but a slip in the type would make all of it wrong.
	_, shown := d.settings.report(hostpool.UnknownType(d.settings.catalog, p.InstanceType))
	resp.Diagnostics.Append(shown...)
	m.show(r)
	found, _ := d.settings.report(r.Findings)
	m.Findings = findingsValue(found)
	hours, _ := hostpool.Timeline(d.settings.catalog, p).Get()
	m.Timeline = timelineValue(hours)
	resp.Diagnostics.Append(setState(ctx, &resp.State, &m)...)
}

func timelineValue(hours []hostpool.Hour) types.List {
	rows := make([]attr.Value, len(hours))
	for i, h := range hours {
		rows[i] = types.ObjectValueMust(timelineType.AttrTypes, map[string]attr.Value{
			"hour":             types.Int64Value(h.Number),
			"hosts_in_use":     types.Int64Value(h.InUse),
			"hosts_allocated":  types.Int64Value(h.Allocated),
			"hosts_free":       types.Int64Value(h.Free),
			"cost_usd":         usdOf(h.CostUSD),
			"cost_to_date_usd": usdOf(h.CostToDateUSD),
		})
	}
	return types.ListValueMust(timelineType, rows)
}
