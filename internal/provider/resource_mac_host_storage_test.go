package provider_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/provider"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/testing/prototest"
)

// recommended is the configuration that plans without a word.
const recommended = `
	instance_type        = "mac2-m2pro.metal"
	grace_period_seconds = 600
	vms_per_host         = 2
	root {
		size_gib             = 100
		throughput_mib_per_s = 750
	}
	vmdata {
		size_gib             = 750
		iops                 = 16000
		throughput_mib_per_s = 700
	}
	images {
		count    = 2
		size_gib = 75
	}
`

// with is the recommended configuration with something else in place of a part.
func with(pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(recommended, pairs[i]) {
			panic("not in the recommended configuration: " + pairs[i])
		}
	}
	return strings.NewReplacer(pairs...).Replace(recommended)
}

func guard(t *testing.T, options ...prototest.Option) *prototest.Resource {
	t.Helper()
	return prototest.New(t, factory(), options...).Resource("runnerfit_mac_host_storage")
}

func TestMacHostStorageRecommended(t *testing.T) {
	r := guard(t)
	plan := r.Plan(recommended)
	if len(plan.Diagnostics) > 0 {
		t.Fatalf("the recommended configuration is not silent:\n%s", plan.Diagnostics)
	}
	want := map[string]any{
		"root.iops":                        3000.0,
		"vmdata.iops":                      16000.0,
		"instance_throughput_mib_per_s":    953.67431640625,
		"provisioned_throughput_mib_per_s": 1450.0,
		"boot_to_downloads_seconds":        36.0,
		"image_pull_seconds":               249.5,
		"boot_to_ready_seconds":            289.5,
		"grace_margin_seconds":             310.5,
		"guest_read_iops":                  14200.0,
		"guest_write_iops":                 7010.0,
		"monthly_cost_usd":                 181.0,
	}
	expect(t, plan.Attr, want)
	plan.MustApply()
	expect(t, r.Attr, want)
	if again := r.Plan(recommended); again.Action != prototest.NoOp || len(again.Diagnostics) > 0 {
		t.Errorf("the second plan is a %s, with\n%s", again.Action, again.Diagnostics)
	}
	if ds := r.Destroy(); len(ds) > 0 {
		t.Errorf("the destroy is not silent:\n%s", ds)
	}
}

