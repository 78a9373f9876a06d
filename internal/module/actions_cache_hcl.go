package module

import (
	"fmt"
	"strconv"
)

func (k *ActionsCache) guard() File {
	d := newDocument("")
	if k.fargate() {
		d.comment("How long restores take and what bounds them.")
	} else {
		d.comment(`How long restores take and what bounds them. The plan stops here if SQLite is
to serve several replicas.`)
	}
	b := d.block("data", "runnerfit_actions_cache", "server")
	b.set("entry_gib", "var.entry_gib")
	b.set("parallel_restores", "var.parallel_restores")
	b.set("link_mbit_per_s", "var.link_mbit_per_s")
	b.set("daily_upload_gib", "var.daily_upload_gib")
	b.set("retention_days", "var.retention_days")
	b.gap()
	server := b.block("server")
	server.text("storage", "s3")
	server.text("database", k.database())
	server.set("replicas", "var.replicas")
	server.set("memory_mib", "var.memory_mib")
	if !k.fargate() {
		d.gap()
		d.comment(`The plan stops here if EC2 would refuse a volume; the instance takes its
numbers from by_name.`)
		b = d.block("resource", "runnerfit_instance_storage", "server")
		b.set("instance_type", "var.instance_type")
		b.set("ignore_rules", "var.ignore_rules")
		b.gap()
		{
			volume := b.block("volume")
			volume.text("name", "root")
			volume.number("size_gib", 30)
		}
		b.gap()
		{
			volume := b.block("volume")
			volume.text("name", "index")
			volume.set("size_gib", "var.index_size_gib")
		}
	}
	return d.as("guard.tf")
}

func (k *ActionsCache) main() File {
	d := newDocument("")
	b := d.block("locals")
	b.set("tags", "merge(var.tags, { Name = var.name })")
	b.number("port", 3000)
	b.set("url", `"http://cache.${var.dns_namespace}:${local.port}"`)
	b.gap()
	index := ""
	if !k.fargate() {
		index = "\n    DB_SQLITE_PATH = \"/data/index.db\""
	}
	b.set("environment", `{
    API_BASE_URL                  = local.url
    STORAGE_DRIVER                = "s3"
    STORAGE_S3_BUCKET             = aws_s3_bucket.entries.id
    AWS_REGION                    = data.aws_region.current.region
    ENABLE_DIRECT_DOWNLOADS       = tostring(var.direct_downloads)
    CACHE_CLEANUP_OLDER_THAN_DAYS = tostring(var.retention_days)
    DB_DRIVER                     = `+strconv.Quote(k.database())+index+`
  }`)
	d.gap()
	d.block("data", "aws_region", "current")
	d.gap()
	d.block("data", "aws_caller_identity", "current")
	d.gap()
	k.entries(d.body)
	d.gap()
	k.wayToS3(d.body)
	d.gap()
	k.zone(d.body)
	d.gap()
	k.network(d.body)
	d.gap()
	b = d.block("resource", "aws_cloudwatch_log_group", "server")
	b.set("name", `"/ecs/${var.name}"`)
	b.set("retention_in_days", "var.log_retention_days")
	b.set("tags", "local.tags")
	d.gap()
	b = d.block("resource", "aws_ecs_cluster", "cache")
	b.set("name", "var.name")
	b.set("tags", "local.tags")
	d.gap()
	k.task(d.body)
	d.gap()
	k.service(d.body)
	return d.as("main.tf")
}

