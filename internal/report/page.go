package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/chart"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/hostpool"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/output"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

// pageTemplate is parsed when it is needed: the same binary is started as a
// provider several times in every plan.
var pageTemplate = sync.OnceValue(func() *template.Template { return template.Must(template.New("page").Parse(pageHTML)) })

// Widths that pictures are laid out for: beside a table, and on a phone.
const (
	wide   = 680
	narrow = 330
)

// HTML writes the page.
func (r *Report) HTML(w io.Writer) error {
	var b bytes.Buffer
	if err := pageTemplate().Execute(&b, r.view()); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// The page as the template sees it.
type (
	pageView struct {
		Source, Version, Date, Sources string
		Style                          template.CSS
		Cards                          []cardView
		Notes                          []string
		Problems                       []problemView
		Fleets                         []fleetView
		Others                         []findingView
	}
	cardView    struct{ Class, Value, What, Note string }
	problemView struct{ Where, Message string }
	badgeView   struct{ Class, Text string }
	fleetView   struct {
		ID, Name, Sub string
		Badges        []badgeView
		Notes         []string
		Parts         []partView
	}
	partView struct {
		Title    string
		Text     []string
		Figures  []figureView
		Findings []findingView
	}
	figureView struct {
		Title        string
		Wide, Narrow template.HTML
		Caption      string
		Table        *tableView
	}
	tableView struct {
		Caption string
		Head    []string
		Rows    [][]string
		Foot    []string
	}
	findingView struct {
		Severity, Summary, Where, Message, Fix, Rule, Saving string
	}
)

// drawing is a picture for any width.
type drawing interface {
	Draw(id string, width float64) chart.Drawing
}

func draw(id string, d drawing) figureView {
	// The charts escape what is written into them.
	return figureView{
		Wide:   template.HTML(d.Draw(id+"-w", wide).SVG),   //nolint:gosec // see above
		Narrow: template.HTML(d.Draw(id+"-n", narrow).SVG), //nolint:gosec // see above
	}
}

// printable leaves out control characters and those that turn the direction of
// writing: a name must not pose as another one.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

func (r *Report) view() pageView {
	v := pageView{
		Source: printable(r.Source), Version: r.Version, Date: r.Date, Notes: slices.Clone(r.Notes),
		Style:   template.CSS(pageCSS + chart.Style), //nolint:gosec // both are constants
		Sources: fmt.Sprintf("Instance types as of %s.", r.Audit.Catalog.InstanceSource().AsOf),
	}
	if p, ok := r.Audit.Catalog.VolumePrices(r.Audit.Region); ok {
		v.Sources += fmt.Sprintf(" Volume prices as of %s, in US dollars.", p.Source.AsOf)
	}
	v.cards(r)
	for _, p := range r.Problems {
		where := p.File
		if p.Line > 0 {
			where = fmt.Sprintf("%s:%d", p.File, p.Line)
		}
		v.Problems = append(v.Problems, problemView{printable(where), printable(p.Message)})
	}
	if len(r.Fleets) == 0 {
		v.Notes = append(v.Notes, "Nothing is read here that launches instances or has volumes, so there is nothing to draw.")
	}
	if r.More > 0 {
		v.Notes = append(v.Notes, fmt.Sprintf("%d fleets are drawn, those with the worst findings first; %d more are not. Their findings are counted, and runnerfit audit lists them.", mostFleets, r.More))
	}
	for i, f := range r.Fleets {
		v.Fleets = append(v.Fleets, r.fleet(f, fmt.Sprintf("fleet-%d", i+1)))
	}
	v.Others = r.findings(r.Others)
	return v
}

func (v *pageView) cards(r *Report) {
	count := func(s finding.Severity, one, many string) {
		n := r.Count(s)
		c := cardView{Class: s.String(), Value: units.Count(int64(n)), What: many}
		if n == 1 {
			c.What = one
		}
		if n == 0 {
			c.Class = "ok"
		}
		v.Cards = append(v.Cards, c)
	}
	count(finding.Error, "error", "errors")
	count(finding.Warning, "warning", "warnings")
	count(finding.Info, "piece of advice", "pieces of advice")
	sum, counted, left := r.total()
	now, known := sum.Now.Get()
	after, afterKnown := sum.After.Get()
	if !known || !afterKnown || counted == 0 {
		return
	}
	c := cardView{Class: "wide", Value: units.USD(now), What: "a month for volumes, now and after the fixes"}
	if !now.Equal(after) {
		c.Value = units.USD(now) + " → " + units.USD(after)
	} else {
		c.What = "a month for volumes; the fixes do not change it"
	}
	if left > 0 {
		c.Note = fmt.Sprintf("not counted: %s whose number or price is not known", units.Plural(int64(left), "fleet"))
	}
	v.Cards = append(v.Cards, c)
}

func (r *Report) findings(fs []output.Located) []findingView {
	var out []findingView
	for _, f := range fs {
		v := findingView{Severity: f.Severity.String(), Summary: f.Rule, Message: printable(f.Message), Fix: printable(f.Fix), Rule: f.Rule}
		if rule, ok := r.Rules.Get(f.Rule); ok {
			v.Summary = rule.Summary
		}
		var where []string
		if f.Address != "" {
			where = append(where, f.Address)
		}
		if f.Path != "" {
			where = append(where, f.Path)
		}
		if f.File != "" && f.Line > 0 {
			where = append(where, fmt.Sprintf("%s:%d", f.File, f.Line))
		}
		v.Where = printable(strings.Join(where, " · "))
		if d := f.MonthlySavingUSD; d.Valid && d.Decimal.IsPositive() {
			v.Saving = units.USD(d.Decimal)
		}
		out = append(out, v)
	}
	return out
}

func (r *Report) fleet(f *Fleet, id string) fleetView {
	v := fleetView{ID: id, Name: printable(f.Name)}
	sub := []string{f.Kind}
	for _, t := range f.Types {
		if catalog.IsTypeName(t) {
			sub = append(sub, t)
		}
	}
	sub = append(sub, f.Region)
	if n, ok := f.Instances.Get(); ok && f.Kind != "volume" {
		sub = append(sub, fmt.Sprintf("%s (%s)", units.Plural(n, "instance"), printable(f.InstancesFrom)))
	}
	v.Sub = strings.Join(sub, " · ")
	if f.Same > 0 {
		v.Notes = append(v.Notes, fmt.Sprintf("The same for %s that differ only in their key.", units.Plural(int64(f.Same), "other object")))
	}
	v.Notes = append(v.Notes, f.Notes...)
	for _, s := range []finding.Severity{finding.Error, finding.Warning, finding.Info} {
		n := 0
		for _, l := range f.Findings {
			if l.Severity == s {
				n++
			}
		}
		switch {
		case n > 0 && s == finding.Info:
			v.Badges = append(v.Badges, badgeView{s.String(), fmt.Sprintf("%d advice", n)})
		case n > 0:
			v.Badges = append(v.Badges, badgeView{s.String(), units.Plural(int64(n), s.String())})
		}
	}
	nothing := badgeView{"ok", "nothing found"}
	if f.unjudged {
		nothing = badgeView{"info", "not judged"}
	}
	if len(v.Badges) == 0 {
		v.Badges = []badgeView{nothing}
	}

	findings := partView{Title: "Findings and fixes", Findings: r.findings(f.Findings)}
	if len(f.Findings) == 0 {
		findings.Text = []string{strings.ToUpper(nothing.Text[:1]) + nothing.Text[1:] + "."}
	}
	v.Parts = append(v.Parts, findings)
	if f.isMac {
		if p, ok := r.startup(f, id+"-start"); ok {
			v.Parts = append(v.Parts, p)
		}
	}
	if len(f.Volumes) > 0 {
		v.Parts = append(v.Parts, r.costs(f, id))
		if p, ok := r.budget(f, id); ok {
			v.Parts = append(v.Parts, p)
		}
	}
	if f.pool != nil {
		v.Parts = append(v.Parts, r.hosts(f, id+"-pool"))
	}
	return v
}

// startup is the part about how long a host takes to be ready.
func (r *Report) startup(f *Fleet, id string) (partView, bool) {
	p := partView{Title: "Start-up"}
	if f.storage == nil {
		return p, false
	}
	s := f.storage
	now, why := StartOf(r.Audit.Catalog, s.now, s.images)
	if why != "" {
		p.Text = []string{"The start-up is not predicted: " + why + "."}
		return p, true
	}
	now.Name = "now"
	starts := []Start{now}
	if after, why := StartOf(r.Audit.Catalog, s.after, s.images); why == "" && !slices.Equal(after.Phases, now.Phases) {
		after.Name = "after the fixes"
		starts = append(starts, after)
	}
	grace := optional.Map(s.now.GracePeriodSeconds, decimal.Decimal.InexactFloat64)
	fig := draw(id, StartupPicture("Predicted start-up of "+printable(f.Name), starts, grace))
	t := &tableView{Caption: "Phases of the start-up", Head: []string{"phase", "from", "takes", "bound by"}}
	for _, st := range starts {
		for _, ph := range st.Phases {
			name := phaseNames[ph.Name]
			if len(starts) > 1 {
				name = st.Name + ": " + name
			}
			t.Rows = append(t.Rows, []string{name, seconds(ph.Start), seconds(roundHalf(ph.End) - roundHalf(ph.Start)), boundNames[ph.BoundBy]})
		}
	}
	if !now.Whole {
		fig.Caption = "Only the boot is drawn: what images the host pulls, and how large they are, is not known here, and pulling them comes on top. A runnerfit_mac_host_storage guard says it."
	}
	if g, ok := grace.Get(); ok {
		t.Rows = append(t.Rows, []string{"allowed", "", seconds(g), s.graceFrom})
	}
	fig.Table = t
	p.Figures = append(p.Figures, fig)
	if slices.ContainsFunc(starts, func(s Start) bool { return s.Extrapolated }) {
		p.Text = append(p.Text, "An extrapolation: the model was measured on mac2-m2pro.metal with a root of 125 to 750 MiB/s.")
	}
	return p, true
}

// mostFrontiers are drawn of a fleet's volumes.
const mostFrontiers = 8

// costs is the part about what volumes cost, with the frontier of each gp3.
func (r *Report) costs(f *Fleet, id string) partView {
	cat := r.Audit.Catalog
	p := partView{Title: "Cost and throughput"}
	t := &tableView{Caption: "A month of the volumes of one instance, now and after the fixes", Head: []string{"volume", "type", "size", "IOPS", "MiB/s", "now", "after"}}
	for _, v := range f.Volumes {
		m := v.cost(cat, f.Region)
		row := []string{printable(v.Name), changed(typeOf(v.Now), typeOf(v.After)), changed(gib(v.Now), gib(v.After)), changed(iopsOf(v, v.Now, cat), iopsOf(v, v.After, cat)), changed(rateOf(v, v.Now, cat), rateOf(v, v.After, cat))}
		t.Rows = append(t.Rows, append(row, usd(m.Now), usd(m.After)))
	}
	one := f.one(cat)
	t.Foot = []string{"together", "", "", "", "", usd(one.Now), usd(one.After)}
	figures := []figureView{{Table: t}}
	if n, ok := f.Instances.Get(); ok && n > 1 {
		all := one.times(n)
		figures[0].Caption = fmt.Sprintf("All %s: %s a month now, %s after the fixes.", units.Plural(n, "instance"), usd(all.Now), usd(all.After))
	}
	if note := cat.PriceNote(f.Region); note != "" {
		p.Text = append(p.Text, "Prices are not known: "+note+".")
	}
	prices, priced := cat.VolumePrices(f.Region)
	type key struct {
		gib        int64
		now, after ebs.GP3
	}
	drawn, left := map[key]string{}, 0
	for i, v := range f.Volumes {
		l := cat.GP3(v.Limits)
		size, sized := v.After.WholeSize().Get()
		now, isGP3 := v.Now.Settings(l).Get()
		after, afterGP3 := v.After.Settings(l).Get()
		name := printable(v.Name)
		switch {
		case !priced:
			continue
		case !afterGP3 && typeOf(v.After) != ebs.TypeGP3 && typeOf(v.After) != notKnown:
			p.Text = append(p.Text, fmt.Sprintf("%s is of the type %s; the picture is one of gp3 volumes.", name, typeOf(v.After)))
			continue
		case !sized || !afterGP3:
			p.Text = append(p.Text, name+": its size or its setting is not known here, so nothing is drawn of it.")
			continue
		case !isGP3:
			now = after // another type becomes gp3: where it will be
		}
		if !l.SizeGiB.Contains(size) || now.ThroughputMiBPerS < 0 || now.IOPS < 0 || now.ThroughputMiBPerS > 10*l.ThroughputMiB.Max || now.IOPS > 10*l.IOPS.Max {
			p.Text = append(p.Text, name+": nothing is drawn of a setting that cannot be.")
			continue
		}
		k := key{size, now, after}
		if first, ok := drawn[k]; ok {
			p.Text = append(p.Text, fmt.Sprintf("%s is drawn once, as %s: size and setting are the same.", name, first))
			continue
		}
		if len(drawn) == mostFrontiers {
			left++
			continue
		}
		drawn[k] = name
		fr := Frontier{SizeGiB: size, Limits: l, Prices: prices.GP3, Now: now, After: after}
		if typ, ceiling, ok := r.narrowest(f); ok {
			fr.Type, fr.Ceiling = typ, optional.Known(ceiling)
		}
		pic := FrontierPicture(fmt.Sprintf("%s of %s: the least that a throughput costs", name, printable(f.Name)), fr)
		fig := draw(fmt.Sprintf("%s-cost-%d", id, i+1), pic)
		fig.Title = fmt.Sprintf("%s, %s GiB", name, units.Count(size))
		fig.Table = frontierTable(name, fr, pic)
		if c, ok := fr.Ceiling.Get(); ok {
			if len(pic.Upright) > 0 {
				fig.Caption = fmt.Sprintf("What lies right of %s's ceiling, %s, is paid for and never moved.", fr.Type, bothUnits(c.Maximum.Throughput()))
			} else {
				fig.Caption = fmt.Sprintf("The ceiling of %s, %s, is beyond the picture.", fr.Type, bothUnits(c.Maximum.Throughput()))
			}
		}
		figures = append(figures, fig)
	}
	if left > 0 {
		p.Text = append(p.Text, fmt.Sprintf("%s are drawn; %d more are in the table only.", units.Plural(mostFrontiers, "volume"), left))
	}
	p.Figures = figures
	return p
}

// narrowest is the type that carries least, of those that are known.
func (r *Report) narrowest(f *Fleet) (typ string, c catalog.EBSCeiling, ok bool) {
	for _, t := range f.Types {
		i, known := r.Audit.Catalog.Instance(t)
		if !known {
			continue
		}
		if e, has := i.EBS.Get(); has && (!ok || e.Maximum.Bandwidth < c.Maximum.Bandwidth) {
			typ, c, ok = t, e, true
		}
	}
	return typ, c, ok
}

// frontierTable has the points of a picture in figures.
func frontierTable(name string, f Frontier, pic chart.Lines) *tableView {
	t := &tableView{Caption: name + ": throughput and cost a month", Head: []string{"", "MiB/s", "MB/s", "IOPS", "cost"}}
	cost := func(s ebs.GP3) string {
		return units.USD(ebs.GP3Cost(f.Prices, f.Limits, f.SizeGiB, s).TotalUSD())
	}
	row := func(name string, s ebs.GP3) {
		m := units.MiBPerS(s.ThroughputMiBPerS)
		t.Rows = append(t.Rows, []string{name, units.Number(float64(m)), units.Number(float64(m.MB())), units.Count(s.IOPS), cost(s)})
	}
	row("now", f.Now)
	if f.After != f.Now {
		row("recommended", f.After)
	}
	for _, xy := range pic.Series[0].XY {
		n := int64(xy[0])
		row("cheapest", ebs.GP3{ThroughputMiBPerS: n, IOPS: ebs.MinIOPS(f.Limits, n)})
	}
	if c, ok := f.Ceiling.Get(); ok {
		ceiling := func(name string, e catalog.EBSRate) {
			t.Rows = append(t.Rows, []string{name, units.Number(float64(e.Throughput())), units.Number(float64(e.Bandwidth.MB())), units.Count(e.IOPS), ""})
		}
		ceiling(f.Type+" at most", c.Maximum)
		if c.CanBurst() {
			ceiling(f.Type+" sustained", c.Sustained)
		}
	}
	return t
}

// budget is the part about what volumes share.
func (r *Report) budget(f *Fleet, id string) (partView, bool) {
	p := partView{Title: "The shared budget"}
	typ, c, ok := r.narrowest(f)
	if !ok {
		return p, false
	}
	cat := r.Audit.Catalog
	var rates, iops []share
	missing := f.MoreVolumes
	t := &tableView{Caption: "What the volumes of one instance ask for", Head: []string{"volume", "MiB/s", "MB/s", "IOPS"}}
	var rate, rateAfter units.MiBPerS
	var ops, opsAfter int64
	for _, v := range f.Volumes {
		a, aKnown := v.Now.Throughput(cat, v.Limits).Get()
		b, bKnown := v.After.Throughput(cat, v.Limits).Get()
		x, xKnown := provisioned(v, v.Now, cat).Get()
		y, yKnown := provisioned(v, v.After, cat).Get()
		if !aKnown || !bKnown || !xKnown || !yKnown || a < 0 || x < 0 {
			missing = true
			t.Rows = append(t.Rows, []string{printable(v.Name), "not known", "not known", "not known"})
			continue
		}
		name := printable(v.Name)
		rates = append(rates, share{name, float64(a), float64(b)})
		iops = append(iops, share{name, float64(x), float64(y)})
		rate, rateAfter, ops, opsAfter = rate+a, rateAfter+b, ops+x, opsAfter+y
		t.Rows = append(t.Rows, rateRow(name, a, b, x, y))
	}
	if len(rates) == 0 {
		return p, false
	}
	if missing {
		p.Text = append(p.Text, "Not all volumes or their settings are known: the bars are at least what is asked for.")
	} else {
		t.Rows = append(t.Rows, rateRow("together", rate, rateAfter, ops, opsAfter))
	}
	limit := func(name string, e catalog.EBSRate) {
		t.Rows = append(t.Rows, []string{name, units.Number(float64(e.Throughput())), units.Number(float64(e.Bandwidth.MB())), units.Count(e.IOPS)})
	}
	lines := []chart.Line{{At: float64(c.Maximum.Throughput()), Label: "at most " + bothUnits(c.Maximum.Throughput()), Colour: chart.Red}}
	ioLines := []chart.Line{{At: float64(c.Maximum.IOPS), Label: "at most " + units.Count(c.Maximum.IOPS) + " IOPS", Colour: chart.Red}}
	limit(typ+" at most", c.Maximum)
	if c.CanBurst() {
		lines = append(lines, chart.Line{At: float64(c.Sustained.Throughput()), Label: "sustained " + bothUnits(c.Sustained.Throughput()), Colour: chart.Purple})
		ioLines = append(ioLines, chart.Line{At: float64(c.Sustained.IOPS), Label: "sustained " + units.Count(c.Sustained.IOPS) + " IOPS", Colour: chart.Purple})
		limit(typ+" sustained", c.Sustained)
	}
	fig := draw(id+"-share", budgetPicture("Throughput that the volumes of "+printable(f.Name)+" share", "MiB/s", rates, lines, func(v float64) string { return units.Number(v) + " MiB/s" }))
	fig.Table = t
	more := draw(id+"-iops", budgetPicture("IOPS that the volumes of "+printable(f.Name)+" share", "IOPS", iops, ioLines, units.Number))
	fig.Wide, fig.Narrow = fig.Wide+more.Wide, fig.Narrow+more.Narrow
	fig.Caption = fmt.Sprintf("All volumes of %s together move at most %s, and %s I/O operations a second.", typ, bothUnits(c.Maximum.Throughput()), units.Count(c.Maximum.IOPS))
	if f.isMac {
		fig.Caption += " A Mac's volumes are busy one after the other, the root at the boot and the data volume at the pull, so their sum may be more."
	}
	p.Figures = []figureView{fig}
	return p, true
}

// rateRow is a row of what something asks for now and after the fixes.
func rateRow(name string, now, after units.MiBPerS, iops, iopsAfter int64) []string {
	return []string{
		name, changed(units.Number(float64(now)), units.Number(float64(after))),
		changed(units.Number(float64(now.MB())), units.Number(float64(after.MB()))), changed(units.Count(iops), units.Count(iopsAfter)),
	}
}

// hosts is the part about the pool of hosts.
func (r *Report) hosts(f *Fleet, id string) partView {
	p := partView{Title: "Hosts over 72 hours"}
	cat := r.Audit.Catalog
	hours, ok := hostpool.Timeline(cat, f.pool.Pool).Get()
	if !ok {
		p.Text = []string{"The hosts are not drawn, because some of what the model needs is not known here."}
		return p
	}
	other := optional.Null[[]hostpool.Hour]()
	release, _ := f.pool.AutoReleaseHosts.Get()
	if allocates, _ := f.pool.AutoAllocateHosts.Or(true).Get(); !release && allocates {
		with := f.pool.Pool
		with.AutoReleaseHosts = optional.Known(true)
		other = hostpool.Timeline(cat, with)
	}
	perDay, failing := f.pool.FailedLaunchesPerDay.Get()
	switch {
	case f.pool.scenario:
		p.Text = append(p.Text, fmt.Sprintf("A scenario: it is drawn what happens if %s launches a day fail. How many do is not known here.", units.Decimal(perDay)))
	case failing:
		p.Text = append(p.Text, fmt.Sprintf("%s a day fail, as %s says.", plural(perDay, "launch", "launches"), printable(f.pool.from)))
	default:
		p.Text = append(p.Text, "Every launch fails, because the host is ready only after the time that it is allowed.")
	}
	if !f.pool.quota {
		p.Text = append(p.Text, "The account's quota of hosts is not known here, so no limit is drawn.")
	}
	fig := draw(id, PoolPicture("Hosts of "+printable(f.Name)+" over 72 hours", f.pool.Pool, hours, other, f.pool.quota))
	t := &tableView{Caption: "Hosts at the end of the hour, and what all of them cost until then", Head: []string{"hour", "in use", "free", "allocated", "cost"}}
	with, both := other.Get()
	if both {
		t.Head = append(t.Head, "with auto release")
	}
	for _, h := range hours {
		if h.Number%12 != 0 {
			continue
		}
		row := []string{units.Count(h.Number), units.Count(h.InUse), units.Count(h.Free), units.Count(h.Allocated), usd(h.CostToDateUSD)}
		if both {
			row = append(row, usd(with[h.Number-1].CostToDateUSD))
		}
		t.Rows = append(t.Rows, row)
	}
	fig.Table = t
	res := hostpool.Evaluate(cat, f.pool.Pool)
	var told []string
	if m, ok := res.HostMonthUSD.Get(); ok {
		told = append(told, fmt.Sprintf("A host costs %s a month", units.USD(m)))
		if d, ok := f.pool.DesiredHosts.Get(); ok {
			told[0] += fmt.Sprintf(", %s cost %s", plural(d, "host", "hosts"), units.USD(m.Mul(d)))
		}
		if e, ok := res.ExposureUSDMonth.Get(); ok {
			told = append(told, fmt.Sprintf("hosts beyond them come to %s a month once the pool has settled", units.USD(e)))
		}
	} else {
		told = append(told, "What a host costs is not known in this Region")
	}
	if h, ok := res.HoursToExhaustion.Get(); ok && f.pool.quota {
		told = append(told, fmt.Sprintf("the last free host is taken after %s hours", units.Number(h)))
	}
	fig.Caption = strings.Join(told, "; ") + "."
	p.Figures = []figureView{fig}
	return p
}

func plural(d decimal.Decimal, one, many string) string {
	if d.Equal(decimal.NewFromInt(1)) {
		return "1 " + one
	}
	return units.Decimal(d) + " " + many
}

const notKnown = "not known"

// changed writes a value, and what it becomes if that differs.
func changed(now, after string) string {
	if now == after {
		return now
	}
	return now + " → " + after
}

func usd(v optional.Value[decimal.Decimal]) string {
	if d, ok := v.Get(); ok {
		return units.USD(d)
	}
	return notKnown
}

func typeOf(v ebs.Volume) string {
	t, ok := v.Type.Or(ebs.TypeGP3).Get()
	if !ok || len(t) > 10 {
		return notKnown
	}
	return printable(t)
}

func gib(v ebs.Volume) string {
	if d, ok := v.SizeGiB.Get(); ok {
		return units.Decimal(d) + " GiB"
	}
	return notKnown
}

func provisioned(v *Volume, e ebs.Volume, cat *catalog.Catalog) optional.Value[int64] {
	return e.ProvisionedIOPS(cat, cat.GP3(v.Limits))
}

func iopsOf(v *Volume, e ebs.Volume, cat *catalog.Catalog) string {
	n, ok := provisioned(v, e, cat).Get()
	switch {
	case ok && n == 0:
		return "none set" // a hard disk
	case ok:
		return units.Count(n)
	}
	return notKnown
}

func rateOf(v *Volume, e ebs.Volume, cat *catalog.Catalog) string {
	if t, ok := e.Throughput(cat, v.Limits).Get(); ok {
		return units.Number(float64(t))
	}
	return notKnown
}
