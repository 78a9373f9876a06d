package provider

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"maps"
	"math/big"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

// A guard is a resource without a remote object: it judges its own
// configuration at plan and fills in what was left out. This file holds what
// all guards have in common, which is when they speak and when they keep still:
//
//   - A configuration that was accepted once never fails again, whatever a newer
//     catalogue says: an error from a plan would also stop "terraform destroy". It
//     is recognised by a fingerprint, because the state itself holds filled-in
//     values and cannot tell that a member was removed. The fingerprint is an
//     attribute and not private state: where a change of configuration changes no
//     other attribute, private state would not be stored.
//   - While the configuration is the accepted one, the stored results are kept as
//     they are, so that a newer provider or catalogue alone makes no diff.
//   - Unknown inputs are waited for.

// guard is one kind of guard: a model T of its configuration and results. The
// resource that it stands for embeds it, and adds its name and schema.
type guard[T any] struct {
	settings *settings
	kind     guardKind[T]
}

// guardKind is what one kind of guard adds to the common behaviour.
type guardKind[T any] interface {
	// shape reports faults of a configuration that need no catalogue: they are
	// reported by "terraform validate", too.
	shape(ctx context.Context, config *T) diag.Diagnostics
	// evaluate fills in the results of a configuration, unknown where they depend on
	// an unknown input, and returns the findings.
	evaluate(ctx context.Context, s *settings, config *T) (verdict, diag.Diagnostics)
	// common are the settings that every guard has.
	common(config *T) *guardCommon
}

// guardCommon is what every guard's model has.
type guardCommon struct {
	IgnoreRules types.Map    `tfsdk:"ignore_rules"`
	OnError     types.String `tfsdk:"on_error"`
	// Accepted is the fingerprint of the configuration that was accepted last.
	Accepted types.String `tfsdk:"accepted_configuration"`
}

// guardAttributes adds the attributes that every guard has to a guard's own.
func guardAttributes(own map[string]schema.Attribute) map[string]schema.Attribute {
	own["ignore_rules"] = schema.MapAttribute{
		MarkdownDescription: "Rules that this guard does not report, as `rule id = reason`, besides the provider's.",
		ElementType:         types.StringType,
		Optional:            true,
	}
	own["on_error"] = schema.StringAttribute{
		MarkdownDescription: "`fail` (default) stops the plan on a finding of severity error, `warn` shows it as a warning.",
		Optional:            true,
	}
	own["findings"] = resourceFindings()
	own["accepted_configuration"] = schema.StringAttribute{
		MarkdownDescription: "Short hash of the configuration that was accepted last, with the provider's `region`, `prices` and `ignore_rules`. While it stays the same, the results are kept and nothing blocks a plan or a destroy, whatever a newer catalogue says.",
		Computed:            true,
	}
	return own
}

// verdict is what an evaluation found.
type verdict struct {
	findings []finding.Finding
	// withhold says that nothing may be said because it is not known yet which
	// rules are ignored.
	withhold bool
}

// Configure takes the provider's settings.
func (g *guard[T]) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	if req.ProviderData == nil {
		return
	}
	s, ok := req.ProviderData.(*settings)
	if !ok {
		resp.Diagnostics.AddError("Unexpected provider data", "This is a bug in the provider; please report it.")
		return
	}
	g.settings = s
}

// ValidateConfig reports faults of shape only: rules may depend on the provider's
// configuration, which is not known here, and what was accepted before is not, either.
func (g *guard[T]) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var m T
	resp.Diagnostics.Append(getModel(ctx, req.Config, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	c := g.kind.common(&m)
	_, diags := ignoresFrom(ctx, path.Root("ignore_rules"), c.IgnoreRules)
	resp.Diagnostics.Append(diags...)
	if v, ok := optionalString(c.OnError).Get(); ok && v != onErrorFail && v != onErrorWarn {
		resp.Diagnostics.Append(invalid(path.Root("on_error"), `on_error must be "fail" or "warn"`))
	}
	resp.Diagnostics.Append(g.kind.shape(ctx, &m)...)
}

const (
	onErrorFail = "fail"
	onErrorWarn = "warn"
)

// ModifyPlan judges the configuration and sets the planned results.
func (g *guard[T]) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	g.judge(ctx, req, resp)
}

