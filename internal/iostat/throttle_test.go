package iostat

import (
	"testing"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

// samplesOf are samples of an I/O size.
func samplesOf(kibPerIO float64, iops ...float64) *Device {
	d := &Device{Name: "disk4"}
	for _, n := range iops {
		d.Samples = append(d.Samples, Sample{IOPS: n, KiBPerS: optional.Known(n * kibPerIO)})
	}
	return d
}

func repeat(n int, values ...float64) (out []float64) {
	for i := range n {
		out = append(out, values[i%len(values)])
	}
	return out
}

// A volume that was idle overshoots at first; that does not hide its throttle.
func TestOvershootIsLeftOut(t *testing.T) {
	iops := append(repeat(4, 548, 552, 551, 549), repeat(26, 500, 501, 499)...)
	v := Classify(samplesOf(256, iops...), Setting{})
	if v.Kind != VolumeThroughput || v.Limit != 125 || v.UnderLoad != 26 {
		t.Errorf("%s at %v over %d samples: %s", v.Kind, v.Limit, v.UnderLoad, v.Means)
	}
}

// A load that asks for less now and then leaves a flat top, which is a throttle;
// one whose peaks vary is not.
func TestFlatTop(t *testing.T) {
	clipped := append(repeat(36, 2998, 3000, 3002), repeat(24, 2460, 2710, 2980, 2550, 2890)...)
	if v := Classify(samplesOf(4, clipped...), Setting{}); v.Kind != VolumeIOPS || v.Limit != 3000 {
		t.Errorf("%s at %v: %s", v.Kind, v.Limit, v.Means)
	}
	varying := repeat(60, 2460, 2710, 2980, 2550, 2890, 3040, 3110, 2600)
	if v := Classify(samplesOf(4, varying...), Setting{}); v.Kind != Fluctuating {
		t.Errorf("%s at %v: %s", v.Kind, v.Limit, v.Means)
	}
}
