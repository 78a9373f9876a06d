# Needs AWS credentials.

terraform {
  required_providers {
    runnerfit = {
      source = "runnerfit/runnerfit"
    }
  }
}

# The builds' volume of a Mac host, over two weeks: are 16,000 IOPS more than
# they need?
data "runnerfit_volume_usage" "vmdata" {
  volume_id  = "vol-0123456789abcdef0"
  percentile = 99.9
}

output "busiest_minutes" {
  value = {
    iops       = data.runnerfit_volume_usage.vmdata.total_iops.chosen
    throughput = data.runnerfit_volume_usage.vmdata.total_throughput_mib_per_s.chosen
    throttled  = data.runnerfit_volume_usage.vmdata.throttled_minutes
  }
  # => { iops = 2500, throughput = 600, throttled = 0 }
}

output "recommended" {
  value = data.runnerfit_volume_usage.vmdata.recommended
  # => { iops = 3000, throughput_mib_per_s = 720 }
}

output "saving" {
  value = data.runnerfit_volume_usage.vmdata.monthly_saving_usd
  # => 64.2
}
