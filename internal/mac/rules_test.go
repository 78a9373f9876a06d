package mac_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/mac"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/testcases"
)

func found(rule finding.Rule, severity finding.Severity, path, savingUSD string, says ...string) testcases.Finding {
	return testcases.Finding{Rule: rule.ID, Severity: severity, Path: path, SavingUSD: savingUSD, Says: says}
}

// figure is a figure that was written, left out if it is empty.
func figure(s string) optional.Value[decimal.Decimal] {
	if s == "" {
		return leftOut
	}
	return dec(s)
}

const extrapolation = "The model was measured on mac2-m2pro.metal with a root of 125 to 750 MiB/s, so this is an extrapolation."

// Each rule in both directions: what it says where it fires, and a neighbour of
// which it says nothing. Only the findings of the rule itself are looked at.
func TestRulesOfAHost(t *testing.T) {
	const (
		info    = finding.Info
		warning = finding.Warning
		fault   = finding.Error
	)
	root := func(size, iops, throughput string, more ...func(*host)) mac.Storage {
		return aHost(append([]func(*host){func(h *host) { h.root = volume(figure(size), figure(iops), figure(throughput)) }}, more...)...)
	}
	vmdata := func(size, iops, throughput string, more ...func(*host)) mac.Storage {
		return aHost(append([]func(*host){func(h *host) { h.vmdata = volume(figure(size), figure(iops), figure(throughput)) }}, more...)...)
	}
	typ := func(name string) func(*host) { return func(h *host) { h.InstanceType = optional.Known(name) } }
	images := func(count, gib string) func(*host) {
		return func(h *host) { h.images = mac.StorageImages{Count: dec(count), SizeGiB: dec(gib)} }
	}
	noImages := func(h *host) { h.Images = optional.Null[mac.StorageImages]() }
	grace := func(seconds string) func(*host) { return func(h *host) { h.GracePeriodSeconds = dec(seconds) } }
	launch := func(seconds string) func(*host) { return func(h *host) { h.LaunchSeconds = dec(seconds) } }
	vms := func(n string) func(*host) { return func(h *host) { h.VMsPerHost = dec(n) } }
	type wants = []testcases.Finding
	for _, test := range []struct {
		name    string
		rule    finding.Rule
		storage mac.Storage
		want    wants
	}{
		{"slow root", mac.RuleRootThroughput, root("100", "", "125"), wants{found(mac.RuleRootThroughput, fault, "root.throughput_mib_per_s", "",
			"at 125 MiB/s the predicted time from boot to downloads is 113 s, at 750 MiB/s it is 36 s", "below AWS's 400 MiB/s", "Write throughput_mib_per_s = 750 (+$25.00 a month; the free 3,000 IOPS carry it).")}},
		{"just below AWS's advice", mac.RuleRootThroughput, root("100", "", "399"), wants{found(mac.RuleRootThroughput, fault, "root.throughput_mib_per_s", "", "49.5 s")}},
		{"AWS's advice", mac.RuleRootThroughput, root("100", "10000", "400"), wants{found(mac.RuleRootThroughput, info, "root.throughput_mib_per_s", "21", "AWS's 400 MiB/s are a floor", "throughput_mib_per_s = 750 and iops = 3000 (-$21.00 a month)")}},
		{"just below what is free of IOPS", mac.RuleRootThroughput, root("100", "", "749"), wants{found(mac.RuleRootThroughput, info, "root.throughput_mib_per_s", "", "(+$0.04 a month")}},
		{"what is free of IOPS", mac.RuleRootThroughput, root("100", "", "750"), nil},
		{"left out", mac.RuleRootThroughput, root("100", "", ""), nil},
		{"faster", mac.RuleRootThroughput, root("100", "", "900"), nil},
		{"slow, but not from a snapshot", mac.RuleRootThroughput, root("100", "", "125", func(h *host) { h.root.FromSnapshot = optional.Known(false) }), nil},
		{"slow, and said to be from a snapshot", mac.RuleRootThroughput, root("100", "", "125", func(h *host) { h.root.FromSnapshot = optional.Known(true) }), wants{found(mac.RuleRootThroughput, fault, "root.throughput_mib_per_s", "")}},
		{"gp2", mac.RuleRootThroughput, root("100", "", "", func(h *host) { h.root.Type = optional.Known("gp2") }), wants{found(mac.RuleRootThroughput, fault, "root.type", "",
			"at 128 MiB/s the predicted", `Write type = "gp3" and throughput_mib_per_s = 750 (+$23.00 a month); its free 3,000 IOPS carry it.`)}},
		{"io2 that is fast", mac.RuleRootThroughput, root("100", "4000", "", func(h *host) { h.root.Type = optional.Known("io2") }), nil},
		{"slow on another type", mac.RuleRootThroughput, root("100", "", "125", typ("mac2.metal")), wants{found(mac.RuleRootThroughput, fault, "root.throughput_mib_per_s", "", extrapolation)}},
		{"slow on an unknown type", mac.RuleRootThroughput, root("100", "", "125", typ("mac9.metal")), wants{found(mac.RuleRootThroughput, fault, "root.throughput_mib_per_s", "", extrapolation)}},
		{"slower than was measured", mac.RuleRootThroughput, root("100", "", "124"), wants{found(mac.RuleRootThroughput, fault, "root.throughput_mib_per_s", "", extrapolation)}},

		{"smaller than the image", mac.RuleRootSize, root("99", "", ""), wants{found(mac.RuleRootSize, warning, "root.size_gib", "", "99 GiB are less than the 100 GiB", "size_gib = 100, unless your own image is smaller")}},
		{"the image's size", mac.RuleRootSize, root("100", "", ""), nil},
		{"larger than the image", mac.RuleRootSize, root("101", "", ""), wants{found(mac.RuleRootSize, info, "root.size_gib", "", "101 GiB are more", "resizeContainer")}},

		{"images do not fit", mac.RuleVMDataSize, vmdata("149", "", ""), wants{found(mac.RuleVMDataSize, fault, "vmdata.size_gib", "", "149 GiB cannot hold 2 images of 75 GiB, which are 150 GiB", "Write size_gib = 150 at least (+$0.08 a month); running VMs")}},
		{"images just fit", mac.RuleVMDataSize, vmdata("150", "", ""), nil},
		{"images of a fraction do not fit", mac.RuleVMDataSize, vmdata("150", "", "", images("2", "75.2")), wants{found(mac.RuleVMDataSize, fault, "vmdata.size_gib", "", "75.2 GiB, which are 150.4 GiB", "size_gib = 151")}},
		// In floating point a hundred times 1.1 are a little more than 110.
		{"images of a fraction just fit", mac.RuleVMDataSize, vmdata("110", "", "", images("100", "1.1")), nil},
		{"no images", mac.RuleVMDataSize, vmdata("1", "", "", noImages), nil},

		{"vmdata from a snapshot", mac.RuleVMDataSnapshot, vmdata("750", "", "", func(h *host) { h.vmdata.FromSnapshot = optional.Known(true) }), wants{found(mac.RuleVMDataSnapshot, warning, "vmdata.from_snapshot", "", "fetched from S3", "from_snapshot = false")}},
		{"vmdata that is empty", mac.RuleVMDataSnapshot, vmdata("750", "", "", func(h *host) { h.vmdata.FromSnapshot = optional.Known(false) }), nil},
		{"vmdata of which nothing is said", mac.RuleVMDataSnapshot, vmdata("750", "", ""), nil},

		// Ready is predicted after 289.5 s.
		{"too little time", mac.RuleGracePeriod, aHost(grace("289")), wants{found(mac.RuleGracePeriod, fault, "grace_period_seconds", "",
			"ready after 289.5 s, but is allowed 289 s", "takes another dedicated host", "Allow 362 s")}},
		{"exactly enough time", mac.RuleGracePeriod, aHost(grace("289.5")), wants{found(mac.RuleGracePeriod, warning, "grace_period_seconds", "",
			"after 289.5 s of the 289.5 s that it is allowed. That leaves 0 %; the prediction alone is uncertain by 3.5 %")}},
		{"too little to spare", mac.RuleGracePeriod, aHost(grace("361")), wants{found(mac.RuleGracePeriod, warning, "grace_period_seconds", "", "leaves 19.81 %", "Allow 362 s")}},
		{"enough to spare", mac.RuleGracePeriod, aHost(grace("362")), nil},
		{"launching takes the time", mac.RuleGracePeriod, aHost(launch("360")), wants{found(mac.RuleGracePeriod, fault, "grace_period_seconds", "",
			"after 649.5 s (360 s of launching and 289.5 s from boot), but is allowed 600 s", "Allow 812 s")}},
		{"launching leaves enough", mac.RuleGracePeriod, aHost(launch("190.5")), nil}, // 480 of 600
		{"launching takes half a second more", mac.RuleGracePeriod, aHost(launch("191")), wants{found(mac.RuleGracePeriod, warning, "grace_period_seconds", "", "19.92 %")}},
		{"no allowed time", mac.RuleGracePeriod, aHost(func(h *host) { h.GracePeriodSeconds = leftOut }, launch("9999")), nil},
		{"too little time on another type", mac.RuleGracePeriod, aHost(grace("200"), typ("mac2.metal")), wants{found(mac.RuleGracePeriod, fault, "grace_period_seconds", "", extrapolation)}},
		{"too little to spare with a faster root", mac.RuleGracePeriod, root("100", "", "900", grace("300")), wants{found(mac.RuleGracePeriod, warning, "grace_period_seconds", "", extrapolation)}},

		{"useful IOPS", mac.RuleVMDataIOPS, vmdata("750", "14200", ""), nil},
		{"more than are useful", mac.RuleVMDataIOPS, vmdata("750", "14201", ""), wants{found(mac.RuleVMDataIOPS, info, "vmdata.iops", "0.005",
			"Random I/O of 2 VMs reaches 14,200 IOPS", "measured on mac2-m2pro.metal", "14,201 are provisioned", "iops = 14200 (-$0.01 a month)")}},
		{"the most that was measured", mac.RuleVMDataIOPS, vmdata("750", "16000", ""), wants{found(mac.RuleVMDataIOPS, info, "vmdata.iops", "9")}},
		{"more than was measured", mac.RuleVMDataIOPS, vmdata("750", "16001", ""), wants{found(mac.RuleVMDataIOPS, warning, "vmdata.iops", "9.005", "iops = 14200 (-$9.01 a month)")}},
		{"useful IOPS of one VM", mac.RuleVMDataIOPS, vmdata("750", "9790", "", vms("1")), nil},
		{"more than are useful to one VM", mac.RuleVMDataIOPS, vmdata("750", "9791", "", vms("1")), wants{found(mac.RuleVMDataIOPS, info, "vmdata.iops", "0.005", "Random I/O of 1 VM reaches 9,790 IOPS")}},
		{"more than three VMs can use, of which nothing is known", mac.RuleVMDataIOPS, vmdata("750", "80000", "", vms("3")), nil},
		{"filled in", mac.RuleVMDataIOPS, aHost(), wants{found(mac.RuleVMDataIOPS, info, "vmdata.iops", "",
			"filled in with 3,000, enough for buffered builds of 2 VMs", "allow 3,000 random reads and 1,500 random writes", "14,200 IOPS would allow 14,200 and 7,010", "iops = 14200 (+$56.00 a month)")}},
		{"the same, written", mac.RuleVMDataIOPS, vmdata("750", "3000", ""), nil},
		{"filled in on a volume too small for more", mac.RuleVMDataIOPS, vmdata("28", "", "", images("1", "10")), nil},
		{"filled in on a volume just large enough for more", mac.RuleVMDataIOPS, vmdata("29", "", "", images("1", "10")), wants{found(mac.RuleVMDataIOPS, info, "vmdata.iops", "")}},

		// Two pipelines write 616 MiB/s, and 350 an image are advised.
		{"the advised throughput", mac.RuleVMDataThroughput, vmdata("750", "", "700"), nil},
		{"more than the pull can use", mac.RuleVMDataThroughput, vmdata("750", "", "701"), wants{found(mac.RuleVMDataThroughput, info, "vmdata.throughput_mib_per_s", "0.04",
			"Pulling 2 images uses 616 MiB/s at most (one pipeline each); 701 MiB/s are more", "Write throughput_mib_per_s = 700 (-$0.04 a month).")}},
		{"more, with IOPS to carry it", mac.RuleVMDataThroughput, vmdata("750", "3600", "900"), wants{found(mac.RuleVMDataThroughput, info, "vmdata.throughput_mib_per_s", "11", "Write throughput_mib_per_s = 700 and iops = 3000 (-$11.00 a month).")}},
		{"all that the pipelines write", mac.RuleVMDataThroughput, vmdata("750", "", "616"), nil},
		{"less than the pull could use", mac.RuleVMDataThroughput, vmdata("750", "", "615"), wants{found(mac.RuleVMDataThroughput, info, "vmdata.throughput_mib_per_s", "",
			"could use 616 MiB/s; at 615 MiB/s the pull takes a predicted 250 s, at 700 MiB/s 249.5 s", "Write throughput_mib_per_s = 700 (+$3.40 a month).")}},
		{"less than three pipelines could use", mac.RuleVMDataThroughput, vmdata("750", "", "750", images("3", "75")), wants{found(mac.RuleVMDataThroughput, info, "vmdata.throughput_mib_per_s", "",
			"could use 924 MiB/s", "at 953 MiB/s 249.5 s", "Write throughput_mib_per_s = 953 and iops = 3812 (+$12.18 a month).")}},
		// Four pipelines would fill the instance. Its 953.67 MiB/s are 953 in whole ones,
		// and what is left is no reason to speak.
		{"all that the instance carries", mac.RuleVMDataThroughput, vmdata("750", "", "953", images("4", "75")), nil},
		{"filled in with all that it carries", mac.RuleVMDataThroughput, vmdata("750", "", "", images("4", "75")), nil},
		{"a MiB/s less", mac.RuleVMDataThroughput, vmdata("750", "", "952", images("4", "75")), wants{found(mac.RuleVMDataThroughput, info, "vmdata.throughput_mib_per_s", "", "Write throughput_mib_per_s = 953 and iops = 3812 (+$0.06 a month).")}},
		{"nothing to pull", mac.RuleVMDataThroughput, vmdata("750", "", "125", noImages), nil},
		{"a gp2, which has no setting", mac.RuleVMDataThroughput, vmdata("750", "", "", func(h *host) { h.vmdata.Type = optional.Known("gp2") }), nil},

		{"two guests", mac.RuleVMLimit, aHost(vms("2")), nil},
		{"three guests", mac.RuleVMLimit, aHost(vms("3")), wants{found(mac.RuleVMLimit, fault, "vms_per_host", "", "3 macOS guests", "a Mac runs 2 at most", "vms_per_host = 2 and more hosts")}},

		{"vmdata faster than the instance", ebs.RuleInstanceThroughput, vmdata("750", "4000", "1000", images("3", "75")), wants{found(ebs.RuleInstanceThroughput, warning, "vmdata.throughput_mib_per_s", "2.82",
			"953.67 MiB/s are usable", "throughput_mib_per_s = 953 and iops = 3812: the same speed, -$2.82 a month")}},
		{"both faster than the instance", ebs.RuleInstanceThroughput, root("100", "", "1000", func(h *host) { h.vmdata.ThroughputMiBPerS = dec("1000") }), wants{found(ebs.RuleInstanceThroughput, warning, "root.throughput_mib_per_s", "5.64", "root, vmdata: 1,000 MiB/s")}},
		{"within the instance", ebs.RuleInstanceThroughput, vmdata("750", "3812", "953", images("3", "75")), nil},
		// Boot and pull follow each other, so this is never more than advice.
		{"more than the instance together", ebs.RuleInstanceSharedBudget, aHost(), wants{found(ebs.RuleInstanceSharedBudget, info, "", "", "1,450 MiB/s are provisioned", "busy one after the other")}},
		{"not more than the instance together", ebs.RuleInstanceSharedBudget, vmdata("750", "", "203"), nil},
		{"unknown type", ebs.RuleInstanceUnknown, aHost(typ("mac9.metal")), wants{found(ebs.RuleInstanceUnknown, warning, "instance_type", "", "mac9.metal is not in the table of 2026-")}},
		{"known type", ebs.RuleInstanceUnknown, aHost(), nil},
		{"no type", ebs.RuleInstanceUnknown, aHost(func(h *host) { h.InstanceType = optional.Null[string]() }), nil},
		// The rules of gp3 need no type.
		{"above the ratio on an unknown type", ebs.RuleGP3ThroughputRatio, root("100", "3000", "751", typ("mac9.metal")), wants{found(ebs.RuleGP3ThroughputRatio, fault, "root.throughput_mib_per_s", "", "0.250333")}},
		// Filled-in IOPS stop at the size, so that the line that was written is at fault.
		{"a root too small for its throughput", ebs.RuleGP3ThroughputRatio, root("7", "", "1000"), wants{found(ebs.RuleGP3ThroughputRatio, fault, "root.throughput_mib_per_s", "",
			"1,000 MiB/s at 3,500 IOPS (the most that 7 GiB may have)", "size_gib = 8")}},
		{"above the ratio", ebs.RuleGP3ThroughputRatio, vmdata("750", "3000", "751"), wants{found(ebs.RuleGP3ThroughputRatio, fault, "vmdata.throughput_mib_per_s", "")}},
		{"on the ratio", ebs.RuleGP3ThroughputRatio, vmdata("750", "3000", "750"), nil},
		// VMs do random I/O: their volume's IOPS are for that and not for throughput.
		{"IOPS of vmdata", ebs.RuleGP3IOPSUnneeded, vmdata("750", "14000", ""), nil},
		{"IOPS of the root", ebs.RuleGP3IOPSUnneeded, root("100", "14000", ""), wants{found(ebs.RuleGP3IOPSUnneeded, info, "root.iops", "55")}},
		// Rules of their own speak of these throughputs, but of a volume without images
		// nobody else does.
		{"default throughput of a root", ebs.RuleGP3DefaultThroughput, root("100", "", "125"), nil},
		{"default throughput of vmdata with images", ebs.RuleGP3DefaultThroughput, vmdata("750", "", "125"), nil},
		{"default throughput of vmdata without images", ebs.RuleGP3DefaultThroughput, vmdata("750", "", "", noImages), wants{found(ebs.RuleGP3DefaultThroughput, info, "vmdata.throughput_mib_per_s", "")}},
	} {
		t.Run(test.rule.ID+"/"+test.name, func(t *testing.T) {
			var got []finding.Finding
			for _, f := range mac.EvaluateStorage(cat, test.storage).Findings {
				if f.Rule == test.rule.ID {
					got = append(got, f)
				}
			}
			if diff := testcases.Compare(test.want, got); diff != "" {
				t.Error(diff)
			}
			if !slices.ContainsFunc(test.want, func(w testcases.Finding) bool { return slices.Contains(w.Says, extrapolation) }) {
				for _, f := range got {
					if strings.Contains(f.Message, "extrapolation") {
						t.Errorf("said to be an extrapolation: %s", f.Message)
					}
				}
			}
		})
	}
}

