package attached_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/attached"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
)

func rules(fs []finding.Finding) []string {
	out := []string{}
	for _, f := range fs {
		out = append(out, f.Severity.String()+" "+f.Rule)
	}
	return out
}

func TestEvaluate(t *testing.T) {
	volumes := []attached.Volume{
		{ID: "vol-root", Type: "gp3", SizeGiB: 100, IOPS: 3000, ThroughputMiBPerS: 750, InstanceID: "i-mac", InstanceType: "mac2-m2pro.metal"},
		{ID: "vol-data", Type: "gp3", SizeGiB: 750, IOPS: 16000, ThroughputMiBPerS: 1000, InstanceID: "i-mac", InstanceType: "mac2-m2pro.metal"},
		{ID: "vol-free", Type: "gp3", SizeGiB: 10, IOPS: 3000, ThroughputMiBPerS: 125},
		{ID: "vol-gp2", Type: "gp2", SizeGiB: 100, IOPS: 300},
		{ID: "vol-disk", Type: "st1", SizeGiB: 500},
		{ID: "vol-a", Type: "gp3", SizeGiB: 100, IOPS: 3000, ThroughputMiBPerS: 600, InstanceID: "i-linux", InstanceType: "m8a.xlarge"},
		{ID: "vol-b", Type: "gp3", SizeGiB: 100, IOPS: 3000, ThroughputMiBPerS: 700, InstanceID: "i-linux", InstanceType: "m8a.xlarge"},
		{ID: "vol-new", Type: "gp3", SizeGiB: 100, IOPS: 3000, ThroughputMiBPerS: 700, InstanceID: "i-new", InstanceType: "mac9.metal"},
		{ID: "vol-gone", Type: "gp3", SizeGiB: 100, IOPS: 3000, ThroughputMiBPerS: 700, InstanceID: "i-gone"},
	}
	vs, is := attached.Evaluate(catalog.Embedded(), "us-east-1", volumes)
	got := map[string][]string{}
	for _, v := range vs {
		got[v.ID] = rules(v.Findings)
	}
	for _, i := range is {
		got[i.ID] = rules(i.Findings)
	}
	want := map[string][]string{
		"vol-root": {},
		"vol-data": {"warning instance-throughput", "info gp3-iops-unneeded"},
		"vol-free": {},
		"vol-gp2":  {"warning volume-type-legacy"},
		"vol-disk": {},
		"vol-a":    {"info instance-throughput"},
		"vol-b":    {"info instance-throughput"},
		"vol-new":  {},
		"vol-gone": {},
		"i-gone":   {},
		"i-linux":  {"warning instance-shared-budget"},
		"i-mac":    {"info instance-shared-budget"},
		"i-new":    {"warning instance-unknown"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if usd, _ := vs[1].MonthlyCostUSD.Get(); usd.String() != "160" {
		t.Errorf("vol-data costs %s", usd)
	}
}
