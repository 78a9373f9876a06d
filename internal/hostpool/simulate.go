package hostpool

import (
	"math"
	"math/big"
	"time"
)

// state is how many hosts are in which state.
type state struct {
	// running hosts carry a launched instance, ready or not.
	running int64
	// scrubbing hosts are cleaned after a failed launch and then free again.
	scrubbing int64
	// gone hosts do not come back after a failed launch.
	gone int64
	// allocated hosts are all that are paid for.
	allocated int64
	// waiting slots have no host.
	waiting int64
}

// inUse hosts are allocated and cannot take a launch.
func (s state) inUse() int64 { return s.running + s.scrubbing + s.gone }

// free hosts can take a launch.
func (s state) free() int64 { return s.allocated - s.inUse() }

// billed hosts are those that cost money.
func (s state) billed(p process) int64 {
	if p.scrubUnmetered {
		return s.allocated - s.scrubbing
	}
	return s.allocated
}

// simulation runs a process event by event. Of events at the same moment, the
// ends of scrubs come first, then failures with the launches that replace them,
// then releases: a launch takes the host that would have been released.
//
// Which of the allocated hosts a launch lands on is AWS's choice. The simulation
// assumes the dearest case, that free hosts are the youngest ones: a failed
// launch is likely to have been on one that was allocated for it, and AWS keeps
// a host for 24 hours at least.
type simulation struct {
	process
	state
	now time.Duration

	quiet   bool  // nothing fails
	clock   clock // of failures at a given rate
	failing queue // launches that will fail; in a loop only
	scrubs  queue // hosts that will be free again
	extras  []some
	// fullSince is when the last free host was taken, never if one is free.
	fullSince time.Duration
	found     simulated
}

// simulated is the outcome of a simulation.
type simulated struct {
	peak        int64
	exhausted   bool
	full, short time.Duration
}

// some are a number of hosts or slots and a moment.
type some struct {
	at    time.Duration
	count int64
}

const never time.Duration = math.MaxInt64

// run simulates a process up to a moment, that moment included. The observer
// sees every span of time in which nothing changes.
func run(p process, until time.Duration, observe func(from, to time.Duration, s state)) simulated {
	s := &simulation{process: p, fullSince: never}
	s.running = min(p.desired, p.limit())
	s.allocated = s.running
	s.waiting = p.desired - s.running
	if s.waiting > 0 {
		s.found.exhausted = true
	}
	if s.quiet = p.still(); !s.quiet {
		s.clock = newClock(p.period)
		if p.loop {
			s.failing.add(some{s.clock.next, s.running})
		}
	}
	s.take()
	for {
		next := min(s.nextFailure(), s.scrubs.next(), s.nextRelease())
		if next > until {
			observe(s.now, until, s.state)
			return s.found
		}
		if next > s.now {
			observe(s.now, next, s.state)
		}
		s.now = next
		s.step()
	}
}

func (s *simulation) nextFailure() time.Duration {
	switch {
	case s.quiet:
		return never
	case s.loop:
		return s.failing.next()
	}
	return s.clock.next
}

// step lets everything happen that happens now.
func (s *simulation) step() {
	// A host that is free again only now is no spare one.
	spareBefore := s.free() + s.limit() - s.allocated
	for s.scrubs.next() == s.now {
		s.scrubbing -= s.scrubs.take().count
	}
	s.launch()

	failed := int64(0)
	if s.loop {
		for s.failing.next() == s.now {
			failed += s.failing.take().count
		}
	} else {
		for s.clock.next == s.now {
			failed++
			s.clock.tick()
		}
		failed = min(failed, s.running)
	}
	s.running -= failed
	s.waiting += failed
	if s.returns {
		s.scrubbing += failed
		if failed > 0 {
			s.scrubs.add(some{s.now + s.recycle, failed})
		}
	} else {
		s.gone += failed
	}
	s.launch()
	if failed > 0 && !s.found.exhausted && (spareBefore == 0 || s.waiting > 0) {
		s.found.exhausted = true
		s.found.short = s.now
		s.found.full = min(s.fullSince, s.now)
	}
	s.release()
	s.take()
}

// launch gives waiting slots a host: a free one, or a new one where the pool may
// grow.
func (s *simulation) launch() {
	if n := min(s.waiting-s.free(), s.limit()-s.allocated); n > 0 {
		s.allocated += n
		s.extras = append(s.extras, some{s.now, n})
	}
	n := min(s.waiting, s.free())
	if n == 0 {
		return
	}
	s.waiting -= n
	s.running += n
	if s.loop {
		s.failing.add(some{s.now + s.clock.period(), n})
	}
}

// take notes the peak, and since when no host is left.
func (s *simulation) take() {
	s.found.peak = max(s.found.peak, s.inUse())
	switch full := s.free() == 0 && s.allocated == s.limit(); {
	case !full:
		s.fullSince = never
	case s.fullSince == never:
		s.fullSince = s.now
	}
}

// oldestFree is the position in extras of the oldest host that is free, and how
// many free ones are there; false if none is.
func (s *simulation) oldestFree() (at int, count int64, ok bool) {
	if s.hold == keptForever || s.free() == 0 || len(s.extras) == 0 {
		return 0, 0, false
	}
	left := s.free()
	for at = len(s.extras) - 1; at > 0 && s.extras[at].count < left; at-- {
		left -= s.extras[at].count
	}
	return at, min(left, s.extras[at].count), true
}

func (s *simulation) nextRelease() time.Duration {
	at, _, ok := s.oldestFree()
	if !ok {
		return never
	}
	return s.extras[at].at + s.hold
}

// release lets the free additional hosts go that have been held long enough.
func (s *simulation) release() {
	for {
		at, count, ok := s.oldestFree()
		if !ok || s.extras[at].at+s.hold > s.now {
			return
		}
		s.allocated -= count
		if s.extras[at].count -= count; s.extras[at].count == 0 {
			s.extras = append(s.extras[:at], s.extras[at+1:]...)
		}
	}
}

// queue holds what is due at moments that never go back: every scrub takes the
// same time, and so does every cycle of a failing launch.
type queue struct {
	due  []some
	head int
}

func (q *queue) add(e some) {
	if e.count == 0 {
		return
	}
	if last := len(q.due) - 1; last >= q.head && q.due[last].at == e.at {
		q.due[last].count += e.count
		return
	}
	if q.head > 1024 && q.head > len(q.due)/2 {
		q.due = append(q.due[:0], q.due[q.head:]...)
		q.head = 0
	}
	q.due = append(q.due, e)
}

func (q *queue) next() time.Duration {
	if q.head == len(q.due) {
		return never
	}
	return q.due[q.head].at
}

func (q *queue) take() some {
	q.head++
	return q.due[q.head-1]
}

// clock ticks at multiples of a period that need not be a whole number of
// nanoseconds, each rounded down, so that no error adds up.
type clock struct {
	next        time.Duration
	step        time.Duration // whole nanoseconds of the period
	rest, denom int64         // and the fraction of one that is left
	carried     int64
}

func newClock(period *big.Rat) clock {
	whole, rest := new(big.Int).DivMod(period.Num(), period.Denom(), new(big.Int))
	c := clock{step: time.Duration(whole.Int64()), rest: rest.Int64(), denom: period.Denom().Int64()}
	c.tick()
	return c
}

func (c *clock) tick() {
	c.next += c.step
	if c.carried += c.rest; c.carried >= c.denom {
		c.carried -= c.denom
		c.next++
	}
}

// period is the period in whole nanoseconds.
func (c *clock) period() time.Duration { return c.step }
