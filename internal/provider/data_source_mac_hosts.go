package provider

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/awslive"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/machosts"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

var (
	_ datasource.DataSource                   = (*macHostsDataSource)(nil)
	_ datasource.DataSourceWithConfigure      = (*macHostsDataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*macHostsDataSource)(nil)
)

// NewMacHostsDataSource is runnerfit_mac_hosts.
func NewMacHostsDataSource() datasource.DataSource { return &macHostsDataSource{} }

type macHostsDataSource struct{ settings *settings }

type macHostsModel struct {
	HostIDs       types.List   `tfsdk:"host_ids"`
	InstanceTypes types.List   `tfsdk:"instance_types"`
	States        types.List   `tfsdk:"states"`
	Tags          types.Map    `tfsdk:"tags"`
	Region        types.String `tfsdk:"region"`

	Hosts           []macHostModel `tfsdk:"hosts"`
	HostCount       types.Int64    `tfsdk:"host_count"`
	IdleCount       types.Int64    `tfsdk:"idle_count"`
	ScrubbingCount  types.Int64    `tfsdk:"scrubbing_count"`
	ReleasableCount types.Int64    `tfsdk:"releasable_count"`
	HourlyCost      types.Float64  `tfsdk:"hourly_cost_usd"`
	CostToDate      types.Float64  `tfsdk:"cost_to_date_usd"`
	AsOf            types.String   `tfsdk:"as_of"`
}

type macHostModel struct {
	HostID            types.String  `tfsdk:"host_id"`
	InstanceType      types.String  `tfsdk:"instance_type"`
	AvailabilityZone  types.String  `tfsdk:"availability_zone"`
	State             types.String  `tfsdk:"state"`
	Scrubbing         types.Bool    `tfsdk:"scrubbing"`
	AllocationTime    types.String  `tfsdk:"allocation_time"`
	AgeHours          types.Float64 `tfsdk:"age_hours"`
	ReleasableAt      types.String  `tfsdk:"releasable_at"`
	Releasable        types.Bool    `tfsdk:"releasable"`
	InstanceID        types.String  `tfsdk:"instance_id"`
	HoursIdle         types.Float64 `tfsdk:"hours_idle"`
	HoursIdleIsAtMost types.Bool    `tfsdk:"hours_idle_is_at_most"`
	HourlyPrice       types.Float64 `tfsdk:"hourly_price_usd"`
	CostToDate        types.Float64 `tfsdk:"cost_to_date_usd"`
	MinimumCost       types.Float64 `tfsdk:"minimum_cost_usd"`
	Tags              types.Map     `tfsdk:"tags"`
}

func (d *macHostsDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_mac_hosts"
}

func (d *macHostsDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	text := func(d string) schema.StringAttribute {
		return schema.StringAttribute{MarkdownDescription: d, Computed: true}
	}
	number := func(d string) schema.Float64Attribute {
		return schema.Float64Attribute{MarkdownDescription: d, Computed: true}
	}
	whole := func(d string) schema.Int64Attribute {
		return schema.Int64Attribute{MarkdownDescription: d, Computed: true}
	}
	yes := func(d string) schema.BoolAttribute {
		return schema.BoolAttribute{MarkdownDescription: d, Computed: true}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "The account's dedicated EC2 Mac hosts, with what a list of them does not say: from when each may be released, how long it has been idle, and what it has cost until now. Needs AWS credentials and the permissions `ec2:DescribeHosts` and `ec2:DescribeInstances`.",
		Attributes: map[string]schema.Attribute{
			"host_ids":       textsAttribute("Only these hosts, `h-…`."),
			"instance_types": textsAttribute("Only hosts of these Mac types. Default: all of them."),
			"states":         textsAttribute("Only hosts in these states: `available`, `pending`, `under-assessment`, `permanent-failure`, `released` or `released-permanent-failure`. Default: all that are still allocated."),
			"tags":           schema.MapAttribute{MarkdownDescription: "Only hosts with all of these tags.", ElementType: types.StringType, Optional: true},
			"region":         schema.StringAttribute{MarkdownDescription: "Region of the hosts, and of the prices. Default: that of the `aws` block, see there.", Optional: true},

			"hosts": schema.ListNestedAttribute{
				MarkdownDescription: "The hosts, sorted by id.", Computed: true,
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"host_id":               text("Id of the host."),
					"instance_type":         text("Mac type that runs on it."),
					"availability_zone":     text("Availability zone."),
					"state":                 text("State in EC2's words."),
					"scrubbing":             yes("Whether it is being cleaned after its last instance, which takes up to hours. EC2 calls this state `pending`."),
					"allocation_time":       text("When it was allocated, RFC 3339. Null if EC2 does not say; everything that counts from there is then null, too."),
					"age_hours":             number("Hours since then."),
					"releasable_at":         text("From when AWS lets it be released: 24 hours after its allocation, RFC 3339."),
					"releasable":            yes("Whether it can be released now: the time has come, nothing is on it, and it is not being scrubbed."),
					"instance_id":           text("Instance on it; null if there is none."),
					"hours_idle":            number("Hours without an instance, the scrub included; 0 while there is one."),
					"hours_idle_is_at_most": yes("Whether `hours_idle` is an upper bound, counted from the allocation: EC2 forgets an instance about an hour after its end, so longer idle times cannot be told exactly."),
					"hourly_price_usd":      number("US dollars an hour. Null if the price is not known for the Region."),
					"cost_to_date_usd":      number("US dollars for the hours since its allocation, at list price. AWS says that scrubbing is not metered, so the bill may be less."),
					"minimum_cost_usd":      number("US dollars that it costs at least: for 24 hours, or for its age if that is more."),
					"tags":                  schema.MapAttribute{MarkdownDescription: "Tags of the host.", ElementType: types.StringType, Computed: true},
				}},
			},
			"host_count":       whole("Hosts found that are allocated."),
			"idle_count":       whole("Hosts of them without an instance, those being scrubbed not counted."),
			"scrubbing_count":  whole("Hosts of them that are being scrubbed."),
			"releasable_count": whole("Hosts of them that can be released now."),
			"hourly_cost_usd":  number("US dollars an hour for all of them. Null if the price of one is not known."),
			"cost_to_date_usd": number("US dollars until now for all of them. Null if the price of one is not known."),
			"as_of":            text("When the hosts were looked at, RFC 3339."),
		},
	}
}

