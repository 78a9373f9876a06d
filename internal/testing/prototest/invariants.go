package prototest

import (
	"fmt"
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"
)

// The rules of this file are those for which Terraform blames the provider.
// They follow internal/plans/objchange of Terraform and OpenTofu, with errors
// for the authors of a provider.

func fault(path cty.Path, format string, args ...any) []error {
	at := renderCtyPath(path)
	if at == "" {
		at = "the object"
	}
	return []error{fmt.Errorf(at+": "+format, args...)}
}

// with is a path with one more step; a copy, so that siblings do not share
// memory.
func with(path cty.Path, step cty.PathStep) cty.Path {
	return append(slices.Clone(path), step)
}

// planValid: a provider may plan only what is configured, and anything for
// computed attributes that are not configured. The one exception is that it
// may keep a prior value that it takes for equivalent.
func planValid(b *block, prior, config, planned cty.Value, path cty.Path) []error {
	switch {
	case planned.IsNull() && !config.IsNull():
		return fault(path, "planned for absence, but it is configured")
	case config.IsNull() && !planned.IsNull():
		return fault(path, "planned for existence, but it is not configured")
	case planned.IsNull():
		return nil
	}
	errs := attributesValid(b.attrs, prior, config, planned, path)
	for _, name := range slices.Sorted(maps.Keys(b.blocks)) {
		n := b.blocks[name]
		priorV := cty.NullVal(b.typ().AttributeType(name))
		if !prior.IsNull() {
			priorV = prior.GetAttr(name)
		}
		errs = append(errs, nestedBlockValid(n, priorV, config.GetAttr(name), planned.GetAttr(name), with(path, cty.GetAttrStep{Name: name}))...)
	}
	return errs
}

func nestedBlockValid(n *nestedBlock, prior, config, planned cty.Value, path cty.Path) []error {
	switch {
	case planned.RawEquals(config):
		return nil
	case !config.IsKnown():
		return fault(path, "planned %#v for a dynamic block that is not known", planned)
	case !planned.IsKnown():
		return fault(path, "a block must not be unknown itself; only its attributes may be")
	case n.nesting == single:
		return planValid(&n.block, prior, config, planned, path)
	case planned.IsNull():
		return fault(path, "no blocks are an empty list or set, not null")
	}
	if p, c := planned.LengthInt(), config.LengthInt(); p != c && n.nesting == list {
		return fault(path, "%d blocks are planned, %d are configured", p, c)
	}
	var errs []error
	for it := planned.ElementIterator(); it.Next(); {
		i, p := it.Element()
		at := with(path, cty.IndexStep{Key: i})
		if !p.IsKnown() {
			errs = append(errs, fault(at, "a block must not be unknown itself; only its attributes may be")...)
			continue
		}
		if n.nesting != list {
			continue // elements of sets cannot be paired
		}
		priorE := cty.NullVal(n.typ())
		if !prior.IsNull() && prior.HasIndex(i).True() {
			priorE = prior.Index(i)
		}
		errs = append(errs, planValid(&n.block, priorE, config.Index(i), p, at)...)
	}
	return errs
}

func attributesValid(as map[string]*attribute, prior, config, planned cty.Value, path cty.Path) []error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(as)) {
		a := as[name]
		priorV := cty.NullVal(a.typ())
		if !prior.IsNull() {
			priorV = prior.GetAttr(name)
		}
		errs = append(errs, attributeValid(a, priorV, config.GetAttr(name), planned.GetAttr(name), with(path, cty.GetAttrStep{Name: name}))...)
	}
	return errs
}

func attributeValid(a *attribute, prior, config, planned cty.Value, path cty.Path) []error {
	switch p := unrefined(planned); {
	case p.RawEquals(unrefined(config)):
		return nil
	case p.RawEquals(unrefined(prior)) && !prior.IsNull() && !config.IsNull():
		return nil
	case a.computed && !a.optional:
		return nil
	case config.IsNull() && a.computed:
		return nil
	case config.IsNull() && !planned.IsNull():
		return fault(path, "planned %#v for an attribute that is not computed", planned)
	case a.nested != nil:
		return nestedValid(a.nested, prior, config, planned, path)
	case prior.IsNull():
		return fault(path, "planned %#v, but %#v is configured", planned, config)
	}
	return fault(path, "planned %#v, but %#v is configured and %#v was there before", planned, config, prior)
}

func nestedValid(o *object, prior, config, planned cty.Value, path cty.Path) []error {
	switch {
	case planned.IsNull() && !config.IsNull():
		return fault(path, "planned for absence, but it is configured")
	case !planned.IsKnown():
		return fault(path, "planned as unknown, but it is configured")
	case planned.IsNull():
		return nil
	case o.nesting == single:
		return attributesValid(o.attrs, prior, config, planned, path)
	case !config.IsKnown():
		return fault(path, "planned %#v, but the configuration is not known", planned)
	}
	if p, c := planned.LengthInt(), config.LengthInt(); p != c && o.nesting != set {
		return fault(path, "%d elements are planned, %d are configured", p, c)
	}
	if o.nesting == set {
		return nil // elements of sets cannot be paired
	}
	var errs []error
	for it := planned.ElementIterator(); it.Next(); {
		i, p := it.Element()
		at := with(path, cty.IndexStep{Key: i})
		if !config.HasIndex(i).True() {
			errs = append(errs, fault(at, "is planned, but not configured")...)
			continue
		}
		priorE := cty.NullVal(o.elementType())
		if !prior.IsNull() && prior.HasIndex(i).True() {
			priorE = prior.Index(i)
		}
		errs = append(errs, attributesValid(o.attrs, priorE, config.Index(i), p, at)...)
	}
	return errs
}

