package awsstandin

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
)

// GetMetadata lists the types.
func (s *server) GetMetadata(context.Context, *tfprotov5.GetMetadataRequest) (*tfprotov5.GetMetadataResponse, error) {
	resp := &tfprotov5.GetMetadataResponse{ServerCapabilities: capabilities()}
	for _, name := range sortedKeys(s.resources) {
		resp.Resources = append(resp.Resources, tfprotov5.ResourceMetadata{TypeName: name})
	}
	for _, name := range sortedKeys(s.dataSources) {
		resp.DataSources = append(resp.DataSources, tfprotov5.DataSourceMetadata{TypeName: name})
	}
	return resp, nil
}

// GetProviderSchema gives the schemas.
func (s *server) GetProviderSchema(context.Context, *tfprotov5.GetProviderSchemaRequest) (*tfprotov5.GetProviderSchemaResponse, error) {
	resp := &tfprotov5.GetProviderSchemaResponse{
		ServerCapabilities: capabilities(),
		Provider:           s.provider.proto(),
		ResourceSchemas:    map[string]*tfprotov5.Schema{},
		DataSourceSchemas:  map[string]*tfprotov5.Schema{},
	}
	for name, o := range s.resources {
		resp.ResourceSchemas[name] = o.proto()
	}
	for name, o := range s.dataSources {
		resp.DataSourceSchemas[name] = o.proto()
	}
	return resp, nil
}

// capabilities say that one process needs the schemas only once.
func capabilities() *tfprotov5.ServerCapabilities {
	return &tfprotov5.ServerCapabilities{GetProviderSchemaOptional: true}
}

// PrepareProviderConfig validates the provider block.
func (s *server) PrepareProviderConfig(_ context.Context, req *tfprotov5.PrepareProviderConfigRequest) (*tfprotov5.PrepareProviderConfigResponse, error) {
	config, err := s.provider.unpack(req.Config)
	if err != nil {
		return nil, err
	}
	return &tfprotov5.PrepareProviderConfigResponse{PreparedConfig: req.Config, Diagnostics: s.provider.validate(config)}, nil
}

// ConfigureProvider takes over what matters of the provider block.
func (s *server) ConfigureProvider(_ context.Context, req *tfprotov5.ConfigureProviderRequest) (*tfprotov5.ConfigureProviderResponse, error) {
	config, err := s.provider.unpack(req.Config)
	if err != nil {
		return nil, err
	}
	obj := fields(config)
	if region := text(obj["region"]); region != "" {
		s.region = region
	}
	for _, e := range elements(obj["default_tags"]) {
		if tags := fields(e)["tags"]; tags.IsFullyKnown() {
			s.defaultTags = textMap(tags)
		}
	}
	return &tfprotov5.ConfigureProviderResponse{}, nil
}

// StopProvider has nothing to stop.
func (s *server) StopProvider(context.Context, *tfprotov5.StopProviderRequest) (*tfprotov5.StopProviderResponse, error) {
	return &tfprotov5.StopProviderResponse{}, nil
}
