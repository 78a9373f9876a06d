package dockerhost

import (
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/shape"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// Bounds far above what one machine holds; that of organisations also bounds
// the size of the Compose file.
const (
	maxOrganizations = 100
	maxReplicas      = 1000
	maxMemoryGiB     = 100_000
	maxMemoryMiB     = maxMemoryGiB * units.MiBPerGiB
	maxCPUs          = 10_000
)

// minLimitGiB is the least memory limit that Docker takes, 6 MiB.
var minLimitGiB = decimal.NewFromInt(6).Div(decimal.NewFromInt(units.MiBPerGiB))

// Problems are the faults of shape of a host: members that are zero, negative,
// fractional or beyond anything real. Evaluate is for hosts without problems;
// without a memory, what depends on it is null.
func (h Host) Problems() []shape.Problem {
	var ps shape.Problems
	ps.Number("memory_gib", h.MemoryGiB, shape.Positive(maxMemoryGiB).Needed())
	ps.Number("cpus", h.CPUs, shape.Positive(maxCPUs))
	ps.Number("organizations", h.Organizations, shape.PositiveWhole(maxOrganizations))
	ps.Number("replicas", h.Replicas, shape.PositiveWhole(maxReplicas))
	ps.Number("memory_limit_gib", h.MemoryLimitGiB, shape.Positive(maxMemoryGiB))
	if d, ok := h.MemoryLimitGiB.Get(); ok && d.IsPositive() && d.LessThan(minLimitGiB) {
		ps.Add("memory_limit_gib", "memory_limit_gib is too small: Docker takes no limit below 6 MiB")
	}
	ps.Number("vm_overhead_gib", h.VMOverheadGiB, shape.NotNegative(maxMemoryGiB))
	ps.Number("build_cache_gib", h.BuildCacheGiB, shape.NotNegative(maxMemoryGiB))
	tmpfs := shape.NotNegative(maxMemoryMiB)
	tmpfs.Whole = true
	ps.Number("tmpfs_mib", h.TmpfsMiB, tmpfs)
	ps.Number("cpus_per_runner", h.CPUsPerRunner, shape.Positive(maxCPUs))
	ps.Number("node_heap_mib", h.NodeHeapMiB, shape.PositiveWhole(maxMemoryMiB))
	if s, ok := h.FileSharing.Get(); ok && !slices.Contains(FileSharings, s) {
		ps.Add("file_sharing", "file_sharing must be %s", quotedSharings())
	}
	return ps
}

func quotedSharings() string {
	quoted := make([]string, len(FileSharings))
	for i, s := range FileSharings {
		quoted[i] = `"` + string(s) + `"`
	}
	last := len(quoted) - 1
	return strings.Join(quoted[:last], ", ") + " or " + quoted[last]
}