// entries are the bucket.
func (*ActionsCache) entries(d body) {
	d.comment(`Entries. The server deletes them itself after retention_days without use; S3
knows an object's age only, and would delete what is restored every day.`)
	b := d.block("resource", "aws_s3_bucket", "entries")
	b.set("bucket_prefix", `"${var.name}-"`)
	b.set("force_destroy", "var.force_destroy")
	b.set("tags", "local.tags")
	d.gap()
	b = d.block("resource", "aws_s3_bucket_public_access_block", "entries")
	b.set("bucket", "aws_s3_bucket.entries.id")
	b.flag("block_public_acls", true)
	b.flag("block_public_policy", true)
	b.flag("ignore_public_acls", true)
	b.flag("restrict_public_buckets", true)
	d.gap()
	b = d.block("resource", "aws_s3_bucket_server_side_encryption_configuration", "entries")
	b.set("bucket", "aws_s3_bucket.entries.id")
	b.gap()
	rule := b.block("rule")
	rule.flag("bucket_key_enabled", true)
	rule.gap()
	byDefault := rule.block("apply_server_side_encryption_by_default")
	byDefault.set("sse_algorithm", `var.kms_key_arn == null ? "AES256" : "aws:kms"`)
	byDefault.set("kms_master_key_id", "var.kms_key_arn")
	d.gap()
	b = d.block("resource", "aws_s3_bucket_lifecycle_configuration", "entries")
	b.set("bucket", "aws_s3_bucket.entries.id")
	b.gap()
	rule = b.block("rule")
	rule.text("id", "uploads-that-were-given-up")
	rule.text("status", "Enabled")
	rule.gap()
	rule.block("filter").comment("The whole bucket.")
	rule.gap()
	abort := rule.block("abort_incomplete_multipart_upload")
	abort.number("days_after_initiation", 1)
	d.gap()
	b = d.block("resource", "aws_s3_bucket_policy", "entries")
	b.set("bucket", "aws_s3_bucket.entries.id")
	b.set("policy", "data.aws_iam_policy_document.bucket.json")
	b.gap()
	b.comment("S3 refuses two changes of a bucket's access at a time.")
	b.set("depends_on", "[aws_s3_bucket_public_access_block.entries]")
}

// wayToS3 is the gateway endpoint.
func (*ActionsCache) wayToS3(d body) {
	d.comment("The way to S3 that costs nothing: without it, every entry passes a NAT gateway.")
	b := d.block("resource", "aws_vpc_endpoint", "s3")
	b.set("count", "length(var.route_table_ids) > 0 ? 1 : 0")
	b.gap()
	b.set("vpc_id", "var.vpc_id")
	b.text("vpc_endpoint_type", "Gateway")
	b.set("service_name", `"com.amazonaws.${data.aws_region.current.region}.s3"`)
	b.set("route_table_ids", "var.route_table_ids")
	b.set("tags", "local.tags")
}

// zone is the private DNS zone.
func (*ActionsCache) zone(d body) {
	d.comment("cache.ZONE, which ECS keeps at the addresses of the tasks that run.")
	b := d.block("resource", "aws_service_discovery_private_dns_namespace", "cache")
	b.set("name", "var.dns_namespace")
	b.set("vpc", "var.vpc_id")
	b.set("tags", "local.tags")
	d.gap()
	b = d.block("resource", "aws_service_discovery_service", "cache")
	b.text("name", "cache")
	b.set("tags", "local.tags")
	b.gap()
	dnsConfig := b.block("dns_config")
	dnsConfig.set("namespace_id", "aws_service_discovery_private_dns_namespace.cache.id")
	dnsConfig.text("routing_policy", "MULTIVALUE")
	dnsConfig.gap()
	dnsRecords := dnsConfig.block("dns_records")
	dnsRecords.text("type", "A")
	dnsRecords.number("ttl", 10)
}

// network says who may talk to the server.
func (k *ActionsCache) network(d body) {
	b := d.block("resource", "aws_security_group", "server")
	b.set("name", `"${var.name}-server"`)
	b.text("description", "Cache server: in come runners only")
	b.set("vpc_id", "var.vpc_id")
	b.set("tags", "local.tags")
	d.gap()
	b = d.block("resource", "aws_vpc_security_group_ingress_rule", "runners")
	b.set("for_each", "var.runner_security_group_ids")
	b.gap()
	b.set("security_group_id", "aws_security_group.server.id")
	b.set("description", `"Runners: ${each.key}"`)
	b.text("ip_protocol", "tcp")
	b.set("from_port", "local.port")
	b.set("to_port", "local.port")
	b.set("referenced_security_group_id", "each.value")
	b.set("tags", "local.tags")
	d.gap()
	b = d.block("resource", "aws_vpc_security_group_egress_rule", "https")
	b.set("security_group_id", "aws_security_group.server.id")
	b.text("description", "S3, and the keys that GitHub signs tokens with")
	b.text("ip_protocol", "tcp")
	b.number("from_port", 443)
	b.number("to_port", 443)
	b.text("cidr_ipv4", "0.0.0.0/0")
	b.set("tags", "local.tags")
	if k.fargate() {
		k.databaseRule(d)
	}
}

