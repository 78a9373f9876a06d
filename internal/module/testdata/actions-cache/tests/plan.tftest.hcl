# terraform init && terraform test: plans only, without an account.

mock_provider "aws" {
  # Random words would be refused where JSON or the name of a Region is due.
  mock_data "aws_iam_policy_document" {
    defaults = { json = "{}" }
  }

  mock_data "aws_region" {
    defaults = { region = "us-east-1" }
  }

  mock_data "aws_caller_identity" {
    defaults = { account_id = "123456789012" }
  }

  mock_data "aws_subnet" {
    defaults = { availability_zone = "us-east-1a" }
  }
}

variables {
  vpc_id                    = "vpc-0123456789abcdef0"
  subnet_id                 = "subnet-0123456789abcdef0"
  route_table_ids           = ["rtb-0123456789abcdef0"]
  runner_security_group_ids = { linux = "sg-0123456789abcdef0" }
}

run "sized" {
  command = plan

  assert {
    condition     = output.storage_gib == 900
    error_message = "The bucket is sized for something else."
  }

  assert {
    condition     = output.restore_seconds > 0
    error_message = "Nothing is known of restores."
  }

  assert {
    condition     = output.actions_results_url == "http://cache.${var.dns_namespace}:3000/"
    error_message = "Runners need the address with a trailing slash."
  }

  assert {
    condition     = length([for f in output.findings : f if f.severity != "info"]) == 0
    error_message = "The guards found more than advice."
  }
}

run "closed_to_all" {
  command = plan

  variables {
    runner_security_group_ids = {}
  }

  expect_failures = [var.runner_security_group_ids]
}

run "no_replica" {
  command = plan

  variables {
    replicas = 0
  }

  expect_failures = [var.replicas]
}
