package usage

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
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
	width, panelHeight    = 960, 260
	left, right, top, gap = 76, 24, 84, 56
	plotWidth             = width - left - right
	height                = top + 2*panelHeight + gap + 52
)

// line is a horizontal line across a panel.
type line struct {
	value       float64
	class, name string
}

// panel is one chart of the picture.
type panel struct {
	title, unit string
	of          func(Bucket) Percentiles
	lines       []line
}

// SVG draws the percentiles over time against the provisioned and the
// recommended setting: one panel of IOPS, one of MiB/s. The picture needs nothing
// beside it, follows the reader's light or dark scheme, and tells its content in
// words to those who do not see it. The same input gives the same bytes.
func SVG(w io.Writer, id string, r Report, s Series) error {
	s = (&Report{Volume: r.Volume}).existing(s)
	buckets, minutes := Buckets(s, r.Options.Percentile)
	recommended, _ := r.Recommended.Get()
	lines := func(limit optional.Value[float64], to int64) []line {
		var out []line
		if v, ok := limit.Get(); ok {
			out = append(out, line{v, "limit", "provisioned " + units.Number(v)})
		}
		if r.Recommended.IsKnown() {
			out = append(out, line{float64(to), "rec", "recommended " + units.Count(to)})
		}
		return out
	}
	panels := []panel{
		{"I/O operations a second", "IOPS", func(b Bucket) Percentiles { return b.IOPS }, lines(r.LimitIOPS, recommended.IOPS)},
		{"Throughput", "MiB/s", func(b Bucket) Percentiles { return b.MiBPerS }, lines(r.LimitMiBPerS, recommended.ThroughputMiBPerS)},
	}

	d := &drawing{}
	d.add(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-labelledby="title desc">`, width, height, width, height)
	d.add(`<title id="title">What %s did, %s</title>`, escape(id), period(s))
	d.add(`<desc id="desc">%s</desc>`, escape(strings.Join(summary(r), " ")))
	d.add(`<style>%s</style>`, style)
	d.add(`<rect class="bg" width="%d" height="%d"/>`, width, height)
	d.add(`<text class="h" x="%d" y="28">%s</text>`, left, escape(id))
	d.add(`<text class="s" x="%d" y="48">%s · %s GiB %s · each point is %s; rates are averages of a minute, reads and writes together</text>`,
		left, period(s), units.Count(r.Volume.SizeGiB), escape(r.Volume.Type), span(minutes))
	x := left
	for _, l := range []struct{ class, name string }{{"p50", "p50"}, {"p95", "p95"}, {"p99", "p99"}, {"limit", "provisioned"}, {"rec", "recommended"}} {
		d.add(`<line class="%s" x1="%d" y1="64" x2="%d" y2="64"/><text class="s" x="%d" y="68">%s</text>`, l.class, x, x+24, x+30, l.name)
		x += 60 + 7*len(l.name)
	}
	for n, p := range panels {
		d.panel(p, buckets, top+n*(panelHeight+gap))
	}
	d.times(buckets, s, top+2*panelHeight+gap+18)
	d.add(`</svg>`)
	_, err := io.WriteString(w, d.String())
	return err
}

const style = `text{font:12px system-ui,sans-serif;fill:#1f2328}.h{font-size:17px;font-weight:600}.s,.t{fill:#59636e}` +
	`.bg{fill:#fff}.grid{stroke:#d1d9e0}.p50,.p95,.p99{fill:none;stroke-width:1.6}.p50{stroke:#8c959f}.p95{stroke:#218bff}.p99{stroke:#8250df}` +
	`.limit{stroke:#cf222e;stroke-width:1.6;stroke-dasharray:7 4}.rec{stroke:#1a7f37;stroke-width:1.6;stroke-dasharray:2 3}` +
	`@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.s,.t{fill:#9198a1}.bg{fill:#0d1117}.grid{stroke:#3d444d}.limit{stroke:#ff7b72}.rec{stroke:#3fb950}.p99{stroke:#bc8cff}}`

// drawing collects lines of SVG.
type drawing struct{ strings.Builder }

func (d *drawing) add(format string, args ...any) {
	fmt.Fprintf(d, format, args...)
	_ = d.WriteByte('\n')
}

func (d *drawing) panel(p panel, buckets []Bucket, y int) {
	most := 0.0
	for _, b := range buckets {
		most = max(most, p.of(b).P99)
	}
	for _, l := range p.lines {
		most = max(most, l.value)
	}
	step, end := scale(most)
	at := func(v float64) float64 { return float64(y+panelHeight) - v/end*panelHeight }
	d.add(`<text class="h" style="font-size:13px" x="%d" y="%d">%s (%s)</text>`, left, y-8, p.title, p.unit)
	for v := 0.0; v <= end+step/2; v += step {
		d.add(`<line class="grid" x1="%d" y1="%.1f" x2="%d" y2="%.1f"/><text class="t" text-anchor="end" x="%d" y="%.1f">%s</text>`,
			left, at(v), width-right, at(v), left-8, at(v)+4, units.Number(v))
	}
	for _, c := range []struct {
		class string
		of    func(Percentiles) float64
	}{
		{"p50", func(p Percentiles) float64 { return p.P50 }},
		{"p95", func(p Percentiles) float64 { return p.P95 }},
		{"p99", func(p Percentiles) float64 { return p.P99 }},
	} {
		var points strings.Builder
		for i, b := range buckets {
			fmt.Fprintf(&points, " %.1f,%.1f", xOf(i, len(buckets)), at(c.of(p.of(b))))
		}
		d.add(`<polyline class="%s" points="%s"/>`, c.class, strings.TrimSpace(points.String()))
	}
	for _, l := range p.lines {
		d.add(`<line class="%s" x1="%d" y1="%.1f" x2="%d" y2="%.1f"><title>%s %s</title></line>`, l.class, left, at(l.value), width-right, at(l.value), l.name, p.unit)
	}
}

// times writes the days, or the hours of a short window, below the panels.
func (d *drawing) times(buckets []Bucket, s Series, y int) {
	layout, every := "2 Jan", 24*time.Hour
	switch length := time.Duration(s.Minutes()) * time.Minute; {
	case length <= 3*time.Hour:
		layout, every = "15:04", 30*time.Minute
	case length <= 48*time.Hour:
		layout, every = "2 Jan 15:04", 6*time.Hour
	}
	for i, b := range buckets {
		if b.Start.Truncate(every).Equal(b.Start) {
			d.add(`<text class="t" text-anchor="middle" x="%.1f" y="%d">%s</text>`, xOf(i, len(buckets)), y, b.Start.UTC().Format(layout))
		}
	}
	d.add(`<text class="t" text-anchor="end" x="%d" y="%d">UTC</text>`, width-right, y+18)
}

func xOf(i, count int) float64 {
	if count < 2 {
		return left + plotWidth/2
	}
	return left + float64(i)/float64(count-1)*plotWidth
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

// Text writes the report for people.
func (r Report) Text(w io.Writer, id string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s GiB %s", id, units.Count(r.Volume.SizeGiB), r.Volume.Type)
	if v, ok := r.LimitIOPS.Get(); ok {
		fmt.Fprintf(&b, ", %s IOPS", units.Number(v))
	}
	if v, ok := r.LimitMiBPerS.Get(); ok {
		fmt.Fprintf(&b, ", %s MiB/s", units.Number(v))
	}
	if r.Volume.InstanceType != "" {
		fmt.Fprintf(&b, ", on %s", r.Volume.InstanceType)
	}
	fmt.Fprintf(&b, "\n%s from %s UTC, %s with figures; rates are averages of a minute\n", span(r.Minutes), r.Start.UTC().Format("2006-01-02 15:04"), minutesOf(int64(r.MinutesWithData)))
	chosen := "p" + units.Number(r.Options.Percentile)
	extra := !slices.Contains([]string{"p50", "p95", "p99"}, chosen)
	row := func(name string, p Percentiles) {
		fmt.Fprintf(&b, "  %-12s %10s %10s %10s", name, units.Number(p.P50), units.Number(p.P95), units.Number(p.P99))
		if extra {
			fmt.Fprintf(&b, " %10s", units.Number(p.Chosen))
		}
		fmt.Fprintf(&b, " %10s\n", units.Number(p.Max))
	}
	rows := func(title string, of optional.Value[Rates]) {
		rates, ok := of.Get()
		if !ok {
			return
		}
		fmt.Fprintf(&b, "\n  %-12s %10s %10s %10s", title, "p50", "p95", "p99")
		if extra {
			fmt.Fprintf(&b, " %10s", chosen)
		}
		fmt.Fprintf(&b, " %10s\n", "max")
		row("read", rates.Read)
		row("write", rates.Write)
		row("together", rates.Total)
	}
	rows("IOPS", r.IOPS)
	rows("MiB/s", r.MiBPerS)
	b.WriteByte('\n')
	for _, l := range summary(r) {
		fmt.Fprintln(&b, l)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// summary is what the report comes to, in sentences.
func summary(r Report) []string {
	var out []string
	if n, ok := r.ThrottledMinutes.Get(); ok {
		by, _ := r.ThrottledBy.Get()
		what := map[string]string{ByIOPS: " (IOPS)", ByThroughput: " (throughput)", ByBoth: " (IOPS and throughput)"}[by]
		out = append(out, fmt.Sprintf("At the volume's limit: %s%s.", minutesOf(n), what))
	}
	if s, ok := r.Recommended.Get(); ok {
		out = append(out, fmt.Sprintf("Recommended for p%s and %s %% head-room: %s.", units.Number(r.Options.Percentile), units.Number(r.Options.HeadroomPercent), setting(s)))
		if usd, ok := r.SavingUSD.Get(); ok {
			switch {
			case usd.IsNegative():
				out = append(out, fmt.Sprintf("It costs %s more a month.", units.USD(usd.Neg())))
			case usd.IsZero():
				out = append(out, "It costs the same.")
			default:
				out = append(out, fmt.Sprintf("It saves %s a month.", units.USD(usd)))
			}
		} else {
			out = append(out, "What it saves is not known: there is no price.")
		}
	}
	for _, n := range r.Notes {
		out = append(out, "Note: "+strings.TrimSuffix(n, ".")+".")
	}
	return out
}

func setting(s ebs.GP3) string {
	return fmt.Sprintf("iops = %d, throughput_mib_per_s = %d", s.IOPS, s.ThroughputMiBPerS)
}
