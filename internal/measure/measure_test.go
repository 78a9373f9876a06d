package measure

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

var update = flag.Bool("update", false, "write golden files anew")

// disk is a reader and its clock: a block takes as long as it is told, whichever
// stream asks, so that what is measured is known beforehand.
type disk struct {
	mu    sync.Mutex
	now   time.Time
	size  int64
	block func(elapsed time.Duration) time.Duration
	begin time.Time
	// offsets that were read, in order
	offsets []int64
	fail    func(offset int64) error
	// turns makes the streams take turns; nil lets the scheduler decide.
	turns *turns
}

// turns lets no stream get ahead of the others until a time.
type turns struct {
	cond  *sync.Cond
	share int64
	done  []int
	until time.Time
}

func (d *disk) takeTurns(streams int, until time.Duration) {
	d.turns = &turns{cond: sync.NewCond(&d.mu), share: d.size / int64(streams) / BlockBytes * BlockBytes, done: make([]int, streams), until: d.begin.Add(until)}
}

// wait waits for the others; d.mu is held.
func (t *turns) wait(d *disk, offset int64) {
	stream := offset / t.share
	for d.now.Before(t.until) && t.done[stream] > slices.Min(t.done) {
		t.cond.Wait()
	}
	t.done[stream]++
	t.cond.Broadcast()
}

func newDisk(size int64, block func(elapsed time.Duration) time.Duration) *disk {
	begin := time.Date(2026, 8, 2, 10, 0, 0, 0, time.UTC)
	return &disk{now: begin, begin: begin, size: size, block: block}
}

// at reads at a rate in MiB/s.
func at(rate float64) func(time.Duration) time.Duration {
	return func(time.Duration) time.Duration { return time.Duration(float64(time.Second) / rate) }
}

func (d *disk) Now() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.now
}

func (d *disk) ReadAt(p []byte, offset int64) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fail != nil {
		if err := d.fail(offset); err != nil {
			return 0, err
		}
	}
	if d.turns != nil {
		d.turns.wait(d, offset)
	}
	d.offsets = append(d.offsets, offset)
	d.now = d.now.Add(d.block(d.now.Sub(d.begin)))
	return len(p), nil
}

func (d *disk) target() *Target { return &Target{reader: d, closer: io.NopCloser(nil), size: d.size} }

func run(t *testing.T, d *disk, o Options) Result {
	t.Helper()
	o.Clock = d
	r, err := Run(t.Context(), d.target(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const gib = 1 << 30

func near(got, want, part float64) bool { return math.Abs(got-want) <= part*want }

func TestRate(t *testing.T) {
	for _, streams := range []int{1, 8, 64} {
		d := newDisk(2*gib, at(500))
		r := run(t, d, Options{Streams: streams})
		if !near(float64(r.Counted.Rate()), 500, 0.01) || r.Counted.Elapsed != DefaultDuration || r.Interrupted || r.Short {
			t.Errorf("%d streams: %+v", streams, r)
		}
		if len(r.PerSecond) != 30 {
			t.Errorf("%d streams: %d seconds", streams, len(r.PerSecond))
		}
		low, mid, high, ok := r.Spread()
		if !ok || !near(float64(low), 500, 0.05) || !near(float64(mid), 500, 0.02) || !near(float64(high), 500, 0.05) {
			t.Errorf("%d streams: %v to %v to %v", streams, low, mid, high)
		}
		// All of it was read once before: 2 GiB at 500 MiB/s.
		if !near(r.FirstPass.Elapsed.Seconds(), 4.096, 0.05) {
			t.Errorf("%d streams: the first pass took %s", streams, r.FirstPass.Elapsed)
		}
	}
	// One stream waits for each block.
	if r := run(t, newDisk(2*gib, at(162)), Options{Streams: 1}); !near(r.Latency.Seconds(), 1.0/162, 0.01) {
		t.Errorf("latency %s", r.Latency)
	}
}

// A volume that was idle is faster at first: that does not count.
func TestFirstPassDoesNotCount(t *testing.T) {
	d := newDisk(100*gib, func(elapsed time.Duration) time.Duration {
		if elapsed < 25*time.Second {
			return at(138)(elapsed)
		}
		return at(125)(elapsed)
	})
	r := run(t, d, Options{})
	if !near(float64(r.Counted.Rate()), 125, 0.01) || r.FirstPass.Rate() < 130 {
		t.Errorf("counted %v, first pass %v", r.Counted.Rate(), r.FirstPass.Rate())
	}
	if !near(r.FirstPass.Elapsed.Seconds(), 30, 0.01) {
		t.Errorf("the first pass took %s", r.FirstPass.Elapsed)
	}
	// A fast one has read its 8 GiB sooner.
	if r := run(t, newDisk(100*gib, at(1024)), Options{}); !near(r.FirstPass.Elapsed.Seconds(), 8, 0.01) {
		t.Errorf("the first pass of a fast disk took %s", r.FirstPass.Elapsed)
	}
}

// The streams read parts of their own, spread over the whole, in whole blocks,
// from start to end and again.
func TestOffsets(t *testing.T) {
	const blocks = 16
	d := newDisk(8*blocks*BlockBytes+12345, at(100))
	d.takeTurns(8, 10*time.Second)
	run(t, d, Options{Streams: 8, Duration: 10 * time.Second, FirstPass: time.Second})
	count := map[int64]int{}
	for _, o := range d.offsets {
		if o%BlockBytes != 0 || o < 0 || o+BlockBytes > d.size {
			t.Fatalf("a block at %d of %d", o, d.size)
		}
		count[o]++
	}
	if len(count) != 8*blocks {
		t.Errorf("%d of %d blocks were read", len(count), 8*blocks)
	}
}

func TestInterrupted(t *testing.T) {
	for name, tc := range map[string]struct {
		after   time.Duration
		counted bool
	}{"in the first pass": {10 * time.Second, false}, "while measuring": {41 * time.Second, true}} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			d := newDisk(100*gib, at(125))
			d.fail = func(int64) error {
				if d.now.Sub(d.begin) > tc.after {
					cancel()
				}
				return nil
			}
			r, err := Run(ctx, d.target(), Options{Clock: d})
			if err != nil {
				t.Fatal(err)
			}
			if !r.Interrupted || !r.Short || (r.Counted.Bytes > 0) != tc.counted {
				t.Errorf("%+v", r)
			}
			if tc.counted && !near(float64(r.Counted.Rate()), 125, 0.02) {
				t.Errorf("%v", r.Counted.Rate())
			}
		})
	}
}

