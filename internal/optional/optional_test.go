package optional_test

import (
	"testing"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

var (
	null    = optional.Null[int]()
	unknown = optional.Unknown[int]()
	known   = optional.Known(7)
	zero    = optional.Known(0)
)

func TestStates(t *testing.T) {
	for _, test := range []struct {
		name                       string
		v                          optional.Value[int]
		isKnown, isNull, isUnknown bool
		got                        int
	}{
		{"null", null, false, true, false, 0},
		{"the zero Value", optional.Value[int]{}, false, true, false, 0},
		{"unknown", unknown, false, false, true, 0},
		{"known", known, true, false, false, 7},
		// Neither null nor unknown is zero, and zero is neither.
		{"known zero", zero, true, false, false, 0},
		{"no pointer", optional.FromPointer[int](nil), false, true, false, 0},
		{"a pointer", optional.FromPointer(new(int)), true, false, false, 0},
	} {
		got, ok := test.v.Get()
		if got != test.got || ok != test.isKnown || test.v.IsKnown() != test.isKnown || test.v.IsNull() != test.isNull || test.v.IsUnknown() != test.isUnknown {
			t.Errorf("%s: %d, %v; known %v, null %v, unknown %v", test.name, got, ok, test.v.IsKnown(), test.v.IsNull(), test.v.IsUnknown())
		}
	}
	if known == zero || null == unknown || null == zero || unknown == zero || known != optional.Known(7) {
		t.Error("values of different states are equal, or the same ones are not")
	}
}

// A default is for what was left out; what is not known yet may be anything.
func TestOr(t *testing.T) {
	for _, test := range []struct {
		name      string
		got, want optional.Value[int]
	}{
		{"null", null.Or(3), optional.Known(3)},
		{"unknown", unknown.Or(3), unknown},
		{"known", known.Or(3), known},
		{"known zero", zero.Or(3), zero},
		{"null or known", null.OrElse(known), known},
		{"null or unknown", null.OrElse(unknown), unknown},
		{"null or null", null.OrElse(null), null},
		{"unknown or known", unknown.OrElse(known), unknown},
		{"known or unknown", known.OrElse(unknown), known},
	} {
		if test.got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, test.got, test.want)
		}
	}
}

func TestMap(t *testing.T) {
	square := func(n int) int { return n * n }
	notIf7 := func(n int) optional.Value[int] {
		if n == 7 {
			return null
		}
		return optional.Known(n)
	}
	for _, test := range []struct {
		name      string
		got, want optional.Value[int]
	}{
		{"map null", optional.Map(null, square), null},
		{"map unknown", optional.Map(unknown, square), unknown},
		{"map known", optional.Map(known, square), optional.Known(49)},
		{"then null", optional.Then(null, notIf7), null},
		{"then unknown", optional.Then(unknown, notIf7), unknown},
		{"then known", optional.Then(zero, notIf7), zero},
		{"then known to null", optional.Then(known, notIf7), null},
		{"then known to unknown", optional.Then(known, func(int) optional.Value[int] { return unknown }), unknown},
	} {
		if test.got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, test.got, test.want)
		}
	}
}

// What depends on two values waits for both, even if one of them is null:
// Terraform refuses a result that was planned null and turns out known.
func TestMap2(t *testing.T) {
	minus := func(a, b int) int { return a - b }
	three := optional.Known(3)
	for _, test := range []struct {
		name       string
		a, b, want optional.Value[int]
	}{
		{"both known", known, three, optional.Known(4)},
		{"the other way round", three, known, optional.Known(-4)},
		{"null and known", null, three, null},
		{"known and null", known, null, null},
		{"null and null", null, null, null},
		{"unknown and known", unknown, three, unknown},
		{"known and unknown", known, unknown, unknown},
		{"unknown and null", unknown, null, unknown},
		{"null and unknown", null, unknown, unknown},
		{"unknown and unknown", unknown, unknown, unknown},
	} {
		if got := optional.Map2(test.a, test.b, minus); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
		p, ok := optional.Both(test.a, test.b).Get()
		if ok != test.want.IsKnown() || optional.Both(test.a, test.b).IsUnknown() != test.want.IsUnknown() {
			t.Errorf("%s: Both is %+v, %v", test.name, p, ok)
		}
	}
	if p, _ := optional.Both(known, three).Get(); p.A != 7 || p.B != 3 {
		t.Errorf("Both = %+v", p)
	}
}
