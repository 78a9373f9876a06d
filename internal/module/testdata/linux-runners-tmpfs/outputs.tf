output "launch_template_id" {
  description = "Id of the launch template."
  value       = aws_launch_template.runner.id
}

output "launch_template_version" {
  description = "Newest version of the launch template."
  value       = aws_launch_template.runner.latest_version
}

output "security_group_id" {
  description = "Security group of the runners."
  value       = aws_security_group.runner.id
}

output "role_name" {
  description = "Role of the runners."
  value       = aws_iam_role.runner.name
}

output "root_volume" {
  description = "The root volume as it was filled in: type, GiB, IOPS, MiB/s, US dollars a month."
  value       = local.root
}

output "memory_needed_gib" {
  description = "GiB of memory with which the heaviest job runs on tmpfs. Null without job."
  value       = one(data.runnerfit_job_disk.heaviest[*].memory_needed_gib)
}

output "findings" {
  description = "What the guard found, advice included: rule, severity, path, message, fix."
  value       = concat(runnerfit_instance_storage.runner.findings, flatten(data.runnerfit_job_disk.heaviest[*].findings))
}

output "github_aws_runners" {
  description = "Arguments of the module github-aws-runners/github-runner/aws, which makes launch templates of its own."
  value = {
    instance_types       = [var.instance_type]
    runner_architecture  = local.arm ? "arm64" : "x64"
    userdata_pre_install = local.job_disk
    runner_metadata_options = {
      http_endpoint               = "enabled"
      http_tokens                 = "required"
      http_put_response_hop_limit = var.metadata_hop_limit
      instance_metadata_tags      = "enabled"
    }
    block_device_mappings = [{
      device_name           = var.root_device_name
      volume_type           = local.root.type
      volume_size           = local.root.size_gib
      iops                  = local.root.iops
      throughput            = local.root.throughput_mib_per_s
      encrypted             = true
      kms_key_id            = var.kms_key_id
      delete_on_termination = true
    }]
  }
}

output "gitlab_fleeting" {
  description = "plugin_config and connector_config of GitLab's fleeting plugin, and the policy that its manager needs. Null without gitlab_fleeting."
  value = var.gitlab_fleeting == null ? null : {
    plugin_config    = { name = aws_autoscaling_group.fleeting[0].name, region = data.aws_region.current.region }
    connector_config = { username = "ubuntu", os = "linux", protocol = "ssh" }
    max_instances    = var.gitlab_fleeting.max_instances
    manager_policy   = data.aws_iam_policy_document.fleeting_manager[0].json
  }
}
