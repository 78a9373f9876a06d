resource "aws_licensemanager_license_configuration" "eula" {
  name                     = "eula"
  license_counting_type    = "Core"
  license_count            = 10
  license_count_hard_limit = true
}

resource "aws_resourcegroups_group" "tagged" {
  name = "tagged-macs"

  resource_query {
    query = jsonencode({
      ResourceTypeFilters = ["AWS::EC2::Host"]
      TagFilters          = [{ Key = "Fleet", Values = ["mac"] }]
    })
  }
}

resource "aws_launch_template" "vmhost" {
  name_prefix   = "vmhost-"
  instance_type = "mac2.metal"

  block_device_mappings {
    device_name = "/dev/sda1"
    ebs {
      volume_size = 200
      volume_type = "gp3"
      iops        = 6000
      throughput  = 400
    }
  }

  placement {
    tenancy                 = "host"
    host_resource_group_arn = aws_resourcegroups_group.tagged.arn
  }
}
resource "aws_autoscaling_group" "vmhost" {
  name                      = "vmhost"
  min_size                  = 1
  max_size                  = 10
  vpc_zone_identifier       = ["subnet-00000000000000001"]
  health_check_grace_period = 600

  launch_template {
    id      = aws_launch_template.vmhost.id
    version = "$Latest"
  }

  instance_refresh {
    strategy = "Rolling"

    preferences {
      min_healthy_percentage = 100
    }
  }
}
