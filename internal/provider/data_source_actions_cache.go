package provider

import (
	"context"
	"math"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/actionscache"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

var (
	_ datasource.DataSource                   = (*actionsCacheDataSource)(nil)
	_ datasource.DataSourceWithConfigure      = (*actionsCacheDataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*actionsCacheDataSource)(nil)
)

// NewActionsCacheDataSource is runnerfit_actions_cache.
func NewActionsCacheDataSource() datasource.DataSource { return &actionsCacheDataSource{} }

type actionsCacheDataSource struct{ settings *settings }

type actionsCacheModel struct {
	EntryGiB         types.Number `tfsdk:"entry_gib"`
	ParallelRestores types.Number `tfsdk:"parallel_restores"`
	Link             types.Number `tfsdk:"link_mbit_per_s"`
	Server           types.Object `tfsdk:"server"`
	Hosted           types.Number `tfsdk:"hosted_mb_per_s"`
	FixedSeconds     types.Number `tfsdk:"fixed_seconds"`
	DailyUploadGiB   types.Number `tfsdk:"daily_upload_gib"`
	RetentionDays    types.Number `tfsdk:"retention_days"`
	Region           types.String `tfsdk:"region"`

	RestoreSeconds      types.Float64 `tfsdk:"restore_seconds"`
	FirstRestoreSeconds types.Float64 `tfsdk:"first_restore_seconds"`
	BoundBy             types.String  `tfsdk:"bound_by"`
	HostedSeconds       types.Float64 `tfsdk:"hosted_seconds"`
	Speedup             types.Float64 `tfsdk:"speedup"`
	Limits              types.List    `tfsdk:"limits"`
	StorageGiB          types.Float64 `tfsdk:"storage_gib"`
	Findings            types.List    `tfsdk:"findings"`
}

type cacheServerModel struct {
	InstanceType   types.String `tfsdk:"instance_type"`
	Volume         types.Object `tfsdk:"volume"`
	Storage        types.String `tfsdk:"storage"`
	Throughput     types.Number `tfsdk:"throughput_mib_per_s"`
	MemoryMiB      types.Number `tfsdk:"memory_mib"`
	Implementation types.String `tfsdk:"implementation"`
	Database       types.String `tfsdk:"database"`
	Replicas       types.Number `tfsdk:"replicas"`
}

type cacheVolumeModel struct {
	Type       types.String `tfsdk:"type"`
	SizeGiB    types.Number `tfsdk:"size_gib"`
	IOPS       types.Number `tfsdk:"iops"`
	Throughput types.Number `tfsdk:"throughput_mib_per_s"`
}

var cacheLimitType = types.ObjectType{AttrTypes: map[string]attr.Type{
	"name":      types.StringType,
	"mib_per_s": types.Float64Type,
}}

func (d *actionsCacheDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_actions_cache"
}

func (d *actionsCacheDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	input := func(description string) schema.NumberAttribute {
		return schema.NumberAttribute{MarkdownDescription: description, Optional: true}
	}
	word := func(description string) schema.StringAttribute {
		return schema.StringAttribute{MarkdownDescription: description, Optional: true}
	}
	result := func(description string) schema.Float64Attribute {
		return schema.Float64Attribute{MarkdownDescription: description, Computed: true}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "How long restoring an entry of the GitHub Actions cache takes from a cache server beside the runners, what bounds it, and how that compares with GitHub's hosted cache. The server's rates are those that falcondev-oss/github-actions-cache-server publishes of itself.",
		Attributes: map[string]schema.Attribute{
			"entry_gib":         schema.NumberAttribute{MarkdownDescription: "Size of one entry in GiB as it is downloaded, compressed: the step's log prints it.", Required: true},
			"parallel_restores": input("Restores at the same time, which share every limit. Default 1."),
			"link_mbit_per_s":   input("Link between runner and server in Mbit/s. Left out: both are on one host."),
			"hosted_mb_per_s":   input("MB/s that one restore gets from GitHub's hosted cache. Default 20, reported of self-hosted runners; hosted runners reported 231."),
			"fixed_seconds":     input("Seconds of each restore that no rate changes. Default 0."),
			"daily_upload_gib":  input("GiB uploaded a day, for `storage_gib`."),
			"retention_days":    input("Days that the server keeps entries (`CACHE_CLEANUP_OLDER_THAN_DAYS`). Default 90."),
			"region":            word("AWS Region whose prices the fixes name. Default: the provider's."),

			"restore_seconds":       result("Seconds of a restore that is read from the server's disk, each of `parallel_restores`; rounded to 0.01, for they can be less than half a second."),
			"first_restore_seconds": result("Seconds of the first restore after an upload, which still comes from the server's memory; rounded likewise."),
			"bound_by":              schema.StringAttribute{MarkdownDescription: "What bounds `restore_seconds`: `link`, `server`, `instance` (what it sustains to its volumes) or `volume`.", Computed: true},
			"hosted_seconds":        result("Seconds of the same restore from GitHub's hosted cache; rounded to 0.01."),
			"speedup":               result("`hosted_seconds` over `restore_seconds`."),
			"limits": schema.ListNestedAttribute{
				MarkdownDescription: "The limits that are known, lowest first.",
				Computed:            true,
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"name":      schema.StringAttribute{MarkdownDescription: "`link`, `server`, `instance` or `volume`.", Computed: true},
					"mib_per_s": result("The limit in MiB/s."),
				}},
			},
			"storage_gib": result("GiB that the retention takes: `daily_upload_gib` times `retention_days`; null without the first."),
			"findings":    dataSourceFindings(),
		},
		Blocks: map[string]schema.Block{
			"server": schema.SingleNestedBlock{
				MarkdownDescription: "The cache server. Without the block: the Rust server with files, of whose machine nothing is known.",
				Attributes: map[string]schema.Attribute{
					"instance_type":        word("EC2 type that it runs on. It is judged by what the type sustains, not by its bursts: restores come all day."),
					"storage":              word("`filesystem` (default) or `s3`, where neither the instance's disks nor a volume are in the way."),
					"throughput_mib_per_s": input("MiB/s that the server was measured to hand out. Default: what its kind is published with, 2,312 with files and 970 on S3 (Rust), 829 (Node)."),
					"memory_mib":           input("MiB of memory that the server may use. Without it, it is judged for the Node server on S3 only."),
					"implementation":       word("`rust` (default), or `node` for releases up to 9.9."),
					"database":             word("`sqlite` (default), `postgres` or `mysql`: the server's `DB_DRIVER`."),
					"replicas":             input("Replicas of the server. Default 1, and with SQLite no more."),
				},
				Blocks: map[string]schema.Block{
					"volume": schema.SingleNestedBlock{
						MarkdownDescription: "The EBS volume that entries are on. Without the block it is no limit.",
						Attributes: map[string]schema.Attribute{
							"type":                 word("EBS volume type. Default `gp3`."),
							"size_gib":             input("Size in GiB."),
							"iops":                 input("Provisioned IOPS. Left out: the cheapest that carry the throughput."),
							"throughput_mib_per_s": input("Provisioned throughput in MiB/s. Left out: 125."),
						},
					},
				},
			},
		},
	}
}

