package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/shopspring/decimal"
)

var _ function.Function = (*rateFunction)(nil)

// rateFunction converts a rate between two units. The three conversions differ
// in names and factor only.
type rateFunction struct {
	name, summary, description, parameter, unit string
	// The factor as a fraction, so that no decimals are lost.
	times, over int64
}

// NewMbitToMiBFunction converts Mbit/s to MiB/s.
func NewMbitToMiBFunction() function.Function {
	return &rateFunction{
		name: "mbit_to_mib", parameter: "mbit_per_s", unit: "Mbit/s", times: 1_000_000, over: 8 * 1_048_576,
		summary:     "Mbit/s to MiB/s",
		description: "Converts a rate in Mbit/s (10^6 bits per second, in which AWS publishes EBS bandwidth) to MiB/s (2^20 bytes per second, in which gp3 volumes are provisioned).",
	}
}

// NewMBToMiBFunction converts MB/s to MiB/s.
func NewMBToMiBFunction() function.Function {
	return &rateFunction{
		name: "mb_to_mib", parameter: "mb_per_s", unit: "MB/s", times: 1_000_000, over: 1_048_576,
		summary:     "MB/s to MiB/s",
		description: "Converts a rate in MB/s (10^6 bytes per second, in which AWS publishes the EBS throughput of instances) to MiB/s (2^20 bytes per second, in which gp3 volumes are provisioned).",
	}
}

// NewMiBToMBFunction converts MiB/s to MB/s.
func NewMiBToMBFunction() function.Function {
	return &rateFunction{
		name: "mib_to_mb", parameter: "mib_per_s", unit: "MiB/s", times: 1_048_576, over: 1_000_000,
		summary:     "MiB/s to MB/s",
		description: "Converts a rate in MiB/s (2^20 bytes per second, in which gp3 volumes are provisioned) to MB/s (10^6 bytes per second, in which AWS publishes the EBS throughput of instances).",
	}
}

func (f *rateFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = f.name
}

func (f *rateFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             f.summary,
		MarkdownDescription: f.description + " The result is not rounded.",
		Parameters: []function.Parameter{
			function.NumberParameter{Name: f.parameter, MarkdownDescription: fmt.Sprintf("Rate in %s, not negative.", f.unit)},
		},
		Return: function.NumberReturn{},
	}
}

func (f *rateFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var rate types.Number
	if resp.Error = req.Arguments.Get(ctx, &rate); resp.Error != nil {
		return
	}
	d, err := argument(0, rate, notNegative)
	if err != nil {
		resp.Error = err
		return
	}
	// Both factors are powers of 2 and 10 only, so mbit and mb divide exactly; the
	// precision is for the other way round, which also ends.
	result := d.Mul(decimal.NewFromInt(f.times)).DivRound(decimal.NewFromInt(f.over), conversionDigits)
	resp.Error = resp.Result.Set(ctx, types.NumberValue(fromDecimal(result)))
}

// conversionDigits is more than the 23 decimals that a division by 2^23 takes.
const conversionDigits = 40
