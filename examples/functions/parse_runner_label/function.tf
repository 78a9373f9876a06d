terraform {
  required_providers {
    runnerfit = {
      source = "runnerfit/runnerfit"
    }
  }
}

# The labels that your workflows are given, in one place. A fault stops the plan
# instead of a runner that never starts.
variable "labels" {
  type = map(string)
  default = {
    build = "runs-on=1/family=m8a.xlarge/volume=80gb:gp3:750mibps"
    test  = "runs-on=1/cpu=4/ram=16/family=m7a+c7a/extras=s3-cache+tmpfs"
  }

  validation {
    condition = alltrue([
      for label in values(var.labels) : length([for f in provider::runnerfit::parse_runner_label(label).findings : f if f.severity != "info"]) == 0
    ])
    error_message = join("\n", flatten([
      for name, label in var.labels : [for f in provider::runnerfit::parse_runner_label(label).findings : "${name}: ${f.message} ${f.fix}" if f.severity != "info"]
    ]))
  }
}

output "volume" {
  value = provider::runnerfit::parse_runner_label(var.labels["build"]).volume
  # => {
  #   size_gib             = 80
  #   type                 = "gp3"
  #   iops                 = null
  #   throughput_mib_per_s = 750
  # }
}

output "extras" {
  value = provider::runnerfit::parse_runner_label(var.labels["test"]).extras
  # => ["s3-cache", "tmpfs"]
}

# Parts in any order, and every spelling of MiB/s, are the same volume.
output "same" {
  value = (
    provider::runnerfit::parse_runner_label("runs-on=1/volume=gp3:16000iops:80gb:1000mibps") ==
    provider::runnerfit::parse_runner_label("runs-on=1/volume=80gb:gp3:1000mbs:16000iops")
  )
  # => true
}

# EC2 refuses this volume, and RunsOn has never heard of "memory".
output "faults" {
  value = [for f in provider::runnerfit::parse_runner_label("runs-on=1/memory=32/volume=80gb:gp3:1000mbs:3000iops").findings : "${f.severity}, ${f.rule}: ${f.fix}"]
  # => [
  #   "error, gp3-throughput-ratio: Write 4000iops (+$5.00 a month), or 750mibps (-$10.00 a month).",
  #   "warning, label-unknown-key: Write ram=32, if that is what was meant.",
  # ]
}

# The labels of github-aws-runners are a list.
output "ghr" {
  value = provider::runnerfit::parse_runner_label(["self-hosted", "ghr-ec2-instance-type:m7a.xlarge", "ghr-ec2-ebs-volume-size:80"]).settings
  # => {
  #   ebs-volume-size = "80"
  #   instance-type   = "m7a.xlarge"
  # }
}
