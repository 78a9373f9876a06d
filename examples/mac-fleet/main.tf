# The same fleet, right. The guard stands in front: what creates the volumes
# takes its values from it, so nothing is created that the guard has not passed.

terraform {
  required_providers {
    runnerfit = {
      source = "runnerfit/runnerfit"
    }
  }
}

resource "runnerfit_mac_host_storage" "host" {
  instance_type        = "mac2-m2pro.metal"
  grace_period_seconds = 600
  vms_per_host         = 2

  root {
    size_gib             = 100
    throughput_mib_per_s = 750 # iops left out: the cheapest that carry it are filled in
  }

  vmdata {
    size_gib             = 750
    iops                 = 16000
    throughput_mib_per_s = 700
  }

  images {
    count    = 2
    size_gib = 75
  }
}

# In place of a launch template, so that this example needs no account: it takes
# its values from the guard as block_device_mappings would.
resource "terraform_data" "block_device_mappings" {
  input = {
    root   = { iops = runnerfit_mac_host_storage.host.root.iops, throughput = runnerfit_mac_host_storage.host.root.throughput_mib_per_s }
    vmdata = { iops = runnerfit_mac_host_storage.host.vmdata.iops, throughput = runnerfit_mac_host_storage.host.vmdata.throughput_mib_per_s }
  }
}

output "block_device_mappings" {
  description = "The gp3 settings, filled in."
  value       = terraform_data.block_device_mappings.output
}

output "predicted_start_up" {
  description = "Predicted seconds, and what is left of the grace period."
  value = {
    boot_to_downloads_seconds = runnerfit_mac_host_storage.host.boot_to_downloads_seconds
    image_pull_seconds        = runnerfit_mac_host_storage.host.image_pull_seconds
    boot_to_ready_seconds     = runnerfit_mac_host_storage.host.boot_to_ready_seconds
    grace_margin_seconds      = runnerfit_mac_host_storage.host.grace_margin_seconds
  }
}

output "monthly_cost_usd" {
  description = "Both volumes, in us-east-1."
  value       = runnerfit_mac_host_storage.host.monthly_cost_usd
}
