package awsstandin

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

func newTestServer(t *testing.T) *server {
	t.Helper()
	s, err := newServer()
	if err != nil {
		t.Fatal(err)
	}
	s.region = "us-east-1" // whatever the environment says
	return s
}

// unknownValue in a configuration is a value that is known after the apply.
type unknownValue struct{}

// config is a configuration with the given members and nothing else. Blocks are
// lists of maps.
func (o *objectType) config(members map[string]any) tftypes.Value {
	obj := o.absent()
	for name, v := range members {
		obj[name] = configValue(o.block, name, v)
	}
	return tftypes.NewValue(o.typ, obj)
}

func configValue(b *block, name string, v any) tftypes.Value {
	t := b.typ.AttributeTypes[name]
	n := b.blocks[name]
	if _, ok := v.(unknownValue); ok {
		return unknown(t)
	}
	if n == nil {
		return toValue(t, v)
	}
	var all []tftypes.Value
	for _, members := range v.([]map[string]any) {
		all = append(all, (&objectType{block: n.block}).config(members))
	}
	return tftypes.NewValue(t, all)
}

// planned plans a change and fails the test if it is refused.
func planned(t *testing.T, s *server, typeName string, prior *tfprotov5.DynamicValue, config tftypes.Value) (tftypes.Value, *tfprotov5.PlanResourceChangeResponse) {
	t.Helper()
	o := s.resources[typeName]
	proposed := config
	if prior != nil {
		// As core does: what is computed and not configured stays.
		was, err := o.unpack(prior)
		if err != nil {
			t.Fatal(err)
		}
		obj, old := fields(config), fields(was)
		for name, a := range o.attributes {
			if a.computed && obj[name].IsNull() {
				obj[name] = old[name]
			}
		}
		proposed = tftypes.NewValue(o.typ, obj)
	}
	resp, err := s.PlanResourceChange(t.Context(), &tfprotov5.PlanResourceChangeRequest{
		TypeName: typeName, PriorState: prior, ProposedNewState: packed(t, o, proposed), Config: packed(t, o, config),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range resp.Diagnostics {
		t.Fatal(d.Summary)
	}
	return unpacked(t, o, resp.PlannedState), resp
}

// applied applies a change and returns the new state.
func applied(t *testing.T, s *server, typeName string, prior *tfprotov5.DynamicValue, config tftypes.Value) (object, *tfprotov5.DynamicValue) {
	t.Helper()
	o := s.resources[typeName]
	_, plan := planned(t, s, typeName, prior, config)
	resp, err := s.ApplyResourceChange(t.Context(), &tfprotov5.ApplyResourceChangeRequest{
		TypeName: typeName, PriorState: prior, PlannedState: plan.PlannedState, Config: packed(t, o, config),
	})
	if err != nil {
		t.Fatal(err)
	}
	return fields(unpacked(t, o, resp.NewState)), resp.NewState
}

// answered reads a data source.
func answered(t *testing.T, s *server, typeName string, members map[string]any) object {
	t.Helper()
	o := s.dataSources[typeName]
	resp, err := s.ReadDataSource(t.Context(), &tfprotov5.ReadDataSourceRequest{TypeName: typeName, Config: packed(t, o, o.config(members))})
	if err != nil {
		t.Fatal(err)
	}
	return fields(unpacked(t, o, resp.State))
}

func packed(t *testing.T, o *objectType, v tftypes.Value) *tfprotov5.DynamicValue {
	t.Helper()
	d, err := o.pack(v)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func unpacked(t *testing.T, o *objectType, d *tfprotov5.DynamicValue) tftypes.Value {
	t.Helper()
	v, err := o.unpack(d)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
