//go:build moto

package provider_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/prototest"
)

// The provider against moto's server, which `make test-aws` starts: the whole
// way from a provider block to the wire. moto has no price list, so prices are
// the warning that stands for them.
func TestMotoCatalog(t *testing.T) {
	url := os.Getenv("RUNNERFIT_TEST_AWS")
	if url == "" {
		t.Fatal("RUNNERFIT_TEST_AWS is not set; `make test-aws` starts the server and sets it")
	}
	p := prototest.New(t, factory(), prototest.Config(fmt.Sprintf(`
catalog = "aws"
aws {
  region          = "us-east-1"
  access_key      = "testing"
  secret_key      = "testing"
  max_retries     = 2
  timeout_seconds = 60
  endpoints {
    ec2        = %[1]q
    cloudwatch = %[1]q
    pricing    = %[1]q
    sts        = %[1]q
  }
}`, url)))
	r := p.DataSource("runnerfit_instance_ebs").Read(`instance_type = "mac2-m2pro.metal"`)
	if len(r.Diagnostics) > 0 {
		t.Fatal(r.Diagnostics)
	}
	expect(t, r.Attr, map[string]any{"throughput_mib_per_s": 953.67431640625, "iops": 55000.0, "source": "EC2 DescribeInstanceTypes in us-east-1"})
	prices := p.DataSource("runnerfit_gp3_volume").Read("size_gib = 100")
	if d := one(t, prices.Diagnostics); d.Severity != prototest.SeverityWarning || prices.Attr("monthly_cost_usd") != 8.0 {
		t.Error(d)
	}
	hosts := p.DataSource("runnerfit_mac_hosts").Read("")
	expect(t, hosts.Attr, map[string]any{"host_count": 0.0, "hosts": []any{}, "cost_to_date_usd": 0.0})
	volumes := p.DataSource("runnerfit_volumes").Read("")
	expect(t, volumes.Attr, map[string]any{"volumes": []any{}, "monthly_cost_usd": 0.0})
}
