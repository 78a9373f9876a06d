package provider

import (
	"context"
	"math"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/awslive"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/shape"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/usage"
)

var (
	_ datasource.DataSource                   = (*volumeUsageDataSource)(nil)
	_ datasource.DataSourceWithConfigure      = (*volumeUsageDataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*volumeUsageDataSource)(nil)
)

// NewVolumeUsageDataSource is runnerfit_volume_usage.
func NewVolumeUsageDataSource() datasource.DataSource { return &volumeUsageDataSource{} }

type volumeUsageDataSource struct{ settings *settings }

type volumeUsageModel struct {
	VolumeID        types.String `tfsdk:"volume_id"`
	Days            types.Number `tfsdk:"days"`
	Percentile      types.Number `tfsdk:"percentile"`
	HeadroomPercent types.Number `tfsdk:"headroom_percent"`
	Region          types.String `tfsdk:"region"`

	VolumeType       types.String      `tfsdk:"volume_type"`
	SizeGiB          types.Int64       `tfsdk:"size_gib"`
	InstanceType     types.String      `tfsdk:"instance_type"`
	ProvisionedIOPS  types.Float64     `tfsdk:"provisioned_iops"`
	ProvisionedMiB   types.Float64     `tfsdk:"provisioned_throughput_mib_per_s"`
	Start            types.String      `tfsdk:"start"`
	Minutes          types.Int64       `tfsdk:"minutes"`
	MinutesWithData  types.Int64       `tfsdk:"minutes_with_data"`
	ReadIOPS         *percentilesModel `tfsdk:"read_iops"`
	WriteIOPS        *percentilesModel `tfsdk:"write_iops"`
	TotalIOPS        *percentilesModel `tfsdk:"total_iops"`
	ReadMiB          *percentilesModel `tfsdk:"read_throughput_mib_per_s"`
	WriteMiB         *percentilesModel `tfsdk:"write_throughput_mib_per_s"`
	TotalMiB         *percentilesModel `tfsdk:"total_throughput_mib_per_s"`
	ThrottledMinutes types.Int64       `tfsdk:"throttled_minutes"`
	ThrottledBy      types.String      `tfsdk:"throttled_by"`
	Recommended      *gp3SettingModel  `tfsdk:"recommended"`
	DemandIsAtLeast  types.Bool        `tfsdk:"demand_is_at_least"`
	MonthlyCost      types.Float64     `tfsdk:"monthly_cost_usd"`
	RecommendedCost  types.Float64     `tfsdk:"recommended_monthly_cost_usd"`
	MonthlySaving    types.Float64     `tfsdk:"monthly_saving_usd"`
	Notes            types.List        `tfsdk:"notes"`
}

type percentilesModel struct {
	P50    types.Float64 `tfsdk:"p50"`
	P95    types.Float64 `tfsdk:"p95"`
	P99    types.Float64 `tfsdk:"p99"`
	Max    types.Float64 `tfsdk:"max"`
	Chosen types.Float64 `tfsdk:"chosen"`
}

type gp3SettingModel struct {
	IOPS types.Int64 `tfsdk:"iops"`
	MiB  types.Int64 `tfsdk:"throughput_mib_per_s"`
}

func (d *volumeUsageDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_volume_usage"
}

