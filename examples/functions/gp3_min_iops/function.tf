terraform {
  required_providers {
    runnerfit = {
      source = "runnerfit/runnerfit"
    }
  }
}

variable "throughput_mib_per_s" {
  type    = number
  default = 1000
}

# The cheapest iops to write beside throughput = var.throughput_mib_per_s.
output "iops" {
  value = provider::runnerfit::gp3_min_iops(var.throughput_mib_per_s)
  # => 4000
}

# Up to 750 MiB/s the 3,000 IOPS that every gp3 volume has are enough.
output "free" {
  value = provider::runnerfit::gp3_min_iops(750)
  # => 3000
}

# 750.25 has to be written as 751, which takes four IOPS more.
output "fraction" {
  value = provider::runnerfit::gp3_min_iops(750.25)
  # => 3004
}
