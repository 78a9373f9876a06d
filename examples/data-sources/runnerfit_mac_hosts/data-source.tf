# Needs AWS credentials.

terraform {
  required_providers {
    runnerfit = {
      source = "runnerfit/runnerfit"
    }
  }
}

data "runnerfit_mac_hosts" "ci" {
  tags = { team = "ci" }
}

# Hosts that have been idle for half a day and may go now.
output "release_these" {
  value = [for h in data.runnerfit_mac_hosts.ci.hosts : h.host_id if h.releasable && h.hours_idle > 12]
  # => ["h-0123456789abcdef1"]
}

output "earliest_release" {
  value = { for h in data.runnerfit_mac_hosts.ci.hosts : h.host_id => h.releasable_at if !h.releasable && h.instance_id == null }
  # => { "h-0123456789abcdef2" = "2026-12-01T10:34:56Z" }
}

output "cost_to_date_usd" {
  value = data.runnerfit_mac_hosts.ci.cost_to_date_usd
  # => 252.72
}
