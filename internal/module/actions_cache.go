package module

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/actionscache"
)

// What a cache server runs on.
const (
	// ComputeInstance is one instance with the index in SQLite.
	ComputeInstance = "instance"
	// ComputeFargate are replicas with the index in PostgreSQL: a task's own disk
	// is gone with the task.
	ComputeFargate = "fargate"
)

// Computes are all of them.
var Computes = []string{ComputeInstance, ComputeFargate}

// ActionsCache is a cache server for GitHub Actions beside the runners.
type ActionsCache struct {
	Name    string
	Compute string
	// InstanceType is for ComputeInstance.
	InstanceType string
	Replicas     int
	// EntryGiB is the size of a typical entry as it is downloaded.
	EntryGiB, DailyUploadGiB float64
	RetentionDays            int
}

// NewActionsCache returns a cache with the defaults.
func NewActionsCache() *ActionsCache {
	return &ActionsCache{
		Name: "actions-cache", Compute: ComputeInstance, InstanceType: "m8a.large", Replicas: 1,
		EntryGiB: 1, DailyUploadGiB: 10, RetentionDays: int(actionscache.DefaultRetentionDays.IntPart()),
	}
}

// Kind is "actions-cache".
func (*ActionsCache) Kind() string { return "actions-cache" }

// Check checks the settings.
func (k *ActionsCache) Check() error {
	if err := checkName("name", k.Name); err != nil {
		return err
	}
	if !slices.Contains(Computes, k.Compute) {
		return wrong("compute", "must be %s", strings.Join(Computes, " or "))
	}
	if err := checkLinuxType("instance-type", k.InstanceType); err != nil {
		return err
	}
	if err := checkRange("replicas", k.Replicas, 1, math.MaxInt); err != nil {
		return err
	}
	if !k.fargate() && k.Replicas > 1 {
		return wrong("replicas", "must be 1 on one instance, whose index is in SQLite, a file that one process writes; --compute %s keeps it in PostgreSQL", ComputeFargate)
	}
	if err := checkNumber("entry-gib", k.EntryGiB, 0, mostGiB); err != nil {
		return err
	}
	const mostDailyGiB = 1_000_000
	if err := checkNumber("daily-upload-gib", k.DailyUploadGiB, 0, mostDailyGiB); err != nil {
		return err
	}
	return checkRange("retention-days", k.RetentionDays, 1, mostDays)
}

func (k *ActionsCache) fargate() bool { return k.Compute == ComputeFargate }

func (k *ActionsCache) database() string {
	if k.fargate() {
		return string(actionscache.Postgres)
	}
	return string(actionscache.SQLite)
}

// mostDays is more than anybody keeps an entry.
const mostDays = 3650

// storageGiB is what the retention takes.
func (k *ActionsCache) storageGiB() decimal.Decimal {
	return decimal.NewFromFloat(k.DailyUploadGiB).Mul(decimal.NewFromInt(int64(k.RetentionDays)))
}

