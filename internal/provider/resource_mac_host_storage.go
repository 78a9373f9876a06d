package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/mac"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

var (
	_ resource.Resource                   = (*macHostStorageResource)(nil)
	_ resource.ResourceWithConfigure      = (*macHostStorageResource)(nil)
	_ resource.ResourceWithValidateConfig = (*macHostStorageResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*macHostStorageResource)(nil)
)

// NewMacHostStorageResource is the guard of one EC2 Mac host's volumes.
func NewMacHostStorageResource() resource.Resource {
	return &macHostStorageResource{guard[macHostStorageModel]{kind: macHostStorageKind{}}}
}

type macHostStorageResource struct{ guard[macHostStorageModel] }

type macHostStorageModel struct {
	InstanceType       types.String `tfsdk:"instance_type"`
	Region             types.String `tfsdk:"region"`
	GracePeriodSeconds types.Number `tfsdk:"grace_period_seconds"`
	LaunchSeconds      types.Number `tfsdk:"launch_seconds"`
	VMsPerHost         types.Number `tfsdk:"vms_per_host"`
	guardCommon
	Root        types.Object `tfsdk:"root"`
	VMData      types.Object `tfsdk:"vmdata"`
	Images      types.Object `tfsdk:"images"`
	Calibration types.Object `tfsdk:"calibration"`

	InstanceThroughput     types.Float64 `tfsdk:"instance_throughput_mib_per_s"`
	ProvisionedThroughput  types.Float64 `tfsdk:"provisioned_throughput_mib_per_s"`
	BootToDownloadsSeconds types.Float64 `tfsdk:"boot_to_downloads_seconds"`
	ImagePullSeconds       types.Float64 `tfsdk:"image_pull_seconds"`
	BootToReadySeconds     types.Float64 `tfsdk:"boot_to_ready_seconds"`
	GraceMarginSeconds     types.Float64 `tfsdk:"grace_margin_seconds"`
	GuestReadIOPS          types.Float64 `tfsdk:"guest_read_iops"`
	GuestWriteIOPS         types.Float64 `tfsdk:"guest_write_iops"`
	MonthlyCostUSD         types.Float64 `tfsdk:"monthly_cost_usd"`
	Findings               types.List    `tfsdk:"findings"`
}

type macVolumeModel struct {
	Type         types.String `tfsdk:"type"`
	SizeGiB      types.Number `tfsdk:"size_gib"`
	IOPS         types.Number `tfsdk:"iops"`
	Throughput   types.Number `tfsdk:"throughput_mib_per_s"`
	FromSnapshot types.Bool   `tfsdk:"from_snapshot"`
}

var macVolumeTypes = map[string]attr.Type{
	"type":                 types.StringType,
	"size_gib":             types.NumberType,
	"iops":                 types.NumberType,
	"throughput_mib_per_s": types.NumberType,
	"from_snapshot":        types.BoolType,
}

type macImagesModel struct {
	Count   types.Number `tfsdk:"count"`
	SizeGiB types.Number `tfsdk:"size_gib"`
}

type calibrationModel struct {
	BootFixedSeconds  types.Number `tfsdk:"boot_fixed_seconds"`
	BootReadMiB       types.Number `tfsdk:"boot_read_mib"`
	PipelineMiBPerS   types.Number `tfsdk:"pipeline_mib_per_s"`
	ReadyFixedSeconds types.Number `tfsdk:"ready_fixed_seconds"`
}

func (r *macHostStorageResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_mac_host_storage"
}

