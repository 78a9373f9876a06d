package prototest

import "github.com/zclconf/go-cty/cty"

// proposedNew is core's proposal for a new state: what is configured, and the
// prior value of computed attributes that are not. It follows
// internal/plans/objchange of Terraform and OpenTofu.
func proposedNew(b *block, prior, config cty.Value) cty.Value {
	if config.IsNull() && prior.IsNull() {
		return prior
	}
	if prior.IsNull() {
		prior = b.empty()
	}
	if config.IsNull() || !config.IsKnown() {
		return prior
	}
	attrs := proposedAttributes(b.attrs, prior, config)
	for name, n := range b.blocks {
		attrs[name] = proposedBlock(n, prior.GetAttr(name), config.GetAttr(name))
	}
	return cty.ObjectVal(attrs)
}

func proposedBlock(n *nestedBlock, prior, config cty.Value) cty.Value {
	// Unknown is a dynamic block with an unknown for_each.
	if !config.IsKnown() || config.IsNull() {
		return config
	}
	switch n.nesting {
	case single:
		return proposedNew(&n.block, prior, config)
	case list:
		return proposedList(prior, config, func(prior, config cty.Value) cty.Value { return proposedNew(&n.block, prior, config) })
	default:
		return config
	}
}

func proposedAttributes(as map[string]*attribute, prior, config cty.Value) map[string]cty.Value {
	out := make(map[string]cty.Value, len(as))
	for name, a := range as {
		priorV := cty.NullVal(a.typ())
		if !prior.IsNull() {
			priorV = prior.GetAttr(name)
		}
		configV := config.GetAttr(name)
		switch {
		case a.computed && configV.IsNull():
			out[name] = priorV
			if cameFromConfig(a, priorV) {
				out[name] = configV
			}
		case a.nested != nil:
			out[name] = proposedNested(a.nested, priorV, configV)
		default:
			out[name] = configV
		}
	}
	return out
}

func proposedNested(o *object, prior, config cty.Value) cty.Value {
	if !config.IsKnown() || config.IsNull() {
		return config
	}
	one := func(prior, config cty.Value) cty.Value {
		if config.IsNull() || !config.IsKnown() {
			return config
		}
		return cty.ObjectVal(proposedAttributes(o.attrs, prior, config))
	}
	switch o.nesting {
	case single:
		return one(prior, config)
	case list:
		return proposedList(prior, config, one)
	case mapping:
		if config.LengthInt() == 0 {
			return config
		}
		out := map[string]cty.Value{}
		for key, c := range config.AsValueMap() {
			out[key] = c
			if i := cty.StringVal(key); prior.IsKnown() && !prior.IsNull() && prior.HasIndex(i).True() {
				out[key] = one(prior.Index(i), c)
			}
		}
		return cty.MapVal(out)
	default:
		return config
	}
}

// proposedList pairs elements by position.
func proposedList(prior, config cty.Value, one func(prior, config cty.Value) cty.Value) cty.Value {
	if config.LengthInt() == 0 {
		return config
	}
	var out []cty.Value
	for it := config.ElementIterator(); it.Next(); {
		i, c := it.Element()
		if prior.IsKnown() && (prior.IsNull() || !prior.HasIndex(i).True()) {
			out = append(out, c)
			continue
		}
		out = append(out, one(prior.Index(i), c))
	}
	return cty.ListVal(out)
}

// cameFromConfig says whether the prior value of an optional and computed
// nested attribute holds something that no provider could have computed.
func cameFromConfig(a *attribute, prior cty.Value) bool {
	if !a.optional || a.nested == nil {
		return false
	}
	return holdsConfigured(a.nested, prior)
}

func holdsConfigured(o *object, v cty.Value) bool {
	if v.IsNull() || !v.IsKnown() {
		return false
	}
	elements := []cty.Value{v}
	if o.nesting != single {
		elements = nil
		for it := v.ElementIterator(); it.Next(); {
			_, e := it.Element()
			elements = append(elements, e)
		}
	}
	for _, e := range elements {
		if e.IsNull() || !e.IsKnown() {
			continue
		}
		for name, m := range o.attrs {
			if member := e.GetAttr(name); !member.IsNull() && (!m.computed || m.nested != nil && holdsConfigured(m.nested, member)) {
				return true
			}
		}
	}
	return false
}
