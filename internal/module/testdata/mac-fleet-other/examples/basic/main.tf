# The least that a fleet needs. Write your own image, subnets and URLs.

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

provider "runnerfit" {
  region = "us-east-1"
}

module "fleet" {
  source = "../.."

  ami_id     = "ami-0123456789abcdef0"
  subnet_ids = ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"]
  image_urls = [
    "s3://example-vm-images/macos-1.tar.zst",
  ]

  tags = { team = "ci" }
}

output "start_up_seconds" {
  value = {
    predicted = module.fleet.boot_to_ready_seconds
    allowed   = module.fleet.allowed_seconds
  }
}

output "monthly_cost_usd" {
  value = module.fleet.monthly_cost_usd
}
