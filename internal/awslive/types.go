package awslive

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// mostPages ends an answer that has no end.
const mostPages = 1000

// pages asks for page after page: next is given the token of the page and
// returns that of the one after it, empty at the end. A token that comes again
// would go on for ever.
func pages(ctx context.Context, next func(token *string) (*string, error)) error {
	seen := map[string]bool{}
	var token *string
	for range mostPages {
		following, err := next(token)
		if err != nil {
			return err
		}
		if aws.ToString(following) == "" {
			return nil
		}
		if seen[*following] {
			return incomplete{"its pages repeat themselves"}
		}
		seen[*following] = true
		token = following
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return incomplete{"it has no end"}
}

// pageSize of the calls of EC2 that have one: what DescribeInstanceTypes takes at
// most.
const pageSize = 100

// DescribeInstanceTypes describes all instance types that a region offers, in
// one question of several pages, sorted by name. The error is an *Error.
func (s *Session) DescribeInstanceTypes(ctx context.Context, region string) ([]catalog.Instance, error) {
	src := s.typesSource(region)
	var out []catalog.Instance
	err := s.ask(ctx, callInstanceTypes, region, func(ctx context.Context, c clients) error {
		out = nil
		return pages(ctx, func(token *string) (*string, error) {
			page, err := c.ec2.DescribeInstanceTypes(ctx, &ec2.DescribeInstanceTypesInput{MaxResults: aws.Int32(pageSize), NextToken: token})
			if err != nil {
				return nil, err
			}
			for _, t := range page.InstanceTypes {
				i := instance(t, src)
				if err := catalog.CheckInstance(i); err != nil {
					return nil, incomplete{err.Error()}
				}
				out = append(out, i)
			}
			return page.NextToken, nil
		})
	})
	if err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, s.explain(callInstanceTypes, region, incomplete{"it has no instance type in it"}, nil)
	}
	slices.SortFunc(out, func(a, b catalog.Instance) int { return strings.Compare(a.Type, b.Type) })
	return slices.CompactFunc(out, func(a, b catalog.Instance) bool { return a.Type == b.Type }), nil
}

// typesSource is where today's types of a region come from.
func (s *Session) typesSource(region string) catalog.Source {
	return catalog.Source{
		Name:       fmt.Sprintf("EC2 DescribeInstanceTypes in %s", region),
		AsOf:       s.today(),
		Confidence: "high: from AWS itself",
	}
}

func (s *Session) today() string { return s.clock.Now().UTC().Format(time.DateOnly) }

// instance is a type as the catalogue has it. Its EBS limits are null unless all
// of them are there: AWS publishes none for obsolete types.
func instance(t ec2types.InstanceTypeInfo, src catalog.Source) catalog.Instance {
	i := catalog.Instance{
		Type:       string(t.InstanceType),
		BareMetal:  aws.ToBool(t.BareMetal),
		CurrentGen: aws.ToBool(t.CurrentGeneration),
		Source:     src,
	}
	if v := t.VCpuInfo; v != nil {
		i.VCPUs, i.Cores = int(aws.ToInt32(v.DefaultVCpus)), int(aws.ToInt32(v.DefaultCores))
	}
	if m := t.MemoryInfo; m != nil {
		i.MemoryMiB = aws.ToInt64(m.SizeInMiB)
	}
	if p := t.ProcessorInfo; p != nil {
		for _, a := range p.SupportedArchitectures {
			i.Architectures = append(i.Architectures, string(a))
		}
	}
	if n := t.NetworkInfo; n != nil {
		i.Network = aws.ToString(n.NetworkPerformance)
	}
	if st := t.InstanceStorageInfo; st != nil {
		i.InstanceStoreGB = aws.ToInt64(st.TotalSizeInGB)
	}
	e := t.EbsInfo
	if e == nil {
		return i
	}
	i.MaxVolumes = int(aws.ToInt32(e.MaximumEbsAttachments))
	if o := e.EbsOptimizedInfo; o != nil {
		i.EBS = ceiling(o.BaselineBandwidthInMbps, o.BaselineIops, o.MaximumBandwidthInMbps, o.MaximumIops)
	}
	if len(e.EbsCards) > 1 {
		cards := slices.Clone(e.EbsCards)
		slices.SortFunc(cards, func(a, b ec2types.EbsCardInfo) int {
			return int(aws.ToInt32(a.EbsCardIndex)) - int(aws.ToInt32(b.EbsCardIndex))
		})
		for _, card := range cards {
			if c, ok := ceiling(card.BaselineBandwidthInMbps, card.BaselineIops, card.MaximumBandwidthInMbps, card.MaximumIops).Get(); ok {
				i.Cards = append(i.Cards, c)
			}
		}
	}
	return i
}

// ceiling is null unless all four figures are there.
func ceiling(mbit, iops, maxMbit, maxIOPS *int32) optional.Value[catalog.EBSCeiling] {
	if mbit == nil || iops == nil || maxMbit == nil || maxIOPS == nil {
		return optional.Null[catalog.EBSCeiling]()
	}
	return optional.Known(catalog.EBSCeiling{
		Sustained: catalog.EBSRate{Bandwidth: units.MbitPerS(*mbit), IOPS: int64(*iops)},
		Maximum:   catalog.EBSRate{Bandwidth: units.MbitPerS(*maxMbit), IOPS: int64(*maxIOPS)},
	})
}
