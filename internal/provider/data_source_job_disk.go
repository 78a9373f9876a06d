package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/jobdisk"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

var (
	_ datasource.DataSource                   = (*jobDiskDataSource)(nil)
	_ datasource.DataSourceWithConfigure      = (*jobDiskDataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*jobDiskDataSource)(nil)
)

// NewJobDiskDataSource is runnerfit_job_disk.
func NewJobDiskDataSource() datasource.DataSource { return &jobDiskDataSource{} }

type jobDiskDataSource struct{ settings *settings }

type jobDiskModel struct {
	InstanceType      types.String `tfsdk:"instance_type"`
	Volume            types.Object `tfsdk:"volume"`
	PeakIOPS          types.Number `tfsdk:"peak_iops"`
	PeakThroughput    types.Number `tfsdk:"peak_throughput_mib_per_s"`
	WrittenGiB        types.Number `tfsdk:"written_gib"`
	PeakMemoryGiB     types.Number `tfsdk:"peak_memory_gib"`
	Minutes           types.Number `tfsdk:"minutes"`
	OverheadMinutes   types.Number `tfsdk:"overhead_minutes"`
	MeasuredMinutes   types.Map    `tfsdk:"measured_minutes"`
	TmpfsLimitPercent types.Number `tfsdk:"tmpfs_limit_percent"`
	ResidentShare     types.Number `tfsdk:"resident_share"`
	SystemMemoryGiB   types.Number `tfsdk:"system_memory_gib"`
	HourlyPriceUSD    types.Number `tfsdk:"hourly_price_usd"`
	SwapGiB           types.Number `tfsdk:"swap_gib"`
	Region            types.String `tfsdk:"region"`

	Verdict         types.String  `tfsdk:"verdict"`
	BoundBy         types.String  `tfsdk:"bound_by"`
	MemoryNeededGiB types.Float64 `tfsdk:"memory_needed_gib"`
	Options         types.List    `tfsdk:"options"`
	Label           types.String  `tfsdk:"label"`
	Findings        types.List    `tfsdk:"findings"`
}

type jobVolumeModel struct {
	SizeGiB    types.Number `tfsdk:"size_gib"`
	IOPS       types.Number `tfsdk:"iops"`
	Throughput types.Number `tfsdk:"throughput_mib_per_s"`
}

var jobVolumeType = types.ObjectType{AttrTypes: map[string]attr.Type{
	"size_gib":             types.Int64Type,
	"iops":                 types.Int64Type,
	"throughput_mib_per_s": types.Int64Type,
}}

var jobOptionType = types.ObjectType{AttrTypes: map[string]attr.Type{
	"name":             types.StringType,
	"instance_type":    types.StringType,
	"volume":           jobVolumeType,
	"label":            types.StringType,
	"minutes":          types.Float64Type,
	"minutes_assumed":  types.BoolType,
	"cost_per_job_usd": types.Float64Type,
	"why":              types.StringType,
	"fits":             types.BoolType,
}}

func (d *jobDiskDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_job_disk"
}

