terraform {
  required_providers {
    runnerfit = {
      source = "runnerfit/runnerfit"
    }
  }
}

locals {
  # Four volumes, each of which would be fine alone on a larger instance.
  findings = provider::runnerfit::check_instance_storage({
    instance_type = "m5.xlarge"
    volume = [for name in ["a", "b", "c", "d"] : {
      name                 = name
      size_gib             = 100
      throughput_mib_per_s = 1000
    }]
  })
}

output "warnings" {
  value = [for f in local.findings : f.rule if f.severity == "warning"]
  # => ["instance-shared-budget", "instance-throughput"]
}

output "why" {
  value = local.findings[0].message
  # => "4 volumes share one budget: 4,000 MiB/s are provisioned in all, m5.xlarge sustains 137.09 MiB/s and bursts to 566.24. 4 volumes share one budget: 16,000 IOPS are provisioned in all, m5.xlarge sustains 6,000 IOPS and bursts to 18,750."
}
