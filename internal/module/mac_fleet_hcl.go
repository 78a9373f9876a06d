package module

import (
	"fmt"
	"strconv"
	"strings"
)

// guard writes the guards, from which main.tf takes its numbers.
func (m *MacFleet) guard() File {
	d := newDocument(`The guards: they refuse at plan what would not work, and everything that costs
something takes its values from them. They create nothing.`)

	d.comment(`The allowed time depends on the prediction, and the guard judges by both; so the
prediction alone comes first.`)
	p := d.block("data", "runnerfit_mac_startup", "prediction")
	p.set("instance_type", "var.instance_type")
	p.set("root_throughput_mib_per_s", "var.root_throughput_mib_per_s")
	p.set("vmdata_throughput_mib_per_s", "var.vmdata_throughput_mib_per_s")
	p.gap()
	images(p)
	p.gap()
	calibration(p)
	d.gap()

	l := d.block("locals")
	l.comment(`Half as much again as predicted, and never less than ten minutes: hosts that are
given up too early cost a day each. A lifecycle hook takes two hours at most.`)
	l.set("allowed_seconds", `coalesce(var.allowed_seconds, min(`+strconv.Itoa(maxAllowedSeconds)+`, max(`+strconv.Itoa(leastAllowedSeconds)+`, ceil(
    1.5 * (data.runnerfit_mac_startup.prediction.boot_to_ready_seconds + var.launch_seconds)
  ))))`)
	d.gap()

	s := d.block("resource", "runnerfit_mac_host_storage", "host")
	s.set("instance_type", "var.instance_type")
	s.set("grace_period_seconds", "local.allowed_seconds")
	s.set("launch_seconds", "var.launch_seconds")
	s.set("vms_per_host", "var.vms_per_host")
	s.set("ignore_rules", "var.ignore_rules")
	s.gap()
	root := s.block("root")
	root.set("size_gib", "var.root_size_gib")
	root.set("throughput_mib_per_s", "var.root_throughput_mib_per_s")
	s.gap()
	vmdata := s.block("vmdata")
	vmdata.set("size_gib", "var.vmdata_size_gib")
	vmdata.set("iops", "var.vmdata_iops")
	vmdata.set("throughput_mib_per_s", "var.vmdata_throughput_mib_per_s")
	s.gap()
	images(s)
	s.gap()
	calibration(s)
	d.gap()

	d.comment("What failed launches would do to the hosts, and to the bill.")
	h := d.block("resource", "runnerfit_mac_host_pool", "hosts")
	h.set("instance_type", storage+".instance_type")
	h.set("desired_hosts", "var.hosts")
	h.set("max_hosts", "var.host_quota")
	h.flag("auto_allocate_hosts", true)
	h.set("auto_release_hosts", "var.auto_release_hosts")
	h.set("grace_period_seconds", storage+".grace_period_seconds")
	h.set("boot_to_ready_seconds", "coalesce(var.observed_boot_to_ready_seconds, "+storage+".boot_to_ready_seconds)")
	h.set("launch_seconds", "var.launch_seconds > 0 ? var.launch_seconds : null")
	h.set("failed_launches_per_day", "var.failed_launches_per_day")
	h.set("ignore_rules", "var.ignore_rules")
	return d.as("guard.tf")
}

func images(b body) {
	i := b.block("images")
	i.set("count", "var.image_count")
	i.set("size_gib", "var.image_size_gib")
}

func calibration(b body) {
	c := b.block("dynamic", "calibration")
	c.set("for_each", "var.calibration[*]")
	c.gap()
	in := c.block("content")
	for _, name := range []string{"boot_fixed_seconds", "boot_read_mib", "pipeline_mib_per_s", "ready_fixed_seconds"} {
		in.set(name, "calibration.value."+name)
	}
}

