package audit

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/mac"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/plan"
)

// fix is what puts a finding about a volume right: the ways that the finding
// names, in their order, each a set of new values.
type fix struct {
	volume *plan.Volume
	ways   [][]setting
	// order is which of several fixes of a volume is made first; after that the
	// volume is judged anew.
	order int
}

// fixOrder: what a volume cannot have or cannot use comes off before other
// settings are raised to carry it. Rules that are not listed come last.
var fixOrder = []string{
	ebs.RuleVolumeTypeAttribute.ID, ebs.RuleVolumeTypeLegacy.ID, ebs.RuleGP3ThroughputRange.ID, mac.RuleRootDevice.ID,
	ebs.RuleInstanceThroughput.ID, ebs.RuleInstanceIOPS.ID, mac.RuleRootThroughput.ID, mac.RuleVMDataIOPS.ID,
}

// setting is a new value of an attribute, as it is written in configuration.
type setting struct {
	name, value string
	// quoted says that it is a text.
	quoted bool
}

func number(name string, n int64) setting {
	return setting{name: name, value: strconv.FormatInt(n, 10)}
}

// Edit replaces bytes of a file.
type Edit struct {
	File       *plan.File
	Start, End int
	Text       string
}

// fixOf is what --fix does about a finding; nil if its fix needs a decision, is
// advice, or is not about the settings of a volume. What it writes is what the
// finding says.
func fixOf(v *plan.Volume, b bound, f finding.Finding) *fix {
	if f.Severity < finding.Warning {
		return nil
	}
	x := &fix{volume: v, order: slices.Index(fixOrder, f.Rule)}
	if x.order < 0 {
		x.order = len(fixOrder)
	}
	way := func(ss ...setting) { x.ways = append(x.ways, ss) }
	l := b.judge.Catalog.GP3(b.judge.Limits)
	s, isGP3 := b.volume.Settings(l).Get()
	to := func(n ebs.GP3) {
		var ss []setting
		if n.ThroughputMiBPerS != s.ThroughputMiBPerS {
			ss = append(ss, number("throughput", n.ThroughputMiBPerS))
		}
		if n.IOPS != s.IOPS {
			ss = append(ss, number("iops", n.IOPS))
		}
		way(ss...)
	}
	gib, sized := b.volume.WholeSize().Get()
	switch f.Rule {
	case ebs.RuleVolumeTypeAttribute.ID:
		for _, a := range []struct {
			name  string
			value plan.Value[decimal.Decimal]
		}{{"iops", v.IOPS}, {"throughput", v.Throughput}} {
			if d, ok := a.value.Get(); ok && a.name == f.Path && !d.IsInteger() {
				way(setting{name: a.name, value: d.Ceil().String()})
			}
		}
	case ebs.RuleGP3IOPSRange.ID:
		switch near := nearest(v.IOPS, l.IOPS); {
		case near == l.IOPS.Min:
			way(number("iops", b.judge.LeastIOPS(b.volume)))
		case isGP3 && sized:
			most := min(near, ebs.MaxIOPS(l, gib))
			to(ebs.GP3{IOPS: most, ThroughputMiBPerS: min(s.ThroughputMiBPerS, ebs.MaxThroughput(l, most))})
		default:
			way(number("iops", near))
		}
	case ebs.RuleGP3ThroughputRange.ID:
		if isGP3 {
			to(b.judge.InThroughputRange(b.volume, s))
			break
		}
		way(number("throughput", nearest(v.Throughput, l.ThroughputMiB)))
	case ebs.RuleGP3ThroughputRatio.ID:
		if !isGP3 {
			return nil
		}
		more := ebs.GP3{IOPS: ebs.MinIOPS(l, s.ThroughputMiBPerS), ThroughputMiBPerS: s.ThroughputMiBPerS}
		if s.ThroughputMiBPerS > l.ThroughputMiB.Max {
			to(b.judge.InThroughputRange(b.volume, s))
		} else if !sized || more.IOPS <= ebs.MaxIOPS(l, gib) {
			to(more)
		}
		iops := max(s.IOPS, l.IOPS.Min)
		to(ebs.GP3{IOPS: iops, ThroughputMiBPerS: min(s.ThroughputMiBPerS, ebs.MaxThroughput(l, iops))})
	case ebs.RuleGP3IOPSPerGiB.ID:
		if !isGP3 || !sized {
			return nil
		}
		most := ebs.MaxIOPS(l, gib)
		to(ebs.GP3{IOPS: most, ThroughputMiBPerS: min(s.ThroughputMiBPerS, ebs.MaxThroughput(l, most))})
	case ebs.RuleVolumeTypeLegacy.ID:
		x.legacy(v, b, f)
	case ebs.RuleInstanceThroughput.ID, ebs.RuleInstanceIOPS.ID:
		if n, ok := fitOfAll(b, s, f.Rule); isGP3 && ok {
			to(n)
		}
	case mac.RuleRootThroughput.ID:
		n := mac.RootSetting(l, ceilingOf(b.types[0]))
		if isGP3 {
			to(n)
			break
		}
		way(setting{name: v.TypeAttribute, value: ebs.TypeGP3, quoted: true}, number("throughput", n.ThroughputMiBPerS))
	case mac.RuleRootDevice.ID:
		way(setting{name: deviceAttribute, value: mac.RootDeviceName, quoted: true})
	case mac.RuleVMDataIOPS.ID:
		if isGP3 && len(b.types) > 0 {
			to(usefulSetting(b, s, b.types[0]))
		}
	}
	x.ways = slices.DeleteFunc(x.ways, func(w []setting) bool { return len(w) == 0 })
	if len(x.ways) == 0 {
		return nil
	}
	return x
}

