terraform {
  required_providers {
    runnerfit = {
      source = "runnerfit/runnerfit"
    }
  }
}

# Two organisations on a Mac whose Docker has 20 GiB and 16 CPUs. In the plan it
# says:
# Warning: Containers may use more memory than their VM has
data "runnerfit_docker_runners" "mac" {
  memory_gib    = 20
  cpus          = 16
  organizations = 2
}

# Each organisation gets what the VM holds once; five in all never run out.
output "runners" {
  value = {
    each            = data.runnerfit_docker_runners.mac.replicas_per_organization
    in_all          = data.runnerfit_docker_runners.mac.total_runners
    never_runs_out  = data.runnerfit_docker_runners.mac.runners_without_overcommit
    limits_over_ram = data.runnerfit_docker_runners.mac.overcommit_ratio
  }
  # => {
  #   each            = 5
  #   in_all          = 10
  #   never_runs_out  = 5
  #   limits_over_ram = 1.7647
  # }
}

output "settings_of_a_job" {
  value = "--max-old-space-size=${data.runnerfit_docker_runners.mac.node_heap_mib}, ${data.runnerfit_docker_runners.mac.vitest_threads} threads"
  # => "--max-old-space-size=2048, 2 threads"
}

# Write it with local_file, or show it with terraform output -raw.
output "dotenv" {
  value = data.runnerfit_docker_runners.mac.dotenv
  # => "REPLICAS=5\nRUNNER_IMAGE=ghcr.io/actions/actions-runner:latest\n"
}

# The limits of one service in the Compose file.
output "limits" {
  value = {
    for k, v in yamldecode(data.runnerfit_docker_runners.mac.compose_yaml).services["runner-org1"] : k => v
    if contains(["mem_limit", "mem_reservation", "pids_limit", "tmpfs"], k)
  }
  # => {
  #   mem_limit       = "3g"
  #   mem_reservation = "512m"
  #   pids_limit      = 4096
  #   tmpfs           = ["/tmp:size=512m,mode=1777,nosuid,nodev", "/dev/shm:size=256m,mode=1777,nosuid,nodev"]
  # }
}

# A file that is there already is judged, too.
data "runnerfit_docker_runners" "existing" {
  memory_gib = 20

  existing_compose_yaml = <<-YAML
    services:
      runner:
        image: example.com/runner
        scale: 5
        mem_limit: 3g
        environment:
          NODE_OPTIONS: --max-old-space-size=2048
  YAML
}

output "faults" {
  value = length(data.runnerfit_docker_runners.existing.findings)
  # => 0
}
