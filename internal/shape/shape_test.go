package shape_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/shape"
)

func TestNumber(t *testing.T) {
	atLeastOne := shape.Range{Min: decimal.NewFromInt(1), Max: decimal.NewFromInt(1000)}
	for _, c := range []struct {
		written string
		r       shape.Range
		want    string // empty if it is fine
	}{
		{"5", shape.Positive(10), ""},
		{"0.001", shape.Positive(10), ""},
		{"10", shape.Positive(10), ""},
		{"10.001", shape.Positive(10), "n is too large: more than 10 is a mistake here"},
		{"1e400", shape.Positive(1000), "n is too large: more than 1,000 is a mistake here"},
		{"0", shape.Positive(10), "n is 0, but must be more than 0; where it is meant to be unset, write null or leave it out"},
		{"-0.1", shape.Positive(10), "n must not be negative"},
		{"1", shape.PositiveWhole(10), ""},
		{"1.5", shape.PositiveWhole(10), "n must be a whole number, not 1.5"},
		{"0.5", shape.PositiveWhole(10), "n must be a whole number, not 0.5"},
		{"0", shape.PositiveWhole(10), "n is 0, but must be at least 1; where it is meant to be unset, write null or leave it out"},
		{"0", shape.PositiveWhole(10).Needed(), "n is 0, but must be at least 1"},
		{"0", shape.Positive(10).Needed(), "n is 0, but must be more than 0"},
		{"0", shape.NotNegative(10), ""},
		{"-1", shape.NotNegative(10), "n must not be negative"},
		{"1", atLeastOne, ""},
		{"1.25", atLeastOne, ""},
		{"0.25", atLeastOne, "n must be at least 1, not 0.25"},
		{"1e-60", atLeastOne, "n must be at least 1, not about 0"},
	} {
		var ps shape.Problems
		ps.Number("n", optional.Known(decimal.RequireFromString(c.written)), c.r)
		var want shape.Problems
		if c.want != "" {
			want = shape.Problems{{Path: "n", Message: c.want}}
		}
		if diff := cmp.Diff(want, ps); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.written, diff)
		}
	}
}

// What was left out, or is not known yet, has no fault of its own.
func TestNothingToCheck(t *testing.T) {
	var ps shape.Problems
	ps.Number("n", optional.Null[decimal.Decimal](), shape.Positive(1))
	ps.Number("n", optional.Unknown[decimal.Decimal](), shape.Positive(1))
	ps.NotEmpty("s", optional.Null[string]())
	ps.NotEmpty("s", optional.Unknown[string]())
	ps.NotEmpty("s", optional.Known("x"))
	ps.Required("r", false)
	if len(ps) > 0 {
		t.Error(ps)
	}
	ps.NotEmpty("s", optional.Known(""))
	ps.Required("r", true)
	want := shape.Problems{{Path: "s", Message: "s must not be empty"}, {Path: "r", Message: "r is required"}}
	if diff := cmp.Diff(want, ps); diff != "" {
		t.Error(diff)
	}
}
