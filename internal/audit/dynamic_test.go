package audit

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/plan"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/terraform"
)

const awsProvider = "provider \"aws\" {\n  region = \"us-east-1\"\n}\n"

// notesOf are the notes of a plan in JSON.
func notesOf(t *testing.T, text []byte) string {
	t.Helper()
	d, err := plan.ReadJSON(strings.NewReader(string(text)), "plan.json")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(d.Notes, "\n")
}

// A plan does not have the expressions in a dynamic block. What is left out of
// one has its default there, too, and what is not known yet has none.
func TestDynamicBlocksAsPlan(t *testing.T) {
	t.Parallel()
	const others = `
resource "aws_launch_template" "whole" {
  instance_type = "m8a.xlarge"
  dynamic "block_device_mappings" {
    for_each = { "/dev/sdf" = 1000 }
    content {
      device_name = block_device_mappings.key
      ebs {
        volume_type = "gp3"
        volume_size = 40
        throughput  = block_device_mappings.value
      }
    }
  }
}

resource "aws_launch_template" "inner" {
  block_device_mappings {
    device_name = "/dev/sdf"
    dynamic "ebs" {
      for_each = [1000]
      content {
        volume_type = "gp3"
        volume_size = 40
        throughput  = ebs.value
      }
    }
  }
}

resource "aws_launch_template" "old" {
  dynamic "block_device_mappings" {
    for_each = ["/dev/sdf"]
    content {
      device_name = block_device_mappings.value
      ebs {
        volume_type = "gp2"
        volume_size = 40
        throughput  = 500
      }
    }
  }
}

resource "aws_instance" "two" {
  ami           = "ami-0123456789abcdef0"
  instance_type = "m8a.xlarge"
  dynamic "ebs_block_device" {
    for_each = { "/dev/sdf" = 1000, "/dev/sdg" = 300 }
    content {
      device_name = ebs_block_device.key
      volume_type = "gp3"
      volume_size = 40
      throughput  = ebs_block_device.value
    }
  }
}

resource "aws_autoscaling_group" "uses" {
  min_size           = 1
  max_size           = 1
  availability_zones = ["us-east-1a"]
  launch_template {
    id = aws_launch_template.whole.id
  }
}
`
	const reference = `
resource "terraform_data" "iops" {
  input = 4000
}

resource "aws_launch_template" "later" {
  dynamic "block_device_mappings" {
    for_each = ["/dev/sdf"]
    content {
      device_name = block_device_mappings.value
      ebs {
        volume_type = "gp3"
        volume_size = 40
        iops        = terraform_data.iops.output
        throughput  = 1000
      }
    }
  }
}
`
	t.Run("left out", func(t *testing.T) {
		t.Parallel()
		f := terraform.New(t)
		f.Write("main.tf", awsProvider+others)
		want := folder(t, f.Path())
		f.Init()
		text := f.Plan().JSON
		if diff := cmp.Diff(told(want), told(planned(t, text))); diff != "" {
			t.Errorf("folder and plan differ (-folder +plan):\n%s", diff)
		}
		if len(want) < 5 {
			t.Errorf("only %d findings", len(want))
		}
		if notes := notesOf(t, text); notes != "" {
			t.Errorf("notes: %s", notes)
		}
	})
	t.Run("known later", func(t *testing.T) {
		t.Parallel()
		f := terraform.New(t)
		f.Write("main.tf", awsProvider+reference)
		f.Init()
		text := f.Plan().JSON
		checkHeads(t, planned(t, text))
		if notes := notesOf(t, text); !strings.Contains(notes, "aws_launch_template.later") {
			t.Errorf("notes: %q", notes)
		}
		// Once it is known, it is judged.
		f.Write("main.tf", awsProvider+strings.ReplaceAll(reference, "terraform_data.iops.output", "3000"))
		checkHeads(t, planned(t, f.Plan().JSON), "error gp3-throughput-ratio aws_launch_template.later block_device_mappings[0].ebs.throughput")
	})
}

// The provider block's ignored rules stand in a plan, too.
func TestProviderIgnoresInPlan(t *testing.T) {
	t.Parallel()
	const text = `{"format_version":"1.2","resource_changes":[{"address":"aws_ebs_volume.v","mode":"managed","type":"aws_ebs_volume","name":"v","change":{"actions":["create"],"before":null,"after":{"size":40,"type":"gp3","iops":3000,"throughput":1000},"after_unknown":{}}}],
"configuration":{"provider_config":{"runnerfit":{"name":"runnerfit","expressions":{"ignore_rules":{"constant_value":{"RULE":"agreed"}}}}},"root_module":{}}}`
	checkHeads(t, planned(t, []byte(strings.Replace(text, "RULE", "gp3-throughput-ratio", 1))))
	checkHeads(t, planned(t, []byte(strings.Replace(text, "RULE", "gp3-iops-range", 1))), "error gp3-throughput-ratio aws_ebs_volume.v throughput")
}

// What a guard has judged is not reported again, whatever way its values take.
func TestGuardedAsPlan(t *testing.T) {
	t.Parallel()
	f := terraform.New(t)
	f.Write("main.tf", `terraform {
  required_providers {
    runnerfit = {
      source = "runnerfit/runnerfit"
    }
  }
}
`+awsProvider+`
resource "runnerfit_mac_host_storage" "host" {
  instance_type = "mac2-m2pro.metal"

  root {
    size_gib             = 200
    throughput_mib_per_s = 200
    iops                 = 3000
  }

  ignore_rules = {
    "mac-root-throughput" = "starts are not urgent here"
  }
}

locals {
  root  = runnerfit_mac_host_storage.host.root
  speed = local.root.throughput_mib_per_s
  other = 150
}

resource "aws_launch_template" "local" {
  instance_type = "mac2-m2pro.metal"
  block_device_mappings {
    device_name = "/dev/sda1"
    ebs {
      volume_type = "gp3"
      volume_size = 200
      throughput  = local.speed
    }
  }
}

resource "aws_launch_template" "dynamic" {
  instance_type = "mac2-m2pro.metal"
  dynamic "block_device_mappings" {
    for_each = { "/dev/sda1" = local.root }
    content {
      device_name = block_device_mappings.key
      ebs {
        volume_type = "gp3"
        volume_size = 200
        iops        = block_device_mappings.value.iops
        throughput  = block_device_mappings.value.throughput_mib_per_s
      }
    }
  }
}

resource "aws_launch_template" "own" {
  instance_type = "mac2-m2pro.metal"
  block_device_mappings {
    device_name = "/dev/sda1"
    ebs {
      volume_type = "gp3"
      volume_size = 200
      throughput  = local.other
    }
  }
}
`)
	want := []string{
		"info mac-root-size aws_launch_template.own block_device_mappings[0].ebs.volume_size",
		"warning mac-root-throughput aws_launch_template.own block_device_mappings[0].ebs.throughput",
	}
	checkHeads(t, folder(t, f.Path()), want...)
	f.Init()
	checkHeads(t, planned(t, f.Plan().JSON), want...)
}
