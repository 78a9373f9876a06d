terraform {
  required_providers {
    runnerfit = {
      source = "runnerfit/runnerfit"
    }
  }
}

variable "desired_hosts" {
  type    = number
  default = 12
}

locals {
  findings = provider::runnerfit::check_mac_host_pool({
    instance_type      = "mac2-m2pro.metal"
    desired_hosts      = var.desired_hosts
    max_hosts          = 10
    auto_release_hosts = true
  })
}

# Warns in every plan, and refuses none.
check "mac_host_pool" {
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
  #     rule     = "host-quota"
  #     severity = "error"
  #     path     = "desired_hosts"
  #     message  = "12 hosts are desired, but the quota (max_hosts) is 10: AWS refuses to allocate the other 2."
  #     fix      = "Write desired_hosts = 10, or ask AWS for a quota of 12 and write max_hosts = 12 (+$2,277.60 a month)."
  #   },
  # ]
}
