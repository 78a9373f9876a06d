package testcases

import (
	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/mac"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

func macVolume(sizeGiB, iops, throughput optional.Value[decimal.Decimal]) optional.Value[mac.StorageVolume] {
	return optional.Known(mac.StorageVolume{SizeGiB: sizeGiB, IOPS: iops, ThroughputMiBPerS: throughput})
}

const filledIn = "In the guard a throughput that was left out is filled in with 750, so the default speed is no subject there."

// Hosts are the cases that are single Mac hosts, as a guard sees them.
var Hosts = []HostCase{
	{
		Facts: Facts{
			ID: "A01", Facts: "mac1.metal with a 60 GiB root and a grace period of 300 s.",
			Note: "The collection holds 300 s against 20 minutes until a Mac is up. A grace period only starts when the instance is in service, so that counts where launch_seconds says that it does, see A01-launch. " +
				"Scaling, the resource group and the ignored launch template are not storage. " + filledIn,
			Level:    finding.Warning,
			Findings: []Finding{{Rule: "mac-root-size", Severity: finding.Warning, Path: "root.size_gib", Says: []string{"60 GiB are less than the 100 GiB", "size_gib = 100"}}},
		},
		Storage: mac.Storage{
			InstanceType: optional.Known("mac1.metal"), Region: catalog.DefaultRegion, GracePeriodSeconds: amount("300"),
			Root: macVolume(amount("60"), leftOut, leftOut),
		},
		RootIOPS: 3000, RootThroughputMiBPerS: 750, MonthlyUSD: "29.80",
	},
	{
		Facts: Facts{
			ID: "A01-launch", Facts: "The same with the 20 minutes of launching inside the allowed time.", Level: finding.Error,
			Findings: []Finding{
				{Rule: "mac-grace-period", Severity: finding.Error, Path: "grace_period_seconds", Says: []string{
					"after 1,240.5 s (1,200 s of launching and 40.5 s from boot)", "allowed 300 s", "extrapolation", "Allow 1,551 s",
				}},
				{Rule: "mac-root-size", Severity: finding.Warning, Path: "root.size_gib"},
			},
		},
		Storage: mac.Storage{
			InstanceType: optional.Known("mac1.metal"), Region: catalog.DefaultRegion, GracePeriodSeconds: amount("300"), LaunchSeconds: amount("1200"),
			Root: macVolume(amount("60"), leftOut, leftOut),
		},
		RootIOPS: 3000, RootThroughputMiBPerS: 750, MonthlyUSD: "29.80",
	},
	{
		Facts: Facts{
			ID: "A02", Facts: "mac2.metal, 500 GiB at 750 MiB/s without IOPS, 600 s allowed.",
			Note: "The collection warns of 600 s as too short by the launch; see A01. What is left is advice about the root's size.", Level: finding.Info,
			Findings: []Finding{{Rule: "mac-root-size", Severity: finding.Info, Path: "root.size_gib", Says: []string{"APFS"}}},
		},
		Storage: mac.Storage{
			InstanceType: optional.Known("mac2.metal"), Region: catalog.DefaultRegion, GracePeriodSeconds: amount("600"),
			Root: macVolume(amount("500"), leftOut, amount("750")),
		},
		RootIOPS: 3000, RootThroughputMiBPerS: 750, MonthlyUSD: "65",
	},
	{
		Facts: Facts{
			ID: "A04", Facts: "mac2.metal with a 250 GiB root and nothing else.", Note: filledIn, Level: finding.Info,
			Findings: []Finding{{Rule: "mac-root-size", Severity: finding.Info, Path: "root.size_gib"}},
		},
		Storage:  mac.Storage{InstanceType: optional.Known("mac2.metal"), Region: catalog.DefaultRegion, Root: macVolume(amount("250"), leftOut, leftOut)},
		RootIOPS: 3000, RootThroughputMiBPerS: 750, MonthlyUSD: "45",
	},
	{
		Facts: Facts{
			ID: "A07", Facts: "mac2.metal, 200 GiB with 6,000 IOPS for 400 MiB/s.", Level: finding.Info,
			Findings: []Finding{
				{Rule: "gp3-iops-unneeded", Severity: finding.Info, Path: "root.iops", SavingUSD: "15"},
				{Rule: "mac-root-size", Severity: finding.Info, Path: "root.size_gib"},
				{Rule: "mac-root-throughput", Severity: finding.Info, Path: "root.throughput_mib_per_s", SavingUSD: "1", Says: []string{"at 400 MiB/s", "throughput_mib_per_s = 750 and iops = 3000 (-$1.00 a month)"}},
			},
		},
		Storage:  mac.Storage{InstanceType: optional.Known("mac2.metal"), Region: catalog.DefaultRegion, Root: macVolume(amount("200"), amount("6000"), amount("400"))},
		RootIOPS: 6000, RootThroughputMiBPerS: 400, MonthlyUSD: "42",
	},
	{
		Facts: Facts{
			ID: "A11", Facts: "mac2-m2pro.metal with 500 GiB at the default 125 MiB/s, written out.",
			Note:  "The collection's warning is an error in a guard: whoever writes that this is a snapshot-restored Mac root gets hosts that were seen to fail.",
			Level: finding.Error,
			Findings: []Finding{
				{Rule: "mac-root-throughput", Severity: finding.Error, Path: "root.throughput_mib_per_s", Says: []string{"113 s", "36 s", "throughput_mib_per_s = 750 (+$25.00 a month; the free 3,000 IOPS carry it)"}},
				{Rule: "mac-root-size", Severity: finding.Info, Path: "root.size_gib"},
			},
		},
		Storage:  mac.Storage{InstanceType: optional.Known("mac2-m2pro.metal"), Region: catalog.DefaultRegion, Root: macVolume(amount("500"), leftOut, amount("125"))},
		RootIOPS: 3000, RootThroughputMiBPerS: 125, MonthlyUSD: "40",
	},
	{
		Facts: Facts{
			ID: "C10", Facts: "A root larger than the image's 100 GiB: macOS does not see the rest until its container is grown.",
			Note: "Advice, not a warning: most images grow it at boot.", Level: finding.Info,
			Findings: []Finding{{Rule: "mac-root-size", Severity: finding.Info, Path: "root.size_gib", Says: []string{"268 GiB are more than the 100 GiB", "APFS container"}}},
		},
		Storage:  mac.Storage{InstanceType: optional.Known("mac2.metal"), Region: catalog.DefaultRegion, Root: macVolume(amount("268"), leftOut, leftOut)},
		RootIOPS: 3000, RootThroughputMiBPerS: 750, MonthlyUSD: "46.44",
	},
	{
		Facts:    Facts{ID: "C10-twin", Facts: "A root of exactly the image's size."},
		Storage:  mac.Storage{InstanceType: optional.Known("mac2.metal"), Region: catalog.DefaultRegion, Root: macVolume(amount("100"), leftOut, leftOut)},
		RootIOPS: 3000, RootThroughputMiBPerS: 750, MonthlyUSD: "33",
	},
	{
		Facts: Facts{
			ID: "C12", Facts: "Four macOS guests planned on a host.", Level: finding.Error,
			Findings: []Finding{{Rule: "mac-vm-limit", Severity: finding.Error, Path: "vms_per_host", Says: []string{"4 macOS guests", "2 at most", "Linux guests do not count", "vms_per_host = 2"}}},
		},
		Storage: mac.Storage{
			InstanceType: optional.Known("mac2.metal"), Region: catalog.DefaultRegion, VMsPerHost: amount("4"),
			Root: macVolume(amount("100"), leftOut, leftOut),
		},
		RootIOPS: 3000, RootThroughputMiBPerS: 750, MonthlyUSD: "33",
	},
	{
		Facts: Facts{
			ID: "C20", Facts: "Slow start because blocks of a snapshot are fetched when first touched, which a faster volume does not help.",
			Note: "The case is a gp2 root of another system, where it was concluded and not measured. On Macs the root's throughput was measured to decide, so the rule for it stands; the fetch is what the rule about a data volume from a snapshot is for. " +
				"The rates that the case names are inputs of the start-up model (calibration), see C20Rates.",
			Level: finding.Warning,
			Findings: []Finding{
				{Rule: "mac-vmdata-snapshot", Severity: finding.Warning, Path: "vmdata.from_snapshot", Says: []string{"fetched from S3 when they are first touched", "from_snapshot = false"}},
				{Rule: "mac-vmdata-iops", Severity: finding.Info, Path: "vmdata.iops", Says: []string{"iops = 14200 (+$56.00 a month)"}},
				{Rule: "gp3-default-throughput", Severity: finding.Info, Path: "vmdata.throughput_mib_per_s"},
			},
		},
		Storage: mac.Storage{
			InstanceType: optional.Known("mac2-m2pro.metal"), Region: catalog.DefaultRegion,
			Root:   macVolume(amount("100"), leftOut, leftOut),
			VMData: optional.Known(mac.StorageVolume{SizeGiB: amount("200"), FromSnapshot: optional.Known(true)}),
		},
		RootIOPS: 3000, RootThroughputMiBPerS: 750, MonthlyUSD: "49",
	},
	{
		Facts: Facts{
			ID: "C22", Facts: "mac2-m2.metal with a root of 1,000 MiB/s at 4,000 IOPS.", Level: finding.Warning,
			Findings: []Finding{
				{Rule: "instance-throughput", Severity: finding.Warning, Path: "root.throughput_mib_per_s", SavingUSD: "2.82", Says: []string{"953.67 MiB/s are usable", "throughput_mib_per_s = 953 and iops = 3812"}},
				{Rule: "mac-root-size", Severity: finding.Info, Path: "root.size_gib"},
			},
		},
		Storage:  mac.Storage{InstanceType: optional.Known("mac2-m2.metal"), Region: catalog.DefaultRegion, Root: macVolume(amount("500"), amount("4000"), amount("1000"))},
		RootIOPS: 4000, RootThroughputMiBPerS: 1000, MonthlyUSD: "80",
	},
}

// C20Rates are the seconds that 100 GiB take at rates of initialisation that
// case C20 names.
var C20Rates = []struct {
	MiBPerS float64
	Seconds string // one decimal
}{{300, "341.3"}, {100, "1024"}}

func device(name string) mac.Mapping { return mac.Mapping{DeviceName: optional.Known(name)} }

// Devices are the cases about a Mac's block device mappings.
var Devices = []DeviceCase{
	{
		Facts: Facts{
			ID: "A06", Facts: "Runner module whose root mapping is /dev/xvda for every system, macOS too.", Level: finding.Error,
			Findings: []Finding{{Rule: "mac-root-device", Severity: finding.Error, Path: "device_name", Says: []string{"macOS images boot from /dev/sda1", "/dev/xvda adds an empty second volume", `device_name = "/dev/sda1"`}}},
		},
		Mappings: []mac.Mapping{device("/dev/xvda")},
	},
	{
		Facts:    Facts{ID: "A01", Facts: "Reference module: /dev/sda1."},
		Mappings: []mac.Mapping{device("/dev/sda1")},
	},
	{
		Facts:    Facts{ID: "A06-data", Facts: "A data volume beside the root.", Note: "Not in the collection: a second mapping is no fault."},
		Mappings: []mac.Mapping{device("/dev/sda1"), device("/dev/sdf")},
	},
	{
		Facts: Facts{
			ID: "A09", Facts: "Launch template for Macs without any mapping: the image decides.",
			Note:  "Nothing is wrong with a device that is not there; that its settings cannot be seen is advice.",
			Level: finding.Info,
			Findings: []Finding{{Rule: "mac-root-throughput", Severity: finding.Info, Path: "block_device_mappings", Says: []string{
				"the image's own, which are not visible here", "125 MiB/s", "Map /dev/sda1 with 750 MiB/s",
			}}},
		},
	},
}
