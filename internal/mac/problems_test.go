package mac_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/mac"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

func TestProblems(t *testing.T) {
	tooLarge := " is too large: more than 1,000,000,000 is a mistake here"
	// Only what may be left out gets the advice to leave it out.
	const unset = "; where it is meant to be unset, write null or leave it out"
	const needsOne, needsMore = " is 0, but must be at least 1", " is 0, but must be more than 0"
	type problems = []mac.Problem
	problem := func(path, text string) problems { return problems{{Path: path, Message: path + text}} }
	for _, test := range []struct {
		name   string
		change func(h *host, v optional.Value[decimal.Decimal])
		path   string
		// figures and what is wrong with them, "" for nothing
		figures map[string]string
	}{
		{"grace_period_seconds", func(h *host, v optional.Value[decimal.Decimal]) { h.GracePeriodSeconds = v }, "grace_period_seconds", map[string]string{
			"600": "", "0.5": "", "1e9": "", "0": needsMore + unset, "-1": " must not be negative", "1000000001": tooLarge, "1e60": tooLarge,
		}},
		{"launch_seconds", func(h *host, v optional.Value[decimal.Decimal]) { h.LaunchSeconds = v }, "launch_seconds", map[string]string{
			"0": "", "360.5": "", "-0.5": " must not be negative", "1e60": tooLarge, // 0 is what it is by default
		}},
		{"vms_per_host", func(h *host, v optional.Value[decimal.Decimal]) { h.VMsPerHost = v }, "vms_per_host", map[string]string{
			"1": "", "3": "", "0": needsOne + unset, "-2": " must not be negative", "1.5": " must be a whole number, not 1.5", "1e60": tooLarge,
		}},
		{"root.size_gib", func(h *host, v optional.Value[decimal.Decimal]) { h.root.SizeGiB = v }, "root.size_gib", map[string]string{
			"1": "", "100.0": "", "70000": "", "0": needsOne, "-100": " must not be negative", "100.5": " must be a whole number, not 100.5", "1e60": tooLarge,
		}},
		{"root.iops", func(h *host, v optional.Value[decimal.Decimal]) { h.root.IOPS = v }, "root.iops", map[string]string{
			"3000": "", "90000": "", "0": needsOne + unset, "-1": " must not be negative", "3000.5": " must be a whole number, not 3,000.5", "1e60": tooLarge, // the range is a rule's
		}},
		{"root.throughput_mib_per_s", func(h *host, v optional.Value[decimal.Decimal]) { h.root.ThroughputMiBPerS = v }, "root.throughput_mib_per_s", map[string]string{
			"750": "", "0": needsOne + unset, "-750": " must not be negative", "750.5": " must be a whole number, not 750.5", "1e60": tooLarge,
		}},
		{"vmdata.size_gib", func(h *host, v optional.Value[decimal.Decimal]) { h.vmdata.SizeGiB = v }, "vmdata.size_gib", map[string]string{"750": "", "0": needsOne, "0.1": " must be a whole number, not 0.1"}},
		{"vmdata.iops", func(h *host, v optional.Value[decimal.Decimal]) { h.vmdata.IOPS = v }, "vmdata.iops", map[string]string{"16000": "", "-0.1": " must not be negative"}},
		{"vmdata.throughput_mib_per_s", func(h *host, v optional.Value[decimal.Decimal]) { h.vmdata.ThroughputMiBPerS = v }, "vmdata.throughput_mib_per_s", map[string]string{"700": "", "1e60": tooLarge}},
		{"images.count", func(h *host, v optional.Value[decimal.Decimal]) { h.images.Count = v }, "images.count", map[string]string{
			"2": "", "0": needsOne, "-2": " must not be negative", "2.5": " must be a whole number, not 2.5",
		}},
		{"images.size_gib", func(h *host, v optional.Value[decimal.Decimal]) { h.images.SizeGiB = v }, "images.size_gib", map[string]string{
			"75.2": "", "0": needsMore, "-75": " must not be negative", "1e60": tooLarge, // an image has any size
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			for figure, text := range test.figures {
				var want problems
				if text != "" {
					want = problem(test.path, text)
				}
				s := aHost(func(h *host) { test.change(h, dec(figure)) })
				if diff := cmp.Diff(want, s.Problems()); diff != "" {
					t.Errorf("%s (-want +got):\n%s", figure, diff)
				}
			}
			for _, v := range []optional.Value[decimal.Decimal]{leftOut, notKnown} {
				if got := aHost(func(h *host) { test.change(h, v) }).Problems(); len(got) > 0 {
					t.Errorf("left out or not known: %v", got)
				}
			}
		})
	}
}

