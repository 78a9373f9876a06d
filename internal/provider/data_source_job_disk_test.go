package provider_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/prototest"
)

// dockerBuild is the published Docker build on a runner's default volume, with
// more lines of configuration.
func dockerBuild(instanceType, more string) string {
	return `instance_type = "` + instanceType + `"
volume {
  size_gib             = 40
  iops                 = 3000
  throughput_mib_per_s = 400
}
peak_iops                 = 3250
peak_throughput_mib_per_s = 300
written_gib               = 27
peak_memory_gib           = 4
minutes                   = 9.0833
` + more
}

// fastBuild is the same build on 16,000 IOPS.
func fastBuild(minutes string) string {
	return strings.NewReplacer(
		"40", "80", "= 3000\n", "= 16000\n", "= 400\n", "= 1000\n", "3250", "12200", "= 300\n", "= 200\n", "9.0833", minutes,
	).Replace(dockerBuild("m8a.2xlarge", "hourly_price_usd = 0.138"))
}

func TestJobDisk(t *testing.T) {
	p := prototest.New(t, factory())
	for name, tc := range map[string]struct {
		provider, config string
		want             map[string]any
		said             []string
	}{
		"more memory, tried once": {
			config: dockerBuild("m8a.xlarge", "overhead_minutes = 1.7\n hourly_price_usd = 0.105\n measured_minutes = { tmpfs-more-memory = 5.0333 }"),
			want: map[string]any{
				"verdict": "tmpfs-more-memory", "bound_by": "volume-iops", "memory_needed_gib": 19.5,
				"label":           "runs-on=${{ github.run_id }}/family=r8a.xlarge/volume=40gb:gp3:400mibps:3000iops/extras=tmpfs",
				"options[0].name": "tmpfs-more-memory", "options[0].instance_type": "r8a.xlarge", "options[0].cost_per_job_usd": 0.0140,
				"options[0].minutes": 5.0333, "options[0].minutes_assumed": false, "options[0].fits": true, "options[0].volume.iops": 3000.0,
				"options[1].name": "faster-volume", "options[1].fits": nil, "options[1].minutes_assumed": true, "options[1].volume.iops": 6000.0,
				"options[2].name": "keep", "options[2].fits": false, "options[2].minutes_assumed": false,
				"options[3].name": "tmpfs", "options[3].fits": false,
			},
			said: []string{"warning instance_type job-tmpfs-memory", "warning volume.iops job-volume-bound"},
		},
		"tmpfs on the same instance": {
			config: dockerBuild("m8a.2xlarge", "overhead_minutes = 1.7\n hourly_price_usd = 0.138\n measured_minutes = { tmpfs = 3.9 }"),
			want:   map[string]any{"verdict": "tmpfs", "options[0].name": "tmpfs", "options[0].cost_per_job_usd": 0.0147},
			said:   []string{"warning volume.iops job-volume-bound"},
		},
		"prices by type from the provider": {
			provider: "prices {\n instance_hour_usd = {\n \"m8a.xlarge\" = 0.069\n \"r8a.xlarge\" = 0.105\n }\n}",
			config:   dockerBuild("m8a.xlarge", "overhead_minutes = 1.7\n measured_minutes = { tmpfs-more-memory = 5.0333 }"),
			want:     map[string]any{"options[0].cost_per_job_usd": 0.0140, "options[2].cost_per_job_usd": 0.0159},
			said:     []string{"warning instance_type job-tmpfs-memory", "warning volume.iops job-volume-bound"},
		},
		"a short job on the burst": {
			config: fastBuild("4.5"),
			want: map[string]any{
				"verdict": "keep", "bound_by": "none", "findings[0].rule": "job-instance-bound", "findings[0].severity": "info",
				"options[0].name": "tmpfs", "options[2].name": "keep", "options[0].label": "runs-on=${{ github.run_id }}/family=m8a.2xlarge/volume=40gb:gp3:400mibps:3000iops/extras=tmpfs",
				"options[2].why": "No limit is reached: the nearest is 12,200 IOPS at peak, 76 % of the volume's 16,000. 12,200 IOPS are above the 12,000 that m8a.2xlarge sustains: its burst carries them for at least 30 minutes in 24 hours, and the job takes 4.5.",
			},
		},
		"a long one": {
			config: fastBuild("90"),
			want:   map[string]any{"bound_by": "instance-iops", "verdict": "tmpfs"},
			said:   []string{"warning instance_type job-instance-bound"},
		},
		"a type that is not in the table": {
			config: dockerBuild("z99.xlarge", ""),
			want:   map[string]any{"verdict": "faster-volume", "options[0].name": "tmpfs", "options[0].fits": nil, "options[0].cost_per_job_usd": nil, "options[2].name": "faster-volume", "options[2].fits": nil},
			said:   []string{"warning instance_type instance-unknown", "warning volume.iops job-volume-bound"},
		},
		"a family without a sibling": {
			config: dockerBuild("m9g.xlarge", ""),
			want:   map[string]any{"options[1].name": "tmpfs-more-memory", "options[1].instance_type": nil, "options[1].label": nil, "options[1].cost_per_job_usd": nil, "options[1].fits": nil},
			said:   []string{"warning instance_type job-tmpfs-memory", "warning volume.iops job-volume-bound"},
		},
		"a Region without prices": {
			config: dockerBuild("m8a.2xlarge", `region = "cn-north-1"`),
			want:   map[string]any{"verdict": "tmpfs", "options[0].cost_per_job_usd": nil},
			said:   []string{"warning volume.iops job-volume-bound"},
		},
		"ignored": {
			provider: `ignore_rules = { "job-volume-bound" = "nightly" }`,
			config:   dockerBuild("m8a.2xlarge", ""),
			want:     map[string]any{"bound_by": "volume-iops", "verdict": "tmpfs"},
		},
		"swap": {
			config: strings.Replace(dockerBuild("m8a.2xlarge", "swap_gib = 32"), "3250", "519", 1),
			want:   map[string]any{"verdict": "keep", "findings[0].message": "32 GiB of swap take 81.9 s to fill at the volume's 400 MiB/s, and all that time the job's own reads and writes wait behind it."},
			said:   []string{"warning swap_gib swap-on-volume"},
		},
		"defaults of the volume": {
			config: strings.Replace(strings.Replace(dockerBuild("m8a.2xlarge", ""), "  iops                 = 3000\n", "", 1), "  throughput_mib_per_s = 400\n", "", 1),
			want:   map[string]any{"bound_by": "volume-throughput", "options[0].volume.iops": 3000.0, "options[0].volume.throughput_mib_per_s": 125.0},
			said:   []string{"warning volume.throughput_mib_per_s job-volume-bound"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := p.For(t)
			if tc.provider != "" {
				p = prototest.New(t, factory(), prototest.Config(tc.provider))
			}
			r := p.DataSource("runnerfit_job_disk").Read(tc.config)
			if diff := cmp.Diff(tc.said, said(r.Diagnostics)); diff != "" {
				t.Fatalf("(-want +got):\n%s\n%s", diff, r.Diagnostics)
			}
			expect(t, r.Attr, tc.want)
		})
	}
}

