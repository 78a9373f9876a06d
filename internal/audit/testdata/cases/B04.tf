resource "aws_launch_template" "nodes" {
  name_prefix = "nodes-"

  block_device_mappings {
    device_name = "/dev/xvda"
    ebs {
      volume_size = 150
      volume_type = "gp3"
      iops        = 3000
      throughput  = 1000
    }
  }
}
