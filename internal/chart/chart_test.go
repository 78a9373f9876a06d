package chart_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/chart"
)

type picture interface {
	Draw(id string, width float64) chart.Drawing
}

// check fails where labels overlap or leave the picture, or the SVG is none.
func check(t rapid.TB, d chart.Drawing) {
	t.Helper()
	for i, l := range d.Labels {
		if l.X < -0.01 || l.Y < 0 || l.X+l.Width > d.Width+0.01 || l.Y+l.Height > d.Height {
			t.Errorf("at %v, %q leaves the picture of %v × %v: %+v", d.Width, l.Text, d.Width, d.Height, l)
		}
		for _, o := range d.Labels[i+1:] {
			if l.X < o.X+o.Width-0.01 && o.X < l.X+l.Width-0.01 && l.Y < o.Y+o.Height-0.01 && o.Y < l.Y+l.Height-0.01 {
				t.Errorf("at %v, %q and %q overlap: %+v %+v", d.Width, l.Text, o.Text, l, o)
			}
		}
	}
	x := xml.NewDecoder(strings.NewReader(d.SVG))
	marks, texts := 0, 0
	for {
		token, err := x.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in %s", err, d.SVG)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if e.Name.Local == "text" {
			texts++
		}
		for _, a := range e.Attr {
			if a.Name.Local == "class" && slices.Contains(strings.Fields(a.Value), "mark") {
				marks++
			}
			if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
				t.Errorf("%s has the %s %s", e.Name.Local, a.Name.Local, a.Value)
			}
		}
	}
	if marks != d.Marks || texts != len(d.Labels) {
		t.Errorf("%d marks and %d texts, but %d and %d are told", marks, texts, d.Marks, len(d.Labels))
	}
}

var widths = []float64{280, 330, 680, 1200}

func TestPictures(t *testing.T) {
	tests := map[string]struct {
		picture
		marks int
		// labels that are there in every width.
		labels []string
	}{
		"start-up": {
			chart.Bars{Title: "x", Desc: "y", Axis: "seconds from boot", Rows: []chart.Row{{
				Name: "now", Value: "ready after 366.5 s", Note: "bound by: the root volume's throughput; the pull pipelines of two images",
				Segments: []chart.Segment{{Name: "boot", To: 113, Colour: chart.Blue, Label: "113 s"}, {Name: "pull", From: 113, To: 362, Colour: chart.Purple, Label: "249 s"}, {Name: "ready", From: 362, To: 366.5, Colour: chart.Green, Label: "4.5 s"}},
			}}, Lines: []chart.Line{{At: 300, Label: "allowed: 300 s", Colour: chart.Red}}},
			3,
			[]string{"allowed: 300 s", "now", "ready after 366.5 s", "boot", "pull", "ready", "seconds from boot"},
		},
		"limits beside each other": {
			chart.Bars{
				Title: "x", Desc: "y", Axis: "MiB/s", Rows: []chart.Row{{Name: "a", Segments: []chart.Segment{{Name: "a", To: 5, Colour: chart.Blue}}}},
				Lines: []chart.Line{{At: 1000, Label: "at most 953.67 MiB/s = 1,000 MB/s"}, {At: 990, Label: "sustained 944.14 MiB/s = 990 MB/s"}, {At: 0, Label: "nothing"}},
			},
			1,
			[]string{"at most 953.67 MiB/s = 1,000 MB/s", "sustained 944.14 MiB/s = 990 MB/s", "nothing"},
		},
		"nothing": {chart.Bars{Title: "x", Desc: "y", Rows: []chart.Row{{Name: "a"}}}, 0, []string{"a"}},
		"frontier": {
			chart.Lines{
				Title: "x", Desc: "y", XAxis: "MiB/s", YAxis: "US dollars a month", Money: true, Beyond: 953.67,
				Series:  []chart.Series{{Name: "cheapest gp3", XY: [][2]float64{{125, 8}, {750, 33}, {2000, 108}}, Colour: chart.Blue}},
				Points:  []chart.Point{{X: 125, Y: 8, Label: "now: 125 MiB/s, $8.00", Colour: chart.Orange}, {X: 130, Y: 8.5, Label: "recommended: 130 MiB/s, $8.50", Colour: chart.Green}},
				Upright: []chart.Line{{At: 953.67, Label: "instance: 953.67 MiB/s = 1,000 MB/s"}},
			},
			3,
			[]string{"now: 125 MiB/s, $8.00", "recommended: 130 MiB/s, $8.50", "instance: 953.67 MiB/s = 1,000 MB/s", "$0"},
		},
		"pool": {
			chart.Lines{
				Title: "x", Desc: "y", XAxis: "hours", YAxis: "hosts", XStep: 12, Whole: true,
				Series: []chart.Series{{Name: "allocated", XY: [][2]float64{{0, 4}, {1, 9}, {72, 10}}, Area: true, Step: true}, {Name: "in use", XY: [][2]float64{{0, 4}, {72, 9}}, Step: true, Dashed: true}},
				Level:  []chart.Line{{At: 10, Label: "quota: 10 hosts"}},
			},
			2,
			[]string{"quota: 10 hosts", "72", "hours", "0"},
		},
		"one host": {
			chart.Lines{Title: "x", Desc: "y", Whole: true, Series: []chart.Series{{Name: "allocated", XY: [][2]float64{{0, 1}, {72, 1}}, Step: true}}},
			1,
			[]string{"0", "1", "2"},
		},
	}
	for name, test := range tests {
		for _, w := range widths {
			t.Run(fmt.Sprintf("%s at %v", name, w), func(t *testing.T) {
				d := test.Draw("id", w)
				check(t, d)
				if d.Marks != test.marks {
					t.Errorf("%d marks, not %d", d.Marks, test.marks)
				}
				for _, l := range test.labels {
					if !slices.ContainsFunc(d.Labels, func(o chart.Label) bool { return o.Text == l }) {
						t.Errorf("the label %q is missing", l)
					}
				}
				if test.Draw("id", w).SVG != d.SVG {
					t.Error("the same picture is drawn differently")
				}
			})
		}
	}
}

