package provider

import (
	"math"

	datasourceschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	resourceschema "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/hostpool"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

// A pool of Mac hosts is both a guard and a data source, which take the same
// inputs and give the same results. This file holds what they share.

// hostPoolInputs are the inputs.
type hostPoolInputs struct {
	InstanceType          types.String `tfsdk:"instance_type"`
	Region                types.String `tfsdk:"region"`
	DesiredHosts          types.Number `tfsdk:"desired_hosts"`
	MaxHosts              types.Number `tfsdk:"max_hosts"`
	AutoReleaseHosts      types.Bool   `tfsdk:"auto_release_hosts"`
	AutoAllocateHosts     types.Bool   `tfsdk:"auto_allocate_hosts"`
	GracePeriodSeconds    types.Number `tfsdk:"grace_period_seconds"`
	BootToReadySeconds    types.Number `tfsdk:"boot_to_ready_seconds"`
	LaunchSeconds         types.Number `tfsdk:"launch_seconds"`
	FailedLaunchesPerDay  types.Number `tfsdk:"failed_launches_per_day"`
	FailedHostsReturn     types.Bool   `tfsdk:"failed_hosts_return"`
	RecycleMinutes        types.Number `tfsdk:"recycle_minutes"`
	ScrubMetered          types.Bool   `tfsdk:"scrub_metered"`
	AutoReleaseAfterHours types.Number `tfsdk:"auto_release_after_hours"`
	ReleaseAfterHours     types.Number `tfsdk:"release_after_hours"`
	HostHourlyPriceUSD    types.Number `tfsdk:"host_hourly_price_usd"`
}

// hostPoolResults are the results.
type hostPoolResults struct {
	HostMonthUSD         types.Float64 `tfsdk:"host_month_usd"`
	MinimumAllocationUSD types.Float64 `tfsdk:"minimum_allocation_usd"`
	PeakHosts            types.Int64   `tfsdk:"peak_hosts"`
	HoursToExhaustion    types.Float64 `tfsdk:"hours_to_exhaustion"`
	ExposureUSDMonth     types.Float64 `tfsdk:"exposure_usd_month"`
	Verdict              types.String  `tfsdk:"verdict"`
}

// inputKind is the type of an input.
type inputKind uint8

const (
	textInput inputKind = iota
	numberInput
	switchInput
)

// hostPoolSchema describes the inputs.
var hostPoolSchema = map[string]struct {
	kind        inputKind
	required    bool
	description string
}{
	"instance_type":            {textInput, true, "EC2 Mac type of the hosts, such as `mac2-m2pro.metal`."},
	"region":                   {textInput, false, "AWS Region whose prices are used. Default: the provider's."},
	"desired_hosts":            {numberInput, true, "How many hosts run an instance when all is well: the group's desired capacity."},
	"max_hosts":                {numberInput, true, "How many hosts may be allocated: the account's quota for the host family, which AWS counts per Region, less what others use of it."},
	"auto_release_hosts":       {switchInput, true, "Whether free hosts are given back: `auto-release-host` of the host resource group."},
	"auto_allocate_hosts":      {switchInput, false, "Whether a launch that finds no free host allocates one: `auto-allocate-host` of the host resource group. Default true. Write false for hosts that Terraform allocates (`aws_ec2_host`)."},
	"grace_period_seconds":     {numberInput, false, "Seconds that an instance is allowed to take until it is ready: the group's `health_check_grace_period`, or the heartbeat timeout of the lifecycle hook that holds it. Compared with `boot_to_ready_seconds`; without both, launches are not taken to fail all the time."},
	"boot_to_ready_seconds":    {numberInput, false, "Seconds from boot to ready, as `runnerfit_mac_host_storage` predicts them."},
	"launch_seconds":           {numberInput, false, "Seconds of AWS's own launching that come on top of `boot_to_ready_seconds` within the allowed time. Default 0. In a failure loop it is also the launch's part of each cycle, for which AWS's 6 to 20 minutes are taken if it is left out."},
	"failed_launches_per_day":  {numberInput, false, "Launches of the whole pool that fail in a day, evenly spaced; fractions are allowed. Left out: not known, and none are counted."},
	"failed_hosts_return":      {switchInput, false, "Whether a host is free again after its scrub. Default true. Write false if failed hosts stay pending or impaired."},
	"recycle_minutes":          {numberInput, false, "Minutes that a host is scrubbed after its instance ended. Default 110, what AWS said of Apple silicon for years; its current page says up to 270 (50 for Intel, 180 with a firmware update), and users report 50 to 120."},
	"scrub_metered":            {switchInput, false, "Whether a host is billed while it scrubs. Default true, the cautious assumption: AWS says that a pending host is not billed, and authors of fleet managers rely on it, but no bill was seen that proves it."},
	"auto_release_after_hours": {numberInput, false, "Age in hours at which the host resource group gives a free host back. Default 24, AWS's minimum, and never less. Users disagree whether it works at all for Macs: some saw hosts go once they were over 24 hours old and not needed, others saw none go."},
	"release_after_hours":      {numberInput, false, "Age in hours at which somebody releases a free additional host by hand, 24 at least. Left out: nobody does."},
	"host_hourly_price_usd":    {numberInput, false, "US dollars for an hour of a host, in place of the provider's and the embedded list price."},
}

const (
	hostMonthDescription         = "US dollars for one host a month (730 hours); null where no price is known."
	minimumAllocationDescription = "US dollars for one host for the 24 hours that AWS bills at least: what one needless replacement costs."
	peakHostsDescription         = "Most hosts that are in use at a time: desired ones, and failed ones that scrub or do not come back. Where hosts are not released, it is what ends up being paid for."
	hoursToExhaustionDescription = "Hours until the last free host is taken and launches are refused, rounded up to 0.0001; null if that does not happen within a year. A pool that is full for moments, but never when a launch needs a host, does not count."
	exposureDescription          = "US dollars a month for the hosts beyond the desired ones, once the pool has settled; null where no price is known."
	verdictDescription           = "`safe`: no host beyond the desired ones is paid for, at the given rate of failures. `costly`: additional hosts are paid for. `exhausts`: launches find no host."
)

func hostPoolResourceAttributes() map[string]resourceschema.Attribute {
	out := map[string]resourceschema.Attribute{
		"host_month_usd":         resourceschema.Float64Attribute{MarkdownDescription: hostMonthDescription, Computed: true},
		"minimum_allocation_usd": resourceschema.Float64Attribute{MarkdownDescription: minimumAllocationDescription, Computed: true},
		"peak_hosts":             resourceschema.Int64Attribute{MarkdownDescription: peakHostsDescription, Computed: true},
		"hours_to_exhaustion":    resourceschema.Float64Attribute{MarkdownDescription: hoursToExhaustionDescription, Computed: true},
		"exposure_usd_month":     resourceschema.Float64Attribute{MarkdownDescription: exposureDescription, Computed: true},
		"verdict":                resourceschema.StringAttribute{MarkdownDescription: verdictDescription, Computed: true},
	}
	for name, in := range hostPoolSchema {
		switch in.kind {
		case textInput:
			out[name] = resourceschema.StringAttribute{MarkdownDescription: in.description, Required: in.required, Optional: !in.required}
		case numberInput:
			out[name] = resourceschema.NumberAttribute{MarkdownDescription: in.description, Required: in.required, Optional: !in.required}
		case switchInput:
			out[name] = resourceschema.BoolAttribute{MarkdownDescription: in.description, Required: in.required, Optional: !in.required}
		}
	}
	return out
}

func hostPoolDataSourceAttributes() map[string]datasourceschema.Attribute {
	out := map[string]datasourceschema.Attribute{
		"host_month_usd":         datasourceschema.Float64Attribute{MarkdownDescription: hostMonthDescription, Computed: true},
		"minimum_allocation_usd": datasourceschema.Float64Attribute{MarkdownDescription: minimumAllocationDescription, Computed: true},
		"peak_hosts":             datasourceschema.Int64Attribute{MarkdownDescription: peakHostsDescription, Computed: true},
		"hours_to_exhaustion":    datasourceschema.Float64Attribute{MarkdownDescription: hoursToExhaustionDescription, Computed: true},
		"exposure_usd_month":     datasourceschema.Float64Attribute{MarkdownDescription: exposureDescription, Computed: true},
		"verdict":                datasourceschema.StringAttribute{MarkdownDescription: verdictDescription, Computed: true},
	}
	for name, in := range hostPoolSchema {
		switch in.kind {
		case textInput:
			out[name] = datasourceschema.StringAttribute{MarkdownDescription: in.description, Required: in.required, Optional: !in.required}
		case numberInput:
			out[name] = datasourceschema.NumberAttribute{MarkdownDescription: in.description, Required: in.required, Optional: !in.required}
		case switchInput:
			out[name] = datasourceschema.BoolAttribute{MarkdownDescription: in.description, Required: in.required, Optional: !in.required}
		}
	}
	return out
}

// pool is the configuration in the terms of the rules, without the region.
func (m *hostPoolInputs) pool() hostpool.Pool {
	return hostpool.Pool{
		InstanceType:          optionalString(m.InstanceType),
		DesiredHosts:          optionalDecimal(m.DesiredHosts),
		MaxHosts:              optionalDecimal(m.MaxHosts),
		AutoReleaseHosts:      optionalBool(m.AutoReleaseHosts),
		AutoAllocateHosts:     optionalBool(m.AutoAllocateHosts),
		GracePeriodSeconds:    optionalDecimal(m.GracePeriodSeconds),
		BootToReadySeconds:    optionalDecimal(m.BootToReadySeconds),
		LaunchSeconds:         optionalDecimal(m.LaunchSeconds),
		FailedLaunchesPerDay:  optionalDecimal(m.FailedLaunchesPerDay),
		FailedHostsReturn:     optionalBool(m.FailedHostsReturn),
		RecycleMinutes:        optionalDecimal(m.RecycleMinutes),
		ScrubMetered:          optionalBool(m.ScrubMetered),
		AutoReleaseAfterHours: optionalDecimal(m.AutoReleaseAfterHours),
		ReleaseAfterHours:     optionalDecimal(m.ReleaseAfterHours),
		HostHourlyPriceUSD:    optionalDecimal(m.HostHourlyPriceUSD),
	}
}

// shape reports faults that need no catalogue.
func (m *hostPoolInputs) shape() diag.Diagnostics {
	diags := checkRegion(m.Region)
	diags.Append(problems(m.pool().Problems())...)
	return diags
}

// show sets the results.
func (m *hostPoolResults) show(r hostpool.Result) {
	m.HostMonthUSD = usdOf(r.HostMonthUSD)
	m.MinimumAllocationUSD = usdOf(r.MinimumAllocationUSD)
	m.PeakHosts = int64Of(r.PeakHosts)
	m.HoursToExhaustion = hoursOf(r.HoursToExhaustion)
	m.ExposureUSDMonth = usdOf(r.ExposureUSDMonth)
	m.Verdict = stringOf(optional.Map(r.Verdict, func(v hostpool.Verdict) string { return string(v) }))
}

// hoursOf is a predicted time in hours. It is rounded up, so that what it says
// has happened has.
func hoursOf(v optional.Value[float64]) types.Float64 {
	const parts = 10_000
	// A float just above the tick that was meant is that tick.
	const slack = 1e-6
	return float64Of(optional.Map(v, func(h float64) float64 { return math.Ceil(h*parts-slack) / parts }))
}

// pricedRegion is the region of an object, for the rules: unknown while its
// prices are.
func (s *settings) pricedRegion(own types.String) optional.Value[string] {
	if !s.pricesKnown {
		return optional.Unknown[string]()
	}
	return s.regionOr(own)
}
