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
	if err := checkName(k.Name); err != nil {
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
		outputs(rs),
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
		architectureInput(),
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
		ignoreInput(),
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
			description: "ARN of the secret in Secrets Manager that is the URL (postgres://…) of a PostgreSQL database for the index, its user and password included.",
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
