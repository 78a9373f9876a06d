package hostpool_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/hostpool"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/shape"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/testcases"
)

var compare = cmp.Options{
	cmp.Comparer(decimal.Decimal.Equal),
	cmp.AllowUnexported(optional.Value[int64]{}, optional.Value[float64]{}, optional.Value[string]{}, optional.Value[hostpool.Verdict]{}),
}

// cents shows an amount as people write it.
func cents(v optional.Value[decimal.Decimal]) optional.Value[string] {
	return optional.Map(v, func(d decimal.Decimal) string {
		if d.IsZero() {
			return "0"
		}
		return d.StringFixed(2)
	})
}

func TestPool(t *testing.T) {
	for _, c := range testcases.Pools {
		t.Run(c.Name, func(t *testing.T) {
			if ps := c.Pool.Problems(); len(ps) > 0 {
				t.Fatalf("problems: %v", ps)
			}
			got := hostpool.Evaluate(catalog.Embedded(), c.Pool)
			type facts struct {
				PeakHosts optional.Value[int64]
				Hours     optional.Value[float64]
				Exposure  optional.Value[string]
				Verdict   optional.Value[hostpool.Verdict]
				Waits     bool
			}
			want := facts{optional.Known(c.PeakHosts), c.Hours, c.ExposureUSD, optional.Known(c.Verdict), false}
			if diff := cmp.Diff(want, facts{got.PeakHosts, got.HoursToExhaustion, cents(got.ExposureUSDMonth), got.Verdict, got.FindingsWaitForAnUnknown}, compare); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			testcases.CheckFindings(t, c.Findings, got.Findings)
		})
	}
}

func TestHostPrices(t *testing.T) {
	for _, c := range testcases.HostPrices {
		r := hostpool.Evaluate(catalog.Embedded(), hostpool.Pool{InstanceType: optional.Known(c.Type)})
		times := func(v optional.Value[decimal.Decimal]) optional.Value[string] {
			return cents(optional.Map(v, func(d decimal.Decimal) decimal.Decimal { return d.Mul(decimal.NewFromInt(c.Hosts)) }))
		}
		got := []optional.Value[string]{cents(r.MinimumAllocationUSD), cents(r.HostMonthUSD), times(r.MinimumAllocationUSD), times(r.HostMonthUSD)}
		want := []optional.Value[string]{optional.Known(c.DayUSD), optional.Known(c.MonthUSD), optional.Known(c.IdleDayUSD), optional.Known(c.IdleMonthUSD)}
		if diff := cmp.Diff(want, got, compare); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.ID, diff)
		}
	}
}

