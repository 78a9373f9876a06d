package awsstandin_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/terraform"
)

// The files of testdata are one configuration, so that Terraform starts only a
// few times.
func TestLife(t *testing.T) {
	t.Parallel()
	f := terraform.Copy(t, "testdata")
	plan, outputs := f.Life()
	if plan.Warned() {
		t.Error(plan)
	}
	for _, tt := range []struct{ address, attribute, want string }{
		{"aws_autoscaling_group.mac", "health_check_grace_period", "600"},
		{"aws_autoscaling_group.mac", "wait_for_capacity_timeout", "10m"}, // the real provider's default
		{"aws_autoscaling_group.mac", "desired_capacity", "unknown"},
		{"aws_launch_template.mac", "id", "unknown"},
		{"aws_launch_template.mac", "latest_version", "unknown"},
		{"aws_ec2_host.mac[1]", "availability_zone", "eu-west-1a"}, // from a data source
	} {
		if got := planned(plan, tt.address, tt.attribute); got != tt.want {
			t.Errorf("%s.%s is planned as %s, want %s", tt.address, tt.attribute, got, tt.want)
		}
	}
	hosts, _ := outputs["hosts"].([]any)
	if len(hosts) != 2 || hosts[0] == hosts[1] {
		t.Errorf("the hosts are %v, want two of them", hosts)
	}
	if id, _ := outputs["launch_template"].(string); !strings.HasPrefix(id, "lt-") {
		t.Errorf("the launch template is %q", id)
	}
	if diff := cmp.Diff(map[string]any{"Name": "cache", "team": "ios"}, outputs["volume_tags"]); diff != "" {
		t.Errorf("the volume's tags (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]any{
		"Version": "2012-10-17",
		"Statement": []any{map[string]any{
			"Sid": "Ready", "Effect": "Allow", "Action": "autoscaling:CompleteLifecycleAction",
			"Resource": "arn:aws:autoscaling:*:123456789012:autoScalingGroup:*:autoScalingGroupName/mac",
		}},
	}, outputs["policy"]); diff != "" {
		t.Errorf("the policy (-want +got):\n%s", diff)
	}
}

// planned is what an attribute will be, as text; "unknown" before the apply.
func planned(p *terraform.Plan, address, attribute string) string {
	for _, c := range p.Content.ResourceChanges {
		if c.Address != address {
			continue
		}
		after, _ := c.Change.After.(map[string]any)
		later, _ := c.Change.AfterUnknown.(map[string]any)
		if later[attribute] == true {
			return "unknown"
		}
		return fmt.Sprint(after[attribute])
	}
	return "not at all"
}

// Core refuses by the schema, the stand-in what only the provider knows.
func TestRefusals(t *testing.T) {
	t.Parallel()
	const volume = "resource \"aws_ebs_volume\" \"x\" {\n  availability_zone = \"us-east-1a\"\n  size              = 100\n"
	f := terraform.New(t)
	f.Write("main.tf", volume+"}\n")
	f.Init()
	for name, tt := range map[string]struct {
		line, want string
		atPlan     bool
	}{
		"a misspelt argument":      {"  througput = 125", `An argument named "througput" is not expected here. Did you mean "throughput"?`, false},
		"a computed argument":      {`  arn = "x"`, `Can't configure a value for "arn"`, false},
		"a value out of its range": {"  throughput = 2500", "expected throughput to be in the range (125 - 2000), got 2500", false},
		"throughput of gp2":        {"  type = \"gp2\"\n  throughput = 250", "'throughput' must not be set when 'type' is 'gp2'", true},
	} {
		f.Write("main.tf", volume+tt.line+"\n}\n")
		r := f.Run("validate")
		if tt.atPlan {
			r = f.PlanRefused()
		}
		// Without the frame and the line breaks of a diagnostic.
		said := strings.Join(strings.Fields(strings.ReplaceAll(r.Stdout+r.Stderr, "│", "")), " ")
		if !strings.Contains(said, tt.want) {
			t.Errorf("%s: %s", name, r)
		}
	}
}
