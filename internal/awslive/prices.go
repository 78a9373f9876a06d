package awslive

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/pricing"
	pricingtypes "github.com/aws/aws-sdk-go-v2/service/pricing/types"
	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
)

// product is what is read of a product of the price list. Each comes as a JSON
// text of its own, with its reserved prices, which are not read.
type product struct {
	Product struct {
		Family     string `json:"productFamily"`
		Attributes struct {
			UsageType    string `json:"usagetype"`
			InstanceType string `json:"instanceType"`
			RegionCode   string `json:"regionCode"`
		} `json:"attributes"`
	} `json:"product"`
	Terms struct {
		OnDemand map[string]struct {
			Dimensions map[string]struct {
				Unit         string                     `json:"unit"`
				PricePerUnit map[string]decimal.Decimal `json:"pricePerUnit"`
			} `json:"priceDimensions"`
		} `json:"OnDemand"`
	} `json:"terms"`
}

// usage is the usage type without the Region's prefix: "EUC1-EBS:VolumeUsage.gp3"
// is "EBS:VolumeUsage.gp3".
func (p product) usage() string {
	u := p.Product.Attributes.UsageType
	if before, after, ok := strings.Cut(u, "-"); ok && strings.ToUpper(before) == before && !strings.Contains(before, ":") {
		return after
	}
	return u
}

// price is the on-demand price in US dollars and its unit. It is false where
// there is not exactly one, and 0 is none: the list has such entries for what is
// not sold by itself.
func (p product) price() (usd decimal.Decimal, unit string, ok bool) {
	found := 0
	for _, term := range p.Terms.OnDemand {
		for _, d := range term.Dimensions {
			if v, has := d.PricePerUnit["USD"]; has && v.IsPositive() {
				usd, unit = v, d.Unit
				found++
			}
		}
	}
	return usd, unit, found == 1
}

// products asks the price list for products of EC2, page after page.
func (s *Session) products(ctx context.Context, region string, where map[string]string, each func(product) error) error {
	return s.ask(ctx, callProducts, region, func(ctx context.Context, c clients) error {
		return products(ctx, c, region, where, each)
	})
}

func products(ctx context.Context, c clients, region string, where map[string]string, each func(product) error) error {
	match := []pricingtypes.Filter{{Type: pricingtypes.FilterTypeTermMatch, Field: aws.String("regionCode"), Value: aws.String(region)}}
	for field, value := range where {
		match = append(match, pricingtypes.Filter{Type: pricingtypes.FilterTypeTermMatch, Field: aws.String(field), Value: aws.String(value)})
	}
	return pages(ctx, func(token *string) (*string, error) {
		page, err := c.pricing.GetProducts(ctx, &pricing.GetProductsInput{
			ServiceCode: aws.String("AmazonEC2"), FormatVersion: aws.String("aws_v1"), MaxResults: aws.Int32(100), Filters: match, NextToken: token,
		})
		if err != nil {
			return nil, err
		}
		for _, text := range page.PriceList {
			var p product
			if err := json.Unmarshal([]byte(text), &p); err != nil {
				return nil, incomplete{"a product cannot be read"}
			}
			if r := p.Product.Attributes.RegionCode; r != "" && r != region {
				continue
			}
			if err := each(p); err != nil {
				return nil, err
			}
		}
		return page.NextToken, nil
	})
}

func (s *Session) priceSource(region string) catalog.Source {
	return catalog.Source{Name: fmt.Sprintf("AWS Price List of %s", region), AsOf: s.today(), Confidence: "high: list price, from AWS itself"}
}

