# The same fleet, right, and whole: two guards in front of a launch template, an
# Auto Scaling group and the host resource group that allocates its Macs. What
# creates something takes its values from a guard (aws.tf), so each figure is
# written once, and nothing is created that the guards have not passed.
#
# `make demo` runs this without an account, against a stand-in for hashicorp/aws.
# With credentials, and with your own image and subnets (variables.tf), it runs
# as it is.

terraform {
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.0"
    }
    runnerfit = {
      source = "runnerfit/runnerfit"
    }
  }
}

provider "aws" {
  region = var.region
}

provider "runnerfit" {
  region = var.region # whose prices are used
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

# Failed launches are what drains a pool of hosts, so this guard has to know
# whether a launch can be ready in time: the other one predicts it.
resource "runnerfit_mac_host_pool" "hosts" {
  instance_type           = runnerfit_mac_host_storage.host.instance_type
  desired_hosts           = var.hosts
  max_hosts               = var.host_quota
  auto_allocate_hosts     = true
  auto_release_hosts      = true
  grace_period_seconds    = runnerfit_mac_host_storage.host.grace_period_seconds
  boot_to_ready_seconds   = runnerfit_mac_host_storage.host.boot_to_ready_seconds
  failed_launches_per_day = 2
}

output "block_device_mappings" {
  description = "The gp3 settings, filled in."
  value = {
    root   = { iops = runnerfit_mac_host_storage.host.root.iops, throughput = runnerfit_mac_host_storage.host.root.throughput_mib_per_s }
    vmdata = { iops = runnerfit_mac_host_storage.host.vmdata.iops, throughput = runnerfit_mac_host_storage.host.vmdata.throughput_mib_per_s }
  }
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
  description = "Both volumes of one host, in the Region."
  value       = runnerfit_mac_host_storage.host.monthly_cost_usd
}

output "hosts" {
  description = "What two failed launches a day do to the pool."
  value = {
    verdict            = runnerfit_mac_host_pool.hosts.verdict
    peak_hosts         = runnerfit_mac_host_pool.hosts.peak_hosts
    host_month_usd     = runnerfit_mac_host_pool.hosts.host_month_usd
    exposure_usd_month = runnerfit_mac_host_pool.hosts.exposure_usd_month
  }
}