func TestReadFails(t *testing.T) {
	broken := errors.New("input/output error")
	d := newDisk(gib, at(100))
	d.fail = func(offset int64) error {
		if offset == 3*BlockBytes {
			return &os.PathError{Op: "read", Path: "/secret/path", Err: broken}
		}
		return nil
	}
	_, err := Run(t.Context(), d.target(), Options{Clock: d, Streams: 1})
	if !errors.Is(err, broken) || err.Error() != "reading at byte 3145728: input/output error" {
		t.Errorf("%v", err)
	}
	d.fail = func(int64) error { return io.EOF }
	if _, err := Run(t.Context(), d.target(), Options{Clock: d}); !errors.Is(err, errShrank) {
		t.Errorf("a file that shrank: %v", err)
	}
}

func TestOptions(t *testing.T) {
	d := newDisk(gib, at(100))
	for _, streams := range []int{-1, MaxStreams + 1} {
		if _, err := Run(t.Context(), d.target(), Options{Clock: d, Streams: streams}); err == nil {
			t.Errorf("%d streams", streams)
		}
	}
	var small *SizeError
	tooSmall, enough := newDisk(8*BlockBytes-1, at(100)), newDisk(8*BlockBytes, at(100))
	_, err := Run(t.Context(), tooSmall.target(), Options{Clock: tooSmall})
	if !errors.As(err, &small) || small.Needed != 8*BlockBytes {
		t.Errorf("a MiB too little: %v", err)
	}
	if _, err := Run(t.Context(), enough.target(), Options{Clock: enough, Streams: 8, Duration: time.Nanosecond}); err != nil {
		t.Errorf("just enough: %v", err)
	}
}

func TestProgress(t *testing.T) {
	d := newDisk(2*gib, at(500))
	var seen []Progress
	run(t, d, Options{Progress: func(p Progress) { seen = append(seen, p) }})
	counted := 0
	for i, p := range seen {
		if p.Counted {
			counted++
		} else if counted > 0 {
			t.Errorf("report %d is of the first pass again", i)
		}
	}
	// 4.1 s of the first pass and 30 s of the rest, once a second from the start.
	if first := len(seen) - counted; first != 5 || counted != 30 {
		t.Errorf("%d reports of the first pass, %d of the rest", first, counted)
	}
}

// measured is a result of a rate in MiB/s in each second.
func measured(streams, seconds int, rate func(second int) float64) Result {
	r := Result{Streams: streams, FirstPass: Part{Bytes: 4 * gib, Elapsed: 8 * time.Second}, Latency: 6173 * time.Microsecond}
	for i := range seconds {
		r.PerSecond = append(r.PerSecond, units.MiBPerS(rate(i)))
		r.Counted.Bytes += int64(rate(i) * BlockBytes)
	}
	r.Counted.Elapsed = time.Duration(seconds) * time.Second
	r.Short = r.Counted.Elapsed < DefaultDuration
	return r
}

