package modules

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/module"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/terraform"
)

// iosFleet is the fleet that the measurements are of.
func iosFleet() *module.MacFleet {
	m := module.NewMacFleet()
	m.Name, m.InstanceType, m.Images, m.ImageSizeGiB, m.Hosts = "ios", "mac2-m2pro.metal", 2, 75, 4
	return m
}

func TestMacFleet(t *testing.T) {
	t.Parallel()
	plan, outputs := life(t, generate(t, iosFleet()))
	if diff := cmp.Diff(map[string]any{
		"start_up_seconds": map[string]any{"predicted": 289.5, "allowed": 600.0},
		"monthly_cost_usd": map[string]any{"volumes_per_host": 116.0, "host": 1138.8, "additional_hosts": 0.0},
	}, outputs); diff != "" {
		t.Errorf("outputs (-want +got):\n%s", diff)
	}
	for _, tt := range []struct {
		address string
		path    []any
		want    any
	}{
		{"aws_launch_template.host", []any{"block_device_mappings", 0, "ebs", 0, "iops"}, 3000.0},
		{"aws_launch_template.host", []any{"block_device_mappings", 0, "ebs", 0, "throughput"}, 750.0},
		{"aws_launch_template.host", []any{"block_device_mappings", 1, "ebs", 0, "throughput"}, 700.0},
		{"aws_autoscaling_lifecycle_hook.ready", []any{"heartbeat_timeout"}, 600.0},
		{"aws_autoscaling_group.hosts", []any{"health_check_grace_period"}, 600.0},
		{"aws_autoscaling_group.hosts", []any{"initial_lifecycle_hook", 0, "heartbeat_timeout"}, 600.0},
		{"aws_autoscaling_group.hosts", []any{"desired_capacity"}, 4.0},
		{"aws_resourcegroups_group.hosts", []any{"configuration"}, "mac2-m2pro"},
	} {
		got := planned(plan, "module.fleet."+tt.address, tt.path...)
		if want, ok := tt.want.(string); ok && strings.Contains(fmt.Sprint(got), "values:["+want+"]") {
			continue
		}
		if got != tt.want {
			t.Errorf("%s %v is planned as %v, want %v", tt.address, tt.path, got, tt.want)
		}
	}
}

// planned is what an attribute will be.
func planned(p *terraform.Plan, address string, path ...any) any {
	for _, c := range p.Content.ResourceChanges {
		if c.Address != address {
			continue
		}
		at := c.Change.After
		for _, step := range path {
			switch key := step.(type) {
			case string:
				m, _ := at.(map[string]any)
				at = m[key]
			case int:
				l, _ := at.([]any)
				if key >= len(l) {
					return nil
				}
				at = l[key]
			}
		}
		return at
	}
	return nil
}

// The module refuses at plan what would not work.
func TestMacFleetRefuses(t *testing.T) {
	t.Parallel()
	f := generate(t, iosFleet())
	f.Init()
	given := []string{
		"-var=ami_id=ami-0123456789abcdef0", `-var=subnet_ids=["subnet-0123456789abcdef0"]`,
		`-var=image_urls=["s3://bucket/a.tar.zst","https://example.com/b.tar.zst"]`,
	}
	for name, tt := range map[string]struct{ variable, want string }{
		"a slow root":      {"root_throughput_mib_per_s=125", "Rule: mac-root-throughput"},
		"three VMs":        {"vms_per_host=3", "Rule: mac-vm-limit"},
		"a short time":     {"allowed_seconds=200", "Rule: mac-grace-period"},
		"a slow launch":    {"launch_seconds=7000", "Rule: mac-grace-period"},
		"a failure loop":   {"observed_boot_to_ready_seconds=700", "Rule: host-failure-loop"},
		"too many hosts":   {"hosts=20", "Rule: host-quota"},
		"images that miss": {"image_count=3", "the prediction would be of another fleet"},
		"a bad name":       {"name=aws-fleet", "not with \"aws\""},
		"a local image":    {`image_urls=["/Users/ci/a.tar.zst","s3://bucket/b.tar.zst"]`, "must begin with s3:// or https://"},
	} {
		if got := said(f.PlanRefused(append(given, "-var="+tt.variable)...)); !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q is missing in %s", name, tt.want, got)
		}
	}
	// The same without a fault, so that it is the fault that was refused; and what
	// people may want, without a warning.
	for _, more := range [][]string{
		nil,
		{"-var=auto_release_hosts=false", `-var=ignore_rules={"host-auto-release"="hard to get"}`},
		{"-var=enable_session_manager=true", `-var=security_group_ids=["sg-0123456789abcdef0"]`, "-var=kms_key_arn=arn:aws:kms:us-east-1:123456789012:key/x"},
		{`-var=watched_hosts={"i-0123456789abcdef0"={root_volume_id="vol-0aaaaaaaaaaaaaaa1",vmdata_volume_id="vol-0bbbbbbbbbbbbbbb2"}}`},
		{"-var=calibration={pipeline_mib_per_s=320}", "-var=launch_seconds=600", "-var=failed_launches_per_day=2"},
	} {
		if plan := f.Plan(append(given, more...)...); plan.Warned() {
			t.Errorf("%v: %v", more, plan)
		}
	}
}

// All Mac types, and each flag away from its default once.
func TestMacFleetMatrix(t *testing.T) {
	matrix(t)
	t.Parallel()
	sets := map[string]func(*module.MacFleet){
		"one image":  func(m *module.MacFleet) { m.Images, m.ImageSizeGiB = 1, 60.5 },
		"many":       func(m *module.MacFleet) { m.Images, m.ImageSizeGiB, m.Hosts = 6, 80, 12 },
		"no licence": func(m *module.MacFleet) { m.Licence = false },
		"own sizes":  func(m *module.MacFleet) { m.RootSizeGiB, m.VMDataSizeGiB, m.VMsPerHost, m.HostQuota = 200, 1000, 1, 9 },
	}
	for _, mac := range catalog.Embedded().Macs() {
		sets[mac.Type] = func(m *module.MacFleet) { m.InstanceType = mac.Type }
	}
	for name, change := range sets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := iosFleet()
			change(m)
			plan, _ := life(t, generate(t, m))
			family := strings.TrimSuffix(m.InstanceType, ".metal")
			if got := fmt.Sprint(planned(plan, "module.fleet.aws_resourcegroups_group.hosts", "configuration")); !strings.Contains(got, "values:["+family+"]") {
				t.Errorf("the group's configuration is %s", got)
			}
		})
	}
}
