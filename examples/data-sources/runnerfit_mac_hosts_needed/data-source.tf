terraform {
  required_providers {
    runnerfit = {
      source = "runnerfit/runnerfit"
    }
  }
}

# Six builds of half an hour arrive each hour, and each gets a fresh instance.
data "runnerfit_mac_hosts_needed" "instances" {
  instance_type = "mac2-m2pro.metal"
  jobs_per_hour = 6
  job_minutes   = 30
}

# The scrub takes longer than the build.
output "hosts" {
  value = data.runnerfit_mac_hosts_needed.instances.hosts
  # => 18
}

output "monthly_cost_usd" {
  value = data.runnerfit_mac_hosts_needed.instances.monthly_cost_usd
  # => 20498.4
}

# The same load in two nested VMs a host: a fresh VM instead of a fresh instance.
data "runnerfit_mac_hosts_needed" "vms" {
  instance_type = "mac2-m2pro.metal"
  jobs_per_hour = 6
  job_minutes   = 30
  vms_per_host  = 2
}

output "hosts_with_vms" {
  value = data.runnerfit_mac_hosts_needed.vms.hosts
  # => 2
}

# Nobody builds at the weekend. Is it worth releasing the hosts?
data "runnerfit_mac_hosts_needed" "weekend" {
  instance_type  = "mac2.metal"
  idle_gap_hours = 62
  use_hours      = 10
}

output "weekend" {
  value = {
    keep    = data.runnerfit_mac_hosts_needed.weekend.keep_cost_usd
    release = data.runnerfit_mac_hosts_needed.weekend.release_cost_usd
    cheaper = data.runnerfit_mac_hosts_needed.weekend.cheaper
  }
  # => {
  #   keep    = 46.8
  #   release = 15.6
  #   cheaper = "release"
  # }
}

# What is a build on a faster Mac? Without a gap, keep_cost_usd is the price of one build
# on a host that is never idle, and release_cost_usd that of the day's only build.
data "runnerfit_mac_hosts_needed" "build" {
  for_each = {
    "mac2.metal"       = 55
    "mac2-m2pro.metal" = 30
  }

  instance_type  = each.key
  idle_gap_hours = 0
  use_hours      = each.value / 60
}

output "cost_per_build_usd" {
  value = { for type, build in data.runnerfit_mac_hosts_needed.build : type => [build.keep_cost_usd, build.release_cost_usd] }
  # => {
  #   "mac2-m2pro.metal" = [0.78, 37.44]
  #   "mac2.metal"       = [0.6, 15.6]
  # }
}
