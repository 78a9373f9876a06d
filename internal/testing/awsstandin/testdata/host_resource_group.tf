resource "aws_licensemanager_license_configuration" "mac" {
  name                  = "mac"
  license_counting_type = "Core"
}

resource "aws_resourcegroups_group" "hosts" {
  name = "mac-hosts"

  configuration {
    type = "AWS::EC2::HostManagement"

    parameters {
      name   = "allowed-host-families"
      values = ["mac2"]
    }
    parameters {
      name   = "allowed-host-based-license-configurations"
      values = [aws_licensemanager_license_configuration.mac.arn]
    }
    parameters {
      name   = "auto-allocate-host"
      values = ["false"]
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

# Two equal hosts, which must get different ids.
resource "aws_ec2_host" "mac" {
  count             = 2
  instance_type     = "mac2.metal"
  availability_zone = data.aws_ec2_instance_type_offerings.mac.locations[0]
}

resource "aws_resourcegroups_resource" "mac" {
  count        = 2
  group_arn    = aws_resourcegroups_group.hosts.arn
  resource_arn = aws_ec2_host.mac[count.index].arn
}

data "aws_ec2_instance_type_offerings" "mac" {
  location_type = "availability-zone"

  filter {
    name   = "instance-type"
    values = ["mac2.metal"]
  }
}

output "hosts" {
  value = aws_ec2_host.mac[*].id
}
