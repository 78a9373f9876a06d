package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog/record"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/lazyregexp"
)

// This file holds what is checked of a catalogue file: that it can be right, and
// that a new one is plausible beside the one that it would replace.

// checkFile finds what cannot be right, whoever wrote it. The error names the
// record: the type, or the Region and the price.
func checkFile(r record.File) error {
	switch {
	case !IsRegionName(r.Region):
		return errors.New("it does not name the Region that it is of")
	case r.Source.Name == "" || r.Source.AsOf == "":
		return errors.New("it does not say where it comes from and of what date it is")
	case !isDate(r.Source.AsOf):
		return errors.New("the date of its source is not one such as 2026-11-30")
	case len(r.Instances) < minFileTypes:
		return fmt.Errorf("it has %d instance types, and every Region offers hundreds", len(r.Instances))
	case len(r.Prices) > 0 && (r.PriceSource == nil || r.PriceSource.Name == "" || r.PriceSource.AsOf == ""):
		return errors.New("it has prices without a source or a date")
	case r.PriceSource != nil && !isDate(r.PriceSource.AsOf):
		return errors.New("the date of its prices is not one such as 2026-11-30")
	}
	for n, i := range r.Instances {
		if err := CheckInstance(instanceOf(i, Source{})); err != nil {
			if !IsTypeName(i.Type) {
				return fmt.Errorf("instance %d of the list: %w", n+1, err)
			}
			return err
		}
		if n > 0 && r.Instances[n-1].Type >= i.Type {
			return fmt.Errorf("%s is listed twice or out of order", i.Type)
		}
	}
	for _, region := range slices.Sorted(maps.Keys(r.Prices)) {
		if !IsRegionName(region) {
			return errors.New("it has prices of a Region whose name is not one")
		}
		if err := checkPrices(r.Prices[region]); err != nil {
			return fmt.Errorf("prices of %s: %w", region, err)
		}
	}
	return nil
}

// firstDate is before anything that AWS sells.
var firstDate = time.Date(2006, 1, 1, 0, 0, 0, 0, time.UTC)

func isDate(s string) bool {
	t, err := time.Parse(time.DateOnly, s)
	return err == nil && !t.Before(firstDate)
}

func checkPrices(p record.FilePrices) error {
	if v := p.Volumes; v != nil {
		if v.Currency != usd {
			return errors.New("those of volumes are not in US dollars")
		}
		if err := CheckGP3Prices(GP3Prices{GiBMonth: v.GP3.GiB, IOPSMonth: v.GP3.IOPS, MiBPerSMonth: v.GP3.MiB}); err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(v.Others)) {
			if err := CheckOtherPrices(name, otherPrices(v.Others[name])); err != nil {
				return err
			}
		}
	}
	for _, list := range []struct {
		of     string
		prices map[string]decimal.Decimal
	}{{"host", p.MacHostHour}, {"instance", p.InstanceHour}} {
		for _, typ := range slices.Sorted(maps.Keys(list.prices)) {
			if !IsTypeName(typ) {
				return fmt.Errorf("one of the %ss is of a type whose name is not one", list.of)
			}
			if err := CheckHourPrice(list.prices[typ]); err != nil {
				return fmt.Errorf("%s %s: %w", list.of, typ, err)
			}
		}
	}
	return nil
}

// Bounds far outside of anything that AWS sells.
var (
	mostUSDPerHour = decimal.NewFromInt(10_000)
	mostGiBMonth   = decimal.NewFromInt(2)
	mostIOPSMonth  = decimal.New(2, -1)
	mostMiBMonth   = decimal.NewFromInt(2)
)

const (
	mostVCPUs     = 100_000
	mostMemoryMiB = 1 << 30
	mostStoreGB   = 100_000_000
	mostVolumes   = 10_000
	mostMbit      = 100_000_000
	mostIOPS      = 1_000_000_000
)

