variable "name" {
  description = "Name of the launchd unit and of the Compose project."
  type        = string
  default     = "mini"
  nullable    = false

  validation {
    condition     = can(regex("^[a-z][a-z0-9]*(-[a-z0-9]+)*$", var.name)) && length(var.name) <= 24
    error_message = "Write at most 24 lower-case letters, digits and single hyphens, beginning with a letter."
  }
}

variable "directory" {
  description = "Folder on this Mac for the Compose file and the scripts; ~ is your home. Your env files (org1.env and so on) lie beside them and are never touched."
  type        = string
  default     = "/Users/Shared/ci runners"
  nullable    = false

  validation {
    condition     = can(regex("^(~/|/)[A-Za-z0-9 ._/-]+$", var.directory))
    error_message = "Write an absolute path, or one that begins with ~/, of letters, digits, spaces, dots, hyphens and underscores."
  }
}

variable "launch_agents_directory" {
  description = "Folder of the launchd unit, which launchd reads when you log in."
  type        = string
  default     = "~/Library/LaunchAgents"
  nullable    = false

  validation {
    condition     = can(regex("^(~/|/)[A-Za-z0-9 ._/-]+$", var.launch_agents_directory))
    error_message = "Write an absolute path, or one that begins with ~/, of letters, digits, spaces, dots, hyphens and underscores."
  }
}

variable "runner_image" {
  description = "Image that registers its runner when it starts. GitHub's own image does not, so yours is built on top of it."
  type        = string
  default     = "ghcr.io/actions/actions-runner:latest"
  nullable    = false

  validation {
    condition     = can(regex("^[A-Za-z0-9][A-Za-z0-9._:/@-]*$", var.runner_image))
    error_message = "Write the name of an image, such as ghcr.io/actions/actions-runner:latest."
  }
}

variable "memory_gib" {
  description = "Memory of Docker's VM in GiB, not of the Mac (Docker Desktop: Settings, Resources)."
  type        = number
  default     = 31.5
  nullable    = false
}

variable "cpus" {
  description = "CPUs of Docker's VM. Null: they are not judged."
  type        = number
  default     = 12
}

variable "organizations" {
  description = "Organisations that get runners of their own."
  type        = number
  default     = 3
  nullable    = false

  validation {
    condition     = var.organizations >= 1 && floor(var.organizations) == var.organizations
    error_message = "Write a whole number of 1 or more."
  }
}

variable "replicas" {
  description = "Runners of each organisation. Null: as many as can all be at their memory limit at once."
  type        = number
  default     = null

  validation {
    condition     = var.replicas == null ? true : var.replicas >= 1 && floor(var.replicas) == var.replicas
    error_message = "Write a whole number of 1 or more."
  }
}

variable "memory_limit_gib" {
  description = "Memory limit of one runner in GiB: the peak of your heaviest job."
  type        = number
  default     = 4.5
  nullable    = false
}

variable "tmpfs_mib" {
  description = "Memory for temporary files of one runner in MiB, inside its limit."
  type        = number
  default     = 768
  nullable    = false
}

variable "check_minutes" {
  description = "Minutes after which launchd starts what has stopped."
  type        = number
  default     = 5
  nullable    = false

  validation {
    condition     = var.check_minutes >= 1 && floor(var.check_minutes) == var.check_minutes
    error_message = "Write a whole number of 1 or more."
  }
}

variable "allow_overcommit" {
  description = "Whether the limits of all runners may add up to more than the VM has. Then it runs out of memory when enough of them are at their peak."
  type        = bool
  default     = false
  nullable    = false
}
