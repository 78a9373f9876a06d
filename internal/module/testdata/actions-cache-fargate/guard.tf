# How long restores take and what bounds them.
data "runnerfit_actions_cache" "server" {
  entry_gib         = var.entry_gib
  parallel_restores = var.parallel_restores
  link_mbit_per_s   = var.link_mbit_per_s
  daily_upload_gib  = var.daily_upload_gib
  retention_days    = var.retention_days

  server {
    storage    = "s3"
    database   = "postgres"
    replicas   = var.replicas
    memory_mib = var.memory_mib
  }
}
