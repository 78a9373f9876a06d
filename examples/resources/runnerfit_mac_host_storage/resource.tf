terraform {
  required_providers {
    runnerfit = {
      source = "runnerfit/runnerfit"
    }
  }
}

variable "root_throughput_mib_per_s" {
  type    = number
  default = 750
}

resource "runnerfit_mac_host_storage" "host" {
  instance_type        = "mac2-m2pro.metal"
  grace_period_seconds = 600 # the group's health_check_grace_period
  vms_per_host         = 2

  root {
    size_gib             = 100
    throughput_mib_per_s = var.root_throughput_mib_per_s
  }

  vmdata {
    size_gib = 750
  }

  images {
    count    = 2
    size_gib = 75
  }

  ignore_rules = {
    "mac-vmdata-iops" = "builds are buffered; VolumeWriteOps p99 is 1,900 (October)"
  }
}

# What was left out is filled in, at plan: the settings for the launch template.
output "root" {
  value = {
    iops       = runnerfit_mac_host_storage.host.root.iops
    throughput = runnerfit_mac_host_storage.host.root.throughput_mib_per_s
  }
  # => {
  #   iops       = 3000
  #   throughput = 750
  # }
}

output "vmdata" {
  value = {
    iops       = runnerfit_mac_host_storage.host.vmdata.iops
    throughput = runnerfit_mac_host_storage.host.vmdata.throughput_mib_per_s
  }
  # => {
  #   iops       = 3000
  #   throughput = 700
  # }
}

# How the host starts, and how much of the grace period is left.
output "start_up" {
  value = {
    boot_to_downloads_seconds = runnerfit_mac_host_storage.host.boot_to_downloads_seconds
    image_pull_seconds        = runnerfit_mac_host_storage.host.image_pull_seconds
    boot_to_ready_seconds     = runnerfit_mac_host_storage.host.boot_to_ready_seconds
    grace_margin_seconds      = runnerfit_mac_host_storage.host.grace_margin_seconds
  }
  # => {
  #   boot_to_downloads_seconds = 36
  #   image_pull_seconds        = 249.5
  #   boot_to_ready_seconds     = 289.5
  #   grace_margin_seconds      = 310.5
  # }
}

# Both volumes together.
output "monthly_cost_usd" {
  value = runnerfit_mac_host_storage.host.monthly_cost_usd
  # => 116
}

# A plan prints no message for advice; it is here.
output "advice" {
  value = [for f in runnerfit_mac_host_storage.host.findings : "${f.severity}, ${f.rule}"]
  # => ["info, instance-shared-budget"]
}
