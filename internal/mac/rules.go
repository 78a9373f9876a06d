package mac

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

//go:embed rules/*.md
var pages embed.FS

func rule(id, summary string, severities ...finding.Severity) finding.Rule {
	return finding.Rule{ID: id, Summary: summary, Severities: severities, Pages: pages}
}

// The rules of a Mac host's storage. Each has a page of the same name under rules/.
var (
	RuleRootThroughput   = rule("mac-root-throughput", "Mac root volume is too slow to boot from", finding.Error, finding.Warning, finding.Info)
	RuleRootSize         = rule("mac-root-size", "Mac root volume differs from the image's size", finding.Warning, finding.Info)
	RuleVMDataSize       = rule("mac-vmdata-size", "VMData volume is smaller than its images", finding.Error)
	RuleVMDataSnapshot   = rule("mac-vmdata-snapshot", "VMData volume is restored from a snapshot", finding.Warning)
	RuleRootDevice       = rule("mac-root-device", "Root settings are on a device that a Mac does not boot", finding.Error)
	RuleGracePeriod      = rule("mac-grace-period", "Mac host is not ready within the allowed time", finding.Error, finding.Warning)
	RuleVMDataIOPS       = rule("mac-vmdata-iops", "VMData IOPS are more than VMs can use", finding.Warning, finding.Info)
	RuleVMDataThroughput = rule("mac-vmdata-throughput", "VMData throughput does not match the image pull", finding.Info)
	RuleVMLimit          = rule("mac-vm-limit", "More macOS guests than a Mac may run", finding.Error)
)

// Rules are the rules of this package.
func Rules() []finding.Rule {
	return []finding.Rule{
		RuleRootThroughput, RuleRootSize, RuleVMDataSize, RuleVMDataSnapshot, RuleRootDevice,
		RuleGracePeriod, RuleVMDataIOPS, RuleVMDataThroughput, RuleVMLimit,
	}
}

// findings applies every rule whose inputs are known.
func (h *host) findings() []finding.Finding {
	var fs []finding.Finding
	fs = append(fs, h.vmLimit()...)
	fs = append(fs, h.gracePeriod()...)
	if h.Root.IsKnown() {
		fs = append(fs, finding.Under("root", "root", h.judge.Volume(h.root, h.instance))...)
		fs = append(fs, finding.Under("root", "root", h.rootRules())...)
	}
	if h.VMData.IsKnown() {
		fs = append(fs, finding.Under("vmdata", "vmdata", h.judge.Volume(h.vmdata, h.instance))...)
		fs = append(fs, finding.Under("vmdata", "vmdata", h.vmdataRules())...)
		if h.Root.IsKnown() {
			fs = append(fs, h.judge.Budget([]ebs.Volume{h.root, h.vmdata}, h.instance, false)...)
		}
	}
	return fs
}

func (h *host) rootRules() []finding.Finding {
	b, _ := h.Root.Get()
	var fs []finding.Finding
	if snapshot, ok := b.FromSnapshot.Or(true).Get(); ok && snapshot {
		fs = append(fs, h.rootThroughputRule()...)
	}
	gib, ok := h.root.WholeSize().Get()
	switch {
	case !ok || gib == usualImageGiB:
	case gib < usualImageGiB:
		fs = append(fs, RuleRootSize.New(finding.Warning, "size_gib",
			fmt.Sprintf("%s GiB are less than the %d GiB of the usual macOS image; EC2 refuses a root that is smaller than its snapshot.", units.Count(gib), usualImageGiB),
			fmt.Sprintf("Write size_gib = %d, unless your own image is smaller.", usualImageGiB)))
	default:
		fs = append(fs, RuleRootSize.New(finding.Info, "size_gib",
			fmt.Sprintf("%s GiB are more than the %d GiB of the usual macOS image. macOS sees the rest only after its APFS container has been grown.", units.Count(gib), usualImageGiB),
			"Grow the container at boot (diskutil repairDisk, then diskutil apfs resizeContainer), or check that your image does."))
	}
	return fs
}

// rootThroughputRule: a boot from a snapshot is bound by the root's throughput.
func (h *host) rootThroughputRule() []finding.Finding {
	t, ok := h.rootThroughput.Get()
	if !ok || h.InstanceType.IsUnknown() {
		return nil
	}
	severity := finding.Error
	if t >= rootFloor {
		severity = finding.Info
	}
	return RootThroughput(h.judge, h.root, t, h.ceiling, h.cal, severity)
}

