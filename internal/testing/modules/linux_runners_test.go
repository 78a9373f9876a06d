package modules

import (
	"encoding/base64"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/module"
)

const vpc = "-var=vpc_id=vpc-0123456789abcdef0"

func TestLinuxRunners(t *testing.T) {
	t.Parallel()
	k := module.NewLinuxRunners()
	k.ThroughputMiBPerS = 250
	plan, outputs := life(t, generate(t, k))
	want := map[string]any{"type": "gp3", "size_gib": 40.0, "iops": 3000.0, "throughput_mib_per_s": 250.0, "monthly_cost_usd": 8.2}
	if diff := cmp.Diff(want, outputs["root_volume"]); diff != "" {
		t.Errorf("root volume (-want +got):\n%s", diff)
	}
	for _, tt := range []struct {
		path []any
		want any
	}{
		{[]any{"block_device_mappings", 0, "ebs", 0, "throughput"}, 250.0},
		{[]any{"block_device_mappings", 0, "ebs", 0, "iops"}, 3000.0},
		{[]any{"block_device_mappings", 0, "ebs", 0, "encrypted"}, "true"},
		{[]any{"metadata_options", 0, "http_tokens"}, "required"},
		{[]any{"metadata_options", 0, "http_put_response_hop_limit"}, 1.0},
		{[]any{"tag_specifications", 1, "tags", "team"}, "platform"},
		{[]any{"tag_specifications", 2, "resource_type"}, "network-interface"},
	} {
		if got := planned(plan, "module.runners.aws_launch_template.runner", tt.path...); got != tt.want {
			t.Errorf("%v is planned as %v, want %v", tt.path, got, tt.want)
		}
	}
}

// What the two runner managers take.
func TestLinuxRunnersForManagers(t *testing.T) {
	t.Parallel()
	k := module.NewLinuxRunners()
	k.InstanceType, k.Disk = "r8g.xlarge", module.DiskTmpfs
	f := generate(t, k)
	f.Init()
	f.Apply(vpc, `-var=gitlab_fleeting={max_instances=7,subnet_ids=["subnet-0123456789abcdef0"],manager_security_groups={ci="sg-0123456789abcdef0"}}`)
	outputs := f.Outputs()
	github, _ := outputs["github_aws_runners"].(map[string]any)
	if got := github["runner_architecture"]; got != "arm64" {
		t.Errorf("the architecture is %v", got)
	}
	preInstall, _ := github["userdata_pre_install"].(string)
	if out, err := exec.CommandContext(t.Context(), "bash", "-n", "-c", preInstall).CombinedOutput(); err != nil || !strings.Contains(preInstall, "JOB_DISK_LIMIT_PERCENT=150") {
		t.Errorf("userdata_pre_install: %v\n%s", err, out)
	}
	if diff := cmp.Diff([]any{map[string]any{
		"device_name": "/dev/sda1", "volume_type": "gp3", "volume_size": 40.0, "iops": 3000.0, "throughput": 125.0,
		"encrypted": true, "kms_key_id": nil, "delete_on_termination": true,
	}}, github["block_device_mappings"]); diff != "" {
		t.Errorf("block devices (-want +got):\n%s", diff)
	}
	gitlab, _ := outputs["gitlab_fleeting"].(map[string]any)
	if diff := cmp.Diff(map[string]any{"name": "linux-runners", "region": "us-east-1"}, gitlab["plugin_config"]); diff != "" {
		t.Errorf("plugin_config (-want +got):\n%s", diff)
	}
	// The manager may scale this group and no other.
	policy, _ := gitlab["manager_policy"].(string)
	for _, want := range []string{`"autoscaling:SetDesiredCapacity"`, ":autoScalingGroupName/linux-runners", `"ec2:ResourceTag/aws:autoscaling:groupName"`} {
		if !strings.Contains(policy, want) {
			t.Errorf("%s is missing in %s", want, policy)
		}
	}
	f.NoChanges(vpc, `-var=gitlab_fleeting={max_instances=7,subnet_ids=["subnet-0123456789abcdef0"],manager_security_groups={ci="sg-0123456789abcdef0"}}`)
	f.Destroy(vpc)
}

// What comes after the script in the user data runs, whatever the script says.
func TestLinuxRunnersUserData(t *testing.T) {
	t.Parallel()
	k := module.NewLinuxRunners()
	k.Disk = module.DiskTmpfs
	f := generate(t, k)
	f.Init()
	plan := f.Plan(vpc, "-var=user_data_after=echo after", `-var=tmpfs_directories=["/home/runner","/tmp"]`)
	encoded, _ := planned(plan, "aws_launch_template.runner", "user_data").(string)
	b, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		t.Fatal(err)
	}
	// Nothing of this machine is moved: the script is written to another place, and
	// another that fails is run.
	dir := t.TempDir()
	failing := filepath.Join(dir, "failing.sh")
	if err := os.WriteFile(failing, []byte(`echo "$JOB_DISK_DIRECTORIES, $JOB_DISK_LIMIT_PERCENT, $JOB_DISK_ZRAM_PERCENT"; exit 3`), 0o600); err != nil {
		t.Fatal(err)
	}
	written := filepath.Join(dir, "job-disk.sh")
	script := strings.NewReplacer("bash /run/job-disk.sh", "bash "+failing, "/run/job-disk.sh", written).Replace(string(b))
	if strings.Contains(script, "/run/") {
		t.Fatal("the script would still be run")
	}
	out, err := exec.CommandContext(t.Context(), "bash", "-c", script).CombinedOutput()
	if want := "/home/runner /tmp, 150, 100\nafter\n"; err != nil || string(out) != want {
		t.Errorf("%v, printed %q, want %q", err, out, want)
	}
	got, err := os.ReadFile(written)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(f.Path("templates", "job-disk.sh"))
	if err != nil || string(got) != string(want) {
		t.Errorf("%v, another script was written:\n%s", err, got)
	}
	const limit = 16 << 10 // of EC2, for what is encoded
	if len(b) > limit {
		t.Errorf("the user data has %d bytes", len(b))
	}
}

