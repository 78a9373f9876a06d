package mac

import (
	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

const (
	// MaxGuests is how many macOS guests may run on one Mac: Apple's licence allows
	// two, and its virtualisation framework refuses the third. Linux guests do not
	// count.
	MaxGuests = 2
	// MostUsefulIOPS is the most provisioned IOPS that were measured; beyond
	// them the virtualisation layer is the limit.
	MostUsefulIOPS = 16_000
	// guestWriteCost is how many host I/Os a guest's 4 KiB random write costs: Apple
	// silicon has pages of 16 KiB.
	guestWriteCost = 2
	// BufferedIOPSPerVM is what buffered builds were seen to use in a VM; they
	// coalesce their I/O to about 250 KiB.
	BufferedIOPSPerVM = 1_250
)

// plateau is the most host I/Os a second that the virtualisation layer passes,
// by the number of VMs: measured with fio, direct 4 KiB random I/O in nested
// VMs, on MeasuredType with 16,000 provisioned IOPS.
var plateau = map[int64]struct{ read, write int64 }{
	1: {read: 9_790, write: 7_190},
	2: {read: 14_200, write: 14_020},
}

// What bounds random I/O in VMs.
const (
	BoundVolume         = "volume"
	BoundVirtualization = "virtualization"
)

// VMDisk is what VMs can do on the data volume, in I/O operations a second of
// 4 KiB random I/O.
type VMDisk struct {
	VMs int64
	// HostRead and HostWrite are what the volume sees.
	HostRead, HostWrite int64
	// GuestRead and GuestWrite are what all VMs together see.
	GuestRead, GuestWrite float64
	// UsefulIOPS is the provisioned figure above which more buys nothing.
	UsefulIOPS int64
	BoundBy    string
	// Extrapolated says that the type is not the measured one.
	Extrapolated bool
}

// PredictVMDisk predicts random I/O of one or two VMs on a volume with
// provisioned IOPS: the lower of the volume, the virtualisation layer and the
// instance. vms must be 1 or 2.
func PredictVMDisk(provisionedIOPS, vms int64, instanceType string, ceiling optional.Value[catalog.EBSCeiling]) VMDisk {
	p := plateau[vms]
	cap := func(n int64) int64 {
		if c, ok := ceiling.Get(); ok {
			n = min(n, c.Maximum.IOPS)
		}
		return n
	}
	d := VMDisk{
		VMs:          vms,
		HostRead:     cap(min(provisionedIOPS, p.read)),
		HostWrite:    cap(min(provisionedIOPS, p.write)),
		UsefulIOPS:   cap(max(p.read, p.write)),
		Extrapolated: instanceType != MeasuredType,
	}
	d.GuestRead = float64(d.HostRead)
	d.GuestWrite = float64(d.HostWrite) / guestWriteCost
	switch {
	case provisionedIOPS < d.UsefulIOPS:
		d.BoundBy = BoundVolume
	case d.UsefulIOPS < max(p.read, p.write):
		d.BoundBy = BoundInstance
	default:
		d.BoundBy = BoundVirtualization
	}
	return d
}
