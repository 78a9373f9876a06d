package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/mac"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

var (
	_ datasource.DataSource                   = (*vmDiskDataSource)(nil)
	_ datasource.DataSourceWithConfigure      = (*vmDiskDataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*vmDiskDataSource)(nil)
)

// NewVMDiskDataSource is runnerfit_vm_disk.
func NewVMDiskDataSource() datasource.DataSource { return &vmDiskDataSource{} }

type vmDiskDataSource struct{ settings *settings }

type vmDiskModel struct {
	ProvisionedIOPS types.Number `tfsdk:"provisioned_iops"`
	VMs             types.Number `tfsdk:"vms"`
	InstanceType    types.String `tfsdk:"instance_type"`

	HostRead        types.Int64   `tfsdk:"host_read_iops"`
	HostWrite       types.Int64   `tfsdk:"host_write_iops"`
	GuestRead       types.Float64 `tfsdk:"guest_read_iops"`
	GuestWrite      types.Float64 `tfsdk:"guest_write_iops"`
	PerVMHostRead   types.Float64 `tfsdk:"per_vm_host_read_iops"`
	PerVMHostWrite  types.Float64 `tfsdk:"per_vm_host_write_iops"`
	PerVMGuestRead  types.Float64 `tfsdk:"per_vm_guest_read_iops"`
	PerVMGuestWrite types.Float64 `tfsdk:"per_vm_guest_write_iops"`
	BoundBy         types.String  `tfsdk:"bound_by"`
	UsefulIOPS      types.Int64   `tfsdk:"useful_iops"`
	Extrapolated    types.Bool    `tfsdk:"extrapolated"`
}

func (d *vmDiskDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_vm_disk"
}

func (d *vmDiskDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	count := func(description string) schema.Int64Attribute {
		return schema.Int64Attribute{MarkdownDescription: description, Computed: true}
	}
	share := func(description string) schema.Float64Attribute {
		return schema.Float64Attribute{MarkdownDescription: description, Computed: true}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Predicts the random I/O (4 KiB) that macOS VMs reach on an EC2 Mac's data volume, and from which provisioned IOPS more buys nothing.",
		Attributes: map[string]schema.Attribute{
			"provisioned_iops":        schema.NumberAttribute{MarkdownDescription: "Provisioned IOPS of the volume.", Required: true},
			"vms":                     schema.NumberAttribute{MarkdownDescription: "VMs that run at a time, 1 or 2: Apple's licence allows no more.", Required: true},
			"instance_type":           schema.StringAttribute{MarkdownDescription: "EC2 Mac type. Default mac2-m2pro.metal, on which it was measured.", Optional: true},
			"host_read_iops":          count("Reads a second that the volume sees."),
			"host_write_iops":         count("Writes a second that the volume sees."),
			"guest_read_iops":         share("Reads a second that all VMs together see."),
			"guest_write_iops":        share("Writes a second that all VMs together see. A guest's 4 KiB write costs about two I/Os on the host, because pages are 16 KiB there."),
			"per_vm_host_read_iops":   share("`host_read_iops` for each VM."),
			"per_vm_host_write_iops":  share("`host_write_iops` for each VM."),
			"per_vm_guest_read_iops":  share("`guest_read_iops` for each VM."),
			"per_vm_guest_write_iops": share("`guest_write_iops` for each VM."),
			"bound_by":                schema.StringAttribute{MarkdownDescription: "`volume` while more provisioned IOPS would help, else `virtualization` or `instance`.", Computed: true},
			"useful_iops":             count("Provisioned IOPS above which more buys nothing."),
			"extrapolated":            schema.BoolAttribute{MarkdownDescription: "Whether the type is another than the measured one.", Computed: true},
		},
	}
}

func (d *vmDiskDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.settings = configured(req, resp)
}

func (d *vmDiskDataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	var m vmDiskModel
	resp.Diagnostics.Append(getModel(ctx, req.Config, &m)...)
	resp.Diagnostics.Append(checkType(m.InstanceType)...)
	resp.Diagnostics.Append(checkNumber("provisioned_iops", m.ProvisionedIOPS, positiveWhole)...)
	vms := checkNumber("vms", m.VMs, positiveWhole)
	resp.Diagnostics.Append(vms...)
	if n, ok := optionalDecimal(m.VMs).Get(); ok && !vms.HasError() && n.IntPart() > mac.MaxGuests {
		resp.Diagnostics.Append(invalid(path.Root("vms"), "vms must be 1 or 2: a Mac runs two macOS guests at most, by Apple's licence"))
	}
}

func (d *vmDiskDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m vmDiskModel
	resp.Diagnostics.Append(getModel(ctx, req.Config, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	cat := d.settings.catalog
	typ := optionalString(m.InstanceType).Or(mac.MeasuredType)
	if p, ok := mac.NotMac(cat, typ); ok {
		resp.Diagnostics.Append(invalid(attributePath(p.Path), p.Message))
		return
	}
	j := ebs.Judge{Catalog: cat, Names: ebs.OurNames}
	instance, fs := j.Instance(typ)
	_, shown := d.settings.report(fs)
	resp.Diagnostics.Append(shown...)

	name, _ := typ.Get()
	vms := toDecimal(m.VMs.ValueBigFloat()).IntPart()
	disk := mac.PredictVMDisk(toDecimal(m.ProvisionedIOPS.ValueBigFloat()).IntPart(), vms, name,
		optional.Then(instance, func(i catalog.Instance) optional.Value[catalog.EBSCeiling] { return i.EBS }))
	share := func(f float64) types.Float64 { return types.Float64Value(f / float64(vms)) }
	m.HostRead, m.HostWrite = types.Int64Value(disk.HostRead), types.Int64Value(disk.HostWrite)
	m.GuestRead, m.GuestWrite = types.Float64Value(disk.GuestRead), types.Float64Value(disk.GuestWrite)
	m.PerVMHostRead, m.PerVMHostWrite = share(float64(disk.HostRead)), share(float64(disk.HostWrite))
	m.PerVMGuestRead, m.PerVMGuestWrite = share(disk.GuestRead), share(disk.GuestWrite)
	m.BoundBy = types.StringValue(disk.BoundBy)
	m.UsefulIOPS = types.Int64Value(disk.UsefulIOPS)
	m.Extrapolated = types.BoolValue(disk.Extrapolated)
	resp.Diagnostics.Append(setState(ctx, &resp.State, &m)...)
}