func TestProblemsOfACalibration(t *testing.T) {
	tooLarge := " is too large: more than 1,000,000,000 is a mistake here"
	for _, test := range []struct {
		name   string
		change func(*mac.Calibration)
		want   string // after the path
	}{
		{"", func(*mac.Calibration) {}, ""},
		{"boot_fixed_seconds", func(c *mac.Calibration) { c.BootFixedSeconds = 0 }, ""},
		{"boot_read_mib", func(c *mac.Calibration) { c.BootReadMiB = 0 }, ""},
		{"ready_fixed_seconds", func(c *mac.Calibration) { c.ReadyFixedSeconds = 0 }, ""},
		{"boot_fixed_seconds", func(c *mac.Calibration) { c.BootFixedSeconds = -1 }, " must not be negative"},
		{"boot_fixed_seconds", func(c *mac.Calibration) { c.BootFixedSeconds = math.NaN() }, " must not be negative"},
		{"boot_read_mib", func(c *mac.Calibration) { c.BootReadMiB = -0.1 }, " must not be negative"},
		{"boot_read_mib", func(c *mac.Calibration) { c.BootReadMiB = 1e10 }, tooLarge},
		{"boot_read_mib", func(c *mac.Calibration) { c.BootReadMiB = math.Inf(1) }, tooLarge},
		{"ready_fixed_seconds", func(c *mac.Calibration) { c.ReadyFixedSeconds = -4.3 }, " must not be negative"},
		// A pull is divided by it.
		{"pipeline_mib_per_s", func(c *mac.Calibration) { c.PipelineMiBPerS = 0 }, " must be more than 0: at least 0.001"},
		{"pipeline_mib_per_s", func(c *mac.Calibration) { c.PipelineMiBPerS = 1e-300 }, " must be more than 0: at least 0.001"},
		{"pipeline_mib_per_s", func(c *mac.Calibration) { c.PipelineMiBPerS = 0.001 }, ""},
		{"pipeline_mib_per_s", func(c *mac.Calibration) { c.PipelineMiBPerS = -308 }, " must not be negative"},
	} {
		c := mac.DefaultCalibration
		test.change(&c)
		var want []mac.Problem
		if test.want != "" {
			path := "calibration." + test.name
			want = []mac.Problem{{Path: path, Message: path + test.want}}
		}
		if diff := cmp.Diff(want, mac.Storage{Calibration: optional.Known(c)}.Problems()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// All faults at once, each at its own place.
func TestProblemsAreAllReported(t *testing.T) {
	bad := volume(dec("-1"), dec("0"), dec("750.5"))
	s := mac.Storage{
		GracePeriodSeconds: dec("0"), LaunchSeconds: dec("-1"), VMsPerHost: dec("1.5"),
		Root: optional.Known(bad), VMData: optional.Known(bad),
		Images:      optional.Known(mac.StorageImages{Count: dec("0"), SizeGiB: dec("-1")}),
		Calibration: optional.Known(mac.Calibration{BootFixedSeconds: -1, BootReadMiB: -1, PipelineMiBPerS: -1, ReadyFixedSeconds: -1}),
	}
	var paths []string
	for _, p := range s.Problems() {
		paths = append(paths, p.Path)
	}
	want := []string{
		"grace_period_seconds", "launch_seconds", "vms_per_host", "root.size_gib", "root.iops", "root.throughput_mib_per_s",
		"vmdata.size_gib", "vmdata.iops", "vmdata.throughput_mib_per_s", "images.count", "images.size_gib",
		"calibration.boot_fixed_seconds", "calibration.boot_read_mib", "calibration.pipeline_mib_per_s", "calibration.ready_fixed_seconds",
	}
	if diff := cmp.Diff(want, paths); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A figure either has a fault, and the message names where and ends without a
// full stop, or it can be evaluated.
func TestProblemsOfAnyFigure(t *testing.T) {
	// One in twenty is odd, so that about half of all storages can be evaluated.
	figures := rapid.Custom(func(t *rapid.T) decimal.Decimal {
		if rapid.IntRange(1, 20).Draw(t, "odd") == 1 {
			return decimal.New(rapid.Int64Range(-1_000_000, 1_000_000).Draw(t, "digits"), rapid.Int32Range(-80, 80).Draw(t, "exponent"))
		}
		return decimal.NewFromInt(rapid.SampledFrom([]int64{1, 2, 75, 100, 750, 3000, 16000, 1_000_000_000}).Draw(t, "figure"))
	})
	rapid.Check(t, func(t *rapid.T) {
		f := func(name string) optional.Value[decimal.Decimal] {
			return optional.Known(figures.Draw(t, name))
		}
		s := mac.Storage{
			InstanceType: optional.Known(mac.MeasuredType), Region: "us-east-1", GracePeriodSeconds: f("grace"), LaunchSeconds: f("launch"), VMsPerHost: f("vms"),
			Root:   optional.Known(volume(f("root size"), f("root iops"), f("root throughput"))),
			VMData: optional.Known(volume(f("vmdata size"), f("vmdata iops"), f("vmdata throughput"))),
			Images: optional.Known(mac.StorageImages{Count: f("count"), SizeGiB: f("gib")}),
		}
		ps := s.Problems()
		for _, p := range ps {
			if !strings.HasPrefix(p.Message, p.Path+" ") || strings.HasSuffix(p.Message, ".") {
				t.Errorf("%s: %s", p.Path, p.Message)
			}
		}
		if len(ps) == 0 {
			checkFindings(t, mac.EvaluateStorage(cat, s).Findings)
		}
	})
}

func TestMissing(t *testing.T) {
	for _, test := range []struct {
		name    string
		storage mac.Storage
		want    []mac.Problem
	}{
		{"nothing is missing", aHost(), nil},
		{"everything", mac.Storage{}, []mac.Problem{
			{Path: "instance_type", Message: "instance_type is required"},
			{Path: "root", Message: "the root volume is required: write a root block with its size_gib"},
		}},
		{"sizes", aHost(func(h *host) { h.root.SizeGiB, h.vmdata.SizeGiB = leftOut, leftOut }), []mac.Problem{
			{Path: "root.size_gib", Message: "root.size_gib is required"},
			{Path: "vmdata.size_gib", Message: "vmdata.size_gib is required"},
		}},
		{"images", aHost(func(h *host) { h.images = mac.StorageImages{} }), []mac.Problem{
			{Path: "images.count", Message: "images.count is required"},
			{Path: "images.size_gib", Message: "images.size_gib is required"},
		}},
		{"optional blocks", aHost(func(h *host) {
			h.VMData, h.Images = optional.Null[mac.StorageVolume](), optional.Null[mac.StorageImages]()
		}), nil},
		// What is not known yet is not missing.
		{"unknown", mac.Storage{InstanceType: optional.Unknown[string](), Root: optional.Unknown[mac.StorageVolume](), VMData: optional.Unknown[mac.StorageVolume](), Images: optional.Unknown[mac.StorageImages]()}, nil},
		{"unknown members", aHost(func(h *host) {
			h.root.SizeGiB, h.vmdata.SizeGiB = notKnown, notKnown
			h.images = mac.StorageImages{Count: notKnown, SizeGiB: notKnown}
		}), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, test.storage.Missing()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			images, whole := test.storage.MissingImages(), test.storage.Missing()
			if len(images) > len(whole) || (len(images) > 0 && !cmp.Equal(images, whole[len(whole)-len(images):])) {
				t.Errorf("of images %v is missing, of all %v", images, whole)
			}
		})
	}
}

func TestNotMac(t *testing.T) {
	for _, m := range cat.Macs() {
		if p, ok := mac.NotMac(cat, optional.Known(m.Type)); ok {
			t.Errorf("%s: %s", m.Type, p.Message)
		}
	}
	for _, typ := range []optional.Value[string]{optional.Null[string](), optional.Unknown[string](), optional.Known("mac9.metal"), optional.Known(""), optional.Known("my secret")} {
		if p, ok := mac.NotMac(cat, typ); ok {
			t.Errorf("%+v: %s", typ, p.Message) // it may be a newer Mac
		}
	}
	want := mac.Problem{Path: "instance_type", Message: "m5.xlarge is not an EC2 Mac; runnerfit_instance_storage is for other instances"}
	if p, ok := mac.NotMac(cat, optional.Known("m5.xlarge")); !ok || p != want {
		t.Errorf("m5.xlarge: %+v, %v", p, ok)
	}
}
