package ebs_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/testcases"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

const (
	info    = finding.Info
	warning = finding.Warning
	fault   = finding.Error
)

var judge = ebs.Judge{Catalog: cat, Region: catalog.DefaultRegion, Names: ebs.OurNames}

// gp3 is a gp3 volume whose type is left out.
func gp3(gib, iops, throughput optional.Value[decimal.Decimal]) ebs.Volume {
	return ebs.Volume{SizeGiB: gib, IOPS: iops, ThroughputMiBPerS: throughput}
}

// other is a volume of another type.
func other(typ string, gib, iops optional.Value[decimal.Decimal]) ebs.Volume {
	return ebs.Volume{Type: optional.Known(typ), SizeGiB: gib, IOPS: iops}
}

type ruleCase struct {
	name     string
	volume   ebs.Volume
	instance string
	want     []testcases.Finding
}

func found(rule finding.Rule, severity finding.Severity, path, savingUSD string, says ...string) testcases.Finding {
	return testcases.Finding{Rule: rule.ID, Severity: severity, Path: path, SavingUSD: savingUSD, Says: says}
}

func runRuleCases(t *testing.T, j ebs.Judge, cases []ruleCase) {
	t.Helper()
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			instance := optional.Null[catalog.Instance]()
			if test.instance != "" {
				instance = optional.Known(instanceOf(t, test.instance))
			}
			got := finding.Merge(j.Volume(test.volume, instance))
			if diff := testcases.Compare(test.want, got); diff != "" {
				t.Error(diff)
			}
			checkRegistered(t, ebs.Rules(), got)
		})
	}
}

// checkRegistered: a rule only has severities that it is registered with, since
// documentation and the audit's formats list those.
func checkRegistered(t interface{ Errorf(string, ...any) }, rules []finding.Rule, fs []finding.Finding) {
	for _, f := range fs {
		at := slices.IndexFunc(rules, func(r finding.Rule) bool { return r.ID == f.Rule })
		if at < 0 || !slices.Contains(rules[at].Severities, f.Severity) {
			t.Errorf("%s is not registered as %s", f.Rule, f.Severity)
		}
	}
}

