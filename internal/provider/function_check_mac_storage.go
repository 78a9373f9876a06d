package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/mac"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/rulebook"
)

var _ function.Function = (*checkMacStorageFunction)(nil)

// NewCheckMacStorageFunction is check_mac_storage.
func NewCheckMacStorageFunction() function.Function { return &checkMacStorageFunction{} }

type checkMacStorageFunction struct{}

func (*checkMacStorageFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "check_mac_storage"
}

func (*checkMacStorageFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             "What is wrong with a Mac host's volumes",
		MarkdownDescription: "Judges an EC2 Mac host's volumes with the rules and severities of the guard `runnerfit_mac_host_storage`, and returns the findings as a list of objects `{ rule, severity, path, message, fix }`, worst first. For places where a guard cannot stand: a `precondition`, a variable's `validation`, a test.",
		Parameters: []function.Parameter{
			function.DynamicParameter{Name: "storage", MarkdownDescription: "Object with the members of the guard: `{ instance_type, region, grace_period_seconds, launch_seconds, vms_per_host, root = { type, size_gib, iops, throughput_mib_per_s, from_snapshot }, vmdata = { … }, images = { count, size_gib }, calibration = { … }, ignore_rules, on_error }`. Any may be null or left out; a member of another name is an error."},
		},
		Return: function.ListReturn{ElementType: findingType},
	}
}

func (*checkMacStorageFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var arg types.Dynamic
	if resp.Error = req.Arguments.Get(ctx, &arg); resp.Error != nil {
		return
	}
	r := &members{}
	o := r.object(arg.UnderlyingValue(), "the object", "instance_type", "region", "grace_period_seconds", "launch_seconds", "vms_per_host",
		"root", "vmdata", "images", "calibration", "ignore_rules", "on_error")
	storage := r.storage(o)
	cat := catalog.Embedded()
	faults := storage.Problems()
	if p, ok := mac.NotMac(cat, storage.InstanceType); ok {
		faults = append(faults, p)
	}
	resp.Error = r.answer(ctx, resp, o, faults, func() []finding.Finding { return mac.EvaluateStorage(cat, storage).Findings })
}

// members reads a free-form object. Terraform does not check its members, so a
// misspelt one would silently switch a check off; here it is a fault.
type members struct{ faults []string }

func (r *members) fault(format string, args ...any) {
	r.faults = append(r.faults, fmt.Sprintf(format, args...))
}

// object returns the members of an object or map; nil if it is null.
func (r *members) object(v attr.Value, where string, known ...string) map[string]attr.Value {
	if d, ok := v.(types.Dynamic); ok {
		v = d.UnderlyingValue()
	}
	var got map[string]attr.Value
	switch o := v.(type) {
	case nil:
		return nil
	case types.Object:
		if o.IsNull() {
			return nil
		}
		got = o.Attributes()
	case types.Map:
		if o.IsNull() {
			return nil
		}
		got = o.Elements()
	default:
		if !v.IsNull() {
			r.fault("%s must be an object", where)
		}
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if !slices.Contains(known, name) {
			closest, _ := finding.Closest(name, known)
			r.fault("%s has a member that is not known; the closest is %s, all are %s", where, closest, strings.Join(known, ", "))
		}
	}
	return got
}

func (r *members) storage(o map[string]attr.Value) mac.Storage {
	region, _ := r.region(o["region"]).Or(catalog.DefaultRegion).Get()
	s := mac.Storage{
		InstanceType:       r.text(o["instance_type"], "instance_type"),
		Region:             region,
		GracePeriodSeconds: r.number(o["grace_period_seconds"], "grace_period_seconds"),
		LaunchSeconds:      r.number(o["launch_seconds"], "launch_seconds"),
		VMsPerHost:         r.number(o["vms_per_host"], "vms_per_host"),
		Root:               r.volume(o["root"], "root"),
		VMData:             r.volume(o["vmdata"], "vmdata"),
	}
	if i := r.object(o["images"], "images", "count", "size_gib"); i != nil {
		s.Images = optional.Known(mac.StorageImages{Count: r.number(i["count"], "images.count"), SizeGiB: r.number(i["size_gib"], "images.size_gib")})
	}
	if c := r.object(o["calibration"], "calibration", "boot_fixed_seconds", "boot_read_mib", "pipeline_mib_per_s", "ready_fixed_seconds"); c != nil {
		n := func(name string) optional.Value[decimal.Decimal] { return r.number(c[name], "calibration."+name) }
		s.Calibration = calibrationOf(n("boot_fixed_seconds"), n("boot_read_mib"), n("pipeline_mib_per_s"), n("ready_fixed_seconds"))
	}
	return s
}

