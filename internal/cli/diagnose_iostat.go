package cli

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/runnerfit/terraform-provider-runnerfit/internal/iostat"
	"github.com/runnerfit/terraform-provider-runnerfit/internal/optional"
)

func (a *app) diagnoseIostatCommand() *cobra.Command {
	var format, instanceType string
	var iops int64
	var throughput float64
	c := &cobra.Command{
		Use:   "iostat [FILE|-]",
		Short: "Say from iostat's output whether the volume is the limit",
		Long: `Reads what iostat -d printed on macOS or Linux (-dx, too), from a file or from
standard input, and says for each device whether its figures are dead flat, which
is the throttle of the volume, or fluctuating, which is a limit elsewhere. The
first sample is left out: it is the average since boot.`,
		Example: "  iostat -d -w 2 -c 30 disk4 | runnerfit diagnose iostat\n  runnerfit diagnose iostat samples.txt --provisioned-iops 6000",
		Args:    takes(0, 1, "one file, or reads standard input"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := cmp.Or(checkFormat(format), notNegative("--provisioned-iops", float64(iops)), notNegative("--provisioned-mib-per-s", throughput)); err != nil {
				return err
			}
			ceiling, err := instanceCeiling(instanceType)
			if err != nil {
				return err
			}
			setting := iostat.Setting{ProvisionedThroughput: given(throughput), InstanceType: instanceType, Ceiling: ceiling}
			if iops > 0 {
				setting.ProvisionedIOPS = optional.Known(iops)
			}
			in, name, closeInput, err := a.input(c.Context(), args)
			if err != nil {
				return err
			}
			defer closeInput()
			report, err := iostat.Parse(in)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if format == formatJSON {
				return printJSON(a.stdout, iostatJSON(report, setting))
			}
			return report.Text(a.stdout, setting)
		},
	}
	c.Flags().Int64Var(&iops, "provisioned-iops", 0, "IOPS that the volume is provisioned with")
	c.Flags().Float64Var(&throughput, "provisioned-mib-per-s", 0, "MiB/s that the volume is provisioned with")
	c.Flags().StringVar(&instanceType, "instance-type", "", "EC2 instance type, to compare with what it carries")
	formatFlag(c, &format)
	return c
}

// iostatReport is a report as JSON.
type iostatReport struct {
	SchemaVersion int            `json:"schema_version"`
	System        string         `json:"system"`
	Devices       []iostatDevice `json:"devices"`
}

// iostatDevice is a device as JSON.
type iostatDevice struct {
	Name         string   `json:"name"`
	Verdict      string   `json:"verdict"`
	Limit        *float64 `json:"limit"`
	IOPS         float64  `json:"iops"`
	IOPSLow      float64  `json:"iops_p10"`
	IOPSHigh     float64  `json:"iops_p90"`
	MiBPerS      *float64 `json:"mib_per_s"`
	KiBPerIO     *float64 `json:"kib_per_io"`
	ReadShare    *float64 `json:"read_share"`
	Samples      int      `json:"samples_under_load"`
	SamplesGiven int      `json:"samples"`
	Means        string   `json:"means"`
	ToDo         string   `json:"todo"`
}

func iostatJSON(r *iostat.Report, setting iostat.Setting) iostatReport {
	devices := make([]iostatDevice, 0, len(r.Devices))
	for _, d := range r.Devices {
		v := iostat.Classify(d, setting)
		j := iostatDevice{
			Name: d.Name, Verdict: string(v.Kind), IOPS: v.IOPS, IOPSLow: v.LowIOPS, IOPSHigh: v.HighIOPS,
			KiBPerIO: maybe(v.KiBPerIO), ReadShare: maybe(v.ReadShare),
			Samples: v.UnderLoad, SamplesGiven: d.Seen, Means: v.Means, ToDo: v.ToDo,
		}
		if t, ok := v.Throughput.Get(); ok {
			rate := float64(t)
			j.MiBPerS = &rate
		}
		if v.Limit > 0 {
			j.Limit = &v.Limit
		}
		devices = append(devices, j)
	}
	return iostatReport{SchemaVersion: 1, System: string(r.System), Devices: devices}
}
