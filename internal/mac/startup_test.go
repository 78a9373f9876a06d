package mac_test

import (
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/mac"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/testcases"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

var (
	cat    = catalog.Embedded()
	m2pro  = ceilingOf("mac2-m2pro.metal")
	noType = optional.Null[catalog.EBSCeiling]()
)

func ceilingOf(typ string) optional.Value[catalog.EBSCeiling] {
	i, ok := catalog.Embedded().Instance(typ)
	if !ok {
		panic("no instance " + typ)
	}
	return i.EBS
}

// half rounds to half a second, in which predictions are shown.
func half(seconds float64) float64 { return math.Round(seconds*2) / 2 }

// The three start-ups that the model was fitted to: root volume, boot until the
// pull begins as the model gives it, ready as it was measured.
var measured = []struct {
	root         units.MiBPerS
	boot         float64
	bootMeasured float64
	ready        float64
}{
	{750, 36.0, 36, 291},
	{125, 113.0, 113, 374},
	{400, 49.5, 49, 293},
}

func TestPredictStartupAgainstMeasurements(t *testing.T) {
	for _, m := range measured {
		s, err := mac.PredictStartup(mac.StartupInput{
			InstanceType: mac.MeasuredType, Ceiling: m2pro, Root: m.root, VMData: 700, Images: mac.Images{Count: 2, SizeGiB: 75},
		})
		if err != nil {
			t.Fatal(err)
		}
		if half(s.BootSeconds) != m.boot {
			t.Errorf("%v: boot %v s, want %v", m.root, s.BootSeconds, m.boot)
		}
		if off := math.Abs(s.ReadySeconds-m.ready) / m.ready * 100; off > mac.ErrorPercent {
			t.Errorf("%v: ready after %v s, measured %v: %v %% off", m.root, s.ReadySeconds, m.ready, off)
		}
		// 150 GiB through two pipelines.
		if half(s.PullSeconds) != 249.5 {
			t.Errorf("pull takes %v s", s.PullSeconds)
		}
		if s.Extrapolated {
			t.Errorf("%v is said to be extrapolated", m.root)
		}
		if s.Calibration != mac.DefaultCalibration {
			t.Errorf("calibration %+v", s.Calibration)
		}
	}
}

func TestPredictStartup(t *testing.T) {
	two := mac.Images{Count: 2, SizeGiB: 75}
	own := mac.Calibration{BootFixedSeconds: 10, BootReadMiB: 10_000, PipelineMiBPerS: 200, ReadyFixedSeconds: 5}
	for _, test := range []struct {
		name              string
		in                mac.StartupInput
		boot, pull, ready float64
		bounds            []string
		extrapolated      bool
	}{
		{
			name: "faster than the instance", in: mac.StartupInput{InstanceType: mac.MeasuredType, Ceiling: m2pro, Root: 1000, VMData: 700, Images: two},
			boot: 32.5, pull: 249.5, ready: 286.5, bounds: []string{mac.BoundInstance, mac.BoundPipelines, mac.BoundFixed}, extrapolated: true,
		},
		{
			name: "nothing to pull", in: mac.StartupInput{InstanceType: mac.MeasuredType, Ceiling: m2pro, Root: 750},
			boot: 36, pull: 0, ready: 40.5, bounds: []string{mac.BoundRootVolume, mac.BoundNothing, mac.BoundFixed},
		},
		{
			name: "a slow data volume", in: mac.StartupInput{InstanceType: mac.MeasuredType, Ceiling: m2pro, Root: 750, VMData: 125, Images: two},
			boot: 36, pull: 1229, ready: 1269, bounds: []string{mac.BoundRootVolume, mac.BoundDataVolume, mac.BoundFixed},
		},
		{
			// Four pipelines would write 1,232 MiB/s.
			name: "more pipelines than the instance carries", in: mac.StartupInput{InstanceType: mac.MeasuredType, Ceiling: m2pro, Root: 750, VMData: 2000, Images: mac.Images{Count: 4, SizeGiB: 75}},
			boot: 36, pull: 322, ready: 362.5, bounds: []string{mac.BoundRootVolume, mac.BoundInstance, mac.BoundFixed},
		},
		{
			name: "one pipeline", in: mac.StartupInput{InstanceType: mac.MeasuredType, Ceiling: m2pro, Root: 750, VMData: 700, Images: mac.Images{Count: 1, SizeGiB: 75}},
			boot: 36, pull: 249.5, ready: 289.5, bounds: []string{mac.BoundRootVolume, mac.BoundPipelines, mac.BoundFixed},
		},
		{
			name: "another type", in: mac.StartupInput{InstanceType: "mac2.metal", Ceiling: ceilingOf("mac2.metal"), Root: 750},
			boot: 36, ready: 40.5, bounds: []string{mac.BoundRootVolume, mac.BoundNothing, mac.BoundFixed}, extrapolated: true,
		},
		{
			name: "a type without a ceiling", in: mac.StartupInput{InstanceType: "mac9.metal", Root: 2000},
			boot: 26.5, ready: 30.5, bounds: []string{mac.BoundRootVolume, mac.BoundNothing, mac.BoundFixed}, extrapolated: true,
		},
		{
			name: "slower than was measured", in: mac.StartupInput{InstanceType: mac.MeasuredType, Ceiling: m2pro, Root: 124},
			boot: 113.5, ready: 118, bounds: []string{mac.BoundRootVolume, mac.BoundNothing, mac.BoundFixed}, extrapolated: true,
		},
		{
			name: "own constants on another type", in: mac.StartupInput{InstanceType: "mac2.metal", Ceiling: ceilingOf("mac2.metal"), Root: 500, VMData: 700, Images: two, Calibration: optional.Known(own)},
			boot: 30, pull: 384, ready: 419, bounds: []string{mac.BoundRootVolume, mac.BoundPipelines, mac.BoundFixed},
		},
		{
			name: "own measurements", in: mac.StartupInput{InstanceType: "mac2.metal", Ceiling: ceilingOf("mac2.metal"), Root: 500, Measurements: []mac.Measurement{{RootThroughput: 250, BootSeconds: 50}, {RootThroughput: 500, BootSeconds: 30}}},
			boot: 30, ready: 34.5, bounds: []string{mac.BoundRootVolume, mac.BoundNothing, mac.BoundFixed},
		},
		{
			name: "beyond own measurements", in: mac.StartupInput{InstanceType: "mac2.metal", Ceiling: ceilingOf("mac2.metal"), Root: 501, Measurements: []mac.Measurement{{RootThroughput: 250, BootSeconds: 50}, {RootThroughput: 500, BootSeconds: 30}}},
			boot: 30, ready: 34.5, bounds: []string{mac.BoundRootVolume, mac.BoundNothing, mac.BoundFixed}, extrapolated: true,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := mac.PredictStartup(test.in)
			if err != nil {
				t.Fatal(err)
			}
			if half(s.BootSeconds) != test.boot || half(s.PullSeconds) != test.pull || half(s.ReadySeconds) != test.ready {
				t.Errorf("boot %v, pull %v, ready %v; want %v, %v, %v", s.BootSeconds, s.PullSeconds, s.ReadySeconds, test.boot, test.pull, test.ready)
			}
			if s.Extrapolated != test.extrapolated {
				t.Errorf("extrapolated: %v", s.Extrapolated)
			}
			var names, bounds []string
			at := 0.0
			for _, p := range s.Phases {
				names, bounds = append(names, p.Name), append(bounds, p.BoundBy)
				if p.Start != at || p.End < p.Start {
					t.Errorf("%s from %v to %v, after %v", p.Name, p.Start, p.End, at)
				}
				at = p.End
			}
			if at != s.ReadySeconds {
				t.Errorf("phases end at %v, ready is %v", at, s.ReadySeconds)
			}
			if diff := cmp.Diff([]string{"boot", "image-pull", "ready"}, names); diff != "" {
				t.Errorf("phases (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.bounds, bounds); diff != "" {
				t.Errorf("bounds (-want +got):\n%s", diff)
			}
		})
	}
}

// The rates of initialisation that case C20 names are constants like others.
func TestStartupAtNamedRates(t *testing.T) {
	hundredGiB := mac.Calibration{BootReadMiB: 100 * units.MiBPerGiB}
	for _, c := range testcases.C20Rates {
		got, _ := hundredGiB.BootSeconds(units.MiBPerS(c.MiBPerS), noType)
		if rounded := decimal.NewFromFloat(got).Round(1); !rounded.Equal(decimal.RequireFromString(c.Seconds)) {
			t.Errorf("100 GiB at %v MiB/s take %v s, want %s", c.MiBPerS, got, c.Seconds)
		}
	}
}

// A faster volume or instance never makes a start-up slower, and more to pull
// never makes it faster.
func TestStartupIsMonotonic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := rapid.SampledFrom(cat.Macs()).Draw(t, "Mac").Type
		in := mac.StartupInput{
			InstanceType: typ, Ceiling: ceilingOf(typ),
			Root:   units.MiBPerS(rapid.Int64Range(1, 3000).Draw(t, "root")),
			VMData: units.MiBPerS(rapid.Int64Range(1, 3000).Draw(t, "vmdata")),
			Images: mac.Images{Count: rapid.Int64Range(0, 5).Draw(t, "images"), SizeGiB: rapid.Float64Range(0, 200).Draw(t, "GiB")},
		}
		s, _ := mac.PredictStartup(in)
		faster := in
		faster.Root += units.MiBPerS(rapid.Int64Range(0, 1000).Draw(t, "faster root"))
		faster.VMData += units.MiBPerS(rapid.Int64Range(0, 1000).Draw(t, "faster vmdata"))
		if f, _ := mac.PredictStartup(faster); f.BootSeconds > s.BootSeconds || f.PullSeconds > s.PullSeconds {
			t.Errorf("%+v is slower than %+v", f, s)
		}
		larger := in
		larger.Images.SizeGiB += rapid.Float64Range(0, 100).Draw(t, "larger images")
		if l, _ := mac.PredictStartup(larger); l.PullSeconds < s.PullSeconds {
			t.Errorf("pulling more takes %v s instead of %v", l.PullSeconds, s.PullSeconds)
		}
		// Beyond the instance nothing is gained.
		e, _ := in.Ceiling.Get()
		at, _ := mac.DefaultCalibration.BootSeconds(e.Maximum.Throughput(), in.Ceiling)
		above, bound := mac.DefaultCalibration.BootSeconds(e.Maximum.Throughput()*2, in.Ceiling)
		if at != above || bound != mac.BoundInstance {
			t.Errorf("%v at the ceiling, %v above it, bound by %s", at, above, bound)
		}
	})
}