// fitOfAll is what any of the instance types can use of a volume. It is false where
// one can use all: which of them the volume is to fit is a decision.
func fitOfAll(b bound, s ebs.GP3, rule string) (most ebs.GP3, ok bool) {
	for _, t := range b.types {
		n, ok := b.judge.Fit(b.volume, t.instance, rule).Get()
		if !ok || n.ThroughputMiBPerS >= s.ThroughputMiBPerS && n.IOPS >= s.IOPS {
			return most, false
		}
		most.ThroughputMiBPerS = max(most.ThroughputMiBPerS, n.ThroughputMiBPerS)
		most.IOPS = max(most.IOPS, n.IOPS)
	}
	return most, len(b.types) > 0
}

func nearest(v plan.Value[decimal.Decimal], r catalog.Range) int64 {
	d, _ := v.Get()
	if d.GreaterThan(decimal.NewFromInt(r.Max)) {
		return r.Max
	}
	return r.Min
}

// legacy: another type, and what the old one had by itself.
func (x *fix) legacy(v *plan.Volume, b bound, f finding.Finding) {
	l := b.judge.Catalog.GP3(b.judge.Limits)
	from := b.volume
	if f.Path != v.TypeAttribute { // the type has been changed already
		if v.Before == nil {
			return
		}
		from = volumeOf(v.Before)
	}
	same, ok := b.judge.SameAsGP3(from).Get()
	if !ok {
		return
	}
	var ss []setting
	if f.Path == v.TypeAttribute {
		ss = append(ss, setting{name: v.TypeAttribute, value: ebs.TypeGP3, quoted: true})
	} else if s, ok := b.volume.Settings(l).Get(); ok {
		same = ebs.GP3{IOPS: max(s.IOPS, same.IOPS), ThroughputMiBPerS: max(s.ThroughputMiBPerS, same.ThroughputMiBPerS)}
	}
	if from.ThroughputMiBPerS.IsNull() && same.ThroughputMiBPerS > l.ThroughputMiB.Min {
		ss = append(ss, number("throughput", same.ThroughputMiBPerS))
	}
	if d, written := v.IOPS.Get(); same.IOPS > l.IOPS.Min || written && !d.IsZero() {
		ss = append(ss, number("iops", max(same.IOPS, l.IOPS.Min)))
	}
	x.ways = append(x.ways, ss)
}

// Edits are the changes that put a finding right. If there are none although
// the finding has a fix, why says what stands in the way and where the value
// comes from.
func (f Finding) Edits() (edits []Edit, why string) {
	if f.fix == nil || f.Place.File == nil {
		return nil, ""
	}
	for _, way := range f.fix.ways {
		edits, reason := f.fix.edits(way)
		if len(edits) > 0 {
			return edits, ""
		}
		if why == "" {
			why = reason
		}
	}
	return nil, why
}

// edits are the changes of one way, all of them or none.
func (x *fix) edits(way []setting) (edits []Edit, why string) {
	// A figure that depends on another one which may be set from outside would be
	// right for one setting only.
	for _, name := range []string{"throughput", "iops"} {
		if v := x.written(name); v.written && !v.literal && way[0].name != deviceAttribute {
			return nil, notLiteral(name, v.from)
		}
	}
	for _, s := range way {
		v := x.written(s.name)
		switch {
		case v.written && !v.literal:
			return nil, notLiteral(s.name, v.from)
		case v.written:
			e, ok := replace(v.place, s)
			if !ok {
				return nil, s.name + " is written in a way that is not changed automatically"
			}
			edits = append(edits, e)
		default:
			e, ok := x.insert(s)
			if !ok {
				return nil, s.name + " is left out, and there is no line beside which to write it"
			}
			edits = append(edits, e)
		}
	}
	return joined(edits), ""
}

