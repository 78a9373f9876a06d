terraform {
  required_providers {
    runnerfit = {
      source = "runnerfit/runnerfit"
    }
  }
}

variable "throughput_mib_per_s" {
  type    = number
  default = 750

  validation {
    condition     = length([for f in provider::runnerfit::check_gp3(500, null, var.throughput_mib_per_s, null) : f if f.severity == "error"]) == 0
    error_message = join("\n", [for f in provider::runnerfit::check_gp3(500, null, var.throughput_mib_per_s, null) : "${f.message} ${f.fix}"])
  }
}

# 750 MiB/s at the IOPS that are free: nothing to say.
output "fine" {
  value = provider::runnerfit::check_gp3(500, null, var.throughput_mib_per_s, null)
  # => []
}

# More throughput than the IOPS carry.
output "refused_by_ec2" {
  value = provider::runnerfit::check_gp3(500, 3000, 1000, null)
  # => [
  #   {
  #     rule     = "gp3-throughput-ratio"
  #     severity = "error"
  #     path     = "throughput_mib_per_s"
  #     message  = "1,000 MiB/s at 3,000 IOPS is a ratio of 0.333333 MiB/s per IOPS; EC2 refuses more than 0.25 when it creates the volume, though a launch template accepts it."
  #     fix      = "Write iops = 4000 (+$5.00 a month), or throughput_mib_per_s = 750 (-$10.00 a month)."
  #   },
  # ]
}

# Valid by itself, but more than the instance moves.
output "wasted_on_this_instance" {
  value = [for f in provider::runnerfit::check_gp3(500, 4000, 1000, "mac2-m2pro.metal") : "${f.severity}, ${f.rule}: ${f.fix}"]
  # => ["warning, instance-throughput: Write throughput_mib_per_s = 953 and iops = 3812: the same speed, -$2.82 a month."]
}
