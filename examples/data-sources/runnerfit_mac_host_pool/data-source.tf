terraform {
  required_providers {
    runnerfit = {
      source = "runnerfit/runnerfit"
    }
  }
}

# Hosts that do not come back after a failed launch: two a day, of a quota of ten.
data "runnerfit_mac_host_pool" "stuck" {
  instance_type           = "mac2-m2pro.metal"
  desired_hosts           = 4
  max_hosts               = 10
  auto_release_hosts      = true
  failed_launches_per_day = 2
  failed_hosts_return     = false
}

output "verdict" {
  value = data.runnerfit_mac_host_pool.stuck.verdict
  # => "exhausts"
}

output "hours_to_exhaustion" {
  value = data.runnerfit_mac_host_pool.stuck.hours_to_exhaustion
  # => 72
}

# The end of each day.
output "days" {
  value = [for h in data.runnerfit_mac_host_pool.stuck.timeline : {
    hour         = h.hour
    in_use       = h.hosts_in_use
    cost_to_date = h.cost_to_date_usd
  } if h.hour % 24 == 0]
  # => [
  #   { hour = 24, in_use = 6, cost_to_date = 168.48 },
  #   { hour = 48, in_use = 8, cost_to_date = 411.84 },
  #   { hour = 72, in_use = 10, cost_to_date = 730.08 },
  # ]
}

# Findings are data here: none of them stops a plan.
output "findings" {
  value = [for f in data.runnerfit_mac_host_pool.stuck.findings : "${f.severity}, ${f.rule}"]
  # => ["warning, host-pool-exhaustion"]
}
