package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/hostpool"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

var (
	_ datasource.DataSource                   = (*macHostsNeededDataSource)(nil)
	_ datasource.DataSourceWithConfigure      = (*macHostsNeededDataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*macHostsNeededDataSource)(nil)
)

// NewMacHostsNeededDataSource is runnerfit_mac_hosts_needed.
func NewMacHostsNeededDataSource() datasource.DataSource { return &macHostsNeededDataSource{} }

type macHostsNeededDataSource struct{ settings *settings }

type macHostsNeededModel struct {
	InstanceType       types.String `tfsdk:"instance_type"`
	Region             types.String `tfsdk:"region"`
	JobsPerHour        types.Number `tfsdk:"jobs_per_hour"`
	JobMinutes         types.Number `tfsdk:"job_minutes"`
	RecycleMinutes     types.Number `tfsdk:"recycle_minutes"`
	LaunchMinutes      types.Number `tfsdk:"launch_minutes"`
	TargetUtilization  types.Number `tfsdk:"target_utilization"`
	VMsPerHost         types.Number `tfsdk:"vms_per_host"`
	IdleGapHours       types.Number `tfsdk:"idle_gap_hours"`
	UseHours           types.Number `tfsdk:"use_hours"`
	HostHourlyPriceUSD types.Number `tfsdk:"host_hourly_price_usd"`

	Hosts          types.Int64   `tfsdk:"hosts"`
	MonthlyCostUSD types.Float64 `tfsdk:"monthly_cost_usd"`
	KeepCostUSD    types.Float64 `tfsdk:"keep_cost_usd"`
	ReleaseCostUSD types.Float64 `tfsdk:"release_cost_usd"`
	Cheaper        types.String  `tfsdk:"cheaper"`
	Findings       types.List    `tfsdk:"findings"`
}

func (d *macHostsNeededDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_mac_hosts_needed"
}

func (d *macHostsNeededDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	input := func(description string) schema.NumberAttribute {
		return schema.NumberAttribute{MarkdownDescription: description, Optional: true}
	}
	usd := func(description string) schema.Float64Attribute {
		return schema.Float64Attribute{MarkdownDescription: description, Computed: true}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "How many EC2 Mac hosts a load needs, given that a host is scrubbed after every instance, and whether a host should be kept or released between two uses, given that AWS bills 24 hours at least. Ask either or both.",
		Attributes: map[string]schema.Attribute{
			"instance_type":         schema.StringAttribute{MarkdownDescription: "EC2 Mac type of the hosts, such as `mac2-m2pro.metal`.", Required: true},
			"region":                schema.StringAttribute{MarkdownDescription: "AWS Region whose prices are used. Default: the provider's.", Optional: true},
			"jobs_per_hour":         input("Jobs that arrive in an hour, at the busiest time that matters. Together with `job_minutes`."),
			"job_minutes":           input("Minutes that a job takes."),
			"recycle_minutes":       input("Minutes that a host is scrubbed after its instance ended. Default 110; AWS's current page says up to 270 for Apple silicon, 50 for Intel, and users report 50 to 120."),
			"launch_minutes":        input("Minutes from the free host until the next instance takes jobs. Default 0."),
			"target_utilization":    input("Part of the time that hosts should be busy, 0.01 to 1. Default 0.8: at 1 the queue grows without bound whenever jobs come unevenly."),
			"vms_per_host":          input("Jobs that run on a host at a time, each in a nested VM: 1 or 2. Default 1, an instance for each job. With 2 a job gets a fresh VM, and the host is not recycled for it."),
			"idle_gap_hours":        input("Hours without work between two uses, such as a night. Together with `use_hours`."),
			"use_hours":             input("Hours of the use after it."),
			"host_hourly_price_usd": input("US dollars for an hour of a host, in place of the provider's and the embedded list price."),
			"hosts":                 schema.Int64Attribute{MarkdownDescription: "Hosts that carry the load; null without `jobs_per_hour`.", Computed: true},
			"monthly_cost_usd":      usd("US dollars a month (730 hours) for these hosts; null where no price is known."),
			"keep_cost_usd":         usd("US dollars for one host over the gap and the use if it is kept; null without `idle_gap_hours`, or where no price is known."),
			"release_cost_usd":      usd("US dollars for one host if it is released before the gap and allocated anew for the use: 24 hours at least."),
			"cheaper":               schema.StringAttribute{MarkdownDescription: "`keep`, `release`, or `equal`. A released host may not be had again when it is needed; the price of that is not counted.", Computed: true},
			"findings":              dataSourceFindings(),
		},
	}
}

func (d *macHostsNeededDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.settings = configured(req, resp)
}

func (d *macHostsNeededDataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	var m macHostsNeededModel
	resp.Diagnostics.Append(getModel(ctx, req.Config, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	l := m.load()
	resp.Diagnostics.Append(checkRegion(m.Region)...)
	resp.Diagnostics.Append(problems(l.Missing(), l.Problems())...)
}

func (d *macHostsNeededDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m macHostsNeededModel
	resp.Diagnostics.Append(getModel(ctx, req.Config, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	l := m.load()
	region, diags := d.settings.needPrices(m.Region)
	resp.Diagnostics.Append(diags...)
	if fault, ok := hostpool.NotMac(d.settings.catalog, l.InstanceType); ok {
		resp.Diagnostics.Append(invalid(attributePath(fault.Path), fault.Message))
	}
	if resp.Diagnostics.HasError() {
		return
	}
	l.Region = optional.Known(region)
	r := hostpool.HostsNeeded(d.settings.catalog, l)
	m.Hosts = int64Of(r.Hosts)
	m.MonthlyCostUSD = usdOf(r.MonthlyCostUSD)
	m.KeepCostUSD = usdOf(r.KeepCostUSD)
	m.ReleaseCostUSD = usdOf(r.ReleaseCostUSD)
	m.Cheaper = stringOf(r.Cheaper)
	found, shown := d.settings.report(r.Findings)
	resp.Diagnostics.Append(shown...)
	m.Findings = findingsValue(found)
	resp.Diagnostics.Append(setState(ctx, &resp.State, &m)...)
}

// load is the configuration in the terms of the model, without the region.
func (m *macHostsNeededModel) load() hostpool.Load {
	return hostpool.Load{
		InstanceType:       optionalString(m.InstanceType),
		JobsPerHour:        optionalDecimal(m.JobsPerHour),
		JobMinutes:         optionalDecimal(m.JobMinutes),
		RecycleMinutes:     optionalDecimal(m.RecycleMinutes),
		LaunchMinutes:      optionalDecimal(m.LaunchMinutes),
		TargetUtilization:  optionalDecimal(m.TargetUtilization),
		VMsPerHost:         optionalDecimal(m.VMsPerHost),
		IdleGapHours:       optionalDecimal(m.IdleGapHours),
		UseHours:           optionalDecimal(m.UseHours),
		HostHourlyPriceUSD: optionalDecimal(m.HostHourlyPriceUSD),
	}
}
