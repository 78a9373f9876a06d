package provider_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/hostpool"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/testcases"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/prototest"
)

// setting writes an attribute, unless it was left out.
func setting[T any](b *strings.Builder, name string, v optional.Value[T]) {
	x, ok := v.Get()
	switch text := any(x).(type) {
	case string:
		if ok {
			fmt.Fprintf(b, "%s = %q\n", name, text)
		}
	default:
		if ok {
			fmt.Fprintf(b, "%s = %v\n", name, text)
		}
	}
	if v.IsUnknown() {
		fmt.Fprintf(b, "%s = unknown\n", name)
	}
}

// poolBody writes a pool of a table as configuration.
func poolBody(p hostpool.Pool) string {
	var b strings.Builder
	setting(&b, "instance_type", p.InstanceType)
	setting(&b, "region", p.Region)
	setting(&b, "desired_hosts", p.DesiredHosts)
	setting(&b, "max_hosts", p.MaxHosts)
	setting(&b, "auto_release_hosts", p.AutoReleaseHosts)
	setting(&b, "auto_allocate_hosts", p.AutoAllocateHosts)
	setting(&b, "grace_period_seconds", p.GracePeriodSeconds)
	setting(&b, "boot_to_ready_seconds", p.BootToReadySeconds)
	setting(&b, "launch_seconds", p.LaunchSeconds)
	setting(&b, "failed_launches_per_day", p.FailedLaunchesPerDay)
	setting(&b, "failed_hosts_return", p.FailedHostsReturn)
	setting(&b, "recycle_minutes", p.RecycleMinutes)
	setting(&b, "scrub_metered", p.ScrubMetered)
	setting(&b, "auto_release_after_hours", p.AutoReleaseAfterHours)
	setting(&b, "release_after_hours", p.ReleaseAfterHours)
	setting(&b, "host_hourly_price_usd", p.HostHourlyPriceUSD)
	return b.String()
}

// listed are the findings in a result.
func listed(t *testing.T, attr func(string) any) []testcases.Said {
	t.Helper()
	list, ok := attr("findings").([]any)
	if !ok {
		t.Fatalf("findings are %v", attr("findings"))
	}
	var out []testcases.Said
	for _, e := range list {
		f := e.(map[string]any)
		out = append(out, testcases.Said{
			Rule: f["rule"].(string), Severity: f["severity"].(string), Path: f["path"].(string),
			Text: f["message"].(string) + "\n" + f["fix"].(string),
		})
	}
	return out
}

// shown are the findings of a case that a plan says, as said() writes them.
func shown(fs []testcases.Finding) []string {
	var out []string
	for _, f := range fs {
		if s := f.Severity.String(); s != "info" {
			out = append(out, s+" "+f.Path+" "+f.Rule)
		}
	}
	return out
}

func poolGuard(t *testing.T, options ...prototest.Option) *prototest.Resource {
	t.Helper()
	return prototest.New(t, factory(), options...).Resource("runnerfit_mac_host_pool")
}

// amountOf is an amount of a table as a result: rounded to the cent, null
// without a price.
func amountOf(v optional.Value[string]) any {
	s, ok := v.Get()
	if !ok {
		return nil
	}
	f, _ := decimal.RequireFromString(s).Float64()
	return f
}

