terraform {
  required_providers {
    runnerfit = {
      source = "runnerfit/runnerfit"
    }
  }
}

# 1 GiB over a link of 10 Gbit/s, from a server that is faster than that.
output "over_10_gbe" {
  value = provider::runnerfit::cache_restore_seconds(1, 10000, 2312, null)
  # => 0.8589934592
}

# The same, if the entry has to be read from a gp3 volume with the default speed.
output "cold" {
  value = provider::runnerfit::cache_restore_seconds(1, 10000, 2312, 125)
  # => 8.192
}

# From GitHub's hosted cache at 20 MB/s, which are 160 Mbit/s.
output "hosted" {
  value = provider::runnerfit::cache_restore_seconds(1, 160, null, null)
  # => 53.6870912
}
