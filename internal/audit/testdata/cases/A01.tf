resource "aws_licensemanager_license_configuration" "mac_lic" {
  name                     = "mac_lic"
  license_counting_type    = "Core"
  license_count            = 32
  license_count_hard_limit = false
}
resource "aws_resourcegroups_group" "ci_macs" {
  name = "ci_macs"

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
      values = ["mac1"]
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
resource "aws_launch_template" "ci_mac" {
  name_prefix   = "ci_mac-"
  instance_type = "mac1.metal"

  block_device_mappings {
    device_name = "/dev/sda1"
    ebs {
      volume_size = 60
      volume_type = "gp3"
    }
  }

  placement {
    tenancy                 = "host"
    host_resource_group_arn = aws_resourcegroups_group.ci_macs.arn
  }

  lifecycle {
    ignore_changes = [latest_version]
  }
}
resource "aws_autoscaling_group" "ci_mac" {
  name                      = "ci_mac"
  min_size                  = 1
  max_size                  = 3
  vpc_zone_identifier       = ["subnet-00000000000000001"]
  health_check_grace_period = 300

  launch_template {
    id      = aws_launch_template.ci_mac.id
    version = "$Latest"
  }

  timeouts {
    delete = "15m"
  }
}

resource "aws_autoscaling_policy" "ci_mac" {
  name                   = "cpu"
  autoscaling_group_name = aws_autoscaling_group.ci_mac.name
  policy_type            = "TargetTrackingScaling"

  target_tracking_configuration {
    target_value     = 10
    disable_scale_in = false

    predefined_metric_specification {
      predefined_metric_type = "ASGAverageCPUUtilization"
    }
  }
}
