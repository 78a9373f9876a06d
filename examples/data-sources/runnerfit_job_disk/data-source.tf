terraform {
  required_providers {
    runnerfit = {
      source = "runnerfit/runnerfit"
    }
  }
}

# Spot prices. Without them, jobs are priced on demand.
provider "runnerfit" {
  prices {
    instance_hour_usd = {
      "m8a.2xlarge" = 0.138
      "r8a.2xlarge" = 0.210
    }
  }
}

# A Docker build that writes 29 GB and stops at its volume's 3,000 IOPS. The
# figures are from the runner's disk chart. In the plan it says:
# Warning: CI job waits for its volume
data "runnerfit_job_disk" "docker" {
  instance_type = "m8a.2xlarge"

  volume {
    size_gib             = 40
    iops                 = 3000
    throughput_mib_per_s = 400
  }

  peak_iops                 = 3200
  peak_throughput_mib_per_s = 380
  written_gib               = 27
  peak_memory_gib           = 8
  minutes                   = 5.65
  overhead_minutes          = 1.7

  # Tried once. Without it, the same minutes are assumed.
  measured_minutes = { tmpfs = 3.9 }
}

output "verdict" {
  value = data.runnerfit_job_disk.docker.verdict
  # => "tmpfs"
}

output "label" {
  value = data.runnerfit_job_disk.docker.label
  # => "runs-on=$${{ github.run_id }}/family=m8a.2xlarge/volume=40gb:gp3:400mibps:3000iops/extras=tmpfs"
}

output "cost_per_job_usd" {
  value = { for o in data.runnerfit_job_disk.docker.options : o.name => o.cost_per_job_usd }
  # => {
  #   faster-volume     = 0.0245
  #   keep              = 0.0193
  #   tmpfs             = 0.0147
  #   tmpfs-more-memory = 0.0281
  # }
}

# A Rust build that peaks at 519 IOPS: no disk makes it faster.
data "runnerfit_job_disk" "rust" {
  instance_type = "m8a.xlarge"

  volume {
    size_gib             = 40
    throughput_mib_per_s = 400
  }

  peak_iops                 = 519
  peak_throughput_mib_per_s = 60
  written_gib               = 3
  peak_memory_gib           = 5
  minutes                   = 1.92
}

output "rust_verdict" {
  value = "${data.runnerfit_job_disk.rust.verdict}, bound by ${data.runnerfit_job_disk.rust.bound_by}"
  # => "keep, bound by none"
}
