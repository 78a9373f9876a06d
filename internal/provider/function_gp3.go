package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/ebs"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

var (
	_ function.Function = (*gp3MinIOPSFunction)(nil)
	_ function.Function = (*gp3MaxThroughputFunction)(nil)
	_ function.Function = (*gp3MonthlyCostFunction)(nil)
)

// currentGP3 are the limits that functions go by: they cannot see the
// provider's configuration.
func currentGP3() catalog.GP3Limits { return catalog.Embedded().GP3(catalog.CurrentLimits) }

// NewGP3MinIOPSFunction is gp3_min_iops.
func NewGP3MinIOPSFunction() function.Function { return &gp3MinIOPSFunction{} }

type gp3MinIOPSFunction struct{}

func (*gp3MinIOPSFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "gp3_min_iops"
}

func (*gp3MinIOPSFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             "Cheapest IOPS that carry a throughput",
		MarkdownDescription: "The fewest provisioned IOPS that carry a gp3 throughput: four for each MiB/s, and the free 3,000 at least. A fraction of a MiB/s is rounded up first, because gp3 is set in whole MiB/s.",
		Parameters: []function.Parameter{
			function.NumberParameter{Name: "throughput_mib_per_s", MarkdownDescription: "Wanted throughput in MiB/s, more than 0 and at most 2,000."},
		},
		Return: function.NumberReturn{},
	}
}

func (*gp3MinIOPSFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var throughput types.Number
	if resp.Error = req.Arguments.Get(ctx, &throughput); resp.Error != nil {
		return
	}
	d, err := argument(0, throughput, positive)
	if err != nil {
		resp.Error = err
		return
	}
	l := currentGP3()
	if d.GreaterThan(decimal.NewFromInt(l.ThroughputMiB.Max)) {
		resp.Error = function.NewArgumentFuncError(0, "gp3 has at most "+units.Count(l.ThroughputMiB.Max)+" MiB/s")
		return
	}
	iops := ebs.MinIOPS(l, d.Ceil().IntPart())
	resp.Error = resp.Result.Set(ctx, types.NumberValue(fromDecimal(decimal.NewFromInt(iops))))
}

// NewGP3MaxThroughputFunction is gp3_max_throughput.
func NewGP3MaxThroughputFunction() function.Function { return &gp3MaxThroughputFunction{} }

type gp3MaxThroughputFunction struct{}

func (*gp3MaxThroughputFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "gp3_max_throughput"
}

func (*gp3MaxThroughputFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             "Most throughput that IOPS carry",
		MarkdownDescription: "The most throughput in MiB/s that a gp3 volume may have with a number of provisioned IOPS: a quarter of them in whole MiB/s, at most 2,000. 3,000 IOPS, which are free, carry 750.",
		Parameters: []function.Parameter{
			function.NumberParameter{Name: "iops", MarkdownDescription: "Provisioned IOPS, a whole number of 1 to 80,000. Fewer than the free 3,000 still leave the free 125 MiB/s."},
		},
		Return: function.NumberReturn{},
	}
}

func (*gp3MaxThroughputFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var iops types.Number
	if resp.Error = req.Arguments.Get(ctx, &iops); resp.Error != nil {
		return
	}
	d, err := argument(0, iops, positiveWhole)
	if err != nil {
		resp.Error = err
		return
	}
	l := currentGP3()
	if d.GreaterThan(decimal.NewFromInt(l.IOPS.Max)) {
		resp.Error = function.NewArgumentFuncError(0, "gp3 has at most "+units.Count(l.IOPS.Max)+" IOPS")
		return
	}
	throughput := ebs.MaxThroughput(l, d.IntPart())
	resp.Error = resp.Result.Set(ctx, types.NumberValue(fromDecimal(decimal.NewFromInt(throughput))))
}

// NewGP3MonthlyCostFunction is gp3_monthly_cost.
func NewGP3MonthlyCostFunction() function.Function { return &gp3MonthlyCostFunction{} }

type gp3MonthlyCostFunction struct{}

func (*gp3MonthlyCostFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "gp3_monthly_cost"
}

func (*gp3MonthlyCostFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             "Price of a gp3 volume",
		MarkdownDescription: "What a gp3 volume costs a month of 730 hours in US dollars, storage included, by the embedded list prices. Only IOPS above 3,000 and throughput above 125 MiB/s are charged for. The result is not rounded, and null for a Region whose prices are not in the table.",
		Parameters: []function.Parameter{
			function.NumberParameter{Name: "size_gib", MarkdownDescription: "Size in GiB, a whole number of 1 to 65,536."},
			function.NumberParameter{Name: "iops", AllowNullValue: true, MarkdownDescription: "Provisioned IOPS, a whole number of at most 80,000; null for the free 3,000."},
			function.NumberParameter{Name: "throughput_mib_per_s", AllowNullValue: true, MarkdownDescription: "Provisioned throughput in MiB/s, a whole number of at most 2,000; null for the free 125."},
			function.StringParameter{Name: "region", AllowNullValue: true, MarkdownDescription: "AWS Region, such as `eu-west-1`; null for `us-east-1`."},
		},
		Return: function.NumberReturn{},
	}
}

func (*gp3MonthlyCostFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var size, iops, throughput types.Number
	var region types.String
	if resp.Error = req.Arguments.Get(ctx, &size, &iops, &throughput, &region); resp.Error != nil {
		return
	}
	l := currentGP3()
	setting := func(index int64, v types.Number, free, most int64, unit string) (int64, *function.FuncError) {
		if v.IsNull() {
			return free, nil
		}
		d, err := argument(index, v, positiveWhole)
		if err != nil {
			return 0, err
		}
		if d.GreaterThan(decimal.NewFromInt(most)) {
			return 0, function.NewArgumentFuncError(index, "gp3 has at most "+units.Count(most)+" "+unit)
		}
		return d.IntPart(), nil
	}
	// The size is not nullable, so its default is never used.
	gib, err := setting(0, size, 0, l.SizeGiB.Max, "GiB")
	resp.Error = firstError(resp.Error, err)
	i, err := setting(1, iops, l.IOPS.Min, l.IOPS.Max, "IOPS")
	resp.Error = firstError(resp.Error, err)
	t, err := setting(2, throughput, l.ThroughputMiB.Min, l.ThroughputMiB.Max, "MiB/s")
	resp.Error = firstError(resp.Error, err)
	name := region.ValueString()
	if region.IsNull() {
		name = catalog.DefaultRegion
	} else if !catalog.IsRegionName(name) {
		resp.Error = firstError(resp.Error, function.NewArgumentFuncError(3, "is not the name of an AWS Region such as us-east-1"))
	}
	if resp.Error != nil {
		return
	}
	prices, ok := catalog.Embedded().VolumePrices(name)
	if !ok {
		resp.Error = resp.Result.Set(ctx, types.NumberNull())
		return
	}
	cost := ebs.GP3Cost(prices.GP3, l, gib, ebs.GP3{IOPS: i, ThroughputMiBPerS: t}).TotalUSD()
	resp.Error = resp.Result.Set(ctx, types.NumberValue(fromDecimal(cost)))
}
