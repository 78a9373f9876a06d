package catalog

import (
	"fmt"
	"maps"
)

// Overlay is a newer source of facts than the tables: a catalogue file, or AWS
// itself. A look-up asks it first and takes the table where it does not know.
//
// A method may take as long as a request to AWS and is called only by a look-up
// that needs it, so that nobody pays for what is not asked for. It is safe for
// concurrent use, answers the same every time, and keeps its problems to itself:
// whoever set it up asks it for them.
type Overlay interface {
	// Instances are the types that it knows, by name, which the caller does not
	// change. They are nil if it knows none, because it has none or because they
	// could not be had.
	Instances() map[string]Instance
	// InstanceSource says where Instances come from.
	InstanceSource() Source
	// VolumePrices are the prices of gp3 in a region, and of other types as far as
	// they are known.
	VolumePrices(region string) (VolumePrices, bool)
	MacHostPrice(region, typ string) (Price, bool)
	InstancePrice(region, typ string) (Price, bool)
}

// WithOverlay is the same catalogue with a newer source in front of the tables.
// Prices given by the user and types of WithInstances come before it.
func (c *Catalog) WithOverlay(o Overlay) *Catalog {
	return &Catalog{facts: c.facts, overrides: c.overrides, newer: c.newer, overlay: o}
}

// overlaid are the newer types: those of WithInstances, and those of the overlay.
func (c *Catalog) overlaid() map[string]Instance {
	if c.overlay == nil {
		return c.newer
	}
	types := c.overlay.Instances()
	if len(c.newer) == 0 || len(types) == 0 {
		if len(types) == 0 {
			return c.newer
		}
		return types
	}
	all := maps.Clone(types)
	maps.Copy(all, c.newer)
	return all
}

// overlaidInstance is one of overlaid, without building them all.
func (c *Catalog) overlaidInstance(typ string) (Instance, bool) {
	if i, ok := c.newer[typ]; ok {
		return i, true
	}
	if c.overlay == nil {
		return Instance{}, false
	}
	i, ok := c.overlay.Instances()[typ]
	return i, ok
}

// fromTable notes on a type of the table that the newer source does not have
// it: AWS describes only the types that are offered in the Region it was asked in.
func (c *Catalog) fromTable(i Instance) Instance {
	if c.overlay == nil || len(c.overlay.Instances()) == 0 {
		return i
	}
	s := c.overlay.InstanceSource()
	i.Source.Name += fmt.Sprintf(" (the type is not in %s of %s)", s.Name, s.AsOf)
	return i
}

// tableSource is where the table of instance types comes from.
func (c *Catalog) tableSource() Source { return source(c.facts.instancesHeader().Source) }