// main writes what the guards stand in front of.
func (m *MacFleet) main() File {
	d := newDocument("")

	l := d.block("locals")
	l.set("tags", `merge({ Name = var.name }, var.tags)`)
	l.set("host_families", `[trimsuffix(`+pool+`.instance_type, ".metal")]`)
	l.set("security_group_ids", "length(var.security_group_ids) > 0 ? var.security_group_ids : aws_security_group.hosts[*].id")
	l.gap()
	l.comment("What user data needs to know. The group's and the hook's names are written here,\nbecause the group depends on the launch template.")
	l.set("lifecycle_hook", `"ready"`)
	l.set("metric_namespace", `"${var.name}/hosts"`)
	l.set("settings", `{
    FLEET_NAME       = var.name
    REGION           = data.aws_region.current.region
    VMDATA_DEVICE    = var.vmdata_device
    IMAGE_URLS       = join("\n", var.image_urls)
    LIFECYCLE_HOOK   = local.lifecycle_hook
    HOST_GROUP_ARN   = aws_resourcegroups_group.hosts.arn
    METRIC_NAMESPACE = local.metric_namespace
  }`)
	d.gap()
	d.block("data", "aws_region", "current")
	d.gap()

	m.hostGroup(d)
	m.network(d)
	m.launchTemplate(d)
	m.group(d)
	return d.as("main.tf")
}

func (m *MacFleet) hostGroup(d *document) {
	d.comment(`License Manager places instances on a group's hosts by licence configurations, for
macOS too, which needs no licence beyond the Mac's. So nothing is counted or limited
here; the pool's guard watches the number of hosts.`)
	lic := d.block("resource", "aws_licensemanager_license_configuration", "macos")
	lic.set("count", "var.create_license_configuration ? 1 : 0")
	lic.gap()
	lic.set("name", "var.name")
	lic.text("description", "Places macOS instances on the fleet's dedicated hosts.")
	lic.text("license_counting_type", "Socket")
	lic.set("tags", "local.tags")
	d.gap()

	d.comment("The group allocates a dedicated host where a launch finds none, and gives it back.")
	g := d.block("resource", "aws_resourcegroups_group", "hosts")
	g.set("name", `"${var.name}-hosts"`)
	g.text("description", "Dedicated hosts of the Mac runners.")
	g.set("tags", "local.tags")
	g.gap()
	c := g.block("configuration")
	c.text("type", "AWS::EC2::HostManagement")
	parameter := func(c body, name, values string) {
		c.gap()
		p := c.block("parameters")
		p.text("name", name)
		p.set("values", values)
	}
	parameter(c, "allowed-host-families", "local.host_families")
	parameter(c, "auto-allocate-host", "[tostring("+pool+".auto_allocate_hosts)]")
	parameter(c, "auto-release-host", "[tostring("+pool+".auto_release_hosts)]")
	c.gap()
	p := c.block("parameters")
	p.set("name", `var.create_license_configuration ? "allowed-host-based-license-configurations" : "any-host-based-license-configuration"`)
	p.set("values", `var.create_license_configuration ? aws_licensemanager_license_configuration.macos[*].arn : ["true"]`)
	g.gap()
	c = g.block("configuration")
	c.text("type", "AWS::ResourceGroups::Generic")
	parameter(c, "allowed-resource-types", `["AWS::EC2::Host"]`)
	parameter(c, "deletion-protection", `["UNLESS_EMPTY"]`)
	d.gap()
}

func (m *MacFleet) network(d *document) {
	n := d.block("data", "aws_subnet", "first")
	n.set("id", "var.subnet_ids[0]")
	d.gap()
	d.comment("Nothing comes in. What goes out is the VPC's business: routes, endpoints, proxies.")
	s := d.block("resource", "aws_security_group", "hosts")
	s.set("count", "length(var.security_group_ids) > 0 ? 0 : 1")
	s.gap()
	s.set("name_prefix", `"${var.name}-"`)
	s.text("description", "Mac runners: nothing in, everything out.")
	s.set("vpc_id", "data.aws_subnet.first.vpc_id")
	s.set("tags", "local.tags")
	s.gap()
	life := s.block("lifecycle")
	life.flag("create_before_destroy", true)
	d.gap()
	for _, ip := range []struct{ name, attribute, cidr string }{{"ipv4", "cidr_ipv4", "0.0.0.0/0"}, {"ipv6", "cidr_ipv6", "::/0"}} {
		r := d.block("resource", "aws_vpc_security_group_egress_rule", ip.name)
		r.set("count", "length(aws_security_group.hosts)")
		r.gap()
		r.set("security_group_id", "aws_security_group.hosts[count.index].id")
		r.text("description", "Images, runner manager, AWS.")
		r.text("ip_protocol", "-1")
		r.text(ip.attribute, ip.cidr)
		r.set("tags", "local.tags")
		d.gap()
	}
}

