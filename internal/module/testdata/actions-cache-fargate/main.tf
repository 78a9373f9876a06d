locals {
  tags = merge(var.tags, { Name = var.name })
  port = 3000
  url  = "http://cache.${var.dns_namespace}:${local.port}"

  environment = {
    API_BASE_URL                  = local.url
    STORAGE_DRIVER                = "s3"
    STORAGE_S3_BUCKET             = aws_s3_bucket.entries.id
    AWS_REGION                    = data.aws_region.current.region
    ENABLE_DIRECT_DOWNLOADS       = tostring(var.direct_downloads)
    CACHE_CLEANUP_OLDER_THAN_DAYS = tostring(var.retention_days)
    DB_DRIVER                     = "postgres"
  }
}

data "aws_region" "current" {}

data "aws_caller_identity" "current" {}

# Entries. The server deletes them itself after retention_days without use; S3
# knows an object's age only, and would delete what is restored every day.
resource "aws_s3_bucket" "entries" {
  bucket_prefix = "${var.name}-"
  force_destroy = var.force_destroy
  tags          = local.tags
}

resource "aws_s3_bucket_public_access_block" "entries" {
  bucket                  = aws_s3_bucket.entries.id
  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}

resource "aws_s3_bucket_server_side_encryption_configuration" "entries" {
  bucket = aws_s3_bucket.entries.id

  rule {
    bucket_key_enabled = true

    apply_server_side_encryption_by_default {
      sse_algorithm     = var.kms_key_arn == null ? "AES256" : "aws:kms"
      kms_master_key_id = var.kms_key_arn
    }
  }
}

resource "aws_s3_bucket_lifecycle_configuration" "entries" {
  bucket = aws_s3_bucket.entries.id

  rule {
    id     = "uploads-that-were-given-up"
    status = "Enabled"

    filter {
      # The whole bucket.
    }

    abort_incomplete_multipart_upload {
      days_after_initiation = 1
    }
  }
}

resource "aws_s3_bucket_policy" "entries" {
  bucket = aws_s3_bucket.entries.id
  policy = data.aws_iam_policy_document.bucket.json

  # S3 refuses two changes of a bucket's access at a time.
  depends_on = [aws_s3_bucket_public_access_block.entries]
}

# The way to S3 that costs nothing: without it, every entry passes a NAT gateway.
resource "aws_vpc_endpoint" "s3" {
  count = length(var.route_table_ids) > 0 ? 1 : 0

  vpc_id            = var.vpc_id
  vpc_endpoint_type = "Gateway"
  service_name      = "com.amazonaws.${data.aws_region.current.region}.s3"
  route_table_ids   = var.route_table_ids
  tags              = local.tags
}

# cache.ZONE, which ECS keeps at the addresses of the tasks that run.
resource "aws_service_discovery_private_dns_namespace" "cache" {
  name = var.dns_namespace
  vpc  = var.vpc_id
  tags = local.tags
}

resource "aws_service_discovery_service" "cache" {
  name = "cache"
  tags = local.tags

  dns_config {
    namespace_id   = aws_service_discovery_private_dns_namespace.cache.id
    routing_policy = "MULTIVALUE"

    dns_records {
      type = "A"
      ttl  = 10
    }
  }
}

resource "aws_security_group" "server" {
  name        = "${var.name}-server"
  description = "Cache server: in come runners only"
  vpc_id      = var.vpc_id
  tags        = local.tags
}

resource "aws_vpc_security_group_ingress_rule" "runners" {
  for_each = var.runner_security_group_ids

  security_group_id            = aws_security_group.server.id
  description                  = "Runners: ${each.key}"
  ip_protocol                  = "tcp"
  from_port                    = local.port
  to_port                      = local.port
  referenced_security_group_id = each.value
  tags                         = local.tags
}

resource "aws_vpc_security_group_egress_rule" "https" {
  security_group_id = aws_security_group.server.id
  description       = "S3, and the keys that GitHub signs tokens with"
  ip_protocol       = "tcp"
  from_port         = 443
  to_port           = 443
  cidr_ipv4         = "0.0.0.0/0"
  tags              = local.tags
}

resource "aws_vpc_security_group_egress_rule" "database" {
  security_group_id            = aws_security_group.server.id
  description                  = "The index in PostgreSQL"
  ip_protocol                  = "tcp"
  from_port                    = 5432
  to_port                      = 5432
  referenced_security_group_id = var.database_security_group_id
  tags                         = local.tags
}

resource "aws_cloudwatch_log_group" "server" {
  name              = "/ecs/${var.name}"
  retention_in_days = var.log_retention_days
  tags              = local.tags
}

resource "aws_ecs_cluster" "cache" {
  name = var.name
  tags = local.tags
}

# Any user may run the server, so nobody in particular does.
resource "aws_ecs_task_definition" "server" {
  family                   = var.name
  requires_compatibilities = ["FARGATE"]
  cpu                      = var.cpu_units
  memory                   = var.memory_mib
  network_mode             = "awsvpc"
  task_role_arn            = aws_iam_role.server.arn
  execution_role_arn       = aws_iam_role.execution.arn
  tags                     = local.tags

  container_definitions = jsonencode([{
    name                   = "server"
    image                  = var.image
    essential              = true
    user                   = "1000:1000"
    readonlyRootFilesystem = true
    portMappings           = [{ containerPort = local.port, hostPort = local.port, protocol = "tcp" }]
    environment            = [for k, v in local.environment : { name = k, value = v }]
    secrets                = [{ name = "DB_POSTGRES_URL", valueFrom = var.database_url_secret_arn }]
    logConfiguration = {
      logDriver = "awslogs"
      options = {
        awslogs-group         = aws_cloudwatch_log_group.server.name
        awslogs-region        = data.aws_region.current.region
        awslogs-stream-prefix = "server"
      }
    }
  }])
}

resource "aws_ecs_service" "server" {
  name            = var.name
  cluster         = aws_ecs_cluster.cache.arn
  task_definition = aws_ecs_task_definition.server.arn
  desired_count   = var.replicas
  launch_type     = "FARGATE"
  propagate_tags  = "SERVICE"
  tags            = local.tags

  network_configuration {
    subnets          = var.subnet_ids
    security_groups  = [aws_security_group.server.id]
    assign_public_ip = false
  }

  service_registries {
    registry_arn = aws_service_discovery_service.cache.arn
  }

  # A task that starts before its roles may do something fails.
  depends_on = [aws_iam_role_policy.execution, aws_iam_role_policy.server]
}
