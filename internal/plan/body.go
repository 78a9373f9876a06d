package plan

import (
	"errors"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

// body is a resource or a block as a reader found it, the same whether it comes
// from a plan or from configuration.
type body struct {
	place      Place
	attributes map[string]*attribute
	blocks     map[string]*blockList
	// unknown says that nothing of the block is known.
	unknown bool
}

// blockList are the blocks of one type in a body.
type blockList struct {
	bodies []*body
	// open says that there may be more, or that these may not be there.
	open bool
}

// attribute is the value of an attribute: a scalar or a list of them, as text,
// because Terraform itself takes "3000" for a number.
type attribute struct {
	scalar           optional.Value[string]
	list             []optional.Value[string]
	isList           bool
	keys             []string // of a map
	place            Place
	written, literal bool
	guarded          bool
	from             []Origin
	refs             []reference
}

// reference is the address of a resource that a value comes from, as exact as
// it is known.
type reference string

// resource is a resource instance as a reader found it.
type resource struct {
	Object
	body, before *body
}

// unknownBody stands for a block that may or may not be there.
func unknownBody(at Place) *body { return &body{place: at, unknown: true} }

func emptyBody(at Place) *body { return &body{place: at} }

func (b *body) attribute(name string) *attribute {
	if a, ok := b.attributes[name]; ok {
		return a
	}
	a := &attribute{place: b.place}
	if b.unknown {
		a.scalar = optional.Unknown[string]()
	}
	return a
}

// all are the blocks of a type. open says that there may be others.
func (b *body) all(name string) (bodies []*body, open bool) {
	if b.unknown {
		return nil, true
	}
	l, ok := b.blocks[name]
	if !ok {
		return nil, false
	}
	return l.bodies, l.open
}

// first is the only block of a type; one that is not there has nothing in it.
func (b *body) first(name string) *body {
	bodies, open := b.all(name)
	switch {
	case open:
		return unknownBody(b.place)
	case len(bodies) == 0:
		return emptyBody(b.place)
	}
	return bodies[0]
}

// has says whether there is a block of a type; false if that is not known.
func (b *body) has(name string) bool {
	bodies, open := b.all(name)
	return len(bodies) > 0 && !open
}

// source is nil if nothing is known of it.
func (a *attribute) source() *source {
	if a.place == (Place{}) && len(a.from) == 0 && len(a.refs) == 0 {
		return nil
	}
	return &source{place: a.place, from: a.from, refs: a.refs}
}

func valueOf[T any](a *attribute, v optional.Value[T]) Value[T] {
	return Value[T]{Value: v, Written: a.written, Literal: a.literal, Guarded: a.guarded, source: a.source()}
}

// text is an attribute that is a text; an empty one was left out.
func (b *body) text(name string) Value[string] {
	a := b.attribute(name)
	v := a.scalar
	if s, ok := v.Get(); ok && s == "" {
		v = optional.Null[string]()
	}
	if a.isList {
		v = optional.Unknown[string]()
	}
	return valueOf(a, v)
}

// number is an attribute that is a number.
func (b *body) number(name string) Value[decimal.Decimal] {
	t := b.text(name)
	a := b.attribute(name)
	return valueOf(a, optional.Then(t.Value, parseNumber))
}

// Figures beyond these are a mistake, or meant to cost somebody a lot of
// arithmetic. One that is too large is taken for the largest, which is out of every
// range as well.
const (
	maxLength   = 1000
	maxExponent = 40
)

func parseNumber(s string) optional.Value[decimal.Decimal] {
	mantissa, exponent, hasExponent := strings.Cut(strings.ToLower(strings.TrimSpace(s)), "e")
	if len(mantissa) > maxLength {
		return optional.Unknown[decimal.Decimal]()
	}
	d, err := decimal.NewFromString(mantissa)
	if err != nil {
		return optional.Unknown[decimal.Decimal]()
	}
	var shift int64
	if hasExponent {
		shift, err = strconv.ParseInt(exponent, 10, 32)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return optional.Unknown[decimal.Decimal]()
		}
		shift = max(-maxLength, min(shift, maxLength))
	}
	switch magnitude := int64(d.NumDigits()) + int64(d.Exponent()) + shift; {
	case d.IsZero():
		return optional.Known(decimal.Zero)
	case magnitude > maxExponent:
		return optional.Known(decimal.New(int64(d.Sign()), maxExponent))
	case int64(d.Exponent())+shift < -maxExponent:
		return optional.Unknown[decimal.Decimal]()
	}
	return optional.Known(d.Shift(int32(shift)))
}

// boolean is an attribute that is true or false.
func (b *body) boolean(name string) Value[bool] {
	return valueOf(b.attribute(name), optional.Then(b.text(name).Value, func(s string) optional.Value[bool] {
		switch s {
		case "true", "1":
			return optional.Known(true)
		case "false", "0":
			return optional.Known(false)
		}
		return optional.Unknown[bool]()
	}))
}

// texts is an attribute that is a list of texts: known if all of them are.
func (b *body) texts(name string) Value[[]string] {
	a := b.attribute(name)
	if !a.isList {
		if a.scalar.IsNull() {
			return valueOf(a, optional.Null[[]string]())
		}
		return valueOf(a, optional.Unknown[[]string]())
	}
	out := make([]string, 0, len(a.list))
	for _, v := range a.list {
		s, ok := v.Get()
		if !ok {
			return valueOf(a, optional.Unknown[[]string]())
		}
		out = append(out, s)
	}
	return valueOf(a, optional.Known(out))
}

// each is an attribute that is a list of texts, one by one. open says that
// there may be others.
func (b *body) each(name string) (values []Value[string], open bool) {
	a := b.attribute(name)
	if !a.isList {
		return nil, a.scalar.IsUnknown()
	}
	for _, v := range a.list {
		values = append(values, valueOf(a, v))
	}
	return values, false
}