// Each rule in both directions: where it fires there is a twin beside it where
// it does not.
func TestGP3Rules(t *testing.T) {
	const size, iops, throughput = "size_gib", "iops", "throughput_mib_per_s"
	runRuleCases(t, judge, []ruleCase{
		{name: "nothing is written"},
		{name: "only a size", volume: gp3(dec("100"), leftOut, leftOut)},

		{name: "smallest", volume: gp3(dec("1"), leftOut, leftOut)},
		{name: "no size", volume: gp3(dec("0"), leftOut, leftOut), want: []testcases.Finding{
			found(ebs.RuleGP3SizeRange, fault, size, "", "1 to 65,536 GiB (since 2025-09-26), not 0", "Write size_gib = 1."),
		}},
		{name: "negative", volume: gp3(dec("-1"), dec("-1"), dec("-1")), want: []testcases.Finding{
			found(ebs.RuleGP3IOPSRange, fault, iops, "", "3,000 to 80,000 IOPS (since 2025-09-26), not -1", "Write iops = 3000."),
			found(ebs.RuleGP3SizeRange, fault, size, "", "not -1", "size_gib = 1."),
			found(ebs.RuleGP3ThroughputRange, fault, throughput, "", "125 to 2,000 MiB/s (since 2025-09-26), not -1", "Write throughput_mib_per_s = 125."),
		}},
		{name: "largest", volume: gp3(dec("65536"), leftOut, leftOut)},
		{name: "a GiB too large", volume: gp3(dec("65537"), leftOut, leftOut), want: []testcases.Finding{
			found(ebs.RuleGP3SizeRange, fault, size, "", "not 65,537", "Write size_gib = 65536 (-$0.08 a month)."),
		}},
		// Figures beyond every limit are said to be that, and nothing else is.
		{name: "enormous", volume: gp3(dec("1e30"), dec("1e30"), dec("1e30")), want: []testcases.Finding{
			found(ebs.RuleGP3IOPSRange, fault, iops, "", "not 1,000,000", "iops = 80000"),
			found(ebs.RuleGP3SizeRange, fault, size, "", "not 1,000,000", "size_gib = 65536"),
			found(ebs.RuleGP3ThroughputRange, fault, throughput, "", "not 1,000,000", "throughput_mib_per_s = 2000"),
		}},

		{name: "all IOPS", volume: ebs.Volume{SizeGiB: dec("160"), IOPS: dec("80000"), IOPSBound: true}},
		{name: "too many IOPS, on a small volume", volume: ebs.Volume{SizeGiB: dec("10"), IOPS: dec("80001"), IOPSBound: true}, want: []testcases.Finding{
			found(ebs.RuleGP3IOPSRange, fault, iops, "", "not 80,001", "Write iops = 5000 (-$375.01 a month)."),
		}},
		{name: "too many IOPS, on a small and fast volume", volume: ebs.Volume{SizeGiB: dec("1"), IOPS: dec("80001"), ThroughputMiBPerS: dec("751"), IOPSBound: true}, want: []testcases.Finding{
			found(ebs.RuleGP3IOPSRange, fault, iops, "", "Write throughput_mib_per_s = 750 and iops = 3000 (-$385.05 a month)."),
		}},
		{name: "an IOPS too many", volume: ebs.Volume{SizeGiB: dec("200"), IOPS: dec("80001"), IOPSBound: true}, want: []testcases.Finding{
			found(ebs.RuleGP3IOPSRange, fault, iops, "", "not 80,001", "Write iops = 80000 (-$0.01 a month)."),
		}},
		{name: "free IOPS", volume: gp3(dec("100"), dec("3000"), leftOut)},
		{name: "fewer than are free", volume: gp3(dec("100"), dec("2999"), leftOut), want: []testcases.Finding{
			found(ebs.RuleGP3IOPSRange, warning, iops, "", "2,999 IOPS is below the 3,000", "for nothing", "iops = 3000, or leave it out"),
		}},
		// They carry 100 MiB/s by the ratio. EC2 raises them to 3,000 or refuses them
		// for what they are, and in neither case for the free throughput.
		{name: "far fewer than are free", volume: gp3(dec("100"), dec("400"), leftOut), want: []testcases.Finding{
			found(ebs.RuleGP3IOPSRange, warning, iops, ""),
		}},
		{name: "zero IOPS", volume: gp3(dec("100"), dec("0"), leftOut), want: []testcases.Finding{found(ebs.RuleGP3IOPSRange, fault, iops, "", "not 0")}},
		{name: "too few even for what they are to carry", volume: gp3(dec("100"), dec("1000"), dec("500")), want: []testcases.Finding{
			found(ebs.RuleGP3ThroughputRatio, fault, throughput, "", "500 MiB/s at 1,000 IOPS", "0.500000", "though a launch template accepts it. Write iops = 3000 (at no charge)."),
			found(ebs.RuleGP3IOPSRange, warning, iops, ""),
		}},

		{name: "all throughput", volume: gp3(dec("16"), dec("8000"), dec("2000"))},
		{name: "a MiB/s too much", volume: gp3(dec("100"), dec("8004"), dec("2001")), want: []testcases.Finding{
			found(ebs.RuleGP3ThroughputRange, fault, throughput, "", "not 2,001", "Write throughput_mib_per_s = 2000 (-$0.04 a month)."),
		}},
		{name: "free throughput", volume: gp3(dec("100"), leftOut, dec("125"))},
		{name: "less than is free", volume: gp3(dec("100"), leftOut, dec("124")), want: []testcases.Finding{
			found(ebs.RuleGP3ThroughputRange, warning, throughput, "", "124 MiB/s is below the 125", "throughput_mib_per_s = 125, or leave it out"),
		}},

		{name: "on the ratio", volume: gp3(dec("100"), dec("3000"), dec("750"))},
		{name: "on the ratio by default", volume: gp3(dec("100"), leftOut, dec("750"))},
		{name: "above the ratio", volume: gp3(dec("100"), dec("3000"), dec("751")), want: []testcases.Finding{
			found(ebs.RuleGP3ThroughputRatio, fault, throughput, "", "751 MiB/s at 3,000 IOPS is", "0.250333", "EC2 refuses more than 0.25", "Write iops = 3004 (+$0.02 a month), or throughput_mib_per_s = 750 (-$0.04 a month)."),
		}},
		{name: "above the ratio by default", volume: gp3(leftOut, leftOut, dec("1000")), want: []testcases.Finding{
			found(ebs.RuleGP3ThroughputRatio, fault, throughput, "", "1,000 MiB/s at 3,000 IOPS (what gp3 has when none are written)", "iops = 4000 (+$5.00 a month)"),
		}},
		{name: "paid for", volume: gp3(dec("100"), dec("4000"), dec("1000"))},
		// The IOPS that are missing do not fit the size: both have to grow.
		{name: "above the ratio on a small volume", volume: gp3(dec("6"), leftOut, dec("1000")), want: []testcases.Finding{
			found(ebs.RuleGP3ThroughputRatio, fault, throughput, "", "Write iops = 4000 and size_gib = 8 (+$5.16 a month), or throughput_mib_per_s = 750 (-$10.00 a month)."),
		}},
		{name: "all IOPS of a small volume", volume: gp3(dec("10"), dec("5000"), dec("2000")), want: []testcases.Finding{
			found(ebs.RuleGP3ThroughputRatio, fault, throughput, "", "2,000 MiB/s at 5,000 IOPS (the most that 10 GiB may have)", "Write iops = 8000 and size_gib = 16 (+$15.48 a month), or throughput_mib_per_s = 1250 (-$30.00 a month)."),
		}},
		{name: "above the ratio and the range", volume: gp3(dec("100"), dec("3000"), dec("2500")), want: []testcases.Finding{
			found(ebs.RuleGP3ThroughputRange, fault, throughput, "", "Write throughput_mib_per_s = 2000 and iops = 8000 (+$5.00 a month)."),
			found(ebs.RuleGP3ThroughputRatio, fault, throughput, "", "Write throughput_mib_per_s = 2000 and iops = 8000 (+$5.00 a month), or throughput_mib_per_s = 750 (-$70.00 a month)."),
		}},

		{name: "500 a GiB", volume: ebs.Volume{SizeGiB: dec("10"), IOPS: dec("5000"), IOPSBound: true}},
		{name: "501 a GiB", volume: ebs.Volume{SizeGiB: dec("10"), IOPS: dec("5001"), IOPSBound: true}, want: []testcases.Finding{
			found(ebs.RuleGP3IOPSPerGiB, fault, iops, "", "500 IOPS a GiB: 10 GiB carry 5,000, not 5,001", "Write iops = 5000 (-$0.01 a month), or size_gib = 11 (+$0.08 a month)."),
		}},
		// A volume of any size may have what is free.
		{name: "3,000 a GiB", volume: gp3(dec("1"), dec("3000"), leftOut)},
		{name: "3,001 a GiB", volume: ebs.Volume{SizeGiB: dec("1"), IOPS: dec("3001"), IOPSBound: true}, want: []testcases.Finding{
			found(ebs.RuleGP3IOPSPerGiB, fault, iops, "", "1 GiB carry 3,000, not 3,001", "size_gib = 7"),
		}},
		// Fewer IOPS would carry less: advice that breaks the next rule is none.
		{name: "too small for its throughput", volume: gp3(dec("10"), dec("8000"), dec("2000")), want: []testcases.Finding{
			found(ebs.RuleGP3IOPSPerGiB, fault, iops, "", "Write throughput_mib_per_s = 1250 and iops = 5000 (-$45.00 a month), or size_gib = 16 (+$0.48 a month)."),
		}},

		{name: "IOPS for the throughput", volume: gp3(dec("100"), dec("3600"), dec("900"))},
		{name: "IOPS for nothing", volume: gp3(dec("100"), dec("3601"), dec("900")), want: []testcases.Finding{
			found(ebs.RuleGP3IOPSUnneeded, info, iops, "0.005", "900 MiB/s need 3,600 IOPS; the other 1 are", "iops = 3600 (-$0.01 a month)"),
		}},
		{name: "AWS's advice for Macs", volume: gp3(dec("100"), dec("10000"), dec("400")), want: []testcases.Finding{
			found(ebs.RuleGP3IOPSUnneeded, info, iops, "35", "400 MiB/s need 3,000 IOPS; the other 7,000 are paid for", "unless the load is many small I/Os", "iops = 3000 (-$35.00 a month)"),
		}},
		{name: "IOPS for a load that is bound by them", volume: ebs.Volume{SizeGiB: dec("100"), IOPS: dec("10000"), ThroughputMiBPerS: dec("400"), IOPSBound: true}},

		{name: "slow on a slow instance", volume: gp3(dec("100"), leftOut, leftOut), instance: "m8a.xlarge"}, // sustains 149
		{name: "slow on a faster instance", volume: gp3(dec("100"), leftOut, leftOut), instance: "m8a.2xlarge", // sustains 298
			want: []testcases.Finding{found(ebs.RuleGP3DefaultThroughput, info, throughput, "", "125 MiB/s, 41.9 % of the 298.02 MiB/s", "write throughput_mib_per_s = 298 (+$6.92 a month): no IOPS")}},
		{name: "slow on a fast instance, written out", volume: gp3(dec("100"), dec("3000"), dec("125")), instance: "mac2-m2pro.metal", want: []testcases.Finding{
			found(ebs.RuleGP3DefaultThroughput, info, throughput, "", "13.1 %", "throughput_mib_per_s = 500 (+$15.00 a month) or throughput_mib_per_s = 750 (+$25.00 a month)"),
		}},
		{name: "a little faster", volume: gp3(dec("100"), leftOut, dec("126")), instance: "mac2-m2pro.metal"},
		{name: "judged elsewhere", volume: ebs.Volume{SizeGiB: dec("100"), ThroughputJudged: true}, instance: "mac2-m2pro.metal"},
		{name: "slow on nobody knows what", volume: gp3(dec("100"), leftOut, leftOut)},
	})
}

// Limits as they are on Outposts.
func TestClassicLimits(t *testing.T) {
	j := judge
	j.Limits = catalog.ClassicLimits
	runRuleCases(t, j, []ruleCase{
		{name: "at the limits", volume: ebs.Volume{SizeGiB: dec("16384"), IOPS: dec("16000"), ThroughputMiBPerS: dec("1000"), IOPSBound: true}},
		{name: "above them", volume: ebs.Volume{SizeGiB: dec("16385"), IOPS: dec("16001"), ThroughputMiBPerS: dec("1001"), IOPSBound: true}, want: []testcases.Finding{
			found(ebs.RuleGP3IOPSRange, fault, "iops", "", "3,000 to 16,000 IOPS on Outposts (and everywhere before 2025-09-26), not 16,001"),
			found(ebs.RuleGP3SizeRange, fault, "size_gib", "", "1 to 16,384 GiB on Outposts"),
			found(ebs.RuleGP3ThroughputRange, fault, "throughput_mib_per_s", "", "125 to 1,000 MiB/s on Outposts"),
		}},
	})
}

