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

	"github.com/runnerfit/terraform-provider-runnerfit/internal/attached"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/awslive"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

var (
	_ datasource.DataSource                   = (*volumesDataSource)(nil)
	_ datasource.DataSourceWithConfigure      = (*volumesDataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*volumesDataSource)(nil)
)

// NewVolumesDataSource is runnerfit_volumes.
func NewVolumesDataSource() datasource.DataSource { return &volumesDataSource{} }

type volumesDataSource struct{ settings *settings }

type volumesModel struct {
	VolumeIDs   types.List   `tfsdk:"volume_ids"`
	InstanceIDs types.List   `tfsdk:"instance_ids"`
	Tags        types.Map    `tfsdk:"tags"`
	Region      types.String `tfsdk:"region"`

	Volumes     []foundVolumeModel    `tfsdk:"volumes"`
	Instances   []volumeInstanceModel `tfsdk:"instances"`
	MonthlyCost types.Float64         `tfsdk:"monthly_cost_usd"`
	AsOf        types.String          `tfsdk:"as_of"`
}

type foundVolumeModel struct {
	VolumeID         types.String  `tfsdk:"volume_id"`
	Type             types.String  `tfsdk:"type"`
	State            types.String  `tfsdk:"state"`
	AvailabilityZone types.String  `tfsdk:"availability_zone"`
	SizeGiB          types.Int64   `tfsdk:"size_gib"`
	IOPS             types.Int64   `tfsdk:"iops"`
	Throughput       types.Int64   `tfsdk:"throughput_mib_per_s"`
	Created          types.String  `tfsdk:"created"`
	FromSnapshot     types.Bool    `tfsdk:"from_snapshot"`
	InstanceID       types.String  `tfsdk:"instance_id"`
	InstanceType     types.String  `tfsdk:"instance_type"`
	Device           types.String  `tfsdk:"device"`
	MonthlyCost      types.Float64 `tfsdk:"monthly_cost_usd"`
	Tags             types.Map     `tfsdk:"tags"`
	Findings         types.List    `tfsdk:"findings"`
}

type volumeInstanceModel struct {
	InstanceID   types.String `tfsdk:"instance_id"`
	InstanceType types.String `tfsdk:"instance_type"`
	VolumeIDs    types.List   `tfsdk:"volume_ids"`
	Findings     types.List   `tfsdk:"findings"`
}

func (d *volumesDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_volumes"
}

func (d *volumesDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	text := func(d string) schema.StringAttribute {
		return schema.StringAttribute{MarkdownDescription: d, Computed: true}
	}
	whole := func(d string) schema.Int64Attribute {
		return schema.Int64Attribute{MarkdownDescription: d, Computed: true}
	}
	number := func(d string) schema.Float64Attribute {
		return schema.Float64Attribute{MarkdownDescription: d, Computed: true}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "The account's EBS volumes, each judged by the same rules as the guards, against the instance that it is attached to. Findings are data here: they stop no plan. Needs AWS credentials and the permissions `ec2:DescribeVolumes` and `ec2:DescribeInstances`.",
		Attributes: map[string]schema.Attribute{
			"volume_ids":   textsAttribute("Only these volumes, `vol-…`."),
			"instance_ids": textsAttribute("Only volumes of these instances, `i-…`."),
			"tags":         schema.MapAttribute{MarkdownDescription: "Only volumes with all of these tags.", ElementType: types.StringType, Optional: true},
			"region":       schema.StringAttribute{MarkdownDescription: "Region of the volumes, and of the prices. Default: that of the `aws` block, see there.", Optional: true},

			"volumes": schema.ListNestedAttribute{
				MarkdownDescription: "The volumes, sorted by id.", Computed: true,
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"volume_id":            text("Id of the volume."),
					"type":                 text("Type, such as `gp3`."),
					"state":                text("State in EC2's words: `in-use`, `available` and others."),
					"availability_zone":    text("Availability zone."),
					"size_gib":             whole("Size in GiB."),
					"iops":                 whole("IOPS as EC2 says them. Null where the type has none."),
					"throughput_mib_per_s": whole("Provisioned throughput in MiB/s. Null where the type has no such setting."),
					"created":              text("When it was created, RFC 3339."),
					"from_snapshot":        schema.BoolAttribute{MarkdownDescription: "Whether it was restored from a snapshot.", Computed: true},
					"instance_id":          text("Instance that it is attached to; null if it is attached to none, which is paid for all the same."),
					"instance_type":        text("Type of that instance."),
					"device":               text("Name of the device there."),
					"monthly_cost_usd":     number("US dollars a month. Null if the price is not known."),
					"tags":                 schema.MapAttribute{MarkdownDescription: "Tags of the volume.", ElementType: types.StringType, Computed: true},
					"findings":             findingsAttribute("What is wrong with the volume by itself and against its instance."),
				}},
			},
			"instances": schema.ListNestedAttribute{
				MarkdownDescription: "The instances that the volumes found are attached to, sorted by id. Their findings are about the volumes found, so a budget is right only where no volume of an instance is left out by a filter.", Computed: true,
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"instance_id":   text("Id of the instance."),
					"instance_type": text("Its type; null if the instance is gone."),
					"volume_ids":    schema.ListAttribute{MarkdownDescription: "The volumes found that are attached to it.", ElementType: types.StringType, Computed: true},
					"findings":      findingsAttribute("What is wrong with the volumes together, on the instance's one budget."),
				}},
			},
			"monthly_cost_usd": number("US dollars a month for all volumes found. Null if the price of one is not known."),
			"as_of":            text("When the volumes were looked at, RFC 3339."),
		},
	}
}

