package iostat_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/iostat"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

var update = flag.Bool("update", false, "write golden files anew")

// The samples are made from the documented columns of the tools: what they show
// is said beside each.
func TestText(t *testing.T) {
	for name, setting := range map[string]iostat.Setting{
		"macos":       {},                                                          // 6,000 flat, 14,000 fluctuating
		"macos_cpu":   {},                                                          // 7,190 flat, with the tables of CPU and load
		"linux_comma": {},                                                          // 3,000 IOPS flat, 125 MiB/s flat; German
		"linux_x_old": {},                                                          // fluctuating, columns of sysstat 10, a time and a CPU table
		"linux_xm":    {ProvisionedThroughput: optional.Known(units.MiBPerS(750))}, // 750 MiB/s flat, in MB
	} {
		t.Run(name, func(t *testing.T) {
			f, err := os.Open(filepath.Join("testdata", name+".txt"))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			report, err := iostat.Parse(f)
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			if err := report.Text(&got, setting); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(file, got.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// mac is the output of "iostat -d" on macOS for one device.
func mac(samples ...string) string {
	return "              disk4 \n    KB/t  tps  MB/s \n" + strings.Join(samples, "\n") + "\n"
}

// series is a macOS device with an average since boot and then the values, each
// of I/Os of so many KiB.
func series(kib float64, values ...float64) string {
	rows := []string{"   20.00  100  1.95"}
	for _, v := range values {
		rows = append(rows, fmt.Sprintf(" %.2f %.0f %.2f", kib, v, v*kib/1024))
	}
	return mac(rows...)
}

func parse(t *testing.T, text string) *iostat.Report {
	t.Helper()
	r, err := iostat.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// around are n values, each within a part of the middle.
func around(n int, middle, part float64) []float64 {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	out := make([]float64, n)
	for i := range out {
		out[i] = middle * (1 + part*(2*r.Float64()-1))
	}
	return out
}

func TestClassify(t *testing.T) {
	ceiling := func(typ string) optional.Value[catalog.EBSCeiling] {
		i, ok := catalog.Embedded().Instance(typ)
		if !ok {
			t.Fatalf("%s is not in the table", typ)
		}
		return i.EBS
	}
	for name, tc := range map[string]struct {
		text    string
		setting iostat.Setting
		kind    iostat.Kind
		limit   float64
		says    string
	}{
		"6,000 flat":                     {text: series(16, around(30, 6000, 0.002)...), kind: iostat.VolumeIOPS, limit: 6000, says: "the throttle of a volume with 6,000 IOPS"},
		"14,000 fluctuating":             {text: series(16, around(30, 14020, 0.15)...), kind: iostat.Fluctuating, says: "the volume is not the limit"},
		"16,000 flat":                    {text: series(16, around(30, 16000, 0.002)...), kind: iostat.VolumeIOPS, limit: 16000},
		"3,000 flat, half a percent off": {text: series(4, around(30, 2985, 0.002)...), kind: iostat.VolumeIOPS, limit: 3000},
		"what the virtualisation layer passes": {
			text: series(16, around(30, 7190, 0.002)...), kind: iostat.Steady, says: "where the virtualisation layer of mac2-m2pro.metal was measured to stop VMs",
		},
		"5,500 flat, not a usual setting": {text: series(16, around(30, 5500, 0.002)...), kind: iostat.Steady, says: "which no volume is usually provisioned with"},
		"5,500 flat, which is the setting": {
			text: series(16, around(30, 5500, 0.002)...), setting: iostat.Setting{ProvisionedIOPS: optional.Known[int64](5500)}, kind: iostat.VolumeIOPS, limit: 5500,
			says: "at the 5,500 IOPS that are provisioned",
		},
		"6,000 flat, where 16,000 are provisioned": {
			text: series(16, around(30, 6000, 0.002)...), setting: iostat.Setting{ProvisionedIOPS: optional.Known[int64](16000)}, kind: iostat.Steady,
			says: "not what is provisioned",
		},
		"750 MiB/s flat in large I/Os":       {text: series(256, around(30, 3000, 0.002)...), kind: iostat.VolumeThroughput, limit: 750, says: "a volume with 750 MiB/s"},
		"125 MiB/s flat in I/Os of 250 KiB":  {text: series(250, around(30, 512, 0.002)...), kind: iostat.VolumeThroughput, limit: 125},
		"16,000 IOPS that make 250 MiB/s":    {text: series(16, around(30, 16000, 0.002)...), kind: iostat.VolumeIOPS, limit: 16000},
		"the ceiling of the instance":        {text: series(256, around(30, 3814.7, 0.002)...), setting: iostat.Setting{InstanceType: "mac2-m2pro.metal", Ceiling: ceiling("mac2-m2pro.metal")}, kind: iostat.Instance, limit: 953.67431640625, says: "all its volumes together"},
		"IOPS that the instance sustains":    {text: series(8, around(30, 55000, 0.002)...), setting: iostat.Setting{InstanceType: "mac2-m2pro.metal", Ceiling: ceiling("mac2-m2pro.metal")}, kind: iostat.Instance, limit: 55000},
		"idle":                               {text: series(16, around(30, 8, 0.5)...), kind: iostat.Idle},
		"nothing at all":                     {text: series(16, 0, 0, 0, 0, 0, 0), kind: iostat.Idle},
		"four samples":                       {text: series(16, 6000, 6000, 6000, 6000), kind: iostat.TooShort, says: "4 samples under load are too few"},
		"only the average since boot":        {text: series(16), kind: iostat.Idle},
		"flat with pauses between":           {text: series(16, append(append(around(12, 6000, 0.002), 0, 3, 0, 12), around(12, 6000, 0.002)...)...), kind: iostat.VolumeIOPS, limit: 6000},
		"a short overshoot does not hide it": {text: series(16, append([]float64{6600}, around(30, 6000, 0.002)...)...), kind: iostat.VolumeIOPS, limit: 6000},
		"a load that comes and goes":         {text: series(16, 100, 3000, 200, 5000, 6000, 900, 2500, 5600, 4800, 150, 5300, 6100, 5000), kind: iostat.Fluctuating},
	} {
		t.Run(name, func(t *testing.T) {
			r := parse(t, tc.text)
			if len(r.Devices) != 1 || r.Devices[0].Name != "disk4" {
				t.Fatalf("devices %v", r.Devices)
			}
			v := iostat.Classify(r.Devices[0], tc.setting)
			if v.Kind != tc.kind || v.Limit != tc.limit {
				t.Errorf("%s at %v, want %s at %v", v.Kind, v.Limit, tc.kind, tc.limit)
			}
			if v.Means == "" || v.ToDo == "" || !strings.Contains(v.Means, tc.says) {
				t.Errorf("%q is missing in %q", tc.says, v.Means)
			}
		})
	}
}

func TestFirstSampleIsLeftOut(t *testing.T) {
	r := parse(t, mac(" 16.00 90000 1406.25", " 16.00 6000 93.75", " 16.00 6001 93.77"))
	d := r.Devices[0]
	if d.Seen != 3 || len(d.Samples) != 2 || d.Samples[0].IOPS != 6000 {
		t.Errorf("seen %d, kept %v", d.Seen, d.Samples)
	}
}

// One sample each, in the ways in which it can be written.
func TestParse(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		// device: IOPS, KiB/s, reads
		want string
	}{
		"macOS": {mac("1 1 1", " 16.00 6000 93.75"), "disk4: 6000 96000 -"},
		"macOS without MB/s": {
			"   disk4\n    KB/t  tps\n 1 1\n 16.00 6000\n", "disk4: 6000 96000 -",
		},
		"macOS with terminals and CPU": {
			"      tty            disk0              disk2       cpu    load average\n tin tout    KB/t  tps  MB/s     KB/t  tps  MB/s  us sy id   1m   5m   15m\n" +
				"   0   5    20.00   30  0.59    20.00   30  0.59   5  3 92  2.5 2.3 2.3\n   0   9    16.00  100  1.56    32.00   50  1.56   5  3 92  2.5 2.3 2.3\n",
			"disk0: 100 1597.44 -; disk2: 50 1597.44 -",
		},
		"macOS in German":                   {mac("1 1 1", " 16,00 6000 93,75"), "disk4: 6000 96000 -"},
		"macOS, the names are not repeated": {mac("1 1 1", "    KB/t  tps  MB/s", " 16.00 6000 93.75"), "disk4: 6000 96000 -"},
		"macOS, a heading without names":    {"    KB/t  tps  MB/s\n 1 1 1\n 16.00 6000 93.75\n", "device 1: 6000 96000 -"},
		"Linux": {
			"Device             tps    kB_read/s    kB_wrtn/s\nsda 1 1 1\n\nDevice             tps    kB_read/s    kB_wrtn/s\nsda 100 300 100\n", "sda: 100 400 -",
		},
		"Linux in MB":                          {"Device tps MB_read/s MB_wrtn/s\nsda 1 1 1\nsda 100 1 1\n", "sda: 100 2048 -"},
		"Linux in blocks":                      {"Device: tps Blk_read/s Blk_wrtn/s Blk_read Blk_wrtn\nsda 1 1 1 1 1\nsda 100 600 200 9 9\n", "sda: 100 400 -"},
		"Linux, short":                         {"Device tps kB/s rqm/s await areq-sz aqu-sz %util\nsda 1 1 1 1 1 1 1\nsda 100 400 0 1 4 1 50\n", "sda: 100 400 -"},
		"Linux without throughput, with sizes": {"Device tps areq-sz\nsda 1 1\nsda 100 4\n", "sda: 100 400 -"},
		"Linux without either":                 {"Device tps\nsda 1\nsda 100\n", "sda: 100 - -"},
		"Linux -dx":                            {"Device r/s rkB/s rareq-sz w/s wkB/s wareq-sz d/s dkB/s f/s\nsda 1 1 1 1 1 1 1 1 1\nsda 60 240 4 40 160 4 7 700 3\n", "sda: 100 400 60"},
		"Linux -dx with sizes alone":           {"Device r/s rareq-sz w/s wareq-sz\nsda 1 1 1 1\nsda 60 4 40 8\n", "sda: 100 560 60"},
		"Linux -dx in sectors":                 {"Device: r/s w/s rsec/s wsec/s avgrq-sz\nsda 1 1 1 1 1\nsda 60 40 480 320 8\n", "sda: 100 400 60"},
		"Linux in French":                      {"Périphérique       tps    kB_read/s    kB_wrtn/s\nsda 1,5 1 1\nsda 100,00 300,0 100,5\n", "sda: 100 400.5 -"},
		"a row cut off":                        {"Device tps kB_read/s kB_wrtn/s kB_read kB_wrtn\nsda 1 1 1 1 1\nsda 100 300\n", "sda: 100 300 -"},
		"rows of something else":               {"Device tps kB_read/s\nsda 1 1\nsda one two\nsda 100 300 5 6 7\nsda 100 0x10\nsda 100 nan\nsda -1 5\nsda 100 300\n", "sda: 100 300 -"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, d := range parse(t, tc.text).Devices {
				if len(d.Samples) != 1 {
					t.Fatalf("%s has %d samples", d.Name, len(d.Samples))
				}
				s := d.Samples[0]
				show := func(v optional.Value[float64]) string {
					if f, ok := v.Get(); ok {
						return fmt.Sprint(f)
					}
					return "-"
				}
				got = append(got, fmt.Sprintf("%s: %v %s %s", d.Name, s.IOPS, show(s.KiBPerS), show(s.ReadIOPS)))
			}
			if g := strings.Join(got, "; "); g != tc.want {
				t.Errorf("got %q, want %q", g, tc.want)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		want error
		says string
	}{
		"empty":          {"", iostat.ErrEmpty, ""},
		"blank":          {"\n \n\t\n", iostat.ErrEmpty, ""},
		"binary":         {"\x7fELF\x02\x01\x01\x00\x00", iostat.ErrBinary, ""},
		"another text":   {"total 12\ndrwxr-xr-x 2 root staff 4096 .\n", iostat.ErrNoDevices, ""},
		"totals":         {"   disk4\n    KB/t xfrs   MB\n 20 100 2\n", iostat.ErrTotals, ""},
		"JSON":           {`{"sysstat": {"hosts": []}}`, iostat.ErrJSON, ""},
		"only a heading": {"Device tps kB_read/s\n", iostat.ErrNoSamples, ""},
		"human":          {"Device tps kB_read/s\nsda 1k 2M\n", iostat.ErrNoSamples, ""},
		"one long line":  {strings.Repeat("x", 1<<20), nil, "has a line of more than 64 KiB (line 1)"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := iostat.Parse(strings.NewReader(tc.text))
			if err == nil || tc.want != nil && !errors.Is(err, tc.want) || !strings.Contains(err.Error(), tc.says) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v", err)
			}
		})
	}
	broken := errors.New("broken")
	if _, err := iostat.Parse(io.MultiReader(strings.NewReader(mac("1 1 1")), failing{broken})); !errors.Is(err, broken) {
		t.Errorf("a reader that fails: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// repeated is a text over and over, up to a size.
type repeated struct {
	head, body string
	left       int
	rest       string
	started    bool
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, io.EOF
	}
	if r.rest == "" {
		r.rest = r.body
		if !r.started {
			r.rest, r.started = r.head, true
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	r.left -= n
	return n, nil
}

// 100 MB of samples keep a bounded number of them, and say the same as a few.
func TestLongRun(t *testing.T) {
	in := &repeated{head: "   disk4\n    KB/t  tps  MB/s\n 1 1 1\n", body: " 16.00 6000 93.75\n 16.00 6003 93.80\n 16.00 5998 93.72\n", left: 100 << 20}
	r, err := iostat.Parse(in)
	if err != nil {
		t.Fatal(err)
	}
	d := r.Devices[0]
	if d.Seen < 5_000_000 || len(d.Samples) > 8192 || len(d.Samples) < 4096 {
		t.Errorf("%d samples seen, %d kept", d.Seen, len(d.Samples))
	}
	if v := iostat.Classify(d, iostat.Setting{}); v.Kind != iostat.VolumeIOPS || v.Limit != 6000 {
		t.Errorf("%+v", v)
	}
}

func TestManyDevices(t *testing.T) {
	var b strings.Builder
	b.WriteString("Device tps kB_read/s\n")
	for range 2 {
		for i := range 100_000 {
			fmt.Fprintf(&b, "sd%d 100 400\n", i)
		}
	}
	r := parse(t, b.String())
	if len(r.Devices) != 64 || r.SkippedDevices == 0 {
		t.Errorf("%d devices, %d skipped", len(r.Devices), r.SkippedDevices)
	}
}

// Names come from a file and go to a terminal.
func TestNamesArePrintable(t *testing.T) {
	var out bytes.Buffer
	r := parse(t, "Device tps kB_read/s\n\x1b[31mevil\u009b 1 1\n\x1b[31mevil\u009b 100 400\n"+strings.Repeat("y", 100)+" 1 1\n")
	if err := r.Text(&out, iostat.Setting{}); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(out.String(), "\x1b\u009b") || strings.Contains(out.String(), strings.Repeat("y", 41)) || !strings.Contains(out.String(), "[31mevil") {
		t.Errorf("%q", out.String())
	}
}

// A dead-flat series at a usual setting is that volume's throttle, at whatever
// height and in whatever unit; shaken by a tenth it is not.
func TestThrottleIsFound(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		limit := rapid.SampledFrom([]float64{3000, 4000, 6000, 9000, 12000, 16000, 20000, 40000, 80000}).Draw(rt, "limit")
		kib := rapid.SampledFrom([]float64{4, 5, 7, 12}).Draw(rt, "kib")
		n := rapid.IntRange(5, 200).Draw(rt, "samples")
		for _, part := range []float64{0.004, 0.2} {
			d := parse(t, series(kib, around(n, limit, part)...)).Devices[0]
			v := iostat.Classify(d, iostat.Setting{})
			if isThrottle := v.Kind == iostat.VolumeIOPS && v.Limit == limit; isThrottle != (part < 0.01) && n >= 20 {
				rt.Errorf("%v IOPS of %v KiB within %v: %s at %v", limit, kib, part, v.Kind, v.Limit)
			}
		}
	})
}

// Whatever is read, there is a report with samples that can be judged, or an
// error in one line.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"macos", "macos_cpu", "linux_comma", "linux_x_old", "linux_xm"} {
		b, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte("KB/t tps\n1 1\n"))
	f.Add([]byte("a b\nKB/t tps MB/s KB/t\n1,5 2 3 4\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := iostat.Parse(bytes.NewReader(b))
		if err != nil {
			if r != nil || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v, %q", r, err)
			}
			return
		}
		for _, d := range r.Devices {
			if d.Seen < 1 || len(d.Samples) >= d.Seen {
				t.Errorf("%d of %d samples", len(d.Samples), d.Seen)
			}
			for _, s := range d.Samples {
				if kib, ok := s.KiBPerS.Get(); s.IOPS < 0 || ok && kib < 0 {
					t.Errorf("%+v", s)
				}
			}
		}
		if err := r.Text(io.Discard, iostat.Setting{}); err != nil {
			t.Error(err)
		}
	})
}
