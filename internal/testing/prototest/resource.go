package prototest

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// Resource is one instance of a managed resource. It holds the state between
// plans, in the form in which Terraform stores it.
type Resource struct {
	p        *Provider
	typeName string
	schema   resourceSchema

	// state is the stored JSON, nil while the object does not exist.
	state   []byte
	private []byte
	// body is the configuration as it is now: the one that was planned last.
	body string
}

// Resource makes an instance of a managed resource that does not exist yet.
func (p *Provider) Resource(typeName string) *Resource {
	p.t.Helper()
	schema, ok := p.resources[typeName]
	if !ok {
		unknownType(p, "resource", typeName, p.resources)
	}
	return &Resource{p: p, typeName: typeName, schema: schema}
}

// On is the same object managed by another provider: another version of it, or
// one with another configuration.
func (r *Resource) On(p *Provider) *Resource {
	p.t.Helper()
	c := p.Resource(r.typeName)
	c.state, c.private, c.body = r.state, r.private, r.body
	return c
}

// State is the state as it is stored, null while the object does not exist.
func (r *Resource) State() cty.Value {
	r.p.t.Helper()
	t := r.schema.block.typ()
	if r.state == nil {
		return cty.NullVal(t)
	}
	v, err := ctyjson.Unmarshal(r.state, t)
	r.p.noError("the stored state", err)
	return v
}

// Attr is Attr of the stored state.
func (r *Resource) Attr(path string) any {
	r.p.t.Helper()
	return Attr(r.p.t, r.State(), path)
}

// StateJSON is the state as it is stored, nil while the object does not exist.
func (r *Resource) StateJSON() []byte { return r.state }

// Private is the private state.
func (r *Resource) Private() []byte { return r.private }

// SetState puts a state in place that an older version of the provider wrote:
// JSON in which attributes may be missing.
func (r *Resource) SetState(state, private []byte) { r.state, r.private = state, private }

// Validate is `terraform validate`: only the provider's own look at the
// configuration.
func (r *Resource) Validate(body string) Diagnostics {
	r.p.t.Helper()
	_, diags := r.validate(r.source(body))
	return diags
}

func (r *Resource) source(body string) *source {
	r.p.t.Helper()
	return r.p.parse("resource", []string{r.typeName, "test"}, body)
}

func (r *Resource) validate(src *source) (cty.Value, Diagnostics) {
	p := r.p
	p.t.Helper()
	config, diags := p.decode(src, r.schema.block)
	if diags.hasErrors() {
		return config, diags
	}
	resp, err := p.server.ValidateResourceConfig(p.t.Context(), &tfprotov6.ValidateResourceConfigRequest{
		TypeName: r.typeName, Config: r.encode(config),
	})
	p.noError("ValidateResourceConfig of "+r.typeName, err)
	return config, append(diags, convertDiagnostics(resp.Diagnostics, src)...)
}

func (r *Resource) encode(v cty.Value) *tfprotov6.DynamicValue {
	r.p.t.Helper()
	return r.p.encode(v, r.schema.block.typ())
}

func (r *Resource) decodeValue(what string, d *tfprotov6.DynamicValue) cty.Value {
	r.p.t.Helper()
	return r.p.decodeValue(what+" "+r.typeName, d, r.schema.block.typ())
}

// Action is what a plan does.
type Action string

// The actions of plans.
const (
	Create  Action = "create"
	Update  Action = "update"
	Replace Action = "replace"
	NoOp    Action = "no-op"
)

// Plan is a planned change.
type Plan struct {
	Diagnostics
	// Action is empty if there were errors.
	Action Action
	// State is the planned one, in which what is known after apply is unknown; null
	// if there were errors.
	State cty.Value
	// Private is the planned private state.
	Private []byte

	r *Resource
	// prior is the refreshed state that the plan starts from.
	prior   cty.Value
	private []byte
	config  cty.Value
	body    string
}

// Attr is Attr of the planned state.
func (pl *Plan) Attr(path string) any {
	pl.r.p.t.Helper()
	return Attr(pl.r.p.t, pl.State, path)
}

// Plan is `terraform plan`: it reads the stored state, validates the
// configuration, and plans the change.
func (r *Resource) Plan(body string) *Plan {
	r.p.t.Helper()
	r.body = body
	prior, private, diags := r.refresh()
	if diags.hasErrors() {
		return &Plan{Diagnostics: diags, State: cty.NullVal(r.schema.block.typ()), r: r}
	}
	pl := r.plan(body, prior, private)
	pl.Diagnostics = append(diags, pl.Diagnostics...)
	return pl
}