func TestFit(t *testing.T) {
	// The three measurements give 20.33 s + 11,577 MiB.
	var ms []mac.Measurement
	for _, m := range measured {
		ms = append(ms, mac.Measurement{RootThroughput: m.root, BootSeconds: m.bootMeasured})
	}
	got, err := mac.Fit(ms, mac.DefaultCalibration)
	if err != nil {
		t.Fatal(err)
	}
	if fixed, read := math.Round(got.BootFixedSeconds*100)/100, math.Round(got.BootReadMiB); fixed != 20.33 || read != 11577 {
		t.Errorf("fitted %v + %v/x", got.BootFixedSeconds, got.BootReadMiB)
	}
	if got.PipelineMiBPerS != mac.DefaultCalibration.PipelineMiBPerS || got.ReadyFixedSeconds != mac.DefaultCalibration.ReadyFixedSeconds {
		t.Errorf("constants that were not measured have changed: %+v", got)
	}

	for _, test := range []struct {
		name string
		ms   []mac.Measurement
		want error
	}{
		{"none", nil, mac.ErrTooFewMeasurements},
		{"one", ms[:1], mac.ErrTooFewMeasurements},
		{"the same throughput", []mac.Measurement{{125, 113}, {125, 115}, {125, 110}}, mac.ErrEqualThroughputs},
		{"faster is slower", []mac.Measurement{{125, 50}, {750, 60}}, mac.ErrNegativeConstant},
		{"nothing is read", []mac.Measurement{{125, 50}, {750, 50}}, mac.ErrNegativeConstant},
		{"less than no fixed part", []mac.Measurement{{125, 1000}, {750, 1}}, mac.ErrNegativeConstant},
		{"no throughput", []mac.Measurement{{0, 100}, {750, 36}}, mac.ErrNegativeConstant},
	} {
		t.Run(test.name, func(t *testing.T) {
			cal, err := mac.Fit(test.ms, mac.DefaultCalibration)
			if !errors.Is(err, test.want) {
				t.Errorf("err = %v, want %v", err, test.want)
			}
			if cal != mac.DefaultCalibration {
				t.Errorf("constants changed to %+v", cal)
			}
			if _, err := mac.PredictStartup(mac.StartupInput{InstanceType: mac.MeasuredType, Root: 750, Measurements: test.ms}); !errors.Is(err, test.want) && len(test.ms) > 0 {
				t.Errorf("PredictStartup: %v, want %v", err, test.want)
			}
		})
	}
}

