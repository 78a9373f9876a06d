// Command terraform-provider-aws is the stand-in for hashicorp/aws, see package
// awsstandin. tools/mirror.sh builds it where Terraform looks for the real one.
package main

import (
	"fmt"
	"os"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5/tf5server"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/awsstandin"
)

// version is set when the stand-in is built for a mirror.
var version = awsstandin.Version

func main() {
	if err := serve(); err != nil {
		fmt.Fprintf(os.Stderr, "stand-in for hashicorp/aws %s: %s\n", version, err)
		os.Exit(1)
	}
}

func serve() error {
	// Without this the protocol library writes trace lines for every call, which
	// Terraform parses and throws away.
	if err := os.Setenv("TF_LOG_SDK_PROTO", "OFF"); err != nil {
		return err
	}
	server, err := awsstandin.New()
	if err != nil {
		return err
	}
	return tf5server.Serve(awsstandin.Address, func() tfprotov5.ProviderServer { return server })
}
