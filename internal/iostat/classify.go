package iostat

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// Setting is what is known of the volume and the instance, all of it optional.
type Setting struct {
	ProvisionedIOPS       optional.Value[int64]
	ProvisionedThroughput optional.Value[units.MiBPerS]
	InstanceType          string
	Ceiling               optional.Value[catalog.EBSCeiling]
}

// Kind of behaviour.
type Kind string

// The kinds.
const (
	// Idle: next to nothing was asked of the device.
	Idle Kind = "idle"
	// TooShort: too few samples under load to tell.
	TooShort Kind = "too-short"
	// VolumeIOPS and VolumeThroughput: dead flat at a value that volumes are
	// provisioned with, which is the throttle of the volume.
	VolumeIOPS       Kind = "volume-iops"
	VolumeThroughput Kind = "volume-throughput"
	// Instance: flat at the ceiling of the instance.
	Instance Kind = "instance"
	// Steady: flat at a value that nothing is known to be limited to.
	Steady Kind = "steady"
	// Fluctuating: the limit is elsewhere, or the load varies.
	Fluctuating Kind = "fluctuating"
)

const (
	// idleBelow is the median IOPS under load below which there is nothing to judge.
	idleBelow = 50
	// loadFrom is the part of the 95th percentile from which a sample counts as
	// under load, so that a start, an end or a pause does not hide a plateau.
	loadFrom = 0.8
	// enough samples under load to judge them.
	enough = 5
	// flatSpread is the most that the 10th and the 90th percentile lie apart, as a
	// part of the median, in a dead-flat series. A volume at its throttle keeps
	// within about one percent; a plateau with another reason swings by ten.
	flatSpread = 0.03
	// flatTop is the most that the median and the 95th percentile lie apart, as a
	// part of the median, where a throttle cuts the peaks off.
	flatTop = 0.005
	// matches is how near a plateau must be to a limit to be that limit.
	matches = 0.02
)

// Verdict is what a device's samples say.
type Verdict struct {
	Kind Kind
	// IOPS under load: the median, and the 10th and 90th percentile.
	IOPS, LowIOPS, HighIOPS float64
	// Throughput under load, the median; null where the output does not have it.
	Throughput optional.Value[units.MiBPerS]
	// KiBPerIO is the effective size of an I/O; null likewise.
	KiBPerIO optional.Value[float64]
	// ReadShare is the part of the I/Os that are reads; null likewise.
	ReadShare optional.Value[float64]
	// Limit that was matched: IOPS for VolumeIOPS, MiB/s for VolumeThroughput, either
	// for Instance; 0 if none.
	Limit float64
	// UnderLoad is how many samples the verdict is about.
	UnderLoad int
	// Means says what it means, ToDo what to do about it.
	Means, ToDo string

	steadyIOPS bool // Steady in IOPS, not in throughput
}

// usualIOPS are values that gp3 volumes are usually provisioned with, the free
// one first.
var usualIOPS = []float64{
	3000, 4000, 5000, 6000, 7000, 8000, 9000, 10000, 12000, 14000, 15000, 16000, 18000, 20000, 24000, 25000,
	30000, 32000, 40000, 48000, 50000, 60000, 64000, 80000,
}

// usualThroughput likewise in MiB/s.
var usualThroughput = []float64{125, 200, 250, 300, 350, 400, 500, 600, 700, 750, 800, 1000, 1250, 1500, 2000}

// virtualization are plateaus of 4 KiB random I/O in nested VMs on
// mac2-m2pro.metal with 16,000 IOPS, which the virtualisation layer sets: one
// VM writing and reading, two VMs.
var virtualization = []float64{7190, 9790, 14020, 14200}

// Classify says what the samples of a device mean.
func Classify(d *Device, setting Setting) Verdict {
	load := underLoad(d.Samples)
	v := Verdict{UnderLoad: len(load)}
	var iops, kib, kibPerIO []float64
	reads, all := 0.0, 0.0
	readsKnown := true
	for _, s := range load {
		iops = append(iops, s.IOPS)
		if k, ok := s.KiBPerS.Get(); ok {
			kib = append(kib, k)
			kibPerIO = append(kibPerIO, k/s.IOPS)
		}
		r, ok := s.ReadIOPS.Get()
		readsKnown = readsKnown && ok
		reads, all = reads+r, all+s.IOPS
	}
	v.IOPS, v.LowIOPS, v.HighIOPS = median(iops), percentile(iops, 0.1), percentile(iops, 0.9)
	if len(kib) > 0 && len(kib) == len(iops) {
		v.Throughput = optional.Known(units.MiBPerS(median(kib) / units.MiBPerGiB))
		v.KiBPerIO = optional.Known(median(kibPerIO))
	}
	if readsKnown && all > 0 {
		v.ReadShare = optional.Known(reads / all)
	}
	switch {
	case v.IOPS < idleBelow:
		v.Kind = Idle
		v.Means = "Next to nothing was asked of it."
		v.ToDo = "Sample while the load runs."
		return v
	case len(load) < enough:
		v.Kind = TooShort
		v.Means = fmt.Sprintf("%d samples under load are too few to tell a throttle from a plateau.", len(load))
		v.ToDo = "Sample for at least 30 seconds under load: iostat -d -w 2 (macOS) or iostat -d 2 (Linux)."
		return v
	}
	v.judge(setting, flat(iops), v.Throughput.IsKnown() && flat(kib))
	return v
}

