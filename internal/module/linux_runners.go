package module

import (
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
	if err := checkName(k.Name); err != nil {
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
		outputs(rs),
		k.example(),
		k.tests(),
	}
	if k.tmpfs() {
		files = append(files, script(k.Kind(), "job-disk.sh"))
	}
	return files, nil
}

// Ids for examples and tests.
const (
	exampleVPC           = "vpc-0123456789abcdef0"
	exampleSubnet        = "subnet-0123456789abcdef0"
	exampleSecurityGroup = "sg-0123456789abcdef0"
	exampleRouteTable    = "rtb-0123456789abcdef0"
)

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
		architectureInput(),
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
			description: "ARN of the KMS key that encrypts the root volume. Its policy has to let EC2 use it, and Auto Scaling's service role with gitlab_fleeting. Null: the account's default key for EBS.",
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
		ignoreInput(),
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
    runner_architecture  = local.arm ? "arm64" : "x64"` + preInstall + `
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