func TestJobDiskDiagnostics(t *testing.T) {
	p := prototest.New(t, factory())
	r := p.DataSource("runnerfit_job_disk").Read(dockerBuild("m8a.2xlarge", "hourly_price_usd = 0.138"))
	if len(r.Diagnostics) != 1 {
		t.Fatalf("%s", r.Diagnostics)
	}
	d := r.Diagnostics[0]
	want := prototest.Diagnostic{
		Severity: prototest.SeverityWarning, Summary: "CI job waits for its volume", Path: "volume.iops", Line: "iops                 = 3000",
		Detail: "The job waits for its volume: 3,250 IOPS at peak, 108 % of the volume's 3,000.\n\n" +
			"Write runs-on=${{ github.run_id }}/family=m8a.2xlarge/volume=40gb:gp3:400mibps:3000iops/extras=tmpfs (tmpfs: $0.0238 a job, if it takes as long).\n\n" +
			"Rule: job-volume-bound",
	}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestJobDiskErrors(t *testing.T) {
	p := prototest.New(t, factory())
	right := dockerBuild("m8a.xlarge", "")
	for name, tc := range map[string]struct{ config, path, text string }{
		"no volume":          {strings.Join(append(strings.Split(right, "\n")[:1], strings.Split(right, "\n")[6:]...), "\n"), "volume.size_gib", "volume.size_gib is required"},
		"no size":            {strings.Replace(right, "  size_gib             = 40\n", "", 1), "volume.size_gib", "volume.size_gib is required"},
		"not a type":         {strings.Replace(right, "m8a.xlarge", "four cores", 1), "instance_type", "instance_type is not the name of an instance type such as m8a.xlarge"},
		"no minutes":         {strings.Replace(right, "9.0833", "0", 1), "minutes", "minutes is 0, but must be more than 0"},
		"fraction":           {strings.Replace(right, "= 3000", "= 3000.5", 1), "volume.iops", "volume.iops must be a whole number, not 3,000.5"},
		"enormous":           {strings.Replace(right, "= 27", "= 1e400", 1), "written_gib", "written_gib is too large: more than 1,000,000 is a mistake here"},
		"no such option":     {right + "measured_minutes = { tmpsf = 3 }", "measured_minutes", "measured_minutes has a key that is no option; the closest is tmpfs, and options are keep, tmpfs, tmpfs-more-memory, faster-volume"},
		"no such region":     {right + `region = "Paris"`, "region", "region is not the name of an AWS Region such as us-east-1"},
		"a share over 1":     {right + "resident_share = 50", "resident_share", "resident_share is too large: more than 1 is a mistake here"},
		"a refused volume":   {strings.Replace(right, "= 400", "= 1000", 1), "volume.throughput_mib_per_s", "1,000 MiB/s at 3,000 IOPS is a ratio of 0.333333 MiB/s per IOPS; EC2 refuses more than 0.25 when it creates the volume, though a launch template accepts it"},
		"negative swap":      {right + "swap_gib = -1", "swap_gib", "swap_gib must not be negative"},
		"a negative measure": {right + "measured_minutes = { tmpfs = -3 }", "measured_minutes", "measured_minutes of tmpfs must be more than 0 and at most 1000000 minutes"},
	} {
		t.Run(name, func(t *testing.T) {
			r := p.For(t).DataSource("runnerfit_job_disk").Read(tc.config)
			errs := r.Errors()
			if len(errs) != 1 {
				t.Fatalf("%s", r.Diagnostics)
			}
			if errs[0].Path != tc.path || !strings.HasPrefix(errs[0].Detail, tc.text+".") {
				t.Errorf("got %s\nwant %s at %s", errs[0], tc.text, tc.path)
			}
		})
	}
}

// An input that is not known yet is waited for.
func TestJobDiskWaits(t *testing.T) {
	p := prototest.New(t, factory())
	for _, change := range [][2]string{{"= 3250", "= unknown"}, {"= 40", "= unknown"}, {`"m8a.xlarge"`, "unknown"}} {
		r := p.DataSource("runnerfit_job_disk").Read(strings.Replace(dockerBuild("m8a.xlarge", ""), change[0], change[1], 1))
		if !r.Deferred || len(r.Diagnostics) > 0 {
			t.Errorf("%v: deferred %v, %s", change, r.Deferred, r.Diagnostics)
		}
	}
}