// The guard and the data source say what the table says, and so what the rules
// say.
func TestMacHostPoolCases(t *testing.T) {
	for _, c := range testcases.Pools {
		t.Run(c.Name, func(t *testing.T) {
			body := poolBody(c.Pool)
			want := map[string]any{
				"peak_hosts":         float64(c.PeakHosts),
				"exposure_usd_month": amountOf(c.ExposureUSD),
				"verdict":            string(c.Verdict),
			}
			hours := func(attr func(string) any) {
				t.Helper()
				h, ok := c.Hours.Get()
				got, is := attr("hours_to_exhaustion").(float64)
				if ok != is || got < h || got > h+0.0001 {
					t.Errorf("hours_to_exhaustion = %v, want %v (%v)", got, h, ok)
				}
			}

			plan := poolGuard(t).Plan(body + `on_error = "warn"`)
			expect(t, plan.Attr, want)
			hours(plan.Attr)
			testcases.Check(t, c.Findings, listed(t, plan.Attr))

			strict := poolGuard(t).Plan(body)
			if diff := cmp.Diff(shown(c.Findings), said(strict.Diagnostics)); diff != "" {
				t.Errorf("said (-want +got):\n%s", diff)
			}

			read := prototest.New(t, factory()).DataSource("runnerfit_mac_host_pool").Read(body)
			if len(read.Diagnostics) > 0 {
				t.Fatalf("the data source only informs, but:\n%s", read.Diagnostics)
			}
			expect(t, read.Attr, want)
			hours(read.Attr)
			testcases.Check(t, c.Findings, listed(t, read.Attr))
			if rows := read.Attr("timeline").([]any); len(rows) != 72 {
				t.Errorf("%d rows", len(rows))
			}
		})
	}
}

const trickle = `
	instance_type           = "mac2-m2pro.metal"
	desired_hosts           = 4
	max_hosts               = 10
	auto_release_hosts      = false
	failed_launches_per_day = 2
`

func TestMacHostPoolRecommended(t *testing.T) {
	config := `
	instance_type         = "mac2-m2pro.metal"
	desired_hosts         = 4
	max_hosts             = 10
	auto_release_hosts    = true
	grace_period_seconds  = 600
	boot_to_ready_seconds = 289.5
	`
	r := poolGuard(t)
	plan := r.Plan(config)
	if len(plan.Diagnostics) > 0 {
		t.Fatalf("the recommended configuration is not silent:\n%s", plan.Diagnostics)
	}
	want := map[string]any{
		"host_month_usd": 1138.8, "minimum_allocation_usd": 37.44, "peak_hosts": 4.0, "hours_to_exhaustion": nil,
		"exposure_usd_month": 0.0, "verdict": "safe", "findings": []any{}, "recycle_minutes": nil,
	}
	expect(t, plan.Attr, want)
	plan.MustApply()
	expect(t, r.Attr, want)
	if again := r.Plan(config); again.Action != prototest.NoOp || len(again.Diagnostics) > 0 {
		t.Errorf("the second plan is a %s, with\n%s", again.Action, again.Diagnostics)
	}
	if ds := r.Destroy(); len(ds) > 0 {
		t.Errorf("the destroy is not silent:\n%s", ds)
	}
}

func TestMacHostPoolDiagnostic(t *testing.T) {
	d := one(t, poolGuard(t).Plan(trickle).Diagnostics)
	if d.Summary != "Additional Mac hosts are paid for until released by hand" || d.Line != "auto_release_hosts      = false" {
		t.Errorf("%s", d)
	}
	contains(t, d.Detail, "1 extra host, $1,138.80 a month", "\n\nWrite auto_release_hosts = true", "\n\nRule: host-auto-release")
}

