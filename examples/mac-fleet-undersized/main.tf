# A Mac fleet whose root volume was trimmed to save $25 a month. The plan is
# refused, at the line that has to change, before any host is allocated.

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
    throughput_mib_per_s = 125
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
