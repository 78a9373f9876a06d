// Package awsstandin is a stand-in for the provider hashicorp/aws, for tests.
//
// It serves the schema of the real provider for the types that runners are
// built from, refuses what the real one refuses without asking AWS, plans what
// is not known yet as unknown and makes up plausible results at apply. It opens
// no connection and needs no credentials, so that configurations can be
// validated, planned, applied and destroyed by everybody's Terraform. README.md
// says what the facts in data come from and what is missing.
package awsstandin

import (
	"os"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
)

const (
	// Address is the address of the provider that this one stands in for.
	Address = "registry.terraform.io/hashicorp/aws"
	// Version is the version of the real provider that the schema is of.
	Version = "6.25.0"
)

// server is the protocol server. The calls are in calls_*.go.
type server struct {
	*schemas
	// region and defaultTags are of the provider's configuration.
	region      string
	defaultTags map[string]string

	mu sync.Mutex
	// created counts equal objects, so that their ids differ.
	created map[string]int
}

var _ tfprotov5.ProviderServer = (*server)(nil)

// New returns the stand-in's protocol server.
func New() (tfprotov5.ProviderServer, error) { return newServer() }

func newServer() (*server, error) {
	s, err := loadSchemas()
	if err != nil {
		return nil, err
	}
	return &server{schemas: s, region: regionOf(os.Getenv), created: map[string]int{}}, nil
}

// regionOf is the region for a provider block without one.
func regionOf(getenv func(string) string) string {
	for _, name := range []string{"AWS_REGION", "AWS_DEFAULT_REGION"} {
		if region := getenv(name); region != "" {
			return region
		}
	}
	return "us-east-1"
}
