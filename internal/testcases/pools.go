package testcases

import (
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/hostpool"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

// Pool is a case of a pool of dedicated hosts.
type Pool struct {
	Name, Source string
	Pool         hostpool.Pool

	PeakHosts int64
	// Hours until the last free host is taken; null for never.
	Hours optional.Value[float64]
	// ExposureUSD is what the additional hosts cost a month, to the cent; null
	// without a price.
	ExposureUSD optional.Value[string]
	Verdict     hostpool.Verdict
	Findings    []Finding
}

// pool is a pool of the table's: mac2-m2pro hosts, 4 of 10, allocated by
// themselves and not released, 2 failed launches a day, with changes.
func pool(changes ...func(*hostpool.Pool)) hostpool.Pool {
	p := hostpool.Pool{
		InstanceType:         optional.Known("mac2-m2pro.metal"),
		DesiredHosts:         amount("4"),
		MaxHosts:             amount("10"),
		AutoReleaseHosts:     optional.Known(false),
		FailedLaunchesPerDay: amount("2"),
	}
	for _, c := range changes {
		c(&p)
	}
	return p
}

const (
	measured  = "start-ups and failed launches of a macOS runner fleet, August 2026"
	hostRules = "AWS's rules for Mac hosts: one instance a host, 24 hours at least, a scrub after each"
)

const (
	autoRelease = "host-auto-release"
	failureLoop = "host-failure-loop"
	exhaustion  = "host-pool-exhaustion"
)

// Pools are cases of pools of hosts.
var Pools = []Pool{
	{
		Name: "a slow trickle of failures costs one host", Source: measured,
		Pool:      pool(),
		PeakHosts: 5, ExposureUSD: optional.Known("1138.80"), Verdict: hostpool.Costly,
		Findings: []Finding{found(finding.Warning, autoRelease, "auto_release_hosts", "5 hosts", "1 extra host, $1,138.80 a month", "-$321.61 a month")},
	},
	{
		Name: "somebody releases by hand after two days", Source: measured,
		Pool: pool(func(p *hostpool.Pool) { p.ReleaseAfterHours = amount("48") }),
		// Every fifth failure allocates a host; it is kept for 48 hours and the 110
		// minutes until one is free: 49.83 of 60 hours.
		PeakHosts: 5, ExposureUSD: optional.Known("945.84"), Verdict: hostpool.Costly,
		Findings: []Finding{found(finding.Warning, autoRelease, "auto_release_hosts", "by hand after 48 hours", "0.83 on average", "$945.84 a month")},
	},
	{
		Name: "released by the group after 24 hours", Source: measured,
		Pool: pool(func(p *hostpool.Pool) { p.AutoReleaseHosts = optional.Known(true) }),
		// Every third failure allocates a host, kept for 25.83 of 36 hours.
		PeakHosts: 5, ExposureUSD: optional.Known("817.19"), Verdict: hostpool.Costly,
	},
	{
		Name: "failed hosts that never come back", Source: measured,
		Pool:      pool(func(p *hostpool.Pool) { p.FailedHostsReturn = optional.Known(false) }),
		PeakHosts: 10, Hours: optional.Known(72.0), ExposureUSD: optional.Known("6832.80"), Verdict: hostpool.Exhausts,
		Findings: []Finding{
			found(finding.Warning, autoRelease, "auto_release_hosts", "6 extra hosts", "$6,832.80 a month"),
			found(finding.Warning, exhaustion, "max_hosts", "all 10 hosts are in use after 72 hours", "after 84 hours"),
		},
	},
	{
		Name: "a hundred failures a day", Source: measured,
		Pool:      pool(func(p *hostpool.Pool) { p.FailedLaunchesPerDay = amount("100") }),
		PeakHosts: 10, Hours: optional.Known(1.44), ExposureUSD: optional.Known("6832.80"), Verdict: hostpool.Exhausts,
		Findings: []Finding{
			found(finding.Error, exhaustion, "max_hosts", "after 86.4 minutes", "up to 78 failed launches a day", "max_hosts = 12"),
			found(finding.Warning, autoRelease, "auto_release_hosts"),
		},
	},
	{
		Name: "the most failures that six spare hosts carry at 110 minutes", Source: measured,
		Pool:      pool(func(p *hostpool.Pool) { p.FailedLaunchesPerDay = amount("78") }),
		PeakHosts: 10, ExposureUSD: optional.Known("6832.80"), Verdict: hostpool.Costly,
		Findings: []Finding{found(finding.Warning, autoRelease, "auto_release_hosts")},
	},
	{
		Name: "one more than they carry", Source: measured,
		Pool:      pool(func(p *hostpool.Pool) { p.FailedLaunchesPerDay = amount("79") }),
		PeakHosts: 10, Hours: optional.Known(6 * 24.0 / 79), ExposureUSD: optional.Known("6832.80"), Verdict: hostpool.Exhausts,
		Findings: []Finding{
			found(finding.Error, exhaustion, "max_hosts", "up to 78", "max_hosts = 11"),
			found(finding.Warning, autoRelease, "auto_release_hosts"),
		},
	},
	{
		Name: "a scrub of four and a half hours, as AWS's current page says", Source: hostRules,
		Pool: pool(func(p *hostpool.Pool) {
			p.FailedLaunchesPerDay, p.RecycleMinutes = amount("32"), amount("270")
		}),
		PeakHosts: 10, Hours: optional.Known(4.5), ExposureUSD: optional.Known("6832.80"), Verdict: hostpool.Exhausts,
		Findings: []Finding{
			found(finding.Error, exhaustion, "max_hosts", "scrubbing for 270 minutes", "up to 31"),
			found(finding.Warning, autoRelease, "auto_release_hosts"),
		},
	},
	{
		Name: "and just below what that carries", Source: hostRules,
		Pool: pool(func(p *hostpool.Pool) {
			p.FailedLaunchesPerDay, p.RecycleMinutes = amount("31.99"), amount("270")
		}),
		PeakHosts: 10, ExposureUSD: optional.Known("6832.80"), Verdict: hostpool.Costly,
		Findings: []Finding{found(finding.Warning, autoRelease, "auto_release_hosts")},
	},
	{
		Name: "a failure loop", Source: measured,
		Pool: pool(func(p *hostpool.Pool) {
			p.FailedLaunchesPerDay = leftOut
			p.BootToReadySeconds, p.GracePeriodSeconds = amount("700"), amount("600")
		}),
		PeakHosts: 10, Hours: optional.Known(32.0 / 60), ExposureUSD: optional.Known("6832.80"), Verdict: hostpool.Exhausts,
		Findings: []Finding{
			found(finding.Error, failureLoop, "grace_period_seconds", "Each of the 4 desired slots", "every 16 to 30 minutes",
				"up to 360 failed launches a day", "All 10 hosts are in use after 32 to 60 minutes", "$37.44", "grace_period_seconds = 875"),
			found(finding.Warning, autoRelease, "auto_release_hosts", "6 extra hosts", "$6,832.80 a month"),
		},
	},
	{
		Name: "a failure loop with a launch that is known", Source: measured,
		Pool: pool(func(p *hostpool.Pool) {
			p.LaunchSeconds, p.AutoReleaseHosts = amount("1200"), optional.Known(true)
			p.BootToReadySeconds, p.GracePeriodSeconds = amount("374"), amount("600")
		}),
		PeakHosts: 10, Hours: optional.Known(1.0), ExposureUSD: optional.Known("6832.80"), Verdict: hostpool.Exhausts,
		Findings: []Finding{found(finding.Error, failureLoop, "grace_period_seconds",
			"ready after 1,574 s (1,200 s of launching and 374 s from boot)", "every 30 minutes", "after 60 minutes")},
	},
	{
		Name: "a failure loop without a quota in reach", Source: measured,
		Pool: pool(func(p *hostpool.Pool) {
			p.MaxHosts, p.AutoReleaseHosts = amount("100"), optional.Known(true)
			p.BootToReadySeconds, p.GracePeriodSeconds = amount("700"), amount("600")
		}),
		// 7 batches of 4 scrub at a time; the last is held for 1,454 of every 1,456
		// minutes.
		PeakHosts: 32, ExposureUSD: optional.Known("31880.14"), Verdict: hostpool.Costly,
		Findings: []Finding{found(finding.Error, failureLoop, "grace_period_seconds", "It settles at 20 to 32 hosts in use")},
	},
	{
		Name: "the same with a scrub of four and a half hours", Source: hostRules,
		Pool: pool(func(p *hostpool.Pool) {
			p.MaxHosts, p.AutoReleaseHosts, p.RecycleMinutes = amount("100"), optional.Known(true), amount("270")
			p.BootToReadySeconds, p.GracePeriodSeconds = amount("700"), amount("600")
		}),
		PeakHosts: 72, ExposureUSD: optional.Known("77432.14"), Verdict: hostpool.Costly,
		Findings: []Finding{found(finding.Error, failureLoop, "grace_period_seconds", "It settles at 40 to 72 hosts in use")},
	},
	{
		Name: "a failure loop that only quick launches make fill the quota", Source: measured,
		Pool: pool(func(p *hostpool.Pool) {
			p.MaxHosts, p.AutoReleaseHosts = amount("24"), optional.Known(true)
			p.BootToReadySeconds, p.GracePeriodSeconds = amount("700"), amount("600")
		}),
		PeakHosts: 24, Hours: optional.Known(80.0 / 60), ExposureUSD: optional.Known("22776.00"), Verdict: hostpool.Exhausts,
		Findings: []Finding{found(finding.Error, failureLoop, "grace_period_seconds",
			"in use after 80 minutes when launches take 6 minutes; when they take 20, 20 are in use at a time")},
	},
	{
		Name: "ready just within the allowed time", Source: measured,
		Pool: pool(func(p *hostpool.Pool) {
			p.FailedLaunchesPerDay, p.AutoReleaseHosts = leftOut, optional.Known(true)
			p.BootToReadySeconds, p.LaunchSeconds, p.GracePeriodSeconds = amount("289.5"), amount("310.5"), amount("600")
		}),
		PeakHosts: 4, ExposureUSD: optional.Known("0"), Verdict: hostpool.Safe,
	},
	{
		Name: "hosts owned by Terraform", Source: "GitLab runbook and Terraform configurations with aws_ec2_host",
		Pool:      pool(func(p *hostpool.Pool) { p.AutoAllocateHosts = optional.Known(false) }),
		PeakHosts: 4, ExposureUSD: optional.Known("0"), Verdict: hostpool.Safe,
	},
	{
		Name: "hosts owned by Terraform that do not come back", Source: hostRules,
		Pool: pool(func(p *hostpool.Pool) {
			p.AutoAllocateHosts, p.FailedHostsReturn = optional.Known(false), optional.Known(false)
		}),
		PeakHosts: 4, Hours: optional.Known(0.0), ExposureUSD: optional.Known("0"), Verdict: hostpool.Exhausts,
		Findings: []Finding{found(finding.Error, exhaustion, "max_hosts", "No host is spare", "after 12 hours")},
	},
	{
		Name: "hosts owned by Terraform in a failure loop", Source: measured,
		Pool: pool(func(p *hostpool.Pool) {
			p.AutoAllocateHosts = optional.Known(false)
			p.BootToReadySeconds, p.GracePeriodSeconds = amount("700"), amount("600")
		}),
		PeakHosts: 4, Hours: optional.Known(0.0), ExposureUSD: optional.Known("0"), Verdict: hostpool.Exhausts,
		Findings: []Finding{found(finding.Error, failureLoop, "grace_period_seconds", "Each of the 4 hosts fails every time")},
	},
	{
		// C06. Right as an insurance; the price has to be said, and that the rule can
		// be ignored with the reason.
		Name: "hosts kept on purpose, failures not counted", Source: "GitLab's runbook for macOS runners: m2pro hosts are scarce, so unused ones are held",
		Pool:      pool(func(p *hostpool.Pool) { p.FailedLaunchesPerDay = leftOut }),
		PeakHosts: 4, ExposureUSD: optional.Known("0"), Verdict: hostpool.Safe,
		Findings: []Finding{found(finding.Warning, autoRelease, "auto_release_hosts",
			"$1,138.80 a month each", "is not known", "ignore the rule with that as the reason")},
	},
	{
		Name: "no failures", Source: measured,
		Pool:      pool(func(p *hostpool.Pool) { p.FailedLaunchesPerDay = amount("0") }),
		PeakHosts: 4, ExposureUSD: optional.Known("0"), Verdict: hostpool.Safe,
		Findings: []Finding{found(finding.Info, autoRelease, "auto_release_hosts", "$1,138.80 a month each")},
	},
	{
		Name: "a price that nobody published", Source: "host price tables list us-east-1, and us-west-2 for mac1",
		Pool:      pool(func(p *hostpool.Pool) { p.Region = optional.Known("eu-central-1") }),
		PeakHosts: 5, ExposureUSD: optional.Null[string](), Verdict: hostpool.Costly,
		Findings: []Finding{
			found(finding.Warning, autoRelease, "auto_release_hosts", "1 extra host until"),
			found(finding.Info, "host-price-unknown", "host_hourly_price_usd", "mac2-m2pro.metal host in eu-central-1", "host_hourly_price_usd", "mac_host_hour_usd"),
		},
	},
	{
		Name: "a price of one's own", Source: "private pricing",
		Pool: pool(func(p *hostpool.Pool) {
			p.Region, p.HostHourlyPriceUSD = optional.Known("eu-central-1"), amount("2")
		}),
		PeakHosts: 5, ExposureUSD: optional.Known("1460.00"), Verdict: hostpool.Costly,
		Findings: []Finding{found(finding.Warning, autoRelease, "auto_release_hosts", "$1,460.00 a month")},
	},
	{
		Name: "more than the quota", Source: hostRules,
		Pool: pool(func(p *hostpool.Pool) {
			p.DesiredHosts, p.AutoReleaseHosts = amount("12"), optional.Known(true)
		}),
		PeakHosts: 10, Hours: optional.Known(0.0), ExposureUSD: optional.Known("0"), Verdict: hostpool.Exhausts,
		Findings: []Finding{found(finding.Error, "host-quota", "desired_hosts", "12 hosts are desired", "the quota (max_hosts) is 10", "max_hosts = 12 (+$2,277.60 a month)")},
	},
	{
		Name: "no spare host, one failure in ten days", Source: hostRules,
		Pool: pool(func(p *hostpool.Pool) {
			p.DesiredHosts, p.FailedLaunchesPerDay = amount("10"), amount("0.1")
		}),
		PeakHosts: 10, Hours: optional.Known(0.0), ExposureUSD: optional.Known("0"), Verdict: hostpool.Exhausts,
		Findings: []Finding{found(finding.Info, exhaustion, "max_hosts", "No host is spare", "after 240 hours")},
	},
	{
		Name: "a scaled-down group", Source: "reference modules with a minimum of 0",
		Pool: pool(func(p *hostpool.Pool) {
			p.DesiredHosts, p.AutoReleaseHosts = amount("0"), optional.Known(true)
		}),
		PeakHosts: 0, ExposureUSD: optional.Known("0"), Verdict: hostpool.Safe,
	},
	{
		// C08. The claim is contested, so it is an input.
		Name: "scrubbing hosts that are not billed", Source: "authors of a Mac fleet manager say a scrubbing host costs nothing; not verified",
		Pool: pool(func(p *hostpool.Pool) { p.ScrubMetered = optional.Known(false) }),
		// One additional host, of which 2 × 110 minutes a day scrub.
		PeakHosts: 5, ExposureUSD: optional.Known("964.82"), Verdict: hostpool.Costly,
		Findings: []Finding{found(finding.Warning, autoRelease, "auto_release_hosts")},
	},
	{
		// C05. Whether a group releases Macs at all is contested, so the age is one, too.
		Name: "a group that takes its time", Source: "test-kitchen/kitchen-ec2 issue 590 (does not release), buildkite/elastic-ci-stack-for-aws issue 776 (releases over 24 hours)",
		Pool: pool(func(p *hostpool.Pool) {
			p.AutoReleaseHosts, p.AutoReleaseAfterHours = optional.Known(true), amount("48")
		}),
		PeakHosts: 5, ExposureUSD: optional.Known("945.84"), Verdict: hostpool.Costly,
	},
	{
		Name: "somebody is quicker than the group", Source: measured,
		Pool: pool(func(p *hostpool.Pool) {
			p.AutoReleaseHosts, p.AutoReleaseAfterHours, p.ReleaseAfterHours = optional.Known(true), amount("72"), amount("48")
		}),
		PeakHosts: 5, ExposureUSD: optional.Known("945.84"), Verdict: hostpool.Costly,
	},
	{
		Name: "the group is quicker than somebody", Source: measured,
		Pool: pool(func(p *hostpool.Pool) {
			p.AutoReleaseHosts, p.ReleaseAfterHours = optional.Known(true), amount("48")
		}),
		PeakHosts: 5, ExposureUSD: optional.Known("817.19"), Verdict: hostpool.Costly,
	},
	{
		Name: "full after exactly a day", Source: "the rule's limits",
		Pool: pool(func(p *hostpool.Pool) {
			p.DesiredHosts, p.FailedHostsReturn, p.AutoReleaseHosts = amount("8"), optional.Known(false), optional.Known(true)
		}),
		PeakHosts: 10, Hours: optional.Known(24.0), ExposureUSD: optional.Known("2277.60"), Verdict: hostpool.Exhausts,
		Findings: []Finding{found(finding.Warning, exhaustion, "max_hosts", "after 24 hours", "after 36 hours")},
	},
	{
		Name: "full after exactly a week", Source: "the rule's limits",
		Pool: pool(func(p *hostpool.Pool) {
			p.DesiredHosts, p.FailedLaunchesPerDay, p.FailedHostsReturn, p.AutoReleaseHosts = amount("3"), amount("1"), optional.Known(false), optional.Known(true)
		}),
		PeakHosts: 10, Hours: optional.Known(168.0), ExposureUSD: optional.Known("7971.60"), Verdict: hostpool.Exhausts,
		Findings: []Finding{found(finding.Warning, exhaustion, "max_hosts", "1 failed launch a day", "after 168 hours")},
	},
	{
		Name: "full after more than a week", Source: "the rule's limits",
		Pool: pool(func(p *hostpool.Pool) {
			p.DesiredHosts, p.FailedLaunchesPerDay, p.FailedHostsReturn, p.AutoReleaseHosts = amount("2"), amount("1"), optional.Known(false), optional.Known(true)
		}),
		PeakHosts: 10, Hours: optional.Known(192.0), ExposureUSD: optional.Known("9110.40"), Verdict: hostpool.Exhausts,
		Findings: []Finding{found(finding.Info, exhaustion, "max_hosts", "after 192 hours")},
	},
	{
		Name: "one failure in three years", Source: "the horizon",
		Pool:      pool(func(p *hostpool.Pool) { p.FailedLaunchesPerDay = amount("0.0009") }),
		PeakHosts: 4, ExposureUSD: optional.Known("0"), Verdict: hostpool.Safe,
		Findings: []Finding{found(finding.Info, autoRelease, "auto_release_hosts")},
	},
	{
		Name: "not full within a year", Source: "the horizon",
		Pool: pool(func(p *hostpool.Pool) {
			p.FailedLaunchesPerDay, p.FailedHostsReturn, p.AutoReleaseHosts = amount("0.015"), optional.Known(false), optional.Known(true)
		}),
		// Five failures in a year, six hosts to spare.
		PeakHosts: 9, ExposureUSD: optional.Known("5694.00"), Verdict: hostpool.Costly,
	},
}

// HostPrice is a case of what hosts cost.
type HostPrice struct {
	ID, Type                 string
	Hosts                    int64
	DayUSD, MonthUSD         string // of one host
	IdleDayUSD, IdleMonthUSD string // of all of them
}

// HostPrices are the prices that the public cases of hosts quote, in us-east-1.
var HostPrices = []HostPrice{
	{ID: "C02", Type: "mac2.metal", Hosts: 1, DayUSD: "15.60", MonthUSD: "474.50", IdleDayUSD: "15.60", IdleMonthUSD: "474.50"},
	{ID: "C04", Type: "mac1.metal", Hosts: 1, DayUSD: "25.99", MonthUSD: "790.59", IdleDayUSD: "25.99", IdleMonthUSD: "790.59"},
	{ID: "C06", Type: "mac2-m2pro.metal", Hosts: 4, DayUSD: "37.44", MonthUSD: "1138.80", IdleDayUSD: "149.76", IdleMonthUSD: "4555.20"},
	// C24: a stopped instance saves nothing, its host is billed on.
	{ID: "C24", Type: "mac2.metal", Hosts: 1, DayUSD: "15.60", MonthUSD: "474.50", IdleDayUSD: "15.60", IdleMonthUSD: "474.50"},
}

// Load is a case of hosts that a load needs.
type Load struct {
	Name, Source string
	Load         hostpool.Load

	Hosts                                    optional.Value[int64]
	MonthlyUSD, KeepUSD, ReleaseUSD, Cheaper optional.Value[string]
}

func load(typ, jobsPerHour, jobMinutes string, changes ...func(*hostpool.Load)) hostpool.Load {
	l := hostpool.Load{InstanceType: optional.Known(typ), JobsPerHour: amount(jobsPerHour), JobMinutes: amount(jobMinutes)}
	for _, c := range changes {
		c(&l)
	}
	return l
}

func gap(idle, use string) hostpool.Load {
	return hostpool.Load{InstanceType: optional.Known("mac2.metal"), IdleGapHours: amount(idle), UseHours: amount(use)}
}

// Loads are cases of hosts that a load needs.
var Loads = []Load{
	{
		Name: "all hosts busy all the time", Source: measured,
		Load:  load("mac2-m2pro.metal", "6", "30", func(l *hostpool.Load) { l.TargetUtilization = amount("1") }),
		Hosts: optional.Known[int64](14), MonthlyUSD: optional.Known("15943.20"),
	},
	{
		Name: "a fifth of the time free", Source: measured,
		Load:  load("mac2-m2pro.metal", "6", "30"),
		Hosts: optional.Known[int64](18), MonthlyUSD: optional.Known("20498.40"),
	},
	{
		Name: "two nested VMs, so no scrub for each job", Source: measured,
		Load:  load("mac2-m2pro.metal", "6", "30", func(l *hostpool.Load) { l.VMsPerHost = amount("2") }),
		Hosts: optional.Known[int64](2), MonthlyUSD: optional.Known("2277.60"),
	},
	{
		// C16.
		Name: "three builds of an hour side by side, two hours of scrub", Source: "buildkite/elastic-ci-stack-for-aws issue 776",
		Load: load("mac1.metal", "3", "60", func(l *hostpool.Load) {
			l.RecycleMinutes, l.TargetUtilization = amount("120"), amount("1")
		}),
		Hosts: optional.Known[int64](9), MonthlyUSD: optional.Known("7115.31"),
	},
	{
		Name: "launches count, too", Source: hostRules,
		Load: load("mac2.metal", "1", "30", func(l *hostpool.Load) {
			l.LaunchMinutes, l.TargetUtilization = amount("50"), amount("1")
		}),
		Hosts: optional.Known[int64](4), MonthlyUSD: optional.Known("1898.00"),
	},
	{
		// 4.2 ÷ 0.7 is 6.000000000000001 in binary.
		Name: "a figure that floating point rounds up", Source: "arithmetic",
		Load: load("mac2.metal", "4.2", "60", func(l *hostpool.Load) {
			l.RecycleMinutes, l.TargetUtilization = amount("0"), amount("0.7")
		}),
		Hosts: optional.Known[int64](6), MonthlyUSD: optional.Known("2847.00"),
	},
	{
		Name: "no jobs", Source: "arithmetic",
		Load:  load("mac2.metal", "0", "60"),
		Hosts: optional.Known[int64](0), MonthlyUSD: optional.Known("0"),
	},
	{
		Name: "a night of 14 hours", Source: hostRules,
		Load:    gap("14", "10"),
		KeepUSD: optional.Known("15.60"), ReleaseUSD: optional.Known("15.60"), Cheaper: optional.Known(hostpool.Equal),
	},
	{
		Name: "a weekend", Source: hostRules,
		Load:    gap("62", "10"),
		KeepUSD: optional.Known("46.80"), ReleaseUSD: optional.Known("15.60"), Cheaper: optional.Known(hostpool.Release),
	},
	{
		Name: "a lunch break", Source: hostRules,
		Load:    gap("1", "10"),
		KeepUSD: optional.Known("7.15"), ReleaseUSD: optional.Known("15.60"), Cheaper: optional.Known(hostpool.Keep),
	},
	{
		// One build of 55 minutes on a mac2 or of 30 on a mac2-m2pro: busy all day it is
		// $0.596 against 0.78, and as the day's only one 15.60 against 37.44.
		Name: "a build on a host that is never idle", Source: "RobotLocomotion/drake issue 22700",
		Load:    gap("0", "0.916667"),
		KeepUSD: optional.Known("0.60"), ReleaseUSD: optional.Known("15.60"), Cheaper: optional.Known(hostpool.Keep),
	},
	{
		Name: "the same build on a faster Mac", Source: "RobotLocomotion/drake issue 22700",
		Load: func() hostpool.Load {
			l := gap("0", "0.5")
			l.InstanceType = optional.Known("mac2-m2pro.metal")
			return l
		}(),
		KeepUSD: optional.Known("0.78"), ReleaseUSD: optional.Known("37.44"), Cheaper: optional.Known(hostpool.Keep),
	},
	{
		Name: "a use of more than a day", Source: hostRules,
		Load:    gap("5", "40"),
		KeepUSD: optional.Known("29.25"), ReleaseUSD: optional.Known("26.00"), Cheaper: optional.Known(hostpool.Release),
	},
	{
		Name: "no price", Source: hostRules,
		Load: func() hostpool.Load {
			l := gap("62", "10")
			l.Region = optional.Known("eu-west-1")
			return l
		}(),
		Cheaper: optional.Known(hostpool.Release),
	},
}