// underLoad are the samples near the top.
func underLoad(samples []Sample) []Sample {
	top := percentile(iopsOf(samples), 0.95)
	load := slices.DeleteFunc(slices.Clone(samples), func(s Sample) bool { return s.IOPS == 0 || s.IOPS < top*loadFrom })
	if rest := withoutOvershoot(load); flat(iopsOf(rest)) {
		return rest
	}
	return load
}

// withoutOvershoot drops the samples at the start in which a volume that was
// idle goes above its throttle, by about a tenth, until its credit is used up.
func withoutOvershoot(load []Sample) []Sample {
	for most := len(load) / 4; most > 0 && len(load) > enough && load[0].IOPS > median(iopsOf(load[1:]))*(1+flatSpread); most-- {
		load = load[1:]
	}
	return load
}

func iopsOf(samples []Sample) []float64 {
	iops := make([]float64, len(samples))
	for i, s := range samples {
		iops[i] = s.IOPS
	}
	return iops
}

// flat says whether values are dead flat.
func flat(values []float64) bool {
	m := median(values)
	if m <= 0 {
		return false
	}
	low, high := percentile(values, 0.1), percentile(values, 0.9)
	// A load that asks for less than the throttle now and then leaves a flat top.
	return (high-low)/m <= flatSpread || (percentile(values, 0.95)-m)/m <= flatTop
}

// near says whether a plateau is at a limit: it may be a little above, which
// happens when a volume has been idle, and hardly below.
func near(value, limit float64) bool { return math.Abs(value-limit) <= matches*limit }

// closest limit that a plateau is at.
func closest(value float64, limits []float64) (float64, bool) {
	best, found := 0.0, false
	for _, l := range limits {
		if near(value, l) && (!found || math.Abs(value-l) < math.Abs(value-best)) {
			best, found = l, true
		}
	}
	return best, found
}

func (v *Verdict) judge(setting Setting, flatIOPS, flatThroughput bool) {
	if !flatIOPS && !flatThroughput {
		v.fluctuating()
		return
	}
	rate, _ := v.Throughput.Get()
	if flatThroughput {
		if v.volumeThroughput(setting, float64(rate)) || v.instanceThroughput(setting, rate) {
			return
		}
	}
	if flatIOPS {
		if v.volumeIOPS(setting) || v.instanceIOPS(setting) {
			return
		}
	}
	v.Kind = Steady
	// Of large I/Os the throughput is what somebody would have limited.
	size, sizeKnown := v.KiBPerIO.Get()
	flatIOPS = flatIOPS && (!flatThroughput || !sizeKnown || size < smallIOKiB)
	v.steadyIOPS = flatIOPS
	v.Means = fmt.Sprintf("It is flat at %s, which no volume is usually provisioned with: a volume with just that setting, a load that asks for no more, or a limit elsewhere.", v.plateau(flatIOPS))
	v.ToDo = "Look the volume's settings up and give them (--provisioned-iops, --provisioned-mib-per-s): that tells which."
	if setting.ProvisionedIOPS.IsKnown() || setting.ProvisionedThroughput.IsKnown() {
		v.Means = fmt.Sprintf("It is flat at %s, which is not what is provisioned: the load asks for no more, or the limit is elsewhere.", v.plateau(flatIOPS))
		v.ToDo = "Look at the load and, in VMs, at the virtualisation layer; a faster volume changes nothing."
	}
	if plateau, ok := closest(v.IOPS, virtualization); ok && flatIOPS {
		v.Means += virtualizationNote(plateau)
	}
}

func (v *Verdict) plateau(iops bool) string {
	rate, ok := v.Throughput.Get()
	if iops || !ok {
		return units.Number(math.Round(v.IOPS)) + " IOPS"
	}
	return rate.String()
}

