package catalog

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog/record"
)

// Instance looks an EC2 instance type up by its exact name, "mac2-m2pro.metal".
// It is false for a type that the table does not know, which may well exist:
// AWS adds types every month, and InstanceSource says how old the table is.
func (c *Catalog) Instance(typ string) (Instance, bool) {
	if i, ok := c.overlaidInstance(typ); ok {
		return i.clone(), true
	}
	line, ok := c.facts.instances.find(typ)
	if !ok {
		return Instance{}, false
	}
	return c.fromTable(c.instance(line)), true
}

// Instances yields every type of the table, sorted by name. Each is decoded
// only when it is reached.
func (c *Catalog) Instances() iter.Seq[Instance] {
	return func(yield func(Instance) bool) {
		overlaid := c.overlaid()
		newer := slices.Sorted(maps.Keys(overlaid))
		for line := range c.facts.instances.all() {
			typ := typeOf(line)
			for ; len(newer) > 0 && newer[0] < typ; newer = newer[1:] {
				if !yield(overlaid[newer[0]].clone()) {
					return
				}
			}
			i, replaced := overlaid[typ]
			if replaced {
				newer, i = newer[1:], i.clone()
			} else {
				i = c.fromTable(c.instance(line))
			}
			if !yield(i) {
				return
			}
		}
		for _, typ := range newer {
			if !yield(overlaid[typ].clone()) {
				return
			}
		}
	}
}

// clone shares nothing with the original.
func (i Instance) clone() Instance {
	i.Architectures = slices.Clone(i.Architectures)
	i.Cards = slices.Clone(i.Cards)
	return i
}

// InstanceSource says where the instance types come from and of what date they
// are: the newer source's where there is one.
func (c *Catalog) InstanceSource() Source {
	if c.overlay != nil && len(c.overlay.Instances()) > 0 {
		return c.overlay.InstanceSource()
	}
	return c.tableSource()
}

// InstanceCount is the number of instance types in the table, with those that a
// newer source adds to it.
func (c *Catalog) InstanceCount() int {
	n := c.facts.instancesHeader().Count
	if c.overlay == nil {
		return n
	}
	for typ := range c.overlay.Instances() {
		if _, listed := c.facts.instances.find(typ); !listed {
			n++
		}
	}
	return n
}

// ClosestInstances are the n types whose names are most like a mistyped one,
// most alike first: types of the same family, if there is such a family, then
// those of its kin ("mac2" for "mac9"), then all others, by edit distance and then by name. Only the first characters of
// a long name are looked at, which bounds the work on hostile input.
func (c *Catalog) ClosestInstances(typ string, n int) []string {
	if n <= 0 {
		return nil
	}
	if len(typ) > maxTypeName {
		typ = typ[:maxTypeName]
	}
	typ = strings.ToLower(strings.TrimSpace(typ))
	family := familyOf(typ)

	type candidate struct {
		typ         string
		otherFamily int
		distance    int
	}
	candidates := make([]candidate, 0, c.InstanceCount())
	for known := range c.types() {
		k := candidate{typ: known}
		switch kin := familyOf(k.typ); {
		case kin == family:
		case letters(kin) == letters(family):
			k.otherFamily = 1
		default:
			k.otherFamily = 2
		}
		k.distance = levenshtein.ComputeDistance(typ, k.typ)
		candidates = append(candidates, k)
	}
	slices.SortFunc(candidates, func(a, b candidate) int {
		return cmp.Or(
			cmp.Compare(a.otherFamily, b.otherFamily),
			cmp.Compare(a.distance, b.distance),
			strings.Compare(a.typ, b.typ),
		)
	})
	out := make([]string, 0, min(n, len(candidates)))
	for _, k := range candidates[:min(n, len(candidates))] {
		out = append(out, k.typ)
	}
	return out
}

// types yields the names of all types, in no order.
func (c *Catalog) types() iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range c.facts.instances.all() {
			if typ := typeOf(line); !yield(typ) {
				return
			}
		}
		for typ := range c.overlaid() {
			if _, listed := c.facts.instances.find(typ); !listed && !yield(typ) {
				return
			}
		}
	}
}

// maxTypeName is longer than any name that IsTypeName accepts.
const maxTypeName = 64

// familyOf is the part of a type's name before the dot, "m8a" of "m8a.xlarge".
func familyOf(typ string) string {
	family, _, _ := strings.Cut(typ, ".")
	return family
}

// letters are what a family's name begins with before its generation, "mac" of
// "mac2-m2pro": families that share them are kin.
func letters(family string) string {
	return family[:len(family)-len(strings.TrimLeft(family, "abcdefghijklmnopqrstuvwxyz"))]
}

// instance decodes a line anew for every look-up: it takes microseconds, and
// what is not shared cannot be changed by another caller.
func (c *Catalog) instance(line string) Instance {
	return instanceOf(decode[record.Instance]("instances.jsonl", line), c.tableSource())
}
