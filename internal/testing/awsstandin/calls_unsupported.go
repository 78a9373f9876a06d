package awsstandin

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
)

// The real provider has functions, ephemeral resources, resource identities and
// more; the stand-in does not, and says so to whoever asks.

func unsupported(format string, args ...any) error {
	return fmt.Errorf("the stand-in has no "+format, args...)
}

// GetFunctions lists no functions.
func (s *server) GetFunctions(context.Context, *tfprotov5.GetFunctionsRequest) (*tfprotov5.GetFunctionsResponse, error) {
	return &tfprotov5.GetFunctionsResponse{Functions: map[string]*tfprotov5.Function{}}, nil
}

// CallFunction is refused.
func (s *server) CallFunction(_ context.Context, req *tfprotov5.CallFunctionRequest) (*tfprotov5.CallFunctionResponse, error) {
	return nil, unsupported("function %s", req.Name)
}

// GetResourceIdentitySchemas lists no identities.
func (s *server) GetResourceIdentitySchemas(context.Context, *tfprotov5.GetResourceIdentitySchemasRequest) (*tfprotov5.GetResourceIdentitySchemasResponse, error) {
	return &tfprotov5.GetResourceIdentitySchemasResponse{IdentitySchemas: map[string]*tfprotov5.ResourceIdentitySchema{}}, nil
}

// UpgradeResourceIdentity is refused.
func (s *server) UpgradeResourceIdentity(_ context.Context, req *tfprotov5.UpgradeResourceIdentityRequest) (*tfprotov5.UpgradeResourceIdentityResponse, error) {
	return nil, unsupported("resource identity of %s", req.TypeName)
}

// MoveResourceState is refused.
func (s *server) MoveResourceState(_ context.Context, req *tfprotov5.MoveResourceStateRequest) (*tfprotov5.MoveResourceStateResponse, error) {
	return nil, unsupported("move from %s to %s", req.SourceTypeName, req.TargetTypeName)
}

// GenerateResourceConfig is refused.
func (s *server) GenerateResourceConfig(_ context.Context, req *tfprotov5.GenerateResourceConfigRequest) (*tfprotov5.GenerateResourceConfigResponse, error) {
	return nil, unsupported("generated configuration for %s", req.TypeName)
}

// ValidateEphemeralResourceConfig is refused.
func (s *server) ValidateEphemeralResourceConfig(_ context.Context, req *tfprotov5.ValidateEphemeralResourceConfigRequest) (*tfprotov5.ValidateEphemeralResourceConfigResponse, error) {
	return nil, unsupported("ephemeral resource %s", req.TypeName)
}

// OpenEphemeralResource is refused.
func (s *server) OpenEphemeralResource(_ context.Context, req *tfprotov5.OpenEphemeralResourceRequest) (*tfprotov5.OpenEphemeralResourceResponse, error) {
	return nil, unsupported("ephemeral resource %s", req.TypeName)
}

// RenewEphemeralResource is refused.
func (s *server) RenewEphemeralResource(_ context.Context, req *tfprotov5.RenewEphemeralResourceRequest) (*tfprotov5.RenewEphemeralResourceResponse, error) {
	return nil, unsupported("ephemeral resource %s", req.TypeName)
}

// CloseEphemeralResource is refused.
func (s *server) CloseEphemeralResource(_ context.Context, req *tfprotov5.CloseEphemeralResourceRequest) (*tfprotov5.CloseEphemeralResourceResponse, error) {
	return nil, unsupported("ephemeral resource %s", req.TypeName)
}