func (r *macHostStorageResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Guards the EBS volumes of an EC2 Mac host: stops the plan when a volume is undersized, impossible or over-bought, fills in the cheapest valid gp3 settings, and predicts the start-up. It creates nothing; AWS resources take their values from it.",
		Attributes: guardAttributes(map[string]schema.Attribute{
			"instance_type": schema.StringAttribute{
				MarkdownDescription: "EC2 Mac type, such as `mac2-m2pro.metal`. A type that is not in the embedded table is a warning, and only the rules that need no ceiling are applied.",
				Required:            true,
			},
			"region": schema.StringAttribute{
				MarkdownDescription: "AWS Region whose prices are used. Default: the provider's.",
				Optional:            true,
			},
			"grace_period_seconds": schema.NumberAttribute{
				MarkdownDescription: "Seconds that the host is allowed to take until it is ready: the group's `health_check_grace_period`, or the heartbeat timeout of the lifecycle hook that holds it. Without it the prediction is not judged.",
				Optional:            true,
			},
			"launch_seconds": schema.NumberAttribute{
				MarkdownDescription: "Seconds of AWS's own launching (6 to 20 minutes for a Mac) that fall inside the allowed time. Default 0: a grace period starts when the instance is in service.",
				Optional:            true,
			},
			"vms_per_host": schema.NumberAttribute{
				MarkdownDescription: "How many macOS guests run on the host at a time, 1 or 2. Default 2, the most that Apple's licence allows.",
				Optional:            true,
			},
			"instance_throughput_mib_per_s":    float64Result("Most that the instance moves to and from all its volumes together, in MiB/s; null if the type is not in the table."),
			"provisioned_throughput_mib_per_s": float64Result("Throughput of the volumes added up, in MiB/s."),
			"boot_to_downloads_seconds":        float64Result("Predicted seconds from boot to the start of the image pull."),
			"image_pull_seconds":               float64Result("Predicted seconds of the image pull; 0 without `images`."),
			"boot_to_ready_seconds":            float64Result("Predicted seconds from boot to ready, within 3.5 % of what was measured on mac2-m2pro.metal with a root of 125 to 750 MiB/s; an extrapolation elsewhere."),
			"grace_margin_seconds":             float64Result("Seconds of the allowed time that are left over; null without `grace_period_seconds`."),
			"guest_read_iops":                  float64Result("Random 4 KiB reads a second that all guests together reach on VMData; null without `vmdata`."),
			"guest_write_iops":                 float64Result("Random 4 KiB writes a second that all guests together reach on VMData, each of which costs about two I/Os on the host; null without `vmdata`."),
			"monthly_cost_usd":                 float64Result("US dollars a month (730 hours) for the volumes; null where the Region's prices are not known."),
		}),
		Blocks: map[string]schema.Block{
			"root":   macVolumeBlock("The root volume (required).", "750, or what the instance carries if that is less", "the cheapest that carry the throughput", "true: it is restored from the image's snapshot"),
			"vmdata": macVolumeBlock("The volume for VM images and running VMs.", "350 for each image, at most what the instance carries; 125 without images", "the cheapest that carry the throughput and 1,250 a VM", "false: it should be created empty"),
			"images": schema.SingleNestedBlock{
				MarkdownDescription: "The VM images that the host pulls before it takes jobs, one pipeline each. Without the block nothing is pulled.",
				Attributes: map[string]schema.Attribute{
					"count":    schema.NumberAttribute{MarkdownDescription: "(required) How many images are pulled.", Optional: true},
					"size_gib": schema.NumberAttribute{MarkdownDescription: "(required) Size of one image when unpacked, in GiB.", Optional: true},
				},
			},
			"calibration": schema.SingleNestedBlock{
				MarkdownDescription: "Constants of the start-up model for your own image, where you have measured it (`runnerfit_mac_startup` refits them). Each defaults to the measured fleet's.",
				Attributes: map[string]schema.Attribute{
					"boot_fixed_seconds":  schema.NumberAttribute{MarkdownDescription: "Seconds of the boot that no volume speeds up. Default 20.6.", Optional: true},
					"boot_read_mib":       schema.NumberAttribute{MarkdownDescription: "MiB read from the root volume before the pull starts. Default 11,550.", Optional: true},
					"pipeline_mib_per_s":  schema.NumberAttribute{MarkdownDescription: "MiB/s that one pull pipeline writes. Default 308.", Optional: true},
					"ready_fixed_seconds": schema.NumberAttribute{MarkdownDescription: "Seconds between the end of the pull and ready. Default 4.3.", Optional: true},
				},
			},
		},
	}
}

