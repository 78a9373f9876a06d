package audit

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/terraform"
)

// linked are configurations in which a finding depends on several resources. All
// of them are audited as folders and, together, as one plan.
var linked = map[string]struct {
	files files
	want  []string
}{
	"mixed": { // every type is checked, and the template's own is not used
		files{"main.tf": `
resource "aws_launch_template" "t" {
  instance_type = "m8a.48xlarge"
  block_device_mappings {
    device_name = "/dev/sdf"
    ebs {
      volume_type = "gp3"
      volume_size = 100
      iops        = 8000
      throughput  = 2000
    }
  }
}
resource "aws_autoscaling_group" "g" {
  min_size            = 0
  max_size            = 1
  vpc_zone_identifier = ["subnet-00000000000000001"]
  mixed_instances_policy {
    launch_template {
      launch_template_specification {
        launch_template_id = aws_launch_template.t.id
      }
      override {
        instance_type = "c5.xlarge"
      }
      override {
        instance_type = "m8a.24xlarge"
      }
    }
  }
}
`},
		[]string{
			"info instance-iops aws_launch_template.t block_device_mappings[0].ebs.iops",
			"warning instance-throughput aws_launch_template.t block_device_mappings[0].ebs.throughput",
		},
	},
	"attached": { // a volume of its own, through a module's output
		files{
			"main.tf": `
module "disk" {
  source = "./disk"
}
resource "aws_instance" "i" {
  ami           = "ami-00000000000000001"
  instance_type = "c5.xlarge"
}
resource "aws_volume_attachment" "a" {
  device_name = "/dev/sdf"
  volume_id   = module.disk.id
  instance_id = aws_instance.i.id
}
`,
			"disk/main.tf": `
resource "aws_ebs_volume" "v" {
  availability_zone = "us-east-1a"
  type              = "gp3"
  size              = 100
  iops              = 4000
  throughput        = 1000
}
output "id" {
  value = aws_ebs_volume.v.id
}
`,
		},
		[]string{"warning instance-throughput module.disk.aws_ebs_volume.v throughput"},
	},
	"each": { // instances refer to the template with their key
		files{"main.tf": `
locals {
  sizes = { small = "c5.xlarge", large = "m8a.48xlarge" }
}
resource "aws_launch_template" "t" {
  for_each = local.sizes
  block_device_mappings {
    device_name = "/dev/sdf"
    ebs {
      volume_type = "gp3"
      volume_size = 100
      iops        = 4000
      throughput  = 1000
    }
  }
}
resource "aws_instance" "i" {
  for_each      = local.sizes
  ami           = "ami-00000000000000001"
  instance_type = each.value
  launch_template {
    id = aws_launch_template.t[each.key].id
  }
}
`},
		[]string{`warning instance-throughput aws_launch_template.t["small"] block_device_mappings[0].ebs.throughput`},
	},
	"byname": { // by an equal name
		files{"main.tf": `
resource "aws_launch_template" "t" {
  name          = "runners"
  instance_type = "mac2.metal"
  placement {
    tenancy = "host"
  }
}
resource "aws_autoscaling_group" "g" {
  name                = "macs"
  min_size            = 0
  max_size            = 4
  vpc_zone_identifier = ["subnet-00000000000000001"]
  launch_template {
    name = "runners"
  }
}
resource "aws_autoscaling_policy" "p" {
  name                   = "in"
  autoscaling_group_name = "macs"
  adjustment_type        = "ChangeInCapacity"
  scaling_adjustment     = -1
}
`},
		[]string{
			"info mac-root-throughput aws_launch_template.t block_device_mappings",
			"warning host-leak aws_autoscaling_group.g",
			"warning host-scale-in-churn aws_autoscaling_policy.p",
		},
	},
	"licence": {
		files{"main.tf": `
resource "aws_licensemanager_license_configuration" "l" {
  name                  = "macs"
  license_counting_type = "Instance"
}
resource "aws_launch_template" "t" {
  instance_type = "mac2.metal"
  license_specification {
    license_configuration_arn = aws_licensemanager_license_configuration.l.arn
  }
  block_device_mappings {
    device_name = "/dev/sda1"
    ebs {
      volume_type = "gp3"
      volume_size = 100
      throughput  = 750
    }
  }
}
`},
		[]string{"error host-license aws_licensemanager_license_configuration.l license_counting_type"},
	},
	"stopped": {
		files{"main.tf": `
resource "aws_instance" "i" {
  ami           = "ami-00000000000000001"
  instance_type = "mac2.metal"
  tenancy       = "host"
  root_block_device {
    volume_type = "gp3"
    volume_size = 100
    throughput  = 750
  }
}
resource "aws_ec2_instance_state" "s" {
  instance_id = aws_instance.i.id
  state       = "stopped"
}
`},
		[]string{"warning host-leak aws_ec2_instance_state.s state"},
	},
	"data": { // VMs on a Mac
		files{"main.tf": `
resource "aws_launch_template" "t" {
  instance_type = "mac2.metal"
  block_device_mappings {
    device_name = "/dev/sda1"
    ebs {
      volume_type = "gp3"
      volume_size = 100
      throughput  = 750
    }
  }
  block_device_mappings {
    device_name = "/dev/sdf"
    ebs {
      volume_type = "gp3"
      volume_size = 500
      iops        = 20000
      throughput  = 700
      snapshot_id = "snap-00000000000000001"
    }
  }
}
`},
		[]string{
			"info instance-shared-budget aws_launch_template.t",
			"warning mac-vmdata-iops aws_launch_template.t block_device_mappings[1].ebs.iops",
			"warning mac-vmdata-snapshot aws_launch_template.t block_device_mappings[1].ebs.snapshot_id",
		},
	},
	"zones": {
		files{"main.tf": `
resource "aws_ebs_volume" "v" {
  availability_zone = "us-east-1"
  type              = "gp3"
  size              = 100
}
resource "aws_ec2_host" "h" {
  availability_zone = "us-east-1"
  instance_type     = "c5.large"
}
`},
		[]string{"error host-zone aws_ec2_host.h availability_zone", "error host-zone aws_ebs_volume.v availability_zone"},
	},
	"zero": { // case B19: texts of 0 for unset
		files{"main.tf": `
resource "aws_ebs_volume" "v" {
  availability_zone = "us-east-1a"
  type              = "gp2"
  size              = 100
  iops              = "0"
}
`},
		[]string{"info volume-setting-zero aws_ebs_volume.v iops", "warning volume-type-legacy aws_ebs_volume.v type"},
	},
	"below": { // case B24: below the free baseline
		files{"main.tf": `
resource "aws_launch_template" "t" {
  block_device_mappings {
    device_name = "/dev/sdf"
    ebs {
      volume_type = "gp3"
      volume_size = 100
      iops        = 1000
    }
  }
}
`},
		[]string{"warning gp3-iops-range aws_launch_template.t block_device_mappings[0].ebs.iops"},
	},
	"image": { // the type of a root that the image decides is not guessed
		files{"main.tf": `
resource "aws_instance" "i" {
  ami           = "ami-00000000000000001"
  instance_type = "c5.xlarge"
  root_block_device {
    volume_size = 500
  }
}
resource "aws_launch_template" "t" {
  block_device_mappings {
    device_name = "/dev/xvda"
    ebs {
      volume_size = 500
    }
  }
}
`},
		nil,
	},
	"default": { // of a device that is no root, EC2's default is gp2
		files{"main.tf": `
resource "aws_ebs_volume" "v" {
  availability_zone = "us-east-1a"
  size              = 500
}
`},
		[]string{"warning volume-type-legacy aws_ebs_volume.v type"},
	},
}

