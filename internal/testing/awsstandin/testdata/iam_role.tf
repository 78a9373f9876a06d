data "aws_caller_identity" "here" {}

data "aws_iam_policy_document" "assume" {
  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["ec2.amazonaws.com"]
    }
  }
}

data "aws_iam_policy_document" "runner" {
  statement {
    sid       = "Ready"
    actions   = ["autoscaling:CompleteLifecycleAction"]
    resources = ["arn:aws:autoscaling:*:${data.aws_caller_identity.here.account_id}:autoScalingGroup:*:autoScalingGroupName/mac"]
  }
}

resource "aws_iam_role" "runner" {
  name               = "mac-runner"
  assume_role_policy = data.aws_iam_policy_document.assume.json
}

resource "aws_iam_role_policy" "runner" {
  role   = aws_iam_role.runner.id
  policy = data.aws_iam_policy_document.runner.json
}

resource "aws_iam_instance_profile" "runner" {
  role = aws_iam_role.runner.name
}

output "policy" {
  value = jsondecode(data.aws_iam_policy_document.runner.json)
}
