package audit

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/plan"
)

// files is a folder of configuration, written down in a test.
type files map[string]string

func (f files) write(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range f {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func options() Options { return Options{Catalog: catalog.Embedded()} }

// folder audits a folder that can be read as a whole.
func folder(t *testing.T, dir string) []Finding {
	t.Helper()
	folders, err := plan.ReadFolders(t.Context(), []string{dir}, plan.Options{})
	if err != nil || len(folders.Problems) > 0 {
		t.Fatalf("%v %v", err, folders.Problems)
	}
	var out []Finding
	for _, c := range folders.Roots {
		out = append(out, Run(c, options())...)
	}
	return out
}

// heads are findings as lines, sorted: severity, rule, address, path.
func heads(fs []Finding) []string {
	out := []string{}
	for _, f := range fs {
		out = append(out, strings.TrimSpace(fmt.Sprint(f.Severity, " ", f.Rule, " ", f.Address, " ", f.Path)))
	}
	slices.Sort(out)
	return out
}

// told are findings without their places, sorted.
func told(fs []Finding) []string {
	out := []string{}
	for _, f := range fs {
		out = append(out, fmt.Sprint(f.Severity, " ", f.Rule, " ", f.Address, " ", f.Path, "\n", f.Message, "\n", f.Fix, "\n", f.MonthlySavingUSD.Decimal))
	}
	slices.Sort(out)
	return out
}

func checkHeads(t *testing.T, got []Finding, want ...string) {
	t.Helper()
	slices.Sort(want)
	if want == nil {
		want = []string{}
	}
	if diff := cmp.Diff(want, heads(got)); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

const ratioFault = `resource "aws_launch_template" "runner" {
  block_device_mappings {
    device_name = "/dev/xvda"
    ebs {
      volume_size = 40
      volume_type = "gp3"
      iops        = 3000
      throughput  = %s
    }
  }
}
`

// The ways in which a value gets into configuration: where it is known, the
// fault is found; where it is not, nothing is said.
func TestValues(t *testing.T) {
	t.Parallel()
	const found = "error gp3-throughput-ratio aws_launch_template.runner block_device_mappings[0].ebs.throughput"
	template := func(value, more string) files {
		return files{"main.tf": fmt.Sprintf(ratioFault, value) + more}
	}
	for name, tt := range map[string]struct {
		files files
		want  []string
	}{
		"literal":               {template("1000", ""), []string{found}},
		"literal that fits":     {template("750", ""), nil},
		"text":                  {template(`"1000"`, ""), []string{found}},
		"variable's default":    {template("var.t", `variable "t" { default = 1000 }`), []string{found}},
		"variable without":      {template("var.t", `variable "t" {}`), nil},
		"sensitive variable":    {template("var.t", "variable \"t\" {\n  default = 1000\n  sensitive = true\n}"), nil},
		"sensitive function":    {template("sensitive(1000)", ""), nil},
		"variable not declared": {template("var.t", ""), nil},
		"terraform.tfvars": {
			files{"main.tf": fmt.Sprintf(ratioFault, "var.t") + `variable "t" { default = 125 }`, "terraform.tfvars": "t = 1000"},
			[]string{found},
		},
		"auto.tfvars over terraform.tfvars": {
			files{"main.tf": fmt.Sprintf(ratioFault, "var.t") + `variable "t" {}`, "terraform.tfvars": "t = 1000", "z.auto.tfvars": "t = 500"},
			nil,
		},
		"other tfvars":           {files{"main.tf": fmt.Sprintf(ratioFault, "var.t") + `variable "t" {}`, "prod.tfvars": "t = 1000"}, nil},
		"local":                  {template("local.t", "locals {\n  t = local.u * 2\n  u = 500\n}"), []string{found}},
		"local that is a circle": {template("local.t", "locals {\n  t = local.u\n  u = local.t\n}"), nil},
		"function":               {template("max(1000, 125)", ""), []string{found}},
		"lookup":                 {template(`lookup(var.v, "throughput", 125)`, "variable \"v\" { default = { throughput = 1000 } }"), []string{found}},
		"lookup of nothing":      {template(`lookup(var.v, "throughput", 1000)`, "variable \"v\" { default = {} }"), []string{found}},
		"optional attribute": {
			template("var.v.throughput", "variable \"v\" {\n  type = object({ size = number, throughput = optional(number, 1000) })\n  default = { size = 1 }\n}"),
			[]string{found},
		},
		"condition":                          {template("var.big ? 1000 : 125", `variable "big" { default = true }`), []string{found}},
		"unknown condition":                  {template("var.big ? 1000 : 125", `variable "big" {}`), nil},
		"workspace":                          {template(`terraform.workspace == "prod" ? 1000 : 125`, ""), nil},
		"data source":                        {template("data.external.x.result.t", ""), nil},
		"other resource":                     {template("aws_ssm_parameter.x.value", `resource "aws_ssm_parameter" "x" {}`), nil},
		"file":                               {template(`jsondecode(file("x.json")).t`, ""), nil},
		"try of an unknown":                  {template("try(tonumber(data.external.x.result.t), 1000)", ""), nil},
		"try of another provider's function": {template("try(provider::other::f(), 1000)", ""), nil},
		"try that falls back":                {template("try(var.v.none, 1000)", "variable \"v\" { default = {} }"), []string{found}},
		"guard":                              {template("runnerfit_instance_storage.x.by_name.root.throughput_mib_per_s", `resource "runnerfit_instance_storage" "x" {}`), nil},
		"guard through a local":              {template("local.t", "locals { t = 1000 + runnerfit_instance_storage.x.y }"), nil},
		"override file": {
			files{"main.tf": fmt.Sprintf(ratioFault, "125"), "main_override.tf": fmt.Sprintf(ratioFault, "1000")},
			[]string{found},
		},
		"OpenTofu's version of a file": {files{"main.tf": fmt.Sprintf(ratioFault, "1000"), "main.tofu": fmt.Sprintf(ratioFault, "125")}, nil},
		"null":                         {template("null", ""), nil},
		"zero":                         {template("0", ""), []string{"info volume-setting-zero aws_launch_template.runner block_device_mappings[0].ebs.throughput"}},
		"JSON": {
			files{"main.tf.json": `{"resource": {"aws_launch_template": {"runner": {"block_device_mappings": [{"device_name": "/dev/xvda", "ebs": {"volume_type": "gp3", "iops": 3000, "throughput": "${500 * 2}"}}]}}}}`},
			[]string{found},
		},
		"Windows line ends and a byte order mark": {
			files{"main.tf": "\uFEFF" + strings.ReplaceAll(fmt.Sprintf(ratioFault, "1000"), "\n", "\r\n")},
			[]string{found},
		},
		"provider block that ignores the rule": {
			template("1000", "locals {\n  why = \"completed later\"\n}\nprovider \"runnerfit\" {\n  ignore_rules = { \"gp3-throughput-ratio\" = local.why }\n}"), nil,
		},
		"provider block without a reason": {template("1000", "provider \"runnerfit\" {\n  ignore_rules = { \"gp3-throughput-ratio\" = \"\" }\n}"), []string{found}},
		"provider block with an alias": {
			template("1000", "provider \"runnerfit\" {\n  alias = \"x\"\n  ignore_rules = { \"gp3-throughput-ratio\" = \"x\" }\n}"), []string{found},
		},
		"comment on the line":        {template("1000 # runnerfit:ignore gp3-throughput-ratio test", ""), nil},
		"comment about another rule": {template("1000 # runnerfit:ignore gp3-iops-range test", ""), []string{found}},
		"comment above a block": {
			files{"main.tf": "# runnerfit:ignore gp3-throughput-ratio test\n" + fmt.Sprintf(ratioFault, "1000")},
			nil,
		},
		"comment above another block": {
			files{"main.tf": "# runnerfit:ignore gp3-throughput-ratio test\nlocals {\n  a = 1\n}\n" + fmt.Sprintf(ratioFault, "1000")},
			[]string{found},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkHeads(t, folder(t, tt.files.write(t)), tt.want...)
		})
	}
}

// How often a block is there, and in which module.
func TestInstances(t *testing.T) {
	t.Parallel()
	volume := func(head string) string {
		return "resource \"aws_ebs_volume\" \"v\" {\n" + head + "\n  availability_zone = \"us-east-1a\"\n  type = \"gp3\"\n  size = 40\n  throughput = 1000\n}\n"
	}
	const rule = "error gp3-throughput-ratio "
	for name, tt := range map[string]struct {
		files files
		want  []string
	}{
		"count":         {files{"m.tf": volume("count = 2")}, []string{rule + "aws_ebs_volume.v[0] throughput", rule + "aws_ebs_volume.v[1] throughput"}},
		"count of none": {files{"m.tf": volume("count = 0")}, nil},
		"unknown count": {files{"m.tf": volume("count = var.n") + `variable "n" {}`}, []string{rule + "aws_ebs_volume.v throughput"}},
		"huge count":    {files{"m.tf": volume("count = 1000000000")}, []string{rule + "aws_ebs_volume.v throughput"}},
		"for_each": {
			files{"m.tf": volume(`for_each = { a = 1, "b.c" = 2 }`)},
			[]string{rule + `aws_ebs_volume.v["a"] throughput`, rule + `aws_ebs_volume.v["b.c"] throughput`},
		},
		"unknown for_each": {files{"m.tf": volume(`for_each = toset(data.x.y.z)`)}, []string{rule + "aws_ebs_volume.v throughput"}},
		"each value": {
			files{"m.tf": strings.ReplaceAll(volume(`for_each = { slow = 125, fast = 1000 }`), "throughput = 1000", "throughput = each.value")},
			[]string{rule + `aws_ebs_volume.v["fast"] throughput`},
		},
		"module's argument": {
			files{
				"m.tf":       "module \"m\" {\n  source = \"./child\"\n  t = 1000\n}\n",
				"child/m.tf": strings.ReplaceAll(volume(""), "throughput = 1000", "throughput = var.t") + `variable "t" { default = 125 }`,
			},
			[]string{rule + "module.m.aws_ebs_volume.v throughput"},
		},
		"modules by for_each, two deep": {
			files{
				"m.tf":   "module \"m\" {\n  source = \"./a\"\n  for_each = toset([\"x\", \"y\"])\n  t = each.key == \"x\" ? 1000 : 125\n}\n",
				"a/m.tf": "variable \"t\" {}\nmodule \"n\" {\n  source = \"../b\"\n  count = 1\n  t = var.t\n}\n",
				"b/m.tf": strings.ReplaceAll(volume(""), "throughput = 1000", "throughput = var.t") + `variable "t" {}`,
			},
			[]string{rule + `module.m["x"].module.n[0].aws_ebs_volume.v throughput`},
		},
		"folder that is no module of another": {
			files{"a/m.tf": volume(""), "b/m.tf": volume("count = 1"), ".terraform/modules/x/m.tf": volume("")},
			[]string{rule + "aws_ebs_volume.v throughput", rule + "aws_ebs_volume.v[0] throughput"},
		},
		"two of the same name": {files{"a.tf": volume(""), "b.tf": volume("")}, []string{rule + "aws_ebs_volume.v throughput", rule + "aws_ebs_volume.v throughput"}},
		"dynamic block": {
			files{"m.tf": `resource "aws_instance" "i" {
  instance_type = "m8a.xlarge"
  dynamic "ebs_block_device" {
    for_each = { "/dev/sdf" = 1000, "/dev/sdg" = 300 }
    content {
      device_name = ebs_block_device.key
      volume_type = "gp3"
      volume_size = 40
      throughput  = ebs_block_device.value
    }
  }
}
`},
			[]string{
				rule + "aws_instance.i ebs_block_device[0].throughput",
				"warning instance-shared-budget aws_instance.i",
				"info instance-throughput aws_instance.i ebs_block_device[0].throughput",
				"info instance-throughput aws_instance.i ebs_block_device[1].throughput",
			},
		},
		"dynamic block that is not known": {
			files{"m.tf": `variable "volumes" {}
resource "aws_launch_template" "mac" {
  instance_type = "mac2.metal"
  dynamic "block_device_mappings" {
    for_each = var.volumes
    content {
      device_name = block_device_mappings.key
    }
  }
}
`},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkHeads(t, folder(t, tt.files.write(t)), tt.want...)
		})
	}
}

// macTemplate is a Mac whose root is as it should be; head stands in front of
// its volumes.
const macTemplate = `resource "aws_launch_template" "t" {
  name          = "macs"
  instance_type = "mac2.metal"
  block_device_mappings {
    device_name = "/dev/sda1"
    ebs {
      volume_type = "gp3"
      volume_size = 100
      throughput  = 750
    }
  }
}
`

func macGroup(more string) string {
	return macTemplate + `resource "aws_autoscaling_group" "g" {
  name                      = "macs"
  min_size                  = 1
  max_size                  = 4
  health_check_grace_period = 1200
  launch_template {
    name = "macs"
  }
` + more + "}\n"
}

func TestMacs(t *testing.T) {
	t.Parallel()
	policy := func(kind, adjustment string) string {
		return macGroup("") + "resource \"aws_autoscaling_policy\" \"p\" {\n  name = \"p\"\n  autoscaling_group_name = \"macs\"\n  adjustment_type = \"" + kind + "\"\n  " + adjustment + "\n}\n"
	}
	root := func(settings string) string {
		return "resource \"aws_instance\" \"i\" {\n  instance_type = \"mac2.metal\"\n  root_block_device {\n" + settings + "  }\n}\n"
	}
	const first = "  lifecycle {\n    create_before_destroy = true\n  }\n"
	for name, tt := range map[string]struct {
		text string
		want []string
		says string
	}{
		"exact capacity below the largest": {policy("ExactCapacity", "scaling_adjustment = 1"), []string{"warning host-scale-in-churn aws_autoscaling_policy.p"}, "ends instances"},
		"exact capacity of the largest":    {policy("ExactCapacity", "scaling_adjustment = 4"), nil, ""},
		"exact capacity by steps":          {policy("ExactCapacity", "policy_type = \"StepScaling\"\n  step_adjustment {\n    scaling_adjustment = 4\n  }\n  step_adjustment {\n    scaling_adjustment = 2\n  }"), []string{"warning host-scale-in-churn aws_autoscaling_policy.p"}, ""},
		"change of the capacity":           {policy("ChangeInCapacity", "scaling_adjustment = 1"), nil, ""},
		"group that is created first":      {macGroup(first), []string{"warning host-replace-gap aws_autoscaling_group.g lifecycle.create_before_destroy"}, "each takes another host"},
		"host that is created first": {
			"resource \"aws_ec2_host\" \"h\" {\n  instance_type = \"mac2.metal\"\n  availability_zone = \"us-east-1a\"\n" + first + "}\n",
			[]string{"info host-destroy-24h aws_ec2_host.h", "warning host-replace-gap aws_ec2_host.h lifecycle.create_before_destroy"},
			"$15.60",
		},
		"root without type and throughput": {
			root("    volume_size = 100\n"), []string{"warning mac-root-throughput aws_instance.i root_block_device.volume_type"}, "at 125 MiB/s",
		},
		"root without throughput": {
			root("    volume_type = \"gp3\"\n    volume_size = 100\n"), []string{"warning mac-root-throughput aws_instance.i root_block_device.throughput"}, "at 125 MiB/s",
		},
		"root without type": {root("    volume_size = 100\n    throughput = 750\n"), nil, ""},
		"root of an older type": { // not also what gp2 had
			root("    volume_type = \"gp2\"\n    volume_size = 100\n"), []string{"warning mac-root-throughput aws_instance.i root_block_device.volume_type"}, "throughput = 750",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := folder(t, files{"main.tf": tt.text}.write(t))
			checkHeads(t, got, tt.want...)
			said := strings.Join(told(got), "\n")
			if !strings.Contains(said, tt.says) || strings.Contains(said, "no mapping") {
				t.Errorf("it says %s", said)
			}
		})
	}
}
