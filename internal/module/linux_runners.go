package module

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/jobdisk"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

// What the files of a job on a Linux runner lie on.
const (
	DiskGP3   = "gp3"
	DiskTmpfs = "tmpfs"
)

// Disks are all of them.
var Disks = []string{DiskGP3, DiskTmpfs}

// LinuxRunners is a launch template for Linux runners, whoever manages them.
type LinuxRunners struct {
	Name         string
	InstanceType string
	Disk         string
	RootSizeGiB  int
	// ThroughputMiBPerS of the root volume; 0 is the free baseline.
	ThroughputMiBPerS int
}

// NewLinuxRunners returns runners with the defaults.
func NewLinuxRunners() *LinuxRunners {
	return &LinuxRunners{Name: "linux-runners", InstanceType: "m8a.2xlarge", Disk: DiskGP3, RootSizeGiB: 40}
}

// Kind is "linux-runners".
func (*LinuxRunners) Kind() string { return "linux-runners" }

// Check checks the settings.
func (k *LinuxRunners) Check() error {
	if err := checkName("name", k.Name); err != nil {
		return err
	}
	if err := checkLinuxType("instance-type", k.InstanceType); err != nil {
		return err
	}
	if !slices.Contains(Disks, k.Disk) {
		return wrong("disk", "must be %s", strings.Join(Disks, " or "))
	}
	l := catalog.Embedded().GP3(catalog.CurrentLimits)
	if err := checkRange("root-size-gib", k.RootSizeGiB, int(l.SizeGiB.Min), int(l.SizeGiB.Max)); err != nil {
		return err
	}
	if k.ThroughputMiBPerS != 0 {
		if err := checkRange("throughput-mib-per-s", k.ThroughputMiBPerS, int(l.ThroughputMiB.Min), int(l.ThroughputMiB.Max)); err != nil {
			return err
		}
	}
	// What the guard would refuse or warn of, so that no module begins with it.
	for _, f := range k.root().Findings {
		if f.Severity == finding.Error || f.Severity == finding.Warning {
			return wrong("throughput-mib-per-s", "%s", f.Message)
		}
	}
	return nil
}

// checkLinuxType finds an instance type that Linux runs on.
func checkLinuxType(option, typ string) error {
	i, err := checkInstanceType(option, typ)
	if err != nil {
		return err
	}
	if i.IsMac() {
		return wrong(option, "%s is a Mac; use the kind mac-fleet", typ)
	}
	return nil
}

// root is the root volume as the guard will fill it in.
func (k *LinuxRunners) root() ebs.InstanceStorageResult {
	v := ebs.InstanceVolume{Name: optional.Known("root"), SizeGiB: optional.Known(decimal.NewFromInt(int64(k.RootSizeGiB)))}
	if k.ThroughputMiBPerS != 0 {
		v.ThroughputMiBPerS = optional.Known(decimal.NewFromInt(int64(k.ThroughputMiBPerS)))
	}
	return ebs.EvaluateInstanceStorage(catalog.Embedded(), ebs.InstanceStorage{
		InstanceType: optional.Known(k.InstanceType),
		Volumes:      optional.Known([]ebs.InstanceVolume{v}),
	})
}

func (k *LinuxRunners) tmpfs() bool { return k.Disk == DiskTmpfs }