func TestLinked(t *testing.T) {
	t.Parallel()
	for name, tt := range linked {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkHeads(t, folder(t, tt.files.write(t)), tt.want...)
		})
	}
}

func TestLinkedAsPlan(t *testing.T) {
	t.Parallel()
	f := terraform.New(t)
	var root strings.Builder
	for name, tt := range linked {
		if name == "stopped" {
			continue // the stand-in for hashicorp/aws does not have the resource
		}
		for file, content := range tt.files {
			f.Write(name+"/"+file, content)
		}
		root.WriteString("module \"" + name + "\" {\n  source = \"./" + name + "\"\n}\n")
	}
	f.Write("main.tf", "provider \"aws\" {\n  region = \"us-east-1\"\n}\n"+root.String())
	f.Init()
	want, got := folder(t, f.Path()), planned(t, f.Plan().JSON)
	if diff := cmp.Diff(told(want), told(got)); diff != "" {
		t.Errorf("folder and plan differ (-folder +plan):\n%s", diff)
	}
}

// Volumes that take their settings from a guard are the guard's: they are not
// reported twice, whatever it was told to ignore. Storage of databases has other
// rules (case B25).
func TestNotReported(t *testing.T) {
	t.Parallel()
	f := terraform.New(t)
	f.Write("main.tf", `
terraform {
  required_providers {
    runnerfit = { source = "runnerfit/runnerfit" }
  }
}
provider "aws" {
  region = "us-east-1"
}
resource "runnerfit_mac_host_storage" "host" {
  instance_type = "mac2.metal"
  root {
    size_gib             = 60
    throughput_mib_per_s = 125
  }
  ignore_rules = { "mac-root-throughput" = "measured", "mac-root-size" = "own image" }
}
module "t" {
  source = "./t"
  root   = runnerfit_mac_host_storage.host.root.throughput_mib_per_s
  size   = runnerfit_mac_host_storage.host.root.size_gib
}
`)
	f.Write("t/main.tf", `
variable "root" {}
variable "size" {}
resource "aws_launch_template" "mac" {
  instance_type = "mac2.metal"
  block_device_mappings {
    device_name = "/dev/sda1"
    ebs {
      volume_type = "gp3"
      volume_size = var.size
      throughput  = var.root
    }
  }
}
`)
	f.Init()
	checkHeads(t, folder(t, f.Path()))
	checkHeads(t, planned(t, f.Plan().JSON))
	checkHeads(t, folder(t, files{"main.tf": `
resource "aws_db_instance" "d" {
  storage_type      = "gp3"
  allocated_storage = 400
  iops              = 3000
}
`}.write(t)))
}

