package usage_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/usage"
)

var now = time.Date(2026, 11, 30, 12, 34, 56, 0, time.UTC)

var update = flag.Bool("update", false, "write the golden files anew")

// series is a window of days that ends now, with what set says of each minute.
func series(days int, set func(minute int) (readOps, writeOps, readMiB, writeMiB float64)) usage.Series {
	start, minutes := usage.Window(now, days)
	s := usage.NewSeries(start, minutes)
	for i := range minutes {
		ro, wo, rb, wb := set(i)
		s.ReadOps[i], s.WriteOps[i] = ro*60, wo*60
		s.ReadBytes[i], s.WriteBytes[i] = rb*60*(1<<20), wb*60*(1<<20)
	}
	return s
}

var nan = math.NaN()

// throttledHour is a volume that is flat at 6,000 IOPS for an hour and then idle:
// without figures, or with zeros.
func throttledHour(days int, idle float64) usage.Series {
	return series(days, func(m int) (float64, float64, float64, float64) {
		if start := days*24*60 - 10*60; m >= start && m < start+60 {
			return 2000, 4000, 8, 16
		}
		return idle, idle, idle, idle
	})
}

var volume = usage.Volume{Type: "gp3", SizeGiB: 750, IOPS: 6000, ThroughputMiBPerS: 700, Created: now.AddDate(-1, 0, 0), Region: "us-east-1"}

var defaults = usage.Options{Percentile: usage.DefaultPercentile, HeadroomPercent: usage.DefaultHeadroomPercent}

func TestThrottledHour(t *testing.T) {
	cat := catalog.Embedded()
	for _, idle := range []float64{0, nan} {
		r := usage.Analyze(cat, volume, throttledHour(1, idle), defaults)
		iops, _ := r.IOPS.Get()
		if iops.Total.P99 != 6000 || iops.Read.P99 != 2000 || iops.Write.P99 != 4000 || iops.Total.P50 != 0 || iops.Total.P95 != 0 || iops.Total.Max != 6000 {
			t.Errorf("IOPS are %+v", iops)
		}
		if n, _ := r.ThrottledMinutes.Get(); n != 60 || r.ThrottledBy != optional.Known(usage.ByIOPS) {
			t.Errorf("throttled %d by %v", n, r.ThrottledBy)
		}
		s, _ := r.Recommended.Get()
		if s.IOPS != 7200 || s.ThroughputMiBPerS != 125 || !r.AtLeast || !slices.Contains(r.Notes, usage.Throttled) {
			t.Errorf("recommended %+v, at least %v, notes %q", s, r.AtLeast, r.Notes)
		}
		// 3,000 IOPS and 575 MiB/s less 4,200 IOPS: 15 + 23 - 21.
		if usd, ok := r.SavingUSD.Get(); !ok || usd.String() != "17" {
			t.Errorf("saves %s", usd)
		}

		long := usage.Analyze(cat, volume, throttledHour(14, idle), defaults)
		iops, _ = long.IOPS.Get()
		if n, _ := long.ThrottledMinutes.Get(); iops.Total.P99 != 0 || n != 60 || long.AtLeast {
			t.Errorf("over 14 days: %+v, %d throttled, at least %v", iops.Total, n, long.AtLeast)
		}
		if s, _ := long.Recommended.Get(); s != (ebs.GP3{IOPS: 3000, ThroughputMiBPerS: 125}) {
			t.Errorf("over 14 days %+v is recommended", s)
		}
		if len(long.Notes) != 1 || !strings.Contains(long.Notes[0], "60 minutes, which p99 leaves out") {
			t.Errorf("notes %q", long.Notes)
		}
	}
}

