resource "aws_ec2_host" "big" {
  instance_type     = "mac2-m2pro.metal"
  availability_zone = "us-east-1a"
}

resource "aws_instance" "big" {
  ami           = "ami-00000000000000001"
  instance_type = "mac2-m2pro.metal"
  host_id       = aws_ec2_host.big.id

  root_block_device {
    volume_size = 500
    volume_type = "gp3"
  }
}