// databaseRule lets the server out to its database.
func (*ActionsCache) databaseRule(d body) {
	d.gap()
	b := d.block("resource", "aws_vpc_security_group_egress_rule", "database")
	b.set("security_group_id", "aws_security_group.server.id")
	b.text("description", "The index in PostgreSQL")
	b.text("ip_protocol", "tcp")
	b.number("from_port", 5432)
	b.number("to_port", 5432)
	b.set("referenced_security_group_id", "var.database_security_group_id")
	b.set("tags", "local.tags")
}

// task is what ECS runs.
func (k *ActionsCache) task(d body) {
	d.comment("Any user may run the server, so nobody in particular does.")
	b := d.block("resource", "aws_ecs_task_definition", "server")
	b.set("family", "var.name")
	size, mounts := "memoryReservation = var.memory_mib", `
    mountPoints = [{ sourceVolume = "index", containerPath = "/data", readOnly = false }]`
	if k.fargate() {
		b.set("requires_compatibilities", `["FARGATE"]`)
		b.set("cpu", "var.cpu_units")
		b.set("memory", "var.memory_mib")
		size, mounts = "readonlyRootFilesystem = true", `
    secrets = [{ name = "DB_POSTGRES_URL", valueFrom = var.database_url_secret_arn }]`
	} else {
		b.set("requires_compatibilities", `["EC2"]`)
	}
	b.text("network_mode", "awsvpc")
	b.set("task_role_arn", "aws_iam_role.server.arn")
	b.set("execution_role_arn", "aws_iam_role.execution.arn")
	b.set("tags", "local.tags")
	b.gap()
	b.set("container_definitions", `jsonencode([{
    name = "server"
    image = var.image
    essential = true
    user = "1000:1000"
    `+size+`
    portMappings = [{ containerPort = local.port, hostPort = local.port, protocol = "tcp" }]
    environment = [for k, v in local.environment : { name = k, value = v }]`+mounts+`
    logConfiguration = {
      logDriver = "awslogs"
      options = {
        awslogs-group = aws_cloudwatch_log_group.server.name
        awslogs-region = data.aws_region.current.region
        awslogs-stream-prefix = "server"
      }
    }
  }])`)
	if k.fargate() {
		return
	}
	b.gap()
	volume := b.block("volume")
	volume.text("name", "index")
	volume.text("host_path", indexDirectory)
}

// indexDirectory is where the index lies on the instance.
const indexDirectory = "/var/lib/actions-cache"

// service keeps the task running and its address in the private zone.
func (k *ActionsCache) service(d body) {
	if !k.fargate() {
		d.comment("The old task stops before the new one starts: two would write to one index.")
	}
	b := d.block("resource", "aws_ecs_service", "server")
	b.set("name", "var.name")
	b.set("cluster", "aws_ecs_cluster.cache.arn")
	b.set("task_definition", "aws_ecs_task_definition.server.arn")
	b.set("desired_count", "var.replicas")
	subnets := "[var.subnet_id]"
	if k.fargate() {
		subnets = "var.subnet_ids"
		b.text("launch_type", "FARGATE")
	} else {
		b.text("launch_type", "EC2")
		b.number("deployment_minimum_healthy_percent", 0)
		b.number("deployment_maximum_percent", 100)
	}
	b.text("propagate_tags", "SERVICE")
	b.set("tags", "local.tags")
	b.gap()
	networkConfiguration := b.block("network_configuration")
	networkConfiguration.set("subnets", subnets)
	networkConfiguration.set("security_groups", "[aws_security_group.server.id]")
	if k.fargate() {
		networkConfiguration.flag("assign_public_ip", false)
	}
	b.gap()
	serviceRegistries := b.block("service_registries")
	serviceRegistries.set("registry_arn", "aws_service_discovery_service.cache.arn")
	b.gap()
	if k.fargate() {
		b.comment("A task that starts before its roles may do something fails.")
		b.set("depends_on", "[aws_iam_role_policy.execution, aws_iam_role_policy.server]")
	} else {
		b.comment("A task that starts before its roles may do something fails, and one that ends\nneeds the instance that it runs on.")
		b.set("depends_on", "[aws_iam_role_policy.execution, aws_iam_role_policy.server, aws_volume_attachment.index]")
	}
}

