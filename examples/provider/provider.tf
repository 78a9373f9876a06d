terraform {
  required_providers {
    runnerfit = {
      source  = "runnerfit/runnerfit"
      version = ">= 0.1"
    }
  }
}

# Everything here is optional: without a provider block, prices are those of us-east-1.
provider "runnerfit" {
  region = "eu-west-1"

  ignore_rules = {
    "gp3-iops-unneeded" = "measured in October: the load is many small reads"
  }

  prices {
    mac_host_hour_usd = {
      "mac2-m2pro.metal" = 1.32 # with our savings plan
    }
  }
}
