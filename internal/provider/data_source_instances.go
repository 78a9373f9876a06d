package provider

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

var (
	_ datasource.DataSource                   = (*instancesDataSource)(nil)
	_ datasource.DataSourceWithConfigure      = (*instancesDataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*instancesDataSource)(nil)
)

// NewInstancesDataSource is runnerfit_instances.
func NewInstancesDataSource() datasource.DataSource { return &instancesDataSource{} }

type instancesDataSource struct{ settings *settings }

type instancesModel struct {
	FamilyPrefix  types.String `tfsdk:"family_prefix"`
	Architecture  types.String `tfsdk:"architecture"`
	Mac           types.Bool   `tfsdk:"mac"`
	MinThroughput types.Number `tfsdk:"min_throughput_mib_per_s"`
	MinIOPS       types.Number `tfsdk:"min_iops"`
	MinMemoryGiB  types.Number `tfsdk:"min_memory_gib"`
	MinVCPUs      types.Number `tfsdk:"min_vcpus"`
	SustainedOnly types.Bool   `tfsdk:"sustained_only"`
	Region        types.String `tfsdk:"region"`
	SortBy        types.String `tfsdk:"sort_by"`

	Instances []foundInstanceModel `tfsdk:"instances"`
}

type foundInstanceModel struct {
	InstanceType types.String `tfsdk:"instance_type"`
	ceilingModel
	VCPUs          types.Int64   `tfsdk:"vcpus"`
	MemoryGiB      types.Float64 `tfsdk:"memory_gib"`
	HourlyPriceUSD types.Float64 `tfsdk:"hourly_price_usd"`
}

const (
	sortByPrice      = "price"
	sortByThroughput = "throughput"
	sortByType       = "type"
)

func (d *instancesDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_instances"
}

func (d *instancesDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	found := ceilingAttributes()
	found["instance_type"] = schema.StringAttribute{MarkdownDescription: "EC2 instance type.", Computed: true}
	found["vcpus"] = schema.Int64Attribute{MarkdownDescription: "Number of vCPUs.", Computed: true}
	found["memory_gib"] = schema.Float64Attribute{MarkdownDescription: "Memory in GiB.", Computed: true}
	found["hourly_price_usd"] = schema.Float64Attribute{MarkdownDescription: "US dollars an hour: Linux on demand, or the dedicated host of a Mac. Null if it is not known for the Region.", Computed: true}
	resp.Schema = schema.Schema{
		MarkdownDescription: "EC2 instance types that fulfil all of some conditions, with their EBS ceilings and prices, from the embedded table. Types without published EBS limits are left out where a condition is about those.",
		Attributes: map[string]schema.Attribute{
			"family_prefix":            schema.StringAttribute{MarkdownDescription: "Start of the type's name, such as `mac` or `m8a.`; with its dot it is exactly one family, without it `m8a` is also the start of `m8azn`.", Optional: true},
			"architecture":             schema.StringAttribute{MarkdownDescription: "Processor architecture as AWS names it: `x86_64`, `arm64`, `x86_64_mac`, `arm64_mac` or `i386`.", Optional: true},
			"mac":                      schema.BoolAttribute{MarkdownDescription: "True for EC2 Macs only, false for everything else only.", Optional: true},
			"min_throughput_mib_per_s": schema.NumberAttribute{MarkdownDescription: "Least throughput in MiB/s.", Optional: true},
			"min_iops":                 schema.NumberAttribute{MarkdownDescription: "Least I/O operations a second.", Optional: true},
			"min_memory_gib":           schema.NumberAttribute{MarkdownDescription: "Least memory in GiB.", Optional: true},
			"min_vcpus":                schema.NumberAttribute{MarkdownDescription: "Least number of vCPUs.", Optional: true},
			"sustained_only":           schema.BoolAttribute{MarkdownDescription: "Whether the least throughput and IOPS must be sustained (default true) or may be a burst.", Optional: true},
			"region":                   schema.StringAttribute{MarkdownDescription: "AWS Region whose prices are shown. Default: the provider's.", Optional: true},
			"sort_by": schema.StringAttribute{
				MarkdownDescription: "`price` (cheapest first, unknown prices last), `throughput` (most first) or `type` (default).",
				Optional:            true,
				Validators:          []validator.String{oneOf{sortByPrice, sortByThroughput, sortByType}},
			},
			"instances": schema.ListNestedAttribute{
				MarkdownDescription: "The types found.",
				Computed:            true,
				NestedObject:        schema.NestedAttributeObject{Attributes: found},
			},
		},
	}
}

