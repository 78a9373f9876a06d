package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/chart"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/hostpool"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/mac"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

func roundHalf(s float64) float64 { return math.Round(s*2) / 2 }

// Start is one start-up in a picture.
type Start struct {
	Name   string
	Phases []mac.Phase
	// Whole says that the phases reach until the host is ready.
	Whole        bool
	Extrapolated bool
}

// end is when the last phase ends.
func (s Start) end() float64 {
	if len(s.Phases) == 0 {
		return 0
	}
	return s.Phases[len(s.Phases)-1].End
}

// What phases and their bounds are called.
var (
	phaseNames = map[string]string{"launch": "AWS launches", "boot": "boot to downloads", "image-pull": "image pull", "ready": "until ready"}
	boundNames = map[string]string{
		mac.BoundRootVolume: "root volume's throughput", mac.BoundInstance: "instance's ceiling", mac.BoundPipelines: "pull pipelines",
		mac.BoundDataVolume: "data volume's throughput", mac.BoundFixed: "fixed time", mac.BoundNothing: "nothing",
	}
	phaseColours = map[string]chart.Colour{"launch": chart.Grey, "boot": chart.Blue, "image-pull": chart.Purple, "ready": chart.Green}
)

// StartOf predicts a start-up as far as it is known; why says what is missing.
// images says that it is known what the host pulls, also if that is nothing.
func StartOf(cat *catalog.Catalog, s mac.Storage, images bool) (st Start, why string) {
	typ, ok := s.InstanceType.Get()
	if !ok {
		return st, "the instance type is not known"
	}
	if s.Calibration.IsUnknown() || s.LaunchSeconds.IsUnknown() {
		return st, "the guard's own constants are not known yet"
	}
	r := mac.EvaluateStorage(cat, s)
	rate := func(v optional.Value[mac.StorageVolume], filled optional.Value[decimal.Decimal]) optional.Value[units.MiBPerS] {
		return optional.Then(v, func(v mac.StorageVolume) optional.Value[units.MiBPerS] {
			return ebs.Volume{Type: v.Type, SizeGiB: v.SizeGiB, IOPS: v.IOPS, ThroughputMiBPerS: filled}.Throughput(cat, catalog.CurrentLimits)
		})
	}
	root, rootKnown := rate(s.Root, r.RootThroughputMiBPerS).Get()
	if !rootKnown || root <= 0 {
		return st, "the throughput of the root volume is not known"
	}
	if len(s.Problems()) > 0 {
		return st, "there are figures that cannot be"
	}
	in := mac.StartupInput{InstanceType: typ, Root: root, VMData: root, Calibration: s.Calibration}
	if i, ok := cat.Instance(typ); ok {
		in.Ceiling = i.EBS
	}
	pulls := images
	if im, ok := s.Images.Get(); ok {
		count, countKnown := im.Count.Get()
		gib, gibKnown := im.SizeGiB.Get()
		in.Images = mac.Images{Count: count.IntPart(), SizeGiB: gib.InexactFloat64()}
		pulls = pulls && countKnown && gibKnown
	}
	if !s.VMData.IsNull() {
		vmdata, ok := rate(s.VMData, r.VMDataThroughputMiBPerS).Get()
		pulls = pulls && (ok || in.Images.Count == 0)
		in.VMData = vmdata
	}
	p, err := mac.PredictStartup(in)
	if err != nil {
		return st, err.Error()
	}
	st.Extrapolated, st.Whole = p.Extrapolated, pulls
	shift := 0.0
	if d, ok := s.LaunchSeconds.Get(); ok && d.IsPositive() {
		shift = d.InexactFloat64()
		st.Phases = append(st.Phases, mac.Phase{Name: "launch", End: shift, BoundBy: mac.BoundFixed})
	}
	for _, ph := range p.Phases {
		if !pulls && ph.Name != "boot" || ph.End <= ph.Start {
			continue
		}
		ph.Start, ph.End = ph.Start+shift, ph.End+shift
		st.Phases = append(st.Phases, ph)
	}
	return st, ""
}

