package mac_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/mac"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/testcases"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// dec is a figure that was written.
func dec(s string) optional.Value[decimal.Decimal] {
	return optional.Known(decimal.RequireFromString(s))
}

func whole(n int64) optional.Value[decimal.Decimal] { return optional.Known(decimal.NewFromInt(n)) }

var leftOut, notKnown = optional.Null[decimal.Decimal](), optional.Unknown[decimal.Decimal]()

func volume(size, iops, throughput optional.Value[decimal.Decimal]) mac.StorageVolume {
	return mac.StorageVolume{SizeGiB: size, IOPS: iops, ThroughputMiBPerS: throughput}
}

// host is a Mac with two volumes whose speeds are left out, and two images.
type host struct {
	mac.Storage
	root, vmdata mac.StorageVolume
	images       mac.StorageImages
}

func aHost(changes ...func(*host)) mac.Storage {
	h := &host{
		Storage: mac.Storage{InstanceType: optional.Known(mac.MeasuredType), Region: catalog.DefaultRegion, GracePeriodSeconds: dec("600")},
		root:    volume(dec("100"), leftOut, leftOut),
		vmdata:  volume(dec("750"), leftOut, leftOut),
		images:  mac.StorageImages{Count: dec("2"), SizeGiB: dec("75")},
	}
	// Changes are of parts, of which the blocks are made in the end, or of a whole
	// block, which then stays.
	root, vmdata, images := optional.Known(h.root), optional.Known(h.vmdata), optional.Known(h.images)
	h.Root, h.VMData, h.Images = root, vmdata, images
	for _, change := range changes {
		change(h)
	}
	if h.Root == root {
		h.Root = optional.Known(h.root)
	}
	if h.VMData == vmdata {
		h.VMData = optional.Known(h.vmdata)
	}
	if h.Images == images {
		h.Images = optional.Known(h.images)
	}
	return h.Storage
}

// recommended is the configuration that the documentation recommends.
func recommended() mac.Storage {
	return aHost(func(h *host) {
		h.VMsPerHost = dec("2")
		h.root.ThroughputMiBPerS = dec("750")
		h.vmdata.IOPS, h.vmdata.ThroughputMiBPerS = dec("16000"), dec("700")
	})
}

// facts are the results that are known, as they are shown: seconds to half a
// second, money to the cent; "?" while they wait for an input, absent where they
// do not apply.
func facts(r mac.StorageResult) map[string]string {
	out := map[string]string{}
	add := func(name string, v optional.Value[string]) {
		if s, ok := v.Get(); ok {
			out[name] = s
		} else if v.IsUnknown() {
			out[name] = "?"
		}
	}
	text := func(d decimal.Decimal) string { return d.String() }
	seconds := func(f float64) string { return decimal.NewFromFloat(half(f)).String() }
	number := func(f float64) string { return decimal.NewFromFloat(f).Round(2).String() }
	rate := func(f units.MiBPerS) string { return number(float64(f)) }
	add("root.iops", optional.Map(r.RootIOPS, text))
	add("root.mib", optional.Map(r.RootThroughputMiBPerS, text))
	add("vmdata.iops", optional.Map(r.VMDataIOPS, text))
	add("vmdata.mib", optional.Map(r.VMDataThroughputMiBPerS, text))
	add("instance", optional.Map(r.InstanceThroughput, rate))
	add("sum", optional.Map(r.ProvisionedThroughput, rate))
	add("boot", optional.Map(r.BootSeconds, seconds))
	add("pull", optional.Map(r.PullSeconds, seconds))
	add("ready", optional.Map(r.ReadySeconds, seconds))
	add("margin", optional.Map(r.GraceMarginSeconds, seconds))
	add("reads", optional.Map(r.GuestReadIOPS, number))
	add("writes", optional.Map(r.GuestWriteIOPS, number))
	add("usd", optional.Map(r.MonthlyCostUSD, func(d decimal.Decimal) string { return d.StringFixed(2) }))
	return out
}

// everything that a host with both volumes has.
var everything = []string{"root.iops", "root.mib", "vmdata.iops", "vmdata.mib", "instance", "sum", "boot", "pull", "ready", "margin", "reads", "writes", "usd"}

