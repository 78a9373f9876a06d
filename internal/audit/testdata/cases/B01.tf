resource "aws_launch_template" "runner" {
  name_prefix = "runner-"

  block_device_mappings {
    device_name = "/dev/xvda"
    ebs {
      volume_size = 40
      volume_type = "gp3"
      iops        = 3000
      throughput  = 1000
    }
  }
}
