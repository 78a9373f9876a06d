package catalog

import (
	"fmt"
	"maps"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog/record"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

const usd = "USD"

// overridden is the source of a price that the user gave.
var overridden = Source{Name: "price given by the user", Confidence: "high: given by the user"}

// VolumePrices are the prices of EBS volumes in a region. It is false where
// the table has no prices in US dollars, and PriceNote says why. Prices given
// by the user replace those of gp3; if all three are given, gp3's are known in
// every region, there without those of other types.
func (c *Catalog) VolumePrices(region string) (VolumePrices, bool) {
	p, known := c.tablePrices(region)
	if c.overlay != nil && !c.overrides.allOfGP3() {
		if newer, ok := c.overlay.VolumePrices(region); ok {
			others := p.Others
			maps.Copy(others, newer.Others)
			p, known = newer, true
			p.Region, p.Currency, p.Others = region, usd, others
		}
	}
	given := 0
	override := func(price *decimal.Decimal, own optional.Value[decimal.Decimal]) {
		if v, ok := own.Get(); ok {
			*price = v
			given++
		}
	}
	override(&p.GP3.GiBMonth, c.overrides.GP3GiBMonth)
	override(&p.GP3.IOPSMonth, c.overrides.GP3IOPSMonth)
	override(&p.GP3.MiBPerSMonth, c.overrides.GP3MiBPerSMonth)
	switch {
	case given == 3:
		p.Source = overridden
	case !known:
		return VolumePrices{}, false
	case given > 0:
		p.Source.Confidence = "some prices given by the user; the others " + p.Source.Confidence
	}
	return p, true
}

// tablePrices are the table's prices of a region; it is false where the table
// has none in US dollars.
func (c *Catalog) tablePrices(region string) (VolumePrices, bool) {
	t := c.facts.volumePrices()
	p := VolumePrices{Region: region, Currency: usd, Others: map[string]OtherPrices{}, Source: source(t.Source)}
	r, known := t.Regions[region]
	if !known || r.Currency != usd {
		return p, false
	}
	p.GP3 = GP3Prices{GiBMonth: r.GP3.GiB, IOPSMonth: r.GP3.IOPS, MiBPerSMonth: r.GP3.MiB}
	for name, o := range r.Others {
		p.Others[name] = otherPrices(o)
	}
	return p, true
}

// allOfGP3 says whether the user gave all prices of gp3.
func (o PriceOverrides) allOfGP3() bool {
	return o.GP3GiBMonth.IsKnown() && o.GP3IOPSMonth.IsKnown() && o.GP3MiBPerSMonth.IsKnown()
}

func otherPrices(r record.OtherPrices) OtherPrices {
	p := OtherPrices{GiBMonth: r.GiB}
	for _, tier := range r.IOPS {
		p.IOPSTiers = append(p.IOPSTiers, IOPSTier{UpTo: tier.UpTo, Month: tier.Month})
	}
	return p
}

// PricedRegions are the regions whose volume prices the table has in US
// dollars, sorted, local zones with prices of their own among them.
func (c *Catalog) PricedRegions() []string {
	var out []string
	for region, r := range c.facts.volumePrices().Regions {
		if r.Currency == usd {
			out = append(out, region)
		}
	}
	slices.Sort(out)
	return out
}

// PriceNote says why VolumePrices does not know a region, as the end of a
// sentence: "prices there are published in CNY", "not in the table of
// 2022-02-10". It is empty for a region that is known, and repeats nothing of
// the name it was asked for.
func (c *Catalog) PriceNote(region string) string {
	if _, ok := c.VolumePrices(region); ok {
		return ""
	}
	t := c.facts.volumePrices()
	if r, listed := t.Regions[region]; listed {
		return "prices there are published in " + r.Currency
	}
	return "not in the table of " + t.Source.AsOf
}

// MacHostPrice is the hourly price of a dedicated Mac host. It is false for a
// pair of region and type that has no published price in the table; prices of
// one region are not those of another.
func (c *Catalog) MacHostPrice(region, typ string) (Price, bool) {
	if usdPerHour, ok := c.overrides.MacHostHour[typ]; ok {
		return Price{USDPerHour: usdPerHour, Source: overridden}, true
	}
	if c.overlay != nil {
		if p, ok := c.overlay.MacHostPrice(region, typ); ok {
			return p, true
		}
	}
	r := c.facts.macs().HostPrices[region]
	usdPerHour, ok := r.USDPerHour[typ]
	if !ok {
		return Price{}, false
	}
	return Price{USDPerHour: usdPerHour, Source: source(r.Source)}, true
}

// InstancePrice is the hourly on-demand price of an instance with Linux and
// shared tenancy. The table is complete for us-east-1. For other regions it
// lists one size of some families, from which the prices of the family's other
// virtual sizes are scaled by their vCPUs, as AWS does; the Confidence of the
// Source says so. Metal sizes are not scaled, for they cost more than that. It
// is false for all others, and for Macs, which are priced by host.
func (c *Catalog) InstancePrice(region, typ string) (Price, bool) {
	if usdPerHour, ok := c.overrides.InstanceHour[typ]; ok {
		return Price{USDPerHour: usdPerHour, Source: overridden}, true
	}
	if c.overlay != nil {
		if p, ok := c.overlay.InstancePrice(region, typ); ok {
			return p, true
		}
	}
	if p, ok := c.listedPrice(region, typ); ok {
		return p, true
	}
	return c.scaledPrice(region, typ)
}

func (c *Catalog) listedPrice(region, typ string) (Price, bool) {
	line, ok := c.facts.instancePrices.find(typ)
	if !ok {
		return Price{}, false
	}
	r := decode[record.InstancePrice]("instance_prices.jsonl", line)
	usdPerHour, ok := r.USDPerHour[region]
	if !ok {
		return Price{}, false
	}
	h := c.facts.instancePricesHeader()
	p := Price{USDPerHour: usdPerHour, Source: source(h.OtherSource)}
	if region == h.CompleteRegion {
		p.Source = source(h.CompleteSource)
	}
	if from, ok := r.InferredFrom[region]; ok {
		p.Source.Confidence += fmt.Sprintf("; scaled by vCPUs from %s", from)
	}
	return p, true
}

// priceDecimals is how many decimals AWS publishes of an hourly price at most.
const priceDecimals = 5

func (c *Catalog) scaledPrice(region, typ string) (Price, bool) {
	reference, ok := c.facts.instancePricesHeader().References[familyOf(typ)]
	if !ok {
		return Price{}, false
	}
	p, ok := c.listedPrice(region, reference)
	if !ok {
		return Price{}, false
	}
	have, ok := c.Instance(reference)
	if !ok {
		return Price{}, false
	}
	want, ok := c.Instance(typ)
	if !ok || want.BareMetal {
		return Price{}, false
	}
	p.USDPerHour = p.USDPerHour.
		Mul(decimal.NewFromInt(int64(want.VCPUs))).
		DivRound(decimal.NewFromInt(int64(have.VCPUs)), priceDecimals)
	p.Source.Confidence += fmt.Sprintf("; scaled by vCPUs from %s", reference)
	return p, true
}

// clone copies overrides, so that a caller's later changes to the maps do not
// reach a catalogue in use.
func (o PriceOverrides) clone() PriceOverrides {
	o.MacHostHour = maps.Clone(o.MacHostHour)
	o.InstanceHour = maps.Clone(o.InstanceHour)
	return o
}
