package provider

import (
	"math"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

// numberPrecision is the precision in bits in which Terraform itself keeps
// numbers, so that 0.1 from here equals 0.1 from a configuration.
const numberPrecision = 512

// Beyond these binary exponents a number is replaced by the figure at the
// bound. All of them are far outside every accepted range, so that the
// range's own error follows, and no arithmetic on a number like 1e400000000
// is tried.
const (
	largestExponent  = 200
	smallestExponent = -200
)

// toDecimal converts a Terraform number exactly.
func toDecimal(f *big.Float) decimal.Decimal {
	if f.Sign() == 0 {
		return decimal.Zero
	}
	switch exponent := f.MantExp(nil); {
	case f.IsInf() || exponent > largestExponent:
		return decimal.New(int64(f.Sign()), 60)
	case exponent < smallestExponent:
		return decimal.New(int64(f.Sign()), -60)
	}
	if i, accuracy := f.Int64(); accuracy == big.Exact {
		return decimal.NewFromInt(i)
	}
	d, err := decimal.NewFromString(f.Text('g', -1))
	if err != nil {
		return decimal.Zero // not reached: Text prints a decimal number
	}
	return d
}

// fromDecimal converts to a Terraform number that equals the same figure in a
// configuration.
func fromDecimal(d decimal.Decimal) *big.Float {
	if d.IsInteger() {
		return new(big.Float).SetInt(d.BigInt())
	}
	f, _, err := big.ParseFloat(d.String(), 10, numberPrecision, big.ToNearestEven)
	if err != nil {
		return new(big.Float) // not reached: String prints a decimal number
	}
	return f
}

// optionalDecimal is a setting as rules see it.
func optionalDecimal(v types.Number) optional.Value[decimal.Decimal] {
	switch {
	case v.IsUnknown():
		return optional.Unknown[decimal.Decimal]()
	case v.IsNull():
		return optional.Null[decimal.Decimal]()
	}
	return optional.Known(toDecimal(v.ValueBigFloat()))
}

// optionalString is a setting as rules see it.
func optionalString(v types.String) optional.Value[string] {
	switch {
	case v.IsUnknown():
		return optional.Unknown[string]()
	case v.IsNull():
		return optional.Null[string]()
	}
	return optional.Known(v.ValueString())
}

// optionalBool is a setting as rules see it.
func optionalBool(v types.Bool) optional.Value[bool] {
	switch {
	case v.IsUnknown():
		return optional.Unknown[bool]()
	case v.IsNull():
		return optional.Null[bool]()
	}
	return optional.Known(v.ValueBool())
}

// numberOf is a result that is exact.
func numberOf(v optional.Value[decimal.Decimal]) types.Number {
	d, ok := v.Get()
	switch {
	case ok:
		return types.NumberValue(fromDecimal(d))
	case v.IsUnknown():
		return types.NumberUnknown()
	}
	return types.NumberNull()
}

// float64Of is a result of any kind of float.
func float64Of[T ~float64](v optional.Value[T]) types.Float64 {
	f, ok := v.Get()
	switch {
	case ok:
		return types.Float64Value(float64(f))
	case v.IsUnknown():
		return types.Float64Unknown()
	}
	return types.Float64Null()
}

// int64Of is a result that is a whole number.
func int64Of(v optional.Value[int64]) types.Int64 {
	i, ok := v.Get()
	switch {
	case ok:
		return types.Int64Value(i)
	case v.IsUnknown():
		return types.Int64Unknown()
	}
	return types.Int64Null()
}

// stringOf is a text result.
func stringOf(v optional.Value[string]) types.String {
	s, ok := v.Get()
	switch {
	case ok:
		return types.StringValue(s)
	case v.IsUnknown():
		return types.StringUnknown()
	}
	return types.StringNull()
}

// secondsOf is a predicted time, rounded to half a second: nothing here is
// known more precisely, and long decimals make plans hard to read.
func secondsOf(v optional.Value[float64]) types.Float64 {
	return float64Of(optional.Map(v, func(s float64) float64 { return math.Round(s*2) / 2 }))
}

// usdOf is an amount of money, rounded to the cent.
func usdOf(v optional.Value[decimal.Decimal]) types.Float64 {
	return float64Of(optional.Map(v, func(d decimal.Decimal) float64 { return d.Round(2).InexactFloat64() }))
}
