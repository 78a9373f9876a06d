terraform {
  required_providers {
    runnerfit = {
      source = "runnerfit/runnerfit"
    }
  }
}

# The EBS bandwidth of mac2-m2pro.metal, from the AWS page on instance types, in
# the unit that a gp3 volume's throughput is set in.
output "mac2_m2pro" {
  value = provider::runnerfit::mbit_to_mib(8000)
  # => 953.67431640625
}

# The smaller machine has the larger figure.
output "mac2" {
  value = provider::runnerfit::mbit_to_mib(10000)
  # => 1192.0928955078125
}

# What a volume can be set to: the whole MiB/s below it.
output "largest_setting" {
  value = floor(provider::runnerfit::mbit_to_mib(8000))
  # => 953
}
