// Package measure reads a device or a file as fast as it goes and says how fast
// that was: the measurement that eight dd's at spread offsets do by hand. It
// opens its target for reading and has no way to write to it.
package measure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

const (
	// BlockBytes is what one read asks for.
	BlockBytes = 1 << 20
	// DefaultStreams are enough to saturate an EC2 Mac, whose single readers are
	// bound by latency at about 170 MB/s.
	DefaultStreams = 8
	// MaxStreams bounds memory: a stream has one block.
	MaxStreams = 256
	// DefaultDuration is the shortest window that a brief overshoot after idling
	// does not distort.
	DefaultDuration = 30 * time.Second
	// DefaultFirstPass is the longest that the first pass may take.
	DefaultFirstPass = 30 * time.Second
	// firstPassBytes ends the first pass: eight streams of 1 GiB.
	firstPassBytes = 8 << 30
)

// Options of a measurement. The zero value of a member is its default.
type Options struct {
	// Streams that read at the same time, each its own part of the target.
	Streams int
	// Duration of the measured part.
	Duration time.Duration
	// FirstPass is how long the part before it may take, which does not count: it
	// ends earlier when all of the target was read once, or 8 GiB of it. A volume
	// that was idle overshoots in it, and one restored from a snapshot is slower.
	FirstPass time.Duration
	Clock     Clock
	// Progress is called about once a second, from one goroutine at a time.
	Progress func(Progress)
}

// Progress is how far a measurement is.
type Progress struct {
	// Counted is false in the first pass.
	Counted bool
	// Elapsed in this part, and the rate since it began.
	Elapsed time.Duration
	Rate    units.MiBPerS
}

// Result is what was measured.
type Result struct {
	Streams int
	// FirstPass is the part that does not count.
	FirstPass Part
	// Counted is the measured part; its Elapsed is 0 if it did not begin.
	Counted Part
	// PerSecond is the rate in each whole second of the measured part.
	PerSecond []units.MiBPerS
	// Latency is the mean time that one read of a block took.
	Latency time.Duration
	// Interrupted says that it was ended before its time.
	Interrupted bool
	// Short says that the measured part was shorter than DefaultDuration.
	Short bool
}

// Part of a measurement.
type Part struct {
	Bytes   int64
	Elapsed time.Duration
}

// Rate is the average of a part; 0 if it did not take any time.
func (p Part) Rate() units.MiBPerS {
	if p.Elapsed <= 0 {
		return 0
	}
	return units.MiBPerS(float64(p.Bytes) / BlockBytes / p.Elapsed.Seconds())
}

// Spread are the 10th, 50th and 90th percentile of the seconds; ok is false with
// fewer than three of them.
func (r Result) Spread() (low, mid, high units.MiBPerS, ok bool) {
	if len(r.PerSecond) < 3 {
		return 0, 0, 0, false
	}
	s := slices.Sorted(slices.Values(r.PerSecond))
	at := func(part float64) units.MiBPerS { return s[int(math.Round(part*float64(len(s)-1)))] }
	return at(0.1), at(0.5), at(0.9), true
}

// Run measures a target. It ends early, with what was measured until then, when
// ctx is cancelled; that is no error. An error is a read that failed.
func Run(ctx context.Context, t *Target, o Options) (Result, error) {
	o = o.withDefaults()
	if o.Streams < 1 || o.Streams > MaxStreams {
		return Result{}, fmt.Errorf("the number of streams must be 1 to %d", MaxStreams)
	}
	share := t.size / int64(o.Streams) / BlockBytes * BlockBytes
	if share == 0 {
		return Result{}, &SizeError{Size: t.size, Needed: int64(o.Streams) * BlockBytes}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	m := newMeter(o, min(firstPassBytes, share*int64(o.Streams)))
	buffers := make([][]byte, o.Streams)
	for i := range buffers {
		b, release, err := alignedBuffer(BlockBytes)
		if err != nil {
			return Result{}, fmt.Errorf("no memory for a stream: %w", err)
		}
		defer release()
		buffers[i] = b
	}
	var streams sync.WaitGroup
	for i := range o.Streams {
		streams.Go(func() {
			if err := read(ctx, t.reader, buffers[i], int64(i)*share, share, m); err != nil {
				cancel(err)
			}
		})
	}
	streams.Wait()
	result := m.result()
	if err := context.Cause(ctx); err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return result, err
	}
	return result, nil
}

