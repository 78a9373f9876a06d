package audit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/plan"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/terraform"
)

// publicCase is a configuration that people got wrong or right in public, in
// testdata/cases: what has to be said about it, and nothing else may be.
type publicCase struct {
	id string
	// note says where this project's rules give another verdict than the
	// collection that the case is from, and why.
	note  string
	level finding.Severity
	// findings are severity, rule, address and path; says are figures and words
	// that a rule's message and fix have to hold.
	findings []string
	says     map[string][]string
	// refused says that hashicorp/aws refuses the plan.
	refused bool
}

const destroyNote = "That a host cannot be destroyed within 24 hours is advice here: nothing is wrong with the configuration."

var publicCases = []publicCase{
	{
		id: "A01", level: finding.Warning,
		note: "The collection also holds 300 s against 20 minutes of launching; a grace period starts when the instance is in service, so that is no finding. ignore_changes of latest_version ignores nothing that is written. " + destroyNote,
		findings: []string{
			"info host-destroy-24h aws_resourcegroups_group.ci_macs",
			"warning host-scale-in-churn aws_autoscaling_policy.ci_mac target_tracking_configuration.disable_scale_in",
			"warning mac-root-size aws_launch_template.ci_mac block_device_mappings[0].ebs.volume_size",
			"warning mac-root-throughput aws_launch_template.ci_mac block_device_mappings[0].ebs.throughput",
		},
		says: map[string][]string{
			"host-scale-in-churn": {"$25.99", "24 hours", "disable_scale_in = true"},
			"mac-root-size":       {"60 GiB are less than the 100 GiB"},
			"mac-root-throughput": {"at 125 MiB/s", "throughput = 750 (+$25.00 a month"},
		},
	},
	{
		id: "A02", level: finding.Info, note: "750 MiB/s on 3,000 IOPS are on the ratio, which is silent. 600 s are enough for the predicted start, see A01.",
		findings: []string{
			"info host-destroy-24h aws_resourcegroups_group.fleet",
			"info mac-root-size aws_launch_template.fleet block_device_mappings[0].ebs.volume_size",
		},
	},
	{
		id: "A04", level: finding.Warning, note: "The rule has an error for a prediction above the allowed time; where the prediction is inferred from the root volume alone, it is a warning, as the collection has it.",
		findings: []string{
			"info host-destroy-24h aws_resourcegroups_group.bk",
			"info mac-root-size aws_launch_template.bk block_device_mappings[0].ebs.volume_size",
			"warning mac-grace-period aws_autoscaling_group.bk health_check_grace_period",
			"warning mac-root-throughput aws_launch_template.bk block_device_mappings[0].ebs.throughput",
		},
		says: map[string][]string{"mac-grace-period": {"allowed 0 s", "Images that the host pulls come on top"}},
	},
	{
		id: "A06", level: finding.Error,
		findings: []string{
			"error mac-root-device aws_launch_template.osx_runner block_device_mappings[0].device_name",
			"info gp3-default-throughput aws_launch_template.osx_runner block_device_mappings[0].ebs.throughput",
			"info host-destroy-24h aws_resourcegroups_group.osx",
		},
		says: map[string][]string{"mac-root-device": {"/dev/xvda adds an empty second volume", `device_name = "/dev/sda1"`}},
	},
	{
		id: "A07", level: finding.Error,
		note: "Nothing refers to the licence, so that it is for the Macs is inferred: a warning. The spare host of a refresh is host-replace-gap.",
		findings: []string{
			"error host-group-kind aws_resourcegroups_group.tagged configuration",
			"info gp3-iops-unneeded aws_launch_template.vmhost block_device_mappings[0].ebs.iops",
			"info mac-root-size aws_launch_template.vmhost block_device_mappings[0].ebs.volume_size",
			"info mac-root-throughput aws_launch_template.vmhost block_device_mappings[0].ebs.throughput",
			"warning host-license aws_licensemanager_license_configuration.eula license_count",
			"warning host-replace-gap aws_autoscaling_group.vmhost instance_refresh.preferences.min_healthy_percentage",
		},
		says: map[string][]string{
			"host-group-kind":     {"AWS::EC2::HostManagement", "resource_query"},
			"host-license":        {"10 cores are enough for 1 host of mac2.metal (8 cores each)", "10 hosts are launched, which are 80 cores", "hard"},
			"host-replace-gap":    {"100 %", "$15.60"},
			"gp3-iops-unneeded":   {"-$15.00 a month"},
			"mac-root-throughput": {"at 400 MiB/s"},
		},
	},
	{
		id: "A09", level: finding.Info, note: "A family that the group allows and no template asks for is no finding.",
		findings: []string{
			"info host-destroy-24h aws_resourcegroups_group.ios",
			"info mac-root-throughput aws_launch_template.ios block_device_mappings",
		},
		says: map[string][]string{"mac-root-throughput": {"not visible here", "125 MiB/s"}},
	},
	{
		id: "A11", level: finding.Warning, note: "A Mac's root has a rule of its own instead of the advice about default speed.",
		findings: []string{
			"info host-destroy-24h aws_ec2_host.big",
			"info host-replace-gap aws_instance.big host_id",
			"info mac-root-size aws_instance.big root_block_device.volume_size",
			"warning mac-root-throughput aws_instance.big root_block_device.throughput",
		},
		says: map[string][]string{"mac-root-throughput": {"113 s", "36 s", "+$25.00 a month"}, "host-destroy-24h": {"$37.44"}},
	},
	{
		id: "B01", level: finding.Error, findings: []string{"error gp3-throughput-ratio aws_launch_template.runner block_device_mappings[0].ebs.throughput"},
		says: map[string][]string{"gp3-throughput-ratio": {"0.333333", "iops = 4000 (+$5.00 a month)", "throughput = 750 (-$10.00 a month)"}},
	},
	{
		id: "B02", level: finding.Error, findings: []string{"error gp3-throughput-ratio aws_launch_template.runner block_device_mappings[0].ebs.throughput"},
		says: map[string][]string{"gp3-throughput-ratio": {"0.3", "when none are written", "iops = 3600 (+$3.00 a month)"}},
	},
	{
		id: "B04", level: finding.Error, findings: []string{"error gp3-throughput-ratio aws_launch_template.nodes block_device_mappings[0].ebs.throughput"},
		says: map[string][]string{"gp3-throughput-ratio": {"0.333333", "+$5.00 a month"}},
	},
	{
		id: "B06", level: finding.Warning, note: "16,000 IOPS are within the burst of 20,000, which is advice.",
		findings: []string{
			"info gp3-iops-unneeded aws_instance.box ebs_block_device[0].iops",
			"info instance-iops aws_instance.box ebs_block_device[0].iops",
			"warning instance-throughput aws_instance.box ebs_block_device[0].throughput",
		},
		says: map[string][]string{"instance-throughput": {"566.24 MiB/s", "137.09 MiB/s sustained"}, "instance-iops": {"sustains 6,000 IOPS"}},
	},
	{
		id: "B08", level: finding.Warning,
		findings: []string{
			"info gp3-iops-unneeded aws_instance.box ebs_block_device[0].iops",
			"warning instance-throughput aws_instance.box ebs_block_device[0].throughput",
		},
		says: map[string][]string{"instance-throughput": {"566.24 MiB/s", "throughput = 566"}},
	},
	{
		id: "B10-1", level: finding.Info, note: "On every boundary; that 80,000 IOPS cost $360 more than the throughput needs is advice.",
		findings: []string{"info gp3-iops-unneeded aws_launch_template.f block_device_mappings[0].ebs.iops"},
		says:     map[string][]string{"gp3-iops-unneeded": {"-$360.00 a month"}},
	},
	{
		id: "B10-2", level: finding.Error, findings: []string{"error gp3-throughput-ratio aws_launch_template.f block_device_mappings[0].ebs.throughput"},
		says: map[string][]string{"gp3-throughput-ratio": {"0.250333", "iops = 3004"}},
	},
	{
		id: "B10-4", level: finding.Error, findings: []string{"error volume-type-attribute aws_launch_template.f block_device_mappings[0].ebs.iops"},
		says: map[string][]string{"volume-type-attribute": {"3,000.5", "whole number"}},
	},
	{
		id: "B10-5", level: finding.Error, refused: true,
		findings: []string{"error gp3-throughput-range aws_launch_template.f block_device_mappings[0].ebs.throughput"},
		says:     map[string][]string{"gp3-throughput-range": {"125 to 2,000 MiB/s"}},
	},
	{id: "B12"},
	{id: "B16", note: "Configuration alone does not show what the volume was; TestMigration has the plan."},
	{
		id: "C02", level: finding.Warning, note: "The collection's advice about a replacement is host-replace-gap; the level is that of the root's default speed.",
		findings: []string{
			"info host-destroy-24h aws_ec2_host.only",
			"info host-replace-gap aws_instance.only host_id",
			"warning mac-root-throughput aws_instance.only root_block_device.throughput",
		},
		says: map[string][]string{"host-replace-gap": {"4.5 hours", "$15.60"}},
	},
	{
		id: "C06", level: finding.Warning,
		findings: []string{
			"info host-destroy-24h aws_resourcegroups_group.m2pro",
			"warning host-auto-release aws_resourcegroups_group.m2pro auto-release-host",
		},
		says: map[string][]string{"host-auto-release": {"$1,138.80 a month", "$37.44 a day", "hard to get"}},
	},
	{
		id: "C22", level: finding.Warning,
		findings: []string{
			"info host-destroy-24h aws_ec2_host.unit",
			"info host-replace-gap aws_instance.unit host_id",
			"info mac-root-size aws_instance.unit root_block_device.volume_size",
			"warning instance-throughput aws_instance.unit root_block_device.throughput",
		},
		says: map[string][]string{"instance-throughput": {"1,048.58 MB/s", "953.67 MiB/s are usable", "throughput = 953 and iops = 3812", "-$2.82 a month"}},
	},
	{id: "D01", note: "Advice about the default speed needs an instance type, and the case has none."},
}