func (r *members) volume(v attr.Value, where string) optional.Value[mac.StorageVolume] {
	o := r.object(v, where, "type", "size_gib", "iops", "throughput_mib_per_s", "from_snapshot")
	if o == nil {
		return optional.Null[mac.StorageVolume]()
	}
	return optional.Known(mac.StorageVolume{
		Type:              r.text(o["type"], where+".type"),
		SizeGiB:           r.number(o["size_gib"], where+".size_gib"),
		IOPS:              r.number(o["iops"], where+".iops"),
		ThroughputMiBPerS: r.number(o["throughput_mib_per_s"], where+".throughput_mib_per_s"),
		FromSnapshot:      r.yesNo(o["from_snapshot"], where+".from_snapshot"),
	})
}

func (r *members) ignores(v attr.Value) finding.Ignores {
	if d, ok := v.(types.Dynamic); ok {
		v = d.UnderlyingValue()
	}
	var got map[string]attr.Value
	switch o := v.(type) {
	case types.Object:
		got = o.Attributes()
	case types.Map:
		got = o.Elements()
	case nil:
	default:
		if !v.IsNull() {
			r.fault("ignore_rules must be a map of rule id to reason")
		}
	}
	ig := make(finding.Ignores, len(got))
	for id, reason := range got {
		ig[id], _ = r.text(reason, "ignore_rules").Or("").Get()
	}
	for _, f := range ig.Check(rulebook.Registry()) {
		r.fault("ignore_rules: %s", strings.TrimSuffix(f.Problem, "."))
	}
	return ig
}

// scalar unwraps a member; nil if it is null or left out.
func scalar(v attr.Value) attr.Value {
	if d, ok := v.(types.Dynamic); ok {
		v = d.UnderlyingValue()
	}
	if v == nil || v.IsNull() {
		return nil
	}
	return v
}

// number reads a number; a text that is one counts, as everywhere in Terraform.
func (r *members) number(v attr.Value, where string) optional.Value[decimal.Decimal] {
	switch n := scalar(v).(type) {
	case nil:
		return optional.Null[decimal.Decimal]()
	case types.Number:
		return optionalDecimal(n)
	case types.String:
		const longest = 40
		if d, err := decimal.NewFromString(n.ValueString()); err == nil && len(n.ValueString()) <= longest && d.Exponent() < longest && d.Exponent() > -longest {
			return optional.Known(d)
		}
	}
	r.fault("%s must be a number", where)
	return optional.Null[decimal.Decimal]()
}

func (r *members) text(v attr.Value, where string) optional.Value[string] {
	switch s := scalar(v).(type) {
	case nil:
		return optional.Null[string]()
	case types.String:
		return optional.Known(s.ValueString())
	}
	r.fault("%s must be a text", where)
	return optional.Null[string]()
}

func (r *members) yesNo(v attr.Value, where string) optional.Value[bool] {
	switch b := scalar(v).(type) {
	case nil:
		return optional.Null[bool]()
	case types.Bool:
		return optional.Known(b.ValueBool())
	case types.String: // as everywhere in Terraform
		if v := b.ValueString(); v == "true" || v == "false" {
			return optional.Known(v == "true")
		}
	}
	r.fault("%s must be true or false", where)
	return optional.Null[bool]()
}
