package provider_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/prototest"
)

func TestDataSources(t *testing.T) {
	p := prototest.New(t, factory())
	for name, tc := range map[string]struct {
		source, config string
		want           map[string]any
		said           []string
	}{
		"the free limit": {
			source: "runnerfit_gp3_volume", config: "size_gib = 100\n throughput_mib_per_s = 750",
			want: map[string]any{
				"settings.iops": 3000.0, "settings.throughput_mib_per_s": 750.0, "monthly_cost_usd": 33.0, "storage_cost_usd": 8.0, "iops_cost_usd": 0.0,
				"throughput_cost_usd": 25.0, "bound_by": "throughput-ratio", "free_throughput_mib_per_s": 750.0, "usable_throughput_mib_per_s": 750.0,
			},
		},
		"above it": {
			source: "runnerfit_gp3_volume", config: "size_gib = 100\n throughput_mib_per_s = 1000",
			want: map[string]any{"settings.iops": 4000.0, "monthly_cost_usd": 48.0, "bound_by": "throughput-ratio"},
		},
		"cut by the instance": {
			source: "runnerfit_gp3_volume", config: "size_gib = 100\n throughput_mib_per_s = 1000\n instance_type = \"mac2-m2pro.metal\"",
			want: map[string]any{
				"settings.iops": 3812.0, "settings.throughput_mib_per_s": 953.0, "monthly_cost_usd": 45.18, "bound_by": "instance",
				"alternatives[0].monthly_cost_usd": 8.0, "alternatives[1].throughput_mib_per_s": 750.0, "alternatives[1].monthly_cost_usd": 33.0,
				"alternatives[2].throughput_mib_per_s": 953.0,
			},
		},
		"a fraction": {
			source: "runnerfit_gp3_volume", config: "size_gib = 100\n throughput_mib_per_s = 750.25",
			want: map[string]any{"settings.iops": 3004.0, "settings.throughput_mib_per_s": 751.0},
		},
		"a budget": {
			source: "runnerfit_gp3_volume", config: "size_gib = 100\n max_monthly_cost_usd = 28",
			want: map[string]any{"settings.iops": 3000.0, "settings.throughput_mib_per_s": 625.0, "monthly_cost_usd": 28.0, "bound_by": "budget"},
		},
		"nothing asked for": {
			source: "runnerfit_gp3_volume", config: "size_gib = 1",
			want: map[string]any{"settings.iops": 3000.0, "settings.throughput_mib_per_s": 125.0, "bound_by": "baseline"},
		},
		"outposts": {
			source: "runnerfit_gp3_volume", config: "size_gib = 100\n throughput_mib_per_s = 1000\n limits = \"classic\"",
			want: map[string]any{"settings.iops": 4000.0, "bound_by": "range"},
		},
		"no price for the region": {
			source: "runnerfit_gp3_volume", config: "size_gib = 100\n region = \"ca-west-1\"",
			want: map[string]any{"settings.iops": 3000.0, "monthly_cost_usd": nil, "alternatives[0].monthly_cost_usd": nil},
		},
		"an instance type that is not in the table": {
			source: "runnerfit_gp3_volume", config: "size_gib = 100\n throughput_mib_per_s = 1000\n instance_type = \"mac9.metal\"",
			want: map[string]any{"settings.throughput_mib_per_s": 1000.0},
			said: []string{"warning instance_type instance-unknown"},
		},
		"a Mac's ceiling": {
			source: "runnerfit_instance_ebs", config: `instance_type = "mac2-m2pro.metal"`,
			want: map[string]any{
				"throughput_mib_per_s": 953.67431640625, "vcpus": 12.0, "memory_gib": 32.0, "architectures[0]": "arm64_mac", "bare_metal": true,
				"min_streams": 6.0, "max_volumes": 10.0, "as_of": "2026-08-02", "can_burst": false,
			},
		},
		"the smaller Mac with the larger pipe": {
			source: "runnerfit_instance_ebs", config: `instance_type = "mac2.metal"`,
			want: map[string]any{"min_streams": 8.0},
		},
		"a type without EBS limits": {
			source: "runnerfit_instance_ebs", config: `instance_type = "t2.micro"`,
			want: map[string]any{"known": false, "throughput_mib_per_s": nil, "min_streams": nil, "vcpus": 1.0, "as_of": "2026-08-02"},
		},
		"Macs by price": {
			source: "runnerfit_instances", config: "mac = true\n sort_by = \"price\"",
			want: map[string]any{"instances[0].instance_type": "mac2.metal", "instances[0].hourly_price_usd": 0.65, "instances[8].instance_type": "mac-m3ultra.metal"},
		},
		"sustained, not burst": {
			source: "runnerfit_instances", config: "family_prefix = \"m8a.\"\n min_throughput_mib_per_s = 1000\n sort_by = \"throughput\"",
			want: map[string]any{"instances[0].known": true},
		},
		"start-up": {
			source: "runnerfit_mac_startup", config: "instance_type = \"mac2-m2pro.metal\"\n root_throughput_mib_per_s = 750\n images {\n count = 2\n size_gib = 75\n}",
			want: map[string]any{
				"boot_to_downloads_seconds": 36.0, "image_pull_seconds": 249.5, "boot_to_ready_seconds": 289.5, "extrapolated": false, "prediction_error_percent": 3.5,
				"phases[0].bound_by": "root-volume", "phases[1].name": "image-pull", "phases[1].bound_by": "pipelines", "phases[2].end_seconds": 289.5,
				"calibration_used.boot_read_mib": 11550.0,
			},
		},
		"start-up at 125": {
			source: "runnerfit_mac_startup", config: "instance_type = \"mac2-m2pro.metal\"\n root_throughput_mib_per_s = 125\n images {\n count = 2\n size_gib = 75\n}",
			want: map[string]any{"boot_to_downloads_seconds": 113.0, "boot_to_ready_seconds": 366.5},
		},
		"start-up beyond the ceiling": {
			source: "runnerfit_mac_startup", config: "instance_type = \"mac2-m2pro.metal\"\n root_throughput_mib_per_s = 1000",
			want: map[string]any{"extrapolated": true, "prediction_error_percent": nil, "phases[0].bound_by": "instance", "boot_to_downloads_seconds": 32.5, "image_pull_seconds": 0.0},
		},
		"start-up refitted": {
			source: "runnerfit_mac_startup",
			config: "instance_type = \"mac2-m2pro.metal\"\n root_throughput_mib_per_s = 750\n measurement {\n root_throughput_mib_per_s = 750\n boot_seconds = 36\n}\n measurement {\n root_throughput_mib_per_s = 125\n boot_seconds = 113\n}\n measurement {\n root_throughput_mib_per_s = 400\n boot_seconds = 49\n}",
			want:   map[string]any{"calibration_used.boot_fixed_seconds": 20.33, "calibration_used.boot_read_mib": 11577.0, "extrapolated": false, "prediction_error_percent": nil},
		},
		"two VMs": {
			source: "runnerfit_vm_disk", config: "provisioned_iops = 16000\n vms = 2",
			want: map[string]any{
				"host_write_iops": 14020.0, "host_read_iops": 14200.0, "guest_write_iops": 7010.0, "guest_read_iops": 14200.0, "per_vm_guest_write_iops": 3505.0,
				"useful_iops": 14200.0, "bound_by": "virtualization", "extrapolated": false,
			},
		},
		"one VM":     {source: "runnerfit_vm_disk", config: "provisioned_iops = 16000\n vms = 1", want: map[string]any{"host_write_iops": 7190.0, "host_read_iops": 9790.0}},
		"6,000 IOPS": {source: "runnerfit_vm_disk", config: "provisioned_iops = 6000\n vms = 1", want: map[string]any{"host_write_iops": 6000.0, "host_read_iops": 6000.0, "bound_by": "volume"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := p.For(t).DataSource(tc.source).Read(tc.config)
			if diff := cmp.Diff(tc.said, said(r.Diagnostics)); diff != "" {
				t.Fatalf("(-want +got):\n%s\n%s", diff, r.Diagnostics)
			}
			expect(t, r.Attr, tc.want)
		})
	}
}

