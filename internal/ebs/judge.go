package ebs

import (
	"fmt"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/finding"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// Names are what the settings of a volume are called where they are written,
// so that a path and a fix can be pasted.
type Names struct {
	Size, IOPS, Throughput, Type, InstanceType string
}

// OurNames are the names in runnerfit's own objects.
var OurNames = Names{Size: "size_gib", IOPS: "iops", Throughput: "throughput_mib_per_s", Type: "type", InstanceType: "instance_type"}

// Judge applies the rules of volumes. The zero Limits are the current ones.
type Judge struct {
	Catalog *catalog.Catalog
	Limits  catalog.LimitSet
	Region  string
	Names   Names
}

// Volume judges one volume by itself and against the instance it is meant for.
// The instance is null if none was given or it is not in the table, unknown if
// it is not known yet; then only the rules that need none are applied. Paths
// are those of the settings within the volume.
func (j Judge) Volume(v Volume, instance optional.Value[catalog.Instance]) []finding.Finding {
	name, ok := v.Type.Or(TypeGP3).Get()
	if !ok {
		return nil
	}
	var fs []finding.Finding
	fs = append(fs, j.typeAttributes(v, name)...)
	if name == TypeGP3 {
		fs = append(fs, j.gp3Ranges(v)...)
		fs = append(fs, j.gp3Ratio(v)...)
		fs = append(fs, j.gp3IOPSPerGiB(v)...)
		fs = append(fs, j.gp3IOPSUnneeded(v)...)
		fs = append(fs, j.gp3DefaultThroughput(v, instance)...)
	} else {
		fs = append(fs, j.legacy(v, name)...)
	}
	fs = append(fs, j.instanceThroughput(v, instance)...)
	fs = append(fs, j.instanceIOPS(v, name, instance)...)
	return finding.Under("", v.Name, fs)
}

func (j Judge) limits() catalog.GP3Limits { return j.Catalog.GP3(j.Limits) }

// gp3Cost is the price of a gp3 setting beyond storage; ok is false if the
// region's prices are not known.
func (j Judge) gp3Cost(s GP3) (decimal.Decimal, bool) {
	p, ok := j.Catalog.VolumePrices(j.Region)
	if !ok {
		return decimal.Zero, false
	}
	return GP3Cost(p.GP3, j.limits(), 0, s).TotalUSD(), true
}

// Change says what a change of a gp3 setting costs or saves: "+$5.00 a month".
func (j Judge) Change(from, to GP3) string {
	a, known := j.gp3Cost(from)
	b, _ := j.gp3Cost(to)
	if !known {
		return j.noPrice()
	}
	d := b.Sub(a)
	if d.IsZero() {
		return "at no charge"
	}
	return units.SignedUSD(d) + " a month"
}

// ChangeOf is Change where the size changes, too.
func (j Judge) ChangeOf(fromGiB int64, from GP3, toGiB int64, to GP3) string {
	p, known := j.Catalog.VolumePrices(j.Region)
	if !known {
		return j.noPrice()
	}
	l := j.limits()
	return units.SignedUSD(GP3Cost(p.GP3, l, toGiB, to).TotalUSD().Sub(GP3Cost(p.GP3, l, fromGiB, from).TotalUSD())) + " a month"
}

// noPrice says why a change cannot be priced.
func (j Judge) noPrice() string {
	if j.Region == "" {
		return "price not known yet"
	}
	const none = "no price in US dollars for this Region"
	if note := j.Catalog.PriceNote(j.Region); note != "" {
		return none + ": " + note
	}
	return none // of this type: gp3's own may have been given by the user
}

// Saving is what a change of a gp3 setting saves a month, invalid if nothing.
func (j Judge) Saving(from, to GP3) decimal.NullDecimal {
	a, known := j.gp3Cost(from)
	b, _ := j.gp3Cost(to)
	if d := a.Sub(b); known && d.IsPositive() {
		return decimal.NewNullDecimal(d)
	}
	return decimal.NullDecimal{}
}

// Set writes the settings that differ as they have to be written.
func (j Judge) Set(from, to GP3) string {
	var parts []string
	if from.ThroughputMiBPerS != to.ThroughputMiBPerS {
		parts = append(parts, fmt.Sprintf("%s = %d", j.Names.Throughput, to.ThroughputMiBPerS))
	}
	if from.IOPS != to.IOPS {
		parts = append(parts, fmt.Sprintf("%s = %d", j.Names.IOPS, to.IOPS))
	}
	return strings.Join(parts, " and ")
}