// CheckInstance finds what cannot be right about a type.
func CheckInstance(i Instance) error {
	if !IsTypeName(i.Type) {
		return errors.New("there is a type whose name is not one")
	}
	switch {
	case i.VCPUs < 1 || i.VCPUs > mostVCPUs || i.MemoryMiB < 1 || i.MemoryMiB > mostMemoryMiB || len(i.Architectures) == 0:
		return fmt.Errorf("%s has no vCPUs, memory or architecture, or far too many", i.Type)
	case slices.Contains(i.Architectures, ""):
		return fmt.Errorf("%s has an architecture without a name", i.Type)
	case i.Cores < 0 || i.Cores > i.VCPUs:
		return fmt.Errorf("%s cannot have %d cores and %d vCPUs", i.Type, i.Cores, i.VCPUs)
	case i.MaxVolumes < 0 || i.MaxVolumes > mostVolumes:
		return fmt.Errorf("%s cannot carry %d volumes", i.Type, i.MaxVolumes)
	case i.InstanceStoreGB < 0 || i.InstanceStoreGB > mostStoreGB:
		return fmt.Errorf("%s cannot have %d GB of instance storage", i.Type, i.InstanceStoreGB)
	}
	ceilings := i.Cards
	if c, ok := i.EBS.Get(); ok {
		ceilings = append([]EBSCeiling{c}, i.Cards...)
	}
	for _, c := range ceilings {
		s, m := c.Sustained, c.Maximum
		if s.Bandwidth < 1 || s.IOPS < 1 || s.Bandwidth > m.Bandwidth || s.IOPS > m.IOPS || m.Bandwidth > mostMbit || m.IOPS > mostIOPS {
			return fmt.Errorf("%s has EBS limits that cannot be", i.Type)
		}
	}
	return nil
}

// CheckGP3Prices finds prices that cannot be right: none at all, or in another
// unit.
func CheckGP3Prices(p GP3Prices) error {
	for _, price := range []struct {
		of   string
		d    decimal.Decimal
		most decimal.Decimal
	}{{"a GiB", p.GiBMonth, mostGiBMonth}, {"an IOPS", p.IOPSMonth, mostIOPSMonth}, {"a MiB/s", p.MiBPerSMonth, mostMiBMonth}} {
		if !isPrice(price.d, price.most) {
			return fmt.Errorf("a gp3 price of $%s for %s a month cannot be", price.d, price.of)
		}
	}
	return nil
}

var volumeTypeName = lazyregexp.New(`\A[a-z][a-z0-9]{1,15}\z`)

// CheckOtherPrices finds prices of a volume type that cannot be right: none at
// all, in another unit, or tiers that do not follow on each other.
func CheckOtherPrices(typ string, p OtherPrices) error {
	if !volumeTypeName().MatchString(typ) {
		return errors.New("one of the volumes is of a type whose name is not one")
	}
	if !isPrice(p.GiBMonth, mostGiBMonth) {
		return fmt.Errorf("a price of $%s for a GiB of %s a month cannot be", p.GiBMonth, typ)
	}
	for n, t := range p.IOPSTiers {
		if !isPrice(t.Month, mostIOPSMonth) {
			return fmt.Errorf("a price of $%s for an IOPS of %s a month cannot be (tier %d)", t.Month, typ, n+1)
		}
		last := n == len(p.IOPSTiers)-1
		if last != (t.UpTo == 0) || t.UpTo < 0 || n > 0 && !last && t.UpTo <= p.IOPSTiers[n-1].UpTo {
			return fmt.Errorf("the IOPS tiers of %s do not follow on each other: tier %d ends at %d", typ, n+1, t.UpTo)
		}
	}
	return nil
}

// CheckHourPrice finds a price of an hour that cannot be right.
func CheckHourPrice(d decimal.Decimal) error {
	if !isPrice(d, mostUSDPerHour) {
		return fmt.Errorf("a price of $%s an hour cannot be", d)
	}
	return nil
}

func isPrice(d, most decimal.Decimal) bool { return d.IsPositive() && !d.GreaterThan(most) }