// Measurements that follow the model give its constants back.
func TestFitFindsTheConstants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := mac.DefaultCalibration
		want.BootFixedSeconds = rapid.Float64Range(1, 100).Draw(t, "fixed")
		want.BootReadMiB = rapid.Float64Range(1_000, 100_000).Draw(t, "read")
		var ms []mac.Measurement
		for _, root := range rapid.SliceOfNDistinct(rapid.IntRange(100, 2000), 2, 6, rapid.ID[int]).Draw(t, "roots") {
			seconds, _ := want.BootSeconds(units.MiBPerS(root), noType)
			ms = append(ms, mac.Measurement{RootThroughput: units.MiBPerS(root), BootSeconds: seconds})
		}
		got, err := mac.Fit(ms, mac.DefaultCalibration)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.BootFixedSeconds-want.BootFixedSeconds) > 1e-3 || math.Abs(got.BootReadMiB-want.BootReadMiB) > 1e-5*want.BootReadMiB {
			t.Errorf("fitted %+v to measurements of %+v", got, want)
		}
		if other, err := mac.Fit(rapid.Permutation(ms).Draw(t, "order"), mac.DefaultCalibration); err != nil || math.Abs(other.BootReadMiB-got.BootReadMiB) > 1e-6*got.BootReadMiB {
			t.Errorf("in another order %+v, %v", other, err)
		}
	})
}

