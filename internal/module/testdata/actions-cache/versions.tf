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