func (d *volumeUsageDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	text := func(d string) schema.StringAttribute {
		return schema.StringAttribute{MarkdownDescription: d, Computed: true}
	}
	whole := func(d string) schema.Int64Attribute {
		return schema.Int64Attribute{MarkdownDescription: d, Computed: true}
	}
	number := func(d string) schema.Float64Attribute {
		return schema.Float64Attribute{MarkdownDescription: d, Computed: true}
	}
	percentiles := func(d string) schema.SingleNestedAttribute {
		return schema.SingleNestedAttribute{MarkdownDescription: d + " Null without figures.", Computed: true, Attributes: map[string]schema.Attribute{
			"p50":    number("Half of the minutes are at or below this."),
			"p95":    number("95 % of the minutes are at or below this."),
			"p99":    number("99 % of the minutes are at or below this."),
			"max":    number("The busiest minute."),
			"chosen": number("The same at `percentile`."),
		}}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "What an EBS volume really did: read from CloudWatch at one-minute periods, with the minutes at its limit and the cheapest gp3 setting that would do for the same work. Needs AWS credentials and the permissions `ec2:DescribeVolumes`, `ec2:DescribeInstances` and `cloudwatch:GetMetricData`.",
		Attributes: map[string]schema.Attribute{
			"volume_id":        schema.StringAttribute{MarkdownDescription: "Id of the volume, `vol-…`.", Required: true},
			"days":             schema.NumberAttribute{MarkdownDescription: "Days to look back, 1 to 15: CloudWatch keeps minutes for no longer. Default 14.", Optional: true},
			"percentile":       schema.NumberAttribute{MarkdownDescription: "Percentile of the minutes that the recommendation is for, 50 to 100. Default 99: one minute of a hundred may be slower. 100 is the busiest minute.", Optional: true},
			"headroom_percent": schema.NumberAttribute{MarkdownDescription: "Percent that are added to the percentile. Default 20.", Optional: true},
			"region":           schema.StringAttribute{MarkdownDescription: "Region of the volume, and of the prices. Default: that of the `aws` block, see there.", Optional: true},

			"volume_type":                      text("Type of the volume, such as `gp3`."),
			"size_gib":                         whole("Size in GiB."),
			"instance_type":                    text("Type of the instance that it is attached to, which bounds the recommendation. Null if it is attached to none."),
			"provisioned_iops":                 number("IOPS that the volume can do. Null for hard disk types."),
			"provisioned_throughput_mib_per_s": number("MiB/s that the volume can do."),
			"start":                            text("First minute that was looked at, RFC 3339: later than asked for if the volume is younger."),
			"minutes":                          whole("Minutes that were looked at."),
			"minutes_with_data":                whole("Minutes of them for which CloudWatch has a figure. The others count as idle."),
			"read_iops":                        percentiles("Reads a second, averages of a minute."),
			"write_iops":                       percentiles("Writes a second, averages of a minute."),
			"total_iops":                       percentiles("Reads and writes a second of the same minute together."),
			"read_throughput_mib_per_s":        percentiles("MiB/s read, averages of a minute."),
			"write_throughput_mib_per_s":       percentiles("MiB/s written, averages of a minute."),
			"total_throughput_mib_per_s":       percentiles("MiB/s read and written in the same minute together."),
			"throttled_minutes":                whole("Minutes at 98 % or more of the volume's IOPS or throughput. Null without figures."),
			"throttled_by":                     text("Which limit that was: `iops`, `throughput` or `both`. Null if there were no such minutes."),
			"recommended": schema.SingleNestedAttribute{
				MarkdownDescription: "The cheapest gp3 setting for the percentile with its head-room. Null without figures.", Computed: true,
				Attributes: map[string]schema.Attribute{
					"iops":                 whole("Provisioned IOPS."),
					"throughput_mib_per_s": whole("Provisioned throughput in MiB/s."),
				},
			},
			"demand_is_at_least":           schema.BoolAttribute{MarkdownDescription: "Whether the volume was at its limit at the percentile itself: what it would have done without the limit is not known, so the recommendation may still be too low. Apply it and look again.", Computed: true},
			"monthly_cost_usd":             number("US dollars a month for the volume as it is. Null if the price is not known."),
			"recommended_monthly_cost_usd": number("US dollars a month for the recommended setting. Null if the price is not known."),
			"monthly_saving_usd":           number("The difference; negative if the recommendation costs more."),
			"notes":                        schema.ListAttribute{MarkdownDescription: "What has to be known to read the figures right, such as `throttled: demand is at least this`.", ElementType: types.StringType, Computed: true},
		},
	}
}

func (d *volumeUsageDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.settings = configured(req, resp)
}

func (d *volumeUsageDataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	var m volumeUsageModel
	resp.Diagnostics.Append(getModel(ctx, req.Config, &m)...)
	resp.Diagnostics.Append(checkID(path.Root("volume_id"), "volume_id", "vol", m.VolumeID)...)
	resp.Diagnostics.Append(checkRegion(m.Region)...)
	var ps shape.Problems
	if days, ok := optionalDecimal(m.Days).Get(); ok && (!days.IsInteger() || days.LessThan(decimal.NewFromInt(1)) || days.GreaterThan(decimal.NewFromInt(usage.MaxDays))) {
		ps.Add("days", "days must be a whole number from 1 to %d: CloudWatch keeps minutes for no longer", usage.MaxDays)
	}
	ps.Number("percentile", optionalDecimal(m.Percentile), shape.Range{Min: decimal.NewFromInt(usage.MinPercentile), Max: decimal.NewFromInt(100)})
	ps.Number("headroom_percent", optionalDecimal(m.HeadroomPercent), shape.NotNegative(usage.MaxHeadroomPercent))
	for _, p := range ps {
		resp.Diagnostics.Append(invalid(attributePath(p.Path), p.Message))
	}
}

