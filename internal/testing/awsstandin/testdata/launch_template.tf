data "aws_ami" "macos" {
  most_recent = true
  owners      = ["amazon"]

  filter {
    name   = "architecture"
    values = ["arm64_mac"]
  }
}

# A root volume whose iops are left out, and a second volume with all of it.
resource "aws_launch_template" "mac" {
  name_prefix   = "mac-"
  image_id      = data.aws_ami.macos.id
  instance_type = "mac2.metal"
  user_data     = base64encode("#!/bin/bash\n")

  block_device_mappings {
    device_name = data.aws_ami.macos.root_device_name

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
      volume_size = 750
      iops        = 16000
      throughput  = 700
    }
  }

  iam_instance_profile {
    arn = aws_iam_instance_profile.runner.arn
  }

  placement {
    tenancy                 = "host"
    host_resource_group_arn = aws_resourcegroups_group.hosts.arn
  }

  tag_specifications {
    resource_type = "volume"
    tags          = { Name = "mac" }
  }
}

output "launch_template" {
  value = aws_launch_template.mac.id
}
