package awsstandin

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Whatever is planned and applied must be known afterwards and must not change
// in a second plan.
func TestEveryResourceSettles(t *testing.T) {
	s := newTestServer(t)
	for name, o := range s.resources {
		t.Run(name, func(t *testing.T) {
			if o.id == "" {
				t.Error("there is no template for its id")
			}
			// Every argument that core would insist on, with the value of nothing.
			obj := o.absent()
			for attr, a := range o.attributes {
				if a.required {
					obj[attr] = empty(a.typ)
				}
			}
			config := tftypes.NewValue(o.typ, obj)
			plan, _ := s.plan(o, null(o.typ), config)
			state := s.maker(o, "seed", fields(plan), nil, isUnknown).make()
			if !state.IsFullyKnown() {
				t.Error("something is unknown after the apply")
			}
			for attr, v := range fields(state) {
				if s := text(v); strings.ContainsAny(s, "{}") && s != "{}" {
					t.Errorf("%s is %q: a template is not filled in", attr, s)
				}
			}
			if again, replace := s.plan(o, state, state); !again.Equal(state) || len(replace) > 0 {
				diff, _ := state.Diff(again)
				t.Errorf("the second plan is not empty: %v", diff)
			}
		})
	}
}

func TestEveryDataSourceAnswers(t *testing.T) {
	s := newTestServer(t)
	if extra := len(answers) - len(s.dataSources); extra > 0 {
		t.Errorf("%d answers are for data sources that are not there", extra)
	}
	for name, o := range s.dataSources {
		t.Run(name, func(t *testing.T) {
			for attr := range answers[name](s.query(o.config(nil))) {
				if o.attributes[attr] == nil {
					t.Fatalf("there is an answer for %s, which is no attribute", attr)
				}
			}
			for attr, v := range answered(t, s, name, nil) {
				if a := o.attributes[attr]; a != nil && a.computed && (v.IsNull() || !v.IsFullyKnown()) {
					t.Errorf("there is no answer for %s", attr)
				}
			}
		})
	}
}

func TestApply(t *testing.T) {
	s := newTestServer(t)
	config := s.resources[launchTemplate].config(map[string]any{"name_prefix": "mac-", "image_id": "ami-1"})
	first, _ := applied(t, s, launchTemplate, nil, config)
	for attr, want := range map[string]string{"id": "lt-", "arn": "arn:aws:ec2:us-east-1:123456789012:launch-template/lt-", "name": "mac-2025", "region": "us-east-1"} {
		if got := text(first[attr]); !strings.HasPrefix(got, want) {
			t.Errorf("%s is %q, want %s…", attr, got, want)
		}
	}
	if n := number(first["latest_version"]); n != 1 {
		t.Errorf("latest_version is %d, want 1", n)
	}
	if second, _ := applied(t, s, launchTemplate, nil, config); text(second["id"]) == text(first["id"]) {
		t.Error("an equal template got the same id")
	}
	again, _ := applied(t, newTestServer(t), launchTemplate, nil, config)
	if text(again["id"]) != text(first["id"]) {
		t.Error("another run gave another id")
	}
}

// What is left out of a volume is what EC2 gives to its type.
func TestApplyVolume(t *testing.T) {
	s := newTestServer(t)
	for _, tt := range []struct {
		given            map[string]any
		iops, throughput int64
	}{
		{map[string]any{"type": "gp3"}, 3000, 125},
		{map[string]any{"type": "gp3", "throughput": 500}, 3000, 500},
		{map[string]any{"type": "gp2"}, 100, 0},
		{map[string]any{}, 100, 0},
	} {
		tt.given["availability_zone"], tt.given["size"] = "us-east-1a", 10
		got, _ := applied(t, s, ebsVolume, nil, s.resources[ebsVolume].config(tt.given))
		if iops, throughput := number(got["iops"]), number(got["throughput"]); iops != tt.iops || throughput != tt.throughput {
			t.Errorf("%v has %d IOPS and %d MiB/s, want %d and %d", tt.given, iops, throughput, tt.iops, tt.throughput)
		}
	}
}

