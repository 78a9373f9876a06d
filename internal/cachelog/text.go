package cachelog

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// Text writes what a log says of each transfer.
func (l *Log) Text(w io.Writer, s Setting) error {
	var b strings.Builder
	s = s.With(l)
	for _, t := range l.Transfers {
		t.text(&b, s)
	}
	if l.Misses > 0 {
		fmt.Fprintf(&b, "Look-ups without an entry: %s\n", units.Count(int64(l.Misses)))
	}
	if l.Skipped > 0 {
		fmt.Fprintf(&b, "%s more transfers are not shown.\n", units.Count(int64(l.Skipped)))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (t Transfer) text(b *strings.Builder, s Setting) {
	fmt.Fprintf(b, "%s of %s", t.Direction, Size(t.Bytes))
	if t.Bytes >= mib {
		fmt.Fprintf(b, " (%s bytes)", units.Count(t.Bytes))
	}
	if !t.Complete {
		fmt.Fprintf(b, ", broken off after %s", Size(t.Moved))
	}
	b.WriteString("\n")
	if seconds, ok := t.Seconds.Get(); ok {
		line := fmt.Sprintf("%s s", tenths(seconds))
		if rate, ok := t.Rate().Get(); ok {
			line += fmt.Sprintf(", %s MB/s = %s MiB/s", tenths(float64(rate.MB())), tenths(float64(rate)))
			if t.StalledSeconds > 0 {
				line += " while it moved"
			}
			line += ` (the log's "MBs/sec" are MiB/s)`
		}
		fmt.Fprintf(b, "  %s\n", line)
	}
	if unpack, ok := t.UnpackSeconds.Get(); ok {
		fmt.Fprintf(b, "  unpacking took another %s s\n", tenths(unpack))
	}
	v := Judge(t, s)
	fmt.Fprintf(b, "  bound by: %s. %s\n", v.BoundBy, v.Means)
	if at, ok := AtLink(t, s.Link).Get(); ok && at >= 0.05 {
		fmt.Fprintf(b, "  at the full rate of the link: %s s\n", tenths(at))
	}
	if v.ToDo != "" {
		fmt.Fprintf(b, "  → %s\n", v.ToDo)
	}
	b.WriteString("\n")
}

func tenths(f float64) string { return units.Number(math.Round(f*10) / 10) }