func (*ActionsCache) instance() File {
	d := newDocument("")
	b := d.block("locals")
	b.set("root", `runnerfit_instance_storage.server.by_name["root"]`)
	b.set("index", `runnerfit_instance_storage.server.by_name["index"]`)
	b.set("arm", isArm("server"))
	d.gap()
	lookUpArchitecture(d.body, "server")
	d.gap()
	b = d.block("data", "aws_subnet", "server")
	b.set("id", "var.subnet_id")
	d.gap()
	b = d.block("data", "aws_ssm_parameter", "ami")
	b.set("name", `"/aws/service/ecs/optimized-ami/amazon-linux-2023/${local.arm ? "arm64/" : ""}recommended/image_id"`)
	d.gap()
	b = d.block("resource", "aws_security_group", "instance")
	b.set("name", `"${var.name}-instance"`)
	b.text("description", "Host of the cache server: no way in")
	b.set("vpc_id", "var.vpc_id")
	b.set("tags", "local.tags")
	d.gap()
	b = d.block("resource", "aws_vpc_security_group_egress_rule", "instance")
	b.set("security_group_id", "aws_security_group.instance.id")
	b.text("description", "ECS, and the registry of the image")
	b.text("ip_protocol", "tcp")
	b.number("from_port", 443)
	b.number("to_port", 443)
	b.text("cidr_ipv4", "0.0.0.0/0")
	b.set("tags", "local.tags")
	d.gap()
	d.comment("The index outlives the instance: without it, the entries in S3 are of no use.")
	b = d.block("resource", "aws_ebs_volume", "index")
	b.set("availability_zone", "data.aws_subnet.server.availability_zone")
	b.set("type", "local.index.type")
	b.set("size", "local.index.size_gib")
	b.set("iops", "local.index.iops")
	b.set("throughput", "local.index.throughput_mib_per_s")
	b.flag("encrypted", true)
	b.set("kms_key_id", "var.kms_key_arn")
	b.set("tags", "local.tags")
	d.gap()
	b = d.block("resource", "aws_instance", "server")
	b.set("ami", "nonsensitive(data.aws_ssm_parameter.ami.value)")
	b.set("instance_type", "var.instance_type")
	b.set("subnet_id", "var.subnet_id")
	b.set("vpc_security_group_ids", "[aws_security_group.instance.id]")
	b.set("iam_instance_profile", "aws_iam_instance_profile.instance.name")
	b.flag("ebs_optimized", true)
	b.flag("user_data_replace_on_change", true)
	b.set("tags", "local.tags")
	b.gap()
	b.set("user_data", `join("\n", [
    "#!/bin/bash",
    "export INDEX_VOLUME_ID='${aws_ebs_volume.index.id}'",
    "export INDEX_DIRECTORY='/var/lib/actions-cache'",
    "export INDEX_CLUSTER='${aws_ecs_cluster.cache.name}'",
    file("${path.module}/templates/index-volume.sh"),
  ])`)
	b.gap()
	metadataOptions := b.block("metadata_options")
	metadataOptions.text("http_endpoint", "enabled")
	metadataOptions.text("http_tokens", "required")
	metadataOptions.number("http_put_response_hop_limit", 1)
	b.gap()
	rootBlockDevice := b.block("root_block_device")
	rootBlockDevice.set("volume_type", "local.root.type")
	rootBlockDevice.set("volume_size", "local.root.size_gib")
	rootBlockDevice.set("iops", "local.root.iops")
	rootBlockDevice.set("throughput", "local.root.throughput_mib_per_s")
	rootBlockDevice.flag("encrypted", true)
	rootBlockDevice.set("kms_key_id", "var.kms_key_arn")
	rootBlockDevice.flag("delete_on_termination", true)
	rootBlockDevice.set("tags", "local.tags")
	b.gap()
	lifecycle := b.block("lifecycle")
	lifecycle.comment(`A newer image is no reason to stop the cache. Replace the instance when it
suits you: terraform apply -replace=ADDRESS.`)
	lifecycle.set("ignore_changes", "[ami]")
	b.gap()
	b.comment("The ECS agent gives up for good if it may not register.")
	b.set("depends_on", "[aws_iam_role_policy.instance, aws_vpc_security_group_egress_rule.instance]")
	d.gap()
	b = d.block("resource", "aws_volume_attachment", "index")
	b.text("device_name", "/dev/sdf")
	b.set("volume_id", "aws_ebs_volume.index.id")
	b.set("instance_id", "aws_instance.server.id")
	b.flag("stop_instance_before_detaching", true)
	return d.as("instance.tf")
}