func TestInstancesSustainedOnly(t *testing.T) {
	d := prototest.New(t, factory()).DataSource("runnerfit_instances")
	count := func(config string) int { return len(d.Read(config).Attr("instances").([]any)) }
	sustained := count("family_prefix = \"m8a.\"\n min_throughput_mib_per_s = 1000")
	burst := count("family_prefix = \"m8a.\"\n min_throughput_mib_per_s = 1000\n sustained_only = false")
	if sustained == 0 || burst <= sustained {
		t.Errorf("%d types sustain it and %d reach it in bursts; more must burst than sustain", sustained, burst)
	}
	if n := count("min_throughput_mib_per_s = 1000000"); n != 0 {
		t.Errorf("%d types carry 1,000,000 MiB/s", n)
	}
}

// TestIgnoresNotKnown: while it is not known which rules are ignored, no data
// source reports one, because it could be one of them.
func TestIgnoresNotKnown(t *testing.T) {
	known := prototest.New(t, factory())
	waiting := prototest.New(t, factory(), prototest.Config("ignore_rules = unknown"))
	for source, config := range map[string]string{
		"runnerfit_gp3_volume":    "size_gib = 100\n instance_type = \"z99.xlarge\"",
		"runnerfit_mac_startup":   "instance_type = \"mac9.metal\"\n root_throughput_mib_per_s = 750",
		"runnerfit_vm_disk":       "provisioned_iops = 16000\n vms = 2\n instance_type = \"mac9.metal\"",
		"runnerfit_mac_host_pool": "instance_type = \"mac9.metal\"\n desired_hosts = 4\n max_hosts = 10\n auto_release_hosts = false\n host_hourly_price_usd = 1",
	} {
		if got, want := said(known.DataSource(source).Read(config).Diagnostics), []string{"warning instance_type instance-unknown"}; !cmp.Equal(want, got) {
			t.Errorf("%s: %v, want %v", source, got, want)
		}
		if ds := waiting.DataSource(source).Read(config).Diagnostics; len(ds) > 0 {
			t.Errorf("%s: %s", source, ds)
		}
	}
}