func TestMacHostPoolBadShape(t *testing.T) {
	for name, tc := range map[string]struct {
		change [2]string
		path   string
		detail string
	}{
		"no quota":           {[2]string{"max_hosts               = 10", "max_hosts = 0"}, "max_hosts", "is 0, but must be at least 1"},
		"negative":           {[2]string{"desired_hosts           = 4", "desired_hosts = -4"}, "desired_hosts", "negative"},
		"half a host":        {[2]string{"desired_hosts           = 4", "desired_hosts = 4.5"}, "desired_hosts", "whole number, not 4.5"},
		"negative failures":  {[2]string{"failed_launches_per_day = 2", "failed_launches_per_day = -1"}, "failed_launches_per_day", "negative"},
		"too many failures":  {[2]string{"failed_launches_per_day = 2", "failed_launches_per_day = 1e400"}, "failed_launches_per_day", "too large"},
		"no scrub":           {[2]string{"failed_launches_per_day = 2", "recycle_minutes = 0"}, "recycle_minutes", "null"},
		"no price":           {[2]string{"failed_launches_per_day = 2", "host_hourly_price_usd = 0"}, "host_hourly_price_usd", "more than 0"},
		"not a Mac":          {[2]string{"mac2-m2pro.metal", "m5.large"}, "instance_type", "m5.large is not an EC2 Mac"},
		"no type":            {[2]string{"mac2-m2pro.metal", ""}, "instance_type", "empty"},
		"not a region":       {[2]string{"failed_launches_per_day = 2", `region = "eu"`}, "region", "AWS Region"},
		"null where a value": {[2]string{"max_hosts               = 10", "max_hosts = null"}, "max_hosts", "Must set a configuration value"},
	} {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(trickle, tc.change[0]) {
				t.Fatalf("%q is not in the configuration", tc.change[0])
			}
			body := strings.Replace(trickle, tc.change[0], tc.change[1], 1)
			p := prototest.New(t, factory())
			for _, ds := range []prototest.Diagnostics{p.Resource("runnerfit_mac_host_pool").Plan(body).Diagnostics, p.DataSource("runnerfit_mac_host_pool").Read(body).Diagnostics} {
				d := one(t, ds)
				if d.Severity != prototest.SeverityError || d.Path != tc.path {
					t.Errorf("%s, want an error at %s", d, tc.path)
				}
				contains(t, d.Detail, tc.detail)
			}
		})
	}
}

// Unknown inputs are waited for; what does not depend on them is known at once.
// The two guards compose: the pool waits for the storage's prediction.
func TestMacHostPoolUnknown(t *testing.T) {
	results := []string{"host_month_usd", "minimum_allocation_usd", "peak_hosts", "hours_to_exhaustion", "exposure_usd_month", "verdict", "findings"}
	for name, tc := range map[string]struct {
		unknown, applied string
		waits            []string
		said             []string
	}{
		"prediction":    {"grace_period_seconds = 600\n boot_to_ready_seconds = unknown", "grace_period_seconds = 600\n boot_to_ready_seconds = 289.5", results[2:], []string{"warning auto_release_hosts host-auto-release"}},
		"failures":      {"failed_launches_per_day = unknown", "failed_launches_per_day = 100", results[2:], nil},
		"price":         {"host_hourly_price_usd = unknown", "host_hourly_price_usd = 2", []string{"host_month_usd", "minimum_allocation_usd", "exposure_usd_month", "findings"}, nil},
		"region":        {"region = unknown", `region = "eu-west-1"`, []string{"host_month_usd", "minimum_allocation_usd", "exposure_usd_month", "findings"}, nil},
		"ignored rules": {"ignore_rules = unknown", `ignore_rules = { "host-auto-release" = "m2pro hosts are scarce" }`, []string{"findings"}, nil},
		"on_error":      {"on_error = unknown", `on_error = "warn"`, []string{"findings"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			base := trickle
			if strings.HasPrefix(tc.unknown, "failed") {
				base = strings.Replace(base, "failed_launches_per_day = 2", "", 1)
			}
			r := poolGuard(t)
			plan := r.Plan(base + tc.unknown)
			if len(plan.Errors()) > 0 || name != "on_error" && len(plan.Diagnostics) > 0 {
				t.Fatalf("something is said of an unknown:\n%s", plan.Diagnostics)
			}
			var waits []string
			for _, path := range results {
				if plan.Attr(path) == prototest.Unknown {
					waits = append(waits, path)
				}
			}
			if diff := cmp.Diff(tc.waits, waits); diff != "" {
				t.Errorf("unknown (-want +got):\n%s", diff)
			}
			applied := plan.ApplyAs(base + tc.applied)
			if name == "failures" {
				if diff := cmp.Diff([]string{"error max_hosts host-pool-exhaustion", "warning auto_release_hosts host-auto-release"}, said(applied.Diagnostics)); diff != "" {
					t.Errorf("apply (-want +got):\n%s", diff)
				}
				return
			}
			if len(applied.Errors()) > 0 {
				t.Fatalf("apply:\n%s", applied.Diagnostics)
			}
			if again := r.Plan(base + tc.applied); again.Action != prototest.NoOp {
				t.Errorf("the second plan is a %s", again.Action)
			}
		})
	}
}

