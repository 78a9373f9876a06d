package module

import "fmt"

func (k *LinuxRunners) guard() File {
	d := newDocument("")
	d.comment(`The plan stops here if EC2 would refuse the volume, and warns if the instance
cannot carry it. The launch template takes its numbers from by_name.`)
	b := d.block("resource", "runnerfit_instance_storage", "runner")
	b.set("instance_type", "var.instance_type")
	b.set("ignore_rules", "var.ignore_rules")
	b.gap()
	volume := b.block("volume")
	volume.text("name", "root")
	volume.set("size_gib", "var.root_size_gib")
	volume.set("throughput_mib_per_s", "var.root_throughput_mib_per_s")
	volume.set("iops", "var.root_iops")
	d.gap()
	lookUpArchitecture(d.body, "runner")
	d.gap()
	if k.tmpfs() {
		d.comment(`Whether the heaviest job fits into memory. Its disk is the memory, so there is
nothing to wait for: the peaks are the least that can be written.`)
	} else {
		d.comment("Whether the heaviest job waits for the volume, and what is cheapest then.")
	}
	b = d.block("data", "runnerfit_job_disk", "heaviest")
	b.set("count", "var.job == null ? 0 : 1")
	b.gap()
	b.set("instance_type", "var.instance_type")
	if k.tmpfs() {
		b.number("peak_iops", 1)
		b.number("peak_throughput_mib_per_s", 1)
	} else {
		b.set("peak_iops", "var.job.peak_iops")
		b.set("peak_throughput_mib_per_s", "var.job.peak_throughput_mib_per_s")
	}
	b.set("written_gib", "var.job.written_gib")
	b.set("peak_memory_gib", "var.job.peak_memory_gib")
	b.set("minutes", "var.job.minutes")
	if k.tmpfs() {
		b.set("tmpfs_limit_percent", "var.tmpfs_limit_percent")
		b.set("resident_share", "var.zram_percent > 0 ? null : 1")
	}
	b.gap()
	volume = b.block("volume")
	volume.set("size_gib", "local.root.size_gib")
	volume.set("throughput_mib_per_s", "local.root.throughput_mib_per_s")
	volume.set("iops", "local.root.iops")
	return d.as("guard.tf")
}

func (k *LinuxRunners) main() File {
	d := newDocument("")
	b := d.block("locals")
	b.set("root", `runnerfit_instance_storage.runner.by_name["root"]`)
	b.set("tags", "merge(var.tags, { Name = var.name })")
	b.gap()
	b.set("arm", isArm("runner"))
	b.set("ami_id", "var.ami_id != null ? var.ami_id : nonsensitive(data.aws_ssm_parameter.ubuntu[0].value)")
	b.gap()
	before := ""
	if k.tmpfs() {
		b.comment(`A script of its own: its failure leaves the job on the volume, and what comes
after it goes on.`)
		b.set("job_disk", `join("\n", [
    "cat >/run/job-disk.sh <<'JOB_DISK'",
    trimspace(file("${path.module}/templates/job-disk.sh")),
    "JOB_DISK",
    join(" ", [
      "JOB_DISK_DIRECTORIES='${join(" ", var.tmpfs_directories)}'",
      "JOB_DISK_LIMIT_PERCENT=${var.tmpfs_limit_percent}",
      "JOB_DISK_ZRAM_PERCENT=${var.zram_percent}",
      "bash /run/job-disk.sh || true",
    ]),
  ])`)
		before = "local.job_disk, "
	}
	b.set("user_data", `join("\n", ["#!/bin/bash", `+before+`var.user_data_after, ""])`)
	d.gap()
	b = d.block("data", "aws_ssm_parameter", "ubuntu")
	b.set("count", "var.ami_id == null ? 1 : 0")
	b.gap()
	b.set("name", `"/aws/service/canonical/ubuntu/server/24.04/stable/current/${local.arm ? "arm64" : "amd64"}/hvm/ebs-gp3/ami-id"`)
	d.gap()
	k.network(d.body)
	d.gap()
	k.launchTemplate(d.body)
	d.gap()
	k.fleeting(d.body)
	return d.as("main.tf")
}

// network says who may talk to a runner.
func (*LinuxRunners) network(d body) {
	d.comment("Nothing may connect to a runner but the managers in gitlab_fleeting. What it\nfetches comes from anywhere.")
	b := d.block("resource", "aws_security_group", "runner")
	b.set("name", "var.name")
	b.text("description", "CI runners")
	b.set("vpc_id", "var.vpc_id")
	b.set("tags", "local.tags")
	d.gap()
	b = d.block("resource", "aws_vpc_security_group_egress_rule", "runner")
	b.set("security_group_id", "aws_security_group.runner.id")
	b.text("description", "What jobs fetch")
	b.text("ip_protocol", "-1")
	b.text("cidr_ipv4", "0.0.0.0/0")
	b.set("tags", "local.tags")
}

