# What nobody should write, and what nobody knows: the page must bear it.
variable "u" {}
resource "aws_launch_template" "a" {
  instance_type = "mac2-m2pro.metal"
  block_device_mappings {
    device_name = "/dev/sda1"
    ebs {
      volume_type = "gp3"
      volume_size = 1000000000000000
      throughput  = 123456789012345678
      iops        = 0.5
    }
  }
  block_device_mappings {
    device_name = "/dev/sdf"
    ebs {
      volume_type = "io2"
      volume_size = 100
      iops        = 100000
    }
  }
  placement {
    tenancy                 = "host"
    host_resource_group_arn = aws_resourcegroups_group.hosts.arn
  }
}
resource "aws_autoscaling_group" "a" {
  min_size         = -1
  max_size         = 1e30
  desired_capacity = 1e25
  launch_template { id = aws_launch_template.a.id }
}
resource "aws_resourcegroups_group" "hosts" {
  name = "x"
  configuration {
    type = "AWS::EC2::HostManagement"
  }
}
resource "runnerfit_mac_host_storage" "bad" {
  instance_type = "m8a.xlarge"
  root {
    size_gib = -1
  }
}
resource "runnerfit_mac_host_storage" "dyn" {
  instance_type = var.u
  dynamic "images" {
    for_each = var.u
    content {
      count    = 1
      size_gib = 2
    }
  }
  root {
    size_gib = 100
  }
  vmdata {
    size_gib = 400
    type     = "st1"
  }
}
resource "runnerfit_mac_host_storage" "not_mac" {
  instance_type        = "m8a.xlarge"
  launch_seconds       = 400
  grace_period_seconds = 10
  root {
    size_gib = 100
    type     = "gp2"
  }
  vmdata {
    size_gib = 400
    type     = "io2"
    iops     = 30000
  }
  images {
    count    = 3
    size_gib = 0
  }
}
resource "runnerfit_instance_storage" "many" {
  instance_type = "c7i.large"
  dynamic "volume" {
    for_each = range(12)
    content {
      name                 = "volume number ${volume.value} with quite a long name"
      size_gib             = 100 + volume.value
      throughput_mib_per_s = 200
    }
  }
}
resource "runnerfit_mac_host_pool" "bad" {
  instance_type      = "mac2.metal"
  desired_hosts      = 5
  max_hosts          = var.u
  auto_release_hosts = true
}
