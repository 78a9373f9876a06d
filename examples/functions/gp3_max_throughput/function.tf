terraform {
  required_providers {
    runnerfit = {
      source = "runnerfit/runnerfit"
    }
  }
}

# An untouched gp3 volume: the most throughput without paying for IOPS.
output "free" {
  value = provider::runnerfit::gp3_max_throughput(3000)
  # => 750
}

# 16,000 IOPS carry far more than the 400 MiB/s they are often paired with.
output "paired" {
  value = provider::runnerfit::gp3_max_throughput(16000)
  # => 2000
}
