# A Mac is bare metal, where CloudWatch has no InstanceEBS…ExceededCheck: what both
# volumes move together is added up here and compared with the instance's ceiling.

# What one volume does, and both together, on the hosts that are watched.
resource "aws_cloudwatch_metric_alarm" "shared_budget" {
  for_each = runnerfit_mac_host_storage.host.instance_throughput_mib_per_s == null ? {} : var.watched_hosts

  alarm_name          = "${var.name}-${each.key}-shared-budget"
  alarm_description   = "Root and VMData together are at 90 % of the ${floor(runnerfit_mac_host_storage.host.instance_throughput_mib_per_s)} MiB/s that ${var.instance_type} carries: a faster volume would not help."
  comparison_operator = "GreaterThanThreshold"
  threshold           = 0.9 * runnerfit_mac_host_storage.host.instance_throughput_mib_per_s
  evaluation_periods  = 5
  treat_missing_data  = "notBreaching"
  alarm_actions       = var.alarm_topic_arns
  ok_actions          = var.alarm_topic_arns
  tags                = local.tags

  metric_query {
    id    = "m1"
    label = "root VolumeReadBytes"

    metric {
      namespace   = "AWS/EBS"
      metric_name = "VolumeReadBytes"
      period      = 60
      stat        = "Sum"
      dimensions  = { VolumeId = each.value.root_volume_id }
    }
  }

  metric_query {
    id    = "m2"
    label = "root VolumeWriteBytes"

    metric {
      namespace   = "AWS/EBS"
      metric_name = "VolumeWriteBytes"
      period      = 60
      stat        = "Sum"
      dimensions  = { VolumeId = each.value.root_volume_id }
    }
  }

  metric_query {
    id    = "m3"
    label = "vmdata VolumeReadBytes"

    metric {
      namespace   = "AWS/EBS"
      metric_name = "VolumeReadBytes"
      period      = 60
      stat        = "Sum"
      dimensions  = { VolumeId = each.value.vmdata_volume_id }
    }
  }

  metric_query {
    id    = "m4"
    label = "vmdata VolumeWriteBytes"

    metric {
      namespace   = "AWS/EBS"
      metric_name = "VolumeWriteBytes"
      period      = 60
      stat        = "Sum"
      dimensions  = { VolumeId = each.value.vmdata_volume_id }
    }
  }

  metric_query {
    id          = "mib_per_s"
    label       = "MiB/s of both volumes"
    return_data = true
    expression  = "(m1 + m2 + m3 + m4) / PERIOD(m1) / 1048576"
  }
}

resource "aws_cloudwatch_metric_alarm" "root_throughput" {
  for_each = var.watched_hosts

  alarm_name          = "${var.name}-${each.key}-root-throughput"
  alarm_description   = "The root volume is at the throughput it is provisioned with, for longer than a boot takes."
  comparison_operator = "GreaterThanOrEqualToThreshold"
  threshold           = 1
  evaluation_periods  = 15
  treat_missing_data  = "notBreaching"
  alarm_actions       = var.alarm_topic_arns
  ok_actions          = var.alarm_topic_arns
  tags                = local.tags
  namespace           = "AWS/EBS"
  metric_name         = "VolumeThroughputExceededCheck"
  statistic           = "Maximum"
  period              = 60
  dimensions          = { VolumeId = each.value.root_volume_id, InstanceId = each.key }
}

resource "aws_cloudwatch_metric_alarm" "vmdata_throughput" {
  for_each = var.watched_hosts

  alarm_name          = "${var.name}-${each.key}-vmdata-throughput"
  alarm_description   = "VMData is at the throughput it is provisioned with, for longer than a pull takes."
  comparison_operator = "GreaterThanOrEqualToThreshold"
  threshold           = 1
  evaluation_periods  = 15
  treat_missing_data  = "notBreaching"
  alarm_actions       = var.alarm_topic_arns
  ok_actions          = var.alarm_topic_arns
  tags                = local.tags
  namespace           = "AWS/EBS"
  metric_name         = "VolumeThroughputExceededCheck"
  statistic           = "Maximum"
  period              = 60
  dimensions          = { VolumeId = each.value.vmdata_volume_id, InstanceId = each.key }
}

