package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

var (
	_ resource.Resource                   = (*instanceStorageResource)(nil)
	_ resource.ResourceWithConfigure      = (*instanceStorageResource)(nil)
	_ resource.ResourceWithValidateConfig = (*instanceStorageResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*instanceStorageResource)(nil)
)

// NewInstanceStorageResource is the guard of the volumes of any EC2 instance.
func NewInstanceStorageResource() resource.Resource {
	return &instanceStorageResource{guard[instanceStorageModel]{kind: instanceStorageKind{}}}
}

type instanceStorageResource struct{ guard[instanceStorageModel] }

type instanceStorageModel struct {
	InstanceType types.String `tfsdk:"instance_type"`
	Region       types.String `tfsdk:"region"`
	Limits       types.String `tfsdk:"limits"`
	guardCommon
	Volume types.List `tfsdk:"volume"`

	ByName                  types.Map     `tfsdk:"by_name"`
	ProvisionedThroughput   types.Float64 `tfsdk:"provisioned_throughput_mib_per_s"`
	ProvisionedMB           types.Float64 `tfsdk:"provisioned_throughput_mb_per_s"`
	ProvisionedIOPS         types.Int64   `tfsdk:"provisioned_iops"`
	InstanceThroughput      types.Float64 `tfsdk:"instance_throughput_mib_per_s"`
	InstanceBurstThroughput types.Float64 `tfsdk:"instance_burst_throughput_mib_per_s"`
	InstanceIOPS            types.Int64   `tfsdk:"instance_iops"`
	InstanceBurstIOPS       types.Int64   `tfsdk:"instance_burst_iops"`
	EBSCards                types.Int64   `tfsdk:"ebs_cards"`
	MonthlyCostUSD          types.Float64 `tfsdk:"monthly_cost_usd"`
	Findings                types.List    `tfsdk:"findings"`
}

type instanceVolumeModel struct {
	Name       types.String `tfsdk:"name"`
	Type       types.String `tfsdk:"type"`
	SizeGiB    types.Number `tfsdk:"size_gib"`
	IOPS       types.Number `tfsdk:"iops"`
	Throughput types.Number `tfsdk:"throughput_mib_per_s"`
	CardIndex  types.Number `tfsdk:"ebs_card_index"`
}

var instanceVolumeType = types.ObjectType{AttrTypes: map[string]attr.Type{
	"name":                 types.StringType,
	"type":                 types.StringType,
	"size_gib":             types.NumberType,
	"iops":                 types.NumberType,
	"throughput_mib_per_s": types.NumberType,
	"ebs_card_index":       types.NumberType,
}}

// namedVolumeType is an element of by_name.
var namedVolumeType = types.ObjectType{AttrTypes: map[string]attr.Type{
	"type":                 types.StringType,
	"size_gib":             types.NumberType,
	"iops":                 types.NumberType,
	"throughput_mib_per_s": types.NumberType,
	"monthly_cost_usd":     types.Float64Type,
}}

func (r *instanceStorageResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_instance_storage"
}