func TestText(t *testing.T) {
	ceiling := func(typ string) optional.Value[catalog.EBSCeiling] {
		i, ok := catalog.Embedded().Instance(typ)
		if !ok {
			t.Fatalf("%s is not in the table", typ)
		}
		return i.EBS
	}
	flat := func(rate float64) Result { return measured(8, 30, func(i int) float64 { return rate + float64(i%3) }) }
	oneStream := func(rate float64) Result { return measured(1, 30, func(int) float64 { return rate }) }
	interrupted := flat(500)
	interrupted.Interrupted = true
	for name, tc := range map[string]struct {
		result  Result
		note    string
		setting Setting
		bound   string
	}{
		"volume": {
			result: flat(749), setting: Setting{Provisioned: optional.Known(units.MiBPerS(750)), InstanceType: "mac2-m2pro.metal", Ceiling: ceiling("mac2-m2pro.metal")},
			bound: BoundVolume,
		},
		"instance": {
			result: flat(952), setting: Setting{Provisioned: optional.Known(units.MiBPerS(1000)), InstanceType: "mac2-m2pro.metal", Ceiling: ceiling("mac2-m2pro.metal")},
			bound: BoundInstance,
		},
		"sustained": {
			result: flat(148), setting: Setting{InstanceType: "m8a.xlarge", Ceiling: ceiling("m8a.xlarge")},
			bound: BoundInstance,
		},
		"one_stream": {
			result: oneStream(162), setting: Setting{Provisioned: optional.Known(units.MiBPerS(750))},
			bound: BoundLatency,
		},
		"one_stream_at_the_limit": {
			result: oneStream(125), setting: Setting{Provisioned: optional.Known(units.MiBPerS(125))},
			bound: BoundVolume,
		},
		// Nothing is known that it could be compared with, so the volume may be the
		// limit all the same.
		"one_stream_alone": {result: oneStream(125), bound: BoundUnknown},
		"one_stream_too_fast": {
			result: oneStream(900), setting: Setting{Provisioned: optional.Known(units.MiBPerS(125))},
			bound: BoundUnknown,
		},
		"wobbling": {
			result:  measured(8, 90, func(i int) float64 { return 400 + 150*math.Sin(float64(i)/5) }),
			setting: Setting{Provisioned: optional.Known(units.MiBPerS(400))},
			bound:   BoundUnknown,
		},
		"too_fast": {
			result: flat(5000), note: "the file is in memory, not on a disk", setting: Setting{Provisioned: optional.Known(units.MiBPerS(125))},
			bound: BoundUnknown,
		},
		"below_both": {
			result: flat(300), setting: Setting{Provisioned: optional.Known(units.MiBPerS(750)), InstanceType: "mac2-m2pro.metal", Ceiling: ceiling("mac2-m2pro.metal")},
			bound: BoundUnknown,
		},
		"short":                         {result: measured(8, 2, func(int) float64 { return 500 }), bound: BoundUnknown},
		"interrupted":                   {result: interrupted, bound: BoundUnknown},
		"interrupted_in_the_first_pass": {result: Result{Streams: 8, FirstPass: Part{Bytes: 500 << 20, Elapsed: 5 * time.Second}, Interrupted: true}, bound: BoundUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			if v := Judge(tc.result, tc.setting); v.BoundBy != tc.bound {
				t.Errorf("bound by %s, want %s", v.BoundBy, tc.bound)
			}
			target := newDisk(100*gib, at(1)).target()
			target.CacheNote = tc.note
			var got bytes.Buffer
			if err := tc.result.Text(&got, "/dev/rdisk4", target, tc.setting); err != nil {
				t.Fatal(err)
			}
			golden(t, name, got.String())
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Whatever the disk does, what is counted is what the seconds add up to, but for
// the last part of a second.
func TestSecondsAddUp(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		speeds := rapid.SliceOfN(rapid.Float64Range(20, 400), 1, 20).Draw(rt, "speeds")
		d := newDisk(64<<20, func(elapsed time.Duration) time.Duration {
			return at(speeds[int(elapsed/time.Second)%len(speeds)])(elapsed)
		})
		streams := rapid.IntRange(1, 16).Draw(rt, "streams")
		duration := time.Duration(rapid.IntRange(1, 20_000).Draw(rt, "ms")) * time.Millisecond
		r, err := Run(t.Context(), d.target(), Options{Clock: d, Streams: streams, Duration: duration, FirstPass: time.Second})
		if err != nil {
			rt.Fatal(err)
		}
		if r.Counted.Elapsed != duration || len(r.PerSecond) != int(duration/time.Second) {
			rt.Errorf("%s, %d seconds", r.Counted.Elapsed, len(r.PerSecond))
		}
		sum := 0.0
		for _, s := range r.PerSecond {
			sum += float64(s)
		}
		total := float64(r.Counted.Bytes) / BlockBytes
		if sum > total || sum < total-400*1.1 {
			rt.Errorf("the seconds add up to %v MiB, counted were %v", sum, total)
		}
	})
}
