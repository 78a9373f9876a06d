# The original is CloudFormation, whose default grace period is 0.
resource "aws_resourcegroups_group" "bk" {
  name = "bk"

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
resource "aws_launch_template" "bk" {
  name_prefix   = "bk-"
  instance_type = "mac2.metal"

  block_device_mappings {
    device_name = "/dev/sda1"
    ebs {
      volume_size = 250
      volume_type = "gp3"
    }
  }

  placement {
    tenancy                 = "host"
    host_resource_group_arn = aws_resourcegroups_group.bk.arn
  }
}
resource "aws_autoscaling_group" "bk" {
  name                      = "bk"
  min_size                  = 0
  max_size                  = 3
  vpc_zone_identifier       = ["subnet-00000000000000001"]
  health_check_grace_period = 0

  launch_template {
    id      = aws_launch_template.bk.id
    version = "$Latest"
  }
}
