package prototest

import (
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
)

// DataSource is a data source of a provider.
type DataSource struct {
	p        *Provider
	typeName string
	schema   *block
}

// DataSource looks a data source up by its type, "runnerfit_instances".
func (p *Provider) DataSource(typeName string) *DataSource {
	p.t.Helper()
	schema, ok := p.dataSources[typeName]
	if !ok {
		unknownType(p, "data source", typeName, p.dataSources)
	}
	return &DataSource{p: p, typeName: typeName, schema: schema}
}

// ReadResult is what reading a data source gave.
type ReadResult struct {
	Diagnostics
	// State is the value; null if there were errors.
	State cty.Value
	// Deferred says that the configuration is not known yet, so that Terraform
	// waits with reading until the apply. The provider was asked to validate only.
	Deferred bool

	p *Provider
}

// Attr is Attr of the state.
func (r *ReadResult) Attr(path string) any {
	r.p.t.Helper()
	return Attr(r.p.t, r.State, path)
}

// Read validates the body of a data block and reads the data source.
func (d *DataSource) Read(body string) *ReadResult {
	p := d.p
	p.t.Helper()
	src := p.parse("data", []string{d.typeName, "test"}, body)
	r := &ReadResult{p: p, State: cty.NullVal(d.schema.typ())}
	config, diags := p.decode(src, d.schema)
	if r.Diagnostics = diags; diags.hasErrors() {
		return r
	}
	ctx, sent := p.t.Context(), p.encode(config, d.schema.typ())
	valid, err := p.server.ValidateDataResourceConfig(ctx, &tfprotov6.ValidateDataResourceConfigRequest{TypeName: d.typeName, Config: sent})
	p.noError("ValidateDataResourceConfig of "+d.typeName, err)
	r.Diagnostics = append(r.Diagnostics, convertDiagnostics(valid.Diagnostics, src)...)
	if r.hasErrors() {
		return r
	}
	if !config.IsWhollyKnown() {
		r.Deferred = true
		r.State = proposedNew(d.schema, cty.UnknownVal(d.schema.typ()), config)
		return r
	}
	resp, err := p.server.ReadDataSource(ctx, &tfprotov6.ReadDataSourceRequest{TypeName: d.typeName, Config: sent})
	p.noError("ReadDataSource of "+d.typeName, err)
	r.Diagnostics = append(r.Diagnostics, convertDiagnostics(resp.Diagnostics, src)...)
	if r.hasErrors() {
		return r
	}
	r.State = p.decodeValue("reading "+d.typeName, resp.State, d.schema.typ())
	switch {
	case r.State.IsNull():
		p.t.Fatalf("prototest: reading %s gave null", d.typeName)
	case !r.State.IsWhollyKnown():
		p.t.Fatalf("prototest: reading %s gave unknown values: %#v", d.typeName, r.State)
	}
	return r
}
