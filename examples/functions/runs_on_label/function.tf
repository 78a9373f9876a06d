terraform {
  required_providers {
    runnerfit = {
      source = "runnerfit/runnerfit"
    }
  }
}

output "label" {
  value = provider::runnerfit::runs_on_label({
    family = ["m8a", "m7a"]
    cpu    = 4
    spot   = "pco"
    volume = { size_gib = 80, type = "gp3", throughput_mib_per_s = 750 }
    extras = ["s3-cache", "tmpfs"]
  })
  # => "runs-on=$${{ github.run_id }}/cpu=4/family=m8a+m7a/volume=80gb:gp3:750mibps/extras=s3-cache+tmpfs/spot=pco"
}

# Change one setting of a label and keep the others.
output "with_more_memory" {
  value = provider::runnerfit::runs_on_label(merge(
    provider::runnerfit::parse_runner_label("runs-on=7/family=m8a.xlarge/image=ubuntu24-full-x64").settings,
    { family = "r8a.xlarge", extras = "tmpfs" },
  ))
  # => "runs-on=7/family=r8a.xlarge/image=ubuntu24-full-x64/extras=tmpfs"
}
