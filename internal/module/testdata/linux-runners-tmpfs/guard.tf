# The plan stops here if EC2 would refuse the volume, and warns if the instance
# cannot carry it. The launch template takes its numbers from by_name.
resource "runnerfit_instance_storage" "runner" {
  instance_type = var.instance_type
  ignore_rules  = var.ignore_rules

  volume {
    name                 = "root"
    size_gib             = var.root_size_gib
    throughput_mib_per_s = var.root_throughput_mib_per_s
    iops                 = var.root_iops
  }
}

# For the image alone. Of a type that is not in the table, write the architecture.
data "runnerfit_instance_ebs" "runner" {
  count = var.architecture == null ? 1 : 0

  instance_type = var.instance_type
}

# Whether the heaviest job fits into memory. Its disk is the memory, so there is
# nothing to wait for: the peaks are the least that can be written.
data "runnerfit_job_disk" "heaviest" {
  count = var.job == null ? 0 : 1

  instance_type             = var.instance_type
  peak_iops                 = 1
  peak_throughput_mib_per_s = 1
  written_gib               = var.job.written_gib
  peak_memory_gib           = var.job.peak_memory_gib
  minutes                   = var.job.minutes
  tmpfs_limit_percent       = var.tmpfs_limit_percent
  resident_share            = var.zram_percent > 0 ? null : 1

  volume {
    size_gib             = local.root.size_gib
    throughput_mib_per_s = local.root.throughput_mib_per_s
    iops                 = local.root.iops
  }
}
