terraform {
  required_providers {
    runnerfit = {
      source = "runnerfit/runnerfit"
    }
  }
}

variable "instance_type" {
  type    = string
  default = "m8a.xlarge"
}

locals {
  ceiling = provider::runnerfit::ebs_ceiling(var.instance_type)
}

output "ceiling" {
  value = local.ceiling
  # => {
  #   known                      = true
  #   bandwidth_mbit_per_s       = 1250
  #   throughput_mb_per_s        = 156.25
  #   throughput_mib_per_s       = 149.01161193847656
  #   iops                       = 6000
  #   burst_bandwidth_mbit_per_s = 10000
  #   burst_throughput_mb_per_s  = 1250
  #   burst_throughput_mib_per_s = 1192.0928955078125
  #   burst_iops                 = 40000
  #   can_burst                  = true
  #   as_of                      = "2026-08-02"
  # }
}

# The largest gp3 setting that this instance can use all day. A type that is
# not in the table has no figures, so say what then.
output "largest_useful_throughput" {
  value = local.ceiling.known ? floor(local.ceiling.throughput_mib_per_s) : null
  # => 149
}