func (d *volumesDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.settings = configured(req, resp)
}

func (d *volumesDataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	var m volumesModel
	resp.Diagnostics.Append(getModel(ctx, req.Config, &m)...)
	resp.Diagnostics.Append(checkIDs("volume_ids", "vol", m.VolumeIDs)...)
	resp.Diagnostics.Append(checkIDs("instance_ids", "i", m.InstanceIDs)...)
	resp.Diagnostics.Append(checkRegion(m.Region)...)
}

func (d *volumesDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m volumesModel
	resp.Diagnostics.Append(getModel(ctx, req.Config, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	session, region, diags := d.settings.liveSession(ctx, m.Region)
	resp.Diagnostics.Append(diags...)
	ignores, known := d.settings.ignores.Get()
	if !known {
		resp.Diagnostics.AddError(summaryNotConfigured, "The provider's ignore_rules depend on something that is created only at apply, but data sources are read at plan. Take them from variables or locals.")
	}
	var f awslive.VolumeFilter
	resp.Diagnostics.Append(readTexts(ctx, m.VolumeIDs, &f.IDs)...)
	resp.Diagnostics.Append(readTexts(ctx, m.InstanceIDs, &f.InstanceIDs)...)
	resp.Diagnostics.Append(readTags(ctx, m.Tags, &f.Tags)...)
	if resp.Diagnostics.HasError() {
		return
	}
	found, volumes, err := awslive.AttachedVolumes(ctx, session, region, f)
	if err != nil {
		resp.Diagnostics.Append(d.settings.liveError(err))
		return
	}
	reports, instances := attached.Evaluate(d.settings.catalog, region, volumes)
	m.Volumes, m.Instances = []foundVolumeModel{}, []volumeInstanceModel{}
	sum, priced := decimal.Zero, true
	for i, r := range reports {
		v := found[i]
		m.Volumes = append(m.Volumes, foundVolumeModel{
			VolumeID: types.StringValue(v.ID), Type: types.StringValue(v.Type), State: types.StringValue(v.State),
			AvailabilityZone: textOrNull(v.AvailabilityZone), SizeGiB: types.Int64Value(v.SizeGiB), IOPS: countOrNull(v.IOPS), Throughput: countOrNull(v.ThroughputMiBPerS),
			Created: types.StringValue(timestamp(v.Created)), FromSnapshot: types.BoolValue(v.FromSnapshot),
			InstanceID: textOrNull(v.InstanceID), InstanceType: textOrNull(r.InstanceType), Device: textOrNull(v.Device),
			MonthlyCost: usdOf(r.MonthlyCostUSD), Tags: tagsValue(v.Tags), Findings: findingsValue(ignores.Filter(r.Findings)),
		})
		usd, ok := r.MonthlyCostUSD.Get()
		sum, priced = sum.Add(usd), priced && ok
	}
	for _, i := range instances {
		ids, diags := types.ListValueFrom(ctx, types.StringType, i.VolumeIDs)
		resp.Diagnostics.Append(diags...)
		m.Instances = append(m.Instances, volumeInstanceModel{
			InstanceID: types.StringValue(i.ID), InstanceType: textOrNull(i.Type), VolumeIDs: ids, Findings: findingsValue(ignores.Filter(i.Findings)),
		})
	}
	m.MonthlyCost = types.Float64Null()
	if priced {
		m.MonthlyCost = types.Float64Value(sum.Round(2).InexactFloat64())
	}
	m.AsOf = types.StringValue(timestamp(session.Now()))
	resp.Diagnostics.Append(setState(ctx, &resp.State, &m)...)
}

// countOrNull is a setting that is 0 where there is none.
func countOrNull(n int64) types.Int64 {
	if n == 0 {
		return types.Int64Null()
	}
	return types.Int64Value(n)
}

func inexact(d decimal.Decimal) float64 { return d.InexactFloat64() }

// twoDecimals is a figure for people.
func twoDecimals(v optional.Value[float64]) types.Float64 {
	return float64Of(optional.Map(v, func(f float64) float64 { return math.Round(f*100) / 100 }))
}

// checkID checks the shape of an id, so that a slip does not become a request,
// and nothing else is repeated in messages.
func checkID(at path.Path, name, prefix string, v types.String) (diags diag.Diagnostics) {
	if id, ok := optionalString(v).Get(); ok && !awslive.IsID(prefix, id) {
		diags.Append(invalid(at, name+" must be an id such as "+prefix+"-0123456789abcdef0"))
	}
	return diags
}

// findingsAttribute is a list of findings that are data and stop nothing.
func findingsAttribute(description string) schema.ListNestedAttribute {
	a := dataSourceFindings()
	a.MarkdownDescription = description
	return a
}