func TestMacHostStorageDiagnostics(t *testing.T) {
	for name, tc := range map[string]struct {
		config string
		said   []string
		detail []string
		line   string
	}{
		"root at the default speed": {
			config: with("throughput_mib_per_s = 750", "throughput_mib_per_s = 125"),
			said:   []string{"error root.throughput_mib_per_s mac-root-throughput"},
			detail: []string{"125 MiB/s", "113 s", "36 s", "Write throughput_mib_per_s = 750 (+$25.00 a month"},
			line:   "throughput_mib_per_s = 125",
		},
		"root by AWS's general advice": {
			config: with("throughput_mib_per_s = 750", "throughput_mib_per_s = 400\n iops = 10000"),
		},
		"root from an empty volume": {
			config: with("throughput_mib_per_s = 750", "throughput_mib_per_s = 125\n from_snapshot = false"),
		},
		"root over the ratio": {
			config: with("throughput_mib_per_s = 750", "throughput_mib_per_s = 751\n iops = 3000"),
			said:   []string{"error root.throughput_mib_per_s gp3-throughput-ratio"},
			detail: []string{"0.250333", "0.25", "iops = 3004 (+$0.02 a month)", "throughput_mib_per_s = 750 (-$0.04 a month)"},
			line:   "throughput_mib_per_s = 751",
		},
		"root smaller than the image": {
			config: with("size_gib             = 100", "size_gib = 60"),
			said:   []string{"warning root.size_gib mac-root-size"},
			detail: []string{"60 GiB", "100 GiB"},
			line:   "size_gib = 60",
		},
		"vmdata faster than the host": {
			config: with("iops                 = 16000", "iops = 4000", "throughput_mib_per_s = 700", "throughput_mib_per_s = 1000"),
			said:   []string{"warning vmdata.throughput_mib_per_s instance-throughput"},
			detail: []string{"1,048.58 MB/s", "953.67 MiB/s are usable", "throughput_mib_per_s = 953 and iops = 3812", "-$2.82 a month"},
			line:   "throughput_mib_per_s = 1000",
		},
		"vmdata smaller than its images": {
			config: with("size_gib             = 750", "size_gib = 100"),
			said:   []string{"error vmdata.size_gib mac-vmdata-size"},
			detail: []string{"100 GiB", "150 GiB", "size_gib = 150"},
			line:   "size_gib = 100",
		},
		"vmdata from a snapshot": {
			config: with("size_gib             = 750", "size_gib = 750\n from_snapshot = true"),
			said:   []string{"warning vmdata.from_snapshot mac-vmdata-snapshot"},
			line:   "from_snapshot = true",
		},
		"vmdata with IOPS that nothing reaches": {
			config: with("iops                 = 16000", "iops = 20000"),
			said:   []string{"warning vmdata.iops mac-vmdata-iops"},
			detail: []string{"14,200", "iops = 14200", "-$29.00 a month"},
			line:   "iops = 20000",
		},
		"throughput on gp2": {
			config: with("throughput_mib_per_s = 750", "throughput_mib_per_s = 750\n type = \"gp2\""),
			said: []string{
				"error root.throughput_mib_per_s volume-type-attribute", "error root.type mac-root-throughput",
			},
		},
		"a root that cannot be booted from": {
			config: with("throughput_mib_per_s = 750", "type = \"st1\"", "size_gib             = 100", "size_gib = 125"),
			said:   []string{"error root.type volume-type-attribute"},
			detail: []string{"boots from no st1"},
			line:   "type = \"st1\"",
		},
		"io2 with IOPS that nothing reaches": {
			config: with("iops                 = 16000", "iops = 40000\n type = \"io2\"", "throughput_mib_per_s = 700", ""),
			said:   []string{"warning vmdata.iops mac-vmdata-iops"},
			detail: []string{"iops = 14200"},
			line:   "iops = 40000",
		},
		"three guests": {
			config: with("vms_per_host         = 2", "vms_per_host = 3"),
			said:   []string{"error vms_per_host mac-vm-limit"},
			line:   "vms_per_host = 3",
		},
		"too late": {
			config: with("grace_period_seconds = 600", "grace_period_seconds = 280"),
			said:   []string{"error grace_period_seconds mac-grace-period"},
			detail: []string{"289.5 s", "280 s"},
			line:   "grace_period_seconds = 280",
		},
		"just in time": {
			config: with("grace_period_seconds = 600", "grace_period_seconds = 340"),
			said:   []string{"warning grace_period_seconds mac-grace-period"},
		},
		"too late with the launch": {
			config: with("grace_period_seconds = 600", "grace_period_seconds = 600\n launch_seconds = 360"),
			said:   []string{"error grace_period_seconds mac-grace-period"},
			detail: []string{"649.5 s", "360 s of launching"},
		},
		"an unknown Mac": {
			config: with("mac2-m2pro.metal", "mac9.metal", "throughput_mib_per_s = 750", "throughput_mib_per_s = 751\n iops = 3000"),
			said:   []string{"error root.throughput_mib_per_s gp3-throughput-ratio", "warning instance_type instance-unknown"},
			detail: []string{"2026-08-02"},
		},
		"a warning instead of an error": {
			config: with("throughput_mib_per_s = 750", "throughput_mib_per_s = 125") + `on_error = "warn"`,
			said:   []string{"warning root.throughput_mib_per_s mac-root-throughput"},
		},
		"ignored with a reason": {
			config: with("throughput_mib_per_s = 750", "throughput_mib_per_s = 125") + `ignore_rules = { "mac-root-throughput" = "a staging host that nobody waits for" }`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			plan := guard(t).Plan(tc.config)
			if diff := cmp.Diff(tc.said, said(plan.Diagnostics)); diff != "" {
				t.Fatalf("(-want +got):\n%s\n%s", diff, plan.Diagnostics)
			}
			for _, d := range plan.Diagnostics {
				_, rule, _ := strings.Cut(d.Detail, "\nRule: ")
				if !strings.HasSuffix(d.Detail, "\nRule: "+rule) || strings.ContainsAny(d.Summary, "0123456789\"") && !strings.Contains(d.Summary, "gp3") || len(d.Summary) > 60 {
					t.Errorf("a diagnostic has a constant summary and ends with its rule:\n%s", d)
				}
			}
			if len(tc.said) == 0 {
				return
			}
			var all strings.Builder
			for _, d := range plan.Diagnostics {
				all.WriteString(d.Detail + "\n")
			}
			contains(t, all.String(), tc.detail...)
			if tc.line != "" && plan.Diagnostics[0].Line != tc.line {
				t.Errorf("points at %q, want %q", plan.Diagnostics[0].Line, tc.line)
			}
		})
	}
}

