resource "aws_ebs_volume" "cache" {
  availability_zone = "eu-west-1a"
  size              = 200
  type              = "gp3"
  iops              = 4000
  throughput        = 1000
  encrypted         = true
  tags              = { Name = "cache" }
}

output "volume_tags" {
  value = aws_ebs_volume.cache.tags_all
}