func (d *jobDiskDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	required := func(description string) schema.NumberAttribute {
		return schema.NumberAttribute{MarkdownDescription: description, Required: true}
	}
	input := func(description string) schema.NumberAttribute {
		return schema.NumberAttribute{MarkdownDescription: description, Optional: true}
	}
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{MarkdownDescription: description, Computed: true}
	}
	whole := func(description string) schema.Int64Attribute {
		return schema.Int64Attribute{MarkdownDescription: description, Computed: true}
	}
	result := func(description string) schema.Float64Attribute {
		return schema.Float64Attribute{MarkdownDescription: description, Computed: true}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Whether a Linux CI job waits for its disk, and the cheapest way out: its files in memory (tmpfs), a type with twice the memory, or a faster volume. The figures are those of a runner's disk chart; the costs are per job.",
		Attributes: map[string]schema.Attribute{
			"instance_type":             schema.StringAttribute{MarkdownDescription: "EC2 type that the job ran on.", Required: true},
			"peak_iops":                 required("Peak of reads and writes together, in I/O operations a second."),
			"peak_throughput_mib_per_s": required("Peak of reads and writes together, in MiB/s."),
			"written_gib":               required("GiB that the job writes to the disk in all: Docker's data, packages, build output."),
			"peak_memory_gib":           required("GiB of memory that the job's processes take at their peak."),
			"minutes":                   required("Minutes that the job took on this volume. Up to 30 it is held against the instance's burst, above against what the instance sustains."),
			"overhead_minutes":          input("Minutes billed on top of each job, for boot and set-up. Default 0."),
			"measured_minutes": schema.MapAttribute{
				MarkdownDescription: "Minutes that the job took with an option, by the option's name: `{ tmpfs = 3.9 }`. Without one, `minutes` is assumed.",
				ElementType:         types.NumberType,
				Optional:            true,
			},
			"tmpfs_limit_percent": input("What the tmpfs may hold, in percent of the memory. Default 150, which takes swap that is compressed in memory (zram); 100 without it, 50 for a plain Linux tmpfs."),
			"resident_share":      input("Share of what is written that takes memory at the peak, 0 to 1. Default 0.5, an assumption that agrees with two published observations, with compressed swap; 1 without it."),
			"system_memory_gib":   input("GiB of memory that the system and the runner take. Default 2."),
			"hourly_price_usd":    input("US dollars for an hour of the instance, such as its spot price, for every option. Default: the catalogue's on-demand price of each option's type. A price for a certain type in the provider's `prices` goes before it where an option changes the type."),
			"swap_gib":            input("GiB of swap on the volume. Without it there is none."),
			"region":              schema.StringAttribute{MarkdownDescription: "AWS Region whose prices are used. Default: the provider's.", Optional: true},

			"verdict":           text("`keep` where no limit is reached, else the cheapest option that fits: `tmpfs`, `tmpfs-more-memory` or `faster-volume`. If none is known to fit, `faster-volume` where it is worth a try, else `keep`."),
			"bound_by":          text("What the job waits for, at 90 % of a limit or more: `volume-iops`, `volume-throughput`, `instance-iops`, `instance-throughput`, or `none`. Of several, the one that is used most."),
			"memory_needed_gib": result("Least memory in GiB with which the job runs on tmpfs: `peak_memory_gib`, `system_memory_gib` and the resident share of `written_gib`, and enough for the limit of the tmpfs."),
			"options": schema.ListNestedAttribute{
				MarkdownDescription: "All four options, the cheapest that fits first, then those of which that is not known, then those that do not fit.",
				Computed:            true,
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"name":          text("`keep`, `tmpfs`, `tmpfs-more-memory` or `faster-volume`."),
					"instance_type": text("Type of the option. For `tmpfs-more-memory` the cheapest of the same generation, architecture and vCPUs with twice the memory, siblings such as m8a and r8a first; null if the catalogue has none."),
					"volume": schema.SingleNestedAttribute{
						MarkdownDescription: "gp3 volume of the option.",
						Computed:            true,
						Attributes: map[string]schema.Attribute{
							"size_gib":             whole("Size in GiB."),
							"iops":                 whole("Provisioned IOPS."),
							"throughput_mib_per_s": whole("Provisioned throughput in MiB/s."),
						},
					},
					"label":            text("Label in RunsOn's syntax; `runs_on_label` writes others. Null without a type."),
					"minutes":          result("Minutes of the job with the option, without the overhead."),
					"minutes_assumed":  schema.BoolAttribute{MarkdownDescription: "Whether nobody measured them, so that they are those of the job as it is.", Computed: true},
					"cost_per_job_usd": result("US dollars for one job: minutes and overhead, times the instance's hour over 60 and the volume's month over 43,800; rounded to a hundredth of a cent. Null if a price is not known."),
					"why":              text("Why the option fits or does not."),
					"fits":             schema.BoolAttribute{MarkdownDescription: "Whether the option works; null where that cannot be told.", Computed: true},
				}},
			},
			"label":    text("Label of the verdict, to paste."),
			"findings": dataSourceFindings(),
		},
		Blocks: map[string]schema.Block{
			"volume": schema.SingleNestedBlock{
				MarkdownDescription: "(required) The gp3 volume that the job ran on.",
				Attributes: map[string]schema.Attribute{
					"size_gib":             input("(required) Size in GiB."),
					"iops":                 input("Provisioned IOPS. Left out: 3,000."),
					"throughput_mib_per_s": input("Provisioned throughput in MiB/s. Left out: 125."),
				},
			},
		},
	}
}

func (d *jobDiskDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.settings = configured(req, resp)
}

