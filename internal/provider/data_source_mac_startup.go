package provider

import (
	"context"
	"errors"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/mac"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

var (
	_ datasource.DataSource                   = (*macStartupDataSource)(nil)
	_ datasource.DataSourceWithConfigure      = (*macStartupDataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*macStartupDataSource)(nil)
)

// NewMacStartupDataSource is runnerfit_mac_startup.
func NewMacStartupDataSource() datasource.DataSource { return &macStartupDataSource{} }

type macStartupDataSource struct{ settings *settings }

type macStartupModel struct {
	InstanceType     types.String `tfsdk:"instance_type"`
	RootThroughput   types.Number `tfsdk:"root_throughput_mib_per_s"`
	VMDataThroughput types.Number `tfsdk:"vmdata_throughput_mib_per_s"`
	Images           types.Object `tfsdk:"images"`
	Calibration      types.Object `tfsdk:"calibration"`
	Measurement      types.List   `tfsdk:"measurement"`

	BootToDownloadsSeconds types.Float64 `tfsdk:"boot_to_downloads_seconds"`
	ImagePullSeconds       types.Float64 `tfsdk:"image_pull_seconds"`
	BootToReadySeconds     types.Float64 `tfsdk:"boot_to_ready_seconds"`
	Phases                 types.List    `tfsdk:"phases"`
	Extrapolated           types.Bool    `tfsdk:"extrapolated"`
	ErrorPercent           types.Float64 `tfsdk:"prediction_error_percent"`
	CalibrationUsed        types.Object  `tfsdk:"calibration_used"`
}

type measurementModel struct {
	RootThroughput types.Number `tfsdk:"root_throughput_mib_per_s"`
	BootSeconds    types.Number `tfsdk:"boot_seconds"`
}

var phaseType = types.ObjectType{AttrTypes: map[string]attr.Type{
	"name":          types.StringType,
	"start_seconds": types.Float64Type,
	"end_seconds":   types.Float64Type,
	"bound_by":      types.StringType,
}}

var calibrationTypes = map[string]attr.Type{
	"boot_fixed_seconds":  types.Float64Type,
	"boot_read_mib":       types.Float64Type,
	"pipeline_mib_per_s":  types.Float64Type,
	"ready_fixed_seconds": types.Float64Type,
}

func (d *macStartupDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_mac_startup"
}

func (d *macStartupDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	result := func(description string) schema.Float64Attribute {
		return schema.Float64Attribute{MarkdownDescription: description, Computed: true}
	}
	input := func(description string) schema.NumberAttribute {
		return schema.NumberAttribute{MarkdownDescription: description, Optional: true}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Predicts how long an EC2 Mac host takes from boot to ready: the boot from a snapshot-restored root, the pull of the VM images, and what follows. The constants are those of a measured fleet; give your own, or measurements to refit them.",
		Attributes: map[string]schema.Attribute{
			"instance_type":               schema.StringAttribute{MarkdownDescription: "EC2 Mac type. The model was measured on mac2-m2pro.metal; for others it extrapolates with their ceiling.", Required: true},
			"root_throughput_mib_per_s":   schema.NumberAttribute{MarkdownDescription: "Throughput of the root volume in MiB/s.", Required: true},
			"vmdata_throughput_mib_per_s": input("Throughput of the volume that the images are pulled to, in MiB/s. Default 350 for each image, at most what the instance carries."),
			"boot_to_downloads_seconds":   result("Seconds from boot to the start of the pull."),
			"image_pull_seconds":          result("Seconds of the pull; 0 without `images`."),
			"boot_to_ready_seconds":       result("Seconds from boot to ready."),
			"phases": schema.ListNestedAttribute{
				MarkdownDescription: "The phases one after the other, with what bounds each.",
				Computed:            true,
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"name":          schema.StringAttribute{MarkdownDescription: "`boot`, `image-pull` or `ready`.", Computed: true},
					"start_seconds": result("Start in seconds from boot."),
					"end_seconds":   result("End in seconds from boot."),
					"bound_by":      schema.StringAttribute{MarkdownDescription: "`root-volume`, `vmdata-volume`, `pipelines`, `instance`, `fixed` or `none`.", Computed: true},
				}},
			},
			"extrapolated":             schema.BoolAttribute{MarkdownDescription: "Whether the prediction leaves the throughputs between which the constants were measured, or the type that they were measured on.", Computed: true},
			"prediction_error_percent": result("Largest deviation of the model from what it was measured against, in percent; null where it extrapolates or the constants are yours."),
			"calibration_used": schema.SingleNestedAttribute{
				MarkdownDescription: "The constants that were used.",
				Computed:            true,
				Attributes: map[string]schema.Attribute{
					"boot_fixed_seconds":  result("Seconds of the boot that no volume speeds up."),
					"boot_read_mib":       result("MiB read from the root before the pull starts."),
					"pipeline_mib_per_s":  result("MiB/s that one pull pipeline writes."),
					"ready_fixed_seconds": result("Seconds between the end of the pull and ready."),
				},
			},
		},
		Blocks: map[string]schema.Block{
			"images": schema.SingleNestedBlock{
				MarkdownDescription: "The images to pull, one pipeline each. Without the block nothing is pulled.",
				Attributes: map[string]schema.Attribute{
					"count":    input("(required) How many images are pulled."),
					"size_gib": input("(required) Size of one image when unpacked, in GiB."),
				},
			},
			"calibration": schema.SingleNestedBlock{
				MarkdownDescription: "Constants of your own image. Each defaults to the measured fleet's.",
				Attributes: map[string]schema.Attribute{
					"boot_fixed_seconds":  input("Seconds of the boot that no volume speeds up. Default 20.6."),
					"boot_read_mib":       input("MiB read from the root before the pull starts. Default 11,550."),
					"pipeline_mib_per_s":  input("MiB/s that one pull pipeline writes. Default 308."),
					"ready_fixed_seconds": input("Seconds between the end of the pull and ready. Default 4.3."),
				},
			},
			"measurement": schema.ListNestedBlock{
				MarkdownDescription: "A measured boot of your own fleet. Two or more, with at least two different throughputs, refit the boot constants by least squares.",
				NestedObject: schema.NestedBlockObject{Attributes: map[string]schema.Attribute{
					"root_throughput_mib_per_s": input("(required) Throughput of the root volume in MiB/s."),
					"boot_seconds":              input("(required) Measured seconds from boot to the start of the pull."),
				}},
			},
		},
	}
}