func (d *instancesDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.settings = configured(req, resp)
}

func (d *instancesDataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	var m instancesModel
	resp.Diagnostics.Append(getModel(ctx, req.Config, &m)...)
	resp.Diagnostics.Append(checkNumber("min_throughput_mib_per_s", m.MinThroughput, positiveIfSet)...)
	resp.Diagnostics.Append(checkNumber("min_iops", m.MinIOPS, positiveIfSet)...)
	resp.Diagnostics.Append(checkNumber("min_memory_gib", m.MinMemoryGiB, positiveIfSet)...)
	resp.Diagnostics.Append(checkNumber("min_vcpus", m.MinVCPUs, positiveIfSet)...)
	resp.Diagnostics.Append(checkRegion(m.Region)...)
}

func (d *instancesDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m instancesModel
	resp.Diagnostics.Append(getModel(ctx, req.Config, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	region, diags := d.settings.needPrices(m.Region)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	m.Instances = []foundInstanceModel{}
	for i := range d.settings.catalog.Instances() {
		if m.wants(i) {
			m.Instances = append(m.Instances, foundInstanceModel{
				InstanceType:   types.StringValue(i.Type),
				ceilingModel:   ceilingOf(optional.Known(i)),
				VCPUs:          types.Int64Value(int64(i.VCPUs)),
				MemoryGiB:      types.Float64Value(i.MemoryGiB()),
				HourlyPriceUSD: hourlyPrice(d.settings.catalog, region, i),
			})
		}
	}
	m.sort()
	resp.Diagnostics.Append(setState(ctx, &resp.State, &m)...)
}

// hourlyPrice is what an hour of the type costs: of the host, for a Mac.
func hourlyPrice(cat *catalog.Catalog, region string, i catalog.Instance) types.Float64 {
	look := cat.InstancePrice
	if i.IsMac() {
		look = cat.MacHostPrice
	}
	p, ok := look(region, i.Type)
	if !ok {
		return types.Float64Null()
	}
	return types.Float64Value(p.USDPerHour.InexactFloat64())
}

// wants says whether a type fulfils every condition.
func (m *instancesModel) wants(i catalog.Instance) bool {
	atLeast := func(least types.Number, have float64) bool {
		d, ok := optionalDecimal(least).Get()
		return !ok || !decimal.NewFromFloat(have).LessThan(d)
	}
	architecture, anyArchitecture := m.Architecture.ValueString(), m.Architecture.IsNull()
	rate := func(c catalog.EBSCeiling) catalog.EBSRate {
		if optionalBool(m.SustainedOnly).Or(true) == optional.Known(false) {
			return c.Maximum
		}
		return c.Sustained
	}
	c, hasCeiling := i.EBS.Get()
	needsCeiling := !m.MinThroughput.IsNull() || !m.MinIOPS.IsNull()
	return strings.HasPrefix(i.Type, m.FamilyPrefix.ValueString()) &&
		(anyArchitecture || slices.Contains(i.Architectures, architecture)) &&
		(m.Mac.IsNull() || m.Mac.ValueBool() == i.IsMac()) &&
		(hasCeiling || !needsCeiling) &&
		atLeast(m.MinThroughput, float64(rate(c).Throughput())) &&
		atLeast(m.MinIOPS, float64(rate(c).IOPS)) &&
		atLeast(m.MinMemoryGiB, i.MemoryGiB()) &&
		atLeast(m.MinVCPUs, float64(i.VCPUs))
}

// sort orders the found types, which come in the order of their names.
func (m *instancesModel) sort() {
	switch m.SortBy.ValueString() {
	case sortByPrice:
		slices.SortStableFunc(m.Instances, func(a, b foundInstanceModel) int {
			x, y := a.HourlyPriceUSD, b.HourlyPriceUSD
			if x.IsNull() != y.IsNull() {
				if x.IsNull() {
					return 1
				}
				return -1
			}
			return cmp.Compare(x.ValueFloat64(), y.ValueFloat64())
		})
	case sortByThroughput:
		of := func(i foundInstanceModel) float64 {
			if optionalBool(m.SustainedOnly).Or(true) == optional.Known(false) {
				return i.BurstMiB.ValueFloat64()
			}
			return i.MiB.ValueFloat64()
		}
		slices.SortStableFunc(m.Instances, func(a, b foundInstanceModel) int { return cmp.Compare(of(b), of(a)) })
	}
}
