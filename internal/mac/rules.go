package mac

import (
	"embed"
	"fmt"
	"math"
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
	RuleVMDataSize       = rule("mac-vmdata-size", "VMData volume is smaller than its images", finding.Error, finding.Info)
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
		fs = append(fs, finding.Under("root", "root", h.rootVolume())...)
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

// rootVolume applies the general rules to the root. A slow one of an older type
// is told elsewhere to become a faster gp3, so the advice to keep its speed on
// gp3 would contradict that.
func (h *host) rootVolume() []finding.Finding {
	fs := h.judge.Volume(h.root, h.instance)
	b, _ := h.Root.Get()
	snapshot, isKnown := b.FromSnapshot.Or(true).Get()
	if t, ok := h.rootThroughput.Get(); ok && t < rootThroughput && (snapshot || !isKnown) {
		fs = slices.DeleteFunc(fs, func(f finding.Finding) bool { return f.Rule == ebs.RuleVolumeTypeLegacy.ID })
	}
	return fs
}

func (h *host) rootRules() []finding.Finding {
	b, _ := h.Root.Get()
	var fs []finding.Finding
	fs = append(fs, h.rootType()...)
	if snapshot, ok := b.FromSnapshot.Or(true).Get(); ok && snapshot {
		fs = append(fs, h.rootThroughputRule()...)
		fs = append(fs, RootSize(h.judge.Names, h.root)...)
	}
	if h.VMData.IsNull() {
		// Only advice: the volume for the images may be configured elsewhere.
		fs = append(fs, h.imagesFit(finding.Info, b, h.root, "Without a vmdata block the images are taken to be unpacked on the root. ", ", or add a vmdata block; macOS, running VMs and downloads in progress need room besides.")...)
	}
	return fs
}

// rootType: some volume types cannot be booted from.
func (h *host) rootType() []finding.Finding {
	name, _ := h.root.Type.Get()
	if t, ok := h.cat.VolumeType(name); !ok || t.Bootable {
		return nil
	}
	return []finding.Finding{ebs.RuleVolumeTypeAttribute.New(finding.Error, h.judge.Names.Type,
		fmt.Sprintf("EC2 boots from no %s volume: hard disks are for data.", name),
		fmt.Sprintf("Write %s = \"gp3\".", h.judge.Names.Type))}
}

// RootSize judges the size of a root volume against that of the usual image.
func RootSize(names ebs.Names, root ebs.Volume) []finding.Finding {
	gib, ok := root.WholeSize().Get()
	switch {
	case !ok || gib == usualImageGiB:
		return nil
	case gib < usualImageGiB:
		return []finding.Finding{RuleRootSize.New(finding.Warning, names.Size,
			fmt.Sprintf("%s GiB are less than the %d GiB of the usual macOS image; EC2 refuses a root that is smaller than its snapshot.", units.Count(gib), usualImageGiB),
			fmt.Sprintf("Write %s = %d, unless your own image is smaller.", names.Size, usualImageGiB))}
	}
	return []finding.Finding{RuleRootSize.New(finding.Info, names.Size,
		fmt.Sprintf("%s GiB are more than the %d GiB of the usual macOS image. macOS sees the rest only after its APFS container has been grown.", units.Count(gib), usualImageGiB),
		"Grow the container at boot (diskutil repairDisk, then diskutil apfs resizeContainer), or check that your image does.")}
}

// rootThroughputRule: a boot from a snapshot is bound by the root's throughput.
func (h *host) rootThroughputRule() []finding.Finding {
	t, ok := h.rootThroughput.Get()
	if !ok || h.InstanceType.IsUnknown() || h.Calibration.IsUnknown() {
		return nil
	}
	severity := finding.Error
	if t >= rootFloor {
		severity = finding.Info
	}
	return RootThroughput(h.judge, h.root, t, h.ceiling, h.model, severity)
}

// RootSetting is the setting that a root boots fastest with for nothing but its
// throughput: what the free IOPS carry, at most what the instance does.
func RootSetting(l catalog.GP3Limits, ceiling optional.Value[catalog.EBSCeiling]) ebs.GP3 {
	s := ebs.GP3{IOPS: l.IOPS.Min, ThroughputMiBPerS: rootThroughput}
	if c, ok := ceiling.Get(); ok {
		s.ThroughputMiBPerS = min(s.ThroughputMiBPerS, int64(c.Maximum.Throughput()))
	}
	return s
}

// RootThroughput judges the throughput of a root volume that is restored from
// a snapshot. Below AWS's recommendation for Macs the finding has the given
// severity (an error where the user has said that this is such a volume, a
// warning where that is inferred); up to what the free IOPS carry it is advice.
func RootThroughput(j ebs.Judge, root ebs.Volume, t units.MiBPerS, ceiling optional.Value[catalog.EBSCeiling], model Model, below finding.Severity) []finding.Finding {
	l := j.Catalog.GP3(catalog.CurrentLimits)
	want := RootSetting(l, ceiling)
	if t >= units.MiBPerS(want.ThroughputMiBPerS) {
		return nil
	}
	severity, why := below, fmt.Sprintf("below AWS's %d MiB/s for Macs, launches were seen to fail", rootFloor)
	if t >= rootFloor {
		severity, why = finding.Info, fmt.Sprintf("AWS's %d MiB/s are a floor", rootFloor)
	}
	now, _ := model.BootSeconds(t, ceiling)
	then, _ := model.BootSeconds(units.MiBPerS(want.ThroughputMiBPerS), ceiling)
	message := fmt.Sprintf("A root restored from a snapshot boots as fast as it can be read: at %s the predicted time from boot to downloads is %s s, at %d MiB/s it is %s s (%s).",
		t, units.Number(roundSeconds(now)), want.ThroughputMiBPerS, units.Number(roundSeconds(then)), why) + model.caveat(t)

	s, isGP3 := root.Settings(l).Get()
	if !isGP3 {
		return []finding.Finding{RuleRootThroughput.New(severity, j.Names.Type, message,
			fmt.Sprintf("Write %s = \"gp3\" and %s = %d%s; its free %s IOPS carry it.", j.Names.Type, j.Names.Throughput, want.ThroughputMiBPerS, toGP3(j, root, want), units.Count(want.IOPS)))}
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

// toGP3 is the price of making a volume of another type a gp3, in brackets;
// nothing if it is not known.
func toGP3(j ebs.Judge, v ebs.Volume, to ebs.GP3) string {
	was, known := v.Cost(j.Catalog, catalog.CurrentLimits, j.Region).Get()
	v.Type = optional.Known(ebs.TypeGP3)
	v.IOPS, v.ThroughputMiBPerS = optional.Known(decimal.NewFromInt(to.IOPS)), optional.Known(decimal.NewFromInt(to.ThroughputMiBPerS))
	becomes, priced := v.Cost(j.Catalog, catalog.CurrentLimits, j.Region).Get()
	if !known || !priced {
		return ""
	}
	return " (" + units.SignedUSD(becomes.TotalUSD().Sub(was.TotalUSD())) + " a month)"
}

func (h *host) vmdataRules() []finding.Finding {
	b, _ := h.VMData.Get()
	var fs []finding.Finding
	if snapshot, ok := b.FromSnapshot.Or(false).Get(); ok && snapshot {
		fs = append(fs, RuleVMDataSnapshot.New(finding.Warning, "from_snapshot",
			"Blocks of a volume restored from a snapshot are fetched from S3 when they are first touched, so VMs run at the speed of that fetch and not of the volume.",
			"Create VMData empty (from_snapshot = false) and pull the images at boot."))
	}
	fs = append(fs, h.vmdataSizeRule(b)...)
	fs = append(fs, h.vmdataThroughputRule()...)
	fs = append(fs, h.vmdataIOPSRule()...)
	return fs
}

// vmdataSizeRule: the images have to fit.
func (h *host) vmdataSizeRule(b StorageVolume) []finding.Finding {
	return h.imagesFit(finding.Error, b, h.vmdata, "", "; running VMs and downloads in progress need room besides.")
}

// imagesFit says that a volume cannot hold the images. Decimals, because 1.1 GiB
// a hundred times are 110 GiB and not a trifle more.
func (h *host) imagesFit(severity finding.Severity, b StorageVolume, v ebs.Volume, why, besides string) []finding.Finding {
	images, _ := h.Images.Get()
	size, sizeKnown := b.SizeGiB.Get()
	each, eachKnown := images.SizeGiB.Get()
	count, countKnown := images.Count.Get()
	need := count.Mul(each)
	if !sizeKnown || !eachKnown || !countKnown || !size.LessThan(need) {
		return nil
	}
	return []finding.Finding{RuleVMDataSize.New(severity, "size_gib",
		why+fmt.Sprintf("%s GiB cannot hold %s of %s GiB, which are %s GiB.", units.Decimal(size), units.Plural(count.IntPart(), "image"), units.Decimal(each), units.Decimal(need)),
		fmt.Sprintf("Write size_gib = %s at least%s%s", need.Ceil(), h.resize(v, need.Ceil().IntPart()), besides))}
}

// resize is the price of another size, in brackets; nothing for a type or a
// setting that it is not known for.
func (h *host) resize(v ebs.Volume, toGiB int64) string {
	gib, sizeKnown := v.WholeSize().Get()
	s, ok := v.Settings(h.limits).Get()
	if !sizeKnown || !ok {
		return ""
	}
	return " (" + h.judge.ChangeOf(gib, s, toGiB, s) + ")"
}

// vmdataThroughputRule: faster than the pull can use, or slower than it could.
func (h *host) vmdataThroughputRule() []finding.Finding {
	images, ok := h.images.Get()
	s, settingsKnown := h.vmdata.Settings(h.limits).Get()
	if !ok || !settingsKnown || h.InstanceType.IsUnknown() || h.Calibration.IsUnknown() {
		return nil
	}
	useful := max(h.limits.ThroughputMiB.Min, min(images.usefulThroughput(h.model.Calibration, h.ceiling), h.limits.ThroughputMiB.Max))
	rate := h.model.PipelineMiBPerS * units.MiBPerS(images.Count)
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
			fmt.Sprintf("Pulling %s uses %s at most (one pipeline each); %s are more than that.", units.Plural(images.Count, "image"), rate, t),
			fmt.Sprintf("Write %s (%s).", h.judge.Set(s, to), h.judge.Change(s, to)))
		f.MonthlySavingUSD = h.judge.Saving(s, to)
		return []finding.Finding{f}
	case t < rate && s.ThroughputMiBPerS < useful: // else the rest is less than a whole MiB/s
		now, _ := h.model.PullSeconds(images, t, h.ceiling)
		then, _ := h.model.PullSeconds(images, units.MiBPerS(useful), h.ceiling)
		return []finding.Finding{RuleVMDataThroughput.New(finding.Info, "throughput_mib_per_s",
			fmt.Sprintf("Pulling %s could use %s; at %s the pull takes a predicted %s s, at %d MiB/s %s s.",
				units.Plural(images.Count, "image"), rate, t, units.Number(roundSeconds(now)), useful, units.Number(roundSeconds(then))),
			fmt.Sprintf("Write %s (%s).", h.judge.Set(s, to), h.judge.Change(s, to)))}
	}
	return nil
}

// vmdataIOPSRule: what the VMs can use of the volume's IOPS.
func (h *host) vmdataIOPSRule() []finding.Finding {
	disk, ok := h.vmDisk().Get()
	if !ok {
		return nil
	}
	s, isGP3 := h.vmdata.Settings(h.limits).Get()
	if !isGP3 {
		return h.provisionedIOPSRule(disk)
	}
	useful := ebs.GP3{ThroughputMiBPerS: s.ThroughputMiBPerS, IOPS: max(disk.UsefulIOPS, ebs.MinIOPS(h.limits, s.ThroughputMiBPerS))}
	if s.IOPS > useful.IOPS {
		return []finding.Finding{moreThanVMsUse(disk, s.IOPS,
			fmt.Sprintf("Write %s (%s).", h.judge.Set(s, useful), h.judge.Change(s, useful)), h.judge.Saving(s, useful))}
	}
	if h.vmdataFilled && s.IOPS < disk.UsefulIOPS {
		most := PredictVMDisk(disk.UsefulIOPS, disk.VMs, MeasuredType, h.ceiling)
		gib, _ := h.vmdata.WholeSize().Get()
		if useful.IOPS > ebs.MaxIOPS(h.limits, gib) {
			return nil // the volume is too small for more
		}
		return []finding.Finding{RuleVMDataIOPS.New(finding.Info, "iops",
			fmt.Sprintf("IOPS were filled in with %s, enough for buffered builds of %s. They allow %s random reads and %s random writes a second in the guests; %s IOPS would allow %s and %s (%s).",
				units.Count(s.IOPS), units.Plural(disk.VMs, "VM"), units.Number(disk.GuestRead), units.Number(disk.GuestWrite),
				units.Count(useful.IOPS), units.Number(most.GuestRead), units.Number(most.GuestWrite), measured),
			fmt.Sprintf("If VolumeReadOps and VolumeWriteOps of real jobs come near them, write %s (%s).", h.judge.Set(s, useful), h.judge.Change(s, useful)))}
	}
	return nil
}

// measured qualifies what was seen on one type.
const measured = "measured on " + MeasuredType

// moreThanVMsUse: beyond a point the virtualisation layer, not the volume, is the limit.
func moreThanVMsUse(disk VMDisk, iops int64, fix string, saving decimal.NullDecimal) finding.Finding {
	severity := finding.Info
	if iops > MostUsefulIOPS {
		severity = finding.Warning
	}
	f := RuleVMDataIOPS.New(severity, "iops",
		fmt.Sprintf("Random I/O of %s reaches %s IOPS on the host and no more, because the virtualisation layer is the limit (%s); %s are provisioned.",
			units.Plural(disk.VMs, "VM"), units.Count(disk.UsefulIOPS), measured, units.Count(iops)), fix)
	f.MonthlySavingUSD = saving
	return f
}

// provisionedIOPSRule is vmdataIOPSRule for the types that charge for every IOPS.
func (h *host) provisionedIOPSRule(disk VMDisk) []finding.Finding {
	name, _ := h.vmdata.Type.Get()
	iops, ok := wholeNumber(h.vmdata.IOPS).Get()
	if t, known := h.cat.VolumeType(name); !ok || !known || t.IOPS.IsNull() || iops <= disk.UsefulIOPS {
		return nil
	}
	fix, saving := h.judge.FewerProvisioned(name, iops, disk.UsefulIOPS)
	return []finding.Finding{moreThanVMsUse(disk, iops, fix, saving)}
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
	g, ok := h.grace().Get()
	if !ok {
		return nil
	}
	parts := ""
	if g.launch.IsPositive() {
		parts = fmt.Sprintf(" (%s s of launching and %s s from boot)", units.Decimal(g.launch), units.Decimal(g.ready))
	}
	root, _ := h.rootThroughput.Get()
	caveat := h.model.caveat(root)
	fix := fmt.Sprintf("Allow %s s, or make the host ready sooner.", units.Decimal(g.total().Div(decimal.NewFromInt(1).Sub(graceMargin)).Ceil()))
	switch margin := g.margin(); {
	case margin.IsNegative():
		return []finding.Finding{RuleGracePeriod.New(finding.Error, "grace_period_seconds",
			fmt.Sprintf("The host is predicted to be ready after %s s%s, but is allowed %s s. It is replaced before it is ready, every time, and each replacement takes another dedicated host.",
				units.Decimal(g.total()), parts, units.Decimal(g.allowed))+caveat, fix)}
	case margin.LessThan(g.allowed.Mul(graceMargin)):
		return []finding.Finding{RuleGracePeriod.New(finding.Warning, "grace_period_seconds",
			fmt.Sprintf("The host is predicted to be ready after %s s%s of the %s s that it is allowed. That leaves %s %%; the prediction alone is uncertain by %s %%, and pulls vary.",
				units.Decimal(g.total()), parts, units.Decimal(g.allowed), units.Number(margin.Div(g.allowed).InexactFloat64()*100), units.Number(ErrorPercent))+caveat, fix)}
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
func roundSeconds(s float64) float64 { return math.Round(s*2) / 2 }
