locals {
  tags               = merge({ Name = var.name }, var.tags)
  host_families      = [trimsuffix(runnerfit_mac_host_pool.hosts.instance_type, ".metal")]
  security_group_ids = length(var.security_group_ids) > 0 ? var.security_group_ids : aws_security_group.hosts[*].id

  # What user data needs to know. The group's and the hook's names are written here,
  # because the group depends on the launch template.
  lifecycle_hook   = "ready"
  metric_namespace = "${var.name}/hosts"
  settings = {
    FLEET_NAME       = var.name
    REGION           = data.aws_region.current.region
    VMDATA_DEVICE    = var.vmdata_device
    IMAGE_URLS       = join("\n", var.image_urls)
    LIFECYCLE_HOOK   = local.lifecycle_hook
    HOST_GROUP_ARN   = aws_resourcegroups_group.hosts.arn
    METRIC_NAMESPACE = local.metric_namespace
  }
}

data "aws_region" "current" {}

# License Manager places instances on a group's hosts by licence configurations, for
# macOS too, which needs no licence beyond the Mac's. So nothing is counted or limited
# here; the pool's guard watches the number of hosts.
resource "aws_licensemanager_license_configuration" "macos" {
  count = var.create_license_configuration ? 1 : 0

  name                  = var.name
  description           = "Places macOS instances on the fleet's dedicated hosts."
  license_counting_type = "Socket"
  tags                  = local.tags
}