// Whatever is drawn, labels keep to themselves and to the picture.
func TestAnyPicture(t *testing.T) {
	word := rapid.StringMatching(`[ -~äß→<&"']{0,60}`)
	colour := rapid.SampledFrom(chart.Palette)
	figure := rapid.OneOf(rapid.Float64Range(0, 1), rapid.Float64Range(0, 300_000))
	line := rapid.Custom(func(t *rapid.T) chart.Line {
		return chart.Line{At: figure.Draw(t, "at"), Label: word.Draw(t, "label"), Colour: chart.Red}
	})
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.Float64Range(280, 1400).Draw(t, "width")
		bars := chart.Bars{Title: word.Draw(t, "title"), Axis: word.Draw(t, "axis"), Lines: rapid.SliceOfN(line, 0, 4).Draw(t, "lines")}
		bars.Rows = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) chart.Row {
			r := chart.Row{Name: word.Draw(t, "name"), Value: word.Draw(t, "value"), Note: word.Draw(t, "note")}
			at := 0.0
			for range rapid.IntRange(0, 6).Draw(t, "segments") {
				to := at + figure.Draw(t, "length")
				r.Segments = append(r.Segments, chart.Segment{Name: word.Draw(t, "segment"), From: at, To: to, Colour: colour.Draw(t, "colour"), Label: word.Draw(t, "label")})
				at = to
			}
			return r
		}), 0, 5).Draw(t, "rows")
		check(t, bars.Draw("a", w))

		lines := chart.Lines{Title: word.Draw(t, "title"), XAxis: word.Draw(t, "x"), YAxis: word.Draw(t, "y"), Upright: rapid.SliceOfN(line, 0, 3).Draw(t, "upright"), Level: rapid.SliceOfN(line, 0, 3).Draw(t, "level"), Whole: rapid.Bool().Draw(t, "whole")}
		for range rapid.IntRange(0, 4).Draw(t, "series") {
			s := chart.Series{Name: word.Draw(t, "series"), Step: rapid.Bool().Draw(t, "step"), Area: rapid.Bool().Draw(t, "area"), Colour: colour.Draw(t, "colour")}
			for range rapid.IntRange(0, 20).Draw(t, "points") {
				s.XY = append(s.XY, [2]float64{figure.Draw(t, "x"), figure.Draw(t, "y")})
			}
			lines.Series = append(lines.Series, s)
		}
		for range rapid.IntRange(0, 4).Draw(t, "points") {
			lines.Points = append(lines.Points, chart.Point{X: figure.Draw(t, "x"), Y: figure.Draw(t, "y"), Label: word.Draw(t, "label"), Colour: colour.Draw(t, "colour")})
		}
		check(t, lines.Draw("b", w))
	})
}

// Texts are escaped, and a picture of its own says where it belongs.
func TestStandalone(t *testing.T) {
	d := chart.Bars{Title: "<b>", Desc: `"&`, Rows: []chart.Row{{Name: "<i>", Segments: []chart.Segment{{Name: "</svg>", To: 1}}}}}.Draw("x", 330)
	got := d.Standalone()
	for _, bad := range []string{"<b>", "<i>", "</svg></"} {
		if strings.Contains(got, bad) {
			t.Errorf("%q is in the picture", bad)
		}
	}
	if !strings.HasPrefix(got, "<svg ") || !strings.Contains(got, `xmlns="http://www.w3.org/2000/svg"`) || !strings.Contains(got, "prefers-color-scheme:dark") {
		t.Errorf("this does not stand alone: %s", got)
	}
}
