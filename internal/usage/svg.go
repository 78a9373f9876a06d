package usage

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// Bucket is a stretch of time with the percentiles of the minutes in it.
type Bucket struct {
	Start         time.Time
	IOPS, MiBPerS Percentiles // of reads and writes together
}

// mostBuckets fit side by side on a picture that is still read as one.
const mostBuckets = 120

// bucketMinutes are the lengths that people think in.
var bucketMinutes = []int{5, 10, 15, 30, 60, 120, 180, 240, 360, 720, 1440}

// Buckets cuts a series into stretches of the shortest length of which not too
// many are needed. Chosen is the given percentile.
func Buckets(s Series, chosen float64) (buckets []Bucket, minutes int) {
	minutes = bucketMinutes[len(bucketMinutes)-1]
	for _, m := range bucketMinutes {
		if s.Minutes() <= m*mostBuckets {
			minutes = m
			break
		}
	}
	for from := 0; from < s.Minutes(); from += minutes {
		to := min(from+minutes, s.Minutes())
		ops, bytes := newRates(to-from), newRates(to-from)
		for i := range to - from {
			ops.set(i, s.ReadOps[from+i]/60, s.WriteOps[from+i]/60)
			bytes.set(i, mibPerS(s.ReadBytes[from+i]), mibPerS(s.WriteBytes[from+i]))
		}
		buckets = append(buckets, Bucket{
			Start: s.Start.Add(time.Duration(from) * time.Minute),
			IOPS:  ops.percentiles(chosen).Total, MiBPerS: bytes.percentiles(chosen).Total,
		})
	}
	return buckets, minutes
}

// The picture's measures in pixels.
const (
	width, panelHeight    = 960, 240
	left, right, top, gap = 76, 24, 138, 48
	plotWidth             = width - left - right
	plotEnd               = top + 2*panelHeight + gap
	height                = plotEnd + 52
)

// line is a horizontal line across a panel.
type line struct {
	value       float64
	class, name string
}

// curve is a percentile over time.
type curve struct {
	class, name string
	of          func(Percentiles) float64
}

// panel is one chart of the picture.
type panel struct {
	title, unit string
	of          func(Bucket) Percentiles
	lines       []line
}

// picture is what is drawn.
type picture struct {
	strings.Builder
	buckets []Bucket
	curves  []curve
	start   time.Time
	length  time.Duration
}