// launchTemplate is what runners are started from.
func (k *LinuxRunners) launchTemplate(d body) {
	b := d.block("resource", "aws_launch_template", "runner")
	b.set("name", "var.name")
	b.set("description", `"CI runners on ${var.instance_type}"`)
	b.flag("update_default_version", true)
	b.set("image_id", "local.ami_id")
	b.set("instance_type", "var.instance_type")
	b.flag("ebs_optimized", true)
	b.text("instance_initiated_shutdown_behavior", "terminate")
	b.set("vpc_security_group_ids", "[aws_security_group.runner.id]")
	b.set("user_data", "base64encode(local.user_data)")
	b.set("tags", "local.tags")
	b.gap()
	iamInstanceProfile := b.block("iam_instance_profile")
	iamInstanceProfile.set("arn", "aws_iam_instance_profile.runner.arn")
	b.gap()
	metadataOptions := b.block("metadata_options")
	metadataOptions.text("http_endpoint", "enabled")
	metadataOptions.text("http_tokens", "required")
	metadataOptions.set("http_put_response_hop_limit", "var.metadata_hop_limit")
	b.gap()
	blockDeviceMappings := b.block("block_device_mappings")
	blockDeviceMappings.set("device_name", "var.root_device_name")
	blockDeviceMappings.gap()
	ebs := blockDeviceMappings.block("ebs")
	ebs.set("volume_type", "local.root.type")
	ebs.set("volume_size", "local.root.size_gib")
	ebs.set("iops", "local.root.iops")
	ebs.set("throughput", "local.root.throughput_mib_per_s")
	ebs.flag("encrypted", true)
	ebs.set("kms_key_id", "var.kms_key_id")
	ebs.flag("delete_on_termination", true)
	b.gap()
	for i, typ := range []string{"instance", "volume", "network-interface"} {
		if i > 0 {
			b.gap()
		}
		tagSpecifications := b.block("tag_specifications")
		tagSpecifications.text("resource_type", typ)
		tagSpecifications.set("tags", "local.tags")
	}
	if k.tmpfs() {
		b.gap()
		lifecycle := b.block("lifecycle")
		{
			precondition := lifecycle.block("precondition")
			precondition.set("condition", "var.zram_percent > 0 || var.tmpfs_limit_percent <= 100")
			precondition.text("error_message", "Without compressed swap a tmpfs cannot hold more than the memory: write tmpfs_limit_percent = 100 or less, or zram_percent = 100.")
		}
		lifecycle.gap()
		{
			precondition := lifecycle.block("precondition")
			precondition.set("condition", `alltrue([for j in data.runnerfit_job_disk.heaviest : alltrue([for o in j.options : o.fits != false if o.name == "tmpfs"])])`)
			precondition.text("error_message", "The heaviest job does not fit into this type's memory: choose a type with at least memory_needed_gib, or generate the module with --disk gp3.")
		}
	}
}

// fleeting is the Auto Scaling group of GitLab's plugin.
func (*LinuxRunners) fleeting(d body) {
	d.comment(`GitLab Runner scales it by itself: no scaling policy, and the group ends no
instance on its own account.`)
	b := d.block("resource", "aws_autoscaling_group", "fleeting")
	b.set("count", "var.gitlab_fleeting == null ? 0 : 1")
	b.gap()
	b.set("name", "var.name")
	b.number("min_size", 0)
	b.set("max_size", "var.gitlab_fleeting.max_instances")
	b.set("vpc_zone_identifier", "var.gitlab_fleeting.subnet_ids")
	b.flag("protect_from_scale_in", true)
	b.set("suspended_processes", `["AZRebalance"]`)
	b.gap()
	launchTemplate := b.block("launch_template")
	launchTemplate.set("id", "aws_launch_template.runner.id")
	launchTemplate.set("version", "aws_launch_template.runner.latest_version")
	b.gap()
	dynamic := b.block("dynamic", "tag")
	dynamic.set("for_each", "local.tags")
	dynamic.gap()
	content := dynamic.block("content")
	content.set("key", "tag.key")
	content.set("value", "tag.value")
	content.comment("The launch template tags instances.")
	content.flag("propagate_at_launch", false)
	d.gap()
	b = d.block("resource", "aws_vpc_security_group_ingress_rule", "fleeting")
	b.set("for_each", "var.gitlab_fleeting == null ? {} : var.gitlab_fleeting.manager_security_groups")
	b.gap()
	b.set("security_group_id", "aws_security_group.runner.id")
	b.set("description", `"SSH from the runner manager ${each.key}"`)
	b.text("ip_protocol", "tcp")
	b.number("from_port", 22)
	b.number("to_port", 22)
	b.set("referenced_security_group_id", "each.value")
	b.set("tags", "local.tags")
}

