terraform {
  required_providers {
    runnerfit = {
      source = "runnerfit/runnerfit"
    }
  }
}

# A cache server in the runners' network, with its entries on a gp3 volume. In the
# plan it says:
# Warning: Cache restores are bound by the server's instance
data "runnerfit_actions_cache" "ci" {
  entry_gib        = 1
  link_mbit_per_s  = 10000
  daily_upload_gib = 10

  server {
    instance_type = "m8a.xlarge"

    volume {
      size_gib             = 1000
      throughput_mib_per_s = 750
    }
  }
}

# From the volume, from memory, and from GitHub's hosted cache.
output "seconds" {
  value = {
    restore = data.runnerfit_actions_cache.ci.restore_seconds
    first   = data.runnerfit_actions_cache.ci.first_restore_seconds
    hosted  = data.runnerfit_actions_cache.ci.hosted_seconds
  }
  # => {
  #   restore = 6.87
  #   first   = 0.86
  #   hosted  = 53.69
  # }
}

output "bound_by" {
  value = data.runnerfit_actions_cache.ci.bound_by
  # => "instance"
}

# What would bind next, and from where on the link is the limit.
output "limits" {
  value = [for l in data.runnerfit_actions_cache.ci.limits : "${l.name}: ${floor(l.mib_per_s)} MiB/s"]
  # => [
  #   "instance: 149 MiB/s",
  #   "volume: 750 MiB/s",
  #   "link: 1192 MiB/s",
  #   "server: 2312 MiB/s",
  # ]
}

output "storage_gib" {
  value = data.runnerfit_actions_cache.ci.storage_gib
  # => 900
}