func TestCases(t *testing.T) {
	cat := catalog.Embedded()
	busy := func(iops, mib float64) usage.Series {
		return series(1, func(int) (float64, float64, float64, float64) { return iops, 0, mib, 0 })
	}
	for name, tc := range map[string]struct {
		volume  func(*usage.Volume)
		series  usage.Series
		options usage.Options
		want    optional.Value[ebs.GP3]
		by      optional.Value[string]
		saving  string
		notes   []string
	}{
		"far below": {
			series: busy(100, 10), want: optional.Known(ebs.GP3{IOPS: 3000, ThroughputMiBPerS: 125}), saving: "38",
		},
		"throughput takes IOPS with it": {
			volume: func(v *usage.Volume) { v.IOPS, v.ThroughputMiBPerS = 16000, 1500 }, series: busy(100, 1000),
			want: optional.Known(ebs.GP3{IOPS: 4800, ThroughputMiBPerS: 1200}), saving: "68",
		},
		"head-room": {
			series: busy(4000, 10), options: usage.Options{Percentile: 50, HeadroomPercent: 0},
			want: optional.Known(ebs.GP3{IOPS: 4000, ThroughputMiBPerS: 125}), saving: "33",
		},
		"at the throughput": {
			series: busy(10, 699), by: optional.Known(usage.ByThroughput),
			want: optional.Known(ebs.GP3{IOPS: 3356, ThroughputMiBPerS: 839}), saving: "7.66", notes: []string{usage.Throttled},
		},
		"at both": {
			series: busy(6000, 700), by: optional.Known(usage.ByBoth),
			want: optional.Known(ebs.GP3{IOPS: 7200, ThroughputMiBPerS: 840}), saving: "-11.6", notes: []string{usage.Throttled},
		},
		"cut by the instance": {
			volume: func(v *usage.Volume) { v.InstanceType, v.IOPS, v.ThroughputMiBPerS = "mac2-m2pro.metal", 16000, 1000 }, series: busy(10, 900),
			want: optional.Known(ebs.GP3{IOPS: 3812, ThroughputMiBPerS: 953}), saving: "62.82", notes: []string{"what the instance can carry"},
		},
		"cut by the size": {
			volume: func(v *usage.Volume) { v.SizeGiB, v.IOPS = 12, 6000 }, series: busy(6000, 10), by: optional.Known(usage.ByIOPS),
			want: optional.Known(ebs.GP3{IOPS: 6000, ThroughputMiBPerS: 125}), saving: "23", notes: []string{usage.Throttled, "12 GiB of gp3"},
		},
		"gp2": {
			volume: func(v *usage.Volume) { v.Type, v.SizeGiB, v.IOPS, v.ThroughputMiBPerS = "gp2", 100, 300, 0 }, series: busy(2990, 10), by: optional.Known(usage.ByIOPS),
			want: optional.Known(ebs.GP3{IOPS: 3588, ThroughputMiBPerS: 125}), saving: "-0.94", notes: []string{usage.Throttled},
		},
		"a hard disk": {
			volume: func(v *usage.Volume) { v.Type, v.SizeGiB, v.IOPS, v.ThroughputMiBPerS = "st1", 500, 0, 0 }, series: busy(50, 10),
			want: optional.Known(ebs.GP3{IOPS: 3000, ThroughputMiBPerS: 125}), saving: "-17.5",
		},
		"no price": {
			volume: func(v *usage.Volume) { v.Region = "ca-west-1" }, series: busy(100, 10),
			want: optional.Known(ebs.GP3{IOPS: 3000, ThroughputMiBPerS: 125}),
		},
		"no figures": {
			series: series(1, func(int) (float64, float64, float64, float64) { return nan, nan, nan, nan }),
			want:   optional.Null[ebs.GP3](), notes: []string{"no figures in the window"},
		},
		"younger than the window": {
			volume: func(v *usage.Volume) { v.Created = now.Add(-90 * time.Minute) }, series: busy(100, 10),
			want: optional.Known(ebs.GP3{IOPS: 3000, ThroughputMiBPerS: 125}), saving: "38", notes: []string{"younger than the window: 90 minutes of 24 hours"},
		},
		"created now": {
			volume: func(v *usage.Volume) { v.Created = now }, series: busy(100, 10),
			want: optional.Null[ebs.GP3](), notes: []string{"younger", "no figures"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			v := volume
			if tc.volume != nil {
				tc.volume(&v)
			}
			o := tc.options
			if o.Percentile == 0 {
				o = defaults
			}
			r := usage.Analyze(cat, v, tc.series, o)
			if r.Recommended != tc.want || r.ThrottledBy != tc.by {
				t.Errorf("recommended %+v, throttled by %+v", r.Recommended, r.ThrottledBy)
			}
			saving := ""
			if d, ok := r.SavingUSD.Get(); ok {
				saving = d.String()
			}
			if saving != tc.saving {
				t.Errorf("saves %q, not %q", saving, tc.saving)
			}
			if len(r.Notes) != len(tc.notes) {
				t.Fatalf("notes are %q", r.Notes)
			}
			for i, n := range tc.notes {
				if !strings.Contains(r.Notes[i], n) {
					t.Errorf("note %d is %q", i, r.Notes[i])
				}
			}
			var text, svg bytes.Buffer
			if err := errors.Join(r.Text(&text, "vol-1"), usage.SVG(&svg, "vol-1", r, tc.series)); err != nil {
				t.Error(err)
			}
			wellFormed(t, svg.Bytes())
			if strings.Contains(text.String()+svg.String(), "NaN") || strings.Contains(svg.String(), "Inf") {
				t.Errorf("a figure is none:\n%s\n%s", &text, &svg)
			}
		})
	}
}