// RootThroughput judges the throughput of a root volume that is restored from
// a snapshot. Below AWS's recommendation for Macs the finding has the given
// severity (an error where the user has said that this is such a volume, a
// warning where that is inferred); up to what the free IOPS carry it is advice.
func RootThroughput(j ebs.Judge, root ebs.Volume, t units.MiBPerS, ceiling optional.Value[catalog.EBSCeiling], cal Calibration, below finding.Severity) []finding.Finding {
	l := j.Catalog.GP3(catalog.CurrentLimits)
	want := ebs.GP3{IOPS: l.IOPS.Min, ThroughputMiBPerS: rootThroughput}
	if c, ok := ceiling.Get(); ok {
		want.ThroughputMiBPerS = min(want.ThroughputMiBPerS, int64(c.Maximum.Throughput()))
	}
	if t >= units.MiBPerS(want.ThroughputMiBPerS) {
		return nil
	}
	severity, why := below, fmt.Sprintf("below AWS's %d MiB/s for Macs, launches were seen to fail", rootFloor)
	if t >= rootFloor {
		severity, why = finding.Info, fmt.Sprintf("AWS's %d MiB/s are a floor", rootFloor)
	}
	now, _ := cal.BootSeconds(t, ceiling)
	then, _ := cal.BootSeconds(units.MiBPerS(want.ThroughputMiBPerS), ceiling)
	message := fmt.Sprintf("A root restored from a snapshot boots as fast as it can be read: at %s the predicted time from boot to downloads is %s s, at %d MiB/s it is %s s (%s).",
		t, units.Number(roundSeconds(now)), want.ThroughputMiBPerS, units.Number(roundSeconds(then)), why)

	s, isGP3 := root.Settings(l).Get()
	if !isGP3 {
		return []finding.Finding{RuleRootThroughput.New(severity, j.Names.Type, message,
			fmt.Sprintf("Write %s = \"gp3\" and %s = %d; its free %s IOPS carry it.", j.Names.Type, j.Names.Throughput, want.ThroughputMiBPerS, units.Count(want.IOPS)))}
	}
	fix := fmt.Sprintf("Write %s = %d", j.Names.Throughput, want.ThroughputMiBPerS)
	if s.IOPS != want.IOPS {
		fix += fmt.Sprintf(" and %s = %d", j.Names.IOPS, want.IOPS)
	}
	fix += fmt.Sprintf(" (%s", j.Change(s, want))
	if s.IOPS == want.IOPS {
		fix += fmt.Sprintf("; the free %s IOPS carry it", units.Count(want.IOPS))
	}
	f := RuleRootThroughput.New(severity, j.Names.Throughput, message, fix+").")
	f.MonthlySavingUSD = j.Saving(s, want)
	return []finding.Finding{f}
}

func (h *host) vmdataRules() []finding.Finding {
	b, _ := h.VMData.Get()
	var fs []finding.Finding
	if snapshot, ok := b.FromSnapshot.Or(false).Get(); ok && snapshot {
		fs = append(fs, RuleVMDataSnapshot.New(finding.Warning, "from_snapshot",
			"Blocks of a volume restored from a snapshot are fetched from S3 when they are first touched, so VMs run at the speed of that fetch and not of the volume.",
			"Create VMData empty (from_snapshot = false) and pull the images at boot."))
	}
	images, imagesKnown := h.images.Get()
	if gib, ok := h.vmdata.WholeSize().Get(); ok && imagesKnown && float64(gib) < images.GiB() {
		need := images.GiB()
		fs = append(fs, RuleVMDataSize.New(finding.Error, "size_gib",
			fmt.Sprintf("%s GiB cannot hold %s images of %s GiB, which are %s GiB.", units.Count(gib), units.Count(images.Count), units.Number(images.SizeGiB), units.Number(need)),
			fmt.Sprintf("Write size_gib = %s at least; running VMs and downloads in progress need room besides.", units.Number(ceil(need)))))
	}
	fs = append(fs, h.vmdataThroughputRule()...)
	fs = append(fs, h.vmdataIOPSRule()...)
	return fs
}