// joined makes one edit of several lines that go to the same place.
func joined(edits []Edit) []Edit {
	var out []Edit
	for _, e := range edits {
		if n := len(out); n > 0 && e.Start == e.End && out[n-1].Start == e.Start && out[n-1].End == e.End {
			out[n-1].Text += e.Text
			continue
		}
		out = append(out, e)
	}
	return out
}

// written is what is known of an attribute of the volume.
type written struct {
	place            plan.Place
	written, literal bool
	from             []plan.Origin
}

func (x *fix) written(name string) written {
	of := func(p plan.Place, isWritten, literal bool, from []plan.Origin) written {
		return written{place: p, written: isWritten, literal: literal, from: from}
	}
	switch v := x.volume; name {
	case "iops":
		return of(v.IOPS.Place(), v.IOPS.Written, v.IOPS.Literal, v.IOPS.From())
	case "throughput":
		return of(v.Throughput.Place(), v.Throughput.Written, v.Throughput.Literal, v.Throughput.From())
	case v.SizeAttribute:
		return of(v.SizeGiB.Place(), v.SizeGiB.Written, v.SizeGiB.Literal, v.SizeGiB.From())
	case v.TypeAttribute:
		return of(v.Type.Place(), v.Type.Written, v.Type.Literal, v.Type.From())
	case deviceAttribute:
		return of(v.DeviceName.Place(), v.DeviceName.Written, v.DeviceName.Literal, v.DeviceName.From())
	}
	return written{}
}

// notLiteral says where a value comes from that cannot be changed in place.
func notLiteral(name string, from []plan.Origin) string {
	if len(from) == 0 {
		return name + " is no literal but an expression"
	}
	var origins []string
	for _, o := range from {
		s := o.Name
		if f := o.Place.File; f != nil {
			s += fmt.Sprintf(" (%s line %d)", f.Name, o.Place.Line)
		}
		origins = append(origins, s)
	}
	return fmt.Sprintf("%s is no literal; its value comes from %s", name, strings.Join(origins, " and "))
}

// replace puts a new literal in the place of an old one, in quotes if the old
// one has them.
func replace(at plan.Place, s setting) (Edit, bool) {
	if at.File == nil || at.Start < 0 || at.End > len(at.File.Source) || at.Start >= at.End {
		return Edit{}, false
	}
	old := at.File.Source[at.Start:at.End]
	text := s.value
	switch {
	case old[0] == '"' && old[len(old)-1] == '"' || s.quoted && bytes.Equal(old, []byte("null")):
		text = strconv.Quote(s.value)
	case old[0] == '"' || old[0] == '<' || s.quoted:
		return Edit{}, false
	}
	return Edit{File: at.File, Start: at.Start, End: at.End, Text: text}, true
}

// insert writes a setting that was left out on a line of its own, after the last
// of the volume's settings that stands on one, with the equals signs one below
// the other.
func (x *fix) insert(s setting) (Edit, bool) {
	v := x.volume
	var after written
	for _, name := range []string{v.TypeAttribute, v.SizeAttribute, "iops", "throughput"} {
		w := x.written(name)
		if w.written && w.place.File != nil && !w.place.File.JSON && w.place.Start > after.place.Start && ownLine(w.place) {
			after = w
		}
	}
	f := after.place.File
	if f == nil {
		return Edit{}, false
	}
	src := f.Source
	start := bytes.LastIndexByte(src[:after.place.Start], '\n') + 1
	i := bytes.IndexByte(src[after.place.End:], '\n')
	if i < 0 {
		return Edit{}, false
	}
	end, newline := after.place.End+i+1, "\n"
	if src[end-2] == '\r' {
		newline = "\r\n"
	}
	line := string(src[start:after.place.Start])
	indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	name := s.name
	if column := strings.IndexByte(line[len(indent):], '='); column > len(name) {
		name += strings.Repeat(" ", column-len(name)-1)
	}
	value := s.value
	if s.quoted {
		value = strconv.Quote(value)
	}
	return Edit{File: f, Start: end, End: end, Text: indent + name + " = " + value + newline}, true
}