func TestRecommendedConfiguration(t *testing.T) {
	r := mac.EvaluateStorage(cat, recommended())
	want := map[string]string{
		"root.iops": "3000", "root.mib": "750", "vmdata.iops": "16000", "vmdata.mib": "700", "instance": "953.67", "sum": "1450",
		"boot": "36", "pull": "249.5", "ready": "289.5", "margin": "310.5", "reads": "14200", "writes": "7010", "usd": "181.00",
	}
	if diff := cmp.Diff(want, facts(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if r.FindingsWaitForAnUnknown {
		t.Error("waits, although everything is known")
	}
	// Not a word in a plan; advice is in the results.
	if finding.Worst(r.Findings) > finding.Info {
		t.Errorf("worst: %+v", r.Findings)
	}
	if diff := testcases.Compare([]testcases.Finding{
		found(ebs.RuleInstanceSharedBudget, finding.Info, "", "", "1,450 MiB/s", "busy one after the other"),
		found(mac.RuleVMDataIOPS, finding.Info, "vmdata.iops", "9", "iops = 14200 (-$9.00 a month)"),
	}, r.Findings); diff != "" {
		t.Error(diff)
	}
}

// What is filled in, and what follows from it.
func TestFillIn(t *testing.T) {
	images := func(count, gib string) func(*host) {
		return func(h *host) { h.images = mac.StorageImages{Count: dec(count), SizeGiB: dec(gib)} }
	}
	root := func(size, iops, throughput optional.Value[decimal.Decimal]) func(*host) {
		return func(h *host) { h.root = volume(size, iops, throughput) }
	}
	vmdata := func(size, iops, throughput optional.Value[decimal.Decimal]) func(*host) {
		return func(h *host) { h.vmdata = volume(size, iops, throughput) }
	}
	typ := func(name string) func(*host) {
		return func(h *host) { h.InstanceType = optional.Known(name) }
	}
	for _, test := range []struct {
		name    string
		storage mac.Storage
		want    map[string]string // "-" for absent
	}{
		{"all left out", aHost(), map[string]string{
			"root.iops": "3000", "root.mib": "750", "vmdata.iops": "3000", "vmdata.mib": "700", "sum": "1450", "pull": "249.5", "reads": "3000", "writes": "1500", "usd": "116.00",
		}},
		{"one image", aHost(images("1", "75")), map[string]string{"vmdata.iops": "3000", "vmdata.mib": "350", "pull": "249.5"}},
		{"three images are cut to the instance", aHost(images("3", "75")), map[string]string{"vmdata.iops": "3812", "vmdata.mib": "953", "pull": "249.5"}},
		{"three images on a wider instance", aHost(typ("mac2.metal"), images("3", "75")), map[string]string{"vmdata.iops": "4200", "vmdata.mib": "1050", "instance": "1192.09"}},
		{"three images on a small volume", aHost(images("3", "2"), vmdata(dec("7"), leftOut, leftOut)), map[string]string{"vmdata.iops": "3500", "vmdata.mib": "875"}},
		{"three images on the smallest volume", aHost(images("3", "0.1"), vmdata(dec("1"), leftOut, leftOut)), map[string]string{"vmdata.iops": "3000", "vmdata.mib": "750"}},
		{"three images with IOPS that carry less", aHost(images("3", "75"), vmdata(dec("750"), dec("3000"), leftOut)), map[string]string{"vmdata.iops": "3000", "vmdata.mib": "750"}},
		{"three images with IOPS that carry more", aHost(images("3", "75"), vmdata(dec("750"), dec("16000"), leftOut)), map[string]string{"vmdata.iops": "16000", "vmdata.mib": "953"}},
		{"ten images on a type without a ceiling", aHost(typ("mac9.metal"), images("10", "75")), map[string]string{"vmdata.iops": "8000", "vmdata.mib": "2000", "instance": "-"}},
		{"no images", aHost(func(h *host) { h.Images = optional.Null[mac.StorageImages]() }), map[string]string{
			"vmdata.iops": "3000", "vmdata.mib": "125", "pull": "0", "ready": "40.5", "margin": "559.5",
		}},
		{"images without a count", aHost(func(h *host) { h.images.Count = leftOut }), map[string]string{"vmdata.mib": "125", "pull": "-", "ready": "-", "margin": "-"}},
		{"images without a size", aHost(func(h *host) { h.images.SizeGiB = leftOut }), map[string]string{"vmdata.mib": "700", "pull": "-", "ready": "-", "margin": "-"}},
		// Without a data volume the images go to the root.
		{"no vmdata", aHost(func(h *host) { h.VMData = optional.Null[mac.StorageVolume]() }), map[string]string{
			"vmdata.iops": "-", "vmdata.mib": "-", "sum": "750", "pull": "249.5", "reads": "-", "writes": "-", "usd": "33.00",
		}},
		{"no vmdata and a slow root", aHost(root(dec("100"), leftOut, dec("400")), func(h *host) { h.VMData = optional.Null[mac.StorageVolume]() }), map[string]string{"pull": "384", "ready": "438"}},
		{"no root", aHost(func(h *host) { h.Root = optional.Null[mac.StorageVolume]() }), map[string]string{
			"root.iops": "-", "root.mib": "-", "vmdata.mib": "700", "boot": "-", "pull": "249.5", "ready": "-", "margin": "-", "sum": "-", "usd": "-", "reads": "3000",
		}},
		{"no grace period", aHost(func(h *host) { h.GracePeriodSeconds = leftOut }), map[string]string{"ready": "289.5", "margin": "-"}},
		{"launching counts", aHost(func(h *host) { h.LaunchSeconds = dec("360") }), map[string]string{"ready": "289.5", "margin": "-49.5"}},
		// 40.3 s are shown as 40.5: what is left is the difference of what is shown.
		{"the margin is what people see", aHost(func(h *host) { h.Images = optional.Null[mac.StorageImages](); h.GracePeriodSeconds = dec("40.25") }), map[string]string{"ready": "40.5", "margin": "-0.5"}},
		{"one VM", aHost(func(h *host) { h.VMsPerHost = dec("1") }), map[string]string{"vmdata.iops": "3000", "reads": "3000", "writes": "1500"}},
		// 1,250 a VM.
		{"three VMs", aHost(func(h *host) { h.VMsPerHost = dec("3") }), map[string]string{"vmdata.iops": "3750", "reads": "-", "writes": "-"}},
		{"a thousand VMs", aHost(func(h *host) { h.VMsPerHost = dec("1000") }), map[string]string{"vmdata.iops": "80000"}},
		{"a thousand VMs on a small volume", aHost(images("1", "1"), vmdata(dec("10"), leftOut, leftOut), func(h *host) { h.VMsPerHost = dec("1000") }), map[string]string{"vmdata.iops": "5000", "vmdata.mib": "350"}},
		{"a faster root", aHost(root(dec("100"), leftOut, dec("1000"))), map[string]string{"root.iops": "4000", "root.mib": "1000", "boot": "32.5"}},
		// What is filled in is at most what EC2 takes; the throughput is at fault.
		{"a root too small for its throughput", aHost(root(dec("7"), leftOut, dec("1000"))), map[string]string{"root.iops": "3500", "root.mib": "1000"}},
		{"a root beyond gp3", aHost(root(dec("1000"), leftOut, dec("100000"))), map[string]string{"root.iops": "80000", "root.mib": "100000"}},
		{"a root with few IOPS", aHost(root(dec("100"), dec("1000"), leftOut)), map[string]string{"root.iops": "1000", "root.mib": "250"}},
		{"a root of no size", aHost(root(leftOut, leftOut, dec("1000"))), map[string]string{"root.iops": "4000", "usd": "-"}},
		// Only gp3 is filled in; a gp2 has its speed by its size.
		{"gp2", aHost(func(h *host) {
			h.root.Type, h.vmdata.Type = optional.Known("gp2"), optional.Known("gp2")
		}), map[string]string{"root.iops": "-", "root.mib": "-", "vmdata.iops": "-", "vmdata.mib": "-", "sum": "378", "boot": "111", "pull": "614.5", "reads": "-", "usd": "85.00"}},
		{"io2", aHost(func(h *host) { h.vmdata.Type, h.vmdata.IOPS = optional.Known("io2"), dec("16000") }), map[string]string{
			"vmdata.iops": "16000", "vmdata.mib": "-", "sum": "4750", "reads": "14200", "usd": "1166.75",
		}},
		{"another region", aHost(func(h *host) { h.Region = "sa-east-1" }), map[string]string{"usd": "220.40"}},
		{"a region without prices", aHost(func(h *host) { h.Region = "mars-west-1" }), map[string]string{"usd": "-", "root.iops": "3000"}},
		{"no region yet", aHost(func(h *host) { h.Region = "" }), map[string]string{"usd": "-", "root.iops": "3000"}},
		{"own constants", aHost(func(h *host) {
			h.Calibration = optional.Known(mac.Calibration{BootFixedSeconds: 10, BootReadMiB: 7_500, PipelineMiBPerS: 400, ReadyFixedSeconds: 1})
		}), map[string]string{"boot": "20", "pull": "219.5", "ready": "240.5"}},
		{"nothing at all", mac.Storage{}, map[string]string{
			"root.iops": "-", "root.mib": "-", "vmdata.iops": "-", "vmdata.mib": "-", "instance": "-", "sum": "-", "boot": "-", "pull": "0", "ready": "-", "margin": "-", "reads": "-", "writes": "-", "usd": "-",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := facts(mac.EvaluateStorage(cat, test.storage))
			for name, want := range test.want {
				have, ok := got[name]
				if !ok {
					have = "-"
				}
				if have != want {
					t.Errorf("%s is %s, want %s", name, have, want)
				}
			}
		})
	}
}

// Each input by itself not known yet: exactly what depends on it waits, nothing
// is said of it, and the rest is judged as ever.
func TestUnknownInputs(t *testing.T) {
	written := func(h *host) {
		h.root.IOPS, h.root.ThroughputMiBPerS = dec("3000"), dec("750")
		h.vmdata.IOPS, h.vmdata.ThroughputMiBPerS = dec("16000"), dec("700")
		h.VMsPerHost = dec("2")
	}
	u := notKnown
	ready := []string{"ready", "margin"}
	volumes := []string{"root.iops", "root.mib", "vmdata.iops", "vmdata.mib"}
	for _, test := range []struct {
		name    string
		storage mac.Storage
		waits   []string
		// rules that are still applied
		rules []string
	}{
		{"nothing", aHost(), nil, []string{"instance-shared-budget", "mac-vmdata-iops"}},
		{"instance_type", aHost(func(h *host) { h.InstanceType = optional.Unknown[string]() }), everything, nil},
		{
			"instance_type, settings written", aHost(written, func(h *host) { h.InstanceType = optional.Unknown[string]() }),
			slices.Concat([]string{"instance", "boot", "pull", "reads", "writes"}, ready), nil,
		},
		{"grace_period_seconds", aHost(func(h *host) { h.GracePeriodSeconds = u }), []string{"margin"}, []string{"instance-shared-budget", "mac-vmdata-iops"}},
		{"launch_seconds", aHost(func(h *host) { h.LaunchSeconds = u }), []string{"margin"}, []string{"instance-shared-budget", "mac-vmdata-iops"}},
		{"launch_seconds without a grace period", aHost(func(h *host) { h.LaunchSeconds, h.GracePeriodSeconds = u, leftOut }), nil, []string{"instance-shared-budget", "mac-vmdata-iops"}},
		{"vms_per_host", aHost(func(h *host) { h.VMsPerHost = u }), []string{"vmdata.iops", "reads", "writes", "usd"}, nil},
		{"vms_per_host, settings written", aHost(written, func(h *host) { h.VMsPerHost = u }), []string{"reads", "writes"}, []string{"instance-shared-budget"}},
		{"root", aHost(func(h *host) { h.Root = optional.Unknown[mac.StorageVolume]() }), slices.Concat([]string{"root.iops", "root.mib", "sum", "boot", "usd"}, ready), []string{"mac-vmdata-iops"}},
		{"root.type", aHost(func(h *host) { h.root.Type = optional.Unknown[string]() }), slices.Concat([]string{"root.iops", "root.mib", "sum", "boot", "usd"}, ready), []string{"mac-vmdata-iops"}},
		// The free IOPS carry what is filled in at any size.
		{"root.size_gib", aHost(func(h *host) { h.root.SizeGiB = u }), []string{"usd"}, []string{"instance-shared-budget", "mac-vmdata-iops"}},
		{"root.size_gib of a fast root", aHost(func(h *host) { h.root.SizeGiB, h.root.ThroughputMiBPerS = u, dec("900") }), []string{"root.iops", "usd"}, []string{"mac-vmdata-iops"}},
		{"root.iops", aHost(func(h *host) { h.root.IOPS = u }), slices.Concat([]string{"root.iops", "root.mib", "sum", "boot", "usd"}, ready), []string{"mac-vmdata-iops"}},
		{"root.iops, throughput written", aHost(func(h *host) { h.root.IOPS, h.root.ThroughputMiBPerS = u, dec("750") }), []string{"root.iops", "usd"}, []string{"mac-vmdata-iops"}},
		{"root.throughput_mib_per_s", aHost(func(h *host) { h.root.ThroughputMiBPerS = u }), slices.Concat([]string{"root.iops", "root.mib", "sum", "boot", "usd"}, ready), []string{"mac-vmdata-iops"}},
		{"root.throughput_mib_per_s, IOPS written", aHost(func(h *host) { h.root.ThroughputMiBPerS, h.root.IOPS = u, dec("3000") }), slices.Concat([]string{"root.mib", "sum", "boot", "usd"}, ready), []string{"mac-vmdata-iops"}},
		{"root.from_snapshot", aHost(func(h *host) { h.root.ThroughputMiBPerS, h.root.FromSnapshot = dec("125"), optional.Unknown[bool]() }), nil, []string{"mac-vmdata-iops"}},
		{"vmdata", aHost(func(h *host) { h.VMData = optional.Unknown[mac.StorageVolume]() }), slices.Concat([]string{"vmdata.iops", "vmdata.mib", "sum", "pull", "reads", "writes", "usd"}, ready), nil},
		{"vmdata.type", aHost(func(h *host) { h.vmdata.Type = optional.Unknown[string]() }), slices.Concat([]string{"vmdata.iops", "vmdata.mib", "sum", "pull", "reads", "writes", "usd"}, ready), nil},
		{"vmdata.size_gib", aHost(func(h *host) { h.vmdata.SizeGiB = u }), []string{"usd"}, []string{"instance-shared-budget"}},
		{"vmdata.size_gib for three images", aHost(func(h *host) { h.vmdata.SizeGiB, h.images.Count = u, dec("3") }), slices.Concat([]string{"vmdata.iops", "vmdata.mib", "sum", "pull", "reads", "writes", "usd"}, ready), nil},
		{"vmdata.iops", aHost(func(h *host) { h.vmdata.IOPS = u }), slices.Concat([]string{"vmdata.iops", "vmdata.mib", "sum", "pull", "reads", "writes", "usd"}, ready), nil},
		{"vmdata.iops, throughput written", aHost(func(h *host) { h.vmdata.IOPS, h.vmdata.ThroughputMiBPerS = u, dec("700") }), []string{"vmdata.iops", "reads", "writes", "usd"}, nil},
		{"vmdata.throughput_mib_per_s", aHost(func(h *host) { h.vmdata.ThroughputMiBPerS = u }), slices.Concat([]string{"vmdata.iops", "vmdata.mib", "sum", "pull", "reads", "writes", "usd"}, ready), nil},
		{"vmdata.throughput_mib_per_s, IOPS written", aHost(func(h *host) { h.vmdata.ThroughputMiBPerS, h.vmdata.IOPS = u, dec("16000") }), slices.Concat([]string{"vmdata.mib", "sum", "pull", "usd"}, ready), nil},
		{"vmdata.from_snapshot", aHost(func(h *host) { h.vmdata.FromSnapshot = optional.Unknown[bool]() }), nil, []string{"instance-shared-budget", "mac-vmdata-iops"}},
		{"images", aHost(func(h *host) { h.Images = optional.Unknown[mac.StorageImages]() }), slices.Concat([]string{"vmdata.iops", "vmdata.mib", "sum", "pull", "reads", "writes", "usd"}, ready), nil},
		{"images, settings written", aHost(written, func(h *host) { h.Images = optional.Unknown[mac.StorageImages]() }), slices.Concat([]string{"pull"}, ready), []string{"instance-shared-budget", "mac-vmdata-iops"}},
		// Its speed is judged by what is pulled, if anything is.
		{"images of a slow volume", aHost(func(h *host) {
			h.Images, h.vmdata.ThroughputMiBPerS = optional.Unknown[mac.StorageImages](), dec("125")
		}), slices.Concat([]string{"pull"}, ready), []string{"mac-vmdata-iops"}},
		{"images.count", aHost(func(h *host) { h.images.Count = u }), slices.Concat([]string{"vmdata.iops", "vmdata.mib", "sum", "pull", "reads", "writes", "usd"}, ready), nil},
		{"images.size_gib", aHost(func(h *host) { h.images.SizeGiB = u }), slices.Concat([]string{"pull"}, ready), []string{"instance-shared-budget", "mac-vmdata-iops"}},
		// A slow root is one whatever the constants are, but its times are not known.
		{"calibration", aHost(func(h *host) {
			h.root.ThroughputMiBPerS, h.Calibration = dec("125"), optional.Unknown[mac.Calibration]()
		}), slices.Concat([]string{"boot", "pull"}, ready), []string{"mac-vmdata-iops"}},
		{"calibration without images", aHost(func(h *host) {
			h.Images, h.Calibration = optional.Null[mac.StorageImages](), optional.Unknown[mac.Calibration]()
		}), slices.Concat([]string{"boot"}, ready), []string{"gp3-default-throughput", "mac-vmdata-iops"}},
		{"all of it", mac.Storage{
			InstanceType: optional.Unknown[string](), GracePeriodSeconds: u, LaunchSeconds: u, VMsPerHost: u,
			Root: optional.Unknown[mac.StorageVolume](), VMData: optional.Unknown[mac.StorageVolume](), Images: optional.Unknown[mac.StorageImages](), Calibration: optional.Unknown[mac.Calibration](),
		}, everything, nil},
		{"all members", aHost(func(h *host) {
			v := mac.StorageVolume{Type: optional.Unknown[string](), SizeGiB: u, IOPS: u, ThroughputMiBPerS: u, FromSnapshot: optional.Unknown[bool]()}
			h.root, h.vmdata, h.images = v, v, mac.StorageImages{Count: u, SizeGiB: u}
		}), slices.Concat(volumes, []string{"sum", "boot", "pull", "reads", "writes", "usd"}, ready), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := mac.EvaluateStorage(cat, test.storage)
			var waits []string
			got := facts(r)
			for _, name := range everything {
				switch got[name] {
				case "?":
					waits = append(waits, name)
				case "":
					if name != "margin" {
						t.Errorf("%s is null", name)
					}
				}
			}
			sorted := func(s []string) []string { s = slices.Clone(s); slices.Sort(s); return s }
			if diff := cmp.Diff(sorted(test.waits), sorted(waits)); diff != "" {
				t.Errorf("waiting results (-want +got):\n%s", diff)
			}
			if r.FindingsWaitForAnUnknown != (test.name != "nothing") {
				t.Errorf("findings wait: %v", r.FindingsWaitForAnUnknown)
			}
			var rules []string
			path, _, _ := strings.Cut(test.name, ",")
			path, _, _ = strings.Cut(path, " ")
			for _, f := range r.Findings {
				rules = append(rules, f.Rule)
				if f.Path == path || strings.HasPrefix(f.Path, path+".") {
					t.Errorf("%s speaks of %s: %s", f.Rule, f.Path, f.Message)
				}
			}
			if diff := cmp.Diff(sorted(test.rules), sorted(rules)); diff != "" {
				t.Errorf("rules (-want +got):\n%s", diff)
			}
		})
	}
}

// anyStorage is a host with every member null, unknown, reasonable or not.
func anyStorage(t *rapid.T) mac.Storage {
	figure := func(name string, of ...int64) optional.Value[decimal.Decimal] {
		switch rapid.IntRange(0, 4).Draw(t, name+" state") {
		case 0:
			return leftOut
		case 1:
			return notKnown
		}
		return whole(rapid.SampledFrom(of).Draw(t, name))
	}
	text := func(name string, of ...string) optional.Value[string] {
		switch s := rapid.SampledFrom(append(of, "", "?")).Draw(t, name); s {
		case "":
			return optional.Null[string]()
		case "?":
			return optional.Unknown[string]()
		default:
			return optional.Known(s)
		}
	}
	flag := func(name string) optional.Value[bool] {
		return rapid.SampledFrom([]optional.Value[bool]{optional.Null[bool](), optional.Unknown[bool](), optional.Known(true), optional.Known(false)}).Draw(t, name)
	}
	state := func(name string) int { return rapid.SampledFrom([]int{0, 1, 2, 2, 2, 2}).Draw(t, name) }
	v := func(name string) optional.Value[mac.StorageVolume] {
		switch state(name) {
		case 0:
			return optional.Null[mac.StorageVolume]()
		case 1:
			return optional.Unknown[mac.StorageVolume]()
		}
		return optional.Known(mac.StorageVolume{
			Type:              text(name+" type", "gp3", "gp3", "gp2", "io1", "io2", "st1", "gp4"),
			SizeGiB:           figure(name+" size", 1, 5, 7, 10, 99, 100, 101, 150, 750, 1_000_000_000),
			IOPS:              figure(name+" iops", 1, 1000, 3000, 3001, 5000, 9790, 14200, 16000, 16001, 60000, 90000, 1_000_000_000),
			ThroughputMiBPerS: figure(name+" throughput", 1, 124, 125, 126, 399, 400, 616, 749, 750, 751, 953, 954, 2000, 2001, 1_000_000_000),
			FromSnapshot:      flag(name + " snapshot"),
		})
	}
	s := mac.Storage{
		InstanceType:       text("type", "mac2-m2pro.metal", "mac2.metal", "mac1.metal", "mac9.metal", "my secret"),
		Region:             rapid.SampledFrom([]string{"us-east-1", "sa-east-1", "mars-west-1", ""}).Draw(t, "region"),
		GracePeriodSeconds: figure("grace", 1, 40, 300, 362, 600, 1_000_000_000),
		LaunchSeconds:      figure("launch", 0, 360, 1200),
		VMsPerHost:         figure("vms", 1, 2, 3, 1_000_000_000),
		Root:               v("root"),
		VMData:             v("vmdata"),
	}
	switch state("images") {
	case 1:
		s.Images = optional.Unknown[mac.StorageImages]()
	case 2:
		s.Images = optional.Known(mac.StorageImages{Count: figure("count", 1, 2, 3, 4, 10, 1_000_000_000), SizeGiB: figure("gib", 1, 75, 100, 1_000_000_000)})
	}
	switch state("calibration") {
	case 1:
		s.Calibration = optional.Unknown[mac.Calibration]()
	case 2:
		s.Calibration = optional.Known(mac.Calibration{
			BootFixedSeconds: rapid.Float64Range(0, 100).Draw(t, "fixed"), BootReadMiB: rapid.Float64Range(0, 1e9).Draw(t, "read"),
			PipelineMiBPerS: units.MiBPerS(rapid.Float64Range(0.001, 1e9).Draw(t, "pipeline")), ReadyFixedSeconds: rapid.Float64Range(0, 100).Draw(t, "ready"),
		})
	}
	return s
}

// settle replaces what is not known by what it may turn out to be.
func settle(t *rapid.T, s mac.Storage) mac.Storage {
	other := anyStorage(t)
	figure := func(v *optional.Value[decimal.Decimal], from optional.Value[decimal.Decimal]) {
		if v.IsUnknown() {
			*v = from
			if from.IsUnknown() {
				*v = leftOut
			}
		}
	}
	v := func(b *optional.Value[mac.StorageVolume], from optional.Value[mac.StorageVolume]) {
		f, _ := from.Get()
		if b.IsUnknown() {
			*b = from
			if from.IsUnknown() {
				*b = optional.Null[mac.StorageVolume]()
			}
		}
		m, ok := b.Get()
		if !ok {
			return
		}
		for range 2 { // what was taken over may itself be unknown
			figure(&m.SizeGiB, f.SizeGiB)
			figure(&m.IOPS, f.IOPS)
			figure(&m.ThroughputMiBPerS, f.ThroughputMiBPerS)
		}
		if m.Type.IsUnknown() {
			m.Type = optional.Known(rapid.SampledFrom([]string{"gp3", "gp2", "io2"}).Draw(t, "settled type"))
		}
		if m.FromSnapshot.IsUnknown() {
			m.FromSnapshot = optional.Known(rapid.Bool().Draw(t, "settled snapshot"))
		}
		*b = optional.Known(m)
	}
	if s.InstanceType.IsUnknown() {
		s.InstanceType = optional.Known(rapid.SampledFrom([]string{"mac2-m2pro.metal", "mac2.metal", "mac9.metal"}).Draw(t, "settled type"))
	}
	figure(&s.GracePeriodSeconds, other.GracePeriodSeconds)
	figure(&s.LaunchSeconds, other.LaunchSeconds)
	figure(&s.VMsPerHost, other.VMsPerHost)
	v(&s.Root, other.Root)
	v(&s.VMData, other.VMData)
	if s.Images.IsUnknown() {
		s.Images = optional.Null[mac.StorageImages]()
		if rapid.Bool().Draw(t, "settled images") {
			s.Images = optional.Known(mac.StorageImages{Count: notKnown, SizeGiB: notKnown})
		}
	}
	if i, ok := s.Images.Get(); ok {
		figure(&i.Count, whole(rapid.Int64Range(1, 5).Draw(t, "settled count")))
		figure(&i.SizeGiB, whole(rapid.Int64Range(1, 100).Draw(t, "settled size")))
		s.Images = optional.Known(i)
	}
	if s.Calibration.IsUnknown() {
		s.Calibration = optional.Null[mac.Calibration]()
		if rapid.Bool().Draw(t, "settled calibration") {
			s.Calibration = optional.Known(mac.Calibration{BootFixedSeconds: 1, BootReadMiB: 5000, PipelineMiBPerS: 100, ReadyFixedSeconds: 1})
		}
	}
	return s
}

// Whatever is written, in whatever state, is answered. What is known before
// everything is stays as it is: Terraform refuses a plan that turns out
// otherwise. What is said stays true, too.
func TestAnyStorage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := anyStorage(t)
		if ps := before.Problems(); len(ps) > 0 {
			t.Fatalf("not a storage to evaluate: %v", ps)
		}
		r := mac.EvaluateStorage(cat, before)
		settled := mac.EvaluateStorage(cat, settle(t, before))
		if settled.FindingsWaitForAnUnknown {
			t.Fatal("waits, although everything is known")
		}
		then := facts(settled)
		for name, v := range then {
			if v == "?" {
				t.Errorf("%s waits, although everything is known", name)
			}
		}
		now := facts(r)
		for _, name := range everything {
			if now[name] != "?" && now[name] != then[name] {
				t.Errorf("%s was %q and turned out %q", name, now[name], then[name])
			}
		}
		for _, f := range r.Findings {
			// A rule may find a second place, so that the path is that of a worse one.
			if !slices.ContainsFunc(settled.Findings, func(g finding.Finding) bool { return g.Rule == f.Rule && g.Severity >= f.Severity }) {
				t.Errorf("%s was said and is not true: %s", f.Rule, f.Message)
			}
		}
		for _, fs := range [][]finding.Finding{r.Findings, settled.Findings} {
			checkFindings(t, fs)
		}
	})
}