// Whoever gives constants of his own knows where they hold, on any type.
func TestOwnConstantsAreNoExtrapolation(t *testing.T) {
	slow := aHost(func(h *host) {
		h.InstanceType = optional.Known("mac2.metal")
		h.GracePeriodSeconds = dec("200")
		h.root.ThroughputMiBPerS = dec("100")
		h.Calibration = optional.Known(mac.DefaultCalibration)
	})
	said := 0
	for _, f := range mac.EvaluateStorage(cat, slow).Findings {
		if f.Rule == mac.RuleRootThroughput.ID || f.Rule == mac.RuleGracePeriod.ID {
			said++
			if strings.Contains(f.Message, "extrapolation") {
				t.Errorf("%s: %s", f.Rule, f.Message)
			}
		}
	}
	if said != 2 {
		t.Errorf("%d of two findings", said)
	}
}

// Faster pipelines than the measured ones can use more, and are not told to
// have less.
func TestOwnPipelines(t *testing.T) {
	storage := func(throughput string) mac.Storage {
		return aHost(func(h *host) {
			c := mac.DefaultCalibration
			c.PipelineMiBPerS = 450
			h.Calibration = optional.Known(c)
			h.vmdata.ThroughputMiBPerS = figure(throughput)
		})
	}
	for throughput, want := range map[string][]testcases.Finding{
		"900": nil,
		"901": {found(mac.RuleVMDataThroughput, finding.Info, "vmdata.throughput_mib_per_s", "0.06", "uses 900 MiB/s at most", "throughput_mib_per_s = 900 and iops = 3600")},
		// The fill-in is what is documented, and the advice what they would use.
		"": {found(mac.RuleVMDataThroughput, finding.Info, "vmdata.throughput_mib_per_s", "", "could use 900 MiB/s; at 700 MiB/s", "throughput_mib_per_s = 900 and iops = 3600 (+$11.00 a month)")},
	} {
		var got []finding.Finding
		for _, f := range mac.EvaluateStorage(cat, storage(throughput)).Findings {
			if f.Rule == mac.RuleVMDataThroughput.ID {
				got = append(got, f)
			}
		}
		if diff := testcases.Compare(want, got); diff != "" {
			t.Errorf("%q: %s", throughput, diff)
		}
	}
}

