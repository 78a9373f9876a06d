terraform {
  required_providers {
    runnerfit = {
      source = "runnerfit/runnerfit"
    }
  }
}

output "large" {
  value = provider::runnerfit::migrate_runner_label("runs-on=1/cpu=8/disk=large")
  # => "runs-on=1/cpu=8/volume=80gb:gp3:750mibps:4000iops"
}

# What is not removed in v3 stays as it is, commas and all.
output "commas" {
  value = provider::runnerfit::migrate_runner_label("runs-on,runner=8cpu-linux-x64,disk=default,image=ubuntu22-full-x64")
  # => "runs-on,runner=8cpu-linux-x64,volume=40gb:gp3:400mibps:3000iops,image=ubuntu22-full-x64"
}
