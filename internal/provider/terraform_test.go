package provider_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/provider"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/tool"
)

// The tests in this file run a real Terraform or OpenTofu, about a quarter of a
// second a step: they are for what only the real thing can show. Everything
// else is tested in process.

// binary makes plugin-testing use what is there instead of trying a download.
func binary(t *testing.T) {
	t.Helper()
	path := tool.Path(t)
	t.Setenv("TF_ACC_TERRAFORM_PATH", path)
	if filepath.Base(path) == "tofu" {
		t.Setenv("TF_ACC_PROVIDER_HOST", "registry.opentofu.org")
	}
}

func terraform(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	binary(t)
	resource.UnitTest(t, resource.TestCase{ProtoV6ProviderFactories: served(), Steps: steps})
}

func served(options ...provider.Option) map[string]func() (tfprotov6.ProviderServer, error) {
	return map[string]func() (tfprotov6.ProviderServer, error){"runnerfit": provider.NewServer("test", options...)}
}

const host = "runnerfit_mac_host_storage.host"

func hostResource(body string) string {
	return fmt.Sprintf("resource %q %q {\n%s\n}\n", "runnerfit_mac_host_storage", "host", body)
}

func at(path string) tfjsonpath.Path { return tfjsonpath.New(path) }

// The guard stands in front: what depends on it sees the filled-in values, at
// plan already, and the second plan is empty (which plugin-testing checks after
// every step).
func TestTerraformGuard(t *testing.T) {
	downstream := `
resource "terraform_data" "root" {
  input = runnerfit_mac_host_storage.host.root.iops
}
`
	terraform(t,
		resource.TestStep{
			Config: hostResource(recommended) + downstream,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectKnownValue(host, at("root").AtMapKey("iops"), knownvalue.Int64Exact(3000)),
				plancheck.ExpectKnownValue("terraform_data.root", at("input"), knownvalue.Int64Exact(3000)),
				plancheck.ExpectKnownValue(host, at("boot_to_ready_seconds"), knownvalue.Float64Exact(289.5)),
			}},
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue("terraform_data.root", at("output"), knownvalue.Int64Exact(3000)),
				statecheck.ExpectKnownValue(host, at("monthly_cost_usd"), knownvalue.Int64Exact(181)),
			},
		},
		resource.TestStep{
			Config: hostResource(with("throughput_mib_per_s = 750", "throughput_mib_per_s = 500")) + downstream,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(host, plancheck.ResourceActionUpdate),
				plancheck.ExpectKnownValue(host, at("boot_to_ready_seconds"), knownvalue.Float64Exact(297.5)),
				plancheck.ExpectKnownValue(host, at("monthly_cost_usd"), knownvalue.Int64Exact(171)),
			}},
		},
		resource.TestStep{
			Config:      hostResource(with("throughput_mib_per_s = 750", "throughput_mib_per_s = 125")),
			ExpectError: regexp.MustCompile(`Mac root volume is too slow to boot from[\s\S]+throughput_mib_per_s = 125[\s\S]+Rule:\s+mac-root-throughput`),
		},
		resource.TestStep{
			Config: hostResource(with("throughput_mib_per_s = 750", "throughput_mib_per_s = 750\n iops = 5000")),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(host, at("root").AtMapKey("iops"), knownvalue.Int64Exact(5000)),
			},
		},
		resource.TestStep{ // the line removed again
			Config: hostResource(recommended),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(host, plancheck.ResourceActionUpdate),
				plancheck.ExpectKnownValue(host, at("root").AtMapKey("iops"), knownvalue.Int64Exact(3000)),
			}},
		},
		resource.TestStep{Config: hostResource(recommended), Destroy: true},
	)
}

// A value of a resource that does not exist yet is waited for, and what does
// not depend on it is known at once.
func TestTerraformUnknown(t *testing.T) {
	config := `
resource "terraform_data" "throughput" {
  input = 750
}
` + hostResource(with("throughput_mib_per_s = 750", "throughput_mib_per_s = terraform_data.throughput.output"))
	terraform(t, resource.TestStep{
		Config: config,
		ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
			plancheck.ExpectUnknownValue(host, at("root").AtMapKey("iops")),
			plancheck.ExpectUnknownValue(host, at("boot_to_ready_seconds")),
			plancheck.ExpectUnknownValue(host, at("findings")),
			plancheck.ExpectKnownValue(host, at("image_pull_seconds"), knownvalue.Float64Exact(249.5)),
			plancheck.ExpectKnownValue(host, at("guest_write_iops"), knownvalue.Int64Exact(7010)),
		}},
		ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectKnownValue(host, at("root").AtMapKey("iops"), knownvalue.Int64Exact(3000)),
			statecheck.ExpectKnownValue(host, at("boot_to_ready_seconds"), knownvalue.Float64Exact(289.5)),
		},
	})
}

