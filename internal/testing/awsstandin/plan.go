package awsstandin

import (
	"maps"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// plan turns the state that core proposes into the planned one: defaults are
// filled in, and computed values that nobody knows yet become unknown. It also
// returns the attributes because of which the object has to be replaced.
func (s *server) plan(o *objectType, prior, proposed tftypes.Value) (planned tftypes.Value, replace []*tftypes.AttributePath) {
	obj, old := fields(o.planBlock(prior, proposed)), fields(prior)
	if a := o.attributes["region"]; a != nil && a.optional && !obj["region"].IsKnown() {
		obj["region"] = str(s.region)
	}
	s.planTags(o, obj, old)
	if old != nil {
		for _, name := range append([]string{"region"}, o.ForceNew...) {
			if v, ok := obj[name]; ok && !v.Equal(old[name]) {
				replace = append(replace, tftypes.NewAttributePath().WithAttributeName(name))
			}
		}
		if o.name == launchTemplate {
			planTemplateVersion(obj, old)
		}
	}
	return tftypes.NewValue(o.typ, obj), replace
}

func (b *block) planBlock(prior, proposed tftypes.Value) tftypes.Value {
	obj, old := fields(proposed), fields(prior)
	if obj == nil {
		return proposed
	}
	for name, a := range b.attributes {
		switch {
		case a.writeOnly:
			obj[name] = null(a.typ)
		case !obj[name].IsNull():
		case a.fallback != nil:
			obj[name] = toValue(a.typ, a.fallback)
		case a.computed && old == nil:
			obj[name] = unknown(a.typ)
		}
	}
	for name, n := range b.blocks {
		var was tftypes.Value
		if old != nil {
			was = old[name]
		}
		obj[name] = n.plan(was, obj[name], old == nil)
	}
	return tftypes.NewValue(b.typ, obj)
}

// plan plans all blocks of one name inside a block.
func (n *nestedBlock) plan(prior, proposed tftypes.Value, create bool) tftypes.Value {
	switch {
	case !present(proposed):
		return proposed
	case n.mode == nestingSingle:
		return n.planBlock(prior, proposed)
	}
	all, old := elements(proposed), elements(prior)
	if len(all) == 0 && n.isComputed {
		if create {
			return unknown(proposed.Type())
		}
		return prior
	}
	for i, e := range all {
		all[i] = n.planBlock(n.counterpart(old, e, i), e)
	}
	return tftypes.NewValue(proposed.Type(), all)
}

// counterpart is what a block was before: the one at its place in a list, the
// equal one in a set.
func (n *nestedBlock) counterpart(old []tftypes.Value, e tftypes.Value, i int) tftypes.Value {
	if n.mode == nestingList && i < len(old) {
		return old[i]
	}
	if n.mode == nestingSet {
		for _, o := range old {
			if o.Equal(e) {
				return o
			}
		}
	}
	return null(n.typ)
}

// planTags sets tags_all to the provider's default tags with the object's own
// on top.
func (s *server) planTags(o *objectType, obj, old object) {
	all := o.attributes["tags_all"]
	if all == nil || o.attributes["tags"] == nil {
		return
	}
	if !obj["tags"].IsFullyKnown() {
		obj["tags_all"] = unknown(all.typ)
		return
	}
	tags := map[string]string{}
	maps.Copy(tags, s.defaultTags)
	maps.Copy(tags, textMap(obj["tags"]))
	if len(tags) == 0 && old == nil {
		return // Known after the apply, as the real provider has it.
	}
	obj["tags_all"] = toValue(all.typ, tags)
}
