package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// Address is the provider's address in the public registries.
const Address = "registry.terraform.io/runnerfit/runnerfit"

// NewServer returns a constructor of the provider's protocol server, as it is
// served to Terraform and OpenTofu.
func NewServer(version string, options ...Option) func() (tfprotov6.ProviderServer, error) {
	return func() (tfprotov6.ProviderServer, error) {
		p := newProvider(version, options...)
		framework, err := providerserver.NewProtocol6WithError(p)()
		if err != nil {
			return nil, err
		}
		return nullArguments{newDirectServer(framework, p)}, nil
	}
}

// nullArguments makes functions see null where OpenTofu sends an argument
// without any data for it, which the framework refuses to decode. Terraform
// sends the encoding of nil that is put in here.
type nullArguments struct{ tfprotov6.ProviderServer }

var msgpackNil = []byte{0xc0}

// CallFunction calls a function of the provider.
func (s nullArguments) CallFunction(ctx context.Context, req *tfprotov6.CallFunctionRequest) (*tfprotov6.CallFunctionResponse, error) {
	for i, a := range req.Arguments {
		if a == nil || (len(a.MsgPack) == 0 && len(a.JSON) == 0) {
			req.Arguments[i] = &tfprotov6.DynamicValue{MsgPack: msgpackNil}
		}
	}
	return s.ProviderServer.CallFunction(ctx, req)
}
