# How long restores take and what bounds them. The plan stops here if SQLite is
# to serve several replicas.
data "runnerfit_actions_cache" "server" {
  entry_gib         = var.entry_gib
  parallel_restores = var.parallel_restores
  link_mbit_per_s   = var.link_mbit_per_s
  daily_upload_gib  = var.daily_upload_gib
  retention_days    = var.retention_days

  server {
    storage    = "s3"
    database   = "sqlite"
    replicas   = var.replicas
    memory_mib = var.memory_mib
  }
}

# The plan stops here if EC2 would refuse a volume; the instance takes its
# numbers from by_name.
resource "runnerfit_instance_storage" "server" {
  instance_type = var.instance_type
  ignore_rules  = var.ignore_rules

  volume {
    name     = "root"
    size_gib = 30
  }

  volume {
    name     = "index"
    size_gib = var.index_size_gib
  }
}
