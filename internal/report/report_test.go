package report_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/audit"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/output"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/plan"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/report"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/rulebook"
)

var update = flag.Bool("update", false, "write the golden files anew")

// inputs are what pages are made of in tests: a folder with everything in it, a
// real plan of examples/mac-fleet, and nothing.
var inputs = []string{"fleets", "plan.json", "empty"}

// read reads an input of testdata.
func read(t *testing.T, name string) report.Input {
	t.Helper()
	in := report.Input{Source: name, Version: "test", Rules: rulebook.Registry(), Audit: audit.Options{Catalog: catalog.Embedded()}}
	path := filepath.Join("testdata", name)
	if filepath.Ext(name) == ".json" {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.Close() }()
		d, err := plan.ReadJSON(f, name)
		if err != nil {
			t.Fatal(err)
		}
		in.Configurations = []*plan.Configuration{d.Configuration}
		return in
	}
	folders, err := plan.ReadFolders(t.Context(), []string{path}, plan.Options{})
	if err != nil || len(folders.Problems) > 0 {
		t.Fatal(err, folders.Problems)
	}
	in.Configurations = folders.Roots
	return in
}

// folder reads a configuration that a test writes.
func folder(t *testing.T, source string) report.Input {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	folders, err := plan.ReadFolders(t.Context(), []string{dir}, plan.Options{})
	if err != nil || len(folders.Problems) > 0 {
		t.Fatal(err, folders.Problems)
	}
	return report.Input{Source: "x", Version: "test", Rules: rulebook.Registry(), Audit: audit.Options{Catalog: catalog.Embedded()}, Configurations: folders.Roots}
}

func page(t *testing.T, in report.Input) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.Build(in).HTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// text is what a page says: no markup, no style, one space between words.
func text(page string) string {
	for _, re := range []string{`(?s)<style>.*?</style>`, `<[^>]*>`} {
		page = regexp.MustCompile(re).ReplaceAllString(page, " ")
	}
	page = strings.NewReplacer("&#39;", "'", "&#34;", `"`, "&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(page)
	return strings.Join(strings.Fields(page), " ")
}

func TestGolden(t *testing.T) {
	for _, name := range inputs {
		t.Run(name, func(t *testing.T) {
			got := page(t, read(t, name))
			golden := filepath.Join("testdata", strings.TrimSuffix(name, ".json")+".html")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); d != "" {
				t.Errorf("the page differs from %s; look at it, and write it anew with -update:\n%s", golden, d)
			}
			if again := page(t, read(t, name)); again != got {
				t.Error("the same input gives another page")
			}
		})
	}
}

// Names are escaped wherever they stand: in text, attributes and pictures.
func TestNamesAreEscaped(t *testing.T) {
	got := page(t, read(t, "fleets"))
	if !strings.Contains(got, "&lt;script&gt;alert(1)") {
		t.Error("the hostile name is not on the page")
	}
	for _, bad := range []string{"<script", "alert(1)</script>", `"&'`} {
		if strings.Contains(got, bad) {
			t.Errorf("the page has %s", bad)
		}
	}
	in := read(t, "empty")
	in.Source, in.Date, in.Version = `<img src=x onerror="a()">`, "<b>", `"><i>`
	in.Notes, in.Problems = []string{"<u>"}, []output.Problem{{File: "<s>", Message: "<q>"}}
	got = page(t, in)
	for _, bad := range []string{"<img", "<b>", "<i>", "<u>", "<s>", "<q>"} {
		if strings.Contains(got, bad) {
			t.Errorf("the page has %s", bad)
		}
	}
}

// What is planted as user data, tags and sensitive values is in the inputs, and
// not on the pages.
func TestNothingSensitive(t *testing.T) {
	for name, source := range map[string]string{"plan.json": "plan.json", "fleets": "fleets/main.tf"} {
		b, err := os.ReadFile(filepath.Join("testdata", source))
		if err != nil || !bytes.Contains(b, []byte("PLANTED")) {
			t.Fatalf("nothing is planted in %s: %v", source, err)
		}
		if strings.Contains(page(t, read(t, name)), "PLANTED") {
			t.Errorf("the page of %s has what was planted", name)
		}
	}
}

// A page asks for nothing beside itself.
func TestSelfContained(t *testing.T) {
	for _, name := range inputs {
		got := page(t, read(t, name))
		for _, re := range []string{`<script`, `<link[^>]*href="[^d]`, `src=`, `@import`, `url\(`, `https?://`, `\son[a-z]+=`} {
			if m := regexp.MustCompile(re).FindString(got); m != "" {
				t.Errorf("%s: %q", name, m)
			}
		}
	}
}