func TestTimeline(t *testing.T) {
	type row struct {
		Number, InUse, Allocated, Free int64
		Cost, ToDate                   string
	}
	rows := func(t *testing.T, p hostpool.Pool, numbers ...int) []row {
		t.Helper()
		hours, ok := hostpool.Timeline(catalog.Embedded(), p).Get()
		if !ok || len(hours) != hostpool.TimelineHours {
			t.Fatalf("known %v, %d rows", ok, len(hours))
		}
		var out []row
		for _, n := range numbers {
			h := hours[n-1]
			cost, _ := cents(h.CostUSD).Get()
			toDate, _ := cents(h.CostToDateUSD).Get()
			out = append(out, row{h.Number, h.InUse, h.Allocated, h.Free, cost, toDate})
		}
		return out
	}
	find := func(name string) hostpool.Pool {
		at := slices.IndexFunc(testcases.Pools, func(c testcases.Pool) bool { return c.Name == name })
		return testcases.Pools[at].Pool
	}
	for _, c := range []struct {
		name    string
		numbers []int
		want    []row
	}{
		// 1.56 a host and hour. The first failure is at 12 hours, its host scrubs until
		// 13.83 and is free for the second at 24.
		{"a slow trickle of failures costs one host", []int{1, 11, 12, 13, 14, 24, 72}, []row{
			{1, 4, 4, 0, "6.24", "6.24"},
			{11, 4, 4, 0, "6.24", "68.64"},
			{12, 5, 5, 0, "6.24", "74.88"},
			{13, 5, 5, 0, "7.80", "82.68"},
			{14, 4, 5, 1, "7.80", "90.48"},
			{24, 5, 5, 0, "7.80", "168.48"},
			{72, 5, 5, 0, "7.80", "542.88"},
		}},
		// The additional host is 24 hours old at 36, just when a launch takes it; it goes
		// at 37.83, when one is free, and the failure at 48 allocates another.
		{"released by the group after 24 hours", []int{36, 37, 38, 39, 48, 49}, []row{
			{36, 5, 5, 0, "7.80", "262.08"},
			{37, 5, 5, 0, "7.80", "269.88"},
			{38, 4, 4, 0, "7.54", "277.42"},
			{39, 4, 4, 0, "6.24", "283.66"},
			{48, 5, 5, 0, "6.24", "339.82"},
			{49, 5, 5, 0, "7.80", "347.62"},
		}},
		{"failed hosts that never come back", []int{12, 71, 72}, []row{
			{12, 5, 5, 0, "6.24", "74.88"},
			{71, 9, 9, 0, "14.04", "716.04"},
			{72, 10, 10, 0, "14.04", "730.08"},
		}},
		// 4 hosts, 8 after 16 minutes, 10 after 32: 472 minutes of a host in the first hour.
		{"a failure loop", []int{1, 2}, []row{
			{1, 10, 10, 0, "12.27", "12.27"},
			{2, 10, 10, 0, "15.60", "27.87"},
		}},
		{"hosts owned by Terraform", []int{12, 72}, []row{
			{12, 4, 4, 0, "6.24", "74.88"},
			{72, 4, 4, 0, "6.24", "449.28"},
		}},
		{"a price that nobody published", []int{12}, []row{{12, 5, 5, 0, "", ""}}},
		// The fifth host is there, but for the first 110 minutes one of five scrubs.
		{"scrubbing hosts that are not billed", []int{13, 14, 15}, []row{
			{13, 5, 5, 0, "6.24", "81.12"},
			{14, 4, 5, 1, "6.50", "87.62"},
			{15, 4, 5, 1, "7.80", "95.42"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, rows(t, find(c.name), c.numbers...)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestLoads(t *testing.T) {
	for _, c := range testcases.Loads {
		t.Run(c.Name, func(t *testing.T) {
			if ps := slices.Concat(c.Load.Missing(), c.Load.Problems()); len(ps) > 0 {
				t.Fatalf("problems: %v", ps)
			}
			r := hostpool.HostsNeeded(catalog.Embedded(), c.Load)
			type facts struct {
				Hosts                           optional.Value[int64]
				Monthly, Keep, Release, Cheaper optional.Value[string]
			}
			want := facts{c.Hosts, c.MonthlyUSD, c.KeepUSD, c.ReleaseUSD, c.Cheaper}
			if diff := cmp.Diff(want, facts{r.Hosts, cents(r.MonthlyCostUSD), cents(r.KeepCostUSD), cents(r.ReleaseCostUSD), r.Cheaper}, compare); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPoolProblems(t *testing.T) {
	unknown := optional.Unknown[decimal.Decimal]()
	for _, c := range []struct {
		name   string
		change func(*hostpool.Pool)
		want   []shape.Problem
	}{
		{"nothing", func(*hostpool.Pool) {}, nil},
		{
			"no quota at all", func(p *hostpool.Pool) { p.MaxHosts = testcases.Number("0") },
			[]shape.Problem{{Path: "max_hosts", Message: "max_hosts is 0, but must be at least 1"}},
		},
		{
			"half a host", func(p *hostpool.Pool) { p.DesiredHosts = testcases.Number("1.5") },
			[]shape.Problem{{Path: "desired_hosts", Message: "desired_hosts must be a whole number, not 1.5"}},
		},
		{
			"fewer than none", func(p *hostpool.Pool) { p.DesiredHosts = testcases.Number("-1") },
			[]shape.Problem{{Path: "desired_hosts", Message: "desired_hosts must not be negative"}},
		},
		{
			"negative failures", func(p *hostpool.Pool) { p.FailedLaunchesPerDay = testcases.Number("-0.5") },
			[]shape.Problem{{Path: "failed_launches_per_day", Message: "failed_launches_per_day must not be negative"}},
		},
		{
			"failures of a day in a second", func(p *hostpool.Pool) { p.FailedLaunchesPerDay = testcases.Number("1e400") },
			[]shape.Problem{{Path: "failed_launches_per_day", Message: "failed_launches_per_day is too large: more than 100,000 is a mistake here"}},
		},
		{
			"a moment of scrub", func(p *hostpool.Pool) { p.RecycleMinutes = testcases.Number("0.25") },
			[]shape.Problem{{Path: "recycle_minutes", Message: "recycle_minutes must be at least 1, not 0.25"}},
		},
		{
			"no price", func(p *hostpool.Pool) { p.HostHourlyPriceUSD = testcases.Number("0") },
			[]shape.Problem{{Path: "host_hourly_price_usd", Message: "host_hourly_price_usd is 0, but must be more than 0; where it is meant to be unset, write null or leave it out"}},
		},
		{"not known yet", func(p *hostpool.Pool) { p.MaxHosts, p.DesiredHosts = unknown, unknown }, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := testcases.Pools[0].Pool
			c.change(&p)
			if diff := cmp.Diff(c.want, p.Problems()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestNotMac(t *testing.T) {
	for typ, want := range map[string]bool{"m5.xlarge": true, "mac2.metal": false, "mac9-x.metal": false} {
		if p, is := hostpool.NotMac(catalog.Embedded(), optional.Known(typ)); is != want {
			t.Errorf("%s: %v %v", typ, is, p)
		}
	}
}

func TestLoadProblems(t *testing.T) {
	for _, c := range []struct {
		name string
		load hostpool.Load
		want []string
	}{
		{"nothing asked", hostpool.Load{}, []string{"jobs_per_hour", "job_minutes"}},
		{"half a question", hostpool.Load{JobMinutes: testcases.Number("30")}, []string{"jobs_per_hour"}},
		{"half of the other", hostpool.Load{UseHours: testcases.Number("10")}, []string{"idle_gap_hours"}},
		{"not known yet", hostpool.Load{JobsPerHour: optional.Unknown[decimal.Decimal](), JobMinutes: testcases.Number("30")}, nil},
		{"busy all the time and more", hostpool.Load{IdleGapHours: testcases.Number("0"), UseHours: testcases.Number("10"), TargetUtilization: testcases.Number("1.01")}, []string{"target_utilization"}},
		{"three guests", hostpool.Load{IdleGapHours: testcases.Number("0"), UseHours: testcases.Number("10"), VMsPerHost: testcases.Number("3")}, []string{"vms_per_host"}},
	} {
		var got []string
		for _, p := range slices.Concat(c.load.Missing(), c.load.Problems()) {
			got = append(got, p.Path)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// member is an input of a pool that a property can change.
type member struct {
	name    string
	unknown func(*hostpool.Pool)
	draw    func(*rapid.T, *hostpool.Pool)
}

// number is a member that may be left out unless it is required.
func number(name string, to func(*hostpool.Pool) *optional.Value[decimal.Decimal], required bool, from, upTo int64, places int32) member {
	return member{
		name:    name,
		unknown: func(p *hostpool.Pool) { *to(p) = optional.Unknown[decimal.Decimal]() },
		draw: func(t *rapid.T, p *hostpool.Pool) {
			if !required && rapid.Bool().Draw(t, name+" left out") {
				*to(p) = optional.Null[decimal.Decimal]()
				return
			}
			*to(p) = optional.Known(decimal.New(rapid.Int64Range(from, upTo).Draw(t, name), -places))
		},
	}
}

func yesNo(name string, to func(*hostpool.Pool) *optional.Value[bool], required bool) member {
	return member{
		name:    name,
		unknown: func(p *hostpool.Pool) { *to(p) = optional.Unknown[bool]() },
		draw: func(t *rapid.T, p *hostpool.Pool) {
			if !required && rapid.Bool().Draw(t, name+" left out") {
				*to(p) = optional.Null[bool]()
				return
			}
			*to(p) = optional.Known(rapid.Bool().Draw(t, name))
		},
	}
}

func text(name string, to func(*hostpool.Pool) *optional.Value[string], values ...string) member {
	return member{
		name:    name,
		unknown: func(p *hostpool.Pool) { *to(p) = optional.Unknown[string]() },
		draw: func(t *rapid.T, p *hostpool.Pool) {
			*to(p) = optional.Known(rapid.SampledFrom(values).Draw(t, name))
		},
	}
}

type dec = optional.Value[decimal.Decimal]

var members = []member{
	text("instance_type", func(p *hostpool.Pool) *optional.Value[string] { return &p.InstanceType }, "mac2.metal", "mac2-m2pro.metal", "mac9.metal"),
	text("region", func(p *hostpool.Pool) *optional.Value[string] { return &p.Region }, "us-east-1", "us-west-2"),
	number("desired_hosts", func(p *hostpool.Pool) *dec { return &p.DesiredHosts }, true, 0, 12, 0),
	number("max_hosts", func(p *hostpool.Pool) *dec { return &p.MaxHosts }, true, 1, 30, 0),
	yesNo("auto_release_hosts", func(p *hostpool.Pool) *optional.Value[bool] { return &p.AutoReleaseHosts }, true),
	yesNo("auto_allocate_hosts", func(p *hostpool.Pool) *optional.Value[bool] { return &p.AutoAllocateHosts }, false),
	yesNo("failed_hosts_return", func(p *hostpool.Pool) *optional.Value[bool] { return &p.FailedHostsReturn }, false),
	yesNo("scrub_metered", func(p *hostpool.Pool) *optional.Value[bool] { return &p.ScrubMetered }, false),
	number("grace_period_seconds", func(p *hostpool.Pool) *dec { return &p.GracePeriodSeconds }, false, 10, 12_000, 1),
	number("boot_to_ready_seconds", func(p *hostpool.Pool) *dec { return &p.BootToReadySeconds }, false, 10, 8_000, 1),
	number("launch_seconds", func(p *hostpool.Pool) *dec { return &p.LaunchSeconds }, false, 0, 1_200, 0),
	number("failed_launches_per_day", func(p *hostpool.Pool) *dec { return &p.FailedLaunchesPerDay }, false, 0, 40_000, 2),
	number("recycle_minutes", func(p *hostpool.Pool) *dec { return &p.RecycleMinutes }, false, 10, 3_000, 1),
	number("auto_release_after_hours", func(p *hostpool.Pool) *dec { return &p.AutoReleaseAfterHours }, false, 0, 72, 0),
	number("release_after_hours", func(p *hostpool.Pool) *dec { return &p.ReleaseAfterHours }, false, 0, 96, 0),
	number("host_hourly_price_usd", func(p *hostpool.Pool) *dec { return &p.HostHourlyPriceUSD }, false, 1, 5_000, 3),
}

func anyPool(t *rapid.T) hostpool.Pool {
	var p hostpool.Pool
	for _, m := range members {
		m.draw(t, &p)
	}
	if ps := p.Problems(); len(ps) > 0 {
		t.Fatalf("the property draws a pool with problems: %v", ps)
	}
	return p
}

// What is said while an input is not known stays true whatever it turns out to be:
// Terraform fails the apply of a plan that was not kept.
func TestUnknownInputsAreWaitedFor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyPool(t)
		later := p
		m := rapid.SampledFrom(members).Draw(t, "unknown")
		m.unknown(&p)
		m.draw(t, &later)
		before, after := hostpool.Evaluate(catalog.Embedded(), p), hostpool.Evaluate(catalog.Embedded(), later)
		kept(t, "host_month_usd", before.HostMonthUSD, after.HostMonthUSD)
		kept(t, "minimum_allocation_usd", before.MinimumAllocationUSD, after.MinimumAllocationUSD)
		kept(t, "peak_hosts", before.PeakHosts, after.PeakHosts)
		kept(t, "hours_to_exhaustion", before.HoursToExhaustion, after.HoursToExhaustion)
		kept(t, "exposure_usd_month", before.ExposureUSDMonth, after.ExposureUSDMonth)
		kept(t, "verdict", before.Verdict, after.Verdict)
		if !before.FindingsWaitForAnUnknown {
			if diff := cmp.Diff(before.Findings, after.Findings, compare); diff != "" {
				t.Errorf("findings changed without having been waited for:\n%s", diff)
			}
		}
		if !slices.ContainsFunc(before.Findings, func(f finding.Finding) bool { return f.Severity == finding.Error }) {
			return
		}
		for _, f := range before.Findings {
			if f.Severity == finding.Error && !slices.ContainsFunc(after.Findings, func(g finding.Finding) bool { return g.Rule == f.Rule }) {
				t.Errorf("an error that was shown while %s was not known is gone: %s", m.name, f.Message)
			}
		}
	})
}

func kept[T any](t *rapid.T, what string, before, after optional.Value[T]) {
	if before.IsUnknown() {
		return
	}
	b, _ := before.Get()
	a, _ := after.Get()
	if before.IsNull() != after.IsNull() || !cmp.Equal(b, a, compare) {
		t.Errorf("%s was %v and became %v", what, before, after)
	}
}

// Waiting is only for what is needed: known inputs have known results.
func TestKnownInputsHaveKnownResults(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyPool(t)
		r := hostpool.Evaluate(catalog.Embedded(), p)
		if r.FindingsWaitForAnUnknown || !r.PeakHosts.IsKnown() || !r.Verdict.IsKnown() || r.HoursToExhaustion.IsUnknown() ||
			r.ExposureUSDMonth.IsUnknown() || r.HostMonthUSD.IsNull() != r.ExposureUSDMonth.IsNull() {
			t.Fatalf("%+v", r)
		}
		verdict, _ := r.Verdict.Get()
		if (verdict == hostpool.Exhausts) != r.HoursToExhaustion.IsKnown() {
			t.Errorf("verdict %s, but hours to exhaustion known: %v", verdict, r.HoursToExhaustion.IsKnown())
		}
		exposure, priced := r.ExposureUSDMonth.Get()
		if priced && (exposure.IsNegative() || verdict == hostpool.Safe && !exposure.IsZero() || verdict == hostpool.Costly && exposure.IsZero()) {
			t.Errorf("verdict %s, exposure %s", verdict, exposure)
		}
		peak, _ := r.PeakHosts.Get()
		most, _ := p.MaxHosts.Get()
		if peak > most.IntPart() {
			t.Errorf("%d hosts at the peak of a quota of %s", peak, most)
		}
		for _, f := range r.Findings {
			if f.Message == "" || f.Path == "" || f.Fix == "" || strings.Contains(f.Message+f.Fix, "%!") {
				t.Errorf("incomplete: %+v", f)
			}
		}
		if rows, _ := hostpool.Timeline(catalog.Embedded(), p).Get(); len(rows) != hostpool.TimelineHours {
			t.Errorf("a timeline of %d rows", len(rows))
		}
	})
}

// More failures never cost less or last longer.
func TestMoreFailuresAreNeverBetter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyPool(t)
		p.BootToReadySeconds = optional.Null[decimal.Decimal]() // no loop, which has a pace of its own
		// Released hosts make the cost go up and down with how failures and ages fall
		// together.
		p.AutoReleaseHosts, p.ReleaseAfterHours = optional.Known(false), optional.Null[decimal.Decimal]()
		p.ScrubMetered = optional.Known(true)
		low := decimal.New(rapid.Int64Range(0, 20_000).Draw(t, "fewer"), -2)
		worse := p
		p.FailedLaunchesPerDay = optional.Known(low)
		worse.FailedLaunchesPerDay = optional.Known(low.Add(decimal.New(rapid.Int64Range(1, 20_000).Draw(t, "more"), -2)))
		a, b := hostpool.Evaluate(catalog.Embedded(), p), hostpool.Evaluate(catalog.Embedded(), worse)
		peakA, _ := a.PeakHosts.Get()
		peakB, _ := b.PeakHosts.Get()
		exposureA, _ := a.ExposureUSDMonth.Get()
		exposureB, _ := b.ExposureUSDMonth.Get()
		if peakB < peakA || exposureB.LessThan(exposureA) {
			t.Errorf("more failures: peak %d, then %d; exposure %s, then %s", peakA, peakB, exposureA, exposureB)
		}
		hoursA, exhaustsA := a.HoursToExhaustion.Get()
		hoursB, exhaustsB := b.HoursToExhaustion.Get()
		if exhaustsA && (!exhaustsB || hoursB > hoursA) {
			t.Errorf("more failures: full after %v hours, then %v (%v)", hoursA, hoursB, exhaustsB)
		}
	})
}

// The worst inputs that are accepted are answered in bounded time: the timeline
// takes a few hundred thousand events at most.
func TestHostileInputs(t *testing.T) {
	for _, change := range []func(*hostpool.Pool){
		func(p *hostpool.Pool) { p.FailedLaunchesPerDay = testcases.Number("100000") },
		func(p *hostpool.Pool) {
			p.FailedLaunchesPerDay, p.RecycleMinutes = testcases.Number("99999.999999"), testcases.Number("44640")
		},
		func(p *hostpool.Pool) {
			p.BootToReadySeconds, p.GracePeriodSeconds, p.LaunchSeconds = testcases.Number("1000000"), testcases.Number("1"), testcases.Number("0")
			p.RecycleMinutes = testcases.Number("1.0000001")
		},
		func(p *hostpool.Pool) { p.FailedLaunchesPerDay = testcases.Number("0.000000000000000000000000000001") },
	} {
		for _, desired := range []string{"1", "4999", "10000"} {
			p := hostpool.Pool{
				InstanceType: optional.Known("mac2.metal"), AutoReleaseHosts: optional.Known(true),
				DesiredHosts: testcases.Number(desired), MaxHosts: testcases.Number("10000"),
			}
			change(&p)
			if ps := p.Problems(); len(ps) > 0 {
				t.Fatalf("not accepted: %v", ps)
			}
			rows, _ := hostpool.Timeline(catalog.Embedded(), p).Get()
			if r := hostpool.Evaluate(catalog.Embedded(), p); len(rows) != hostpool.TimelineHours || !r.Verdict.IsKnown() {
				t.Errorf("%d rows, %+v", len(rows), r)
			}
		}
	}
}

// Nothing that is written, however odd, ends in a panic: it is a problem or it is
// answered.
func FuzzPool(f *testing.F) {
	f.Add("mac2.metal", "us-east-1", "4", "10", "2", "110", "600", "700")
	f.Add("", "%s", "-0", "1e9", "0.000001", "1e-30", "1", "1e6")
	f.Fuzz(func(t *testing.T, typ, region, desired, most, failures, recycle, grace, ready string) {
		number := func(s string) optional.Value[decimal.Decimal] {
			d, err := decimal.NewFromString(s)
			// The provider cuts exponents before they get here.
			if err != nil || len(s) > 80 || d.Exponent() > 100 || d.Exponent() < -100 {
				t.Skip()
			}
			return optional.Known(d)
		}
		p := hostpool.Pool{
			InstanceType: optional.Known(typ), Region: optional.Known(region), AutoReleaseHosts: optional.Known(len(typ)%2 == 0),
			DesiredHosts: number(desired), MaxHosts: number(most), FailedLaunchesPerDay: number(failures),
			RecycleMinutes: number(recycle), GracePeriodSeconds: number(grace), BootToReadySeconds: number(ready),
		}
		if len(p.Problems()) > 0 {
			return
		}
		for _, found := range hostpool.Evaluate(catalog.Embedded(), p).Findings {
			for _, free := range []string{typ, region} {
				if free != "" && !catalog.IsTypeName(free) && !catalog.IsRegionName(free) && len(free) > 3 && strings.Contains(found.Message+found.Fix, free) {
					t.Errorf("free text is repeated: %s", found.Message)
				}
			}
		}
		hostpool.Timeline(catalog.Embedded(), p)
	})
}