func (k *ActionsCache) iam() File {
	d := newDocument("")
	d.comment("Entries come and go encrypted, or not at all.")
	b := d.block("data", "aws_iam_policy_document", "bucket")
	statement := b.block("statement")
	statement.text("sid", "TLSOnly")
	statement.text("effect", "Deny")
	statement.set("actions", `["s3:*"]`)
	statement.set("resources", `[aws_s3_bucket.entries.arn, "${aws_s3_bucket.entries.arn}/*"]`)
	statement.gap()
	principals := statement.block("principals")
	principals.text("type", "*")
	principals.set("identifiers", `["*"]`)
	onlyIf(statement, "Bool", "aws:SecureTransport", `["false"]`)
	d.gap()
	onlyIf(assumedBy(d.body, "assume_task", "ecs-tasks.amazonaws.com"),
		"StringEquals", "aws:SourceAccount", "[data.aws_caller_identity.current.account_id]")
	d.gap()
	d.comment("The server itself: its bucket.")
	b = d.block("resource", "aws_iam_role", "server")
	b.set("name", `"${var.name}-server"`)
	b.set("assume_role_policy", "data.aws_iam_policy_document.assume_task.json")
	b.set("tags", "local.tags")
	d.gap()
	b = d.block("data", "aws_iam_policy_document", "server")
	allow(b, "Bucket", `["s3:ListBucket", "s3:ListBucketMultipartUploads"]`, "[aws_s3_bucket.entries.arn]")
	b.gap()
	allow(b, "Entries", `["s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload", "s3:ListMultipartUploadParts"]`, `["${aws_s3_bucket.entries.arn}/*"]`)
	b.gap()
	dynamic := b.block("dynamic", "statement")
	dynamic.set("for_each", "var.kms_key_arn == null ? [] : [var.kms_key_arn]")
	dynamic.gap()
	content := dynamic.block("content")
	content.text("sid", "Key")
	content.set("actions", `["kms:Decrypt", "kms:GenerateDataKey"]`)
	content.set("resources", "[statement.value]")
	d.gap()
	b = d.block("resource", "aws_iam_role_policy", "server")
	b.text("name", "entries")
	b.set("role", "aws_iam_role.server.id")
	b.set("policy", "data.aws_iam_policy_document.server.json")
	d.gap()
	if k.fargate() {
		d.comment("What starts the server: its log, and the address of its database.")
	} else {
		d.comment("What starts the server: its log.")
	}
	b = d.block("resource", "aws_iam_role", "execution")
	b.set("name", `"${var.name}-execution"`)
	b.set("assume_role_policy", "data.aws_iam_policy_document.assume_task.json")
	b.set("tags", "local.tags")
	d.gap()
	b = d.block("data", "aws_iam_policy_document", "execution")
	allow(b, "Log", `["logs:CreateLogStream", "logs:PutLogEvents"]`, `["${aws_cloudwatch_log_group.server.arn}:*"]`)
	if k.fargate() {
		b.gap()
		allow(b, "Database", `["secretsmanager:GetSecretValue"]`, "[var.database_url_secret_arn]")
	}
	d.gap()
	b = d.block("resource", "aws_iam_role_policy", "execution")
	b.text("name", "start")
	b.set("role", "aws_iam_role.execution.id")
	b.set("policy", "data.aws_iam_policy_document.execution.json")
	if !k.fargate() {
		k.instanceRole(d.body)
	}
	return d.as("iam.tf")
}