func (d *jobDiskDataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	var m jobDiskModel
	resp.Diagnostics.Append(getModel(ctx, req.Config, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	j, diags := m.job(ctx)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(problems(j.Problems())...)
	resp.Diagnostics.Append(checkRegion(m.Region)...)
}

func (d *jobDiskDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m jobDiskModel
	resp.Diagnostics.Append(getModel(ctx, req.Config, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	j, diags := m.job(ctx)
	resp.Diagnostics.Append(diags...)
	j.Region, diags = d.settings.needPrices(m.Region)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	r := jobdisk.Evaluate(d.settings.catalog, j)
	found, diags := d.settings.report(r.Findings)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	m.show(r)
	m.Findings = findingsValue(found)
	resp.Diagnostics.Append(setState(ctx, &resp.State, &m)...)
}

// job is the configuration in the terms of the model.
func (m *jobDiskModel) job(ctx context.Context) (jobdisk.Job, diag.Diagnostics) {
	j := jobdisk.Job{
		InstanceType:          m.InstanceType.ValueString(),
		PeakIOPS:              optionalDecimal(m.PeakIOPS),
		PeakThroughputMiBPerS: optionalDecimal(m.PeakThroughput),
		WrittenGiB:            optionalDecimal(m.WrittenGiB),
		PeakMemoryGiB:         optionalDecimal(m.PeakMemoryGiB),
		Minutes:               optionalDecimal(m.Minutes),
		OverheadMinutes:       optionalDecimal(m.OverheadMinutes),
		TmpfsLimitPercent:     optionalDecimal(m.TmpfsLimitPercent),
		ResidentShare:         optionalDecimal(m.ResidentShare),
		SystemMemoryGiB:       optionalDecimal(m.SystemMemoryGiB),
		HourlyPriceUSD:        optionalDecimal(m.HourlyPriceUSD),
		SwapGiB:               optionalDecimal(m.SwapGiB),
	}
	volume, diags := block(ctx, m.Volume, func(v jobVolumeModel) optional.Value[ebs.Volume] {
		return optional.Known(ebs.Volume{SizeGiB: optionalDecimal(v.SizeGiB), IOPS: optionalDecimal(v.IOPS), ThroughputMiBPerS: optionalDecimal(v.Throughput)})
	})
	j.Volume, _ = volume.Get()
	if volume.IsUnknown() {
		j.Volume.SizeGiB = optional.Unknown[decimal.Decimal]()
	}
	for name, v := range m.MeasuredMinutes.Elements() {
		n, _ := v.(types.Number)
		if minutes, ok := optionalDecimal(n).Get(); ok {
			if j.MeasuredMinutes == nil {
				j.MeasuredMinutes = map[string]decimal.Decimal{}
			}
			j.MeasuredMinutes[name] = minutes
		}
	}
	return j, diags
}

// show sets the results.
func (m *jobDiskModel) show(r jobdisk.Result) {
	// A job costs cents: to the cent, most options would cost the same.
	const jobCostPlaces = 4
	m.Verdict = types.StringValue(r.Verdict)
	m.BoundBy = types.StringValue(r.BoundBy)
	m.MemoryNeededGiB = types.Float64Value(r.MemoryNeededGiB.Round(2).InexactFloat64())
	m.Label = types.StringValue(r.Label)
	options := make([]attr.Value, len(r.Options))
	for i, o := range r.Options {
		fits := types.BoolNull()
		if b, ok := o.Fits.Get(); ok {
			fits = types.BoolValue(b)
		}
		options[i] = types.ObjectValueMust(jobOptionType.AttrTypes, map[string]attr.Value{
			"name":          types.StringValue(o.Name),
			"instance_type": stringOf(o.InstanceType),
			"volume": types.ObjectValueMust(jobVolumeType.AttrTypes, map[string]attr.Value{
				"size_gib":             types.Int64Value(o.SizeGiB),
				"iops":                 types.Int64Value(o.Settings.IOPS),
				"throughput_mib_per_s": types.Int64Value(o.Settings.ThroughputMiBPerS),
			}),
			"label":           stringOf(o.Label),
			"minutes":         types.Float64Value(o.Minutes.InexactFloat64()),
			"minutes_assumed": types.BoolValue(o.MinutesAssumed),
			"cost_per_job_usd": float64Of(optional.Map(o.CostPerJobUSD, func(d decimal.Decimal) float64 {
				return d.Round(jobCostPlaces).InexactFloat64()
			})),
			"why":  types.StringValue(o.Why),
			"fits": fits,
		})
	}
	m.Options = types.ListValueMust(jobOptionType, options)
}
