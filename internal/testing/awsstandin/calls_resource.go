package awsstandin

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

func (s *server) resource(name string) (*objectType, error) {
	if o := s.resources[name]; o != nil {
		return o, nil
	}
	return nil, fmt.Errorf("the stand-in has no resource %s", name)
}

// ValidateResourceTypeConfig validates a resource block.
func (s *server) ValidateResourceTypeConfig(_ context.Context, req *tfprotov5.ValidateResourceTypeConfigRequest) (*tfprotov5.ValidateResourceTypeConfigResponse, error) {
	o, err := s.resource(req.TypeName)
	if err != nil {
		return nil, err
	}
	config, err := o.unpack(req.Config)
	if err != nil {
		return nil, err
	}
	return &tfprotov5.ValidateResourceTypeConfigResponse{Diagnostics: o.validate(config)}, nil
}

// UpgradeResourceState reads a state that is as it is now, but for attributes
// that are not there any more.
func (s *server) UpgradeResourceState(_ context.Context, req *tfprotov5.UpgradeResourceStateRequest) (*tfprotov5.UpgradeResourceStateResponse, error) {
	o, err := s.resource(req.TypeName)
	if err != nil {
		return nil, err
	}
	ignore := tfprotov5.UnmarshalOpts{ValueFromJSONOpts: tftypes.ValueFromJSONOpts{IgnoreUndefinedAttributes: true}}
	state, err := req.RawState.UnmarshalWithOpts(o.typ, ignore)
	if err != nil {
		return nil, err
	}
	packed, err := o.pack(state)
	return &tfprotov5.UpgradeResourceStateResponse{UpgradedState: packed}, err
}

// ReadResource finds everything as it was left.
func (s *server) ReadResource(_ context.Context, req *tfprotov5.ReadResourceRequest) (*tfprotov5.ReadResourceResponse, error) {
	return &tfprotov5.ReadResourceResponse{NewState: req.CurrentState, Private: req.Private}, nil
}

// PlanResourceChange plans. Like the real provider's library, it asks core to be
// lenient about the difference between null and empty.
func (s *server) PlanResourceChange(_ context.Context, req *tfprotov5.PlanResourceChangeRequest) (*tfprotov5.PlanResourceChangeResponse, error) {
	o, err := s.resource(req.TypeName)
	if err != nil {
		return nil, err
	}
	prior, err := o.unpack(req.PriorState)
	if err != nil {
		return nil, err
	}
	proposed, err := o.unpack(req.ProposedNewState)
	if err != nil {
		return nil, err
	}
	config, err := o.unpack(req.Config)
	if err != nil {
		return nil, err
	}
	resp := &tfprotov5.PlanResourceChangeResponse{PlannedState: req.ProposedNewState, PlannedPrivate: req.PriorPrivate}
	resp.UnsafeToUseLegacyTypeSystem = true //nolint:staticcheck // The real provider's library sets it.
	if proposed.IsNull() {                  // It is to be destroyed.
		return resp, nil
	}
	if resp.Diagnostics = o.checkPlan(prior.IsNull(), config); len(resp.Diagnostics) > 0 {
		return resp, nil
	}
	planned, replace := s.plan(o, prior, proposed)
	resp.RequiresReplace = replace
	resp.PlannedState, err = o.pack(planned)
	return resp, err
}

// ApplyResourceChange makes up what the plan left unknown.
func (s *server) ApplyResourceChange(_ context.Context, req *tfprotov5.ApplyResourceChangeRequest) (*tfprotov5.ApplyResourceChangeResponse, error) {
	o, err := s.resource(req.TypeName)
	if err != nil {
		return nil, err
	}
	planned, err := o.unpack(req.PlannedState)
	if err != nil {
		return nil, err
	}
	prior, err := o.unpack(req.PriorState)
	if err != nil {
		return nil, err
	}
	resp := &tfprotov5.ApplyResourceChangeResponse{NewState: req.PlannedState, Private: req.PlannedPrivate}
	resp.UnsafeToUseLegacyTypeSystem = true //nolint:staticcheck // The real provider's library sets it.
	if planned.IsNull() {
		return resp, nil
	}
	seed := fingerprint(req.PlannedState)
	if prior.IsNull() {
		seed = s.distinguish(o.name, seed)
	}
	resp.NewState, err = o.pack(s.maker(o, seed, fields(planned), fields(prior), isUnknown).make())
	return resp, err
}

// distinguish gives equal objects that are created in one run different seeds.
func (s *server) distinguish(typeName, seed string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := typeName + " " + seed
	n := s.created[key]
	s.created[key]++
	if n == 0 {
		return seed
	}
	return fmt.Sprintf("%s#%d", seed, n)
}

func fingerprint(v *tfprotov5.DynamicValue) string {
	if v == nil {
		return ""
	}
	return digest(string(v.MsgPack) + string(v.JSON))
}

// ImportResourceState knows the id only, and what the id is made of if that is
// a single attribute.
func (s *server) ImportResourceState(_ context.Context, req *tfprotov5.ImportResourceStateRequest) (*tfprotov5.ImportResourceStateResponse, error) {
	o, err := s.resource(req.TypeName)
	if err != nil {
		return nil, err
	}
	obj := o.absent()
	if _, ok := obj["id"]; ok {
		obj["id"] = str(req.ID)
	}
	if a := o.attributes[strings.Trim(o.id, "{}")]; a != nil && a.typ.Is(tftypes.String) {
		obj[strings.Trim(o.id, "{}")] = str(req.ID)
	}
	packed, err := o.pack(s.maker(o, "import "+req.ID, obj, nil, isComputedNull).make())
	if err != nil {
		return nil, err
	}
	return &tfprotov5.ImportResourceStateResponse{ImportedResources: []*tfprotov5.ImportedResource{{TypeName: o.name, State: packed}}}, nil
}
