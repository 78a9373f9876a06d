package runnerlabel

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

// The keys of Sprinters' settings here. The system itself tells image, place
// and type by their form and gives them no names.
const (
	keyAccount       = "account"
	keyImage         = "image"
	keyPlacement     = "placement"
	keyType          = "type"
	keySecurityGroup = "security-group"
	keyTemp          = "temp"
	keyRoot          = "root"
	keySwap          = "swap"
	keySpot          = "spot"
)

// sprintersKeys are the parts that have a name.
var sprintersKeys = []string{keySpot, "profile", keyRoot, keySwap, keyTemp, "events"}

var (
	sprintersSpot  = []string{"auto", "true", "false"}
	sprintersTypes = []string{"auto", "zram", "ephemeral", ebs.TypeGP3}
)

const maximum = "max"

// sprintersSyntax: the figures stand by position, so that a fix says in words
// what to write.
var sprintersSyntax = syntax{
	names: ebs.Names{Size: "size", IOPS: "iops", Throughput: "throughput", Type: "type", InstanceType: keyType},
	assigned: func(name, value string) string {
		return value + " for " + map[string]string{"size": "size", "iops": "IOPS", "throughput": "throughput", "type": "type"}[name]
	},
}

// sprinters reads "sprinters:aws:ubuntu-latest:m7i.large:temp=gp3/64/4000/750".
// Parts may stand in any order. An older form had slashes between the parts
// (sprinters:aws/ubuntu-latest/temp=64).
func (d *draft) sprinters() {
	d.label.System = Sprinters
	index := slices.IndexFunc(d.texts, func(t string) bool {
		return strings.HasPrefix(lower(strings.TrimSpace(t)), "sprinters:")
	})
	text := d.texts[index]
	d.reading = index
	separator := byte(':')
	if head, rest, ok := strings.Cut(text, "/"); ok && strings.Count(head, ":") == 1 {
		// A number of twelve digits after the slash is the account of the newer form.
		if account, _, _ := strings.Cut(rest, ":"); len(account) != 12 || !isDigits(account) {
			separator = '/'
		}
	}
	s := &sprintersDraft{draft: d, typ: optional.Null[string]()}
	head := strings.IndexByte(text, ':')
	cut := func(i int) bool { return text[i] == separator || i == head }
	for n, at := range sections(text, index, cut) {
		at = d.trimmed(at)
		switch {
		case n == 0 || at.start == at.end:
		case n == 1:
			s.cloud(d.at(at))
		default:
			s.part(at, n+1)
		}
	}
	s.judge()
}

type sprintersDraft struct {
	*draft
	typ     optional.Value[string]
	open    bool
	volumes []sprintersVolume
}

type sprintersVolume struct {
	key   string
	value span
	Volume
	// Where the figures stand; the zero span if they are left out.
	iopsAt, throughputAt span
}

// cloud is "aws" or "aws/123456789012".
func (s *sprintersDraft) cloud(text string) {
	cloud, account, ok := strings.Cut(text, "/")
	if lower(cloud) != "aws" && !dynamic(cloud) {
		s.report(RuleUnknownValue.New(finding.Warning, "", "Sprinters runs on aws only; the label names something else.", "Write sprinters:aws:ubuntu-latest."))
	}
	if ok {
		s.set(Setting{Key: keyAccount, Value: account, Dynamic: dynamic(account)})
	}
}

