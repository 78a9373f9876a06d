terraform {
  required_providers {
    runnerfit = {
      source = "runnerfit/runnerfit"
    }
  }
}

resource "runnerfit_instance_storage" "runner" {
  instance_type = "m8a.2xlarge"

  volume {
    name     = "root"
    size_gib = 40
  }

  volume {
    name                 = "docker"
    size_gib             = 100
    throughput_mib_per_s = 1000 # iops left out: the cheapest that carry it are filled in
  }
}

# For block_device_mappings. By name, so that a volume written before another
# does not shift the references.
output "docker" {
  value = {
    iops       = runnerfit_instance_storage.runner.by_name["docker"].iops
    throughput = runnerfit_instance_storage.runner.by_name["docker"].throughput_mib_per_s
  }
  # => {
  #   iops       = 4000
  #   throughput = 1000
  # }
}

# What is bought, and what of it the instance sustains and reaches in bursts.
output "throughput_mib_per_s" {
  value = {
    provisioned = runnerfit_instance_storage.runner.provisioned_throughput_mib_per_s
    sustained   = floor(runnerfit_instance_storage.runner.instance_throughput_mib_per_s)
    burst       = floor(runnerfit_instance_storage.runner.instance_burst_throughput_mib_per_s)
  }
  # => {
  #   provisioned = 1125
  #   sustained   = 298
  #   burst       = 1192
  # }
}

output "monthly_cost_usd" {
  value = runnerfit_instance_storage.runner.monthly_cost_usd
  # => 51.2
}

# Nothing here is wrong for jobs of half an hour, so the plan says nothing.
output "advice" {
  value = [for f in runnerfit_instance_storage.runner.findings : "${f.path}: ${f.rule}"]
  # => [
  #   "volume[0].throughput_mib_per_s: gp3-default-throughput",
  #   "volume[1].throughput_mib_per_s: instance-throughput",
  # ]
}
