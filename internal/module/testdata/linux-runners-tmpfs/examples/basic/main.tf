# Runners in a VPC that is there already. Write your own id.

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

module "runners" {
  source = "../.."

  vpc_id = "vpc-0123456789abcdef0"

  tags = { team = "platform" }
}

output "launch_template_id" {
  value = module.runners.launch_template_id
}

output "root_volume" {
  value = module.runners.root_volume
}

output "findings" {
  value = module.runners.findings
}
