package provider

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// directServer calls guards, and the data sources that people have many of,
// without what the framework does around each call: walks through the schema for
// defaults, plan modifiers and write-only members, of which they have none. That
// was most of the time of a large plan. Guards and data sources themselves are
// the same, and whatever is not the ordinary case (an error, a destroy, facts
// from AWS, what cannot be decoded) is left to the framework, which starts over.
// Tests hold every answer of this server against the framework's.
type directServer struct {
	tfprotov6.ProviderServer // the framework's

	provider *runnerfitProvider
	// guards and data sources by type name.
	guards func() map[string]*directGuard
	reads  func() map[string]*directRead
}

// guardResource is what the framework calls of a guard, too.
type guardResource interface {
	resource.ResourceWithConfigure
	resource.ResourceWithValidateConfig
	judge(context.Context, resource.ModifyPlanRequest, *resource.ModifyPlanResponse) (kept bool)
}

// directGuard is a type of guard with what is the same in every call.
type directGuard struct {
	construct func() resource.Resource
	schema    guardSchema
	typ       tftypes.Type
}

// guardSchema is a schema whose type was worked out once. The framework does it
// each time that it is asked.
type guardSchema struct {
	schema.Schema
	typ attr.Type
}

// Type is the type of a configuration.
func (s guardSchema) Type() attr.Type { return s.typ }

func newDirectServer(framework tfprotov6.ProviderServer, p *runnerfitProvider) *directServer {
	return &directServer{framework, p, sync.OnceValue(func() map[string]*directGuard {
		out, ctx := map[string]*directGuard{}, context.Background()
		for _, construct := range p.Resources(ctx) {
			r := construct()
			if _, ok := r.(guardResource); !ok {
				continue
			}
			var named resource.MetadataResponse
			r.Metadata(ctx, resource.MetadataRequest{ProviderTypeName: providerTypeName}, &named)
			var s resource.SchemaResponse
			r.Schema(ctx, resource.SchemaRequest{}, &s)
			typ := s.Schema.Type()
			out[named.TypeName] = &directGuard{construct, guardSchema{s.Schema, typ}, typ.TerraformType(ctx)}
		}
		return out
	}), sync.OnceValue(directReads)}
}

// ValidateResourceConfig reports faults of shape.
func (s *directServer) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	if g := s.guards()[req.TypeName]; g != nil {
		if config, ok := decode(g.typ, req.Config); ok && !config.IsNull() && complete(g.schema.Attributes, g.schema.Blocks, config) {
			var resp resource.ValidateConfigResponse
			g.resource().ValidateConfig(ctx, resource.ValidateConfigRequest{Config: tfsdk.Config{Raw: config, Schema: g.schema}}, &resp)
			if !resp.Diagnostics.HasError() {
				return &tfprotov6.ValidateResourceConfigResponse{Diagnostics: warnings(resp.Diagnostics)}, nil
			}
		}
	}
	return s.ProviderServer.ValidateResourceConfig(ctx, req)
}

// UpgradeResourceState is left to the framework. ReadResource keeps the state:
// there is nothing else that could have changed.
func (s *directServer) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	if s.guards()[req.TypeName] != nil && req.CurrentState != nil && len(req.CurrentState.MsgPack) > 0 && len(req.Private) == 0 {
		return &tfprotov6.ReadResourceResponse{NewState: req.CurrentState}, nil
	}
	return s.ProviderServer.ReadResource(ctx, req)
}

// PlanResourceChange judges the configuration. What Terraform proposes does not
// matter: a guard plans its configuration, filled in, or what is stored.
func (s *directServer) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	if g := s.guards()[req.TypeName]; g != nil && len(req.PriorPrivate) == 0 {
		if resp := s.plan(ctx, g, req); resp != nil {
			return resp, nil
		}
	}
	return s.ProviderServer.PlanResourceChange(ctx, req)
}

