variable "name" {
  description = "Name of everything that is created."
  type        = string
  default     = "actions-cache"
  nullable    = false

  validation {
    condition     = can(regex("^[a-z][a-z0-9]*(-[a-z0-9]+)*$", var.name)) && length(var.name) <= 24
    error_message = "Write at most 24 lower-case letters, digits and single hyphens, beginning with a letter."
  }
}

variable "tags" {
  description = "Tags of everything that is created."
  type        = map(string)
  default     = {}
  nullable    = false
}

variable "vpc_id" {
  description = "VPC of the runners, in which the server runs."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^vpc-[0-9a-f]+$", var.vpc_id))
    error_message = "Write an id that begins with vpc-, such as vpc-0123456789abcdef0."
  }
}

variable "route_table_ids" {
  description = "Route tables of the server's and the runners' subnets, which get the way to S3. Empty: there is an S3 gateway endpoint already."
  type        = list(string)
  default     = []
  nullable    = false
}

variable "runner_security_group_ids" {
  description = "Security groups of the runners, by a name of your choice. Nobody else may connect."
  type        = map(string)
  nullable    = false

  validation {
    condition     = length(var.runner_security_group_ids) > 0
    error_message = "Write at least one security group: without one, no runner reaches the cache."
  }
}

variable "dns_namespace" {
  description = "Private DNS zone that is created in the VPC. The server is cache.ZONE."
  type        = string
  default     = "actions-cache.internal"
  nullable    = false

  validation {
    condition     = can(regex("^[a-z0-9-]+(\\.[a-z0-9-]+)+$", var.dns_namespace))
    error_message = "Write a domain of your own, such as actions-cache.internal."
  }
}

variable "image" {
  description = "Image of the cache server. Pin a digest: a new version of the server may read its index differently."
  type        = string
  default     = "ghcr.io/falcondev-oss/github-actions-cache-server:latest"
  nullable    = false
}

variable "direct_downloads" {
  description = "Whether runners download entries from the bucket themselves, by a signed URL, so that the server is not in the way."
  type        = bool
  default     = true
  nullable    = false
}

variable "replicas" {
  description = "Replicas of the server. SQLite allows one."
  type        = number
  default     = 1
  nullable    = false

  validation {
    condition     = var.replicas >= 1 && floor(var.replicas) == var.replicas
    error_message = "Write a whole number of 1 or more."
  }
}

variable "entry_gib" {
  description = "Size of a typical entry in GiB, compressed: the step's log prints it."
  type        = number
  default     = 1
  nullable    = false
}

variable "parallel_restores" {
  description = "Restores at the same time."
  type        = number
  default     = 1
  nullable    = false
}

variable "link_mbit_per_s" {
  description = "What one connection carries in Mbit/s. EC2 gives a single flow 5,000, whatever the instance's network."
  type        = number
  default     = 5000
  nullable    = false
}

variable "daily_upload_gib" {
  description = "GiB of new entries a day."
  type        = number
  default     = 10
  nullable    = false
}

variable "retention_days" {
  description = "Days that an entry is kept after its last use."
  type        = number
  default     = 90
  nullable    = false

  validation {
    condition     = var.retention_days >= 1 && var.retention_days <= 3650 && floor(var.retention_days) == var.retention_days
    error_message = "Write a whole number from 1 to 3650."
  }
}

variable "force_destroy" {
  description = "Whether destroying the module deletes the bucket with its entries. They can be built again."
  type        = bool
  default     = false
  nullable    = false
}

variable "kms_key_arn" {
  description = "ARN of the KMS key that encrypts entries and volumes. Null: S3's and EBS's own keys."
  type        = string
  default     = null
}

variable "log_retention_days" {
  description = "Days that the server's log is kept."
  type        = number
  default     = 30
  nullable    = false

  validation {
    condition     = contains([1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653], var.log_retention_days)
    error_message = "Write a number of days that CloudWatch knows, such as 7, 30, 90 or 365."
  }
}

variable "subnet_id" {
  description = "Private subnet of the server, from which it reaches its image and GitHub (a NAT gateway will do)."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^subnet-[0-9a-f]+$", var.subnet_id))
    error_message = "Write an id that begins with subnet-, such as subnet-0123456789abcdef0."
  }
}

variable "instance_type" {
  description = "EC2 instance type of the server."
  type        = string
  default     = "m8a.large"
  nullable    = false
}

variable "architecture" {
  description = "Architecture of instance_type, x86_64 or arm64. Null: from the provider's table; write it for a type that is not in it."
  type        = string
  default     = null

  validation {
    condition     = var.architecture == null ? true : contains(["x86_64", "arm64"], var.architecture)
    error_message = "Write x86_64 or arm64."
  }
}

variable "index_size_gib" {
  description = "Size in GiB of the volume that the server's index (SQLite) is on."
  type        = number
  default     = 10
  nullable    = false
}

variable "memory_mib" {
  description = "Memory for the server in MiB."
  type        = number
  default     = 1024
  nullable    = false
}

variable "ignore_rules" {
  description = "Rules that the guard does not report, as rule id = reason."
  type        = map(string)
  default     = {}
  nullable    = false
}
