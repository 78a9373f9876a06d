output "runners" {
  description = "Runners in all."
  value       = data.runnerfit_docker_runners.mac.total_runners
}

output "replicas_per_organization" {
  description = "Runners of each organisation."
  value       = local.replicas
}

output "overcommit_ratio" {
  description = "Limits of all runners over the memory that the VM leaves to them; above 1 they can run it out of memory."
  value       = data.runnerfit_docker_runners.mac.overcommit_ratio
}

output "node_heap_mib" {
  description = "Node's heap in each runner, in MiB."
  value       = data.runnerfit_docker_runners.mac.node_heap_mib
}

output "env_files" {
  description = "Files that you write: what the runners of each organisation register with."
  value       = [for i in range(var.organizations) : "${local.directory}/org${i + 1}.env"]
}

output "files" {
  description = "The files that were written, by their paths."
  value       = { for f in local.files : f.path => f.content }
}

output "load_command" {
  description = "Loads the launchd unit without logging in again."
  value       = "launchctl bootstrap gui/$(id -u) '${local.files.launchd.path}'"
}

output "findings" {
  description = "What the rules found, advice included: rule, severity, path, message, fix."
  value       = data.runnerfit_docker_runners.mac.findings
}