func TestVolumeTypeRules(t *testing.T) {
	runRuleCases(t, judge, []ruleCase{
		{name: "gp3 with everything", volume: ebs.Volume{Type: optional.Known("gp3"), SizeGiB: dec("100"), IOPS: dec("4000"), ThroughputMiBPerS: dec("1000")}},
		{name: "fractions", volume: gp3(dec("100.5"), dec("3000.5"), dec("750.5")), want: []testcases.Finding{
			found(ebs.RuleVolumeTypeAttribute, fault, "iops", "", "IOPS must be a whole number", "3,000.5", "iops = 3001"),
			found(ebs.RuleVolumeTypeAttribute, fault, "size_gib", "", "The size must be a whole number", "100.5", "size_gib = 101"),
			found(ebs.RuleVolumeTypeAttribute, fault, "throughput_mib_per_s", "", "Throughput must be a whole number", "750.5", "throughput_mib_per_s = 751"),
		}},
		{name: "whole numbers with decimals", volume: gp3(dec("100.00"), dec("3000.0"), dec("750.000"))},
		{name: "no such type", volume: other("gp4", dec("100"), dec("60000")), instance: "mac2-m2pro.metal", want: []testcases.Finding{
			found(ebs.RuleVolumeTypeAttribute, fault, "type", "", "no such EBS volume type", "gp2, gp3, io1, io2, sc1, st1, standard", `type = "gp2"`),
		}},
		{name: "an empty type", volume: other("", dec("100"), leftOut), want: []testcases.Finding{found(ebs.RuleVolumeTypeAttribute, fault, "type", "")}},
		{name: "throughput on io2", volume: ebs.Volume{Type: optional.Known("io2"), SizeGiB: dec("100"), IOPS: dec("4000"), ThroughputMiBPerS: dec("500")}, want: []testcases.Finding{
			found(ebs.RuleVolumeTypeAttribute, fault, "throughput_mib_per_s", "", "gp3 only; io2 reaches 4,000 MiB/s at most", `type = "gp3"`),
		}},
		{name: "io2", volume: other("io2", dec("100"), dec("4000"))},
		{name: "io2 without IOPS", volume: other("io2", dec("100"), leftOut), want: []testcases.Finding{
			found(ebs.RuleVolumeTypeAttribute, fault, "iops", "", "io2 needs a number of IOPS, 100 to 256,000", "comes with 3,000"),
		}},
		{name: "st1", volume: other("st1", dec("500"), leftOut)},
		{name: "sc1", volume: other("sc1", dec("500"), leftOut)},
		{name: "standard", volume: other("standard", dec("500"), leftOut)},
		// IOPS that cannot be set are that error, and not one against the instance.
		{name: "IOPS on st1", volume: other("st1", dec("500"), dec("60000")), instance: "mac2-m2pro.metal", want: []testcases.Finding{
			found(ebs.RuleVolumeTypeAttribute, fault, "iops", "", "IOPS cannot be set for st1"),
		}},
		{name: "IOPS on standard", volume: other("standard", dec("500"), dec("100")), want: []testcases.Finding{found(ebs.RuleVolumeTypeAttribute, fault, "iops", "")}},

		{name: "a gp2 of 170 GiB", volume: other("gp2", dec("170"), leftOut), want: []testcases.Finding{
			found(ebs.RuleVolumeTypeLegacy, warning, "type", "3.28", "170 GiB of gp2 give 128 MiB/s", "fall back to 125 MiB/s, so its throughput has to be written", `Write type = "gp3", throughput_mib_per_s = 128 (-$3.28 a month).`),
		}},
		{name: "a gp2 of 171 GiB", volume: other("gp2", dec("171"), leftOut), want: []testcases.Finding{
			// 5.00 for the throughput are more than the storage saves.
			found(ebs.RuleVolumeTypeLegacy, warning, "type", "", "171 GiB of gp2 give 250 MiB/s at most", "costs less with its free 125 MiB/s, and not with the same speed",
				`Write type = "gp3" (-$3.42 a month) if that is enough, or type = "gp3", throughput_mib_per_s = 250 (+$1.58 a month).`),
		}},
		{name: "a gp2 of 251 GiB", volume: other("gp2", dec("251"), leftOut), want: []testcases.Finding{
			found(ebs.RuleVolumeTypeLegacy, warning, "type", "0.02", "251 GiB of gp2 give 250 MiB/s; gp3 gives the same for less"),
		}},
		{name: "a gp2 of 1,000 GiB", volume: other("gp2", dec("1000"), leftOut), want: []testcases.Finding{
			found(ebs.RuleVolumeTypeLegacy, warning, "type", "15", `Write type = "gp3", throughput_mib_per_s = 250 (-$15.00 a month).`),
		}},
		{name: "a gp2 of 1,001 GiB", volume: other("gp2", dec("1001"), leftOut), want: []testcases.Finding{
			found(ebs.RuleVolumeTypeLegacy, warning, "type", "15.005", "250 MiB/s and 3,003 IOPS", "125 MiB/s and 3,000 IOPS, so both have to be written", `throughput_mib_per_s = 250, iops = 3003 (-$15.01 a month)`),
		}},
		{name: "the fastest gp2", volume: other("gp2", dec("16384"), leftOut), want: []testcases.Finding{
			found(ebs.RuleVolumeTypeLegacy, warning, "type", "257.68", "16,000 IOPS"),
		}},
		// 128 MiB/s cost 12 cents, which 6 GiB just save.
		{name: "a gp2 of 6 GiB", volume: other("gp2", dec("6"), leftOut), want: []testcases.Finding{found(ebs.RuleVolumeTypeLegacy, warning, "type", "", `type = "gp3" (-$0.12 a month)`, "(+$0.00 a month)")}},
		{name: "a gp2 of 7 GiB", volume: other("gp2", dec("7"), leftOut), want: []testcases.Finding{found(ebs.RuleVolumeTypeLegacy, warning, "type", "0.02")}},
		{name: "a gp2 of no size", volume: other("gp2", leftOut, leftOut)},

		{name: "an io1", volume: other("io1", dec("400"), dec("16000")), want: []testcases.Finding{
			// 50 + 1,040 against 32 + 65 + 15.
			found(ebs.RuleVolumeTypeLegacy, warning, "type", "978", "400 GiB of io1 give 500 MiB/s", `Write type = "gp3", throughput_mib_per_s = 500, iops = 16000 (-$978.00 a month).`),
		}},
		{name: "a small io1", volume: other("io1", dec("100"), dec("1000")), want: []testcases.Finding{
			// An I/O of io1 moves 256 KiB at most: 250 MiB/s at 1,000.
			found(ebs.RuleVolumeTypeLegacy, warning, "type", "64.5", "100 GiB of io1 give 250 MiB/s", `throughput_mib_per_s = 250 and leave iops out`),
		}},
		{name: "an io1 that is slower than any gp3", volume: other("io1", dec("100"), dec("500")), want: []testcases.Finding{
			found(ebs.RuleVolumeTypeLegacy, warning, "type", "37", "give at most 125 MiB/s; gp3 gives the same for less.", `Write type = "gp3" and leave iops out (-$37.00 a month).`),
		}},
		{name: "an odd io1", volume: other("io1", dec("100"), dec("509")), want: []testcases.Finding{
			found(ebs.RuleVolumeTypeLegacy, warning, "type", "37.465", "throughput_mib_per_s = 128"), // 127.25, and no less
		}},
		{name: "the fastest io1", volume: other("io1", dec("1280"), dec("64000")), want: []testcases.Finding{
			found(ebs.RuleVolumeTypeLegacy, warning, "type", "3877.6", "1,000 MiB/s", "iops = 64000"),
		}},
		{name: "an io1 without IOPS", volume: other("io1", dec("400"), leftOut), want: []testcases.Finding{found(ebs.RuleVolumeTypeAttribute, fault, "iops", "")}},
		{name: "an io2, which is another promise", volume: other("io2", dec("400"), dec("16000"))},
	})
}