func (m *MacFleet) launchTemplate(d *document) {
	t := d.block("resource", "aws_launch_template", "host")
	t.set("name_prefix", `"${var.name}-"`)
	t.text("description", "Mac runner whose volumes the guard has passed.")
	t.set("image_id", "var.ami_id")
	t.set("instance_type", storage+".instance_type")
	t.flag("update_default_version", true)
	t.set("vpc_security_group_ids", "local.security_group_ids")
	t.set("tags", "local.tags")
	t.gap()
	t.comment("Settings first, then the script that reads them. EC2 takes 16 KiB.")
	t.set("user_data", `base64encode(join("\n", [
    templatefile("${path.module}/templates/settings.sh.tftpl", { settings = local.settings }),
    file("${path.module}/templates/host.sh"),
  ]))`)
	volume := func(comment, device, block string) {
		t.gap()
		t.comment(comment)
		v := t.block("block_device_mappings")
		v.set("device_name", device)
		v.gap()
		e := v.block("ebs")
		e.text("volume_type", "gp3")
		e.set("volume_size", storage+"."+block+".size_gib")
		e.set("iops", storage+"."+block+".iops")
		e.set("throughput", storage+"."+block+".throughput_mib_per_s")
		e.flag("encrypted", true)
		e.set("kms_key_id", "var.kms_key_arn")
		e.flag("delete_on_termination", true)
	}
	volume("The root volume: a Mac boots from /dev/sda1.", `"/dev/sda1"`, "root")
	volume("VMData, created empty: what comes from a snapshot is slow when it is first read.", "var.vmdata_device", "vmdata")
	t.gap()
	b := t.block("iam_instance_profile")
	b.set("arn", "aws_iam_instance_profile.host.arn")
	t.gap()
	t.comment("Instance metadata by token only, and not for the guests.")
	b = t.block("metadata_options")
	b.text("http_endpoint", "enabled")
	b.text("http_tokens", "required")
	b.number("http_put_response_hop_limit", 1)
	t.gap()
	b = t.block("monitoring")
	b.flag("enabled", true)
	t.gap()
	b = t.block("placement")
	b.text("tenancy", "host")
	b.set("host_resource_group_arn", "aws_resourcegroups_group.hosts.arn")
	t.gap()
	b = t.block("dynamic", "license_specification")
	b.set("for_each", "aws_licensemanager_license_configuration.macos[*].arn")
	b.gap()
	b.block("content").set("license_configuration_arn", "license_specification.value")
	for _, resource := range []string{"instance", "volume", "network-interface"} {
		t.gap()
		b = t.block("tag_specifications")
		b.text("resource_type", resource)
		b.set("tags", "local.tags")
	}
	t.gap()
	life := t.block("lifecycle")
	life.flag("create_before_destroy", true)
	life.gap()
	rule := life.block("precondition")
	rule.set("condition", "length(var.image_urls) == var.image_count")
	rule.set("error_message", `"image_urls has ${length(var.image_urls)} images and image_count says ${var.image_count}: the prediction would be of another fleet."`)
	d.gap()
}

func (m *MacFleet) group(d *document) {
	g := d.block("resource", "aws_autoscaling_group", "hosts")
	g.set("name", "var.name")
	g.number("min_size", 0)
	g.set("desired_capacity", pool+".desired_hosts")
	g.set("max_size", pool+".desired_hosts")
	g.set("vpc_zone_identifier", "var.subnet_ids")
	g.text("health_check_type", "EC2")
	g.set("health_check_grace_period", pool+".grace_period_seconds")
	g.set("enabled_metrics", `["GroupDesiredCapacity", "GroupInServiceInstances", "GroupPendingInstances", "GroupTerminatingInstances"]`)
	g.gap()
	g.comment("A host is billed for 24 hours at least, so scaling in saves nothing.")
	g.flag("protect_from_scale_in", true)
	g.gap()
	g.comment("AWS takes 6 to 20 minutes to launch a Mac, longer than Terraform waits by default;\nand an apply should not fail because the group is short of hosts.")
	g.text("wait_for_capacity_timeout", "0")
	g.gap()
	b := g.block("launch_template")
	b.set("id", "aws_launch_template.host.id")
	b.set("version", "aws_launch_template.host.latest_version")
	g.gap()
	g.comment("For the first hosts, which are launched before the hook below exists.")
	hook(g.block("initial_lifecycle_hook"))
	g.gap()
	b = g.block("dynamic", "tag")
	b.set("for_each", "local.tags")
	b.gap()
	in := b.block("content")
	in.set("key", "tag.key")
	in.set("value", "tag.value")
	in.flag("propagate_at_launch", true)
	g.gap()
	life := g.block("lifecycle")
	life.comment("It counts when the group is created only; afterwards the hook is changed below.")
	life.set("ignore_changes", "[initial_lifecycle_hook]")
	d.gap()

	d.comment(`A host is in service when it says so. If it does not within the allowed time, the
group gives it up and launches another.`)
	h := d.block("resource", "aws_autoscaling_lifecycle_hook", "ready")
	h.set("autoscaling_group_name", "aws_autoscaling_group.hosts.name")
	hook(h)
}

