package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/awslive"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
)

// awsFlags are how a command reaches AWS. Everything else comes from the
// environment and the shared files, as for the AWS command line.
type awsFlags struct {
	region, profile string
	endpoints       awslive.Endpoints
	timeout         time.Duration
}

// timeout is that of the whole command.
func (f *awsFlags) add(c *cobra.Command, timeout time.Duration) {
	c.Flags().StringVar(&f.region, "region", "", "AWS Region to ask; default: that of the environment or the profile, else "+catalog.DefaultRegion)
	c.Flags().StringVar(&f.profile, "profile", "", "profile of the shared AWS files")
	c.Flags().DurationVar(&f.timeout, "timeout", timeout, "how long AWS may take for all answers to the command, with all pages and retries")
	c.Flags().StringVar(&f.endpoints.EC2, "endpoint-ec2", "", "URL in place of EC2's own")
	c.Flags().StringVar(&f.endpoints.CloudWatch, "endpoint-cloudwatch", "", "URL in place of CloudWatch's own")
	c.Flags().StringVar(&f.endpoints.Pricing, "endpoint-pricing", "", "URL in place of the price list's own")
	for _, name := range []string{"endpoint-ec2", "endpoint-cloudwatch", "endpoint-pricing"} {
		_ = c.Flags().MarkHidden(name) // fails only for a flag that is not there
	}
}

// session is the way to AWS, and the context in which all its questions together
// have the timeout. It asks nobody anything.
func (f *awsFlags) session(c *cobra.Command, version string) (ctx context.Context, cancel context.CancelFunc, s *awslive.Session, err error) {
	switch {
	case f.region != "" && !catalog.IsRegionName(f.region):
		return nil, nil, nil, fmt.Errorf("--region: not the name of an AWS Region such as %s", catalog.DefaultRegion)
	case f.timeout <= 0:
		return nil, nil, nil, errors.New("--timeout: must be more than 0")
	}
	s = awslive.New(awslive.Config{Profile: f.profile, Region: f.region, Endpoints: f.endpoints, Timeout: f.timeout, Version: version})
	ctx, cancel = s.Within(c.Context())
	return ctx, cancel, s, nil
}
