// Package mac knows EC2 Mac hosts: how long a host takes from boot to ready,
// what its VMs can do on the data volume, and whether its volumes are right
// together. What becomes of a pool of hosts is the subject of hostpool.
package mac

import (
	"errors"
	"fmt"
	"math"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// Calibration are the constants of the start-up model. They belong to a
// fleet's image, not to a Mac: what has to be read at boot and how fast a pull
// pipeline unpacks.
type Calibration struct {
	// BootFixedSeconds is the part of the boot that no volume speeds up.
	BootFixedSeconds float64
	// BootReadMiB is what is read from the root volume before the pull starts.
	BootReadMiB float64
	// PipelineMiBPerS is what one pull pipeline (download, decompress, unpack)
	// writes; one pipeline runs per image.
	PipelineMiBPerS units.MiBPerS
	// ReadyFixedSeconds is what follows the pull until the host takes jobs.
	ReadyFixedSeconds float64
}

// DefaultCalibration is fitted to three measured start-ups of one fleet in
// August 2026 (MeasuredType, 100 GiB root restored from an AMI snapshot, two
// images of 75 GiB): ready after 291, 374 and 293 s with a root of 750, 125 and
// 400 MiB/s. The model is within 3.5 % of each.
var DefaultCalibration = Calibration{BootFixedSeconds: 20.6, BootReadMiB: 11_550, PipelineMiBPerS: 308, ReadyFixedSeconds: 4.3}

const (
	// MeasuredType is the type that the model's constants were measured on.
	MeasuredType = "mac2-m2pro.metal"
	// ErrorPercent is the largest deviation of the model from its measurements.
	ErrorPercent = 3.5
	// measuredMin and measuredMax are the root throughputs between which the
	// model was measured; beyond them it extrapolates.
	measuredMin, measuredMax = units.MiBPerS(125), units.MiBPerS(750)
	// PullThroughputPerImage is what a data volume should have for each image that is
	// pulled: a tenth more than the fastest pipeline seen.
	PullThroughputPerImage = 350
)

// Model is the start-up model as it is applied to one host.
type Model struct {
	Calibration
	instanceType string
	// own says that the constants are the fleet's own.
	own bool
}

// NewModel is the model for an instance type, with the fleet's own constants
// where there are some. Those are taken as they are: whoever measured them knows
// where they hold.
func NewModel(instanceType optional.Value[string], own optional.Value[Calibration]) Model {
	typ, _ := instanceType.Get()
	if cal, ok := own.Get(); ok {
		return Model{Calibration: cal, instanceType: typ, own: true}
	}
	return Model{Calibration: DefaultCalibration, instanceType: typ}
}

// caveat ends a message about a prediction that is an extrapolation.
func (m Model) caveat(root units.MiBPerS) string {
	if m.own || (m.instanceType == MeasuredType && measuredMin <= root && root <= measuredMax) {
		return ""
	}
	return fmt.Sprintf(" The model was measured on %s with a root of %s to %s, so this is an extrapolation.",
		MeasuredType, units.Number(float64(measuredMin)), measuredMax)
}

// Measurement is one observed start-up.
type Measurement struct {
	RootThroughput units.MiBPerS
	// BootSeconds from boot to the start of the pull.
	BootSeconds float64
}

// Errors of Fit.
var (
	ErrTooFewMeasurements = errors.New("two or more measurements are needed")
	ErrEqualThroughputs   = errors.New("the measurements need at least two different root throughputs")
	ErrNegativeConstant   = errors.New("the measurements do not fit the model: a constant comes out negative, so a faster root would boot slower or read nothing")
)

// Fit refits the boot constants to measurements by least squares on the
// reciprocal of the throughput; pipeline and ready constants stay as they are.
func Fit(ms []Measurement, base Calibration) (Calibration, error) {
	if len(ms) < 2 {
		return base, ErrTooFewMeasurements
	}
	var sx, sy float64
	for _, m := range ms {
		sx += 1 / float64(m.RootThroughput)
		sy += m.BootSeconds
	}
	n := float64(len(ms))
	mx, my := sx/n, sy/n
	var sxx, sxy float64
	different := false
	for _, m := range ms {
		dx := 1/float64(m.RootThroughput) - mx
		sxx += dx * dx
		sxy += dx * (m.BootSeconds - my)
		different = different || m.RootThroughput != ms[0].RootThroughput
	}
	if !different {
		return base, ErrEqualThroughputs
	}
	read := sxy / sxx
	fixed := my - read*mx
	if math.IsNaN(read) || math.IsInf(read, 0) || read <= 0 || fixed < 0 {
		return base, ErrNegativeConstant
	}
	base.BootReadMiB, base.BootFixedSeconds = read, fixed
	return base, nil
}

// Images are the VM images that a host pulls before it takes jobs, one
// pipeline each.
type Images struct {
	Count   int64
	SizeGiB float64
}

// GiB is the size of all images together.
func (i Images) GiB() float64 { return float64(i.Count) * i.SizeGiB }

// PullThroughput is what a data volume should have to pull the images: 350
// MiB/s each, at most what the instance carries in whole MiB/s.
func (i Images) PullThroughput(ceiling optional.Value[catalog.EBSCeiling]) int64 {
	t := i.Count * PullThroughputPerImage
	if c, ok := ceiling.Get(); ok {
		t = min(t, int64(c.Maximum.Throughput()))
	}
	return t
}

// What bounds a phase of the start-up.
const (
	BoundRootVolume = "root-volume"
	BoundInstance   = "instance"
	BoundPipelines  = "pipelines"
	BoundDataVolume = "vmdata-volume"
	BoundFixed      = "fixed"
	BoundNothing    = "none"
)

// usefulThroughput is the most that pulling the images can use, in whole MiB/s:
// what a data volume should have for them, or more if the fleet's own pipelines
// are faster, at most what the instance carries.
func (i Images) usefulThroughput(c Calibration, ceiling optional.Value[catalog.EBSCeiling]) int64 {
	pipelines := int64(math.Ceil(float64(c.PipelineMiBPerS) * float64(i.Count)))
	t := max(i.Count*PullThroughputPerImage, pipelines)
	if e, ok := ceiling.Get(); ok {
		t = min(t, int64(e.Maximum.Throughput()))
	}
	return t
}

// BootSeconds predicts the time from boot to the start of the pull: a fixed
// part, and what has to be read from the root volume at the lower of its
// throughput and the instance's ceiling.
func (c Calibration) BootSeconds(root units.MiBPerS, ceiling optional.Value[catalog.EBSCeiling]) (seconds float64, boundBy string) {
	rate, boundBy := root, BoundRootVolume
	if e, ok := ceiling.Get(); ok && e.Maximum.Throughput() < rate {
		rate, boundBy = e.Maximum.Throughput(), BoundInstance
	}
	return c.BootFixedSeconds + c.BootReadMiB/float64(rate), boundBy
}

// PullSeconds predicts the time to pull the images: their size at the lowest
// of the pipelines together, the data volume and the instance's ceiling.
func (c Calibration) PullSeconds(images Images, vmdata units.MiBPerS, ceiling optional.Value[catalog.EBSCeiling]) (seconds float64, boundBy string) {
	if images.Count == 0 || images.SizeGiB == 0 {
		return 0, BoundNothing
	}
	rate, boundBy := c.PipelineMiBPerS*units.MiBPerS(images.Count), BoundPipelines
	if vmdata < rate {
		rate, boundBy = vmdata, BoundDataVolume
	}
	if e, ok := ceiling.Get(); ok && e.Maximum.Throughput() < rate {
		rate, boundBy = e.Maximum.Throughput(), BoundInstance
	}
	return images.GiB() * units.MiBPerGiB / float64(rate), boundBy
}

// Phase is one part of a start-up, in seconds from boot.
type Phase struct {
	Name       string
	Start, End float64
	BoundBy    string
}

// Startup is a predicted start-up.
type Startup struct {
	BootSeconds, PullSeconds, ReadySeconds float64
	Phases                                 []Phase
	// Extrapolated says that the prediction leaves the range in which the model
	// was measured, or the type that it was measured on.
	Extrapolated bool
	Calibration  Calibration
}

// StartupInput is what a start-up depends on.
type StartupInput struct {
	InstanceType string
	Ceiling      optional.Value[catalog.EBSCeiling]
	Root, VMData units.MiBPerS
	Images       Images
	// Calibration of the fleet; null for the default one.
	Calibration optional.Value[Calibration]
	// Measurements refit the boot constants; empty to keep the calibration's.
	Measurements []Measurement
}

// PredictStartup predicts a start-up. It returns an error of Fit if there are
// measurements that the model cannot be fitted to.
func PredictStartup(in StartupInput) (Startup, error) {
	cal, own := in.Calibration.Get()
	if !own {
		cal = DefaultCalibration
	}
	low, high := measuredMin, measuredMax
	if len(in.Measurements) > 0 {
		var err error
		if cal, err = Fit(in.Measurements, cal); err != nil {
			return Startup{}, err
		}
		own = true
		low, high = in.Measurements[0].RootThroughput, in.Measurements[0].RootThroughput
		for _, m := range in.Measurements {
			low, high = min(low, m.RootThroughput), max(high, m.RootThroughput)
		}
	}
	s := Startup{Calibration: cal, Extrapolated: in.Root < low || in.Root > high || (!own && in.InstanceType != MeasuredType)}
	var bootBound, pullBound string
	s.BootSeconds, bootBound = cal.BootSeconds(in.Root, in.Ceiling)
	s.PullSeconds, pullBound = cal.PullSeconds(in.Images, in.VMData, in.Ceiling)
	s.ReadySeconds = s.BootSeconds + s.PullSeconds + cal.ReadyFixedSeconds
	pulled := s.BootSeconds + s.PullSeconds
	s.Phases = []Phase{
		{Name: "boot", Start: 0, End: s.BootSeconds, BoundBy: bootBound},
		{Name: "image-pull", Start: s.BootSeconds, End: pulled, BoundBy: pullBound},
		{Name: "ready", Start: pulled, End: s.ReadySeconds, BoundBy: BoundFixed},
	}
	return s, nil
}
