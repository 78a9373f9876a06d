package testcases

import (
	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

// gp3Volume is a volume whose type was left to be gp3.
func gp3Volume(sizeGiB, iops, throughput optional.Value[decimal.Decimal]) ebs.Volume {
	return ebs.Volume{Type: optional.Known(ebs.TypeGP3), SizeGiB: sizeGiB, IOPS: iops, ThroughputMiBPerS: throughput}
}

const (
	adviceOnSpeed = "Advice, not a warning: a volume at its default speed is not at fault. The start-up of a Mac is judged by rules of its own."
	adviceOnIOPS  = "Legal, and without any other word in a plan: advice that paid IOPS carry nothing never shows on the screen."
)

// Volumes are the cases that are single volumes.
var Volumes = []VolumeCase{
	{
		Facts: Facts{
			ID: "A01", Facts: "Reference module for mac1.metal: 60 GiB gp3 root, nothing else set.",
			Note: "As a volume alone; Hosts has it as a Mac's root. " + adviceOnSpeed, Level: finding.Info,
			Findings: []Finding{{Rule: "gp3-default-throughput", Severity: finding.Info, Path: "throughput_mib_per_s", Says: []string{"125 MiB/s", "1,668.93 MiB/s", "7.5 %", "throughput_mib_per_s = 750 (+$25.00 a month)"}}},
		},
		InstanceType: optional.Known("mac1.metal"), Volume: gp3Volume(amount("60"), leftOut, leftOut),
		Costs: []Cost{{Of: "as written", SizeGiB: 60, IOPS: 3000, ThroughputMiBPerS: 125, StorageUSD: "4.80", IOPSUSD: "0", ThroughputUSD: "0", AllUSD: "4.80", MinIOPS: 3000, MaxThroughput: 750, MaxIOPS: 30000}},
	},
	{
		Facts: Facts{
			ID: "A02", Facts: "Runner manager for mac2.metal: 500 GiB at 750 MiB/s, IOPS left out: on the ratio to the digit.",
			Note: "The collection also warns of a grace period of 600 s, see Hosts.",
		},
		InstanceType: optional.Known("mac2.metal"), Volume: gp3Volume(amount("500"), leftOut, amount("750")),
		Costs: []Cost{{Of: "as written", SizeGiB: 500, IOPS: 3000, ThroughputMiBPerS: 750, StorageUSD: "40", IOPSUSD: "0", ThroughputUSD: "25", AllUSD: "65", MinIOPS: 3000, MaxThroughput: 750, MaxIOPS: 80000}},
	},
	{
		Facts: Facts{
			ID: "A04", Facts: "CloudFormation stack for mac2.metal: 250 GiB, no parameter for speed at all.",
			Note: adviceOnSpeed, Level: finding.Info,
			Findings: []Finding{{Rule: "gp3-default-throughput", Severity: finding.Info, Path: "throughput_mib_per_s", Says: []string{"10.5 %", "throughput_mib_per_s = 500 (+$15.00 a month)"}}},
		},
		InstanceType: optional.Known("mac2.metal"), Volume: gp3Volume(amount("250"), leftOut, leftOut),
		Costs: []Cost{
			{Of: "as written", SizeGiB: 250, IOPS: 3000, ThroughputMiBPerS: 125, StorageUSD: "20", IOPSUSD: "0", ThroughputUSD: "0", AllUSD: "20", MinIOPS: 3000, MaxThroughput: 750, MaxIOPS: 80000},
			{Of: "proposal", SizeGiB: 250, IOPS: 3000, ThroughputMiBPerS: 500, StorageUSD: "20", IOPSUSD: "0", ThroughputUSD: "15", AllUSD: "35", MinIOPS: 3000, MaxThroughput: 750, MaxIOPS: 80000},
		},
	},
	{
		Facts: Facts{
			ID: "A06", Facts: "Runner module: the 30 GiB volume that lands on /dev/xvda beside a Mac's root, at its defaults.",
			Note: "The fault is the device, see Devices; the volume itself is fine. " + adviceOnSpeed, Level: finding.Info,
			Findings: []Finding{{Rule: "gp3-default-throughput", Severity: finding.Info, Path: "throughput_mib_per_s"}},
		},
		InstanceType: optional.Known("mac2.metal"), Volume: gp3Volume(amount("30"), leftOut, leftOut),
		Costs: []Cost{
			{Of: "stray volume", SizeGiB: 30, IOPS: 3000, ThroughputMiBPerS: 125, StorageUSD: "2.40", IOPSUSD: "0", ThroughputUSD: "0", AllUSD: "2.40", MinIOPS: 3000, MaxThroughput: 750, MaxIOPS: 15000},
			{Of: "root as the image has it", SizeGiB: 100, IOPS: 3000, ThroughputMiBPerS: 125, StorageUSD: "8", IOPSUSD: "0", ThroughputUSD: "0", AllUSD: "8", MinIOPS: 3000, MaxThroughput: 750, MaxIOPS: 50000},
		},
	},
	{
		Facts: Facts{
			ID: "A07", Facts: "Mac fleet module: 200 GiB with 6,000 IOPS for 400 MiB/s.",
			Note: "The collection's errors are about the host resource group and the licence, not the volume.", Level: finding.Info,
			Findings: []Finding{{Rule: "gp3-iops-unneeded", Severity: finding.Info, Path: "iops", Says: []string{"400 MiB/s need 3,000 IOPS; the other 3,000", "iops = 3000 (-$15.00 a month)"}, SavingUSD: "15"}},
		},
		InstanceType: optional.Known("mac2.metal"), Volume: gp3Volume(amount("200"), amount("6000"), amount("400")),
		Costs: []Cost{
			{Of: "as written", SizeGiB: 200, IOPS: 6000, ThroughputMiBPerS: 400, StorageUSD: "16", IOPSUSD: "15", ThroughputUSD: "11", AllUSD: "42", MinIOPS: 3000, MaxThroughput: 1500, MaxIOPS: 80000},
			{Of: "leaner", SizeGiB: 200, IOPS: 3000, ThroughputMiBPerS: 400, StorageUSD: "16", IOPSUSD: "0", ThroughputUSD: "11", AllUSD: "27", MinIOPS: 3000, MaxThroughput: 750, MaxIOPS: 80000},
		},
	},
	{
		Facts: Facts{
			ID: "A11", Facts: "mac2-m2pro.metal: 500 GiB bought for room and left at the speed of a small volume.",
			Note: adviceOnSpeed, Level: finding.Info,
			Findings: []Finding{{Rule: "gp3-default-throughput", Severity: finding.Info, Path: "throughput_mib_per_s", Says: []string{
				"13.1 % of the 953.67 MiB/s", "throughput_mib_per_s = 500 (+$15.00 a month) or throughput_mib_per_s = 750 (+$25.00 a month): no IOPS have to be paid",
			}}},
		},
		InstanceType: optional.Known("mac2-m2pro.metal"), Volume: gp3Volume(amount("500"), leftOut, leftOut),
		Costs: []Cost{
			{Of: "as written", SizeGiB: 500, IOPS: 3000, ThroughputMiBPerS: 125, StorageUSD: "40", IOPSUSD: "0", ThroughputUSD: "0", AllUSD: "40", MinIOPS: 3000, MaxThroughput: 750, MaxIOPS: 80000},
			{Of: "at 500", SizeGiB: 500, IOPS: 3000, ThroughputMiBPerS: 500, StorageUSD: "40", IOPSUSD: "0", ThroughputUSD: "15", AllUSD: "55", MinIOPS: 3000, MaxThroughput: 750, MaxIOPS: 80000},
			{Of: "at 750", SizeGiB: 500, IOPS: 3000, ThroughputMiBPerS: 750, StorageUSD: "40", IOPSUSD: "0", ThroughputUSD: "25", AllUSD: "65", MinIOPS: 3000, MaxThroughput: 750, MaxIOPS: 80000},
		},
	},
	{
		Facts: Facts{
			ID: "A13", Facts: "Pinned Mac host: 400 GiB at the defaults, its instance type not written.",
			Note: "Without a type nobody knows whether more speed would be of use, so nothing is said.",
		},
		InstanceType: noType, Volume: gp3Volume(amount("400"), leftOut, leftOut),
		Costs: []Cost{{Of: "as written", SizeGiB: 400, IOPS: 3000, ThroughputMiBPerS: 125, StorageUSD: "32", IOPSUSD: "0", ThroughputUSD: "0", AllUSD: "32", MinIOPS: 3000, MaxThroughput: 750, MaxIOPS: 80000}},
	},
	{
		Facts: Facts{
			ID: "B01", Facts: "Runner image: IOPS fixed at 3,000, throughput set to 1,000; EC2 refused every launch.",
			Note: "The case gives no size; 40 GiB is that product's default.", Level: finding.Error,
			Findings: []Finding{{Rule: "gp3-throughput-ratio", Severity: finding.Error, Path: "throughput_mib_per_s", Says: []string{
				"0.333333", "more than 0.25", "iops = 4000 (+$5.00 a month)", "throughput_mib_per_s = 750 (-$10.00 a month)",
			}}},
		},
		InstanceType: noType, Volume: gp3Volume(amount("40"), amount("3000"), amount("1000")),
		Costs: []Cost{
			{Of: "as asked", SizeGiB: 40, IOPS: 3000, ThroughputMiBPerS: 1000, StorageUSD: "3.20", IOPSUSD: "0", ThroughputUSD: "35", AllUSD: "38.20", MinIOPS: 4000, MaxThroughput: 750, MaxIOPS: 20000},
			{Of: "more IOPS", SizeGiB: 40, IOPS: 4000, ThroughputMiBPerS: 1000, StorageUSD: "3.20", IOPSUSD: "5", ThroughputUSD: "35", AllUSD: "43.20", MinIOPS: 4000, MaxThroughput: 1000, MaxIOPS: 20000},
			{Of: "less throughput", SizeGiB: 40, IOPS: 3000, ThroughputMiBPerS: 750, StorageUSD: "3.20", IOPSUSD: "0", ThroughputUSD: "25", AllUSD: "28.20", MinIOPS: 3000, MaxThroughput: 750, MaxIOPS: 20000},
		},
	},
	{
		Facts: Facts{
			ID: "B02", Facts: "Module whose variable admits up to 1,000 MiB/s and never sets IOPS; 900 is inside.", Level: finding.Error,
			Findings: []Finding{{Rule: "gp3-throughput-ratio", Severity: finding.Error, Path: "throughput_mib_per_s", Says: []string{
				"900 MiB/s at 3,000 IOPS (what gp3 has when none are written)", "0.300000", "launch template accepts", "iops = 3600 (+$3.00 a month)",
			}}},
		},
		InstanceType: noType, Volume: gp3Volume(amount("40"), leftOut, amount("900")),
		Costs: []Cost{
			{Of: "as asked", SizeGiB: 40, IOPS: 3000, ThroughputMiBPerS: 900, StorageUSD: "3.20", IOPSUSD: "0", ThroughputUSD: "31", AllUSD: "34.20", MinIOPS: 3600, MaxThroughput: 750, MaxIOPS: 20000},
			{Of: "more IOPS", SizeGiB: 40, IOPS: 3600, ThroughputMiBPerS: 900, StorageUSD: "3.20", IOPSUSD: "3", ThroughputUSD: "31", AllUSD: "37.20", MinIOPS: 3600, MaxThroughput: 900, MaxIOPS: 20000},
		},
	},
	{
		Facts: Facts{
			ID: "B04", Facts: "Node group: 150 GiB at 1,000 MiB/s on the default IOPS.", Level: finding.Error,
			Findings: []Finding{{Rule: "gp3-throughput-ratio", Severity: finding.Error, Path: "throughput_mib_per_s", Says: []string{"0.333333", "iops = 4000 (+$5.00 a month)"}}},
		},
		InstanceType: noType, Volume: gp3Volume(amount("150"), amount("3000"), amount("1000")),
		Costs: []Cost{
			{Of: "more IOPS", SizeGiB: 150, IOPS: 4000, ThroughputMiBPerS: 1000, StorageUSD: "12", IOPSUSD: "5", ThroughputUSD: "35", AllUSD: "52", MinIOPS: 4000, MaxThroughput: 1000, MaxIOPS: 75000},
			{Of: "less throughput", SizeGiB: 150, IOPS: 3000, ThroughputMiBPerS: 750, StorageUSD: "12", IOPSUSD: "0", ThroughputUSD: "25", AllUSD: "37", MinIOPS: 3000, MaxThroughput: 750, MaxIOPS: 75000},
		},
	},
	{
		Facts: Facts{
			ID: "B06", Facts: "High performance preset: 16,000 IOPS and 1,000 MiB/s on a c5.xlarge, size not given.",
			Note:  "IOPS between what the instance sustains and its maximum are advice here, not a warning. The size is not known, so nothing is said of it.",
			Level: finding.Warning,
			Findings: []Finding{
				{Rule: "instance-throughput", Severity: finding.Warning, Path: "throughput_mib_per_s", SavingUSD: "17.36", Says: []string{
					"1,000 MiB/s = 1,048.58 MB/s", "593.75 MB/s = 566.24 MiB/s", "137.09 MiB/s sustained", "throughput_mib_per_s = 566: the same speed, -$17.36 a month",
				}},
				{Rule: "gp3-iops-unneeded", Severity: finding.Info, Path: "iops", SavingUSD: "60", Says: []string{"1,000 MiB/s need 4,000 IOPS", "iops = 4000 (-$60.00 a month)"}},
				{Rule: "instance-iops", Severity: finding.Info, Path: "iops", Says: []string{"sustains 6,000 IOPS", "16,000", "20,000 at most"}},
			},
		},
		InstanceType: optional.Known("c5.xlarge"), Volume: gp3Volume(leftOut, amount("16000"), amount("1000")),
		Costs: []Cost{
			{Of: "extras", IOPS: 16000, ThroughputMiBPerS: 1000, StorageUSD: "0", IOPSUSD: "65", ThroughputUSD: "35", AllUSD: "100", MinIOPS: 4000, MaxThroughput: 2000, MaxIOPS: 3000},
			{Of: "smallest for the IOPS", SizeGiB: 32, IOPS: 16000, ThroughputMiBPerS: 1000, StorageUSD: "2.56", IOPSUSD: "65", ThroughputUSD: "35", AllUSD: "102.56", MinIOPS: 4000, MaxThroughput: 2000, MaxIOPS: 16000},
			{Of: "sized to what is sustained", IOPS: 6000, ThroughputMiBPerS: 137, StorageUSD: "0", IOPSUSD: "15", ThroughputUSD: "0.48", AllUSD: "15.48", MinIOPS: 3000, MaxThroughput: 1500, MaxIOPS: 3000},
		},
	},
	{
		Facts: Facts{
			ID: "B08", Facts: "c6gd.2xlarge with 3,500 GiB: IOPS are what the instance sustains, throughput is 3.5 times that.",
			Note:  "IOPS are not above the instance, so nothing is said of them against it; that throughput does not need them is advice.",
			Level: finding.Warning,
			Findings: []Finding{
				{Rule: "instance-throughput", Severity: finding.Warning, Path: "throughput_mib_per_s", SavingUSD: "17.36", Says: []string{"566.24 MiB/s are usable", "283.12 MiB/s sustained", "throughput_mib_per_s = 566"}},
				{Rule: "gp3-iops-unneeded", Severity: finding.Info, Path: "iops", SavingUSD: "40"},
			},
		},
		InstanceType: optional.Known("c6gd.2xlarge"), Volume: gp3Volume(amount("3500"), amount("12000"), amount("1000")),
		Costs: []Cost{
			{Of: "as written", SizeGiB: 3500, IOPS: 12000, ThroughputMiBPerS: 1000, StorageUSD: "280", IOPSUSD: "45", ThroughputUSD: "35", AllUSD: "360", MinIOPS: 4000, MaxThroughput: 2000, MaxIOPS: 80000},
			{Of: "sized to the burst", SizeGiB: 3500, IOPS: 12000, ThroughputMiBPerS: 566, StorageUSD: "280", IOPSUSD: "45", ThroughputUSD: "17.64", AllUSD: "342.64", MinIOPS: 3000, MaxThroughput: 2000, MaxIOPS: 80000},
		},
	},
	{
		Facts: Facts{
			ID: "B10-1", Facts: "Plan test of a runner module: on every boundary at once.", Note: adviceOnIOPS, Level: finding.Info,
			Findings: []Finding{{Rule: "gp3-iops-unneeded", Severity: finding.Info, Path: "iops", SavingUSD: "360", Says: []string{"2,000 MiB/s need 8,000 IOPS"}}},
		},
		InstanceType: noType, Volume: gp3Volume(amount("160"), amount("80000"), amount("2000")),
		Costs: []Cost{{Of: "as written", SizeGiB: 160, IOPS: 80000, ThroughputMiBPerS: 2000, StorageUSD: "12.80", IOPSUSD: "385", ThroughputUSD: "75", AllUSD: "472.80", MinIOPS: 8000, MaxThroughput: 2000, MaxIOPS: 80000}},
	},
	{
		Facts: Facts{
			ID: "B10-2", Facts: "The same module: one MiB/s above the ratio.", Level: finding.Error,
			Findings: []Finding{{Rule: "gp3-throughput-ratio", Severity: finding.Error, Path: "throughput_mib_per_s", Says: []string{"0.250333", "iops = 3004 (+$0.02 a month)", "throughput_mib_per_s = 750 (-$0.04 a month)"}}},
		},
		InstanceType: noType, Volume: gp3Volume(amount("50"), amount("3000"), amount("751")),
		Costs: []Cost{{Of: "as written", SizeGiB: 50, IOPS: 3000, ThroughputMiBPerS: 751, StorageUSD: "4", IOPSUSD: "0", ThroughputUSD: "25.04", AllUSD: "29.04", MinIOPS: 3004, MaxThroughput: 750, MaxIOPS: 25000}},
	},
	{
		Facts: Facts{
			ID: "B10-4", Facts: "The same module: half an IOPS.", Level: finding.Error,
			Findings: []Finding{{Rule: "volume-type-attribute", Severity: finding.Error, Path: "iops", Says: []string{"whole number", "3,000.5", "iops = 3001"}}},
		},
		InstanceType: noType, Volume: gp3Volume(amount("50"), amount("3000.5"), amount("125")),
	},
	{
		Facts: Facts{
			ID: "B10-5", Facts: "The same module: one MiB/s above the most that gp3 has, with the IOPS to carry it.", Level: finding.Error,
			Findings: []Finding{{Rule: "gp3-throughput-range", Severity: finding.Error, Path: "throughput_mib_per_s", Says: []string{"125 to 2,000 MiB/s (since 2025-09-26), not 2,001", "throughput_mib_per_s = 2000"}}},
		},
		InstanceType: noType, Volume: gp3Volume(amount("50"), amount("8004"), amount("2001")),
		Costs: []Cost{{Of: "as written", SizeGiB: 50, IOPS: 8004, ThroughputMiBPerS: 2001, StorageUSD: "4", IOPSUSD: "25.02", ThroughputUSD: "75.04", AllUSD: "104.06", MinIOPS: 8004, MaxThroughput: 2000, MaxIOPS: 25000}},
	},
	{
		Facts:        Facts{ID: "B12-4", Facts: "A 4 GiB volume at the free 3,000 IOPS, which tools refused by the 500 a GiB."},
		InstanceType: noType, Volume: gp3Volume(amount("4"), amount("3000"), leftOut),
		Costs: []Cost{{Of: "as written", SizeGiB: 4, IOPS: 3000, ThroughputMiBPerS: 125, StorageUSD: "0.32", IOPSUSD: "0", ThroughputUSD: "0", AllUSD: "0.32", MinIOPS: 3000, MaxThroughput: 750, MaxIOPS: 3000}},
	},
	{
		Facts:        Facts{ID: "B12-1", Facts: "The same at 1 GiB."},
		InstanceType: noType, Volume: gp3Volume(amount("1"), amount("3000"), leftOut),
		Costs: []Cost{{Of: "as written", SizeGiB: 1, IOPS: 3000, ThroughputMiBPerS: 125, StorageUSD: "0.08", IOPSUSD: "0", ThroughputUSD: "0", AllUSD: "0.08", MinIOPS: 3000, MaxThroughput: 750, MaxIOPS: 3000}},
	},
	{
		Facts: Facts{
			ID: "B14", Facts: "1,500 MiB/s, which providers refused until they learned of the limits of 2025-09-26.",
			Note: "That an older hashicorp/aws still refuses it is for its own error to say.",
		},
		InstanceType: noType, Volume: gp3Volume(amount("100"), amount("6000"), amount("1500")),
		Costs: []Cost{{Of: "as written", SizeGiB: 100, IOPS: 6000, ThroughputMiBPerS: 1500, StorageUSD: "8", IOPSUSD: "15", ThroughputUSD: "55", AllUSD: "78", MinIOPS: 6000, MaxThroughput: 1500, MaxIOPS: 50000}},
	},
	{
		Facts: Facts{
			ID: "B16-before", Facts: "500 GiB of gp2, before somebody changes nothing but its type.", Level: finding.Warning,
			Findings: []Finding{{Rule: "volume-type-legacy", Severity: finding.Warning, Path: "type", SavingUSD: "5", Says: []string{"250 MiB/s", "fall back to 125 MiB/s", `type = "gp3", throughput_mib_per_s = 250 (-$5.00 a month)`}}},
		},
		InstanceType: noType, Volume: ebs.Volume{Type: optional.Known("gp2"), SizeGiB: amount("500")},
		Costs: []Cost{{Of: "gp3 that is as fast", SizeGiB: 500, IOPS: 3000, ThroughputMiBPerS: 250, StorageUSD: "40", IOPSUSD: "0", ThroughputUSD: "5", AllUSD: "45", MinIOPS: 3000, MaxThroughput: 750, MaxIOPS: 80000}},
	},
	{
		Facts: Facts{
			ID: "B16-after", Facts: "The same 500 GiB as gp3 at its defaults, half as fast as before.",
			Note: "Nothing shows what the volume was before: the collection's warning needs the plan of the change.",
		},
		InstanceType: noType, Volume: gp3Volume(amount("500"), leftOut, leftOut),
		Costs: []Cost{{Of: "as written", SizeGiB: 500, IOPS: 3000, ThroughputMiBPerS: 125, StorageUSD: "40", IOPSUSD: "0", ThroughputUSD: "0", AllUSD: "40", MinIOPS: 3000, MaxThroughput: 750, MaxIOPS: 80000}},
	},
	{
		Facts: Facts{
			ID: "B19", Facts: `gp2 root of a module that writes "0" for IOPS and throughput that it does not use.`,
			Note: "As the rules see it once 0 is taken for unset, which the audit does with a hint; in guards and functions 0 is an error that says to write null. The size is not given, so nothing can be said of gp3 either.",
		},
		InstanceType: noType, Volume: ebs.Volume{Type: optional.Known("gp2")},
	},
	{
		Facts: Facts{
			ID: "B21", Facts: "6,000 IOPS on gp3, which a validator with its check the wrong way round refused.", Note: adviceOnIOPS, Level: finding.Info,
			Findings: []Finding{{Rule: "gp3-iops-unneeded", Severity: finding.Info, Path: "iops", SavingUSD: "15"}},
		},
		InstanceType: noType, Volume: gp3Volume(leftOut, amount("6000"), leftOut),
	},
	{
		Facts: Facts{
			ID: "B21-twin", Facts: "The same IOPS on gp2, where EC2 takes none.",
			Note: "Not in the collection: the other direction of its check.", Level: finding.Error,
			Findings: []Finding{{Rule: "volume-type-attribute", Severity: finding.Error, Path: "iops", Says: []string{"IOPS cannot be set for gp2"}}},
		},
		InstanceType: noType, Volume: ebs.Volume{Type: optional.Known("gp2"), IOPS: amount("6000")},
	},
	{
		Facts: Facts{
			ID: "B23", Facts: "A post that prices 1,000 IOPS at $50 instead of $5.", Note: adviceOnIOPS, Level: finding.Info,
			Findings: []Finding{{Rule: "gp3-iops-unneeded", Severity: finding.Info, Path: "iops", SavingUSD: "5", Says: []string{"-$5.00 a month"}}},
		},
		InstanceType: noType, Volume: gp3Volume(amount("100"), amount("4000"), leftOut),
		Costs: []Cost{{Of: "as written", SizeGiB: 100, IOPS: 4000, ThroughputMiBPerS: 125, StorageUSD: "8", IOPSUSD: "5", ThroughputUSD: "0", AllUSD: "13", MinIOPS: 3000, MaxThroughput: 1000, MaxIOPS: 50000}},
	},
	{
		Facts: Facts{
			ID: "B24", Facts: "1,000 IOPS and 100 MiB/s, below what is free; sources disagree whether EC2 refuses or raises them.",
			Level: finding.Warning,
			Findings: []Finding{
				{Rule: "gp3-iops-range", Severity: finding.Warning, Path: "iops", Says: []string{"Sources disagree", "iops = 3000, or leave it out"}},
				{Rule: "gp3-throughput-range", Severity: finding.Warning, Path: "throughput_mib_per_s", Says: []string{"Sources disagree", "throughput_mib_per_s = 125, or leave it out"}},
			},
		},
		InstanceType: noType, Volume: gp3Volume(leftOut, amount("1000"), amount("100")),
		Costs: []Cost{{Of: "what is free", SizeGiB: 100, IOPS: 3000, ThroughputMiBPerS: 125, StorageUSD: "8", IOPSUSD: "0", ThroughputUSD: "0", AllUSD: "8", MinIOPS: 3000, MaxThroughput: 750, MaxIOPS: 50000}},
	},
	{
		Facts: Facts{
			ID: "B27-D", Facts: "One of ten volumes of a server whose instance type is not known.", Note: "Only the advice on IOPS: without a type there is no verdict on the sum, which would need 2,097.15 MB/s.", Level: finding.Info,
			Findings: []Finding{{Rule: "gp3-iops-unneeded", Severity: finding.Info, Path: "iops", SavingUSD: "60"}},
		},
		InstanceType: noType, Volume: gp3Volume(amount("10000"), amount("16000"), amount("1000")),
		Costs: []Cost{{Of: "as written", SizeGiB: 10000, IOPS: 16000, ThroughputMiBPerS: 1000, StorageUSD: "800", IOPSUSD: "65", ThroughputUSD: "35", AllUSD: "900", MinIOPS: 4000, MaxThroughput: 2000, MaxIOPS: 80000}},
	},
	{
		Facts: Facts{
			ID: "B27-E", Facts: "Another one of them.", Level: finding.Info,
			Findings: []Finding{{Rule: "gp3-iops-unneeded", Severity: finding.Info, Path: "iops", SavingUSD: "60"}},
		},
		InstanceType: noType, Volume: gp3Volume(amount("16000"), amount("16000"), amount("1000")),
		Costs: []Cost{{Of: "as written", SizeGiB: 16000, IOPS: 16000, ThroughputMiBPerS: 1000, StorageUSD: "1280", IOPSUSD: "65", ThroughputUSD: "35", AllUSD: "1380", MinIOPS: 4000, MaxThroughput: 2000, MaxIOPS: 80000}},
	},
	{
		Facts: Facts{
			ID: "B29", Facts: "20 GiB with 5,000 IOPS for 500 MiB/s.", Note: adviceOnIOPS, Level: finding.Info,
			Findings: []Finding{{Rule: "gp3-iops-unneeded", Severity: finding.Info, Path: "iops", SavingUSD: "10", Says: []string{"500 MiB/s need 3,000 IOPS; the other 2,000"}}},
		},
		InstanceType: noType, Volume: gp3Volume(amount("20"), amount("5000"), amount("500")),
		Costs: []Cost{
			{Of: "as written", SizeGiB: 20, IOPS: 5000, ThroughputMiBPerS: 500, StorageUSD: "1.60", IOPSUSD: "10", ThroughputUSD: "15", AllUSD: "26.60", MinIOPS: 3000, MaxThroughput: 1250, MaxIOPS: 10000},
			{Of: "leaner", SizeGiB: 20, IOPS: 3000, ThroughputMiBPerS: 500, StorageUSD: "1.60", IOPSUSD: "0", ThroughputUSD: "15", AllUSD: "16.60", MinIOPS: 3000, MaxThroughput: 750, MaxIOPS: 10000},
		},
	},
	{
		Facts: Facts{
			ID: "C22", Facts: "1,000 MiB/s on a Mac whose limit is 1,000 MB/s: the slip of the units.", Level: finding.Warning,
			Findings: []Finding{{Rule: "instance-throughput", Severity: finding.Warning, Path: "throughput_mib_per_s", SavingUSD: "2.82", Says: []string{
				"1,000 MiB/s = 1,048.58 MB/s", "1,000 MB/s = 953.67 MiB/s", "throughput_mib_per_s = 953 and iops = 3812: the same speed, -$2.82 a month",
			}}},
		},
		InstanceType: optional.Known("mac2-m2.metal"), Volume: gp3Volume(amount("500"), amount("4000"), amount("1000")),
		Costs: []Cost{
			{Of: "as written", SizeGiB: 500, IOPS: 4000, ThroughputMiBPerS: 1000, StorageUSD: "40", IOPSUSD: "5", ThroughputUSD: "35", AllUSD: "80", MinIOPS: 4000, MaxThroughput: 1000, MaxIOPS: 80000},
			{Of: "fit", SizeGiB: 500, IOPS: 3812, ThroughputMiBPerS: 953, StorageUSD: "40", IOPSUSD: "4.06", ThroughputUSD: "33.12", AllUSD: "77.18", MinIOPS: 3812, MaxThroughput: 953, MaxIOPS: 80000},
		},
	},
}

// Ceilings are the instance types whose figures the cases give. C21 is about
// a blog's 8 Gbit/s for both mac1 and mac2: the API's figures count.
var Ceilings = []CeilingCase{
	{IDs: []string{"A01", "C21"}, Type: "mac1.metal", SustainedMB: 1750, SustainedMiB: "1668.93", MaximumMB: 1750, MaximumMiB: "1668.93", SustainedIOPS: 80000, MaximumIOPS: 80000, FreeBaselineOfMaximumPercents: "7.49"},
	{IDs: []string{"A02", "A04", "A07", "C21"}, Type: "mac2.metal", SustainedMB: 1250, SustainedMiB: "1192.09", MaximumMB: 1250, MaximumMiB: "1192.09", SustainedIOPS: 55000, MaximumIOPS: 55000, FreeBaselineOfMaximumPercents: "10.49"},
	{IDs: []string{"A11"}, Type: "mac2-m2pro.metal", SustainedMB: 1000, SustainedMiB: "953.67", MaximumMB: 1000, MaximumMiB: "953.67", SustainedIOPS: 55000, MaximumIOPS: 55000, FreeBaselineOfMaximumPercents: "13.11"},
	{IDs: []string{"C22"}, Type: "mac2-m2.metal", SustainedMB: 1000, SustainedMiB: "953.67", MaximumMB: 1000, MaximumMiB: "953.67", SustainedIOPS: 55000, MaximumIOPS: 55000, FreeBaselineOfMaximumPercents: "13.11"},
	{IDs: []string{"B06"}, Type: "c5.xlarge", SustainedMB: 143.75, SustainedMiB: "137.09", MaximumMB: 593.75, MaximumMiB: "566.24", SustainedIOPS: 6000, MaximumIOPS: 20000, FreeBaselineOfMaximumPercents: "22.08"},
	{IDs: []string{"B08"}, Type: "c6gd.2xlarge", SustainedMB: 296.875, SustainedMiB: "283.12", MaximumMB: 593.75, MaximumMiB: "566.24", SustainedIOPS: 12000, MaximumIOPS: 20000, FreeBaselineOfMaximumPercents: "22.08"},
}