func (k *LinuxRunners) files() ([]File, error) {
	vs, rs := k.variables(), k.outputs()
	root := k.root()
	volume := "no price is known"
	if usd, ok := root.MonthlyCostUSD.Get(); ok {
		volume = "$" + usd.StringFixed(2) + " a month"
	}
	about, err := readme(k.Kind(), map[string]any{
		"Name": k.Name, "InstanceType": k.InstanceType, "Tmpfs": k.tmpfs(), "RootSizeGiB": k.RootSizeGiB,
		"InstanceCost": monthly(k.InstanceType), "VolumeCost": volume,
		"Inputs": inputTable(vs), "Outputs": outputTable(rs),
	})
	if err != nil {
		return nil, err
	}
	files := []File{
		about,
		versions(true),
		variables("", vs),
		k.guard(),
		k.main(),
		k.iam(),
		outputs("", rs),
		k.example(),
		k.tests(),
	}
	if k.tmpfs() {
		files = append(files, script(k.Kind(), "job-disk.sh"))
	}
	return files, nil
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

// Ids for examples and tests.
const (
	exampleVPC           = "vpc-0123456789abcdef0"
	exampleSubnet        = "subnet-0123456789abcdef0"
	exampleSecurityGroup = "sg-0123456789abcdef0"
	exampleRouteTable    = "rtb-0123456789abcdef0"
)

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

func (k *LinuxRunners) guard() File {
	d := newDocument("")
	d.comment(`The plan stops here if EC2 would refuse the volume, and warns if the instance
cannot carry it. The launch template takes its numbers from by_name.`)
	b := d.block("resource", "runnerfit_instance_storage", "runner")
	b.set("instance_type", "var.instance_type")
	b.gap()
	volume := b.block("volume")
	volume.text("name", "root")
	volume.set("size_gib", "var.root_size_gib")
	volume.set("throughput_mib_per_s", "var.root_throughput_mib_per_s")
	volume.set("iops", "var.root_iops")
	d.gap()
	b = d.block("data", "runnerfit_instance_ebs", "runner")
	b.set("instance_type", "var.instance_type")
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
	volume.set("size_gib", "var.root_size_gib")
	volume.set("throughput_mib_per_s", "var.root_throughput_mib_per_s")
	volume.set("iops", "var.root_iops")
	return d.as("guard.tf")
}

func (k *LinuxRunners) main() File {
	d := newDocument("")
	b := d.block("locals")
	b.set("root", `runnerfit_instance_storage.runner.by_name["root"]`)
	b.set("tags", "merge(var.tags, { Name = var.name })")
	b.gap()
	b.set("architecture", `contains(data.runnerfit_instance_ebs.runner.architectures, "arm64") ? "arm64" : "amd64"`)
	b.set("ami_id", "var.ami_id != null ? var.ami_id : nonsensitive(data.aws_ssm_parameter.ubuntu[0].value)")
	b.gap()
	before := ""
	if k.tmpfs() {
		b.comment(`A script of its own: its failure leaves the job on the volume, and what comes
after it goes on.`)
		b.set("job_disk", `join("\n", [
    "cat >/run/job-disk.sh <<'JOB_DISK'",
    trimspace(file("${path.module}/files/job-disk.sh")),
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
	b.set("name", `"/aws/service/canonical/ubuntu/server/24.04/stable/current/${local.architecture}/hvm/ebs-gp3/ami-id"`)
	d.gap()
	d.comment("Nothing may connect to a runner but the managers in gitlab_fleeting. What it\nfetches comes from anywhere.")
	b = d.block("resource", "aws_security_group", "runner")
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
	d.gap()
	b = d.block("resource", "aws_launch_template", "runner")
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
	d.gap()
	d.comment(`GitLab Runner scales it by itself: no scaling policy, and the group ends no
instance on its own account.`)
	b = d.block("resource", "aws_autoscaling_group", "fleeting")
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
	return d.as("main.tf")
}

func (*LinuxRunners) iam() File {
	d := newDocument("")
	b := d.block("data", "aws_iam_policy_document", "assume")
	statement := b.block("statement")
	statement.set("actions", `["sts:AssumeRole"]`)
	statement.gap()
	principals := statement.block("principals")
	principals.text("type", "Service")
	principals.set("identifiers", `["ec2.amazonaws.com"]`)
	d.gap()
	d.comment("The role has no permissions but those in policy_arns: every job has them, too.")
	b = d.block("resource", "aws_iam_role", "runner")
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
	{
		statement := b.block("statement")
		statement.text("sid", "Scale")
		statement.set("actions", `["autoscaling:SetDesiredCapacity", "autoscaling:TerminateInstanceInAutoScalingGroup"]`)
		statement.set("resources", "[aws_autoscaling_group.fleeting[0].arn]")
	}
	b.gap()
	{
		statement := b.block("statement")
		statement.text("sid", "Look")
		statement.set("actions", `["autoscaling:DescribeAutoScalingGroups", "autoscaling:DescribeAutoScalingInstances", "ec2:DescribeInstances"]`)
		statement.comment("These actions know no resources.")
		statement.set("resources", `["*"]`)
	}
	b.gap()
	{
		statement := b.block("statement")
		statement.text("sid", "Connect")
		statement.set("actions", `["ec2-instance-connect:SendSSHPublicKey"]`)
		statement.set("resources", `["arn:${data.aws_partition.current.partition}:ec2:${data.aws_region.current.region}:${data.aws_caller_identity.current.account_id}:instance/*"]`)
		statement.gap()
		condition := statement.block("condition")
		condition.text("test", "StringEquals")
		condition.text("variable", "ec2:ResourceTag/aws:autoscaling:groupName")
		condition.set("values", "[var.name]")
	}
	d.gap()
	b = d.block("data", "aws_partition", "current")
	d.gap()
	b = d.block("data", "aws_region", "current")
	d.gap()
	b = d.block("data", "aws_caller_identity", "current")
	return d.as("iam.tf")
}

func (k *LinuxRunners) variables() []variable {
	throughput := "null"
	if k.ThroughputMiBPerS != 0 {
		throughput = strconv.Itoa(k.ThroughputMiBPerS)
	}
	vs := []variable{
		nameInput(k.Name, "Name of the launch template, the role and the security group, and the Name tag of the runners."),
		tagsInput(),
		idInput("vpc_id", "vpc", "VPC that the runners start in."),
		{
			name: "instance_type", typ: "string",
			description: "EC2 instance type of the runners. The root volume is judged by what it carries.",
			value:       strconv.Quote(k.InstanceType),
		},
		{
			name: "ami_id", typ: "string",
			description: "Image of the runners. Null: the newest Ubuntu 24.04 of Canonical for the type's architecture.",
			value:       "null",
			nullable:    true,
		},
		{
			name: "root_device_name", typ: "string",
			description: "Device name of the image's root volume: /dev/sda1 on Ubuntu, /dev/xvda on Amazon Linux.",
			value:       `"/dev/sda1"`,
			validations: []validation{
				{`startswith(var.root_device_name, "/dev/")`, "Write a device name, such as /dev/sda1."},
			},
		},
		{
			name: "root_size_gib", typ: "number",
			description: "Size of the root volume in GiB.",
			value:       strconv.Itoa(k.RootSizeGiB),
		},
		{
			name: "root_throughput_mib_per_s", typ: "number",
			description: "Throughput of the root volume in MiB/s. Null: the free 125.",
			value:       throughput,
			nullable:    true,
		},
		{
			name: "root_iops", typ: "number",
			description: "IOPS of the root volume. Null: the fewest that carry the throughput.",
			value:       "null",
			nullable:    true,
		},
		{
			name: "kms_key_id", typ: "string",
			description: "ARN of the KMS key that encrypts the root volume. Null: the account's default key for EBS.",
			value:       "null",
			nullable:    true,
		},
	}
	if k.tmpfs() {
		vs = append(vs, tmpfsInputs()...)
	} else {
		vs = append(vs, jobInput())
	}
	return append(vs, []variable{
		{
			name: "user_data_after", typ: "string",
			description: "Shell commands that the user data ends with, such as those that register the runner. Nothing secret: whoever may describe the launch template reads them.",
			value:       `""`,
		},
		{
			name: "metadata_hop_limit", typ: "number",
			description: "Network hops that instance metadata may take. With 1, containers do not reach the runner's role; some actions need 2.",
			value:       "1",
			validations: []validation{
				{"contains([1, 2], var.metadata_hop_limit)", "Write 1 or 2."},
			},
		},
		{
			name: "policy_arns", typ: "map(string)",
			description: "Policies that the runners' role gets, by a name of your choice. By default a runner may do nothing in AWS.",
			value:       "{}",
		},
		{
			name: "gitlab_fleeting", typ: `object({
    max_instances           = number
    subnet_ids              = list(string)
    manager_security_groups = optional(map(string), {})
  })`,
			description: "Auto Scaling group for GitLab's fleeting plugin: most instances, subnets, and security groups of runner managers, by a name of your choice, that may connect by SSH. Null: none.",
			value:       "null",
			nullable:    true,
			validations: []validation{
				{"var.gitlab_fleeting == null ? true : var.gitlab_fleeting.max_instances >= 1 && length(var.gitlab_fleeting.subnet_ids) > 0", "Write at least one instance and one subnet."},
			},
		},
	}...)
}

// jobInput is the heaviest job where its files lie on a volume.
func jobInput() variable {
	return variable{
		name: "job", typ: `object({
    peak_iops                 = number
    peak_throughput_mib_per_s = number
    written_gib               = number
    peak_memory_gib           = number
    minutes                   = number
  })`,
		description: "The heaviest job, from the chart at the end of its log: peaks of its disk in IOPS and MiB/s, GiB that it writes, GiB of memory that its processes take, minutes. The plan warns if it waits for the volume. Null: no job is judged.",
		value:       "null",
		nullable:    true,
	}
}

// tmpfsInputs are the variables of a disk in memory.
func tmpfsInputs() []variable {
	return []variable{
		{
			name: "tmpfs_directories", typ: "list(string)",
			description: "Directories that are moved into memory before the runner starts. What lies in them is gone with the instance.",
			value:       `["/home/runner", "/tmp", "/var/lib/docker", "/var/lib/containerd"]`,
			validations: []validation{
				{`alltrue([for d in var.tmpfs_directories : can(regex("^/[A-Za-z0-9._/-]+$", d))])`, "Write absolute paths of letters, digits, dots, hyphens and underscores."},
			},
		},
		{
			name: "tmpfs_limit_percent", typ: "number",
			description: "What the tmpfs may hold, in percent of the instance's memory. Above 100 it counts on swap that is compressed in memory.",
			value:       jobdisk.DefaultTmpfsLimitPercent.String(),
			validations: []validation{
				wholeNumber("tmpfs_limit_percent", 10, 200),
			},
		},
		{
			name: "zram_percent", typ: "number",
			description: "Size of the compressed swap before compression, in percent of the instance's memory. 0: no swap, and then tmpfs_limit_percent is at most 100.",
			value:       "100",
			validations: []validation{
				wholeNumber("zram_percent", 0, 200),
			},
		},
		{
			name: "job", typ: `object({
    written_gib     = number
    peak_memory_gib = number
    minutes         = number
  })`,
			description: "The heaviest job: GiB that it writes, GiB of memory that its processes take at their peak, minutes. The plan stops if it does not fit into memory. Null: no job is judged.",
			value:       "null",
			nullable:    true,
		},
	}
}

func (k *LinuxRunners) outputs() []result {
	job := result{"verdict", "What is cheapest for the heaviest job: keep, tmpfs, tmpfs-more-memory or faster-volume. Null without job.", "one(data.runnerfit_job_disk.heaviest[*].verdict)"}
	preInstall := ""
	if k.tmpfs() {
		job = result{"memory_needed_gib", "GiB of memory with which the heaviest job runs on tmpfs. Null without job.", "one(data.runnerfit_job_disk.heaviest[*].memory_needed_gib)"}
		preInstall = "\n    userdata_pre_install = local.job_disk"
	}
	return []result{
		{"launch_template_id", "Id of the launch template.", "aws_launch_template.runner.id"},
		{"launch_template_version", "Newest version of the launch template.", "aws_launch_template.runner.latest_version"},
		{"security_group_id", "Security group of the runners.", "aws_security_group.runner.id"},
		{"role_name", "Role of the runners.", "aws_iam_role.runner.name"},
		{"root_volume", "The root volume as it was filled in: type, GiB, IOPS, MiB/s, US dollars a month.", "local.root"},
		job,
		{"findings", "What the guard found, advice included: rule, severity, path, message, fix.", "concat(runnerfit_instance_storage.runner.findings, flatten(data.runnerfit_job_disk.heaviest[*].findings))"},
		{"github_aws_runners", "Arguments of the module github-aws-runners/github-runner/aws, which makes launch templates of its own.", `{
    instance_types       = [var.instance_type]
    runner_architecture  = local.architecture == "arm64" ? "arm64" : "x64"` + preInstall + `
    runner_metadata_options = {
      http_endpoint               = "enabled"
      http_tokens                 = "required"
      http_put_response_hop_limit = var.metadata_hop_limit
      instance_metadata_tags      = "enabled"
    }
    block_device_mappings = [{
      device_name           = var.root_device_name
      volume_type           = local.root.type
      volume_size           = local.root.size_gib
      iops                  = local.root.iops
      throughput            = local.root.throughput_mib_per_s
      encrypted             = true
      kms_key_id            = var.kms_key_id
      delete_on_termination = true
    }]
  }`},
		{"gitlab_fleeting", "plugin_config and connector_config of GitLab's fleeting plugin, and the policy that its manager needs. Null without gitlab_fleeting.", `var.gitlab_fleeting == null ? null : {
    plugin_config    = { name = aws_autoscaling_group.fleeting[0].name, region = data.aws_region.current.region }
    connector_config = { username = "ubuntu", os = "linux", protocol = "ssh" }
    max_instances    = var.gitlab_fleeting.max_instances
    manager_policy   = data.aws_iam_policy_document.fleeting_manager[0].json
  }`},
	}
}
