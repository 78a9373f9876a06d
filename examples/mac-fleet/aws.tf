# What the guards stand in front of.

# A host resource group places by licences. License Manager counts the cores of
# the chip: 12 of an M2 Pro.
resource "aws_licensemanager_license_configuration" "mac" {
  name                     = "mac-runners"
  license_counting_type    = "Core"
  license_count            = runnerfit_mac_host_pool.hosts.max_hosts * 12
  license_count_hard_limit = true
}

resource "aws_resourcegroups_group" "hosts" {
  name = "mac-runner-hosts"

  configuration {
    type = "AWS::EC2::HostManagement"

    parameters {
      name   = "allowed-host-families"
      values = [trimsuffix(runnerfit_mac_host_pool.hosts.instance_type, ".metal")]
    }
    parameters {
      name   = "allowed-host-based-license-configurations"
      values = [aws_licensemanager_license_configuration.mac.arn]
    }
    parameters {
      name   = "auto-allocate-host"
      values = [tostring(runnerfit_mac_host_pool.hosts.auto_allocate_hosts)]
    }
    parameters {
      name   = "auto-release-host"
      values = [tostring(runnerfit_mac_host_pool.hosts.auto_release_hosts)]
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

resource "aws_launch_template" "mac" {
  name_prefix            = "mac-runner-"
  image_id               = var.image_id
  instance_type          = runnerfit_mac_host_storage.host.instance_type
  update_default_version = true

  # The root volume: macOS boots from /dev/sda1.
  block_device_mappings {
    device_name = "/dev/sda1"

    ebs {
      volume_type = "gp3"
      volume_size = runnerfit_mac_host_storage.host.root.size_gib
      iops        = runnerfit_mac_host_storage.host.root.iops
      throughput  = runnerfit_mac_host_storage.host.root.throughput_mib_per_s
      encrypted   = true
    }
  }

  # VMData, where the images of the virtual machines are pulled to.
  block_device_mappings {
    device_name = "/dev/sdf"

    ebs {
      volume_type = "gp3"
      volume_size = runnerfit_mac_host_storage.host.vmdata.size_gib
      iops        = runnerfit_mac_host_storage.host.vmdata.iops
      throughput  = runnerfit_mac_host_storage.host.vmdata.throughput_mib_per_s
      encrypted   = true
    }
  }

  metadata_options {
    http_endpoint = "enabled"
    http_tokens   = "required"
  }

  placement {
    tenancy                 = "host"
    host_resource_group_arn = aws_resourcegroups_group.hosts.arn
  }

  license_specification {
    license_configuration_arn = aws_licensemanager_license_configuration.mac.arn
  }
}

resource "aws_autoscaling_group" "mac" {
  name_prefix               = "mac-runners-"
  min_size                  = 0
  desired_capacity          = runnerfit_mac_host_pool.hosts.desired_hosts
  max_size                  = runnerfit_mac_host_pool.hosts.desired_hosts
  vpc_zone_identifier       = var.subnet_ids
  health_check_grace_period = runnerfit_mac_host_pool.hosts.grace_period_seconds

  # A host is billed for 24 hours at least, so scaling in saves nothing.
  protect_from_scale_in = true

  # AWS takes 6 to 20 minutes to launch a Mac, longer than Terraform waits by
  # default; and a group that is short of hosts should not fail an apply.
  wait_for_capacity_timeout = "0"

  launch_template {
    id      = aws_launch_template.mac.id
    version = aws_launch_template.mac.latest_version
  }
}
