package prototest

import (
	"context"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	dsschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	provschema "github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// toy is a small provider that does what real ones do, and, told to by the
// attribute "bug", what they must not do.
type toy struct{ started *int }

func toyFactory() Factory {
	started := new(int)
	return providerserver.NewProtocol6WithError(&toy{started: started})
}

func (p *toy) Metadata(_ context.Context, _ provider.MetadataRequest, r *provider.MetadataResponse) {
	r.TypeName = "toy"
}

func (p *toy) Schema(_ context.Context, _ provider.SchemaRequest, r *provider.SchemaResponse) {
	r.Schema = provschema.Schema{Attributes: map[string]provschema.Attribute{
		"region": provschema.StringAttribute{Optional: true},
	}}
}

func (p *toy) Configure(ctx context.Context, req provider.ConfigureRequest, r *provider.ConfigureResponse) {
	var region types.String
	r.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("region"), &region)...)
	if region.ValueString() == "nowhere" {
		r.Diagnostics.AddAttributeError(path.Root("region"), "No such region", "There is no region of that name.")
	}
}

func (p *toy) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return &toyResource{} }}
}

func (p *toy) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{func() datasource.DataSource { return &toyData{} }}
}

func (p *toy) Functions(context.Context) []func() function.Function {
	return []func() function.Function{
		func() function.Function { return &toyAdd{} },
		func() function.Function { return &toyShape{} },
	}
}

// toyResource fills in twice the size where iops is left out.
type toyResource struct{}

type toyVolume struct {
	SizeGiB types.Number `tfsdk:"size_gib"`
	IOPS    types.Number `tfsdk:"iops"`
}

type toyModel struct {
	Bug     types.String `tfsdk:"bug"`
	Zone    types.String `tfsdk:"zone"`
	Root    *toyVolume   `tfsdk:"root"`
	Data    types.Object `tfsdk:"data"`
	Volumes []toyVolume  `tfsdk:"volume"`
	Total   types.Number `tfsdk:"total"`
	Result  types.Object `tfsdk:"result"`
}

func (r *toyResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "toy_disk"
}

func (r *toyResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	volume := map[string]schema.Attribute{
		"size_gib": schema.NumberAttribute{Optional: true},
		"iops":     schema.NumberAttribute{Optional: true, Computed: true},
	}
	resp.Schema = schema.Schema{
		Attributes: map[string]schema.Attribute{
			"bug":   schema.StringAttribute{Optional: true},
			"zone":  schema.StringAttribute{Optional: true, PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()}},
			"total": schema.NumberAttribute{Computed: true},
			"result": schema.SingleNestedAttribute{Computed: true, Attributes: map[string]schema.Attribute{
				"text": schema.StringAttribute{Computed: true},
			}},
		},
		Blocks: map[string]schema.Block{
			"root":   schema.SingleNestedBlock{Attributes: volume},
			"data":   schema.SingleNestedBlock{Attributes: volume},
			"volume": schema.ListNestedBlock{NestedObject: schema.NestedBlockObject{Attributes: volume}},
		},
	}
}

func (r *toyResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var size types.Number
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("root").AtName("size_gib"), &size)...)
	if !size.IsNull() && !size.IsUnknown() && size.ValueBigFloat().Sign() <= 0 {
		resp.Diagnostics.AddAttributeError(path.Root("root").AtName("size_gib"), "Size is not positive", "Write more than 0.")
	}
}

var toyResult = map[string]attr.Type{"text": types.StringType}

func (r *toyResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return
	}
	var m toyModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	total, known := new(big.Float), true
	fill := func(at path.Path, v *toyVolume) {
		switch {
		case v.SizeGiB.IsUnknown():
			known = false
			if v.IOPS.IsNull() {
				v.IOPS = types.NumberUnknown()
			}
			return
		case v.SizeGiB.IsNull():
			v.SizeGiB = types.NumberNull()
			if v.IOPS.IsNull() {
				v.IOPS = types.NumberNull()
			}
			return
		case v.SizeGiB.ValueBigFloat().Cmp(big.NewFloat(100)) > 0:
			resp.Diagnostics.AddAttributeWarning(at.AtName("size_gib"), "Disk is large", "Write 100.")
		}
		if v.IOPS.IsNull() {
			v.IOPS = types.NumberValue(new(big.Float).Mul(v.SizeGiB.ValueBigFloat(), big.NewFloat(2)))
		}
		total.Add(total, v.SizeGiB.ValueBigFloat())
	}
	if m.Root != nil {
		fill(path.Root("root"), m.Root)
	}
	for i := range m.Volumes {
		fill(path.Root("volume").AtListIndex(i), &m.Volumes[i])
	}
	m.Total = types.NumberValue(total)
	m.Result = types.ObjectValueMust(toyResult, map[string]attr.Value{"text": types.StringValue("fine")})
	if !known {
		m.Total, m.Result = types.NumberUnknown(), types.ObjectUnknown(toyResult)
	}
	switch m.Bug.ValueString() {
	case "plan-differs-from-config":
		m.Root.SizeGiB = types.NumberValue(big.NewFloat(7))
	case "unknown-planned-as-null":
		if m.Total.IsUnknown() {
			m.Total = types.NumberNull()
		}
	case "unknown-block":
		m.Data = types.ObjectUnknown(map[string]attr.Type{"size_gib": types.NumberType, "iops": types.NumberType})
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &m)...)
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, "planned", []byte(`{"by":"plan"}`))...)
}