func TestMacHostStorageBadShape(t *testing.T) {
	for name, tc := range map[string]struct {
		config, path string
		detail       []string
	}{
		"zero":                {with("throughput_mib_per_s = 750", "throughput_mib_per_s = 0"), "root.throughput_mib_per_s", []string{"null"}},
		"negative":            {with("throughput_mib_per_s = 750", "throughput_mib_per_s = -1"), "root.throughput_mib_per_s", []string{"negative"}},
		"fraction":            {with("throughput_mib_per_s = 750", "throughput_mib_per_s = 750.5"), "root.throughput_mib_per_s", []string{"whole number", "750.5"}},
		"enormous":            {with("throughput_mib_per_s = 750", "throughput_mib_per_s = 1e400"), "root.throughput_mib_per_s", []string{"too large"}},
		"more than enormous":  {with("throughput_mib_per_s = 750", "throughput_mib_per_s = 1e40000"), "root.throughput_mib_per_s", []string{"too large"}},
		"tiny":                {with("throughput_mib_per_s = 750", "throughput_mib_per_s = 1e-40000"), "root.throughput_mib_per_s", []string{"whole number"}},
		"no size":             {with("size_gib             = 100", ""), "root.size_gib", []string{"required"}},
		"null size":           {with("size_gib             = 100", "size_gib = null"), "root.size_gib", []string{"required"}},
		"no root":             {`instance_type = "mac2.metal"`, "root", []string{"required"}},
		"no image count":      {with("count    = 2", ""), "images.count", []string{"required"}},
		"zero VMs":            {with("vms_per_host         = 2", "vms_per_host = 0"), "vms_per_host", []string{"null"}},
		"negative launch":     {with("vms_per_host         = 2", "launch_seconds = -1"), "launch_seconds", []string{"negative"}},
		"no reason":           {recommended + `ignore_rules = { "mac-root-throughput" = "" }`, `ignore_rules["mac-root-throughput"]`, []string{"needs a reason"}},
		"no such rule":        {recommended + `ignore_rules = { "mac-root-troughput" = "x" }`, `ignore_rules["mac-root-troughput"]`, []string{`The closest is "mac-root-throughput"`}},
		"on_error":            {recommended + `on_error = "ignore"`, "on_error", []string{`"fail" or "warn"`}},
		"not a Mac":           {with("mac2-m2pro.metal", "m5.large"), "instance_type", []string{"m5.large is not an EC2 Mac"}},
		"not a region":        {recommended + `region = "eu"`, "region", []string{"AWS Region"}},
		"not a calibration":   {recommended + "calibration {\n pipeline_mib_per_s = 0\n}", "calibration.pipeline_mib_per_s", []string{"more than 0"}},
		"empty instance type": {with("mac2-m2pro.metal", ""), "instance_type", []string{"empty"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := one(t, guard(t).Plan(tc.config).Diagnostics)
			if d.Severity != prototest.SeverityError || d.Path != tc.path {
				t.Errorf("%s, want an error at %s", d, tc.path)
			}
			contains(t, d.Detail, tc.detail...)
		})
	}
}

