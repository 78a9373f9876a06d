package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// NewFrameworkServer is NewServer without what goes around the framework for
// speed.
func NewFrameworkServer(version string, options ...Option) func() (tfprotov6.ProviderServer, error) {
	return func() (tfprotov6.ProviderServer, error) {
		framework, err := providerserver.NewProtocol6WithError(newProvider(version, options...))()
		return nullArguments{framework}, err
	}
}