func (d *actionsCacheDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.settings = configured(req, resp)
}

func (d *actionsCacheDataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	var m actionsCacheModel
	resp.Diagnostics.Append(getModel(ctx, req.Config, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	c, diags := m.cache(ctx)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(problems(c.Problems())...)
	resp.Diagnostics.Append(checkRegion(m.Region)...)
}

func (d *actionsCacheDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m actionsCacheModel
	resp.Diagnostics.Append(getModel(ctx, req.Config, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	c, diags := m.cache(ctx)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	// Only fixes name prices; without them a fix says so.
	if region, ok := d.settings.regionOr(m.Region).Get(); ok && d.settings.pricesKnown {
		c.Region = region
	}
	r := actionscache.Evaluate(d.settings.catalog, c)
	found, diags := d.settings.report(r.Findings)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	m.show(r)
	m.Findings = findingsValue(found)
	resp.Diagnostics.Append(setState(ctx, &resp.State, &m)...)
}

// cache is the configuration in the terms of the rules.
func (m *actionsCacheModel) cache(ctx context.Context) (actionscache.Cache, diag.Diagnostics) {
	c := actionscache.Cache{
		EntryGiB:         optionalDecimal(m.EntryGiB),
		ParallelRestores: optionalDecimal(m.ParallelRestores),
		LinkMbitPerS:     optionalDecimal(m.Link),
		HostedMBPerS:     optionalDecimal(m.Hosted),
		FixedSeconds:     optionalDecimal(m.FixedSeconds),
		DailyUploadGiB:   optionalDecimal(m.DailyUploadGiB),
		RetentionDays:    optionalDecimal(m.RetentionDays),
	}
	var inner diag.Diagnostics
	var diags diag.Diagnostics
	c.Server, diags = block(ctx, m.Server, func(s cacheServerModel) optional.Value[actionscache.Server] {
		var v optional.Value[actionscache.Volume]
		v, inner = block(ctx, s.Volume, cacheVolumeModel.volume)
		return optional.Known(actionscache.Server{
			InstanceType:      optionalString(s.InstanceType),
			Volume:            v,
			Storage:           wordOf[actionscache.Storage](s.Storage),
			ThroughputMiBPerS: optionalDecimal(s.Throughput),
			MemoryMiB:         optionalDecimal(s.MemoryMiB),
			Implementation:    wordOf[actionscache.Implementation](s.Implementation),
			Database:          wordOf[actionscache.Database](s.Database),
			Replicas:          optionalDecimal(s.Replicas),
		})
	})
	diags.Append(inner...)
	return c, diags
}

func (v cacheVolumeModel) volume() optional.Value[actionscache.Volume] {
	return optional.Known(actionscache.Volume{
		Type:              optionalString(v.Type),
		SizeGiB:           optionalDecimal(v.SizeGiB),
		IOPS:              optionalDecimal(v.IOPS),
		ThroughputMiBPerS: optionalDecimal(v.Throughput),
	})
}

// wordOf is a word of a closed list as rules see it.
func wordOf[T ~string](v types.String) optional.Value[T] {
	return optional.Map(optionalString(v), func(s string) T { return T(s) })
}

// show sets the results.
func (m *actionsCacheModel) show(r actionscache.Result) {
	hundredths := func(v optional.Value[float64]) types.Float64 {
		return float64Of(optional.Map(v, func(f float64) float64 { return math.Round(f*100) / 100 }))
	}
	m.RestoreSeconds = hundredths(r.RestoreSeconds)
	m.FirstRestoreSeconds = hundredths(r.FirstRestoreSeconds)
	m.BoundBy = stringOf(optional.Map(r.BoundBy, func(b actionscache.Bound) string { return string(b) }))
	m.HostedSeconds = hundredths(r.HostedSeconds)
	m.Speedup = hundredths(r.Speedup)
	m.StorageGiB = float64Of(optional.Map(r.StorageGiB, decimal.Decimal.InexactFloat64))
	limits, _ := r.Limits.Get()
	values := make([]attr.Value, len(limits))
	for i, l := range limits {
		values[i] = types.ObjectValueMust(cacheLimitType.AttrTypes, map[string]attr.Value{
			"name":      types.StringValue(string(l.Name)),
			"mib_per_s": types.Float64Value(float64(l.Throughput)),
		})
	}
	m.Limits = types.ListValueMust(cacheLimitType, values)
}