// Unknown inputs are waited for; what does not depend on them is known at once.
func TestMacHostStorageUnknown(t *testing.T) {
	all := []string{
		"root.iops", "root.throughput_mib_per_s", "vmdata.iops", "vmdata.throughput_mib_per_s", "instance_throughput_mib_per_s",
		"provisioned_throughput_mib_per_s", "boot_to_downloads_seconds", "image_pull_seconds", "boot_to_ready_seconds",
		"grace_margin_seconds", "guest_read_iops", "guest_write_iops", "monthly_cost_usd", "findings",
	}
	for name, tc := range map[string]struct {
		planned, applied string
		unknown          []string
	}{
		"root throughput": {
			planned: with("throughput_mib_per_s = 750", "throughput_mib_per_s = unknown"),
			applied: recommended,
			unknown: []string{"root.iops", "root.throughput_mib_per_s", "provisioned_throughput_mib_per_s", "boot_to_downloads_seconds", "boot_to_ready_seconds", "grace_margin_seconds", "monthly_cost_usd", "findings"},
		},
		"grace period": {
			planned: with("grace_period_seconds = 600", "grace_period_seconds = unknown"),
			applied: recommended,
			unknown: []string{"grace_margin_seconds", "findings"},
		},
		"instance type": {
			planned: with(`"mac2-m2pro.metal"`, "unknown"),
			applied: recommended,
			unknown: []string{"instance_throughput_mib_per_s", "boot_to_downloads_seconds", "image_pull_seconds", "boot_to_ready_seconds", "grace_margin_seconds", "guest_read_iops", "guest_write_iops", "findings"},
		},
		"filled in from an unknown": {
			planned: with("count    = 2", "count = unknown", "throughput_mib_per_s = 700", "", "iops                 = 16000", ""),
			applied: with("throughput_mib_per_s = 700", "", "iops                 = 16000", ""),
			unknown: []string{"vmdata.iops", "vmdata.throughput_mib_per_s", "provisioned_throughput_mib_per_s", "image_pull_seconds", "boot_to_ready_seconds", "grace_margin_seconds", "guest_read_iops", "guest_write_iops", "monthly_cost_usd", "findings"},
		},
		"region": {
			planned: recommended + "region = unknown",
			applied: recommended + `region = "eu-west-1"`,
			unknown: []string{"monthly_cost_usd", "findings"},
		},
		"ignored rules": {
			planned: with("throughput_mib_per_s = 750", "throughput_mib_per_s = 125") + "ignore_rules = unknown",
			applied: with("throughput_mib_per_s = 750", "throughput_mib_per_s = 125") + `ignore_rules = { "mac-root-throughput" = "because" }`,
			unknown: []string{"findings"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := guard(t)
			plan := r.Plan(tc.planned)
			if len(plan.Diagnostics) > 0 {
				t.Fatalf("something is said of an unknown:\n%s", plan.Diagnostics)
			}
			var unknown []string
			for _, path := range all {
				if plan.Attr(path) == prototest.Unknown {
					unknown = append(unknown, path)
				}
			}
			if diff := cmp.Diff(tc.unknown, unknown); diff != "" {
				t.Errorf("unknown (-want +got):\n%s", diff)
			}
			applied := plan.ApplyAs(tc.applied)
			if len(applied.Diagnostics) > 0 {
				t.Fatalf("apply:\n%s", applied.Diagnostics)
			}
			if again := r.Plan(tc.applied); again.Action != prototest.NoOp {
				t.Errorf("the second plan is a %s", again.Action)
			}
		})
	}
}

// What turns out wrong at apply stops there.
func TestMacHostStorageUnknownTurnsOutWrong(t *testing.T) {
	plan := guard(t).Plan(with("throughput_mib_per_s = 750", "throughput_mib_per_s = unknown"))
	applied := plan.ApplyAs(with("throughput_mib_per_s = 750", "throughput_mib_per_s = 125"))
	if diff := cmp.Diff([]string{"error root.throughput_mib_per_s mac-root-throughput"}, said(applied.Diagnostics)); diff != "" {
		t.Error(diff)
	}
}

