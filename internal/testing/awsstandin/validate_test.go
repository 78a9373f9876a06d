package awsstandin

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
)

// volume is a launch template's volume.
func volume(ebs map[string]any) map[string]any {
	return map[string]any{"block_device_mappings": []map[string]any{{
		"device_name": "/dev/sda1", "ebs": []map[string]any{ebs},
	}}}
}

func TestValidate(t *testing.T) {
	group := func(more map[string]any) map[string]any {
		out := map[string]any{"min_size": 0, "max_size": 4}
		maps.Copy(out, more)
		return out
	}
	template := []map[string]any{{"id": "lt-1"}}
	s := newTestServer(t)
	for _, tt := range []struct {
		name, typeName string
		config         map[string]any
		want           string // nothing is wrong if it is empty
	}{
		{"lowest throughput", launchTemplate, volume(map[string]any{"throughput": 125}), ""},
		{"throughput too low", launchTemplate, volume(map[string]any{"throughput": 124}), "expected block_device_mappings.0.ebs.0.throughput to be in the range (125 - 2000), got 124"},
		{"highest throughput", launchTemplate, volume(map[string]any{"throughput": 2000}), ""},
		{"throughput too high", ebsVolume, map[string]any{"availability_zone": "a", "size": 8, "throughput": 2001}, "expected throughput to be in the range (125 - 2000), got 2001"},
		{"throughput not known", launchTemplate, volume(map[string]any{"throughput": unknownValue{}}), ""},
		{"unknown type of volume", launchTemplate, volume(map[string]any{"volume_type": "gp4"}), "expected block_device_mappings.0.ebs.0.volume_type to be one of"},
		{"type of volume not known", launchTemplate, volume(map[string]any{"volume_type": unknownValue{}}), ""},
		{"only computed", launchTemplate, map[string]any{"arn": "arn:aws:x"}, "Value for unconfigurable attribute"},
		{"required null", ebsVolume, map[string]any{"size": 8}, "Missing required argument"},
		{"name and prefix", launchTemplate, map[string]any{"name": "a", "name_prefix": "b"}, "Conflicting configuration arguments"},
		{"name and unknown prefix", launchTemplate, map[string]any{"name": "a", "name_prefix": unknownValue{}}, ""},
		{"conflict of a list", "aws_autoscaling_group", group(map[string]any{"launch_template": template, "availability_zones": []string{"a"}, "vpc_zone_identifier": []string{"b"}}), "Conflicting configuration arguments"},
		{"no conflict with an empty list", "aws_autoscaling_group", group(map[string]any{"launch_template": template, "availability_zones": []string{}, "vpc_zone_identifier": []string{"b"}}), ""},
		{"none of exactly one", "aws_autoscaling_group", group(nil), "Invalid combination of arguments"},
		{"one of exactly one", "aws_autoscaling_group", group(map[string]any{"launch_template": template}), ""},
		{"perhaps one of exactly one", "aws_autoscaling_group", group(map[string]any{"launch_configuration": unknownValue{}}), ""},
		{"two of exactly one", "aws_ec2_host", map[string]any{"availability_zone": "a", "instance_type": "mac2.metal", "instance_family": "mac2"}, "Invalid combination of arguments"},
		{"none of at least one", ebsVolume, map[string]any{"availability_zone": "a"}, "Missing required argument"},
		{"deprecated", "aws_instance", map[string]any{"ami": "ami-1", "instance_type": "x", "security_groups": []string{"a"}}, "warning: Argument is deprecated"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := s.resources[tt.typeName]
			resp, err := s.ValidateResourceTypeConfig(t.Context(), &tfprotov5.ValidateResourceTypeConfigRequest{TypeName: tt.typeName, Config: packed(t, o, o.config(tt.config))})
			if err != nil {
				t.Fatal(err)
			}
			var said []string
			for _, d := range resp.Diagnostics {
				summary := d.Summary
				if d.Severity == tfprotov5.DiagnosticSeverityWarning {
					summary = "warning: " + summary
				}
				said = append(said, summary)
			}
			if all := strings.Join(said, "\n"); len(said) > 1 || (tt.want == "") != (all == "") || !strings.Contains(all, tt.want) {
				t.Errorf("got %q, want %q", said, tt.want)
			}
		})
	}
}

func TestOneBlockOfDefaultTags(t *testing.T) {
	s := newTestServer(t)
	for n, want := range map[int]int{1: 0, 2: 1} {
		tags := make([]map[string]any, n)
		config := s.provider.config(map[string]any{"default_tags": tags})
		resp, err := s.PrepareProviderConfig(t.Context(), &tfprotov5.PrepareProviderConfigRequest{Config: packed(t, s.provider, config)})
		if err != nil {
			t.Fatal(err)
		}
		if len(resp.Diagnostics) != want {
			t.Errorf("%d blocks: %d diagnostics, want %d", n, len(resp.Diagnostics), want)
		}
	}
}

// What the real provider refuses only when it plans.
func TestVolumePlans(t *testing.T) {
	s := newTestServer(t)
	o := s.resources[ebsVolume]
	for _, tt := range []struct {
		name   string
		config map[string]any
		want   string
	}{
		{"gp3", map[string]any{"type": "gp3", "iops": 4000, "throughput": 1000}, ""},
		{"gp2 with iops", map[string]any{"type": "gp2", "iops": 4000}, "'iops' must not be set when 'type' is 'gp2'"},
		{"io2 without iops", map[string]any{"type": "io2"}, "'iops' must be set when 'type' is 'io2'"},
		{"io2 whose iops come later", map[string]any{"type": "io2", "iops": unknownValue{}}, ""},
		{"gp2 with throughput", map[string]any{"type": "gp2", "throughput": 250}, "'throughput' must not be set when 'type' is 'gp2'"},
		{"type comes later", map[string]any{"type": unknownValue{}, "throughput": 250}, ""},
		{"initialised without a snapshot", map[string]any{"type": "gp3", "volume_initialization_rate": 200}, "'volume_initialization_rate' must not be set unless 'snapshot_id' is set"},
		{"initialised from a snapshot", map[string]any{"type": "gp3", "volume_initialization_rate": 200, "snapshot_id": "snap-1"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.config["availability_zone"], tt.config["size"] = "us-east-1a", 100
			var want []string
			if tt.want != "" {
				want = []string{tt.want}
			}
			var got []string
			for _, d := range o.checkPlan(true, o.config(tt.config)) {
				got = append(got, d.Summary)
			}
			if !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
