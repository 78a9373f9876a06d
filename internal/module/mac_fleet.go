package module

import (
	"fmt"
	"math"
	"strconv"
)

// MacFleet is a fleet of EC2 Macs that run VM images. Its settings become the
// defaults of the module's variables.
type MacFleet struct {
	Name         string
	InstanceType string
	// Images are pulled by every host before it takes jobs, one pipeline each.
	Images       int
	ImageSizeGiB float64
	// Hosts run when all is well; HostQuota may be allocated, 0 for a half more.
	Hosts, HostQuota int
	VMsPerHost       int
	RootSizeGiB      int
	// VMDataSizeGiB is 0 for the images and 300 GiB for each VM.
	VMDataSizeGiB int
	// Licence says that the module creates a licence configuration.
	Licence bool
}

// NewMacFleet returns a fleet with the defaults.
func NewMacFleet() *MacFleet {
	return &MacFleet{
		Name: "mac-runners", InstanceType: "mac2-m2pro.metal", Images: 2, ImageSizeGiB: 75, Hosts: 2,
		VMsPerHost: 2, RootSizeGiB: 100, Licence: true,
	}
}

// Kind is "mac-fleet".
func (*MacFleet) Kind() string { return "mac-fleet" }

const (
	// maxHosts is far above every quota; it keeps a slip from overflowing.
	maxHosts = 10_000
	// maxImages and maxImageGiB bound what a volume can hold.
	maxImages   = 64
	maxImageGiB = 16_384
	maxGiB      = 65_536
)

// Check checks what no plan has to be run for; the guards judge the rest.
func (m *MacFleet) Check() error {
	_, macErr := checkMacType("instance-type", m.InstanceType)
	for _, err := range []error{
		checkName(m.Name),
		macErr,
		checkRange("images", m.Images, 1, maxImages),
		checkNumber("image-size-gib", m.ImageSizeGiB, 0, maxImageGiB),
		checkRange("hosts", m.Hosts, 1, maxHosts),
		checkRange("vms-per-host", m.VMsPerHost, 1, 2),
		checkRange("root-size-gib", m.RootSizeGiB, 1, maxGiB),
	} {
		if err != nil {
			return err
		}
	}
	if m.HostQuota != 0 && (m.HostQuota < m.Hosts || m.HostQuota > maxHosts) {
		return wrong("host-quota", "must be %d or more, because so many hosts are wanted", m.Hosts)
	}
	if need := int(math.Ceil(float64(m.Images) * m.ImageSizeGiB)); m.VMDataSizeGiB != 0 && m.VMDataSizeGiB < need {
		return wrong("vmdata-size-gib", "must be %d or more, because that is what the images take", need)
	}
	if err := checkRange("vmdata-size-gib", m.vmdataSizeGiB(), 1, maxGiB); err != nil {
		return err
	}
	return m.checkGuard()
}

// vmdataSizeGiB gives each VM room for its disk and a build.
func (m *MacFleet) vmdataSizeGiB() int {
	const perVM = 300
	if m.VMDataSizeGiB != 0 {
		return m.VMDataSizeGiB
	}
	return int(math.Ceil(float64(m.Images)*m.ImageSizeGiB)) + perVM*m.VMsPerHost
}

// hostQuota leaves room for hosts that scrub.
func (m *MacFleet) hostQuota() int {
	if m.HostQuota != 0 {
		return m.HostQuota
	}
	return m.Hosts + (m.Hosts+1)/2
}

func (m *MacFleet) files() ([]File, error) {
	vs, rs := m.variables(), m.outputs()
	readme, err := m.readme(vs, rs)
	if err != nil {
		return nil, err
	}
	return []File{
		versions(true),
		variables("Only what the account has to say has no default. Units are in the names.", vs),
		m.guard(),
		m.main(),
		m.iam(),
		m.alarms(),
		outputs(rs),
		readme,
		{Name: "templates/settings.sh.tftpl", Content: text("mac-fleet/settings.sh.tftpl")},
		{Name: "templates/host.sh", Content: text("mac-fleet/host.sh")},
		{Name: "scripts/watched-hosts.sh", Content: text("mac-fleet/watched-hosts.sh"), Executable: true},
		m.example(),
		m.test(),
	}, nil
}

// storage and pool are the guards' addresses in the module.
const (
	storage = "runnerfit_mac_host_storage.host"
	pool    = "runnerfit_mac_host_pool.hosts"
)

