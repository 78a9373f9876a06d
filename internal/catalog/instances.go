package catalog

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog/record"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// Instance looks an EC2 instance type up by its exact name, "mac2-m2pro.metal".
// It is false for a type that the table does not know, which may well exist:
// AWS adds types every month, and InstanceSource says how old the table is.
func (c *Catalog) Instance(typ string) (Instance, bool) {
	if i, ok := c.newer[typ]; ok {
		return i.clone(), true
	}
	line, ok := c.facts.instances.find(typ)
	if !ok {
		return Instance{}, false
	}
	return c.instance(line), true
}

// Instances yields every type of the table, sorted by name. Each is decoded
// only when it is reached.
func (c *Catalog) Instances() iter.Seq[Instance] {
	return func(yield func(Instance) bool) {
		newer := slices.Sorted(maps.Keys(c.newer))
		for line := range c.facts.instances.all() {
			typ := typeOf(line)
			for ; len(newer) > 0 && newer[0] < typ; newer = newer[1:] {
				if !yield(c.newer[newer[0]].clone()) {
					return
				}
			}
			i, replaced := c.newer[typ]
			if replaced {
				newer, i = newer[1:], i.clone()
			} else {
				i = c.instance(line)
			}
			if !yield(i) {
				return
			}
		}
		for _, typ := range newer {
			if !yield(c.newer[typ].clone()) {
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

// InstanceSource says where the table of instance types comes from and of what
// date it is.
func (c *Catalog) InstanceSource() Source { return source(c.facts.instancesHeader().Source) }

// InstanceCount is the number of instance types in the table.
func (c *Catalog) InstanceCount() int { return c.facts.instancesHeader().Count }

// ClosestInstances are the n types whose names are most like a mistyped one,
// most alike first: types of the same family, if there is such a family, then
// all others, by edit distance and then by name. Only the first characters of
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
		if familyOf(k.typ) != family {
			k.otherFamily = 1
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
		for typ := range c.newer {
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

// instance decodes a line anew for every look-up: it takes microseconds, and
// what is not shared cannot be changed by another caller.
func (c *Catalog) instance(line string) Instance {
	r := decode[record.Instance]("instances.jsonl", line)
	i := Instance{
		Type:            r.Type,
		VCPUs:           r.VCPUs,
		Cores:           r.Cores,
		MemoryMiB:       r.MemoryMiB,
		Architectures:   r.Architectures,
		BareMetal:       r.BareMetal,
		CurrentGen:      r.CurrentGen,
		Network:         r.Network,
		InstanceStoreGB: r.InstanceStoreGB,
		MaxVolumes:      r.MaxVolumes,
		Source:          c.InstanceSource(),
	}
	if r.EBS != nil {
		i.EBS = optional.Known(ceiling(*r.EBS))
	}
	for _, card := range r.Cards {
		i.Cards = append(i.Cards, ceiling(card))
	}
	return i
}

func ceiling(r record.Ceiling) EBSCeiling {
	return EBSCeiling{
		Sustained: EBSRate{Bandwidth: units.MbitPerS(r.Mbit), IOPS: r.IOPS},
		Maximum:   EBSRate{Bandwidth: units.MbitPerS(r.MaxMbit), IOPS: r.MaxIOPS},
	}
}