func (o Options) withDefaults() Options {
	if o.Streams == 0 {
		o.Streams = DefaultStreams
	}
	if o.Duration == 0 {
		o.Duration = DefaultDuration
	}
	if o.FirstPass == 0 {
		o.FirstPass = DefaultFirstPass
	}
	if o.Clock == nil {
		o.Clock = SystemClock{}
	}
	return o
}

// read is one stream: it reads its part from start to end, again and again,
// until the meter has enough.
func read(ctx context.Context, r io.ReaderAt, buffer []byte, start, length int64, m *meter) error {
	for offset := start; ctx.Err() == nil; {
		before := m.clock.Now()
		n, err := r.ReadAt(buffer, offset)
		if err != nil {
			return fmt.Errorf("reading at byte %d: %w", offset, plain(err))
		}
		if !m.add(int64(n), before) {
			return nil
		}
		if offset += BlockBytes; offset >= start+length {
			offset = start
		}
	}
	return nil
}

// errShrank is an end of the file where there was none at the start.
var errShrank = errors.New("the file ends here, which it did not when it was opened")

// plain takes the name of the file out of an error, which the caller has.
func plain(err error) error {
	if errors.Is(err, io.EOF) {
		return errShrank
	}
	return reason(err)
}

// meter counts what the streams read.
type meter struct {
	clock    Clock
	o        Options
	passOver int64 // bytes that end the first pass

	mu       sync.Mutex
	began    time.Time
	counting bool
	over     bool
	first    Part
	counted  Part
	seconds  []int64 // bytes read in each second of the measured part
	blocks   int64
	reading  time.Duration // in all streams together, in the measured part
	reported int64         // the last second that Progress was told of
}

func newMeter(o Options, passOver int64) *meter {
	return &meter{clock: o.Clock, o: o, passOver: passOver, began: o.Clock.Now(), reported: -1}
}

// add counts a block whose read began at a time. It is false when there is
// enough.
func (m *meter) add(n int64, before time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.clock.Now()
	elapsed := now.Sub(m.began)
	if !m.counting {
		m.first.Bytes += n
		m.first.Elapsed = elapsed
		m.progress(m.first)
		if elapsed >= m.o.FirstPass || m.first.Bytes >= m.passOver {
			m.counting, m.began, m.reported = true, now, -1
		}
		return true
	}
	if m.over || elapsed >= m.o.Duration {
		// What ends after the window is not in it: its part before is not known.
		m.over = true
		m.counted.Elapsed = m.o.Duration
		return false
	}
	m.counted.Bytes += n
	m.counted.Elapsed = elapsed
	m.blocks++
	m.reading += now.Sub(before)
	second := int(elapsed / time.Second)
	for len(m.seconds) <= second {
		m.seconds = append(m.seconds, 0)
	}
	m.seconds[second] += n
	m.progress(m.counted)
	return true
}

// progress tells about a part, once a second.
func (m *meter) progress(p Part) {
	second := int64(p.Elapsed / time.Second)
	if m.o.Progress == nil || second == m.reported {
		return
	}
	m.reported = second
	m.o.Progress(Progress{Counted: m.counting, Elapsed: p.Elapsed, Rate: p.Rate()})
}

func (m *meter) result() Result {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := Result{
		Streams: m.o.Streams, FirstPass: m.first, Counted: m.counted,
		Interrupted: !m.over,
		Short:       m.counted.Elapsed < DefaultDuration,
	}
	whole := int(m.counted.Elapsed / time.Second)
	for i := range whole {
		bytes := int64(0)
		if i < len(m.seconds) {
			bytes = m.seconds[i]
		}
		r.PerSecond = append(r.PerSecond, units.MiBPerS(float64(bytes)/BlockBytes))
	}
	if m.blocks > 0 {
		r.Latency = m.reading / time.Duration(m.blocks)
	}
	return r
}
