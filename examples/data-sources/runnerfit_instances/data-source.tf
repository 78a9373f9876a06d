terraform {
  required_providers {
    runnerfit = {
      source = "runnerfit/runnerfit"
    }
  }
}

# Which Macs can move 1,000 MiB/s, cheapest dedicated host first?
data "runnerfit_instances" "fast_macs" {
  mac                      = true
  min_throughput_mib_per_s = 1000
  sort_by                  = "price"
}

output "fast_macs" {
  value = { for i in data.runnerfit_instances.fast_macs.instances : i.instance_type => i.hourly_price_usd }
  # => {
  #   "mac2.metal"         = 0.65
  #   "mac1.metal"         = 1.083
  #   "mac2-m1ultra.metal" = 5
  #   "mac-m4max.metal"    = 6.25
  #   "mac-m3ultra.metal"  = 12.5
  # }
}

# The cheapest m8a that sustains 500 MiB/s and 16,000 IOPS. The dot keeps
# m8azn out.
data "runnerfit_instances" "build" {
  family_prefix            = "m8a."
  min_throughput_mib_per_s = 500
  min_iops                 = 16000
  sort_by                  = "price"
}

output "cheapest" {
  value = data.runnerfit_instances.build.instances[0].instance_type
  # => "m8a.4xlarge"
}

# The same as a burst: for jobs of up to half an hour a day.
data "runnerfit_instances" "short_build" {
  family_prefix            = "m8a."
  min_throughput_mib_per_s = 500
  min_iops                 = 16000
  sustained_only           = false
  sort_by                  = "price"
}

output "cheapest_for_bursts" {
  value = data.runnerfit_instances.short_build.instances[0].instance_type
  # => "m8a.medium"
}
