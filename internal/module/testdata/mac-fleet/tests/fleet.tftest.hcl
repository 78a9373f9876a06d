# The guards are real, AWS is not: no account, no credentials. What the guards refuse
# is not tested here, because expect_failures sees no errors of a provider.

mock_provider "aws" {
  mock_data "aws_iam_policy_document" {
    defaults = { json = "{\"Version\":\"2012-10-17\",\"Statement\":[]}" }
  }
}

variables {
  ami_id     = "ami-0123456789abcdef0"
  subnet_ids = ["subnet-0123456789abcdef0"]
  image_urls = [
    "s3://example-vm-images/macos-1.tar.zst",
    "s3://example-vm-images/macos-2.tar.zst",
  ]
}

run "defaults" {
  command = plan

  assert {
    condition     = output.root.iops == 3000 && output.root.throughput_mib_per_s == 750
    error_message = "The root volume has other settings."
  }

  assert {
    condition     = output.vmdata.iops == 3000 && output.vmdata.throughput_mib_per_s == 700
    error_message = "VMData has other settings."
  }

  assert {
    condition     = output.allowed_seconds == 600
    error_message = "Another time is allowed."
  }

  assert {
    condition     = output.allowed_seconds >= output.boot_to_ready_seconds
    error_message = "Hosts are not ready in time."
  }

  assert {
    condition     = one(output.host_families) == "mac2-m2pro"
    error_message = "Hosts of another family are allocated."
  }

  assert {
    condition     = output.pool_verdict != "exhausts"
    error_message = "The pool would run out of hosts."
  }

  assert {
    condition     = length([for f in output.findings : f.rule if f.severity == "error"]) == 0
    error_message = "The guards found errors."
  }
}

run "values_flow_from_the_guards" {
  command = plan

  assert {
    condition     = aws_autoscaling_group.hosts.health_check_grace_period == output.allowed_seconds && aws_autoscaling_lifecycle_hook.ready.heartbeat_timeout == output.allowed_seconds
    error_message = "The group allows another time than the guard judged."
  }

  assert {
    condition     = [for b in aws_launch_template.host.block_device_mappings : b.ebs[0].throughput] == [output.root.throughput_mib_per_s, output.vmdata.throughput_mib_per_s]
    error_message = "The launch template has other volumes than the guard judged."
  }

  assert {
    condition     = aws_launch_template.host.metadata_options[0].http_tokens == "required" && alltrue([for b in aws_launch_template.host.block_device_mappings : tobool(b.ebs[0].encrypted)])
    error_message = "Metadata or volumes are open."
  }
}

run "a_longer_time" {
  command = plan

  variables {
    allowed_seconds = 3600
  }

  assert {
    condition     = aws_autoscaling_lifecycle_hook.ready.heartbeat_timeout == 3600
    error_message = "allowed_seconds is not used."
  }
}

run "images_and_urls_disagree" {
  command = plan

  variables {
    image_urls = []
  }

  expect_failures = [aws_launch_template.host]
}
