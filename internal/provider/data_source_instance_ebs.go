package provider

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

var (
	_ datasource.DataSource              = (*instanceEBSDataSource)(nil)
	_ datasource.DataSourceWithConfigure = (*instanceEBSDataSource)(nil)
)

// NewInstanceEBSDataSource is runnerfit_instance_ebs.
func NewInstanceEBSDataSource() datasource.DataSource { return &instanceEBSDataSource{} }

type instanceEBSDataSource struct{ settings *settings }

type instanceEBSModel struct {
	InstanceType types.String `tfsdk:"instance_type"`
	ceilingModel
	VCPUs         types.Int64   `tfsdk:"vcpus"`
	MemoryGiB     types.Float64 `tfsdk:"memory_gib"`
	Architectures types.List    `tfsdk:"architectures"`
	Network       types.String  `tfsdk:"network"`
	BareMetal     types.Bool    `tfsdk:"bare_metal"`
	MinStreams    types.Int64   `tfsdk:"min_streams"`
	MaxVolumes    types.Int64   `tfsdk:"max_volumes"`
	Source        types.String  `tfsdk:"source"`
}

func (d *instanceEBSDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_instance_ebs"
}

func (d *instanceEBSDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := ceilingAttributes()
	attributes["instance_type"] = schema.StringAttribute{MarkdownDescription: "EC2 instance type, such as `mac2-m2pro.metal`. A type that is not in the table is an error that names the closest ones; the function `ebs_ceiling` answers with `known = false` instead.", Required: true}
	attributes["vcpus"] = schema.Int64Attribute{MarkdownDescription: "Number of vCPUs.", Computed: true}
	attributes["memory_gib"] = schema.Float64Attribute{MarkdownDescription: "Memory in GiB.", Computed: true}
	attributes["architectures"] = schema.ListAttribute{MarkdownDescription: "Processor architectures as AWS names them, such as `arm64_mac`.", ElementType: types.StringType, Computed: true}
	attributes["network"] = schema.StringAttribute{MarkdownDescription: "Network performance in AWS's words.", Computed: true}
	attributes["bare_metal"] = schema.BoolAttribute{MarkdownDescription: "Whether the type is bare metal.", Computed: true}
	attributes["min_streams"] = schema.Int64Attribute{MarkdownDescription: "Sequential streams that it takes at least to reach the maximum, at about 170 MB/s each. A lower bound: on EC2 Mac 7 to 8 were needed. Null without EBS limits.", Computed: true}
	attributes["max_volumes"] = schema.Int64Attribute{MarkdownDescription: "EBS volumes that can be attached at most.", Computed: true}
	attributes["source"] = schema.StringAttribute{MarkdownDescription: "Where the figures come from.", Computed: true}
	resp.Schema = schema.Schema{
		MarkdownDescription: "What an EC2 instance type can move to and from all its EBS volumes together, sustained and at most, in all three units, with its size. From the embedded table.",
		Attributes:          attributes,
	}
}

// ceilingAttributes are the attributes of a ceilingModel.
func ceilingAttributes() map[string]schema.Attribute {
	out := make(map[string]schema.Attribute, len(ceilingType))
	for name, t := range ceilingType {
		description := ceilingDescriptions[name]
		switch {
		case t.Equal(types.BoolType):
			out[name] = schema.BoolAttribute{MarkdownDescription: description, Computed: true}
		case t.Equal(types.StringType):
			out[name] = schema.StringAttribute{MarkdownDescription: description, Computed: true}
		case t.Equal(types.Int64Type):
			out[name] = schema.Int64Attribute{MarkdownDescription: description, Computed: true}
		default:
			out[name] = schema.Float64Attribute{MarkdownDescription: description, Computed: true}
		}
	}
	return out
}

func (d *instanceEBSDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.settings = configured(req, resp)
}

func (d *instanceEBSDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m instanceEBSModel
	resp.Diagnostics.Append(getModel(ctx, req.Config, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	i, ok := d.settings.catalog.Instance(m.InstanceType.ValueString())
	if !ok {
		resp.Diagnostics.Append(unknownType(d.settings.catalog, m.InstanceType.ValueString()))
		return
	}
	m.ceilingModel = ceilingOf(optional.Known(i))
	m.AsOf = types.StringValue(i.Source.AsOf)
	m.VCPUs = types.Int64Value(int64(i.VCPUs))
	m.MemoryGiB = types.Float64Value(i.MemoryGiB())
	architectures, diags := types.ListValueFrom(ctx, types.StringType, i.Architectures)
	resp.Diagnostics.Append(diags...)
	m.Architectures = architectures
	m.Network = types.StringValue(i.Network)
	m.BareMetal = types.BoolValue(i.BareMetal)
	m.MinStreams = int64Of(optional.Map(i.EBS, func(c catalog.EBSCeiling) int64 {
		return int64(math.Ceil(float64(c.Maximum.Bandwidth.MB() / sequentialReader)))
	}))
	m.MaxVolumes = types.Int64Value(int64(i.MaxVolumes))
	m.Source = types.StringValue(i.Source.Name)
	resp.Diagnostics.Append(setState(ctx, &resp.State, &m)...)
}

// unknownType is the error of a data source that has nothing to say about a
// type that is not in the table.
func unknownType(cat *catalog.Catalog, typ string) diag.Diagnostic {
	what := "The instance type"
	if catalog.IsTypeName(typ) {
		what = typ
	}
	return diag.NewAttributeErrorDiagnostic(path.Root("instance_type"), summaryUnknownType,
		fmt.Sprintf("%s is not in the table of %s, which has %s types. The closest are %s. A type that is newer than the table can be looked up with the function ebs_ceiling, which answers known = false instead of failing.",
			what, cat.InstanceSource().AsOf, units.Count(int64(cat.InstanceCount())), strings.Join(cat.ClosestInstances(typ, 3), ", ")))
}