// judge is ModifyPlan, and says whether the stored state is kept as it is.
func (g *guard[T]) judge(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) (kept bool) {
	if req.Plan.Raw.IsNull() {
		return false // a destroy is never stopped
	}
	var m T
	resp.Diagnostics.Append(getModel(ctx, req.Config, &m)...)
	if resp.Diagnostics.HasError() {
		return false
	}
	ctx, end := g.settings.begin(ctx)
	defer end()
	mark, complete := g.fingerprint(req.Config.Raw)
	if complete && !req.State.Raw.IsNull() {
		var accepted types.String
		resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("accepted_configuration"), &accepted)...)
		if accepted.ValueString() == mark {
			v, diags := g.kind.evaluate(ctx, g.settings, &m)
			resp.Diagnostics.Append(asWarnings(diags)...)
			resp.Diagnostics.Append(g.settings.liveDiagnostics(finding.Warning)...)
			if !v.withhold {
				resp.Diagnostics.Append(findingDiagnostics(v.findings, finding.Warning)...)
			}
			resp.Plan.Raw = req.State.Raw
			return true
		}
	}
	v, diags := g.kind.evaluate(ctx, g.settings, &m)
	diags.Append(g.settings.liveDiagnostics(finding.Error)...)
	resp.Diagnostics.Append(diags...)
	if diags.HasError() {
		return false
	}
	resp.Diagnostics.Append(g.report(v, &m)...)
	g.accept(&m, mark, complete)
	resp.Diagnostics.Append(setPlan(ctx, &resp.Plan, &m)...)
	return false
}

// accept notes the configuration that the results belong to.
func (g *guard[T]) accept(m *T, mark string, complete bool) {
	accepted := types.StringUnknown()
	if complete {
		accepted = types.StringValue(mark)
	}
	g.kind.common(m).Accepted = accepted
}

// report shows the findings with the severity that the guard's on_error asks for.
func (g *guard[T]) report(v verdict, m *T) diag.Diagnostics {
	if v.withhold {
		return nil
	}
	atMost := finding.Error
	if onError := g.kind.common(m).OnError; onError.IsUnknown() || onError.ValueString() == onErrorWarn {
		atMost = finding.Warning
	}
	return findingDiagnostics(v.findings, atMost)
}

// applied completes a plan at apply: what was known then stays, what was not is
// evaluated now, and its errors stop the apply.
func (g *guard[T]) applied(ctx context.Context, config tfsdk.Config, plan tfsdk.Plan, state *tfsdk.State) diag.Diagnostics {
	if plan.Raw.IsFullyKnown() {
		state.Raw = plan.Raw
		return nil
	}
	var m T
	diags := getModel(ctx, config, &m)
	if diags.HasError() {
		return diags
	}
	ctx, end := g.settings.begin(ctx)
	defer end()
	v, evaluated := g.kind.evaluate(ctx, g.settings, &m)
	diags.Append(evaluated...)
	diags.Append(g.settings.liveDiagnostics(finding.Error)...)
	if diags.HasError() {
		return diags
	}
	diags.Append(g.report(v, &m)...)
	if diags.HasError() {
		return diags
	}
	mark, complete := g.fingerprint(config.Raw)
	g.accept(&m, mark, complete)
	diags.Append(setState(ctx, state, &m)...)
	state.Raw = preferKnown(plan.Raw, state.Raw)
	return diags
}

// Create stores the result; there is nothing else to do.
func (g *guard[T]) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	resp.Diagnostics.Append(g.applied(ctx, req.Config, req.Plan, &resp.State)...)
}

// Read keeps the state: there is nothing else that could have changed.
func (g *guard[T]) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

// Update stores the result, as Create does.
func (g *guard[T]) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.Diagnostics.Append(g.applied(ctx, req.Config, req.Plan, &resp.State)...)
}

// Delete has nothing to do.
func (g *guard[T]) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

// asWarnings turns errors into warnings.
func asWarnings(diags diag.Diagnostics) (out diag.Diagnostics) {
	for _, d := range diags {
		if d.Severity() != diag.SeverityError {
			out.Append(d)
			continue
		}
		if p, ok := d.(diag.DiagnosticWithPath); ok {
			out.AddAttributeWarning(p.Path(), d.Summary(), d.Detail())
		} else {
			out.AddWarning(d.Summary(), d.Detail())
		}
	}
	return out
}