func TestLinuxRunnersRefuse(t *testing.T) {
	t.Parallel()
	k := module.NewLinuxRunners()
	k.Disk = module.DiskTmpfs
	f := generate(t, k)
	f.Init()
	for name, tt := range map[string]struct{ variable, want string }{
		"no way to be":           {"root_throughput_mib_per_s=3000", "Rule: gp3-throughput-range"},
		"IOPS that do not carry": {"root_iops=3000\" -var=\"root_throughput_mib_per_s=1000", "Rule: gp3-throughput-ratio"},
		"a job that is too big":  {"job={written_gib=60,peak_memory_gib=8,minutes=5}", "does not fit into this type's memory"},
		"no swap":                {"zram_percent=0", "tmpfs_limit_percent = 100 or less"},
		"a directory with code":  {`tmpfs_directories=["/a'; rm -rf /"]`, "Write absolute paths"},
		"a name of AWS":          {"name=Runners", "lower-case letters, digits and single hyphens"},
		"a new type":             {"instance_type=m99a.large", "m99a.large is not in the table of"},
		"another architecture":   {"architecture=mips", "Write x86_64 or arm64."},
		"a limit of nothing":     {"tmpfs_limit_percent=0", "Write a whole number from 10 to 200."},
	} {
		args := []string{vpc}
		for v := range strings.SplitSeq(tt.variable, "\" -var=\"") {
			args = append(args, "-var="+v)
		}
		if got := said(f.PlanRefused(args...)); !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q is missing in %s", name, tt.want, got)
		}
	}
	// A type that is newer than the table is a warning where its architecture is known.
	if plan := f.Plan(vpc, "-var=instance_type=m99g.large", "-var=architecture=arm64"); !strings.Contains(said(plan.Result), "Rule: instance-unknown") ||
		!strings.Contains(string(plan.JSON), "/current/arm64/hvm/") {
		t.Error(plan)
	}
	// The same without a fault: the job of the published measurements.
	plan := f.Plan(vpc, "-var=job={written_gib=27,peak_memory_gib=8,minutes=5.65}")
	if plan.Warned() {
		t.Error(plan)
	}
	if got := plan.Content.PlannedValues.Outputs["memory_needed_gib"].Value; got != 23.5 {
		t.Errorf("memory_needed_gib is %v", got)
	}
}

// On a volume, a job that waits for it is a warning, with the way out.
func TestLinuxRunnersJudgeTheJob(t *testing.T) {
	t.Parallel()
	f := generate(t, module.NewLinuxRunners())
	f.Init()
	plan := f.Plan(vpc, "-var=job={peak_iops=3200,peak_throughput_mib_per_s=380,written_gib=27,peak_memory_gib=8,minutes=5.65}")
	if !strings.Contains(said(plan.Result), "Rule: job-volume-bound") || plan.Content.PlannedValues.Outputs["verdict"].Value != "tmpfs" {
		t.Error(plan)
	}
	// The job is judged with the IOPS that the guard fills in: 1,000 MiB/s take 4,000.
	if plan := f.Plan(vpc, "-var=root_throughput_mib_per_s=1000", "-var=job={peak_iops=3200,peak_throughput_mib_per_s=380,written_gib=27,peak_memory_gib=8,minutes=5.65}"); plan.Warned() || plan.Content.PlannedValues.Outputs["verdict"].Value != "keep" {
		t.Error(plan)
	}
	if plan := f.Plan(vpc, "-var=job={peak_iops=519,peak_throughput_mib_per_s=60,written_gib=3,peak_memory_gib=5,minutes=1.92}"); plan.Warned() || plan.Content.PlannedValues.Outputs["verdict"].Value != "keep" {
		t.Error(plan)
	}
}

func TestLinuxRunnersMatrix(t *testing.T) {
	matrix(t)
	t.Parallel()
	for name, change := range map[string]func(*module.LinuxRunners){
		"tmpfs":         func(k *module.LinuxRunners) { k.Disk = module.DiskTmpfs },
		"tmpfs on Arm":  func(k *module.LinuxRunners) { k.InstanceType, k.Disk = "r8g.xlarge", module.DiskTmpfs },
		"a fast volume": func(k *module.LinuxRunners) { k.ThroughputMiBPerS, k.RootSizeGiB = 1000, 200 },
		"a large type":  func(k *module.LinuxRunners) { k.InstanceType, k.ThroughputMiBPerS = "m8a.24xlarge", 2000 },
		"a small type":  func(k *module.LinuxRunners) { k.Name, k.InstanceType, k.RootSizeGiB = "ci", "t4g.small", 8 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := module.NewLinuxRunners()
			change(k)
			life(t, generate(t, k))
		})
	}
}
