locals {
  root = runnerfit_instance_storage.runner.by_name["root"]
  tags = merge(var.tags, { Name = var.name })

  arm    = var.architecture != null ? var.architecture == "arm64" : contains(data.runnerfit_instance_ebs.runner[0].architectures, "arm64")
  ami_id = var.ami_id != null ? var.ami_id : nonsensitive(data.aws_ssm_parameter.ubuntu[0].value)

  # A script of its own: its failure leaves the job on the volume, and what comes
  # after it goes on.
  job_disk = join("\n", [
    "cat >/run/job-disk.sh <<'JOB_DISK'",
    trimspace(file("${path.module}/templates/job-disk.sh")),
    "JOB_DISK",
    join(" ", [
      "JOB_DISK_DIRECTORIES='${join(" ", var.tmpfs_directories)}'",
      "JOB_DISK_LIMIT_PERCENT=${var.tmpfs_limit_percent}",
      "JOB_DISK_ZRAM_PERCENT=${var.zram_percent}",
      "bash /run/job-disk.sh || true",
    ]),
  ])
  user_data = join("\n", ["#!/bin/bash", local.job_disk, var.user_data_after, ""])
}

data "aws_ssm_parameter" "ubuntu" {
  count = var.ami_id == null ? 1 : 0

  name = "/aws/service/canonical/ubuntu/server/24.04/stable/current/${local.arm ? "arm64" : "amd64"}/hvm/ebs-gp3/ami-id"
}

# Nothing may connect to a runner but the managers in gitlab_fleeting. What it
# fetches comes from anywhere.
resource "aws_security_group" "runner" {
  name        = var.name
  description = "CI runners"
  vpc_id      = var.vpc_id
  tags        = local.tags
}

resource "aws_vpc_security_group_egress_rule" "runner" {
  security_group_id = aws_security_group.runner.id
  description       = "What jobs fetch"
  ip_protocol       = "-1"
  cidr_ipv4         = "0.0.0.0/0"
  tags              = local.tags
}

resource "aws_launch_template" "runner" {
  name                                 = var.name
  description                          = "CI runners on ${var.instance_type}"
  update_default_version               = true
  image_id                             = local.ami_id
  instance_type                        = var.instance_type
  ebs_optimized                        = true
  instance_initiated_shutdown_behavior = "terminate"
  vpc_security_group_ids               = [aws_security_group.runner.id]
  user_data                            = base64encode(local.user_data)
  tags                                 = local.tags

  iam_instance_profile {
    arn = aws_iam_instance_profile.runner.arn
  }

  metadata_options {
    http_endpoint               = "enabled"
    http_tokens                 = "required"
    http_put_response_hop_limit = var.metadata_hop_limit
  }

  block_device_mappings {
    device_name = var.root_device_name

    ebs {
      volume_type           = local.root.type
      volume_size           = local.root.size_gib
      iops                  = local.root.iops
      throughput            = local.root.throughput_mib_per_s
      encrypted             = true
      kms_key_id            = var.kms_key_id
      delete_on_termination = true
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
    precondition {
      condition     = var.zram_percent > 0 || var.tmpfs_limit_percent <= 100
      error_message = "Without compressed swap a tmpfs cannot hold more than the memory: write tmpfs_limit_percent = 100 or less, or zram_percent = 100."
    }

    precondition {
      condition     = alltrue([for j in data.runnerfit_job_disk.heaviest : alltrue([for o in j.options : o.fits != false if o.name == "tmpfs"])])
      error_message = "The heaviest job does not fit into this type's memory: choose a type with at least memory_needed_gib, or generate the module with --disk gp3."
    }
  }
}

# GitLab Runner scales it by itself: no scaling policy, and the group ends no
# instance on its own account.
resource "aws_autoscaling_group" "fleeting" {
  count = var.gitlab_fleeting == null ? 0 : 1

  name                  = var.name
  min_size              = 0
  max_size              = var.gitlab_fleeting.max_instances
  vpc_zone_identifier   = var.gitlab_fleeting.subnet_ids
  protect_from_scale_in = true
  suspended_processes   = ["AZRebalance"]

  launch_template {
    id      = aws_launch_template.runner.id
    version = aws_launch_template.runner.latest_version
  }

  dynamic "tag" {
    for_each = local.tags

    content {
      key   = tag.key
      value = tag.value
      # The launch template tags instances.
      propagate_at_launch = false
    }
  }
}

resource "aws_vpc_security_group_ingress_rule" "fleeting" {
  for_each = var.gitlab_fleeting == null ? {} : var.gitlab_fleeting.manager_security_groups

  security_group_id            = aws_security_group.runner.id
  description                  = "SSH from the runner manager ${each.key}"
  ip_protocol                  = "tcp"
  from_port                    = 22
  to_port                      = 22
  referenced_security_group_id = each.value
  tags                         = local.tags
}