// checkFindings: nothing is empty, malformed, repeated or out of order.
func checkFindings(t *rapid.T, fs []finding.Finding) {
	rules := slices.Concat(ebs.Rules(), mac.Rules())
	for _, f := range fs {
		at := slices.IndexFunc(rules, func(r finding.Rule) bool { return r.ID == f.Rule })
		if at < 0 || !slices.Contains(rules[at].Severities, f.Severity) {
			t.Errorf("%s is not registered as %s", f.Rule, f.Severity)
		}
		text := f.Message + " " + f.Fix
		if f.Message == "" || strings.Contains(text, "%!") || strings.Contains(text, "Inf") || strings.Contains(text, "NaN") || strings.Contains(text, "secret") || strings.Contains(text, "Write  ") || strings.Contains(text, "()") {
			t.Errorf("%s: %s", f.Rule, text)
		}
		if f.MonthlySavingUSD.Valid && !f.MonthlySavingUSD.Decimal.IsPositive() {
			t.Errorf("%s saves %s", f.Rule, f.MonthlySavingUSD.Decimal)
		}
	}
	if diff := cmp.Diff(fs, finding.Merge(fs), cmp.Comparer(func(a, b decimal.NullDecimal) bool { return a.Valid == b.Valid && a.Decimal.Equal(b.Decimal) })); diff != "" {
		t.Errorf("not merged and sorted:\n%s", diff)
	}
}