func macVolumeBlock(description, throughput, iops, snapshot string) schema.SingleNestedBlock {
	return schema.SingleNestedBlock{
		MarkdownDescription: description,
		Attributes: map[string]schema.Attribute{
			"type":                 schema.StringAttribute{MarkdownDescription: "EBS volume type. Default `gp3`; only gp3's settings are filled in.", Optional: true},
			"size_gib":             schema.NumberAttribute{MarkdownDescription: "(required) Size in GiB.", Optional: true},
			"iops":                 schema.NumberAttribute{MarkdownDescription: "Provisioned IOPS. Left out: " + iops + ".", Optional: true, Computed: true},
			"throughput_mib_per_s": schema.NumberAttribute{MarkdownDescription: "Provisioned throughput in MiB/s. Left out: " + throughput + ".", Optional: true, Computed: true},
			"from_snapshot":        schema.BoolAttribute{MarkdownDescription: "Whether the volume is restored from a snapshot, so that first reads come from S3. Default " + snapshot + ".", Optional: true},
		},
	}
}

func float64Result(description string) schema.Float64Attribute {
	return schema.Float64Attribute{MarkdownDescription: description, Computed: true}
}

// resourceFindings is the findings attribute of a guard.
func resourceFindings() schema.ListNestedAttribute {
	members := make(map[string]schema.Attribute, len(findingDescriptions))
	for name, description := range findingDescriptions {
		members[name] = schema.StringAttribute{MarkdownDescription: description, Computed: true}
	}
	return schema.ListNestedAttribute{
		MarkdownDescription: "What the rules found when the configuration was last changed, advice included, worst first. While the configuration stays the same they are kept, so they may lag behind the warnings of a newer catalogue.",
		NestedObject:        schema.NestedAttributeObject{Attributes: members},
		Computed:            true,
	}
}

// macHostStorageKind is what this guard adds to all guards.
type macHostStorageKind struct{}

func (macHostStorageKind) common(m *macHostStorageModel) *guardCommon {
	return &m.guardCommon
}

func (macHostStorageKind) shape(ctx context.Context, m *macHostStorageModel) (diags diag.Diagnostics) {
	s, diags := m.storage(ctx)
	diags.Append(checkRegion(m.Region)...)
	for _, p := range append(s.Missing(), s.Problems()...) {
		diags.Append(invalid(attributePath(p.Path), p.Message))
	}
	return diags
}

func (macHostStorageKind) evaluate(ctx context.Context, s *settings, m *macHostStorageModel) (verdict, diag.Diagnostics) {
	storage, diags := m.storage(ctx)
	if p, ok := mac.NotMac(s.catalog, storage.InstanceType); ok {
		diags.Append(invalid(attributePath(p.Path), p.Message))
	}
	region := s.regionOr(m.Region)
	pricesKnown := s.pricesKnown && region.IsKnown()
	storage.Region, _ = region.Get()
	if !pricesKnown {
		storage.Region = ""
	}
	ignores, ignoreDiags := ignoresOf(ctx, s, m.IgnoreRules)
	diags.Append(ignoreDiags...)
	if diags.HasError() {
		return verdict{}, diags
	}
	r := mac.EvaluateStorage(s.catalog, storage)
	ig, ignoresKnown := ignores.Get()
	found := ig.Filter(r.Findings)

	diags.Append(m.fillIn(ctx, r)...)
	m.InstanceThroughput = float64Of(r.InstanceThroughput)
	m.ProvisionedThroughput = float64Of(r.ProvisionedThroughput)
	m.BootToDownloadsSeconds = secondsOf(r.BootSeconds)
	m.ImagePullSeconds = secondsOf(r.PullSeconds)
	m.BootToReadySeconds = secondsOf(r.ReadySeconds)
	m.GraceMarginSeconds = secondsOf(r.GraceMarginSeconds)
	m.GuestReadIOPS = float64Of(r.GuestReadIOPS)
	m.GuestWriteIOPS = float64Of(r.GuestWriteIOPS)
	m.MonthlyCostUSD = usdOf(r.MonthlyCostUSD)
	m.Findings = findingsValue(found)
	if !pricesKnown {
		m.MonthlyCostUSD = types.Float64Unknown()
	}
	if r.FindingsWaitForAnUnknown || !pricesKnown || !ignoresKnown || m.OnError.IsUnknown() {
		m.Findings = types.ListUnknown(findingType)
	}
	return verdict{findings: found, withhold: !ignoresKnown}, diags
}