// An error that was turned into a warning blocks neither the next plan nor a
// destroy.
func TestMacHostPoolOnError(t *testing.T) {
	refused := strings.Replace(trickle, "failed_launches_per_day = 2", "failed_launches_per_day = 100", 1)
	if strict := poolGuard(t).Plan(refused); len(strict.Errors()) == 0 {
		t.Fatal("nothing is refused, so this test shows nothing")
	}
	accepted := refused + `on_error = "warn"`
	r := poolGuard(t)
	r.Plan(accepted).MustApply()
	plan := r.Plan(accepted)
	if plan.Action != prototest.NoOp || len(plan.Errors()) > 0 || len(plan.Warnings()) == 0 {
		t.Errorf("a %s with\n%s", plan.Action, plan.Diagnostics)
	}
	if ds := r.Destroy(); len(ds.Errors()) > 0 {
		t.Errorf("destroy is blocked:\n%s", ds)
	}
}

// The provider's prices and ignored rules count.
func TestMacHostPoolProviderBlock(t *testing.T) {
	priced := poolGuard(t, prototest.Config(`prices {
		mac_host_hour_usd = { "mac2-m2pro.metal" = 1 }
	}`)).Plan(trickle)
	expect(t, priced.Attr, map[string]any{"host_month_usd": 730.0, "exposure_usd_month": 730.0})
	abroad := poolGuard(t, prototest.Config(`region = "eu-west-1"`)).Plan(trickle)
	expect(t, abroad.Attr, map[string]any{"host_month_usd": nil, "exposure_usd_month": nil, "peak_hosts": 5.0})
	quiet := poolGuard(t, prototest.Config(`ignore_rules = { "host-auto-release" = "m2pro hosts are scarce" }`)).Plan(trickle)
	if len(quiet.Diagnostics) > 0 {
		t.Errorf("ignored:\n%s", quiet.Diagnostics)
	}
	for _, config := range []string{"region = unknown", "prices {\n mac_host_hour_usd = unknown\n}"} {
		waiting := poolGuard(t, prototest.Config(config)).Plan(trickle)
		expect(t, waiting.Attr, map[string]any{"host_month_usd": prototest.Unknown, "findings": prototest.Unknown, "peak_hosts": 5.0})
		if len(waiting.Diagnostics) > 0 {
			t.Errorf("said too early:\n%s", waiting.Diagnostics)
		}
	}
}

func TestMacHostPoolRemovedMember(t *testing.T) {
	r := poolGuard(t)
	r.Plan(trickle + "release_after_hours = 48").MustApply()
	plan := r.Plan(trickle)
	if plan.Action != prototest.Update {
		t.Fatalf("a removed member is a %s", plan.Action)
	}
	expect(t, plan.Attr, map[string]any{"release_after_hours": nil, "exposure_usd_month": 1138.8})
	plan.MustApply()
	if again := r.Plan(trickle); again.Action != prototest.NoOp {
		t.Errorf("the second plan is a %s", again.Action)
	}
}

