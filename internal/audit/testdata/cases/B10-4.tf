resource "aws_launch_template" "f" {
  name_prefix = "f-"

  block_device_mappings {
    device_name = "/dev/xvda"
    ebs {
      volume_size = 50
      volume_type = "gp3"
      iops        = 3000.5
      throughput  = 125
    }
  }
}