func (d *volumeUsageDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m volumeUsageModel
	resp.Diagnostics.Append(getModel(ctx, req.Config, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	session, region, diags := d.settings.liveSession(ctx, m.Region)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	days, _ := optionalDecimal(m.Days).Or(decimal.NewFromInt(usage.DefaultDays)).Get()
	percentile, _ := optionalDecimal(m.Percentile).Or(decimal.NewFromInt(usage.DefaultPercentile)).Get()
	headroom, _ := optionalDecimal(m.HeadroomPercent).Or(decimal.NewFromInt(usage.DefaultHeadroomPercent)).Get()
	r, _, err := awslive.VolumeUsage(ctx, session, d.settings.catalog, region, m.VolumeID.ValueString(), int(days.IntPart()),
		usage.Options{Percentile: percentile.InexactFloat64(), HeadroomPercent: headroom.InexactFloat64()})
	if err != nil {
		resp.Diagnostics.Append(d.settings.liveError(err))
		return
	}
	resp.Diagnostics.Append(m.show(ctx, r)...)
	resp.Diagnostics.Append(setState(ctx, &resp.State, &m)...)
}

func (m *volumeUsageModel) show(ctx context.Context, r usage.Report) (diags diag.Diagnostics) {
	m.VolumeType, m.SizeGiB = types.StringValue(r.Volume.Type), types.Int64Value(r.Volume.SizeGiB)
	m.InstanceType = types.StringNull()
	if r.Volume.InstanceType != "" {
		m.InstanceType = types.StringValue(r.Volume.InstanceType)
	}
	m.ProvisionedIOPS, m.ProvisionedMiB = float64Of(r.LimitIOPS), float64Of(r.LimitMiBPerS)
	m.Start = types.StringValue(timestamp(r.Start))
	m.Minutes, m.MinutesWithData = types.Int64Value(int64(r.Minutes)), types.Int64Value(int64(r.MinutesWithData))
	if rates, ok := r.IOPS.Get(); ok {
		m.ReadIOPS, m.WriteIOPS, m.TotalIOPS = percentilesOf(rates.Read), percentilesOf(rates.Write), percentilesOf(rates.Total)
	}
	if rates, ok := r.MiBPerS.Get(); ok {
		m.ReadMiB, m.WriteMiB, m.TotalMiB = percentilesOf(rates.Read), percentilesOf(rates.Write), percentilesOf(rates.Total)
	}
	m.ThrottledMinutes, m.ThrottledBy = int64Of(r.ThrottledMinutes), stringOf(r.ThrottledBy)
	if s, ok := r.Recommended.Get(); ok {
		m.Recommended = &gp3SettingModel{IOPS: types.Int64Value(s.IOPS), MiB: types.Int64Value(s.ThroughputMiBPerS)}
	}
	m.DemandIsAtLeast = types.BoolValue(r.AtLeast)
	m.MonthlyCost, m.RecommendedCost, m.MonthlySaving = usdOf(r.CurrentUSD), usdOf(r.RecommendedUSD), usdOf(r.SavingUSD)
	notes := r.Notes
	if notes == nil {
		notes = []string{}
	}
	m.Notes, diags = types.ListValueFrom(ctx, types.StringType, notes)
	return diags
}

// percentilesOf rounds to two decimals: rates are averages of a minute, and long
// decimals make results hard to read.
func percentilesOf(p usage.Percentiles) *percentilesModel {
	round := func(f float64) types.Float64 { return types.Float64Value(math.Round(f*100) / 100) }
	return &percentilesModel{P50: round(p.P50), P95: round(p.P95), P99: round(p.P99), Max: round(p.Max), Chosen: round(p.Chosen)}
}
