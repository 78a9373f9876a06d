# A cache for the runners of one VPC. Write your own ids.

terraform {
  required_version = ">= 1.8"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.0"
    }
    runnerfit = {
      source  = "runnerfit/runnerfit"
      version = ">= 0.1"
    }
  }
}

provider "aws" {
  region = "us-east-1"
}

module "cache" {
  source = "../.."

  vpc_id                     = "vpc-0123456789abcdef0"
  subnet_ids                 = ["subnet-0123456789abcdef0"]
  database_url_secret_arn    = "arn:aws:secretsmanager:us-east-1:123456789012:secret:actions-cache-AbCdEf"
  database_security_group_id = "sg-0fedcba9876543210"
  route_table_ids            = ["rtb-0123456789abcdef0"]
  runner_security_group_ids  = { linux = "sg-0123456789abcdef0" }

  tags = { team = "platform" }
}

output "actions_results_url" {
  value = module.cache.actions_results_url
}

output "restore_seconds" {
  value = module.cache.restore_seconds
}

output "storage_gib" {
  value = module.cache.storage_gib
}

output "findings" {
  value = module.cache.findings
}
