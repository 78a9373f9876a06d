package iostat

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/textchart"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

// Text writes what a report says of each device. Devices that were idle are
// named in one line.
func (r *Report) Text(w io.Writer, setting Setting) error {
	var b strings.Builder
	var idle []string
	for _, d := range r.Devices {
		v := Classify(d, setting)
		if v.Kind == Idle {
			idle = append(idle, printable(d.Name))
			continue
		}
		d.text(&b, v)
	}
	if len(idle) > 0 {
		fmt.Fprintf(&b, "Idle: %s\n", strings.Join(idle, ", "))
	}
	if r.SkippedDevices > 0 {
		fmt.Fprintf(&b, "Only the first %d devices are looked at.\n", maxDevices)
	}
	if r.SkippedLines > 0 {
		fmt.Fprintf(&b, "%s lines were not understood and left out.\n", units.Count(int64(r.SkippedLines)))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (d *Device) text(b *strings.Builder, v Verdict) {
	fmt.Fprintf(b, "%s: %s\n", printable(d.Name), v.headline())
	fmt.Fprintf(b, "  %s\n  → %s\n", v.Means, v.ToDo)
	figures := []string{fmt.Sprintf("IOPS %s (10th to 90th percentile %s to %s)", whole(v.IOPS), whole(v.LowIOPS), whole(v.HighIOPS))}
	if t, ok := v.Throughput.Get(); ok {
		figures = append(figures, fmt.Sprintf("%s = %s", t, t.MB()))
	}
	if k, ok := v.KiBPerIO.Get(); ok {
		figures = append(figures, fmt.Sprintf("%s KiB an I/O", units.Number(k)))
	}
	if s, ok := v.ReadShare.Get(); ok {
		figures = append(figures, fmt.Sprintf("%s %% reads", whole(s*100)))
	}
	fmt.Fprintf(b, "  %s\n", strings.Join(figures, ", "))
	fmt.Fprintf(b, "  %d samples under load of %s; the first was left out (it is the average since boot)\n", v.UnderLoad, units.Count(int64(d.Seen)))
	iops := make([]float64, len(d.Samples))
	for i, s := range d.Samples {
		iops[i] = s.IOPS
	}
	for i, line := range textchart.Columns(iops) {
		if i == 0 {
			line += " IOPS"
		}
		fmt.Fprintf(b, "  %s\n", line)
	}
	b.WriteString("\n")
}

func (v Verdict) headline() string {
	switch v.Kind {
	case VolumeIOPS:
		return fmt.Sprintf("flat at %s IOPS: volume throttle (%s IOPS provisioned)", whole(v.IOPS), units.Number(v.Limit))
	case VolumeThroughput:
		t, _ := v.Throughput.Get()
		return fmt.Sprintf("flat at %s: volume throttle (%s MiB/s provisioned)", t, units.Number(v.Limit))
	case Instance:
		return "flat at the ceiling of the instance"
	case Steady:
		return fmt.Sprintf("flat at %s, at no known limit", v.plateau(v.steadyIOPS))
	case Fluctuating:
		return fmt.Sprintf("fluctuating around %s IOPS: not the volume", whole(v.IOPS))
	case TooShort:
		return "too few samples"
	case Idle:
	}
	return "idle"
}

func whole(f float64) string { return units.Number(math.Round(f)) }

// printable keeps control characters of a hostile file off the terminal, and
// long names short.
func printable(s string) string {
	const most = 40
	runes := []rune(s)
	if len(runes) > most {
		runes = append(runes[:most], '…')
	}
	return string(slices.DeleteFunc(runes, func(r rune) bool { return r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) }))
}
