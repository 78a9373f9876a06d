output "autoscaling_group_name" {
  description = "Name of the Auto Scaling group."
  value       = aws_autoscaling_group.hosts.name
}

output "launch_template_id" {
  description = "Id of the launch template."
  value       = aws_launch_template.host.id
}

output "host_resource_group_arn" {
  description = "ARN of the host resource group that allocates the hosts."
  value       = aws_resourcegroups_group.hosts.arn
}

output "host_families" {
  description = "Host families that the group allocates."
  value       = local.host_families
}

output "instance_role_name" {
  description = "Name of the hosts' role, to attach what your runner needs."
  value       = aws_iam_role.host.name
}

output "security_group_ids" {
  description = "Security groups of the hosts."
  value       = local.security_group_ids
}

output "root" {
  description = "Settings of the root volume."
  value = {
    size_gib             = runnerfit_mac_host_storage.host.root.size_gib
    iops                 = runnerfit_mac_host_storage.host.root.iops
    throughput_mib_per_s = runnerfit_mac_host_storage.host.root.throughput_mib_per_s
  }
}

output "vmdata" {
  description = "Settings of VMData."
  value = {
    size_gib             = runnerfit_mac_host_storage.host.vmdata.size_gib
    iops                 = runnerfit_mac_host_storage.host.vmdata.iops
    throughput_mib_per_s = runnerfit_mac_host_storage.host.vmdata.throughput_mib_per_s
  }
}

output "boot_to_ready_seconds" {
  description = "Predicted seconds from boot to ready."
  value       = runnerfit_mac_host_storage.host.boot_to_ready_seconds
}

output "allowed_seconds" {
  description = "Seconds that a host may take until it signals readiness."
  value       = runnerfit_mac_host_storage.host.grace_period_seconds
}

output "monthly_cost_usd" {
  description = "US dollars a month: a host's volumes, a host, and additional hosts because of failed launches. Null where no price is known."
  value = {
    volumes_per_host = runnerfit_mac_host_storage.host.monthly_cost_usd
    host             = runnerfit_mac_host_pool.hosts.host_month_usd
    additional_hosts = runnerfit_mac_host_pool.hosts.exposure_usd_month
  }
}

output "pool_verdict" {
  description = "What failed launches do to the pool: safe, costly or exhausts."
  value       = runnerfit_mac_host_pool.hosts.verdict
}

output "findings" {
  description = "What the guards found, advice included."
  value       = concat(runnerfit_mac_host_storage.host.findings, runnerfit_mac_host_pool.hosts.findings)
}
