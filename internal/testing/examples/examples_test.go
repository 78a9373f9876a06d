// Package examples runs the examples that are whole configurations, with what
// people install. Those that the reference pages show are run beside the
// provider; here are only those of them that need AWS as well.
package examples

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/terraform"
)

var root = filepath.Join("..", "..", "..", "examples")

// undersized is the example that has to be refused.
const undersized = "mac-fleet-undersized"

// Every example must live as it is, without a warning.
func TestExamples(t *testing.T) {
	t.Parallel()
	all := folders(t)
	if !slices.Contains(all, "mac-fleet") || !slices.Contains(all, undersized) {
		t.Fatalf("the examples are %v; both fleets have to be among them", all)
	}
	for _, name := range all {
		if name == undersized {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan, outputs := terraform.Copy(t, filepath.Join(root, filepath.FromSlash(name))).Life()
			if plan.Warned() {
				t.Error(plan)
			}
			if want := outputsOf[name]; want != nil {
				if diff := cmp.Diff(want, outputs); diff != "" {
					t.Errorf("outputs (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// outputsOf are the outputs of examples that the documentation and the demo
// speak about.
var outputsOf = map[string]map[string]any{
	"mac-fleet": {
		"block_device_mappings": map[string]any{
			"root":   map[string]any{"iops": 3_000.0, "throughput": 750.0},
			"vmdata": map[string]any{"iops": 16_000.0, "throughput": 700.0},
		},
		"predicted_start_up": map[string]any{
			"boot_to_downloads_seconds": 36.0, "image_pull_seconds": 249.5, "boot_to_ready_seconds": 289.5, "grace_margin_seconds": 310.5,
		},
		"monthly_cost_usd": 181.0,
		"hosts": map[string]any{
			"verdict": "costly", "peak_hosts": 5.0, "host_month_usd": 1_138.8, "exposure_usd_month": 817.19,
		},
	},
}

// What the guards say must reach what is created, and nothing else may: a figure
// written twice would go unguarded when one of them changes.
func TestFleetTakesItsValuesFromTheGuards(t *testing.T) {
	t.Parallel()
	f := terraform.Copy(t, filepath.Join(root, "mac-fleet"))
	main, err := os.ReadFile(f.Path("main.tf"))
	if err != nil {
		t.Fatal(err)
	}
	changed := string(main)
	for from, to := range map[string]string{
		"grace_period_seconds = 600":                                   "grace_period_seconds = 700",
		"throughput_mib_per_s = 750":                                   "throughput_mib_per_s = 800",
		"iops                 = 16000\n    throughput_mib_per_s = 700": "iops                 = 12000\n    throughput_mib_per_s = 650",
		"size_gib             = 750":                                   "size_gib             = 900",
		"auto_allocate_hosts     = true":                               "auto_allocate_hosts     = false",
	} {
		if strings.Count(changed, from) != 1 {
			t.Fatalf("%q is there %d times", from, strings.Count(changed, from))
		}
		changed = strings.ReplaceAll(changed, from, to)
	}
	f.Write("main.tf", changed)
	f.Init()
	after := map[string]map[string]any{}
	for _, c := range f.Plan("-var=hosts=3").Content.ResourceChanges {
		after[c.Address], _ = c.Change.After.(map[string]any)
	}
	volumes := []any{}
	for _, m := range list(after["aws_launch_template.mac"]["block_device_mappings"]) {
		for _, ebs := range list(m["ebs"]) {
			volumes = append(volumes, []any{m["device_name"], ebs["volume_size"], ebs["iops"], ebs["throughput"]})
		}
	}
	group := after["aws_autoscaling_group.mac"]
	got := map[string]any{
		"volumes": volumes,
		"group":   []any{group["desired_capacity"], group["max_size"], group["health_check_grace_period"]},
		"hosts":   parameters(after["aws_resourcegroups_group.hosts"]),
	}
	want := map[string]any{
		"volumes": []any{[]any{"/dev/sda1", 100.0, 3_200.0, 800.0}, []any{"/dev/sdf", 900.0, 12_000.0, 650.0}},
		"group":   []any{3.0, 3.0, 700.0},
		"hosts": map[string]any{
			"allowed-host-families": []any{"mac2-m2pro"}, "auto-allocate-host": []any{"false"}, "auto-release-host": []any{"true"},
			"allowed-resource-types": []any{"AWS::EC2::Host"}, "deletion-protection": []any{"UNLESS_EMPTY"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("planned (-want +got):\n%s", diff)
	}
}

// parameters are those of a resource group's configuration, without what is not
// known yet.
func parameters(group map[string]any) map[string]any {
	out := map[string]any{}
	for _, c := range list(group["configuration"]) {
		for _, p := range list(c["parameters"]) {
			name, _ := p["name"].(string)
			if values, _ := p["values"].([]any); !slices.Contains(values, nil) {
				out[name] = values
			}
		}
	}
	return out
}

// list is a list of blocks in a plan.
func list(v any) []map[string]any {
	var out []map[string]any
	all, _ := v.([]any)
	for _, e := range all {
		m, _ := e.(map[string]any)
		out = append(out, m)
	}
	return out
}

// The plan of the undersized fleet must be refused where the line has to change.
func TestUndersized(t *testing.T) {
	t.Parallel()
	f := terraform.Copy(t, filepath.Join(root, undersized))
	f.CheckFormat()
	f.Init()
	f.Validate()
	r := f.PlanRefused()
	for _, part := range []string{
		"on main.tf line 19, in resource \"runnerfit_mac_host_storage\" \"host\":",
		"  19:     throughput_mib_per_s = 125\n",
		"Rule: mac-root-throughput",
	} {
		if !strings.Contains(r.Stderr, part) {
			t.Errorf("%q is missing in %s", part, r)
		}
	}
}

// folders are the examples by their path below the folder of all.
func folders(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, pattern := range []string{"*", "*/*"} {
		found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern), "*.tf"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range found {
			name, err := filepath.Rel(root, filepath.Dir(file))
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			name = filepath.ToSlash(name)
			whole := pattern == "*" && name != "provider"
			if (whole || strings.Contains(string(text), "hashicorp/aws")) && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}
