package provider_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/awslive"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/provider"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/fakeaws"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/tfrun"
)

// The examples of live data sources, each applied by a real Terraform against an
// account of which they tell.
func TestLiveExamples(t *testing.T) {
	s := fakeaws.New(t)
	ago := func(hours int) time.Time { return today.Add(-time.Duration(hours) * time.Hour) }
	ci := map[string]string{"team": "ci"}
	s.Hosts = []awslive.Host{
		{ID: "h-0123456789abcdef0", Type: "mac2-m2pro.metal", State: "available", Allocated: ago(110), InstanceIDs: []string{"i-0123456789abcdef0"}, Tags: ci},
		{ID: "h-0123456789abcdef1", Type: "mac2-m2pro.metal", State: "available", Allocated: ago(50), Tags: ci},
		{ID: "h-0123456789abcdef2", Type: "mac2-m2pro.metal", State: "available", Allocated: ago(2), Tags: ci},
		{ID: "h-0123456789abcdef3", Type: "mac2-m2pro.metal", State: "available", Allocated: ago(500)},
	}
	s.Instances = []awslive.Instance{{ID: "i-0123456789abcdef0", Type: "mac2-m2pro.metal", State: "running", HostID: "h-0123456789abcdef0"}}
	s.Volumes = []awslive.Volume{
		{ID: "vol-0123456789abcdef0", Type: "gp3", SizeGiB: 750, IOPS: 16000, ThroughputMiBPerS: 700, InstanceID: "i-0123456789abcdef0", Created: ago(24 * 100)},
		{ID: "vol-0123456789abcdef1", Type: "gp3", SizeGiB: 100, IOPS: 3000, ThroughputMiBPerS: 750, InstanceID: "i-0123456789abcdef0", Created: ago(24 * 100), Tags: ci},
		{ID: "vol-0123456789abcdef2", Type: "gp2", SizeGiB: 100, IOPS: 300, Created: ago(24 * 100), Tags: ci},
	}
	s.Metric = func(_, name string, at time.Time) (float64, bool) {
		switch busy := at.Hour() == 9 && at.Minute() < 30; {
		case !busy:
			return 0, false
		case strings.HasSuffix(name, "Ops"):
			return 1250 * 60, true
		}
		return 300 * 60 * (1 << 20), true
	}
	tool := tfrun.New(t, factory(provider.WithAWS(func(c *awslive.Config) {
		*c = s.Config()
		c.Clock = fixed(today)
	})))
	for _, name := range []string{"volume_usage", "volumes", "mac_hosts"} {
		t.Run(name, func(t *testing.T) {
			e := readExample(t, filepath.Join("..", "..", "examples", "data-sources", "runnerfit_"+name))
			if !e.needsAWS {
				t.Error("the example does not say that it needs AWS")
			}
			e.run(t, tool)
		})
	}
}
