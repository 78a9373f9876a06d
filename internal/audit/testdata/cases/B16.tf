# What is left after a change from gp2, which gave up to 250 MiB/s.
resource "aws_ebs_volume" "moved" {
  availability_zone = "us-east-1a"
  size              = 500
  type              = "gp3"
}
