package provider_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/prototest"
)

func TestParseRunnerLabel(t *testing.T) {
	tools(t, func(t *testing.T, p *prototest.Provider) {
		t.Helper()
		for argument, want := range map[string]map[string]any{
			`"runs-on=1/volume=80gb:gp3:1000mbs:3000iops"`: {
				"system": "runs-on", "settings.runs-on": "1", "settings.volume": "80gb:gp3:1000mibps:3000iops", "complete": true,
				"volume.size_gib": 80.0, "volume.type": "gp3", "volume.iops": 3000.0, "volume.throughput_mib_per_s": 1000.0,
				"findings[0].rule": "gp3-throughput-ratio", "findings[0].severity": "error", "findings[0].path": "volume.throughput_mib_per_s",
				"findings[0].fix": "Write 4000iops (+$5.00 a month), or 750mibps (-$10.00 a month).",
			},
			`"runs-on=1/volume=80gb"`: {"volume.size_gib": 80.0, "volume.type": nil, "volume.iops": nil, "volume.throughput_mib_per_s": nil},
			`"runs-on=1/memory=32"`: {
				"settings.memory": "32", "volume": nil, "findings[0].rule": "label-unknown-key", "findings[0].severity": "warning", "findings[0].fix": "Write ram=32, if that is what was meant.",
			},
			`"runs-on=1/spot=cop"`:                       {"findings[0].rule": "label-unknown-value", "findings[0].path": "spot", "findings[0].fix": "Write spot=co or spot=pco."},
			`"runs-on=1/disk=large"`:                     {"findings[0].rule": "label-disk-removed", "volume": nil},
			`"runs-on=1/extras=s3-cache+tmpfs"`:          {"extras[0]": "s3-cache", "extras[1]": "tmpfs"},
			`["runs-on=1", "cpu=4"]`:                     {"system": "runs-on", "settings.cpu": "4"},
			`"sprinters:aws:ubuntu-latest:temp=gp3/64"`:  {"system": "sprinters", "settings.image": "ubuntu-latest", "volume.size_gib": 64.0},
			`["linux", "ghr-ec2-ebs-iops:4000"]`:         {"system": "github-aws-runners", "settings.ebs-iops": "4000", "volume.iops": 4000.0},
			`"ubuntu-latest"`:                            {"system": "other", "volume": nil, "complete": true},
			`"$${{ matrix.runner }}"`:                    {"system": "unknown", "volume": nil, "complete": false},
			`"runs-on=1/volume=$${{ matrix.gb }}gb:gp3"`: {"settings.volume": "${{ matrix.gb }}gb:gp3", "volume.size_gib": nil, "volume.type": "gp3", "complete": false},
			`"runs-on=$${{ github.run_id }}/cpu=4"`:      {"settings.runs-on": "${{ github.run_id }}", "complete": true},
			`""`:                                         {"system": "unknown", "volume": nil, "complete": false, "findings[0].rule": "label-unreadable", "findings[0].message": "The label is empty: a runner label is text such as runs-on=1/cpu=4."},
			`"a\u0007b"`:                                 {"system": "unknown", "findings[0].message": "The label has a control character or a line break at character 2."},
			`"` + strings.Repeat("x", 1<<20) + `"`:       {"system": "unknown", "findings[0].message": "The label is too long: 1048576 bytes, where a runner label has at most 4096."},
			`[]`:                                         {"system": "unknown", "findings[0].rule": "label-unreadable"},
		} {
			name := argument[:min(len(argument), 60)]
			got, err := p.Eval("provider::runnerfit::parse_runner_label(" + argument + ")")
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			expect(t, func(path string) any { return prototest.Attr(t, got, path) }, want)
		}
		// A set has no order, and a runner label of several texts needs none.
		set, err := p.Call("parse_runner_label", cty.SetVal([]cty.Value{cty.StringVal("cpu=4"), cty.StringVal("runs-on=1")}))
		if err != nil {
			t.Fatal(err)
		}
		expect(t, func(path string) any { return prototest.Attr(t, set, path) }, map[string]any{"system": "runs-on", "settings.cpu": "4"})
		same, err := p.Eval(`provider::runnerfit::parse_runner_label("runs-on=1/volume=gp3:16000iops:80gb:1000mibps") == provider::runnerfit::parse_runner_label("runs-on=1/volume=80gb:gp3:1000mbs:16000iops")`)
		if err != nil || !same.True() {
			t.Errorf("the order of the parts makes a difference: %#v, %v", same, err)
		}
	})
}