func TestMacHostPoolTimeline(t *testing.T) {
	read := prototest.New(t, factory()).DataSource("runnerfit_mac_host_pool").Read(trickle)
	for at, want := range map[int]map[string]any{
		0:  {"hour": 1.0, "hosts_in_use": 4.0, "hosts_allocated": 4.0, "hosts_free": 0.0, "cost_usd": 6.24, "cost_to_date_usd": 6.24},
		11: {"hour": 12.0, "hosts_in_use": 5.0, "hosts_allocated": 5.0, "hosts_free": 0.0, "cost_usd": 6.24, "cost_to_date_usd": 74.88},
		13: {"hour": 14.0, "hosts_in_use": 4.0, "hosts_allocated": 5.0, "hosts_free": 1.0, "cost_usd": 7.8, "cost_to_date_usd": 90.48},
		71: {"hour": 72.0, "hosts_in_use": 5.0, "hosts_allocated": 5.0, "hosts_free": 0.0, "cost_usd": 7.8, "cost_to_date_usd": 542.88},
	} {
		if diff := cmp.Diff(want, read.Attr(fmt.Sprintf("timeline[%d]", at))); diff != "" {
			t.Errorf("row %d (-want +got):\n%s", at, diff)
		}
	}
	abroad := prototest.New(t, factory()).DataSource("runnerfit_mac_host_pool").Read(trickle + `region = "eu-west-1"`)
	if got := abroad.Attr("timeline[71].cost_usd"); got != nil {
		t.Errorf("a cost without a price: %v", got)
	}
}

func TestMacHostsNeededCases(t *testing.T) {
	for _, c := range testcases.Loads {
		t.Run(c.Name, func(t *testing.T) {
			var b strings.Builder
			setting(&b, "instance_type", c.Load.InstanceType)
			setting(&b, "region", c.Load.Region)
			setting(&b, "jobs_per_hour", c.Load.JobsPerHour)
			setting(&b, "job_minutes", c.Load.JobMinutes)
			setting(&b, "recycle_minutes", c.Load.RecycleMinutes)
			setting(&b, "launch_minutes", c.Load.LaunchMinutes)
			setting(&b, "target_utilization", c.Load.TargetUtilization)
			setting(&b, "vms_per_host", c.Load.VMsPerHost)
			setting(&b, "idle_gap_hours", c.Load.IdleGapHours)
			setting(&b, "use_hours", c.Load.UseHours)
			read := prototest.New(t, factory()).DataSource("runnerfit_mac_hosts_needed").Read(b.String())
			if len(read.Diagnostics) > 0 {
				t.Fatal(read.Diagnostics)
			}
			want := map[string]any{
				"hosts": nil, "monthly_cost_usd": amountOf(c.MonthlyUSD), "keep_cost_usd": amountOf(c.KeepUSD), "release_cost_usd": amountOf(c.ReleaseUSD), "cheaper": nil,
			}
			if n, ok := c.Hosts.Get(); ok {
				want["hosts"] = float64(n)
			}
			if s, ok := c.Cheaper.Get(); ok {
				want["cheaper"] = s
			}
			expect(t, read.Attr, want)
		})
	}
}

func TestMacHostsNeededBadShape(t *testing.T) {
	for name, tc := range map[string]struct {
		body string
		want []string
	}{
		"nothing asked":      {``, []string{"job_minutes", "jobs_per_hour"}},
		"half a question":    {`jobs_per_hour = 6`, []string{"job_minutes"}},
		"half of the other":  {"jobs_per_hour = 6\n job_minutes = 30\n use_hours = 10", []string{"idle_gap_hours"}},
		"three guests":       {"jobs_per_hour = 6\n job_minutes = 30\n vms_per_host = 3", []string{"vms_per_host"}},
		"more than all time": {"jobs_per_hour = 6\n job_minutes = 30\n target_utilization = 1.1", []string{"target_utilization"}},
		"never busy":         {"jobs_per_hour = 6\n job_minutes = 30\n target_utilization = 0", []string{"target_utilization"}},
		"negative":           {"jobs_per_hour = -6\n job_minutes = 30", []string{"jobs_per_hour"}},
	} {
		t.Run(name, func(t *testing.T) {
			read := prototest.New(t, factory()).DataSource("runnerfit_mac_hosts_needed").Read(`instance_type = "mac2.metal"` + "\n" + tc.body)
			paths := map[string]bool{}
			for _, d := range read.Errors() {
				paths[d.Path] = true
			}
			if diff := cmp.Diff(tc.want, slices.Sorted(maps.Keys(paths))); diff != "" {
				t.Errorf("(-want +got):\n%s\n%s", diff, read.Diagnostics)
			}
		})
	}
}