// vmdataThroughputRule: faster than the pull can use, or slower than it could.
func (h *host) vmdataThroughputRule() []finding.Finding {
	images, ok := h.images.Get()
	s, settingsKnown := h.vmdata.Settings(h.limits).Get()
	if !ok || !settingsKnown || h.InstanceType.IsUnknown() || h.Calibration.IsUnknown() {
		return nil
	}
	useful := max(h.limits.ThroughputMiB.Min, min(images.PullThroughput(h.ceiling), h.limits.ThroughputMiB.Max))
	rate := h.cal.PipelineMiBPerS * units.MiBPerS(images.Count)
	if c, ok := h.ceiling.Get(); ok {
		rate = min(rate, c.Maximum.Throughput())
	}
	to := ebs.GP3{ThroughputMiBPerS: useful, IOPS: s.IOPS}
	if s.IOPS <= ebs.MinIOPS(h.limits, s.ThroughputMiBPerS) {
		to.IOPS = ebs.MinIOPS(h.limits, useful)
	} else {
		to.IOPS = max(to.IOPS, ebs.MinIOPS(h.limits, useful))
	}
	switch t := units.MiBPerS(s.ThroughputMiBPerS); {
	case s.ThroughputMiBPerS > useful:
		f := RuleVMDataThroughput.New(finding.Info, "throughput_mib_per_s",
			fmt.Sprintf("Pulling %s images uses %s at most (one pipeline each); %s are more than that.", units.Count(images.Count), rate, t),
			fmt.Sprintf("Write %s (%s).", h.judge.Set(s, to), h.judge.Change(s, to)))
		f.MonthlySavingUSD = h.judge.Saving(s, to)
		return []finding.Finding{f}
	case t < rate:
		now, _ := h.cal.PullSeconds(images, t, h.ceiling)
		then, _ := h.cal.PullSeconds(images, units.MiBPerS(useful), h.ceiling)
		return []finding.Finding{RuleVMDataThroughput.New(finding.Info, "throughput_mib_per_s",
			fmt.Sprintf("Pulling %s images could use %s; at %s the pull takes a predicted %s s, at %d MiB/s %s s.",
				units.Count(images.Count), rate, t, units.Number(roundSeconds(now)), useful, units.Number(roundSeconds(then))),
			fmt.Sprintf("Write %s (%s).", h.judge.Set(s, to), h.judge.Change(s, to)))}
	}
	return nil
}

// vmdataIOPSRule: what the VMs can use of the volume's IOPS.
func (h *host) vmdataIOPSRule() []finding.Finding {
	disk, ok := h.vmDisk().Get()
	s, settingsKnown := h.vmdata.Settings(h.limits).Get()
	if !ok || !settingsKnown {
		return nil
	}
	measured := "measured on " + MeasuredType
	vms := fmt.Sprintf("%d VMs", disk.VMs)
	if disk.VMs == 1 {
		vms = "one VM"
	}
	useful := ebs.GP3{ThroughputMiBPerS: s.ThroughputMiBPerS, IOPS: max(disk.UsefulIOPS, ebs.MinIOPS(h.limits, s.ThroughputMiBPerS))}
	if s.IOPS > useful.IOPS {
		severity := finding.Info
		if s.IOPS > MostUsefulIOPS {
			severity = finding.Warning
		}
		f := RuleVMDataIOPS.New(severity, "iops",
			fmt.Sprintf("Random I/O of %s reaches %s IOPS on the host and no more, because the virtualisation layer is the limit (%s); %s are provisioned.",
				vms, units.Count(disk.UsefulIOPS), measured, units.Count(s.IOPS)),
			fmt.Sprintf("Write %s (%s).", h.judge.Set(s, useful), h.judge.Change(s, useful)))
		f.MonthlySavingUSD = h.judge.Saving(s, useful)
		return []finding.Finding{f}
	}
	if h.vmdataFilled && s.IOPS < disk.UsefulIOPS {
		most := PredictVMDisk(disk.UsefulIOPS, disk.VMs, MeasuredType, h.ceiling)
		gib, _ := h.vmdata.WholeSize().Get()
		if useful.IOPS > ebs.MaxIOPS(h.limits, gib) {
			return nil // the volume is too small for more
		}
		return []finding.Finding{RuleVMDataIOPS.New(finding.Info, "iops",
			fmt.Sprintf("IOPS were filled in with %s, enough for buffered builds of %s. They allow %s random reads and %s random writes a second in the guests; %s IOPS would allow %s and %s (%s).",
				units.Count(s.IOPS), vms, units.Number(disk.GuestRead), units.Number(disk.GuestWrite),
				units.Count(useful.IOPS), units.Number(most.GuestRead), units.Number(most.GuestWrite), measured),
			fmt.Sprintf("If VolumeReadOps and VolumeWriteOps of real jobs come near them, write %s (%s).", h.judge.Set(s, useful), h.judge.Change(s, useful)))}
	}
	return nil
}

