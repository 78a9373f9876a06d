package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// need is what a number given to a function must be.
type need uint8

const (
	notNegative need = iota
	positive
	// positiveIfSet is of an argument that may be null.
	positiveIfSet
	positiveWhole
)

// largestArgument is far above every figure that has a meaning here.
var largestArgument = decimal.New(1, 12)

// argument checks a number given to a function. The texts have neither the
// parameter's name nor a full stop: Terraform writes them around the text.
func argument(index int64, v types.Number, n need) (decimal.Decimal, *function.FuncError) {
	fail := func(text string) (decimal.Decimal, *function.FuncError) {
		return decimal.Zero, function.NewArgumentFuncError(index, text)
	}
	if v.IsNull() || v.IsUnknown() {
		return fail("a number is needed")
	}
	d := toDecimal(v.ValueBigFloat())
	switch {
	case d.IsNegative():
		return fail("must not be negative")
	case d.IsZero() && n == positiveIfSet:
		return fail("must be more than 0; where a setting is unset, write null")
	case d.IsZero() && n != notNegative:
		return fail("must be more than 0")
	case d.GreaterThan(largestArgument):
		return fail("is too large: more than " + units.Decimal(largestArgument) + " of anything is a mistake here")
	case n == positiveWhole && !d.IsInteger():
		return fail("must be a whole number, not " + units.Decimal(d))
	}
	return d, nil
}

// firstError is the first of two errors that there is. A function's error can
// name one argument only, so the texts of several must not be joined.
func firstError(a, b *function.FuncError) *function.FuncError {
	if a != nil {
		return a
	}
	return b
}
