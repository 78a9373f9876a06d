# What a host may do: read its images, look at its volumes, signal, report.

data "aws_caller_identity" "current" {}

data "aws_partition" "current" {}

locals {
  group_arn = "arn:${data.aws_partition.current.partition}:autoscaling:${data.aws_region.current.region}:${data.aws_caller_identity.current.account_id}:autoScalingGroup:*:autoScalingGroupName/${var.name}"
  image_arns = [
    for u in var.image_urls : "arn:${data.aws_partition.current.partition}:s3:::${trimprefix(u, "s3://")}" if startswith(u, "s3://")
  ]
}

data "aws_iam_policy_document" "assume" {
  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["ec2.${data.aws_partition.current.dns_suffix}"]
    }
  }
}

data "aws_iam_policy_document" "host" {
  # These know no resource.
  statement {
    sid       = "Look"
    actions   = ["autoscaling:DescribeAutoScalingInstances", "ec2:DescribeVolumes"]
    resources = ["*"]

    condition {
      test     = "StringEquals"
      variable = "aws:RequestedRegion"
      values   = [data.aws_region.current.region]
    }
  }

  statement {
    sid       = "SignalReadiness"
    actions   = ["autoscaling:CompleteLifecycleAction"]
    resources = [local.group_arn]
  }

  statement {
    sid       = "CountHosts"
    actions   = ["resource-groups:ListGroupResources"]
    resources = [aws_resourcegroups_group.hosts.arn]
  }

  statement {
    sid       = "Report"
    actions   = ["cloudwatch:PutMetricData"]
    resources = ["*"]

    condition {
      test     = "StringEquals"
      variable = "cloudwatch:namespace"
      values   = [local.metric_namespace]
    }
  }

  dynamic "statement" {
    for_each = length(local.image_arns) > 0 ? [local.image_arns] : []

    content {
      sid       = "PullImages"
      actions   = ["s3:GetObject"]
      resources = statement.value
    }
  }
}

resource "aws_iam_role" "host" {
  name_prefix        = "${var.name}-"
  description        = "Mac runner hosts."
  assume_role_policy = data.aws_iam_policy_document.assume.json
  tags               = local.tags
}

resource "aws_iam_role_policy" "host" {
  name   = var.name
  role   = aws_iam_role.host.id
  policy = data.aws_iam_policy_document.host.json
}

resource "aws_iam_role_policy_attachment" "session_manager" {
  count = var.enable_session_manager ? 1 : 0

  role       = aws_iam_role.host.name
  policy_arn = "arn:${data.aws_partition.current.partition}:iam::aws:policy/AmazonSSMManagedInstanceCore"
}

resource "aws_iam_instance_profile" "host" {
  name_prefix = "${var.name}-"
  role        = aws_iam_role.host.name
  tags        = local.tags
}