func TestDataSourceErrors(t *testing.T) {
	p := prototest.New(t, factory())
	for name, tc := range map[string]struct {
		source, config, path string
		detail               []string
	}{
		"too small a volume": {"runnerfit_gp3_volume", "size_gib = 1\n throughput_mib_per_s = 2000", "throughput_mib_per_s", []string{"nearest possible is 750 MiB/s", "16 GiB"}},
		"over the range":     {"runnerfit_gp3_volume", "size_gib = 100\n throughput_mib_per_s = 2000.1", "throughput_mib_per_s", []string{"at most 2,000"}},
		"over the IOPS":      {"runnerfit_gp3_volume", "size_gib = 10\n iops = 6000", "iops", []string{"5,000", "12 GiB"}},
		"over the classic":   {"runnerfit_gp3_volume", "size_gib = 100\n throughput_mib_per_s = 1001\n limits = \"classic\"", "throughput_mib_per_s", []string{"at most 1,000"}},
		"budget too small":   {"runnerfit_gp3_volume", "size_gib = 100\n max_monthly_cost_usd = 7.99", "max_monthly_cost_usd", []string{"$8.00"}},
		"budget and demand":  {"runnerfit_gp3_volume", "size_gib = 100\n throughput_mib_per_s = 500\n max_monthly_cost_usd = 28", "max_monthly_cost_usd", []string{"exclude each other"}},
		"budget, no prices":  {"runnerfit_gp3_volume", "size_gib = 100\n max_monthly_cost_usd = 28\n region = \"ca-west-1\"", "max_monthly_cost_usd", []string{"not in the table"}},
		"fractional size":    {"runnerfit_gp3_volume", "size_gib = 100.5", "size_gib", []string{"whole number"}},
		"zero demand":        {"runnerfit_gp3_volume", "size_gib = 100\n throughput_mib_per_s = 0", "throughput_mib_per_s", []string{"null"}},
		"zero size":          {"runnerfit_gp3_volume", "size_gib = 0", "size_gib", []string{"size_gib must be more than 0."}},
		"a mistyped type":    {"runnerfit_instance_ebs", `instance_type = "mac2-m2por.metal"`, "instance_type", []string{"2026-08-02", "mac2-m2pro.metal"}},
		"not a Mac":          {"runnerfit_mac_startup", "instance_type = \"m5.large\"\n root_throughput_mib_per_s = 750", "instance_type", []string{"not an EC2 Mac"}},
		"one measurement":    {"runnerfit_mac_startup", "instance_type = \"mac2.metal\"\n root_throughput_mib_per_s = 750\n measurement {\n root_throughput_mib_per_s = 750\n boot_seconds = 36\n}", "measurement[0].boot_seconds", []string{"Two or more", "not 1"}},
		"equal throughputs":  {"runnerfit_mac_startup", "instance_type = \"mac2.metal\"\n root_throughput_mib_per_s = 750\n measurement {\n root_throughput_mib_per_s = 750\n boot_seconds = 36\n}\n measurement {\n root_throughput_mib_per_s = 750\n boot_seconds = 40\n}", "measurement[1].boot_seconds", []string{"two different"}},
		"slower when faster": {"runnerfit_mac_startup", "instance_type = \"mac2.metal\"\n root_throughput_mib_per_s = 750\n measurement {\n root_throughput_mib_per_s = 750\n boot_seconds = 136\n}\n measurement {\n root_throughput_mib_per_s = 125\n boot_seconds = 40\n}", "measurement[1].boot_seconds", []string{"negative"}},
		"incomplete":         {"runnerfit_mac_startup", "instance_type = \"mac2.metal\"\n root_throughput_mib_per_s = 750\n measurement {\n boot_seconds = 36\n}", "measurement[0].root_throughput_mib_per_s", []string{"required"}},
		"three VMs":          {"runnerfit_vm_disk", "provisioned_iops = 3000\n vms = 3", "vms", []string{"1 or 2"}},
		"half a VM":          {"runnerfit_vm_disk", "provisioned_iops = 3000\n vms = 0.5", "vms", []string{"whole number"}},
		"a bad order":        {"runnerfit_instances", `sort_by = "size"`, "sort_by", []string{"price"}},
		"not a region":       {"runnerfit_instances", `region = "Frankfurt"`, "region", []string{"AWS Region"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := one(t, p.For(t).DataSource(tc.source).Read(tc.config).Diagnostics)
			if d.Severity != prototest.SeverityError || d.Path != tc.path {
				t.Errorf("%s, want an error at %s", d, tc.path)
			}
			contains(t, d.Detail, tc.detail...)
		})
	}
}