// StartupPicture draws start-ups below each other, with the time that is allowed.
func StartupPicture(title string, starts []Start, grace optional.Value[float64]) chart.Bars {
	p := chart.Bars{Title: title, Axis: "seconds from boot"}
	var told []string
	for _, s := range starts {
		row := chart.Row{Name: s.Name, Value: "ready after " + seconds(s.end())}
		if !s.Whole {
			row.Value = seconds(s.end()) + ", then the image pull"
		}
		var bounds []string
		for _, ph := range s.Phases {
			row.Segments = append(row.Segments, chart.Segment{Name: phaseNames[ph.Name], From: ph.Start, To: ph.End, Colour: phaseColours[ph.Name], Label: seconds(ph.End - ph.Start)})
			if ph.Name == "launch" {
				p.Axis = "seconds from launch"
			}
			if ph.BoundBy != mac.BoundFixed {
				bounds = append(bounds, phaseNames[ph.Name]+": "+boundNames[ph.BoundBy])
			}
		}
		row.Note = "bound by: " + strings.Join(bounds, "; ")
		if len(starts) == 1 && row.Name == "" {
			row.Name = "start-up"
		}
		p.Rows = append(p.Rows, row)
		told = append(told, fmt.Sprintf("%s: %s.", s.Name, row.Value))
	}
	if g, ok := grace.Get(); ok {
		p.Lines = append(p.Lines, chart.Line{At: g, Label: "allowed: " + seconds(g), Colour: chart.Red})
		told = append(told, fmt.Sprintf("Allowed are %s.", seconds(g)))
	}
	p.Desc = strings.Join(told, " ")
	return p
}

// Frontier is what is drawn of one gp3 volume.
type Frontier struct {
	SizeGiB int64
	Limits  catalog.GP3Limits
	Prices  catalog.GP3Prices
	Ceiling optional.Value[catalog.EBSCeiling]
	// Type is the instance type that the ceiling is of.
	Type       string
	Now, After ebs.GP3
}

// bothUnits writes a rate in both units, so that nobody compares one with the
// other.
func bothUnits(r units.MiBPerS) string { return r.String() + " = " + r.MB().String() }

// FrontierPicture draws the least that a throughput costs, and where the
// volume is.
func FrontierPicture(title string, f Frontier) chart.Lines {
	p := chart.Lines{Title: title, XAxis: "MiB/s", YAxis: "US dollars a month", Money: true}
	cost := func(s ebs.GP3) float64 {
		return ebs.GP3Cost(f.Prices, f.Limits, f.SizeGiB, s).TotalUSD().InexactFloat64()
	}
	curve := func(iops int64) [][2]float64 {
		demand := ebs.Demand{SizeGiB: f.SizeGiB}
		if iops > 0 {
			demand.IOPS = optional.Known(decimal.NewFromInt(iops))
		}
		c, err := ebs.Choose(f.Limits, optional.Known(f.Prices), demand)
		if err != nil {
			return nil
		}
		var out [][2]float64
		for _, k := range c.Knees {
			out = append(out, [2]float64{float64(k.Settings.ThroughputMiBPerS), cost(k.Settings)})
		}
		return out
	}
	p.Series = []chart.Series{{Name: "cheapest gp3", XY: curve(0), Colour: chart.Blue}}
	if f.Now.IOPS > ebs.MinIOPS(f.Limits, f.Now.ThroughputMiBPerS) {
		if xy := curve(f.Now.IOPS); xy != nil {
			p.Series = append(p.Series, chart.Series{Name: "cheapest with " + units.Count(f.Now.IOPS) + " IOPS", XY: xy, Colour: chart.Grey})
		}
	}
	label := func(name string, s ebs.GP3) string {
		return fmt.Sprintf("%s: %s, %s", name, units.MiBPerS(s.ThroughputMiBPerS), units.USD(ebs.GP3Cost(f.Prices, f.Limits, f.SizeGiB, s).TotalUSD()))
	}
	point := func(name string, s ebs.GP3, c chart.Colour) {
		p.Points = append(p.Points, chart.Point{X: float64(s.ThroughputMiBPerS), Y: cost(s), Label: label(name, s), Colour: c})
	}
	if f.Now == f.After {
		point("now", f.Now, chart.Green)
	} else {
		point("now", f.Now, chart.Orange)
		point("recommended", f.After, chart.Green)
	}
	end := float64(max(f.Now.ThroughputMiBPerS, f.Limits.ThroughputMiB.Max))
	if xy := p.Series[0].XY; len(xy) > 0 {
		end = max(float64(f.Now.ThroughputMiBPerS), xy[len(xy)-1][0])
	}
	p.Desc = fmt.Sprintf("A gp3 volume of %s GiB. %s.", units.Count(f.SizeGiB), label("Now", f.Now))
	if f.Now != f.After {
		p.Desc += " " + label("Recommended", f.After) + "."
	}
	if c, ok := f.Ceiling.Get(); ok {
		most := c.Maximum.Throughput()
		p.Desc += fmt.Sprintf(" %s moves %s at most.", f.Type, bothUnits(most))
		if float64(most) <= end {
			p.Upright = append(p.Upright, chart.Line{At: float64(most), Label: "instance: " + bothUnits(most), Colour: chart.Red})
			p.Beyond = float64(most)
		}
		if s := c.Sustained.Throughput(); s < most && float64(s) <= end {
			p.Upright = append(p.Upright, chart.Line{At: float64(s), Label: "sustained: " + bothUnits(s), Colour: chart.Purple})
		}
	}
	return p
}

