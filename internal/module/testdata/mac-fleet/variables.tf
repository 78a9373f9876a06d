# Only what the account has to say has no default. Units are in the names.

variable "name" {
  description = "What the names of all resources begin with, and the name of the Auto Scaling group."
  type        = string
  default     = "mac-runners"
  nullable    = false

  validation {
    condition     = can(regex("^[a-z][a-z0-9]*(-[a-z0-9]+)*$", var.name)) && length(var.name) <= 24 && !startswith(var.name, "aws")
    error_message = "Must be at most 24 lower-case letters, digits and single hyphens, begin with a letter and not with \"aws\"."
  }
}

variable "ami_id" {
  description = "macOS image of the hosts, for the type's architecture. README.md says what has to be on it."
  type        = string
  nullable    = false

  validation {
    condition     = startswith(var.ami_id, "ami-")
    error_message = "Must be the id of an image, such as ami-0123456789abcdef0."
  }
}

variable "subnet_ids" {
  description = "Subnets of one VPC, in availability zones that offer the instance type. Hosts need a way out to the image store, the runner manager and AWS."
  type        = list(string)
  nullable    = false

  validation {
    condition     = length(var.subnet_ids) > 0
    error_message = "Give one subnet or more."
  }
}

variable "image_urls" {
  description = "VM images that every host pulls, as .tar.zst: s3://BUCKET/KEY or https://. One for each of image_count."
  type        = list(string)
  nullable    = false

  validation {
    condition     = alltrue([for u in var.image_urls : can(regex("^(s3|https)://[^\\s'\"]+$", u))])
    error_message = "Each must begin with s3:// or https:// and have no spaces or quotes."
  }

  validation {
    condition     = length(distinct([for u in var.image_urls : basename(u)])) == length(var.image_urls)
    error_message = "The files must have different names, because an image's folder is called after its file."
  }
}

variable "instance_type" {
  description = "EC2 Mac type."
  type        = string
  default     = "mac2-m2pro.metal"
  nullable    = false

  validation {
    condition     = can(regex("^mac[0-9a-z-]*\\.metal$", var.instance_type))
    error_message = "Must be an EC2 Mac type such as mac2-m2pro.metal."
  }
}

variable "hosts" {
  description = "Macs that run when all is well."
  type        = number
  default     = 2
  nullable    = false

  validation {
    condition     = var.hosts >= 1 && floor(var.hosts) == var.hosts
    error_message = "Must be a whole number, 1 or more."
  }
}

variable "host_quota" {
  description = "Dedicated hosts of the family that may be allocated: the account's quota in the Region, less what others use of it."
  type        = number
  default     = 3
  nullable    = false
}

variable "auto_release_hosts" {
  description = "Whether the group gives free hosts back once AWS's 24 hours are over. Without it, additional hosts are paid for until somebody releases them."
  type        = bool
  default     = true
  nullable    = false
}

variable "root_size_gib" {
  description = "Root volume in GiB, at least the image's own size."
  type        = number
  default     = 100
  nullable    = false
}

variable "root_throughput_mib_per_s" {
  description = "Throughput of the root volume in MiB/s. 750 are the most that gp3's free IOPS carry."
  type        = number
  default     = 750
  nullable    = false
}

variable "vmdata_size_gib" {
  description = "VMData volume in GiB: the images, and room for running VMs."
  type        = number
  default     = 750
  nullable    = false
}

variable "vmdata_iops" {
  description = "IOPS of VMData. Null: the cheapest that carry the throughput and the VMs."
  type        = number
  default     = null
}

variable "vmdata_throughput_mib_per_s" {
  description = "Throughput of VMData in MiB/s. Null: 350 for each image, at most what the instance carries."
  type        = number
  default     = null
}

variable "vmdata_device" {
  description = "Device name under which VMData is attached."
  type        = string
  default     = "/dev/sdf"
  nullable    = false

  validation {
    condition     = can(regex("^/dev/sd[b-z]$", var.vmdata_device))
    error_message = "Must be /dev/sdb to /dev/sdz; the root volume is /dev/sda1."
  }
}

variable "image_count" {
  description = "VM images that a host pulls before it takes jobs, one pipeline each."
  type        = number
  default     = 2
  nullable    = false

  validation {
    condition     = var.image_count >= 1 && floor(var.image_count) == var.image_count
    error_message = "Must be a whole number, 1 or more."
  }
}

variable "image_size_gib" {
  description = "Size of one image as it lies on VMData, in GiB."
  type        = number
  default     = 75
  nullable    = false
}

variable "vms_per_host" {
  description = "macOS guests that run on a host at a time; Apple's licence allows two."
  type        = number
  default     = 2
  nullable    = false
}

variable "calibration" {
  description = "Constants of the start-up model for your own image, where you have measured it. Null: those of the measured fleet."
  type = object({
    boot_fixed_seconds  = optional(number)
    boot_read_mib       = optional(number)
    pipeline_mib_per_s  = optional(number)
    ready_fixed_seconds = optional(number)
  })
  default = null
}

variable "allowed_seconds" {
  description = "Seconds that a host may take until it signals readiness: the lifecycle hook's timeout, and the health check grace period. Null: 1.5 times the prediction, 600 at least."
  type        = number
  default     = null

  validation {
    condition     = var.allowed_seconds == null ? true : var.allowed_seconds >= 30 && var.allowed_seconds <= 7200 && floor(var.allowed_seconds) == var.allowed_seconds
    error_message = "Must be a whole number from 30 to 7200, which is what a lifecycle hook takes."
  }
}

variable "launch_seconds" {
  description = "Seconds of AWS's own launching (6 to 20 minutes for a Mac) that fall inside the allowed time. README.md says how to measure it."
  type        = number
  default     = 0
  nullable    = false

  validation {
    condition     = var.launch_seconds >= 0
    error_message = "Must be 0 or more."
  }
}

variable "observed_boot_to_ready_seconds" {
  description = "Seconds from boot to ready that slow hosts of this fleet were seen to take. Null: the prediction. It is what the pool's guard judges by."
  type        = number
  default     = null
}

variable "failed_launches_per_day" {
  description = "Launches of the whole fleet that fail in a day. Null: not known, and none are counted."
  type        = number
  default     = null
}

variable "create_license_configuration" {
  description = "Whether to create a licence configuration, by which License Manager places instances on the group's hosts. Without it, the group takes any, and the image has to be associated with one."
  type        = bool
  default     = true
  nullable    = false
}

variable "kms_key_arn" {
  description = "KMS key for both volumes, which Auto Scaling's service-linked role must be allowed to use. Null: the account's default key for EBS."
  type        = string
  default     = null
}

variable "security_group_ids" {
  description = "Security groups of the hosts. Empty: one is created that lets nothing in and everything out."
  type        = list(string)
  default     = []
  nullable    = false
}

variable "enable_session_manager" {
  description = "Whether people may open a shell on a host through Systems Manager."
  type        = bool
  default     = false
  nullable    = false
}

variable "watched_hosts" {
  description = "Hosts whose volumes have alarms, by instance id. scripts/watched-hosts.sh prints them."
  type = map(object({
    root_volume_id   = string
    vmdata_volume_id = string
  }))
  default  = {}
  nullable = false
}

variable "alarm_topic_arns" {
  description = "SNS topics that alarms are sent to."
  type        = list(string)
  default     = []
  nullable    = false
}

variable "ignore_rules" {
  description = "Rules that the guards do not report, as rule id = reason."
  type        = map(string)
  default     = {}
  nullable    = false
}

variable "tags" {
  description = "Tags of everything that is created."
  type        = map(string)
  default     = {}
  nullable    = false
}