// textsAttribute is an optional list of texts that restricts what is found.
func textsAttribute(description string) schema.ListAttribute {
	return schema.ListAttribute{MarkdownDescription: description, ElementType: types.StringType, Optional: true}
}

func (d *macHostsDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.settings = configured(req, resp)
}

func (d *macHostsDataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	var m macHostsModel
	resp.Diagnostics.Append(getModel(ctx, req.Config, &m)...)
	resp.Diagnostics.Append(checkIDs("host_ids", "h", m.HostIDs)...)
	resp.Diagnostics.Append(checkRegion(m.Region)...)
}

// allocatedStates are the states of hosts that still belong to the account.
var allocatedStates = []string{"available", "pending", "permanent-failure", "under-assessment"}

func (d *macHostsDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m macHostsModel
	resp.Diagnostics.Append(getModel(ctx, req.Config, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	session, region, diags := d.settings.liveSession(ctx, m.Region)
	resp.Diagnostics.Append(diags...)
	f := awslive.HostFilter{States: allocatedStates}
	resp.Diagnostics.Append(readTexts(ctx, m.HostIDs, &f.IDs)...)
	resp.Diagnostics.Append(readTexts(ctx, m.InstanceTypes, &f.Types)...)
	resp.Diagnostics.Append(readTexts(ctx, m.States, &f.States)...)
	resp.Diagnostics.Append(readTags(ctx, m.Tags, &f.Tags)...)
	if resp.Diagnostics.HasError() {
		return
	}
	hosts, err := awslive.MacHosts(ctx, session, d.settings.catalog, region, f)
	if err != nil {
		resp.Diagnostics.Append(d.settings.liveError(err))
		return
	}
	now := session.Now()
	reports, totals := machosts.Evaluate(d.settings.catalog, region, now, hosts)
	m.Hosts = []macHostModel{}
	for _, r := range reports {
		h := macHostModel{
			HostID: types.StringValue(r.ID), InstanceType: textOrNull(r.Type), AvailabilityZone: textOrNull(r.AvailabilityZone), State: types.StringValue(r.State),
			Scrubbing: types.BoolValue(r.Scrubbing), AllocationTime: types.StringNull(), AgeHours: twoDecimals(r.AgeHours),
			ReleasableAt: stringOf(optional.Map(r.ReleasableAt, timestamp)), Releasable: types.BoolValue(r.Releasable),
			InstanceID: types.StringNull(), HoursIdle: twoDecimals(r.IdleHours), HoursIdleIsAtMost: types.BoolValue(r.IdleAtMost),
			HourlyPrice: float64Of(optional.Map(r.HourUSD, inexact)), CostToDate: usdOf(r.CostUSD), MinimumCost: usdOf(r.LeastUSD),
			Tags: tagsValue(r.Tags),
		}
		if !r.Allocated.IsZero() {
			h.AllocationTime = types.StringValue(timestamp(r.Allocated))
		}
		if len(r.InstanceIDs) > 0 {
			h.InstanceID = types.StringValue(r.InstanceIDs[0])
		}
		m.Hosts = append(m.Hosts, h)
	}
	m.HostCount, m.IdleCount = types.Int64Value(totals.Hosts), types.Int64Value(totals.Idle)
	m.ScrubbingCount, m.ReleasableCount = types.Int64Value(totals.Scrubbing), types.Int64Value(totals.Releasable)
	m.HourlyCost, m.CostToDate = usdOf(totals.HourUSD), usdOf(totals.CostUSD)
	m.AsOf = types.StringValue(timestamp(now))
	resp.Diagnostics.Append(setState(ctx, &resp.State, &m)...)
}

// timestamp is a time as Terraform's own functions read it.
func timestamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func textOrNull(s string) types.String {
	if s == "" {
		return types.StringNull()
	}
	return types.StringValue(s)
}

// tagsValue are tags as a result.
func tagsValue(tags map[string]string) types.Map {
	elements := make(map[string]attr.Value, len(tags))
	for _, k := range slices.Sorted(maps.Keys(tags)) {
		elements[k] = types.StringValue(tags[k])
	}
	return types.MapValueMust(types.StringType, elements)
}

// readTexts reads a list that restricts; one that was left out changes nothing.
func readTexts(ctx context.Context, v types.List, into *[]string) diag.Diagnostics {
	if v.IsNull() || v.IsUnknown() {
		return nil
	}
	return v.ElementsAs(ctx, into, false)
}

func readTags(ctx context.Context, v types.Map, into *map[string]string) diag.Diagnostics {
	if v.IsNull() || v.IsUnknown() {
		return nil
	}
	return v.ElementsAs(ctx, into, false)
}

// checkIDs checks the shape of a list of ids.
func checkIDs(name, prefix string, v types.List) (diags diag.Diagnostics) {
	for i, e := range v.Elements() {
		s, _ := e.(types.String)
		diags.Append(checkID(path.Root(name).AtListIndex(i), name, prefix, s)...)
	}
	return diags
}
