package measure

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/catalog"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/textchart"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// Setting is what a measurement is compared with, all of it optional.
type Setting struct {
	Provisioned  optional.Value[units.MiBPerS]
	InstanceType string
	Ceiling      optional.Value[catalog.EBSCeiling]
}

const (
	// reached is the part of a limit from which it is what bounds, overshot the part
	// above which it cannot be: a volume that was idle is a tenth faster for a while.
	reached, overshot = 0.95, 1.12
	// steady is how far the seconds may lie apart at a limit, 10th to 90th percentile
	// as a part of the median: a throttle holds a flat line.
	steady = 0.1
)

// What bounds a measured rate.
const (
	BoundVolume   = "volume"
	BoundInstance = "instance"
	BoundLatency  = "latency"
	BoundUnknown  = "unknown"
)

// Verdict says what bounds a measured rate.
type Verdict struct {
	BoundBy string
	// Notes in the order in which they are to be read.
	Notes []string
}

// Judge compares a result with what is known.
func Judge(r Result, s Setting) Verdict {
	v := Verdict{BoundBy: BoundUnknown}
	rate := r.Counted.Rate()
	if rate == 0 {
		return v
	}
	if p, ok := s.Provisioned.Get(); ok {
		note := fmt.Sprintf("%s %% of the %s that are provisioned", percent(rate, p), p)
		c, hasCeiling := s.Ceiling.Get()
		switch {
		case hasCeiling && p > c.Maximum.Throughput():
			note += ", which are more than the instance carries"
		case r.at(p):
			v.BoundBy = BoundVolume
			note += ": the volume is the limit"
		case float64(rate) > overshot*float64(p):
			note += ": too fast for it, so another volume was read, or a cache"
		}
		v.Notes = append(v.Notes, note+".")
	}
	if c, ok := s.Ceiling.Get(); ok {
		most, sustained := c.Maximum.Throughput(), c.Sustained.Throughput()
		note := fmt.Sprintf("%s %% of the %s that %s carries for all its volumes together", percent(rate, most), most, s.InstanceType)
		if c.CanBurst() {
			note += fmt.Sprintf(" in bursts; it sustains %s", sustained)
		}
		if v.BoundBy == BoundUnknown && (r.at(most) || r.at(sustained)) {
			v.BoundBy = BoundInstance
			note += ": the instance is the limit"
		}
		v.Notes = append(v.Notes, note+".")
	}
	switch {
	case v.BoundBy != BoundUnknown:
	case r.Streams == 1 && s.lowest() == 0:
		v.Notes = append(v.Notes, fmt.Sprintf("What bounds it is not told: one stream waits for every read (%s for 1 MiB), so this may be the latency and not the speed of the disk. On EC2 Macs that ends at about 170 MB/s. Measure with --streams %d: if that is no faster, the disk is the limit.",
			r.Latency.Round(10*time.Microsecond), DefaultStreams))
	case r.Streams == 1 && float64(rate) < reached*float64(s.lowest()):
		v.BoundBy = BoundLatency
		v.Notes = append(v.Notes, fmt.Sprintf("One stream waits for every read (%s for 1 MiB), and it is below the limits that are known, so this is the latency and not the speed of the disk. On EC2 Macs it ends at about 170 MB/s. Use --streams %d.",
			r.Latency.Round(10*time.Microsecond), DefaultStreams))
	case s.lowest() > 0 && float64(rate) < reached*float64(s.lowest()):
		v.Notes = append(v.Notes, "It does not come near a limit: there is other load on the same instance, the volume is still being restored from its snapshot, or the streams are too few.")
	case s.lowest() > 0 && float64(rate) <= overshot*float64(s.lowest()):
		v.Notes = append(v.Notes, "It is near a limit on average only: a throttle holds a flat line, and this one swings.")
	}
	return v
}

// lowest is the lowest limit that is known; 0 if none is.
func (s Setting) lowest() units.MiBPerS {
	p, _ := s.Provisioned.Get()
	if c, ok := s.Ceiling.Get(); ok && (p == 0 || c.Maximum.Throughput() < p) {
		return c.Maximum.Throughput()
	}
	return p
}

// at says whether a result is held at a limit.
func (r Result) at(limit units.MiBPerS) bool {
	rate := float64(r.Counted.Rate())
	if rate < reached*float64(limit) || rate > overshot*float64(limit) {
		return false
	}
	low, mid, high, ok := r.Spread()
	return !ok || float64(high-low) <= steady*float64(mid)
}

func percent(rate, of units.MiBPerS) string {
	return units.Number(math.Round(float64(rate/of) * 100))
}

// Text writes a result. The path is written as it was given.
func (r Result) Text(w io.Writer, path string, t *Target, s Setting) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s GiB: %s of 1 MiB reads", path, units.Number(float64(t.Size())/(1<<30)), streams(r.Streams))
	if t.CacheNote == "" {
		b.WriteString(", past the page cache")
	}
	b.WriteString("\n")
	if t.CacheNote != "" {
		fmt.Fprintf(&b, "Careful: %s.\n", t.CacheNote)
	}
	b.WriteString("\n")
	rate := r.Counted.Rate()
	if rate == 0 {
		fmt.Fprintf(&b, "Interrupted in the first pass, which does not count: %s after %s.\n", both(r.FirstPass.Rate()), seconds(r.FirstPass.Elapsed))
		_, err := io.WriteString(w, b.String())
		return err
	}
	interrupted := ""
	if r.Interrupted {
		interrupted = " (interrupted)"
	}
	fmt.Fprintf(&b, "%s over %s%s\n", both(rate), seconds(r.Counted.Elapsed), interrupted)
	if low, mid, high, ok := r.Spread(); ok {
		fmt.Fprintf(&b, "per second: median %s, 10th to 90th percentile %s to %s MiB/s\n", tenths(mid), tenths(low), tenths(high))
	}
	for i, line := range textchart.Columns(floats(r.PerSecond)) {
		if i == 0 {
			line += " MiB/s"
		}
		fmt.Fprintf(&b, "  %s\n", line)
	}
	fmt.Fprintf(&b, "first pass, not counted: %s over %s\n", both(r.FirstPass.Rate()), seconds(r.FirstPass.Elapsed))
	for _, n := range Judge(r, s).Notes {
		fmt.Fprintf(&b, "→ %s\n", n)
	}
	if r.Short {
		fmt.Fprintf(&b, "→ Less than %s were measured: after idling a volume overshoots for a while, so the figure may be too high.\n", seconds(DefaultDuration))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func streams(n int) string {
	if n == 1 {
		return "1 stream"
	}
	return fmt.Sprintf("%d streams", n)
}

func both(r units.MiBPerS) string {
	return fmt.Sprintf("%s MB/s = %s MiB/s", tenths(r.MB()), tenths(r))
}

func tenths[T ~float64](f T) string { return units.Number(math.Round(float64(f)*10) / 10) }

func seconds(d time.Duration) string { return tenths(d.Seconds()) + " s" }

func floats(rs []units.MiBPerS) []float64 {
	out := make([]float64, len(rs))
	for i, r := range rs {
		out[i] = float64(r)
	}
	return out
}
