resource "aws_licensemanager_license_configuration" "fleet_lic" {
  name                     = "fleet_lic"
  license_counting_type    = "Core"
  license_count            = 160
  license_count_hard_limit = false
}
resource "aws_resourcegroups_group" "fleet" {
  name = "fleet"

  configuration {
    type = "AWS::EC2::HostManagement"

    parameters {
      name   = "any-host-based-license-configuration"
      values = ["true"]
    }

    parameters {
      name   = "auto-allocate-host"
      values = ["true"]
    }

    parameters {
      name   = "auto-release-host"
      values = ["true"]
    }

    parameters {
      name   = "allowed-host-families"
      values = ["mac2"]
    }
  }

  configuration {
    type = "AWS::ResourceGroups::Generic"

    parameters {
      name   = "allowed-resource-types"
      values = ["AWS::EC2::Host"]
    }

    parameters {
      name   = "deletion-protection"
      values = ["UNLESS_EMPTY"]
    }
  }
}
resource "aws_launch_template" "fleet" {
  name_prefix   = "fleet-"
  instance_type = "mac2.metal"

  block_device_mappings {
    device_name = "/dev/sda1"
    ebs {
      volume_size = 500
      volume_type = "gp3"
      throughput  = 750
    }
  }

  placement {
    tenancy                 = "host"
    host_resource_group_arn = aws_resourcegroups_group.fleet.arn
  }
}
resource "aws_autoscaling_group" "fleet" {
  name                      = "fleet"
  min_size                  = 0
  max_size                  = 20
  vpc_zone_identifier       = ["subnet-00000000000000001"]
  health_check_grace_period = 600

  launch_template {
    id      = aws_launch_template.fleet.id
    version = "$Latest"
  }

  protect_from_scale_in = true
}
