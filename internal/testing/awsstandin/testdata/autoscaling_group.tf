data "aws_vpc" "default" {
  default = true
}

data "aws_subnets" "default" {
  filter {
    name   = "vpc-id"
    values = [data.aws_vpc.default.id]
  }
}

resource "aws_autoscaling_group" "mac" {
  name                      = "mac"
  min_size                  = 0
  max_size                  = 4
  vpc_zone_identifier       = data.aws_subnets.default.ids
  health_check_grace_period = 600

  launch_template {
    id      = aws_launch_template.mac.id
    version = aws_launch_template.mac.latest_version
  }

  initial_lifecycle_hook {
    name                 = "ready"
    lifecycle_transition = "autoscaling:EC2_INSTANCE_LAUNCHING"
    heartbeat_timeout    = 900
  }

  tag {
    key                 = "Name"
    value               = "mac"
    propagate_at_launch = true
  }
}

resource "aws_cloudwatch_metric_alarm" "short" {
  alarm_name          = "mac-short"
  comparison_operator = "LessThanThreshold"
  evaluation_periods  = 3
  namespace           = "AWS/AutoScaling"
  metric_name         = "GroupInServiceInstances"
  period              = 60
  statistic           = "Minimum"
  threshold           = 1
  dimensions          = { AutoScalingGroupName = aws_autoscaling_group.mac.name }
}
