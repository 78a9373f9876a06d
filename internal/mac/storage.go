package mac

import (
	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// Storage is one EC2 Mac host's volumes as somebody wrote them. Unknown
// members are waited for: nothing is said of them and what depends on them is
// unknown, while the rest is judged.
type Storage struct {
	InstanceType optional.Value[string]
	Region       string
	// GracePeriodSeconds is the time that a host is allowed to take until it is
	// ready: the group's health check grace period, or the lifecycle hook's timeout.
	GracePeriodSeconds optional.Value[decimal.Decimal]
	// LaunchSeconds is what of AWS's own launch falls inside that time; 0 if null.
	LaunchSeconds optional.Value[decimal.Decimal]
	// VMsPerHost is how many VMs run at a time; DefaultVMsPerHost if null.
	VMsPerHost   optional.Value[decimal.Decimal]
	Root, VMData optional.Value[StorageVolume]
	Images       optional.Value[StorageImages]
	Calibration  optional.Value[Calibration]
}

// DefaultVMsPerHost is how many VMs are expected on a host if nobody says.
const DefaultVMsPerHost = MaxGuests

// StorageVolume is one volume of a host.
type StorageVolume struct {
	Type                             optional.Value[string]
	SizeGiB, IOPS, ThroughputMiBPerS optional.Value[decimal.Decimal]
	// FromSnapshot says that the volume is restored from a snapshot; null is true
	// for the root, which is restored from the AMI, and false for VMData.
	FromSnapshot optional.Value[bool]
}

// StorageImages are the VM images to pull.
type StorageImages struct {
	Count, SizeGiB optional.Value[decimal.Decimal]
}

// StorageResult is what follows from a Storage. A null member does not apply;
// an unknown one waits for an input.
type StorageResult struct {
	// The settings with left-out ones filled in: the cheapest valid.
	RootIOPS, RootThroughputMiBPerS     optional.Value[decimal.Decimal]
	VMDataIOPS, VMDataThroughputMiBPerS optional.Value[decimal.Decimal]
	// InstanceThroughput is the ceiling of the instance for all volumes together.
	InstanceThroughput optional.Value[units.MiBPerS]
	// ProvisionedThroughput is the sum over the volumes.
	ProvisionedThroughput optional.Value[units.MiBPerS]
	BootSeconds           optional.Value[float64]
	PullSeconds           optional.Value[float64]
	ReadySeconds          optional.Value[float64]
	// GraceMarginSeconds is what is left of the allowed time; negative if the host
	// is too late.
	GraceMarginSeconds       optional.Value[float64]
	GuestReadIOPS            optional.Value[float64]
	GuestWriteIOPS           optional.Value[float64]
	MonthlyCostUSD           optional.Value[decimal.Decimal]
	Findings                 []finding.Finding
	FindingsWaitForAnUnknown bool
}

// rootThroughput is what a left-out root throughput is filled in with: the most
// that the free IOPS carry, because a boot from a snapshot is bound by it.
const rootThroughput = 750

const (
	// rootFloor is AWS's general recommendation for a Mac's volume; below it a
	// snapshot-restored root was seen to fail launches.
	rootFloor = 400
	// usualImageGiB is the size of a macOS AMI's snapshot.
	usualImageGiB = 100
)

// graceMargin is the part of the allowed time that should be left over.
var graceMargin = decimal.RequireFromString("0.2")

// host is a Storage in work: filled in, with the values that rules share.
type host struct {
	Storage
	cat      *catalog.Catalog
	judge    ebs.Judge
	limits   catalog.GP3Limits
	instance optional.Value[catalog.Instance]
	ceiling  optional.Value[catalog.EBSCeiling]
	vms      optional.Value[int64]
	images   optional.Value[Images]
	model    Model

	root, vmdata                     ebs.Volume
	hasVMData                        optional.Value[bool] // known, or unknown while the block is
	rootThroughput, vmdataThroughput optional.Value[units.MiBPerS]
	startup                          startupTimes
	// vmdataFilled says that VMData's IOPS were filled in, not written.
	vmdataFilled bool
}

type startupTimes struct{ boot, pull, ready optional.Value[float64] }

// EvaluateStorage fills in what was left out, predicts the start-up and applies
// the rules. The names of settings in findings are those of the guard.
func EvaluateStorage(cat *catalog.Catalog, s Storage) StorageResult {
	h := &host{
		Storage: s, cat: cat,
		judge:  ebs.Judge{Catalog: cat, Limits: catalog.CurrentLimits, Region: s.Region, Names: ebs.OurNames},
		limits: cat.GP3(catalog.CurrentLimits),
	}
	var instanceFindings []finding.Finding
	h.instance, instanceFindings = h.judge.Instance(s.InstanceType)
	h.ceiling = optional.Then(h.instance, func(i catalog.Instance) optional.Value[catalog.EBSCeiling] { return i.EBS })
	h.vms = wholeNumber(s.VMsPerHost.Or(decimal.NewFromInt(DefaultVMsPerHost)))
	h.images = optional.Then(s.Images, func(i StorageImages) optional.Value[Images] {
		return optional.Map2(i.Count, i.SizeGiB, func(n, gib decimal.Decimal) Images {
			return Images{Count: n.IntPart(), SizeGiB: gib.InexactFloat64()}
		})
	})
	h.model = NewModel(s.InstanceType, s.Calibration)
	h.fillIn()
	h.predict()

	r := h.result()
	r.Findings = append(r.Findings, instanceFindings...)
	r.Findings = append(r.Findings, h.findings()...)
	r.Findings = finding.Merge(r.Findings)
	return r
}

// fillIn completes the gp3 settings with the cheapest valid ones.
func (h *host) fillIn() {
	root, present := h.Root.Get()
	if present {
		h.fillInRoot(root)
	} else if h.Root.IsUnknown() {
		h.root.Type = optional.Unknown[string]()
		h.root.SizeGiB = optional.Unknown[decimal.Decimal]()
		h.root.IOPS, h.root.ThroughputMiBPerS = h.root.SizeGiB, h.root.SizeGiB
		h.rootThroughput = optional.Unknown[units.MiBPerS]()
	}
	h.hasVMData = known(h.VMData)
	if vmdata, present := h.VMData.Get(); present {
		h.fillInVMData(vmdata)
	}
}

func (h *host) fillInRoot(root StorageVolume) {
	h.root = volume("root", root)
	h.root.ThroughputJudged = true
	if t, ok := root.Type.Or(ebs.TypeGP3).Get(); ok && t == ebs.TypeGP3 {
		h.root.ThroughputMiBPerS = root.ThroughputMiBPerS.OrElse(h.cutToVolume(root, h.cutToInstance(rootThroughput)))
		h.root.IOPS = root.IOPS.OrElse(h.cheapestIOPS(h.root, optional.Known(int64(0))))
	} else if !ok {
		h.root.ThroughputMiBPerS = waitIfNull(root.ThroughputMiBPerS)
		h.root.IOPS = waitIfNull(root.IOPS)
	}
	h.rootThroughput = h.root.Throughput(h.cat, catalog.CurrentLimits)
}

func (h *host) fillInVMData(vmdata StorageVolume) {
	h.vmdata = volume("vmdata", vmdata)
	h.vmdata.IOPSBound = true // its load is the random I/O of VMs
	h.vmdata.ThroughputJudged = !h.Images.IsNull()
	h.vmdataFilled = vmdata.IOPS.IsNull()
	if t, ok := vmdata.Type.Or(ebs.TypeGP3).Get(); ok && t == ebs.TypeGP3 {
		h.vmdata.ThroughputMiBPerS = vmdata.ThroughputMiBPerS.OrElse(h.cutToVolume(vmdata, h.pullThroughput()))
		forVMs := optional.Map(h.vms, func(n int64) int64 { return n * BufferedIOPSPerVM })
		h.vmdata.IOPS = vmdata.IOPS.OrElse(h.cheapestIOPS(h.vmdata, forVMs))
	} else if !ok {
		h.vmdata.ThroughputMiBPerS = waitIfNull(vmdata.ThroughputMiBPerS)
		h.vmdata.IOPS = waitIfNull(vmdata.IOPS)
	}
	h.vmdataThroughput = h.vmdata.Throughput(h.cat, catalog.CurrentLimits)
}

// volume is the general form of one of the host's volumes.
func volume(name string, v StorageVolume) ebs.Volume {
	return ebs.Volume{Name: name, Type: v.Type, SizeGiB: v.SizeGiB, IOPS: v.IOPS, ThroughputMiBPerS: v.ThroughputMiBPerS}
}

// waitIfNull: while the type is unknown, nobody can say whether a left-out
// setting will be filled in.
func waitIfNull(v optional.Value[decimal.Decimal]) optional.Value[decimal.Decimal] {
	if v.IsNull() {
		return optional.Unknown[decimal.Decimal]()
	}
	return v
}

// known says whether a block is there; unknown while that is not known.
func known[T any](v optional.Value[T]) optional.Value[bool] {
	if v.IsUnknown() {
		return optional.Unknown[bool]()
	}
	return optional.Known(!v.IsNull())
}

// cutToInstance is a throughput of at most what the instance carries, in whole
// MiB/s; it waits for the instance type.
func (h *host) cutToInstance(t int64) optional.Value[decimal.Decimal] {
	if h.InstanceType.IsUnknown() {
		return optional.Unknown[decimal.Decimal]()
	}
	if c, ok := h.ceiling.Get(); ok {
		t = max(h.limits.ThroughputMiB.Min, min(t, int64(c.Maximum.Throughput())))
	}
	return optional.Known(decimal.NewFromInt(t))
}

// pullThroughput is what a left-out VMData throughput is filled in with: 350
// MiB/s an image, the free baseline without images.
func (h *host) pullThroughput() optional.Value[decimal.Decimal] {
	count := optional.Then(h.Images, func(i StorageImages) optional.Value[int64] { return wholeNumber(i.Count) })
	if count.IsNull() {
		return optional.Known(decimal.NewFromInt(h.limits.ThroughputMiB.Min))
	}
	return optional.Then(count, func(n int64) optional.Value[decimal.Decimal] {
		t := min(h.limits.ThroughputMiB.Max, max(h.limits.ThroughputMiB.Min, n*PullThroughputPerImage))
		return h.cutToInstance(t)
	})
}

// cutToVolume is a throughput to fill in, of at most what the volume's IOPS
// carry: those that were written, or else the most that its size allows. So what
// is filled in is never at fault.
func (h *host) cutToVolume(v StorageVolume, throughput optional.Value[decimal.Decimal]) optional.Value[decimal.Decimal] {
	return optional.Then(throughput, func(want decimal.Decimal) optional.Value[decimal.Decimal] {
		iops := wholeNumber(v.IOPS)
		if v.IOPS.IsNull() {
			iops = h.mostIOPS(v.SizeGiB, ebs.MinIOPS(h.limits, want.IntPart()))
		}
		return optional.Map(iops, func(n int64) decimal.Decimal {
			return decimal.Min(want, decimal.NewFromInt(ebs.MaxThroughput(h.limits, n)))
		})
	})
}

// cheapestIOPS are the fewest IOPS that carry the volume's throughput and a
// demand, as far as the volume's size allows. Where it does not allow them, the
// throughput is at fault and not what is filled in here.
func (h *host) cheapestIOPS(v ebs.Volume, demand optional.Value[int64]) optional.Value[decimal.Decimal] {
	return optional.Then(optional.Both(wholeNumber(v.ThroughputMiBPerS), demand), func(p optional.Pair[int64, int64]) optional.Value[decimal.Decimal] {
		return optional.Map(h.mostIOPS(v.SizeGiB, max(ebs.MinIOPS(h.limits, p.A), p.B)), decimal.NewFromInt)
	})
}

// mostIOPS are wanted IOPS, at most what a volume of this size may have.
func (h *host) mostIOPS(sizeGiB optional.Value[decimal.Decimal], want int64) optional.Value[int64] {
	return ebs.IOPSWithin(h.limits, wholeNumber(sizeGiB), want)
}

// predict works out the start-up as far as its inputs are known.
func (h *host) predict() {
	if h.InstanceType.IsUnknown() || h.Calibration.IsUnknown() {
		u := optional.Unknown[float64]()
		h.startup = startupTimes{u, u, u}
		if h.Images.IsNull() {
			h.startup.pull = optional.Known(0.0)
		}
		return
	}
	h.startup.boot = optional.Map(h.rootThroughput, func(t units.MiBPerS) float64 {
		s, _ := h.model.BootSeconds(t, h.ceiling)
		return s
	})
	h.startup.pull = h.pullSeconds()
	h.startup.ready = optional.Map2(h.startup.boot, h.startup.pull, func(b, p float64) float64 { return b + p + h.model.ReadyFixedSeconds })
}

func (h *host) pullSeconds() optional.Value[float64] {
	if h.Images.IsNull() {
		return optional.Known(0.0)
	}
	target := h.vmdataThroughput
	if h.VMData.IsNull() {
		// Without a data volume the images are unpacked on the root.
		target = h.rootThroughput
	} else if h.VMData.IsUnknown() {
		return optional.Unknown[float64]()
	}
	return optional.Map2(h.images, target, func(i Images, t units.MiBPerS) float64 {
		s, _ := h.model.PullSeconds(i, t, h.ceiling)
		return s
	})
}

// result collects the derived values.
func (h *host) result() StorageResult {
	r := StorageResult{
		RootIOPS: h.root.IOPS, RootThroughputMiBPerS: h.root.ThroughputMiBPerS,
		InstanceThroughput: optional.Map(h.ceilingOrWait(), func(c catalog.EBSCeiling) units.MiBPerS { return c.Maximum.Throughput() }),
		BootSeconds:        h.startup.boot, PullSeconds: h.startup.pull, ReadySeconds: h.startup.ready,
	}
	r.GraceMarginSeconds = optional.Map(h.grace(), func(g grace) float64 { return g.margin().InexactFloat64() })
	rootCost := h.cost(h.root)
	present, isKnown := h.hasVMData.Get()
	switch {
	case !isKnown:
		r.VMDataIOPS, r.VMDataThroughputMiBPerS = optional.Unknown[decimal.Decimal](), optional.Unknown[decimal.Decimal]()
		r.ProvisionedThroughput = optional.Unknown[units.MiBPerS]()
		r.GuestReadIOPS, r.GuestWriteIOPS = optional.Unknown[float64](), optional.Unknown[float64]()
		r.MonthlyCostUSD = optional.Unknown[decimal.Decimal]()
	case present:
		r.VMDataIOPS, r.VMDataThroughputMiBPerS = h.vmdata.IOPS, h.vmdata.ThroughputMiBPerS
		r.ProvisionedThroughput = optional.Map2(h.rootThroughput, h.vmdataThroughput, func(a, b units.MiBPerS) units.MiBPerS { return a + b })
		disk := h.vmDisk()
		r.GuestReadIOPS = optional.Map(disk, func(d VMDisk) float64 { return d.GuestRead })
		r.GuestWriteIOPS = optional.Map(disk, func(d VMDisk) float64 { return d.GuestWrite })
		r.MonthlyCostUSD = optional.Map2(rootCost, h.cost(h.vmdata), decimal.Decimal.Add)
	default:
		r.ProvisionedThroughput = h.rootThroughput
		r.MonthlyCostUSD = rootCost
	}
	r.FindingsWaitForAnUnknown = h.waits()
	return r
}

// grace is the allowed time against the predicted one.
type grace struct {
	allowed, launch decimal.Decimal
	// ready is rounded as it is shown, so that the margin is the difference of what
	// people see.
	ready decimal.Decimal
}

// total is the predicted time that counts against the allowed one.
func (g grace) total() decimal.Decimal { return g.ready.Add(g.launch) }

// margin is what is left of the allowed time.
func (g grace) margin() decimal.Decimal { return g.allowed.Sub(g.total()) }

// grace is null without an allowed time, unknown while it waits for an input.
func (h *host) grace() optional.Value[grace] {
	if h.GracePeriodSeconds.IsNull() {
		return optional.Null[grace]() // whatever else is still unknown
	}
	launch := h.LaunchSeconds.Or(decimal.Zero)
	return optional.Map2(h.GracePeriodSeconds, optional.Both(h.startup.ready, launch), func(allowed decimal.Decimal, p optional.Pair[float64, decimal.Decimal]) grace {
		return grace{allowed: allowed, launch: p.B, ready: decimal.NewFromFloat(roundSeconds(p.A))}
	})
}

// ceilingOrWait is the instance's ceiling, unknown while the type is.
func (h *host) ceilingOrWait() optional.Value[catalog.EBSCeiling] {
	if h.InstanceType.IsUnknown() {
		return optional.Unknown[catalog.EBSCeiling]()
	}
	return h.ceiling
}

func (h *host) cost(v ebs.Volume) optional.Value[decimal.Decimal] {
	return optional.Map(v.Cost(h.cat, catalog.CurrentLimits, h.Region), ebs.Cost.TotalUSD)
}

// vmDisk is what the VMs can do; null if there are more than were measured.
func (h *host) vmDisk() optional.Value[VMDisk] {
	if h.InstanceType.IsUnknown() {
		return optional.Unknown[VMDisk]()
	}
	typ, _ := h.InstanceType.Get()
	return optional.Then(optional.Both(wholeNumber(h.vmdata.IOPS), h.vms), func(p optional.Pair[int64, int64]) optional.Value[VMDisk] {
		if _, measured := plateau[p.B]; !measured {
			return optional.Null[VMDisk]()
		}
		return optional.Known(PredictVMDisk(p.A, p.B, typ, h.ceiling))
	})
}

// waits says whether any input is unknown.
func (h *host) waits() bool {
	unknown := h.InstanceType.IsUnknown() || h.GracePeriodSeconds.IsUnknown() || h.LaunchSeconds.IsUnknown() ||
		h.VMsPerHost.IsUnknown() || h.Root.IsUnknown() || h.VMData.IsUnknown() || h.Images.IsUnknown() || h.Calibration.IsUnknown()
	for _, b := range []optional.Value[StorageVolume]{h.Root, h.VMData} {
		v, _ := b.Get()
		unknown = unknown || v.Type.IsUnknown() || v.SizeGiB.IsUnknown() || v.IOPS.IsUnknown() ||
			v.ThroughputMiBPerS.IsUnknown() || v.FromSnapshot.IsUnknown()
	}
	i, _ := h.Images.Get()
	return unknown || i.Count.IsUnknown() || i.SizeGiB.IsUnknown()
}

// wholeNumber is a figure that was checked to be whole and of a sane size by
// Storage.Problems.
func wholeNumber(v optional.Value[decimal.Decimal]) optional.Value[int64] {
	return optional.Map(v, decimal.Decimal.IntPart)
}
