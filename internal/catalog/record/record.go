// Package record is the shape of the catalogue's embedded files: the generator
// writes it and the catalogue reads it.
//
// The two large tables are sorted lines of JSON: a header on the first line,
// then one record a line whose first member is the instance type. So one
// record is found by binary search and decoded alone, and nobody waits for the
// other thousand. The small tables are ordinary JSON. Prices are decimal
// numbers in strings, which lose nothing on the way.
package record

import "github.com/shopspring/decimal"

// Source says where facts come from, see catalog.Source.
type Source struct {
	Name       string `json:"name"`
	AsOf       string `json:"as_of"`
	Confidence string `json:"confidence"`
}

// InstancesHeader is the first line of the table of instance types.
type InstancesHeader struct {
	Source Source `json:"source"`
	Count  int    `json:"count"`
}

// Instance is a line of the table of instance types.
type Instance struct {
	Type            string   `json:"type"`
	VCPUs           int      `json:"vcpus"`
	Cores           int      `json:"cores"`
	MemoryMiB       int64    `json:"memory_mib"`
	Architectures   []string `json:"arch"`
	BareMetal       bool     `json:"bare_metal,omitzero"`
	CurrentGen      bool     `json:"current,omitzero"`
	Network         string   `json:"network"`
	InstanceStoreGB int64    `json:"store_gb,omitzero"`
	MaxVolumes      int      `json:"max_volumes"`
	EBS             *Ceiling `json:"ebs,omitempty"`
	// Cards is empty unless there are two or more.
	Cards []Ceiling `json:"cards,omitempty"`
}

// Ceiling is what an instance, or one of its EBS cards, sustains and its maximum.
type Ceiling struct {
	Mbit    int64 `json:"mbit"`
	IOPS    int64 `json:"iops"`
	MaxMbit int64 `json:"max_mbit"`
	MaxIOPS int64 `json:"max_iops"`
}

// InstancePricesHeader is the first line of the table of hourly prices of
// instances.
type InstancePricesHeader struct {
	// CompleteRegion is the region whose prices are those of CompleteSource; all
	// others are those of OtherSource.
	CompleteRegion string `json:"complete_region"`
	CompleteSource Source `json:"complete_source"`
	OtherSource    Source `json:"other_source"`
	// References is, by family, the size whose prices are listed in other regions.
	References map[string]string `json:"references"`
	Count      int               `json:"count"`
}

// InstancePrice is a line of the table of hourly prices of instances.
type InstancePrice struct {
	Type string `json:"type"`
	// USDPerHour by region.
	USDPerHour map[string]decimal.Decimal `json:"usd_per_hour"`
	// InferredFrom is, by region, the type whose published price was scaled to this
	// one when the table was made.
	InferredFrom map[string]string `json:"inferred_from,omitempty"`
}

// Volumes is the table of volume limits.
type Volumes struct {
	Source Source `json:"source"`
	// GP3 by set of limits: "current" and "classic".
	GP3   map[string]GP3 `json:"gp3"`
	GP2   GP2            `json:"gp2"`
	Types []VolumeType   `json:"types"`
}

// Range is a closed range, lowest first.
type Range [2]int64

// GP3 is a set of limits of gp3 volumes.
type GP3 struct {
	From          string `json:"from"`
	SizeGiB       Range  `json:"size_gib"`
	IOPS          Range  `json:"iops"`
	ThroughputMiB Range  `json:"throughput_mib_per_s"`
	IOPSPerGiB    int64  `json:"iops_per_gib"`
	IOPSPerMiB    int64  `json:"iops_per_mib_per_s"`
}

// GP2 is how the speed of a gp2 volume follows from its size.
type GP2 struct {
	IOPS                Range `json:"iops"`
	IOPSPerGiB          int64 `json:"iops_per_gib"`
	BurstIOPS           int64 `json:"burst_iops"`
	BurstCredits        int64 `json:"burst_credits"`
	ThroughputMiB       Range `json:"throughput_mib_per_s"`
	BurstThroughputOver int64 `json:"burst_throughput_over_gib"`
	FullThroughputFrom  int64 `json:"full_throughput_from_gib"`
}

// VolumeType is a volume type other than gp3.
type VolumeType struct {
	Name             string           `json:"name"`
	SizeGiB          Range            `json:"size_gib"`
	IOPS             *Range           `json:"iops,omitempty"`
	IOPSPerGiB       int64            `json:"iops_per_gib,omitzero"`
	MaxThroughputMiB float64          `json:"max_throughput_mib_per_s"`
	ThroughputSteps  []ThroughputStep `json:"throughput_steps,omitempty"`
	MiBPerIOPS       float64          `json:"mib_per_s_per_iops,omitzero"`
	Bootable         bool             `json:"bootable"`
}

