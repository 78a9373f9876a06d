resource "aws_instance" "box" {
  ami           = "ami-00000000000000001"
  instance_type = "c5.xlarge"

  ebs_block_device {
    device_name = "/dev/sdf"
    volume_size = 100
    volume_type = "gp3"
    iops        = 16000
    throughput  = 1000
  }
}
