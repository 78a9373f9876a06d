package awslive

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/shopspring/decimal"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
)

var _ catalog.Overlay = (*Catalog)(nil)

// Catalog is AWS's own catalogue of today. It asks for a thing when somebody
// first looks for it, keeps the answer for the life of the process, and lets
// everybody who looks at the same time wait for the same answer: a plan with
// fifty data sources describes the instance types once.
//
// What cannot be had is left to the embedded table, and Problems says so.
type Catalog struct {
	session *Session
	table   *catalog.Catalog
	ctx     context.Context //nolint:containedctx // look-ups have none: this one is that of the provider's life
	cancel  context.CancelFunc

	types func() map[string]catalog.Instance

	mu        sync.Mutex
	readers   map[*time.Time]bool // until when those who read have time
	region    string              // of the types
	volumes   map[string]func() (catalog.VolumePrices, bool)
	macs      map[string]func() map[string]decimal.Decimal
	instances map[string]func() map[string]decimal.Decimal
	noPrices  bool // after the first failure nobody waits for another one
	problems  []Problem
}

// Problem is something that could not be had.
type Problem struct {
	// Prices says that it was about prices, for which the embedded table stands in;
	// otherwise it was about the instance types themselves.
	Prices bool
	Err    error
}

// NewCatalog is AWS's catalogue in front of a table. It asks nobody anything.
func NewCatalog(s *Session, table *catalog.Catalog) *Catalog {
	ctx, cancel := context.WithCancel(context.Background())
	c := &Catalog{
		session: s, table: table, ctx: ctx, cancel: cancel, readers: map[*time.Time]bool{},
		volumes:   map[string]func() (catalog.VolumePrices, bool){},
		macs:      map[string]func() map[string]decimal.Decimal{},
		instances: map[string]func() map[string]decimal.Decimal{},
	}
	c.types = sync.OnceValue(c.describe)
	return c
}

// Cancel ends what is being asked; later look-ups are answered by the table.
func (c *Catalog) Cancel() { c.cancel() }

// Begin notes that somebody reads with a context of Session.Within, and will
// look things up: what the catalogue asks until end is called has no more time
// than the reader has left, or the one of several who has most. Without a reader
// a question has the timeout for itself.
func (c *Catalog) Begin(ctx context.Context) (end func()) {
	until, ok := ctx.Deadline()
	if !ok {
		return func() {}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.readers[&until] = true
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.readers, &until)
	}
}

// within is the context of a question.
func (c *Catalog) within() (context.Context, context.CancelFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var latest time.Time
	for until := range c.readers {
		if until.After(latest) {
			latest = *until
		}
	}
	if latest.IsZero() {
		return c.session.Within(c.ctx)
	}
	began := latest.Add(-c.session.config.Timeout)
	return context.WithDeadline(context.WithValue(c.ctx, beganKey{}, began), latest)
}

// Problems are those since the last call: each is told once.
func (c *Catalog) Problems() []Problem {
	c.mu.Lock()
	defer c.mu.Unlock()
	ps := c.problems
	c.problems = nil
	return ps
}

func (c *Catalog) describe() map[string]catalog.Instance {
	ctx, cancel := c.within()
	defer cancel()
	region, err := c.session.Region(ctx)
	var types []catalog.Instance
	if err == nil {
		types, err = c.session.DescribeInstanceTypes(ctx, region)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.region = region
	if err != nil {
		// Whoever asks for prices would be told the same.
		c.problems, c.noPrices = append(c.problems, Problem{Err: withCall(err, callInstanceTypes)}), true
		return nil
	}
	out := make(map[string]catalog.Instance, len(types))
	for _, i := range types {
		out[i.Type] = i
	}
	return out
}

// withCall names the call that came to nothing because credentials were missing.
func withCall(err error, call Call) error {
	var e *Error
	if errors.As(err, &e) && e.Call.Operation == "" {
		named := *e
		named.Call = call
		return &named
	}
	return err
}

// Instances are the types that AWS describes; nil if that failed.
func (c *Catalog) Instances() map[string]catalog.Instance { return c.types() }

// InstanceSource says where and when they were described.
func (c *Catalog) InstanceSource() catalog.Source {
	c.types()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session.typesSource(c.region)
}

// VolumePrices are those of AWS's price list.
func (c *Catalog) VolumePrices(region string) (catalog.VolumePrices, bool) {
	return once(c, c.volumes, region, func() func() (catalog.VolumePrices, bool) {
		return sync.OnceValues(func() (catalog.VolumePrices, bool) {
			if !c.mayAskPrices(region) {
				return catalog.VolumePrices{}, false
			}
			ctx, cancel := c.within()
			defer cancel()
			p, err := c.session.VolumePrices(ctx, region)
			return p, c.priced(err)
		})
	})()
}

// MacHostPrice is that of AWS's price list.
func (c *Catalog) MacHostPrice(region, typ string) (catalog.Price, bool) {
	prices := once(c, c.macs, region, func() func() map[string]decimal.Decimal {
		return sync.OnceValue(func() map[string]decimal.Decimal {
			if !c.mayAskPrices(region) {
				return nil
			}
			ctx, cancel := c.within()
			defer cancel()
			p, err := c.session.MacHostPrices(ctx, region, c.table.Macs())
			if !c.priced(err) {
				return nil
			}
			return p
		})
	})()
	return c.price(region, typ, prices)
}

// InstancePrice is that of AWS's price list.
func (c *Catalog) InstancePrice(region, typ string) (catalog.Price, bool) {
	prices := once(c, c.instances, region, func() func() map[string]decimal.Decimal {
		return sync.OnceValue(func() map[string]decimal.Decimal {
			if !c.mayAskPrices(region) {
				return nil
			}
			ctx, cancel := c.within()
			defer cancel()
			p, err := c.session.InstancePrices(ctx, region)
			if !c.priced(err) {
				return nil
			}
			return p
		})
	})()
	return c.price(region, typ, prices)
}

func (c *Catalog) price(region, typ string, prices map[string]decimal.Decimal) (catalog.Price, bool) {
	usd, ok := prices[typ]
	return catalog.Price{USDPerHour: usd, Source: c.session.priceSource(region)}, ok
}

// once is what is kept for a region, made by the first who asks.
func once[F any](c *Catalog, kept map[string]F, region string, first func() F) F {
	c.mu.Lock()
	defer c.mu.Unlock()
	f, ok := kept[region]
	if !ok {
		f = first()
		kept[region] = f
	}
	return f
}

func (c *Catalog) mayAskPrices(region string) bool {
	if strings.Contains(region, "-az") {
		return false // a local zone is not a Region of the price list
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.noPrices
}

// priced notes a failure: one, however many prices are looked for after it.
func (c *Catalog) priced(err error) bool {
	if err == nil {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.noPrices {
		c.noPrices = true
		c.problems = append(c.problems, Problem{Prices: true, Err: err})
	}
	return false
}
