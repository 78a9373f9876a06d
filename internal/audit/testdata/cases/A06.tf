resource "aws_resourcegroups_group" "osx" {
  name = "osx"

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
resource "aws_launch_template" "osx_runner" {
  name_prefix   = "osx_runner-"
  instance_type = "mac2.metal"

  block_device_mappings {
    device_name = "/dev/xvda"
    ebs {
      volume_size = 30
      volume_type = "gp3"
    }
  }

  placement {
    tenancy                 = "host"
    host_resource_group_arn = aws_resourcegroups_group.osx.arn
  }
}
