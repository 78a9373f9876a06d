resource "aws_instance" "box" {
  ami           = "ami-00000000000000001"
  instance_type = "c6gd.2xlarge"

  ebs_block_device {
    device_name = "/dev/sdf"
    volume_size = 3500
    volume_type = "gp3"
    iops        = 12000
    throughput  = 1000
  }
}