// Blocks made by "dynamic", a switched-off object, and no block at all.
func TestTerraformDynamicAndCount(t *testing.T) {
	dynamic := func(volumes string) string {
		return hostResource(`
  instance_type = "mac2-m2pro.metal"
  root { size_gib = 100 }
  dynamic "vmdata" {
    for_each = `+volumes+`
    content { size_gib = vmdata.value }
  }`) + `
resource "runnerfit_mac_host_storage" "off" {
  count         = 0
  instance_type = "mac2-m2pro.metal"
  root { size_gib = 100 }
}
output "off" {
  value = one(runnerfit_mac_host_storage.off[*].root.iops)
}`
	}
	terraform(t,
		resource.TestStep{
			Config: dynamic("[]"),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(host, at("guest_read_iops"), knownvalue.Null()),
				statecheck.ExpectKnownValue(host, at("image_pull_seconds"), knownvalue.Int64Exact(0)),
			},
		},
		resource.TestStep{
			Config: dynamic("[750]"),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(host, at("vmdata").AtMapKey("throughput_mib_per_s"), knownvalue.Int64Exact(125)),
			},
		},
		resource.TestStep{
			Config: dynamic("[]"),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(host, at("provisioned_throughput_mib_per_s"), knownvalue.Int64Exact(750)),
			},
		},
	)
}

// What was accepted once is destroyed under a catalogue that would refuse it,
// and a newer catalogue alone makes no diff.
func TestTerraformNewerCatalogue(t *testing.T) {
	binary(t)
	newer := served(provider.WithCatalog(slowMac("mac2-m2pro.metal")))
	resource.UnitTest(t, resource.TestCase{Steps: []resource.TestStep{
		{ProtoV6ProviderFactories: newer, Config: hostResource(recommended), ExpectError: regexp.MustCompile(`Rule:\s+mac-grace-period`)},
		{ProtoV6ProviderFactories: served(), Config: hostResource(recommended)},
		{
			ProtoV6ProviderFactories: newer, Config: hostResource(recommended),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
		},
		{ProtoV6ProviderFactories: newer, Config: hostResource(recommended), Destroy: true},
	}})
}

// Functions get null differently from Terraform and from OpenTofu, and a
// partly unknown argument not at all; the answers are the same.
func TestTerraformFunctions(t *testing.T) {
	terraform(t, resource.TestStep{
		Config: `
locals {
  nothing  = null
  findings = provider::runnerfit::check_gp3(null, null, 751, null)
}
output "unset" { value = provider::runnerfit::check_gp3(null, null, null, null) }
output "rules" { value = [for f in local.findings : f.rule] }
output "cost"  { value = provider::runnerfit::gp3_monthly_cost(100, null, null, local.nothing) }
output "exact" { value = provider::runnerfit::gp3_monthly_cost(100, 3812, 953, null) == 45.18 }
output "units" { value = provider::runnerfit::mbit_to_mib(8000) == 953.67431640625 }
output "known" { value = provider::runnerfit::ebs_ceiling("mac9.metal").known }
output "mac" {
  value = [for f in provider::runnerfit::check_mac_storage({ instance_type = null, root = { throughput_mib_per_s = 125, iops = local.nothing }, vmdata = null }) : f.rule]
}
`,
		ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectKnownOutputValue("unset", knownvalue.ListSizeExact(0)),
			statecheck.ExpectKnownOutputValue("rules", knownvalue.TupleExact([]knownvalue.Check{knownvalue.StringExact("gp3-throughput-ratio")})),
			statecheck.ExpectKnownOutputValue("cost", knownvalue.Int64Exact(8)),
			statecheck.ExpectKnownOutputValue("exact", knownvalue.Bool(true)),
			statecheck.ExpectKnownOutputValue("units", knownvalue.Bool(true)),
			statecheck.ExpectKnownOutputValue("known", knownvalue.Bool(false)),
			statecheck.ExpectKnownOutputValue("mac", knownvalue.TupleExact([]knownvalue.Check{knownvalue.StringExact("mac-root-throughput")})),
		},
	},
		resource.TestStep{
			Config:      `output "x" { value = provider::runnerfit::gp3_min_iops(-1) }`,
			ExpectError: regexp.MustCompile(`Invalid\s+value\s+for\s+"throughput_mib_per_s"\s+parameter:\s+must\s+not\s+be\s+negative\.`),
		},
		resource.TestStep{
			Config:      `output "x" { value = provider::runnerfit::mbit_to_mib(null) }`,
			ExpectError: regexp.MustCompile(`argument\s+must\s+not\s+be\s+null`),
		},
		resource.TestStep{
			Config: `
resource "terraform_data" "iops" {
  input = 3000
}
output "later" { value = provider::runnerfit::gp3_max_throughput(terraform_data.iops.output) }`,
			ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownOutputValue("later", knownvalue.Int64Exact(750))},
		},
	)
}

// A rule reached through a function stops a plan by a precondition, without a guard.
func TestTerraformPrecondition(t *testing.T) {
	config := func(throughput int) string {
		return fmt.Sprintf(`
locals {
  findings = provider::runnerfit::check_gp3(100, 3000, %d, null)
}
resource "terraform_data" "volume" {
  lifecycle {
    precondition {
      condition     = length(local.findings) == 0
      error_message = join(" ", local.findings[*].fix)
    }
  }
}`, throughput)
	}
	terraform(t,
		resource.TestStep{Config: config(751), ExpectError: regexp.MustCompile(`iops\s+=\s+3004`)},
		resource.TestStep{Config: config(750)},
	)
}
