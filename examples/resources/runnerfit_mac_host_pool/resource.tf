terraform {
  required_providers {
    runnerfit = {
      source = "runnerfit/runnerfit"
    }
  }
}

# The two guards compose: the storage predicts how long a host takes to be ready,
# and the pool judges what happens if that is too long.
resource "runnerfit_mac_host_storage" "host" {
  instance_type        = "mac2-m2pro.metal"
  grace_period_seconds = 600

  root {
    size_gib = 100
  }
  vmdata {
    size_gib = 750
  }
  images {
    count    = 2
    size_gib = 75
  }
}

resource "runnerfit_mac_host_pool" "hosts" {
  instance_type           = "mac2-m2pro.metal"
  desired_hosts           = 4
  max_hosts               = 10    # the quota
  auto_release_hosts      = false # m2pro is hard to get
  grace_period_seconds    = 600
  boot_to_ready_seconds   = runnerfit_mac_host_storage.host.boot_to_ready_seconds
  failed_launches_per_day = 2
}
# Warning: Additional Mac hosts are paid for until released by hand

output "verdict" {
  value = runnerfit_mac_host_pool.hosts.verdict
  # => "costly"
}

# Two failures a day cost one host, not two: the first is back for the second.
output "peak_hosts" {
  value = runnerfit_mac_host_pool.hosts.peak_hosts
  # => 5
}

output "exposure_usd_month" {
  value = runnerfit_mac_host_pool.hosts.exposure_usd_month
  # => 1138.8
}

# The quota never runs out at this rate.
output "hours_to_exhaustion" {
  value = runnerfit_mac_host_pool.hosts.hours_to_exhaustion
  # => null
}

# What a single needless replacement costs, because of the 24 hours.
output "minimum_allocation_usd" {
  value = runnerfit_mac_host_pool.hosts.minimum_allocation_usd
  # => 37.44
}