func TestInstanceRules(t *testing.T) {
	iopsBound := func(v ebs.Volume) ebs.Volume { v.IOPSBound = true; return v }
	runRuleCases(t, judge, []ruleCase{
		{name: "all that a Mac carries", volume: gp3(dec("500"), dec("3812"), dec("953")), instance: "mac2-m2pro.metal"},
		{name: "a MiB/s more", volume: gp3(dec("500"), dec("3816"), dec("954")), instance: "mac2-m2pro.metal", want: []testcases.Finding{
			found(ebs.RuleInstanceThroughput, warning, "throughput_mib_per_s", "0.06", "954 MiB/s = 1,000.34 MB/s are provisioned", "all volumes of mac2-m2pro.metal together move 1,000 MB/s = 953.67 MiB/s at most, so 953.67 MiB/s are usable",
				"Write throughput_mib_per_s = 953 and iops = 3812: the same speed, -$0.06 a month."),
		}},
		{name: "IOPS that are there for themselves stay", volume: iopsBound(gp3(dec("500"), dec("16000"), dec("1000"))), instance: "mac2-m2pro.metal", want: []testcases.Finding{
			found(ebs.RuleInstanceThroughput, warning, "throughput_mib_per_s", "1.88", "Write throughput_mib_per_s = 953: the same speed, -$1.88 a month."),
		}},
		// Both at once: what is advised against one must not break the other.
		{name: "too fast for the instance and for its IOPS", volume: gp3(dec("500"), leftOut, dec("1000")), instance: "mac2-m2pro.metal", want: []testcases.Finding{
			found(ebs.RuleGP3ThroughputRatio, fault, "throughput_mib_per_s", ""),
			found(ebs.RuleInstanceThroughput, warning, "throughput_mib_per_s", "", "Write throughput_mib_per_s = 953 and iops = 3812: the same speed, +$2.18 a month."),
		}},
		{name: "too fast for the instance and for its size", volume: gp3(dec("7"), dec("4000"), dec("1000")), instance: "mac2-m2pro.metal", want: []testcases.Finding{
			found(ebs.RuleGP3IOPSPerGiB, fault, "iops", ""),
			found(ebs.RuleInstanceThroughput, warning, "throughput_mib_per_s", "7.5", "Write throughput_mib_per_s = 875 and iops = 3500"),
		}},
		{name: "what m8a.xlarge sustains", volume: gp3(dec("100"), leftOut, dec("149")), instance: "m8a.xlarge"},
		{name: "in bursts", volume: gp3(dec("100"), leftOut, dec("400")), instance: "m8a.xlarge", want: []testcases.Finding{
			found(ebs.RuleInstanceThroughput, info, "throughput_mib_per_s", "", "m8a.xlarge sustains 149.01 MiB/s", "400 MiB/s in bursts only (1,192.09 MiB/s at most, for at least 30 minutes in 24 hours)", "half an hour"),
		}},
		{name: "above the burst", volume: gp3(dec("100"), dec("4772"), dec("1193")), instance: "m8a.xlarge", want: []testcases.Finding{
			found(ebs.RuleInstanceThroughput, warning, "throughput_mib_per_s", "0.06", "(in bursts; 149.01 MiB/s sustained)", "throughput_mib_per_s = 1192 and iops = 4768"),
		}},
		// t3.small sustains 20.74 MiB/s and 1,000 IOPS, m1.large has 59.6 MiB/s at most.
		{name: "the baseline on a slow type", volume: gp3(dec("8"), dec("3000"), dec("125")), instance: "t3.small"},
		{name: "the baseline on a type that never reaches it", volume: gp3(dec("8"), leftOut, leftOut), instance: "m1.large"},
		{name: "a paid MiB/s on it", volume: gp3(dec("8"), leftOut, dec("126")), instance: "m1.large", want: []testcases.Finding{
			found(ebs.RuleInstanceThroughput, warning, "throughput_mib_per_s", "0.04", "62.5 MB/s = 59.6 MiB/s at most", "throughput_mib_per_s = 125"),
		}},

		{name: "all IOPS of a Mac", volume: iopsBound(gp3(dec("500"), dec("55000"), leftOut)), instance: "mac2.metal", want: []testcases.Finding{found(ebs.RuleGP3DefaultThroughput, info, "throughput_mib_per_s", "")}},
		{name: "an IOPS more", volume: iopsBound(gp3(dec("500"), dec("55001"), dec("500"))), instance: "mac2.metal", want: []testcases.Finding{
			found(ebs.RuleInstanceIOPS, warning, "iops", "0.005", "55,001 IOPS are provisioned, but all volumes of mac2.metal together do 55,000 at most", "Write iops = 55000: the same speed, -$0.01 a month."),
		}},
		{name: "more than the instance has and the size allows", volume: iopsBound(gp3(dec("1"), dec("60000"), leftOut)), instance: "mac2.metal", want: []testcases.Finding{
			found(ebs.RuleGP3IOPSPerGiB, fault, "iops", ""),
			found(ebs.RuleInstanceIOPS, warning, "iops", "285", "Write iops = 3000"),
			found(ebs.RuleGP3DefaultThroughput, info, "throughput_mib_per_s", ""),
		}},
		// m4.large does 3,600 IOPS and 53.64 MiB/s: what is not usable needs the IOPS.
		{name: "IOPS for a throughput that the instance does not have", volume: gp3(dec("100"), dec("4000"), dec("1000")), instance: "m4.large", want: []testcases.Finding{
			found(ebs.RuleInstanceIOPS, warning, "iops", "40", "Write throughput_mib_per_s = 125 and iops = 3000"),
			found(ebs.RuleInstanceThroughput, warning, "throughput_mib_per_s", "40", "Write throughput_mib_per_s = 125 and iops = 3000"),
		}},
		{name: "IOPS in bursts", volume: iopsBound(gp3(dec("100"), dec("6001"), leftOut)), instance: "m8a.xlarge", want: []testcases.Finding{
			found(ebs.RuleInstanceIOPS, info, "iops", "", "m8a.xlarge sustains 6,000 IOPS", "6,001 in bursts only (40,000 at most"),
		}},
		{name: "sustained IOPS", volume: iopsBound(gp3(dec("100"), dec("6000"), leftOut)), instance: "m8a.xlarge"},
		{name: "io2 above the instance", volume: other("io2", dec("500"), dec("60000")), instance: "mac2.metal", want: []testcases.Finding{
			found(ebs.RuleInstanceIOPS, warning, "iops", "227.5", "55,000 at most", "Write iops = 55000: the same speed, -$227.50 a month."),
		}},
		// Every IOPS of these types is paid for, few as they are.
		{name: "few IOPS of io2 on a slow type", volume: other("io2", dec("10"), dec("1001")), instance: "t3.small", want: []testcases.Finding{
			found(ebs.RuleInstanceIOPS, info, "iops", "", "sustains 1,000 IOPS"),
		}},
		{name: "a type without figures", volume: gp3(dec("500"), dec("40000"), dec("2000")), instance: "c1.medium", want: []testcases.Finding{found(ebs.RuleGP3IOPSUnneeded, info, "iops", "160")}},
	})
}

// No type gets a word about a volume that nobody touched, although many are
// slower than it; the same volume a MiB/s faster is spoken of on those.
func TestUntouchedVolumeOnEveryType(t *testing.T) {
	slow := 0
	for i := range cat.Instances() {
		untouched := judge.Volume(gp3(dec("100"), leftOut, leftOut), optional.Known(i))
		writtenOut := judge.Volume(gp3(dec("100"), dec("3000"), dec("125")), optional.Known(i))
		for _, f := range slices.Concat(untouched, writtenOut) {
			if f.Rule != ebs.RuleGP3DefaultThroughput.ID {
				t.Errorf("%s: %s: %s", i.Type, f.Rule, f.Message)
			}
		}
		if e, ok := i.EBS.Get(); !ok || e.Sustained.Throughput() >= 125 {
			continue
		}
		slow++
		if len(untouched) > 0 {
			t.Errorf("%s is slow, but %s", i.Type, untouched[0].Message)
		}
		paid := judge.Volume(gp3(dec("100"), leftOut, dec("126")), optional.Known(i))
		if len(paid) != 1 || paid[0].Rule != ebs.RuleInstanceThroughput.ID {
			t.Errorf("%s, a paid MiB/s: %+v", i.Type, paid)
		}
		two := []ebs.Volume{gp3(dec("100"), leftOut, leftOut), gp3(dec("100"), leftOut, leftOut)}
		if fs := judge.Budget(two, optional.Known(i), true); len(fs) > 0 {
			t.Errorf("%s with two untouched volumes: %s", i.Type, fs[0].Message)
		}
	}
	if slow != 207 {
		t.Errorf("%d types sustain less than the baseline, want 207", slow)
	}
}