// ignoresOf are the rules that the provider and the guard ignore together.
func ignoresOf(ctx context.Context, s *settings, own types.Map) (optional.Value[finding.Ignores], diag.Diagnostics) {
	ig, diags := ignoresFrom(ctx, path.Root("ignore_rules"), own)
	return merged(s.ignores, ig), diags
}

// preferKnown takes every value that the plan knew from the plan, so that the
// result of an apply can never contradict it.
func preferKnown(plan, result tftypes.Value) tftypes.Value {
	out, err := tftypes.Transform(result, func(p *tftypes.AttributePath, v tftypes.Value) (tftypes.Value, error) {
		planned, _, err := tftypes.WalkAttributePath(plan, p)
		// An error says that the plan has no value here.
		if pv, ok := planned.(tftypes.Value); err == nil && ok && pv.IsFullyKnown() && pv.Type().Equal(v.Type()) {
			return pv, nil
		}
		return v, nil
	})
	if err != nil {
		return result
	}
	return out
}

// fingerprint is a short hash of a configuration together with what the
// provider block adds to it. Null members and empty blocks do not
// count, so that a newer schema with more members leaves it as it is; nor does
// the catalogue. It is not complete while any value is unknown.
func (g *guard[T]) fingerprint(config tftypes.Value) (mark string, complete bool) {
	if !config.IsFullyKnown() || g.settings == nil || !g.settings.known() {
		return "", false
	}
	h := sha256.New()
	hashValue(h, config)
	g.settings.hash(h)
	return hex.EncodeToString(h.Sum(nil)[:16]), true
}

// known says whether everything in the provider block is known.
func (s *settings) known() bool {
	return s.pricesKnown && s.region.IsKnown() && !s.ignores.IsUnknown()
}

// hash adds what the provider block changes about the answer of a guard.
func (s *settings) hash(h hash.Hash) {
	region, _ := s.region.Get()
	ignores, _ := s.ignores.Get()
	fmt.Fprintf(h, "\x00region=%q prices=%s", region, s.prices)
	for _, id := range slices.Sorted(maps.Keys(ignores)) {
		fmt.Fprintf(h, "\x00ignore %q=%q", id, ignores[id])
	}
}

// hashValue adds a value in a canonical form: members sorted by name, without
// those that are null or empty.
func hashValue(h hash.Hash, v tftypes.Value) {
	if v.IsNull() || !v.IsKnown() {
		fmt.Fprint(h, "null")
		return
	}
	switch {
	case v.Type().Is(tftypes.String):
		var s string
		if v.As(&s) == nil {
			fmt.Fprintf(h, "%q", s)
		}
	case v.Type().Is(tftypes.Bool):
		var b bool
		if v.As(&b) == nil {
			fmt.Fprint(h, b)
		}
	case v.Type().Is(tftypes.Number):
		n := new(big.Float)
		if v.As(&n) == nil {
			fmt.Fprint(h, n.Text('g', -1))
		}
	case v.Type().Is(tftypes.Object{}), v.Type().Is(tftypes.Map{}):
		members := map[string]tftypes.Value{}
		if v.As(&members) == nil {
			fmt.Fprint(h, "{")
			for _, name := range slices.Sorted(maps.Keys(members)) {
				if m := members[name]; !isEmpty(m) {
					fmt.Fprintf(h, "%q:", name)
					hashValue(h, m)
					fmt.Fprint(h, ",")
				}
			}
			fmt.Fprint(h, "}")
		}
	default:
		var elements []tftypes.Value
		if v.As(&elements) == nil {
			fmt.Fprint(h, "[")
			for _, e := range elements {
				hashValue(h, e)
				fmt.Fprint(h, ",")
			}
			fmt.Fprint(h, "]")
		}
	}
}

// isEmpty says whether a member is the same as left out.
func isEmpty(v tftypes.Value) bool {
	if v.IsNull() {
		return true
	}
	var elements []tftypes.Value
	var members map[string]tftypes.Value
	switch {
	case v.Type().Is(tftypes.List{}) || v.Type().Is(tftypes.Set{}):
		return v.As(&elements) == nil && len(elements) == 0
	case v.Type().Is(tftypes.Map{}):
		return v.As(&members) == nil && len(members) == 0
	}
	return false
}