// SVG draws the percentiles over time against the provisioned and the
// recommended setting, and the percentile of the whole window that the
// recommendation is for: one panel of IOPS, one of MiB/s. The picture needs
// nothing beside it, follows the reader's light or dark scheme, and tells its
// content in words to those who do not see it. The same input gives the same
// bytes.
func SVG(w io.Writer, id string, r Report, s Series) error {
	s = (&Report{Volume: r.Volume}).existing(s)
	buckets, minutes := Buckets(s, r.Options.Percentile)
	d := &picture{buckets: buckets, curves: curves(r.Options.Percentile), start: s.Start.UTC(), length: time.Duration(s.Minutes()) * time.Minute}
	chosen := percentileName(r.Options.Percentile)
	recommended, _ := r.Recommended.Get()
	lines := func(limit optional.Value[float64], all optional.Value[Rates], to int64) []line {
		var out []line
		if v, ok := limit.Get(); ok {
			out = append(out, line{v, "limit", "provisioned"})
		}
		if v, ok := all.Get(); ok {
			out = append(out, line{v.Total.Chosen, "all", chosen + " of all minutes"})
		}
		if r.Recommended.IsKnown() {
			out = append(out, line{float64(to), "rec", "recommended"})
		}
		return out
	}
	panels := []panel{
		{"I/O operations a second", "IOPS", func(b Bucket) Percentiles { return b.IOPS }, lines(r.LimitIOPS, r.IOPS, recommended.IOPS)},
		{"Throughput", "MiB/s", func(b Bucket) Percentiles { return b.MiBPerS }, lines(r.LimitMiBPerS, r.MiBPerS, recommended.ThroughputMiBPerS)},
	}

	d.add(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-labelledby="title desc">`, width, height, width, height)
	d.add(`<title id="title">What %s did, %s</title>`, escape(id), period(s))
	d.add(`<desc id="desc">%s</desc>`, escape(strings.Join(summary(r), " ")))
	d.add(`<style>%s</style>`, style)
	d.add(`<rect class="bg" width="%d" height="%d"/>`, width, height)
	d.add(`<text class="h" x="%d" y="28">%s</text>`, left, escape(id))
	d.add(`<text class="s" x="%d" y="48">%s · %s GiB %s</text>`, left, period(s), units.Count(r.Volume.SizeGiB), escape(r.Volume.Type))
	d.add(`<text class="s" x="%d" y="66">each step is %s; rates are averages of a minute, reads and writes together</text>`, left, span(minutes))
	d.legend(panels, 90)
	for n, p := range panels {
		d.panel(p, top+n*(panelHeight+gap), r.MinutesWithData > 0)
	}
	d.times()
	d.add(`</svg>`)
	_, err := io.WriteString(w, d.String())
	return err
}

const style = `text{font:12px system-ui,sans-serif;fill:#1f2328}.h{font-size:17px;font-weight:600}.p{font-size:13px;font-weight:600}.s,.t{fill:#59636e}` +
	`.bg{fill:#fff}.grid{stroke:#d1d9e0}.p50,.p95,.p99,.own{fill:none;stroke-width:1.6}.p50{stroke:#8c959f}.p95{stroke:#218bff}.p99{stroke:#8250df}.own{stroke:#bf3989}` +
	`.limit,.all,.rec{stroke-width:1.6}.limit{stroke:#cf222e;stroke-dasharray:7 4}.all{stroke:#bc4c00;stroke-dasharray:10 3 2 3}.rec{stroke:#1a7f37;stroke-dasharray:2 3}` +
	`@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.s,.t{fill:#9198a1}.bg{fill:#0d1117}.grid{stroke:#3d444d}.limit{stroke:#ff7b72}.all{stroke:#f0883e}.rec{stroke:#3fb950}.p99{stroke:#bc8cff}.own{stroke:#f778ba}}`

func percentileName(p float64) string { return "p" + units.Number(p) }

// curves are the percentiles over time: the usual ones, and the chosen one if it
// is another.
func curves(chosen float64) []curve {
	out := []curve{
		{"p50", "p50", func(p Percentiles) float64 { return p.P50 }},
		{"p95", "p95", func(p Percentiles) float64 { return p.P95 }},
		{"p99", "p99", func(p Percentiles) float64 { return p.P99 }},
	}
	if name := percentileName(chosen); !slices.ContainsFunc(out, func(c curve) bool { return c.name == name }) {
		out = append(out, curve{"own", name, func(p Percentiles) float64 { return p.Chosen }})
	}
	return out
}

func (d *picture) add(format string, args ...any) {
	fmt.Fprintf(d, format, args...)
	_ = d.WriteByte('\n')
}

// letter is more than what a letter of the small text is wide, in any usual font.
const letter = 7

// legend names the curves and lines that are drawn.
func (d *picture) legend(panels []panel, y int) {
	x := left
	entry := func(class, name string) {
		d.add(`<line class="%s" x1="%d" y1="%d" x2="%d" y2="%d"/><text class="s" x="%d" y="%d">%s</text>`, class, x, y-4, x+24, y-4, x+30, y, name)
		x += 50 + letter*len(name)
	}
	for _, c := range d.curves {
		entry(c.class, c.name)
	}
	var seen []string
	for _, p := range panels {
		for _, l := range p.lines {
			if !slices.Contains(seen, l.class) {
				seen = append(seen, l.class)
				entry(l.class, l.name)
			}
		}
	}
}

// panel draws one chart below y.
func (d *picture) panel(p panel, y int, hasFigures bool) {
	most := 0.0
	for _, b := range d.buckets {
		for _, c := range d.curves {
			most = max(most, c.of(p.of(b)))
		}
	}
	var values []string
	for _, l := range p.lines {
		most = max(most, l.value)
		values = append(values, l.name+" "+axisNumber(l.value))
	}
	step, end := scale(most)
	at := func(v float64) float64 { return float64(y+panelHeight) - v/end*panelHeight }
	d.add(`<text class="p" x="%d" y="%d">%s (%s)</text>`, left, y-12, p.title, p.unit)
	d.add(`<text class="s" text-anchor="end" x="%d" y="%d">%s</text>`, width-right, y-12, strings.Join(values, " · "))
	for n := 0; ; n++ {
		v := float64(n) * step
		if v > end+step/2 {
			break
		}
		d.add(`<line class="grid" x1="%d" y1="%.1f" x2="%d" y2="%.1f"/><text class="t" text-anchor="end" x="%d" y="%.1f">%s</text>`,
			left, at(v), width-right, at(v), left-8, at(v)+4, axisNumber(v))
	}
	for _, t := range d.ticks() {
		x := d.x(t)
		d.add(`<line class="grid" x1="%.1f" y1="%d" x2="%.1f" y2="%d"/>`, x, y, x, y+panelHeight+4)
	}
	if !hasFigures {
		d.add(`<text class="s" text-anchor="middle" x="%d" y="%d">no figures in the window</text>`, left+plotWidth/2, y+panelHeight*3/8)
	}
	for _, c := range d.curves {
		if !hasFigures {
			break
		}
		var points strings.Builder
		for i, b := range d.buckets {
			until := d.start.Add(d.length)
			if i+1 < len(d.buckets) {
				until = d.buckets[i+1].Start
			}
			v := at(c.of(p.of(b)))
			fmt.Fprintf(&points, " %.1f,%.1f %.1f,%.1f", d.x(b.Start), v, d.x(until), v)
		}
		d.add(`<polyline class="%s" points="%s"/>`, c.class, strings.TrimSpace(points.String()))
	}
	for _, l := range p.lines {
		d.add(`<line class="%s" x1="%d" y1="%.1f" x2="%d" y2="%.1f"><title>%s %s %s</title></line>`, l.class, left, at(l.value), width-right, at(l.value), l.name, axisNumber(l.value), p.unit)
	}
}

// x is where a time is.
func (d *picture) x(t time.Time) float64 {
	if d.length <= 0 {
		return left
	}
	return left + float64(t.Sub(d.start))/float64(d.length)*plotWidth
}

// tickSteps are the distances of labelled times.
var tickSteps = []time.Duration{
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, day, 2 * day, 4 * day,
}

const (
	day = 24 * time.Hour
	// mostTicks leaves each label more room than the widest one takes.
	mostTicks = 8
)

func (d *picture) tickStep() time.Duration {
	for _, s := range tickSteps {
		if d.length <= s*mostTicks {
			return s
		}
	}
	return tickSteps[len(tickSteps)-1]
}

// ticks are the round times in the window, whenever it starts.
func (d *picture) ticks() (out []time.Time) {
	if d.length <= 0 {
		return nil
	}
	step := d.tickStep()
	t := d.start.Truncate(step)
	if t.Before(d.start) {
		t = t.Add(step)
	}
	for ; !t.After(d.start.Add(d.length)); t = t.Add(step) {
		out = append(out, t)
	}
	return out
}

// times writes the times below the panels: days, or hours with the day below the
// first of it.
func (d *picture) times() {
	const label, below = plotEnd + 20, plotEnd + 38
	text := func(t time.Time, y int, layout string) {
		// The date of a time at the edge would reach over it.
		x, anchor := d.x(t), "middle"
		if x > width-right-30 {
			x, anchor = width-right, "end"
		}
		d.add(`<text class="t" text-anchor="%s" x="%.1f" y="%d">%s</text>`, anchor, x, y, t.Format(layout))
	}
	lastDay := time.Time{}
	for _, t := range d.ticks() {
		if d.tickStep() >= day {
			text(t, label, "2 Jan")
			continue
		}
		text(t, label, "15:04")
		if today := t.Truncate(day); !today.Equal(lastDay) {
			text(t, below, "2 Jan")
			lastDay = today
		}
	}
	d.add(`<text class="t" x="12" y="%d">UTC</text>`, label)
}

// axisNumber is short enough for the axis, however large the value.
func axisNumber(v float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}} {
		switch {
		case v >= 1e15:
			return fmt.Sprintf("%.2g", v)
		case v >= u.size:
			return units.Number(math.Round(v/u.size*100)/100) + " " + u.name
		}
	}
	if v > 0 && v < 0.1 {
		return fmt.Sprintf("%.2g", v)
	}
	return units.Number(math.Round(v*100) / 100)
}

// scale finds a round step of which about five reach the highest value.
func scale(most float64) (step, end float64) {
	if most <= 0 {
		return 1, 1
	}
	raw := most / 5
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 2.5, 5, 10} {
		if step = m * power; step >= raw {
			break
		}
	}
	return step, step * math.Ceil(most/step*(1-1e-9))
}

func period(s Series) string {
	end := s.Start.Add(time.Duration(s.Minutes()) * time.Minute)
	return s.Start.UTC().Format("2006-01-02 15:04") + " to " + end.UTC().Format("2006-01-02 15:04") + " UTC"
}

func escape(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(s)
}
