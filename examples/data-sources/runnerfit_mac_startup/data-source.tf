terraform {
  required_providers {
    runnerfit = {
      source = "runnerfit/runnerfit"
    }
  }
}

# A host that pulls two VM images before it takes jobs.
data "runnerfit_mac_startup" "host" {
  instance_type             = "mac2-m2pro.metal"
  root_throughput_mib_per_s = 750

  images {
    count    = 2
    size_gib = 75
  }
}

output "boot_to_ready_seconds" {
  value = data.runnerfit_mac_startup.host.boot_to_ready_seconds
  # => 289.5
}

# What to speed up next: here the pull, which a faster volume does not help.
output "bounds" {
  value = { for p in data.runnerfit_mac_startup.host.phases : p.name => "${p.end_seconds - p.start_seconds} s, ${p.bound_by}" }
  # => {
  #   boot       = "36 s, root-volume"
  #   image-pull = "249.5 s, pipelines"
  #   ready      = "4 s, fixed"
  # }
}

# Your own fleet: two measured boots refit the constants to your image.
data "runnerfit_mac_startup" "ours" {
  instance_type             = "mac2.metal"
  root_throughput_mib_per_s = 500

  images {
    count    = 1
    size_gib = 90
  }

  measurement {
    root_throughput_mib_per_s = 125
    boot_seconds              = 130
  }
  measurement {
    root_throughput_mib_per_s = 750
    boot_seconds              = 41
  }
}

output "ours_boot_to_ready_seconds" {
  value = data.runnerfit_mac_startup.ours.boot_to_ready_seconds
  # => 353.5
}

output "ours_calibration" {
  value = data.runnerfit_mac_startup.ours.calibration_used
  # => {
  #   boot_fixed_seconds  = 23.2
  #   boot_read_mib       = 13350
  #   pipeline_mib_per_s  = 308
  #   ready_fixed_seconds = 4.3
  # }
}
