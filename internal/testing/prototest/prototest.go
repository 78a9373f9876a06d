// Package prototest drives a provider in process, from configuration written
// as HCL text, the way Terraform's core does: it decodes the text by the
// provider's own schema, proposes new states, and calls the protocol's methods
// in core's order. Every diagnostic can be asserted with its severity, summary,
// detail, attribute path and the line that Terraform would point at, which
// neither terraform-plugin-testing (no warnings, no paths) nor a unit test of a
// resource can do, and no terraform binary is needed.
//
// It also holds the provider to core's own rules, and fails the test where
// Terraform would end in "this is a bug in the provider": a plan must agree
// with the configuration, the final plan with the first one, the result of an
// apply with the plan, and a result must be wholly known. Plan, apply and
// destroy each run on a new instance of the provider, as they do in reality,
// and a state passes through JSON in between.
//
// In configuration, the variable "unknown" stands for a value that is known
// after apply.
//
// Not modelled: what core does about failed applies (tainting), import, moves,
// write-only and sensitive values, ephemeral resources, deferral, identities
// and resource schemas with set blocks that hold computed values.
package prototest

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
)

// TerraformVersion is what the provider is told of the version of Terraform.
const TerraformVersion = "1.11.4"

// Factory starts a provider.
type Factory = func() (tfprotov6.ProviderServer, error)

// Option changes how a provider is started.
type Option func(*Provider)

// Config is the body of the provider's block. Configuring must give no
// diagnostics at all; tests of the diagnostics use Start and Configure.
func Config(body string) Option {
	return func(p *Provider) { p.body = body }
}

// OpenTofu calls functions as OpenTofu 1.12 does: a null argument is sent as
// an empty one, and a function whose dynamic parameter is a literal null is
// not called.
func OpenTofu() Option {
	return func(p *Provider) { p.openTofu = true }
}

// Provider is a running provider.
type Provider struct {
	t        testing.TB
	factory  Factory
	body     string
	openTofu bool

	server       tfprotov6.ProviderServer
	config       *block
	resources    map[string]resourceSchema
	dataSources  map[string]*block
	functionSpec map[string]*tfprotov6.Function
}

// New starts a provider and configures it, with an empty provider block unless
// there is a Config.
func New(tb testing.TB, factory Factory, opts ...Option) *Provider {
	tb.Helper()
	p := Start(tb, factory, opts...)
	for _, d := range p.Configure(p.body) {
		tb.Fatalf("prototest: configuring the provider: %s", d)
	}
	return p
}

// Start starts a provider without configuring it, as `terraform validate` does.
func Start(tb testing.TB, factory Factory, opts ...Option) *Provider {
	tb.Helper()
	p := &Provider{t: tb, factory: factory}
	for _, o := range opts {
		o(p)
	}
	p.start()
	return p
}

// For is the same provider for another test, usually a subtest.
func (p *Provider) For(tb testing.TB) *Provider {
	tb.Helper()
	c := *p
	c.t = tb
	return &c
}

// start makes a new instance of the provider and reads its schemas.
func (p *Provider) start() {
	p.t.Helper()
	server, err := p.factory()
	p.noError("starting the provider", err)
	p.server = server
	resp, err := server.GetProviderSchema(p.t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	p.noError("GetProviderSchema", err)
	for _, d := range convertDiagnostics(resp.Diagnostics, nil) {
		p.t.Fatalf("prototest: GetProviderSchema: %s", d)
	}
	compile := func(what string, s *tfprotov6.Schema) *block {
		b, err := compileSchema(s)
		p.noError("the schema of "+what, err)
		return b
	}
	p.config = compile("the provider", resp.Provider)
	p.resources, p.dataSources, p.functionSpec = map[string]resourceSchema{}, map[string]*block{}, resp.Functions
	for name, s := range resp.ResourceSchemas {
		p.resources[name] = resourceSchema{block: compile(name, s), version: s.Version}
	}
	for name, s := range resp.DataSourceSchemas {
		p.dataSources[name] = compile(name, s)
	}
}

// restart replaces the instance by a new one with the same configuration:
// plan and apply are different processes in reality, so nothing may depend on
// the memory of the first.
func (p *Provider) restart() {
	p.t.Helper()
	p.start()
	if errs := p.Configure(p.body).Errors(); len(errs) > 0 {
		p.t.Fatalf("prototest: the provider was configured before, and now: %s", errs[0])
	}
}

// Configure validates the body of a provider block and configures the
// provider with it.
func (p *Provider) Configure(body string) Diagnostics {
	p.t.Helper()
	p.body = body
	src := p.parse("provider", nil, body)
	v, diags := p.decode(src, p.config)
	if diags.hasErrors() {
		return diags
	}
	ctx := p.t.Context()
	valid, err := p.server.ValidateProviderConfig(ctx, &tfprotov6.ValidateProviderConfigRequest{Config: p.encode(v, p.config.typ())})
	p.noError("ValidateProviderConfig", err)
	diags = append(diags, convertDiagnostics(valid.Diagnostics, src)...)
	if diags.hasErrors() {
		return diags
	}
	resp, err := p.server.ConfigureProvider(ctx, &tfprotov6.ConfigureProviderRequest{
		TerraformVersion: TerraformVersion,
		Config:           p.encode(v, p.config.typ()),
	})
	p.noError("ConfigureProvider", err)
	return append(diags, convertDiagnostics(resp.Diagnostics, src)...)
}

// noError fails the test on an error of the protocol, which Terraform would
// show as a crash or a broken plugin.
func (p *Provider) noError(what string, err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatalf("prototest: %s: %v", what, err)
	}
}

// broken fails the test with what Terraform calls a bug in the provider.
func (p *Provider) broken(what string, errs []error) {
	p.t.Helper()
	for _, err := range errs {
		p.t.Errorf("prototest: %s: %v", what, err)
	}
	if len(errs) > 0 {
		p.t.FailNow()
	}
}

// name is the provider's local name, which heads the types of its resources
// and data sources. The protocol has no other place for it.
func (p *Provider) name() string {
	types := slices.AppendSeq(slices.Collect(maps.Keys(p.resources)), maps.Keys(p.dataSources))
	if len(types) == 0 {
		return "test"
	}
	name, _, _ := strings.Cut(slices.Min(types), "_")
	return name
}

// unknownType fails the test for a name that the provider does not have.
func unknownType[T any](p *Provider, what, name string, have map[string]T) {
	p.t.Helper()
	p.t.Fatalf("prototest: the provider has no %s %q, only %q", what, name, slices.Sorted(maps.Keys(have)))
}

// encode is a value as it travels in the protocol.
func (p *Provider) encode(v cty.Value, t cty.Type) *tfprotov6.DynamicValue {
	p.t.Helper()
	d, err := encode(v, t)
	p.noError("encoding a value", err)
	return d
}

// decodeValue reads a value of the protocol.
func (p *Provider) decodeValue(what string, d *tfprotov6.DynamicValue, t cty.Type) cty.Value {
	p.t.Helper()
	v, err := decodeDynamic(d, t)
	p.noError(what+": a value that does not conform to the schema", err)
	return v
}
