// Package catalog holds the dated facts that every answer starts from: what
// EC2 instance types can move to their disks, what EBS volumes allow and cost,
// what EC2 Mac hosts cost and how long AWS keeps them.
//
// The facts are embedded, so that a plan needs no account and no network.
// Every look-up says whether the catalogue knows, and every record says where
// it comes from and of what date it is. What the catalogue does not know is
// unknown: never zero, and never a fault of the user's.
package catalog

import (
	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// Source says where a fact comes from.
type Source struct {
	// Name of the publication, tool or file the fact was taken from.
	Name string
	// AsOf is the date of the fact, "2026-08-02"; only the month or the year where
	// no more is known, and empty for a price that the user gave.
	AsOf string
	// Confidence is "high", "medium" or "low", with a reason where there is one.
	Confidence string
}

// Instance is an EC2 instance type.
type Instance struct {
	Type  string
	VCPUs int
	// Cores as the API counts them, which is not how Apple does: mac2.metal has 4
	// here, and the 8 of its chip in Mac.CPUCores.
	Cores         int
	MemoryMiB     int64
	Architectures []string // "x86_64", "arm64", "x86_64_mac", "arm64_mac", "i386"
	BareMetal     bool
	CurrentGen    bool
	Network       string // as AWS words it: "Up to 10 Gigabit"
	// InstanceStoreGB is the size of local disks in 10^9 bytes, 0 if there are none.
	// For some Macs it is the internal disk, which AWS does not manage.
	InstanceStoreGB int64
	// MaxVolumes is how many EBS volumes can be attached at most.
	MaxVolumes int
	// EBS is null for the obsolete types for which AWS publishes no figures.
	EBS optional.Value[EBSCeiling]
	// Cards are the ceilings of each EBS card of a type that has more than one; EBS
	// is then their sum. Empty for all other types.
	Cards  []EBSCeiling
	Source Source
}

// IsMac says whether the type is an EC2 Mac, which runs on a dedicated host.
func (i Instance) IsMac() bool {
	for _, a := range i.Architectures {
		if a == "x86_64_mac" || a == "arm64_mac" {
			return true
		}
	}
	return false
}

// MemoryGiB is the memory in GiB.
func (i Instance) MemoryGiB() float64 { return float64(i.MemoryMiB) / units.MiBPerGiB }

// EBSCeiling is what an instance can move to and from all its EBS volumes
// together: what it sustains, and the maximum, which types that burst hold for
// at least 30 minutes in 24 hours.
type EBSCeiling struct {
	Sustained, Maximum EBSRate
}

// CanBurst says whether the maximum is above what the type sustains.
func (c EBSCeiling) CanBurst() bool { return c.Maximum != c.Sustained }

// EBSRate is one ceiling: bandwidth and I/O operations a second (of 16 KiB).
type EBSRate struct {
	Bandwidth units.MbitPerS
	IOPS      int64
}

// Throughput is the bandwidth in 2^20 bytes per second, as gp3 is provisioned.
func (r EBSRate) Throughput() units.MiBPerS { return r.Bandwidth.MiB() }

// Mac is what is known of an EC2 Mac type beyond its Instance.
type Mac struct {
	Type string
	// HostFamily is the name that a host resource group allows: "mac2-m2pro".
	HostFamily string
	Chip       string
	Machine    string // empty if AWS does not say
	// CPUCores is what AWS documents for the chip, which is what licences count;
	// null if AWS does not say.
	CPUCores optional.Value[int]
	// ScrubMinutesMax is how long AWS says that cleaning a host takes at most after
	// its instance stopped or was terminated. An Intel host whose firmware is
	// updated takes longer, see MacHostRules.
	ScrubMinutesMax int
	// Regions in which the type was offered on the source's date.
	Regions []string
	Source  Source
}

// MacHostRules are AWS's rules for dedicated Mac hosts.
type MacHostRules struct {
	MinimumAllocationHours int
	InstancesPerHost       int
	// LaunchMinutes is AWS's range for the launch of a Mac instance.
	LaunchMinutesMin, LaunchMinutesMax int
	// Longest documented scrub times in minutes.
	ScrubMinutesIntel, ScrubMinutesIntelFirmware, ScrubMinutesAppleCurrent, ScrubMinutesAppleOlder int
	// AWS's general recommendation for a Mac's volume.
	RecommendedIOPS       int64
	RecommendedThroughput units.MiBPerS
	Source                Source
}

// LimitSet names a generation of volume limits.
type LimitSet string

const (
	// CurrentLimits are those in force in AWS Regions.
	CurrentLimits LimitSet = "current"
	// ClassicLimits are gp3's before 2025-09-26, still in force on Outposts.
	ClassicLimits LimitSet = "classic"
)

// Range is a closed range of whole numbers.
type Range struct{ Min, Max int64 }

// Contains says whether n is in the range, ends included.
func (r Range) Contains(n int64) bool { return r.Min <= n && n <= r.Max }

// GP3Limits are the limits of gp3 volumes of one generation.
type GP3Limits struct {
	Set LimitSet
	// From is the date since which the limits hold, "2025-09-26".
	From          string
	SizeGiB       Range
	IOPS          Range // Min is what every volume of any size gets for nothing
	ThroughputMiB Range // MiB/s; Min is what every volume gets for nothing
	IOPSPerGiB    int64
	// IOPSPerMiB is how many provisioned IOPS one MiB/s takes: 4, AWS words it as
	// 0.25 MiB/s per IOPS.
	IOPSPerMiB int64
	Source     Source
}

// VolumeType is what the rules need to know of a volume type other than gp3.
type VolumeType struct {
	Name    string // "gp2", "io1", "io2", "st1", "sc1", "standard"
	SizeGiB Range
	// IOPS that may be provisioned; null where the type takes no such setting.
	IOPS optional.Value[Range]
	// IOPSPerGiB is the most IOPS a GiB carries; 0 where it does not apply.
	IOPSPerGiB int64
	// MaxThroughput is the most a volume of the type reaches.
	MaxThroughput units.MiBPerS
	// ThroughputSteps are lower ceilings that hold at few provisioned IOPS (io1),
	// MiBPerSPerIOPS is what a provisioned IOPS carries at most (io2), 0 where it
	// does not apply. ThroughputAt applies both.
	ThroughputSteps []ThroughputStep
	MiBPerSPerIOPS  float64
	Bootable        bool
	Source          Source
}

// VolumePrices are prices of EBS volumes in US dollars a month of 730 hours.
// A GB-month in AWS's price list is a GiB-month.
type VolumePrices struct {
	Region string
	// Currency is "USD": a look-up does not know Regions priced in another one.
	Currency string
	GP3      GP3Prices
	// Others by type name: gp2, io1, io2, st1, sc1; absent where not published.
	Others map[string]OtherPrices
	Source Source
}

// GP3Prices are the three prices of a gp3 volume: US dollars a month for a
// GiB, for an IOPS above the free baseline, for a MiB/s above it.
type GP3Prices struct {
	GiBMonth, IOPSMonth, MiBPerSMonth decimal.Decimal
}

// OtherPrices are the prices of a volume type other than gp3.
type OtherPrices struct {
	GiBMonth decimal.Decimal
	// IOPSTiers are the prices of provisioned IOPS, in order; empty where IOPS are
	// not provisioned.
	IOPSTiers []IOPSTier
}

// IOPSTier is a price of IOPS up to a count; UpTo 0 means without end.
type IOPSTier struct {
	UpTo  int64
	Month decimal.Decimal
}

// Price is an hourly price in US dollars.
type Price struct {
	USDPerHour decimal.Decimal
	Source     Source
}

// PriceOverrides replace prices of the table by the user's own, in every
// region. Members that are not known leave the table's price, so a caller with
// a value that is unknown yet has to wait for it.
type PriceOverrides struct {
	GP3GiBMonth, GP3IOPSMonth, GP3MiBPerSMonth optional.Value[decimal.Decimal]
	// MacHostHour and InstanceHour are prices by instance type.
	MacHostHour, InstanceHour map[string]decimal.Decimal
}

// DefaultRegion is the region whose prices are used when none is given.
const DefaultRegion = "us-east-1"