// instanceRole is what the instance may do.
func (*ActionsCache) instanceRole(d body) {
	d.gap()
	d.comment(`The instance: its place in the cluster. The server cannot use this role, because
tasks do not reach the instance's metadata.`)
	assumedBy(d, "assume_instance", "ec2.amazonaws.com")
	d.gap()
	b := d.block("resource", "aws_iam_role", "instance")
	b.set("name", `"${var.name}-instance"`)
	b.set("assume_role_policy", "data.aws_iam_policy_document.assume_instance.json")
	b.set("tags", "local.tags")
	d.gap()
	b = d.block("data", "aws_iam_policy_document", "instance")
	allow(b, "Register", `["ecs:RegisterContainerInstance", "ecs:DeregisterContainerInstance"]`, "[aws_ecs_cluster.cache.arn]")
	b.gap()
	onlyIf(allow(b, "Work", `["ecs:Poll", "ecs:StartTelemetrySession", "ecs:SubmitAttachmentStateChanges", "ecs:SubmitContainerStateChange", "ecs:SubmitTaskStateChange", "ecs:UpdateContainerInstancesState"]`, `["*"]`),
		"ArnEquals", "ecs:cluster", "[aws_ecs_cluster.cache.arn]")
	b.gap()
	{
		statement := b.block("statement")
		statement.text("sid", "Find")
		statement.set("actions", `["ecs:DiscoverPollEndpoint"]`)
		statement.comment("This action knows no resources.")
		statement.set("resources", `["*"]`)
	}
	d.gap()
	b = d.block("resource", "aws_iam_role_policy", "instance")
	b.text("name", "cluster")
	b.set("role", "aws_iam_role.instance.id")
	b.set("policy", "data.aws_iam_policy_document.instance.json")
	d.gap()
	b = d.block("resource", "aws_iam_instance_profile", "instance")
	b.set("name", `"${var.name}-instance"`)
	b.set("role", "aws_iam_role.instance.name")
	b.set("tags", "local.tags")
}

func (k *ActionsCache) example() File {
	d := exampleHead("A cache for the runners of one VPC. Write your own ids.", true)
	b := d.block("module", "cache")
	b.text("source", "../..")
	b.gap()
	for _, v := range k.required() {
		b.set(v[0], v[1])
	}
	b.gap()
	b.set("tags", `{ team = "platform" }`)
	d.gap()
	for i, name := range []string{"actions_results_url", "restore_seconds", "storage_gib", "findings"} {
		if i > 0 {
			d.gap()
		}
		d.block("output", name).set("value", "module.cache."+name)
	}
	return d.as("examples/basic/main.tf")
}

func (k *ActionsCache) tests() File {
	d := newDocument("terraform init && terraform test: plans only, without an account.")
	mockAWS(d.body, mocked{"aws_caller_identity", `{ account_id = "123456789012" }`}, mocked{"aws_subnet", `{ availability_zone = "us-east-1a" }`})
	d.gap()
	vs := d.block("variables")
	for _, v := range k.required() {
		vs.set(v[0], v[1])
	}
	for _, p := range []planned{
		{
			name: "sized",
			asserts: []assertion{
				{fmt.Sprintf("output.storage_gib == %s", k.storageGiB()), "The bucket is sized for something else."},
				{"output.restore_seconds > 0", "Nothing is known of restores."},
				{`output.actions_results_url == "http://cache.${var.dns_namespace}:3000/"`, "Runners need the address with a trailing slash."},
				{`length([for f in output.findings : f if f.severity != "info"]) == 0`, "The guards found more than advice."},
			},
		},
		{name: "closed_to_all", variables: [][2]string{{"runner_security_group_ids", "{}"}}, refused: []string{"var.runner_security_group_ids"}},
		{name: "no_replica", variables: [][2]string{{"replicas", "0"}}, refused: []string{"var.replicas"}},
	} {
		d.gap()
		p.addTo(d.body)
	}
	return d.as("tests/plan.tftest.hcl")
}
