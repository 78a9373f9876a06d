package modules

import (
	"encoding/json"
	"strings"
	"testing"

	tfjson "github.com/hashicorp/terraform-json"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/module"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/terraform"
)

func TestActionsCache(t *testing.T) {
	t.Parallel()
	k := module.NewActionsCache()
	k.EntryGiB, k.DailyUploadGiB, k.RetentionDays = 2, 20, 30
	plan, outputs := life(t, generate(t, k))
	for name, want := range map[string]any{
		"actions_results_url": "http://cache.actions-cache.internal:3000/",
		"storage_gib":         600.0, // 20 GiB a day for 30 days
		"restore_seconds":     3.44,  // 2 GiB at 5,000 Mbit/s
	} {
		if outputs[name] != want {
			t.Errorf("%s is %v, want %v", name, outputs[name], want)
		}
	}
	for _, tt := range []struct {
		address string
		path    []any
		want    any
	}{
		{"aws_vpc_endpoint.s3[0]", []any{"vpc_endpoint_type"}, "Gateway"},
		{"aws_vpc_endpoint.s3[0]", []any{"service_name"}, "com.amazonaws.us-east-1.s3"},
		{"aws_s3_bucket_public_access_block.entries", []any{"restrict_public_buckets"}, true},
		{"aws_instance.server", []any{"metadata_options", 0, "http_tokens"}, "required"},
		{"aws_instance.server", []any{"root_block_device", 0, "encrypted"}, true},
		{"aws_ebs_volume.index", []any{"encrypted"}, true},
		{"aws_ebs_volume.index", []any{"iops"}, 3000.0},
		{"aws_ecs_service.server", []any{"deployment_maximum_percent"}, 100.0}, // never two writers
		{"aws_vpc_security_group_ingress_rule.runners[\"linux\"]", []any{"referenced_security_group_id"}, "sg-0123456789abcdef0"},
	} {
		if got := planned(plan, "module.cache."+tt.address, tt.path...); got != tt.want {
			t.Errorf("%s %v is planned as %v, want %v", tt.address, tt.path, got, tt.want)
		}
	}
	// Nobody but runners comes in.
	for _, c := range plan.Content.ResourceChanges {
		if c.Type == "aws_vpc_security_group_ingress_rule" && planned(plan, c.Address, "cidr_ipv4") != nil {
			t.Errorf("%s lets addresses in", c.Address)
		}
	}
}

func TestActionsCacheServer(t *testing.T) {
	t.Parallel()
	for compute, want := range map[string]map[string]string{
		module.ComputeInstance: {"DB_DRIVER": "sqlite", "DB_SQLITE_PATH": "/data/index.db"},
		module.ComputeFargate:  {"DB_DRIVER": "postgres"},
	} {
		t.Run(compute, func(t *testing.T) {
			t.Parallel()
			k := module.NewActionsCache()
			k.Compute = compute
			if compute == module.ComputeFargate {
				k.Replicas = 2
			}
			example := generate(t, k).Folder("examples/basic")
			example.Init()
			example.Apply()
			var containers []struct {
				User        string
				Environment []struct{ Name, Value string }
				Secrets     []struct{ Name, ValueFrom string }
			}
			raw := state(t, example, "module.cache.aws_ecs_task_definition.server", "container_definitions")
			if err := json.Unmarshal([]byte(raw), &containers); err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			for _, e := range containers[0].Environment {
				got[e.Name] = e.Value
			}
			want["STORAGE_DRIVER"], want["API_BASE_URL"], want["CACHE_CLEANUP_OLDER_THAN_DAYS"] = "s3", "http://cache.actions-cache.internal:3000", "90"
			for name, value := range want {
				if got[name] != value {
					t.Errorf("%s is %q, want %q", name, got[name], value)
				}
			}
			if !strings.HasPrefix(got["STORAGE_S3_BUCKET"], "actions-cache-") || containers[0].User != "1000:1000" {
				t.Errorf("the container is %+v", containers[0])
			}
			// The database's address is a secret, and stands nowhere else.
			secret := len(containers[0].Secrets) == 1 && containers[0].Secrets[0].Name == "DB_POSTGRES_URL"
			if secret != (compute == module.ComputeFargate) {
				t.Errorf("the secrets are %+v", containers[0].Secrets)
			}
			example.Destroy()
		})
	}
}

func TestActionsCacheRefuses(t *testing.T) {
	t.Parallel()
	f := generate(t, module.NewActionsCache())
	f.Init()
	given := []string{vpc, "-var=subnet_id=subnet-0123456789abcdef0", `-var=runner_security_group_ids={linux="sg-0123456789abcdef0"}`}
	for name, tt := range map[string]struct{ variable, want string }{
		"replicas on SQLite":  {"replicas=2", "Rule: cache-sqlite-replicas"},
		"an impossible index": {"index_size_gib=100000", "Rule: gp3-size-range"},
		"open to all":         {"runner_security_group_ids={}", "without one, no runner reaches the cache"},
		"half a day":          {"retention_days=0.5", "Write a whole number from 1 to 3650."},
		"days of its own":     {"log_retention_days=31", "Write a number of days that CloudWatch knows"},
		"no zone":             {"dns_namespace=cache", "Write a domain of your own"},
	} {
		if got := said(f.PlanRefused(append(given, "-var="+tt.variable)...)); !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q is missing in %s", name, tt.want, got)
		}
	}
	// The same without a fault, with an endpoint that is there already.
	plan := f.Plan(given...)
	if plan.Warned() || strings.Contains(string(plan.JSON), "aws_vpc_endpoint.s3[0]") {
		t.Error(plan)
	}
	// What a restore waits for is said: without signed URLs, many at once.
	if plan := f.Plan(append(given, "-var=link_mbit_per_s=12500")...); !strings.Contains(said(plan.Result), "Rule: cache-server-bound") {
		t.Error(plan)
	}
}

func TestActionsCacheMatrix(t *testing.T) {
	matrix(t)
	t.Parallel()
	for name, change := range map[string]func(*module.ActionsCache){
		"Fargate":       func(k *module.ActionsCache) { k.Compute, k.Replicas = module.ComputeFargate, 2 },
		"one Fargate":   func(k *module.ActionsCache) { k.Name, k.Compute = "cache", module.ComputeFargate },
		"Arm":           func(k *module.ActionsCache) { k.InstanceType = "m8g.large" },
		"large entries": func(k *module.ActionsCache) { k.EntryGiB, k.DailyUploadGiB, k.RetentionDays = 9.5, 200.25, 7 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := module.NewActionsCache()
			change(k)
			life(t, generate(t, k))
		})
	}
}

// state is an attribute as it was applied.
func state(t *testing.T, f *terraform.Folder, address, attribute string) string {
	t.Helper()
	var shown tfjson.State
	if err := json.Unmarshal([]byte(f.Run("show", "-json").Stdout), &shown); err != nil {
		t.Fatal(err)
	}
	for _, m := range shown.Values.RootModule.ChildModules {
		for _, r := range m.Resources {
			if r.Address == address {
				s, _ := r.AttributeValues[attribute].(string)
				return s
			}
		}
	}
	t.Fatalf("%s was not applied", address)
	return ""
}