# The group allocates a dedicated host where a launch finds none, and gives it back.
resource "aws_resourcegroups_group" "hosts" {
  name        = "${var.name}-hosts"
  description = "Dedicated hosts of the Mac runners."
  tags        = local.tags

  configuration {
    type = "AWS::EC2::HostManagement"

    parameters {
      name   = "allowed-host-families"
      values = local.host_families
    }

    parameters {
      name   = "auto-allocate-host"
      values = [tostring(runnerfit_mac_host_pool.hosts.auto_allocate_hosts)]
    }

    parameters {
      name   = "auto-release-host"
      values = [tostring(runnerfit_mac_host_pool.hosts.auto_release_hosts)]
    }

    parameters {
      name   = var.create_license_configuration ? "allowed-host-based-license-configurations" : "any-host-based-license-configuration"
      values = var.create_license_configuration ? aws_licensemanager_license_configuration.macos[*].arn : ["true"]
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

data "aws_subnet" "first" {
  id = var.subnet_ids[0]
}

# Nothing comes in. What goes out is the VPC's business: routes, endpoints, proxies.
resource "aws_security_group" "hosts" {
  count = length(var.security_group_ids) > 0 ? 0 : 1

  name_prefix = "${var.name}-"
  description = "Mac runners: nothing in, everything out."
  vpc_id      = data.aws_subnet.first.vpc_id
  tags        = local.tags

  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_vpc_security_group_egress_rule" "ipv4" {
  count = length(aws_security_group.hosts)

  security_group_id = aws_security_group.hosts[count.index].id
  description       = "Images, runner manager, AWS."
  ip_protocol       = "-1"
  cidr_ipv4         = "0.0.0.0/0"
  tags              = local.tags
}

resource "aws_vpc_security_group_egress_rule" "ipv6" {
  count = length(aws_security_group.hosts)

  security_group_id = aws_security_group.hosts[count.index].id
  description       = "Images, runner manager, AWS."
  ip_protocol       = "-1"
  cidr_ipv6         = "::/0"
  tags              = local.tags
}

resource "aws_launch_template" "host" {
  name_prefix            = "${var.name}-"
  description            = "Mac runner whose volumes the guard has passed."
  image_id               = var.ami_id
  instance_type          = runnerfit_mac_host_storage.host.instance_type
  update_default_version = true
  vpc_security_group_ids = local.security_group_ids
  tags                   = local.tags

  # Settings first, then the script that reads them. EC2 takes 16 KiB.
  user_data = base64encode(join("\n", [
    templatefile("${path.module}/templates/settings.sh.tftpl", { settings = local.settings }),
    file("${path.module}/templates/host.sh"),
  ]))

  # The root volume: a Mac boots from /dev/sda1.
  block_device_mappings {
    device_name = "/dev/sda1"

    ebs {
      volume_type           = "gp3"
      volume_size           = runnerfit_mac_host_storage.host.root.size_gib
      iops                  = runnerfit_mac_host_storage.host.root.iops
      throughput            = runnerfit_mac_host_storage.host.root.throughput_mib_per_s
      encrypted             = true
      kms_key_id            = var.kms_key_arn
      delete_on_termination = true
    }
  }

  # VMData, created empty: what comes from a snapshot is slow when it is first read.
  block_device_mappings {
    device_name = var.vmdata_device

    ebs {
      volume_type           = "gp3"
      volume_size           = runnerfit_mac_host_storage.host.vmdata.size_gib
      iops                  = runnerfit_mac_host_storage.host.vmdata.iops
      throughput            = runnerfit_mac_host_storage.host.vmdata.throughput_mib_per_s
      encrypted             = true
      kms_key_id            = var.kms_key_arn
      delete_on_termination = true
    }
  }

  iam_instance_profile {
    arn = aws_iam_instance_profile.host.arn
  }

  # Instance metadata by token only, and not for the guests.
  metadata_options {
    http_endpoint               = "enabled"
    http_tokens                 = "required"
    http_put_response_hop_limit = 1
  }

  monitoring {
    enabled = true
  }

  placement {
    tenancy                 = "host"
    host_resource_group_arn = aws_resourcegroups_group.hosts.arn
  }

  dynamic "license_specification" {
    for_each = aws_licensemanager_license_configuration.macos[*].arn

    content {
      license_configuration_arn = license_specification.value
    }
  }

  tag_specifications {
    resource_type = "instance"
    tags          = local.tags
  }

  tag_specifications {
    resource_type = "volume"
    tags          = local.tags
  }

  tag_specifications {
    resource_type = "network-interface"
    tags          = local.tags
  }

  lifecycle {
    create_before_destroy = true

    precondition {
      condition     = length(var.image_urls) == var.image_count
      error_message = "image_urls has ${length(var.image_urls)} images and image_count says ${var.image_count}: the prediction would be of another fleet."
    }
  }
}

resource "aws_autoscaling_group" "hosts" {
  name                      = var.name
  min_size                  = 0
  desired_capacity          = runnerfit_mac_host_pool.hosts.desired_hosts
  max_size                  = runnerfit_mac_host_pool.hosts.desired_hosts
  vpc_zone_identifier       = var.subnet_ids
  health_check_type         = "EC2"
  health_check_grace_period = runnerfit_mac_host_pool.hosts.grace_period_seconds
  enabled_metrics           = ["GroupDesiredCapacity", "GroupInServiceInstances", "GroupPendingInstances", "GroupTerminatingInstances"]

  # A host is billed for 24 hours at least, so scaling in saves nothing.
  protect_from_scale_in = true

  # AWS takes 6 to 20 minutes to launch a Mac, longer than Terraform waits by default;
  # and an apply should not fail because the group is short of hosts.
  wait_for_capacity_timeout = "0"

  launch_template {
    id      = aws_launch_template.host.id
    version = aws_launch_template.host.latest_version
  }

  # For the first hosts, which are launched before the hook below exists.
  initial_lifecycle_hook {
    name                 = local.lifecycle_hook
    lifecycle_transition = "autoscaling:EC2_INSTANCE_LAUNCHING"
    heartbeat_timeout    = runnerfit_mac_host_storage.host.grace_period_seconds
    default_result       = "ABANDON"
  }

  dynamic "tag" {
    for_each = local.tags

    content {
      key                 = tag.key
      value               = tag.value
      propagate_at_launch = true
    }
  }

  lifecycle {
    # It counts when the group is created only; afterwards the hook is changed below.
    ignore_changes = [initial_lifecycle_hook]
  }
}

# A host is in service when it says so. If it does not within the allowed time, the
# group gives it up and launches another.
resource "aws_autoscaling_lifecycle_hook" "ready" {
  autoscaling_group_name = aws_autoscaling_group.hosts.name
  name                   = local.lifecycle_hook
  lifecycle_transition   = "autoscaling:EC2_INSTANCE_LAUNCHING"
  heartbeat_timeout      = runnerfit_mac_host_storage.host.grace_period_seconds
  default_result         = "ABANDON"
}
