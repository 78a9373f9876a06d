# terraform init && terraform test: plans only, so that nothing is written.

run "all_can_peak_at_once" {
  command = plan

  assert {
    condition     = output.replicas_per_organization == 5
    error_message = "There are not as many runners as fit."
  }

  assert {
    condition     = output.overcommit_ratio <= 1
    error_message = "The limits are more than the memory."
  }

  assert {
    condition     = length(output.env_files) == 1
    error_message = "An organisation has no env file."
  }
}

run "no_runners" {
  command = plan

  variables {
    replicas = 0
  }

  expect_failures = [var.replicas]
}

run "no_organization" {
  command = plan

  variables {
    organizations = 0
  }

  expect_failures = [var.organizations]
}

run "overcommit" {
  command = plan

  variables {
    replicas = 6
  }

  expect_failures = [data.runnerfit_docker_runners.mac]
}