// Nothing is said of what is not known yet, and the rest is judged.
func TestUnknownSettings(t *testing.T) {
	noType := optional.Unknown[string]()
	mac := optional.Known(instanceOf(t, "mac2-m2pro.metal"))
	notKnownInstance := optional.Unknown[catalog.Instance]()
	for _, test := range []struct {
		name     string
		volume   ebs.Volume
		instance optional.Value[catalog.Instance]
		want     []testcases.Finding
	}{
		{"all", ebs.Volume{Type: noType, SizeGiB: notKnown, IOPS: notKnown, ThroughputMiBPerS: notKnown}, notKnownInstance, nil},
		{"the type", ebs.Volume{Type: noType, SizeGiB: dec("0.5"), IOPS: dec("99999"), ThroughputMiBPerS: dec("9999")}, mac, nil},
		{"the size", gp3(notKnown, dec("80000"), leftOut), mac, []testcases.Finding{
			found(ebs.RuleInstanceIOPS, warning, "iops", "125"), found(ebs.RuleGP3IOPSUnneeded, info, "iops", "385"), found(ebs.RuleGP3DefaultThroughput, info, "throughput_mib_per_s", ""),
		}},
		{"the IOPS", gp3(dec("100"), notKnown, dec("2000")), mac, nil}, // they may carry it
		{"the IOPS of an impossible throughput", gp3(dec("100"), notKnown, dec("2001")), mac, []testcases.Finding{found(ebs.RuleGP3ThroughputRange, fault, "throughput_mib_per_s", "")}},
		{"the throughput", gp3(dec("100"), dec("4000"), notKnown), mac, nil}, // it may need them
		{"the throughput, with more IOPS than the instance has", gp3(dec("200"), dec("60000"), notKnown), mac, []testcases.Finding{
			found(ebs.RuleInstanceIOPS, warning, "iops", "", "Write iops = 55000, or what the throughput needs if that is more (4 a MiB/s)."),
		}},
		{"the throughput of an impossible volume", gp3(dec("7"), dec("4000"), notKnown), mac, []testcases.Finding{
			found(ebs.RuleGP3IOPSPerGiB, fault, "iops", "", "Write iops = 3500, or size_gib = 8."),
		}},
		{"the instance", gp3(dec("100"), dec("8000"), dec("2000")), notKnownInstance, nil},
		{"the size of a gp2", other("gp2", notKnown, leftOut), mac, nil},
		{"the IOPS of an io1", other("io1", dec("100"), notKnown), mac, nil},
		// They may turn out null, which is right for this type.
		{"the settings of a gp2", ebs.Volume{Type: optional.Known("gp2"), IOPS: notKnown, ThroughputMiBPerS: notKnown}, mac, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := testcases.Compare(test.want, finding.Merge(judge.Volume(test.volume, test.instance))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestInstance(t *testing.T) {
	for _, test := range []struct {
		name  string
		typ   optional.Value[string]
		state string
		want  []testcases.Finding
	}{
		{"known", optional.Known("mac2.metal"), "known", nil},
		{"null", optional.Null[string](), "null", nil},
		{"unknown", optional.Unknown[string](), "unknown", nil},
		{"without figures", optional.Known("c1.medium"), "known", []testcases.Finding{found(ebs.RuleInstanceUnknown, warning, "instance_type", "", "AWS publishes no EBS limits for c1.medium (table of 2026-")}},
		{"newer", optional.Known("mac9.metal"), "null", []testcases.Finding{
			found(ebs.RuleInstanceUnknown, warning, "instance_type", "", "mac9.metal is not in the table of 2026-", "only the volumes' own rules are checked", "the closest type is mac"),
		}},
		{"free text is not repeated", optional.Known("my secret"), "null", []testcases.Finding{found(ebs.RuleInstanceUnknown, warning, "instance_type", "", "The instance type is not in the table")}},
		{"empty", optional.Known(""), "null", []testcases.Finding{found(ebs.RuleInstanceUnknown, warning, "instance_type", "", "The instance type is not in the table")}},
	} {
		t.Run(test.name, func(t *testing.T) {
			i, fs := judge.Instance(test.typ)
			state := map[bool]string{i.IsKnown(): "known", i.IsNull(): "null", i.IsUnknown(): "unknown"}[true]
			if state != test.state {
				t.Errorf("is %s, want %s", state, test.state)
			}
			if diff := testcases.Compare(test.want, fs); diff != "" {
				t.Error(diff)
			}
			for _, f := range fs {
				if strings.Contains(f.Message+f.Fix, "secret") {
					t.Errorf("repeats what was written: %s %s", f.Message, f.Fix)
				}
			}
		})
	}
}

func TestBudget(t *testing.T) {
	four := func(v ebs.Volume) []ebs.Volume { return []ebs.Volume{v, v, v, v} }
	m5 := instanceOf(t, "m5.xlarge") // 137.09 to 566.24 MiB/s, 6,000 to 18,750 IOPS
	budget := func(severity finding.Severity, says ...string) []testcases.Finding {
		return []testcases.Finding{found(ebs.RuleInstanceSharedBudget, severity, "", "", says...)}
	}
	for _, test := range []struct {
		name     string
		volumes  []ebs.Volume
		instance optional.Value[catalog.Instance]
		apart    bool // they are busy one after the other
		want     []testcases.Finding
	}{
		{name: "four fast volumes", volumes: four(gp3(dec("100"), leftOut, dec("250"))), instance: optional.Known(m5), want: budget(warning,
			"4 volumes share one budget: 1,000 MiB/s are provisioned in all, m5.xlarge sustains 137.09 MiB/s and bursts to 566.24", "Give the volumes less")},
		{name: "four that a burst carries", volumes: four(gp3(dec("100"), leftOut, dec("141"))), instance: optional.Known(m5), want: budget(info,
			"564 MiB/s are provisioned", "not busy together for more than half an hour")},
		{name: "four a little too fast for it", volumes: four(gp3(dec("100"), leftOut, dec("142"))), instance: optional.Known(m5), want: budget(warning, "568 MiB/s")},
		{name: "four that are busy one after the other", volumes: four(gp3(dec("100"), leftOut, dec("250"))), instance: optional.Known(m5), apart: true, want: budget(info, "busy one after the other")},
		// Twice, since some of these volumes are nobody's fault.
		{name: "four that nobody paid for", volumes: four(gp3(dec("100"), leftOut, leftOut)), instance: optional.Known(m5)},
		{name: "one that is paid for beside them", volumes: append(four(gp3(dec("100"), leftOut, leftOut)), gp3(dec("100"), leftOut, dec("500"))), instance: optional.Known(m5)},
		{
			name: "two that are paid for beside them", volumes: append(four(gp3(dec("100"), leftOut, leftOut)), gp3(dec("100"), leftOut, dec("300")), gp3(dec("100"), leftOut, dec("300"))), instance: optional.Known(m5),
			want: budget(warning, "2 volumes share one budget: 600 MiB/s"),
		},
		{name: "IOPS", volumes: four(gp3(dec("100"), dec("5000"), leftOut)), instance: optional.Known(m5), want: budget(warning, "20,000 IOPS are provisioned in all, m5.xlarge sustains 6,000 IOPS and bursts to 18,750")},
		{name: "both", volumes: four(gp3(dec("100"), dec("5000"), dec("250"))), instance: optional.Known(m5), want: budget(warning, "1,000 MiB/s", "20,000 IOPS")},
		{name: "without bursts", volumes: four(gp3(dec("100"), leftOut, dec("250"))), instance: optional.Known(instanceOf(t, "mac2-m2pro.metal")), want: budget(warning, "mac2-m2pro.metal carries 953.67 MiB/s at most")},
		{name: "within the budget", volumes: four(gp3(dec("100"), leftOut, dec("238"))), instance: optional.Known(instanceOf(t, "mac2-m2pro.metal"))}, // 952
		{name: "two on the edge", volumes: []ebs.Volume{gp3(dec("100"), leftOut, dec("476")), gp3(dec("100"), leftOut, dec("478"))}, instance: optional.Known(instanceOf(t, "mac2-m2pro.metal")), want: budget(warning, "954 MiB/s")},
		// Other types count with what they have: gp2 by its size, hard disks without IOPS.
		{name: "gp2", volumes: []ebs.Volume{other("gp2", dec("5000"), leftOut), other("gp2", dec("5000"), leftOut)}, instance: optional.Known(m5), want: budget(warning, "500 MiB/s", "30,000 IOPS")},
		{name: "hard disks", volumes: []ebs.Volume{other("st1", dec("500"), leftOut), other("sc1", dec("500"), leftOut)}, instance: optional.Known(m5), want: budget(warning, "750 MiB/s")},
		{name: "io2", volumes: []ebs.Volume{other("io2", dec("100"), dec("4000")), other("io2", dec("100"), dec("4000"))}, instance: optional.Known(m5), want: budget(warning, "8,000 IOPS", "2,048 MiB/s")},
		// No sum without every share of it.
		{name: "a share is not known", volumes: append(four(gp3(dec("100"), leftOut, dec("250"))), gp3(dec("100"), leftOut, notKnown)), instance: optional.Known(m5)},
		{name: "a type is not known", volumes: append(four(gp3(dec("100"), leftOut, dec("250"))), ebs.Volume{Type: optional.Unknown[string]()}), instance: optional.Known(m5)},
		{name: "there is no such type", volumes: append(four(gp3(dec("100"), leftOut, dec("250"))), other("gp4", dec("1"), leftOut)), instance: optional.Known(m5)},
		{name: "a gp2's size is not known", volumes: append(four(gp3(dec("100"), leftOut, dec("250"))), other("gp2", notKnown, leftOut)), instance: optional.Known(m5)},
		{name: "an io1 has no IOPS", volumes: append(four(gp3(dec("100"), leftOut, dec("250"))), other("io1", dec("100"), leftOut)), instance: optional.Known(m5)},
		{name: "no instance", volumes: four(gp3(dec("100"), leftOut, dec("250")))},
		{name: "the instance is not known", volumes: four(gp3(dec("100"), leftOut, dec("250"))), instance: optional.Unknown[catalog.Instance]()},
		{name: "an instance without figures", volumes: four(gp3(dec("100"), leftOut, dec("250"))), instance: optional.Known(instanceOf(t, "c1.medium"))},
		{name: "no volumes", instance: optional.Known(m5)},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := judge.Budget(test.volumes, test.instance, !test.apart)
			if diff := testcases.Compare(test.want, got); diff != "" {
				t.Error(diff)
			}
			checkRegistered(t, ebs.Rules(), got)
		})
	}
}

// Prices of changes, with and without a price list.
func TestChange(t *testing.T) {
	from := ebs.GP3{IOPS: 3000, ThroughputMiBPerS: 125}
	to := ebs.GP3{IOPS: 4000, ThroughputMiBPerS: 1000}
	free := cat.WithPrices(catalog.PriceOverrides{GP3GiBMonth: dec("0"), GP3IOPSMonth: dec("0"), GP3MiBPerSMonth: dec("0")})
	trifle := cat.WithPrices(catalog.PriceOverrides{GP3IOPSMonth: dec("0.000001"), GP3MiBPerSMonth: dec("0")})
	for _, test := range []struct {
		name                 string
		cat                  *catalog.Catalog
		region               string
		there, back, savings string
	}{
		{"us-east-1", cat, "us-east-1", "+$40.00 a month", "-$40.00 a month", "40"},
		{"sa-east-1", cat, "sa-east-1", "+$76.00 a month", "-$76.00 a month", "76"},
		{"no price list", cat, "mars-west-1", "no price in US dollars for this Region: not in the table of 2022-02-10", "no price in US dollars for this Region: not in the table of 2022-02-10", ""},
		{"another currency", cat, "cn-north-1", "no price in US dollars for this Region: prices there are published in CNY", "no price in US dollars for this Region: prices there are published in CNY", ""},
		{"not known yet", cat, "", "price not known yet", "price not known yet", ""},
		{"own prices anywhere", free, "mars-west-1", "at no charge", "at no charge", ""},
		{"less than a cent", trifle, "us-east-1", "+$0.00 a month", "+$0.00 a month", "0.001"},
	} {
		t.Run(test.name, func(t *testing.T) {
			j := ebs.Judge{Catalog: test.cat, Region: test.region, Names: ebs.OurNames}
			if got := j.Change(from, to); got != test.there {
				t.Errorf("there: %q, want %q", got, test.there)
			}
			if got := j.Change(to, from); got != test.back {
				t.Errorf("back: %q, want %q", got, test.back)
			}
			if s := j.Saving(from, to); s.Valid {
				t.Errorf("a dearer setting saves %s", s.Decimal)
			}
			if s := j.Saving(to, from); s.Valid != (test.savings != "") || (s.Valid && !s.Decimal.Equal(decimal.RequireFromString(test.savings))) {
				t.Errorf("saves %+v, want %q", s, test.savings)
			}
		})
	}
	if got := judge.Set(from, to); got != "throughput_mib_per_s = 1000 and iops = 4000" {
		t.Errorf("Set = %q", got)
	}
	if got := judge.Set(from, ebs.GP3{IOPS: 3001, ThroughputMiBPerS: 125}); got != "iops = 3001" {
		t.Errorf("Set of one = %q", got)
	}
	if got := judge.Set(from, from); got != "" {
		t.Errorf("Set of nothing = %q", got)
	}
}

// Without a price the finding is still there, and says why it has none.
func TestFindingsWithoutPrices(t *testing.T) {
	volumes := []ebs.Volume{
		gp3(dec("100"), leftOut, dec("1000")), gp3(dec("100"), dec("10000"), dec("400")), gp3(dec("10"), dec("6000"), leftOut),
		other("gp2", dec("500"), leftOut), other("io1", dec("100"), dec("60000")), gp3(dec("100"), leftOut, leftOut),
	}
	mac := optional.Known(instanceOf(t, "mac2-m2pro.metal"))
	for _, v := range volumes {
		priced := finding.Merge(judge.Volume(v, mac))
		for _, region := range []string{"mars-west-1", ""} {
			j := judge
			j.Region = region
			got := finding.Merge(j.Volume(v, mac))
			if len(got) != len(priced) {
				t.Errorf("%d findings without prices, %d with", len(got), len(priced))
				continue
			}
			for i, f := range got {
				if f.Rule != priced[i].Rule || f.Message != priced[i].Message || f.MonthlySavingUSD.Valid || strings.Contains(f.Fix, "$") {
					t.Errorf("%q: %+v, with prices %+v", region, f, priced[i])
				}
				if strings.Contains(priced[i].Fix, "$") && !strings.Contains(f.Fix, "price") {
					t.Errorf("%q: no word about the price: %s", region, f.Fix)
				}
			}
		}
	}
	// The user's prices for gp3 do not make others known.
	own := cat.WithPrices(catalog.PriceOverrides{GP3GiBMonth: dec("0.08"), GP3IOPSMonth: dec("0.005"), GP3MiBPerSMonth: dec("0.04")})
	fs := ebs.Judge{Catalog: own, Region: "mars-west-1", Names: ebs.OurNames}.Volume(other("gp2", dec("500"), leftOut), mac)
	if len(fs) != 1 || !strings.HasSuffix(fs[0].Fix, "(no price in US dollars for this Region).") || fs[0].MonthlySavingUSD.Valid {
		t.Errorf("gp2 with own prices of gp3: %+v", fs)
	}
}

// Names are those of the place that is judged, in paths and in fixes.
func TestNames(t *testing.T) {
	j := judge
	j.Names = ebs.Names{Size: "volume_size", IOPS: "volume_iops", Throughput: "volume_throughput", Type: "volume_type", InstanceType: "machine"}
	var all []finding.Finding
	mac := optional.Known(instanceOf(t, "mac2-m2pro.metal"))
	for _, v := range []ebs.Volume{
		gp3(dec("70000"), dec("90000"), dec("3000")), gp3(dec("1"), dec("4000"), dec("1000")), gp3(dec("10"), leftOut, leftOut), gp3(dec("10.5"), leftOut, leftOut),
		other("gp2", dec("100"), dec("3000")), other("io1", dec("100"), leftOut), other("gp4", leftOut, leftOut),
	} {
		all = append(all, j.Volume(v, mac)...)
	}
	_, fs := j.Instance(optional.Known("mac9.metal"))
	for _, f := range append(all, fs...) {
		for _, ours := range []string{"size_gib", "throughput_mib_per_s", "instance_type"} {
			if strings.Contains(f.Path+f.Message+f.Fix, ours) {
				t.Errorf("%s speaks of %s: %s %s", f.Rule, ours, f.Path, f.Fix)
			}
		}
		if f.Path != "machine" && !strings.HasPrefix(f.Path, "volume_") {
			t.Errorf("%s is at %q", f.Rule, f.Path)
		}
	}
	if len(all) < 12 {
		t.Errorf("only %d findings", len(all))
	}
}

// The name of a volume heads what is said of it once several are merged.
func TestNameOfAVolume(t *testing.T) {
	v := gp3(dec("100"), leftOut, dec("751"))
	v.Name = "root"
	for _, f := range judge.Volume(v, optional.Null[catalog.Instance]()) {
		if f.Subject != "root" || f.Path != "throughput_mib_per_s" {
			t.Errorf("%+v", f)
		}
	}
}

// What a gp2, io1 or io2 moves follows from size and IOPS.
func TestThroughputOfOtherTypes(t *testing.T) {
	for _, test := range []struct {
		volume ebs.Volume
		want   optional.Value[units.MiBPerS]
	}{
		{gp3(dec("1"), leftOut, leftOut), optional.Known[units.MiBPerS](125)},
		{gp3(dec("1"), leftOut, dec("400")), optional.Known[units.MiBPerS](400)},
		{gp3(dec("1"), leftOut, notKnown), optional.Unknown[units.MiBPerS]()},
		{gp3(notKnown, notKnown, dec("400")), optional.Known[units.MiBPerS](400)}, // IOPS do not change it
		{gp3(dec("1"), leftOut, dec("400.5")), optional.Unknown[units.MiBPerS]()},
		{other("gp2", dec("170"), leftOut), optional.Known[units.MiBPerS](128)},
		{other("gp2", dec("171"), leftOut), optional.Known[units.MiBPerS](250)},
		{other("gp2", leftOut, leftOut), optional.Null[units.MiBPerS]()},
		{other("gp2", notKnown, leftOut), optional.Unknown[units.MiBPerS]()},
		{other("io1", leftOut, dec("400")), optional.Known[units.MiBPerS](100)},
		{other("io1", leftOut, dec("2000")), optional.Known[units.MiBPerS](500)},
		{other("io1", leftOut, dec("32000")), optional.Known[units.MiBPerS](500)},
		{other("io1", leftOut, dec("64000")), optional.Known[units.MiBPerS](1000)},
		{other("io1", leftOut, leftOut), optional.Null[units.MiBPerS]()},
		{other("io2", leftOut, dec("1000")), optional.Known[units.MiBPerS](256)},
		{other("io2", leftOut, dec("256000")), optional.Known[units.MiBPerS](4000)},
		{other("st1", leftOut, leftOut), optional.Known[units.MiBPerS](500)},
		{other("gp4", dec("1"), leftOut), optional.Null[units.MiBPerS]()},
		{ebs.Volume{Type: optional.Unknown[string]()}, optional.Unknown[units.MiBPerS]()},
	} {
		if got := test.volume.Throughput(cat, catalog.CurrentLimits); got != test.want {
			t.Errorf("%+v: %+v, want %+v", test.volume, got, test.want)
		}
	}
}

func TestCostOfAVolume(t *testing.T) {
	for _, test := range []struct {
		volume ebs.Volume
		region string
		want   optional.Value[decimal.Decimal]
	}{
		{gp3(dec("100"), dec("4000"), dec("1000")), "us-east-1", dec("48")},
		{gp3(dec("100"), leftOut, leftOut), "sa-east-1", dec("15.2")},
		{gp3(leftOut, leftOut, leftOut), "us-east-1", leftOut},
		{gp3(notKnown, leftOut, leftOut), "us-east-1", notKnown},
		{gp3(dec("100"), notKnown, leftOut), "us-east-1", notKnown},
		{gp3(dec("100"), leftOut, leftOut), "mars-west-1", leftOut},
		{gp3(notKnown, leftOut, leftOut), "mars-west-1", leftOut},
		{other("gp2", dec("500"), leftOut), "us-east-1", dec("50")},
		{other("gp2", dec("500"), notKnown), "us-east-1", dec("50")}, // its IOPS cost nothing
		{other("io1", dec("100"), dec("1000")), "us-east-1", dec("77.5")},
		{other("io1", dec("100"), leftOut), "us-east-1", leftOut}, // not 12.50: it cannot be had without
		{other("io1", dec("100"), notKnown), "us-east-1", notKnown},
		{other("standard", dec("100"), leftOut), "us-east-1", leftOut}, // no price in the table
		{other("gp4", dec("100"), leftOut), "us-east-1", leftOut},
		{ebs.Volume{Type: optional.Unknown[string](), SizeGiB: dec("100")}, "us-east-1", notKnown},
	} {
		got := optional.Map(test.volume.Cost(cat, catalog.CurrentLimits, test.region), ebs.Cost.TotalUSD)
		g, _ := got.Get()
		w, _ := test.want.Get()
		if got.IsKnown() != test.want.IsKnown() || got.IsUnknown() != test.want.IsUnknown() || !g.Equal(w) {
			t.Errorf("%+v in %s costs %+v, want %+v", test.volume, test.region, got, test.want)
		}
	}
}

// Whatever is written, no message falls apart, no path is invented, and nothing
// is repeated that somebody typed.
func TestAnyVolume(t *testing.T) {
	var types []string
	for i := range cat.Instances() {
		types = append(types, i.Type)
	}
	figure := rapid.OneOf(
		rapid.Just(leftOut), rapid.Just(notKnown),
		rapid.Map(rapid.Int64Range(-10, 5000), whole),
		rapid.Map(rapid.SampledFrom([]int64{124, 125, 126, 749, 750, 751, 2000, 2001, 3000, 3001, 16000, 64000, 80000, 80001, 65536, 65537}), whole),
		rapid.Map(rapid.Int64(), func(n int64) optional.Value[decimal.Decimal] { return optional.Known(decimal.New(n, -2)) }),
		rapid.Just(dec("1e60")), rapid.Just(dec("-1e60")), rapid.Just(dec("1e-60")),
	)
	rapid.Check(t, func(t *rapid.T) {
		v := ebs.Volume{SizeGiB: figure.Draw(t, "size"), IOPS: figure.Draw(t, "iops"), ThroughputMiBPerS: figure.Draw(t, "throughput"), IOPSBound: rapid.Bool().Draw(t, "IOPS bound")}
		switch typ := rapid.SampledFrom([]string{"null", "unknown", "gp3", "gp3", "gp2", "io1", "io2", "st1", "standard", "secret"}).Draw(t, "type"); typ {
		case "null":
		case "unknown":
			v.Type = optional.Unknown[string]()
		default:
			v.Type = optional.Known(typ)
		}
		j := judge
		j.Limits = rapid.SampledFrom([]catalog.LimitSet{catalog.CurrentLimits, catalog.ClassicLimits}).Draw(t, "limits")
		j.Region = rapid.SampledFrom([]string{"us-east-1", "mars-west-1", ""}).Draw(t, "region")
		i := instanceOf(t, rapid.SampledFrom(types).Draw(t, "instance"))
		got := j.Volume(v, optional.Known(i))
		checkRegistered(t, ebs.Rules(), got)
		for _, f := range got {
			written, isSetting := map[string]optional.Value[decimal.Decimal]{"size_gib": v.SizeGiB, "iops": v.IOPS, "throughput_mib_per_s": v.ThroughputMiBPerS, "type": {}}[f.Path]
			if !isSetting || written.IsUnknown() {
				t.Errorf("%s at %q, which is unknown or no setting", f.Rule, f.Path)
			}
			if f.Message == "" || f.Fix == "" || strings.Contains(f.Message+f.Fix, "%!") || strings.Contains(f.Message+f.Fix, "secret") || strings.Contains(f.Fix, "Write  ") || strings.Contains(f.Fix, "()") {
				t.Errorf("%s: %s %s", f.Rule, f.Message, f.Fix)
			}
			if f.MonthlySavingUSD.Valid && !f.MonthlySavingUSD.Decimal.IsPositive() {
				t.Errorf("%s saves %s", f.Rule, f.MonthlySavingUSD.Decimal)
			}
		}
	})
}

// Every single piece of advice about a gp3 volume, taken as it is written, leaves
// a volume without that finding and without a new error.
func TestAdviceCanBeTaken(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := ebs.Volume{
			SizeGiB:           whole(rapid.Int64Range(1, 200).Draw(t, "size")),
			IOPS:              whole(rapid.Int64Range(2500, 82000).Draw(t, "iops")),
			ThroughputMiBPerS: whole(rapid.Int64Range(100, 2100).Draw(t, "throughput")),
			IOPSBound:         true,
		}
		if rapid.Bool().Draw(t, "IOPS left out") {
			v.IOPS = leftOut
		}
		i := optional.Known(instanceOf(t, rapid.SampledFrom([]string{"mac2-m2pro.metal", "mac2.metal", "m5.xlarge", "t3.small", "m1.large", "m5.24xlarge"}).Draw(t, "instance")))
		before := judge.Volume(v, i)
		for _, f := range before {
			if f.Severity == info {
				continue
			}
			for way := range strings.SplitSeq(f.Fix, ", or ") {
				w := v
				changed := false
				for name, to := range map[string]*optional.Value[decimal.Decimal]{"size_gib": &w.SizeGiB, "iops": &w.IOPS, "throughput_mib_per_s": &w.ThroughputMiBPerS} {
					var n int64
					if _, after, found := strings.Cut(" "+way, " "+name+" = "); found {
						if _, err := fmt.Sscan(strings.FieldsFunc(after, func(r rune) bool { return r < '0' || r > '9' })[0], &n); err != nil {
							t.Fatal(err)
						}
						*to, changed = whole(n), true
					}
				}
				if !changed {
					continue // "or leave it out"
				}
				for _, g := range judge.Volume(w, i) {
					isNew := !slices.ContainsFunc(before, func(h finding.Finding) bool { return h.Rule == g.Rule })
					if g.Rule == f.Rule && g.Severity == f.Severity || g.Severity == fault && isNew {
						t.Errorf("%s said %q, then %s says: %s %s", f.Rule, f.Fix, g.Rule, g.Message, g.Fix)
					}
				}
			}
		}
	})
}