// VolumePrices are today's prices of EBS volumes in a region. gp3's three are
// all there, or there is an error, which is an *Error; other types are there as
// far as they are sold.
func (s *Session) VolumePrices(ctx context.Context, region string) (catalog.VolumePrices, error) {
	usage := map[string]decimal.Decimal{}
	err := s.ask(ctx, callProducts, region, func(ctx context.Context, c clients) error {
		for _, family := range []string{"Storage", "System Operation", "Provisioned Throughput"} {
			err := products(ctx, c, region, map[string]string{"productFamily": family}, func(p product) error {
				usd, unit, ok := p.price()
				if u := p.usage(); ok && strings.HasPrefix(u, "EBS:Volume") {
					if unit == "GiBps-mo" { // gp3's throughput is listed by the GiB/s
						usd = usd.Div(decimal.NewFromInt(1024))
					}
					usage[u] = usd
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return catalog.VolumePrices{}, err
	}
	p := catalog.VolumePrices{
		Region: region, Currency: "USD", Source: s.priceSource(region), Others: map[string]catalog.OtherPrices{},
		GP3: catalog.GP3Prices{
			GiBMonth: usage["EBS:VolumeUsage.gp3"], IOPSMonth: usage["EBS:VolumeP-IOPS.gp3"], MiBPerSMonth: usage["EBS:VolumeP-Throughput.gp3"],
		},
	}
	if err := catalog.CheckGP3Prices(p.GP3); err != nil {
		return catalog.VolumePrices{}, s.explain(callProducts, region, incomplete{err.Error()}, nil)
	}
	for name, key := range map[string]string{"gp2": "EBS:VolumeUsage.gp2", "st1": "EBS:VolumeUsage.st1", "sc1": "EBS:VolumeUsage.sc1", "standard": "EBS:VolumeUsage"} {
		if usd, ok := usage[key]; ok {
			p.Others[name] = catalog.OtherPrices{GiBMonth: usd}
		}
	}
	// Types that charge for IOPS are taken whole or not at all.
	if gib, ok := usage["EBS:VolumeUsage.piops"]; ok && usage["EBS:VolumeP-IOPS.piops"].IsPositive() {
		p.Others["io1"] = catalog.OtherPrices{GiBMonth: gib, IOPSTiers: []catalog.IOPSTier{{Month: usage["EBS:VolumeP-IOPS.piops"]}}}
	}
	one, two, three := usage["EBS:VolumeP-IOPS.io2"], usage["EBS:VolumeP-IOPS.io2.tier2"], usage["EBS:VolumeP-IOPS.io2.tier3"]
	if gib, ok := usage["EBS:VolumeUsage.io2"]; ok && one.IsPositive() && two.IsPositive() && three.IsPositive() {
		p.Others["io2"] = catalog.OtherPrices{GiBMonth: gib, IOPSTiers: []catalog.IOPSTier{{UpTo: 32_000, Month: one}, {UpTo: 64_000, Month: two}, {Month: three}}}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Others)) {
		if err := catalog.CheckOtherPrices(name, p.Others[name]); err != nil {
			return catalog.VolumePrices{}, s.explain(callProducts, region, incomplete{err.Error()}, nil)
		}
	}
	return p, nil
}

// MacHostPrices are today's prices of an hour of a dedicated Mac host in a
// region, by instance type. The error is an *Error.
func (s *Session) MacHostPrices(ctx context.Context, region string, macs []catalog.Mac) (map[string]decimal.Decimal, error) {
	typeOf := make(map[string]string, len(macs))
	for _, m := range macs {
		typeOf[m.HostFamily] = m.Type
	}
	out := map[string]decimal.Decimal{}
	err := s.products(ctx, region, map[string]string{"productFamily": "Dedicated Host"}, func(p product) error {
		// "HostUsage:mac2" exactly: mac2 and mac2-m2 are different machines, and
		// ReservedHostUsage is another price.
		family, ok := strings.CutPrefix(p.usage(), "HostUsage:")
		typ, mac := typeOf[family]
		if usd, unit, priced := p.price(); ok && mac && priced && strings.HasPrefix(strings.ToLower(unit), "h") {
			if err := catalog.CheckHourPrice(usd); err != nil {
				return incomplete{fmt.Sprintf("host %s: %s", typ, err)}
			}
			out[typ] = usd
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// InstancePrices are today's prices of an hour of an instance with Linux, shared
// tenancy and no licence in a region, by type. The error is an *Error.
func (s *Session) InstancePrices(ctx context.Context, region string) (map[string]decimal.Decimal, error) {
	out := map[string]decimal.Decimal{}
	where := map[string]string{
		"operatingSystem": "Linux", "tenancy": "Shared", "preInstalledSw": "NA", "capacitystatus": "Used", "operation": "RunInstances",
	}
	err := s.products(ctx, region, where, func(p product) error {
		typ := p.Product.Attributes.InstanceType
		usd, unit, priced := p.price()
		if strings.HasPrefix(p.usage(), "BoxUsage") && catalog.IsTypeName(typ) && priced && strings.HasPrefix(strings.ToLower(unit), "h") {
			if err := catalog.CheckHourPrice(usd); err != nil {
				return incomplete{fmt.Sprintf("instance %s: %s", typ, err)}
			}
			out[typ] = usd
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, s.explain(callProducts, region, incomplete{"it has no price of an instance in it"}, nil)
	}
	return out, nil
}
