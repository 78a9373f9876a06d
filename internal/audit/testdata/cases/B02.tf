variable "throughput" {
  type    = number
  default = 900

  validation {
    condition     = var.throughput >= 125 && var.throughput <= 1000
    error_message = "125 to 1000."
  }
}

resource "aws_launch_template" "runner" {
  name_prefix = "runner-"

  block_device_mappings {
    device_name = "/dev/xvda"
    ebs {
      volume_size = 40
      volume_type = "gp3"
      throughput  = var.throughput
    }
  }
}