// A plan that replaces a Mac says so; one that creates it first, too.
func TestReplacement(t *testing.T) {
	t.Parallel()
	f := terraform.New(t)
	mac := func(ami, more string) {
		f.Write("main.tf", `
provider "aws" {
  region = "us-east-1"
}
resource "aws_instance" "mac" {
  ami           = "`+ami+`"
  instance_type = "mac2.metal"
  tenancy       = "host"
  root_block_device {
    volume_type = "gp3"
    volume_size = 100
    throughput  = 750
  }
`+more+"}\n")
	}
	mac("ami-00000000000000001", "")
	f.Init()
	f.Apply()
	checkHeads(t, planned(t, f.Plan().JSON))
	mac("ami-00000000000000002", "")
	checkHeads(t, planned(t, f.Plan().JSON), "warning host-replace-gap aws_instance.mac")
	mac("ami-00000000000000002", "  lifecycle {\n    create_before_destroy = true\n  }\n")
	checkHeads(t, planned(t, f.Plan().JSON), "warning host-replace-gap aws_instance.mac lifecycle.create_before_destroy")
	checkHeads(t, folder(t, f.Path()), "warning host-replace-gap aws_instance.mac lifecycle.create_before_destroy")
}

// A type that reaches a speed in bursts is not told of as one that never does.
func TestMixedTypesApart(t *testing.T) {
	t.Parallel()
	dir := files{"main.tf": `
resource "aws_launch_template" "t" {
  block_device_mappings {
    device_name = "/dev/sdf"
    ebs {
      volume_size = 100
      volume_type = "gp3"
      iops        = 4000
      throughput  = 1000
    }
  }
}
resource "aws_autoscaling_group" "g" {
  min_size            = 0
  max_size            = 1
  vpc_zone_identifier = ["subnet-00000000000000001"]
  mixed_instances_policy {
    launch_template {
      launch_template_specification {
        launch_template_id = aws_launch_template.t.id
      }
      override {
        instance_type = "m6i.large"
      }
      override {
        instance_type = "t3.large"
      }
    }
  }
}
`}.write(t)
	var warnings, infos int
	for _, f := range folder(t, dir) {
		t.Log(f.Severity, f.Rule, f.Message, f.Fix)
		if f.Rule != "instance-throughput" {
			continue
		}
		if f.MonthlySavingUSD.Valid || strings.Contains(f.Fix, "Write ") {
			t.Errorf("a fix that is not right for all types: %s", f.Fix)
		}
		is, not := "t3.large", "m6i.large"
		if f.Severity == finding.Info {
			is, not = not, is
			infos++
		} else {
			warnings++
		}
		if !strings.Contains(f.Message, is) || strings.Contains(f.Message, not) {
			t.Errorf("%s: %s", f.Severity, f.Message)
		}
	}
	if warnings != 1 || infos != 1 {
		t.Errorf("%d warnings, %d infos", warnings, infos)
	}
}