// Rules of the contract, with a page each.
func TestRules(t *testing.T) {
	for _, r := range ebs.Rules() {
		if r.Summary == "" || len(r.Summary) > 60 || strings.ContainsAny(r.Summary, "0123456789%") && !strings.Contains(r.Summary, "gp3") {
			t.Errorf("%s: summary %q", r.ID, r.Summary)
		}
		if !slices.IsSortedFunc(r.Severities, func(a, b finding.Severity) int { return int(b) - int(a) }) || len(r.Severities) == 0 {
			t.Errorf("%s: severities %v", r.ID, r.Severities)
		}
		if page, err := r.Page(); err != nil || !strings.HasPrefix(page, "# "+r.ID+"\n") {
			t.Errorf("%s: page: %v", r.ID, err)
		}
	}
}

func TestVolumeCases(t *testing.T) {
	for _, c := range testcases.Volumes {
		t.Run(c.ID, func(t *testing.T) {
			instance, fs := judge.Instance(c.InstanceType)
			got := finding.Merge(append(fs, judge.Volume(c.Volume, instance)...))
			if diff := testcases.Compare(c.Findings, got); diff != "" {
				t.Error(diff)
			}
			if finding.Worst(got) != c.Level {
				t.Errorf("level %s, want %s", finding.Worst(got), c.Level)
			}
			p, _ := gp3Prices(t, "us-east-1").Get()
			for _, w := range c.Costs {
				cost := ebs.GP3Cost(p, current, w.SizeGiB, w.Setting())
				for part, amounts := range map[string]struct {
					want string
					got  decimal.Decimal
				}{
					"storage": {w.StorageUSD, cost.StorageUSD}, "IOPS": {w.IOPSUSD, cost.IOPSUSD}, "throughput": {w.ThroughputUSD, cost.ThroughputUSD}, "all": {w.AllUSD, cost.TotalUSD()},
				} {
					if !amounts.got.Equal(decimal.RequireFromString(amounts.want)) {
						t.Errorf("%s: %s costs %s, want %s", w.Of, part, amounts.got, amounts.want)
					}
				}
				type limits struct{ minIOPS, maxThroughput, maxIOPS int64 }
				got := limits{ebs.MinIOPS(current, w.ThroughputMiBPerS), ebs.MaxThroughput(current, w.IOPS), ebs.MaxIOPS(current, w.SizeGiB)}
				if diff := cmp.Diff(limits{w.MinIOPS, w.MaxThroughput, w.MaxIOPS}, got, cmp.AllowUnexported(limits{})); diff != "" {
					t.Errorf("%s (-want +got):\n%s", w.Of, diff)
				}
			}
		})
	}
}

