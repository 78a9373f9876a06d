package usage_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/usage"
)

// window is a series of some minutes from a time on.
func window(start time.Time, minutes int, ops func(minute int) float64) usage.Series {
	s := usage.NewSeries(start, minutes)
	for i := range minutes {
		if v := ops(i); !math.IsNaN(v) {
			s.ReadOps[i], s.WriteOps[i], s.ReadBytes[i], s.WriteBytes[i] = v*20, v*40, v*60*50_000, v*60*50_000
		}
	}
	return s
}

// wave is a working day.
func wave(most float64) func(int) float64 {
	return func(m int) float64 { return most * math.Max(0, math.Sin(float64(m%1440)/1440*2*math.Pi)) }
}

var pictures = map[string]struct {
	series     usage.Series
	change     func(*usage.Volume)
	percentile float64
	// want are labels that must be there.
	want []string
}{
	"an hour":               {series: window(time.Date(2026, 11, 30, 9, 34, 0, 0, time.UTC), 60, wave(20_000)), want: []string{"09:40", "10:30", "30 Nov"}},
	"three hours, midnight": {series: window(time.Date(2026, 11, 30, 22, 34, 0, 0, time.UTC), 180, wave(4000)), want: []string{"23:00", "00:00", "01:30", "30 Nov", "1 Dec"}},
	"a day":                 {series: window(time.Date(2026, 11, 29, 12, 34, 0, 0, time.UTC), 1440, wave(5900)), percentile: 99.9, want: []string{"15:00", "00:00", "29 Nov", "30 Nov", "p99.9", "p99.9 of all minutes"}},
	"two days":              {series: window(time.Date(2026, 11, 28, 12, 34, 0, 0, time.UTC), 2880, wave(5900)), want: []string{"12:00", "00:00"}},
	"a round start":         {series: window(time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC), 1440, wave(5900)), want: []string{"00:00", "03:00", "29 Nov", "30 Nov"}},
	"two weeks":             {series: window(time.Date(2026, 11, 16, 12, 34, 0, 0, time.UTC), 14*1440, wave(5900)), want: []string{"17 Nov", "29 Nov"}},
	"fifteen days":          {series: window(time.Date(2026, 11, 15, 0, 1, 0, 0, time.UTC), 15*1440, wave(5900)), want: []string{"29 Nov"}},
	"one minute":            {series: window(time.Date(2026, 11, 30, 12, 34, 0, 0, time.UTC), 1, func(int) float64 { return 100 }), want: []string{"12:34"}},
	"no figures":            {series: window(time.Date(2026, 11, 16, 12, 34, 0, 0, time.UTC), 14*1440, func(int) float64 { return math.NaN() }), want: []string{"no figures in the window", "17 Nov"}},
	"no minutes": {
		series: window(time.Date(2026, 11, 16, 12, 34, 0, 0, time.UTC), 60, func(int) float64 { return math.NaN() }),
		change: func(v *usage.Volume) { v.Created = time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC) }, want: []string{"no figures in the window"},
	},
	"all zero": {series: window(time.Date(2026, 11, 30, 9, 34, 0, 0, time.UTC), 600, func(int) float64 { return 0 }), want: []string{"p99 of all minutes 0"}},
	"huge":     {series: window(time.Date(2026, 11, 30, 9, 34, 0, 0, time.UTC), 600, func(int) float64 { return 9.87654321e14 }), percentile: 99.999, want: []string{"800 T"}},
	"tiny": {
		series: window(time.Date(2026, 11, 30, 9, 34, 0, 0, time.UTC), 600, func(int) float64 { return 0.0017 }),
		change: func(v *usage.Volume) { v.Type, v.SizeGiB, v.IOPS, v.ThroughputMiBPerS = "st1", 16384, 0, 0 },
	},
}