func (m *MacFleet) variables() []variable {
	whole := func(name string) validation {
		return validation{fmt.Sprintf("var.%s >= 1 && floor(var.%[1]s) == var.%[1]s", name), "Must be a whole number, 1 or more."}
	}
	return []variable{
		{name: "name", typ: "string", value: fmt.Sprintf("%q", m.Name), description: "What the names of all resources begin with, and the name of the Auto Scaling group.", validations: []validation{
			{`can(regex("^[a-z][a-z0-9]*(-[a-z0-9]+)*$", var.name)) && length(var.name) <= 24 && !startswith(var.name, "aws")`, "Must be at most 24 lower-case letters, digits and single hyphens, begin with a letter and not with \"aws\"."},
		}},
		{name: "ami_id", typ: "string", description: "macOS image of the hosts, for the type's architecture. README.md says what has to be on it.", validations: []validation{
			{`startswith(var.ami_id, "ami-")`, "Must be the id of an image, such as ami-0123456789abcdef0."},
		}},
		{name: "subnet_ids", typ: "list(string)", description: "Subnets of one VPC, in availability zones that offer the instance type. Hosts need a way out to the image store, the runner manager and AWS.", validations: []validation{
			{`length(var.subnet_ids) > 0`, "Give one subnet or more."},
		}},
		{name: "image_urls", typ: "list(string)", description: "VM images that every host pulls, as .tar.zst: s3://BUCKET/KEY or https://. One for each of image_count.", validations: []validation{
			{`alltrue([for u in var.image_urls : can(regex("^(s3|https)://[^\\s'\"]+$", u))])`, "Each must begin with s3:// or https:// and have no spaces or quotes."},
			{`length(distinct([for u in var.image_urls : basename(u)])) == length(var.image_urls)`, "The files must have different names, because an image's folder is called after its file."},
		}},
		{name: "instance_type", typ: "string", value: fmt.Sprintf("%q", m.InstanceType), description: "EC2 Mac type.", validations: []validation{
			{`can(regex("^mac[0-9a-z-]*\\.metal$", var.instance_type))`, "Must be an EC2 Mac type such as mac2-m2pro.metal."},
		}},
		{name: "hosts", typ: "number", value: strconv.Itoa(m.Hosts), description: "Macs that run when all is well.", validations: []validation{whole("hosts")}},
		{name: "host_quota", typ: "number", value: strconv.Itoa(m.hostQuota()), description: "Dedicated hosts of the family that may be allocated: the account's quota in the Region, less what others use of it."},
		{name: "auto_release_hosts", typ: "bool", value: "true", description: "Whether the group gives free hosts back once AWS's 24 hours are over. Without it, additional hosts are paid for until somebody releases them."},
		{name: "root_size_gib", typ: "number", value: strconv.Itoa(m.RootSizeGiB), description: "Root volume in GiB, at least the image's own size."},
		{name: "root_throughput_mib_per_s", typ: "number", value: strconv.Itoa(rootThroughput), description: "Throughput of the root volume in MiB/s. 750 are the most that gp3's free IOPS carry."},
		{name: "vmdata_size_gib", typ: "number", value: strconv.Itoa(m.vmdataSizeGiB()), description: "VMData volume in GiB: the images, and room for running VMs."},
		{name: "vmdata_iops", typ: "number", value: "null", nullable: true, description: "IOPS of VMData. Null: the cheapest that carry the throughput and the VMs."},
		{name: "vmdata_throughput_mib_per_s", typ: "number", value: "null", nullable: true, description: "Throughput of VMData in MiB/s. Null: 350 for each image, at most what the instance carries."},
		{name: "vmdata_device", typ: "string", value: `"/dev/sdf"`, description: "Device name under which VMData is attached.", validations: []validation{
			{`can(regex("^/dev/sd[b-z]$", var.vmdata_device))`, "Must be /dev/sdb to /dev/sdz; the root volume is /dev/sda1."},
		}},
		{name: "image_count", typ: "number", value: strconv.Itoa(m.Images), description: "VM images that a host pulls before it takes jobs, one pipeline each.", validations: []validation{whole("image_count")}},
		{name: "image_size_gib", typ: "number", value: fmt.Sprint(m.ImageSizeGiB), description: "Size of one image as it lies on VMData, in GiB."},
		{name: "vms_per_host", typ: "number", value: strconv.Itoa(m.VMsPerHost), description: "macOS guests that run on a host at a time; Apple's licence allows two."},
		{name: "calibration", value: "null", nullable: true, typ: `object({
    boot_fixed_seconds  = optional(number)
    boot_read_mib       = optional(number)
    pipeline_mib_per_s  = optional(number)
    ready_fixed_seconds = optional(number)
  })`, description: "Constants of the start-up model for your own image, where you have measured it. Null: those of the measured fleet."},
		{name: "allowed_seconds", typ: "number", value: "null", nullable: true, description: "Seconds that a host may take until it signals readiness: the lifecycle hook's timeout, and the health check grace period. Null: 1.5 times the prediction, 600 at least.", validations: []validation{
			{`var.allowed_seconds == null ? true : var.allowed_seconds >= 30 && var.allowed_seconds <= 7200 && floor(var.allowed_seconds) == var.allowed_seconds`, "Must be a whole number from 30 to 7200, which is what a lifecycle hook takes."},
		}},
		{name: "launch_seconds", typ: "number", value: "0", description: "Seconds of AWS's own launching (6 to 20 minutes for a Mac) that fall inside the allowed time. README.md says how to measure it.", validations: []validation{
			{`var.launch_seconds >= 0`, "Must be 0 or more."},
		}},
		{name: "observed_boot_to_ready_seconds", typ: "number", value: "null", nullable: true, description: "Seconds from boot to ready that slow hosts of this fleet were seen to take. Null: the prediction. It is what the pool's guard judges by."},
		{name: "failed_launches_per_day", typ: "number", value: "null", nullable: true, description: "Launches of the whole fleet that fail in a day. Null: not known, and none are counted."},
		{name: "create_license_configuration", typ: "bool", value: strconv.FormatBool(m.Licence), description: "Whether to create a licence configuration, by which License Manager places instances on the group's hosts. Without it, the group takes any, and the image has to be associated with one."},
		{name: "kms_key_arn", typ: "string", value: "null", nullable: true, description: "KMS key for both volumes, which Auto Scaling's service-linked role must be allowed to use. Null: the account's default key for EBS."},
		{name: "security_group_ids", typ: "list(string)", value: "[]", description: "Security groups of the hosts. Empty: one is created that lets nothing in and everything out."},
		{name: "enable_session_manager", typ: "bool", value: "false", description: "Whether people may open a shell on a host through Systems Manager."},
		{name: "watched_hosts", value: "{}", typ: `map(object({
    root_volume_id   = string
    vmdata_volume_id = string
  }))`, description: "Hosts whose volumes have alarms, by instance id. scripts/watched-hosts.sh prints them."},
		{name: "alarm_topic_arns", typ: "list(string)", value: "[]", description: "SNS topics that alarms are sent to."},
		{name: "ignore_rules", typ: "map(string)", value: "{}", description: "Rules that the guards do not report, as rule id = reason."},
		{name: "tags", typ: "map(string)", value: "{}", description: "Tags of everything that is created."},
	}
}

