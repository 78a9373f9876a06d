// Package optional holds settings that may be written, left out, or not known
// yet. Terraform tells the three apart (a value, null, "known after apply"),
// and so must every rule: a setting that was left out has a default, one that
// is not known yet has none, and neither is zero.
package optional

type state uint8

const (
	null state = iota
	unknown
	known
)

// Value is a setting of type T: known, null (left out) or unknown (not known
// yet). The zero Value is null.
type Value[T any] struct {
	v     T
	state state
}

// Known is a value that was written.
func Known[T any](v T) Value[T] { return Value[T]{v: v, state: known} }

// Null is a value that was left out.
func Null[T any]() Value[T] { return Value[T]{} }

// Unknown is a value that is not known yet.
func Unknown[T any]() Value[T] { return Value[T]{state: unknown} }

// FromPointer is null for nil, known otherwise.
func FromPointer[T any](p *T) Value[T] {
	if p == nil {
		return Value[T]{}
	}
	return Known(*p)
}

// Get returns the value and whether it is known. It is the zero T unless known.
func (v Value[T]) Get() (T, bool) { return v.v, v.state == known }

// IsKnown says whether a value was written.
func (v Value[T]) IsKnown() bool { return v.state == known }

// IsNull says whether the value was left out.
func (v Value[T]) IsNull() bool { return v.state == null }

// IsUnknown says whether the value is not known yet.
func (v Value[T]) IsUnknown() bool { return v.state == unknown }

// Or fills in a default where the value was left out. An unknown value stays
// unknown: it may turn out to be anything.
func (v Value[T]) Or(fallback T) Value[T] {
	if v.state == null {
		return Known(fallback)
	}
	return v
}

// OrElse is Or with a default that may itself be null or unknown.
func (v Value[T]) OrElse(fallback Value[T]) Value[T] {
	if v.state == null {
		return fallback
	}
	return v
}

// Map derives a value: null and unknown stay what they are.
func Map[T, U any](v Value[T], f func(T) U) Value[U] {
	if v.state != known {
		return Value[U]{state: v.state}
	}
	return Known(f(v.v))
}

// Then derives a value by a function that may itself not know.
func Then[T, U any](v Value[T], f func(T) Value[U]) Value[U] {
	if v.state != known {
		return Value[U]{state: v.state}
	}
	return f(v.v)
}

// Map2 derives a value from two: unknown if either is unknown, else null if
// either is null.
func Map2[A, B, U any](a Value[A], b Value[B], f func(A, B) U) Value[U] {
	return Then(Both(a, b), func(p Pair[A, B]) Value[U] { return Known(f(p.A, p.B)) })
}

// Pair is two values that are both known.
type Pair[A, B any] struct {
	A A
	B B
}

// Both joins two values: unknown if either is unknown, else null if either is
// null.
func Both[A, B any](a Value[A], b Value[B]) Value[Pair[A, B]] {
	switch {
	case a.state == unknown || b.state == unknown:
		return Unknown[Pair[A, B]]()
	case a.state == null || b.state == null:
		return Null[Pair[A, B]]()
	}
	return Known(Pair[A, B]{A: a.v, B: b.v})
}
