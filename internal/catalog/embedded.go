package catalog

//go:generate go run ./generate

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"sync"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog/record"
)

// The embedded files are generated from sources/, and a test of the generator
// fails when they differ from it.
var (
	//go:embed data/instances.jsonl
	instancesFile string
	//go:embed data/instance_prices.jsonl
	instancePricesFile string
	//go:embed data/volumes.json
	volumesFile string
	//go:embed data/volume_prices.json
	volumePricesFile string
	//go:embed data/macs.json
	macsFile string
)

// Catalog answers from the embedded facts, with the user's own prices in place
// of the table's where given. It is read-only and safe for concurrent use, and
// what it returns belongs to the caller: changing a returned slice or map
// changes nothing for others.
//
// Nothing is decoded before it is asked for, because a provider is started
// several times in every plan.
type Catalog struct {
	facts     *facts
	overrides PriceOverrides
	// newer are instance types that take the place of the table's or add to it.
	newer map[string]Instance
	// overlay is a newer source than the tables, nil if there is none.
	overlay Overlay
}

// facts are the tables. Each is decoded by the first look-up that needs it.
type facts struct {
	instances       lines
	instancesHeader func() record.InstancesHeader

	instancePrices       lines
	instancePricesHeader func() record.InstancePricesHeader

	volumes      func() record.Volumes
	volumePrices func() record.VolumePrices
	macs         func() record.Macs
}

func newFacts() *facts {
	return &facts{
		instances:            lines(instancesFile),
		instancesHeader:      header[record.InstancesHeader]("instances.jsonl", instancesFile),
		instancePrices:       lines(instancePricesFile),
		instancePricesHeader: header[record.InstancePricesHeader]("instance_prices.jsonl", instancePricesFile),
		volumes:              table[record.Volumes]("volumes.json", volumesFile),
		volumePrices:         table[record.VolumePrices]("volume_prices.json", volumePricesFile),
		macs:                 table[record.Macs]("macs.json", macsFile),
	}
}

var embedded = &Catalog{facts: newFacts()}

// Embedded is the catalogue that is built in. It is shared.
func Embedded() *Catalog { return embedded }

// WithPrices is the same catalogue with the user's own prices in place of the
// table's. The overrides replace those of earlier calls altogether.
func (c *Catalog) WithPrices(o PriceOverrides) *Catalog {
	return &Catalog{facts: c.facts, overrides: o.clone(), newer: c.newer, overlay: c.overlay}
}

// WithInstances is the same catalogue with instance types from a newer source:
// they take the place of the table's and add to it.
func (c *Catalog) WithInstances(newer ...Instance) *Catalog {
	all := maps.Clone(c.newer)
	if all == nil {
		all = make(map[string]Instance, len(newer))
	}
	for _, i := range newer {
		all[i.Type] = i.clone()
	}
	return &Catalog{facts: c.facts, overrides: c.overrides, newer: all, overlay: c.overlay}
}

// table decodes a small file once, when it is first asked for.
func table[T any](name, content string) func() T {
	return sync.OnceValue(func() T { return decode[T](name, content) })
}

// header decodes the first line of a table of lines once.
func header[T any](name, content string) func() T {
	return sync.OnceValue(func() T {
		first, _ := lines(content).header()
		return decode[T](name, first)
	})
}

// decode panics on an error: the files are part of the program, and a test
// decodes every record of them.
func decode[T any](name, content string) T {
	var v T
	if err := json.Unmarshal([]byte(content), &v); err != nil {
		panic(fmt.Sprintf("the embedded catalogue is broken: %s: %v", name, err))
	}
	return v
}

func source(s record.Source) Source {
	return Source{Name: s.Name, AsOf: s.AsOf, Confidence: s.Confidence}
}

func closedRange(r record.Range) Range { return Range{Min: r[0], Max: r[1]} }