// storage is the configuration in the terms of the rules.
func (m *macHostStorageModel) storage(ctx context.Context) (mac.Storage, diag.Diagnostics) {
	s := mac.Storage{
		InstanceType:       optionalString(m.InstanceType),
		GracePeriodSeconds: optionalDecimal(m.GracePeriodSeconds),
		LaunchSeconds:      optionalDecimal(m.LaunchSeconds),
		VMsPerHost:         optionalDecimal(m.VMsPerHost),
	}
	var diags diag.Diagnostics
	var d diag.Diagnostics
	s.Root, d = block(ctx, m.Root, macVolumeModel.volume)
	diags.Append(d...)
	s.VMData, d = block(ctx, m.VMData, macVolumeModel.volume)
	diags.Append(d...)
	s.Images, d = block(ctx, m.Images, imagesOf)
	diags.Append(d...)
	s.Calibration, d = block(ctx, m.Calibration, calibrationModel.calibration)
	diags.Append(d...)
	return s, diags
}

// block reads a single nested block, which may be left out or unknown.
func block[M, T any](ctx context.Context, o types.Object, convert func(M) optional.Value[T]) (optional.Value[T], diag.Diagnostics) {
	switch {
	case o.IsUnknown():
		return optional.Unknown[T](), nil
	case o.IsNull():
		return optional.Null[T](), nil
	}
	var m M
	diags := modelFrom(ctx, o, &m)
	if diags.HasError() {
		return optional.Null[T](), diags
	}
	return convert(m), diags
}

func (v macVolumeModel) volume() optional.Value[mac.StorageVolume] {
	return optional.Known(mac.StorageVolume{
		Type:              optionalString(v.Type),
		SizeGiB:           optionalDecimal(v.SizeGiB),
		IOPS:              optionalDecimal(v.IOPS),
		ThroughputMiBPerS: optionalDecimal(v.Throughput),
		FromSnapshot:      optionalBool(v.FromSnapshot),
	})
}

// calibration completes the constants with the default ones; it is unknown
// while any of them is.
func (c calibrationModel) calibration() optional.Value[mac.Calibration] {
	return calibrationOf(optionalDecimal(c.BootFixedSeconds), optionalDecimal(c.BootReadMiB), optionalDecimal(c.PipelineMiBPerS), optionalDecimal(c.ReadyFixedSeconds))
}

func calibrationOf(bootFixed, bootRead, pipeline, readyFixed optional.Value[decimal.Decimal]) optional.Value[mac.Calibration] {
	cal, wait := mac.DefaultCalibration, false
	set := func(to *float64, v optional.Value[decimal.Decimal]) {
		wait = wait || v.IsUnknown()
		if d, ok := v.Get(); ok {
			*to = d.InexactFloat64()
		}
	}
	pipelineRate := float64(cal.PipelineMiBPerS)
	set(&cal.BootFixedSeconds, bootFixed)
	set(&cal.BootReadMiB, bootRead)
	set(&pipelineRate, pipeline)
	set(&cal.ReadyFixedSeconds, readyFixed)
	cal.PipelineMiBPerS = units.MiBPerS(pipelineRate)
	if wait {
		return optional.Unknown[mac.Calibration]()
	}
	return optional.Known(cal)
}

// fillIn sets the settings of the volumes that were left out.
func (m *macHostStorageModel) fillIn(ctx context.Context, r mac.StorageResult) (diags diag.Diagnostics) {
	var d diag.Diagnostics
	m.Root, d = fillInVolume(ctx, m.Root, r.RootIOPS, r.RootThroughputMiBPerS)
	diags.Append(d...)
	m.VMData, d = fillInVolume(ctx, m.VMData, r.VMDataIOPS, r.VMDataThroughputMiBPerS)
	diags.Append(d...)
	return diags
}

func fillInVolume(ctx context.Context, o types.Object, iops, throughput optional.Value[decimal.Decimal]) (types.Object, diag.Diagnostics) {
	if o.IsNull() || o.IsUnknown() {
		return o, nil
	}
	var v macVolumeModel
	diags := modelFrom(ctx, o, &v)
	if diags.HasError() {
		return o, diags
	}
	if v.IOPS.IsNull() {
		v.IOPS = numberOf(iops)
	}
	if v.Throughput.IsNull() {
		v.Throughput = numberOf(throughput)
	}
	filled, d := objectFrom(ctx, macVolumeTypes, v)
	diags.Append(d...)
	return filled, diags
}