// hook has the arguments of a lifecycle hook.
func hook(b body) {
	b.set("name", "local.lifecycle_hook")
	b.text("lifecycle_transition", "autoscaling:EC2_INSTANCE_LAUNCHING")
	b.set("heartbeat_timeout", storage+".grace_period_seconds")
	b.text("default_result", "ABANDON")
}

func (m *MacFleet) iam() File {
	d := newDocument("What a host may do: read its images, look at its volumes, signal, report.")
	for _, name := range []string{"aws_caller_identity", "aws_partition"} {
		d.block("data", name, "current")
		d.gap()
	}
	l := d.block("locals")
	l.set("group_arn", `"arn:${data.aws_partition.current.partition}:autoscaling:${data.aws_region.current.region}:${data.aws_caller_identity.current.account_id}:autoScalingGroup:*:autoScalingGroupName/${var.name}"`)
	l.set("image_arns", `[
    for u in var.image_urls : "arn:${data.aws_partition.current.partition}:s3:::${trimprefix(u, "s3://")}" if startswith(u, "s3://")
  ]`)
	d.gap()

	assumedBy(d.body, "assume", "ec2.${data.aws_partition.current.dns_suffix}")
	d.gap()

	doc := d.block("data", "aws_iam_policy_document", "host")
	doc.comment("These know no resource.")
	onlyIf(allow(doc, "Look", `["autoscaling:DescribeAutoScalingInstances", "ec2:DescribeVolumes"]`, `["*"]`),
		"StringEquals", "aws:RequestedRegion", "[data.aws_region.current.region]")
	doc.gap()
	allow(doc, "SignalReadiness", `["autoscaling:CompleteLifecycleAction"]`, "[local.group_arn]")
	doc.gap()
	allow(doc, "CountHosts", `["resource-groups:ListGroupResources"]`, "[aws_resourcegroups_group.hosts.arn]")
	doc.gap()
	onlyIf(allow(doc, "Report", `["cloudwatch:PutMetricData"]`, `["*"]`), "StringEquals", "cloudwatch:namespace", "[local.metric_namespace]")
	doc.gap()
	dyn := doc.block("dynamic", "statement")
	dyn.set("for_each", "length(local.image_arns) > 0 ? [local.image_arns] : []")
	dyn.gap()
	in := dyn.block("content")
	in.text("sid", "PullImages")
	in.set("actions", `["s3:GetObject"]`)
	in.set("resources", "statement.value")
	d.gap()

	r := d.block("resource", "aws_iam_role", "host")
	r.set("name_prefix", `"${var.name}-"`)
	r.text("description", "Mac runner hosts.")
	r.set("assume_role_policy", "data.aws_iam_policy_document.assume.json")
	r.set("tags", "local.tags")
	d.gap()
	rp := d.block("resource", "aws_iam_role_policy", "host")
	rp.set("name", "var.name")
	rp.set("role", "aws_iam_role.host.id")
	rp.set("policy", "data.aws_iam_policy_document.host.json")
	d.gap()
	at := d.block("resource", "aws_iam_role_policy_attachment", "session_manager")
	at.set("count", "var.enable_session_manager ? 1 : 0")
	at.gap()
	at.set("role", "aws_iam_role.host.name")
	at.set("policy_arn", `"arn:${data.aws_partition.current.partition}:iam::aws:policy/AmazonSSMManagedInstanceCore"`)
	d.gap()
	prof := d.block("resource", "aws_iam_instance_profile", "host")
	prof.set("name_prefix", `"${var.name}-"`)
	prof.set("role", "aws_iam_role.host.name")
	prof.set("tags", "local.tags")
	return d.as("iam.tf")
}

