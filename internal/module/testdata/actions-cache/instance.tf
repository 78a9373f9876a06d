locals {
  root  = runnerfit_instance_storage.server.by_name["root"]
  index = runnerfit_instance_storage.server.by_name["index"]
  arm   = var.architecture != null ? var.architecture == "arm64" : contains(data.runnerfit_instance_ebs.server[0].architectures, "arm64")
}

# For the image alone. Of a type that is not in the table, write the architecture.
data "runnerfit_instance_ebs" "server" {
  count = var.architecture == null ? 1 : 0

  instance_type = var.instance_type
}

data "aws_subnet" "server" {
  id = var.subnet_id
}

data "aws_ssm_parameter" "ami" {
  name = "/aws/service/ecs/optimized-ami/amazon-linux-2023/${local.arm ? "arm64/" : ""}recommended/image_id"
}

resource "aws_security_group" "instance" {
  name        = "${var.name}-instance"
  description = "Host of the cache server: no way in"
  vpc_id      = var.vpc_id
  tags        = local.tags
}

resource "aws_vpc_security_group_egress_rule" "instance" {
  security_group_id = aws_security_group.instance.id
  description       = "ECS, and the registry of the image"
  ip_protocol       = "tcp"
  from_port         = 443
  to_port           = 443
  cidr_ipv4         = "0.0.0.0/0"
  tags              = local.tags
}

# The index outlives the instance: without it, the entries in S3 are of no use.
resource "aws_ebs_volume" "index" {
  availability_zone = data.aws_subnet.server.availability_zone
  type              = local.index.type
  size              = local.index.size_gib
  iops              = local.index.iops
  throughput        = local.index.throughput_mib_per_s
  encrypted         = true
  kms_key_id        = var.kms_key_arn
  tags              = local.tags
}

resource "aws_instance" "server" {
  ami                         = nonsensitive(data.aws_ssm_parameter.ami.value)
  instance_type               = var.instance_type
  subnet_id                   = var.subnet_id
  vpc_security_group_ids      = [aws_security_group.instance.id]
  iam_instance_profile        = aws_iam_instance_profile.instance.name
  ebs_optimized               = true
  user_data_replace_on_change = true
  tags                        = local.tags

  user_data = join("\n", [
    "#!/bin/bash",
    "export INDEX_VOLUME_ID='${aws_ebs_volume.index.id}'",
    "export INDEX_DIRECTORY='/var/lib/actions-cache'",
    "export INDEX_CLUSTER='${aws_ecs_cluster.cache.name}'",
    file("${path.module}/templates/index-volume.sh"),
  ])

  metadata_options {
    http_endpoint               = "enabled"
    http_tokens                 = "required"
    http_put_response_hop_limit = 1
  }

  root_block_device {
    volume_type           = local.root.type
    volume_size           = local.root.size_gib
    iops                  = local.root.iops
    throughput            = local.root.throughput_mib_per_s
    encrypted             = true
    kms_key_id            = var.kms_key_arn
    delete_on_termination = true
    tags                  = local.tags
  }

  lifecycle {
    # A newer image is no reason to stop the cache. Replace the instance when it
    # suits you: terraform apply -replace=ADDRESS.
    ignore_changes = [ami]
  }

  # The ECS agent gives up for good if it may not register.
  depends_on = [aws_iam_role_policy.instance, aws_vpc_security_group_egress_rule.instance]
}

resource "aws_volume_attachment" "index" {
  device_name                    = "/dev/sdf"
  volume_id                      = aws_ebs_volume.index.id
  instance_id                    = aws_instance.server.id
  stop_instance_before_detaching = true
}
