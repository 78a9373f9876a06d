resource "aws_ebs_volume" "a" {
  availability_zone = "us-east-1a"
  size              = 4
  type              = "gp3"
  iops              = 3000
}

resource "aws_ebs_volume" "b" {
  availability_zone = "us-east-1a"
  size              = 1
  type              = "gp3"
  iops              = 3000
}