// ownLine says whether an attribute has a line to itself.
func ownLine(p plan.Place) bool {
	src := p.File.Source
	if p.Start > p.End || p.End > len(src) || bytes.IndexByte(src[p.Start:p.End], '\n') >= 0 {
		return false
	}
	start := bytes.LastIndexByte(src[:p.Start], '\n') + 1
	before := strings.TrimSpace(string(src[start:p.Start]))
	rest := src[p.End:]
	if i := bytes.IndexByte(rest, '\n'); i >= 0 {
		rest = rest[:i]
	}
	after := strings.TrimSpace(string(rest))
	name, found := strings.CutSuffix(before, "=")
	return found && !strings.ContainsAny(name, "{}=") && (after == "" || strings.HasPrefix(after, "#") || strings.HasPrefix(after, "//"))
}

// Apply makes edits in a file's content, with its byte order mark. Edits that
// overlap another are left out and have to be made in another round.
func Apply(f *plan.File, edits []Edit) []byte {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b Edit) int { return a.Start - b.Start })
	var out bytes.Buffer
	if f.BOM {
		out.WriteString("\uFEFF")
	}
	at := 0
	for _, e := range edits {
		out.Write(f.Source[at:e.Start])
		out.WriteString(e.Text)
		at = e.End
	}
	out.Write(f.Source[at:])
	return out.Bytes()
}

// Changes are the edits for findings by file, and what cannot be put right, by
// finding: of each volume what comes first, because the rest may look different
// after that. Where the instances of one block ask for different values of one
// literal, none of them is written, and nothing is in files that may not be
// changed.
func Changes(fs []Finding, may func(*plan.File) bool) (edits map[string][]Edit, unfixed []Unfixed) {
	edits = map[string][]Edit{}
	fs = slices.Clone(fs)
	slices.SortStableFunc(fs, func(a, b Finding) int { return a.order() - b.order() })
	busy := map[plan.Place]int{}  // the blocks that are changed in this round
	wanted := map[[2]any]string{} // file and start to text, of all findings
	conflict := map[[2]any]bool{}
	for _, f := range fs {
		es, _ := f.Edits()
		for _, e := range es {
			k := [2]any{e.File, [2]int{e.Start, e.End}}
			if text, ok := wanted[k]; ok && text != e.Text && sameBlock(fs, f, e) {
				conflict[k] = true
			}
			if _, ok := wanted[k]; !ok {
				wanted[k] = e.Text
			}
		}
	}
	for _, f := range fs {
		es, why := f.Edits()
		if why != "" {
			unfixed = append(unfixed, Unfixed{f, why})
		}
		if len(es) == 0 {
			continue
		}
		if slices.ContainsFunc(es, func(e Edit) bool { return conflict[[2]any{e.File, [2]int{e.Start, e.End}}] }) {
			unfixed = append(unfixed, Unfixed{f, "the instances of this block need different values"})
			continue
		}
		if slices.ContainsFunc(es, func(e Edit) bool { return !may(e.File) }) {
			unfixed = append(unfixed, Unfixed{f, "it is in a module outside of the paths that are to be fixed; name its folder, too"})
			continue
		}
		if order, is := busy[f.fix.volume.Block]; is && order != f.fix.order {
			continue
		}
		busy[f.fix.volume.Block] = f.fix.order
		if !slices.ContainsFunc(es, func(e Edit) bool { return overlaps(edits[e.File.Name], e) }) {
			for _, e := range es {
				edits[e.File.Name] = append(edits[e.File.Name], e)
			}
		}
	}
	return edits, unfixed
}

// order is that of the finding's fix.
func (f Finding) order() int {
	if f.fix == nil {
		return len(fixOrder)
	}
	return f.fix.order
}

// sameBlock says whether another finding of the same rule asks for something
// else in the same place: another instance of the block.
func sameBlock(fs []Finding, f Finding, e Edit) bool {
	return slices.ContainsFunc(fs, func(o Finding) bool {
		if o.Rule != f.Rule || o.Address == f.Address {
			return false
		}
		es, _ := o.Edits()
		return slices.ContainsFunc(es, func(x Edit) bool { return x.File == e.File && x.Start == e.Start && x.Text != e.Text })
	})
}

func overlaps(edits []Edit, e Edit) bool {
	return slices.ContainsFunc(edits, func(o Edit) bool {
		return o.Start == e.Start || o.Start < e.End && e.Start < o.End
	})
}

// Unfixed is a finding whose fix cannot be written.
type Unfixed struct {
	Finding
	Why string
}
