package provider

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

var (
	_ datasource.DataSource                   = (*gp3VolumeDataSource)(nil)
	_ datasource.DataSourceWithConfigure      = (*gp3VolumeDataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*gp3VolumeDataSource)(nil)
)

// NewGP3VolumeDataSource is runnerfit_gp3_volume.
func NewGP3VolumeDataSource() datasource.DataSource { return &gp3VolumeDataSource{} }

type gp3VolumeDataSource struct{ settings *settings }

type gp3VolumeModel struct {
	SizeGiB        types.Number `tfsdk:"size_gib"`
	Throughput     types.Number `tfsdk:"throughput_mib_per_s"`
	IOPS           types.Number `tfsdk:"iops"`
	MaxMonthlyCost types.Number `tfsdk:"max_monthly_cost_usd"`
	InstanceType   types.String `tfsdk:"instance_type"`
	Limits         types.String `tfsdk:"limits"`
	Region         types.String `tfsdk:"region"`

	Settings          types.Object  `tfsdk:"settings"`
	MonthlyCostUSD    types.Float64 `tfsdk:"monthly_cost_usd"`
	StorageCostUSD    types.Float64 `tfsdk:"storage_cost_usd"`
	IOPSCostUSD       types.Float64 `tfsdk:"iops_cost_usd"`
	ThroughputCostUSD types.Float64 `tfsdk:"throughput_cost_usd"`
	BoundBy           types.String  `tfsdk:"bound_by"`
	FreeThroughput    types.Int64   `tfsdk:"free_throughput_mib_per_s"`
	UsableThroughput  types.Float64 `tfsdk:"usable_throughput_mib_per_s"`
	Alternatives      types.List    `tfsdk:"alternatives"`
}

var gp3SettingsTypes = map[string]attr.Type{"iops": types.Int64Type, "throughput_mib_per_s": types.Int64Type}

var gp3AlternativeType = types.ObjectType{AttrTypes: map[string]attr.Type{
	"iops":                 types.Int64Type,
	"throughput_mib_per_s": types.Int64Type,
	"monthly_cost_usd":     types.Float64Type,
	"why":                  types.StringType,
}}

func (d *gp3VolumeDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_gp3_volume"
}

func (d *gp3VolumeDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	result := func(description string) schema.Float64Attribute {
		return schema.Float64Attribute{MarkdownDescription: description, Computed: true}
	}
	setting := func() map[string]schema.Attribute {
		return map[string]schema.Attribute{
			"iops":                 schema.Int64Attribute{MarkdownDescription: "IOPS to provision.", Computed: true},
			"throughput_mib_per_s": schema.Int64Attribute{MarkdownDescription: "Throughput to provision, in MiB/s.", Computed: true},
		}
	}
	alternative := setting()
	alternative["monthly_cost_usd"] = result("US dollars a month, storage included; null where the Region's prices are not known.")
	alternative["why"] = schema.StringAttribute{MarkdownDescription: "Why the cost curve starts, bends or ends here.", Computed: true}
	resp.Schema = schema.Schema{
		MarkdownDescription: "The cheapest gp3 settings for a demand or a budget, which limit decides them, and what they cost. The demand is what the volume is wanted for, fractions included; the settings are what to write.",
		Attributes: map[string]schema.Attribute{
			"size_gib":             schema.NumberAttribute{MarkdownDescription: "Size in GiB, a whole number.", Required: true},
			"throughput_mib_per_s": schema.NumberAttribute{MarkdownDescription: "Wanted throughput in MiB/s. Left out: the free 125.", Optional: true},
			"iops":                 schema.NumberAttribute{MarkdownDescription: "Wanted IOPS. Left out: as few as carry the throughput.", Optional: true},
			"max_monthly_cost_usd": schema.NumberAttribute{MarkdownDescription: "Budget in US dollars a month, storage included, in place of a wanted throughput: the most throughput that it pays for.", Optional: true},
			"instance_type":        schema.StringAttribute{MarkdownDescription: "Instance type that the volume is for. The settings stop at what it carries at its maximum, never below the free baseline. A type that is not in the table is a warning.", Optional: true},
			"limits": schema.StringAttribute{
				MarkdownDescription: "`current` (default), or `classic` for Outposts: at most 16,384 GiB, 16,000 IOPS and 1,000 MiB/s.",
				Optional:            true,
				Validators:          []validator.String{oneOf{string(catalog.CurrentLimits), string(catalog.ClassicLimits)}},
			},
			"region":                      schema.StringAttribute{MarkdownDescription: "AWS Region whose prices are used. Default: the provider's.", Optional: true},
			"settings":                    schema.SingleNestedAttribute{MarkdownDescription: "The cheapest valid setting.", Computed: true, Attributes: setting()},
			"monthly_cost_usd":            result("US dollars a month (730 hours), storage included; null where the Region's prices are not known."),
			"storage_cost_usd":            result("The part of it for storage."),
			"iops_cost_usd":               result("The part of it for IOPS above 3,000."),
			"throughput_cost_usd":         result("The part of it for throughput above 125 MiB/s."),
			"bound_by":                    schema.StringAttribute{MarkdownDescription: "The limit that decides the setting: `throughput-ratio` (0.25 MiB/s per IOPS), `iops-per-gib` (500), `baseline` (the free IOPS carry it), `range` (the most gp3 has), `instance` or `budget`. Null if none of them is touched, because a demand for IOPS alone decides.", Computed: true},
			"free_throughput_mib_per_s":   schema.Int64Attribute{MarkdownDescription: "The most throughput in MiB/s for which no IOPS have to be paid: 750.", Computed: true},
			"usable_throughput_mib_per_s": result("What of the setting's throughput the instance carries at its maximum, in MiB/s; the setting's without `instance_type`."),
			"alternatives":                schema.ListNestedAttribute{MarkdownDescription: "The knees of the cost curve, cheapest first.", Computed: true, NestedObject: schema.NestedAttributeObject{Attributes: alternative}},
		},
	}
}