func (s *sprintersDraft) part(at span, number int) {
	text := s.at(at)
	equals := equalsSign(text)
	if equals < 0 {
		s.unnamed(text)
		return
	}
	key := span{at.text, at.start, at.start + equals}
	value := span{at.text, at.start + equals + 1, at.end}
	name, v := lower(s.at(key)), s.at(value)
	s.set(Setting{Key: name, Value: v, Dynamic: dynamic(v)})
	switch name {
	case keySpot:
		if !dynamic(v) && !slices.Contains(sprintersSpot, lower(v)) {
			s.report(RuleUnknownValue.New(finding.Warning, keySpot, "spot has a value that Sprinters does not know.", "Write spot=auto, spot=true or spot=false."))
		}
	case keyTemp, keySwap, keyRoot:
		s.storage(name, value)
	default:
		if slices.Contains(sprintersKeys, name) {
			return
		}
		fix := "Keys are " + strings.Join(sprintersKeys, ", ") + "."
		words := nearest(name, sprintersKeys)
		if len(words) > 0 {
			fix = fmt.Sprintf("Write %s instead, if that is what was meant.", alternatives(words))
		}
		s.report(RuleUnknownKey.New(finding.Warning, "", fmt.Sprintf("Part %d of the label has a key that Sprinters does not know.", number), fix))
		if _, written := s.label.Get(strings.Join(words, "")); len(words) == 1 && !written {
			s.editKey(key, words[0])
		}
	}
}

// unnamed tells image, place, type and security group by their forms.
func (s *sprintersDraft) unnamed(text string) {
	place, _, _ := strings.Cut(text, "/")
	zone := strings.TrimRight(lower(place), "abcdefgh")
	switch t := lower(text); {
	case dynamic(text):
		s.open, s.typ = true, s.typ.OrElse(optional.Unknown[string]())
	case catalog.IsTypeName(t) && !strings.HasPrefix(t, "ubuntu-"):
		s.typ = optional.Known(t)
		s.set(Setting{Key: keyType, Value: t})
	case strings.HasPrefix(t, "sg-"):
		s.set(Setting{Key: keySecurityGroup, Value: text})
	case catalog.IsRegionName(lower(place)) || catalog.IsRegionName(zone) || strings.HasPrefix(t, "subnet-"):
		s.set(Setting{Key: keyPlacement, Value: text})
	case len(t) == 12 && isDigits(t):
		s.set(Setting{Key: keyAccount, Value: text})
	default:
		s.set(Setting{Key: keyImage, Value: text})
	}
}

// storage reads temp=[TYPE/]SIZE[/IOPS/THROUGHPUT], the older
// SIZE/TYPE/IOPS/THROUGHPUT, and root=gp3/IOPS/THROUGHPUT, which has no size.
func (s *sprintersDraft) storage(name string, value span) {
	text := s.at(value)
	if text == "" {
		s.report(RuleUnknownValue.New(finding.Warning, name, name+" has no value.", "Write a size in GiB, such as "+name+"=64, or leave it out."))
		return
	}
	v := sprintersVolume{key: name, value: value}
	l := s.Catalog.GP3(catalog.CurrentLimits)
	bad := func(n int) {
		fix := fmt.Sprintf("Write %s=TYPE/SIZE/IOPS/THROUGHPUT, such as %s=gp3/64/4000/1000.", name, name)
		if name == keyRoot {
			fix = "Write root=gp3/IOPS/THROUGHPUT, such as root=gp3/4000/1000; a root has the size of its image."
		}
		s.report(RuleVolume.New(finding.Error, name,
			fmt.Sprintf("Part %d of %s is not what stands there in a Sprinters label, so nobody can tell what the runner gets.", n+1, name), fix))
	}
	var numbers []span
	typed := false
	for n, f := range sections(text, 0, func(i int) bool { return text[i] == '/' }) {
		t := lower(strings.TrimSpace(text[f.start:f.end]))
		at := span{value.text, value.start + f.start, value.start + f.end}
		switch {
		case slices.Contains(sprintersTypes, t):
			if typed || n > 1 {
				bad(n)
				return
			}
			typed = true
			v.Type = optional.Known(t)
		case t == maximum || isNumber(t) || dynamic(t):
			numbers = append(numbers, at)
		default:
			bad(n)
			return
		}
	}
	figure := func(i int, most func() optional.Value[decimal.Decimal]) optional.Value[decimal.Decimal] {
		if i >= len(numbers) {
			return optional.Null[decimal.Decimal]()
		}
		t := lower(strings.TrimSpace(s.at(numbers[i])))
		if t == maximum {
			return most()
		}
		d, err := decimal.NewFromString(t)
		if err != nil {
			return optional.Unknown[decimal.Decimal]()
		}
		return optional.Known(d)
	}
	first := 0
	if name != keyRoot {
		v.SizeGiB = figure(0, optional.Unknown[decimal.Decimal])
		first = 1
	} else {
		v.SizeGiB = optional.Unknown[decimal.Decimal]() // the image decides
	}
	if len(numbers) > first+2 {
		bad(first + 3)
		return
	}
	v.IOPS = figure(first, func() optional.Value[decimal.Decimal] {
		return optional.Map(optional.Then(v.SizeGiB, wholeGiB), func(gib int64) decimal.Decimal { return decimal.NewFromInt(ebs.MaxIOPS(l, gib)) })
	})
	v.ThroughputMiBPerS = figure(first+1, func() optional.Value[decimal.Decimal] {
		return optional.Map(optional.Then(v.IOPS.Or(decimal.NewFromInt(l.IOPS.Min)), wholeGiB), func(iops int64) decimal.Decimal {
			return decimal.NewFromInt(ebs.MaxThroughput(l, iops))
		})
	})
	if len(numbers) > first {
		v.iopsAt = numbers[first]
	}
	if len(numbers) > first+1 {
		v.throughputAt = numbers[first+1]
	}
	if t, ok := v.Type.Get(); ok && t != ebs.TypeGP3 {
		if t != "auto" {
			return // no EBS volume
		}
		v.Type = optional.Null[string]() // Sprinters chooses
	}
	s.volumes = append(s.volumes, v)
}