// A data source is read at plan even if the provider's configuration is not
// known then, so it has to say so.
func TestDataSourceUnknownProvider(t *testing.T) {
	p := prototest.New(t, factory(), prototest.Config("region = unknown"))
	d := one(t, p.DataSource("runnerfit_gp3_volume").Read("size_gib = 100").Diagnostics)
	contains(t, d.Detail, "set region in the data source")
	if r := p.DataSource("runnerfit_gp3_volume").Read("size_gib = 100\n region = \"us-east-1\""); len(r.Diagnostics) > 0 {
		t.Errorf("a region of its own is not enough:\n%s", r.Diagnostics)
	}
	if r := p.DataSource("runnerfit_instance_ebs").Read(`instance_type = "mac2.metal"`); len(r.Diagnostics) > 0 {
		t.Errorf("a ceiling needs no region:\n%s", r.Diagnostics)
	}
}

func TestProviderBlock(t *testing.T) {
	for name, tc := range map[string]struct{ config, path, detail string }{
		"region":        {`region = "us-east-1a"`, "region", "AWS Region"},
		"empty region":  {`region = ""`, "region", "AWS Region"},
		"reason":        {`ignore_rules = { "mac-vm-limit" = "  " }`, `ignore_rules["mac-vm-limit"]`, "needs a reason"},
		"rule":          {`ignore_rules = { "mac-vm-limits" = "x" }`, `ignore_rules["mac-vm-limits"]`, `"mac-vm-limit"`},
		"price":         {"prices {\n gp3_gib_month_usd = -0.08\n}", "prices.gp3_gib_month_usd", "not negative"},
		"price of host": {"prices {\n mac_host_hour_usd = { \"mac2.metal\" = 1e9 }\n}", `prices.mac_host_hour_usd["mac2.metal"]`, "at most"},
		"price of what": {"prices {\n mac_host_hour_usd = { \"my mac\" = 1 }\n}", `prices.mac_host_hour_usd["my mac"]`, "instance type"},
	} {
		t.Run(name, func(t *testing.T) {
			d := one(t, prototest.Start(t, factory()).Configure(tc.config))
			if d.Path != tc.path {
				t.Errorf("%s, want it at %s", d, tc.path)
			}
			contains(t, d.Detail, tc.detail)
		})
	}
}
