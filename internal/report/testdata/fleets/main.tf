resource "aws_launch_template" "mac" {
  name          = "mac"
  instance_type = "mac2-m2pro.metal"
  block_device_mappings {
    device_name = "/dev/sda1"
    ebs {
      volume_type = "gp3"
      volume_size = 100
    }
  }
  block_device_mappings {
    device_name = "/dev/sdf"
    ebs {
      volume_type = "gp3"
      volume_size = 750
      iops        = 16000
      throughput  = 1000
    }
  }
  placement {
    tenancy                 = "host"
    host_resource_group_arn = aws_resourcegroups_group.hosts.arn
  }
}
resource "aws_autoscaling_group" "mac" {
  min_size                  = 1
  max_size                  = 6
  desired_capacity          = 4
  health_check_grace_period = 600
  launch_template { id = aws_launch_template.mac.id }
}
resource "aws_resourcegroups_group" "hosts" {
  name = "hosts"
  configuration {
    type = "AWS::EC2::HostManagement"
    parameters {
      name   = "allowed-host-families"
      values = ["mac2-m2pro"]
    }
    parameters {
      name   = "auto-allocate-host"
      values = ["true"]
    }
    parameters {
      name   = "auto-release-host"
      values = ["false"]
    }
  }
  configuration {
    type = "AWS::ResourceGroups::Generic"
    parameters {
      name   = "allowed-resource-types"
      values = ["AWS::EC2::Host"]
    }
  }
}
resource "aws_launch_template" "linux" {
  for_each      = toset(["small", "large"])
  instance_type = each.key == "small" ? "m8a.xlarge" : "m8a.4xlarge"
  block_device_mappings {
    device_name = "/dev/xvda"
    ebs {
      volume_type = "gp3"
      volume_size = 200
      iops        = 3000
      throughput  = 1000
    }
  }
}
resource "aws_instance" "cache" {
  count         = 3
  instance_type = "c7i.large"
  root_block_device {
    volume_type = "gp2"
    volume_size = 500
  }
}
resource "aws_ebs_volume" "loose" {
  availability_zone = "us-east-1a"
  size              = 2000
  type              = "gp3"
  iops              = 12000
}

variable "password" {
  type      = string
  sensitive = true
  default   = "PLANTED-PASSWORD"
}

# A name that would be markup if nobody escaped it.
resource "aws_launch_template" "hostile" {
  for_each      = toset(["<script>alert(1)</script>\"&'"])
  instance_type = "c7i.large"
  user_data     = var.password

  tags = {
    password = "PLANTED-TAG"
  }
}

resource "runnerfit_mac_host_storage" "slow" {
  instance_type        = "mac2-m2pro.metal"
  grace_period_seconds = 300

  root {
    size_gib             = 100
    throughput_mib_per_s = 125
  }

  vmdata {
    size_gib = 750
    iops     = 16000
  }

  images {
    count    = 2
    size_gib = 75
  }

  ignore_rules = {
    "instance-shared-budget" = "one after the other"
  }
}

resource "runnerfit_mac_host_pool" "slow" {
  instance_type         = runnerfit_mac_host_storage.slow.instance_type
  desired_hosts         = 4
  max_hosts             = 10
  auto_release_hosts    = false
  grace_period_seconds  = runnerfit_mac_host_storage.slow.grace_period_seconds
  boot_to_ready_seconds = runnerfit_mac_host_storage.slow.boot_to_ready_seconds
}
