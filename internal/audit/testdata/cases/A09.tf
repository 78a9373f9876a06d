resource "aws_resourcegroups_group" "ios" {
  name = "ios"

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
      values = ["mac1", "mac2"]
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

resource "aws_launch_template" "ios" {
  name_prefix   = "ios-"
  instance_type = "mac2.metal"

  placement {
    tenancy                 = "host"
    host_resource_group_arn = aws_resourcegroups_group.ios.arn
  }
}