func (r *instanceStorageResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	count := func(description string) schema.Int64Attribute {
		return schema.Int64Attribute{MarkdownDescription: description, Computed: true}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Guards the EBS volumes of an EC2 instance: stops the plan when a setting is impossible, warns of what the instance cannot carry, and fills in the cheapest valid gp3 settings. It creates nothing; AWS resources take their values from it. For EC2 Macs, `runnerfit_mac_host_storage` knows more.",
		Attributes: guardAttributes(map[string]schema.Attribute{
			"instance_type": schema.StringAttribute{
				MarkdownDescription: "EC2 instance type, such as `m8a.2xlarge`. A type that is not in the embedded table is a warning, and only the volumes' own rules are applied.",
				Required:            true,
			},
			"region": schema.StringAttribute{
				MarkdownDescription: "AWS Region whose prices are used. Default: the provider's.",
				Optional:            true,
			},
			"limits": schema.StringAttribute{
				MarkdownDescription: "`current` (default), or `classic` for Outposts, where a gp3 volume has at most 16,384 GiB, 16,000 IOPS and 1,000 MiB/s.",
				Optional:            true,
			},
			"by_name": schema.MapNestedAttribute{
				MarkdownDescription: "The volumes by their names, with what was filled in: the reference that stays right when a volume is added before another.",
				Computed:            true,
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"type":                 schema.StringAttribute{MarkdownDescription: "EBS volume type.", Computed: true},
					"size_gib":             schema.NumberAttribute{MarkdownDescription: "Size in GiB.", Computed: true},
					"iops":                 schema.NumberAttribute{MarkdownDescription: "Provisioned IOPS; null for a type without, and where another type's were left out.", Computed: true},
					"throughput_mib_per_s": schema.NumberAttribute{MarkdownDescription: "Provisioned throughput in MiB/s; null for other types than gp3.", Computed: true},
					"monthly_cost_usd":     float64Result("US dollars a month (730 hours) for this volume; null where no price is known."),
				}},
			},
			"provisioned_throughput_mib_per_s":    float64Result("Throughput of the volumes added up, in MiB/s."),
			"provisioned_throughput_mb_per_s":     float64Result("The same in MB/s (10^6 bytes), in which AWS quotes instances: what an instance must carry for all of it."),
			"provisioned_iops":                    count("IOPS of the volumes added up; hard disks do not count."),
			"instance_throughput_mib_per_s":       float64Result("What the instance sustains to and from all its volumes together, in MiB/s; null if the type is not in the table. With more than one EBS card, what all do together."),
			"instance_burst_throughput_mib_per_s": float64Result("The maximum in MiB/s, held for at least 30 minutes in 24 hours; equal to what is sustained if the type does not burst."),
			"instance_iops":                       count("I/O operations a second (of 16 KiB) that the instance sustains; null if the type is not in the table."),
			"instance_burst_iops":                 count("The maximum in I/O operations a second."),
			"ebs_cards":                           count("How many EBS cards the type has, each with an equal part of the limits; null if the type is not in the table."),
			"monthly_cost_usd":                    float64Result("US dollars a month (730 hours) for all volumes; null where a price is not known."),
		}),
		Blocks: map[string]schema.Block{
			"volume": schema.ListNestedBlock{
				MarkdownDescription: "A volume of the instance. At least one.",
				NestedObject: schema.NestedBlockObject{Attributes: map[string]schema.Attribute{
					"name":                 schema.StringAttribute{MarkdownDescription: "Name that `by_name` refers to the volume by; unique within the guard.", Required: true},
					"size_gib":             schema.NumberAttribute{MarkdownDescription: "Size in GiB.", Required: true},
					"type":                 schema.StringAttribute{MarkdownDescription: "EBS volume type. Default `gp3`; only gp3's settings are filled in.", Optional: true},
					"iops":                 schema.NumberAttribute{MarkdownDescription: "Provisioned IOPS. Left out: the cheapest that carry the throughput.", Optional: true, Computed: true},
					"throughput_mib_per_s": schema.NumberAttribute{MarkdownDescription: "Provisioned throughput in MiB/s. Left out: the free 125.", Optional: true, Computed: true},
					"ebs_card_index":       schema.NumberAttribute{MarkdownDescription: "EBS card that the volume is attached to, on types that have more than one. Default 0, as AWS attaches it.", Optional: true},
				}},
			},
		},
	}
}

// instanceStorageKind is what this guard adds to all guards.
type instanceStorageKind struct{}

func (instanceStorageKind) common(m *instanceStorageModel) *guardCommon {
	return &m.guardCommon
}

func (instanceStorageKind) shape(ctx context.Context, m *instanceStorageModel) diag.Diagnostics {
	s, diags := m.storage(ctx)
	diags.Append(checkRegion(m.Region)...)
	diags.Append(problems(s.Problems())...)
	return diags
}

func (instanceStorageKind) evaluate(ctx context.Context, s *settings, m *instanceStorageModel) (verdict, diag.Diagnostics) {
	storage, diags := m.storage(ctx)
	storage.Region = s.pricedRegion(m.Region)
	ignores, ignoreDiags := ignoresOf(ctx, s, m.IgnoreRules)
	diags.Append(ignoreDiags...)
	if diags.HasError() {
		return verdict{}, diags
	}
	r := ebs.EvaluateInstanceStorage(s.catalog, storage)
	ig, ignoresKnown := ignores.Get()
	found := ig.Filter(r.Findings)

	diags.Append(m.fillIn(ctx, r)...)
	m.ProvisionedThroughput = float64Of(r.ProvisionedThroughput)
	m.ProvisionedMB = float64Of(optional.Map(r.ProvisionedThroughput, units.MiBPerS.MB))
	m.ProvisionedIOPS = int64Of(r.ProvisionedIOPS)
	m.InstanceThroughput = float64Of(optional.Map(r.Ceiling, func(c catalog.EBSCeiling) units.MiBPerS { return c.Sustained.Throughput() }))
	m.InstanceBurstThroughput = float64Of(optional.Map(r.Ceiling, func(c catalog.EBSCeiling) units.MiBPerS { return c.Maximum.Throughput() }))
	m.InstanceIOPS = int64Of(optional.Map(r.Ceiling, func(c catalog.EBSCeiling) int64 { return c.Sustained.IOPS }))
	m.InstanceBurstIOPS = int64Of(optional.Map(r.Ceiling, func(c catalog.EBSCeiling) int64 { return c.Maximum.IOPS }))
	m.EBSCards = int64Of(r.Cards)
	m.MonthlyCostUSD = usdOf(r.MonthlyCostUSD)
	m.Findings = findingsValue(found)
	if r.FindingsWaitForAnUnknown || !ignoresKnown || m.OnError.IsUnknown() {
		m.Findings = types.ListUnknown(findingType)
	}
	return verdict{findings: found, withhold: !ignoresKnown}, diags
}