// query is a metric_query block of an alarm; expression or metric.
type query struct {
	id, label         string
	expression        string
	namespace, metric string
	statistic         string
	dimensions        string
	returned          bool
	period            int
}

func (q query) addTo(b body) {
	b.gap()
	m := b.block("metric_query")
	m.text("id", q.id)
	if q.label != "" {
		m.text("label", q.label)
	}
	if q.returned {
		m.flag("return_data", true)
	}
	if q.expression != "" {
		m.set("expression", q.expression)
		return
	}
	m.gap()
	in := m.block("metric")
	in.set("namespace", q.namespace)
	in.text("metric_name", q.metric)
	in.number("period", float64(q.period))
	in.text("stat", q.statistic)
	in.set("dimensions", q.dimensions)
}

func (m *MacFleet) alarms() File {
	d := newDocument(`A Mac is bare metal, where CloudWatch has no InstanceEBS…ExceededCheck: what both
volumes move together is added up here and compared with the instance's ceiling.`)
	// What a type carries is null if it is not in the catalogue.
	watched := "var.watched_hosts"
	alarm := func(name, title, description, comparison, threshold string, periods int) body {
		a := d.block("resource", "aws_cloudwatch_metric_alarm", name)
		if strings.Contains(title, "each.key") {
			a.set("for_each", watched)
			a.gap()
		}
		a.set("alarm_name", title)
		a.set("alarm_description", description)
		a.text("comparison_operator", comparison)
		a.set("threshold", threshold)
		a.number("evaluation_periods", float64(periods))
		a.text("treat_missing_data", "notBreaching")
		a.set("alarm_actions", "var.alarm_topic_arns")
		a.set("ok_actions", "var.alarm_topic_arns")
		a.set("tags", "local.tags")
		return a
	}
	const group = "{ AutoScalingGroupName = aws_autoscaling_group.hosts.name }"
	const over = "GreaterThanThreshold"

	d.comment("What one volume does, and both together, on the hosts that are watched.")
	watched = storage + ".instance_throughput_mib_per_s == null ? {} : var.watched_hosts"
	a := alarm("shared_budget", `"${var.name}-${each.key}-shared-budget"`,
		`"Root and VMData together are at 90 % of the ${floor(`+storage+`.instance_throughput_mib_per_s)} MiB/s that ${var.instance_type} carries: a faster volume would not help."`,
		over, "0.9 * "+storage+".instance_throughput_mib_per_s", 5)
	var ids []string
	for i, v := range []struct{ name, id string }{{"root", "each.value.root_volume_id"}, {"vmdata", "each.value.vmdata_volume_id"}} {
		for j, metric := range []string{"VolumeReadBytes", "VolumeWriteBytes"} {
			id := fmt.Sprintf("m%d", 2*i+j+1)
			ids = append(ids, id)
			query{id: id, label: v.name + " " + metric, namespace: `"AWS/EBS"`, metric: metric, statistic: "Sum", period: 60, dimensions: "{ VolumeId = " + v.id + " }"}.addTo(a)
		}
	}
	query{id: "mib_per_s", label: "MiB/s of both volumes", expression: `"(` + strings.Join(ids, " + ") + `) / PERIOD(m1) / 1048576"`, returned: true}.addTo(a)
	d.gap()
	watched = "var.watched_hosts"
	for _, v := range []struct{ name, title, id, metric, what string }{
		{"root_throughput", "root-throughput", "root_volume_id", "VolumeThroughputExceededCheck", "The root volume is at the throughput it is provisioned with, for longer than a boot takes."},
		{"vmdata_throughput", "vmdata-throughput", "vmdata_volume_id", "VolumeThroughputExceededCheck", "VMData is at the throughput it is provisioned with, for longer than a pull takes."},
		{"vmdata_iops", "vmdata-iops", "vmdata_volume_id", "VolumeIOPSExceededCheck", "VMData is at the IOPS it is provisioned with: builds wait for the disk."},
	} {
		a := alarm(v.name, `"${var.name}-${each.key}-`+v.title+`"`, fmt.Sprintf("%q", v.what), "GreaterThanOrEqualToThreshold", "1", 15)
		a.text("namespace", "AWS/EBS")
		a.text("metric_name", v.metric)
		a.text("statistic", "Maximum")
		a.number("period", 60)
		a.set("dimensions", "{ VolumeId = each.value."+v.id+", InstanceId = each.key }")
		d.gap()
	}

	d.comment("Hosts that scrub, or are kept for their 24 hours, are billed and run nothing. The\nhosts themselves count how many are allocated.")
	counted := func(a body, period int, statistic string) {
		query{id: "allocated", label: "hosts allocated", namespace: "local.metric_namespace", metric: "AllocatedHosts", statistic: statistic, period: period, dimensions: group}.addTo(a)
		query{id: "desired", label: "hosts desired", namespace: `"AWS/AutoScaling"`, metric: "GroupDesiredCapacity", statistic: statistic, period: period, dimensions: group}.addTo(a)
	}
	a = alarm("hosts_above_desired", `"${var.name}-hosts-above-desired"`, `"More hosts are allocated than desired for an hour: launches fail, or hosts are not released."`, over, "0", 12)
	counted(a, 300, "Maximum")
	query{id: "above", label: "hosts above desired", expression: `"allocated - desired"`, returned: true}.addTo(a)
	d.gap()
	a = alarm("wasted_host_days", `"${var.name}-wasted-host-days"`, `"More than one host was paid for all of a day without being desired. A host-day costs ${coalesce(`+pool+`.minimum_allocation_usd, 0)} US dollars (0: price not known)."`, over, "1", 1)
	counted(a, 86400, "Average")
	query{id: "host_days", label: "host-days of waste", expression: `"allocated - desired"`, returned: true}.addTo(a)
	d.gap()
	a = alarm("short_of_hosts", `"${var.name}-short-of-hosts"`, `"Fewer hosts are in service than desired for an hour."`, over, "0", 12)
	query{id: "desired", label: "hosts desired", namespace: `"AWS/AutoScaling"`, metric: "GroupDesiredCapacity", statistic: "Maximum", period: 300, dimensions: group}.addTo(a)
	query{id: "in_service", label: "hosts in service", namespace: `"AWS/AutoScaling"`, metric: "GroupInServiceInstances", statistic: "Minimum", period: 300, dimensions: group}.addTo(a)
	query{id: "missing", label: "hosts missing", expression: `"desired - in_service"`, returned: true}.addTo(a)
	return d.as("alarms.tf")
}

