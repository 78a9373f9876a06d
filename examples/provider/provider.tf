terraform {
  required_providers {
    runnerfit = {
      source  = "runnerfit/runnerfit"
      version = ">= 0.1"
    }
  }
}

# Everything in it is optional. Without a provider block, prices are those of
# us-east-1 and no rule is ignored.
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

# Prices in results are now those of eu-west-1 …
data "runnerfit_gp3_volume" "root" {
  size_gib             = 100
  throughput_mib_per_s = 750
}

output "monthly_cost_usd" {
  value = data.runnerfit_gp3_volume.root.monthly_cost_usd
  # => 36.3
}

# … and this one is ours.
data "runnerfit_instances" "m2pro" {
  family_prefix = "mac2-m2pro."
}

output "host_hour_usd" {
  value = data.runnerfit_instances.m2pro.instances[0].hourly_price_usd
  # => 1.32
}