func TestPullThroughput(t *testing.T) {
	for _, test := range []struct {
		images  int64
		ceiling optional.Value[catalog.EBSCeiling]
		want    int64
	}{
		{0, m2pro, 0}, {1, m2pro, 350}, {2, m2pro, 700}, {3, m2pro, 953}, {3, ceilingOf("mac2.metal"), 1050}, {4, ceilingOf("mac2.metal"), 1192}, {4, noType, 1400},
	} {
		if got := (mac.Images{Count: test.images, SizeGiB: 75}).PullThroughput(test.ceiling); got != test.want {
			t.Errorf("%d images: %d MiB/s, want %d", test.images, got, test.want)
		}
	}
}

func TestPredictVMDisk(t *testing.T) {
	for _, test := range []struct {
		name                 string
		iops, vms            int64
		typ                  string
		ceiling              optional.Value[catalog.EBSCeiling]
		read, write          int64
		guestRead, guestWrit float64
		useful               int64
		bound                string
		extrapolated         bool
	}{
		// Measured: 16,000 with two VMs and with one, 6,000.
		{"two VMs", 16_000, 2, mac.MeasuredType, m2pro, 14_200, 14_020, 14_200, 7_010, 14_200, mac.BoundVirtualization, false},
		{"one VM", 16_000, 1, mac.MeasuredType, m2pro, 9_790, 7_190, 9_790, 3_595, 9_790, mac.BoundVirtualization, false},
		{"the volume's throttle", 6_000, 1, mac.MeasuredType, m2pro, 6_000, 6_000, 6_000, 3_000, 9_790, mac.BoundVolume, false},
		{"the volume's throttle, two VMs", 6_000, 2, mac.MeasuredType, m2pro, 6_000, 6_000, 6_000, 3_000, 14_200, mac.BoundVolume, false},
		// Between the plateaus of write and read the volume bounds the reads only.
		{"between the plateaus", 8_000, 1, mac.MeasuredType, m2pro, 8_000, 7_190, 8_000, 3_595, 9_790, mac.BoundVolume, false},
		{"exactly useful", 14_200, 2, mac.MeasuredType, m2pro, 14_200, 14_020, 14_200, 7_010, 14_200, mac.BoundVirtualization, false},
		{"an IOPS less", 14_199, 2, mac.MeasuredType, m2pro, 14_199, 14_020, 14_199, 7_010, 14_200, mac.BoundVolume, false},
		{"more buys nothing", 80_000, 2, mac.MeasuredType, m2pro, 14_200, 14_020, 14_200, 7_010, 14_200, mac.BoundVirtualization, false},
		{"an odd figure", 3_001, 2, mac.MeasuredType, m2pro, 3_001, 3_001, 3_001, 1_500.5, 14_200, mac.BoundVolume, false},
		{"another type", 16_000, 2, "mac2.metal", ceilingOf("mac2.metal"), 14_200, 14_020, 14_200, 7_010, 14_200, mac.BoundVirtualization, true},
		{"an unknown type", 16_000, 2, "mac9.metal", noType, 14_200, 14_020, 14_200, 7_010, 14_200, mac.BoundVirtualization, true},
		{"a slow instance", 16_000, 2, mac.MeasuredType, optional.Known(catalog.EBSCeiling{Maximum: catalog.EBSRate{IOPS: 5_000}}), 5_000, 5_000, 5_000, 2_500, 5_000, mac.BoundInstance, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := mac.VMDisk{
				VMs: test.vms, HostRead: test.read, HostWrite: test.write, GuestRead: test.guestRead, GuestWrite: test.guestWrit,
				UsefulIOPS: test.useful, BoundBy: test.bound, Extrapolated: test.extrapolated,
			}
			if diff := cmp.Diff(want, mac.PredictVMDisk(test.iops, test.vms, test.typ, test.ceiling)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// More IOPS never do less, and beyond the useful figure never more.
func TestVMDiskIsMonotonic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vms := rapid.Int64Range(1, mac.MaxGuests).Draw(t, "VMs")
		typ := rapid.SampledFrom(cat.Macs()).Draw(t, "Mac").Type
		iops := rapid.Int64Range(1, 80_000).Draw(t, "IOPS")
		d := mac.PredictVMDisk(iops, vms, typ, ceilingOf(typ))
		more := mac.PredictVMDisk(iops+rapid.Int64Range(0, 10_000).Draw(t, "more"), vms, typ, ceilingOf(typ))
		if more.HostRead < d.HostRead || more.HostWrite < d.HostWrite {
			t.Errorf("%+v is less than %+v", more, d)
		}
		if iops >= d.UsefulIOPS && (more.HostRead != d.HostRead || more.HostWrite != d.HostWrite || d.BoundBy == mac.BoundVolume) {
			t.Errorf("%d are useful, but %+v differs from %+v", d.UsefulIOPS, more, d)
		}
		if d.HostRead > iops || d.GuestWrite*2 != float64(d.HostWrite) || d.GuestRead != float64(d.HostRead) {
			t.Errorf("%d IOPS: %+v", iops, d)
		}
	})
}
