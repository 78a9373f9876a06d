variable "name" {
  description = "Name of the launch template, the role and the security group, and the Name tag of the runners."
  type        = string
  default     = "builds"
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
  description = "VPC that the runners start in."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^vpc-[0-9a-f]+$", var.vpc_id))
    error_message = "Write an id that begins with vpc-, such as vpc-0123456789abcdef0."
  }
}

variable "instance_type" {
  description = "EC2 instance type of the runners. The root volume is judged by what it carries."
  type        = string
  default     = "r8g.xlarge"
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

variable "ami_id" {
  description = "Image of the runners. Null: the newest Ubuntu 24.04 of Canonical for the type's architecture."
  type        = string
  default     = null
}

variable "root_device_name" {
  description = "Device name of the image's root volume: /dev/sda1 on Ubuntu, /dev/xvda on Amazon Linux."
  type        = string
  default     = "/dev/sda1"
  nullable    = false

  validation {
    condition     = startswith(var.root_device_name, "/dev/")
    error_message = "Write a device name, such as /dev/sda1."
  }
}

variable "root_size_gib" {
  description = "Size of the root volume in GiB."
  type        = number
  default     = 60
  nullable    = false
}

variable "root_throughput_mib_per_s" {
  description = "Throughput of the root volume in MiB/s. Null: the free 125."
  type        = number
  default     = 250
}

variable "root_iops" {
  description = "IOPS of the root volume. Null: the fewest that carry the throughput."
  type        = number
  default     = null
}

variable "kms_key_id" {
  description = "ARN of the KMS key that encrypts the root volume. Its policy has to let EC2 use it, and Auto Scaling's service role with gitlab_fleeting. Null: the account's default key for EBS."
  type        = string
  default     = null
}

variable "tmpfs_directories" {
  description = "Directories that are moved into memory before the runner starts. What lies in them is gone with the instance."
  type        = list(string)
  default     = ["/home/runner", "/tmp", "/var/lib/docker", "/var/lib/containerd"]
  nullable    = false

  validation {
    condition     = alltrue([for d in var.tmpfs_directories : can(regex("^/[A-Za-z0-9._/-]+$", d))])
    error_message = "Write absolute paths of letters, digits, dots, hyphens and underscores."
  }
}

variable "tmpfs_limit_percent" {
  description = "What the tmpfs may hold, in percent of the instance's memory. Above 100 it counts on swap that is compressed in memory."
  type        = number
  default     = 150
  nullable    = false

  validation {
    condition     = var.tmpfs_limit_percent >= 10 && var.tmpfs_limit_percent <= 200 && floor(var.tmpfs_limit_percent) == var.tmpfs_limit_percent
    error_message = "Write a whole number from 10 to 200."
  }
}

variable "zram_percent" {
  description = "Size of the compressed swap before compression, in percent of the instance's memory. 0: no swap, and then tmpfs_limit_percent is at most 100."
  type        = number
  default     = 100
  nullable    = false

  validation {
    condition     = var.zram_percent >= 0 && var.zram_percent <= 200 && floor(var.zram_percent) == var.zram_percent
    error_message = "Write a whole number from 0 to 200."
  }
}

variable "job" {
  description = "The heaviest job: GiB that it writes, GiB of memory that its processes take at their peak, minutes. The plan stops if it does not fit into memory. Null: no job is judged."
  type = object({
    written_gib     = number
    peak_memory_gib = number
    minutes         = number
  })
  default = null
}

variable "user_data_after" {
  description = "Shell commands that the user data ends with, such as those that register the runner. Nothing secret: whoever may describe the launch template reads them."
  type        = string
  default     = ""
  nullable    = false
}

variable "metadata_hop_limit" {
  description = "Network hops that instance metadata may take. With 1, containers do not reach the runner's role; some actions need 2."
  type        = number
  default     = 1
  nullable    = false

  validation {
    condition     = contains([1, 2], var.metadata_hop_limit)
    error_message = "Write 1 or 2."
  }
}

variable "policy_arns" {
  description = "Policies that the runners' role gets, by a name of your choice. By default a runner may do nothing in AWS."
  type        = map(string)
  default     = {}
  nullable    = false
}

variable "ignore_rules" {
  description = "Rules that the guard does not report, as rule id = reason."
  type        = map(string)
  default     = {}
  nullable    = false
}

variable "gitlab_fleeting" {
  description = "Auto Scaling group for GitLab's fleeting plugin: most instances, subnets, and security groups of runner managers, by a name of your choice, that may connect by SSH. Null: none."
  type = object({
    max_instances           = number
    subnet_ids              = list(string)
    manager_security_groups = optional(map(string), {})
  })
  default = null

  validation {
    condition     = var.gitlab_fleeting == null ? true : var.gitlab_fleeting.max_instances >= 1 && length(var.gitlab_fleeting.subnet_ids) > 0
    error_message = "Write at least one instance and one subnet."
  }
}
