resource "aws_ec2_host" "unit" {
  instance_type     = "mac2-m2.metal"
  availability_zone = "us-east-1a"
}

resource "aws_instance" "unit" {
  ami           = "ami-00000000000000001"
  instance_type = "mac2-m2.metal"
  host_id       = aws_ec2_host.unit.id

  root_block_device {
    volume_size = 500
    volume_type = "gp3"
    iops        = 4000
    throughput  = 1000
  }
}
