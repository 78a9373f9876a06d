package mac

import (
	"fmt"
	"math"

	"github.com/shopspring/decimal"

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
		ps.add("instance_type", "instance_type is required")
	}
	if s.Root.IsNull() {
		ps.add("root", "the root volume is required: write a root block with its size_gib")
	}
	for _, b := range []struct {
		path string
		v    optional.Value[StorageVolume]
	}{{"root", s.Root}, {"vmdata", s.VMData}} {
		if v, ok := b.v.Get(); ok {
			ps.required(b.path+".size_gib", v.SizeGiB.IsNull())
		}
	}
	return append(ps, s.MissingImages()...)
}

// MissingImages are the members that images need and that were left out.
func (s Storage) MissingImages() []Problem {
	var ps problems
	if i, ok := s.Images.Get(); ok {
		ps.required("images.count", i.Count.IsNull())
		ps.required("images.size_gib", i.SizeGiB.IsNull())
	}
	return ps
}

// Problems are the faults of shape that need no catalogue: members that are
// zero, negative, fractional or beyond anything real. EvaluateStorage is for
// storages without problems.
func (s Storage) Problems() []Problem {
	var ps problems
	if typ, ok := s.InstanceType.Get(); ok && typ == "" {
		ps.add("instance_type", "instance_type must not be empty")
	}
	ps.number("grace_period_seconds", s.GracePeriodSeconds, positive)
	ps.number("launch_seconds", s.LaunchSeconds, zeroOrMore)
	ps.number("vms_per_host", s.VMsPerHost, positiveWhole)
	ps.volume("root", s.Root)
	ps.volume("vmdata", s.VMData)
	if i, ok := s.Images.Get(); ok {
		ps.number("images.count", i.Count, positiveWhole)
		ps.number("images.size_gib", i.SizeGiB, positive)
	}
	if c, ok := s.Calibration.Get(); ok {
		ps.calibration("calibration", c)
	}
	return ps
}

type problems []Problem

func (ps *problems) add(path, format string, args ...any) {
	*ps = append(*ps, Problem{Path: path, Message: fmt.Sprintf(format, args...)})
}

func (ps *problems) required(path string, missing bool) {
	if missing {
		ps.add(path, "%s is required", path)
	}
}

func (ps *problems) volume(path string, v optional.Value[StorageVolume]) {
	b, ok := v.Get()
	if !ok {
		return
	}
	ps.number(path+".size_gib", b.SizeGiB, positiveWhole)
	ps.number(path+".iops", b.IOPS, positiveWhole)
	ps.number(path+".throughput_mib_per_s", b.ThroughputMiBPerS, positiveWhole)
}

func (ps *problems) calibration(path string, c Calibration) {
	// A pull is divided by the pipeline's rate, so that one must not vanish.
	const slowestPipeline = 0.001
	most := enormous.InexactFloat64()
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
			ps.add(at, "%s must not be negative", at)
		case m.v > most:
			ps.add(at, "%s is too large: more than %s of anything is a mistake here", at, units.Decimal(enormous))
		case m.v < m.least:
			ps.add(at, "%s must be more than 0: at least %v", at, m.least)
		}
	}
}

// kind is what a number must be.
type kind uint8

const (
	positive kind = iota
	positiveWhole
	zeroOrMore
)

// enormous is far above every figure of a host.
var enormous = decimal.New(1, 9)

func (ps *problems) number(path string, v optional.Value[decimal.Decimal], k kind) {
	d, ok := v.Get()
	if !ok {
		return
	}
	switch {
	case d.IsZero() && k != zeroOrMore:
		ps.add(path, "%s is 0; to leave it unset, write null or leave it out", path)
	case d.IsNegative():
		ps.add(path, "%s must not be negative", path)
	case d.GreaterThan(enormous):
		ps.add(path, "%s is too large: more than %s of anything is a mistake here", path, units.Decimal(enormous))
	case k == positiveWhole && !d.IsInteger():
		ps.add(path, "%s must be a whole number, not %s", path, units.Decimal(d))
	}
}

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
