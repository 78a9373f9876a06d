package provider_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/provider"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/prototest"
)

// both answers as the provider is served, and fails where the framework alone
// would have answered differently. Every test of this package that starts the
// provider with factory starts this one.
type both struct {
	tfprotov6.ProviderServer
	framework tfprotov6.ProviderServer
	types     map[string]tftypes.Type
}

// compared counts the answers that were held against each other.
var compared atomic.Int64

func newBoth(options ...provider.Option) prototest.Factory {
	served, framework := provider.NewServer("test", options...), provider.NewFrameworkServer("test", options...)
	return func() (tfprotov6.ProviderServer, error) {
		s, err := served()
		if err != nil {
			return nil, err
		}
		f, err := framework()
		if err != nil {
			return nil, err
		}
		schemas, err := f.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
		if err != nil {
			return nil, err
		}
		b := &both{s, f, map[string]tftypes.Type{}}
		for name, schema := range schemas.ResourceSchemas {
			b.types[name] = schema.ValueType()
		}
		for name, schema := range schemas.DataSourceSchemas {
			b.types["data "+name] = schema.ValueType()
		}
		return b, nil
	}
}

// same is an answer that both gave, or an error.
func same[Resp any](b *both, call, typeName string, served, framework Resp, err1, err2 error) (Resp, error) {
	compared.Add(1)
	if err1 != nil || err2 != nil {
		return served, fmt.Errorf("%s of %s: served %w, framework %w", call, typeName, err1, err2)
	}
	// The encoding of a map has no order, so values are compared and not bytes.
	values := cmp.Transformer("value", func(d *tfprotov6.DynamicValue) map[string]string {
		if d == nil {
			return nil
		}
		v, err := d.Unmarshal(b.types[typeName])
		return flat(v, err)
	})
	if diff := cmp.Diff(framework, served, values); diff != "" {
		return served, fmt.Errorf("%s of %s is not what the framework answers (-framework +served):\n%s", call, typeName, diff)
	}
	return served, nil
}

// flat is a value as its members by path.
func flat(v tftypes.Value, err error) map[string]string {
	if err != nil {
		return map[string]string{"error": err.Error()}
	}
	out := map[string]string{}
	_ = tftypes.Walk(v, func(p *tftypes.AttributePath, v tftypes.Value) (bool, error) {
		out[p.String()] = "null"
		if !v.IsNull() {
			out[p.String()] = "of members"
		}
		if !v.IsKnown() || v.Type().Is(tftypes.String) || v.Type().Is(tftypes.Number) || v.Type().Is(tftypes.Bool) {
			out[p.String()] = v.String()
		}
		return true, nil
	})
	return out
}

func (b *both) ConfigureProvider(ctx context.Context, req *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	if _, err := b.framework.ConfigureProvider(ctx, req); err != nil {
		return nil, err
	}
	return b.ProviderServer.ConfigureProvider(ctx, req)
}

func (b *both) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	framework, err2 := b.framework.ValidateResourceConfig(ctx, req)
	served, err1 := b.ProviderServer.ValidateResourceConfig(ctx, req)
	return same(b, "ValidateResourceConfig", req.TypeName, served, framework, err1, err2)
}

func (b *both) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	framework, err2 := b.framework.UpgradeResourceState(ctx, req)
	served, err1 := b.ProviderServer.UpgradeResourceState(ctx, req)
	return same(b, "UpgradeResourceState", req.TypeName, served, framework, err1, err2)
}

func (b *both) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	framework, err2 := b.framework.ReadResource(ctx, req)
	served, err1 := b.ProviderServer.ReadResource(ctx, req)
	return same(b, "ReadResource", req.TypeName, served, framework, err1, err2)
}

func (b *both) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	framework, err2 := b.framework.PlanResourceChange(ctx, req)
	served, err1 := b.ProviderServer.PlanResourceChange(ctx, req)
	return same(b, "PlanResourceChange", req.TypeName, served, framework, err1, err2)
}

func (b *both) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	framework, err2 := b.framework.ApplyResourceChange(ctx, req)
	served, err1 := b.ProviderServer.ApplyResourceChange(ctx, req)
	return same(b, "ApplyResourceChange", req.TypeName, served, framework, err1, err2)
}

func (b *both) ValidateDataResourceConfig(ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	framework, err2 := b.framework.ValidateDataResourceConfig(ctx, req)
	served, err1 := b.ProviderServer.ValidateDataResourceConfig(ctx, req)
	return same(b, "ValidateDataResourceConfig", "data "+req.TypeName, served, framework, err1, err2)
}