func (r *toyResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	resp.State.Raw = req.Plan.Raw
	// The framework does not hand what was set at plan to Create.
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, "planned", []byte(`{"by":"create"}`))...)
	var bug types.String
	resp.Diagnostics.Append(req.Plan.GetAttribute(ctx, path.Root("bug"), &bug)...)
	switch bug.ValueString() {
	case "result-differs-from-plan":
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("total"), types.NumberValue(big.NewFloat(1)))...)
	case "apply-fails":
		resp.Diagnostics.AddError("It failed", "As it was told to.")
	}
}

func (r *toyResource) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

func (r *toyResource) Update(_ context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.State.Raw = req.Plan.Raw
}

func (r *toyResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

// toyData doubles a number.
type toyData struct{}

func (d *toyData) Metadata(_ context.Context, _ datasource.MetadataRequest, r *datasource.MetadataResponse) {
	r.TypeName = "toy_double"
}

func (d *toyData) Schema(_ context.Context, _ datasource.SchemaRequest, r *datasource.SchemaResponse) {
	r.Schema = dsschema.Schema{Attributes: map[string]dsschema.Attribute{
		"n":      dsschema.NumberAttribute{Required: true},
		"double": dsschema.NumberAttribute{Computed: true},
	}}
}

func (d *toyData) Read(ctx context.Context, req datasource.ReadRequest, r *datasource.ReadResponse) {
	var n types.Number
	r.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("n"), &n)...)
	if n.ValueBigFloat().Sign() < 0 {
		r.Diagnostics.AddAttributeError(path.Root("n"), "Number is negative", "Write another.")
		return
	}
	r.State.Raw = req.Config.Raw
	r.Diagnostics.Append(r.State.SetAttribute(ctx, path.Root("double"), types.NumberValue(new(big.Float).Mul(n.ValueBigFloat(), big.NewFloat(2))))...)
}

// toyAdd adds two numbers, of which the second may be null.
type toyAdd struct{}

func (f *toyAdd) Metadata(_ context.Context, _ function.MetadataRequest, r *function.MetadataResponse) {
	r.Name = "add"
}

func (f *toyAdd) Definition(_ context.Context, _ function.DefinitionRequest, r *function.DefinitionResponse) {
	r.Definition = function.Definition{
		Parameters: []function.Parameter{
			function.NumberParameter{Name: "a"},
			function.NumberParameter{Name: "b", AllowNullValue: true},
		},
		Return: function.NumberReturn{},
	}
}

func (f *toyAdd) Run(ctx context.Context, req function.RunRequest, r *function.RunResponse) {
	var a, b types.Number
	if r.Error = req.Arguments.Get(ctx, &a, &b); r.Error != nil {
		return
	}
	if !b.IsNull() && b.ValueBigFloat().Sign() < 0 {
		r.Error = function.NewArgumentFuncError(1, "must not be negative")
		return
	}
	sum := new(big.Float).Set(a.ValueBigFloat())
	if !b.IsNull() {
		sum.Add(sum, b.ValueBigFloat())
	}
	r.Error = r.Result.Set(ctx, types.NumberValue(sum))
}

// toyShape names the type of a dynamic argument.
type toyShape struct{}

func (f *toyShape) Metadata(_ context.Context, _ function.MetadataRequest, r *function.MetadataResponse) {
	r.Name = "shape"
}

func (f *toyShape) Definition(_ context.Context, _ function.DefinitionRequest, r *function.DefinitionResponse) {
	r.Definition = function.Definition{
		Parameters: []function.Parameter{function.DynamicParameter{Name: "v", AllowNullValue: true}},
		Return:     function.StringReturn{},
	}
}

func (f *toyShape) Run(ctx context.Context, req function.RunRequest, r *function.RunResponse) {
	var v types.Dynamic
	if r.Error = req.Arguments.Get(ctx, &v); r.Error != nil {
		return
	}
	name := "null"
	if !v.IsNull() {
		name = v.UnderlyingValue().Type(ctx).String()
	}
	r.Error = r.Result.Set(ctx, types.StringValue(name))
}
