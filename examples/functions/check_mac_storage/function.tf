terraform {
  required_providers {
    runnerfit = {
      source = "runnerfit/runnerfit"
    }
  }
}

variable "root_throughput_mib_per_s" {
  type    = number
  default = 125
}

locals {
  findings = provider::runnerfit::check_mac_storage({
    instance_type        = "mac2-m2pro.metal"
    grace_period_seconds = 600
    root                 = { size_gib = 100, throughput_mib_per_s = var.root_throughput_mib_per_s }
    vmdata               = { size_gib = 750, iops = 16000, throughput_mib_per_s = 700 }
    images               = { count = 2, size_gib = 75 }
  })
}

# Warns in every plan, and refuses none.
check "mac_storage" {
  assert {
    condition     = length([for f in local.findings : f if f.severity == "error"]) == 0
    error_message = join("\n", [for f in local.findings : "${f.path}: ${f.fix}" if f.severity == "error"])
  }
}
# Warning: Check block assertion failed

output "errors" {
  value = [for f in local.findings : f if f.severity == "error"]
  # => [
  #   {
  #     rule     = "mac-root-throughput"
  #     severity = "error"
  #     path     = "root.throughput_mib_per_s"
  #     message  = "A root restored from a snapshot boots as fast as it can be read: at 125 MiB/s the predicted time from boot to downloads is 113 s, at 750 MiB/s it is 36 s (below AWS's 400 MiB/s for Macs, launches were seen to fail)."
  #     fix      = "Write throughput_mib_per_s = 750 (+$25.00 a month; the free 3,000 IOPS carry it)."
  #   },
  # ]
}