resource "aws_cloudwatch_metric_alarm" "vmdata_iops" {
  for_each = var.watched_hosts

  alarm_name          = "${var.name}-${each.key}-vmdata-iops"
  alarm_description   = "VMData is at the IOPS it is provisioned with: builds wait for the disk."
  comparison_operator = "GreaterThanOrEqualToThreshold"
  threshold           = 1
  evaluation_periods  = 15
  treat_missing_data  = "notBreaching"
  alarm_actions       = var.alarm_topic_arns
  ok_actions          = var.alarm_topic_arns
  tags                = local.tags
  namespace           = "AWS/EBS"
  metric_name         = "VolumeIOPSExceededCheck"
  statistic           = "Maximum"
  period              = 60
  dimensions          = { VolumeId = each.value.vmdata_volume_id, InstanceId = each.key }
}

# Hosts that scrub, or are kept for their 24 hours, are billed and run nothing. The
# hosts themselves count how many are allocated.
resource "aws_cloudwatch_metric_alarm" "hosts_above_desired" {
  alarm_name          = "${var.name}-hosts-above-desired"
  alarm_description   = "More hosts are allocated than desired for an hour: launches fail, or hosts are not released."
  comparison_operator = "GreaterThanThreshold"
  threshold           = 0
  evaluation_periods  = 12
  treat_missing_data  = "notBreaching"
  alarm_actions       = var.alarm_topic_arns
  ok_actions          = var.alarm_topic_arns
  tags                = local.tags

  metric_query {
    id    = "allocated"
    label = "hosts allocated"

    metric {
      namespace   = local.metric_namespace
      metric_name = "AllocatedHosts"
      period      = 300
      stat        = "Maximum"
      dimensions  = { AutoScalingGroupName = aws_autoscaling_group.hosts.name }
    }
  }

  metric_query {
    id    = "desired"
    label = "hosts desired"

    metric {
      namespace   = "AWS/AutoScaling"
      metric_name = "GroupDesiredCapacity"
      period      = 300
      stat        = "Maximum"
      dimensions  = { AutoScalingGroupName = aws_autoscaling_group.hosts.name }
    }
  }

  metric_query {
    id          = "above"
    label       = "hosts above desired"
    return_data = true
    expression  = "allocated - desired"
  }
}

resource "aws_cloudwatch_metric_alarm" "wasted_host_days" {
  alarm_name          = "${var.name}-wasted-host-days"
  alarm_description   = "More than one host was paid for all of a day without being desired. A host-day costs ${coalesce(runnerfit_mac_host_pool.hosts.minimum_allocation_usd, 0)} US dollars (0: price not known)."
  comparison_operator = "GreaterThanThreshold"
  threshold           = 1
  evaluation_periods  = 1
  treat_missing_data  = "notBreaching"
  alarm_actions       = var.alarm_topic_arns
  ok_actions          = var.alarm_topic_arns
  tags                = local.tags

  metric_query {
    id    = "allocated"
    label = "hosts allocated"

    metric {
      namespace   = local.metric_namespace
      metric_name = "AllocatedHosts"
      period      = 86400
      stat        = "Average"
      dimensions  = { AutoScalingGroupName = aws_autoscaling_group.hosts.name }
    }
  }

  metric_query {
    id    = "desired"
    label = "hosts desired"

    metric {
      namespace   = "AWS/AutoScaling"
      metric_name = "GroupDesiredCapacity"
      period      = 86400
      stat        = "Average"
      dimensions  = { AutoScalingGroupName = aws_autoscaling_group.hosts.name }
    }
  }

  metric_query {
    id          = "host_days"
    label       = "host-days of waste"
    return_data = true
    expression  = "allocated - desired"
  }
}

resource "aws_cloudwatch_metric_alarm" "short_of_hosts" {
  alarm_name          = "${var.name}-short-of-hosts"
  alarm_description   = "Fewer hosts are in service than desired for an hour."
  comparison_operator = "GreaterThanThreshold"
  threshold           = 0
  evaluation_periods  = 12
  treat_missing_data  = "notBreaching"
  alarm_actions       = var.alarm_topic_arns
  ok_actions          = var.alarm_topic_arns
  tags                = local.tags

  metric_query {
    id    = "desired"
    label = "hosts desired"

    metric {
      namespace   = "AWS/AutoScaling"
      metric_name = "GroupDesiredCapacity"
      period      = 300
      stat        = "Maximum"
      dimensions  = { AutoScalingGroupName = aws_autoscaling_group.hosts.name }
    }
  }

  metric_query {
    id    = "in_service"
    label = "hosts in service"

    metric {
      namespace   = "AWS/AutoScaling"
      metric_name = "GroupInServiceInstances"
      period      = 300
      stat        = "Minimum"
      dimensions  = { AutoScalingGroupName = aws_autoscaling_group.hosts.name }
    }
  }

  metric_query {
    id          = "missing"
    label       = "hosts missing"
    return_data = true
    expression  = "desired - in_service"
  }
}
