package hostpool

import (
	"math/big"
	"time"
)

// process is a pool in exact terms. In it, launches fail in batches at a fixed
// pace: one at a time at the given rate, or, in a failure loop, every slot at
// once after each cycle of launching and waiting. Time is counted from the
// moment at which the desired hosts are allocated and in use.
//
// A failed launch leaves its host scrubbing for the recycle time, after which
// the host is free again, and its slot is launched anew at once: on a free host
// if there is one, else on a newly allocated one, else it waits for a host.
type process struct {
	desired, max int64
	// grows says that hosts are allocated when none is free. Without it the pool
	// is the desired hosts and no more, as far as the quota goes.
	grows bool
	// loop says that every launch fails, one cycle after it began.
	loop bool
	// period between failures in nanoseconds: of the whole pool at a given rate, of
	// each slot in a loop. nil if nothing fails.
	period *big.Rat
	// returns says that failed hosts are free again after recycle; without it they
	// are gone for good, though they are paid for.
	returns bool
	recycle time.Duration
	// hold is how long an additional host is kept at least; it is released when it
	// is free after that. keptForever if nobody releases any.
	hold time.Duration
	// scrubUnmetered says that scrubbing hosts are not billed.
	scrubUnmetered bool
}

const keptForever time.Duration = -1

// Horizon is how far a pool is looked ahead: a pool that fills only after more
// than a year of failures at the given rate is not said to fill.
const Horizon = 365 * 24 * time.Hour

// outcome is what a process leads to.
type outcome struct {
	// peak is the most hosts that are in use, and so the most that are allocated.
	peak int64
	// exhausted says that a launch finds no host within the Horizon. A host that is
	// free again at that very moment does not count: it comes too late to be called
	// spare.
	exhausted bool
	// full is when the last free host was taken, and short when the first launch
	// after that finds none; in nanoseconds, both nil unless exhausted.
	full, short *big.Rat
	// extra is how many hosts beyond the desired ones are paid for on average, once
	// the pool has settled.
	extra *big.Rat
}

// batch is how many launches fail at once.
func (p process) batch() int64 {
	if p.loop {
		return p.desired
	}
	return 1
}

// limit is the most hosts that the pool can have.
func (p process) limit() int64 {
	if p.grows {
		return p.max
	}
	return min(p.desired, p.max)
}

// still says that nothing fails within the Horizon.
func (p process) still() bool {
	return p.period == nil || p.desired == 0 || p.period.Cmp(nanoseconds(Horizon)) > 0
}

// settle works the outcome out by closed forms, which a property test compares
// with the simulation.
func (p process) settle() outcome {
	o := outcome{peak: min(p.desired, p.limit()), extra: new(big.Rat)}
	if p.desired > p.limit() {
		o.exhausted, o.full, o.short = true, new(big.Rat), new(big.Rat)
		return o
	}
	if p.still() {
		return o
	}
	spare, batch := p.limit()-p.desired, p.batch()

	// Scrubs that run at a time: as many as periods begin during one.
	scrubs := new(big.Rat).Quo(nanoseconds(p.recycle), p.period)
	rounded := ceil(scrubs)
	needed := new(big.Int).Mul(rounded, big.NewInt(batch))
	var short bool
	switch enough := needed.Cmp(big.NewInt(spare)); {
	case !p.returns:
		short = true
	case scrubs.IsInt():
		// Each failure comes at the very moment at which a scrub ends.
		short = enough >= 0
	default:
		short = enough > 0
	}
	full, first := ceilDiv(spare, batch), spare/batch+1
	o.short = new(big.Rat).Mul(p.period, new(big.Rat).SetInt64(first))
	if short && o.short.Cmp(nanoseconds(Horizon)) <= 0 {
		o.exhausted, o.peak = true, p.limit()
		o.full = new(big.Rat).Mul(p.period, new(big.Rat).SetInt64(full))
		// Hosts may be free for moments even now; the whole quota is what it comes to
		// at most.
		o.extra.SetInt64(spare)
	} else {
		o.short = nil
		grown := spare
		if p.returns && needed.IsInt64() {
			grown = min(spare, needed.Int64())
		} else if !p.returns {
			grown = min(spare, batch*floor(new(big.Rat).Quo(nanoseconds(Horizon), p.period)).Int64())
		}
		o.peak = p.desired + grown
		o.extra.SetInt64(grown)
		if p.hold != keptForever && p.returns && grown > 0 {
			p.releaseLastBatch(o.extra, scrubs)
		}
	}
	if p.scrubUnmetered && p.returns {
		scrubbing := new(big.Rat).Mul(scrubs, new(big.Rat).SetInt64(batch))
		if o.extra.Sub(o.extra, scrubbing); o.extra.Sign() < 0 {
			o.extra.SetInt64(0)
		}
	}
	return o
}

// releaseLastBatch takes off the average number of additional hosts what is
// saved by releasing. All but the last batch of them scrub at any time. The last
// is needed only from a failure to the end of the oldest scrub, so it goes as
// soon as it is free and old enough, and is allocated anew at the next failure.
func (p process) releaseLastBatch(extra, scrubs *big.Rat) {
	// Time from a failure to the end of the oldest scrub that is still running.
	whole := new(big.Rat).SetInt(new(big.Int).Sub(ceil(scrubs), big.NewInt(1)))
	busy := new(big.Rat).Sub(nanoseconds(p.recycle), whole.Mul(whole, p.period))

	hold := nanoseconds(p.hold)
	periods := new(big.Rat).SetInt(floor(new(big.Rat).Quo(hold, p.period)))
	rest := new(big.Rat).Sub(hold, new(big.Rat).Mul(periods, p.period))
	if rest.Cmp(busy) < 0 {
		rest = busy
	}
	held := new(big.Rat).Mul(periods, p.period)
	held.Add(held, rest)
	turn := new(big.Rat).Add(periods, big.NewRat(1, 1))
	turn.Mul(turn, p.period)

	gone := new(big.Rat).Sub(turn, held)
	gone.Quo(gone, turn)
	extra.Sub(extra, gone.Mul(gone, new(big.Rat).SetInt64(p.batch())))
}

func nanoseconds(d time.Duration) *big.Rat { return new(big.Rat).SetInt64(int64(d)) }

func ceil(r *big.Rat) *big.Int {
	q, m := new(big.Int).DivMod(r.Num(), r.Denom(), new(big.Int))
	if m.Sign() != 0 {
		q.Add(q, big.NewInt(1))
	}
	return q
}

func floor(r *big.Rat) *big.Int { return new(big.Int).Div(r.Num(), r.Denom()) }

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }
