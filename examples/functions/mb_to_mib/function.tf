terraform {
  required_providers {
    runnerfit = {
      source = "runnerfit/runnerfit"
    }
  }
}

# "1,000 MB/s" of an instance, in the unit of a gp3 setting.
output "instance" {
  value = provider::runnerfit::mb_to_mib(1000)
  # => 953.67431640625
}

# A CloudWatch reading in bytes per second (VolumeReadBytes, Sum ÷ period).
output "from_cloudwatch" {
  value = provider::runnerfit::mb_to_mib(524288000 / 1000000)
  # => 500
}