func TestMacHostStorageFillIn(t *testing.T) {
	for name, tc := range map[string]struct {
		config string
		want   map[string]any
	}{
		"everything left out": {
			config: `
				instance_type = "mac2-m2pro.metal"
				root { size_gib = 100 }
				vmdata { size_gib = 750 }
				images {
					count = 2
					size_gib = 75
				}`,
			want: map[string]any{
				"root.throughput_mib_per_s": 750.0, "root.iops": 3000.0, "vmdata.throughput_mib_per_s": 700.0, "vmdata.iops": 3000.0,
				"grace_margin_seconds": nil, "guest_read_iops": 3000.0, "guest_write_iops": 1500.0, "monthly_cost_usd": 116.0,
			},
		},
		"three images reach the ceiling": {
			config: `
				instance_type = "mac2-m2pro.metal"
				root { size_gib = 100 }
				vmdata { size_gib = 750 }
				images {
					count = 3
					size_gib = 75
				}`,
			want: map[string]any{"vmdata.throughput_mib_per_s": 953.0, "vmdata.iops": 3812.0},
		},
		"no images": {
			config: `
				instance_type = "mac2-m2pro.metal"
				root { size_gib = 100 }
				vmdata { size_gib = 750 }`,
			want: map[string]any{"vmdata.throughput_mib_per_s": 125.0, "vmdata.iops": 3000.0, "image_pull_seconds": 0.0, "boot_to_ready_seconds": 40.5},
		},
		"no vmdata and no images": {
			config: `
				instance_type = "mac2-m2pro.metal"
				root { size_gib = 100 }`,
			want: map[string]any{"vmdata": nil, "guest_read_iops": nil, "guest_write_iops": nil, "image_pull_seconds": 0.0, "provisioned_throughput_mib_per_s": 750.0},
		},
		"the data volume is configured elsewhere": {
			config: with("vmdata {\n\t\tsize_gib             = 750\n\t\tiops                 = 16000\n\t\tthroughput_mib_per_s = 700\n\t}", ""),
			want: map[string]any{
				"vmdata": nil, "guest_read_iops": nil, "provisioned_throughput_mib_per_s": 750.0,
				"findings[0].severity": "info", "findings[0].rule": "mac-vmdata-size", "findings[0].path": "root.size_gib",
			},
		},
		"another type than gp3": {
			config: `
				instance_type = "mac2-m2pro.metal"
				root { size_gib = 100 }
				vmdata {
					size_gib = 750
					type     = "io1"
					iops     = 10000
				}`,
			want: map[string]any{"vmdata.throughput_mib_per_s": nil, "vmdata.iops": 10000.0},
		},
		"an unknown region's price": {
			config: recommended + `region = "ca-west-1"`,
			want:   map[string]any{"monthly_cost_usd": nil, "boot_to_ready_seconds": 289.5},
		},
		"the root takes the instance's ceiling": {
			config: with(`throughput_mib_per_s = 750`, "throughput_mib_per_s = 1000\n iops = 4000"),
			want:   map[string]any{"boot_to_downloads_seconds": 32.5},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := guard(t)
			plan := r.Plan(tc.config)
			if len(plan.Errors()) > 0 {
				t.Fatal(plan.Diagnostics)
			}
			expect(t, plan.Attr, tc.want)
			plan.MustApply()
			if again := r.Plan(tc.config); again.Action != prototest.NoOp {
				t.Errorf("the second plan is a %s", again.Action)
			}
		})
	}
}

// A review shows what a change of an input does to the predictions.
func TestMacHostStorageChange(t *testing.T) {
	r := guard(t)
	r.Plan(recommended).MustApply()
	plan := r.Plan(with("throughput_mib_per_s = 750", "throughput_mib_per_s = 500"))
	expect(t, plan.Attr, map[string]any{"boot_to_ready_seconds": 297.5, "monthly_cost_usd": 171.0, "root.iops": 3000.0})
	plan.MustApply()
}

// A member that was removed goes back to what is filled in, though the state
// still holds the old value.
func TestMacHostStorageRemovedMember(t *testing.T) {
	r := guard(t)
	set := with("throughput_mib_per_s = 750", "throughput_mib_per_s = 750\n iops = 5000")
	r.Plan(set).MustApply()
	plan := r.Plan(recommended)
	if plan.Action != prototest.Update {
		t.Fatalf("a removed member is a %s", plan.Action)
	}
	expect(t, plan.Attr, map[string]any{"root.iops": 3000.0, "monthly_cost_usd": 181.0})
	plan.MustApply()
	if again := r.Plan(recommended); again.Action != prototest.NoOp {
		t.Errorf("the second plan is a %s", again.Action)
	}
}

// What was accepted once never blocks a destroy, nor makes a diff by itself.
func TestMacHostStorageNewerCatalogue(t *testing.T) {
	r := guard(t)
	r.Plan(recommended).MustApply()
	newer := r.On(prototest.New(t, factory(provider.WithCatalog(slowMac("mac2-m2pro.metal")))))
	if fresh := prototest.New(t, factory(provider.WithCatalog(slowMac("mac2-m2pro.metal")))).Resource("runnerfit_mac_host_storage").Plan(recommended); len(fresh.Errors()) == 0 {
		t.Fatal("the newer catalogue refuses nothing, so this test shows nothing")
	}
	plan := newer.Plan(recommended)
	if plan.Action != prototest.NoOp {
		t.Errorf("a newer catalogue alone makes a %s", plan.Action)
	}
	if len(plan.Errors()) > 0 || len(plan.Warnings()) == 0 {
		t.Errorf("an accepted configuration must be warned of and no more:\n%s", plan.Diagnostics)
	}
	if ds := newer.Destroy(); len(ds.Errors()) > 0 {
		t.Errorf("destroy is blocked:\n%s", ds)
	}
}