// The one warning that a data volume above the instance gives, and nothing else
// that would be shown in a plan.
func TestOneWarningForAFastDataVolume(t *testing.T) {
	r := mac.EvaluateStorage(cat, aHost(func(h *host) { h.vmdata = volume(dec("750"), dec("4000"), dec("1000")) }))
	var shown []finding.Finding
	for _, f := range r.Findings {
		if f.Severity > finding.Info {
			shown = append(shown, f)
		}
	}
	if diff := testcases.Compare([]testcases.Finding{found(ebs.RuleInstanceThroughput, finding.Warning, "vmdata.throughput_mib_per_s", "2.82", "953.67", "3812", "$2.82")}, shown); diff != "" {
		t.Error(diff)
	}
}

// In an audit it is inferred that a volume is a Mac's root, so that the worst is
// a warning.
func TestRootThroughputInAnAudit(t *testing.T) {
	j := ebs.Judge{Catalog: cat, Region: catalog.DefaultRegion, Names: ebs.Names{Size: "volume_size", IOPS: "iops", Throughput: "throughput", Type: "volume_type"}}
	model := mac.NewModel(optional.Known(mac.MeasuredType), optional.Null[mac.Calibration]())
	for _, test := range []struct {
		name string
		root ebs.Volume
		want []testcases.Finding
	}{
		{"by default", ebs.Volume{SizeGiB: dec("100")}, []testcases.Finding{found(mac.RuleRootThroughput, finding.Warning, "throughput", "", "Write throughput = 750 (+$25.00 a month")}},
		{"at AWS's advice", ebs.Volume{SizeGiB: dec("100"), ThroughputMiBPerS: dec("400")}, []testcases.Finding{found(mac.RuleRootThroughput, finding.Info, "throughput", "")}},
		{"fast", ebs.Volume{SizeGiB: dec("100"), ThroughputMiBPerS: dec("750")}, nil},
	} {
		throughput, ok := test.root.Throughput(cat, catalog.CurrentLimits).Get()
		if !ok {
			t.Fatal("throughput not known")
		}
		if diff := testcases.Compare(test.want, mac.RootThroughput(j, test.root, throughput, m2pro, model, finding.Warning)); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
	// An instance that carries less than 750 is not asked for more.
	slow := optional.Known(catalog.EBSCeiling{Maximum: catalog.EBSRate{Bandwidth: 5000, IOPS: 20_000}}) // 596 MiB/s
	if fs := mac.RootThroughput(j, ebs.Volume{ThroughputMiBPerS: dec("596")}, 596, slow, model, finding.Warning); len(fs) > 0 {
		t.Errorf("all that the instance carries: %+v", fs)
	}
	if fs := mac.RootThroughput(j, ebs.Volume{ThroughputMiBPerS: dec("595")}, 595, slow, model, finding.Warning); len(fs) != 1 || !strings.Contains(fs[0].Fix, "throughput = 596") {
		t.Errorf("a MiB/s less: %+v", fs)
	}
}

func TestRootDevice(t *testing.T) {
	mapping := func(name string) mac.Mapping { return mac.Mapping{DeviceName: optional.Known(name)} }
	noName, later := mac.Mapping{}, mac.Mapping{DeviceName: optional.Unknown[string]()}
	for _, test := range []struct {
		name     string
		mappings []mac.Mapping
		stray    string // "" for no finding
	}{
		{"none", nil, ""},
		{"the root", []mac.Mapping{mapping("/dev/sda1")}, ""},
		{"the root and data", []mac.Mapping{mapping("/dev/sdf"), mapping("/dev/sda1")}, ""},
		{"data only", []mac.Mapping{mapping("/dev/sdf")}, ""},
		{"the root and another system's root", []mac.Mapping{mapping("/dev/xvda"), mapping("/dev/sda1")}, ""},
		{"another system's root", []mac.Mapping{mapping("/dev/xvda")}, "/dev/xvda adds"},
		{"a slip", []mac.Mapping{mapping("/dev/sda")}, "/dev/sda adds"},
		{"without /dev", []mac.Mapping{mapping("sda1")}, "sda1 adds"},
		{"another system's root and data", []mac.Mapping{mapping("/dev/sdf"), mapping("/dev/nvme0n1")}, "/dev/nvme0n1 adds"},
		{"two of them", []mac.Mapping{mapping("/dev/xvda"), mapping("/dev/sda")}, "/dev/xvda and /dev/sda adds"},
		{"one that may be the root", []mac.Mapping{mapping("/dev/xvda"), later}, ""},
		{"one without a name", []mac.Mapping{noName}, ""},
		{"one without a name and a slip", []mac.Mapping{noName, mapping("/dev/sda")}, "/dev/sda adds"},
		{"free text", []mac.Mapping{mapping("my secret")}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			var want []testcases.Finding
			if test.stray != "" {
				want = []testcases.Finding{found(mac.RuleRootDevice, finding.Error, "device_name", "", test.stray, `Write device_name = "/dev/sda1"`)}
			}
			if diff := testcases.Compare(want, mac.RootDevice(test.mappings, "device_name")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDeviceCases(t *testing.T) {
	for _, c := range testcases.Devices {
		t.Run(c.ID, func(t *testing.T) {
			got := mac.RootDevice(c.Mappings, "device_name")
			if len(c.Mappings) == 0 {
				got = append(got, mac.ImageDefault("block_device_mappings"))
			}
			if diff := testcases.Compare(c.Findings, got); diff != "" {
				t.Error(diff)
			}
			if finding.Worst(got) != c.Level {
				t.Errorf("level %s, want %s", finding.Worst(got), c.Level)
			}
		})
	}
}

func TestRules(t *testing.T) {
	for _, r := range mac.Rules() {
		if r.Summary == "" || len(r.Summary) > 60 || strings.ContainsAny(r.Summary, "0123456789%") {
			t.Errorf("%s: summary %q", r.ID, r.Summary)
		}
		if !slices.IsSortedFunc(r.Severities, func(a, b finding.Severity) int { return int(b) - int(a) }) || len(r.Severities) == 0 {
			t.Errorf("%s: severities %v", r.ID, r.Severities)
		}
		if page, err := r.Page(); err != nil || !strings.HasPrefix(page, "# "+r.ID+"\n") {
			t.Errorf("%s: page: %v", r.ID, err)
		}
	}
}