// compatible: what became of a plan must agree with everything that the plan
// knew. It is asked of the final plan, made when all inputs are known, and of
// the result of the apply.
func compatible(b *block, planned, actual cty.Value, path cty.Path) []error {
	switch {
	case planned.IsNull() && !actual.IsNull():
		return fault(path, "was absent, but is now present")
	case actual.IsNull() && !planned.IsNull():
		return fault(path, "was present, but is now absent")
	case planned.IsNull():
		return nil
	}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(b.attrs)) {
		errs = append(errs, valueCompatible(planned.GetAttr(name), actual.GetAttr(name), with(path, cty.GetAttrStep{Name: name}))...)
	}
	for _, name := range slices.Sorted(maps.Keys(b.blocks)) {
		n, p, a, at := b.blocks[name], planned.GetAttr(name), actual.GetAttr(name), with(path, cty.GetAttrStep{Name: name})
		switch n.nesting {
		case single:
			// A block that is not known yet may turn out to be none.
			if !p.IsKnown() && a.IsNull() {
				continue
			}
			errs = append(errs, compatible(&n.block, p, a, at)...)
		case list:
			if !p.IsKnown() || !a.IsKnown() || p.IsNull() || a.IsNull() {
				continue
			}
			if pl, al := p.LengthInt(), a.LengthInt(); pl != al {
				errs = append(errs, fault(at, "%d blocks were planned, now there are %d", pl, al)...)
				continue
			}
			for it := p.ElementIterator(); it.Next(); {
				i, e := it.Element()
				errs = append(errs, compatible(&n.block, e, a.Index(i), with(at, cty.IndexStep{Key: i}))...)
			}
		default: // elements of sets cannot be paired
		}
	}
	return errs
}

func valueCompatible(planned, actual cty.Value, path cty.Path) []error {
	if planned.Type() == cty.DynamicPseudoType {
		return nil
	}
	if problems := actual.Type().TestConformance(planned.Type()); len(problems) > 0 {
		return fault(path, "the type changed: %v", problems[0])
	}
	switch {
	case !planned.IsKnown():
		if ok := planned.Range().Includes(actual); ok.IsKnown() && ok.False() {
			return fault(path, "%#v is not in the range of the planned %#v", actual, planned)
		}
		return nil
	case actual.IsNull() && planned.IsNull():
		return nil
	case actual.IsNull():
		return fault(path, "was %#v, but is now null", planned)
	case planned.IsNull():
		return fault(path, "was null, but is now %#v", actual)
	case !actual.IsKnown():
		return fault(path, "was known, but is now unknown")
	}
	switch t := planned.Type(); {
	case t.IsPrimitiveType():
		if !actual.Equals(planned).True() {
			return fault(path, "was %#v, but is now %#v", planned, actual)
		}
	case t.IsListType(), t.IsMapType(), t.IsTupleType():
		var errs []error
		for it := planned.ElementIterator(); it.Next(); {
			i, e := it.Element()
			at := with(path, cty.IndexStep{Key: i})
			if !actual.HasIndex(i).True() {
				errs = append(errs, fault(at, "has vanished")...)
				continue
			}
			errs = append(errs, valueCompatible(e, actual.Index(i), at)...)
		}
		for it := actual.ElementIterator(); it.Next(); {
			if i, _ := it.Element(); !planned.HasIndex(i).True() {
				errs = append(errs, fault(with(path, cty.IndexStep{Key: i}), "has appeared")...)
			}
		}
		return errs
	case t.IsObjectType():
		var errs []error
		for _, name := range slices.Sorted(maps.Keys(t.AttributeTypes())) {
			errs = append(errs, valueCompatible(planned.GetAttr(name), actual.GetAttr(name), with(path, cty.GetAttrStep{Name: name}))...)
		}
		return errs
	case t.IsSetType():
		if p, a := planned.LengthInt(), actual.LengthInt(); p < a {
			return fault(path, "%d elements were planned, now there are %d", p, a)
		}
		if planned.IsWhollyKnown() && !actual.Equals(planned).True() {
			return fault(path, "was %#v, but is now %#v", planned, actual)
		}
	}
	return nil
}

// unrefined drops what is known of unknown values, which core does not compare
// here.
func unrefined(v cty.Value) cty.Value {
	out, _ := cty.Transform(v, func(_ cty.Path, v cty.Value) (cty.Value, error) {
		if !v.IsKnown() {
			return cty.UnknownVal(v.Type()), nil
		}
		return v, nil
	})
	return out
}
