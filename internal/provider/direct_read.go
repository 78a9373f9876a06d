package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// directRead is a type of data source with what is the same in every call.
type directRead struct {
	construct func() datasource.DataSource
	schema    readSchema
	typ       tftypes.Type
}

// readSchema is guardSchema for a data source.
type readSchema struct {
	schema.Schema
	typ attr.Type
}

// Type is the type of a configuration.
func (s readSchema) Type() attr.Type { return s.typ }

// readable is what the framework calls of a data source, too.
type readable interface {
	datasource.DataSourceWithConfigure
	datasource.DataSourceWithValidateConfig
}

// directReads are the data sources that a configuration has one of for each
// volume or instance. None of them asks AWS by itself.
func directReads() map[string]*directRead {
	out, ctx := map[string]*directRead{}, context.Background()
	for _, construct := range live(NewGP3VolumeDataSource, NewInstanceEBSDataSource, NewVMDiskDataSource) {
		d := construct()
		var named datasource.MetadataResponse
		d.Metadata(ctx, datasource.MetadataRequest{ProviderTypeName: providerTypeName}, &named)
		var s datasource.SchemaResponse
		d.Schema(ctx, datasource.SchemaRequest{}, &s)
		typ := s.Schema.Type()
		out[named.TypeName] = &directRead{construct, readSchema{s.Schema, typ}, typ.TerraformType(ctx)}
	}
	return out
}

func (d *directRead) dataSource() readable {
	r, _ := d.construct().(readable) // live's are
	return r
}

// ValidateDataResourceConfig reports faults of shape.
func (s *directServer) ValidateDataResourceConfig(ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	if d := s.reads()[req.TypeName]; d != nil {
		if config, ok := decode(d.typ, req.Config); ok && d.plain(config) {
			var resp datasource.ValidateConfigResponse
			d.dataSource().ValidateConfig(ctx, datasource.ValidateConfigRequest{Config: tfsdk.Config{Raw: config, Schema: d.schema}}, &resp)
			if !resp.Diagnostics.HasError() {
				return &tfprotov6.ValidateDataResourceConfigResponse{Diagnostics: warnings(resp.Diagnostics)}, nil
			}
		}
	}
	return s.ProviderServer.ValidateDataResourceConfig(ctx, req)
}

// ReadDataSource works a data source out.
func (s *directServer) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	if d, settings := s.reads()[req.TypeName], s.settings(); d != nil && settings != nil {
		if config, ok := decode(d.typ, req.Config); ok && !config.IsNull() {
			source := d.dataSource()
			source.Configure(ctx, datasource.ConfigureRequest{ProviderData: settings}, &datasource.ConfigureResponse{})
			resp := datasource.ReadResponse{State: tfsdk.State{Raw: tftypes.NewValue(d.typ, nil), Schema: d.schema}}
			source.Read(ctx, datasource.ReadRequest{Config: tfsdk.Config{Raw: config, Schema: d.schema}}, &resp)
			if state, err := tfprotov6.NewDynamicValue(d.typ, resp.State.Raw); err == nil && !resp.Diagnostics.HasError() {
				return &tfprotov6.ReadDataSourceResponse{State: &state, Diagnostics: warnings(resp.Diagnostics)}, nil
			}
		}
	}
	return s.ProviderServer.ReadDataSource(ctx, req)
}

// plain says whether the schema has nothing to say about a configuration: what
// is required is there, what is only computed is not, and nothing that has a
// validator is set.
func (d *directRead) plain(config tftypes.Value) bool {
	var members map[string]tftypes.Value
	if config.IsNull() || config.As(&members) != nil || len(d.schema.Blocks) > 0 {
		return false
	}
	for name, a := range d.schema.Attributes {
		switch null := members[name].IsNull(); {
		case null && a.IsRequired(), !null && (a.IsComputed() || !withoutValidators(a)):
			return false
		}
	}
	return true
}

// withoutValidators says whether an attribute is a text or a number without validators.
func withoutValidators(a schema.Attribute) bool {
	switch a := a.(type) {
	case schema.StringAttribute:
		return len(a.Validators) == 0
	case schema.NumberAttribute:
		return len(a.Validators) == 0
	}
	return false
}
