package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/cli"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/output"
)

// enter makes a folder with files and works in it.
func enter(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, content := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func content(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

const faulty = `resource "aws_ebs_volume" "cache" {
  availability_zone = "us-east-1a"
  size              = 40
  type              = "gp3" # as everybody does
  throughput        = 1000
}
`

const legacyVolume = `resource "aws_ebs_volume" "old" {
  availability_zone = "us-east-1a"
  size              = 500
  type              = "gp2"
}
`

// audited runs an audit with JSON output.
func audited(t *testing.T, args ...string) (findings []map[string]any, stderr string, code int) {
	t.Helper()
	stdout, stderr, code := run(t, append([]string{"audit", "--format", "json"}, args...)...)
	var report struct {
		SchemaVersion int              `json:"schema_version"`
		Findings      []map[string]any `json:"findings"`
		Errors        []map[string]any `json:"errors"`
	}
	if err := json.Unmarshal([]byte(stdout), &report); err != nil || report.SchemaVersion != 1 {
		t.Fatalf("%v: %s %s", err, stdout, stderr)
	}
	return report.Findings, stderr, code
}

func TestAuditText(t *testing.T) {
	enter(t, map[string]string{"infra/main.tf": faulty})
	stdout, stderr, code := run(t, "audit", "infra")
	if code != cli.ExitFindings || stderr != "" {
		t.Errorf("exit %d, stderr %q", code, stderr)
	}
	const want = `Error: gp3 throughput needs more IOPS than it has

  on infra/main.tf line 5, in aws_ebs_volume.cache:
  5:   throughput        = 1000

1,000 MiB/s at 3,000 IOPS (what gp3 has when none are written) is a ratio of
0.333333 MiB/s per IOPS; EC2 refuses more than 0.25 when it creates the
volume, though a launch template accepts it.

Write iops = 4000 (+$5.00 a month), or throughput = 750 (-$10.00 a month).

Rule: gp3-throughput-ratio

1 error.
`
	if stdout != want {
		t.Errorf("got\n%s\nwant\n%s", stdout, want)
	}
}

func TestAuditExitCodes(t *testing.T) {
	enter(t, map[string]string{
		"bad/main.tf": faulty, "good/main.tf": strings.Replace(faulty, "1000", "750", 1), "old/main.tf": legacyVolume,
		"broken/a.tf": faulty, "broken/b.tf": "x = = 1\n", "none/README": "", "plan.json": `{"format_version":"1.2","resource_changes":[]`,
		"own.hcl": "fail_on = \"never\"\nignore_rules = { \"gp3-iops-unneeded\" = \"agreed\" }\n", "bad.hcl": "fail_on = \"often\"\n", "worse.hcl": "color = true\n",
		"reason.hcl": "ignore_rules = { \"gp3-iops-unneeded\" = \"\" }\n",
	})
	for name, tt := range map[string]struct {
		args []string
		code int
		says string // on stderr
	}{
		"error":                {[]string{"bad"}, cli.ExitFindings, ""},
		"silent":               {[]string{"good"}, cli.ExitOK, ""},
		"warning":              {[]string{"old"}, cli.ExitFindings, ""},
		"warning, errors only": {[]string{"old", "--fail-on", "error"}, cli.ExitOK, ""},
		"never":                {[]string{"bad", "--fail-on", "never"}, cli.ExitOK, ""},
		"ignored":              {[]string{"bad", "--ignore", "gp3-throughput-ratio=completed later"}, cli.ExitOK, ""},
		"ignored, no reason":   {[]string{"bad", "--ignore", "gp3-throughput-ratio"}, cli.ExitFailure, "needs a reason"},
		"ignored, no rule":     {[]string{"bad", "--ignore", "gp3-ratio=x"}, cli.ExitFailure, "no such rule"},
		"broken file":          {[]string{"broken"}, cli.ExitFailure, "1 file could not be checked"},
		"broken and never":     {[]string{"broken", "--fail-on", "never"}, cli.ExitFailure, "1 file could not be checked"},
		"no configuration":     {[]string{"none"}, cli.ExitFailure, "1 file could not be checked"},
		"no folder":            {[]string{"nowhere"}, cli.ExitFailure, "1 file could not be checked"},
		"cut plan":             {[]string{"plan.json"}, cli.ExitFailure, "1 file could not be checked"},
		"empty input":          {[]string{"-"}, cli.ExitFailure, "1 file could not be checked"},
		"one file":             {[]string{"bad/main.tf"}, cli.ExitFindings, ""},
		"file beside":          {[]string{"broken/a.tf"}, cli.ExitFailure, ""},
		"fix of a plan":        {[]string{"--fix", "-"}, cli.ExitFailure, "give folders"},
		"diff":                 {[]string{"bad", "--diff"}, cli.ExitFindings, ""},
		"diff as JSON":         {[]string{"bad", "--diff", "--format", "json"}, cli.ExitFailure, "leave --format out"},
		"no such format":       {[]string{"bad", "--format", "xml"}, cli.ExitFailure, "must be one of text, json"},
		"no such level":        {[]string{"bad", "--fail-on", "often"}, cli.ExitFailure, "--fail-on"},
		"no region":            {[]string{"bad", "--region", "Paris"}, cli.ExitFailure, "--region"},
		"configuration":        {[]string{"bad", "--config", "own.hcl"}, cli.ExitOK, ""},
		"flag counts for more": {[]string{"bad", "--config", "own.hcl", "--fail-on", "error"}, cli.ExitFindings, ""},
		"bad configuration":    {[]string{"bad", "--config", "bad.hcl"}, cli.ExitFailure, "fail_on: must be"},
		"unknown setting":      {[]string{"bad", "--config", "worse.hcl"}, cli.ExitFailure, "worse.hcl line 1"},
		"configured reason":    {[]string{"bad", "--config", "reason.hcl"}, cli.ExitFailure, "needs a reason"},
		"no baseline":          {[]string{"bad", "--baseline", "none.json"}, cli.ExitFailure, "--baseline none.json"},
		"not a baseline":       {[]string{"bad", "--baseline", "bad/main.tf"}, cli.ExitFailure, "no baseline"},
	} {
		t.Run(name, func(t *testing.T) {
			_, stderr, code := run(t, append([]string{"audit"}, tt.args...)...)
			if code != tt.code {
				t.Errorf("exit %d, want %d; %s", code, tt.code, stderr)
			}
			contains(t, stderr, tt.says)
		})
	}
}

// What cannot be read does not keep the rest from being checked.
func TestAuditBrokenFiles(t *testing.T) {
	enter(t, map[string]string{"a/a.tf": faulty, "a/b.tf": "x = = 1\n", "c.json": "{"})
	stdout, _, code := run(t, "audit", "a", "c.json")
	if code != cli.ExitFailure {
		t.Errorf("exit %d", code)
	}
	contains(t, stdout, "on a/a.tf line 5", "on a/b.tf line 1", "on c.json line 1", "1 error, 2 files not checked.")
}

// Of a setting that is there twice nobody knows which one is meant.
func TestAuditDuplicates(t *testing.T) {
	enter(t, map[string]string{"main.tf.json": `{"resource":{"aws_ebs_volume":{"v":{"size":100,"type":"gp3","throughput":500,
  "throughput":2500}}}}`})
	stdout, _, code := run(t, "audit", "--fix")
	if code != cli.ExitFailure {
		t.Errorf("exit %d", code)
	}
	contains(t, stdout, "on main.tf.json line 2", "Duplicate argument.")
}

// A figure that is beyond what a double holds is out of range all the same.
func TestAuditHugeFigures(t *testing.T) {
	plan := func(throughput string) string {
		return `{"format_version":"1.2","resource_changes":[{"address":"aws_ebs_volume.v","mode":"managed","type":"aws_ebs_volume","name":"v","change":{"actions":["create"],"before":null,"after":{"size":100,"type":"gp3","throughput":` + throughput + `},"after_unknown":{},"after_sensitive":{}}}]}`
	}
	enter(t, map[string]string{
		"a.json": plan("1e400"), "b.json": plan("1e400000000"), "c.json": plan("-1.5E+400000000"), "d/main.tf.json": `{"resource":{"aws_ebs_volume":{"v":{"size":100,"type":"gp3","throughput":1e400}}}}`,
	})
	for _, name := range []string{"a.json", "b.json", "c.json", "d"} {
		got, _, code := audited(t, name)
		if code != cli.ExitFindings || !slices.ContainsFunc(got, func(f map[string]any) bool { return f["rule"] == "gp3-throughput-range" && f["severity"] == "error" }) {
			t.Errorf("%s: exit %d, %v", name, code, got)
		}
	}
}

func TestAuditConfigFileIsFound(t *testing.T) {
	enter(t, map[string]string{
		"infra/main.tf": faulty, ".git/HEAD": "", ".runnerfit.hcl": "ignore_rules = { \"gp3-throughput-ratio\" = \"completed later\" }\nregion = \"eu-central-1\"\nprices {\n  gp3_iops_month_usd = 1\n}\n",
	})
	t.Chdir("infra")
	if _, stderr, code := run(t, "audit"); code != cli.ExitOK {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

func TestAuditBaseline(t *testing.T) {
	enter(t, map[string]string{"main.tf": faulty})
	if _, stderr, code := run(t, "audit", "--baseline", "known.json", "--write-baseline"); code != cli.ExitOK || !strings.Contains(stderr, "known.json: 1 finding") {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	first := content(t, "known.json")
	if got, _, code := audited(t, "--baseline", "known.json"); len(got) != 0 || code != cli.ExitOK {
		t.Errorf("known findings are shown: %v", got)
	}
	// The same fault on another line is known; another fault is not.
	if err := os.WriteFile("main.tf", []byte("# moved\n\n"+faulty+legacyVolume), 0o600); err != nil {
		t.Fatal(err)
	}
	got, _, code := audited(t, "--baseline", "known.json")
	if len(got) != 1 || got[0]["rule"] != "volume-type-legacy" || code != cli.ExitFindings {
		t.Errorf("exit %d: %v", code, got)
	}
	if err := os.WriteFile("main.tf", []byte(faulty), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, code := run(t, "audit", "--baseline", "known.json", "--write-baseline"); code != cli.ExitOK || content(t, "known.json") != first {
		t.Error("writing it again changes it")
	}
}

// A block that is put above a known one is new, and the known one stays known.
func TestAuditBaselineKnowsDevices(t *testing.T) {
	mapping := func(device string) string {
		return "  block_device_mappings {\n    device_name = \"" + device + "\"\n    ebs {\n      volume_type = \"gp3\"\n      volume_size = 40\n      throughput  = 1000\n    }\n  }\n"
	}
	template := func(mappings ...string) string {
		return "resource \"aws_launch_template\" \"t\" {\n" + strings.Join(mappings, "") + "}\n"
	}
	enter(t, map[string]string{"main.tf": template(mapping("/dev/sda1"))})
	if _, stderr, code := run(t, "audit", "--baseline", "known.json", "--write-baseline"); code != cli.ExitOK {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	contains(t, content(t, "known.json"), `"path": "block_device_mappings[\"/dev/sda1\"].ebs.throughput"`)
	for name, mappings := range map[string][]string{"above": {mapping("/dev/sdz"), mapping("/dev/sda1")}, "instead": {mapping("/dev/sdz")}} {
		if err := os.WriteFile("main.tf", []byte(template(mappings...)), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, _, code := audited(t, "--baseline", "known.json"); len(got) != 1 || got[0]["line"] != 7.0 || code != cli.ExitFindings {
			t.Errorf("%s: exit %d, %v", name, code, got)
		}
	}
}

// Names of files are relative to the working folder, however they are written.
func TestAuditBaselinePaths(t *testing.T) {
	enter(t, map[string]string{"infra/main.tf": faulty, "ci/x.txt": ""})
	if _, stderr, code := run(t, "audit", "infra", "--baseline", "ci/known.json", "--write-baseline"); code != cli.ExitOK {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	contains(t, content(t, "ci/known.json"), `"file": "infra/main.tf"`)
	for _, args := range [][]string{{"infra"}, {"./infra/"}, {"infra/main.tf"}, {"."}} {
		if got, _, code := audited(t, append(args, "--baseline", "./ci/known.json")...); len(got) != 0 || code != cli.ExitOK {
			t.Errorf("%v: exit %d, %v", args, code, got)
		}
	}
}

func TestAuditFix(t *testing.T) {
	for name, tt := range map[string]struct {
		file, want string // name "main.tf" unless JSON
		json       bool
		left       int
		says       string
	}{
		"literal, with comments": {
			file: strings.Replace(faulty, "  throughput", "  iops              = 3000 // free\n  throughput", 1),
			want: strings.Replace(faulty, "  throughput", "  iops              = 4000 // free\n  throughput", 1),
		},
		"left out":            {file: faulty, want: faulty[:len(faulty)-2] + "  iops              = 4000\n}\n"},
		"type and throughput": {file: legacyVolume, want: strings.Replace(legacyVolume, "\"gp2\"\n", "\"gp3\"\n  throughput        = 250\n", 1)},
		"Windows line ends":   {file: strings.ReplaceAll(faulty, "\n", "\r\n"), want: strings.ReplaceAll(faulty[:len(faulty)-2]+"  iops              = 4000\n}\n", "\n", "\r\n")},
		"byte order mark":     {file: "\uFEFF" + faulty, want: "\uFEFF" + faulty[:len(faulty)-2] + "  iops              = 4000\n}\n"},
		"text":                {file: strings.Replace(faulty, "1000\n", "\"1000\"\n  iops = \"3000\"\n", 1), want: strings.Replace(faulty, "1000\n", "\"1000\"\n  iops = \"4000\"\n", 1)},
		"JSON": {
			json: true,
			file: `{"resource":{"aws_ebs_volume":{"v":{"type":"gp3","size":40,"iops":3000,"throughput":1000}}}}`,
			want: `{"resource":{"aws_ebs_volume":{"v":{"type":"gp3","size":40,"iops":4000,"throughput":1000}}}}`,
		},
		"no literal": {
			file: strings.Replace(faulty, "1000", "var.t", 1) + "variable \"t\" {\n  default = 1000\n}\n",
			want: strings.Replace(faulty, "1000", "var.t", 1) + "variable \"t\" {\n  default = 1000\n}\n",
			left: 1, says: "throughput is no literal; its value comes from var.t (main.tf line 8)",
		},
		"all instances of a block": {
			file: strings.Replace(faulty, "{\n", "{\n  count             = 3\n", 1),
			want: strings.Replace(faulty[:len(faulty)-2]+"  iops              = 4000\n}\n", "{\n", "{\n  count             = 3\n", 1),
		},
		"two rounds": { // the throughput is above the range, and then above the ratio
			file: strings.Replace(faulty, "1000", "9000", 1), want: strings.Replace(faulty, "1000", "2000", 1)[:len(faulty)-2] + "  iops              = 8000\n}\n",
		},
		"throughput without a type": { // what is written stays
			file: "resource \"aws_ebs_volume\" \"v\" {\n  availability_zone = \"us-east-1a\"\n  size              = 500\n  throughput        = 400\n}\n",
			want: "resource \"aws_ebs_volume\" \"v\" {\n  availability_zone = \"us-east-1a\"\n  size              = 500\n  throughput        = 400\n  type              = \"gp3\"\n}\n",
		},
		"more than the instance moves": { // no IOPS are raised for what comes off afterwards
			file: instanceVolume("900"), want: instanceVolume("566"),
		},
		"more than any of the instances moves": {
			file: sharedTemplate("1000"), want: sharedTemplate("566"),
		},
		"IOPS below what the throughput needs": {
			file: strings.Replace(faulty, "  throughput", "  iops              = 200\n  throughput", 1),
			want: strings.Replace(faulty, "  throughput", "  iops              = 4000\n  throughput", 1),
		},
		"in parentheses": {
			file: strings.Replace(faulty, "  throughput        = 1000", "  iops              = (3000)\n  throughput        = (1000)", 1),
			want: strings.Replace(faulty, "  throughput        = 1000", "  iops              = (4000)\n  throughput        = (1000)", 1),
		},
		"Mac device": {
			file: "resource \"aws_launch_template\" \"m\" {\n  instance_type = \"mac2.metal\"\n  block_device_mappings {\n    device_name = \"/dev/xvda\"\n    ebs {\n      volume_size = 100\n      volume_type = \"gp3\"\n      throughput  = 750\n    }\n  }\n}\n",
			want: "resource \"aws_launch_template\" \"m\" {\n  instance_type = \"mac2.metal\"\n  block_device_mappings {\n    device_name = \"/dev/sda1\"\n    ebs {\n      volume_size = 100\n      volume_type = \"gp3\"\n      throughput  = 750\n    }\n  }\n}\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			file := "main.tf"
			if tt.json {
				file += ".json"
			}
			enter(t, map[string]string{file: tt.file})
			stdout, _, _ := run(t, "audit", "--diff")
			if content(t, file) != tt.file {
				t.Error("--diff alone writes")
			}
			if (tt.file != tt.want) != strings.Contains(stdout, "+++ b/"+file) {
				t.Errorf("the diff: %s", stdout)
			}
			_, stderr, _ := audited(t, "--fix")
			if got := content(t, file); got != tt.want {
				t.Errorf("got\n%q\nwant\n%q\n%s", got, tt.want, stderr)
			}
			contains(t, stderr, tt.says)
			left, _, _ := audited(t, "--fail-on", "never")
			for _, f := range left {
				if f["severity"] != "info" {
					tt.left--
				}
			}
			if tt.left != 0 {
				t.Errorf("left are %v", left)
			}
			audited(t, "--fix")
			if content(t, file) != tt.want {
				t.Error("a second --fix changes it again")
			}
		})
	}
}

func instanceVolume(throughput string) string {
	return "resource \"aws_instance\" \"i\" {\n  instance_type = \"m5.large\"\n  root_block_device {\n    volume_type = \"gp3\"\n    volume_size = 100\n    throughput  = " + throughput + "\n  }\n}\n"
}

// sharedTemplate is launched as two types, of which neither moves much.
func sharedTemplate(throughput string) string {
	return "resource \"aws_launch_template\" \"t\" {\n  block_device_mappings {\n    device_name = \"/dev/xvda\"\n    ebs {\n      volume_type = \"gp3\"\n      volume_size = 100\n      throughput  = " + throughput + "\n    }\n  }\n}\n" +
		"resource \"aws_autoscaling_group\" \"g\" {\n  min_size = 0\n  max_size = 1\n  mixed_instances_policy {\n    launch_template {\n      launch_template_specification {\n        launch_template_id = aws_launch_template.t.id\n      }\n" +
		"      override {\n        instance_type = \"c5.large\"\n      }\n      override {\n        instance_type = \"m5.large\"\n      }\n    }\n  }\n}\n"
}

// patch takes a diff, which shows what block a change is in.
func TestAuditDiffIsAPatch(t *testing.T) {
	enter(t, map[string]string{"main.tf": faulty})
	stdout, _, _ := run(t, "audit", "--diff")
	const want = `--- a/main.tf
+++ b/main.tf
@@ -5,0 +6 @@ resource "aws_ebs_volume" "cache"
+  iops              = 4000
`
	if stdout != want {
		t.Errorf("got\n%s\nwant\n%s", stdout, want)
	}
	patch, err := exec.LookPath("patch")
	if err != nil {
		t.Skip("patch is not installed")
	}
	c := exec.Command(patch, "-p1")
	c.Stdin = strings.NewReader(stdout)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("patch: %v\n%s", err, out)
	}
	patched := content(t, "main.tf")
	enter(t, map[string]string{"main.tf": faulty})
	if run(t, "audit", "--fix"); content(t, "main.tf") != patched {
		t.Errorf("the diff gives\n%s\nand --fix\n%s", patched, content(t, "main.tf"))
	}
}

// Names with spaces and quotes stand in a diff as git and patch read them.
func TestAuditDiffOfOddNames(t *testing.T) {
	enter(t, map[string]string{"sp ace/main.tf": faulty, `qu"ote/main.tf`: faulty})
	stdout, _, _ := run(t, "audit", "--diff")
	contains(t, stdout, "--- a/sp ace/main.tf\t\n+++ b/sp ace/main.tf\t\n", `--- "a/qu\"ote/main.tf"`+"\n"+`+++ "b/qu\"ote/main.tf"`+"\n")
	patch, err := exec.LookPath("patch")
	if err != nil {
		t.Skip("patch is not installed")
	}
	c := exec.Command(patch, "-p1")
	c.Stdin = strings.NewReader(stdout)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("patch: %v\n%s", err, out)
	}
	for _, name := range []string{"sp ace/main.tf", `qu"ote/main.tf`} {
		contains(t, content(t, name), "iops              = 4000")
	}
}

// A diff shows what changes and nothing beside it.
func TestAuditDiffShowsNoNeighbours(t *testing.T) {
	oneLine := fmt.Sprintf(`{"resource":{"aws_ebs_volume":{"v":{"tags":{"x":"%s"},"type":"gp3","size":40,"iops":3000,"throughput":1000}}}}`, secret)
	beside := strings.Replace(faulty, "  throughput", "  tags = { a = \""+secret+"\" }\n  throughput", 1)
	beside = strings.Replace(beside, "  size ", "  iops              = 3000\n  outpost_arn       = \""+secret+"\"\n  size ", 1)
	enter(t, map[string]string{"a/main.tf.json": oneLine, "b/main.tf": beside})
	stdout, stderr, _ := run(t, "audit", "--diff")
	contains(t, stderr, "a/main.tf.json: a line of its diff is not shown, so it cannot be applied; --fix writes the change")
	if strings.Contains(stderr, "b/main.tf") {
		t.Errorf("a whole diff is said to be none: %s", stderr)
	}
	if strings.Contains(stdout, secret) {
		t.Errorf("the diff has a secret:\n%s", stdout)
	}
	contains(t, stdout, "+++ b/a/main.tf.json", "+(a line that holds more than the setting is not shown)", "+  iops              = 4000")
}

// A module outside of what was named is read and not changed.
func TestAuditFixStaysInside(t *testing.T) {
	called := strings.Replace(faulty, "1000", "1000\n  iops = 3000", 1)
	enter(t, map[string]string{"live/main.tf": "module \"m\" {\n  source = \"../modules/m\"\n}\n", "modules/m/main.tf": called})
	_, stderr, code := run(t, "audit", "--fix", "live")
	if code != cli.ExitFindings || content(t, "modules/m/main.tf") != called {
		t.Errorf("exit %d, and the module is\n%s", code, content(t, "modules/m/main.tf"))
	}
	contains(t, stderr, "modules/m/main.tf:5: gp3-throughput-ratio is not changed: it is in a module outside of the paths that are to be fixed")
	if _, stderr, code := run(t, "audit", "--fix", "live", "modules"); code != cli.ExitOK {
		t.Errorf("exit %d: %s", code, stderr)
	}
	contains(t, content(t, "modules/m/main.tf"), "iops = 4000")
}

// A file that is not to be written is left alone, and so is one that is linked.
func TestAuditFixKeepsLinks(t *testing.T) {
	enter(t, map[string]string{"elsewhere/v.txt": faulty, "a/x.md": ""})
	if err := os.Symlink("../elsewhere/v.txt", "a/main.tf"); err != nil {
		t.Skip(err)
	}
	if _, stderr, code := run(t, "audit", "--fix", "a"); code != cli.ExitOK {
		t.Errorf("exit %d: %s", code, stderr)
	}
	if info, err := os.Lstat("a/main.tf"); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced by a file")
	}
	contains(t, content(t, "elsewhere/v.txt"), "iops              = 4000")
}

// secrets are what must not be in any output.
const secret = "S3CR3T-MARKER"

// A plan holds secrets in the clear; none of them reaches an output, not even
// beside a finding.
func TestAuditPrintsNoSecrets(t *testing.T) {
	planned := fmt.Sprintf(`{"format_version":"1.2","variables":{"p":{"value":"%[1]s"}},"planned_values":{"outputs":{"x":{"sensitive":true,"value":"%[1]s"}}},"resource_changes":[
{"address":"aws_instance.i","mode":"managed","type":"aws_instance","name":"i","change":{"actions":["create"],"before":null,"after":{"instance_type":"mac2.metal","user_data":"%[1]s","tags":{"Name":"%[1]s"},"tags_all":{"x":"%[1]s"},"get_password_data":true,"password_data":"%[1]s",
 "root_block_device":[{"volume_type":"gp3","volume_size":60,"throughput":1000,"iops":3000,"kms_key_id":"%[1]s","tags":{"a":"%[1]s"}}],
 "ebs_block_device":[{"device_name":"%[1]s","volume_type":"%[1]s","volume_size":1,"iops":1}],"availability_zone":"%[1]s","host_id":"%[1]s"},
 "after_unknown":{},"after_sensitive":{"user_data":true,"tags":{"Name":true},"host_id":true}}},
{"address":"aws_ebs_volume.v","mode":"managed","type":"aws_ebs_volume","name":"v","change":{"actions":["create"],"before":null,"after":{"size":40,"type":"gp3","throughput":987,"iops":3000},"after_unknown":{},"after_sensitive":{"throughput":true}}},
{"address":"aws_db_instance.d","mode":"managed","type":"aws_db_instance","name":"d","change":{"actions":["create"],"before":null,"after":{"password":"%[1]s","storage_type":"gp3","iops":3000},"after_unknown":{},"after_sensitive":{"password":true}}}
],"configuration":{"root_module":{"resources":[{"address":"aws_instance.i","mode":"managed","type":"aws_instance","name":"i","expressions":{"user_data":{"constant_value":"%[1]s"},"instance_type":{"constant_value":"mac2.metal"}}}]}}}`, secret)
	configured := fmt.Sprintf(`variable "password" {
  default   = "%[1]s"
  sensitive = true
}
variable "iops" {
  default   = 987654
  sensitive = true
}
resource "aws_instance" "i" {
  instance_type = "mac2.metal"
  user_data     = "%[1]s"
  tags          = { Name = "%[1]s" }
  root_block_device {
    volume_type = "gp3"
    volume_size = 60
    throughput  = 1000
  }
  ebs_block_device {
    device_name = "%[1]s"
    volume_type = var.password
    volume_size = 40
    iops        = var.iops
  }
}
`, secret)
	oneLine := fmt.Sprintf(`{"resource":{"aws_ebs_volume":{"v":{"tags":{"x":"%s"},"type":"gp3","size":40,"throughput":1000}}}}`, secret)
	enter(t, map[string]string{"plan.json": planned, "a/main.tf": configured, "b/main.tf.json": oneLine, "c/main.tf": "x = \"" + secret + "\" = 1\n", "d/main.tf.json": `{"resource": "` + secret + `"`})
	for _, format := range output.Names() {
		for _, args := range [][]string{{"plan.json"}, {"a"}, {"b"}, {"c"}, {"d"}, {"plan.json", "a", "b", "c", "d"}} {
			stdout, stderr, code := run(t, append([]string{"audit", "--format", format}, args...)...)
			if strings.Contains(stdout+stderr, secret) || strings.Contains(stdout+stderr, "987") {
				t.Errorf("%s %v prints a secret:\n%s%s", format, args, stdout, stderr)
			}
			if code == cli.ExitOK {
				t.Errorf("%s %v finds nothing", format, args)
			}
		}
	}
	if _, _, code := run(t, "audit", "--write-baseline", "plan.json", "a", "b"); code != cli.ExitOK || strings.Contains(content(t, ".runnerfit-baseline.json"), secret) {
		t.Error("the baseline has a secret")
	}
}

func TestAuditStandardInput(t *testing.T) {
	var out, errs bytes.Buffer
	text := `{"format_version":"1.2","resource_changes":[{"address":"module.m.aws_ebs_volume.v[\"a\"]","module_address":"module.m","mode":"managed","type":"aws_ebs_volume","name":"v","index":"a","change":{"actions":["create"],"before":null,"after":{"size":40,"type":"gp3","iops":3000,"throughput":1000},"after_unknown":{},"after_sensitive":{}}}],"complete":false,"errored":false}`
	if code := cli.Run(t.Context(), "1.2.3", []string{"audit", "-"}, strings.NewReader(text), &out, &errs); code != cli.ExitFindings {
		t.Errorf("exit %d", code)
	}
	contains(t, out.String(), "on <stdin>, in module.m.aws_ebs_volume.v[\"a\"]", "gp3-throughput-ratio")
	contains(t, errs.String(), "The plan is not complete")
}