// exampleImages are image URLs of nobody's.
func (m *MacFleet) exampleImages() string {
	var b strings.Builder
	b.WriteString("[\n")
	for i := range m.Images {
		fmt.Fprintf(&b, "    \"s3://example-vm-images/macos-%d.tar.zst\",\n", i+1)
	}
	return b.String() + "  ]"
}

func (m *MacFleet) example() File {
	d := newDocument(`The least that a fleet needs. Write your own image, subnets and URLs.`)
	t := d.block("terraform")
	t.text("required_version", ">= 1.8")
	t.gap()
	p := t.block("required_providers")
	p.set("aws", "{\n    source  = \"hashicorp/aws\"\n    version = \">= 6.0\"\n  }")
	p.set("runnerfit", "{\n    source  = \"runnerfit/runnerfit\"\n    version = \">= 0.1\"\n  }")
	d.gap()
	a := d.block("provider", "aws")
	a.text("region", "us-east-1")
	d.gap()
	r := d.block("provider", "runnerfit")
	r.set("region", `"us-east-1" # whose prices`)
	d.gap()
	f := d.block("module", "fleet")
	f.text("source", "../..")
	f.gap()
	f.text("ami_id", "ami-0123456789abcdef0")
	f.set("subnet_ids", `["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"]`)
	f.set("image_urls", m.exampleImages())
	f.gap()
	f.set("tags", `{ team = "ci" }`)
	d.gap()
	o := d.block("output", "start_up_seconds")
	o.set("value", `{
    predicted = module.fleet.boot_to_ready_seconds
    allowed   = module.fleet.allowed_seconds
  }`)
	d.gap()
	o = d.block("output", "monthly_cost_usd")
	o.set("value", "module.fleet.monthly_cost_usd")
	return d.as("examples/basic/main.tf")
}
