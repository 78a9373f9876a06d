package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// ceilingModel is what an instance can move to and from its volumes, as it is
// shown by the function and the data sources.
type ceilingModel struct {
	Known     types.Bool    `tfsdk:"known"`
	Bandwidth types.Float64 `tfsdk:"bandwidth_mbit_per_s"`
	MB        types.Float64 `tfsdk:"throughput_mb_per_s"`
	MiB       types.Float64 `tfsdk:"throughput_mib_per_s"`
	IOPS      types.Int64   `tfsdk:"iops"`
	BurstBW   types.Float64 `tfsdk:"burst_bandwidth_mbit_per_s"`
	BurstMB   types.Float64 `tfsdk:"burst_throughput_mb_per_s"`
	BurstMiB  types.Float64 `tfsdk:"burst_throughput_mib_per_s"`
	BurstIOPS types.Int64   `tfsdk:"burst_iops"`
	CanBurst  types.Bool    `tfsdk:"can_burst"`
	AsOf      types.String  `tfsdk:"as_of"`
}

// ceilingDescriptions describe the members, wherever they are shown.
var ceilingDescriptions = map[string]string{
	"known":                      "Whether the type's EBS limits are known; if not, the other members are null.",
	"bandwidth_mbit_per_s":       "What the instance sustains, in Mbit/s as AWS publishes it.",
	"throughput_mb_per_s":        "The same in MB/s (10^6 bytes).",
	"throughput_mib_per_s":       "The same in MiB/s (2^20 bytes), the unit of gp3 settings.",
	"iops":                       "I/O operations a second (of 16 KiB) that the instance sustains.",
	"burst_bandwidth_mbit_per_s": "The maximum in Mbit/s, held for at least 30 minutes in 24 hours; equal to what is sustained if the type does not burst.",
	"burst_throughput_mb_per_s":  "The maximum in MB/s.",
	"burst_throughput_mib_per_s": "The maximum in MiB/s.",
	"burst_iops":                 "The maximum in I/O operations a second.",
	"can_burst":                  "Whether the maximum is above what is sustained. No EC2 Mac bursts.",
	"as_of":                      "Date of the figures, YYYY-MM-DD.",
}

// ceilingType is the object that ebs_ceiling returns.
var ceilingType = map[string]attr.Type{
	"known":                      types.BoolType,
	"bandwidth_mbit_per_s":       types.Float64Type,
	"throughput_mb_per_s":        types.Float64Type,
	"throughput_mib_per_s":       types.Float64Type,
	"iops":                       types.Int64Type,
	"burst_bandwidth_mbit_per_s": types.Float64Type,
	"burst_throughput_mb_per_s":  types.Float64Type,
	"burst_throughput_mib_per_s": types.Float64Type,
	"burst_iops":                 types.Int64Type,
	"can_burst":                  types.BoolType,
	"as_of":                      types.StringType,
}

// ceilingOf shows an instance's ceiling; a null instance is one that is not in
// the table.
func ceilingOf(instance optional.Value[catalog.Instance]) ceilingModel {
	e := optional.Then(instance, func(i catalog.Instance) optional.Value[catalog.EBSCeiling] { return i.EBS })
	rate := func(get func(catalog.EBSCeiling) float64) types.Float64 { return float64Of(optional.Map(e, get)) }
	count := func(get func(catalog.EBSCeiling) int64) types.Int64 { return int64Of(optional.Map(e, get)) }
	m := ceilingModel{
		Known:     types.BoolValue(e.IsKnown()),
		Bandwidth: rate(func(c catalog.EBSCeiling) float64 { return float64(c.Sustained.Bandwidth) }),
		MB:        rate(func(c catalog.EBSCeiling) float64 { return float64(c.Sustained.Bandwidth.MB()) }),
		MiB:       rate(func(c catalog.EBSCeiling) float64 { return float64(c.Sustained.Throughput()) }),
		IOPS:      count(func(c catalog.EBSCeiling) int64 { return c.Sustained.IOPS }),
		BurstBW:   rate(func(c catalog.EBSCeiling) float64 { return float64(c.Maximum.Bandwidth) }),
		BurstMB:   rate(func(c catalog.EBSCeiling) float64 { return float64(c.Maximum.Bandwidth.MB()) }),
		BurstMiB:  rate(func(c catalog.EBSCeiling) float64 { return float64(c.Maximum.Throughput()) }),
		BurstIOPS: count(func(c catalog.EBSCeiling) int64 { return c.Maximum.IOPS }),
		CanBurst:  types.BoolNull(),
		AsOf:      types.StringNull(),
	}
	if c, ok := e.Get(); ok {
		i, _ := instance.Get()
		m.CanBurst, m.AsOf = types.BoolValue(c.CanBurst()), types.StringValue(i.Source.AsOf)
	}
	return m
}

// sequentialReader is what one sequential reader reaches before latency, not
// the instance, is the limit: about 170 MB/s, measured on an EC2 Mac.
const sequentialReader = units.MBPerS(170)