// wholeGiB is a whole number that arithmetic can be done on; anything else is
// reported by the rules.
func wholeGiB(d decimal.Decimal) optional.Value[int64] {
	if !d.IsInteger() || d.GreaterThan(mostOfAnything) {
		return optional.Unknown[int64]()
	}
	return optional.Known(d.IntPart())
}

func (s *sprintersDraft) judge() {
	instance, fs := s.instanceOf(sprintersSyntax, s.typ)
	s.report(fs...)
	volumes := make([]judged, 0, len(s.volumes))
	for _, v := range s.volumes {
		volumes = append(volumes, judged{path: v.key, volume: v.ebsVolume()})
	}
	found := s.volumeFindings(sprintersSyntax, volumes, instance)
	s.report(found...)
	for _, v := range s.volumes {
		if v.key == keyRoot {
			v.SizeGiB = optional.Null[decimal.Decimal]() // not a part of the label
		}
		if fixed, changed := s.repaired(v.Volume, instance); changed {
			s.editFigure(v.iopsAt, v.IOPS, fixed.IOPS, rulesOf(found))
			s.editFigure(v.throughputAt, v.ThroughputMiBPerS, fixed.ThroughputMiBPerS, rulesOf(found))
		}
	}
	// The job works on temp; a label without it may still set up the root.
	for _, name := range []string{keyTemp, keyRoot} {
		i := slices.IndexFunc(s.volumes, func(v sprintersVolume) bool { return v.key == name })
		if i >= 0 && s.label.Volume.IsNull() {
			s.label.Volume = optional.Known(s.volumes[i].Volume)
		}
	}
	s.label.Open = s.open
	if s.open && s.label.Volume.IsNull() {
		s.label.Volume = optional.Unknown[Volume]()
	}
}

// editFigure writes a figure that is there; "max" stays what it is, because it
// follows the others.
func (s *sprintersDraft) editFigure(at span, was, to optional.Value[decimal.Decimal], rules []string) {
	a, _ := was.Get()
	b, ok := to.Get()
	if !ok || at.end == 0 || a.Equal(b) || lower(s.at(at)) == maximum {
		return
	}
	s.edit(at, b.String(), rules...)
}