// What is filled in is never at fault by itself: whatever error there is about
// a volume points at a setting that was written, or at a size.
func TestFilledInSettingsAreWithoutFault(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := settle(t, anyStorage(t))
		left := map[string]bool{}
		for name, b := range map[string]optional.Value[mac.StorageVolume]{"root": s.Root, "vmdata": s.VMData} {
			v, ok := b.Get()
			if typ, _ := v.Type.Or(ebs.TypeGP3).Get(); ok && typ == ebs.TypeGP3 {
				left[name+".iops"], left[name+".throughput_mib_per_s"] = v.IOPS.IsNull(), v.ThroughputMiBPerS.IsNull()
			}
		}
		for _, f := range mac.EvaluateStorage(cat, s).Findings {
			// That a host boots slowly on IOPS that carry no more is said where it is
			// said of all hosts.
			if f.Severity == finding.Error && left[f.Path] && f.Rule != mac.RuleRootThroughput.ID {
				t.Errorf("%s was left out, but %s: %s %s", f.Path, f.Rule, f.Message, f.Fix)
			}
		}
	})
}

func TestHostCases(t *testing.T) {
	for _, c := range testcases.Hosts {
		t.Run(c.ID, func(t *testing.T) {
			if ps := slices.Concat(c.Storage.Problems(), c.Storage.Missing()); len(ps) > 0 {
				t.Fatalf("problems: %v", ps)
			}
			r := mac.EvaluateStorage(cat, c.Storage)
			if diff := testcases.Compare(c.Findings, r.Findings); diff != "" {
				t.Error(diff)
			}
			if finding.Worst(r.Findings) != c.Level {
				t.Errorf("level %s, want %s", finding.Worst(r.Findings), c.Level)
			}
			iops, _ := r.RootIOPS.Get()
			throughput, _ := r.RootThroughputMiBPerS.Get()
			usd, _ := r.MonthlyCostUSD.Get()
			if iops.IntPart() != c.RootIOPS || throughput.IntPart() != c.RootThroughputMiBPerS || !usd.Equal(decimal.RequireFromString(c.MonthlyUSD)) {
				t.Errorf("root %s IOPS, %s MiB/s, %s a month; want %d, %d, %s", iops, throughput, usd, c.RootIOPS, c.RootThroughputMiBPerS, c.MonthlyUSD)
			}
		})
	}
}