// share is one volume's part of a sum.
type share struct {
	name       string
	now, after float64
}

// budgetPicture draws what volumes ask for, stacked, against what the instance
// carries.
func budgetPicture(title, axis string, shares []share, limits []chart.Line, number func(float64) string) chart.Bars {
	p := chart.Bars{Title: title, Axis: axis, Lines: limits}
	changed := slices.ContainsFunc(shares, func(s share) bool { return s.now != s.after })
	row := func(name string, of func(share) float64) {
		r := chart.Row{Name: name}
		sum := 0.0
		for i, s := range shares {
			colour := chart.Palette[i%len(chart.Palette)]
			v := of(s)
			if v > 0 {
				r.Segments = append(r.Segments, chart.Segment{Name: s.name, From: sum, To: sum + v, Colour: colour, Label: number(v)})
			}
			sum += v
		}
		r.Value = "together " + number(sum)
		p.Rows = append(p.Rows, r)
		p.Desc += fmt.Sprintf("%s: %s. ", name, r.Value)
	}
	row("now", func(s share) float64 { return s.now })
	if changed {
		row("after the fixes", func(s share) float64 { return s.after })
	}
	for _, l := range limits {
		p.Desc += l.Label + ". "
	}
	p.Desc = strings.TrimSpace(p.Desc)
	return p
}

// PoolPicture draws the hosts of a pool over 72 hours. other is what they would
// be with auto release, null to leave that out.
func PoolPicture(title string, p hostpool.Pool, hours []hostpool.Hour, other optional.Value[[]hostpool.Hour], quota bool) chart.Lines {
	desired, _ := p.DesiredHosts.Get()
	n := desired.InexactFloat64()
	line := func(hours []hostpool.Hour, of func(hostpool.Hour) int64) [][2]float64 {
		out := [][2]float64{{0, n}}
		for _, h := range hours {
			out = append(out, [2]float64{float64(h.Number), float64(of(h))})
		}
		return out
	}
	c := chart.Lines{Title: title, XAxis: "hours", YAxis: "hosts", XStep: 12, Whole: true, Series: []chart.Series{
		{Name: "allocated, so paid for", XY: line(hours, func(h hostpool.Hour) int64 { return h.Allocated }), Colour: chart.Blue, Area: true, Step: true},
		{Name: "in use or scrubbing", XY: line(hours, func(h hostpool.Hour) int64 { return h.InUse }), Colour: chart.Purple, Step: true, Dashed: true},
	}}
	last := hours[len(hours)-1]
	c.Desc = fmt.Sprintf("%s at the start, %s allocated and %s in use after %d hours.", units.Plural(desired.IntPart(), "host"), units.Count(last.Allocated), units.Count(last.InUse), last.Number)
	if o, ok := other.Get(); ok {
		c.Series = append(c.Series, chart.Series{Name: "allocated, with auto release", XY: line(o, func(h hostpool.Hour) int64 { return h.Allocated }), Colour: chart.Green, Step: true, Dashed: true})
		c.Desc += fmt.Sprintf(" With auto release %s are allocated then.", units.Count(o[len(o)-1].Allocated))
	}
	if d, ok := p.MaxHosts.Get(); ok && quota {
		c.Level = append(c.Level, chart.Line{At: d.InexactFloat64(), Label: "quota: " + units.Plural(d.IntPart(), "host"), Colour: chart.Red})
	}
	return c
}
