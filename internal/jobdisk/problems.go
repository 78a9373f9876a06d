package jobdisk

import (
	"maps"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/shape"
)

// mostOfAnything is far above every figure of a job.
const mostOfAnything = 1_000_000

// Problems are the faults of shape that need no catalogue: members that are
// missing, negative or beyond anything real. Evaluate is for jobs without any.
func (j Job) Problems() []shape.Problem {
	var ps shape.Problems
	if !catalog.IsTypeName(j.InstanceType) && j.InstanceType != "" {
		ps.Add("instance_type", "instance_type is not the name of an instance type such as m8a.xlarge")
	}
	number := func(path string, v optional.Value[decimal.Decimal], required bool, r shape.Range) {
		if required {
			ps.Required(path, v.IsNull())
			r = r.Needed()
		}
		ps.Number(path, v, r)
	}
	whole, anyNumber := shape.PositiveWhole(mostOfAnything), shape.NotNegative(mostOfAnything)
	number("volume.size_gib", j.Volume.SizeGiB, true, whole)
	number("volume.iops", j.Volume.IOPS, false, whole)
	number("volume.throughput_mib_per_s", j.Volume.ThroughputMiBPerS, false, whole)
	number("peak_iops", j.PeakIOPS, true, anyNumber)
	number("peak_throughput_mib_per_s", j.PeakThroughputMiBPerS, true, anyNumber)
	number("written_gib", j.WrittenGiB, true, anyNumber)
	number("peak_memory_gib", j.PeakMemoryGiB, true, anyNumber)
	number("minutes", j.Minutes, true, shape.Positive(mostOfAnything))
	number("overhead_minutes", j.OverheadMinutes, false, anyNumber)
	number("tmpfs_limit_percent", j.TmpfsLimitPercent, false, shape.Positive(1000))
	number("resident_share", j.ResidentShare, false, shape.Range{Max: decimal.NewFromInt(1)})
	number("system_memory_gib", j.SystemMemoryGiB, false, anyNumber)
	number("hourly_price_usd", j.HourlyPriceUSD, false, anyNumber)
	number("swap_gib", j.SwapGiB, false, anyNumber)
	for _, name := range slices.Sorted(maps.Keys(j.MeasuredMinutes)) {
		if !slices.Contains(OptionNames, name) {
			closest, _ := finding.Closest(name, OptionNames)
			ps.Add("measured_minutes", "measured_minutes has a key that is no option; the closest is %s, and options are %s", closest, strings.Join(OptionNames, ", "))
			continue
		}
		// The path of the map: a key of it may not be a name of HCL.
		d := j.MeasuredMinutes[name]
		if !d.IsPositive() || d.GreaterThan(decimal.NewFromInt(mostOfAnything)) {
			ps.Add("measured_minutes", "measured_minutes of %s must be more than 0 and at most %d minutes", name, mostOfAnything)
		}
	}
	return ps
}