func (d *macStartupDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.settings = configured(req, resp)
}

func (d *macStartupDataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	var m macStartupModel
	resp.Diagnostics.Append(getModel(ctx, req.Config, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(checkType(m.InstanceType)...)
	resp.Diagnostics.Append(checkNumber("root_throughput_mib_per_s", m.RootThroughput, positive)...)
	resp.Diagnostics.Append(checkNumber("vmdata_throughput_mib_per_s", m.VMDataThroughput, positiveIfSet)...)
	images, diags := block(ctx, m.Images, imagesOf)
	resp.Diagnostics.Append(diags...)
	calibration, diags := block(ctx, m.Calibration, calibrationModel.calibration)
	resp.Diagnostics.Append(diags...)
	s := mac.Storage{Images: images, Calibration: calibration}
	for _, p := range append(s.MissingImages(), s.Problems()...) {
		resp.Diagnostics.Append(invalid(attributePath(p.Path), p.Message))
	}
	ms, diags := measurements(ctx, m.Measurement)
	resp.Diagnostics.Append(diags...)
	if len(ms) > 0 {
		resp.Diagnostics.Append(m.refitted(ctx)...)
	}
	for i, e := range ms {
		at := path.Root("measurement").AtListIndex(i)
		for name, v := range map[string]types.Number{"root_throughput_mib_per_s": e.RootThroughput, "boot_seconds": e.BootSeconds} {
			if v.IsNull() {
				resp.Diagnostics.Append(invalid(at.AtName(name), "measurement."+name+" is required"))
			}
			resp.Diagnostics.Append(checkNumberAt(at.AtName(name), "measurement."+name, v, positive)...)
		}
	}
}

// refitted refuses constants that measurements would replace.
func (m *macStartupModel) refitted(ctx context.Context) (diags diag.Diagnostics) {
	if m.Calibration.IsNull() || m.Calibration.IsUnknown() {
		return nil
	}
	var c calibrationModel
	diags = m.Calibration.As(ctx, &c, objectOptions)
	for name, v := range map[string]types.Number{"boot_fixed_seconds": c.BootFixedSeconds, "boot_read_mib": c.BootReadMiB} {
		if !v.IsNull() {
			diags.Append(invalid(path.Root("calibration").AtName(name), "calibration."+name+" and measurement blocks exclude each other: the measurements give this constant"))
		}
	}
	return diags
}

func imagesOf(i macImagesModel) optional.Value[mac.StorageImages] {
	return optional.Known(mac.StorageImages{Count: optionalDecimal(i.Count), SizeGiB: optionalDecimal(i.SizeGiB)})
}

func measurements(ctx context.Context, l types.List) ([]measurementModel, diag.Diagnostics) {
	if l.IsNull() || l.IsUnknown() {
		return nil, nil
	}
	var ms []measurementModel
	diags := l.ElementsAs(ctx, &ms, true)
	return ms, diags
}

func (d *macStartupDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m macStartupModel
	resp.Diagnostics.Append(getModel(ctx, req.Config, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	in, diags := m.input(ctx, d.settings.catalog)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	j := ebs.Judge{Catalog: d.settings.catalog, Names: ebs.OurNames}
	_, fs := j.Instance(optionalString(m.InstanceType))
	_, shown := d.settings.report(fs)
	resp.Diagnostics.Append(shown...)

	s, err := mac.PredictStartup(in)
	if err != nil {
		text := err.Error()
		if errors.Is(err, mac.ErrTooFewMeasurements) {
			text += ", not " + strconv.Itoa(len(in.Measurements))
		}
		resp.Diagnostics.Append(invalid(path.Root("measurement").AtListIndex(len(in.Measurements)-1).AtName("boot_seconds"), text))
		return
	}
	m.show(s, in)
	resp.Diagnostics.Append(setState(ctx, &resp.State, &m)...)
}

// input is the configuration in the terms of the model.
func (m *macStartupModel) input(ctx context.Context, cat *catalog.Catalog) (in mac.StartupInput, diags diag.Diagnostics) {
	typ := optionalString(m.InstanceType)
	if p, ok := mac.NotMac(cat, typ); ok {
		diags.Append(invalid(attributePath(p.Path), p.Message))
		return in, diags
	}
	in.InstanceType = m.InstanceType.ValueString()
	if i, ok := cat.Instance(in.InstanceType); ok {
		in.Ceiling = i.EBS
	}
	in.Root = units.MiBPerS(toDecimal(m.RootThroughput.ValueBigFloat()).InexactFloat64())
	images, d := block(ctx, m.Images, imagesOf)
	diags.Append(d...)
	if i, ok := images.Get(); ok {
		count, _ := i.Count.Get()
		size, _ := i.SizeGiB.Get()
		in.Images = mac.Images{Count: count.IntPart(), SizeGiB: size.InexactFloat64()}
	}
	in.VMData = units.MiBPerS(in.Images.PullThroughput(in.Ceiling))
	if v, ok := optionalDecimal(m.VMDataThroughput).Get(); ok {
		in.VMData = units.MiBPerS(v.InexactFloat64())
	}
	in.Calibration, d = block(ctx, m.Calibration, calibrationModel.calibration)
	diags.Append(d...)
	ms, d := measurements(ctx, m.Measurement)
	diags.Append(d...)
	for _, e := range ms {
		in.Measurements = append(in.Measurements, mac.Measurement{
			RootThroughput: units.MiBPerS(toDecimal(e.RootThroughput.ValueBigFloat()).InexactFloat64()),
			BootSeconds:    toDecimal(e.BootSeconds.ValueBigFloat()).InexactFloat64(),
		})
	}
	return in, diags
}

// show sets the results.
func (m *macStartupModel) show(s mac.Startup, in mac.StartupInput) {
	m.BootToDownloadsSeconds = secondsOf(optional.Known(s.BootSeconds))
	m.ImagePullSeconds = secondsOf(optional.Known(s.PullSeconds))
	m.BootToReadySeconds = secondsOf(optional.Known(s.ReadySeconds))
	phases := make([]attr.Value, len(s.Phases))
	for i, p := range s.Phases {
		phases[i] = types.ObjectValueMust(phaseType.AttrTypes, map[string]attr.Value{
			"name":          types.StringValue(p.Name),
			"start_seconds": secondsOf(optional.Known(p.Start)),
			"end_seconds":   secondsOf(optional.Known(p.End)),
			"bound_by":      types.StringValue(p.BoundBy),
		})
	}
	m.Phases = types.ListValueMust(phaseType, phases)
	m.Extrapolated = types.BoolValue(s.Extrapolated)
	m.ErrorPercent = types.Float64Null()
	if !s.Extrapolated && in.Calibration.IsNull() && len(in.Measurements) == 0 {
		m.ErrorPercent = types.Float64Value(mac.ErrorPercent)
	}
	constant := func(f float64, places int32) types.Float64 {
		return types.Float64Value(decimal.NewFromFloat(f).Round(places).InexactFloat64())
	}
	m.CalibrationUsed = types.ObjectValueMust(calibrationTypes, map[string]attr.Value{
		"boot_fixed_seconds":  constant(s.Calibration.BootFixedSeconds, 2),
		"boot_read_mib":       constant(s.Calibration.BootReadMiB, 0),
		"pipeline_mib_per_s":  constant(float64(s.Calibration.PipelineMiBPerS), 2),
		"ready_fixed_seconds": constant(s.Calibration.ReadyFixedSeconds, 2),
	})
}