// refresh turns the stored state into the prior state of a plan.
func (r *Resource) refresh() (state cty.Value, private []byte, diags Diagnostics) {
	p := r.p
	p.t.Helper()
	if r.state == nil {
		return cty.NullVal(r.schema.block.typ()), nil, nil
	}
	ctx := p.t.Context()
	up, err := p.server.UpgradeResourceState(ctx, &tfprotov6.UpgradeResourceStateRequest{
		TypeName: r.typeName, Version: r.schema.version, RawState: &tfprotov6.RawState{JSON: r.state},
	})
	p.noError("UpgradeResourceState of "+r.typeName, err)
	if diags = convertDiagnostics(up.Diagnostics, nil); diags.hasErrors() {
		return state, nil, diags
	}
	state = r.decodeValue("the upgraded state of", up.UpgradedState)
	read, err := p.server.ReadResource(ctx, &tfprotov6.ReadResourceRequest{TypeName: r.typeName, CurrentState: r.encode(state), Private: r.private})
	p.noError("ReadResource of "+r.typeName, err)
	diags = append(diags, convertDiagnostics(read.Diagnostics, nil)...)
	if diags.hasErrors() {
		return state, nil, diags
	}
	state = r.decodeValue("the refreshed state of", read.NewState)
	if !state.IsNull() && !state.IsWhollyKnown() {
		p.t.Fatalf("prototest: refreshing %s gave unknown values: %#v", r.typeName, state)
	}
	return state, read.Private, diags
}

func (r *Resource) plan(body string, prior cty.Value, private []byte) *Plan {
	p := r.p
	p.t.Helper()
	src := r.source(body)
	none := cty.NullVal(r.schema.block.typ())
	pl := &Plan{r: r, State: none, prior: prior, private: private, body: body}
	pl.config, pl.Diagnostics = r.validate(src)
	if pl.hasErrors() {
		return pl
	}
	planned, plannedPrivate, replacePaths, diags := r.planChange(src, pl.config, prior, private)
	pl.Diagnostics = append(pl.Diagnostics, diags...)
	if pl.hasErrors() {
		return pl
	}
	eq := planned.Equals(prior)
	switch {
	case prior.IsNull():
		pl.Action = Create
	case eq.IsKnown() && eq.True():
		pl.Action = NoOp
	default:
		pl.Action = Update
		for _, path := range replacePaths {
			was, err1 := path.Apply(prior)
			is, err2 := path.Apply(planned)
			if err1 != nil && err2 != nil {
				p.t.Fatalf("prototest: %s wants to be replaced because of %s, which it does not have", r.typeName, renderCtyPath(path))
			}
			if err1 != nil || err2 != nil || !was.RawEquals(is) {
				pl.Action = Replace
			}
		}
	}
	if pl.Action == Replace {
		// What is shown, and created in the end, is planned as if nothing had been there.
		planned, plannedPrivate, _, diags = r.planChange(src, pl.config, none, nil)
		if pl.Diagnostics = append(pl.Diagnostics, diags.Errors()...); pl.hasErrors() {
			return pl
		}
	}
	pl.State, pl.Private = planned, plannedPrivate
	return pl
}

// planChange asks for a plan and holds it against the rules of plans.
func (r *Resource) planChange(src *source, config, prior cty.Value, private []byte) (planned cty.Value, plannedPrivate []byte, replace []cty.Path, diags Diagnostics) {
	p := r.p
	p.t.Helper()
	resp, err := p.server.PlanResourceChange(p.t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName:         r.typeName,
		PriorState:       r.encode(prior),
		ProposedNewState: r.encode(proposedNew(r.schema.block, prior, config)),
		Config:           r.encode(config),
		PriorPrivate:     private,
	})
	p.noError("PlanResourceChange of "+r.typeName, err)
	if diags = convertDiagnostics(resp.Diagnostics, src); diags.hasErrors() {
		return planned, nil, nil, diags
	}
	planned = r.decodeValue("the plan of", resp.PlannedState)
	p.broken("Provider produced invalid plan", planValid(r.schema.block, prior, config, planned, nil))
	for _, path := range resp.RequiresReplace {
		replace = append(replace, ctyPath(path))
	}
	return planned, resp.PlannedPrivate, replace, diags
}

// Applied is what an apply gave.
type Applied struct {
	Diagnostics
	// State is the new one; null if there were errors.
	State cty.Value

	r *Resource
}

// Attr is Attr of the new state.
func (a *Applied) Attr(path string) any {
	a.r.p.t.Helper()
	return Attr(a.r.p.t, a.State, path)
}

// Apply is `terraform apply` of the plan. The plan must be without errors. A
// failed apply leaves the stored state as it was.
func (pl *Plan) Apply() *Applied {
	pl.r.p.t.Helper()
	return pl.ApplyAs(pl.body)
}