// Every text is on the canvas, and none on another; the lines that the picture is
// for are there, and the times below it, whenever the window starts.
func TestPictures(t *testing.T) {
	for name, tc := range pictures {
		t.Run(name, func(t *testing.T) {
			v := volume
			v.Created = time.Time{}
			if tc.change != nil {
				tc.change(&v)
			}
			o := defaults
			if tc.percentile != 0 {
				o.Percentile = tc.percentile
			}
			r := usage.Analyze(catalog.Embedded(), v, tc.series, o)
			var svg bytes.Buffer
			if err := usage.SVG(&svg, "vol-0123456789abcdef0", r, tc.series); err != nil {
				t.Fatal(err)
			}
			// To be looked at: the folder that a person names.
			if dir := os.Getenv("RUNNERFIT_TEST_PICTURES"); dir != "" {
				if err := os.WriteFile(filepath.Join(dir, strings.ReplaceAll(name, " ", "-")+".svg"), svg.Bytes(), 0o644); err != nil {
					t.Error(err)
				}
			}
			labels, lines := read(t, svg.Bytes())
			for _, want := range tc.want {
				found := false
				for _, l := range labels {
					found = found || l.text == want || strings.Contains(l.text, want+" ·") || strings.HasPrefix(l.text, want+" ")
				}
				if !found && !strings.Contains(svg.String(), want) {
					t.Errorf("%q is not written", want)
				}
			}
			for i, a := range labels {
				if a.x0 < 0 || a.x1 > 960 || a.y0 < 0 || a.y1 > canvas(t, svg.Bytes()) {
					t.Errorf("%q is off the canvas: %+v", a.text, a)
				}
				for _, b := range labels[:i] {
					if a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1 {
						t.Errorf("%q is on %q: %+v %+v", a.text, b.text, a, b)
					}
				}
			}
			// Once in the legend, once in each panel.
			want := map[string]int{"limit": 3, "rec": 3, "all": 3}
			if !r.IOPS.IsKnown() {
				want["all"], want["rec"] = 0, 0
			}
			if !r.LimitIOPS.IsKnown() {
				want["limit"]--
			}
			for class, n := range want {
				if lines[class] != n {
					t.Errorf("%d lines of %s, want %d", lines[class], class, n)
				}
			}
			for _, bad := range []string{"NaN", "Inf"} {
				if strings.Contains(svg.String(), bad) {
					t.Errorf("%s in\n%s", bad, &svg)
				}
			}
		})
	}
}

// box is where a text is, with letters as wide as those of a wide font.
type box struct {
	text           string
	x0, y0, x1, y1 float64
}

// read finds the texts of a picture, and counts the lines by class.
func read(t *testing.T, svg []byte) (labels []box, lines map[string]int) {
	t.Helper()
	lines = map[string]int{}
	number := func(e xml.StartElement, name string) float64 {
		f, err := strconv.ParseFloat(attribute(e, name), 64)
		if err != nil {
			t.Fatalf("%s of %s is %q", name, e.Name.Local, attribute(e, name))
		}
		return f
	}
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return labels, lines
		} else if err != nil {
			t.Fatal(err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if e.Name.Local == "line" {
			lines[attribute(e, "class")]++
		}
		if e.Name.Local != "text" {
			continue
		}
		var b box
		if err := d.DecodeElement(&b.text, &e); err != nil {
			t.Fatal(err)
		}
		size, perLetter := 12.0, 6.7
		switch attribute(e, "class") {
		case "h":
			size, perLetter = 17, 10.5
		case "p":
			size, perLetter = 13, 8
		}
		wide := perLetter * float64(utf8.RuneCountInString(b.text))
		x, y := number(e, "x"), number(e, "y")
		switch attribute(e, "text-anchor") {
		case "middle":
			x -= wide / 2
		case "end":
			x -= wide
		}
		b.x0, b.x1, b.y0, b.y1 = x, x+wide, y-0.8*size, y+0.25*size
		labels = append(labels, b)
	}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// canvas is the height of a picture.
func canvas(t *testing.T, svg []byte) float64 {
	t.Helper()
	var root struct {
		Height float64 `xml:"height,attr"`
	}
	if err := xml.Unmarshal(svg, &root); err != nil {
		t.Fatal(err)
	}
	return root.Height
}
