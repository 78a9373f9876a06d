terraform {
  required_providers {
    runnerfit = {
      source = "runnerfit/runnerfit"
    }
  }
}

# A demand: 1,000 MiB/s on an EC2 Mac.
data "runnerfit_gp3_volume" "vmdata" {
  size_gib             = 100
  throughput_mib_per_s = 1000
  instance_type        = "mac2-m2pro.metal"
}

# What to write: in aws_ebs_volume, iops and throughput.
output "settings" {
  value = data.runnerfit_gp3_volume.vmdata.settings
  # => {
  #   iops                 = 3812
  #   throughput_mib_per_s = 953
  # }
}

output "why_not_more" {
  value = data.runnerfit_gp3_volume.vmdata.bound_by
  # => "instance"
}

output "monthly_cost_usd" {
  value = data.runnerfit_gp3_volume.vmdata.monthly_cost_usd
  # => 45.18
}

# Where the cost curve bends: the next step down may be the better buy.
output "alternatives" {
  value = [for a in data.runnerfit_gp3_volume.vmdata.alternatives : "${a.throughput_mib_per_s} MiB/s at ${a.iops} IOPS: ${a.monthly_cost_usd} USD, ${a.why}"]
  # => [
  #   "125 MiB/s at 3000 IOPS: 8 USD, the free baseline",
  #   "750 MiB/s at 3000 IOPS: 33 USD, the most throughput that these IOPS carry",
  #   "953 MiB/s at 3812 IOPS: 45.18 USD, all that the instance can carry",
  # ]
}

# A budget instead: the most throughput for $50 a month, storage included.
data "runnerfit_gp3_volume" "scratch" {
  size_gib             = 100
  max_monthly_cost_usd = 50
}

output "for_the_budget" {
  value = data.runnerfit_gp3_volume.scratch.settings
  # => {
  #   iops                 = 4132
  #   throughput_mib_per_s = 1033
  # }
}