func (d *gp3VolumeDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.settings = configured(req, resp)
}

func (d *gp3VolumeDataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	var m gp3VolumeModel
	resp.Diagnostics.Append(getModel(ctx, req.Config, &m)...)
	resp.Diagnostics.Append(checkNumber("size_gib", m.SizeGiB, positiveWhole)...)
	resp.Diagnostics.Append(checkNumber("throughput_mib_per_s", m.Throughput, positiveIfSet)...)
	resp.Diagnostics.Append(checkNumber("iops", m.IOPS, positiveIfSet)...)
	resp.Diagnostics.Append(checkNumber("max_monthly_cost_usd", m.MaxMonthlyCost, positiveIfSet)...)
	resp.Diagnostics.Append(checkType(m.InstanceType)...)
	resp.Diagnostics.Append(checkRegion(m.Region)...)
	if !m.MaxMonthlyCost.IsNull() && !m.Throughput.IsNull() && !m.Throughput.IsUnknown() && !m.MaxMonthlyCost.IsUnknown() {
		resp.Diagnostics.Append(invalid(path.Root("max_monthly_cost_usd"), "max_monthly_cost_usd and throughput_mib_per_s exclude each other: a budget takes the place of a wanted throughput"))
	}
}

func (d *gp3VolumeDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m gp3VolumeModel
	resp.Diagnostics.Append(getModel(ctx, req.Config, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	region, diags := d.settings.needPrices(m.Region)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	cat := d.settings.catalog
	limits, _ := optionalString(m.Limits).Or(string(catalog.CurrentLimits)).Get()
	l := cat.GP3(catalog.LimitSet(limits))
	size := toDecimal(m.SizeGiB.ValueBigFloat()).IntPart()
	var prices optional.Value[catalog.GP3Prices]
	if p, ok := cat.VolumePrices(region); ok {
		prices = optional.Known(p.GP3)
	}
	j := ebs.Judge{Catalog: cat, Limits: l.Set, Region: region, Names: ebs.OurNames}
	instance, fs := j.Instance(optionalString(m.InstanceType))
	_, shown := d.settings.report(fs)
	resp.Diagnostics.Append(shown...)

	choice, err := ebs.Choose(l, prices, ebs.Demand{
		SizeGiB:           size,
		ThroughputMiBPerS: optionalDecimal(m.Throughput),
		IOPS:              optionalDecimal(m.IOPS),
		BudgetUSD:         optionalDecimal(m.MaxMonthlyCost),
		Ceiling:           optional.Then(instance, func(i catalog.Instance) optional.Value[catalog.EBSCeiling] { return i.EBS }),
	})
	var limit *ebs.LimitError
	switch {
	case errors.As(err, &limit):
		resp.Diagnostics.AddAttributeError(path.Root(limit.Argument), summaryImpossible, limit.Message)
		return
	case errors.Is(err, ebs.ErrNoPrice):
		resp.Diagnostics.Append(invalid(path.Root("max_monthly_cost_usd"),
			"a budget needs the Region's prices: "+cat.PriceNote(region)+"; give all three gp3 prices in the provider's prices block, or a wanted throughput"))
		return
	}
	m.show(choice, size, l, prices)
	resp.Diagnostics.Append(setState(ctx, &resp.State, &m)...)
}

// show sets the results.
func (m *gp3VolumeModel) show(c ebs.Choice, sizeGiB int64, l catalog.GP3Limits, prices optional.Value[catalog.GP3Prices]) {
	costOf := func(s ebs.GP3) optional.Value[ebs.Cost] {
		return optional.Map(prices, func(p catalog.GP3Prices) ebs.Cost { return ebs.GP3Cost(p, l, sizeGiB, s) })
	}
	part := func(get func(ebs.Cost) decimal.Decimal) types.Float64 {
		return usdOf(optional.Map(costOf(c.Settings), get))
	}
	m.Settings = types.ObjectValueMust(gp3SettingsTypes, map[string]attr.Value{
		"iops":                 types.Int64Value(c.Settings.IOPS),
		"throughput_mib_per_s": types.Int64Value(c.Settings.ThroughputMiBPerS),
	})
	m.MonthlyCostUSD = part(ebs.Cost.TotalUSD)
	m.StorageCostUSD = part(func(c ebs.Cost) decimal.Decimal { return c.StorageUSD })
	m.IOPSCostUSD = part(func(c ebs.Cost) decimal.Decimal { return c.IOPSUSD })
	m.ThroughputCostUSD = part(func(c ebs.Cost) decimal.Decimal { return c.ThroughputUSD })
	m.BoundBy = types.StringNull()
	if c.BoundBy != ebs.BoundNone {
		m.BoundBy = types.StringValue(string(c.BoundBy))
	}
	m.FreeThroughput = types.Int64Value(c.FreeThroughputMiBPerS)
	m.UsableThroughput = types.Float64Value(float64(c.UsableThroughput))
	knees := make([]attr.Value, len(c.Knees))
	for i, k := range c.Knees {
		knees[i] = types.ObjectValueMust(gp3AlternativeType.AttrTypes, map[string]attr.Value{
			"iops":                 types.Int64Value(k.Settings.IOPS),
			"throughput_mib_per_s": types.Int64Value(k.Settings.ThroughputMiBPerS),
			"monthly_cost_usd":     usdOf(optional.Map(costOf(k.Settings), ebs.Cost.TotalUSD)),
			"why":                  types.StringValue(k.Why),
		})
	}
	m.Alternatives = types.ListValueMust(gp3AlternativeType, knees)
}