func (*LinuxRunners) iam() File {
	d := newDocument("")
	assumedBy(d.body, "assume", "ec2.amazonaws.com")
	d.gap()
	d.comment("The role has no permissions but those in policy_arns: every job has them, too.")
	b := d.block("resource", "aws_iam_role", "runner")
	b.set("name", "var.name")
	b.set("assume_role_policy", "data.aws_iam_policy_document.assume.json")
	b.set("tags", "local.tags")
	d.gap()
	b = d.block("resource", "aws_iam_role_policy_attachment", "runner")
	b.set("for_each", "var.policy_arns")
	b.gap()
	b.set("role", "aws_iam_role.runner.name")
	b.set("policy_arn", "each.value")
	d.gap()
	b = d.block("resource", "aws_iam_instance_profile", "runner")
	b.set("name", "var.name")
	b.set("role", "aws_iam_role.runner.name")
	b.set("tags", "local.tags")
	d.gap()
	d.comment("What GitLab's runner manager needs for this group and no other.")
	b = d.block("data", "aws_iam_policy_document", "fleeting_manager")
	b.set("count", "var.gitlab_fleeting == null ? 0 : 1")
	b.gap()
	allow(b, "Scale", `["autoscaling:SetDesiredCapacity", "autoscaling:TerminateInstanceInAutoScalingGroup"]`, "[aws_autoscaling_group.fleeting[0].arn]")
	b.gap()
	{
		statement := b.block("statement")
		statement.text("sid", "Look")
		statement.set("actions", `["autoscaling:DescribeAutoScalingGroups", "autoscaling:DescribeAutoScalingInstances", "ec2:DescribeInstances"]`)
		statement.comment("These actions know no resources.")
		statement.set("resources", `["*"]`)
	}
	b.gap()
	onlyIf(allow(b, "Connect", `["ec2-instance-connect:SendSSHPublicKey"]`, `["arn:${data.aws_partition.current.partition}:ec2:${data.aws_region.current.region}:${data.aws_caller_identity.current.account_id}:instance/*"]`),
		"StringEquals", "ec2:ResourceTag/aws:autoscaling:groupName", "[var.name]")
	d.gap()
	d.block("data", "aws_partition", "current")
	d.gap()
	d.block("data", "aws_region", "current")
	d.gap()
	d.block("data", "aws_caller_identity", "current")
	return d.as("iam.tf")
}

func (k *LinuxRunners) example() File {
	d := exampleHead("Runners in a VPC that is there already. Write your own id.", true)
	b := d.block("module", "runners")
	b.text("source", "../..")
	b.gap()
	b.text("vpc_id", exampleVPC)
	b.gap()
	b.set("tags", `{ team = "platform" }`)
	d.gap()
	for i, name := range []string{"launch_template_id", "root_volume", "findings"} {
		if i > 0 {
			d.gap()
		}
		d.block("output", name).set("value", "module.runners."+name)
	}
	return d.as("examples/basic/main.tf")
}

func (k *LinuxRunners) tests() File {
	d := newDocument("terraform init && terraform test: plans only, without an account.")
	mockAWS(d.body)
	d.gap()
	d.block("variables").text("vpc_id", exampleVPC)
	runs := []planned{
		{
			name: "volume_is_filled_in",
			asserts: []assertion{
				{fmt.Sprintf("output.root_volume.size_gib == %d", k.RootSizeGiB), "The root volume has another size."},
				{"output.root_volume.iops >= output.root_volume.throughput_mib_per_s * 4", "The IOPS do not carry the throughput."},
				{`output.github_aws_runners.runner_metadata_options.http_tokens == "required"`, "Instance metadata is open to requests without a token."},
				{"output.gitlab_fleeting == null", "There is an Auto Scaling group that nobody asked for."},
			},
		},
		{name: "id_of_something_else", variables: [][2]string{{"vpc_id", `"subnet-0123456789abcdef0"`}}, refused: []string{"var.vpc_id"}},
		{
			name:      "fleeting_without_subnets",
			variables: [][2]string{{"gitlab_fleeting", "{ max_instances = 10, subnet_ids = [] }"}},
			refused:   []string{"var.gitlab_fleeting"},
		},
		{
			name:      "fleeting",
			variables: [][2]string{{"gitlab_fleeting", fmt.Sprintf("{ max_instances = 10, subnet_ids = [%q] }", exampleSubnet)}},
			asserts:   []assertion{{"output.gitlab_fleeting.max_instances == 10", "The group has another size."}},
		},
	}
	if k.tmpfs() {
		runs = append(runs,
			planned{
				name:      "tmpfs_above_memory_without_swap",
				variables: [][2]string{{"zram_percent", "0"}},
				refused:   []string{"aws_launch_template.runner"},
			},
			planned{
				name:      "job_that_does_not_fit",
				variables: [][2]string{{"job", "{ written_gib = 100000, peak_memory_gib = 8, minutes = 5 }"}},
				refused:   []string{"aws_launch_template.runner"},
			})
	}
	for _, p := range runs {
		d.gap()
		p.addTo(d.body)
	}
	return d.as("tests/plan.tftest.hcl")
}