func TestCeilingCases(t *testing.T) {
	for _, c := range testcases.Ceilings {
		e, ok := instanceOf(t, c.Type).EBS.Get()
		if !ok {
			t.Fatalf("%s: no figures", c.Type)
		}
		two := func(f float64) string { return decimal.NewFromFloat(f).StringFixed(2) }
		if e.Sustained.Bandwidth.MB() != c.SustainedMB || e.Maximum.Bandwidth.MB() != c.MaximumMB || e.Sustained.IOPS != c.SustainedIOPS || e.Maximum.IOPS != c.MaximumIOPS ||
			two(float64(e.Sustained.Throughput())) != c.SustainedMiB || two(float64(e.Maximum.Throughput())) != c.MaximumMiB ||
			two(125/float64(e.Maximum.Throughput())*100) != c.FreeBaselineOfMaximumPercents {
			t.Errorf("%s: %+v, want %+v", c.Type, e, c)
		}
	}
	// The figure of C21's blog, and the sum of B27's two volumes.
	if got := units.MbitPerS(8000).MiB().String(); got != "953.67 MiB/s" {
		t.Errorf("8 Gbit/s are %s", got)
	}
	if got := units.MiBPerS(2000).MB().String(); got != "2,097.15 MB/s" {
		t.Errorf("2,000 MiB/s are %s", got)
	}
}
