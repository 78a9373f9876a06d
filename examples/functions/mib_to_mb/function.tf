terraform {
  required_providers {
    runnerfit = {
      source = "runnerfit/runnerfit"
    }
  }
}

# A volume's setting, in the unit that AWS quotes instances in.
output "volume" {
  value = provider::runnerfit::mib_to_mb(750)
  # => 786.432
}

# Does a volume of 1,000 MiB/s fit an instance of 1,000 MB/s?
output "fits" {
  value = provider::runnerfit::mib_to_mb(1000) <= 1000
  # => false
}