// Percentiles are those of the definition: so many of the values are at or below
// them, and no smaller value has as many.
func TestPercentilesByCounting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 200).Draw(t, "minutes")
		p := float64(rapid.IntRange(50_000, 100_000).Draw(t, "thousandths")) / 1000
		values := rapid.SliceOfN(rapid.IntRange(0, 50), n, n).Draw(t, "ops")
		s := usage.NewSeries(now, n)
		for i, v := range values {
			s.ReadOps[i] = float64(v) * 60
		}
		r := usage.Analyze(catalog.Embedded(), usage.Volume{Type: "gp3", SizeGiB: 10, IOPS: 3000, ThroughputMiBPerS: 125}, s, usage.Options{Percentile: p})
		iops, _ := r.IOPS.Get()
		for _, c := range []struct{ p, got float64 }{{50, iops.Read.P50}, {95, iops.Read.P95}, {99, iops.Read.P99}, {100, iops.Read.Max}, {p, iops.Total.Chosen}} {
			// Counted in thousandths of a percent, without a division.
			enough := func(v float64) bool {
				below := 0
				for _, x := range values {
					if float64(x) <= v {
						below++
					}
				}
				return int64(below)*100_000 >= int64(math.Round(c.p*1000))*int64(n)
			}
			if !slices.Contains(values, int(c.got)) || !enough(c.got) || c.got > 0 && enough(c.got-1) {
				t.Fatalf("p%v of %v is %v", c.p, values, c.got)
			}
		}
	})
}

func TestPictureAndText(t *testing.T) {
	v := volume
	v.InstanceType = "mac2-m2pro.metal"
	s := series(14, func(m int) (float64, float64, float64, float64) {
		day := math.Max(0, math.Sin(float64(m%1440)/1440*2*math.Pi))
		return 1500 * day, 2500 * day, 150 * day, 250 * day
	})
	r := usage.Analyze(catalog.Embedded(), v, s, usage.Options{Percentile: 99.9, HeadroomPercent: 20})
	var text, svg bytes.Buffer
	if err := errors.Join(r.Text(&text, "vol-0123456789abcdef0"), usage.SVG(&svg, "vol-0123456789abcdef0", r, s)); err != nil {
		t.Fatal(err)
	}
	wellFormed(t, svg.Bytes())
	golden(t, "usage.txt", text.Bytes())
	golden(t, "usage.svg", svg.Bytes())
}

func wellFormed(t *testing.T, svg []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("the picture is not XML: %v", err)
		}
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := errors.Join(os.MkdirAll("testdata", 0o755), os.WriteFile(path, got, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got; -update writes it):\n%s", name, diff)
	}
}

func BenchmarkAnalyze(b *testing.B) {
	s := series(14, func(m int) (float64, float64, float64, float64) { return float64(m % 977), float64(m % 613), 1, 2 })
	b.ReportAllocs()
	for b.Loop() {
		usage.Analyze(catalog.Embedded(), volume, s, defaults)
	}
}