func (m *MacFleet) outputs() []result {
	return []result{
		{"autoscaling_group_name", "Name of the Auto Scaling group.", "aws_autoscaling_group.hosts.name"},
		{"launch_template_id", "Id of the launch template.", "aws_launch_template.host.id"},
		{"host_resource_group_arn", "ARN of the host resource group that allocates the hosts.", "aws_resourcegroups_group.hosts.arn"},
		{"host_families", "Host families that the group allocates.", "local.host_families"},
		{"instance_role_name", "Name of the hosts' role, to attach what your runner needs.", "aws_iam_role.host.name"},
		{"security_group_ids", "Security groups of the hosts.", "local.security_group_ids"},
		{"root", "Settings of the root volume.", `{
    size_gib             = ` + storage + `.root.size_gib
    iops                 = ` + storage + `.root.iops
    throughput_mib_per_s = ` + storage + `.root.throughput_mib_per_s
  }`},
		{"vmdata", "Settings of VMData.", `{
    size_gib             = ` + storage + `.vmdata.size_gib
    iops                 = ` + storage + `.vmdata.iops
    throughput_mib_per_s = ` + storage + `.vmdata.throughput_mib_per_s
  }`},
		{"boot_to_ready_seconds", "Predicted seconds from boot to ready.", storage + ".boot_to_ready_seconds"},
		{"allowed_seconds", "Seconds that a host may take until it signals readiness.", storage + ".grace_period_seconds"},
		{"monthly_cost_usd", "US dollars a month: a host's volumes, a host, and additional hosts because of failed launches. Null where no price is known.", `{
    volumes_per_host = ` + storage + `.monthly_cost_usd
    host             = ` + pool + `.host_month_usd
    additional_hosts = ` + pool + `.exposure_usd_month
  }`},
		{"pool_verdict", "What failed launches do to the pool: safe, costly or exhausts.", pool + ".verdict"},
		{"findings", "What the guards found, advice included.", "concat(" + storage + ".findings, " + pool + ".findings)"},
	}
}
