# Needs AWS credentials.

terraform {
  required_providers {
    runnerfit = {
      source = "runnerfit/runnerfit"
    }
  }
}

# All volumes of the CI team, each judged against its instance.
data "runnerfit_volumes" "ci" {
  tags = { team = "ci" }
}

output "to_fix" {
  value = {
    for v in data.runnerfit_volumes.ci.volumes : v.volume_id => [for f in v.findings : f.rule]
    if length(v.findings) > 0
  }
  # => { "vol-0123456789abcdef2" = ["volume-type-legacy"] }
}

output "attached_to_nothing" {
  value = [for v in data.runnerfit_volumes.ci.volumes : v.volume_id if v.instance_id == null]
  # => ["vol-0123456789abcdef2"]
}

output "monthly_cost_usd" {
  value = data.runnerfit_volumes.ci.monthly_cost_usd
  # => 43
}
