package catalog_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

var dec = decimal.RequireFromString

func TestVolumePrices(t *testing.T) {
	got, ok := catalog.Embedded().VolumePrices("us-east-1")
	if !ok {
		t.Fatal("not known")
	}
	want := catalog.VolumePrices{
		Region: "us-east-1", Currency: "USD", Source: got.Source,
		GP3: catalog.GP3Prices{GiBMonth: dec("0.08"), IOPSMonth: dec("0.005"), MiBPerSMonth: dec("0.04")},
		Others: map[string]catalog.OtherPrices{
			"gp2": {GiBMonth: dec("0.1")},
			"io1": {GiBMonth: dec("0.125"), IOPSTiers: []catalog.IOPSTier{{Month: dec("0.065")}}},
			"io2": {GiBMonth: dec("0.125"), IOPSTiers: []catalog.IOPSTier{
				{UpTo: 32000, Month: dec("0.065")}, {UpTo: 64000, Month: dec("0.0455")}, {Month: dec("0.03185")},
			}},
			"st1": {GiBMonth: dec("0.045")},
			"sc1": {GiBMonth: dec("0.015")},
		},
	}
	if diff := cmp.Diff(want, got, compare); diff != "" {
		t.Error(diff)
	}
	if got.Source.AsOf != "2022-02-10" {
		t.Errorf("as of %s", got.Source.AsOf)
	}
}

func TestPricedRegions(t *testing.T) {
	c := catalog.Embedded()
	regions := c.PricedRegions()
	if len(regions) != 26 || !slices.IsSorted(regions) {
		t.Errorf("%d regions: %v", len(regions), regions)
	}
	for _, region := range regions {
		p, ok := c.VolumePrices(region)
		if !ok || p.Region != region || p.Currency != "USD" || len(p.Others) < 4 {
			t.Errorf("%s: %v, %+v", region, ok, p)
		}
		checkSource(t, region, p.Source)
		if !catalog.IsRegionName(region) {
			t.Errorf("%s does not have the shape of a region's name", region)
		}
		if note := c.PriceNote(region); note != "" {
			t.Errorf("%s is priced, but: %s", region, note)
		}
	}
	for region, want := range map[string]string{
		"cn-north-1":     "prices there are published in CNY",
		"cn-northwest-1": "prices there are published in CNY",
		"ap-southeast-7": "not in the table of 2022-02-10",
		"":               "not in the table of 2022-02-10",
		"<b>us</b>":      "not in the table of 2022-02-10",
	} {
		if p, ok := c.VolumePrices(region); ok {
			t.Errorf("%q: %+v", region, p)
		}
		if note := c.PriceNote(region); note != want {
			t.Errorf("%q: %s, want %s", region, note, want)
		}
	}
}