// ApplyAs is Apply of a plan in which something was unknown: the body is the
// same configuration with what it turned out to be.
func (pl *Plan) ApplyAs(body string) *Applied {
	r, p := pl.r, pl.r.p
	p.t.Helper()
	if pl.Action == "" {
		p.t.Fatalf("prototest: a plan with errors cannot be applied:\n%s", pl.Diagnostics)
	}
	r.body = body
	a := &Applied{r: r, State: pl.State}
	if pl.Action == NoOp {
		// Core does not ask the provider, so the private state of the plan is lost, too.
		return a
	}
	p.restart()
	prior, private := pl.prior, pl.private
	if pl.Action == Replace {
		if a.Diagnostics = r.destroyObject(prior, private); a.hasErrors() {
			return a
		}
		prior, private = cty.NullVal(prior.Type()), nil
	}
	final := r.plan(body, prior, private)
	none := cty.NullVal(r.schema.block.typ())
	a.Diagnostics = append(a.Diagnostics, final.Diagnostics...)
	if final.hasErrors() {
		a.State = none
		return a
	}
	if !final.config.IsWhollyKnown() {
		p.t.Fatalf("prototest: at apply everything is known; say with ApplyAs what it turned out to be:\n%s", body)
	}
	was, is := pl.Action, final.Action
	if was == Replace {
		was = Create
	}
	if was != is && (was != Update || is != NoOp) {
		p.t.Fatalf("prototest: Provider produced inconsistent final plan: %s was planned, now it is %s", was, is)
	}
	p.broken("Provider produced inconsistent final plan", compatible(r.schema.block, pl.State, final.State, nil))
	if is == NoOp {
		a.State = final.State
		return a
	}
	resp, err := p.server.ApplyResourceChange(p.t.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName:       r.typeName,
		PriorState:     r.encode(prior),
		PlannedState:   r.encode(final.State),
		Config:         r.encode(final.config),
		PlannedPrivate: final.Private,
	})
	p.noError("ApplyResourceChange of "+r.typeName, err)
	a.Diagnostics = append(a.Diagnostics, convertDiagnostics(resp.Diagnostics, r.source(body))...)
	if a.hasErrors() {
		a.State = none
		return a
	}
	a.State = r.decodeValue("the result of applying", resp.NewState)
	if !a.State.IsWhollyKnown() {
		p.t.Fatalf("prototest: Provider returned invalid result object after apply: there are unknown values: %#v", a.State)
	}
	p.broken("Provider produced inconsistent result after apply", compatible(r.schema.block, final.State, a.State, nil))
	r.store(a.State, resp.Private)
	return a
}

// MustApply is Apply that fails the test on an error.
func (pl *Plan) MustApply() *Applied {
	pl.r.p.t.Helper()
	a := pl.Apply()
	if a.hasErrors() {
		pl.r.p.t.Fatalf("prototest: applying %s: %s", pl.r.typeName, a.Diagnostics)
	}
	return a
}

func (r *Resource) store(state cty.Value, private []byte) {
	r.p.t.Helper()
	if state.IsNull() {
		r.state, r.private = nil, nil
		return
	}
	j, err := ctyjson.Marshal(state, r.schema.block.typ())
	r.p.noError("storing the state", err)
	r.state, r.private = j, private
}

// Destroy is `terraform destroy` with the configuration as it is now: an
// ordinary plan, whose errors stop everything, and then the removal. The object
// is gone unless there are errors.
func (r *Resource) Destroy() Diagnostics {
	r.p.t.Helper()
	r.p.restart()
	ordinary := r.Plan(r.body)
	if ordinary.hasErrors() {
		return ordinary.Diagnostics
	}
	return append(ordinary.Diagnostics, r.DestroyWithoutRefresh()...)
}

// DestroyWithoutRefresh is `terraform destroy -refresh=false`, which goes
// without the ordinary plan.
func (r *Resource) DestroyWithoutRefresh() Diagnostics {
	r.p.t.Helper()
	if r.state == nil {
		r.p.t.Fatalf("prototest: there is no %s to destroy", r.typeName)
	}
	diags := r.destroyObject(r.State(), r.private)
	if !diags.hasErrors() {
		r.store(cty.NullVal(r.schema.block.typ()), nil)
	}
	return diags
}

// destroyObject plans and applies the removal of an object.
func (r *Resource) destroyObject(prior cty.Value, private []byte) Diagnostics {
	p := r.p
	p.t.Helper()
	none := r.encode(cty.NullVal(r.schema.block.typ()))
	plan, err := p.server.PlanResourceChange(p.t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: r.typeName, PriorState: r.encode(prior), ProposedNewState: none, Config: none, PriorPrivate: private,
	})
	p.noError("planning to destroy "+r.typeName, err)
	diags := convertDiagnostics(plan.Diagnostics, nil)
	if diags.hasErrors() {
		return diags
	}
	if planned := r.decodeValue("the plan to destroy", plan.PlannedState); !planned.IsNull() {
		p.t.Fatalf("prototest: the plan to destroy %s is not null: %#v", r.typeName, planned)
	}
	resp, err := p.server.ApplyResourceChange(p.t.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: r.typeName, PriorState: r.encode(prior), PlannedState: none, Config: none, PlannedPrivate: plan.PlannedPrivate,
	})
	p.noError("destroying "+r.typeName, err)
	diags = append(diags, convertDiagnostics(resp.Diagnostics, nil)...)
	if left := r.decodeValue("what is left of", resp.NewState); !diags.hasErrors() && !left.IsNull() {
		p.t.Fatalf("prototest: %s is there after it was destroyed: %#v", r.typeName, left)
	}
	return diags
}

// String names the resource in messages of tests.
func (r *Resource) String() string { return fmt.Sprintf("%s.test", r.typeName) }