func TestPublicCases(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "cases", "*.tf"))
	if err != nil || len(files) != len(publicCases) {
		t.Errorf("there are %d files for %d cases: %v", len(files), len(publicCases), err)
	}
	for _, c := range publicCases {
		t.Run(c.id, func(t *testing.T) {
			t.Parallel()
			got := folder(t, c.folder(t))
			checkHeads(t, got, c.findings...)
			var worst finding.Severity
			said := map[string]string{}
			for _, f := range got {
				worst = max(worst, f.Severity)
				said[f.Rule] += f.Message + " " + f.Fix
				if f.File == "" || f.Line == 0 || f.Excerpt == "" {
					t.Errorf("%s has no place", f.Rule)
				}
			}
			if worst != c.level {
				t.Errorf("the worst is %v, want %v", worst, c.level)
			}
			for rule, words := range c.says {
				for _, w := range words {
					if !strings.Contains(said[rule], w) {
						t.Errorf("%s does not say %q: %s", rule, w, said[rule])
					}
				}
			}
		})
	}
}

func (c publicCase) folder(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "cases", c.id+".tf"))
	if err != nil {
		t.Fatal(err)
	}
	return files{"main.tf": string(b)}.write(t)
}

// A plan of the same configuration has the same findings. All cases are planned
// at once, each as a module.
func TestPublicCasesAsPlan(t *testing.T) {
	t.Parallel()
	f := terraform.New(t)
	var root strings.Builder
	for _, c := range publicCases {
		b, err := os.ReadFile(filepath.Join("testdata", "cases", c.id+".tf"))
		if err != nil {
			t.Fatal(err)
		}
		if c.refused {
			continue
		}
		f.Write(c.id+"/main.tf", string(b))
		root.WriteString("module \"" + c.id + "\" {\n  source = \"./" + c.id + "\"\n}\n")
	}
	f.Write("main.tf", "provider \"aws\" {\n  region = \"us-east-1\"\n}\n"+root.String())
	want := folder(t, f.Path())
	f.Init()
	got := planned(t, f.Plan().JSON)
	if diff := cmp.Diff(told(want), told(got)); diff != "" {
		t.Errorf("folder and plan differ (-folder +plan):\n%s", diff)
	}
	if len(want) < len(publicCases) {
		t.Errorf("only %d findings", len(want))
	}
}

