resource "aws_s3_bucket" "cache" {
  bucket_prefix = "actions-cache-"
}

resource "aws_s3_bucket_lifecycle_configuration" "cache" {
  bucket = aws_s3_bucket.cache.id

  rule {
    id     = "expire"
    status = "Enabled"

    filter {}

    expiration {
      days = 90
    }
  }
}

resource "aws_vpc_endpoint" "s3" {
  vpc_id          = data.aws_vpc.default.id
  service_name    = "com.amazonaws.eu-west-1.s3"
  route_table_ids = [data.aws_vpc.default.main_route_table_id]
}

resource "aws_ecs_cluster" "cache" {
  name = "actions-cache"
}

resource "aws_ecs_task_definition" "cache" {
  family                   = "actions-cache"
  requires_compatibilities = ["EC2"]
  container_definitions    = jsonencode([{ name = "cache", image = "cache:1", memory = 512, portMappings = [{ containerPort = 3000 }] }])
}

resource "aws_ecs_service" "cache" {
  name            = "actions-cache"
  cluster         = aws_ecs_cluster.cache.id
  task_definition = aws_ecs_task_definition.cache.arn
  desired_count   = 1
}
