# The guards: they refuse at plan what would not work, and everything that costs
# something takes its values from them. They create nothing.

# The allowed time depends on the prediction, and the guard judges by both; so the
# prediction alone comes first.
data "runnerfit_mac_startup" "prediction" {
  instance_type               = var.instance_type
  root_throughput_mib_per_s   = var.root_throughput_mib_per_s
  vmdata_throughput_mib_per_s = var.vmdata_throughput_mib_per_s

  images {
    count    = var.image_count
    size_gib = var.image_size_gib
  }

  dynamic "calibration" {
    for_each = var.calibration[*]

    content {
      boot_fixed_seconds  = calibration.value.boot_fixed_seconds
      boot_read_mib       = calibration.value.boot_read_mib
      pipeline_mib_per_s  = calibration.value.pipeline_mib_per_s
      ready_fixed_seconds = calibration.value.ready_fixed_seconds
    }
  }
}

locals {
  # Half as much again as predicted, and never less than ten minutes: hosts that are
  # given up too early cost a day each. A lifecycle hook takes two hours at most.
  allowed_seconds = coalesce(var.allowed_seconds, min(7200, max(600, ceil(
    1.5 * (data.runnerfit_mac_startup.prediction.boot_to_ready_seconds + var.launch_seconds)
  ))))
}

resource "runnerfit_mac_host_storage" "host" {
  instance_type        = var.instance_type
  grace_period_seconds = local.allowed_seconds
  launch_seconds       = var.launch_seconds
  vms_per_host         = var.vms_per_host
  ignore_rules         = var.ignore_rules

  root {
    size_gib             = var.root_size_gib
    throughput_mib_per_s = var.root_throughput_mib_per_s
  }

  vmdata {
    size_gib             = var.vmdata_size_gib
    iops                 = var.vmdata_iops
    throughput_mib_per_s = var.vmdata_throughput_mib_per_s
  }

  images {
    count    = var.image_count
    size_gib = var.image_size_gib
  }

  dynamic "calibration" {
    for_each = var.calibration[*]

    content {
      boot_fixed_seconds  = calibration.value.boot_fixed_seconds
      boot_read_mib       = calibration.value.boot_read_mib
      pipeline_mib_per_s  = calibration.value.pipeline_mib_per_s
      ready_fixed_seconds = calibration.value.ready_fixed_seconds
    }
  }
}

# What failed launches would do to the hosts, and to the bill.
resource "runnerfit_mac_host_pool" "hosts" {
  instance_type           = runnerfit_mac_host_storage.host.instance_type
  desired_hosts           = var.hosts
  max_hosts               = var.host_quota
  auto_allocate_hosts     = true
  auto_release_hosts      = var.auto_release_hosts
  grace_period_seconds    = runnerfit_mac_host_storage.host.grace_period_seconds
  boot_to_ready_seconds   = coalesce(var.observed_boot_to_ready_seconds, runnerfit_mac_host_storage.host.boot_to_ready_seconds)
  launch_seconds          = var.launch_seconds > 0 ? var.launch_seconds : null
  failed_launches_per_day = var.failed_launches_per_day
  ignore_rules            = var.ignore_rules
}
