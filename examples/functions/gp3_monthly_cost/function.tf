terraform {
  required_providers {
    runnerfit = {
      source = "runnerfit/runnerfit"
    }
  }
}

# 400 MiB/s at 10,000 IOPS, a pairing that is often recommended …
output "often_seen" {
  value = provider::runnerfit::gp3_monthly_cost(100, 10000, 400, "us-east-1")
  # => 54
}

# … against 750 MiB/s at the IOPS that are free.
output "better" {
  value = provider::runnerfit::gp3_monthly_cost(100, null, 750, "us-east-1")
  # => 33
}

# Storage alone: null stands for what is free.
output "untouched" {
  value = provider::runnerfit::gp3_monthly_cost(100, null, null, null)
  # => 8
}

# A Region whose prices are not in the table gives null, not 0.
output "not_known" {
  value = provider::runnerfit::gp3_monthly_cost(100, null, null, "cn-north-1")
  # => null
}
