terraform {
  required_providers {
    runnerfit = {
      source = "runnerfit/runnerfit"
    }
  }
}

# Docker's VM has 20 GiB, a runner a limit of 3, and 3 are the VM's own (2) and
# the build cache's (1): what fits when all are at their peak.
output "runners" {
  value = provider::runnerfit::docker_runners(20, 3, 3)
  # => 5
}

# Not even one: the rest is not rounded up.
output "in_4_gib" {
  value = provider::runnerfit::docker_runners(4, 3, 3)
  # => 0
}

# How many more a larger VM would hold.
output "with_32_gib" {
  value = provider::runnerfit::docker_runners(32, 3, 3) - provider::runnerfit::docker_runners(20, 3, 3)
  # => 4
}