// vmLimit: Apple's licence, and its virtualisation framework, stop at two.
func (h *host) vmLimit() []finding.Finding {
	n, ok := h.vms.Get()
	if !ok || n <= MaxGuests {
		return nil
	}
	return []finding.Finding{RuleVMLimit.New(finding.Error, "vms_per_host",
		fmt.Sprintf("%s macOS guests are planned on each host, but a Mac runs %d at most: Apple's licence allows no more, and the third does not start. Linux guests do not count.", units.Count(n), MaxGuests),
		fmt.Sprintf("Write vms_per_host = %d and more hosts.", MaxGuests))}
}

// gracePeriod: the prediction against the time that the host is allowed.
func (h *host) gracePeriod() []finding.Finding {
	ready, ok := h.startup.ready.Get()
	allowed, allowedKnown := h.GracePeriodSeconds.Get()
	launch, launchKnown := h.LaunchSeconds.Or(decimal.Zero).Get()
	if !ok || !allowedKnown || !launchKnown {
		return nil
	}
	limit := allowed.InexactFloat64()
	total := ready + launch.InexactFloat64()
	parts := ""
	if launch.IsPositive() {
		parts = fmt.Sprintf(" (%s s of launching and %s s from boot)", units.Decimal(launch), units.Number(roundSeconds(ready)))
	}
	enough := units.Number(ceil(total / (1 - graceMargin)))
	fix := fmt.Sprintf("Allow %s s, or make the host ready sooner.", enough)
	switch margin := limit - total; {
	case margin < 0:
		return []finding.Finding{RuleGracePeriod.New(finding.Error, "grace_period_seconds",
			fmt.Sprintf("The host is predicted to be ready after %s s%s, but is allowed %s s. It is replaced before it is ready, every time, and each replacement takes another dedicated host.",
				units.Number(roundSeconds(total)), parts, units.Decimal(allowed)), fix)}
	case margin < graceMargin*limit:
		return []finding.Finding{RuleGracePeriod.New(finding.Warning, "grace_period_seconds",
			fmt.Sprintf("The host is predicted to be ready after %s s%s of the %s s that it is allowed. That leaves %s %%; the prediction alone is uncertain by %s %%, and pulls vary.",
				units.Number(roundSeconds(total)), parts, units.Decimal(allowed), units.Number(margin/limit*100), units.Number(ErrorPercent)), fix)}
	}
	return nil
}

// Mapping is a block device mapping of a launch template or an instance.
type Mapping struct {
	// DeviceName is null if it was left out, unknown if it is not known yet.
	DeviceName optional.Value[string]
}

// RootDeviceName is the device that macOS images boot from.
const RootDeviceName = "/dev/sda1"

// rootLike are devices that other images boot from, and slips of the Mac's own:
// a mapping of one of them on a Mac was meant for the root.
var rootLike = []string{"/dev/xvda", "/dev/sda", "/dev/xvda1", "xvda", "sda1", "sda", "/dev/nvme0n1"}

// RootDevice judges the block device mappings of a Mac: settings for the root
// reach it only on /dev/sda1. A mapping that looks like another system's root
// adds a stray volume and leaves the root as the image has it. Data mappings
// are fine with or without one for the root.
func RootDevice(mappings []Mapping, attribute string) []finding.Finding {
	var stray []string
	for _, m := range mappings {
		name, ok := m.DeviceName.Get()
		if !ok && m.DeviceName.IsUnknown() || name == RootDeviceName {
			return nil
		}
		if slices.Contains(rootLike, name) {
			stray = append(stray, name)
		}
	}
	if len(stray) == 0 {
		return nil
	}
	return []finding.Finding{RuleRootDevice.New(finding.Error, attribute,
		fmt.Sprintf("macOS images boot from %s, which has no mapping; %s adds an empty second volume, and the root keeps what the image says.", RootDeviceName, strings.Join(stray, " and ")),
		fmt.Sprintf("Write %s = %q (or the image's root_device_name).", attribute, RootDeviceName))}
}

// ImageDefault is the advice about a Mac whose root has no mapping at all.
func ImageDefault(path string) finding.Finding {
	return RuleRootThroughput.New(finding.Info, path,
		"There is no mapping for the root, so its size and speed are the image's own, which are not visible here. Images from AWS have the gp3 default of 125 MiB/s.",
		fmt.Sprintf("Map %s with 750 MiB/s, which the free 3,000 IOPS carry.", RootDeviceName))
}

// roundSeconds rounds to half a second, the precision of everything predicted here.
func roundSeconds(s float64) float64 { return float64(int64(s*2+0.5)) / 2 }

func ceil(f float64) float64 {
	n := float64(int64(f))
	if n < f {
		n++
	}
	return n
}