func TestVolumePriceOverrides(t *testing.T) {
	gib, iops, mib := optional.Known(dec("0.07")), optional.Known(dec("0.004")), optional.Known(dec("0.03"))
	some := catalog.Embedded().WithPrices(catalog.PriceOverrides{GP3IOPSMonth: iops})
	all := catalog.Embedded().WithPrices(catalog.PriceOverrides{GP3GiBMonth: gib, GP3IOPSMonth: iops, GP3MiBPerSMonth: mib})
	own := catalog.GP3Prices{GiBMonth: dec("0.07"), IOPSMonth: dec("0.004"), MiBPerSMonth: dec("0.03")}

	for _, test := range []struct {
		name, region string
		c            *catalog.Catalog
		ok           bool
		gp3          catalog.GP3Prices
		others       int
	}{
		{"one", "us-east-1", some, true, catalog.GP3Prices{GiBMonth: dec("0.08"), IOPSMonth: dec("0.004"), MiBPerSMonth: dec("0.04")}, 5},
		{"one, in CNY", "cn-north-1", some, false, catalog.GP3Prices{}, 0},
		{"one, not listed", "ap-southeast-7", some, false, catalog.GP3Prices{}, 0},
		{"all", "us-east-1", all, true, own, 5},
		{"all, in CNY", "cn-north-1", all, true, own, 0},
		{"all, not listed", "ap-southeast-7", all, true, own, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, ok := test.c.VolumePrices(test.region)
			if ok != test.ok {
				t.Fatalf("known: %v", ok)
			}
			if diff := cmp.Diff(test.gp3, p.GP3, compare); diff != "" {
				t.Error(diff)
			}
			if len(p.Others) != test.others {
				t.Errorf("other types: %v", p.Others)
			}
			if ok != (test.c.PriceNote(test.region) == "") {
				t.Errorf("note: %q", test.c.PriceNote(test.region))
			}
			if ok && !strings.Contains(p.Source.Name+p.Source.Confidence, "given by the user") {
				t.Errorf("the source does not say whose price it is: %+v", p.Source)
			}
		})
	}

	// The shared catalogue is as it was, and a second view forgets the first.
	if p, _ := all.WithPrices(catalog.PriceOverrides{}).VolumePrices("us-east-1"); !p.GP3.GiBMonth.Equal(dec("0.08")) {
		t.Errorf("%s after the overrides were taken back", p.GP3.GiBMonth)
	}
	if p, _ := catalog.Embedded().VolumePrices("us-east-1"); !p.GP3.GiBMonth.Equal(dec("0.08")) {
		t.Errorf("%s in the shared catalogue", p.GP3.GiBMonth)
	}
	// A value that is not known yet is not zero.
	unknown := catalog.Embedded().WithPrices(catalog.PriceOverrides{GP3GiBMonth: optional.Unknown[decimal.Decimal]()})
	if p, _ := unknown.VolumePrices("us-east-1"); !p.GP3.GiBMonth.Equal(dec("0.08")) {
		t.Errorf("%s for an unknown override", p.GP3.GiBMonth)
	}
}

func TestMacHostPrice(t *testing.T) {
	c := catalog.Embedded()
	for _, test := range []struct {
		region, typ, want, asOf string
	}{
		{"us-east-1", "mac1.metal", "1.083", "2026-06-25"},
		{"us-east-1", "mac2.metal", "0.65", "2026-06-25"},
		{"us-east-1", "mac2-m1ultra.metal", "5", "2026-06-25"},
		{"us-east-1", "mac2-m2.metal", "0.878", "2026-06-25"},
		{"us-east-1", "mac2-m2pro.metal", "1.56", "2026-06-25"},
		{"us-east-1", "mac-m3ultra.metal", "12.5", "2026-06-25"},
		{"us-east-1", "mac-m4.metal", "1.23", "2026-06-25"},
		{"us-east-1", "mac-m4max.metal", "6.25", "2026-06-25"},
		{"us-east-1", "mac-m4pro.metal", "1.97", "2026-06-25"},
		{"us-west-2", "mac1.metal", "1.083", "2021-10"},
	} {
		p, ok := c.MacHostPrice(test.region, test.typ)
		if !ok || !p.USDPerHour.Equal(dec(test.want)) || p.Source.AsOf != test.asOf {
			t.Errorf("%s in %s: %v, %s as of %s", test.typ, test.region, ok, p.USDPerHour, p.Source.AsOf)
		}
		checkSource(t, test.typ, p.Source)
	}
	for _, pair := range [][2]string{{"us-west-2", "mac2.metal"}, {"eu-west-1", "mac2.metal"}, {"us-east-1", "m8a.xlarge"}, {"us-east-1", ""}, {"", "mac2.metal"}} {
		if p, ok := c.MacHostPrice(pair[0], pair[1]); ok {
			t.Errorf("%v: %s", pair, p.USDPerHour)
		}
	}
	own := c.WithPrices(catalog.PriceOverrides{MacHostHour: map[string]decimal.Decimal{"mac2.metal": dec("0.5")}})
	if p, ok := own.MacHostPrice("eu-west-1", "mac2.metal"); !ok || !p.USDPerHour.Equal(dec("0.5")) || p.Source.Name != "price given by the user" {
		t.Errorf("own price: %v, %+v", ok, p)
	}
	if p, ok := own.MacHostPrice("us-east-1", "mac1.metal"); !ok || !p.USDPerHour.Equal(dec("1.083")) {
		t.Errorf("the table's price beside an own one: %v, %+v", ok, p)
	}
}

