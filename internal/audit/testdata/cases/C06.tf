resource "aws_resourcegroups_group" "m2pro" {
  name = "m2pro"

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
      values = ["false"]
    }

    parameters {
      name   = "allowed-host-families"
      values = ["mac2-m2pro"]
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