func TestChange(t *testing.T) {
	s := newTestServer(t)
	o := s.resources[launchTemplate]
	config := func(name, image string, update bool) tftypes.Value {
		return o.config(map[string]any{"name": name, "image_id": image, "update_default_version": update})
	}
	_, prior := applied(t, s, launchTemplate, nil, config("mac", "ami-1", true))

	t.Run("a new version", func(t *testing.T) {
		plan, resp := planned(t, s, launchTemplate, prior, config("mac", "ami-2", true))
		if obj := fields(plan); obj["latest_version"].IsKnown() || obj["default_version"].IsKnown() || len(resp.RequiresReplace) > 0 {
			t.Errorf("planned %v, replaced because of %v", plan, resp.RequiresReplace)
		}
		state, _ := applied(t, s, launchTemplate, prior, config("mac", "ami-2", true))
		if l, d := number(state["latest_version"]), number(state["default_version"]); l != 2 || d != 2 {
			t.Errorf("latest version %d and default version %d, want 2 and 2", l, d)
		}
	})
	t.Run("a new version that is not the default", func(t *testing.T) {
		state, _ := applied(t, s, launchTemplate, prior, config("mac", "ami-2", false))
		if l, d := number(state["latest_version"]), number(state["default_version"]); l != 2 || d != 1 {
			t.Errorf("latest version %d and default version %d, want 2 and 1", l, d)
		}
	})
	t.Run("no new version", func(t *testing.T) {
		plan, _ := planned(t, s, launchTemplate, prior, config("mac", "ami-1", false))
		if !plan.IsFullyKnown() {
			t.Errorf("planned %v", plan)
		}
	})
	t.Run("a replacement", func(t *testing.T) {
		if _, resp := planned(t, s, launchTemplate, prior, config("pro", "ami-1", true)); len(resp.RequiresReplace) != 1 {
			t.Errorf("replaced because of %v, want the name", resp.RequiresReplace)
		}
	})
}

func TestTags(t *testing.T) {
	s := newTestServer(t)
	config := s.provider.config(map[string]any{
		"region": "eu-west-1", "default_tags": []map[string]any{{"tags": map[string]any{"team": "ios", "env": "ci"}}},
	})
	if _, err := s.ConfigureProvider(t.Context(), &tfprotov5.ConfigureProviderRequest{Config: packed(t, s.provider, config)}); err != nil {
		t.Fatal(err)
	}
	vpc := s.resources["aws_vpc"]
	plan, _ := planned(t, s, "aws_vpc", nil, vpc.config(map[string]any{"tags": map[string]any{"env": "test"}}))
	got := textMap(fields(plan)["tags_all"])
	if len(got) != 2 || got["team"] != "ios" || got["env"] != "test" {
		t.Errorf("tags_all is %v", got)
	}
	if region := text(fields(plan)["region"]); region != "eu-west-1" {
		t.Errorf("region is %q", region)
	}
	plan, _ = planned(t, s, "aws_vpc", nil, vpc.config(map[string]any{"tags": unknownValue{}}))
	if fields(plan)["tags_all"].IsKnown() {
		t.Error("tags_all is known although tags are not")
	}
}

func TestImport(t *testing.T) {
	s := newTestServer(t)
	resp, err := s.ImportResourceState(t.Context(), &tfprotov5.ImportResourceStateRequest{TypeName: "aws_s3_bucket", ID: "artifacts"})
	if err != nil {
		t.Fatal(err)
	}
	state := fields(unpacked(t, s.resources["aws_s3_bucket"], resp.ImportedResources[0].State))
	for attr, want := range map[string]string{"id": "artifacts", "bucket": "artifacts", "arn": "arn:aws:s3:::artifacts"} {
		if got := text(state[attr]); got != want {
			t.Errorf("%s is %q, want %q", attr, got, want)
		}
	}
}

func TestRegionOf(t *testing.T) {
	for _, tt := range []struct {
		env  map[string]string
		want string
	}{
		{nil, "us-east-1"},
		{map[string]string{"AWS_DEFAULT_REGION": "eu-west-1"}, "eu-west-1"},
		{map[string]string{"AWS_DEFAULT_REGION": "eu-west-1", "AWS_REGION": "eu-west-2"}, "eu-west-2"},
	} {
		if got := regionOf(func(name string) string { return tt.env[name] }); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.env, got, tt.want)
		}
	}
}

func TestAnswers(t *testing.T) {
	s := newTestServer(t)
	filter := func(name string, values ...string) []map[string]any {
		return []map[string]any{{"name": name, "values": values}}
	}
	if got := text(answered(t, s, "aws_ami", map[string]any{"filter": filter("architecture", "arm64_mac")})["architecture"]); got != "arm64_mac" {
		t.Errorf("the image is for %q", got)
	}
	if got := text(answered(t, s, "aws_ssm_parameter", map[string]any{"name": "/aws/service/ec2-macos/sonoma/arm64_mac/latest/image_id"})["value"]); got != imageID {
		t.Errorf("the parameter of an image is %q", got)
	}
	if got := number(answered(t, s, "aws_ec2_instance_type", map[string]any{"instance_type": "mac2-m2pro.metal"})["default_vcpus"]); got != 12 {
		t.Errorf("mac2-m2pro.metal has %d vCPUs", got)
	}
	key := "arn:aws:kms:us-east-1:123456789012:key/11111111-2222-4333-8444-555555555555"
	if got := text(answered(t, s, "aws_kms_key", map[string]any{"key_id": key})["arn"]); got != key {
		t.Errorf("the key's ARN is %q", got)
	}
	offerings := answered(t, s, "aws_ec2_instance_type_offerings", map[string]any{
		"filter": filter("instance-type", "mac2.metal"), "location_type": "availability-zone",
	})
	if got := texts(offerings["locations"]); !slices.Equal(got, []string{"us-east-1a", "us-east-1b", "us-east-1c"}) {
		t.Errorf("mac2.metal is offered in %v", got)
	}
}