// A changed configuration is judged by the newer catalogue.
func TestMacHostStorageChangedUnderNewerCatalogue(t *testing.T) {
	r := guard(t)
	r.Plan(recommended).MustApply()
	newer := r.On(prototest.New(t, factory(provider.WithCatalog(slowMac("mac2-m2pro.metal")))))
	if changed := newer.Plan(with("grace_period_seconds = 600", "grace_period_seconds = 601")); len(changed.Errors()) == 0 {
		t.Error("a changed configuration is not judged anew")
	}
}

// A change of configuration that changes no other attribute is accepted, too: a
// filled-in value written out, or a rule ignored that nothing breaks.
func TestMacHostStorageAcceptsWhatChangesNothing(t *testing.T) {
	written := with("throughput_mib_per_s = 750", "throughput_mib_per_s = 750\n iops = 3000")
	slow := factory(provider.WithCatalog(slowMac("mac2-m2pro.metal")))
	ignore := prototest.Config(`ignore_rules = { "mac-vm-limit" = "agreed" }`)

	r := guard(t)
	r.Plan(recommended).MustApply()
	r.Plan(written).MustApply()
	newer := r.On(prototest.New(t, slow))
	if plan := newer.Plan(written); plan.Action != prototest.NoOp || len(plan.Errors()) > 0 {
		t.Errorf("a written-out value is not accepted: %s\n%s", plan.Action, plan.Diagnostics)
	}
	if ds := newer.Destroy(); len(ds.Errors()) > 0 {
		t.Errorf("destroy is blocked:\n%s", ds)
	}

	r = guard(t)
	r.Plan(recommended).MustApply()
	ignoring := r.On(prototest.New(t, factory(), ignore))
	ignoring.Plan(recommended).MustApply()
	if plan := ignoring.On(prototest.New(t, slow, ignore)).Plan(recommended); plan.Action != prototest.NoOp || len(plan.Errors()) > 0 {
		t.Errorf("an ignored rule is not accepted: %s\n%s", plan.Action, plan.Diagnostics)
	}
}

// The provider block counts as configuration: ignoring fewer rules, or other
// prices, makes the guard think again.
func TestMacHostStorageProviderBlock(t *testing.T) {
	config := with("throughput_mib_per_s = 750", "throughput_mib_per_s = 125")
	r := guard(t, prototest.Config(`ignore_rules = { "mac-root-throughput" = "staging" }`))
	r.Plan(config).MustApply()
	if plan := r.Plan(config); plan.Action != prototest.NoOp || len(plan.Diagnostics) > 0 {
		t.Errorf("%s with\n%s", plan.Action, plan.Diagnostics)
	}
	strict := r.On(prototest.New(t, factory()))
	if plan := strict.Plan(config); len(plan.Errors()) == 0 {
		t.Error("a rule that is no longer ignored is not reported")
	}
	priced := prototest.New(t, factory(), prototest.Config("prices {\n gp3_gib_month_usd = 0.10\n}")).Resource("runnerfit_mac_host_storage")
	expect(t, priced.Plan(recommended).Attr, map[string]any{"monthly_cost_usd": 198.0})
	abroad := prototest.New(t, factory(), prototest.Config(`region = "eu-west-1"`)).Resource("runnerfit_mac_host_storage")
	expect(t, abroad.Plan(recommended).Attr, map[string]any{"monthly_cost_usd": 199.1})
}

// Unknown provider configuration: costs are unknown, errors are withheld while
// it is not known which rules are ignored.
func TestMacHostStorageUnknownProvider(t *testing.T) {
	for name, config := range map[string]string{
		"region": "region = unknown",
		"prices": "prices {\n gp3_gib_month_usd = unknown\n}",
	} {
		t.Run(name, func(t *testing.T) {
			plan := guard(t, prototest.Config(config)).Plan(recommended)
			expect(t, plan.Attr, map[string]any{"monthly_cost_usd": prototest.Unknown, "findings": prototest.Unknown, "boot_to_ready_seconds": 289.5})
		})
	}
	t.Run("ignored rules", func(t *testing.T) {
		plan := guard(t, prototest.Config("ignore_rules = unknown")).Plan(with("throughput_mib_per_s = 750", "throughput_mib_per_s = 125"))
		if len(plan.Diagnostics) > 0 {
			t.Errorf("said too early:\n%s", plan.Diagnostics)
		}
	})
}
