package provider

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/hostpool"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/shape"
)

var _ function.Function = (*checkMacHostPoolFunction)(nil)

// NewCheckMacHostPoolFunction is check_mac_host_pool.
func NewCheckMacHostPoolFunction() function.Function { return &checkMacHostPoolFunction{} }

type checkMacHostPoolFunction struct{}

func (*checkMacHostPoolFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "check_mac_host_pool"
}

func (*checkMacHostPoolFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             "What is wrong with a pool of Mac hosts",
		MarkdownDescription: "Judges a pool of dedicated EC2 Mac hosts with the rules and severities of the guard `runnerfit_mac_host_pool`, and returns the findings as a list of objects `{ rule, severity, path, message, fix }`, worst first. For places where a guard cannot stand: a `precondition`, a variable's `validation`, a test.",
		Parameters: []function.Parameter{
			function.DynamicParameter{Name: "pool", MarkdownDescription: "Object with the members of the guard: `{ " + strings.Join(hostPoolMembers(), ", ") + " }`. Any may be null or left out; a member of another name is an error."},
		},
		Return: function.ListReturn{ElementType: findingType},
	}
}

// hostPoolMembers are the names of the guard's settings, sorted.
func hostPoolMembers() []string {
	names := append(slices.Collect(maps.Keys(hostPoolSchema)), "ignore_rules", "on_error")
	slices.Sort(names)
	return names
}

func (*checkMacHostPoolFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var arg types.Dynamic
	if resp.Error = req.Arguments.Get(ctx, &arg); resp.Error != nil {
		return
	}
	r := &members{}
	o := r.object(arg.UnderlyingValue(), "the object", hostPoolMembers()...)
	number := func(name string) optional.Value[decimal.Decimal] { return r.number(o[name], name) }
	yesNo := func(name string) optional.Value[bool] { return r.yesNo(o[name], name) }
	p := hostpool.Pool{
		InstanceType:          r.text(o["instance_type"], "instance_type"),
		Region:                r.region(o["region"]),
		DesiredHosts:          number("desired_hosts"),
		MaxHosts:              number("max_hosts"),
		AutoReleaseHosts:      yesNo("auto_release_hosts"),
		AutoAllocateHosts:     yesNo("auto_allocate_hosts"),
		GracePeriodSeconds:    number("grace_period_seconds"),
		BootToReadySeconds:    number("boot_to_ready_seconds"),
		LaunchSeconds:         number("launch_seconds"),
		FailedLaunchesPerDay:  number("failed_launches_per_day"),
		FailedHostsReturn:     yesNo("failed_hosts_return"),
		RecycleMinutes:        number("recycle_minutes"),
		ScrubMetered:          yesNo("scrub_metered"),
		AutoReleaseAfterHours: number("auto_release_after_hours"),
		ReleaseAfterHours:     number("release_after_hours"),
		HostHourlyPriceUSD:    number("host_hourly_price_usd"),
	}
	cat := catalog.Embedded()
	faults := p.Problems()
	if fault, ok := hostpool.NotMac(cat, p.InstanceType); ok {
		faults = append(faults, fault)
	}
	resp.Error = r.answer(ctx, resp, o, faults, func() []finding.Finding { return hostpool.Evaluate(cat, p).Findings })
}

// region reads a Region's name.
func (r *members) region(v attr.Value) optional.Value[string] {
	region := r.text(v, "region")
	if name, ok := region.Get(); ok && !catalog.IsRegionName(name) {
		r.fault("region is not the name of an AWS Region such as us-east-1")
	}
	return region
}

// answer sets the findings of a check as its result, or says what is wrong with
// the object. It reads the members that every guard has.
func (r *members) answer(ctx context.Context, resp *function.RunResponse, o map[string]attr.Value, faults []shape.Problem, judge func() []finding.Finding) *function.FuncError {
	ignores := r.ignores(o["ignore_rules"])
	onError, _ := r.text(o["on_error"], "on_error").Or(onErrorFail).Get()
	if onError != onErrorFail && onError != onErrorWarn {
		r.fault(`on_error must be "fail" or "warn"`)
	}
	for _, f := range faults {
		r.fault("%s", f.Message)
	}
	if len(r.faults) > 0 {
		return function.NewArgumentFuncError(0, strings.Join(r.faults, "; "))
	}
	fs := ignores.Filter(judge())
	if onError == onErrorWarn {
		for i := range fs {
			fs[i].Severity = min(fs[i].Severity, finding.Warning)
		}
	}
	return resp.Result.Set(ctx, findingsValue(fs))
}