// plan is nil where the framework has to answer.
func (s *directServer) plan(ctx context.Context, g *directGuard, req *tfprotov6.PlanResourceChangeRequest) *tfprotov6.PlanResourceChangeResponse {
	settings := s.settings()
	config, ok1 := decode(g.typ, req.Config)
	prior, ok2 := decode(g.typ, req.PriorState)
	if settings == nil || !ok1 || !ok2 || config.IsNull() { // A destroy has no configuration.
		return nil
	}
	r := g.resource()
	r.Configure(ctx, resource.ConfigureRequest{ProviderData: settings}, &resource.ConfigureResponse{})
	planned := resource.ModifyPlanResponse{Plan: tfsdk.Plan{Raw: config, Schema: g.schema}}
	kept := r.judge(ctx, resource.ModifyPlanRequest{
		Config: tfsdk.Config{Raw: config, Schema: g.schema},
		Plan:   planned.Plan,
		State:  tfsdk.State{Raw: prior, Schema: g.schema},
	}, &planned)
	if planned.Diagnostics.HasError() {
		return nil
	}
	if kept {
		return &tfprotov6.PlanResourceChangeResponse{PlannedState: req.PriorState, Diagnostics: warnings(planned.Diagnostics)}
	}
	state, err := tfprotov6.NewDynamicValue(g.typ, planned.Plan.Raw)
	if err != nil {
		return nil
	}
	return &tfprotov6.PlanResourceChangeResponse{PlannedState: &state, Diagnostics: warnings(planned.Diagnostics)}
}

// ApplyResourceChange stores what was planned. Where something was unknown in the
// plan, or the object goes, the framework sees to it.
func (s *directServer) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	if g := s.guards()[req.TypeName]; g != nil && len(req.PlannedPrivate) == 0 {
		if planned, ok := decode(g.typ, req.PlannedState); ok && !planned.IsNull() && planned.IsFullyKnown() {
			return &tfprotov6.ApplyResourceChangeResponse{NewState: req.PlannedState}, nil
		}
	}
	return s.ProviderServer.ApplyResourceChange(ctx, req)
}

// settings are nil where the framework has to answer: before there are any, and
// where facts are looked up at AWS, which must end when Terraform calls it off.
func (s *directServer) settings() *settings {
	settings := s.provider.settings.Load()
	if settings == nil || settings.live != nil && settings.live.catalog != nil {
		return nil
	}
	return settings
}

func (g *directGuard) resource() guardResource {
	r, _ := g.construct().(guardResource) // newDirectServer left others out
	return r
}

// decode reads a value. It is not ok where there is none in the encoding that
// Terraform and OpenTofu send, or one of another type.
func decode(typ tftypes.Type, d *tfprotov6.DynamicValue) (tftypes.Value, bool) {
	if d == nil || len(d.MsgPack) == 0 {
		return tftypes.Value{}, false
	}
	v, err := d.Unmarshal(typ)
	return v, err == nil
}

// complete says whether a configuration has what it must have and nothing that
// is only computed. Terraform looks after both itself, but not where null was
// written.
func complete(attributes map[string]schema.Attribute, blocks map[string]schema.Block, v tftypes.Value) bool {
	if !v.IsKnown() || v.IsNull() {
		return true
	}
	var members map[string]tftypes.Value
	if v.As(&members) != nil {
		return false
	}
	for name, a := range attributes {
		null := members[name].IsNull()
		if null && a.IsRequired() || !null && a.IsComputed() && !a.IsOptional() {
			return false
		}
	}
	for name, b := range blocks {
		switch b := b.(type) {
		case schema.SingleNestedBlock:
			if !complete(b.Attributes, b.Blocks, members[name]) {
				return false
			}
		case schema.ListNestedBlock:
			var elements []tftypes.Value
			if members[name].IsKnown() && members[name].As(&elements) != nil {
				return false
			}
			for _, e := range elements {
				if !complete(b.NestedObject.Attributes, b.NestedObject.Blocks, e) {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

// warnings are diagnostics, none of them an error, as Terraform gets them.
func warnings(diags diag.Diagnostics) []*tfprotov6.Diagnostic {
	var out []*tfprotov6.Diagnostic
	for _, d := range diags {
		w := &tfprotov6.Diagnostic{Severity: tfprotov6.DiagnosticSeverityWarning, Summary: d.Summary(), Detail: d.Detail()}
		if at, ok := d.(diag.DiagnosticWithPath); ok {
			w.Attribute = terraformPath(at.Path())
		}
		out = append(out, w)
	}
	return out
}

// terraformPath is a path as Terraform gets it. Guards have no sets, whose
// elements would be a step of their own.
func terraformPath(p path.Path) *tftypes.AttributePath {
	var steps []tftypes.AttributePathStep
	for _, step := range p.Steps() {
		switch step := step.(type) {
		case path.PathStepAttributeName:
			steps = append(steps, tftypes.AttributeName(step))
		case path.PathStepElementKeyInt:
			steps = append(steps, tftypes.ElementKeyInt(step))
		case path.PathStepElementKeyString:
			steps = append(steps, tftypes.ElementKeyString(step))
		}
	}
	return tftypes.NewAttributePathWithSteps(steps)
}