func TestRunsOnLabel(t *testing.T) {
	tools(t, func(t *testing.T, p *prototest.Provider) {
		t.Helper()
		for argument, want := range map[string]string{
			`{}`: "runs-on=${{ github.run_id }}",
			`{ extras = ["tmpfs", "efs"], cpu = 4, family = "m8a", runs-on = "1" }`:                                  "runs-on=1/cpu=4/family=m8a/extras=tmpfs+efs",
			`{ runs_on = 1, nested_virt = true, cpu = [2, 8], ram = null }`:                                          "runs-on=1/cpu=2+8/nested-virt=true",
			`{ runs-on = "1", volume = { size_gib = 80, type = "gp3", throughput_mib_per_s = 750, iops = null } }`:   "runs-on=1/volume=80gb:gp3:750mibps",
			`{ runs-on = "1", sticky = { name = "go", size_gib = 20 } }`:                                             "runs-on=1/sticky=go:20gb",
			`{ runs-on = "1", volume = "4000iops:80gb:gp3:1000mbs" }`:                                                "runs-on=1/volume=80gb:gp3:1000mibps:4000iops",
			`provider::runnerfit::parse_runner_label("runs-on=1,spot=false,cpu=4").settings`:                         "runs-on=1/cpu=4/spot=false",
			`merge(provider::runnerfit::parse_runner_label("runs-on=1/family=m8a.xlarge").settings, { ram = "16" })`: "runs-on=1/ram=16/family=m8a.xlarge",
			`{ image = "$${{ matrix.image }}" }`:                                                                     "runs-on=${{ github.run_id }}/image=${{ matrix.image }}",
			`{ runs-on = "1", cpu = 0.5 }`:                                                                           "runs-on=1/cpu=0.5",
		} {
			got, err := p.Eval("provider::runnerfit::runs_on_label(" + argument + ")")
			if err != nil {
				t.Errorf("%s: %v", argument, err)
				continue
			}
			if got.AsString() != want {
				t.Errorf("%s\n got %s\nwant %s", argument, got.AsString(), want)
			}
		}
		got, err := p.Call("runs_on_label", cty.MapVal(map[string]cty.Value{"runs-on": cty.StringVal(""), "fleet": cty.StringVal("linux-small")}))
		if err != nil || got.AsString() != "runs-on/fleet=linux-small" {
			t.Errorf("a map: got %#v, %v", got, err)
		}
	})
}

func TestMigrateRunnerLabel(t *testing.T) {
	tools(t, func(t *testing.T, p *prototest.Provider) {
		t.Helper()
		got, err := p.Call("migrate_runner_label", cty.StringVal("runs-on=1/disk=large/spot=cop"))
		if err != nil || got.AsString() != "runs-on=1/volume=80gb:gp3:750mibps:4000iops/spot=cop" {
			t.Errorf("got %#v, %v", got, err)
		}
	})
}

func TestRunnerLabelErrors(t *testing.T) {
	tools(t, func(t *testing.T, p *prototest.Provider) {
		t.Helper()
		for expression, want := range map[string]string{
			`parse_runner_label(5)`:                                  "must be a text or a list of texts",
			`parse_runner_label([1, 2])`:                             "must be a text or a list of texts",
			`parse_runner_label({ a = "b" })`:                        "must be a text or a list of texts",
			`runs_on_label({ cpu = { size_gib = 4 } })`:              "only volume and sticky may be objects; every other setting is a text, a number, a boolean or a list of them",
			`runs_on_label({ ram = 0.00001 })`:                       "a number of a setting must be from 0 to 9007199254740992 with at most 3 decimals; write any other as a text",
			`runs_on_label("cpu=4")`:                                 "must be an object of settings",
			`runs_on_label(["cpu=4"])`:                               "must be an object of settings",
			`runs_on_label({ memory = 32 })`:                         "has a key that RunsOn does not know; the closest is ram",
			`runs_on_label({ disk = "large" })`:                      "disk is ignored by RunsOn v3; write volume, such as 80gb:gp3:750mibps:4000iops",
			`runs_on_label({ image = "a/b" })`:                       "image has a slash, which would end it in a label; several values are joined by +",
			`runs_on_label({ volume = "80" })`:                       "part 1 of volume is none of a size (80gb), a type (gp3), a throughput (750mibps) or IOPS (4000iops)",
			`runs_on_label({ volume = { size_gb = 80 } })`:           "a volume has a member that is not known; the closest is size_gib, all are name, size_gib, type, iops, throughput_mib_per_s",
			`runs_on_label({ cpu = [[4]] })`:                         "a setting must be a text, a number, a boolean or a list of them",
			`runs_on_label({ nested-virt = true, nested_virt = 1 })`: "nested-virt is given twice",
			`runs_on_label({ cpu = "" })`:                            "cpu has no value; leave it out instead",
			`migrate_runner_label("runs-on=1/disk=huge")`:            "has a disk that cannot be migrated: v2 knew the values default and large; write volume, such as volume=80gb:gp3:750mibps:4000iops",
			`migrate_runner_label("ubuntu-latest")`:                  "is not a RunsOn label: it starts with runs-on",
			`migrate_runner_label("")`:                               "is empty: a runner label is text such as runs-on=1/cpu=4",
		} {
			_, err := p.Eval("provider::runnerfit::" + expression)
			if err == nil {
				t.Errorf("%s is accepted", expression)
				continue
			}
			if text := strings.TrimPrefix(err.Error(), "argument 0: "); text != want {
				t.Errorf("%s\n got %s\nwant %s", expression, text, want)
			}
		}
	})
}

// The label of a job's disk, read by the function, is the option's volume.
func TestJobDiskLabels(t *testing.T) {
	p := prototest.New(t, factory())
	r := p.DataSource("runnerfit_job_disk").Read(dockerBuild("m8a.xlarge", ""))
	for it := r.State.GetAttr("options").ElementIterator(); it.Next(); {
		_, o := it.Element()
		label, err := p.Call("parse_runner_label", o.GetAttr("label"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"size_gib", "iops", "throughput_mib_per_s"} {
			if a, b := label.GetAttr("volume").GetAttr(name), o.GetAttr("volume").GetAttr(name); !a.RawEquals(b) {
				t.Errorf("%s: %s of the label is %#v, of the volume %#v", o.GetAttr("name").AsString(), name, a, b)
			}
		}
		if diff := cmp.Diff(label.GetAttr("settings").Index(cty.StringVal("family")).AsString(), o.GetAttr("instance_type").AsString()); diff != "" {
			t.Error(diff)
		}
	}
}