func TestInstancePrice(t *testing.T) {
	c := catalog.Embedded()
	const scaled = "; scaled by vCPUs from "
	for _, test := range []struct {
		region, typ, want, asOf, scaledFrom string
	}{
		{"us-east-1", "m8a.xlarge", "0.24344", "2026-07-20", ""},
		{"us-east-1", "m8a.metal-24xl", "6.42682", "2026-07-20", ""},
		{"us-east-1", "c8a.medium", "0.05389", "2026-07-20", ""},
		{"us-east-1", "p3.2xlarge", "3.06", "2026-07-20", ""}, // has a price, though the table of types lacks it
		{"us-east-2", "m8a.2xlarge", "0.48688", "2026", ""},
		{"us-east-2", "m8a.xlarge", "0.24344", "2026", "m8a.2xlarge"},
		{"us-east-2", "m8a.48xlarge", "11.68512", "2026", "m8a.2xlarge"},
		{"us-east-2", "c8a.medium", "0.05389", "2026", "c8a.2xlarge"}, // AWS rounds to five decimals
		{"us-east-2", "r7a.2xlarge", "0.6086", "2026", "r7a.24xlarge"},
		{"eu-west-1", "c7i.large", "0.09576", "2026", "c7i.xlarge"},
		{"eu-west-1", "m7g.2xlarge", "0.3638", "2026", ""},
	} {
		p, ok := c.InstancePrice(test.region, test.typ)
		if !ok || !p.USDPerHour.Equal(dec(test.want)) || p.Source.AsOf != test.asOf {
			t.Errorf("%s in %s: %v, %s as of %s", test.typ, test.region, ok, p.USDPerHour, p.Source.AsOf)
		}
		checkSource(t, test.typ, p.Source)
		_, from, _ := strings.Cut(p.Source.Confidence, scaled)
		if from != test.scaledFrom {
			t.Errorf("%s in %s: scaled from %q, want %q", test.typ, test.region, from, test.scaledFrom)
		}
	}
	for _, pair := range [][2]string{
		{"us-east-2", "m8a.metal-24xl"}, // metal costs more than its vCPUs
		{"us-east-2", "c7a.xlarge"},     // no size of the family is listed
		{"ap-south-1", "c7i.xlarge"},    // not one of the regions that were read
		{"us-east-2", "m8a.7xlarge"},    // no such type
		{"us-east-1", "mac2.metal"},     // priced by host
		{"us-east-1", "r9g.xlarge"},
		{"", "m8a.xlarge"},
		{"us-east-1", ""},
	} {
		if p, ok := c.InstancePrice(pair[0], pair[1]); ok {
			t.Errorf("%v: %s", pair, p.USDPerHour)
		}
	}
	own := c.WithPrices(catalog.PriceOverrides{InstanceHour: map[string]decimal.Decimal{"m8a.xlarge": dec("0.069")}})
	if p, ok := own.InstancePrice("ap-south-2", "m8a.xlarge"); !ok || !p.USDPerHour.Equal(dec("0.069")) || p.Source.Name != "price given by the user" {
		t.Errorf("own price: %v, %+v", ok, p)
	}
	if p, ok := own.InstancePrice("us-east-1", "m8a.2xlarge"); !ok || !p.USDPerHour.Equal(dec("0.48688")) {
		t.Errorf("the table's price beside an own one: %v, %+v", ok, p)
	}
}

// That prices scale by vCPUs within a family is not an assumption: wherever
// us-east-2 costs what us-east-1 does, the scaled prices are the published ones.
func TestScaledPricesAgreeWithPublishedOnes(t *testing.T) {
	c := catalog.Embedded()
	compared := 0
	for i := range c.Instances() {
		scaled, ok := c.InstancePrice("us-east-2", i.Type)
		if !ok {
			continue
		}
		published, ok := c.InstancePrice("us-east-1", i.Type)
		if !ok {
			t.Errorf("%s has a price in us-east-2 alone", i.Type)
			continue
		}
		if !scaled.USDPerHour.Equal(published.USDPerHour) {
			t.Errorf("%s: scaled to %s, published %s", i.Type, scaled.USDPerHour, published.USDPerHour)
		}
		compared++
	}
	if compared < 100 {
		t.Errorf("only %d types were compared", compared)
	}
}