func (k *ActionsCache) files() ([]File, error) {
	vs, rs := k.variables(), k.outputs()
	about, err := readme(k.Kind(), map[string]any{
		"Name": k.Name, "Fargate": k.fargate(), "Replicas": k.Replicas,
		"InstanceType": k.InstanceType, "InstanceCost": monthly(k.InstanceType), "StorageGiB": k.storageGiB(),
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
	if !k.fargate() {
		files = append(files, k.instance(), script(k.Kind(), "index-volume.sh"))
	}
	return files, nil
}

// required are the inputs without which there is no cache, for examples and
// tests.
func (k *ActionsCache) required() [][2]string {
	vs := [][2]string{{"vpc_id", strconv.Quote(exampleVPC)}}
	if k.fargate() {
		vs = append(vs, [][2]string{
			{"subnet_ids", fmt.Sprintf("[%q]", exampleSubnet)},
			{"database_url_secret_arn", `"arn:aws:secretsmanager:us-east-1:123456789012:secret:actions-cache-AbCdEf"`},
			{"database_security_group_id", `"sg-0fedcba9876543210"`},
		}...)
	} else {
		vs = append(vs, [2]string{"subnet_id", strconv.Quote(exampleSubnet)})
	}
	return append(vs, [][2]string{
		{"route_table_ids", fmt.Sprintf("[%q]", exampleRouteTable)},
		{"runner_security_group_ids", fmt.Sprintf("{ linux = %q }", exampleSecurityGroup)},
	}...)
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
	b = d.block("data", "aws_region", "current")
	d.gap()
	b = d.block("data", "aws_caller_identity", "current")
	d.gap()
	d.comment(`Entries. The server deletes them itself after retention_days without use; S3
knows an object's age only, and would delete what is restored every day.`)
	b = d.block("resource", "aws_s3_bucket", "entries")
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
	applyServerSideEncryptionByDefault := rule.block("apply_server_side_encryption_by_default")
	applyServerSideEncryptionByDefault.set("sse_algorithm", `var.kms_key_arn == null ? "AES256" : "aws:kms"`)
	applyServerSideEncryptionByDefault.set("kms_master_key_id", "var.kms_key_arn")
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
	abortIncompleteMultipartUpload := rule.block("abort_incomplete_multipart_upload")
	abortIncompleteMultipartUpload.number("days_after_initiation", 1)
	d.gap()
	b = d.block("resource", "aws_s3_bucket_policy", "entries")
	b.set("bucket", "aws_s3_bucket.entries.id")
	b.set("policy", "data.aws_iam_policy_document.bucket.json")
	d.gap()
	d.comment("The way to S3 that costs nothing: without it, every entry passes a NAT gateway.")
	b = d.block("resource", "aws_vpc_endpoint", "s3")
	b.set("count", "length(var.route_table_ids) > 0 ? 1 : 0")
	b.gap()
	b.set("vpc_id", "var.vpc_id")
	b.text("vpc_endpoint_type", "Gateway")
	b.set("service_name", `"com.amazonaws.${data.aws_region.current.region}.s3"`)
	b.set("route_table_ids", "var.route_table_ids")
	b.set("tags", "local.tags")
	d.gap()
	d.comment("cache.ZONE, which ECS keeps at the addresses of the tasks that run.")
	b = d.block("resource", "aws_service_discovery_private_dns_namespace", "cache")
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
	d.gap()
	b = d.block("resource", "aws_security_group", "server")
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
		k.databaseRule(d.body)
	}
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
	statement.gap()
	condition := statement.block("condition")
	condition.text("test", "Bool")
	condition.text("variable", "aws:SecureTransport")
	condition.set("values", `["false"]`)
	d.gap()
	b = d.block("data", "aws_iam_policy_document", "assume_task")
	statement = b.block("statement")
	statement.set("actions", `["sts:AssumeRole"]`)
	statement.gap()
	principals = statement.block("principals")
	principals.text("type", "Service")
	principals.set("identifiers", `["ecs-tasks.amazonaws.com"]`)
	statement.gap()
	condition = statement.block("condition")
	condition.text("test", "StringEquals")
	condition.text("variable", "aws:SourceAccount")
	condition.set("values", "[data.aws_caller_identity.current.account_id]")
	d.gap()
	d.comment("The server itself: its bucket.")
	b = d.block("resource", "aws_iam_role", "server")
	b.set("name", `"${var.name}-server"`)
	b.set("assume_role_policy", "data.aws_iam_policy_document.assume_task.json")
	b.set("tags", "local.tags")
	d.gap()
	b = d.block("data", "aws_iam_policy_document", "server")
	{
		statement := b.block("statement")
		statement.text("sid", "Bucket")
		statement.set("actions", `["s3:ListBucket", "s3:ListBucketMultipartUploads"]`)
		statement.set("resources", "[aws_s3_bucket.entries.arn]")
	}
	b.gap()
	{
		statement := b.block("statement")
		statement.text("sid", "Entries")
		statement.set("actions", `["s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload", "s3:ListMultipartUploadParts"]`)
		statement.set("resources", `["${aws_s3_bucket.entries.arn}/*"]`)
	}
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
	statement = b.block("statement")
	statement.text("sid", "Log")
	statement.set("actions", `["logs:CreateLogStream", "logs:PutLogEvents"]`)
	statement.set("resources", `["${aws_cloudwatch_log_group.server.arn}:*"]`)
	if k.fargate() {
		b.gap()
		secret := b.block("statement")
		secret.text("sid", "Database")
		secret.set("actions", `["secretsmanager:GetSecretValue"]`)
		secret.set("resources", "[var.database_url_secret_arn]")
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

func (*ActionsCache) instance() File {
	d := newDocument("")
	b := d.block("locals")
	b.set("root", `runnerfit_instance_storage.server.by_name["root"]`)
	b.set("index", `runnerfit_instance_storage.server.by_name["index"]`)
	b.set("arm", `contains(data.runnerfit_instance_ebs.server.architectures, "arm64")`)
	d.gap()
	b = d.block("data", "runnerfit_instance_ebs", "server")
	b.set("instance_type", "var.instance_type")
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
    file("${path.module}/files/index-volume.sh"),
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
	d.gap()
	b = d.block("resource", "aws_volume_attachment", "index")
	b.text("device_name", "/dev/sdf")
	b.set("volume_id", "aws_ebs_volume.index.id")
	b.set("instance_id", "aws_instance.server.id")
	b.flag("stop_instance_before_detaching", true)
	return d.as("instance.tf")
}

func (k *ActionsCache) variables() []variable {
	replicas := "Replicas of the server. SQLite allows one."
	if k.fargate() {
		replicas = "Replicas of the server."
	}
	vs := []variable{
		nameInput(k.Name, "Name of everything that is created."),
		tagsInput(),
		idInput("vpc_id", "vpc", "VPC of the runners, in which the server runs."),
		{
			name: "route_table_ids", typ: "list(string)",
			description: "Route tables of the server's and the runners' subnets, which get the way to S3. Empty: there is an S3 gateway endpoint already.",
			value:       "[]",
		},
		{
			name: "runner_security_group_ids", typ: "map(string)",
			description: "Security groups of the runners, by a name of your choice. Nobody else may connect.",
			validations: []validation{
				{"length(var.runner_security_group_ids) > 0", "Write at least one security group: without one, no runner reaches the cache."},
			},
		},
		{
			name: "dns_namespace", typ: "string",
			description: "Private DNS zone that is created in the VPC. The server is cache.ZONE.",
			value:       `"actions-cache.internal"`,
			validations: []validation{{
				`can(regex("^[a-z0-9-]+(\\.[a-z0-9-]+)+$", var.dns_namespace))`,
				"Write a domain of your own, such as actions-cache.internal.",
			}},
		},
		{
			name: "image", typ: "string",
			description: "Image of the cache server. Pin a digest: a new version of the server may read its index differently.",
			value:       `"ghcr.io/falcondev-oss/github-actions-cache-server:latest"`,
		},
		{
			name: "direct_downloads", typ: "bool",
			description: "Whether runners download entries from the bucket themselves, by a signed URL, so that the server is not in the way.",
			value:       "true",
		},
		{
			name: "replicas", typ: "number",
			description: replicas,
			value:       strconv.Itoa(k.Replicas),
			validations: []validation{wholeNumber("replicas", 1, 0)},
		},
		{
			name: "entry_gib", typ: "number",
			description: "Size of a typical entry in GiB, compressed: the step's log prints it.",
			value:       figure(k.EntryGiB),
		},
		{
			name: "parallel_restores", typ: "number",
			description: "Restores at the same time.",
			value:       "1",
		},
		{
			name: "link_mbit_per_s", typ: "number",
			description: "What one connection carries in Mbit/s. EC2 gives a single flow 5,000, whatever the instance's network.",
			value:       "5000",
		},
		{
			name: "daily_upload_gib", typ: "number",
			description: "GiB of new entries a day.",
			value:       figure(k.DailyUploadGiB),
		},
		{
			name: "retention_days", typ: "number",
			description: "Days that an entry is kept after its last use.",
			value:       strconv.Itoa(k.RetentionDays),
			validations: []validation{wholeNumber("retention_days", 1, mostDays)},
		},
		{
			name: "force_destroy", typ: "bool",
			description: "Whether destroying the module deletes the bucket with its entries. They can be built again.",
			value:       "false",
		},
		{
			name: "kms_key_arn", typ: "string",
			description: "ARN of the KMS key that encrypts entries and volumes. Null: S3's and EBS's own keys.",
			value:       "null",
			nullable:    true,
		},
		{
			name: "log_retention_days", typ: "number",
			description: "Days that the server's log is kept.",
			value:       "30",
			validations: []validation{{
				"contains([1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653], var.log_retention_days)",
				"Write a number of days that CloudWatch knows, such as 7, 30, 90 or 365.",
			}},
		},
	}
	if k.fargate() {
		return append(vs, fargateInputs()...)
	}
	return append(vs, k.instanceInputs()...)
}

// instanceInputs are the variables of a server on one instance.
func (k *ActionsCache) instanceInputs() []variable {
	return []variable{
		idInput("subnet_id", "subnet", "Private subnet of the server, from which it reaches its image and GitHub (a NAT gateway will do)."),
		{
			name: "instance_type", typ: "string",
			description: "EC2 instance type of the server.",
			value:       strconv.Quote(k.InstanceType),
		},
		{
			name: "index_size_gib", typ: "number",
			description: "Size in GiB of the volume that the server's index (SQLite) is on.",
			value:       "10",
		},
		{
			name: "memory_mib", typ: "number",
			description: "Memory for the server in MiB.",
			value:       "1024",
		},
	}
}

// fargateInputs are the variables of replicas on Fargate.
func fargateInputs() []variable {
	return []variable{
		{
			name: "subnet_ids", typ: "list(string)",
			description: "Private subnets of the server, from which it reaches its image and GitHub (a NAT gateway will do).",
			validations: []validation{{"length(var.subnet_ids) > 0", "Write at least one subnet."}},
		},
		{
			name: "database_url_secret_arn", typ: "string",
			description: "ARN of the secret in Secrets Manager that is the URL of a PostgreSQL database for the index: postgres://USER:PASSWORD@HOST:5432/NAME.",
			validations: []validation{{`can(regex("^arn:[a-z-]+:secretsmanager:", var.database_url_secret_arn))`, "Write the ARN of a secret in Secrets Manager."}},
		},
		idInput("database_security_group_id", "sg", "Security group of the database. Let it accept security_group_id on port 5432."),
		{
			name: "cpu_units", typ: "number", value: "1024",
			description: "CPU of a replica in units: 1,024 are a vCPU.",
			validations: []validation{{"contains([512, 1024, 2048, 4096], var.cpu_units)", "Write 512, 1024, 2048 or 4096."}},
		},
		{
			name: "memory_mib", typ: "number", value: "2048",
			description: "Memory of a replica in MiB. Fargate allows multiples of 1,024, from one to two times cpu_units upwards.",
			validations: []validation{{"var.memory_mib >= 1024 && var.memory_mib % 1024 == 0", "Write a multiple of 1024."}},
		},
	}
}

func (k *ActionsCache) outputs() []result {
	findings := "data.runnerfit_actions_cache.server.findings"
	if !k.fargate() {
		findings = "concat(data.runnerfit_actions_cache.server.findings, runnerfit_instance_storage.server.findings)"
	}
	rs := []result{
		{"url", "Address of the server in the VPC.", "local.url"},
		{"actions_results_url", "What runners get as ACTIONS_RESULTS_URL: the address with a trailing slash.", `"${local.url}/"`},
		{"bucket", "Bucket of the entries.", "aws_s3_bucket.entries.id"},
		{"security_group_id", "Security group of the server.", "aws_security_group.server.id"},
		{"s3_endpoint_id", "S3 gateway endpoint. Null if none was made.", "one(aws_vpc_endpoint.s3[*].id)"},
		{"restore_seconds", "Seconds that restoring an entry of entry_gib takes.", "data.runnerfit_actions_cache.server.restore_seconds"},
		{"bound_by", "What bounds a restore: link or server.", "data.runnerfit_actions_cache.server.bound_by"},
		{"storage_gib", "GiB in the bucket once entries are as old as retention_days.", "data.runnerfit_actions_cache.server.storage_gib"},
		{"findings", "What the guards found, advice included: rule, severity, path, message, fix.", findings},
	}
	if !k.fargate() {
		rs = append(rs, result{"monthly_cost_usd", "US dollars a month for the volumes. Null where no price is known.", "runnerfit_instance_storage.server.monthly_cost_usd"})
	}
	return rs
}

// instanceRole is what the instance may do.
func (*ActionsCache) instanceRole(d body) {
	d.gap()
	d.comment(`The instance: its place in the cluster. The server cannot use this role, because
tasks do not reach the instance's metadata.`)
	b := d.block("data", "aws_iam_policy_document", "assume_instance")
	statement := b.block("statement")
	statement.set("actions", `["sts:AssumeRole"]`)
	statement.gap()
	principals := statement.block("principals")
	principals.text("type", "Service")
	principals.set("identifiers", `["ec2.amazonaws.com"]`)
	d.gap()
	b = d.block("resource", "aws_iam_role", "instance")
	b.set("name", `"${var.name}-instance"`)
	b.set("assume_role_policy", "data.aws_iam_policy_document.assume_instance.json")
	b.set("tags", "local.tags")
	d.gap()
	b = d.block("data", "aws_iam_policy_document", "instance")
	{
		statement := b.block("statement")
		statement.text("sid", "Register")
		statement.set("actions", `["ecs:RegisterContainerInstance", "ecs:DeregisterContainerInstance"]`)
		statement.set("resources", "[aws_ecs_cluster.cache.arn]")
	}
	b.gap()
	{
		statement := b.block("statement")
		statement.text("sid", "Work")
		statement.set("actions", `["ecs:Poll", "ecs:StartTelemetrySession", "ecs:SubmitAttachmentStateChanges", "ecs:SubmitContainerStateChange", "ecs:SubmitTaskStateChange", "ecs:UpdateContainerInstancesState"]`)
		statement.set("resources", `["*"]`)
		statement.gap()
		condition := statement.block("condition")
		condition.text("test", "ArnEquals")
		condition.text("variable", "ecs:cluster")
		condition.set("values", "[aws_ecs_cluster.cache.arn]")
	}
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