// The figures are those of the models and rules.
func TestWhatIsSaid(t *testing.T) {
	tests := map[string]struct {
		in   func(t *testing.T) report.Input
		want []string
		not  []string
	}{
		"plan": {
			in: func(t *testing.T) report.Input { t.Helper(); return read(t, "plan.json") },
			want: []string{
				"boot to downloads 0 s 36 s root volume's throughput", "image pull 36 s 249.5 s pull pipelines", "allowed 600 s",
				"All 4 instances: $724.00 a month now", "now 750 786.43 3,000 $33.00", "mac2-m2pro.metal at most 953.67 1,000 55,000",
				"together 1,450 1,520.44 19,000", "2 launches a day fail, as runnerfit_mac_host_pool.hosts says.", "4 hosts cost $4,555.20", "quota: 10 hosts",
				"instance: 953.67 MiB/s = 1,000 MB/s",
			},
			not: []string{"A scenario"},
		},
		"folder": {
			in: func(t *testing.T) report.Input { t.Helper(); return read(t, "fleets") },
			want: []string{
				// Without a guard nobody says what is pulled.
				"113 s, then the image pull", "Only the boot is drawn", "A scenario: it is drawn what happens if 2 launches a day fail",
				"quota of hosts is not known here",
				// With one, all is said, and what becomes of it.
				"ready after 366.5 s", "ready after 289.5 s", "allowed: 300 s", "125 → 750",
				"Every launch fails, because the host is ready only after the time that it is allowed.",
				"The same for 2 other objects", "Nothing here attaches it to an instance",
				"3,000 → 4,000",
			},
			not: []string{"instance-shared-budget"},
		},
		"empty": {
			in:   func(t *testing.T) report.Input { t.Helper(); return read(t, "empty") },
			want: []string{"Nothing is read here that launches instances or has volumes", "0 errors"},
			not:  []string{"a month for volumes"},
		},
		"odd": {
			in: func(t *testing.T) report.Input { t.Helper(); return read(t, "odd") },
			want: []string{
				"Not judged.", "m8a.xlarge is not an EC2 Mac", "Some of what the rules look at is not known here",
				"The start-up is not predicted: the throughput of the root volume is not known.",
				"8 volumes are drawn; 4 more are in the table only.", "The hosts are not drawn",
			},
			not: []string{"NaN", "Inf", "1e+"},
		},
		"unknown settings are not zero": {
			in: func(t *testing.T) report.Input {
				t.Helper()
				return folder(t, `
variable "size" {}
resource "aws_instance" "x" {
  instance_type = "m8a.xlarge"
  root_block_device {
    volume_type = "gp3"
    volume_size = var.size
    throughput  = var.size
  }
}`)
			},
			want: []string{"root gp3 not known 3,000 not known not known not known", "its size or its setting is not known here"},
			not:  []string{"$0.00", "a month for volumes"},
		},
		"unknown type": {
			in: func(t *testing.T) report.Input {
				t.Helper()
				return folder(t, `
variable "type" {}
resource "aws_instance" "x" {
  instance_type = var.type
  root_block_device {
    volume_type = "gp3"
    volume_size = 100
  }
}`)
			},
			want: []string{"there is no ceiling to compare with", "now 125 131.07 3,000 $8.00"},
			not:  []string{"The shared budget", "instance: "},
		},
		"unknown region": {
			in: func(t *testing.T) report.Input {
				t.Helper()
				return folder(t, `
resource "aws_ebs_volume" "x" {
  availability_zone = "xx-nowhere-1a"
  type              = "gp3"
  size              = 100
}`)
			},
			want: []string{"Prices are not known", "gp3 100 GiB 3,000 125 not known not known"},
			not:  []string{"$0.00"},
		},
		"impossible settings": {
			in: func(t *testing.T) report.Input {
				t.Helper()
				return folder(t, `
resource "aws_ebs_volume" "x" {
  availability_zone = "us-east-1a"
  type              = "gp3"
  size              = 1
  iops              = 999999999
  throughput        = -5
}`)
			},
			want: []string{"gp3 IOPS are outside AWS's limits"},
		},
		"state of a host pool that scales to nothing": {
			in: func(t *testing.T) report.Input {
				t.Helper()
				return folder(t, `
resource "runnerfit_mac_host_pool" "x" {
  instance_type      = "mac2.metal"
  desired_hosts      = 0
  max_hosts          = 3
  auto_release_hosts = false
}`)
			},
			want: []string{"A scenario", "quota: 3 hosts"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := text(page(t, test.in(t)))
			for _, w := range test.want {
				if !strings.Contains(got, w) {
					t.Errorf("the page does not say %q", w)
				}
			}
			for _, w := range test.not {
				if strings.Contains(got, w) {
					t.Errorf("the page says %q", w)
				}
			}
			if t.Failed() {
				t.Log(got)
			}
		})
	}
}

// The fixes that the page counts with are those of the findings: once they are
// written, no error and no warning with a single right value is left.
func TestAfterTheFixes(t *testing.T) {
	in := read(t, "fleets")
	report.Build(in)
	for _, c := range in.Configurations {
		for _, f := range audit.Run(c, in.Audit) {
			if f.Severity >= finding.Warning && f.Apply() != nil {
				t.Errorf("%s of %s is still there", f.Rule, f.Address)
			}
		}
	}
}