// ThroughputStep is a ceiling that holds up to a count of provisioned IOPS.
type ThroughputStep struct {
	UpToIOPS      int64   `json:"up_to_iops"`
	ThroughputMiB float64 `json:"mib_per_s"`
}

// VolumePrices is the table of volume prices.
type VolumePrices struct {
	Source  Source                  `json:"source"`
	Regions map[string]RegionPrices `json:"regions"`
}

// RegionPrices are the prices of volumes in a region, a month.
type RegionPrices struct {
	Currency string                 `json:"currency"`
	GP3      GP3Prices              `json:"gp3"`
	Others   map[string]OtherPrices `json:"others"`
}

// GP3Prices are the prices of a gp3 volume a month.
type GP3Prices struct {
	GiB  decimal.Decimal `json:"gib"`
	IOPS decimal.Decimal `json:"iops"`
	MiB  decimal.Decimal `json:"mib_per_s"`
}

// OtherPrices are the prices of another type of volume a month.
type OtherPrices struct {
	GiB  decimal.Decimal `json:"gib"`
	IOPS []IOPSTier      `json:"iops,omitempty"`
}

// IOPSTier is the price of an IOPS a month up to a count, 0 for the last tier.
type IOPSTier struct {
	UpTo  int64           `json:"up_to,omitzero"`
	Month decimal.Decimal `json:"month"`
}

// Macs is the table of EC2 Mac hosts.
type Macs struct {
	Source Source    `json:"source"`
	Rules  HostRules `json:"rules"`
	Types  []Mac     `json:"types"`
	// HostPrices by region.
	HostPrices map[string]HostPrices `json:"host_prices"`
}

// HostRules are AWS's rules for dedicated Mac hosts.
type HostRules struct {
	MinimumAllocationHours    int   `json:"minimum_allocation_hours"`
	InstancesPerHost          int   `json:"instances_per_host"`
	LaunchMinutes             Range `json:"launch_minutes"`
	ScrubMinutesIntel         int   `json:"scrub_minutes_intel"`
	ScrubMinutesIntelFirmware int   `json:"scrub_minutes_intel_firmware"`
	ScrubMinutesAppleCurrent  int   `json:"scrub_minutes_apple_current"`
	ScrubMinutesAppleOlder    int   `json:"scrub_minutes_apple_older"`
	RecommendedIOPS           int64 `json:"recommended_iops"`
	RecommendedThroughputMiB  int64 `json:"recommended_throughput_mib_per_s"`
}

// Mac is an EC2 Mac type.
type Mac struct {
	Type            string   `json:"type"`
	HostFamily      string   `json:"host_family"`
	Chip            string   `json:"chip"`
	Machine         string   `json:"machine,omitempty"`
	CPUCores        *int     `json:"cpu_cores,omitempty"`
	ScrubMinutesMax int      `json:"scrub_minutes_max"`
	Regions         []string `json:"regions"`
}

// HostPrices are the prices of dedicated hosts of a region, an hour.
type HostPrices struct {
	Source Source `json:"source"`
	// USDPerHour by type.
	USDPerHour map[string]decimal.Decimal `json:"usd_per_hour"`
}

// File is a catalogue in a file of its own: newer facts than the embedded ones,
// for what they cover.
type File struct {
	// Format tells such a file from other JSON, Version one shape of it from the next.
	Format  string `json:"format"`
	Version int    `json:"version"`
	// Region in which the types were described: others may be offered elsewhere.
	Region    string     `json:"region"`
	Source    Source     `json:"source"`
	Instances []Instance `json:"instances"`
	// PriceSource is empty if there are no prices.
	PriceSource *Source `json:"price_source,omitempty"`
	// Prices by region.
	Prices map[string]FilePrices `json:"prices,omitempty"`
}

// FilePrices are the prices of a region in a catalogue file.
type FilePrices struct {
	Volumes *RegionPrices `json:"volumes,omitempty"`
	// MacHostHour and InstanceHour are US dollars an hour by instance type.
	MacHostHour  map[string]decimal.Decimal `json:"mac_host_hour,omitempty"`
	InstanceHour map[string]decimal.Decimal `json:"instance_hour,omitempty"`
}
