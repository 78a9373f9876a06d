resource "aws_ec2_host" "only" {
  instance_type     = "mac2.metal"
  availability_zone = "us-east-1a"
}

resource "aws_instance" "only" {
  ami           = "ami-00000000000000001"
  instance_type = "mac2.metal"
  host_id       = aws_ec2_host.only.id

  root_block_device {
    volume_size = 100
    volume_type = "gp3"
  }
}
