terraform {
  required_providers {
    runnerfit = {
      source = "runnerfit/runnerfit"
    }
  }
}

data "runnerfit_instance_ebs" "runner" {
  instance_type = "m8a.xlarge"
}

# What the instance holds all day, and what it reaches for half an hour.
output "throughput_mib_per_s" {
  value = {
    sustained = data.runnerfit_instance_ebs.runner.throughput_mib_per_s
    burst     = data.runnerfit_instance_ebs.runner.burst_throughput_mib_per_s
  }
  # => {
  #   sustained = 149.01161193847656
  #   burst     = 1192.0928955078125
  # }
}

output "iops" {
  value = {
    sustained = data.runnerfit_instance_ebs.runner.iops
    burst     = data.runnerfit_instance_ebs.runner.burst_iops
  }
  # => {
  #   sustained = 6000
  #   burst     = 40000
  # }
}

output "machine" {
  value = "${data.runnerfit_instance_ebs.runner.vcpus} vCPUs, ${data.runnerfit_instance_ebs.runner.memory_gib} GiB, as of ${data.runnerfit_instance_ebs.runner.as_of}"
  # => "4 vCPUs, 16 GiB, as of 2026-08-02"
}

# Parallel sequential readers that it takes at least to use the maximum.
output "min_streams" {
  value = data.runnerfit_instance_ebs.runner.min_streams
  # => 8
}