func (b *both) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	framework, err2 := b.framework.ReadDataSource(ctx, req)
	served, err1 := b.ProviderServer.ReadDataSource(ctx, req)
	return same(b, "ReadDataSource", "data "+req.TypeName, served, framework, err1, err2)
}

// recorder keeps the calls of a test, to make them again.
type recorder struct {
	tfprotov6.ProviderServer
	calls map[string]func(context.Context, tfprotov6.ProviderServer) error
}

func (r *recorder) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	r.calls["validate"] = func(ctx context.Context, s tfprotov6.ProviderServer) error {
		_, err := s.ValidateResourceConfig(ctx, req)
		return err
	}
	return r.ProviderServer.ValidateResourceConfig(ctx, req)
}

func (r *recorder) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	r.calls["upgrade"] = func(ctx context.Context, s tfprotov6.ProviderServer) error {
		_, err := s.UpgradeResourceState(ctx, req)
		return err
	}
	return r.ProviderServer.UpgradeResourceState(ctx, req)
}

func (r *recorder) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	r.calls["read"] = func(ctx context.Context, s tfprotov6.ProviderServer) error {
		_, err := s.ReadResource(ctx, req)
		return err
	}
	return r.ProviderServer.ReadResource(ctx, req)
}

func (r *recorder) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	name := "plan-unchanged"
	if _, ok := r.calls["apply"]; !ok {
		name = "plan"
	}
	r.calls[name] = func(ctx context.Context, s tfprotov6.ProviderServer) error {
		_, err := s.PlanResourceChange(ctx, req)
		return err
	}
	return r.ProviderServer.PlanResourceChange(ctx, req)
}

func (r *recorder) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	r.calls["apply"] = func(ctx context.Context, s tfprotov6.ProviderServer) error {
		_, err := s.ApplyResourceChange(ctx, req)
		return err
	}
	return r.ProviderServer.ApplyResourceChange(ctx, req)
}

func (r *recorder) ValidateDataResourceConfig(ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	r.calls["data-validate"] = func(ctx context.Context, s tfprotov6.ProviderServer) error {
		_, err := s.ValidateDataResourceConfig(ctx, req)
		return err
	}
	return r.ProviderServer.ValidateDataResourceConfig(ctx, req)
}

func (r *recorder) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	r.calls["data-read"] = func(ctx context.Context, s tfprotov6.ProviderServer) error {
		_, err := s.ReadDataSource(ctx, req)
		return err
	}
	return r.ProviderServer.ReadDataSource(ctx, req)
}

func (r *recorder) CallFunction(ctx context.Context, req *tfprotov6.CallFunctionRequest) (*tfprotov6.CallFunctionResponse, error) {
	r.calls["function"] = func(ctx context.Context, s tfprotov6.ProviderServer) error {
		_, err := s.CallFunction(ctx, req)
		return err
	}
	return r.ProviderServer.CallFunction(ctx, req)
}

// BenchmarkProtocol makes the calls that Terraform makes, of the
// provider as it is served and of the framework alone.
func BenchmarkProtocol(b *testing.B) {
	for name, newServer := range map[string]prototest.Factory{"served": provider.NewServer("test"), "framework": provider.NewFrameworkServer("test")} {
		calls := map[string]func(context.Context, tfprotov6.ProviderServer) error{}
		var last tfprotov6.ProviderServer
		p := prototest.New(b, func() (tfprotov6.ProviderServer, error) {
			s, err := newServer()
			last = s
			return &recorder{s, calls}, err
		})
		r := p.Resource("runnerfit_mac_host_storage")
		if applied := r.Plan(recommended).Apply(); len(applied.Errors()) > 0 {
			b.Fatal(applied.Diagnostics)
		}
		r.Plan(recommended)
		if read := p.DataSource("runnerfit_gp3_volume").Read("size_gib = 100\nthroughput_mib_per_s = 500"); len(read.Errors()) > 0 {
			b.Fatal(read.Diagnostics)
		}
		if _, err := p.Call("gp3_min_iops", cty.NumberIntVal(500)); err != nil {
			b.Fatal(err)
		}
		for _, call := range []string{"validate", "plan", "apply", "upgrade", "read", "plan-unchanged", "data-validate", "data-read", "function"} {
			b.Run(name+"/"+call, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := calls[call](b.Context(), last); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
