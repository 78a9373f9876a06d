# What the VM holds, whoever uses it.
data "runnerfit_docker_runners" "capacity" {
  memory_gib       = var.memory_gib
  memory_limit_gib = var.memory_limit_gib
  tmpfs_mib        = var.tmpfs_mib
}

# The runners as they are started, and their Compose file. The plan stops here
# if nothing fits or, unless you allow it, if the limits add up to more than the
# VM has.
data "runnerfit_docker_runners" "mac" {
  memory_gib       = var.memory_gib
  cpus             = var.cpus
  organizations    = var.organizations
  replicas         = local.replicas
  memory_limit_gib = var.memory_limit_gib
  tmpfs_mib        = var.tmpfs_mib

  lifecycle {
    precondition {
      condition     = local.fitting >= 1 || var.replicas != null
      error_message = "Docker's VM has no room for one runner of each organisation at its limit: give it more memory (memory_gib, and Docker Desktop's settings), lower memory_limit_gib, or write replicas and allow_overcommit = true."
    }
    postcondition {
      condition     = var.allow_overcommit || try(self.overcommit_ratio <= 1, false)
      error_message = "The limits of all runners are more than Docker's VM has: leave replicas out, lower memory_limit_gib, or write allow_overcommit = true."
    }
  }
}
