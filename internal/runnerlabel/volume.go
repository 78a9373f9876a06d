package runnerlabel

import (
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

// The units of RunsOn's volume parts. All three of a rate are MiB/s there,
// whatever they look like; the last of each list is the canonical one.
var (
	sizeUnits       = []string{"gib", "gb"}
	throughputUnits = []string{"mbs", "mbps", "mibps"}
	iopsUnits       = []string{"iops"}
)

// maxDigits is more than any figure of a volume has, and bounds the work on
// hostile input.
const maxDigits = 15

// volumeParts is a volume of RunsOn's syntax: parts in any order, each known
// by its unit.
type volumeParts struct {
	Volume
	// name of a sticky disk, which comes first and has no unit.
	name string
	// texts of the parts in canonical form and order: size, type, throughput,
	// IOPS, and then expressions that may be any of them.
	texts [4]string
	open  []string
	// unreadable and twice are the numbers of the parts, counted from 1.
	unreadable, twice []int
	bare              bool // a number without a unit is among the unreadable
}

const (
	partSize = iota
	partType
	partThroughput
	partIOPS
)

// canonical is the volume as it has to be written.
func (v volumeParts) canonical() string {
	parts := make([]string, 0, len(v.texts)+1)
	if v.name != "" {
		parts = append(parts, v.name)
	}
	for _, t := range v.texts {
		if t != "" {
			parts = append(parts, t)
		}
	}
	return strings.Join(append(parts, v.open...), ":")
}

// readVolume reads "80gb:gp3:1000mibps:4000iops". A named volume, a sticky
// disk, may start with a name.
func (p Parser) readVolume(text string, named bool) volumeParts {
	var v volumeParts
	types := p.Catalog.VolumeTypeNames()
	for i, s := range sections(text, 0, func(i int) bool { return text[i] == ':' }) {
		raw := strings.TrimSpace(text[s.start:s.end])
		part := lower(raw)
		number, unit := splitUnit(part)
		kind := -1
		switch {
		case slices.Contains(types, part):
			kind = partType
		case number == "":
		case slices.Contains(sizeUnits, unit):
			kind = partSize
		case slices.Contains(throughputUnits, unit):
			kind = partThroughput
		case slices.Contains(iopsUnits, unit):
			kind = partIOPS
		}
		switch {
		case kind < 0 && named && i == 0 && (dynamic(raw) || isName(raw) && !isNumber(raw)):
			v.name = raw
			continue
		case kind < 0 && dynamic(raw):
			v.open = append(v.open, raw)
			continue
		case kind < 0:
			v.unreadable = append(v.unreadable, i+1)
			v.bare = v.bare || (number != "" && unit == "")
			continue
		}
		if v.texts[kind] != "" {
			v.twice = append(v.twice, i+1)
		}
		if kind == partType {
			v.Type, v.texts[kind] = optional.Known(part), part
			continue
		}
		figure := optional.Unknown[decimal.Decimal]()
		if dynamic(number) {
			number = raw[:len(number)] // an expression keeps its letter case
		} else {
			d, err := decimal.NewFromString(number)
			if err != nil {
				v.unreadable = append(v.unreadable, i+1)
				continue
			}
			figure, number = optional.Known(d), d.String()
		}
		switch kind {
		case partSize:
			v.SizeGiB, unit = figure, sizeUnits[len(sizeUnits)-1]
		case partThroughput:
			v.ThroughputMiBPerS, unit = figure, throughputUnits[len(throughputUnits)-1]
		case partIOPS:
			v.IOPS, unit = figure, iopsUnits[0]
		}
		v.texts[kind] = number + unit
	}
	if len(v.open) > 0 {
		v.SizeGiB, v.Type = waitIfNull(v.SizeGiB), waitIfNull(v.Type)
		v.IOPS, v.ThroughputMiBPerS = waitIfNull(v.IOPS), waitIfNull(v.ThroughputMiBPerS)
	}
	return v
}

// waitIfNull: an expression may still turn out to be the part that is missing.
func waitIfNull[T any](v optional.Value[T]) optional.Value[T] {
	return v.OrElse(optional.Unknown[T]())
}

// splitUnit splits "80gb" into number and unit. The number is empty if the part
// starts with none; it may be an expression.
func splitUnit(part string) (number, unit string) {
	if end, ok := expression(part, 0); ok {
		return part[:end], part[end:]
	}
	i := strings.IndexFunc(part, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
	if i < 0 {
		i = len(part)
	}
	if number = part[:i]; !isNumber(number) {
		return "", ""
	}
	return number, part[i:]
}

// isNumber says whether a text is a decimal number of a sane length.
func isNumber(s string) bool {
	whole, fraction, pointed := strings.Cut(s, ".")
	return whole != "" && len(s) <= maxDigits && isDigits(whole) && (!pointed || (fraction != "" && isDigits(fraction)))
}

func isDigits(s string) bool {
	return strings.Trim(s, "0123456789") == ""
}

// lower is strings.ToLower for ASCII letters only, so that no byte moves.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + ('a' - 'A')
		}
		return r
	}, s)
}

// isName says whether a text has the shape of a sticky disk's name.
func isName(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for _, r := range s {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.", r) {
			return false
		}
	}
	return true
}

// ebsVolume is the general form of a label's volume. The systems have defaults
// of their own for a throughput that is left out, which nobody here can see, so
// that it is not judged.
func (v Volume) ebsVolume() ebs.Volume {
	return ebs.Volume{
		Type: v.Type, SizeGiB: v.SizeGiB, IOPS: v.IOPS, ThroughputMiBPerS: v.ThroughputMiBPerS,
		ThroughputJudged: v.ThroughputMiBPerS.IsNull(),
	}
}

// FormatVolume writes a gp3 volume in RunsOn's syntax:
// "80gb:gp3:750mibps:4000iops". Members that are null are left out.
func FormatVolume(v Volume) string {
	var parts []string
	add := func(n optional.Value[decimal.Decimal], unit string) {
		if d, ok := n.Get(); ok {
			parts = append(parts, d.String()+unit)
		}
	}
	add(v.SizeGiB, "gb")
	if t, ok := v.Type.Get(); ok {
		parts = append(parts, t)
	}
	add(v.ThroughputMiBPerS, "mibps")
	add(v.IOPS, "iops")
	return strings.Join(parts, ":")
}
