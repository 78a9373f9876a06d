package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/measure"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/units"
)

func (a *app) measureCommand() *cobra.Command {
	var o measure.Options
	var format, instanceType string
	var provisioned float64
	c := &cobra.Command{
		Use:   "measure DEVICE|FILE",
		Short: "Measure how fast a disk or a file can be read",
		Long: `Reads a device or a large file with several streams at spread offsets, past the
page cache where the system allows it, and says how fast that was. It opens what
it measures for reading only. A first pass is not counted: a volume that was idle
overshoots in it, and one restored from a snapshot is slower. Ctrl-C prints what
was measured until then.

On macOS use the raw device (/dev/rdisk4, with sudo). Devices are numbered anew at
every boot: look with diskutil list which one it is.`,
		Example: "  sudo runnerfit measure /dev/nvme1n1 --provisioned 750 --instance-type m8a.2xlarge\n  runnerfit measure image.raw --streams 1",
		Args:    takes(1, 1, "one device, or a large file"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := cmp.Or(checkFormat(format), notNegative("--provisioned", provisioned)); err != nil {
				return err
			}
			switch {
			case o.Streams < 1 || o.Streams > measure.MaxStreams:
				return fmt.Errorf("--streams: must be 1 to %d", measure.MaxStreams)
			case o.Duration <= 0 || o.FirstPass <= 0:
				return errors.New("--duration and --first-pass: must be more than 0")
			}
			ceiling, err := instanceCeiling(instanceType)
			if err != nil {
				return err
			}
			path := args[0]
			target, err := measure.Open(path)
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			defer target.Close()
			clearProgress := func() {}
			if isTerminal(a.stderr) {
				o.Progress, clearProgress = a.measureProgress(o)
			}
			result, err := measure.Run(c.Context(), target, o)
			clearProgress()
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			setting := measure.Setting{Provisioned: given(provisioned), InstanceType: instanceType, Ceiling: ceiling}
			if format == formatJSON {
				return printJSON(a.stdout, measureJSON(path, target, result, setting))
			}
			return result.Text(a.stdout, path, target, setting)
		},
	}
	c.Flags().IntVar(&o.Streams, "streams", measure.DefaultStreams, "how many streams read at the same time")
	c.Flags().DurationVar(&o.Duration, "duration", measure.DefaultDuration, "how long to measure; less than 30s is not to be trusted")
	c.Flags().DurationVar(&o.FirstPass, "first-pass", measure.DefaultFirstPass, "how long the first pass may take, which is not counted")
	c.Flags().Float64Var(&provisioned, "provisioned", 0, "MiB/s that the volume is provisioned with, to compare")
	c.Flags().StringVar(&instanceType, "instance-type", "", "EC2 instance type, to compare with what it carries")
	formatFlag(c, &format)
	return c
}

// measureProgress writes one line on the terminal again and again, and clears
// it at the end.
func (a *app) measureProgress(o measure.Options) (report func(measure.Progress), clearLine func()) {
	const clearCode = "\r\x1b[K"
	report = func(p measure.Progress) {
		part, of := "first pass", o.FirstPass
		if p.Counted {
			part, of = "measuring", o.Duration
		}
		_, _ = fmt.Fprintf(a.stderr, "%s%s: %s of %s, %s", clearCode, part, p.Elapsed.Truncate(time.Second), of, units.MiBPerS(math.Round(float64(p.Rate))))
	}
	return report, func() { _, _ = fmt.Fprint(a.stderr, clearCode) }
}

// isTerminal says whether a stream is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}

// measureReport is a measurement as JSON.
type measureReport struct {
	SchemaVersion     int             `json:"schema_version"`
	Path              string          `json:"path"`
	Bytes             int64           `json:"bytes"`
	Streams           int             `json:"streams"`
	PageCacheBypassed bool            `json:"page_cache_bypassed"`
	Seconds           float64         `json:"seconds"`
	MiBPerS           float64         `json:"mib_per_s"`
	MBPerS            float64         `json:"mb_per_s"`
	PerSecond         []units.MiBPerS `json:"per_second_mib_per_s"`
	FirstPass         float64         `json:"first_pass_mib_per_s"`
	Interrupted       bool            `json:"interrupted"`
	BoundBy           string          `json:"bound_by"`
	Notes             []string        `json:"notes"`
	// The percentiles are left out where there are too few seconds for them.
	P10 *units.MiBPerS `json:"p10_mib_per_s,omitempty"`
	P50 *units.MiBPerS `json:"p50_mib_per_s,omitempty"`
	P90 *units.MiBPerS `json:"p90_mib_per_s,omitempty"`
}

func measureJSON(path string, t *measure.Target, r measure.Result, s measure.Setting) measureReport {
	v := measure.Judge(r, s)
	rate := r.Counted.Rate()
	out := measureReport{
		SchemaVersion: 1, Path: path, Bytes: t.Size(), Streams: r.Streams, PageCacheBypassed: t.CacheNote == "",
		Seconds: r.Counted.Elapsed.Seconds(), MiBPerS: float64(rate), MBPerS: float64(rate.MB()),
		PerSecond: append([]units.MiBPerS{}, r.PerSecond...), FirstPass: float64(r.FirstPass.Rate()),
		Interrupted: r.Interrupted, BoundBy: v.BoundBy, Notes: append([]string{}, v.Notes...),
	}
	if low, mid, high, ok := r.Spread(); ok {
		out.P10, out.P50, out.P90 = &low, &mid, &high
	}
	return out
}
