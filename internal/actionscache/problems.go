package actionscache

import (
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/shape"
)

// enormous is far above every figure of a cache, tiny far below those that
// something is divided by.
const enormous = 1_000_000_000

var tiny = decimal.New(1, -6)

// positive is a number above 0 that can be divided by.
func positive() shape.Range {
	r := shape.Positive(enormous)
	r.Min, r.Open = tiny, false
	return r
}

// Problems are the faults of shape of a cache: members that are zero, negative,
// fractional, beyond anything real, or none of a closed list. Evaluate is for
// caches without problems; without an entry, what depends on it is null.
func (c Cache) Problems() []shape.Problem {
	var ps shape.Problems
	ps.Number("entry_gib", c.EntryGiB, positive().Needed())
	ps.Number("parallel_restores", c.ParallelRestores, shape.PositiveWhole(enormous))
	ps.Number("link_mbit_per_s", c.LinkMbitPerS, positive())
	ps.Number("hosted_mb_per_s", c.HostedMBPerS, positive())
	ps.Number("fixed_seconds", c.FixedSeconds, shape.NotNegative(enormous))
	ps.Number("daily_upload_gib", c.DailyUploadGiB, shape.NotNegative(enormous))
	ps.Number("retention_days", c.RetentionDays, positive())
	s, ok := c.Server.Get()
	if !ok {
		return ps
	}
	ps.Number("server.throughput_mib_per_s", s.ThroughputMiBPerS, positive())
	ps.Number("server.memory_mib", s.MemoryMiB, positive())
	ps.Number("server.replicas", s.Replicas, shape.PositiveWhole(enormous))
	oneOf(&ps, "server.storage", s.Storage, Storages)
	oneOf(&ps, "server.implementation", s.Implementation, Implementations)
	oneOf(&ps, "server.database", s.Database, Databases)
	if v, ok := s.Volume.Get(); ok {
		ps.Number("server.volume.size_gib", v.SizeGiB, shape.PositiveWhole(enormous).Needed())
		ps.Number("server.volume.iops", v.IOPS, shape.PositiveWhole(enormous))
		ps.Number("server.volume.throughput_mib_per_s", v.ThroughputMiBPerS, shape.PositiveWhole(enormous))
	}
	return ps
}

// oneOf checks a word of a closed list, which is not repeated: it may be
// anything that somebody put into the wrong place.
func oneOf[T ~string](ps *shape.Problems, path string, v optional.Value[T], words []T) {
	w, ok := v.Get()
	if !ok || slices.Contains(words, w) {
		return
	}
	quoted := make([]string, len(words))
	for i, s := range words {
		quoted[i] = `"` + string(s) + `"`
	}
	last := len(quoted) - 1
	ps.Add(path, "%s must be %s or %s", path, strings.Join(quoted[:last], ", "), quoted[last])
}
