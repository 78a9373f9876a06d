output "url" {
  description = "Address of the server in the VPC."
  value       = local.url
}

output "actions_results_url" {
  description = "What runners get as ACTIONS_RESULTS_URL: the address with a trailing slash."
  value       = "${local.url}/"
}

output "bucket" {
  description = "Bucket of the entries."
  value       = aws_s3_bucket.entries.id
}

output "security_group_id" {
  description = "Security group of the server."
  value       = aws_security_group.server.id
}

output "s3_endpoint_id" {
  description = "S3 gateway endpoint. Null if none was made."
  value       = one(aws_vpc_endpoint.s3[*].id)
}

output "restore_seconds" {
  description = "Seconds that restoring an entry of entry_gib takes."
  value       = data.runnerfit_actions_cache.server.restore_seconds
}

output "bound_by" {
  description = "What bounds a restore: link or server."
  value       = data.runnerfit_actions_cache.server.bound_by
}

output "storage_gib" {
  description = "GiB in the bucket once entries are as old as retention_days."
  value       = data.runnerfit_actions_cache.server.storage_gib
}

output "findings" {
  description = "What the guards found, advice included: rule, severity, path, message, fix."
  value       = data.runnerfit_actions_cache.server.findings
}
