package hostpool

import (
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// The closed forms have to say what the simulation does, event by event, for
// any pool. Paces are drawn so that periods and scrubs often meet at the same
// moment, where an off-by-one would hide.
func TestClosedFormsAgreeWithTheSimulation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := process{
			desired: rapid.Int64Range(0, 12).Draw(t, "desired"),
			max:     rapid.Int64Range(1, 40).Draw(t, "max"),
			grows:   rapid.Bool().Draw(t, "grows"),
			loop:    rapid.Bool().Draw(t, "loop"),
			returns: rapid.Bool().Draw(t, "returns"),
			recycle: time.Duration(rapid.Int64Range(1, 30).Draw(t, "recycle")) * 10 * time.Minute,
			hold:    keptForever,
		}
		if p.loop {
			p.period = nanoseconds(time.Duration(rapid.Int64Range(1, 12).Draw(t, "cycle")) * 5 * time.Minute)
		} else {
			// Halves of an hour to sevenths of a day: some periods are no whole number
			// of nanoseconds.
			p.period = new(big.Rat).Quo(nanoseconds(24*time.Hour), big.NewRat(rapid.Int64Range(1, 400).Draw(t, "failures"), rapid.Int64Range(1, 7).Draw(t, "days")))
		}
		if rapid.Bool().Draw(t, "released") {
			p.hold = time.Duration(rapid.Int64Range(24, 40).Draw(t, "hold")) * time.Hour
		}
		want := p.settle()

		// Everything that will ever happen for the first time has happened by then.
		settled := 20*24*time.Hour + p.hold + p.recycle
		if full := want.short; full != nil {
			settled = max(settled, toDuration(full)+time.Hour)
		}
		got := run(p, settled, func(time.Duration, time.Duration, state) {})

		if got.exhausted != want.exhausted {
			t.Fatalf("exhausted: simulated %v, closed form %v", got.exhausted, want.exhausted)
		}
		wantPeak := want.peak
		if !p.returns && !want.exhausted {
			t.Skip("the peak is reached only at the horizon")
		}
		if got.peak != wantPeak {
			t.Errorf("peak: simulated %d, closed form %d", got.peak, wantPeak)
		}
		if want.exhausted {
			if f := toDuration(want.full); got.full != f {
				t.Errorf("full: simulated after %s, closed form %s", got.full, f)
			}
			if f := toDuration(want.short); got.short != f {
				t.Errorf("short: simulated after %s, closed form %s", got.short, f)
			}
			return
		}

		// The average over whole turns of allocating and releasing: as many periods as
		// begin while a host is held.
		turn := new(big.Rat).Set(nanoseconds(time.Hour))
		if !p.still() {
			turn.Set(p.period)
			if p.hold != keptForever {
				turn.Mul(turn, new(big.Rat).SetInt(new(big.Int).Add(floor(new(big.Rat).Quo(nanoseconds(p.hold), p.period)), big.NewInt(1))))
			}
		}
		from := toDuration(new(big.Rat).Mul(turn, new(big.Rat).SetInt64(int64(settled/toDuration(turn))+1)))
		to := from + toDuration(new(big.Rat).Mul(turn, big.NewRat(7, 1)))
		var hostTime float64
		run(p, to, func(a, b time.Duration, s state) {
			if a, b = max(a, from), min(b, to); b > a {
				hostTime += float64(s.billed(p)-p.desired) * float64(b-a)
			}
		})
		average := hostTime / float64(to-from)
		if e := ratio(want.extra); average < e-1e-6 || average > e+1e-6 {
			t.Errorf("additional hosts on average: simulated %v, closed form %v", average, e)
		}
	})
}

// Whatever happens, hosts are neither made up nor lost.
func TestSimulationKeepsCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyProcess(t)
		last := time.Duration(0)
		run(p, 100*time.Hour, func(from, to time.Duration, s state) {
			if from != last || to < from {
				t.Fatalf("a span from %s to %s follows one that ended at %s", from, to, last)
			}
			last = to
			switch {
			case s.running < 0 || s.scrubbing < 0 || s.gone < 0 || s.waiting < 0 || s.free() < 0:
				t.Fatalf("negative: %+v", s)
			case s.running+s.waiting != p.desired:
				t.Fatalf("%d slots, %d desired", s.running+s.waiting, p.desired)
			case s.allocated > p.limit():
				t.Fatalf("%d allocated, limit %d", s.allocated, p.limit())
			case s.allocated < min(p.desired, p.limit()):
				t.Fatalf("%d allocated, fewer than desired", s.allocated)
			case s.waiting > 0 && (s.free() > 0 || s.allocated < p.limit()):
				t.Fatalf("a slot waits although there is room: %+v", s)
			case p.returns && s.gone > 0, !p.returns && s.scrubbing > 0:
				t.Fatalf("hosts in a state they cannot have: %+v", s)
			}
		})
		if last != 100*time.Hour {
			t.Fatalf("stopped after %s", last)
		}
	})
}

// Of the free hosts, which are the youngest, the oldest are released first.
func TestOldestFree(t *testing.T) {
	s := &simulation{process: process{hold: 24 * time.Hour}, extras: []some{{1 * time.Hour, 2}, {2 * time.Hour, 3}, {3 * time.Hour, 1}}}
	for _, c := range []struct {
		free  int64
		at    int
		count int64
	}{{0, 0, 0}, {1, 2, 1}, {2, 1, 1}, {4, 1, 3}, {5, 0, 1}, {6, 0, 2}, {9, 0, 2}} {
		s.state = state{allocated: 10, running: 10 - c.free}
		at, count, ok := s.oldestFree()
		if ok != (c.free > 0) || at != c.at || count != c.count {
			t.Errorf("%d free: %d of position %d (%v), want %d of %d", c.free, count, at, ok, c.count, c.at)
		}
	}
	s.hold = keptForever
	if _, _, ok := s.oldestFree(); ok {
		t.Error("a host that is kept for ever is released")
	}
}

func anyProcess(t *rapid.T) process {
	p := process{
		desired: rapid.Int64Range(0, 30).Draw(t, "desired"),
		max:     rapid.Int64Range(1, 50).Draw(t, "max"),
		grows:   rapid.Bool().Draw(t, "grows"),
		loop:    rapid.Bool().Draw(t, "loop"),
		returns: rapid.Bool().Draw(t, "returns"),
		recycle: time.Duration(rapid.Int64Range(60, 10*3600).Draw(t, "recycle")) * time.Second,
		hold:    rapid.SampledFrom([]time.Duration{keptForever, 24 * time.Hour, 25*time.Hour + time.Second, 48 * time.Hour}).Draw(t, "hold"),
	}
	if p.loop {
		p.period = nanoseconds(time.Duration(rapid.Int64Range(60, 20_000).Draw(t, "cycle")) * time.Second)
	} else {
		p.period = new(big.Rat).Quo(nanoseconds(24*time.Hour), big.NewRat(rapid.Int64Range(1, 500_000).Draw(t, "failures"), 1000))
	}
	return p
}
