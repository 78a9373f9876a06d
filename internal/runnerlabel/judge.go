package runnerlabel

import (
	"fmt"
	"strings"
	"sync"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/lazyregexp"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// syntax is how a system writes the settings of a volume, so that a fix can be
// pasted. The rules of volumes write "iops = 4000"; here that becomes
// "4000iops" or "ghr-ec2-ebs-iops:4000".
type syntax struct {
	names ebs.Names
	// assigned rewrites one "name = value".
	assigned func(name, value string) string
}

func (s syntax) rewrite(fix string) string {
	return assignment().ReplaceAllStringFunc(fix, func(a string) string {
		m := assignment().FindStringSubmatch(a)
		return s.assigned(m[1], strings.Trim(m[2], `"`))
	})
}

var assignment = lazyregexp.New(`([a-z][a-z0-9-]*) = ("[a-z0-9]+"|[0-9]+)`)

var runsOnSyntax = syntax{
	names: ebs.Names{Size: "gb", IOPS: "iops", Throughput: "mibps", Type: "type", InstanceType: "family"},
	assigned: func(name, value string) string {
		if name == "type" {
			return value
		}
		return value + name
	},
}

// paths are the names of a volume's settings in results.
func (s syntax) path(name string) string {
	switch name {
	case s.names.Size:
		return ebs.OurNames.Size
	case s.names.IOPS:
		return ebs.OurNames.IOPS
	case s.names.Throughput:
		return ebs.OurNames.Throughput
	case s.names.Type:
		return ebs.OurNames.Type
	}
	return name
}

// judged is one volume with its place in the label's result.
type judged struct {
	path   string // "volume"
	volume ebs.Volume
}

// volumeFindings applies the rules of volumes and instances, in a system's
// syntax.
func (p Parser) volumeFindings(s syntax, volumes []judged, instance optional.Value[catalog.Instance]) []finding.Finding {
	j := ebs.Judge{Catalog: p.Catalog, Limits: catalog.CurrentLimits, Region: p.Region, Names: s.names}
	var fs []finding.Finding
	all := make([]ebs.Volume, 0, len(volumes))
	for _, v := range volumes {
		found := j.Volume(v.volume, instance)
		for i := range found {
			found[i].Path = s.path(found[i].Path)
			found[i].Fix = s.rewrite(found[i].Fix)
		}
		subject := ""
		if len(volumes) > 1 {
			subject = v.path
		}
		fs = append(fs, finding.Under(v.path, subject, found)...)
		all = append(all, v.volume)
	}
	return append(fs, j.Budget(all, instance, true)...)
}

// instanceOf looks the one type up that a label names exactly. It is null if
// the label leaves a choice, unknown if an expression decides.
func (p Parser) instanceOf(s syntax, name optional.Value[string]) (optional.Value[catalog.Instance], []finding.Finding) {
	j := ebs.Judge{Catalog: p.Catalog, Limits: catalog.CurrentLimits, Region: p.Region, Names: s.names}
	return j.Instance(name)
}

// volumeGrammar reports what cannot be read in a volume.
func (r *runsOnDraft) volumeGrammar(v labelVolume) {
	forms := "a size (80gb), a type (gp3), a throughput (750mibps) or IOPS (4000iops)"
	for _, n := range v.parts.unreadable {
		fix := fmt.Sprintf("Write %s as parts of these forms, in any order, with a colon between them. Units are gb, mibps (mbs and mbps mean the same) and iops.", v.key)
		if v.parts.bare {
			fix = "Write the number with its unit: gb, mibps or iops."
		}
		r.report(RuleVolume.New(finding.Error, v.key, fmt.Sprintf("Part %d of %s is none of %s, so nobody can tell what the runner gets.", n, v.key, forms), fix))
	}
	for _, n := range v.parts.twice {
		r.report(RuleVolume.New(finding.Warning, v.key, fmt.Sprintf("Part %d of %s sets again what an earlier part sets; only one of them counts.", n, v.key),
			"Write each of size, type, throughput and IOPS once."))
	}
}

// judge applies the rules to the volumes that could be read.
func (r *runsOnDraft) judge() {
	typ := optional.Null[string]()
	switch {
	case r.dynamicTypes:
		typ = optional.Unknown[string]()
	case len(r.families) == 1 && isExactType(r.families[0]):
		typ = optional.Known(r.families[0])
	}
	instance, fs := r.instanceOf(runsOnSyntax, typ)
	r.report(fs...)
	volumes := make([]judged, 0, len(r.volumes))
	for _, v := range r.volumes {
		volumes = append(volumes, judged{path: v.key, volume: v.parts.ebsVolume()})
	}
	found := r.volumeFindings(runsOnSyntax, volumes, instance)
	r.report(found...)
	for _, v := range r.volumes {
		if fixed, changed := r.repaired(v.parts.Volume, instance); changed {
			v.parts.set(fixed)
			r.edit(v.value, v.parts.canonical(), rulesOf(found)...)
		}
	}
}

// rulesOf are the rules whose findings a changed volume answers: those that are
// more than advice.
func rulesOf(fs []finding.Finding) []string {
	var out []string
	for _, f := range fs {
		if f.Severity > finding.Info {
			out = append(out, f.Rule)
		}
	}
	return out
}

// set replaces the figures of a volume.
func (v *volumeParts) set(to Volume) {
	put := func(i int, d optional.Value[decimal.Decimal], unit string) {
		if n, ok := d.Get(); ok {
			v.texts[i] = n.String() + unit
		}
	}
	put(partSize, to.SizeGiB, sizeUnits[len(sizeUnits)-1])
	put(partThroughput, to.ThroughputMiBPerS, throughputUnits[len(throughputUnits)-1])
	put(partIOPS, to.IOPS, iopsUnits[0])
}

// repaired is a gp3 volume with the faults gone that are errors or that pay
// for what the instance cannot use, where there is one way to put them right.
// Nothing is changed while an expression decides a part of it, or where a
// finding names two ways.
func (p Parser) repaired(v Volume, instance optional.Value[catalog.Instance]) (Volume, bool) {
	if t, ok := v.Type.Or(ebs.TypeGP3).Get(); !ok || t != ebs.TypeGP3 || instance.IsUnknown() {
		return v, false
	}
	if v.SizeGiB.IsUnknown() || v.IOPS.IsUnknown() || v.ThroughputMiBPerS.IsUnknown() {
		return v, false
	}
	l := p.Catalog.GP3(catalog.CurrentLimits)
	was := [3]int64{}
	now := [3]int64{}
	hasSize, hasIOPS, hasThroughput := v.SizeGiB.IsKnown(), v.IOPS.IsKnown(), v.ThroughputMiBPerS.IsKnown()
	for i, f := range []struct {
		v optional.Value[decimal.Decimal]
		r catalog.Range
	}{{v.SizeGiB, l.SizeGiB}, {v.IOPS, l.IOPS}, {v.ThroughputMiBPerS, l.ThroughputMiB}} {
		d, _ := f.v.Or(decimal.NewFromInt(f.r.Min)).Get()
		whole := decimal.Min(d.Ceil(), mostOfAnything)
		now[i] = max(f.r.Min, min(f.r.Max, whole.IntPart()))
		if was[i] = whole.IntPart(); !whole.Equal(d) {
			was[i] = -1 // a fraction, or far too much: any whole number is a change
		}
	}
	size, iops, throughput := &now[0], &now[1], &now[2]
	if !hasSize {
		*size = l.SizeGiB.Max // nothing is known of it, so nothing is held against it
	}
	if e, ok := optional.Then(instance, func(i catalog.Instance) optional.Value[catalog.EBSCeiling] { return i.EBS }).Get(); ok {
		carries := *iops <= ebs.MinIOPS(l, *throughput)
		*throughput = min(*throughput, max(l.ThroughputMiB.Min, int64(e.Maximum.Throughput())))
		*iops = min(*iops, max(l.IOPS.Min, e.Maximum.IOPS))
		if carries {
			*iops = min(*iops, ebs.MinIOPS(l, *throughput))
		}
	}
	// There are two ways out of each of these, and only a person knows which one
	// is meant: more IOPS or less throughput, a larger volume or fewer IOPS.
	if *iops > ebs.MaxIOPS(l, *size) || ebs.MinIOPS(l, *throughput) > *iops {
		return v, false
	}
	changed := false
	take := func(i int, written bool, to *optional.Value[decimal.Decimal]) {
		if was[i] == now[i] || (!written && i == 0) {
			return
		}
		*to, changed = optional.Known(decimal.NewFromInt(now[i])), true
	}
	take(0, hasSize, &v.SizeGiB)
	take(1, hasIOPS, &v.IOPS)
	take(2, hasThroughput, &v.ThroughputMiBPerS)
	return v, changed
}

// mostOfAnything is far above every limit of EBS.
var mostOfAnything = decimal.New(1, 12)

// price is what a volume costs, as part of a sentence.
func (p Parser) price(text string) string {
	v := p.readVolume(text, false).ebsVolume()
	c, ok := v.Cost(p.Catalog, catalog.CurrentLimits, p.Region).Get()
	if !ok {
		return p.Catalog.PriceNote(p.Region)
	}
	return units.USD(c.TotalUSD()) + " a month while it exists"
}

// matchesAType says whether a value of family, "c7" or "m7i.*", stands for any
// type of the table.
func matchesAType(cat *catalog.Catalog, f string) bool {
	if f == "" || len(f) > maxKey {
		return false
	}
	wild := strings.ContainsRune(f, '*')
	for _, typ := range typeNames(cat) {
		if wild && glob(f, typ) || !wild && strings.HasPrefix(typ, f) {
			return true
		}
	}
	return false
}

// glob matches a pattern with * for any characters.
func glob(pattern, s string) bool {
	parts := strings.Split(pattern, "*")
	if !strings.HasPrefix(s, parts[0]) {
		return false
	}
	s = s[len(parts[0]):]
	last := len(parts) - 1
	for _, p := range parts[1:last] {
		i := strings.Index(s, p)
		if i < 0 {
			return false
		}
		s = s[i+len(p):]
	}
	return strings.HasSuffix(s, parts[last])
}

// typeNames are the names of all types. They are collected once for a
// catalogue, of which a process has one or two, because going through it takes
// milliseconds and a plan reads many labels.
func typeNames(cat *catalog.Catalog) []string {
	if names, ok := types.Load(cat); ok {
		return names.([]string) //nolint:forcetypeassert // nothing else is stored
	}
	names := make([]string, 0, cat.InstanceCount())
	for i := range cat.Instances() {
		names = append(names, i.Type)
	}
	types.Store(cat, names)
	return names
}

var types sync.Map // *catalog.Catalog → []string