func (v *Verdict) volumeIOPS(setting Setting) bool {
	limits := usualIOPS
	provisioned, given := setting.ProvisionedIOPS.Get()
	if given {
		limits = []float64{float64(provisioned)}
	}
	limit, ok := closest(v.IOPS, limits)
	if !ok {
		return false
	}
	v.Kind, v.Limit = VolumeIOPS, limit
	v.Means = fmt.Sprintf("It is dead flat: the throttle of a volume with %s IOPS. Reads and writes at the same figure would make it certain.", units.Number(limit))
	if given {
		v.Means = fmt.Sprintf("It is dead flat at the %s IOPS that are provisioned: the volume's throttle is the limit.", units.Number(limit))
	}
	v.ToDo = "Provision more IOPS if the load is worth it, up to what the instance does; larger I/Os need fewer of them."
	return true
}

func (v *Verdict) volumeThroughput(setting Setting, rate float64) bool {
	limits := usualThroughput
	provisioned, given := setting.ProvisionedThroughput.Get()
	if given {
		limits = []float64{float64(provisioned)}
	}
	limit, ok := closest(rate, limits)
	if !ok {
		return false
	}
	// Small I/Os can add up to a usual throughput by chance: then the IOPS are the
	// limit, if they are one.
	if _, both := closest(v.IOPS, usualIOPS); both && !given {
		if size, ok := v.KiBPerIO.Get(); ok && size < smallIOKiB {
			return false
		}
	}
	v.Kind, v.Limit = VolumeThroughput, limit
	v.Means = fmt.Sprintf("Its throughput is dead flat: the throttle of a volume with %s MiB/s.", units.Number(limit))
	if given {
		v.Means = fmt.Sprintf("Its throughput is dead flat at the %s MiB/s that are provisioned: the volume's throttle is the limit.", units.Number(limit))
	}
	v.ToDo = "Provision more throughput; up to 750 MiB/s that takes no more than the free 3,000 IOPS."
	if limit >= 750 {
		v.ToDo = "Provision more throughput; from 750 MiB/s each takes four IOPS with it, and the instance has a ceiling of its own."
	}
	return true
}

// smallIOKiB is the size of I/O below which IOPS are the nearer limit: 64 KiB at
// 3,000 IOPS are 187.5 MiB/s, which is no usual setting and above the free one.
const smallIOKiB = 64

func (v *Verdict) instanceThroughput(setting Setting, rate units.MiBPerS) bool {
	c, ok := setting.Ceiling.Get()
	if !ok {
		return false
	}
	limit, ok := closest(float64(rate), []float64{float64(c.Maximum.Throughput()), float64(c.Sustained.Throughput())})
	if !ok {
		return false
	}
	v.Kind, v.Limit = Instance, limit
	v.Means = fmt.Sprintf("Its throughput is flat at the %s that %s carries for all its volumes together.", units.MiBPerS(limit), setting.InstanceType)
	v.ToDo = "A faster volume changes nothing; another instance type does."
	return true
}

func (v *Verdict) instanceIOPS(setting Setting) bool {
	c, ok := setting.Ceiling.Get()
	if !ok {
		return false
	}
	limit, ok := closest(v.IOPS, []float64{float64(c.Maximum.IOPS), float64(c.Sustained.IOPS)})
	if !ok {
		return false
	}
	v.Kind, v.Limit = Instance, limit
	v.Means = fmt.Sprintf("It is flat at the %s IOPS that %s does for all its volumes together.", units.Number(limit), setting.InstanceType)
	v.ToDo = "A faster volume changes nothing; another instance type does."
	return true
}

func (v *Verdict) fluctuating() {
	v.Kind = Fluctuating
	v.Means = fmt.Sprintf("It swings between %s and %s IOPS, so the volume is not the limit: a throttle holds a dead-flat line.",
		units.Number(math.Round(v.LowIOPS)), units.Number(math.Round(v.HighIOPS)))
	v.ToDo = "More IOPS or throughput would buy nothing here; look at the load, the CPU and, in VMs, the virtualisation layer."
	if plateau, ok := closest(v.IOPS, virtualization); ok {
		v.Means += virtualizationNote(plateau)
	}
}

func virtualizationNote(plateau float64) string {
	return fmt.Sprintf(" About %s is where the virtualisation layer of mac2-m2pro.metal was measured to stop VMs, whatever is provisioned.", units.Number(plateau))
}

// String is the kind in words.
func (k Kind) String() string { return strings.ReplaceAll(string(k), "-", " ") }