// PlausibleAfter says what makes a newly fetched file doubtful beside the one
// that it would replace (nil if there is none) and beside the embedded table: far
// fewer types or prices than before, or figures that no longer resemble the known
// ones. A half answer would otherwise replace a whole one. The two files are of
// the same Region.
func (f *File) PlausibleAfter(previous *File, table *Catalog) error {
	if previous != nil {
		if have, had := len(f.types), len(previous.types); have*100 < had*shrinkPercent {
			return fmt.Errorf("it has %d instance types, and the file that it would replace has %d", have, had)
		}
	} else if err := f.plausibleFirst(table); err != nil {
		return err
	}
	common, strange, first := 0, 0, ""
	for typ := range f.types {
		line, ok := table.facts.instances.find(typ)
		if !ok {
			continue
		}
		common++
		if differs(f.types[typ], table.instance(line)) {
			strange++
			first = cmp.Or(first, typ)
		}
	}
	switch {
	case common*2 < len(f.types):
		return fmt.Errorf("of its %d instance types only %d are known", len(f.types), common)
	case strange*100 > common*strangePercent:
		return fmt.Errorf("the size or the EBS limits of %d of %d known types are no longer what they were, among them %s", strange, common, first)
	}
	for _, region := range f.PricedRegions() {
		if err := f.plausiblePrices(region, previous, table); err != nil {
			return fmt.Errorf("prices of %s: %w", region, err)
		}
	}
	return nil
}

const (
	// A Region keeps what it offers; a type of an old generation leaves now and then.
	shrinkPercent = 90
	// The embedded table has types of all Regions, of which us-east-1 has most.
	shrinkTablePercent = 60
	// AWS corrects figures, a few at a time.
	strangePercent = 5
	// Mac types and volume types are so few that one of them may leave.
	shrinkFewPercent = 50
	// leastFirstTypes is below what the smallest Region offers.
	leastFirstTypes = 100
	// Of the types that have a price elsewhere, so many have one in every Region that
	// offers them.
	pricedPercent = 50
)

// priceFactor is beyond what Regions differ by, and beyond any change of a price.
var priceFactor = decimal.NewFromInt(4)

// classesEverywhere are the letters of the families that every Region offers:
// burstable, general purpose, compute and memory.
const classesEverywhere = "tmcr"

// plausibleFirst is for a file that replaces none.
func (f *File) plausibleFirst(table *Catalog) error {
	have := len(f.types)
	if had := table.facts.instancesHeader().Count; f.Region() == DefaultRegion && have*100 < had*shrinkTablePercent {
		return fmt.Errorf("it has %d instance types, and the embedded table has %d", have, had)
	}
	if have < leastFirstTypes {
		return fmt.Errorf("it has %d instance types, and every Region offers more than %d", have, leastFirstTypes)
	}
	for _, class := range classesEverywhere {
		there := false
		for typ := range f.types {
			// A digit follows: "t3.micro", and not "trn1.2xlarge".
			there = there || rune(typ[0]) == class && typ[1] >= '0' && typ[1] <= '9'
		}
		if !there {
			return fmt.Errorf("it has no instance type of the families %c1 to %c9, of which every Region offers some", class, class)
		}
	}
	return nil
}

// plausiblePrices compares a Region's prices with those of the file before, or
// with the embedded ones of the Region, or with those of the default Region.
func (f *File) plausiblePrices(region string, previous *File, table *Catalog) error {
	p := f.record.Prices[region]
	var before record.FilePrices
	if previous != nil {
		before = previous.record.Prices[region]
	}
	hostsBefore := before.MacHostHour
	if hostsBefore == nil {
		hostsBefore = table.facts.macs().HostPrices[region].USDPerHour
	}
	macs := 0
	for _, m := range table.Macs() {
		if _, offered := f.types[m.Type]; offered && region == f.Region() {
			macs++
		}
	}
	for _, l := range []struct {
		of        string
		have, had int
		percent   int
	}{
		// A Mac that the Region offers has a host.
		{"Mac hosts", len(p.MacHostHour), max(macs, len(hostsBefore)), shrinkFewPercent},
		{"instances", len(p.InstanceHour), len(before.InstanceHour), shrinkPercent},
	} {
		if l.have*100 < l.had*l.percent {
			return fmt.Errorf("there are %d of %s, and there should be %d", l.have, l.of, l.had)
		}
	}
	if err := f.plausibleVolumes(region, before.Volumes, table); err != nil {
		return err
	}
	for _, typ := range slices.Sorted(maps.Keys(p.MacHostHour)) {
		was, ok := hostsBefore[typ]
		if !ok {
			was, ok = table.facts.macs().HostPrices[DefaultRegion].USDPerHour[typ]
		}
		if ok && isFar(p.MacHostHour[typ], was) {
			return fmt.Errorf("$%s an hour for a host of %s is far from the known $%s", p.MacHostHour[typ], typ, was)
		}
	}
	common, priced, strange, first := 0, 0, 0, ""
	for _, typ := range slices.Sorted(maps.Keys(f.types)) {
		was, ok := before.InstanceHour[typ]
		if !ok {
			known, listed := table.listedPrice(DefaultRegion, typ)
			was, ok = known.USDPerHour, listed
		}
		if !ok {
			continue
		}
		common++
		now, ok := p.InstanceHour[typ]
		if !ok {
			continue
		}
		priced++
		if isFar(now, was) {
			strange++
			first = cmp.Or(first, fmt.Sprintf("%s with $%s an hour instead of $%s", typ, now, was))
		}
	}
	switch {
	case priced*100 < common*pricedPercent:
		return fmt.Errorf("of %d instance types whose price is known elsewhere, only %d have one", common, priced)
	case strange*100 > priced*strangePercent:
		return fmt.Errorf("%d of %d instances are far from what is known, among them %s", strange, priced, first)
	}
	return nil
}

