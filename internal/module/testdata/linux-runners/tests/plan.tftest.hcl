# terraform init && terraform test: plans only, without an account.

mock_provider "aws" {
  # Random words would be refused where JSON or the name of a Region is due.
  mock_data "aws_iam_policy_document" {
    defaults = { json = "{}" }
  }

  mock_data "aws_region" {
    defaults = { region = "us-east-1" }
  }
}

variables {
  vpc_id = "vpc-0123456789abcdef0"
}

run "volume_is_filled_in" {
  command = plan

  assert {
    condition     = output.root_volume.size_gib == 40
    error_message = "The root volume has another size."
  }

  assert {
    condition     = output.root_volume.iops >= output.root_volume.throughput_mib_per_s * 4
    error_message = "The IOPS do not carry the throughput."
  }

  assert {
    condition     = output.github_aws_runners.runner_metadata_options.http_tokens == "required"
    error_message = "Instance metadata is open to requests without a token."
  }

  assert {
    condition     = output.gitlab_fleeting == null
    error_message = "There is an Auto Scaling group that nobody asked for."
  }
}

run "id_of_something_else" {
  command = plan

  variables {
    vpc_id = "subnet-0123456789abcdef0"
  }

  expect_failures = [var.vpc_id]
}

run "fleeting_without_subnets" {
  command = plan

  variables {
    gitlab_fleeting = { max_instances = 10, subnet_ids = [] }
  }

  expect_failures = [var.gitlab_fleeting]
}

run "fleeting" {
  command = plan

  variables {
    gitlab_fleeting = { max_instances = 10, subnet_ids = ["subnet-0123456789abcdef0"] }
  }

  assert {
    condition     = output.gitlab_fleeting.max_instances == 10
    error_message = "The group has another size."
  }
}
