// Package shape checks that values can be what they are meant to be before any
// rule looks at them: a number of hosts that is a whole number, a duration that
// is not negative. A fault of shape is not a finding: it needs no catalogue, has
// no rule and cannot be ignored.
package shape

import (
	"fmt"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// Problem is a fault of shape: something that no rule can be applied to.
type Problem struct {
	// Path of the value: "volume[0].size_gib".
	Path string
	// Message begins with the value's name where it has one. It has no full stop
	// at the end, because Terraform adds its own to the error of a function's
	// argument. It repeats numbers, never text.
	Message string
}

// Problems collects faults.
type Problems []Problem

// Add notes a fault.
func (ps *Problems) Add(path, format string, args ...any) {
	*ps = append(*ps, Problem{Path: path, Message: fmt.Sprintf(format, args...)})
}

// Required notes the absence of a value that has to be there.
func (ps *Problems) Required(path string, missing bool) {
	if missing {
		ps.Add(path, "%s is required", path)
	}
}

// NotEmpty notes a text that was written and says nothing.
func (ps *Problems) NotEmpty(path string, v optional.Value[string]) {
	if s, ok := v.Get(); ok && s == "" {
		ps.Add(path, "%s must not be empty", path)
	}
}

// Range is what a number may be.
type Range struct {
	// Min and Max are included.
	Min, Max decimal.Decimal
	// Whole says that fractions are faults.
	Whole bool
	// Open says that Min itself is a fault.
	Open bool
	// needed: see Needed.
	needed bool
}

// Needed is the range of a value that has to be there, so that a 0 gets no
// advice to leave it out.
func (r Range) Needed() Range {
	r.needed = true
	return r
}

// Positive is any number above 0 up to a bound.
func Positive(most int64) Range { return Range{Max: decimal.NewFromInt(most), Open: true} }

// PositiveWhole is any whole number from 1 up to a bound.
func PositiveWhole(most int64) Range {
	return Range{Min: decimal.NewFromInt(1), Max: decimal.NewFromInt(most), Whole: true}
}

// NotNegative is 0 or any number above it up to a bound.
func NotNegative(most int64) Range { return Range{Max: decimal.NewFromInt(most)} }

// Number checks a number that was written; a null or unknown one has no fault.
// A 0 where none is allowed gets advice of its own, unless the value is needed:
// many tools write it for "unset", here that is null.
func (ps *Problems) Number(path string, v optional.Value[decimal.Decimal], r Range) {
	d, ok := v.Get()
	if !ok {
		return
	}
	above := "at least"
	if r.Open {
		above = "more than"
	}
	switch {
	case d.IsNegative() && !r.Min.IsNegative():
		ps.Add(path, "%s must not be negative", path)
	case d.IsZero() && (r.Min.IsPositive() || r.Open):
		advice := "; where it is meant to be unset, write null or leave it out"
		if r.needed {
			advice = ""
		}
		ps.Add(path, "%s is 0, but must be %s %s%s", path, above, units.Decimal(r.Min), advice)
	case d.GreaterThan(r.Max):
		ps.Add(path, "%s is too large: more than %s is a mistake here", path, units.Decimal(r.Max))
	case r.Whole && !d.IsInteger():
		ps.Add(path, "%s must be a whole number, not %s", path, written(d))
	case d.LessThan(r.Min) || r.Open && d.Equal(r.Min):
		ps.Add(path, "%s must be %s %s, not %s", path, above, units.Decimal(r.Min), written(d))
	}
}

// written repeats a number as it was written, cut where it is absurdly long.
func written(d decimal.Decimal) string {
	const digits = 10
	if d.Exponent() < -digits {
		return "about " + units.Decimal(d.Round(digits))
	}
	return units.Decimal(d)
}