// plausibleVolumes is that of volumes.
func (f *File) plausibleVolumes(region string, before *record.RegionPrices, table *Catalog) error {
	now, ok := f.VolumePrices(region)
	if !ok {
		if before != nil {
			return errors.New("there are none of volumes, and there were some")
		}
		return nil
	}
	was, ok := table.tablePrices(region)
	if !ok {
		was, _ = table.tablePrices(DefaultRegion)
	}
	if before != nil {
		was.GP3 = GP3Prices{GiBMonth: before.GP3.GiB, IOPSMonth: before.GP3.IOPS, MiBPerSMonth: before.GP3.MiB}
		was.Others = map[string]OtherPrices{}
		for name, o := range before.Others {
			was.Others[name] = otherPrices(o)
		}
		if have, had := len(now.Others), len(was.Others); have*100 < had*shrinkFewPercent {
			return fmt.Errorf("there are %d volume types beside gp3, and there were %d", have, had)
		}
	}
	type pair struct {
		of       string
		now, was decimal.Decimal
	}
	pairs := []pair{
		{"a GiB of gp3", now.GP3.GiBMonth, was.GP3.GiBMonth},
		{"an IOPS of gp3", now.GP3.IOPSMonth, was.GP3.IOPSMonth},
		{"a MiB/s of gp3", now.GP3.MiBPerSMonth, was.GP3.MiBPerSMonth},
	}
	for _, name := range slices.Sorted(maps.Keys(now.Others)) {
		o, known := was.Others[name]
		if !known {
			continue
		}
		pairs = append(pairs, pair{"a GiB of " + name, now.Others[name].GiBMonth, o.GiBMonth})
		for n, t := range now.Others[name].IOPSTiers {
			if n < len(o.IOPSTiers) {
				pairs = append(pairs, pair{"an IOPS of " + name, t.Month, o.IOPSTiers[n].Month})
			}
		}
	}
	for _, p := range pairs {
		if isFar(p.now, p.was) {
			return fmt.Errorf("$%s a month for %s is far from the known $%s", p.now, p.of, p.was)
		}
	}
	return nil
}

// isFar says whether one price cannot have become the other.
func isFar(now, was decimal.Decimal) bool {
	return was.IsPositive() && (now.GreaterThan(was.Mul(priceFactor)) || now.Mul(priceFactor).LessThan(was))
}

// differs says whether two descriptions of a type are about different machines.
func differs(a, b Instance) bool {
	if a.VCPUs != b.VCPUs || a.MemoryMiB != b.MemoryMiB || a.EBS.IsKnown() != b.EBS.IsKnown() {
		return true
	}
	x, _ := a.EBS.Get()
	y, _ := b.EBS.Get()
	const factor = 2
	return x.Maximum.Bandwidth > factor*y.Maximum.Bandwidth || y.Maximum.Bandwidth > factor*x.Maximum.Bandwidth
}
