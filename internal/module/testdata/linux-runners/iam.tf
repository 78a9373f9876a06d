data "aws_iam_policy_document" "assume" {
  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["ec2.amazonaws.com"]
    }
  }
}

# The role has no permissions but those in policy_arns: every job has them, too.
resource "aws_iam_role" "runner" {
  name               = var.name
  assume_role_policy = data.aws_iam_policy_document.assume.json
  tags               = local.tags
}

resource "aws_iam_role_policy_attachment" "runner" {
  for_each = var.policy_arns

  role       = aws_iam_role.runner.name
  policy_arn = each.value
}

resource "aws_iam_instance_profile" "runner" {
  name = var.name
  role = aws_iam_role.runner.name
  tags = local.tags
}

# What GitLab's runner manager needs for this group and no other.
data "aws_iam_policy_document" "fleeting_manager" {
  count = var.gitlab_fleeting == null ? 0 : 1

  statement {
    sid       = "Scale"
    actions   = ["autoscaling:SetDesiredCapacity", "autoscaling:TerminateInstanceInAutoScalingGroup"]
    resources = [aws_autoscaling_group.fleeting[0].arn]
  }

  statement {
    sid     = "Look"
    actions = ["autoscaling:DescribeAutoScalingGroups", "autoscaling:DescribeAutoScalingInstances", "ec2:DescribeInstances"]
    # These actions know no resources.
    resources = ["*"]
  }

  statement {
    sid       = "Connect"
    actions   = ["ec2-instance-connect:SendSSHPublicKey"]
    resources = ["arn:${data.aws_partition.current.partition}:ec2:${data.aws_region.current.region}:${data.aws_caller_identity.current.account_id}:instance/*"]

    condition {
      test     = "StringEquals"
      variable = "ec2:ResourceTag/aws:autoscaling:groupName"
      values   = [var.name]
    }
  }
}

data "aws_partition" "current" {}

data "aws_region" "current" {}

data "aws_caller_identity" "current" {}