// storage is the configuration in the terms of the rules, without the region.
func (m *instanceStorageModel) storage(ctx context.Context) (ebs.InstanceStorage, diag.Diagnostics) {
	s := ebs.InstanceStorage{InstanceType: optionalString(m.InstanceType), Limits: optionalString(m.Limits)}
	volumes, diags := m.volumes(ctx)
	s.Volumes = optional.Map(volumes, func(vs []instanceVolumeModel) []ebs.InstanceVolume {
		out := make([]ebs.InstanceVolume, len(vs))
		for i, v := range vs {
			out[i] = ebs.InstanceVolume{
				Name:              optionalString(v.Name),
				Type:              optionalString(v.Type),
				SizeGiB:           optionalDecimal(v.SizeGiB),
				IOPS:              optionalDecimal(v.IOPS),
				ThroughputMiBPerS: optionalDecimal(v.Throughput),
				CardIndex:         optionalDecimal(v.CardIndex),
			}
		}
		return out
	})
	return s, diags
}

// volumes are the blocks; unknown while their number is, or while one of them
// is not known at all.
func (m *instanceStorageModel) volumes(ctx context.Context) (optional.Value[[]instanceVolumeModel], diag.Diagnostics) {
	switch {
	case m.Volume.IsUnknown():
		return optional.Unknown[[]instanceVolumeModel](), nil
	case m.Volume.IsNull():
		return optional.Null[[]instanceVolumeModel](), nil
	}
	for _, e := range m.Volume.Elements() {
		if e.IsUnknown() {
			return optional.Unknown[[]instanceVolumeModel](), nil
		}
	}
	vs := make([]instanceVolumeModel, len(m.Volume.Elements()))
	var diags diag.Diagnostics
	for i, e := range m.Volume.Elements() {
		o, _ := e.(types.Object) // by the schema
		diags.Append(modelFrom(ctx, o, &vs[i])...)
	}
	return optional.Known(vs), diags
}

// volumesValue is volumes as they are stored.
func volumesValue(ctx context.Context, vs []instanceVolumeModel) (types.List, diag.Diagnostics) {
	elements, diags := make([]attr.Value, len(vs)), diag.Diagnostics(nil)
	for i, v := range vs {
		o, d := objectFrom(ctx, instanceVolumeType.AttrTypes, v)
		diags.Append(d...)
		elements[i] = o
	}
	list, d := types.ListValue(instanceVolumeType, elements)
	diags.Append(d...)
	return list, diags
}

// fillIn sets the settings of the volumes that were left out, and the volumes by
// name.
func (m *instanceStorageModel) fillIn(ctx context.Context, r ebs.InstanceStorageResult) diag.Diagnostics {
	volumes, diags := m.volumes(ctx)
	m.ByName = types.MapUnknown(namedVolumeType)
	vs, ok := volumes.Get()
	if !ok || diags.HasError() {
		return diags
	}
	byName, namesKnown := make(map[string]attr.Value, len(vs)), true
	for i := range vs {
		v, result := &vs[i], r.Volumes[i]
		if v.IOPS.IsNull() {
			v.IOPS = numberOf(result.IOPS)
		}
		if v.Throughput.IsNull() {
			v.Throughput = numberOf(result.ThroughputMiBPerS)
		}
		namesKnown = namesKnown && !v.Name.IsUnknown()
		byName[v.Name.ValueString()] = types.ObjectValueMust(namedVolumeType.AttrTypes, map[string]attr.Value{
			"type":                 stringOf(optionalString(v.Type).Or(ebs.TypeGP3)),
			"size_gib":             v.SizeGiB,
			"iops":                 v.IOPS,
			"throughput_mib_per_s": v.Throughput,
			"monthly_cost_usd":     usdOf(result.MonthlyCostUSD),
		})
	}
	list, d := volumesValue(ctx, vs)
	diags.Append(d...)
	m.Volume = list
	if namesKnown {
		m.ByName = types.MapValueMust(namedVolumeType, byName)
	}
	return diags
}
