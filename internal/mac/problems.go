package mac

import (
	"fmt"
	"math"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/shape"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// Problem is a fault of shape: something that no rule can be applied to.
type Problem = shape.Problem

// Missing are the members that a whole storage needs and that were left out.
// EvaluateStorage does without them: what depends on them is null.
func (s Storage) Missing() []Problem {
	var ps problems
	if s.InstanceType.IsNull() {
		ps.Add("instance_type", "instance_type is required")
	}
	if s.Root.IsNull() {
		ps.Add("root", "the root volume is required: write a root block with its size_gib")
	}
	for _, b := range []struct {
		path string
		v    optional.Value[StorageVolume]
	}{{"root", s.Root}, {"vmdata", s.VMData}} {
		if v, ok := b.v.Get(); ok {
			ps.Required(b.path+".size_gib", v.SizeGiB.IsNull())
		}
	}
	return append(ps.Problems, s.MissingImages()...)
}

// MissingImages are the members that images need and that were left out.
func (s Storage) MissingImages() []Problem {
	var ps problems
	if i, ok := s.Images.Get(); ok {
		ps.Required("images.count", i.Count.IsNull())
		ps.Required("images.size_gib", i.SizeGiB.IsNull())
	}
	return ps.Problems
}

// Problems are the faults of shape that need no catalogue: members that are
// zero, negative, fractional or beyond anything real. EvaluateStorage is for
// storages without problems.
func (s Storage) Problems() []Problem {
	var ps problems
	if typ, ok := s.InstanceType.Get(); ok && typ == "" {
		ps.Add("instance_type", "instance_type must not be empty")
	}
	ps.Number("grace_period_seconds", s.GracePeriodSeconds, shape.Positive(enormous))
	ps.Number("launch_seconds", s.LaunchSeconds, shape.NotNegative(enormous))
	ps.Number("vms_per_host", s.VMsPerHost, shape.PositiveWhole(enormous))
	ps.volume("root", s.Root)
	ps.volume("vmdata", s.VMData)
	if i, ok := s.Images.Get(); ok {
		ps.Number("images.count", i.Count, shape.PositiveWhole(enormous).Needed())
		ps.Number("images.size_gib", i.SizeGiB, shape.Positive(enormous).Needed())
	}
	if c, ok := s.Calibration.Get(); ok {
		ps.calibration("calibration", c)
	}
	return ps.Problems
}

// problems are shape.Problems that know a volume and a calibration.
type problems struct{ shape.Problems }

func (ps *problems) volume(path string, v optional.Value[StorageVolume]) {
	b, ok := v.Get()
	if !ok {
		return
	}
	ps.Number(path+".size_gib", b.SizeGiB, shape.PositiveWhole(enormous).Needed())
	ps.Number(path+".iops", b.IOPS, shape.PositiveWhole(enormous))
	ps.Number(path+".throughput_mib_per_s", b.ThroughputMiBPerS, shape.PositiveWhole(enormous))
}

func (ps *problems) calibration(path string, c Calibration) {
	// A pull is divided by the pipeline's rate, so that one must not vanish.
	const slowestPipeline = 0.001
	for _, m := range []struct {
		name  string
		v     float64
		least float64
	}{
		{"boot_fixed_seconds", c.BootFixedSeconds, 0},
		{"boot_read_mib", c.BootReadMiB, 0},
		{"pipeline_mib_per_s", float64(c.PipelineMiBPerS), slowestPipeline},
		{"ready_fixed_seconds", c.ReadyFixedSeconds, 0},
	} {
		switch at := path + "." + m.name; {
		case math.IsNaN(m.v) || m.v < 0:
			ps.Add(at, "%s must not be negative", at)
		case m.v > enormous:
			ps.Add(at, "%s is too large: more than %s is a mistake here", at, units.Count(enormous))
		case m.v < m.least:
			ps.Add(at, "%s must be more than 0: at least %v", at, m.least)
		}
	}
}

// enormous is far above every figure of a host.
const enormous = 1_000_000_000

// NotMac says what is wrong with an instance type that is in the table and is
// not a Mac: nothing in this package applies to it. A type that is not in the
// table may be a newer Mac.
func NotMac(cat *catalog.Catalog, typ optional.Value[string]) (Problem, bool) {
	name, ok := typ.Get()
	if !ok {
		return Problem{}, false
	}
	i, ok := cat.Instance(name)
	if !ok || i.IsMac() {
		return Problem{}, false
	}
	return Problem{
		Path:    "instance_type",
		Message: fmt.Sprintf("%s is not an EC2 Mac; runnerfit_instance_storage is for other instances", name),
	}, true
}
