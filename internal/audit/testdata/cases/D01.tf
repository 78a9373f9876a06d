resource "aws_launch_template" "agent" {
  name_prefix = "agent-"

  block_device_mappings {
    device_name = "/dev/xvda"
    ebs {
      volume_size = 250
      volume_type = "gp3"
      iops        = 3000
      throughput  = 125
    }
  }
}