// planned audits a plan in JSON.
func planned(t *testing.T, text []byte) []Finding {
	t.Helper()
	d, err := plan.ReadJSON(strings.NewReader(string(text)), "plan.json")
	if err != nil {
		t.Fatal(err)
	}
	return Run(d.Configuration, options())
}

// What a volume was is seen in a plan that changes it, case B16: gp2 gave 250
// MiB/s by its size.
func TestMigration(t *testing.T) {
	t.Parallel()
	f := terraform.New(t)
	volume := func(typ, more string) {
		f.Write("main.tf", `provider "aws" {
  region = "us-east-1"
}

resource "aws_ebs_volume" "moved" {
  availability_zone = "us-east-1a"
  size              = 500
  type              = "`+typ+`"
`+more+"}\n")
	}
	volume("gp2", "")
	f.Init()
	f.Apply()
	volume("gp3", "")
	got := planned(t, f.Plan().JSON)
	checkHeads(t, got, "warning volume-type-legacy aws_ebs_volume.moved throughput")
	if len(got) == 1 {
		for _, w := range []string{"500 GiB of gp2 give 250 MiB/s, after the change it has 125", "throughput = 250 (+$5.00 a month)", "$5.00 a month less than gp2"} {
			if text := got[0].Message + " " + got[0].Fix; !strings.Contains(text, w) {
				t.Errorf("it does not say %q: %s", w, text)
			}
		}
	}
	volume("gp3", "  throughput = 250\n")
	checkHeads(t, planned(t, f.Plan().JSON))
}
